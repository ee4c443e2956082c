"""
Told times that come again and again ("every Tuesday at 6"), as the time cue keeps them.

Such a one is told by several times of the same words: its first turn; all from the second one on,
which is marked as being about right, as no other time without an end is; and the time up to which
it comes, if that is told. How far the turns lie apart tells how often it comes: 7 or 14 days, or 28
and more for what is on a certain weekday of each month. If both turns are last ones of their
months, it is on the last one of each.
"""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Floats
from hippocampus.core.clock import MICROS_PER_DAY, MICROS_PER_HOUR, from_micros, in_zone, to_micros
from hippocampus.core.records import Interval
from hippocampus.language.time.repeated import nth_weekday

_MONTHLY: Final = 28
"""Days between two turns from which on they are on a certain weekday of a month: four weeks or
five."""
_MONTH: Final = 30
"""Days that a month counts for where the share of a turn in a time is worked out."""
_LEAST: Final = 0.3
"""Worth of a turn of a repeated time: less than that of an event of that time alone. This and the
next ones are set by hand."""
_MORE: Final = 0.3
"""Worth that it has more, if it comes but once in the time asked for, or less."""
_SELDOM: Final = 0.4
"""Share, by its root, of a time from which what comes again is of it: weekly of a month (.48), but
not of a year (.14)."""
_MEETS: Final = 0.25
"""Share of a turn, or of the time that is asked for, that has to lie in the other."""
_SHORT: Final = 12 * MICROS_PER_HOUR
"""Length up to which clocks that are put forward count: then a turn is an hour off."""
_MOST_MONTHS: Final = 14
"""Months that are looked through: the first or the second has a turn, mostly. A bound of a year and
more, set by hand."""


class Repeats(NamedTuple):
    """
    Times that come again: of each the place of its first turn, and when it ends, in microseconds.

    ``parts``: the places of all times by which they are told.
    """

    first: NDArray[np.intp]
    until: NDArray[np.int64]
    parts: NDArray[np.intp]


def find_repeats(
    rows: NDArray[np.int64], told: NDArray[np.void], ends: tuple[int, int], vague: int
) -> Repeats:
    """
    Return the times that come again.

    Args:
        rows: the row of each told time.
        told: the told times, those of a row in a run.
        ends: the start of a time without one, and the end of one without one.
        vague: the bit of a length that says that a time is only about right.

    """
    goes_on = np.flatnonzero((told["end"] == ends[1]) & (told["length"] >= vague))
    goes_on = goes_on[goes_on > 0]
    goes_on = goes_on[_of_same_words(rows, told, goes_on, goes_on - 1, vague)]
    then = np.minimum(goes_on + 1, len(told) - 1)
    over = (told["start"][then] == ends[0]) & (then > goes_on)
    over &= _of_same_words(rows, told, goes_on, then, vague)
    until = np.where(over, told["end"][then], ends[1])
    return Repeats(goes_on - 1, until, np.concatenate([goes_on - 1, goes_on, then[over]]))


def _of_same_words(
    rows: NDArray[np.int64],
    told: NDArray[np.void],
    some: NDArray[np.intp],
    others: NDArray[np.intp],
    vague: int,
) -> NDArray[np.bool_]:
    same: NDArray[np.bool_] = rows[some] == rows[others]
    same &= told["at"][some] == told["at"][others]
    same &= told["length"][some] % vague == told["length"][others] % vague
    return same


def turns_within(
    told: NDArray[np.void], repeats: Repeats, asked: Interval, zone: tzinfo | None
) -> Floats:
    """Return the overlap of a turn of each repeated time with the time asked for, in [0, 1]."""
    worth = np.zeros(len(repeats.first), np.float32)
    if asked.start is None or asked.end is None or not len(worth):
        return worth
    first, last = to_micros(asked.start), to_micros(asked.end)
    start, end = told["start"][repeats.first], told["end"][repeats.first]
    again, until = told["start"][repeats.first + 1], repeats.until
    days = np.rint((again - start) / MICROS_PER_DAY).astype(np.int64)
    every, length = days * MICROS_PER_DAY, end - start
    shorter = np.minimum(length, last - first)
    slack = np.where(shorter <= _SHORT, MICROS_PER_HOUR, 0)
    turn = np.maximum((first - start - length) // np.maximum(every, 1), 0)
    met = np.zeros(len(worth), np.bool_)
    # The turn that may be going on when the time begins, and the two after it: if any turn meets
    # the time, one of these does.
    for later in range(3):
        begins = start + (turn + later) * every
        inside = np.minimum(begins + length + slack, last) - np.maximum(begins - slack, first)
        met |= (inside >= _MEETS * shorter) & (inside > 0) & (begins < until)
    for place in np.flatnonzero(days >= _MONTHLY).tolist():
        two = from_micros(int(start[place])), from_micros(int(again[place]))
        met[place] = _meets_monthly(two, int(length[place]), int(until[place]), asked, zone)
        every[place] = _MONTH * MICROS_PER_DAY
    share = np.sqrt(np.minimum(every / max(last - first, 1), 1))
    return np.where(met & (share >= _SELDOM), _LEAST + _MORE * share, 0).astype(np.float32)


def _meets_monthly(
    two: tuple[datetime, datetime], length: int, until: int, asked: Interval, zone: tzinfo | None
) -> bool:
    """Return whether what is on a weekday of each month has a turn in a time."""
    assert asked.start is not None, "it is closed"
    assert asked.end is not None, "it is closed"
    first, second = (in_zone(one, zone) for one in two)
    is_last = all((one + timedelta(days=7)).month != one.month for one in (first, second))
    rank = -1 if is_last else (first.day + 6) // 7
    month = max(in_zone(asked.start, zone), first).replace(
        day=1, hour=first.hour, minute=first.minute, second=0, microsecond=0
    )
    for _ in range(_MOST_MONTHS):
        begins = nth_weekday(month, first.weekday(), rank)
        ends = begins + timedelta(microseconds=length)
        if begins >= asked.end or to_micros(begins) >= until:
            return False
        if begins >= first and ends > asked.start:
            return True
        month = (month + timedelta(days=32)).replace(day=1)
    return False
