"""
Whether two texts that read alike say something else all the same.

What ``details`` does not see, and an embedder hardly: a sign ("-5", "x > 3", a question), how a
word is spelled where that tells ("aB3", "US"), and one word for its opposite ("locked",
"unlocked"). Who merges asks this last, of few pairs; in doubt two texts say two things.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from itertools import product
from typing import Final

from hippocampus.core.word_lists import word_list
from hippocampus.encode.terms import stem

_SIGN: Final = re.compile(
    r"(?<!\w)[-−](?=[\d.])|!=|[<>≤≥≠=]|(?<=\d)\s?[%‰]|(?<=\w)[+#]+(?!\w)|[?](?![?])"
)
_PICTURE: Final = re.compile("[\u2600-\u27bf\U0001f300-\U0001faff]")
_WORD: Final = re.compile(r"[^\W_]+")
_PART: Final = re.compile(r"\d+|[^\W\d_]+")
_PREFIXES: Final = ("un", "in", "im", "il", "ir", "dis", "non", "mis")
_SHORTEST: Final = 3
"""Letters of a word that a prefix may deny: "to" and "into" are no opposites."""


@cache
def _opposites() -> frozenset[frozenset[str]]:
    """Return the pairs of stems that say the opposite of each other."""
    return frozenset(
        frozenset(pair)
        for group in word_list("opposites")
        for pair in product(*[[stem(word) for word in group.split()]] * 2)
        if pair[0] != pair[1]
    )


def spelling(text: str) -> tuple[str, ...]:
    """Return the words of a text of which the case tells, in order: acronyms, codes, addresses."""
    return tuple(word for word in _WORD.findall(text) if _tells(word))


def _tells(word: str) -> bool:
    code = any(map(str.isdigit, word)) and any(map(str.isalpha, word))
    return code or word[1:] != word[1:].lower()


def are_opposed(one: str, other: str) -> bool:
    """Return whether two texts differ in a sign, in a spelling that tells, or by an opposite."""
    if _SIGN.findall(one) != _SIGN.findall(other):
        return True
    seen, theirs = set(_PICTURE.findall(one)), set(_PICTURE.findall(other))
    if (seen and theirs and seen != theirs) or _are_spelled_apart(one, other):
        return True
    words, others = _stems(one), _stems(other)
    return any(
        frozenset(pair) in _opposites() or _denies(*pair)
        for pair in product(words - others, others - words)
    )


def _are_spelled_apart(one: str, other: str) -> bool:
    words, others = set(_WORD.findall(one)), set(_WORD.findall(other))
    theirs: defaultdict[str, list[str]] = defaultdict(list)
    for word in others - words:
        theirs[word.casefold()].append(word)
    pairs = ((word, there) for word in words - others for there in theirs[word.casefold()])
    return any(_tells(word) or _tells(there) for word, there in pairs)


def _stems(text: str) -> set[str]:
    return {stem(word.casefold()) for word in _PART.findall(text)}


def _denies(one: str, other: str) -> bool:
    """Return whether one word is the other with a prefix that denies it."""
    short, long = sorted((one, other), key=len)
    return len(short) >= _SHORTEST and any(long == prefix + short for prefix in _PREFIXES)
