"""
Event-anchored times in questions: "what did I do the day after the interview?" (SWIFT, 3.3).

No calendar says when the interview was. So the event is cut out, to be looked for by the other
cues, and once something says when it was, its date is put in its place, and the question reads as
any other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from hippocampus.core.records import Interval
from hippocampus.core.word_lists import Patterns, word_list
from hippocampus.encode.terms import find_terms
from hippocampus.language.time import differences, find_intervals

_RE: Final = Patterns("questions")
_MOST_WORDS: Final = 12
_IDIOMS: Final = frozenset({"all", "long", "ever", "a while", "a long time", "now", "hours"})


@dataclass(frozen=True, slots=True, kw_only=True)
class EventAnchoredTime:
    """
    A time at a known distance from an event.

    ``event``: what to look for, from ``start`` to ``end`` of ``text``. ``lead``: what stands before
    it, and means a time once a date follows.
    """

    text: str
    event: str
    lead: str
    start: int
    end: int

    def resolve(self, moments: Iterable[datetime], now: datetime) -> tuple[Interval, ...]:
        """
        Return the times meant if the event was at these moments, merged.

        Args:
            moments: when the event may have been, aware: of the best hits for it, say.
            now: as for ``find_intervals``; results are in its time zone.

        """
        days = (moment.astimezone(now.tzinfo).strftime("%Y-%m-%d") for moment in moments)
        # Whatever else in the question is a time has nothing to do with the event.
        return merge_intervals(
            interval for day in days for interval in find_intervals(f"{self.lead} {day}", now)
        )


def find_event_anchored(text: str, now: datetime) -> EventAnchoredTime | None:
    """
    Return the first time in a question that is given by its distance from an event, or None.

    Not one: "after the trip", for people say so of the same day as well (ADR 0018), what the
    calendar knows ("the day after Christmas"), and what asks for the time between two moments
    ("how many days before the trip ...").
    """
    lowered = text.lower()
    if not any(unit in lowered for unit in word_list("event_units")):
        return None  # as of most questions, which shall not wait for the rest
    candidates = [found for found in _RE.event_anchored.finditer(text) if not found["loose"]]
    if not candidates:
        return None
    idle = differences(text)
    read = [interval.text.casefold() for interval in find_intervals(text, now)]
    for found in candidates:
        event = found["event"].strip().rstrip(".")
        if (
            any(start <= found.start() < end for start, end in idle)
            or event.casefold() in _IDIOMS
            or len(event.split()) > _MOST_WORDS
            or all(term.function for term in find_terms(event))
            or any(_is_read(found[0].casefold(), event.casefold(), known) for known in read)
        ):
            continue
        way = (found["way"] or "").lower()
        lead = f"{found['lead']} {'after' if way.startswith('later') else found['way']}"
        start = found.start("event")
        return EventAnchoredTime(
            text=text,
            event=event,
            lead=f"the {found['unit']} of" if found["unit"] else lead,
            start=start,
            end=start + len(event),
        )
    return None


def _is_read(whole: str, event: str, known: str) -> bool:
    """Return whether what was read as a time says all there is of the event, or the whole."""
    return event in known or whole.startswith(known)


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
