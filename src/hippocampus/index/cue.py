"""The protocol of a cue: one way into memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Rows32
from hippocampus.core.records import Kind, Payloads
from hippocampus.index.query import Query
from hippocampus.kernel import top_k

Mask = NDArray[np.bool_]
Scores = NDArray[np.float32]


class Cue(Protocol):
    """
    One way into memory, over the episodes of one bank.

    Rows are dense and observed in order, once. A version of a cue is read by any number of threads
    while its fork takes in more (``growable_array.Versioned``). A cue knows nothing of other cues
    or of the store; it is built from payloads alone and can be dropped and rebuilt at any time. The
    allowed set is applied inside ``propose``: a row outside it is never returned and never
    displaces another.
    """

    @property
    def kind(self) -> Kind:
        """Kind of the payloads that the cue is built from."""
        ...

    @property
    def nbytes(self) -> int:
        """Bytes held in memory."""
        ...

    def __len__(self) -> int:
        """Return the number of rows that were observed."""
        ...

    def fork(self) -> Self:
        """Return a version that may grow on, which is not seen in this one."""
        ...

    def observe(self, payloads: Payloads) -> None:
        """Take in the payloads of the next rows; an empty payload is an episode it cannot see."""
        ...

    def propose(self, question: Query, allowed: Mask | None, limit: int) -> Rows32:
        """Return up to ``limit`` allowed rows, best first; none when the question gives no hold."""
        ...

    def score(self, question: Query, rows: Rows32) -> Scores | None:
        """Score given rows, which ascend, in order; None: the question gives no hold."""
        ...


class DenseCue(ABC):
    """A cue that scores all rows at once: it proposes the best of them and looks given ones up."""

    @abstractmethod
    def scores(self, question: Query) -> Scores | None:
        """Score every row, shape (n,), from 0 up; None: the question gives no hold."""

    def propose(self, question: Query, allowed: Mask | None, limit: int) -> Rows32:
        scores = self.scores(question)
        return np.empty(0, np.uint32) if scores is None else best_rows(scores, limit, allowed)

    def score(self, question: Query, rows: Rows32) -> Scores | None:
        scores = self.scores(question)
        return None if scores is None else scores[rows]


def best_rows(scores: Scores, limit: int, allowed: Mask | None) -> Rows32:
    """Return up to ``limit`` allowed rows of positive scores, shape (n,), best first."""
    best = top_k(scores, limit, None if allowed is None else allowed.view(np.uint8))
    return best[scores[best] > 0]  # ``top_k`` fills up with rows that score nothing
