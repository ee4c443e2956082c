"""
The time cue: the times that texts tell ("dentist on 3 May"), beside those at which they were said.

A told time counts by the root of how much of it lies in the time that is asked for: a day in a
month entirely, three days of which one is asked for by .58, "this year" in a week hardly, and one
without an end not at all. What comes every week or month is of each time that it comes in.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from datetime import datetime, tzinfo
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Rows
from hippocampus.core.clock import from_micros, in_zone, to_micros
from hippocampus.core.records import Interval, Kind, Payloads
from hippocampus.index.cue import DenseCue, Mask, Scores
from hippocampus.index.growable_array import GrowableArray, Versioned
from hippocampus.index.query import Query
from hippocampus.index.repeated_times import Repeats, find_repeats, turns_within
from hippocampus.index.sorted_sets import each_once

_KEPT: Final = np.dtype([("start", "<i8"), ("end", "<i8"), ("at", "<u4"), ("length", "<u2")])
_PACK: Final = struct.Struct("<qqIH")
_OPEN: Final = (np.iinfo(np.int64).min, np.iinfo(np.int64).max)
_VAGUE: Final = 1 << 15
"""Bit of a length that says that the time is only about right."""


def pack_times(told: Sequence[tuple[Interval, int]]) -> bytes:
    """
    Return the payload of the times that a text tells; empty for none.

    Args:
        told: the intervals, each with the place in the text at which its words begin.

    """
    return b"".join(
        _PACK.pack(
            _OPEN[0] if time.start is None else to_micros(time.start),
            _OPEN[1] if time.end is None else to_micros(time.end),
            at,
            min(len(time.text), _VAGUE - 1) | _VAGUE * time.vague,
        )
        for time, at in told
    )


def times_fit(payload: bytes, text: str) -> bool:
    """Return whether a payload of times can be of a text: each was read in it."""
    whole, rest = divmod(len(payload), _KEPT.itemsize)
    # A single byte says that there are none (``NO_TIMES``).
    if rest > 1 or (rest and whole):
        return False
    told = np.frombuffer(payload[: whole * _KEPT.itemsize], _KEPT)
    ends = told["at"].astype(np.int64) + told["length"] % _VAGUE
    return bool((ends <= len(text)).all() and (told["start"] < told["end"]).all())


class TimeCue(DenseCue, Versioned):
    """The told times of every row, flat: the row of each, and its ends in microseconds."""

    kind: Kind = "times"

    def __init__(self) -> None:
        self._count = 0
        self._rows = GrowableArray(np.int64)
        self._told = GrowableArray(_KEPT)

    def __len__(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        return self._rows.nbytes + self._told.nbytes

    def observe(self, payloads: Payloads) -> None:
        counts = payloads.lengths // _KEPT.itemsize
        if counts.any():
            # The first row of a bank may have a byte that says that it tells none (``NO_TIMES``).
            single = payloads.lengths % _KEPT.itemsize > 0
            data = payloads.data
            if single.any():
                ends = np.cumsum(payloads.lengths, dtype=np.int64)
                data = np.delete(data, ends[single] - 1)
            self._told.extend(np.ascontiguousarray(data).view(_KEPT))
            self._rows.extend(np.repeat(np.arange(self._count, self._count + len(counts)), counts))
        self._count += len(payloads)

    def without(self, gone: Rows) -> TimeCue:
        """Return a cue as if it were made anew after rows were erased: they tell no times."""
        rest, stays = TimeCue(), ~np.isin(self._rows.view, gone)
        rest._count = self._count
        rest._rows.extend(self._rows.view[stays])
        rest._told.extend(self._told.view[stays])
        return rest

    def scores(self, question: Query) -> Scores | None:
        """Return the root of the share of a told time that lies in one asked for, shape (n,)."""
        if not question.intervals:
            return None
        best = np.zeros(self._count, np.float32)
        told = self._told.view
        # As floats, for the difference of two open ends is beyond 64 bits.
        start, end = told["start"].astype(np.float64), told["end"].astype(np.float64)
        repeats = self._repeats()
        for asked in question.intervals:
            first = _OPEN[0] if asked.start is None else to_micros(asked.start)
            last = _OPEN[1] if asked.end is None else to_micros(asked.end)
            inside = np.minimum(end, last) - np.maximum(start, first)
            share = np.maximum(inside, 0) / np.maximum(end - start, 1)
            share[repeats.parts] = 0
            np.maximum.at(best, self._rows.view, np.sqrt(share, dtype=np.float32))
            if asked.end is not None and asked.end > question.now:  # else nobody knows that it was
                turns = turns_within(told, repeats, asked, question.now.tzinfo)
                np.maximum.at(best, self._rows.view[repeats.first], turns)
        return best

    def after(self, moment: datetime) -> NDArray[np.int64]:
        """Return the rows that tell of a time which begins after a moment, ascending."""
        ahead = self._told.view["start"] > to_micros(moment)
        ahead[self._repeats().parts] = False  # what comes every week is no plan
        rows: NDArray[np.int64] = each_once(self._rows.view[ahead])
        return rows

    def _repeats(self) -> Repeats:
        return find_repeats(self._rows.view, self._told.view, _OPEN, _VAGUE)

    def tells(self) -> Mask:
        """Return a mask of the rows that tell any time, shape (n,)."""
        telling = np.zeros(self._count, np.bool_)
        telling[self._rows.view] = True
        return telling

    def of(self, row: int, text: str, zone: tzinfo) -> tuple[Interval, ...]:
        """Return the times that a row's text tells, in their order."""
        first, stop = self._rows.view.searchsorted((row, row + 1)).tolist()
        if first == stop:  # as of most
            return ()
        told = self._told.view[first:stop].copy()
        repeats = find_repeats(self._rows.view[first:stop], told, _OPEN, _VAGUE)
        told["end"][repeats.first] = repeats.until  # what comes again is told as one time
        told = np.delete(told, np.setdiff1d(repeats.parts, repeats.first))
        return tuple(
            Interval(
                None if start == _OPEN[0] else in_zone(from_micros(start), zone),
                None if end == _OPEN[1] else in_zone(from_micros(end), zone),
                text[at : at + length % _VAGUE],
                vague=length >= _VAGUE,
            )
            for start, end, at, length in told.tolist()
        )
