"""
Choose the anchors of a bank anew, and rank what lies under each (CONCEPT, sections 4.2 to 4.6).

One matrix product of anchors and episodes does it all: 47 000 episodes and 300 anchors take a
fraction of a second, so there is no approximate search. Of a bank that has slept before only what
is new is multiplied (``anchor_ranking.py``).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.appraise import ANCHOR, appraise
from hippocampus.core.arrays import Floats, Rows
from hippocampus.core.background_yield import pausing
from hippocampus.core.clock import MICROS_PER_HOUR
from hippocampus.core.config import Concepts
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.encode.languages import is_grammar_of_english
from hippocampus.index.anchor_postings import collapse, nearest_edges
from hippocampus.index.anchors import KINDS, AnchorKind, Anchors, Basis, Pruned, runs
from hippocampus.kernel import top_k
from hippocampus.language.equivalence import say_the_same
from hippocampus.language.given_names import is_person
from hippocampus.language.noun_phrases import NOUN, Phrase, key_of, may_be_subject
from hippocampus.language.nouns import use_of
from hippocampus.language.phonetic import sound_of
from hippocampus.sleep.anchor_budget import within_budget
from hippocampus.sleep.anchor_ranking import AnchorRanking, carried_over
from hippocampus.sleep.material import Material, PhrasePostings, Reads

COMMON: Final = 0.2
"""Share of all episodes above which a phrase tells nothing: an anchor with as many selects too
much. Set by hand."""
FADING_DAYS: Final = 60.0
"""Days in which the salience of what is no longer spoken of has fallen to 1/e: CONCEPT, section
4.2, names a weight of recency and no number. Set by hand."""
WEAK: Final = 0.5
"""Share of its salience when found below which an anchor is weak (CONCEPT, section 4.2)."""
STRONG: Final = 75
"""Percentile of salience from which on an anchor that has lost none of its own is strong: CONCEPT,
section 4.2, says only "high"."""
PRUNED_AFTER: Final = 3
"""Rebuilds in a row in which a weak anchor is given up, or a strong one put forward (CONCEPT,
section 4.2, of the weak ones)."""
_PRUNED_KEPT: Final = 100
"""Anchors given up that are told of, so that a report stays readable: more than the 25 that
CONCEPT, section 4.2, sees pruned in a month."""
_NAMING_PRUNED: Final = 8
"""Rows that name one: if none is in force, it is not told of. Set by hand."""
_AT_ONCE: Final = 8192
"""Sessions of a step of the walk at a time: a matrix of anchors and all sessions would not fit."""
_SENSES: Final = 3
"""Most senses of an anchor (CONCEPT, section 8.1, which names no number): twenty to fifty episodes
hold no more of a size that tells."""
_LEAST_OF_A_SENSE: Final = 4
"""Episodes of a sense, at least: fewer are chance. Set by hand; senses change no recall that was
measured (docs/papers/concept.md)."""
_SEEN: Final = 2
"""Sights of a name from which on it is one, however it is written: a verb that is shouted is mostly
shouted once (docs/adr/0059)."""
_SPELLED: Final = 2
"""Phrases that are spelled to choose from, for each that may be chosen: some turn out to be no
subject, or of a sort that has no room."""
_FAINT: Final = 0.02
"""Activation that is none, as a share of an anchor's own: links to what was once named beside it.
Set by hand."""
_APART: Final = 0.75
"""Cosine of two centres above which they are one sense; set by hand for the default embedder."""


@immutable
class Rebuilt:
    """Report of a rebuild: what it did with the anchors, by name."""

    found: tuple[str, ...]
    pruned: tuple[str, ...]
    promotable: tuple[str, ...]
    """Discovered ones that stayed salient: somebody may want to keep them for good."""
    entries: int


def rebuild(
    material: Material,
    old: Anchors | None,
    reads: Reads,
    *,
    curated: Sequence[str],
    denied: Collection[str],
    now: int,
    how: Concepts,
    seq: int = 0,
) -> tuple[Anchors, Rebuilt]:
    """
    Return a bank's anchors and what lies under each, and what has changed.

    Args:
        material: the bank's phrases, times and states.
        old: the anchors so far.
        reads: reads what else the bank says.
        curated: anchors that somebody wants, spelled as they should be.
        denied: anchors that nobody wants.
        now: the present in microseconds.
        how: sizes and thresholds.
        seq: the last change of the bank that was taken in.

    """
    tally, vectors = Tally.of(material, now), reads.vectors
    chosen = _choose(tally, old, reads.names, curated, denied, now, how)
    mentions = tally.postings.rows_of([one.key for one in chosen])
    chosen, mentions, merged = _within_budget(chosen, mentions, material.uses, how)
    anchors = _directions(chosen, old, vectors, reads.embed)
    keys = [one.key for one in chosen]
    known = _known_aliases(old, material, vectors, how)
    basis = Basis(seq, now, _settings(how), material.digest(len(material)), material.shown)
    ranking = AnchorRanking.of(anchors, mentions, reads, material, known, now=now, how=how)
    carried, fresh = carried_over(old, anchors, keys, mentions, known, material, basis, least=how.k)
    ranked = ranking.ranked(carried, fresh)
    under = [_posting_list(rows, scores, vectors(rows), material, how) for rows, scores in ranked]
    ties = [one.kind != "discovered" or " " in one.name for one in chosen]
    rows, ends = runs([one.rows for one in under], np.int32)
    scores, _ = runs([one.scores for one in under], np.float32)
    pairs = np.concatenate([np.empty((0, 2), np.int32), *(one.pairs for one in under)])
    edges, cosines = nearest_edges(
        pairs, np.concatenate([scores[:0], *(one.cosines for one in under)])
    )
    aliases = _aliases(known, under)
    senses = [one.senses for one in under]
    centre_ends = np.cumsum([0, *map(len, senses)], dtype=np.int64)
    made = Anchors(
        names=tuple(one.name for one in chosen),
        sounds=tuple(sound_of(one.name) for one in chosen),
        words=tuple(words_of(one.name) for one in chosen),
        rows_built=len(material),
        keys=np.array(keys, np.uint32),
        kinds=np.array([KINDS.index(one.kind) for one in chosen], np.uint8),
        salience=np.array([one.salience for one in chosen], np.float32),
        found_salience=np.array([one.found_salience for one in chosen], np.float32),
        found_at=np.array([one.found_at for one in chosen], np.int64),
        weak=np.array([one.weak for one in chosen], np.uint8),
        strong=np.array([one.strong for one in chosen], np.uint8),
        vectors=anchors, ends=ends, rows=rows, scores=scores, gists=material.gists[rows],
        aliases=aliases, edges=edges, edge_cosines=cosines,
        centres=np.concatenate([anchors[:0], *senses]), centre_ends=centre_ends,
        **associated(mentions, ties, material.session, how),
        pruned=_pruned(old, chosen, denied, tally, merged, now),
        origins=tuple(one.origin for one in chosen),
        merged=tuple((key, place) for key, place in merged.items() if place >= 0),
        basis=basis,
    )  # fmt: skip
    return made, _report(old, chosen, len(rows))


def _settings(how: Concepts) -> str:
    """Return the settings by which what lies under an anchor is ranked."""
    return json.dumps([how.cosines().theta, how.k, how.k_max, how.mention, how.alpha])


class Associated(TypedDict):
    """The fields of ``Anchors`` that say which rows mention each, and which anchors are near it."""

    mentions: NDArray[Any]
    mention_ends: NDArray[np.int64]
    kin: NDArray[Any]
    kin_strengths: NDArray[Any]
    kin_ends: NDArray[np.int64]


def associated(
    mentions: Sequence[NDArray[Any]], ties: Sequence[bool], session: NDArray[Any], how: Concepts
) -> Associated:
    """Return the ties of anchors to rows and to each other; arguments are those of ``kin_of``."""
    kin = kin_of(mentions, ties, session, how)
    named, mention_ends = runs(mentions, np.int32)
    others, kin_ends = runs([one.anchors for one in kin], np.int32)
    strengths, _ = runs([one.strengths for one in kin], np.float32)
    return Associated(
        mentions=named, mention_ends=mention_ends, kin=others, kin_strengths=strengths,
        kin_ends=kin_ends,
    )  # fmt: skip


def _report(old: Anchors | None, chosen: Sequence[_Chosen], entries: int) -> Rebuilt:
    before = set() if old is None else set(old.names)
    return Rebuilt(
        found=tuple(one.name for one in chosen if one.name not in before),
        pruned=tuple(sorted(before - {one.name for one in chosen})),
        promotable=tuple(
            one.name for one in chosen if one.kind == "discovered" and one.strong >= PRUNED_AFTER
        ),
        entries=entries,
    )


# ---------------------------------------------------------------- which anchors there are


@immutable(kw_only=False)
class _Chosen:
    name: str
    key: int
    kind: AnchorKind
    salience: float
    found_salience: float
    found_at: int
    weak: int = 0
    strong: int = 0
    origin: int = -1
    """The row that spelled it when it was found."""


def _within_budget(
    chosen: Sequence[_Chosen],
    mentions: list[Rows],
    uses: NDArray[np.int64] | None,
    how: Concepts,
) -> tuple[list[_Chosen], list[Rows], dict[int, int]]:
    """
    Return the anchors kept, the rows that name each, and by key which others are merged into.

    That is a place among those kept, -1 for none.
    """
    own = frozenset(place for place, one in enumerate(chosen) if one.kind == "curated")
    if how.anchor_budget is None or len(chosen) - len(own) <= how.anchor_budget:
        return list(chosen), mentions, {}
    worth = np.array([one.salience for one in chosen], np.float64)
    if uses is not None:
        worth *= 1 + np.log1p([float(uses[rows].mean()) if len(rows) else 0.0 for rows in mentions])
    kept = within_budget(worth, mentions, how.anchor_budget, own)
    place = {old: new for new, old in enumerate(kept.places)}
    return (
        [chosen[at] for at in kept.places],
        [mentions[at] for at in kept.places],
        {chosen[at].key: place.get(into, -1) for at, into in kept.merged.items()},
    )


def words_of(name: str) -> tuple[int, ...]:
    """Return the keys of the words of a name that has several."""
    words = name.split()
    return tuple(map(key_of, words)) if len(words) > 1 else ()


def _choose(
    tally: Tally,
    old: Anchors | None,
    names: Callable[[Collection[int]], Mapping[int, Sequence[Phrase]]],
    curated: Sequence[str],
    denied: Collection[str],
    now: int,
    how: Concepts,
) -> list[_Chosen]:
    """Choose curated anchors, living ones, and the most salient of the new ones."""
    never = {key_of(name) for name in denied}
    chosen: dict[int, _Chosen] = {}
    for name in curated:
        key = key_of(name)
        salience = tally.salience_of(key)
        one = _Chosen(name.casefold(), key, "curated", salience, salience, _since(old, key, now))
        chosen.setdefault(key, one)
    passed = never | _given_up(old)
    for one in _living(old, tally):
        if one.key not in chosen and one.key not in never:
            chosen[one.key] = one
    room = Counter({"name": how.named, "phrase": how.phrases, "word": how.words})
    room.subtract(_sort(one.name, named=one.kind == "named") for one in chosen.values())
    passed |= chosen.keys()
    # More than there is room for: what sort of phrase one is shows when it is spelled.
    most = _SPELLED * (how.named + how.phrases + how.words)
    fresh = (place for place in tally.by_salience() if int(tally.keys[place]) not in passed)
    places = list(islice(fresh, most))
    spelled = names(sorted({int(tally.example[place]) for place in places}))
    for place in places:
        key, named = int(tally.keys[place]), bool(tally.proper[place])
        found = spelled.get(int(tally.example[place]), ())
        phrase = next((phrase for phrase in found if phrase.key == key), None)
        if phrase is None or not _is_subject(phrase, int(tally.often[place])):
            continue
        name = phrase.name
        if room[_sort(name, named=named)] > 0:
            room[_sort(name, named=named)] -= 1
            kind: AnchorKind = "named" if named else "discovered"
            salience = tally.salience_of(key)
            origin = int(tally.example[place])
            chosen[key] = _Chosen(name, key, kind, salience, salience, now, origin=origin)
    return list(chosen.values())


def _since(old: Anchors | None, key: int, now: int) -> int:
    """Return since when somebody wants an anchor, as far as is known."""
    if old is None:
        return now
    there: list[int] = np.flatnonzero(old.keys == key).tolist()
    return next((int(old.found_at[at]) for at in there if old.kind(at) == "curated"), now)


def _is_subject(phrase: Phrase, often: int) -> bool:
    """
    Return whether a phrase names anything, as far as is known.

    A verb that is written as a name once, "DONE", is shouted, and what has two letters of a word of
    grammar changed is misspelt.
    """
    if phrase.proper and often < _SEEN and not is_person(phrase.name):
        use = use_of(phrase.name)
        if (use.known and use.noun < NOUN) or (phrase.opens and _is_slip(phrase.name)):
            return False
    return may_be_subject(phrase.name)


def _is_slip(word: str) -> bool:
    """Return whether a word is one of grammar with two letters that follow each other changed."""
    turned = (word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1))
    return any(map(is_grammar_of_english, turned))


def _given_up(old: Anchors | None) -> set[int]:
    """Return the keys of the anchors so far: who is given up is not found again at once."""
    if old is None:
        return set()
    return {int(key) for place, key in enumerate(old.keys) if old.kind(place) != "curated"}


def _sort(name: str, *, named: bool) -> str:
    if named:
        return "name"
    return "phrase" if " " in name else "word"


def _living(old: Anchors | None, tally: Tally) -> list[_Chosen]:
    """Return the anchors that live on: weak ones are given up after some rebuilds (4.2)."""
    living = []
    high = 0.0 if old is None or not len(old) else float(np.percentile(old.salience, STRONG))
    for place, name in enumerate(() if old is None else old.names):
        assert old is not None, "it has names"
        if old.kind(place) == "curated":
            continue  # who curates says so every time
        key, found = int(old.keys[place]), float(old.found_salience[place])
        salience = tally.salience_of(key)
        weak = int(old.weak[place]) + 1 if salience < WEAK * found else 0
        # Counted up to what a byte holds, in which it is kept.
        strong = min(255, int(old.strong[place]) + 1) if salience >= max(found, high) else 0
        if weak < PRUNED_AFTER and tally.has(key) and may_be_subject(name):
            at = int(old.found_at[place])
            origin = old.origins[place] if old.origins else -1
            kind = old.kind(place)
            living.append(_Chosen(name, key, kind, salience, found, at, weak, strong, origin))
    return living


def _pruned(
    old: Anchors | None,
    chosen: Sequence[_Chosen],
    denied: Collection[str],
    tally: Tally,
    merged: Mapping[int, int],
    now: int,
) -> tuple[Pruned, ...]:
    """Return anchors given up lately that are still spoken of, the last first, and why."""
    if old is None:
        return ()
    lived = (
        Pruned(old.names[place], old.kind(place), 0.0, int(old.found_at[place]), (), now)
        for place in range(len(old))
        if old.kind(place) != "curated"
    )
    known: dict[int, Pruned] = {}
    for one in (*lived, *old.pruned):
        known.setdefault(key_of(one.name), one)
    never = {*(one.key for one in chosen), *map(key_of, denied)}
    kept = [key for key in known if key not in never and tally.has(key)][:_PRUNED_KEPT]
    return tuple(
        _ended(known[key], merged.get(key), chosen)._replace(
            salience=tally.salience_of(key), rows=tuple(rows[-_NAMING_PRUNED:].tolist())
        )
        for key, rows in zip(kept, tally.postings.rows_of(kept), strict=True)
    )


def _ended(one: Pruned, into: int | None, chosen: Sequence[_Chosen]) -> Pruned:
    """Return an anchor given up with why that was, as it was noted first."""
    if one.why or not one.ended_at:
        return one
    if into is None:
        return one._replace(why="faded")
    if into < 0:
        return one._replace(why="crowded out")
    return one._replace(why="merged", into=chosen[into].name)


@immutable(kw_only=False, eq=False)
class Tally:
    """Every phrase once: how often, how lately and by whom it comes up, and how salient it is."""

    postings: PhrasePostings
    often: NDArray[np.int64]
    proper: NDArray[np.bool_]
    salience: Floats
    example: Rows

    @property
    def keys(self) -> NDArray[np.uint32]:
        """The phrases, ascending."""
        return self.postings.keys

    @classmethod
    def of(cls, material: Material, now: int) -> Tally:
        """
        Weigh phrases by ``ANCHOR``.

        What every fifth episode says tells nothing; what only one does is an anchor only if it is
        a name.
        """
        postings = PhrasePostings.of(material)
        counts = np.diff(postings.ends)
        often = counts.astype(np.float32)
        # Of a phrase that is mostly written as a name one mention is enough.
        proper = postings.sums(postings.proper.astype(np.float32)) > often / 2
        users = postings.sums(material.by_user[postings.rows].astype(np.float32)) / often
        latest = postings.latest()
        # As seen from the last thing said: a bank that rests for a year has forgotten nothing.
        days = (min(now, latest.max(initial=0)) - latest).clip(0) / MICROS_PER_HOUR / 24
        total = max(1, int(np.count_nonzero(material.shown)))
        features = {
            "frequency": np.log1p(often),
            "rarity": np.log((total + 1) / (often + 0.5)),
            "recency": np.exp(-days / FADING_DAYS),
            # What only others say counts half. CONCEPT's engagement is of questions about it (4.2),
            # which are not kept by phrase.
            "users": 0.5 + 0.5 * users,
        }
        salience = appraise(features, ANCHOR)
        # Of a bank of a few episodes, three are no large part.
        salience[(often > max(3.0, COMMON * total)) | ((often < 2) & ~proper)] = 0
        example = postings.rows[postings.ends[:-1]]
        return cls(postings, counts, proper, salience.astype(np.float32), example)

    def has(self, key: int) -> bool:
        """Return whether anything in force says a phrase."""
        return self.postings.place(key) is not None

    def salience_of(self, key: int) -> float:
        """Return a phrase's salience; 0 for one that does not come up."""
        at = self.postings.place(key)
        return 0.0 if at is None else float(self.salience[at])

    def by_salience(self) -> list[int]:
        """Return the places of all that are salient at all, the most salient first."""
        order = np.argsort(-self.salience, kind="stable")
        salient: list[int] = order[self.salience[order] > 0].tolist()
        return salient


