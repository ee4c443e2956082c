"""
Subjects of a text that are names: "Ada" of "Ada lives in Porto now", whoever says it.

A name is one where a verb follows it. Who is only addressed ("Ada, look!"), asked about ("does Ada
row?") or has a part ("I went with Ada") is none. English.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from hippocampus.core.word_lists import Patterns, word_set
from hippocampus.language.nouns import use_of
from hippocampus.language.time.tense import is_past

_RE = Patterns("subjects")
_LONGEST = 1000
"""Characters of a text that are read: of a longer one its beginning tells of whom it is."""
_VERB = 0.3
"""Share of its uses as a verb from which on a word behind a name is its verb."""


@lru_cache(maxsize=4096)
def named_subjects(text: str) -> frozenset[str]:
    """Return the names in lower case of which a text states something as of its subjects."""
    return frozenset(_subjects(text[:_LONGEST]))


@lru_cache(maxsize=4096)
def speaks_of_self(text: str) -> bool:
    """Return whether a text has a word for who says it: "I", "our"."""
    return _RE.self.search(text[:_LONGEST]) is not None


def _subjects(text: str) -> Iterator[str]:
    for match in _RE.subject.finditer(text):
        sentence_end = _RE.end.search(text, match.end())
        asked = sentence_end is not None and sentence_end[0] == "?"
        before = (match["before"] or "").lower()
        led = before in word_set("finite_auxiliaries") or before in word_set("before_names")
        name = match["name"].lower()
        if asked or led or name in word_set("function_words"):
            continue
        if _is_verb(match["verb"].lower()):
            yield name


@lru_cache(maxsize=1 << 12)
def _is_verb(word: str) -> bool:
    """Return whether a word behind a name is its verb: an auxiliary, a past, or "lives"."""
    if word in word_set("finite_auxiliaries") or word in ("'s", "’s") or is_past(word):
        return True
    bases = [word.removesuffix(ending) for ending in ("s", "es") if word.endswith(ending)]
    return any(use_of(base).known and use_of(base).verb >= _VERB for base in (word, *bases))
