"""Places in the content of the embedder's token codes, beside the codes themselves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Rows32
from hippocampus.core.records import Kind, Payloads
from hippocampus.index.archive import Archive
from hippocampus.index.growable_array import GrowableArray, Versioned


class Stretches(NamedTuple):
    """Neighbouring stretches of the content of rows, each with the codes that begin in it."""

    owner: NDArray[np.int64]
    """The place of its row among those that were asked for, shape (n,)."""
    number: NDArray[np.int64]
    """Number of the stretch in that row's content."""
    first: NDArray[np.int64]
    """Of its codes among those of the row."""
    stop: NDArray[np.int64]


class TokenSpans(Versioned):
    """The ids at which codes begin, one list an episode; empty where nobody noted them."""

    kind: Kind = "spans"

    def __init__(self) -> None:
        self._steps = GrowableArray(np.uint8)
        self._ends = GrowableArray(np.int64)
        self._ends.extend(np.zeros(1, np.int64))

    def __len__(self) -> int:
        return len(self._ends) - 1

    @property
    def nbytes(self) -> int:
        return self._steps.nbytes + self._ends.nbytes

    def archive(self, archive: Archive) -> None:
        """Tell of the steps, and where those of each episode end."""
        archive.array("steps", self._steps)
        archive.array("ends", self._ends)

    def observe(self, payloads: Payloads) -> None:
        self._ends.extend(np.cumsum(payloads.lengths, dtype=np.int64) + len(self._steps))
        self._steps.extend(payloads.data)

    def stretches(self, rows: Rows32, size: int) -> Stretches:
        """Cut the content of rows into stretches of ``size`` ids; none of rows without spans."""
        starts = self._ends.view[rows.astype(np.intp)]
        sizes = np.maximum(self._ends.view[rows.astype(np.intp) + 1] - starts - 1, 0)
        owner = np.repeat(np.arange(len(rows)), sizes)
        if not len(owner):
            return Stretches(*(np.empty(0, np.int64) for _ in range(4)))
        offset = np.cumsum(sizes) - sizes
        within = np.arange(len(owner)) - offset[owner]
        # The first byte of each says how many codes stand before the text (``pack_spans``).
        steps = self._steps.view[starts[owner] + 1 + within].astype(np.int64)
        walked = np.cumsum(steps)
        number = (walked - (walked - steps)[offset[owner]]) // size
        fresh = np.ones(len(owner), np.bool_)
        fresh[1:] = (owner[1:] != owner[:-1]) | (number[1:] != number[:-1])
        begin = np.flatnonzero(fresh)
        end = np.append(begin[1:], len(owner))
        before = self._steps.view[starts[owner[begin]]].astype(np.int64)
        first = before + within[begin]
        return Stretches(owner[begin], number[begin], first, first + end - begin)