# ---------------------------------------------------------------- what lies under them


def _directions(
    chosen: Sequence[_Chosen],
    old: Anchors | None,
    vectors: Callable[[Rows], Floats],
    embed: Callable[[Sequence[str]], Floats],
) -> Floats:
    """
    Return the anchors' vectors, shape (anchors, dimension).

    Those of names are zero: a name means nothing to an embedder, and what lies under it is what
    names it.
    """
    made = np.zeros((len(chosen), vectors(np.empty(0, np.int64)).shape[1]), np.float32)
    known = {}
    if old is not None and old.vectors.shape[1] == made.shape[1]:
        every = zip(old.names, old.vectors, strict=True)
        known = {name: vector for name, vector in every if vector.any()}
    meant = [place for place, one in enumerate(chosen) if one.kind != "named"]
    missing = [chosen[place].name for place in meant if chosen[place].name not in known]
    known |= dict(zip(missing, embed(missing), strict=True)) if missing else {}
    for place in meant:
        made[place] = known[chosen[place].name]
    return made


class Kin(NamedTuple):
    """Anchors that one activates, the one itself first, and how much of it they have."""

    anchors: NDArray[np.intp]
    strengths: Floats


def kin_of(
    mentions: Sequence[Rows], ties: Sequence[bool], session: NDArray[np.int32], how: Concepts
) -> list[Kin]:
    """
    Spread activation over anchors that are spoken of together, until it rests.

    A walk goes from an anchor to a session that names it, to another anchor named there, the rarer
    the likelier, and ends at each step with probability 1 - ``how.spread``. What b has of a's
    activation is how surely a walk from a ends in b.
    """
    alone = [Kin(np.array([place]), np.ones(1, np.float32)) for place in range(len(mentions))]
    tied = np.flatnonzero(ties)
    if len(tied) < 2:
        return alone
    # An episode without a session is one of its own.
    own = np.where(session >= 0, session, np.arange(len(session)) + session.max(initial=0) + 1)
    ends = _walked([np.unique(own[mentions[place]]) for place in tied.tolist()], how.spread)
    for own_place, place in enumerate(pausing(tied.tolist())):
        reach = ends[own_place]
        best = top_k(reach, how.coactivated_anchors).astype(np.intp)
        best = np.append(own_place, best[best != own_place])
        strong = reach[best] >= _FAINT * reach[own_place]
        alone[place] = Kin(tied[best[strong]], reach[best[strong]])
    return alone


