"""
Deeds that were planned before: "must give it back", and then "gave it back at last".

A question for a deed is answered by who tells it as done, in one of the question's words at least.
What told of it before, as something to come, may say it in more of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Rows32
from hippocampus.core.word_lists import Patterns, word_set
from hippocampus.encode.terms import hash_terms
from hippocampus.index.query import Query
from hippocampus.index.sorted_sets import each_once, is_among
from hippocampus.language.time.tense import is_past

_RE: Final = Patterns("questions")
_LONGEST: Final = 600
"""Characters of a text that are read: a plan or a deed is told in a turn of talk, not in a
document."""
_LEADING: Final = 3
"""Best rows that may be plans: behind them a plan stands in nobody's way. Set by hand."""


def done_since(query: Query, rows: Rows32, texts: Mapping[int, str]) -> NDArray[np.bool_]:
    """
    Return a mask of texts that tell as done what others only plan, shape (rows, rows).

    ``rows``: the best first.
    """
    nobody = np.zeros((len(rows), len(rows)), np.bool_)
    if query.state is not None or "past" not in query.intents:
        return nobody
    asked = asked_terms(query)
    said = [texts.get(row, "")[:_LONGEST] for row in rows.tolist()]
    leading = [plans(text, asked) for text in said[:_LEADING]]
    planned = np.array(leading + [False] * (len(said) - len(leading)), np.bool_)
    if not planned.any():
        return nobody
    done = ~planned & np.array(
        [is_among(asked, each_once(hash_terms(text))).any() and _tells_past(text) for text in said],
        np.bool_,
    )
    return np.outer(done, planned)


def asked_terms(query: Query) -> NDArray[np.uint32]:
    """Return the hashes of what a question asks for, ascending."""
    return each_once(query.terms[query.term_weights > 0])


def plans(text: str, asked: NDArray[np.uint32]) -> bool:
    """Return whether the clauses that have most of what is asked tell of something to come."""
    if _RE.planned.search(text) is None:  # most texts end here
        return False
    clauses = [part for part in _RE.clause_ends.split(text) if part.strip()]
    shared = [int(is_among(each_once(hash_terms(part)), asked).sum()) for part in clauses]
    most = max(shared, default=0)
    return most > 0 and any(
        _RE.planned.search(part) is not None
        for part, count in zip(clauses, shared, strict=True)
        if count == most
    )


def _tells_past(text: str) -> bool:
    words = (match.group().lower() for match in _RE.written_word.finditer(text))
    return any(is_past(word) or word in word_set("irregular_participles") for word in words)
