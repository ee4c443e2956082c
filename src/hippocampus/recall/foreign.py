"""What recall cannot do in a language, said beside what it found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from hippocampus.core.records import Degradation, Embedder
from hippocampus.encode.languages import ENGLISH, NAMES
from hippocampus.encode.model_files import DEFAULT_MODEL, MULTILINGUAL
from hippocampus.encode.terms import language_of
from hippocampus.index.query import Query

_LOOKED_AT: Final = 3
"""Of the best memories, those whose language is told."""
_LONGEST: Final = 400
"""Characters of each by which it is."""


def foreign(query: Query, embedder: Embedder | None, texts: Sequence[str]) -> Iterator[Degradation]:
    """
    Yield what a question could not be asked, for its language or that of what it found.

    Args:
        query: the question, bound.
        embedder: what embeds, if anything does.
        texts: the memories found, best first.

    """
    asked = language_of(query.text)
    if asked not in (None, ENGLISH):
        reason = (
            f"what a question in {NAMES[asked]} asks for (when, now, before, who, how many) is read"
            " in English alone; it was answered by words and meaning"
        )
        yield Degradation(part="language", reason=reason)
    if query.vector is None or embedder is None or embedder.fingerprint.name != DEFAULT_MODEL:
        return
    told = (language_of(text[:_LONGEST]) for text in texts[:_LOOKED_AT])
    languages = dict.fromkeys(one for one in (asked, *told) if one not in (None, ENGLISH))
    if languages:
        some = " and ".join(NAMES[one] for one in languages)
        fix = (
            f"'hippocampus models install {MULTILINGUAL}' and 'hippocampus reembed {MULTILINGUAL}'"
        )
        reason = f"{DEFAULT_MODEL} was made for English, and hardly knows {some}; {fix} do"
        yield Degradation(part="meaning", reason=reason)
