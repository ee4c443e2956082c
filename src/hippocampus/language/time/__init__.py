"""
Temporal tagging: time expressions in a text ("last Tuesday", "between May and July") as intervals.

English is read by a grammar; other languages are put into its words (``foreign.py``), each sentence
in its own (``mixed.py``).

A reading narrows every cue of recall, so a wrong one loses the answer and a missing one only costs
precision. Hence: when in doubt nothing is read, and what people say loosely is read widely.

* A bare month, date, weekday or feast lies where its verb points (``tense.py``): the last one that
  has begun for a verb of the past, the coming one for any other. Without a verb, what is asked lies
  behind and what is told ahead: "dentist on Monday" is a plan. A weekday is never today.
* "last" is the last one that is over, "this" the one of the present week, month or year, "next" the
  first that has not begun. Weeks begin on Monday; "this Friday" of a plan is never over. "Past
  week" and "last 7 days" end with today.
* "Two weeks ago" is that day give or take half a week; days are exact up to four, and months and
  years are those of the calendar. "A few" is 2 to 5, "several" 3 to 8. A time of day is meant to
  the half hour; the end of a month is its last seven days; Easter is four days long.
* What is done "by Friday" is told of that day, and asked for up to its end.
* 03/06/2023 is 3 June, unless that has not come yet and 6 March has. With dots the day is first.
* Seasons are northern and meteorological; winter 2022 begins in December 2022.
* Not read: "recently", "the other day", "three weeks later", "in 5 minutes", "at 5 pm" without a
  day, names in title case ("Summer Nights"), and any sentence that asks how much time lies between
  two moments. "Every Monday" and "usually on Mondays" are of no one time (``repeated.py``).
* Any reading outside the years 1 to 9999 is dropped.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import replace
from datetime import UTC, datetime, tzinfo

from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.core.records import Interval
from hippocampus.encode.languages import ENGLISH
from hippocampus.errors import InvalidTime
from hippocampus.language.time.asked_language import asked_language
from hippocampus.language.time.english import WRITTEN, may_tell_time
from hippocampus.language.time.grammar import read
from hippocampus.language.time.mixed import may_tell_time_in, read_in

__all__ = ["differences", "find_intervals", "find_told", "may_ask_of_time"]

_MOST_TOLD = 64
"""A calendar tells more, and answers no question about one of them."""
_ASKING = lazy_pattern(r"how\s+(?:many|long|much)|(?:number|count)\s+of|between")
"""Words of which every question about the time between two moments has some, in lower case."""
_SENTENCE_END = re.compile(r"[.?!](?=\s|$)|\n")


def find_intervals(text: str, now: datetime, *, told: bool = False) -> tuple[Interval, ...]:
    """
    Return the intervals that time expressions in a text mean, in order of appearance.

    Args:
        text: a question, or any text.
        now: the aware moment at which it is asked or told; results are in its time zone.
        told: it is told rather than asked: without a verb, "dentist on Monday" is then a plan.

    Raises:
        InvalidTime: ``now`` has no time zone.
    """
    if now.tzinfo is None or now.utcoffset() is None:
        msg = f"now={now} has no time zone, so 'yesterday' is undefined; pass an aware datetime"
        raise InvalidTime(msg)
    foreign = may_tell_time_in(text) or (not told and _is_asked_elsewhere(text))
    if not foreign and not may_tell_time(text):
        return ()
    return tuple(_read(text, now, told=told, foreign=foreign))


def may_ask_of_time(text: str) -> bool:
    """Return whether a question, in whatever language, may name a time."""
    return may_tell_time(text) or may_tell_time_in(text) or _is_asked_elsewhere(text)


def _is_asked_elsewhere(text: str) -> bool:
    return asked_language(text) not in (None, ENGLISH)


def _read(text: str, now: datetime, *, told: bool, foreign: bool) -> list[Interval]:
    """Return the times in a text that may tell some, as of an aware moment."""
    assert now.tzinfo is not None, "it is aware"
    try:
        readings = (read_in if foreign else read)(text, now, told=told)
    except OverflowError:  # the calendar ends with the day of ``now``
        return []
    if not readings:
        return []
    idle = differences(text)
    found: list[Interval] = []
    for reading in readings:
        place = bisect_right(idle, (reading.start, len(text)))
        if place and reading.start < idle[place - 1][1]:
            continue
        said = text[reading.start : reading.end]
        interval = _aware(reading.lo, reading.hi, now.tzinfo, said)
        if interval is not None:
            found.append(replace(interval, vague=True) if reading.vague else interval)
    return found


def find_told(text: str, occurred_at: datetime, zone: tzinfo) -> tuple[Interval, ...]:
    """Return the first 64 times that a text tells which was said at a moment, in a time zone."""
    foreign = may_tell_time_in(text)
    if not foreign and not may_tell_time(text):  # as most do not
        return ()
    try:
        moment = occurred_at.astimezone(zone)
    except OverflowError:  # the first or the last day of the calendar
        return ()
    return tuple(_read(text, moment, told=True, foreign=foreign)[:_MOST_TOLD])


def differences(text: str) -> list[tuple[int, int]]:
    """Return the sentences that ask for the time between two moments, as (start, end), in order."""
    if not _ASKING.search(text.lower()):
        return []
    asked = [match.span() for match in WRITTEN.difference.finditer(text)]
    if not asked:
        return []
    found = list(_SENTENCE_END.finditer(text))
    starts, ends = [end.start() for end in found], [end.end() for end in found]
    spans: dict[tuple[int, int], None] = {}
    for start, end in asked:
        before, after = bisect_right(ends, start), bisect_left(starts, end)
        spans[
            ends[before - 1] if before else 0, ends[after] if after < len(ends) else len(text)
        ] = None
    return list(spans)


def _aware(lo: datetime | None, hi: datetime | None, zone: tzinfo, said: str) -> Interval | None:
    """Put local times into their zone; None when out of range, or when nothing lies between."""
    try:
        start, end = (None if t is None else _settled(t, zone) for t in (lo, hi))
        if start is None or end is None:
            return Interval(start, end, said)
        if start.astimezone(UTC) >= end.astimezone(UTC):
            if lo is None or hi is None or lo >= hi:
                return None
            # All of it fell into the hour that clocks skip: the same stretch of real time after it.
            end = (start.astimezone(UTC) + (hi - lo)).astimezone(zone)
    except (OverflowError, ValueError):
        return None
    return Interval(start, end, said)


def _settled(t: datetime, zone: tzinfo) -> datetime:
    """Return local time ``t`` in its zone, moved on when clocks skip it."""
    return t.replace(tzinfo=zone).astimezone(UTC).astimezone(zone)
