"""
The concept cue: hearing an anchor is enough to have what lies under it (CONCEPT, section 4.7).

What lies under the anchors was ranked in sleep (``anchors.py``); what is written since is put there
as it comes, in time that depends on the anchors alone. Nothing here looks at all episodes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hippocampus.config import Concepts
from hippocampus.index.anchors import Anchors, effective
from hippocampus.index.base import Mask, Question, Rows, Scores
from hippocampus.index.meant import Meant
from hippocampus.index.under import Under
from hippocampus.kernel import top_k
from hippocampus.model import Kind, Payloads

_HEAD: Final = 4
_SIXTEENTHS: Final = 16
"""An episode's phrases: a head of lasting importance in sixteenths, 8 bits, and a digest of its
details, 24; then a key a phrase; uint32 each."""
_LOW: Final = 0xFF
PROPER: Final = 1 << 31
"""The bit of a key that says the phrase was written as a name."""
_NOVEL: Final = 0.45
"""The score of an episode that names what is not an anchor yet: an average anchor's."""
_BY_SOUND: Final = 0.8
"""How surely an anchor is meant that sounds like a word no dictionary has."""
_BY_PART: Final = 0.5
"""How surely an anchor is meant of whose name one word is said."""
_FEW: Final = 3
"""Anchors that may share a word for it to mean them."""
_AT_ONCE: Final = 1024
_STAND_INS: Final = 8
"""Rows that may show instead of the one that stands for them, when that is out of bounds."""

Places: TypeAlias = NDArray[np.intp]
Sessions: TypeAlias = Callable[[], NDArray[np.int32]]
"""Gives the sessions of all rows by number, -1 for none."""


def pack_phrases(found: Mapping[int, bool], lasting: float, details: int) -> bytes:
    """
    Return the payload of an episode from its phrases' keys, told names or not.

    ``details``: a digest, as ``encode.details`` makes it.
    """
    keys = [key | PROPER if proper else key for key, proper in sorted(found.items())]
    head = round(lasting * _SIXTEENTHS) | details << 8
    return np.array([head, *keys], "<u4").tobytes()


class Phrases(NamedTuple):
    """
    What payloads tell; p phrases of n episodes.

    ``keys``, shape (p,), with ``PROPER`` in names; ``owner``: which episode each belongs to;
    ``lasting`` importance and ``gists``, see ``under.py``, shape (n,), 0 for episodes without a
    payload; ``present``: which have one.
    """

    keys: NDArray[np.uint32]
    owner: Places
    lasting: Scores
    gists: NDArray[np.uint32]
    present: Mask