def _walked(where: Sequence[Rows], spread: float) -> Floats:
    """
    Return the probability that a walk from each anchor ends in each, by shared sessions.

    A step goes to one of an anchor's sessions and from there to one of its anchors, so S = A B' of
    two matrices as wide as there are sessions, and the walk ends by (1 - s) (I - s S)^-1. Where
    sessions are fewer than anchors, as they soon are, what is inverted is as small as they:
    (I - s A B')^-1 = I + s A (I - s B' A)^-1 B'.
    """
    every, column = np.unique(np.concatenate(where), return_inverse=True)
    often = np.array([len(sessions) for sessions in where])
    place = np.repeat(np.arange(len(where)), often)
    # Two more, so that an anchor of one session has a finite weight.
    rare = (1 / np.log(2 + often)).astype(np.float32)
    talk = np.bincount(column, rare[place], len(every)).astype(np.float32)

    def between(first: int, stop: int) -> tuple[Floats, Floats]:
        """Return the chances to go to some of the sessions, and those to come back from them."""
        inside = (column >= first) & (column < stop)
        there = np.zeros((len(where), min(stop, len(every)) - first), np.float32)
        there[place[inside], column[inside] - first] = 1
        back = (there * rare[:, None] / talk[first:stop]).T
        return there / np.maximum(often, 1)[:, None].astype(np.float32), back

    if len(every) < len(where):
        to, back = between(0, len(every))
        ends = spread * (to @ _rested(back @ to, spread) @ back)
        ends[np.diag_indices(len(where))] += 1
    else:
        steps = np.zeros((len(where), len(where)), np.float32)
        for first in range(0, len(every), _AT_ONCE):  # or millions of sessions would not fit
            to, back = between(first, first + _AT_ONCE)
            steps += to @ back
        ends = _rested(steps, spread)
    walked: Floats = ((1 - spread) * ends).astype(np.float32)
    return walked


