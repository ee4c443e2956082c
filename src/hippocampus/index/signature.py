"""
The cue without an embedder: keywords by the signatures of their tokens (DWM, sections 3.2.2, 3.3).

What the paper returns, the episodes in which all keywords occur, is ``together``. As a cue it ranks
instead: an episode counts the keywords it holds, each as much as it is rare.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Rows, Rows32
from hippocampus.core.budget import check_budget
from hippocampus.core.records import Kind, Payloads
from hippocampus.index.cue import Mask, Scores, best_rows
from hippocampus.index.growable_array import GrowableArray, Versioned
from hippocampus.index.hamming import Codes
from hippocampus.index.query import Query
from hippocampus.index.sorted_sets import each_once

Keyword: TypeAlias = Sequence[NDArray[np.uint8]]
"""The signatures of each spelling of a keyword, shape (tokens, bits / 8)."""

_RANK_NS = 14.0
"""Nanoseconds of a rank for each level of the matrix: two ranks of 32 levels take 0.9 µs
(docs/adr/0013)."""


class _Answer(NamedTuple):
    """Rows that hold each keyword of a question, shape (keywords, rows), and what was searched."""

    question: Query
    held: NDArray[np.bool_]
    hamming_searches: Mapping[str, int]


class SignatureCue(Versioned):
    """Token signatures of ``bits`` bits, one span an episode, matched within ``radius``."""

    kind: Kind = "signature"

    def __init__(self, bits: int, radius: int) -> None:
        self.codes = Codes(bits)
        self.radius = radius
        self._ends = GrowableArray(np.int64)
        self._ends.extend(np.zeros(1, np.int64))
        self._last: _Answer | None = None

    def __len__(self) -> int:
        return len(self._ends) - 1

    @property
    def nbytes(self) -> int:
        return self.codes.nbytes + self._ends.nbytes

    @property
    def present(self) -> Mask:
        """Mask of episodes with signatures, shape (rows,)."""
        there: Mask = np.diff(self._ends.view) > 0
        return there

    def observe(self, payloads: Payloads) -> None:
        width = self.codes.bits // 8
        ends = np.cumsum(payloads.lengths // width, dtype=np.int64)
        self._ends.extend(ends + len(self.codes))
        self.codes.extend(payloads.data.reshape(-1, width))

    def reads_as(self, other: SignatureCue) -> bool:
        """Return whether it is of signatures that are made and matched as those of another."""
        return (self.codes.bits, self.radius) == (other.codes.bits, other.radius)

    def without(self, gone: Rows) -> SignatureCue:
        """Return a cue as if it were made anew after rows were erased: they have no signatures."""
        rest, lengths = SignatureCue(self.codes.bits, self.radius), np.diff(self._ends.view)
        rows = np.repeat(np.arange(len(self)), lengths)
        rest.codes.extend(self.codes.but(np.isin(rows, gone)))
        lengths[gone] = 0
        rest._ends.extend(np.cumsum(lengths))
        return rest

    def propose(self, question: Query, allowed: Mask | None, limit: int) -> Rows32:
        if not question.keywords or not len(self):
            return np.empty(0, np.uint32)
        held = self._answer(question).held
        return best_rows(rarity(held) @ held.astype(np.float32), limit, allowed)

    def score(self, question: Query, rows: Rows32) -> Scores | None:
        if not question.keywords:
            return None
        found: Scores = self.matches(question, rows) @ self.rarity(question)
        return found

    def matches(self, question: Query, rows: Rows32) -> Scores:
        """Return 1 or 0 for each row and keyword, by whether it is held, shape (rows, keywords)."""
        return self._answer(question).held[:, rows.astype(np.intp)].T.astype(np.float32)

    def rarity(self, question: Query) -> Scores:
        """Return the inverse document frequency of each keyword, at least 0."""
        return rarity(self._answer(question).held)

    def searches(self, question: Query) -> Mapping[str, int]:
        """Return the number of Hamming balls that were searched for a question, by way."""
        return self._answer(question).hamming_searches

    def together(self, keywords: Sequence[Keyword], radius: int) -> NDArray[np.int64]:
        """
        Return the rows that hold every keyword, ascending: the search of DWM, section 3.2.2.

        The rarest is looked for first. The others are verified inside the spans found so far by
        differences of ranks where that is exact and cheaper, else looked for everywhere as well.
        """
        if not keywords:
            return np.empty(0, np.int64)
        first, *others = sorted(keywords, key=lambda keyword: self._occurrences(keyword, radius))
        rows = self.rows(first, radius)
        for keyword in others:
            if not len(rows):
                break
            if self._verifies(keyword, radius, len(rows)):
                starts, ends = self._ends.view[rows], self._ends.view[rows + 1]
                inside = [self.codes.holds(form[0], starts, ends) for form in keyword]
                rows = rows[reduce(np.logical_or, inside)]
            else:
                rows = np.intersect1d(rows, self.rows(keyword, radius), assume_unique=True)
        return rows

    def rows(self, keyword: Keyword, radius: int) -> NDArray[np.int64]:
        """Return the rows that hold a spelling of a keyword, its tokens in sequence; ascending."""
        every = [self._spelled(form, radius, Counter()) for form in keyword]
        return each_once(np.concatenate(every))

    def _spelled(
        self, form: NDArray[np.uint8], radius: int, searches: Counter[str]
    ) -> NDArray[np.int64]:
        """Return the rows that hold one spelling, as often as they do, ascending."""
        check_budget()
        first, way = self.codes.ball(form[0], radius)
        searches[way] += 1
        for behind in range(1, len(form)):
            if not len(first):
                break
            after, way = self.codes.ball(form[behind], radius)
            searches[way] += 1
            first = np.intersect1d(first, after - behind, assume_unique=True)
        ends = self._ends.view[1:]
        rows = np.searchsorted(ends, first, side="right")
        if len(form) == 1:
            return rows
        return rows[first + len(form) <= ends[rows]]  # none goes on in the next episode

    def _occurrences(self, keyword: Keyword, radius: int) -> int:
        return sum(min(self.codes.occurrences(code, radius) for code in form) for form in keyword)

    def _verifies(self, keyword: Keyword, radius: int, spans: int) -> bool:
        """Return whether ranks tell what holds a keyword, and do so in less time than a scan."""
        # Ranks find equal codes alone, one at a time, and what the matrix has.
        if radius or 2 * self.codes.in_matrix < len(self.codes) or any(len(f) > 1 for f in keyword):
            return False
        return 2 * spans * _RANK_NS * self.codes.bits < self.codes.scan_ns(len(self.codes))

    def _answer(self, question: Query) -> _Answer:
        """Look for the keywords of a question; remembered for one question."""
        last = self._last
        if last is not None and last.question is question and last.held.shape[1] == len(self):
            return last
        held = np.zeros((len(question.keywords), len(self)), np.bool_)
        searches: Counter[str] = Counter()
        for keyword, row in zip(question.keywords, held, strict=True):
            for form in keyword:
                row[self._spelled(form, self.radius, searches)] = True
        # One recall asks for proposals, and then for scores of the same.
        self._last = _Answer(question, held, dict(searches))
        return self._last


def rarity(held: NDArray[np.bool_]) -> Scores:
    """Return the inverse document frequency of keywords from which rows hold them, float32."""
    frequency = held.sum(axis=1, dtype=np.float32)
    # ln(1 + (N - df + 0.5) / (df + 0.5)), on one denominator
    rare: Scores = np.log(np.float32(held.shape[1] + 1) / (frequency + np.float32(0.5)))
    return rare
