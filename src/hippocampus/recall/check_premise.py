"""Check the premise of a question against the best rows: one of them should have all it names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Rows32
from hippocampus.encode.languages import ENGLISH
from hippocampus.encode.terms import language_of
from hippocampus.index.bank_index import BankIndex
from hippocampus.index.query import Query
from hippocampus.language.nouns import use_of
from hippocampus.language.relations import asks_the_same, relation_of, relations_asked_by
from hippocampus.recall.evidence import hashes_of_names, spelled
from hippocampus.recall.premise import Premise
from hippocampus.recall.spreading_activation import ReadTexts

_GENITIVE: Final = re.compile("['’]s?$")
_WORD: Final = re.compile(r"[^\W\d_]+")
_BY_NOUN: Final = frozenset({"pet", "sibling", "child", "parent"})
"""Relations that are told by a noun for who it is, seldom by a verb."""
_TELLING: Final = 400
"""Characters of a text that tell its language: dozens of words of grammar, where two are enough."""
_READ: Final = 4000
"""Characters of a text that are read: a bound on what ten long texts cost, set by hand."""
_NOUN: Final = 0.5
"""Share of noun uses from which on a word names something: a noun more often than not."""


def check_premise(
    index: BankIndex,
    query: Query,
    rows: Rows32,
    read: ReadTexts | None = None,
    facts: NDArray[np.bool_] | None = None,
) -> Premise | None:
    """
    Return the part of a question's premise that the best rows meet; None where nobody can tell.

    Which words name something is known of English alone. An order to tell of a whole conversation
    supposes nothing by its words; its leading hits are judged by themselves. What is asked of the
    world supposes nothing of anybody, and a best row in another language has none of its words.
    ``read``: the texts of rows, where they may be looked into.
    ``facts``: which rows tell the fact that is asked for, shape (rows,): they may do so without
    the word that it is asked by.
    """
    of_the_world = query.impersonal and not (query.speakers or query.definite)
    asked = len(query.terms) and "lexical" in query.cues and query.conversation is None
    asked = asked and not of_the_world
    if not asked or not len(rows) or query.language not in (None, ENGLISH):
        return None
    speakers = hashes_of_names(query.speakers)
    words = {
        word.hash: query.spelled(word)
        for word in query.words
        if not word.function and word.hash not in speakers
        if word.end <= query.own_end  # what is pasted behind that is not supposed
    }
    there, places = spelled(index.cues.lexical.matches(query, rows) > 0, query)
    terms = query.terms[places].tolist()
    named = [at for at, term in enumerate(terms) if term in words and _names(words[term])]
    has = there[:, named] > 0
    if read is not None and not has.all(axis=1).any() and _is_foreign(int(rows[0]), read):
        return None
    asked_by = [words[terms[at]] for at in named]
    if read is not None and not has.all(axis=1).any():
        has |= _said_otherwise(query, asked_by, rows, read, facts)
    said = [_GENITIVE.sub("", word) for word in asked_by]
    nowhere = np.flatnonzero(~has.any(axis=0)).tolist()
    return Premise(
        words=len(words),
        whole=bool(has.all(axis=1).any()),
        open=query.advice or bool(query.intervals),
        of_speaker=bool(query.speakers),
        named=tuple(said),
        lacking=tuple(said[at] for at in nowhere),
        told=facts is not None and bool(has[facts].all(axis=1).any()),
        unowned=read is not None and _is_unowned(query, [said[at] for at in nowhere], rows, read),
    )


def _is_foreign(row: int, read: ReadTexts) -> bool:
    """Return whether a text is in another language than English, whose words it cannot have."""
    return _language_of(read([row]).get(row, "")[:_TELLING]) not in (None, ENGLISH)


@lru_cache(maxsize=4096)
def _language_of(text: str) -> str | None:
    """Return the language of a memory's beginning; the same few are found by most questions."""
    return language_of(text)


def _said_otherwise(
    query: Query,
    asked_by: Sequence[str],
    rows: Rows32,
    read: ReadTexts,
    facts: NDArray[np.bool_] | None,
) -> NDArray[np.bool_]:
    """Return a mask of the nouns told of in other words: a manager as "boss", or by a fact."""
    nouns = [_GENITIVE.sub("", word).casefold() for word in asked_by]
    met = np.zeros((len(rows), len(nouns)), np.bool_)
    places = [at for at, noun in enumerate(nouns) if _is_relation(noun)]
    if not places:
        return met
    texts = read([int(row) for row in rows])
    for at, row in enumerate(rows.tolist()):
        told = {word.casefold() for word in _WORD.findall(texts.get(row, "")[:_READ])}
        for place in places:
            met[at, place] = any(asks_the_same(nouns[place], word) for word in told)
    if facts is not None and query.fact is not None:
        met[np.ix_(np.flatnonzero(facts), np.array(places))] = True
    return met


def _is_relation(noun: str) -> bool:
    return relation_of(noun) is not None or bool(relations_asked_by(noun))


def _is_unowned(query: Query, lacking: Sequence[str], rows: Rows32, read: ReadTexts) -> bool:
    """
    Return whether a question takes one who speaks to have somebody of whom no best row tells.

    "Ada's cat", where none has an animal; who is married or a friend may be told of by other words.
    """
    owners = {name.casefold() for name in query.speakers}
    missed = {word.casefold() for word in lacking}
    theirs = {
        noun.casefold()
        for one in query.possessives
        if one.of is None and one.owner.casefold() in owners
        for noun in list(filter(_names, one.what))[-1:]  # no "called", and of a "dog walker" that
    }
    of = {_relation(word) for word in theirs & missed} & _BY_NOUN
    if not of:
        return False
    texts = read([int(row) for row in rows])
    told = {_relation(word) for text in texts.values() for word in _WORD.findall(text[:_READ])}
    return of.isdisjoint(told)


@lru_cache(maxsize=1 << 12)
def _relation(word: str) -> str | None:
    return relation_of(word.casefold())


def _names(word: str) -> bool:
    """Return whether a word names something; what no dictionary has is taken for a name."""
    return use_of(_GENITIVE.sub("", word).casefold()).noun >= _NOUN
