"""Answers of the tool that counts events: each in a line, those in doubt after the others."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta, tzinfo
from typing import TYPE_CHECKING, Any, Final

from hippocampus.core.clock import in_zone
from hippocampus.core.quotes import CLOSE, INDENT, OPEN, quote
from hippocampus.mcp.answers import fit, reasons_of, said, without
from hippocampus.mcp.schemas import ToolAnswer

if TYPE_CHECKING:  # they bring NumPy, and tools are listed without
    from hippocampus.core.records import CountedEvent, EventCount

_LONGEST_QUOTE: Final = 300
"""Characters, so that a long turn does not take the room of other events, which are what is
counted. Chosen by hand."""
_IDS: Final = 5
"""Ids that are named of one event. Chosen by hand."""


def events_counted(
    found: EventCount, budget_tokens: int, zone: tzinfo, degraded: Sequence[str] = ()
) -> ToolAnswer:
    """Return the number of times that something took place, and those, as ``EventsCounted``."""
    reasons = reasons_of([*map(str, found.degraded), *degraded])

    def make(shown: Sequence[CountedEvent], left: Sequence[CountedEvent]) -> ToolAnswer:
        entries = [_entry(event, zone) for event in shown]
        data = said(count=found.count, events=entries, dropped=len(left), degraded=reasons or None)
        lines = [f"Counted: {found.count}."]
        if entries:
            lines += [OPEN, *map(_line, entries), CLOSE]
        if left:
            lines.append(f"Left out for want of room: {len(left)} events. Raise budget_tokens.")
        return ToolAnswer(data, "\n".join([*lines, *without(reasons)]))

    return fit([*found.events, *found.doubtful], budget_tokens, make)


def _entry(event: CountedEvent, zone: tzinfo) -> dict[str, Any]:
    """Return an event as an ``EventEntry``."""
    first = in_zone(event.start, zone).date()
    # Ends are exclusive: a day ends with the first moment of the next.
    last = in_zone(event.end - timedelta(microseconds=1), zone).date()
    told = " ".join(event.quote.split())
    return said(
        on=f"{first}" if first == last else f"{first} to {last}",
        quote=told if len(told) <= _LONGEST_QUOTE else f"{told[:_LONGEST_QUOTE].rstrip()} […]",
        ids=list(event.episodes[:_IDS]),
        times=event.times if event.times > 1 else None,
        doubtful=True if event.evidence != "told" else None,
    )


def _line(entry: dict[str, Any]) -> str:
    """Return an event as two lines: what is ours in the first, the quote indented under it."""
    often = f", {entry['times']} times" if "times" in entry else ""
    doubt = ", doubtful, not counted" if "doubtful" in entry else ""
    head = f"{entry['on']}{often}{doubt}, id {', '.join(entry['ids'])}"
    return f"{head}\n{INDENT}{quote(entry['quote'])}"
