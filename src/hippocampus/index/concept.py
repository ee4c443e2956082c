"""
The concept cue: anchors in a question lead to the rows under them (CONCEPT, section 4.7).

The rows under each anchor are ranked in sleep (``anchors.py``); new rows are inserted as they are
written, in time that depends on the number of anchors alone. Activation spreads from the anchors of
a question to the rows and sessions that name them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from operator import itemgetter
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from rpds import HashTrieMap, HashTrieSet

from hippocampus.core.arrays import Rows32
from hippocampus.core.clock import MICROS_PER_HOUR
from hippocampus.core.config import Concepts
from hippocampus.core.records import Kind, Payloads
from hippocampus.index.anchor_postings import AnchorPostings, Times
from hippocampus.index.anchor_search import AnchorSearch
from hippocampus.index.anchors import Anchors, effective
from hippocampus.index.cue import Mask, Scores
from hippocampus.index.growable_array import GrowableArray, Versioned
from hippocampus.index.phrase_codec import PROPER, unpack_phrases
from hippocampus.index.query import Query
from hippocampus.index.sorted_sets import each_once, is_among, looked_up
from hippocampus.kernel import top_k

_NOVEL: Final = 0.45
"""Score of a row that shares a phrase that is no anchor yet: an average anchor's. Set by hand."""
_BY_SOUND: Final = 0.8
"""Certainty of an anchor that sounds like a word that is in no dictionary; set by hand, as the
next."""
_BY_PART: Final = 0.5
"""Certainty of an anchor of whose name the question has one word: as likely as not it means
something else."""
_FEW: Final = 3
"""Most anchors that share a word for the word to mean them (docs/adr/0016): "project" is in many
names, and means none."""
_AT_ONCE: Final = 1024
"""New rows whose vectors are in memory at a time: 1.5 MB of 384 numbers each."""
_MEANT_BY_POINTING: Final = 3
"""Anchors under which a question that points, and names nothing, is looked up, when this cue is
asked alone: what is going on is seldom more than a few matters. Set by hand."""
_BESIDE_WORDS: Final = 0.5
"""Weight of active anchors beside anchors that the question names, if none is a proper name: "our
paper" may be one that is going on, or any. Set by hand."""
_FAMILIAR: Final = 5
"""Mentions up to which an anchor is new, and all the more active for coming up; set by hand."""
_USUAL: Final = 1e-4
"""Share of all mentions below which no anchor is any rarer: or one that was named once, and lately,
would come first (docs/adr/0016)."""
_STAND_INS: Final = 8
"""Rows that may show instead of the one that stands for them, when that is out of bounds: the last
ones, of a line that may be said every day. Set by hand."""

Item = TypeVar("Item", bound=np.integer[Any])
Places: TypeAlias = NDArray[np.intp]
Sessions: TypeAlias = Callable[[], NDArray[np.int32]]
"""Gives the sessions of all rows by number, -1 for none."""
Leads: TypeAlias = Callable[[Rows32], Mask]
"""Test of rows: the mask of those to which anchors may lead."""
Spelled: TypeAlias = Callable[
    [Sequence[int]], Mapping[int, tuple[Collection[int], Collection[int]]]
]
"""Gives, by row, the keys of curated names that it says, and of words that are only part of one."""


