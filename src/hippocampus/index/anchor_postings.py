"""
What lies under the anchors: at most so many rows under each, and of what is the same, one.

A row is put under all its anchors at once, in time that depends on the anchors alone. What it says
again is not kept twice: one of the two stands for the other, which stays what it was and is reached
through the one that stands for it. What is near without being the same is an edge between the two.
(CONCEPT, section 4.5a.)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.config import Concepts
from hippocampus.index.anchors import Anchors
from hippocampus.index.cue import Mask, Scores

RICH: Final = 0xFF
"""The bits of a gist that say how many phrases an episode has, 255 at most; the others are a digest
of its details, 0 when they are not known. Only episodes whose details agree may be the same."""
MOST_RELATED: Final = 8
"""Edges of a row that are kept, the nearest."""

Rows = NDArray[np.int64]
Gists = NDArray[np.uint32]
Cosines = Callable[[NDArray[np.float32], NDArray[np.uint32]], Scores]
"""Gives the cosines of a vector and of rows, shape (rows,)."""


def same(cosines: Scores, one: Gists | np.uint32, other: Gists | np.uint32, near: float) -> Mask:
    """Return where two episodes say the same: so near, and no detail differs."""
    return np.asarray((cosines > near) & ((one ^ other) <= RICH) & (one > RICH))


class Settled(NamedTuple):
    """
    What is left of the rows under an anchor when each thing is there once.

    ``stays``: which of them; ``stands``: the place of the one that stands for each; ``near``: pairs
    of places, shape (e, 2), and ``cosines`` of what is near without being the same.
    """

    stays: Mask
    stands: NDArray[np.intp]
    near: NDArray[np.intp]
    cosines: Scores


def settle(
    vectors: NDArray[np.float32],
    gists: NDArray[np.uint32],
    said_at: NDArray[np.int64],
    rows: Rows,
    how: Concepts,
) -> Settled:
    """Return what stands for what among rows that lie under one anchor."""
    order = np.lexsort((rows, said_at, gists & RICH))[::-1]
    cosines = vectors @ vectors.T
    least = how.cosines()
    alike = same(cosines, gists[:, None], gists[None, :], least.near)[np.ix_(order, order)]
    np.fill_diagonal(alike, val=True)
    stands = np.arange(len(rows))
    if len(rows):
        stands[order] = order[np.argmax(alike, axis=1)]
    stays = stands == np.arange(len(rows))
    apart = np.triu(cosines > least.related, 1) & stays & stays[:, None]
    pairs = np.argwhere(apart)
    return Settled(stays, stands, pairs, cosines[apart])


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


class Under:
    """
    The rows under each anchor, taken over from a rebuild and kept fresh; at most ``k_max`` each.

    Args:
        anchors: what the last rebuild left.
        how: thresholds and sizes.
        cosines: gives the cosines of a vector and rows.
        said_at: when rows were said, in microseconds.

    """

    def __init__(
        self,
        anchors: Anchors,
        how: Concepts,
        cosines: Cosines,
        said_at: Callable[[NDArray[np.uint32]], NDArray[np.int64]],
    ) -> None:
        self._how = how
        self._from = how.cosines()
        self._cosines = cosines
        self._said_at = said_at
        sizes = np.diff(anchors.ends)
        width = max(1, min(how.k_max, int(sizes.max(initial=0))))
        filled = np.arange(width) < sizes[:, None]
        nth = np.arange(len(anchors.rows)) - np.repeat(anchors.ends[:-1], sizes)
        kept = nth < width
        self._width = width
        self._rows = np.full(filled.shape, -1, np.int32)
        self._scores = np.full(filled.shape, -np.inf, np.float32)
        self._gists: Gists = np.zeros(filled.shape, np.uint32)
        self._rows[filled] = anchors.rows[kept]
        self._scores[filled] = anchors.scores[kept]
        self._gists[filled] = anchors.gists[kept]
        self._least = self._to_beat(np.arange(len(anchors)))
        self._stands: dict[int, int] = dict(anchors.aliases.tolist())
        self._repeats: defaultdict[int, list[int]] = defaultdict(list)
        for row, other in anchors.aliases.tolist():
            self._repeats[other].append(row)
        self._built_edges, self._built_cosines = anchors.edges, anchors.edge_cosines
        self._edges: defaultdict[int, dict[int, float]] = defaultdict(dict)

    @property
    def nbytes(self) -> int:
        """Bytes held in arrays."""
        return self._rows.nbytes + self._scores.nbytes + self._gists.nbytes + self._least.nbytes

    def of(self, anchor: int) -> tuple[NDArray[np.int32], Scores]:
        """Return the rows under an anchor, best first, and their scores."""
        rows, scores = self._rows[anchor], self._scores[anchor]
        order = np.argsort(-scores, kind="stable")[: int(np.count_nonzero(rows >= 0))]
        return rows[order], scores[order]

    def put(
        self, row: int, near: Mask, scores: Scores, vector: NDArray[np.float32], gist: np.uint32
    ) -> None:
        """
        Put a new row under the anchors it is near, shape (anchors,), where it is good enough.

        Where what it says lies there already, the richer, then the newer of the two stays.
        """
        places = np.flatnonzero(near & (scores > self._least))
        if not len(places):
            return
        held, gists = self._rows[places], self._gists[places]
        there = held >= 0
        cosines = np.full(held.shape, -1, np.float32)
        cosines[there] = self._cosines(vector, held[there].astype(np.uint32))
        alike = same(cosines, gists, gist, self._from.near)
        enters: Mask = np.ones(len(places), np.bool_)
        if alike.any():
            enters = self._merge(row, gist, alike, held, gists)
            gone = alike & enters[:, None]
            self._clear(places, gone)
            cosines[gone] = -1
        self._relate(row, held, np.where(enters[:, None] & ~alike, cosines, np.float32(-1)))
        self._enter(places[enters], row, scores, gist)

    def _merge(
        self,
        row: int,
        gist: np.uint32,
        alike: Mask,
        held: NDArray[np.int32],
        gists: NDArray[np.uint32],
    ) -> Mask:
        """
        Note who stands for whom, the richer, then the newer; return where the row enters.

        That is of shape (places,).
        """
        others = held[alike]
        said = self._said_at(np.append(others, row).astype(np.uint32))
        said, own = said[:-1], said[-1]
        rich, poor = gists[alike] & RICH, gist & RICH
        newer = (said > own) | ((said == own) & (others > row))
        loses = np.zeros(alike.shape, np.bool_)
        loses[alike] = (rich > poor) | ((rich == poor) & newer)
        if loses.any():
            order = np.lexsort((others, said, rich))
            self._stand(row, int(others[order[-1]]))
        enters: Mask = np.logical_not(loses.any(axis=1))
        for other in np.unique(held[alike & enters[:, None]]).tolist():
            self._stand(other, row)
        return enters

    def _stand(self, row: int, other: int) -> None:
        if self.canonical(other) == row:  # an edited document may have it the other way round
            return
        before = self._stands.get(row)
        if before is not None:
            self._repeats[before].remove(row)
        self._stands[row] = other
        self._repeats[other].append(row)

    def _clear(self, places: NDArray[np.intp], gone: Mask) -> None:
        at, slot = np.nonzero(gone)
        self._rows[places[at], slot] = -1
        self._scores[places[at], slot] = -np.inf
        self._gists[places[at], slot] = 0

    def _enter(self, places: NDArray[np.intp], row: int, scores: Scores, gist: np.uint32) -> None:
        if self._width < self._how.k_max and not np.isinf(self._scores[places]).any(axis=1).all():
            self._widen(min(self._how.k_max, 2 * self._width))
        slots = np.argmin(self._scores[places], axis=1)  # the first that is free, or the least
        self._rows[places, slots] = row
        self._scores[places, slots] = scores[places]
        self._gists[places, slots] = gist
        self._least[places] = self._to_beat(places)

    def _widen(self, width: int) -> None:
        more = ((0, 0), (0, width - self._width))
        self._width = width
        self._rows = np.pad(self._rows, more, constant_values=-1)
        self._scores = np.pad(self._scores, more, constant_values=-np.inf)
        self._gists = np.pad(self._gists, more)

    def _to_beat(self, places: NDArray[np.intp]) -> Scores:
        """Return the scores above which a row is under an anchor: any, while there is room."""
        if self._width < self._how.k_max:
            return np.full(len(places), -np.inf, np.float32)
        least: Scores = self._scores[places].min(axis=1)
        return least

    # ------------------------------------------------------------ what is the same, what is near

    def canonical(self, row: int) -> int:
        """Return the row that stands for a row: itself, where none does. Ranks rise on the way."""
        while row in self._stands:
            row = self._stands[row]
        return row

    def repeats(self, row: int) -> list[int]:
        """Return the rows that a row stands for, over however many steps, ascending."""
        found: list[int] = []
        queue = list(self._repeats.get(row, ()))
        while queue:
            found.append(queue.pop())
            queue += self._repeats.get(found[-1], ())
        return sorted(found)

    def related(self, row: int) -> list[tuple[int, float]]:
        """Return rows near a row that are not the same, nearest first, and their cosines."""
        inside = slice(*np.searchsorted(self._built_edges[:, 0], [row, row + 1]).tolist())
        others, cosines = (
            self._built_edges[inside, 1].tolist(),
            self._built_cosines[inside].tolist(),
        )
        edges = dict(zip(others, cosines, strict=True)) | self._edges.get(row, {})
        return sorted(edges.items(), key=lambda edge: (-edge[1], edge[0]))[:MOST_RELATED]

    def _relate(self, row: int, held: NDArray[np.int32], cosines: NDArray[np.float32]) -> None:
        near = cosines > self._from.related
        edges = dict(zip(held[near].tolist(), cosines[near].tolist(), strict=True))
        best = sorted(edges.items(), key=lambda edge: (-edge[1], edge[0]))[:MOST_RELATED]
        for other, cosine in best:
            self._edges[row][other] = cosine
            those = self._edges[other]
            those[row] = cosine
            if len(those) > MOST_RELATED:
                del those[min(those, key=lambda one: (those[one], -one))]