def unpack_phrases(payloads: Payloads) -> Phrases:
    """Return what payloads tell of their episodes; a damaged one counts as none."""
    if (payloads.lengths % _HEAD).any():
        payloads = Payloads.of([one if not len(one) % _HEAD else b"" for one in payloads])
    numbers = payloads.data.view("<u4")
    counts = (payloads.lengths // _HEAD).astype(np.int64)
    present: Mask = counts > 0
    starts = (np.cumsum(counts) - counts)[present]
    heads = np.zeros(len(numbers), np.bool_)
    heads[starts] = True
    lasting = np.zeros(len(payloads), np.float32)
    lasting[present] = (numbers[starts] & _LOW) / np.float32(_SIXTEENTHS)
    phrases = np.maximum(counts - 1, 0)
    gists = np.zeros(len(payloads), np.uint32)
    gists[present] = (numbers[starts] & ~np.uint32(_LOW)) | np.minimum(phrases[present], _LOW)
    owner = np.repeat(np.arange(len(payloads)), phrases)
    return Phrases(numbers[~heads].astype(np.uint32), owner, lasting, gists, present)


class Vectors(Protocol):
    """What knows the vectors of rows."""

    def vectors(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return vectors of length 1, shape (rows, dimension); zeros where there is none."""
        ...

    def cosines(self, vector: NDArray[np.float32], rows: Rows) -> Scores:
        """Return the cosines of a vector and rows, shape (rows,)."""
        ...


class Heard(NamedTuple):
    """An anchor that a question calls up: its place, and how surely it is meant, in (0, 1]."""

    anchor: int
    sure: float


class Activation:
    """
    How far episodes are about what a question calls up, in [0, 1].

    What names it outright, or names what is spoken of with it; and, less, what belongs to the same
    session as such.
    """

    def __init__(self, rows: Rows, values: Scores, sessions: Sessions, lend: float) -> None:
        self._rows, at = np.unique(rows, return_inverse=True)
        self._values = np.zeros(len(self._rows), np.float32)
        np.maximum.at(self._values, at, values)
        self._codes = sessions()
        named = self._codes[self._rows]
        self._sessions, at = np.unique(named[named >= 0], return_inverse=True)
        self._lent = np.zeros(len(self._sessions), np.float32)
        np.maximum.at(self._lent, at, np.float32(lend) * self._values[named >= 0])

    def of(self, rows: Rows) -> Scores:
        """Return it for some rows, shape (rows,)."""
        own = _looked_up(self._rows, self._values, rows)
        return np.maximum(own, _looked_up(self._sessions, self._lent, self._codes[rows]))

    def above(self, least: float) -> Mask:
        """Return which of all rows have at least so much, shape (n,)."""
        count = int(self._codes.max(initial=-1)) + 2  # the last is "none"
        strong = np.full(count, np.float32(least) <= 0)  # of any that nobody names, 0
        strong[self._sessions[self._lent >= least]] = True
        mask: Mask = strong[self._codes]
        mask[self._rows[self._values >= least]] = True
        return mask


def _looked_up(known: NDArray[Any], values: Scores, wanted: NDArray[Any]) -> Scores:
    """Return the values of what is wanted among what is known, ascending; 0 for the rest."""
    if not len(known):
        return np.zeros(len(wanted), np.float32)
    at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return np.where(known[at] == wanted, values[at], np.float32(0))


class _Activity:
    """
    How active anchors are at any time: a mention counts e times less when ``fades`` have passed.

    What all mentions up to one add up to is kept with each, as a logarithm, so that asking costs a
    look per anchor, however often each has come up.
    """

    def __init__(self, places: Places, times: Sequence[NDArray[np.int64]], fades: float) -> None:
        self.places = places
        self._fades = fades
        self._times = np.concatenate([np.empty(0, np.int64), *times])
        self._ends = np.cumsum([0, *map(len, times)])
        self._last = self._times.max(initial=0)
        sums = [np.logaddexp.accumulate(one / fades) for one in times]
        self._sums = np.concatenate([np.empty(0), *sums])

    def at(self, now: float) -> NDArray[np.float64]:
        """Return the activity of each of the places at a time, shape (places,)."""
        first, stop = self._ends[:-1], self._ends[1:].copy()
        if now < self._last:  # then some mentions are still to come: halve to where they begin
            low = first.copy()
            while (open_ := low < stop).any():
                middle = np.minimum((low + stop) // 2, len(self._times) - 1)
                early = self._times[middle] <= now
                low = np.where(open_ & early, middle + 1, low)
                stop = np.where(open_ & ~early, middle, stop)
        made = stop > first
        activity = np.zeros(len(self.places))
        activity[made] = np.exp(self._sums[stop[made] - 1] - now / self._fades)
        return activity


class ConceptCue:
    """
    Anchors and what is under them, kept fresh.

    Args:
        anchors: what the last rebuild left.
        how: thresholds and sizes.
        seen: the vectors of rows; observed before this cue, row by row.
        said_at: when rows were said, in microseconds.
        sessions: the sessions of all rows by number, -1 for none.
        leads: which of some rows anchors may lead to; all by default.

    """

    name = "concept"
    kind: Kind = "phrase"

    def __init__(
        self,
        anchors: Anchors,
        how: Concepts,
        seen: Vectors,
        said_at: Callable[[Rows], NDArray[np.int64]],
        sessions: Sessions,
        leads: Callable[[Rows], Mask] | None = None,
    ) -> None:
        self.anchors = anchors
        self._how = how
        self._least = how.cosines()
        self._seen = seen
        self._said_at = said_at
        self._sessions = sessions
        self._leads = leads
        self._length = anchors.rows_built
        self._place = {key: place for place, key in enumerate(anchors.keys.tolist())}
        self._meant = Meant(anchors.vectors, how.exact)
        self.under = Under(anchors, how, seen.cosines, said_at)
        self._more: defaultdict[int, list[int]] = defaultdict(list)
        """Rows that name an anchor and came since."""
        self._novel: defaultdict[int, list[int]] = defaultdict(list)
        """Rows that name what is no anchor yet, by key."""
        self._sounds: defaultdict[str, list[int]] = defaultdict(list)
        self._parts: defaultdict[int, list[int]] = defaultdict(list)
        """Anchors by the words of their names, where they have several."""
        for place, sound in enumerate(anchors.sounds):
            if sound:
                self._sounds[sound].append(place)
        for place, keys in enumerate(anchors.words):
            for key in keys:
                self._parts[key].append(place)
        self._activity: _Activity | None = None
        self._last: tuple[Question, int, tuple[Rows, Scores, Rows]] | None = None

    def __len__(self) -> int:
        return self._length

    @property
    def nbytes(self) -> int:
        kept = (self.anchors.vectors, self.anchors.mentions, self._meant, self.under)
        return sum(array.nbytes for array in kept)

    # ------------------------------------------------------------ taking in

    def observe(self, payloads: Payloads) -> None:
        keys, owner, lasting, gists, _ = unpack_phrases(payloads)
        first = self._length
        self._length += len(payloads)
        self._last = None
        if not self._how.fresh:
            return
        mentioned: defaultdict[int, list[int]] = defaultdict(list)
        bare = keys & np.uint32(PROPER - 1)
        for key, row in zip(bare.tolist(), (owner + first).tolist(), strict=True):
            place = self._place.get(key)
            if place is None:
                self._novel[key].append(row)
            else:
                self._more[place].append(row)
                mentioned[row].append(place)
        if len(self.anchors):
            for start in range(0, len(payloads), _AT_ONCE):
                some = slice(start, start + _AT_ONCE)
                rows = first + np.arange(len(payloads))[some]
                self._insert(rows, lasting[some], gists[some], mentioned)

    def _insert(
        self,
        rows: NDArray[np.int64],
        lasting: Scores,
        gists: NDArray[np.uint32],
        mentioned: dict[int, list[int]],
    ) -> None:
        """Put new rows under the anchors they belong to: O(anchors) a row; names by row."""
        how = self._how
        vectors = self._seen.vectors(rows)
        for row, vector, worth, gist in zip(rows.tolist(), vectors, lasting, gists, strict=True):
            named = np.array(mentioned.get(row, ()), np.intp)
            cosines = self._meant.cosines(vector, self._least.theta, named)
            cosines[named] += np.where(self._meant.has_meaning[named], how.mention, 1.0)
            scores = effective(cosines, worth, 0.0, how.alpha)
            self.under.put(row, (cosines >= self._least.theta) & (scores > 0), scores, vector, gist)

    # ------------------------------------------------------------ being asked

    def beside(self, row: int) -> list[tuple[int, Literal["canonical", "alias", "related"], float]]:
        """Return the rows beside a row, how, and their cosines; those that say the same first."""
        stands, repeats = self.under.canonical(row), self.under.repeats(row)
        same = [stands] * (stands != row) + repeats
        vector = self._seen.vectors(np.array([row]))[0]
        cosines = self._seen.cosines(vector, np.array(same, np.uint32)).tolist()
        found: list[tuple[int, Literal["canonical", "alias", "related"], float]] = [
            (other, "alias" if other in repeats else "canonical", cosine)
            for other, cosine in zip(same, cosines, strict=True)
        ]
        found += [(other, "related", cosine) for other, cosine in self.under.related(row)]
        return found

    def hear(self, question: Question) -> list[Heard]:
        """
        Return the anchors a question calls up, the surest first, and those that it means.

        By name whatever the endings, by sound, by a word of a longer name; and when it only points,
        those that are active at the time.
        """
        heard = self._called(question)
        if question.vector is not None and len(self.anchors):
            best, cosines = self._meant.best(question.vector, self._how.most_meant)
            for place, cosine in zip(best.tolist(), cosines.tolist(), strict=True):
                if cosine >= self._least.sem_theta:
                    heard.setdefault(place, cosine)
        return [Heard(*one) for one in sorted(heard.items(), key=lambda one: -one[1])]

    def _called(self, question: Question) -> dict[int, float]:
        heard = {self._place[key]: 1.0 for key in question.phrases if key in self._place}
        for sound in question.sounds:
            for place in self._sounds.get(sound, ()):
                heard.setdefault(place, _BY_SOUND)
        if any(map(self.anchors.is_tied, heard)) or self._novel.keys() & set(question.phrases):
            return heard
        if question.points and self._how.pronouns:
            return heard | dict.fromkeys(self.active(question), 1.0)
        parts = [self._parts.get(key, ()) for key in question.parts]
        some = {place: _BY_PART for places in parts if len(places) <= _FEW for place in places}
        return some | heard

    def active(self, question: Question) -> list[int]:
        """Return the anchors that come up most at the time of a question."""
        fades = self._how.active_hours * 3.6e9
        now = question.now.timestamp() * 1e6
        if self._activity is None:
            tied = [place for place in range(len(self.anchors)) if self.anchors.is_tied(place)]
            times = [self._said_at(self._named(place)) for place in tied]
            self._activity = _Activity(np.array(tied, np.intp), times, fades)
        tied_to, activity = self._activity.places, self._activity.at(now)
        for at, place in enumerate(tied_to.tolist()):
            if place in self._more:
                ages = now - self._said_at(np.array(self._more[place], np.uint32))
                activity[at] += np.exp(-ages[ages >= 0] / fades).sum()
        best = np.argsort(-activity, kind="stable")[: self._how.active]
        return [int(tied_to[at]) for at in best.tolist() if activity[at] > 0]

    def _named(self, place: int) -> Rows:
        """Return the rows that named an anchor at the last rebuild, in order of time."""
        start, end = self.anchors.mention_ends[place : place + 2]
        return self.anchors.mentions[start:end].astype(np.uint32)

    def _naming(self, place: int) -> Rows:
        """Return the rows that name an anchor, in order."""
        since = np.array(self._more.get(place, ()), np.uint32)
        return np.concatenate([self._named(place), since])

    def activate(self, question: Question) -> Activation | None:
        """Return how far episodes are about what a question calls up; None if that is nothing."""
        called = {p: sure for p, sure in self._called(question).items() if self.anchors.is_tied(p)}
        strength: defaultdict[int, float] = defaultdict(float)
        total = 0.0
        for place, sure in called.items():
            weight = sure / np.log(
                2 + len(self._naming(place))
            )  # who is named rarely is meant more
            total += weight
            inside = slice(*self.anchors.kin_ends[place : place + 2])
            pairs = zip(self.anchors.kin[inside], self.anchors.kin_strengths[inside], strict=True)
            for other, share in pairs:
                strength[int(other)] += weight * float(share)
        values = {place: min(1.0, share / total) for place, share in strength.items()}
        values |= called
        rows = [self._naming(place) for place in values]
        new = [np.array(self._novel[k], np.uint32) for k in question.phrases if k in self._novel]
        if not rows and not new:
            return None
        weights = [*values.values(), *([1.0] * len(new))]
        every = np.concatenate([*rows, *new])
        value = np.repeat(np.array(weights, np.float32), [len(part) for part in (*rows, *new)])
        if self._leads is not None:
            to = self._leads(every)
            every, value = every[to], value[to]
        return Activation(every, value, self._sessions, self._how.lend) if len(every) else None

    def found(self, question: Question) -> tuple[Rows, Scores]:
        """Return the rows under what a question calls up, ascending, and their anchors' scores."""
        rows, scores, stands = self._found(question)
        own = _not_repeated(rows, stands, rows)
        return rows[own], scores[own]

    def _found(self, question: Question) -> tuple[Rows, Scores, Rows]:
        """Return rows and scores, those as well that others stand for, and who stands for each."""
        last = self._last
        if last is not None and last[0] is question and last[1] == len(self):
            return last[2]
        best: dict[int, float] = {}
        for anchor, sure in self.hear(question):
            rows, scores = self._under(anchor, question)
            for row, score in zip(rows.tolist(), (scores * sure).tolist(), strict=True):
                if score > best.get(row, 0.0):
                    best[row] = score
        for key in question.phrases:
            for row in self._novel.get(key, ()):
                best.setdefault(row, _NOVEL)
        for row, score in list(best.items()):
            for repeat in self.under.repeats(row)[-_STAND_INS:]:
                best.setdefault(repeat, score)
        ascending = sorted(best)
        found = (
            np.array(ascending, np.uint32),
            np.array([best[row] for row in ascending], np.float32),
            np.array([self.under.canonical(row) for row in ascending], np.uint32),
        )
        if self._leads is not None:
            to = self._leads(found[0])
            found = found[0][to], found[1][to], found[2][to]
        self._last = question, len(self), found
        return found

    def _under(self, anchor: int, question: Question) -> tuple[NDArray[np.int32], Scores]:
        """Return what lies under an anchor, in the sense that the question has in mind."""
        rows, scores = self.under.of(anchor)
        start, end = self.anchors.centre_ends[anchor : anchor + 2]
        if self._how.senses and end - start > 1 and question.vector is not None:
            centres = self.anchors.centres[start:end]
            meant = centres[int(np.argmax(centres @ question.vector))]
            own = self._seen.vectors(rows.astype(np.int64)) @ centres.T
            inside = centres[np.argmax(own, axis=1)] @ meant > 1 - 1e-6
            rows, scores = rows[inside], scores[inside]
        return rows, scores

    def propose(self, question: Question, allowed: Mask | None, limit: int) -> Rows:
        rows, _, stands = self._found(question)
        there = rows if allowed is None else rows[allowed[rows]]
        rows = rows[np.isin(rows, there) & _not_repeated(rows, stands, there)]
        scores = self.score(question, rows)
        return rows if scores is None else rows[top_k(scores, limit)]

    def score(self, question: Question, rows: Rows) -> Scores | None:
        found, scores, stands = self._found(question)
        if not len(found):
            return None
        scores = np.where(_not_repeated(found, stands, rows), scores, np.float32(0))
        own = _looked_up(found, scores, rows)
        blended = np.float32(self._how.anchor) * own
        if question.vector is not None:
            under = own > 0
            blended[under] += np.float32(self._how.query) * self._seen.cosines(
                question.vector, rows[under]
            )
        return blended


def _not_repeated(rows: Rows, stands: Rows, there: Rows) -> Mask:
    """Return which of some rows no other one stands for that is there, too."""
    told: Mask = (stands == rows) | ~np.isin(stands, there)
    return told