class VectorReader(Protocol):
    """A source of the vectors of rows."""

    def vectors(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return vectors of length 1, shape (rows, dimension); zeros where there is none."""
        ...

    def cosines(self, vector: NDArray[np.float32], rows: Rows32) -> Scores:
        """Return the cosines of a vector and rows, shape (rows,)."""
        ...


class Activation:
    """
    Activation of rows by the anchors that a question calls up, in [0, 1].

    The sum of a row's activated anchors over √(anchors it names), plus the same of its session,
    weighted; scaled so that the most active row has 1.

    Args:
        rows: rows that name an activated thing, one entry for each mention.
        things: the place of the thing, shape (rows,).
        worth: the activation of each thing, shape (things,).
        named: gives the number of things in each of some rows.
        sessions: the sessions of all rows by code, -1 for none.
        named_in: gives the number of things in each of some sessions.
        lend: weight of the session against the row itself.
        leads: tells which of some rows it may lead to; all by default.

    """

    def __init__(
        self,
        rows: Rows32,
        things: Places,
        worth: NDArray[np.float64],
        named: Callable[[Rows32], Scores],
        sessions: NDArray[np.int32],
        named_in: Callable[[NDArray[np.int32]], Scores],
        lend: float,
        leads: Callable[[Rows32], Mask] | None = None,
    ) -> None:
        self._leads = leads
        self._rows, own = _summed(rows, things, worth)
        own /= np.sqrt(np.maximum(named(self._rows), 1))
        self._codes = sessions
        inside = sessions[rows.astype(np.intp)]
        self._sessions, lent = _summed(inside[inside >= 0], things[inside >= 0], worth)
        lent /= np.sqrt(np.maximum(named_in(self._sessions), 1))
        self._lent = np.float32(lend) * _share(lent)
        self._values = _share(own)
        most = (self._values + self._lending(self._rows)).max(initial=0)
        if most > 0:
            self._lent /= most
            self._values /= most

    def _sum(self, rows: Rows32) -> Scores:
        own = self._values if rows is self._rows else looked_up(self._rows, self._values, rows)
        return own + self._lending(rows)

    def _lending(self, rows: Rows32) -> Scores:
        """Return the activation that the sessions of rows lend them."""
        if not len(self._sessions):
            return np.zeros(len(rows), np.float32)
        none = int(self._sessions[-1]) + 1
        lent = np.zeros(none + 1, np.float32)
        lent[self._sessions] = self._lent
        codes = self._codes[rows.astype(np.intp)]
        return lent[np.where((codes < 0) | (codes > none), none, codes)]

    def of(self, rows: Rows32) -> Scores:
        """Return the activation of some rows, shape (rows,)."""
        about = self._sum(rows)
        return about if self._leads is None else about * self._leads(rows)

    def best(self, most: int, allowed: Mask | None) -> Rows32:
        """
        Return the most active allowed rows, ascending.

        What names an activated thing is looked at first; of the others, which have what their
        session lends them alone, only those of sessions that lend as much as the last of these.
        """
        rows = self._seen(self._rows, allowed)
        sums = self._sum(rows)
        least = np.sort(sums)[-most] if 0 < most <= len(sums) else np.float32(0)
        lending = self._sessions[self._lent >= least]
        if len(lending):
            hot = np.zeros(int(self._codes.max(initial=-1)) + 2, np.bool_)  # the last is "none"
            hot[lending] = True
            others = hot[self._codes].nonzero()[0].astype(np.uint32)
            rows = each_once(np.concatenate([rows, self._seen(others, allowed)]))
            sums = self._sum(rows)
        return np.sort(rows[top_k(sums, most)])

    def _seen(self, rows: Rows32, allowed: Mask | None) -> Rows32:
        """Return those of some rows that are allowed, and that it may lead to."""
        if allowed is not None:
            rows = rows[allowed[rows]]
        return rows if self._leads is None else rows[self._leads(rows)]


def _summed(
    owners: NDArray[Item], things: Places, worth: NDArray[np.float64]
) -> tuple[NDArray[Item], Scores]:
    """Return owners, ascending, and the sum of the worth of their distinct things."""
    bits = len(worth).bit_length()
    # Half as wide, they are sorted in half the time.
    width = np.uint32 if int(owners.max(initial=0)) < 1 << (32 - bits) else np.int64
    own: NDArray[Any] = owners.astype(width)
    pairs = each_once(own << width(bits) | things.astype(width))
    if not len(pairs):
        return owners[:0], np.zeros(0, np.float32)
    each = pairs >> width(bits)
    first = np.ones(len(each), np.bool_)
    np.not_equal(each[1:], each[:-1], out=first[1:])
    starts = np.flatnonzero(first)
    sums = np.add.reduceat(worth[(pairs & width((1 << bits) - 1)).astype(np.intp)], starts)
    return each[starts].astype(owners.dtype), sums.astype(np.float32)


def _share(values: Scores) -> Scores:
    most = values.max(initial=0)
    return values / most if most > 0 else values


class _Active(NamedTuple):
    """Anchors that are active at a moment, by all mentions there are."""

    mentions: int
    latest: float
    """When the last of them was said, in microseconds."""
    now: float
    shares: dict[int, float]

    def moment(self, asked: float) -> float:
        """Return the moment that counts: rest fades nothing, so at most that of the last one."""
        return min(asked, self.latest)


class _TiedCounts(Versioned):
    """Numbers of distinct tied anchors in each row and in each session."""

    def __init__(self, anchors: Anchors, sessions: NDArray[np.int32]) -> None:
        place, rows = _tied_mentions(anchors)
        self._rows = GrowableArray(np.float32)
        self._rows.extend(np.bincount(rows, minlength=anchors.rows_built))
        pairs = each_once(sessions[rows].astype(np.int64) * len(anchors) + place)
        self._sessions = GrowableArray(np.float32)
        # Below 0 are those of rows without a session, whose code is -1.
        self._sessions.extend(np.bincount(pairs[pairs >= 0] // max(1, len(anchors))))
        self._seen: set[tuple[int, int]] = set()
        """Sessions and what they named since, for who writes."""

    def add(self, row: int, session: int, places: Sequence[int]) -> None:
        """Count newer mentions; an anchor that a session named before then counts once more."""
        _raise_count(self._rows, row, len(places))
        new = {(session, place) for place in places if session >= 0} - self._seen
        if new:
            _raise_count(self._sessions, session, len(new))
            self._seen |= new

    def in_rows(self, rows: Rows32) -> Scores:
        """Return the number of anchors asked for that each of some rows names."""
        return _counted(self._rows.view, rows)

    def in_sessions(self, codes: NDArray[np.int32]) -> Scores:
        """Return the number of anchors asked for that each of some sessions names."""
        return _counted(self._sessions.view, codes)


def _tied_mentions(anchors: Anchors) -> tuple[Places, NDArray[np.int32]]:
    """Return rows and anchors of mentions of tied anchors at the last rebuild: both (mentions,)."""
    tied = np.array([anchors.is_tied(place) for place in range(len(anchors))], np.bool_)
    place = np.repeat(np.arange(len(anchors)), np.diff(anchors.mention_ends))
    return place[tied[place]], anchors.mentions[tied[place]]


def _raise_count(counts: GrowableArray[np.float32], place: int, by: int) -> None:
    missing = place - len(counts)
    if missing < 0:
        counts.put(place, counts.view[place] + by)
    else:
        counts.extend(np.array([*[0] * missing, by]))


def _counted(counts: Scores, places: NDArray[Any]) -> Scores:
    """Return the counts at some places, 0 beyond them."""
    known = places < len(counts)
    out = np.zeros(len(places), np.float32)
    out[known] = counts[places[known]]
    return out


class ConceptCue(Versioned):
    """
    Anchors and the rows under them, kept up with what is written.

    Args:
        anchors: the result of the last rebuild.
        how: thresholds and sizes.
        seen: the vectors of rows; observed before this cue, row by row.
        occurred_at: when rows were said, in microseconds.
        sessions: the sessions of all rows by number, -1 for none.
        leads: which of some rows anchors may lead to; all by default.
        denied: keys of phrases that never call anything up, anchors or not.
        spelled: reads which rows say curated names that their phrases do not tell.

    """

    kind: Kind = "phrase"

    def __init__(
        self,
        anchors: Anchors,
        how: Concepts,
        seen: VectorReader,
        occurred_at: Times,
        sessions: Sessions,
        leads: Leads | None = None,
        denied: Collection[int] = (),
        spelled: Spelled | None = None,
    ) -> None:
        self.anchors = anchors
        self._how = how
        self._least = how.cosines()
        self._spelled = spelled
        self._denied = frozenset(denied)
        self._silent = np.isin(anchors.keys, np.array(sorted(self._denied), np.uint32))
        """Which anchors were denied since they were chosen."""
        self._length = anchors.rows_built
        self._place = dict(anchors.merged)
        self._place |= {key: place for place, key in enumerate(anchors.keys.tolist())}
        self._search = AnchorSearch(anchors.vectors, how.exact_search_anchors)
        self.under = AnchorPostings(anchors, how, seen.cosines, occurred_at)
        self.attach(seen, occurred_at, sessions, leads)
        self._more: HashTrieMap[int, tuple[int, ...]] = HashTrieMap()
        """Rows that name an anchor and came since."""
        self._novel: HashTrieMap[int, tuple[int, ...]] = HashTrieMap()
        """Rows with a phrase that is no anchor yet, by its key."""
        self._new_names: HashTrieSet[int] = HashTrieSet()
        """Of those keys, the ones written as a name."""
        self._sounds: defaultdict[str, list[int]] = defaultdict(list)
        self._parts: defaultdict[int, list[int]] = defaultdict(list)
        """Anchors by the words of their names, where they have several."""
        for place, sound in enumerate(anchors.sounds):
            if sound:
                self._sounds[sound].append(place)
        for place, keys in enumerate(anchors.words):
            for key in keys:
                self._parts[key].append(place)
        self._counts: _TiedCounts | None = None
        self._active: _Active | None = None
        """What was active when that was last asked."""
        self._tied = GrowableArray(np.int64, 2)
        """Tied anchors and the rows that name them, a pair for each mention."""
        self._tied.extend(np.stack(_tied_mentions(anchors), axis=1))
        self._last: tuple[Query, int, tuple[Rows32, Scores, Rows32]] | None = None

    def __len__(self) -> int:
        return self._length

    @property
    def sources(self) -> Collection[str] | None:
        """The sources of what anchors may lead to; None for all."""
        return self._how.sources

    @property
    def nbytes(self) -> int:
        kept = (self.anchors.vectors, self.anchors.mentions, self._tied, self._search, self.under)
        return sum(array.nbytes for array in kept)

    def attach(
        self, seen: VectorReader, occurred_at: Times, sessions: Sessions, leads: Leads | None = None
    ) -> None:
        """Ask these about rows from now on: those of the version of the index it is part of."""
        self._seen, self._occurred_at = seen, occurred_at
        self._sessions, self._leads = sessions, leads
        self.under.attach(seen.cosines, occurred_at)

    # ------------------------------------------------------------ taking in

    def observe(self, payloads: Payloads) -> None:
        keys, owner, lasting, gists, _ = unpack_phrases(payloads)
        first = self._length
        self._length += len(payloads)
        self._last = None
        if not self._how.fresh:
            return
        mentioned: defaultdict[int, list[int]] = defaultdict(list)
        for written, row in self._named_in(keys, owner, first):
            key = written & ~PROPER
            place = self._place.get(key)
            if place is None:
                if key not in self._denied:
                    self._novel = self._novel.insert(key, (*self._novel.get(key, ()), row))
                    if written & PROPER:
                        self._new_names = self._new_names.insert(key)
            else:
                self._more = self._more.insert(place, (*self._more.get(place, ()), row))
                mentioned[row].append(place)
        codes = self._sessions() if mentioned else np.empty(0, np.int32)
        for row, places in mentioned.items():
            tied = [place for place in places if self.anchors.is_tied(place)]
            if tied:
                self._many.add(row, int(codes[row]), tied)
                self._tied.extend(np.array([(place, row) for place in tied]))
        if len(self.anchors):
            for start in range(0, len(payloads), _AT_ONCE):
                some = slice(start, start + _AT_ONCE)
                rows = first + np.arange(len(payloads))[some]
                self._insert(rows, lasting[some], gists[some], mentioned)

    def _named_in(
        self, keys: NDArray[np.uint32], owner: NDArray[np.intp], first: int
    ) -> list[tuple[int, int]]:
        """Return keys and the new rows that name them, as phrases or as curated names."""
        named = list(zip(keys.tolist(), (owner + first).tolist(), strict=True))
        if self._spelled is None:
            return named
        spelled: dict[int, tuple[Collection[int], Collection[int]]] = {}
        for start in range(first, self._length, _AT_ONCE):
            spelled |= self._spelled(range(start, min(start + _AT_ONCE, self._length)))
        named = [
            (key, row)
            for key, row in named
            if row not in spelled or key & ~PROPER not in spelled[row][1]
        ]
        known = {(key & ~PROPER, row) for key, row in named}
        said = {(key, row) for row, (names, _) in spelled.items() for key in names}
        return sorted([*named, *(said - known)], key=itemgetter(1))

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
            cosines = self._search.cosines(vector, self._least.theta, named)
            # Where there is no meaning the cosine is 0, and to be named has to be enough.
            cosines[named] += np.where(self._search.has_meaning[named], how.mention, 1.0)
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

    def hear(self, question: Query) -> dict[int, float]:
        """
        Return the anchors a question calls up or means, the surest first, each with how surely.

        By name whatever the endings, by sound, by a word of a longer name; and when it only points,
        those that are active at the time.
        """
        heard = self._called(question)
        if question.deixis and not heard and self._how.pronouns:
            heard |= dict.fromkeys(list(self.active(question.now))[:_MEANT_BY_POINTING], 1.0)
        if question.vector is not None and len(self.anchors):
            best, cosines = self._search.best(question.vector, self._how.meant_anchors)
            for place, cosine in zip(best.tolist(), cosines.tolist(), strict=True):
                if cosine >= self._least.sem_theta and not self._silent[place]:
                    heard.setdefault(place, cosine)
        return dict(sorted(heard.items(), key=lambda one: -one[1]))

    def _called(self, question: Query) -> dict[int, float]:
        heard = self._heard(question)
        return {place: sure for place, sure in heard.items() if not self._silent[place]}

    def _heard(self, question: Query) -> dict[int, float]:
        named = (*question.phrases, *question.gazetteer_keys)
        heard = {self._place[key]: 1.0 for key in named if key in self._place}
        for sound in question.phonetic_codes:
            for place in self._sounds.get(sound, ()):
                heard.setdefault(place, _BY_SOUND)
        # By parts of their names things are only looked for where none is named in full.
        if any(map(self.anchors.is_tied, heard)) or any(
            key in self._new_names for key in question.phrases
        ):
            return heard
        parts = [self._parts.get(key, ()) for key in question.definite_words - self._denied]
        some = {place: _BY_PART for places in parts if len(places) <= _FEW for place in places}
        return some | heard

    def active(self, at: datetime) -> dict[int, float]:
        """
        Return the anchors that come up more than usual at a moment, and their shares.

        Activity is a sum of mentions that decay with a time constant, spread to coactivated
        anchors, so that a matter of which each side is named once is active. Shares are of the
        terms of the divergence of present from usual activity; the largest come first.
        """
        asked, known = at.timestamp() * 1e6, self._active
        if known is None or known.mentions != len(self._tied) or known.now != known.moment(asked):
            known = self._active = self._active_at(asked)
        return dict(known.shares)

    def _active_at(self, asked: float) -> _Active:
        places, rows = self._tied.view.T
        occurred_at = self._occurred_at(rows.astype(np.uint32))
        latest = float(occurred_at.max(initial=0))
        now = min(asked, latest)
        told = partial(_Active, len(places), latest, now)
        fades = self._how.active_hours * MICROS_PER_HOUR
        early = occurred_at <= now
        fading = np.exp((occurred_at[early] - now) / fades)
        lately = np.bincount(places[early], fading, len(self.anchors)).astype(np.float64)
        often = np.bincount(places, minlength=len(self.anchors))
        if not lately.sum() > 0:
            return told({})
        lately /= np.sqrt(often + _FAMILIAR)
        current, usual = self._spread(lately / lately.sum()), self._spread(often / often.sum())
        # By the ratio alone, an anchor named only once, and lately, would come before those that
        # are named all the time.
        more = current * np.log(np.maximum(current / (usual + _USUAL), 1))
        more = more if more.any() else current
        more[(lately <= 0) | self._silent] = 0
        best = np.argsort(-more, kind="stable")[: self._how.active]
        best = best[more[best] > 0]
        shares = (more[best] / more[best].sum()).tolist()
        return told(dict(zip(best.tolist(), shares, strict=True)))

    def matters(self, at: datetime) -> Iterator[tuple[str, Rows32]]:
        """Yield the names of what is active at a moment, the most first, and the rows with each."""
        for place in self.active(at):
            yield self.anchors.names[place], self._naming(place)

    def _spread(self, active: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the activation of anchors once each has given to its kin, shape (anchors,)."""
        anchors = self.anchors
        given = np.repeat(active, np.diff(anchors.kin_ends)) * anchors.kin_strengths
        spread: NDArray[np.float64] = np.bincount(anchors.kin, given, len(anchors)).astype(float)
        return spread

    def _named(self, place: int) -> Rows32:
        """Return the rows that named an anchor at the last rebuild, in order of time."""
        start, end = self.anchors.mention_ends[place : place + 2]
        return self.anchors.mentions[start:end].view(np.uint32)  # none is negative

    def _naming(self, place: int) -> Rows32:
        """Return the rows that name an anchor, in order."""
        since = self._more.get(place)
        named = self._named(place)
        return named if since is None else np.append(named, np.array(since, np.uint32))

    def activate(
        self, question: Query, allowed: Mask | None = None, described: Sequence[Rows32] = ()
    ) -> Activation | None:
        """
        Return the activation by what a question calls up; None if it calls up nothing.

        ``allowed``: rows that the read may see; no other row counts towards anything.
        ``described``: rows that hold all words of what it describes, for each such thing.
        """
        seeds = self._seeds(question)
        anchors = self.anchors
        active = np.zeros(len(anchors), np.float32)
        for place, share in seeds.items():
            inside = slice(*anchors.kin_ends[place : place + 2])
            active[anchors.kin[inside]] += np.float32(share) * anchors.kin_strengths[inside]
        active[self._silent] = 0
        places = np.flatnonzero(active)
        named = [self._naming(place) for place in places.tolist()]
        fresh = (key for key in question.phrases if key in self._new_names)
        new = [np.array(self._novel[key], np.uint32) for key in fresh]
        new += described
        if not named and not new:
            return None
        # A new name, or what is described, counts like the most active anchor.
        values = np.concatenate([active[places], np.full(len(new), active.max(initial=0) or 1)])
        named += new
        lengths = [len(rows) for rows in named]
        rows = np.concatenate(named)
        thing = np.repeat(np.arange(len(named)), lengths)
        if allowed is not None:
            seen = allowed[rows]
            rows, thing = rows[seen], thing[seen]
        if self._leads is not None:
            to = self._leads(rows)
            rows, thing = rows[to], thing[to]
        if not len(rows):
            return None
        many = self._many
        return Activation(
            rows, thing, values.astype(np.float64), many.in_rows, self._sessions(),
            many.in_sessions, self._how.session_share, self._leads,
        )  # fmt: skip

    @property
    def _many(self) -> _TiedCounts:
        if self._counts is None:
            self._counts = _TiedCounts(self.anchors, self._sessions())
        return self._counts

    def _seeds(self, question: Query) -> dict[int, float]:
        """Return the anchors that activation begins with, and the share of each."""
        called = {
            p: sure for p, sure in self._called(question).items() if self._is_meant(p, question)
        }
        # An anchor that is named rarely is meant more.
        total = len(self) + 1
        weight = {p: sure * np.log(total / (1 + self._often(p))) for p, sure in called.items()}
        whole = sum(weight.values())
        seeds = {place: share / whole for place, share in weight.items()} if whole > 0 else {}
        pointing = question.deixis if not seeds or question.deixis >= 1 else 0.0
        if pointing and self._how.pronouns and not any(map(self._is_name, seeds)):
            share = pointing * (_BESIDE_WORDS if seeds else 1.0)
            for place, part in self.active(question.now).items():
                seeds[place] = seeds.get(place, 0.0) + share * part
        return seeds

    def _is_meant(self, place: int, question: Query) -> bool:
        """
        Return whether a question that calls up an anchor means one thing by it.

        A name does, and so does a definite phrase.
        """
        if self._silent[place] or not self.anchors.is_tied(place):
            return False
        key = int(self.anchors.keys[place])
        only_said = key in question.phrases and key not in question.definite
        return self._is_name(place) or not only_said

    def _is_name(self, place: int) -> bool:
        return self.anchors.kind(place) != "discovered"

    def explained(self, question: Query) -> list[int]:
        """
        Return the places of a question's terms that only name an activated anchor.

        Activation stands for them: a row about the anchor need not repeat the name.
        """
        heard = [
            places
            for key, places in question.phrases.items()
            if key in self._place and self._is_meant(self._place[key], question)
        ]
        return sorted({place for places in heard for place in places})

    def _often(self, place: int) -> int:
        start, end = self.anchors.mention_ends[place : place + 2]
        return int(end - start) + len(self._more.get(place, ()))

    def _found(self, question: Query) -> tuple[Rows32, Scores, Rows32]:
        """Return rows, scores, and the row that stands for each, itself unless it repeats one."""
        last = self._last
        if last is not None and last[0] is question and last[1] == len(self):
            return last[2]
        best: dict[int, float] = {}
        for anchor, sure in self.hear(question).items():
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
        # One recall asks for proposals, and then for scores of the same.
        self._last = question, len(self), found
        return found

    def _under(self, anchor: int, question: Query) -> tuple[NDArray[np.int32], Scores]:
        """Return the rows under an anchor, in the sense nearest to the question, and scores."""
        rows, scores = self.under.of(anchor)
        start, end = self.anchors.centre_ends[anchor : anchor + 2]
        if self._how.senses and end - start > 1 and question.vector is not None:
            centres = self.anchors.centres[start:end]
            meant = centres[int(np.argmax(centres @ question.vector))]
            own = self._seen.vectors(rows.astype(np.int64)) @ centres.T
            # The same centre, but for rounding.
            inside = centres[np.argmax(own, axis=1)] @ meant > 1 - 1e-6
            rows, scores = rows[inside], scores[inside]
        return rows, scores

    def propose(self, question: Query, allowed: Mask | None, limit: int) -> Rows32:
        rows, _, stands = self._found(question)
        there = rows if allowed is None else rows[allowed[rows]]
        rows = rows[is_among(rows, there) & _not_repeated(rows, stands, there)]
        scores = self.score(question, rows)
        return rows if scores is None else rows[top_k(scores, limit)]

    def score(self, question: Query, rows: Rows32) -> Scores | None:
        found, scores, stands = self._found(question)
        if not len(found):
            return None
        scores = np.where(_not_repeated(found, stands, rows), scores, np.float32(0))
        own = looked_up(found, scores, rows)
        blended = np.float32(self._how.anchor) * own
        if question.vector is not None:
            under = own > 0
            blended[under] += np.float32(self._how.query) * self._seen.cosines(
                question.vector, rows[under]
            )
        return blended


def _not_repeated(rows: Rows32, stands: Rows32, there: Rows32) -> Mask:
    """Return a mask of the rows that no representative in ``there``, which ascends, stands for."""
    told: Mask = (stands == rows) | ~is_among(stands, there)
    return told
