"""
Descriptions of persons: "Ana's oldest friend is Mia", and however else a text puts it.

Read by nearness and kind, not by phrases: where an owner and a noun stand in one sentence or in two
that follow each other, who is meant is the name nearest to the noun. It serves questions whose
answer is a step further on ("the boat with Ana's cousin"), where no rule has read whose cousin
somebody is (``statement_rules.py``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.core.word_lists import word_set
from hippocampus.encode.terms import hash_terms
from hippocampus.language.noun_phrases import Phrase, find_phrases, key_of
from hippocampus.language.nouns import kinds, singular

_SENTENCE: Final = lazy_pattern(r"[^.!?\n]+[.!?\n]*")
_WORD: Final = lazy_pattern(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_HERS: Final = lazy_pattern(r"\b(?:his|her|their)(?:\s+[\w-]+)?\s+$", re.IGNORECASE)
_NO_PERSON: Final = frozenset({"location", "region", "time period", "calendar month", "day"})
_REACH: Final = 160
"""Characters between a noun and who it describes, at most: a sentence or two (docs/adr/0064)."""


def is_person_noun(noun: str) -> bool:
    """Return whether a noun in lower case is what a person can be to somebody: "friend"."""
    return noun in word_set("kin") or "person" in kinds(singular(noun))


def described_person(text: str, owner: str, noun: str) -> str | None:
    """Return the person a text calls an owner's ``noun``; None if it says none, or denies it."""
    terms, own = set(hash_terms(noun).tolist()), key_of(owner)
    found: list[tuple[int, str]] = []
    for start, end in _windows(text):
        inside = text[start:end]
        names = find_phrases(inside, only_names=True)
        # Whose somebody is must stand there; another owner's friend is not meant.
        if all(phrase.key != own for phrase in names):
            continue
        others = [phrase for phrase in names if own not in map(key_of, phrase.name.split())]
        for word in _WORD.finditer(inside):
            if not terms.isdisjoint(hash_terms(word[0]).tolist()):
                found += _described(inside, word.span(), others)
    return min(found)[1] if found else None


def _described(
    text: str, noun: tuple[int, int], names: Iterable[Phrase]
) -> Iterator[tuple[int, str]]:
    """Yield the names that a noun at a place may describe, and how far each is from it."""
    start, end = noun
    # "Jo came to Ada's. Her aunt was there": nobody says that it is Jo.
    own = _HERS.search(text, 0, start)
    earliest = 0 if own is None else max(text.rfind(mark, 0, start) for mark in ".!?\n")
    for name in names:
        gap = max(name.start - end, start - name.end)
        says = text[name.end : name.end + 1] == ":"  # who speaks, not who is spoken of
        if name.start >= earliest and 0 <= gap <= _REACH and not says and _may_be_person(name.name):
            yield gap, text[name.start : name.end]


def _windows(text: str) -> Iterator[tuple[int, int]]:
    """Yield sentences, and then each two that follow each other."""
    spans = [match.span() for match in _SENTENCE.finditer(text)]
    yield from spans
    yield from ((first[0], second[1]) for first, second in pairwise(spans))


def _may_be_person(name: str) -> bool:
    above = kinds(name.lower())
    return _NO_PERSON.isdisjoint(above)
