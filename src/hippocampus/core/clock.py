"""Source of the time: a clock that is passed in, so that a year can be replayed in seconds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final, Protocol

MICROS_PER_MINUTE: Final = 60_000_000  # times in a store are microseconds (docs/format.md)
MICROS_PER_HOUR: Final = 60 * MICROS_PER_MINUTE
MICROS_PER_DAY: Final = 24 * MICROS_PER_HOUR
MOST_AHEAD: Final = 31 * MICROS_PER_DAY
"""Most microseconds that a recorded time can be ahead of the clock: beyond, a clock was wrong.
Chosen by hand."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """Return the present moment, with a time zone."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Return the present moment in UTC."""
        return datetime.now(UTC)


class ManualClock:
    """A clock that stands still until told otherwise."""

    def __init__(self, start: datetime) -> None:
        self._now = start

    def now(self) -> datetime:
        """Return the moment it was last set to."""
        return self._now

    def set(self, moment: datetime) -> None:
        """Jump to ``moment``."""
        self._now = moment

    def advance(self, step: timedelta) -> None:
        """Move forward by ``step``."""
        self._now += step


def to_micros(moment: datetime) -> int:
    """Return microseconds since 1970 in UTC; exact for every aware datetime."""
    return (moment - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """Return the aware UTC datetime of ``to_micros``."""
    return _EPOCH + micros * _MICROSECOND


def within_calendar(micros: int | None) -> datetime | None:
    """Return the datetime of ``to_micros``; None for none, and beyond the years of the calendar."""
    try:
        return None if micros is None else from_micros(micros)
    except OverflowError:  # "until 9999-12-31" ends a day later
        return None


def in_zone(moment: datetime, zone: tzinfo | None) -> datetime:
    """
    Return an aware moment as the clocks of a zone show it, or as it is where they show none.

    Within a day of the ends of the calendar, where other programs keep "never" and "for ever", a
    zone has no date for some moments.
    """
    try:
        return moment.astimezone(zone)
    except OverflowError:
        return moment
