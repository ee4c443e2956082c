"""
Event-anchored times in questions: "what did I do the day after the interview?" (SWIFT, 3.3).

No calendar says when the interview was. So the event is cut out, to be looked for by the other
cues, and once something says when it was, its date is put in its place, and the question reads as
any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final, Literal, TypeAlias

from hippocampus.core.clock import in_zone
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.records import Interval
from hippocampus.core.word_lists import Patterns, word_list
from hippocampus.encode.terms import find_terms
from hippocampus.language.time import differences, find_intervals
from hippocampus.language.time.tense import is_past

_RE: Final = Patterns("questions")
_MOST_WORDS: Final = 12
"""Words of an event: of a longer clause the event is only a part, and a search for it finds
another. Set by hand."""
_LONG: Final = timedelta(days=62)
"""No event whose distance in days or weeks is told takes longer."""
_IDIOMS: Final = frozenset({"all", "long", "ever", "a while", "a long time", "now", "hours"})


_WAS: Final = frozenset({"was", "were", "is", "are", "am", "had", "has"})

Side: TypeAlias = Literal["of", "before", "after", "until", "since", "past", "whole"]
"""Side of an event on which a time lies: a unit of it, at a distance from it, all before, all from
its beginning on or from its end on, or as long as it took."""


@immutable
class EventAnchoredTime:
    """
    A time that an event gives, at a known distance from it.

    ``event``: what to look for, from ``start`` to ``end`` of ``text``. ``lead``: what stands before
    it, from ``begin`` on, and means a time once a date follows. ``side``: where that time lies.
    """

    text: str
    event: str
    lead: str
    begin: int
    start: int
    end: int
    side: Side = "of"

    def resolve(self, times: Iterable[datetime | Interval], now: datetime) -> tuple[Interval, ...]:
        """
        Return the times meant if the event was then, merged.

        Args:
            times: moments at which the event may have been, aware, or how long it may have taken.
            now: as for ``find_intervals``; results are in its time zone.

        """
        # Whatever else in the question is a time has nothing to do with the event.
        return merge_intervals(
            interval
            for time in times
            for interval in self._beside(
                time if isinstance(time, Interval) else Interval(time, time), now
            )
        )

    def _beside(self, time: Interval, now: datetime) -> Iterator[Interval]:
        """Yield the times that lie beside one of the event's."""
        if self.side == "whole":
            yield replace(time, text=self.event)
        elif self.side == "until":
            yield Interval(None, time.start, self.text)
        elif self.side in ("since", "past"):
            yield Interval(time.start if self.side == "since" else time.end, None, self.text)
        else:
            yield from self._at(time, now)

    def _at(self, time: Interval, now: datetime) -> Iterator[Interval]:
        """Yield the times at a distance from one of the event's, or the units that it lay in."""
        if _is_long(time):  # "last year" it was, and nobody knows on which day
            return
        first, last = (
            [] if day is None else list(find_intervals(f"{self.lead} {day}", now))
            for day in (_day(time.start, now), _last_day(time, now))
        )
        if self.side == "before":
            yield from first
        elif self.side == "after":
            yield from last
        elif first and last:  # of an event of several weeks, every week
            yield Interval(first[0].start, last[-1].end, first[0].text)


def _is_long(time: Interval) -> bool:
    return time.start is None or time.end is None or time.end - time.start > _LONG


def _day(moment: datetime | None, now: datetime) -> str | None:
    return None if moment is None else in_zone(moment, now.tzinfo).date().isoformat()


def _last_day(time: Interval, now: datetime) -> str | None:
    if time.end is None or time.end == time.start:
        return _day(time.end, now)
    # Ends are exclusive: midnight is the end of the day before.
    return _day(time.end - timedelta(microseconds=1), now)


def find_event_anchored(text: str, now: datetime) -> EventAnchoredTime | None:
    """
    Return the first time in a question that is given by its distance from an event, or None.

    Not one: "after the trip", for people say so of the same day as well (ADR 18), what the
    calendar knows ("the day after Christmas"), and what asks for the time between two moments
    ("how many days before the trip ...").
    """
    lowered = text.lower()
    if not any(unit in lowered for unit in (*word_list("event_units"), "while", "whilst")):
        return None  # as of most questions, which shall not wait for the rest
    candidates = [found for found in _RE.event_anchored.finditer(text) if not found["loose"]]
    if not candidates:
        return None
    # "How many days before the trip" asks for a number of days, and names no time.
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
            or (found["whole"] and not _is_clause(event))
        ):
            continue
        way = (found["way"] or "").lower()
        side: Side = "of" if found["unit"] else "before" if way == "before" else "after"
        side = "whole" if found["whole"] else side
        start = found.start("event")
        return EventAnchoredTime(
            text=text,
            event=event,
            lead=_lead(found, side),
            begin=found.start(),
            start=start,
            end=start + len(event),
            side=side,
        )
    return None


def _lead(found: re.Match[str], side: Side) -> str:
    """Return the words that mean a time once a date follows them."""
    if side == "whole":
        return ""
    return f"the {found['unit']} of" if found["unit"] else f"{found['lead']} {side}"


def _is_clause(event: str) -> bool:
    """Return whether words tell who was or did something: not "while cooking", "while away"."""
    words = event.casefold().split()
    return any(word in _WAS or is_past(word) for word in words[1:])


def read_event_time(text: str, now: datetime) -> EventAnchoredTime:
    """
    Read a text that is nothing but an event, or a time beside one.

    "The week when Ana was away", "since the move", "while we were in Rome", "the trip".
    """
    found = find_event_anchored(text, now)
    if found is not None and _RE.before_event.fullmatch(text, 0, found.begin):
        return found
    said = _RE.beside_event.match(text)
    start = said.end() if said else 0
    event = text[start:].strip().rstrip(".?!")
    side: Side = "whole"
    if said and said["way"]:
        side = _SIDES[said["way"].casefold()]
    return EventAnchoredTime(
        text=text,
        event=event or text,
        lead="",
        begin=0,
        start=start,
        end=start + len(event),
        side=side,
    )


_SIDES: Final[Mapping[str, Side]] = {
    "before": "until", "until": "until", "till": "until", "after": "past", "since": "since",
}  # fmt: skip


def _is_read(whole: str, event: str, known: str) -> bool:
    """Return whether what was read as a time says all there is of the event, or the whole."""
    return event in known or whole.startswith(known)


def merge_intervals(intervals: Iterable[Interval]) -> tuple[Interval, ...]:
    """
    Return the fewest intervals that cover the same time, earliest first (SWIFT, 3.3.2).

    Those that overlap or meet become one, whose text is theirs in that order.
    """
    # No start at all lies before every other.
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
