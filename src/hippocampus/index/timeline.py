"""
Rows in order of time, kept in order as they come (SWIFT, section 3.3).

A range of time is two binary searches, of everything or of what has one label: a session, say, or a
speaker. What is said in order, as almost all is, costs the same at any size; what comes late moves
what was said after it, and nothing is ever sorted anew.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hippocampus.index.archive import Archive
from hippocampus.index.growable_array import GrowableArray, Versioned

Rows: TypeAlias = NDArray[np.int64]
Moments: TypeAlias = NDArray[np.int64]
"""Microseconds since 1970, UTC, shape (rows,)."""

_LEAST_GROUPED: Final = 1024


class Timeline(Versioned):
    """Rows by (moment, row). Space: 16 bytes a row."""

    def __init__(self) -> None:
        self._rows = GrowableArray(np.int64)
        self._moments = GrowableArray(np.int64)

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def rows(self) -> Rows:
        """All of them, in order. Shared: do not write."""
        return self._rows.view

    @property
    def nbytes(self) -> int:
        """Bytes held in memory."""
        return self._rows.nbytes + self._moments.nbytes

    def archive(self, archive: Archive) -> None:
        """Tell of its rows and their moments."""
        archive.array("rows", self._rows)
        archive.array("moments", self._moments)

    def insert(self, rows: Rows, moments: Moments) -> None:
        """Put later rows, ascending, where they belong."""
        if not len(rows):
            return
        order = np.argsort(moments, kind="stable")
        rows, moments = rows[order], moments[order]
        first = int(np.searchsorted(self._moments.view, moments[0], side="right"))
        moved = len(self) - first
        if moved:
            after = self._moments.view[first:]
            places = np.searchsorted(after, moments, side="right")
            rows = np.insert(self._rows.view[first:], places, rows)
            moments = np.insert(after, places, moments)
            self._rows.put(slice(first, None), rows[:moved])
            self._moments.put(slice(first, None), moments[:moved])
        self._rows.extend(rows[moved:])
        self._moments.extend(moments[moved:])

    def without(self, gone: NDArray[np.bool_]) -> Timeline:
        """Return another one that has not the rows of a mask over all there are."""
        rest, stays = Timeline(), ~gone[self.rows]
        rest._rows.extend(self.rows[stays])
        rest._moments.extend(self._moments.view[stays])
        return rest

    def between(self, start: int | None, end: int | None) -> Rows:
        """Return the rows of ``[start, end)``, in order; an open side is None. Shared."""
        return self.rows[_within(self._moments.view, start, end)]


class GroupedTimeline(Versioned):
    """
    A timeline for each code of rows, of which most share theirs with few others.

    Rows are grouped when somebody asks; those that came since are few beside them, and looked
    through. Space: 16 bytes a row and 8 a code, once asked.
    """

    def __init__(self) -> None:
        none = np.empty(0, np.int64)
        self._grouped = (0, np.zeros(1, np.int64), none, none)
        """How many of the first rows, where each code's begin, those rows, their moments."""

    def between(
        self,
        code: int,
        codes: NDArray[np.int32],
        moments: Moments,
        start: int | None = None,
        end: int | None = None,
    ) -> Rows:
        """
        Return the rows of a code in ``[start, end)``, in order.

        Args:
            code: 0 or more.
            codes: of all rows there are; -1 for none. A row may have lost its code since.
            moments: of all rows.
            start: an open side is None.
            end: likewise.

        """
        until, starts, rows, times = self._group(codes, moments)
        inside = slice(*starts[code : code + 2].tolist()) if code + 1 < len(starts) else slice(0)
        rows, times = rows[inside], times[inside]
        fresh = np.flatnonzero(codes[until:] == code) + until
        if len(fresh):
            rows = np.concatenate([rows, fresh])
            times = moments[rows]
            order = np.argsort(times, kind="stable")
            rows, times = rows[order], times[order]
        rows = rows[_within(times, start, end)]
        there: Rows = rows[codes[rows] == code]
        return there

    def _group(self, codes: NDArray[np.int32], moments: Moments) -> tuple[int, Rows, Rows, Moments]:
        """Group rows by code, unless most of them are so already."""
        grouped = self._grouped
        if len(codes) - grouped[0] > max(_LEAST_GROUPED, grouped[0] // 8):
            order = np.lexsort((moments, codes)).astype(np.int64)
            most = int(codes.max(initial=-1))
            starts = np.searchsorted(codes[order], np.arange(most + 2)).astype(np.int64)
            grouped = self._grouped = (len(codes), starts, order, moments[order])
        return grouped


def _within(moments: Moments, start: int | None, end: int | None) -> slice:
    first = 0 if start is None else int(np.searchsorted(moments, start))
    stop = len(moments) if end is None else int(np.searchsorted(moments, end))
    return slice(first, max(first, stop))
