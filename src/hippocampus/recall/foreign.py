"""Limits of recall in a language, said beside what it found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from hippocampus.core.records import Degradation, Embedder
from hippocampus.encode.languages import ENGLISH, NAMES
from hippocampus.encode.model_files import DEFAULT_MODEL, MULTILINGUAL
from hippocampus.encode.terms import language_of
from hippocampus.index.query import Query
from hippocampus.language.foreign_intent import ASKED_IN
from hippocampus.language.time.lexicon import TIMED

_LOOKED_AT: Final = 3
"""Of the best memories, those whose language is told: enough to warn; set by hand."""
_LONGEST: Final = 400
"""Characters of each by which it is: dozens of words of grammar, where two are enough."""


def reads_script(embedder: Embedder, query: Query) -> bool:
    """
    Return whether an embedder tells words in the script of a question apart.

    The default model has one token for what is in hardly any script but Latin: to it "牙医" is like
    any text of Thai.
    """
    return embedder.fingerprint.name != DEFAULT_MODEL or query.is_latin


def foreign(query: Query, embedder: Embedder | None, texts: Sequence[str]) -> Iterator[Degradation]:
    """
    Yield the readings that a question lacks, for its language or that of its hits.

    Args:
        query: the question, bound.
        embedder: what embeds, if anything does.
        texts: the memories found, best first.

    """
    asked = query.language
    if asked not in (None, ENGLISH) and not query.small_talk:
        yield Degradation(part="language", reason=_unread(asked))
    if embedder is None or embedder.fingerprint.name != DEFAULT_MODEL:
        return
    unread = not reads_script(embedder, query)
    if query.vector is None and not unread:
        return
    told = (_language_of(text[:_LONGEST]) for text in texts[:_LOOKED_AT])
    languages = dict.fromkeys(one for one in (asked, *told) if one not in (None, ENGLISH))
    if languages or unread:
        some = " and ".join(NAMES[one] for one in languages) or "others"
        fix = (
            f"'hippocampus models install {MULTILINGUAL}' and 'hippocampus reembed {MULTILINGUAL}'"
        )
        reason = f"{DEFAULT_MODEL} was made for English, and hardly knows {some}; {fix} do"
        if unread:
            reason += "; it was not asked, for it cannot read the script of the question"
        yield Degradation(part="meaning", reason=reason)


def uncounted(asked: str | None, texts: Sequence[str]) -> Iterator[Degradation]:
    """
    Yield the languages that counting lacks: that of a question, and those of its nearest memories.

    Args:
        asked: the language of the question of what is to be counted; None if nobody can tell.
        texts: the memories nearest to it, best first.

    """
    if asked not in (None, ENGLISH):
        reason = f"the question is in {NAMES[asked]}, and what happened is counted in English alone"
        yield Degradation(part="language", reason=f"{reason}; what it may mean was only searched")
        return
    told = (_language_of(text[:_LONGEST]) for text in texts[:_LOOKED_AT])
    languages = dict.fromkeys(one for one in told if one not in (None, ENGLISH))
    if languages:
        some = " and ".join(NAMES[one] for one in languages)
        reason = f"memories near to it are in {some}, and those in English alone are counted"
        yield Degradation(part="language", reason=reason)


@lru_cache(maxsize=4096)
def _language_of(text: str) -> str | None:
    """Return the language of a memory's beginning; the same few are found by most questions."""
    return language_of(text)


def _unread(language: str) -> str:
    """Return the parts of a question that are not read in its language."""
    if language in ASKED_IN:
        what = "facts, what is counted and standing wishes are read in English alone"
    elif language in TIMED:
        what = "what it asks for (when, now, before, who, how many) and facts are not read in it"
    else:
        what = "times, what it asks for (when, now, before, who, how many) and facts are not read"
    return f"the question is in {NAMES[language]}: {what}; it was answered by the rest"