def _rested(steps: NDArray[Any], spread: float) -> NDArray[Any]:
    """Return the sum of all powers of steps, each worth ``spread`` of the one before."""
    return np.linalg.inv(np.eye(len(steps)) - spread * steps).astype(np.float32)


class _PostingList(NamedTuple):
    """Rows under an anchor in the end: best first, each thing once, with its senses."""

    rows: Rows
    scores: Floats
    senses: Floats
    repeats: NDArray[np.int32]
    """Rows, and what stands for each, shape (s, 2)."""
    pairs: NDArray[np.int32]
    cosines: Floats


def _posting_list(
    rows: Rows, scores: Floats, vectors: Floats, material: Material, how: Concepts
) -> _PostingList:
    """
    Let one stand for all that is the same, and end where nothing is near any more.

    K episodes, and more while their scores are in the best quarter (section 8.1).
    """
    there = collapse(vectors, material.gists[rows], material.occurred_at[rows], rows, how)
    gone = np.flatnonzero(~there.stays)
    repeats = np.stack([rows[gone], rows[there.stands[gone]]], axis=1).astype(np.int32)
    pairs = rows[there.near].astype(np.int32)
    rows, scores, vectors = rows[there.stays], scores[there.stays], vectors[there.stays]
    if len(rows) > how.k:
        most = max(how.k, int(np.count_nonzero(scores >= np.percentile(scores, 75))))
        rows, scores, vectors = rows[:most], scores[:most], vectors[:most]
    senses = _senses(vectors) if how.senses else vectors[:0]
    return _PostingList(rows, scores, senses, repeats, pairs, there.cosines)


