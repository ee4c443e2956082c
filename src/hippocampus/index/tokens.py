"""
The late-interaction cue: for each token of the question, its best match in the episode.

The strongest single signal we measured (ColBERT's MaxSim: O. Khattab and M. Zaharia, SIGIR 2020),
on signatures of 32 bytes a token. Too costly to scan a bank with, so it only scores what other
cues propose.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hippocampus.index.base import Mask, Question, Rows, Scores
from hippocampus.index.growing import Growing
from hippocampus.kernel import maxsim
from hippocampus.model import Kind, Payloads


class TokensCue:
    """Token signatures of ``bits`` bits, one span an episode."""

    name = "tokens"
    kind: Kind = "tokens"

    def __init__(self, bits: int) -> None:
        self._width = bits // 8
        self._codes: list[NDArray[np.uint8]] = []
        self._chunk: Growing[np.int32] = Growing(np.int32)
        self._start: Growing[np.int64] = Growing(np.int64)
        self._count: Growing[np.int32] = Growing(np.int32)

    def __len__(self) -> int:
        return len(self._count)

    @property
    def nbytes(self) -> int:
        codes = sum(chunk.nbytes for chunk in self._codes)
        return codes + self._chunk.nbytes + self._start.nbytes + self._count.nbytes

    def observe(self, payloads: Payloads) -> None:
        counts = (payloads.lengths // self._width).astype(np.int32)
        ends = np.cumsum(counts, dtype=np.int64)
        self._chunk.extend(np.full(len(counts), len(self._codes), np.int32))
        self._start.extend(ends - counts)
        self._count.extend(counts)
        self._codes.append(payloads.data.reshape(-1, self._width))

    def lengths(self, rows: Rows) -> NDArray[np.int32]:
        """Return how many tokens each row has."""
        return self._count.view[rows]

    def propose(self, question: Question, allowed: Mask | None, limit: int) -> Rows:
        if question.tokens is None or not len(self):
            return np.empty(0, np.uint32)
        everyone = np.arange(len(self)) if allowed is None else np.flatnonzero(allowed)
        rows = everyone.astype(np.uint32)
        if len(rows) <= limit:
            return rows
        best = np.argsort(-self.matches(question, rows).mean(axis=1), kind="stable")
        return rows[best[:limit]]

    def score(self, question: Question, rows: Rows) -> Scores | None:
        if question.tokens is None:
            return None
        found: Scores = self.matches(question, rows).mean(axis=1)
        return found

    def matches(self, question: Question, rows: Rows) -> Scores:
        """Return each question token's best match in each row, a cosine, shape (rows, tokens)."""
        assert question.tokens is not None, "ask only when the question has tokens"
        counts = self._count.view[rows]
        offsets = np.zeros(len(rows) + 1, np.uint64)
        np.cumsum(counts, out=offsets[1:])
        starts = self._start.view[rows].tolist()
        chunks = self._chunk.view[rows].tolist()
        codes = self._codes
        spans = [
            codes[chunk][start : start + count]
            for chunk, start, count in zip(chunks, starts, counts.tolist(), strict=True)
        ]
        gathered = np.concatenate(spans) if spans else np.empty((0, self._width), np.uint8)
        return maxsim(gathered, offsets, question.tokens)
