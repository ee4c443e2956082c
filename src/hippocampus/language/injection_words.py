"""
Classes of words that orders to a model are made of: what sets aside, rules, models, to send.

They stand in ``words/injection_words.txt``, in many languages, and are known by their parts and
where they are mistyped, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Final

from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.core.word_lists import word_list

_PARTS: Final = lazy_pattern("[-_']")
_NONE: Final[frozenset[str]] = frozenset()
_SHORTEST_STEM: Final = 3
"""Letters of the shortest beginning that words are known by; it spares looking for shorter ones."""
_LONG_WORD: Final = 9
"""Letters from which on a word may be mistyped: a slip seldom makes another word of so long a one.
Set by hand."""
_LONG_STEM: Final = 6
"""Letters of the beginning it is known by then."""


@lru_cache(maxsize=1 << 14)
def classes_of(word: str) -> frozenset[str]:
    """Return the classes of a word in lower case: those of its parts, or of what was meant."""
    parts = _PARTS.split(word)
    found = _as_written(word).union(*map(_as_written, parts if len(parts) > 1 else ()))
    return found or _mistyped(word)


@cache
def _known() -> tuple[Mapping[str, frozenset[str]], Mapping[str, frozenset[str]]]:
    """Return the classes of words, and those of their beginnings."""
    whole: dict[str, set[str]] = {}
    stems: dict[str, set[str]] = {}
    for line in word_list("injection_words"):
        name, *words = line.split()
        for word in words:
            if word.endswith("*"):
                stems.setdefault(word[:-1], set()).add(name)
            else:
                whole.setdefault(word, set()).add(name)
    return (
        {word: frozenset(names) for word, names in whole.items()},
        {stem: frozenset(names) for stem, names in stems.items()},
    )


def _as_written(word: str, shortest: int = _SHORTEST_STEM) -> frozenset[str]:
    whole, stems = _known()
    found = whole.get(word, _NONE)
    # A word has fewer beginnings than there are stems.
    for length in range(shortest, len(word) + 1):
        found |= stems.get(word[:length], _NONE)
    return found


def _mistyped(word: str) -> frozenset[str]:
    """Return the classes of a long word that has one letter too many, or two exchanged."""
    if len(word) < _LONG_WORD:
        return _NONE
    for at in range(len(word) - 1):
        exchanged = f"{word[:at]}{word[at + 1]}{word[at]}{word[at + 2 :]}"
        for meant in (word[:at] + word[at + 1 :], exchanged):
            # A stem that ends before the mistake would have been found in the word as written.
            if found := _as_written(meant, max(at, _LONG_STEM)):
                return found
    return _NONE
