"""
Read times that hang on an event: "what did I do the day after the interview?" (SWIFT, 3.3).

No calendar says when the interview was. So the event is cut out, to be looked for by the other
cues, and once something says when it was, its date is put in its place, and the question reads as
any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from hippocampus.core.records import Interval
from hippocampus.core.word_lists import Patterns, word_list
from hippocampus.encode.terms import find_terms
from hippocampus.language.question_intent import day_of
from hippocampus.language.time import differences, find_intervals

_RE: Final = Patterns("questions")
_MOST_WORDS: Final = 12
_IDIOMS: Final = frozenset({"all", "long", "ever", "a while", "a long time", "now", "hours"})
_DATE: Final = "%Y-%m-%d"


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """
    A time that hangs on an event.

    ``event``: what to look for. ``lead``: what stands before it and means a time once a date
    follows. ``loose``: with no more than "before", "after" or "during" it, which people say of the
    same day as well. ``start``, ``end``: where the event stands in ``text``.
    """

    text: str
    event: str
    lead: str
    loose: str | None
    start: int
    end: int

    def resolve(self, moments: Iterable[datetime], now: datetime) -> tuple[Interval, ...]:
        """
        Return the times meant if the event was at these moments, merged.

        Args:
            moments: when the event may have been, aware: of the best hits for it, say.
            now: as for ``find_intervals``; results are in its time zone.

        """
        found: list[Interval] = []
        for moment in moments:
            day = moment.astimezone(now.tzinfo)
            if self.loose is not None:
                found += self._around(day)
                continue
            # Whatever else in the question is a time is no part of the join.
            found += find_intervals(f"{self.lead} {day.strftime(_DATE)}", now)
        return merge_intervals(found)

    def _around(self, moment: datetime) -> list[Interval]:
        day = day_of(moment)
        if day.end is None:  # the last day of the calendar
            return []
        start = None if self.loose in ("before", "until") else day.start
        end = day.end if self.loose in ("before", "until", "during") else None
        return [Interval(start, end, f"{self.lead} {self.event}")]


def find_join(text: str, now: datetime, *, loose: bool = True) -> Join | None:
    """
    Return the first time in a question that hangs on an event; None when there is none.

    With ``loose`` False, only one that says how far from the event it is.

    Not one: what the calendar knows ("the day after Christmas"), what asks for the time between
    two moments ("how many days before the trip ..."), and what only looks like time ("looks after
    the cat", "after all", "before that").
    """
    lowered = text.lower()
    if not loose and not any(unit in lowered for unit in word_list("event_units")):
        return None  # as of most questions, which shall not wait for the rest
    joins = [found for found in _RE.join.finditer(text) if loose or not found["loose"]]
    if not joins:
        return None
    idle = differences(text)
    read = [interval.text.casefold() for interval in find_intervals(text, now)]
    for found in joins:
        event = found["event"].strip().rstrip(".")
        if (
            any(start <= found.start() < end for start, end in idle)
            or (found["loose"] and _RE.before_no_time.search(text[: found.start()]))
            or event.casefold() in _IDIOMS
            or len(event.split()) > _MOST_WORDS
            or all(term.function for term in find_terms(event))
            or any(_is_read(found[0].casefold(), event.casefold(), known) for known in read)
        ):
            continue
        start = found.start("event")
        return Join(
            text=text,
            event=event,
            lead=_lead(found),
            loose=found["loose"].casefold() if found["loose"] else None,
            start=start,
            end=start + len(event),
        )
    return None


def _lead(found: re.Match[str]) -> str:
    if found["loose"]:
        return found["loose"]
    if found["unit"]:
        return f"the {found['unit']} of"
    return (
        f"{found['lead']} {'after' if found['way'].lower().startswith('later') else found['way']}"
    )


def _is_read(join: str, event: str, known: str) -> bool:
    """Return whether what was read as a time says all there is of the event, or the join too."""
    return event in known or join.startswith(known)


def merge_intervals(intervals: Iterable[Interval]) -> tuple[Interval, ...]:
    """
    Return the fewest intervals that cover the same time, earliest first (SWIFT, 3.3.2).

    Those that overlap or meet become one, whose text is theirs in that order.
    """
    ordered = sorted(intervals, key=lambda one: (one.start is not None, _instant(one.start)))
    merged: list[Interval] = []
    for one in ordered:
        last = merged[-1] if merged else None
        if last is None or (
            last.end is not None
            and one.start is not None
            and _instant(last.end) < _instant(one.start)
        ):
            merged.append(one)
            continue
        ends = (last.end, one.end)
        end = None if None in ends else max((e for e in ends if e is not None), key=_instant)
        texts = dict.fromkeys(text for text in (last.text, one.text) if text)
        merged[-1] = Interval(last.start, end, "; ".join(texts))
    return tuple(merged)


def _instant(moment: datetime | None) -> datetime:
    """Return a moment as it sorts: by instant, not by what a clock shows where clocks go back."""
    return datetime.min.replace(tzinfo=UTC) if moment is None else moment.astimezone(UTC)
