"""
Equivalence of two texts, and the places where they differ although they read alike.

To an embedder two sentences are as near when they differ in a number, a day, a name or a "not" as
when they are two wordings of one thing. Three checks tell them apart, each dearer than the one
before: the *details* of both (numbers, words of time, names, negations), of which a digest is kept
with each episode; the share of words that they have in common; and, for the few pairs that are
about to be merged, a sign ("-5", "x > 3", a question), a spelling that tells ("aB3", "US") or a
word and its opposite ("locked", "unlocked"). In doubt, two texts say two things.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from functools import cache, lru_cache
from hashlib import blake2b
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.core.word_lists import word_list, word_set
from hippocampus.encode.terms import stem

BITS: Final = 24
"""Bits of a digest of details, what is left of 32 beside the richness (docs/adr/0016): two others
are taken for the same once in sixteen million."""
_RICHNESS_BITS: Final = np.uint32(8)
"""Low bits of a gist, which hold the richness."""
_RICHEST: Final = np.uint32(255)
"""Largest richness that they hold."""
_SHARED_WORDS: Final = 0.6
"""The share of the words of two lines from which on they say the same, about: only the second is
left out of a summary then, so an error costs little. Set by hand."""
Gists = NDArray[np.uint32]
"""A number for each episode, 0 where nothing is known: the digest of its details, and in the low
bits its richness, which is how many phrases it has, 255 at most."""

_DETAIL: Final = lazy_pattern(r"\d+(?:[.,:/\-]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*")
_LISTS: Final = ("details", "negations", "numbers", "tens", "months", "weekdays")
"""The lists of words that are details."""


@cache
def _detail_words() -> frozenset[str]:
    return frozenset[str]().union(*map(word_set, _LISTS))


def is_detail(word: str) -> bool:
    """Return whether a word in lower case is a number, a word of time or a negation."""
    return word[:1].isdigit() or word in _detail_words() or word.endswith("n't")


def details_of(text: str) -> tuple[str, ...]:
    """Return the numbers, words of time and negations of a text, in order."""
    words = (found[0].casefold().replace("’", "'") for found in _DETAIL.finditer(text))
    return tuple("not" if word.endswith("n't") else word for word in words if is_detail(word))


def digest_details(text: str, names: Collection[int]) -> int:
    """Return a hash that texts of the same details and names share: ``BITS`` bits, never 0."""
    known = f"{' '.join(details_of(text))} {sorted(names)}".encode()
    # 0 stands for details that nobody knows.
    return int.from_bytes(blake2b(known, digest_size=BITS // 8).digest(), "little") or 1


# ---------------------------------------------------------------- of episodes, by what is kept


def richness(gists: Gists | np.uint32) -> Gists:
    """Return the number of phrases that episodes have, 255 at most."""
    return np.asarray(gists & _RICHEST)


def detail_digests(gists: Gists) -> Gists:
    """Return the digests of episodes' details, 0 where they are not known."""
    return np.asarray(gists >> _RICHNESS_BITS)


def say_the_same(
    cosines: NDArray[np.float32], one: Gists | np.uint32, other: Gists | np.uint32, near: float
) -> NDArray[np.bool_]:
    """Return a mask of pairs that are nearer than ``near`` in meaning and differ in no detail."""
    # Digests that differ leave more than the low bits; two unknown ones are equal and say nothing.
    return np.asarray((cosines > near) & ((one ^ other) <= _RICHEST) & (one > _RICHEST))


# ---------------------------------------------------------------- of lines, by their words


def say_about_the_same(one: str, other: str) -> bool:
    """Return whether two lines have most of their words in common, and the same details."""
    (words, details), (others, others_details) = _words(one), _words(other)
    shared = len(words & others) >= _SHARED_WORDS * len(words | others)
    return shared and details == others_details


@lru_cache(maxsize=1 << 14)
def _words(text: str) -> tuple[frozenset[str], tuple[str, ...]]:
    return frozenset(text.casefold().split()), details_of(text)


# ---------------------------------------------------------------- of pairs that are to be merged

_SIGN: Final = lazy_pattern(
    r"(?<!\w)[-−](?=[\d.])|!=|[<>≤≥≠=]|(?<=\d)\s?[%‰]|(?<=\w)[+#]+(?!\w)|[?](?![?])"
)
_PICTURE: Final = lazy_pattern("[\u2600-\u27bf\U0001f300-\U0001faff]")
_WORD: Final = lazy_pattern(r"[^\W_]+")
_PART: Final = lazy_pattern(r"\d+|[^\W\d_]+")
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
    return code or word[1:] != word[1:].lower()  # the first capital may be the sentence's


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
