"""
Rows in order of time, kept in order as they come (SWIFT, section 3.3).

A range of time is two binary searches, of everything or of what has one label: a session, say, or a
speaker. What is said in order, as almost all is, costs the same at any size; what comes late moves
what was said after it, and nothing is ever sorted anew.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Rows
from hippocampus.index.archive import Archive
from hippocampus.index.growable_array import GrowableArray, Versioned

Moments: TypeAlias = NDArray[np.int64]
"""Microseconds since 1970, UTC, shape (rows,)."""

TAIL: Final = 4096
"""Last rows that are looked through one by one: that takes 2 µs, and a run of a few rows 20."""
_LONGER: Final = 2
"""Length of a run, as a multiple of the rows behind it, up to which it is merged with them: so runs
stay few, and each row is merged a few times only."""


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
        order = np.argsort(moments, kind="stable")  # rows of one moment stay in order
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


class _Run(NamedTuple):
    """Rows that follow each other, by (code, moment, row), and where those of each code begin."""

    codes: NDArray[np.int32]
    """Those there are, ascending, shape (codes,)."""
    starts: Rows
    """Shape (codes + 1,)."""
    rows: Rows
    moments: Moments
    end: int
    """The row after the last."""

    def within(self, code: int, start: int | None, end: int | None) -> slice | None:
        """Return the slice of the rows of a code in ``[start, end)``; None if the code has none."""
        place = int(self.codes.searchsorted(code))
        if place == len(self.codes) or self.codes[place] != code:
            return None
        first, stop = self.starts[place : place + 2].tolist()
        if start is None and end is None:
            return slice(first, stop)
        inside = _within(self.moments[first:stop], start, end)
        return slice(first + inside.start, first + inside.stop)


class GroupedTimeline(Versioned):
    """
    A timeline for each code of rows, kept in order as rows come: a log-structured merge tree.

    The last few thousand rows are looked through. Once there are more, they become a run in order,
    which is merged with the run before it while that is no more than twice as long. So each row is
    merged O(log n) times, there are O(log n) runs, and a range is two binary searches in each.
    Space: 16 bytes a row, and 12 a code of each run, once asked.
    """

    def __init__(self) -> None:
        self._runs: tuple[_Run, ...] = ()
        """Runs of rows, the first rows first, but for the tail."""

    @property
    def runs(self) -> int:
        """Return the number of runs."""
        return len(self._runs)

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
        runs = self._up_to_date(codes, moments)
        parts = [run.rows[inside] for run in runs if (inside := run.within(code, start, end))]
        done = runs[-1].end if runs else 0
        last = np.flatnonzero(codes[done:] == code)
        if len(last):
            parts.append(_in_order(last + done, moments, start, end))
        rows = parts[0] if parts else np.empty(0, np.int64)
        if len(parts) > 1:
            rows = np.concatenate(parts)
            rows = rows[np.argsort(moments[rows], kind="stable")]  # later runs have later rows
        there: Rows = rows[codes[rows] == code]
        return there

    def _up_to_date(self, codes: NDArray[np.int32], moments: Moments) -> tuple[_Run, ...]:
        """Return the runs, the last of them with what came since."""
        first = self._runs[-1].end if self._runs else 0
        if len(codes) - first <= TAIL:
            return self._runs
        runs = list(self._runs)
        while runs and len(runs[-1].rows) <= _LONGER * (len(codes) - first):
            first -= len(runs.pop().rows)
        runs.append(run_of(first, codes, moments))
        self._runs = tuple(runs)  # whole, for other readers may use those before
        return self._runs


def run_of(first: int, codes: NDArray[np.int32], moments: Moments) -> _Run:
    """Return the rows from the first on as a run."""
    there, times = codes[first:], moments[first:]
    order = np.lexsort((times, there)).astype(np.int64)
    each, starts = np.unique(there[order], return_index=True)
    starts = np.append(starts, len(order)).astype(np.int64)
    return _Run(each, starts, order + first, times[order], len(codes))


def _in_order(rows: Rows, moments: Moments, start: int | None, end: int | None) -> Rows:
    """Return those of some rows in ``[start, end)``, in order of time."""
    rows = rows[np.argsort(moments[rows], kind="stable")]
    return rows[_within(moments[rows], start, end)]


def _within(moments: Moments, start: int | None, end: int | None) -> slice:
    first = 0 if start is None else int(np.searchsorted(moments, start))
    stop = len(moments) if end is None else int(np.searchsorted(moments, end))
    return slice(first, max(first, stop))
