"""Counts of occurrences by day, week, month or year."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Final, get_args

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.clock import from_micros, in_zone, to_micros
from hippocampus.core.records import By, Period
from hippocampus.errors import InputError

MOST_PERIODS: Final = 10_000
"""More than anybody looks at; a single wrong date, such as the year 1, would make millions."""

_FIRST = to_micros(datetime.fromisoformat("0001-01-02T00:00Z"))
_LAST = to_micros(datetime.fromisoformat("9999-12-30T00:00Z"))


def check_by(by: str) -> By:
    """Return the length of a period after checking it."""
    for known in get_args(By):
        if by == known:
            return known  # type: ignore[no-any-return]  # one of By
    msg = f"by={by!r}: must be one of {', '.join(get_args(By))}"
    raise InputError(msg)


def trend(
    counts: Mapping[int, int],
    occurred_at: NDArray[np.int64],
    seen: NDArray[np.bool_],
    *,
    since: int | None,
    until: int | None,
    by: By,
    zone: tzinfo,
) -> list[Period]:
    """
    Add counts up by period.

    Args:
        counts: occurrences by row.
        occurred_at: when each row was said, in microseconds, shape (rows of the bank,).
        seen: which rows were looked at.
        since: where the first period begins, or later in it; by default with the first row seen.
        until: where the last one ends, or earlier in it; by default with the last row seen.
        by: how long a period is.
        zone: where days begin.

    Raises:
        InputError: there would be more than ``MOST_PERIODS``.

    """
    said = occurred_at[seen]
    if not len(said) and None in (since, until):
        return []
    first = _day(int(said.min()) if since is None else since, zone)
    last = _day(int(said.max()) if until is None else until - 1, zone)
    starts: list[datetime] = []
    for start in _starts(first, by):
        if start > last:
            break
        if len(starts) == MOST_PERIODS:
            msg = (
                f"by={by!r}: there are more than {MOST_PERIODS:,} from {first} to {last}; take"
                " longer periods, or narrow the stretch with since and until"
            )
            raise InputError(msg)
        starts.append(datetime.combine(start, time(), zone))
    begin = np.array([to_micros(start) for start in starts])
    rows = np.fromiter(counts, np.int64, len(counts))
    times = np.fromiter(counts.values(), np.int64, len(counts))
    period = np.searchsorted(begin, occurred_at[rows], "right") - 1
    total = np.zeros(len(starts), np.int64)
    np.add.at(total, np.maximum(period, 0), times)
    return [Period(start, count) for start, count in zip(starts, total.tolist(), strict=True)]


def _day(micros: int, zone: tzinfo) -> date:
    """Return the day of a moment; at the ends of time, one that has days beside it."""
    return in_zone(from_micros(min(max(micros, _FIRST), _LAST)), zone).date()


def _starts(day: date, by: By) -> Iterator[date]:
    """Yield the days on which periods begin, from the one that ``day`` is in."""
    if by == "week":
        day -= timedelta(days=day.weekday())
    elif by != "day":
        day = day.replace(day=1, month=day.month if by == "month" else 1)
    while True:
        yield day
        try:
            if by in ("day", "week"):
                day += timedelta(days=1 if by == "day" else 7)
            else:
                months = 12 * day.year + day.month - 1 + (1 if by == "month" else 12)
                day = day.replace(year=months // 12, month=months % 12 + 1)
        except (OverflowError, ValueError):  # the end of time
            return
