"""The English words for time: what each means to the grammar, and what only looks like time."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from typing import Any, TypeAlias

from hippocampus.core.word_lists import word_list, word_set
from hippocampus.language.time.spans import (
    Recurring,
    clock,
    easter,
    hours,
    month_day,
    months,
    nth_weekday,
)


class Role(Enum):
    """What a word or mark does in a time expression, whatever the language."""

    DAY = auto()  # today: days from now
    TONIGHT = auto()
    NOW = auto()
    PART = auto()  # morning: recurring
    CLOCK = auto()
    UNIT = auto()  # week: its name
    WEEKDAY = auto()  # 0 to 6
    MONTH = auto()  # 1 to 12
    SEASON = auto()  # recurring
    HOLIDAY = auto()  # first word: {following words: recurring}
    SHIFT = auto()  # last, this, next: -1, 0, 1
    EDGE = auto()  # early, end: the fraction of the whole, and whether "of" must follow
    EARLIER = auto()  # earlier, later: -1, 1
    SO_FAR = auto()
    ORDINAL = auto()
    COUNT = auto()  # two
    VAGUE = auto()  # few: least and most
    ONE = auto()  # a, an
    HALF = auto()
    BOUND = auto()  # more, less: 1, -1
    THE = auto()
    AGO = auto()
    BEFORE = auto()
    AFTER = auto()
    SINCE = auto()
    UNTIL = auto()
    BY = auto()
    BETWEEN = auto()
    FROM = auto()
    TO = auto()
    AND = auto()
    ONWARD = auto()
    OF = auto()
    IN = auto()
    ON = auto()
    AT = auto()
    AROUND = auto()
    TIME = auto()  # "this time last year"
    EVERY = auto()
    NUMBER = auto()
    STAMP = auto()
    DATE = auto()
    DECADE = auto()
    SHORT_YEAR = auto()  # '22
    QUARTER = auto()  # first month, months
    POSSESSIVE = auto()
    COMMA = auto()
    DASH = auto()
    MARK = auto()
    WORD = auto()
    END = auto()


Meaning: TypeAlias = tuple[Role, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """Everything the grammar must be told about a language whose word order it can follow."""

    words: Mapping[str, Meaning]
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
    token: re.Pattern[str]
    difference: re.Pattern[str]
    """Asks how much time lies between two moments."""
    ahead: re.Pattern[str]
    """Talks of plans ..."""
    behind: re.Pattern[str]
    """... unless it also talks of the past."""


def _table() -> dict[str, Meaning]:
    words: dict[str, Meaning] = {}

    def add(role: Role, meanings: Mapping[str, object]) -> None:
        for key, value in meanings.items():
            words.update(dict.fromkeys(key.split(), (role, value)))

    add(Role.WEEKDAY, {w: n for n, w in enumerate(word_list("weekdays"))})
    add(Role.WEEKDAY, {"mon": 0, "tue tues": 1, "wed": 2, "thu thur thurs": 3, "fri": 4})
    add(Role.WEEKDAY, {"sat": 5, "sun": 6})
    add(Role.MONTH, {w: n for n, w in enumerate(word_list("months"), 1)})
    add(Role.MONTH, {w[:3]: n for n, w in enumerate(word_list("months"), 1)})
    add(Role.MONTH, {"sept": 9})
    add(Role.DAY, {"today": 0, "yesterday": -1, "tomorrow": 1})
    add(Role.TONIGHT, {"tonight": 0})
    add(Role.NOW, {"now present": 0})
    # Generous and overlapping: people disagree about where the evening begins.
    add(Role.PART, {"morning": hours(4, 12), "noon midday": clock(12, 0)})
    add(Role.PART, {"afternoon": hours(12, 18), "evening": hours(17, 24), "night": hours(18, 30)})
    for unit in word_list("time_units"):
        add(Role.UNIT, {f"{unit} {unit}s": unit})
    add(Role.UNIT, {"seconds": "second", "hr hrs": "hour", "min mins": "minute"})
    add(Role.SEASON, {"spring": months(3, 3), "summer": months(6, 3), "autumn fall": months(9, 3)})
    add(Role.SEASON, {"winter": months(12, 3)})
    add(Role.SHIFT, {"last previous past": -1, "this current": 0, "next coming upcoming": 1})
    # Nouns need an "of": "I started the job in March" is not about the start of March.
    for noun, early, mid, late in (
        (False, "early", "mid", "late"),
        (True, "beginning start", "middle", "end"),
    ):
        add(Role.EDGE, {early: (0.0, 0.4, noun), mid: (0.3, 0.7, noun), late: (0.6, 1.0, noun)})
    add(Role.EARLIER, {"earlier": -1, "later": 1})
    add(Role.SO_FAR, {"so": "far"})
    add(Role.ORDINAL, {w: n for n, w in enumerate(word_list("ordinals"), 1)})
    add(Role.COUNT, {w: n for n, w in enumerate(word_list("numbers"), 1)})
    add(Role.COUNT, {w: 10 * n for n, w in enumerate(word_list("tens"), 3)})
    add(Role.VAGUE, {"few": (2, 5), "couple": (2, 3), "several": (3, 8), "dozen": (12, 12)})
    add(Role.BOUND, {"more": 1, "less": -1, "under": -1})
    plain = {
        Role.ONE: "a an", Role.HALF: "half", Role.THE: "the", Role.AGO: "ago", Role.SINCE: "since",
        Role.BEFORE: "before", Role.AFTER: "after following", Role.UNTIL: "until till",
        Role.BY: "by", Role.BETWEEN: "between", Role.FROM: "from", Role.TO: "to through",
        Role.AND: "and but", Role.ONWARD: "onward onwards", Role.OF: "of",
        Role.IN: "in during over throughout within", Role.ON: "on", Role.AT: "at",
        Role.AROUND: "around circa", Role.TIME: "time", Role.EVERY: "every each any most per",
    }  # fmt: skip
    for role, keys in plain.items():
        add(role, {keys: ""})
    # The value is the word that has to follow.
    words["prior"] = (Role.BEFORE, "to")
    words["up"] = (Role.UNTIL, "to until till")
    for phrase, feast in _HOLIDAYS.items():
        first, *rest = phrase.split()
        words.setdefault(first, (Role.HOLIDAY, {}))[1][tuple(rest)] = feast
    return words


_HOLIDAYS: dict[str, Recurring] = {
    "christmas": month_day(12, 25),
    "xmas": month_day(12, 25),
    "christmas day": month_day(12, 25),
    "christmas eve": month_day(12, 24),
    "boxing day": month_day(12, 26),
    "new year 's eve": month_day(12, 31),
    "new years eve": month_day(12, 31),
    "new year 's day": month_day(1, 1),
    "new year 's": month_day(1, 1),
    "new years day": month_day(1, 1),
    "valentine 's day": month_day(2, 14),
    "valentine 's": month_day(2, 14),
    "valentines day": month_day(2, 14),
    "halloween": month_day(10, 31),
    "thanksgiving": nth_weekday(11, 3, 4),
    "thanksgiving day": nth_weekday(11, 3, 4),
    "good friday": easter(-2),
    "easter": easter(0),
    "easter sunday": easter(0),
    "easter monday": easter(1),
}

_CORE_ROLES = {
    Role.DAY, Role.TONIGHT, Role.PART, Role.UNIT, Role.WEEKDAY, Role.MONTH, Role.SEASON,
    Role.HOLIDAY,
}  # fmt: skip


@cache
def english_language() -> Language:
    """Return English as the grammar must know it."""
    words = _table()
    units = rf"(?:seconds|{'|'.join(f'{unit}s' for unit in word_list('time_units'))})"
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
        token=re.compile(
            r"""
    (?P<stamp>(?<![\w./-])[0-9]{4}-[0-9]{2}-[0-9]{2}[T\ ][0-9]{2}:[0-9]{2}
        (?::[0-9]{2}(?:\.[0-9]{1,6})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?(?![\w:-]))
  | (?P<date>(?<![\w./-])(?:[0-9]{4}(?P<a>[/.-])[0-9]{1,2}(?P=a)[0-9]{1,2}
        |[0-9]{1,2}(?P<b>[/.-])[0-9]{1,2}(?P=b)(?:[0-9]{4}|[0-9]{2}))(?![\w/-]|\.[0-9]))
  | (?P<clock>(?<![\w.,:/-])[0-9]{1,2}(?:
        (?::[0-9]{2}){0,2}\ ?(?:[ap]\.m\.|[ap]m\b|o['\u2019]clock\b)
        |(?::[0-9]{2}){1,2}(?![\w:])))
  | (?P<ordinal>(?<!\w)[0-9]{1,2}(?:st|nd|rd|th)\b)
  | (?P<decade>(?<!\w)(?:[12][0-9]{2}|['\u2019]?[2-9])0['\u2019]?s\b)
  | (?P<quarter>(?:q[1-4]|h[12])\b)
  | (?P<number>(?<!\w)[0-9]+(?:[./:][0-9]+|,[0-9]{3}(?![0-9]))*(?!\w))
  | (?P<possessive>['\u2019]s\b)
  | (?P<short_year>['\u2019][0-9]{2}\b)
  | (?P<word>[^\W\d_]+(?:['\u2019](?!s\b)[^\W\d_]+)*(?!\w))
  | (?P<other>\w+)
  | (?P<mark>[^\w\s])
    """,
            re.VERBOSE | re.IGNORECASE,
        ),
        difference=re.compile(
            rf"\bhow\s+(?:many\s+{units}|long|much\s+time)\b"
            r"(?:\s+(?:has|have|had|did|does|do|is|was|were|are|there|it|been|be|go|going|take|took"
            r"|will|lie|lay|in|exactly|time))*"
            r"\s+(?:between|passed?|elapsed?|since|before|after|until|till|from|ago"
            r"|went\s+by|separates?d?)\b"
            rf"|\b(?:number|count)\s+of\s+{units}\b.{{0,20}}?\b(?:between|from|since|until)\b"
            rf"|\b(?:difference|interval|gap)\s+(?:in\s+{units}\s+)?between\b",
            re.IGNORECASE,
        ),
        ahead=re.compile(
            r"\b(?:will|won['\u2019]t|shall|gonna|going\s+to)\b|['\u2019]ll\b", re.IGNORECASE
        ),
        behind=re.compile(r"\b(?:did|was|were|had|said|told|have|has)\b", re.IGNORECASE),
    )
