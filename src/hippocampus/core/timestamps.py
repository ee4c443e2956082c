"""Read the moments that callers name: datetimes with or without a zone, and ISO 8601 text."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from hippocampus.core.clock import MICROS_PER_DAY, from_micros, to_micros
from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.core.records import When
from hippocampus.errors import InvalidTime

_UNIX = lazy_pattern(r"-?\d{9,11}(?:\.\d+)?")
"""Seconds as text, from 1973 on; eight digits are a date."""
_WEEK = lazy_pattern(r"\d{4}-?W\d\d(?:[T ].*)?")
_MIDNIGHT = lazy_pattern(r"[T ]24(?::?00){1,2}(?:[.,]0+)?(?=$|[Z+-])")
_LEAP_SECOND = lazy_pattern(r"([T ]\d\d:?59:?)60(?=$|[.,Z+-])")


def to_moment(when: When, timezone: tzinfo, *, name: str = "time") -> datetime:
    """
    Return the aware datetime that ``when`` means.

    An aware datetime is kept as it is; a naive one, and text without an offset, is read in
    ``timezone``. A date alone is its midnight. Words are for ``language/time/given.py``.

    Args:
        when: a datetime; a date; seconds since 1970 in UTC; or ISO 8601 text: a date, or a date and
            time with an offset or without.
        timezone: the zone of what names none.
        name: what to call the argument in messages.

    Raises:
        InvalidTime: not such a datetime or text, or outside the years 1 to 9999 in UTC.
    """
    moment = when if isinstance(when, datetime) else _parse(when, name)
    if moment.utcoffset() is None:
        moment = moment.replace(tzinfo=timezone)
    try:
        # For its error alone: what is no moment in UTC cannot be stored.
        moment.astimezone(UTC)
    except OverflowError as exc:
        raise InvalidTime(
            f"{name}={when!r}: outside the years 1 to 9999 in UTC;"
            " name a moment within them, or leave an open end out"
        ) from exc
    return moment


def end_micros(when: When, timezone: tzinfo, *, name: str = "time") -> int:
    """
    Return the end of a stretch up to ``when``, exclusive, in microseconds since 1970 in UTC.

    Text that is a date alone includes that day, so it ends at the next midnight in ``timezone``:
    who says "until 5 March" means to hear what was said on the 5th.
    """
    start = to_moment(when, timezone, name=name)
    if not is_day(when):
        return to_micros(start)
    # A naive day is one of the memory's zone, wherever it comes from (docs/adr/0005).
    try:
        # By the calendar, for where clocks change a day has 23 or 25 hours.
        return to_micros(datetime.combine(start.date() + timedelta(days=1), time(), timezone))
    except OverflowError:  # 9999-12-31, which is how people write "for ever"
        return to_micros(start) + MICROS_PER_DAY


def is_day(when: When) -> bool:
    """Return whether ``when`` is a date, or text that names a day and no time of it."""
    if not isinstance(when, str):
        return isinstance(when, date) and not isinstance(when, datetime)
    try:
        date.fromisoformat(when.strip())
    except ValueError:
        return False
    return True


def from_iso(text: str) -> datetime:
    """
    Read ISO 8601 with what Python leaves out: 24:00, the end of a day, and leap seconds.

    Raises:
        ValueError: it is none.
        OverflowError: it ends after the year 9999.
    """
    if midnight := _MIDNIGHT.search(text):
        return datetime.fromisoformat(text.replace(midnight[0], "T00:00")) + timedelta(days=1)
    if leap := _LEAP_SECOND.search(text):
        earlier = text.replace(leap[0], f"{leap[1]}59")
        return datetime.fromisoformat(earlier) + timedelta(seconds=1)
    return datetime.fromisoformat(text)


def _parse(text: object, name: str) -> datetime:
    if isinstance(text, date):
        return datetime.combine(text, time())
    if isinstance(text, int | float) and not isinstance(text, bool):
        return _from_unix(text, name)
    if isinstance(text, str) and _UNIX.fullmatch(text.strip()):
        return _from_unix(float(text), name)
    # A week, "2024-W10", would silently be its Monday, and "until" it would end six days early.
    if isinstance(text, str) and not _WEEK.fullmatch(text.strip()):
        with suppress(ValueError, OverflowError):
            return from_iso(text.strip())
    raise InvalidTime(
        f"{name}={text!r}: not a moment;"
        " give a date, ISO 8601 text such as '2024-03-05T14:30+01:00', words such as 'yesterday' or"
        " 'last week', or seconds since 1970"
    )


def _from_unix(seconds: float, name: str) -> datetime:
    try:
        return from_micros(round(seconds * 1_000_000))
    except (OverflowError, ValueError) as exc:
        raise InvalidTime(
            f"{name}={seconds!r}: not a moment in the years 1 to 9999; give seconds since 1970"
            " (milliseconds divided by 1000) or ISO 8601 text"
        ) from exc
