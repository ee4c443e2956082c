"""Tenses in other languages than English: a sentence looks back or ahead."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.core.word_lists import pattern_list, word_list
from hippocampus.language.time.english import Role
from hippocampus.language.time.tense import Direction
from hippocampus.language.time.tokens import Token

_DIRECTIONS: Final[tuple[Direction, ...]] = ("behind", "ahead")


_TENSELESS: Final = "zh"
"""The language whose verbs have no tense."""
_STOP: Final = (
    r"(?<!\d)\.|(?<=\d)\.(?=\s+(?:D(?:er|ie|as|en|em|ann|anach)|Eine?|Ich|Du|Er|Sie|Es|Wir|Mein"
    r"|Unser|Und|Aber|[AI]m|Heute|Morgen|Jetzt|La|Le|Les|El|Los|Il|Elle|Je|On|Ho|De|Het|Ik)\b)"
)
"""Full stop of a sentence: "30. November" has none, "he was 91. The" does."""
_CLAUSE: Final = lazy_pattern(rf"{_STOP}|[:,](?!\d)|[;!?\n。；：！？，]")
_SENTENCE: Final = lazy_pattern(rf"{_STOP}|[;!?\n。；！？]")


def _between(text: str, place: int, mark: re.Pattern[str]) -> tuple[int, int]:
    """Return the bounds of the stretch around a place, between two marks."""
    start, end = 0, len(text)
    for found in mark.finditer(text):
        if found.end() <= place:
            start = found.end()
        elif found.start() > place:
            return start, found.start()
    return start, end


@cache
def _pattern(language: str, direction: Direction) -> re.Pattern[str] | None:
    written = dict(pattern_list("tenses")).get(f"{language} {direction}")
    return written and re.compile(written)  # type: ignore[return-value]


def looks_back(text: str, language: str) -> bool:
    """Return whether a verb of a text is of the past."""
    pattern = _pattern(language, "behind")
    return pattern is not None and pattern.search(text) is not None


@cache
def _asking(language: str) -> re.Pattern[str]:
    """Return a pattern of the question words of a language; one of nothing where none are known."""
    lines = (line.split(" | ") for line in word_list("asking_in_languages"))
    words = [
        word for of, told, said in lines if of == language and told in ("what", "when")
        for word in said.split(", ")
    ]  # fmt: skip
    written = "|".join(sorted(map(re.escape, words), key=len, reverse=True))
    edge = r"\b" if words and words[0].isascii() else ""
    return re.compile(rf"{edge}(?:{written}){edge}" if words else r"(?!)", re.IGNORECASE)


class ForeignTenses:
    """The directions in which the verbs of a sentence point: of several the nearest counts."""

    def __init__(self, sentence: str, start: int, tokens: Sequence[Token], language: str) -> None:
        """
        Read nothing yet.

        Args:
            sentence: its text.
            start: where in the whole text it begins.
            tokens: its words, with their places in the whole text.
            language: its code.

        """
        self._sentence = sentence
        self._start = start
        self._tokens = tokens
        self._language = language

    def direction(self, at: int) -> Direction | None:
        """
        Return the direction of the nearest verb of the clause; None where none tells.

        A clause that is the time alone goes with its sentence: "Am Montag, als es regnete, …". A
        question in which nothing is of the past is of the present: "was mache ich am Freitag?".
        """
        place = self._tokens[at].start - self._start
        clause = _between(self._sentence, place, _CLAUSE)
        found = self._nearest(place, *clause)
        if found is None and not self._says_more(*clause):
            found = self._nearest(place, *_between(self._sentence, place, _SENTENCE))
        if found is None and self._language != _TENSELESS and self._asks():
            return None if looks_back(self._sentence, self._language) else "ahead"
        return found

    def _nearest(self, place: int, start: int, end: int) -> Direction | None:
        near = [
            (min(abs(verb.start() - place), abs(verb.end() - place)), direction)
            for direction in _DIRECTIONS
            if (pattern := _pattern(self._language, direction))
            for verb in pattern.finditer(self._sentence, start, end)
        ]
        return min(near)[1] if near else None

    def _asks(self) -> bool:
        asked = self._sentence.rstrip().endswith("?")  # "Habe ich am Montag frei?"
        return asked or _asking(self._language).search(self._sentence) is not None

    def _says_more(self, start: int, end: int) -> bool:
        places = (one.start - self._start for one in self._tokens if one.role is Role.WORD)
        return any(start <= place < end for place in places)

    def definite(self, at: int) -> bool:
        """Return whether a verb tells of one deed, and not of a habit."""
        return self.direction(at) is not None

    def is_done(self, i: int) -> bool:
        """Return whether the verb nearest to token ``i`` is of the past."""
        return self.direction(i) == "behind"

    @staticmethod
    def takes_time(_at: int) -> bool:
        """Return False: what is ahead is a plan."""
        return False

    @staticmethod
    def sentence(_at: int) -> frozenset[str]:
        """Return no words: what tells a habit in English tells none here."""
        return frozenset()
