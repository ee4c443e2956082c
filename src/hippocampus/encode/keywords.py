"""The words a question is about, and the token ids by which a text would have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from hippocampus.encode import tokens
from hippocampus.encode.terms import find_terms

Form: TypeAlias = tuple[int, ...]
"""Token ids of one way to write a keyword."""


class KeywordExtractor(Protocol):
    """
    Chooses the keywords of a question: in DWM (section 3.3) the task of a small language model.

    Raises ``EncoderError`` when it cannot, and recall goes on with ``find_keywords``.
    """

    def __call__(self, query: str, /) -> Sequence[str]:
        """Return the words that best describe what is asked for, the most telling first."""
        ...


MOST_KEYWORDS = 64
"""Keywords of one question at most. A query with more is a text, and each costs a search."""


MOST_TOKENS = 32
"""Tokens of a spelling at most: one that is longer, and no word, is told by how it begins."""


def find_keywords(query: str) -> list[str]:
    """Return the words of a question that carry content, each once; all when none does."""
    found = find_terms(query)
    content = [term for term in found if not term.function] or found
    words = (query[term.start : term.end] for term in content)
    bare = (word.removesuffix("'s").removesuffix("’s") for word in words)
    return list(dict.fromkeys(word for word in bare if word))


def forms(keyword: str) -> tuple[Form, ...]:
    """Return the ids of a keyword's spellings: in three letter cases, after a space and not."""
    ways = dict.fromkeys((keyword, keyword.lower(), keyword.capitalize()))
    return tuple(
        dict.fromkeys(
            tuple(tokens.encode(lead + way)[:MOST_TOKENS]) for way in ways for lead in ("", " ")
        )
    )
