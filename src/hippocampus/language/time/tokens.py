"""
The tokens of a sentence: its words and marks, each with its role in a time expression.

Most words have none, and most sentences tell no time. So the kernel tells the roles of all tokens,
and of each one what it is only when the grammar looks at it.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.kernel import TimeWords
from hippocampus.language.time.english import WRITTEN, Role, word_meanings


class Token(NamedTuple):
    """A word or mark of the text, and what it does."""

    role: Role
    value: Any
    word: str
    start: int
    end: int
    capital: bool


_KINDS: Final = {
    kind: Role[kind.upper()]
    for kind in (
        "stamp date day_month clock decade quarter possessive short_year ordinal mark".split()
    )
}
_PLAIN: Final = (Role.WORD, None)
_MARKS: Final = {",": Role.COMMA, "-": Role.DASH, "\u2013": Role.DASH, "\u2014": Role.DASH}
_LONGEST_NUMBER: Final = 6
"""Digits of a number in an expression of time: longer ones are ids, and none becomes a distance
that no calendar has."""
_BEYOND_ASCII: Final = lazy_pattern(r"[^\x00-\x7f]")
_ALONE: Final = (
    Role.DAY, Role.TONIGHT, Role.UNIT, Role.WEEKDAY, Role.MONTH, Role.SEASON, Role.HOLIDAY,
    Role.SO_FAR, Role.BOUND, Role.DECADE, Role.QUARTER, Role.STAMP, Role.DATE,
)  # fmt: skip
"""Roles that may begin an expression whatever follows: "more than", a weekend, June 2024/25."""
_LEADING: Final = (
    Role.PART, Role.SHIFT, Role.EDGE, Role.EARLIER, Role.REST, Role.ORDINAL, Role.COUNT,
    Role.VAGUE, Role.ONE, Role.HALF, Role.THE, Role.BEFORE, Role.AFTER, Role.SINCE, Role.UNTIL,
    Role.BY, Role.BETWEEN, Role.FROM, Role.IN, Role.ON, Role.AT, Role.AROUND, Role.FOR,
    Role.NUMBER, Role.CLOCK,
)  # fmt: skip
"""Roles that begin one only together with a word of time: most are as in "in a garden"."""


def _any_of(*roles: Role, but: bool = False) -> bytes:
    """Return the class of some roles, or of all others, in a pattern."""
    return b"[" + b"^" * but + b"".join(b"\\x%02x" % role for role in roles) + b"]"


_FIRST: Final = lazy_pattern(
    _any_of(*_ALONE, *_LEADING) + b"(?:(?<=" + _any_of(*_ALONE) + b")"
    # A mark and an article may come before the word of time.
    + b"|(?=" + _any_of(Role.COMMA, Role.DASH) + b"?+" + _any_of(Role.THE, Role.ONE) + b"?+"
    + _any_of(Role.WORD, Role.MARK, but=True) + b"))"
)  # fmt: skip
"""Tokens that may begin an expression, in the roles of a sentence, of which each is a byte."""


def token_of(match: re.Match[str]) -> Token:
    """Return a word or mark of English with what it does."""
    role, value, word, capital = _meaning_of(match.lastgroup or "", match.group())
    return Token(role, value, word, match.start(), match.end(), capital)


@lru_cache(maxsize=1 << 14)
def _meaning_of(kind: str, raw: str) -> tuple[Role, Any, str, bool]:
    """Return a token's part, its meaning, the key it is looked up by, and its capital."""
    word = raw.lower()
    if kind == "word":
        role, value = word_meanings().get(word, _PLAIN)
        return role, value, word, raw[0].isupper()
    role, value = _KINDS.get(kind, Role.WORD), None
    if kind == "number":
        if len(raw) <= _LONGEST_NUMBER and raw.replace(".", "", 1).isdigit():
            role, value = Role.NUMBER, float(raw) if "." in raw else int(raw)
    elif kind == "ordinal":
        value = int(raw[:-2])
    elif kind == "mark":
        role = _MARKS.get(raw, role)
    return role, value, word, raw[0].isupper()


class Tokens(dict[int, Token]):
    """
    The tokens of a sentence by their places in it.

    Before the first and behind the last there are ends, so that no look ahead has to test whether
    the sentence is over.
    """

    __slots__ = ("end", "first", "roles")

    def __init__(self, known: list[Token], end: int) -> None:
        """Take tokens, and where the last one ends."""
        super().__init__(enumerate(known))
        self.end = end
        self._know(bytes([token.role for token in known]))

    def _know(self, roles: bytes) -> None:
        self.roles = roles
        """Their roles in order, each as a byte."""
        self.first = [found.start() for found in _FIRST.finditer(roles)]
        """Which of them may begin an expression, in order."""

    def __missing__(self, i: int) -> Token:
        token = self[i] = Token(Role.END, None, "", self.end, self.end, capital=False)
        return token

    def words(self) -> list[str]:
        """Return the keys of all tokens, in order."""
        return [self[i].word for i in range(len(self.roles))]


class EnglishTokens(Tokens):
    """The tokens of an English sentence, each made when it is first asked for."""

    __slots__ = ("_places", "_sentence", "_start", "_text")

    def __init__(self, text: str, start: int, end: int) -> None:
        """Take a sentence by its place in a text."""
        self._text = text
        self._start = start
        self._sentence = text[start:end]
        self.end = end
        plain = self._sentence
        if not plain.isascii():
            plain = _BEYOND_ASCII.sub("_", plain)
        roles, self._places = _words().read(plain.encode(), self._told)
        self._know(roles)

    def _told(self, i: int, at: int) -> tuple[int, int] | None:
        """Return the role of what stands at a place and its end there; None if nothing does."""
        match = WRITTEN.token.match(self._text, self._start + at, self.end)
        if match is None:
            return None
        token = self[i] = token_of(match)
        return token.role, token.end - self._start

    def __missing__(self, i: int) -> Token:
        if not 0 <= i < len(self.roles):
            return super().__missing__(i)
        start, end = self._places[2 * i], self._places[2 * i + 1]
        raw = self._sentence[start:end]
        role, value, word, capital = _plain_meaning_of(raw)
        token = Token(role, value, word, self._start + start, self._start + end, capital)
        self[i] = token
        return token

    def words(self) -> list[str]:
        """Return the keys of all tokens, in order, of which none is made for it."""
        said, places = self._sentence, iter(self._places)
        return [said[start:end].lower() for start, end in zip(places, places, strict=True)]


@lru_cache(maxsize=1 << 14)
def _plain_meaning_of(raw: str) -> tuple[Role, Any, str, bool]:
    """Return the meaning of a token that was not asked for: what it begins with tells its kind."""
    if raw[0].isalpha():
        return _meaning_of("word", raw)
    if raw[0].isdigit():
        return _meaning_of("number", raw)
    return _meaning_of("mark" if len(raw) == 1 else "possessive", raw)


@cache
def _words() -> TimeWords:
    words = TimeWords(Role.WORD, Role.MARK, Role.NUMBER)
    words.add("'s", Role.POSSESSIVE)
    for meant, role in _MARKS.items():
        words.add(meant, role)
    for meant, (role, _) in word_meanings().items():
        words.add(meant, role)
    return words
