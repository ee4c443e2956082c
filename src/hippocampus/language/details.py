"""
The details of a text: numbers, words of time, names and negations.

Two sentences that differ in one of these are as near to an embedder as two wordings of one
sentence. Where near duplicates are merged, their details decide whether they say the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from hashlib import blake2b
from typing import Final

from hippocampus.core.word_lists import word_set

BITS: Final = 24
_WORD = re.compile(r"\d+(?:[.,:/\-]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*")
_LISTS: Final = ("details", "negations", "numbers", "tens", "months", "weekdays")
"""The lists of words that are details."""


@cache
def _details() -> frozenset[str]:
    return frozenset[str]().union(*map(word_set, _LISTS))


def is_detail(word: str) -> bool:
    """Return whether a word in lower case is a number, a word of time or a negation."""
    return word[:1].isdigit() or word in _details() or word.endswith("n't")


def details_of(text: str) -> tuple[str, ...]:
    """Return the numbers, words of time and negations of a text, in order."""
    words = (found[0].casefold().replace("’", "'") for found in _WORD.finditer(text))
    return tuple("not" if word.endswith("n't") else word for word in words if is_detail(word))


def digest_details(text: str, names: Collection[int]) -> int:
    """Return what texts share whose details and names are the same: ``BITS`` bits, never 0."""
    known = f"{' '.join(details_of(text))} {sorted(names)}".encode()
    return int.from_bytes(blake2b(known, digest_size=BITS // 8).digest(), "little") or 1
