"""The words of a sentence in another language that have to do with time, and what they may mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from hippocampus.encode.languages import bare, is_grammar
from hippocampus.language.time.english import WRITTEN, Role
from hippocampus.language.time.lexicon import Entry, Lexicon, Meaning, lexicon, word_pattern
from hippocampus.language.time.tokens import Token, token_of

_DOTTED: Final = frozenset({"cs", "da", "de", "et", "fi", "hr", "hu", "lv", "no", "sk", "sl", "sr"})
"""Languages in which a dot makes an ordinal of a number."""
_NUMERALS: Final = {char: n for n, char in enumerate("〇一二三四五六七八九十")} | {"两": 2, "兩": 2}
"""Values of Chinese numerals, the two words for a pair of things among them."""
_HAN_NUMBER: Final = "[〇一二三四五六七八九十两兩]"
_UNIT_AFTER: Final = "(?![前后後以之])"
_DATE: Final = re.compile(
    rf"(?:(?P<year>\d{{4}})\s?[年년]\s?)?(?:(?P<month>\d{{1,2}}|{_HAN_NUMBER}{{1,2}})\s?[月월](?:份|에)?\s?)?"
    rf"(?:(?P<day>\d{{1,2}}|{_HAN_NUMBER}{{1,3}})\s?(?:[日号號](?![間间线線楼门院店馆桌房码])|일(?!간|\s?전))에?{_UNIT_AFTER})?"
)
"""A date of China, Japan or Korea; any of its parts may be missing."""
_CLOCK: Final = re.compile(
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d{2})|\s?(?:[hH](?P<past>\d{2})?\b|Uhr\b(?:\s(?P<uhr>\d{2})\b)?"
    r"|[点點时](?!间)|時(?!間)|시(?!간)))(?P<half>半)?"
)
_DAY_MONTH: Final = re.compile(r"(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.(?!\d)")
_LED_TO: Final = re.compile(
    r"(?:\b(?:am|vom|dem|den|der|bis|seit|ab|zum|nach|vor|und|d)|tag,?|\.\s?[-\u2013])\s*\Z",
    re.IGNORECASE,
)
"""Words before a day in languages that write "3.5." for it."""
_ORDINAL: Final = re.compile(r"(\d{1,2})(?:er|ère|º|ª|°|-?го|:e|:a|e)(?!\w)")
_DOT: Final = re.compile(r"(\d{1,2})\.(?=\s?\w)")
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)?")
_LONG: Final = 4
"""Letters of a word whose accents may be left out."""
_NEAR: Final = 16
"""Words beside one of time that may tell how it is meant: twice what a meaning looks ahead."""
_LEADS: Final = frozenset({
    Role.IN, Role.ON, Role.AT, Role.OF, Role.AND, Role.THE, Role.BY, Role.TO, Role.FROM, Role.FOR,
    Role.AROUND, Role.BETWEEN, Role.BEFORE, Role.AFTER, Role.SINCE, Role.UNTIL, Role.ONE,
    Role.VAGUE, Role.HALF,
})  # fmt: skip
"""Roles of words that lead to a time, and are none: most sentences have some."""
_SIGNS: Final = {Role.MARK, Role.COMMA, Role.DASH, None}


class Item(NamedTuple):
    """A word or mark of the text, and what it means; no tokens for what is to be left out."""

    tokens: tuple[Token, ...]
    meanings: tuple[Meaning, ...]
    start: int
    end: int
    word: str

    @property
    def role(self) -> Role | None:
        """Role of the first token."""
        return self.tokens[0].role if self.tokens else None

    @property
    def last(self) -> Role | None:
        """Role of the last token."""
        return self.tokens[-1].role if self.tokens else None


def items_of(sentence: str, offset: int, language: str) -> list[Item]:
    """
    Return the words of a sentence that may mean a time, and those near them; none if none may.

    What stands further off says nothing of a time, but for marks: these end what recurs.
    """
    found = list(_words_and_marks(sentence, offset, language))
    near = bytearray(len(found))
    for place, item in enumerate(found):
        if isinstance(item, Item) and _may_tell(item):
            first = max(0, place - _NEAR)
            near[first : place + _NEAR + 1] = b"\1" * (min(len(found), place + _NEAR + 1) - first)
    if not any(near):
        return []
    return [
        item if isinstance(item, Item) else _plain(sentence, item, offset, language)
        for item, is_near in zip(found, near, strict=True)
        if is_near or (isinstance(item, Item) and item.role in _SIGNS and not item.meanings)
    ]


def _may_tell(item: Item) -> bool:
    """Return whether there may be a time for what an item may mean: more leads to one."""
    if item.tokens:
        return item.role not in _SIGNS
    return any(not _LEADS.issuperset(meaning.roles) for meaning in item.meanings)


def _words_and_marks(sentence: str, offset: int, language: str) -> Iterator[Item | tuple[int, int]]:
    """Yield marks, words that may mean a time, and the places of all others."""
    words, word_at = lexicon(language), word_pattern().match
    at = 0
    while at < len(sentence):
        if sentence[at].isspace():
            at += 1
            continue
        word = word_at(sentence, at)
        if word is not None and word[0].isascii() and word[0].lower() not in words:
            yield word.span()  # most words end here
            at = word.end()
            continue
        found = (
            _written(sentence, at, offset, language)
            or (word and _entry(sentence, word, offset, words))
            or _numeral(sentence, at, offset)
        )
        if found is None and word is not None:
            yield word.span()
            at = word.end()
            continue
        found = found or _mark(sentence, at, offset)
        if found is None:
            at += 1
            continue
        yield found
        at = found.end - offset


def _written(sentence: str, at: int, offset: int, language: str) -> Item | None:
    """Return the value written with digits: a date, an hour, a number."""
    char = sentence[at]
    # No number begins within another one.
    if not (char.isdecimal() or char in _NUMERALS) or (at and sentence[at - 1].isdecimal()):
        return None
    if (found := _DATE.match(sentence, at)) and (found["month"] or found["day"] or found["year"]):
        english = _asian_date(found)
        if english:
            return said(english, offset + at, offset + found.end(), sentence[at : found.end()])
    if not char.isdecimal():
        return None
    found = WRITTEN.token.match(sentence, at)
    if found and found.lastgroup in ("stamp", "date"):
        return said(found[0], offset + at, offset + found.end(), found[0])
    if language in _DOTTED and (dated := _dotted(sentence, at)):
        return said(dated[0], offset + at, offset + dated[1], sentence[at : dated[1]])
    return _clock(sentence, at, offset) or _number(sentence, at, offset, language)


def _clock(sentence: str, at: int, offset: int) -> Item | None:
    found = _CLOCK.match(sentence, at)
    if found is None:
        return None
    half = "30" if found["half"] else "00"
    minute = found["minute"] or found["past"] or found["uhr"] or half
    return said(f"{found['hour']}:{minute}", offset + at, offset + found.end(), found[0])


def _dotted(sentence: str, at: int) -> tuple[str, int] | None:
    """Return "3 May" for "3.5." where a day is led to, and where it ends: it may be a number."""
    found = _DAY_MONTH.match(sentence, at)
    if found is None or not _LED_TO.search(sentence, 0, at):
        return None
    day, month = int(found[1]), int(found[2])
    if not (1 <= day <= 31 and 1 <= month <= 12):
        return None
    return f"{day} {_MONTHS[month - 1]}", found.end()


def _asian_date(found: re.Match[str]) -> str:
    year, month, day = found["year"], found["month"], found["day"]
    number, of_day = _value(month), _value(day)
    if month and not 1 <= number <= 12:
        return ""
    name = _MONTHS[number - 1] if month else ""
    if day and (not 1 <= of_day <= 31 or (year and not month)):
        return ""
    if not month and not year:
        return f"on the {of_day}th"
    if not month:
        return f"in {year}"
    if day:
        return f"{of_day} {name} {year or ''}".strip()
    return f"in {name} {year or ''}".strip()


_MONTHS: Final = (
    "January February March April May June July August September October November December".split()
)


def _value(written: str | None) -> int:
    """Return the value of digits or Chinese numerals, up to 99; 0 for none."""
    if not written:
        return 0
    if written[0].isdecimal():
        return int(written)
    tens, ten, ones = written.rpartition("十")
    if not ten:
        return _NUMERALS[written] if len(written) == 1 else 0
    return 10 * (_NUMERALS[tens] if len(tens) == 1 else 1) + (_NUMERALS[ones] if ones else 0)


def _number(sentence: str, at: int, offset: int, language: str) -> Item | None:
    if (found := _ORDINAL.match(sentence, at)) or (
        language in _DOTTED and (found := _DOT.match(sentence, at))
    ):
        return said(f"{found[1]}th", offset + at, offset + found.end(), found[0])
    found = _NUMBER.match(sentence, at)
    if found is None:
        return None
    return said(found[0].replace(",", "."), offset + at, offset + found.end(), found[0])


def _numeral(sentence: str, at: int, offset: int) -> Item | None:
    """Return a number that is written in Chinese."""
    end = at
    while end < len(sentence) and sentence[end] in _NUMERALS:
        end += 1
    value = _value(sentence[at:end]) if end > at else 0
    if not value:
        return None
    return said(str(value), offset + at, offset + end, sentence[at:end])


def said(english: str, start: int, end: int, word: str) -> Item:
    """Return words of English at a place of the text."""
    return Item(
        placed(map(token_of, WRITTEN.token.finditer(english)), start, end), (), start, end, word
    )


def placed(tokens: Iterator[Token] | Sequence[Token], start: int, end: int) -> tuple[Token, ...]:
    """Return tokens at a place of the text; a day or month is one even if it is written small."""
    return tuple(
        token._replace(start=start, end=end, capital=token.role in (Role.MONTH, Role.WEEKDAY))
        for token in tokens
    )


def _entry(sentence: str, first: re.Match[str], offset: int, words: Lexicon) -> Item | None:
    """Return the longest words of the lexicon that begin with a word of the sentence."""
    known = [entry for way in _ways(first[0]) for entry in words.get(way, ())]
    at = first.start()
    if not known or (at and _runs_on(sentence, at)):
        return None
    for entry in known:
        end = _reaches(sentence, at, entry)
        meanings = end and _fitting(entry, sentence[at:end], first=not sentence[:at].strip())
        if end and meanings:
            return Item((), meanings, offset + at, offset + end, sentence[at:end])
    return None


def _runs_on(sentence: str, at: int) -> bool:
    """Return whether a letter at a place goes on a word; characters are words of their own."""
    before = word_pattern().match(sentence, at - 1)
    return before is not None and before.end() > at


_BETWEEN: Final = re.compile(r"[\s'’.-]{0,2}")


def _reaches(sentence: str, at: int, entry: Entry) -> int | None:
    """Return the end of an entry's words that stand at a place; None if they do not."""
    for place, word in enumerate(entry.words):
        if place:
            between = _BETWEEN.match(sentence, at)
            at = between.end() if between else at
        found = word_pattern().match(sentence, at)
        if found is None or word not in _ways(found[0]):
            return None
        at = found.end()
    return at


