"""Families of words: one key for all that is derived from a verb, "run", "ran" and "runs" alike."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Final

from hippocampus.core.word_lists import word_list, word_set
from hippocampus.encode.terms import stem
from hippocampus.language.nouns import kinds, singular, use_of

_NOUN: Final = 0.8
"""Share of its uses as a noun from which a word is no verb, and its form in -ing another noun."""
_SHORTEST: Final = 3
"""Letters from which on a form may be the tail of an unknown compound: "parkrun"."""


@cache
def _forms() -> Mapping[str, tuple[str, ...]]:
    """Return the stems of the forms of verbs, the first form first, by each form."""
    found: dict[str, tuple[str, ...]] = {}
    for line in word_list("irregular_verbs"):
        forms = line.split()
        stems = tuple(dict.fromkeys(map(stem, forms)))
        for form in (*forms, *stems):
            found.setdefault(form, stems)
    return found


@lru_cache(maxsize=1 << 14)
def key_of_family(word: str) -> str:
    """Return the stem of the first form of a word in lower case: of "ran" and "running", "run"."""
    known = _forms().get(word) or _forms().get(stem(word))
    return known[0] if known else stem(word)


@cache
def families(*words: str) -> frozenset[str]:
    """Return the stems of the families of some words."""
    return frozenset(map(key_of_family, words))


def stems_of_family(key: str) -> tuple[str, ...]:
    """Return the stems under which words of a family are indexed."""
    return _forms().get(key, (key,))


@lru_cache(maxsize=1 << 14)
def is_compound_of(word: str, key: str) -> bool:
    """Return whether a word that is in no dictionary ends as one of a family: "parkrun", "run"."""
    # A word that is known is another, though it ends so: "drink" and "ink".
    if len(key) < _SHORTEST or len(word) <= len(key) or use_of(word).known:
        return False
    return word.endswith((key, f"{key}s")) and word != key


def is_unmarked_past(word: str) -> bool:
    """Return whether a verb in lower case is the same in the past: "hit", "put"."""
    return word in word_set("irregular_pasts") and word not in word_set("irregular_past_forms")


def belongs(word: str, key: str) -> bool:
    """Return whether a word in lower case is one of a family."""
    return key_of_family(word) == key or is_compound_of(word, key)


def is_derived(word: str, asked: frozenset[str]) -> bool:
    """Return whether a word in -ing is another noun than the one that is asked for: "housing"."""
    if not word.endswith("ing") or word in asked:
        return False
    nouns = (
        singular(one)
        for one in asked
        if not one.endswith("ing") and belongs(word, key_of_family(one))
    )
    return any(use_of(noun).noun >= _NOUN for noun in nouns)


@lru_cache(maxsize=1 << 12)
def is_event(noun: str) -> bool:
    """Return whether a noun names what takes place: "lesson", "chess", not "dentist"."""
    above = kinds(singular(noun))
    return not word_set("kinds_of_events").isdisjoint(above) or noun.endswith("ing")


@lru_cache(maxsize=1 << 14)
def is_kind_of(noun: str, above: str) -> bool:
    """Return whether a noun, as far as it is known, may be a thing of some kind."""
    one, whole = singular(noun), singular(above)
    return one == whole or not use_of(noun).known or whole in kinds(one)
