"""
Words that readers look for in a text, found by one look at it for all readers.

Most texts tell none of what a reader looks for, and it can see that by a word that it would need.
Several readers look at each text in turn, so what the first look found is kept for the next ones.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from functools import lru_cache
from typing import Final

from hippocampus.kernel import WordSets

_LONGEST: Final = 4000
"""Characters of a text of which it is kept what was found."""
_SETS: Final = WordSets()
_ADDING: Final = threading.Lock()


class SoughtWords:
    """
    Words in lower case that a reader looks for, as the longest runs of letters of a text.

    It finds them only in a text that ``is_latin``. Their list is asked for at the first text.
    """

    def __init__(self, words: Callable[[], Collection[str]]) -> None:
        self._words = words
        self._number: int | None = None

    def are_in(self, text: str) -> bool:
        """Return whether a text has any of the words."""
        number = self._set()
        return _look(text).has(number)

    def count_in(self, text: str) -> int:
        """Return the number of words in a text that are among these, repeated ones included."""
        number = self._set()
        return _look(text).count(number)

    def places_in(self, text: str) -> list[int]:
        """Return the places in a text at which the words begin, in order."""
        number = self._set()
        return _look(text).places(number)

    def different_in(self, text: str) -> list[str]:
        """Return those of the words that a text has."""
        number = self._set()
        return _look(text).words(number)

    def _set(self) -> int:
        """Return the number of the set, which has to be there before a text is looked at."""
        if self._number is None:
            words = list(self._words())
            with _ADDING:
                if self._number is None:
                    self._number = _SETS.add(words)
        return self._number


def is_latin(text: str) -> bool:
    """Return whether a text is in ASCII, other letters of Latin in common use, and signs."""
    return text.isascii() or _look(text).is_latin


def has_digit(text: str) -> bool:
    """Return whether a text has one of the digits 0 to 9."""
    return _look(text).has_digit


def has_marked_letter(text: str) -> bool:
    """Return whether a text that ``is_latin`` has a letter that is not in ASCII."""
    return _look(text).has_marked


def count_words(text: str) -> int:
    """Return the number of runs of letters in a text, as ``is_latin`` has them."""
    return len(_look(text))


def _look(text: str) -> WordSets.Found:
    # What was found before there was a set tells nothing of it.
    sets = len(_SETS)
    return _read(text, sets) if len(text) <= _LONGEST else _read.__wrapped__(text, sets)


@lru_cache(maxsize=16)
def _read(text: str, sets: int) -> WordSets.Found:  # noqa: ARG001 - by which it is kept
    # Every character stays one, or is none of those that are Latin here.
    low = text if text.isascii() else text.lower()
    return _SETS.read(low.encode(errors="surrogatepass"))