def _ways(written: str) -> tuple[str, ...]:
    """Return the forms of a word that may stand in the lexicon: as it is, and without accents."""
    word = written.casefold()
    return (word,) if word.isascii() or len(word) < _LONG else (word, bare(word))


def _fitting(entry: Entry, written: str, *, first: bool) -> tuple[Meaning, ...]:
    """Return the meanings of words as they are written: "Morgen" with a capital is the morning."""
    # The first word of a sentence has a capital in any case.
    capital = written[0].isupper() and not first
    of_capital = tuple(one for one in entry.meanings if one.capital)
    if capital and of_capital:
        return of_capital
    return tuple(one for one in entry.meanings if not one.capital)


def _mark(sentence: str, at: int, offset: int) -> Item | None:
    """Return a mark; None for what ends an elision, and for a letter of no word."""
    char = sentence[at]
    if char in "'’_" or char.isalnum():
        return None
    if char == "-" and 0 < at < len(sentence) - 1 and sentence[at - 1].isalpha():
        return None
    char = {"、": ",", "，": ",", "～": "-", "~": "-"}.get(char, char)
    return said(char, offset + at, offset + at + 1, char)


def _plain(sentence: str, place: tuple[int, int], offset: int, language: str) -> Item:
    """Return a word that says nothing."""
    start, end = place
    word = sentence[start:end]
    short = len(word) <= 2 and not is_grammar(word.casefold(), (language,))
    # A short word in Latin letters that is none of grammar may be a unit: "km", "kg".
    value = "counted" if short and word[0] < "\u0250" else None
    token = Token(Role.WORD, value, "", offset + start, offset + end, capital=False)
    return Item((token,), (), offset + start, offset + end, word)
