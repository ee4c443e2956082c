"""
Spreading activation: names in the best hits lead to episodes that open with such a name.

"Where was the director of Silent Harbour born?" finds the film. Who directed it stands there, and
where they were born only in a passage that the question shares no name with. So a hit spreads a
share of its score by the question's own words to episodes that share a name with it: more the rarer
the name, and most to those that open with it, as a passage about somebody does. No episode is
lifted above its lender, so the first hit stays; in talk, where speaker and session decide, next to
nothing moves (``docs/adr/0019-a-second-look.md``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Floats, Rows32
from hippocampus.encode.terms import hash_terms
from hippocampus.kernel import top_k
from hippocampus.language.noun_phrases import find_phrases
from hippocampus.recall.propose import Search
from hippocampus.recall.scored import AHEAD

ReadTexts: TypeAlias = Callable[[Collection[int]], Mapping[int, str]]
"""Gives the texts of rows."""

LENDERS: Final = 3
"""Hits that lend, in each round (docs/adr/0019): each is a text to be read, and further hits are
ever less of the matter."""
_ROUNDS: Final = 2
"""Rounds of lending, the second from the rows best lifted in the first: two hops, and six texts at
most to be read (docs/adr/0019)."""
_DAMPED: Final = 0.7
"""Damping: share of a received lift that spreads in the next round (docs/adr/0019). As much as a
hit lends first (``Fusion.spreading_share``); it was not tuned apart."""
WITHIN: Final = 10
"""Rows too weak to lift a mean-scoring row, at 0, into this many hits do not spread: so a recall of
talk mostly looks once (docs/adr/0019)."""
_IN_PASSING: Final = 0.3
"""Factor for an episode that holds a name but does not open with it: in a trial that lent to both
alike, comparisons between passages fell from 1 to .508 (docs/adr/0019)."""
_HEARD: Final = 50
"""A name that more episodes hold tells none of them from the others; set by hand."""
BELOW: Final = 0.95
"""Share of the lender's own strength up to which a row is lifted at most: a hit stays before what
it leads to (docs/adr/0019)."""


class Lift(NamedTuple):
    """The lift of a row: ``by`` how much, ``to`` which score at most, and which hit began it."""

    by: float
    to: float
    begun_by: int


def spread(search: Search, read: ReadTexts, rows: Rows32, strengths: Floats) -> dict[int, Lift]:
    """
    Return the lifts of rows, candidates or not.

    Args:
        search: what is asked; its own names lead nowhere new.
        read: reads the texts of the few that lend.
        rows: the candidates so far, ascending.
        strengths: the score of each by features and activation alone, shape (rows,).

    """
    share = search.fusion.spreading_share
    best = top_k(strengths, WITHIN)
    if len(best) < 2:
        return {}
    least = max(float(strengths[best[-1]]), 0.0)
    lends = {int(rows[place]): float(strengths[place]) for place in best[:LENDERS]}
    begun_by = {row: row for row in lends}
    if not any(share * strength > least for strength in lends.values()):
        return {}  # as mostly in talk
    lifts: dict[int, Lift] = {}
    done: set[int] = set()
    for _ in range(_ROUNDS):
        lends = {row: strength for row, strength in lends.items() if share * strength > least}
        if not lends:
            break
        done |= lends.keys()
        fresh: dict[int, Lift] = {}
        for row, text in read(lends.keys()).items():
            for other, tie in _led_to(search, row, text):
                one = Lift(share * tie * lends[row], BELOW * lends[row], begun_by[row])
                known = fresh.get(other)
                fresh[other] = one if known is None else _higher(known, one, known.by + one.by)
        for row, lift in fresh.items():
            known = lifts.get(row)
            lifts[row] = lift if known is None else _higher(known, lift, max(known.by, lift.by))
        if not fresh:
            break
        worth = _worth(fresh, rows, strengths)
        on = {
            row: min(own + lift.by, lift.to)
            for (row, lift), own in zip(fresh.items(), worth, strict=True)
        }
        first = sorted(on.keys() - done, key=on.__getitem__, reverse=True)[:LENDERS]
        lends = {row: _DAMPED * on[row] for row in first}
        begun_by = {row: fresh[row].begun_by for row in first}
    return lifts


def _worth(some: Collection[int], rows: Rows32, strengths: Floats) -> list[float]:
    """Return the strength of some rows, in their order: of no candidate, that of the weakest."""
    each = np.fromiter(some, np.uint32, len(some))
    at = np.minimum(rows.searchsorted(each), len(rows) - 1)
    own: list[float] = np.where(rows[at] == each, strengths[at], strengths.min()).tolist()
    return own


def _higher(one: Lift, other: Lift, by: float) -> Lift:
    """Return the lift of two that reaches higher, by some amount."""
    return (one if one.to >= other.to else other)._replace(by=by)


def lifted(lifts: Mapping[int, Lift], rows: Rows32, scores: Floats, share: float) -> Floats:
    """
    Return the scores, shape (rows,), of rows lifted: up to a limit, never down, never to the top.

    Lenders too weak, by the whole score, to lift a mean-scoring row into the first ``WITHIN`` do
    not spread after all; and where a hit fell by what was added to its words since, nothing that
    it lifts stays above it.
    """
    best = top_k(scores, WITHIN)
    least = max(float(scores[best[-1]]), 0.0) if len(best) else 0.0
    chosen = [row for row, lift in lifts.items() if share * lift.to > BELOW * least]
    if not chosen:
        return scores
    places = np.searchsorted(rows, np.array(chosen, np.uint32))
    offered = np.array([lifts[row][:2] for row in chosen], np.float32)
    before = scores[places]
    lenders = np.searchsorted(rows, np.array([lifts[row].begun_by for row in chosen], np.uint32))
    most = np.minimum(offered[:, 1], np.float32(BELOW) * scores[lenders])
    most = np.minimum(most, scores.max() - np.float32(AHEAD))
    # Set and not added to: rows lifted to one limit tie exactly, and go by their order.
    raised = scores.copy()
    raised[places] = np.maximum(np.minimum(before + offered[:, 0], most), before)
    return raised


def _led_to(search: Search, row: int, text: str) -> Iterator[tuple[int, float]]:
    """Yield rows that share a name with a row, and the strength of the tie, in (0, 1]."""
    for _, others, ties in names_leading_on(search, text):
        for other, tie in zip(others.tolist(), ties.tolist(), strict=True):
            if other != row:
                yield other, tie


def names_leading_on(search: Search, text: str) -> Iterator[tuple[str, Rows32, Floats]]:
    """Yield each name of a text that nobody asked by, who has it, and how strong each tie is."""
    lexical, asked = search.cues.lexical, set(search.query.terms.tolist())
    for name, terms in _named(text):
        if asked.issuperset(terms.tolist()):
            continue
        others = lexical.holding(terms, search.allowed, _HEARD)
        # The IDF of BM25, over that of a name which nobody else has: a tie is at most 1.
        rare = math.log((len(lexical) + 1) / (len(others) + 0.5)) / math.log(len(lexical) + 1)
        yield name, others, np.where(lexical.opening(terms, others), rare, _IN_PASSING * rare)


@lru_cache(maxsize=4096)
def _named(text: str) -> tuple[tuple[str, NDArray[np.uint32]], ...]:
    """Return each name of a text, and its terms; the same few texts lead on most questions."""
    return tuple((name, hash_terms(name)) for name in dict.fromkeys(_names(text)))


def _names(text: str) -> Iterator[str]:
    """Yield the proper names of a text, whole: of "Ana Silva" not "Ana" as well."""
    end = 0
    for phrase in find_phrases(text, only_names=True):
        if phrase.start >= end:
            yield phrase.name
            end = phrase.end
