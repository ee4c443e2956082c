"""
The provenance of a sentence that a language model worded: the episodes that its words come from.

A model says what it made of many turns, and not of which. So the turns are sought that have the
sentence's words, the rare ones before all: each time the one that has most of what no other has
yet, until what is left is little (greedy cover).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Final

import numpy as np

from hippocampus.index.bank_index import BankIndex
from hippocampus.index.cue import Mask
from hippocampus.recall.parse import parse

_CANDIDATES: Final = 64
"""Turns that are looked at, the best by BM25; a bound set by hand."""
_MOST: Final = 5
"""Turns that a sentence may come from: a source that is one of many proves nothing. Set by hand."""
_LEAST: Final = 0.15
"""The part of a sentence's rarity that one more turn must add, a word or two of eight: less is
shared by chance. Set by hand."""
_SENTENCE: Final = re.compile(r"(?<=[.!?;。！？])\s+|[；;]\s*")


def sentences_of(text: str) -> Iterator[str]:
    """Yield the sentences of a line, and what stands between its semicolons."""
    for part in _SENTENCE.split(text):
        if part.strip():
            yield part.strip()


def trace(index: BankIndex, sentence: str, allowed: Mask, now: datetime) -> list[int]:
    """
    Return the rows that a sentence comes from, the one with most of it first.

    Args:
        index: of the bank.
        sentence: in a model's words.
        allowed: rows that it may come from.
        now: the present moment; the sentence is read as a question is.

    """
    query, words = parse(sentence, now=now, cues=frozenset({"lexical"})), index.cues.lexical
    rows = words.propose(query, allowed, _CANDIDATES)
    weighs = query.term_weights > 0
    if not len(rows) or not weighs.any():
        return []
    has = words.matches(query, rows) > 0
    rarity = np.where(has.any(axis=0), words.rarity(query.terms[weighs]), 0.0)
    left, found = rarity.copy(), list[int]()
    while len(found) < _MOST:
        gains = has @ left
        best = int(np.argmax(gains))
        if gains[best] <= _LEAST * rarity.sum():
            break
        found.append(int(rows[best]))
        left[has[best]] = 0.0
    return found
