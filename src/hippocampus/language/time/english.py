"""The English words for time: what each means to the grammar, and what only looks like time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any, Final, TypeAlias

from hippocampus.core.word_lists import Patterns, word_list, word_set
from hippocampus.language.time.spans import (
    Recurring,
    clock,
    easter,
    hours,
    month_day,
    months,
    nth_weekday,
)

Role = Enum(
    "Role",
    # Of words; "words/time_words.txt" says what each of them means to the grammar.
    "DAY TONIGHT NOW PART UNIT WEEKDAY MONTH SEASON HOLIDAY SHIFT EDGE EARLIER SO_FAR ORDINAL COUNT"
    " VAGUE ONE HALF BOUND THE AGO BEFORE AFTER SINCE UNTIL BY BETWEEN FROM TO AND ONWARD OF IN ON"
    " AT AROUND TIME EVERY"
    # Of what is written with digits or marks, by the groups of "token" in "patterns/time.txt".
    " NUMBER STAMP DATE CLOCK DECADE SHORT_YEAR QUARTER POSSESSIVE COMMA DASH MARK WORD END",
)
"""What a word or mark does in a time expression, whatever the language."""

Meaning: TypeAlias = tuple[Role, Any]

_RECURRING: Final[Mapping[str, Callable[..., Recurring]]] = {
    make.__name__: make for make in (clock, easter, hours, month_day, months, nth_weekday)
}
_CORE_ROLES: Final = {
    Role.DAY, Role.TONIGHT, Role.PART, Role.UNIT, Role.WEEKDAY, Role.MONTH, Role.SEASON,
    Role.HOLIDAY,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """Everything the grammar must be told about a language whose word order it can follow."""

    words: Mapping[str, Meaning]
    """What each word does, and means; a holiday's first word: its rest -> when it recurs."""
    core: frozenset[str]
    """Words of which every expression without a digit holds at least one."""
    names: frozenset[str]
    """Months that are also people."""
    verbs: frozenset[str]
    """Months and seasons that are also everyday words, unless capitalised."""
    short: frozenset[str]
    """Abbreviations, read only when capitalised."""
    light: frozenset[str]
    """Words that may follow a complete phrase: "on Monday I", but not "Sunday school"."""
    counted: frozenset[str]
    """What a number before them counts: "in 2000 words", "the summer camp"."""
    seasoned: frozenset[str]
    """What a season before them describes: "spring roll"."""
    written: Patterns
    """``token``, ``difference``, ``ahead`` and ``behind``, as ``patterns/time.txt`` explains."""


def _meaning(written: str) -> object:
    """Return what a meaning in a file stands for: something that recurs, numbers, or words."""
    first, *rest = written.split() or [""]
    if first in _RECURRING:
        return _RECURRING[first](*map(int, rest))
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
    for n, word in enumerate(word_list("weekdays")):
        yield word, Role.WEEKDAY, n
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
def english_language() -> Language:
    """Return English as the grammar must know it."""
    words: dict[str, Meaning] = {}
    for word, role, meaning in _meanings():
        if role is Role.HOLIDAY:
            first, *rest = word.split()
            words.setdefault(first, (role, {}))[1][tuple(rest)] = meaning
        else:
            words[word] = role, meaning
    return Language(
        words=words,
        core=frozenset(w for w, (role, _) in words.items() if role in _CORE_ROLES)
        - {"new", "good", "boxing"},
        names=frozenset({"april", "may", "june", "jan", "august"}),
        verbs=frozenset({"may", "march", "mar", "fall", "spring"}),
        short=word_set("short_dates"),
        light=word_set("light_words"),
        counted=word_set("counted_things"),
        seasoned=word_set("seasoned_things"),
        written=Patterns("time"),
    )
