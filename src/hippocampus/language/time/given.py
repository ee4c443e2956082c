"""Times that callers give in words, where a moment is asked for: "yesterday", "last week"."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.core.records import Interval, When
from hippocampus.core.timestamps import to_moment
from hippocampus.errors import InvalidTime
from hippocampus.language.time import find_intervals
from hippocampus.language.time.lexicon import languages_of_times, words_of

_DAY: Final = timedelta(hours=23)
"""No day is shorter, not even the one on which clocks go forward."""
_AROUND: Final = " \t\n,.;:'\"()"
_LONGEST: Final = 1_000
"""Characters that name one time and nothing else, at most: what is longer is a text."""
_NOW: Final = frozenset(
    {"now", "right now", "jetzt", "nu", "maintenant", "ahora", "adesso", "ora", "agora"}
)
"""Words for the moment at which they are said, of which no text tells as of another time."""
_MONTH: Final = lazy_pattern(r"(\d{4})-(0[1-9]|1[0-2])")
_WRITTEN_DAY: Final = lazy_pattern(r"\d{4}-?(?:\d|W\d)\S*")
"""Text that can be no more than a date, even where there is no such day."""
_LEADS: Final = {
    "de": ("Es war", "im"), "nl": ("Het was", "in"), "sv": ("Det var", "i"),
    "fr": ("C'était", "en"), "es": ("Fue", "en"), "it": ("Era", "in"), "pt": ("Foi", "em"),
}  # fmt: skip
"""The words that lead to a month or a season where a language names none without them."""


def start_of(when: When, now: datetime, *, name: str) -> When:
    """
    Return the start of a given time: words of time as a moment, anything else as it is.

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
    if is_now(words):
        return Interval(now, now + timedelta(microseconds=1), bare)
    if month := _MONTH.fullmatch(bare):
        return _month(int(month[1]), int(month[2]), now, bare)
    for told, named in _sentences(words, bare):
        found = find_intervals(told, now)
        # All of the words, or "yesterday's soup" would be yesterday.
        if len(found) == 1 and found[0].text.strip(_AROUND).casefold() == named.casefold():
            return found[0]
    return None


def is_now(words: str) -> bool:
    """Return whether words are for the moment at which they are said."""
    return words.strip(_AROUND).casefold() in _NOW


def _sentences(words: str, bare: str) -> Iterator[tuple[str, str]]:
    """Yield texts in which words may be a time, each with what of it must be that time."""
    yield words, bare
    yield f"It happened {bare}.", bare
    yield f"It happened in {bare}.", f"in {bare}"
    languages = {of for word in words_of(bare) for of in languages_of_times(word)}
    for language, (told, lead) in _LEADS.items():
        if language in languages:
            yield f"{told} {lead} {bare}.", f"{lead} {bare}"


def _month(year: int, month: int, now: datetime, text: str) -> Interval | None:
    """Return a month of the calendar in the zone of a moment; None outside the years 1 to 9999."""
    after = (year + month // 12, month % 12 + 1)
    try:
        start, end = (datetime(*one, 1, tzinfo=now.tzinfo) for one in ((year, month), after))
    except ValueError:
        return None
    return Interval(start, end, text)


def can_only_be_time(words: str) -> bool:
    """
    Return whether words tell of nothing but time: numbers, a written day, or "in 5 minutes".

    That does not say that there is such a time: "2024-02-30" and "32 July" are none.
    """
    bare = words.strip(_AROUND)
    return _WRITTEN_DAY.fullmatch(bare) is not None or all(map(languages_of_times, words_of(bare)))


def _edge(edge: datetime | None, when: When, name: str, what: str) -> datetime:
    if edge is None:
        raise InvalidTime(f"{name}={when!r}: has no {what}; name a time that has one")
    return edge
