"""
Rows for a time that a question names: told of it, said in it, and nearest to it.

A row is of the time that it tells ("dentist on 3 May"). Where it tells none, it is of the time when
it was said; where it tells another one, of both, for it may say more than one thing. Only for what
is on, which has not been yet, does what a row tells of another time not count.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Floats
from hippocampus.core.clock import MICROS_PER_HOUR, from_micros, in_zone, to_micros
from hippocampus.core.records import Interval
from hippocampus.core.spelled_days import day_in_words
from hippocampus.index.bank_index import BankIndex
from hippocampus.index.cue import Mask
from hippocampus.index.query import Query
from hippocampus.language.time.tense import Direction, Tenses

_SAID_BESIDE: Final = np.float32(0.5)
"""Worth of having been said in a time that is asked for, telling of another one (docs/adr/0046)."""
_PLANNED: Final = np.float32(0.5)
"""Worth of a turn said before a time that is over: it may not have come to pass, but is of it
(docs/adr/0046)."""
_FADES: Final = 3.0 * MICROS_PER_HOUR * 24
"""Distance at which what was said after a time is a third as likely to be of it: what came of a
plan is told soon after (docs/adr/0102). Set by hand."""
WITHIN: Final = np.float32(0.2)
"""Timeliness from which a row is of a time: a 25th of the time it tells lies in the one asked, for
timeliness is the root of that share (docs/adr/0102). Set by hand."""


def points_to(query: Query) -> Direction | None:
    """Return the direction of a question's verb; None without a verb, or in another language."""
    spelled = " ".join(query.spelled(word).lower() for word in query.words)
    apart = spelled.replace("\u2019", "'").replace("'s", " 's").split()
    return Tenses(apart, told=False).direction(0)


def timeliness(index: BankIndex, query: Query) -> Floats | None:
    """Return the share of each row in a time the query names, in [0, 1]; None without one."""
    if not query.intervals:
        return None
    columns = index.columns
    said, planned = np.zeros(len(index), np.bool_), np.ones(len(index), np.bool_)
    for interval in query.intervals:
        said |= columns.between(interval.start, interval.end)
        over = interval.end is not None and interval.end <= query.now
        planned &= _said_before(index, interval) if over else np.False_
    coming = query.listing and points_to(query) == "ahead"
    beside = np.float32(0) if coming else _SAID_BESIDE
    worth: Floats = np.where(index.cues.time.tells(), beside, np.float32(1)) * said
    told = index.cues.time.scores(query)
    if told is None:
        return worth
    # A plan is less likely than a report, but never drops out of the time (docs/adr/0102).
    less = np.maximum(told * _PLANNED, np.minimum(told, WITHIN))
    return np.maximum(worth, np.where(planned, less, told))


def nearness(index: BankIndex, query: Query) -> Floats:
    """Return the nearness of each row's moment to the times the query names, in [0, 1]."""
    everyone = np.arange(len(index), dtype=np.uint32)
    said = index.columns.occurred_at(everyone)
    near = np.zeros(len(index), np.float32)
    for interval in query.intervals:
        gap = _apart(said, interval)
        worth = np.exp(-gap / _FADES)
        worth *= np.where(_said_before(index, interval), _PLANNED, np.float32(1))
        near = np.maximum(near, worth.astype(np.float32))
    return near


def _said_before(index: BankIndex, interval: Interval) -> Mask:
    return index.columns.between(
        # Of a time without a beginning nothing was said before it: from its end to its end is
        # empty.
        *((None, interval.start) if interval.start else (interval.end,) * 2)
    )


def is_empty(query: Query, within: Mask | None, allowed: Mask | None) -> bool:
    """Return whether the query names a certain time of which there is nothing."""
    if within is None or any(interval.vague for interval in query.intervals):
        return False
    return not (within if allowed is None else within & allowed).any()


def is_only_planned(index: BankIndex, query: Query, within: Mask, allowed: Mask | None) -> bool:
    """Return whether all that is of a time which is over was said before it."""
    rows = np.flatnonzero(within if allowed is None else within & allowed)
    return bool(len(rows)) and all(
        interval.end is not None
        and interval.end <= query.now
        and bool(_said_before(index, interval)[rows].all())
        for interval in query.intervals
    )


def describe_empty(index: BankIndex, query: Query, allowed: Mask | None) -> str:
    """Return a sentence that says that nothing is known of a time, and what day is nearest."""
    zone = query.now.tzinfo
    asked = " or ".join(_spelled(interval) for interval in query.intervals)
    visible = index.columns.visible() if allowed is None else allowed
    said = index.columns.occurred_at(np.flatnonzero(visible).astype(np.uint32))
    if not len(said):
        return f"Nothing is noted for {asked}."
    apart = np.min([_apart(said, interval) for interval in query.intervals], axis=0)
    nearest = in_zone(from_micros(int(said[int(np.argmin(apart))])), zone)
    return f"Nothing is noted for {asked}; the nearest is of {day_in_words(nearest)}."


def _apart(said: NDArray[np.int64], interval: Interval) -> Floats:
    """Return the distances of moments from an interval, in microseconds; 0 inside."""
    gap: Floats = np.zeros(len(said), np.float32)
    if interval.start is not None:
        gap = np.maximum(gap, (to_micros(interval.start) - said).astype(np.float32))
    if interval.end is not None:
        gap = np.maximum(gap, (said - to_micros(interval.end)).astype(np.float32))
    return gap


def _spelled(interval: Interval) -> str:
    """Return an interval in words: its first day, and its last if that is another one."""
    if interval.start is None or interval.end is None:
        side = interval.start or interval.end
        assert side is not None, "no time is open on both sides"
        word = "from" if interval.end is None else "before"
        return f"the time {word} {day_in_words(side)}"
    # An end is the first moment after: a millionth of the stretch earlier is still of its last day.
    last = interval.end - (interval.end - interval.start) / 1_000_000
    first = day_in_words(interval.start)
    return first if last.date() == interval.start.date() else f"{first} to {day_in_words(last)}"
