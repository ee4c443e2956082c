"""The protocol of a cue: one way into memory."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.records import Kind, Payloads
from hippocampus.index.query import Query

Mask = NDArray[np.bool_]
Rows = NDArray[np.uint32]
Scores = NDArray[np.float32]


class Cue(Protocol):
    """
    One way into memory, over the episodes of one bank.

    Rows are dense and observed in order, once. A cue knows nothing of other cues or of the store;
    it is built from payloads alone and can be dropped and rebuilt at any time. The allowed set is
    applied inside ``propose``: a row outside it is never returned and never displaces another.
    """

    @property
    def name(self) -> str:
        """What the cue is called in settings and explanations."""
        ...

    @property
    def kind(self) -> Kind:
        """Which payloads the cue is built from."""
        ...

    @property
    def nbytes(self) -> int:
        """Bytes held in memory."""
        ...

    def __len__(self) -> int:
        """How many rows have been observed."""
        ...

    def observe(self, payloads: Payloads) -> None:
        """Take in the payloads of the next rows; an empty payload is an episode it cannot see."""
        ...

    def propose(self, question: Query, allowed: Mask | None, limit: int) -> Rows:
        """Return up to ``limit`` allowed rows, best first; none when the question gives no hold."""
        ...

    def score(self, question: Query, rows: Rows) -> Scores | None:
        """Score given rows, which ascend, in order; None: the question gives no hold."""
        ...
