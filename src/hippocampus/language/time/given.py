"""Times that callers give in words, where a moment is asked for: "yesterday", "last week"."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from hippocampus.core.records import Interval, When
from hippocampus.core.timestamps import to_moment
from hippocampus.errors import InvalidTime
from hippocampus.language.time import find_intervals

_DAY: Final = timedelta(hours=23)
"""No day is shorter, not even the one on which clocks go forward."""
_AROUND: Final = " \t\n,.;:'\"()"
_LONGEST: Final = 1_000
"""Characters that name one time and nothing else, at most: what is longer is a text."""


def start_of(when: When, now: datetime, *, name: str) -> When:
    """
    Return when what is given begins: words of time as a moment, and whatever else as it is.

    Args:
        when: a moment in any form, or words that name one time and nothing else.
        now: the aware moment as of which words are read; a bare "Monday" is the last one.
        name: what to call the argument in messages.

    Raises:
        InvalidTime: neither a moment nor words for a time, or it has no beginning.

    """
    said = _in_words(when, now, name)
    return when if said is None else _edge(said.start, when, name, "beginning")


def end_of(when: When, now: datetime, *, name: str) -> When:
    """Return when what is given ends, exclusive, as ``start_of`` does when it begins."""
    said = _in_words(when, now, name)
    return when if said is None else _edge(said.end, when, name, "end")


def moment_of(when: When, now: datetime, *, name: str) -> When:
    """Return when something happened: a day or more by its start, less than one by its middle."""
    said = _in_words(when, now, name)
    if said is None:
        return when
    start = _edge(said.start, when, name, "beginning")
    if said.end is None or said.end - start >= _DAY:
        return start
    return start + (said.end - start) / 2


def _in_words(when: When, now: datetime, name: str) -> Interval | None:
    if not isinstance(when, str):
        return None
    try:
        to_moment(when, UTC, name=name)
    except InvalidTime:
        named = named_time(when, now)
        if named is None:
            raise
        return named
    return None


def named_time(words: str, now: datetime) -> Interval | None:
    """
    Return the time that words name, if they name one and nothing else.

    What is a time only in a sentence, such as "in spring" or "March", is that of one in the past.
    """
    if len(words) > _LONGEST:
        return None
    bare = words.strip(_AROUND)
    for told, named in (
        (words, bare),
        (f"It happened {bare}.", bare),
        (f"It happened in {bare}.", f"in {bare}"),
    ):
        found = find_intervals(told, now)
        # All of the words, or "yesterday's soup" would be yesterday.
        if len(found) == 1 and found[0].text.strip(_AROUND).casefold() == named.casefold():
            return found[0]
    return None


def _edge(edge: datetime | None, when: When, name: str, what: str) -> datetime:
    if edge is None:
        raise InvalidTime(f"{name}={when!r}: has no {what}; name a time that has one")
    return edge
