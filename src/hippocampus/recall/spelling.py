"""
Read misspelt words of a question as words that the bank has.

A word that neither the bank nor a dictionary has is taken for the nearest word of a dictionary that
the bank has: one of the same sound, or one that is a slip of the finger away (Damerau's four: a
letter too many, one too few, another one, or two that changed places). The bank keeps hashes of its
words alone, so the near ones are made and looked up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from string import ascii_lowercase
from typing import Final

import jellyfish
import numpy as np
from numpy.typing import NDArray

from hippocampus.core.word_lists import word_set
from hippocampus.encode.terms import Term, find_terms, hash_words
from hippocampus.language.asides import without_asides
from hippocampus.language.nouns import use_of

Frequency = Callable[[NDArray[np.uint32]], NDArray[np.uint32]]
"""Gives in how many episodes each of some terms is."""

_QUESTION: Final = 1000
"""Characters up to which a text is likely a question, and to be asked again: longer ones are read
anew, or a cache would hold texts of any size."""
_LETTERS: Final = range(4, 16)
"""Letters of a word that is looked into: shorter ones are near everything (docs/adr/0052), longer
ones are few, and have hundreds of near ones to be looked up."""
_MOST_WORDS: Final = 3
"""Words of a question that may be misspelt; with more, it is in another language
(docs/adr/0052)."""
_SOUNDS: Final = (
    ("f", "ph"), ("k", "c"), ("k", "ck"), ("c", "s"), ("z", "s"), ("x", "cks"), ("i", "y"),
    ("n", "kn"), ("r", "wr"), ("j", "g"), ("ee", "ea"), ("ei", "ai"), ("ou", "oo"),
    ("shun", "tion"),
)  # fmt: skip
"""Letters that are heard as others, either way."""


def respelled(text: str, frequency: Frequency) -> str:
    """Return a question without asides, its misspelt words as they are most likely meant."""
    text = without_asides(text)
    known = len(text) <= _QUESTION
    doubtful = _doubtful_terms(text) if known else _doubtful_terms.__wrapped__(text)
    if not doubtful or len(doubtful) > _MOST_WORDS:
        return text
    # In any form: a bank in another language has it under that one.
    seen = [
        bool(frequency(np.array([term.hash, *term.forms], np.uint32)).any()) for term in doubtful
    ]
    for term, count in sorted(zip(doubtful, seen, strict=True), reverse=True):
        meant = None if count else _nearest(text[term.start : term.end], frequency)
        if meant is not None:
            text = f"{text[: term.start]}{meant}{text[term.end :]}"
    return text


@lru_cache(maxsize=256)
def _doubtful_terms(text: str) -> tuple[Term, ...]:
    """Return the words of a question that may be misspelt; the same is often asked again."""
    return tuple(term for term in find_terms(text) if _is_doubtful(text, term))


def _is_doubtful(text: str, term: Term) -> bool:
    """Return whether a word may be misspelt: no name, and in no dictionary."""
    word = text[term.start : term.end]
    plain = word.isascii() and word.isalpha() and word.islower() and len(word) in _LETTERS
    return plain and not term.function and not _is_word(word)


def _is_word(word: str) -> bool:
    return use_of(word).known or any(
        word in word_set(name) for name in ("given_names", "function_words", "irregular_past_forms")
    )


def _nearest(word: str, frequency: Frequency) -> str | None:
    """Return the word of the bank that is nearest to one that it does not have."""
    heard = dict.fromkeys(_of_one_sound(word))
    near = [*heard, *(one for one in dict.fromkeys(_one_slip_away(word)) if one not in heard)]
    counts = frequency(np.array([hash_words(one)[0] for one in near], np.uint32)).tolist()
    there = [
        (_distance(word, one, heard=one in heard), -count, one)
        for one, count in zip(near, counts, strict=True)
        if (count and _is_word(one)) or _is_turned(word, one)
    ]
    return min(there)[2] if there else None


def _is_turned(word: str, other: str) -> bool:
    """Return whether it is a word of grammar with two letters changed, as "wehre" is "where"."""
    return sorted(word) == sorted(other) and other in word_set("function_words")


def _distance(word: str, other: str, *, heard: bool) -> int:
    """Return the rank of a misspelling, 0 to 3; the smaller, the likelier is one for the other."""
    if heard or jellyfish.metaphone(word) == jellyfish.metaphone(other):
        return 0
    if sorted(word) == sorted(other):  # two letters changed places
        return 1
    return 2 if word[0] == other[0] else 3  # hardly anybody errs in the first


def _of_one_sound(word: str) -> Iterator[str]:
    for some, others in _SOUNDS:
        for written, meant in ((some, others), (others, some)):
            at = word.find(written)
            while at >= 0:
                yield word[:at] + meant + word[at + len(written) :]
                at = word.find(written, at + 1)


def _one_slip_away(word: str) -> Iterator[str]:
    parts: Sequence[tuple[str, str]] = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    for left, right in parts:
        if right:
            yield left + right[1:]
        if len(right) > 1:
            yield left + right[1] + right[0] + right[2:]
        for letter in ascii_lowercase:
            yield left + letter + right
            if right:
                yield left + letter + right[1:]
