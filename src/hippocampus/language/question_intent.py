"""What a question asks of time: when something was, or for the last of its kind."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from hippocampus.core.records import Interval
from hippocampus.core.word_lists import word_set
from hippocampus.encode.terms import find_terms
from hippocampus.language.time import find_intervals

_DAY = timedelta(hours=25)
"""No day is longer, not even the one on which clocks go back."""

# Not "when I was in Rome, what ...", which names a time instead of asking for one.
_WHEN = re.compile(
    r"\bwhen\s+(?:did|do|does|was|were|is|are|am|has|have|had|will|would|can|could|should|exactly)\b"
    r"|\b(?:what|which)\s+(?:day|date|week|month|year|time)\b|\bhow\s+long\s+ago\b"
    r"|\b(?:tell|know|remember|remind|say|said|recall|find\s+out)\b[^.?!]*\bwhen\b"
    r"|\b(?:since|until)\s+when\b|^\s*when\s*\?",
    re.IGNORECASE,
)
# "last" alone only where nothing follows that it could belong to: not "last week", "last name".
_LAST = re.compile(
    r"\b(?:latest\b|newest\b|most\s+recent(?:ly)?\b|just\s+now\b"
    r"|last\s+(?:time|thing|conversation|chat|talk|message|session)s?\b"
    r"|(?:did|have|has|had|do|was|were)\s+(?!the\b)\w+\s+last\b(?!\s+(?:\w+day|night|week|month|year))"
    r"|last\s*[?.!]*\s*$|(?:leave|left)\s+off\b|next\s+steps?\b|(?:where|how\s+far)\s+(?:\w+\s+)?we"
    r"(?:\s+(?:get|got|come|stop|stopped))?(?=\s*(?:with\s+ours?|last\s+time|again|then)?\s*[?.!]*\s*$))",
    re.IGNORECASE,
)


_HINTS_WHEN = ("when", "day", "date", "week", "month", "year", "time", "ago")
_HINTS_LAST = ("last", "latest", "newest", "recent", "just now", "off", "next", "where", "how far")


def asks_when(text: str) -> bool:
    """Return whether a question asks when something was or will be."""
    return _has(text, _HINTS_WHEN) and _WHEN.search(text) is not None


def asks_last(text: str) -> bool:
    """Return whether a question asks for the latest of what it is about."""
    if not _has(text, _HINTS_LAST) or "how long" in text.lower():  # "how long did it last?"
        return False
    return _LAST.search(text) is not None


def _has(text: str, hints: tuple[str, ...]) -> bool:
    """Return whether it is worth looking closer: most questions shall not wait for that."""
    lowered = text.lower()
    return any(hint in lowered for hint in hints)


def asks_only_last(text: str) -> bool:
    """Return whether all that it asks for is the latest, whatever that is about."""
    return asks_last(text) and all(
        term.function or text[term.start : term.end].casefold() in word_set("asking_for_the_last")
        for term in find_terms(text)
    )


def day_of(moment: datetime) -> Interval:
    """Return the day of a moment, in its zone."""
    start = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    try:
        return Interval(start, start + timedelta(days=1))
    except OverflowError:  # the last day of the calendar
        return Interval(start, None)


def moment_told(text: str, said_at: datetime) -> datetime:
    """
    Return when that was of which a text tells: on the only day that it names, or when it was said.

    Args:
        text: such as "I had the interview yesterday".
        said_at: the aware moment at which it was said.

    """
    days = [
        one.start + (one.end - one.start) / 2
        for one in find_intervals(text, said_at)
        if one.start is not None and one.end is not None and one.end - one.start <= _DAY
    ]
    return days[0] if len(days) == 1 else said_at
