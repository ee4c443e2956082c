"""Timestamps as files write them: ISO 8601, mail dates, epochs and a few written forms."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime

from hippocampus.core.timestamps import from_iso
from hippocampus.core.word_lists import word_list

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NUMBER = re.compile(r"-?\d{9,19}(?:\.\d{1,9})?")
_NO_TIMES = range(86_400, 100_000_000)
"""Seconds from 1970 to 1973 that are a count, a month or the like. Of the first day they are kept,
for an import tells of them."""
_DATE_IN_NAME = re.compile(
    # Without marks between them, eight digits of other centuries are some number.
    r"(?<!\d)((?:19|20)\d\d|[12]\d{3}(?=[-_.]))([-_.]?)(0[1-9]|1[0-2])\2([0-2]\d|3[01])(?!\d)"
)
_DIGITS = re.compile(r"((?:19|20)\d\d)(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?")
"""A date, or a date and a time, written as one number: as milliseconds it would be of the 1970s."""
_HALF_DAY = re.compile(r"\b(\d{1,2})((?::\d\d){0,2})\s?([ap])\.?m\b\.?", re.IGNORECASE)
_OFFSET = re.compile(r"(:\d\d)(?:\s*(?:GMT|UTC)|\s+)([+-])(\d\d?)(?::?(\d\d))?(?!\d)")
"""An offset after a time, as JavaScript and others write it; mail dates have four digits."""


def read_moment(value: object) -> datetime | None:
    """
    Return the moment a value means, or None if it means none.

    Understands ISO 8601, mail dates, seconds, milli-, micro- and nanoseconds since 1970 (told
    apart by size), a date as a number (20240503), and a few written forms whose order of day and
    month is not a guess. A time without a zone is left naive: which zone it means is the bank's to
    say.
    """
    if isinstance(value, datetime):
        return value
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _from_number(value)
    if not isinstance(value, str) or not 8 <= len(value) <= 100:
        return None
    text = " ".join(value.split())
    if _NUMBER.fullmatch(text):
        return _from_number(float(text))
    text = _HALF_DAY.sub(_in_24_hours, text)
    return _from_iso(text) or _from_mail(text) or _from_patterns(text)


def moment_in_name(path: str) -> datetime | None:
    """Return the last calendar date written in a path, as in ``notes/2024-05-03-standup.md``."""
    for year, _, month, day in reversed(_DATE_IN_NAME.findall(path)):
        try:
            return datetime(int(year), int(month), int(day))  # noqa: DTZ001 (the bank's zone)
        except ValueError:
            continue
    return None


def _from_number(number: float) -> datetime | None:
    if 1e7 <= number < 1e14 and number == int(number):
        found = _DIGITS.fullmatch(str(int(number)))
        if found is not None:
            year, month, day, hour, minute, second = (int(part or 0) for part in found.groups())
            with suppress(ValueError):  # its digits are no date
                return datetime(year, month, day, hour, minute, second)  # noqa: DTZ001 (the bank's zone)
    return None if _NO_TIMES.start <= number < _NO_TIMES.stop else _from_epoch(number)


def _in_24_hours(time: re.Match[str]) -> str:
    hour = int(time[1])
    if hour <= 12:
        hour = hour % 12 + 12 * (time[3].lower() == "p")
    return f"{hour:02}{time[2] or ':00'}"


def _from_epoch(number: float) -> datetime | None:
    try:
        size = abs(number)
        for scale in (1, 1_000, 1_000_000, 1_000_000_000):
            # 1e11 seconds is the year 5138, and as milliseconds 1973: no usual time is in doubt.
            if size < 1e11 * scale:
                return _EPOCH + timedelta(seconds=number / scale)
    except (OverflowError, ValueError):  # before the year 1, too large for a float, not a number
        pass
    return None


def _from_iso(text: str) -> datetime | None:
    zone = re.sub(r"\s*(?:UTC|GMT|Z)$", "+00:00", text, flags=re.IGNORECASE)
    with suppress(ValueError, OverflowError):
        return from_iso(zone)
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return datetime(day.year, day.month, day.day)  # noqa: DTZ001 (the bank's zone)


def _from_mail(text: str) -> datetime | None:
    text = _OFFSET.sub(_as_in_mail, text)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    # "-0000" is UTC from a place that is not said (RFC 5322 §3.3).
    return moment.replace(tzinfo=UTC) if text.endswith("-0000") else moment


def _as_in_mail(offset: re.Match[str]) -> str:
    time, sign, hours, minutes = offset.groups(default="00")
    return f"{time} {sign}{int(hours):02}{minutes}"


def _from_patterns(text: str) -> datetime | None:
    for pattern in word_list("moment_formats"):
        try:
            return datetime.strptime(text, pattern)  # noqa: DTZ007 (the bank's zone)
        except ValueError:
            continue
    return None
