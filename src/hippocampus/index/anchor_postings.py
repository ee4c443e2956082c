"""
Posting lists of anchors: the best rows under each, near-duplicates collapsed.

A row is put under all its anchors at once, in time that depends on the anchors alone. What it says
again is not kept twice: one of the two stands for the other, which stays what it was and is reached
through the one that stands for it. What is near without being the same is an edge between the two.
(CONCEPT, section 4.5a.)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rpds import HashTrieMap

from hippocampus.core.arrays import Rows
from hippocampus.core.config import Concepts
from hippocampus.index.anchors import Anchors
from hippocampus.index.cue import Mask, Scores
from hippocampus.index.growable_array import GrowableArray, Versioned
from hippocampus.index.sorted_sets import each_once
from hippocampus.language.equivalence import richness, say_the_same

MOST_RELATED: Final = 8
"""Edges of a row that are kept, the nearest: CONCEPT, section 4.5a, keeps all, which in a bank of
one matter grow with the square. Set by hand."""

Cosines = Callable[[NDArray[np.float32], NDArray[np.uint32]], Scores]
"""Gives the cosines of a vector and of rows, shape (rows,)."""
Times = Callable[[NDArray[np.uint32]], NDArray[np.int64]]
"""Gives when rows were said, in microseconds, shape (rows,)."""


class Collapsed(NamedTuple):
    """
    Rows left under an anchor when each thing is there once.

    ``stays``: which of them; ``stands``: the place of the one that stands for each; ``near``: pairs
    of places, shape (e, 2), and ``cosines`` of what is near without being the same.
    """

    stays: Mask
    stands: NDArray[np.intp]
    near: NDArray[np.intp]
    cosines: Scores


def collapse(
    vectors: NDArray[np.float32],
    gists: NDArray[np.uint32],
    occurred_at: NDArray[np.int64],
    rows: Rows,
    how: Concepts,
) -> Collapsed:
    """Return near-duplicates among the rows under one anchor, each with its representative."""
    # The richest first, then the latest: ``argmax`` below finds the first of those that are alike.
    order = np.lexsort((rows, occurred_at, richness(gists)))[::-1]
    cosines = vectors @ vectors.T
    least = how.cosines()
    alike = say_the_same(cosines, gists[:, None], gists[None, :], least.near)[np.ix_(order, order)]
    # Each says the same as itself, whatever rounding makes of its cosine.
    np.fill_diagonal(alike, val=True)
    stands = np.arange(len(rows))
    if len(rows):
        stands[order] = order[np.argmax(alike, axis=1)]
    stays = stands == np.arange(len(rows))
    apart = np.triu(cosines > least.related, 1) & stays & stays[:, None]
    pairs = np.argwhere(apart)
    return Collapsed(stays, stands, pairs, cosines[apart])


def nearest_edges(pairs: NDArray[np.int32], cosines: Scores) -> tuple[NDArray[np.int32], Scores]:
    """Return edges both ways, each once, by row and nearest first, at most so many of each row."""
    both = np.concatenate([pairs, pairs[:, ::-1]])
    twice = np.concatenate([cosines, cosines])
    order = np.lexsort((both[:, 1], -twice, both[:, 0]))
    both, twice = both[order], twice[order]
    first = np.ones(len(both), np.bool_)
    first[1:] = (both[1:] != both[:-1]).any(axis=1)
    both, twice = both[first], twice[first]
    nth = np.arange(len(both)) - np.searchsorted(both[:, 0], both[:, 0])
    return both[nth < MOST_RELATED], twice[nth < MOST_RELATED]


_POSTING: Final = np.dtype([("row", np.int32), ("score", np.float32), ("gist", np.uint32)])
_FREE: Final = np.array((-1, -np.inf, 0), _POSTING)
"""A place in a posting list that holds no row."""


class _Lists(Versioned):
    """
    A posting list of ``width`` places for each anchor, in versions that share unchanged lists.

    A list that changes is written anew behind the others, and what is not the last of its anchor is
    left out when it is as much as the rest.
    """

    def __init__(self, lists: NDArray[np.void]) -> None:
        self._write(lists)

    def _write(self, lists: NDArray[np.void]) -> None:
        self._written: GrowableArray[np.void] = GrowableArray(_POSTING, lists.shape[1])
        self._written.extend(lists)
        self._at = GrowableArray(np.int64)
        """Where the list of each anchor is."""
        self._at.extend(np.arange(len(lists)))

    @property
    def nbytes(self) -> int:
        """Bytes held in memory."""
        return self._written.nbytes + self._at.nbytes

    def of(self, anchors: int | NDArray[np.intp]) -> NDArray[np.void]:
        """Return the lists of some anchors, shape (anchors, width), as a copy; of one, (width,)."""
        return self._written.view[self._at.view[anchors]]

    def put(self, anchors: NDArray[np.intp], lists: NDArray[np.void]) -> None:
        """Replace the lists of some anchors, each once."""
        first = len(self._written)
        if first + len(lists) > 2 * len(self._at):
            self._write(self.of(np.arange(len(self._at))))
            first = len(self._written)
        self._written.extend(lists)
        self._at.put(anchors, np.arange(first, first + len(lists)))

    def widen(self, width: int) -> None:
        """Give each list more places."""
        self._write(_widened(self.of(np.arange(len(self._at))), width))


def _widened(lists: NDArray[np.void], width: int) -> NDArray[np.void]:
    """Return lists with free places at their ends."""
    wider = np.full((len(lists), width), _FREE)
    wider[:, : lists.shape[1]] = lists
    return wider


class AnchorPostings(Versioned):
    """
    The rows under each anchor, taken over from a rebuild and kept fresh; at most ``k_max`` each.

    Args:
        anchors: what the last rebuild left.
        how: thresholds and sizes.
        cosines: gives the cosines of a vector and rows.
        occurred_at: when rows were said, in microseconds.

    """

    def __init__(
        self,
        anchors: Anchors,
        how: Concepts,
        cosines: Cosines,
        occurred_at: Times,
    ) -> None:
        self._how = how
        self._from = how.cosines()
        self.attach(cosines, occurred_at)
        sizes = np.diff(anchors.ends)
        width = max(1, min(how.k_max, int(sizes.max(initial=0))))
        filled = np.arange(width) < sizes[:, None]
        nth = np.arange(len(anchors.rows)) - np.repeat(anchors.ends[:-1], sizes)
        kept = nth < width
        lists = np.zeros(filled.shape, _POSTING)
        lists["row"] = -1
        lists["score"] = -np.inf
        lists["row"][filled] = anchors.rows[kept]
        lists["score"][filled] = anchors.scores[kept]
        lists["gist"][filled] = anchors.gists[kept]
        self._lists = _Lists(lists)
        self._least = GrowableArray(np.float32)
        """The score above which a row is under an anchor: any, while there is room."""
        self._least.extend(self._to_beat(lists))
        self._stands: HashTrieMap[int, int] = HashTrieMap(dict(anchors.aliases.tolist()))
        """The row that stands for a row, one step."""
        repeats: defaultdict[int, list[int]] = defaultdict(list)
        for row, other in anchors.aliases.tolist():
            repeats[other].append(row)
        self._repeats: HashTrieMap[int, frozenset[int]] = HashTrieMap(
            {row: frozenset(others) for row, others in repeats.items()}
        )
        self._built_edges, self._built_cosines = anchors.edges, anchors.edge_cosines
        self._edges: HashTrieMap[int, Mapping[int, float]] = HashTrieMap()
        """Edges since the rebuild, both ways."""

    def attach(self, cosines: Cosines, occurred_at: Times) -> None:
        """Ask these about rows from now on; see ``ConceptCue.attach``."""
        self._cosines = cosines
        self._occurred_at = occurred_at

    @property
    def nbytes(self) -> int:
        """Bytes held in arrays."""
        return self._lists.nbytes + self._least.nbytes

    def of(self, anchor: int) -> tuple[NDArray[np.int32], Scores]:
        """Return the rows under an anchor, best first, and their scores."""
        here = self._lists.of(anchor)
        rows, scores = here["row"], here["score"]
        order = np.argsort(-scores, kind="stable")[: int(np.count_nonzero(rows >= 0))]
        return rows[order], scores[order]

    def put(
        self, row: int, near: Mask, scores: Scores, vector: NDArray[np.float32], gist: np.uint32
    ) -> None:
        """
        Put a new row under the anchors it is near, shape (anchors,), where it is good enough.

        Where what it says lies there already, the richer, then the newer of the two stays.
        """
        places = np.flatnonzero(near & (scores > self._least.view))
        if not len(places):
            return
        lists = self._lists.of(places)  # a copy
        held, gists = lists["row"], lists["gist"]
        there = held >= 0
        cosines = np.full(held.shape, -1, np.float32)
        cosines[there] = self._cosines(vector, held[there].astype(np.uint32))
        alike = say_the_same(cosines, gists, gist, self._from.near)
        enters: Mask = np.ones(len(places), np.bool_)
        if alike.any():
            enters = self._merge(row, gist, alike, held, gists)
        gone = alike & enters[:, None]
        self._relate(row, held, np.where(enters[:, None] & ~alike, cosines, np.float32(-1)))
        lists[gone] = _FREE
        places, lists = places[enters], lists[enters]
        # Once a list is full all get twice the room, so that this is seldom.
        if lists.shape[1] < self._how.k_max and not np.isinf(lists["score"]).any(axis=1).all():
            wider = min(self._how.k_max, 2 * lists.shape[1])
            self._lists.widen(wider)
            lists = _widened(lists, wider)
        slots = np.argmin(lists["score"], axis=1)  # the first that is free, or the least
        for name, value in (("row", row), ("score", scores[places]), ("gist", gist)):
            lists[name][np.arange(len(places)), slots] = value
        self._lists.put(places, lists)
        self._least.put(places, self._to_beat(lists))

    def _merge(
        self,
        row: int,
        gist: np.uint32,
        alike: Mask,
        held: NDArray[np.int32],
        gists: NDArray[np.uint32],
    ) -> Mask:
        """
        Note representatives, the richer row, then the newer; return where the row enters.

        That is of shape (places,).
        """
        others = held[alike]
        said = self._occurred_at(np.append(others, row).astype(np.uint32))
        said, own = said[:-1], said[-1]
        rich, poor = richness(gists[alike]), richness(gist)
        newer = (said > own) | ((said == own) & (others > row))
        loses = np.zeros(alike.shape, np.bool_)
        loses[alike] = (rich > poor) | ((rich == poor) & newer)
        if loses.any():
            order = np.lexsort((others, said, rich))
            self._stand(row, int(others[order[-1]]))
        enters: Mask = np.logical_not(loses.any(axis=1))
        for other in each_once(held[alike & enters[:, None]]).tolist():
            self._stand(other, row)
        return enters

    def _stand(self, row: int, other: int) -> None:
        if self.canonical(other) == row:  # an edited document may have it the other way round
            return
        before = self._stands.get(row)
        if before is not None:
            self._repeats = self._repeats.insert(before, self._repeats[before] - {row})
        self._stands = self._stands.insert(row, other)
        own = self._repeats.get(other) or frozenset()
        self._repeats = self._repeats.insert(other, own | {row})

    def _to_beat(self, lists: NDArray[np.void]) -> Scores:
        """Return the least score of each list, -inf for those that have room."""
        if lists.shape[1] < self._how.k_max:
            return np.full(len(lists), -np.inf, np.float32)
        least: Scores = lists["score"].min(axis=1)
        return least

    # ------------------------------------------------------------ what is the same, what is near

    def canonical(self, row: int) -> int:
        """Return the row that stands for a row: itself, where none does. Ranks rise on the way."""
        stands = self._stands
        while row in stands:
            row = stands[row]
        return row

    def repeats(self, row: int) -> list[int]:
        """Return the rows that a row stands for, over however many steps, ascending."""
        if row not in self._repeats:  # as of most
            return []
        found: list[int] = []
        queue = [row]
        while queue:
            repeats = self._repeats.get(queue.pop()) or frozenset()
            found += repeats
            queue += repeats
        return sorted(found)

    def related(self, row: int) -> list[tuple[int, float]]:
        """Return rows near a row that are not the same, nearest first, and their cosines."""
        inside = slice(*np.searchsorted(self._built_edges[:, 0], [row, row + 1]).tolist())
        others, cosines = (
            self._built_edges[inside, 1].tolist(),
            self._built_cosines[inside].tolist(),
        )
        edges = {**dict(zip(others, cosines, strict=True)), **(self._edges.get(row) or {})}
        return sorted(edges.items(), key=lambda edge: (-edge[1], edge[0]))[:MOST_RELATED]

    def _relate(self, row: int, held: NDArray[np.int32], cosines: NDArray[np.float32]) -> None:
        near = cosines > self._from.related
        edges = dict(zip(held[near].tolist(), cosines[near].tolist(), strict=True))
        best = sorted(edges.items(), key=lambda edge: (-edge[1], edge[0]))[:MOST_RELATED]
        if best:
            self._edges = self._edges.insert(row, dict(best))
        for other, cosine in best:
            those = {**(self._edges.get(other) or {}), row: cosine}
            if len(those) > MOST_RELATED:
                del those[min(those, key=lambda one: (those[one], -one))]
            self._edges = self._edges.insert(other, those)
