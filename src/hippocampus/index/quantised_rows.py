"""Vectors of rows at eight bits a number, in memory or a file, as they came or in an order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Rows32
from hippocampus.index.archive import Archive
from hippocampus.index.cue import Scores
from hippocampus.index.disk_array import DiskArray
from hippocampus.index.growable_array import GrowableArray, Versioned
from hippocampus.kernel import dot_rows, sum_rows


class QuantisedRows(Versioned):
    """
    Signed bytes and a scale for each row, which come in order.

    Args:
        dimension: how many numbers a vector has.
        folder: where to keep the bytes in a file; None to have them in memory.
        order: in which the first rows lie, if not as they come; each of them once.

    """

    def __init__(
        self, dimension: int, *, folder: Path | None = None, order: Rows32 | None = None
    ) -> None:
        self._bytes: GrowableArray[np.int8] = (
            GrowableArray(np.int8, dimension)
            if folder is None
            else DiskArray(np.int8, dimension, folder=folder)
        )
        self._scales: GrowableArray[np.float32] = GrowableArray(np.float32)
        self._places: NDArray[np.uint32] | None = None
        if order is not None:
            self._places = np.empty(len(order), np.uint32)
            self._places[order] = np.arange(len(order), dtype=np.uint32)

    def __len__(self) -> int:
        return len(self._scales)

    @property
    def present(self) -> NDArray[np.bool_]:
        """Mask of rows with a vector, shape (n,)."""
        scales = self._scales.view
        there: NDArray[np.bool_] = scales > 0
        # Kept by place, and asked for by row.
        return there if self._places is None else there[self.at(np.arange(len(self)))]

    @property
    def nbytes(self) -> int:
        """Bytes held in memory."""
        laid = 0 if self._places is None else self._places.nbytes
        return self._bytes.nbytes + self._scales.nbytes + laid

    def archive(self, archive: Archive) -> None:
        """Tell of the bytes and scales."""
        archive.array("bytes", self._bytes, any_bits=True)
        archive.array("scales", self._scales)

    def extend(self, signed: NDArray[np.int8], scales: NDArray[np.float32]) -> None:
        """Append rows."""
        laid, start = self._places, len(self)
        inside = 0 if laid is None else min(len(signed), max(0, len(laid) - start))
        if laid is not None and inside:
            places = laid[start : start + inside].astype(np.intp)
            self._bytes.extend_at(places, signed[:inside], len(laid))
            self._scales.extend_at(places, scales[:inside], len(laid))
        if inside < len(signed):
            self._bytes.extend(signed[inside:])
            self._scales.extend(scales[inside:])

    def at(self, rows: NDArray[np.integer]) -> NDArray[np.intp]:
        """Return the places at which rows lie."""
        places = rows.astype(np.intp)
        if self._places is None:
            return places
        laid = places < len(self._places)
        places[laid] = self._places[places[laid]]
        return places

    def cosines(self, vector: NDArray[np.float32], rows: Rows32) -> Scores:
        """Return the inner products of a vector and rows, shape (rows,)."""
        return dot_rows(self._bytes.view, self._scales.view, vector, self._named(rows))

    def vectors(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the vectors of rows, shape (rows, dimension); zeros where there is none."""
        if self._places is not None:
            rows = self.at(rows)
        return self._bytes.view[rows] * self._scales.view[rows][:, None]

    def sums(
        self, rows: Rows32, groups: NDArray[np.uint32], count: int
    ) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
        """Add up the vectors of rows by group; return the sums, and of how many each is one."""
        rows = self._named(rows)
        sums = sum_rows(self._bytes.view, self._scales.view, rows, groups, count)
        return sums, np.bincount(groups[self._scales.view[rows] > 0], minlength=count)

    def _named(self, rows: Rows32) -> Rows32:
        return rows if self._places is None else self.at(rows).astype(np.uint32)