def _known_aliases(
    old: Anchors | None, material: Material, vectors: Callable[[Rows], Floats], how: Concepts
) -> NDArray[np.int32]:
    """Return the aliases so far that are still right: both in force, and as near as is asked."""
    if old is None or not len(old.aliases):
        return np.empty((0, 2), np.int32)
    row, other = old.aliases.T
    cosines = np.einsum("nd,nd->n", vectors(row.astype(np.int64)), vectors(other.astype(np.int64)))
    right = say_the_same(cosines, material.gists[row], material.gists[other], how.cosines().near)
    kept: NDArray[np.int32] = old.aliases[right & material.shown[row] & material.shown[other]]
    return kept


def _aliases(known: NDArray[np.int32], under: Sequence[_PostingList]) -> NDArray[np.int32]:
    """Return all that something stands for, ascending, each once."""
    every = np.concatenate([known, *(one.repeats for one in under)])
    first = np.unique(every[:, 0], return_index=True)[1]
    each: NDArray[np.int32] = every[first]
    return each


def _senses(vectors: Floats) -> Floats:
    """Return the centres of an anchor's senses, from what lies under it; none for one."""
    for count in range(_SENSES, 1, -1):
        if len(vectors) < 2 * count * _LEAST_OF_A_SENSE:
            continue
        centres, group = _clustered(vectors, count)
        sizes = np.bincount(group, minlength=count)
        alike = centres @ centres.T - 2 * np.eye(count)
        if sizes.min() >= _LEAST_OF_A_SENSE and alike.max() < _APART:
            return centres
    return vectors[:0]


def _clustered(vectors: Floats, count: int) -> tuple[Floats, NDArray[np.intp]]:
    """Return centres by k-means on the sphere, begun far from each other, and groups."""
    picked = [0]
    while len(picked) < count:
        picked.append(int(np.argmin((vectors @ vectors[picked].T).max(axis=1))))
    centres = vectors[picked]
    # Rounds of k-means: of fifty vectors groups hardly change after a few.
    for _ in range(10):
        group = np.argmax(vectors @ centres.T, axis=1)
        sums = np.eye(count, dtype=np.float32)[group].T @ vectors
        centres = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
    return centres, np.argmax(vectors @ centres.T, axis=1)
