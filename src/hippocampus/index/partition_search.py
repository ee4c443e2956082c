"""
Signs of rows laid out by partition, and the search that reads those of a few partitions.

A partition's rows lie side by side, in blocks of 128 as the scan reads them, so that looking into
one is a scan of a few blocks. They are laid out when a question first asks, from rows that never
change; versions of an index share them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Rows32
from hippocampus.index.cue import Mask
from hippocampus.index.partitions import NOWHERE, Partitions
from hippocampus.index.vector import BLOCK, Searched
from hippocampus.kernel import scan_turned, top_k

SHARDS: Final = 64
"""Most shards; the sources after these are in the last one together: each parts every partition
once more, and small parts end in more blocks (docs/large-banks.md). Set by hand."""
_NEW: Final = 4
"""When one row in so many has come since, all are scanned until the bank sleeps (docs/adr/0068):
new rows are scanned anyway, and more of them gain nothing."""

Shards = Callable[[], NDArray[np.int32]]
"""Returns the number of each row's source, shape (rows,), -1 for none."""


def order_of(made: Partitions) -> Rows32:
    """Return the rows in order of partition, those without a vector last."""
    return np.argsort(made.of_row, kind="stable").astype(np.uint32)


class PartitionedSigns:
    """Signs in order of partition, and within each shard if there are any."""

    def __init__(
        self, made: Partitions, signs: NDArray[np.uint8], shards: NDArray[np.int32] | None
    ) -> None:
        count, length = len(made.centres), len(made)
        # Rows without a vector come last: nothing finds them by meaning.
        key = np.where(made.of_row == NOWHERE, count, made.of_row).astype(np.int32)
        self._shards = 1
        if shards is not None:
            shard = np.clip(shards[:length] + 1, 0, SHARDS - 1)
            self._shards = int(shard.max(initial=0)) + 1
            key += shard * np.int32(count + 1)
        order = np.argsort(key, kind="stable")
        self._starts = np.searchsorted(
            key[order], np.arange(self._shards * (count + 1) + 1)
        )  # of each partition of each shard
        self._count, self._length = count, length
        codes = signs.transpose(0, 2, 1).reshape(-1, signs.shape[1])
        blocks = -(-length // BLOCK)
        self.rows: Rows32 = np.full(blocks * BLOCK, length, np.uint32)
        self.rows[:length] = order
        self._signs = np.zeros((blocks, signs.shape[1], BLOCK), np.uint8)
        # In pieces, for the signs of each are copied on the way.
        for first in range(0, blocks, BLOCK):
            own = order[first * BLOCK : (first + BLOCK) * BLOCK]
            some = np.zeros((-(-len(own) // BLOCK) * BLOCK, signs.shape[1]), np.uint8)
            some[: len(own)] = codes[own]
            turned = some.reshape(-1, BLOCK, signs.shape[1]).transpose(0, 2, 1)
            self._signs[first : first + len(turned)] = turned

    @property
    def nbytes(self) -> int:
        """Bytes held in memory."""
        return self._signs.nbytes + self.rows.nbytes + self._starts.nbytes

    def blocks(self, partitions: NDArray[np.intp]) -> NDArray[np.uint32]:
        """Return the blocks in which rows of partitions lie, ascending."""
        places = (np.arange(self._shards)[:, None] * (self._count + 1) + partitions).ravel()
        first, stop = self._starts[places], self._starts[places + 1]
        first, stop = first[stop > first], stop[stop > first]
        # Partitions that are neighbours share a block, which is to be looked into once.
        edge = np.zeros(len(self._signs) + 1, np.int32)
        np.add.at(edge, first // BLOCK, 1)
        np.add.at(edge, (stop - 1) // BLOCK + 1, -1)
        return np.flatnonzero(np.cumsum(edge)[:-1]).astype(np.uint32)

    def best(
        self,
        wide: NDArray[np.float32],
        blocks: NDArray[np.uint32],
        allowed: Mask | None,
        wanted: int,
    ) -> Rows32 | None:
        """Return the ``wanted`` nearest rows of blocks, by sign; None if there are fewer."""
        rows = self.rows.reshape(-1, BLOCK)[blocks]
        if allowed is None:
            there = rows < self._length
        else:
            there = np.append(allowed[: self._length], False)[rows]  # no row is after the last
            some = there.any(axis=1)  # a block of another source has none
            if not some.all():
                blocks, rows, there = blocks[some], rows[some], there[some]
        if np.count_nonzero(there) < wanted:
            return None
        found = scan_turned(self._signs, wide, blocks)
        return rows.ravel()[top_k(found, wanted, there.ravel().view(np.uint8))]


class PartitionSearch:
    """
    A search of a few partitions, laid out by the first who asks.

    Args:
        made: the partitions.
        probes: how many of them are looked into; more where too few of their rows are allowed.
        shards: the source of each row, to lay those of one source together; None for all alike.

    """

    def __init__(self, made: Partitions, probes: int, shards: Shards | None) -> None:
        self.made = made
        self._probes = min(probes, len(made.centres))
        self._shards = shards
        self._laying = threading.Lock()
        self._laid: PartitionedSigns | None = None

    @property
    def nbytes(self) -> int:
        """Bytes held in memory."""
        laid = self._laid
        held = self.made.of_row.nbytes + self.made.centres.nbytes
        return held + (0 if laid is None else laid.nbytes)

    def near(
        self, codes: Searched, vector: NDArray[np.float32], allowed: Mask | None, wanted: int
    ) -> tuple[Rows32, int] | None:
        """
        Return ``wanted`` rows of the nearest partitions, and how many rows are in any.

        None if most partitions have to be looked into for so many that are allowed: then a scan of
        all is no slower, and misses nothing. None, too, if many rows have come since, and while
        another thread lays them out.
        """
        known = len(self.made)
        laid = self._laid_out(codes) if known <= len(codes) <= known + known // _NEW else None
        if laid is None:
            return None
        wide = codes.wide(vector)
        nearest = np.argsort(-(self.made.centres @ vector), kind="stable")
        probes = self._probes
        # Once at least, though these may be all.
        while probes < len(nearest) or probes == self._probes:
            rows = laid.best(wide, laid.blocks(nearest[:probes]), allowed, wanted)
            if rows is not None:
                return rows, known
            # Four times as many (docs/large-banks.md): each round looks at the partitions before
            # again, so few rounds.
            probes *= 4
        return None

    def _laid_out(self, codes: Searched) -> PartitionedSigns | None:
        if self._laid is None and self._laying.acquire(blocking=False):
            try:
                if self._laid is None:  # another may have just done so
                    shards = None if self._shards is None else self._shards()
                    self._laid = PartitionedSigns(self.made, codes.signs, shards)
            finally:
                self._laying.release()
        return self._laid
