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
_DATE_IN_NAME = re.compile(r"(?<!\d)([12]\d{3})([-_.]?)(0[1-9]|1[0-2])\2([0-2]\d|3[01])(?!\d)")


def read_moment(value: object) -> datetime | None:
    """
    Return the moment a value means, or None if it means none.

    Understands ISO 8601, mail dates, seconds, milli-, micro- and nanoseconds since 1970 (told
    apart by size), and a few written forms whose order of day and month is not a guess. A time
    without a zone is left naive: which zone it means is the bank's to say.
    """
    if isinstance(value, datetime):
        return value
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _from_epoch(value)
    if not isinstance(value, str) or not 8 <= len(value) <= 100:
        return None
    text = " ".join(value.split())
    if _NUMBER.fullmatch(text):
        return _from_epoch(float(text))
    return _from_iso(text) or _from_mail(text) or _from_patterns(text)


def moment_in_name(path: str) -> datetime | None:
    """Return the last calendar date written in a path, as in ``notes/2024-05-03-standup.md``."""
    for year, _, month, day in reversed(_DATE_IN_NAME.findall(path)):
        try:
            return datetime(int(year), int(month), int(day))  # noqa: DTZ001 (the bank's zone)
        except ValueError:
            continue
    return None


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
    zone = re.sub(r"\s*(?:UTC|GMT|Z)$", "+00:00", text)
    with suppress(ValueError, OverflowError):
        return from_iso(zone)
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return datetime(day.year, day.month, day.day)  # noqa: DTZ001 (the bank's zone)


def _from_mail(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    # "-0000" is UTC from a place that is not said (RFC 5322 §3.3).
    return moment.replace(tzinfo=UTC) if text.endswith("-0000") else moment


def _from_patterns(text: str) -> datetime | None:
    for pattern in word_list("moment_formats"):
        try:
            return datetime.strptime(text, pattern)  # noqa: DTZ007 (the bank's zone)
        except ValueError:
            continue
    return None
