"""The English words for time: what each means to the grammar, and what only looks like time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import IntEnum
from functools import cache
from typing import Any, Final, TypeAlias

from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.core.sought_words import SoughtWords, has_digit, is_latin
from hippocampus.core.word_lists import Patterns, word_list
from hippocampus.language.time import spans

Role = IntEnum(
    "Role",
    # Of words; "words/time_words.txt" says what each of them means to the grammar.
    "DAY TONIGHT NOW PART UNIT WEEKDAY MONTH SEASON HOLIDAY SHIFT EDGE EARLIER REST SO_FAR ORDINAL"
    " COUNT VAGUE ONE HALF BOUND THE AGO BEFORE AFTER SINCE UNTIL BY BETWEEN FROM TO AND ONWARD"
    " OF IN ON AT AROUND FOR TIME EVERY SEVERAL"
    # Of what is written with digits or marks, by the groups of "token" in "patterns/time.txt".
    " NUMBER STAMP DATE DAY_MONTH CLOCK DECADE SHORT_YEAR QUARTER POSSESSIVE COMMA DASH MARK WORD"
    " END",
)
"""The part of a word or mark in a time expression, whatever the language."""

WRITTEN: Final = Patterns("time")
"""Expressions for times as they are written, and for questions about the time between two."""

Meaning: TypeAlias = tuple[Role, Any]

_LETTERS: Final = lazy_pattern(r"[^\W\d_]+")
_WRITTEN: Final = lazy_pattern(
    r"[0-9'\u2019qQhHoO](?i:(?<=[12])(?<![0-9].)[0-9]{3}(?![0-9])|(?<=[0-9])[:/.-][0-9]"
    r"|(?<=[0-9]) ?(?:st|nd|rd|th|s|am|pm|a\.m|p\.m)\b|(?<=['\u2019])[0-9]{2}\b"
    r"|(?<=[qh])(?<!\w.)[1-4]\b|(?<=o)['\u2019]clock)",
    re.DOTALL,
)
"""
A year, a date, an hour or the like: what is a time without a word for one.

What it begins with comes first, for then it is looked for as fast as one character is.
"""
_WITH_DIGIT: Final = lazy_pattern(
    r"[0-9](?i:(?<=[12])(?<![0-9].)[0-9]{3}(?![0-9])|[:/.-][0-9]"
    r"| ?(?:st|nd|rd|th|s|am|pm|a\.m|p\.m)\b"
    r"|(?<=['\u2019].)[0-9]\b|(?<=[1-4])(?<=[qh].)(?<!\w..)\b)",
    re.DOTALL,
)
"""The same but for "o'clock", from its first digit on: found faster where only that counts."""
_DIGIT: Final = lazy_pattern("[0-9]")
_RECURRING: Final = ("clock", "easter", "feast", "hours", "months", "nth_weekday")
"""The functions of ``spans`` that a meaning may call."""
_CORE_ROLES: Final = {
    Role.DAY, Role.TONIGHT, Role.PART, Role.UNIT, Role.WEEKDAY, Role.MONTH, Role.SEASON,
    Role.HOLIDAY, Role.DECADE, Role.SEVERAL,
}  # fmt: skip


def _meaning(written: str) -> object:
    """Return the value of a meaning in a file: something that recurs, numbers, or words."""
    first, *rest = written.split() or [""]
    if first in _RECURRING:
        return getattr(spans, first)(*map(int, rest))
    try:
        numbers = tuple(float(one) if "." in one else int(one) for one in (first, *rest))
    except ValueError:
        return written
    return numbers if rest else numbers[0]


def _meanings() -> Iterator[tuple[str, Role, object]]:
    """Yield words, or a holiday's phrases, with what they do and mean."""
    for line in word_list("time_words"):
        role, meaning, words = line.split("|")
        for word in words.split(","):
            yield word.strip(), Role[role.strip()], _meaning(meaning.strip())
            if role.strip() == Role.SEASON.name:
                yield f"{word.strip()}s", Role.SEVERAL, _meaning(meaning.strip())
    for n, word in enumerate(word_list("weekdays")):
        yield word, Role.WEEKDAY, n
        yield f"{word}s", Role.SEVERAL, spans.weekday(n)
    for n, word in enumerate(word_list("months"), 1):
        yield word, Role.MONTH, n
        yield word[:3], Role.MONTH, n
    for unit in word_list("time_units"):
        yield unit, Role.UNIT, unit
        yield f"{unit}s", Role.UNIT, unit
    for n, word in enumerate(word_list("ordinals"), 1):
        yield word, Role.ORDINAL, n
    for n, word in enumerate(word_list("numbers"), 1):
        yield word, Role.COUNT, n
    for n, word in enumerate(word_list("tens"), 3):
        yield word, Role.COUNT, 10 * n


@cache
def word_meanings() -> Mapping[str, Meaning]:
    """
    Return the part of each English word in a time expression, and its meaning there.

    The first word of a holiday means: the words that follow it -> when it recurs.
    """
    words: dict[str, Meaning] = {}
    for word, role, meaning in _meanings():
        if role is Role.HOLIDAY:
            first, *rest = word.split()
            words.setdefault(first, (role, {}))[1][tuple(rest)] = meaning
        else:
            words[word] = role, meaning
    return words


def may_tell_time(text: str) -> bool:
    """Return whether a text is worth reading: every expression has a core word, or is written."""
    if not is_latin(text):
        return bool(core_words_in(text)) or bool(_has_marks(text) and _WRITTEN.search(text))
    return (
        _CORE.are_in(text)
        or (has_digit(text) and _WITH_DIGIT.search(text) is not None)
        or ("clock" in (low := text.lower()) and ("o'clock" in low or "o\u2019clock" in low))
    )


def core_words_in(text: str) -> frozenset[str]:
    """Return the words of a text of which every expression that is not written holds one."""
    if is_latin(text):
        return frozenset(_CORE.different_in(text))
    return _core_words().intersection(_LETTERS.findall(text.lower()))


def written_at(text: str) -> list[int]:
    """Return the places in a text at which a time written with digits may begin, in order."""
    return [match.start() for match in _WRITTEN.finditer(text)] if _has_marks(text) else []


def _has_marks(text: str) -> bool:
    """Return whether a text has a digit or a clock, without which no time is written."""
    return _DIGIT.search(text) is not None or "clock" in text.lower()


@cache
def _core_words() -> frozenset[str]:
    """Return words of which every expression that ``_WRITTEN`` misses holds at least one."""
    known = {word: what for word, what in word_meanings().items() if what[0] in _CORE_ROLES}
    return frozenset(
        word for word, (role, meaning) in known.items()
        # Some feasts have such a word behind their first: "New Year", "Good Friday", "Boxing Day".
        if role is not Role.HOLIDAY or any(known.keys().isdisjoint(rest) for rest in meaning)
    )  # fmt: skip


_CORE: Final = SoughtWords(_core_words)
