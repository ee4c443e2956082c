"""
The late-interaction cue: for each token of the question, its best match in the episode.

The strongest single signal we measured (ColBERT's MaxSim: O. Khattab and M. Zaharia, SIGIR 2020),
on signatures of 32 bytes a token; tokens that tell little share one. Too costly to scan a bank
with, so it only scores what other cues propose.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Rows32
from hippocampus.core.records import Kind, Payloads
from hippocampus.index.archive import Archive
from hippocampus.index.cue import Mask, Scores
from hippocampus.index.growable_array import GrowableArray, Versioned
from hippocampus.index.query import Query
from hippocampus.kernel import maxsim

_COUNT: Final = 2
"""Bytes of how many tokens a text has, behind its codes where these are fewer."""
_MOST: Final = (1 << 8 * _COUNT) - 1
"""Largest count that fits there: of a longer text so many tokens count, and lengths only damp."""


def pack_codes(codes: NDArray[np.uint8], count: int) -> bytes:
    """Return an episode's payload: its codes, then of how many tokens, if that is not as many."""
    packed = codes.tobytes()
    return packed if count == len(codes) else packed + min(count, _MOST).to_bytes(_COUNT, "little")


class LateInteractionCue(Versioned):
    """Token signatures of ``bits`` bits, one span an episode."""

    kind: Kind = "tokens"

    def __init__(self, bits: int) -> None:
        self._codes = GrowableArray(np.uint8, bits // 8)
        self._ends = GrowableArray(np.uint64)
        self._ends.extend(np.zeros(1, np.uint64))  # each row's codes are between two of them
        self._counts = GrowableArray(np.uint16)

    def __len__(self) -> int:
        return len(self._ends) - 1

    @property
    def nbytes(self) -> int:
        return self._codes.nbytes + self._ends.nbytes + self._counts.nbytes

    def archive(self, archive: Archive) -> None:
        """Tell of its codes, and where those of each episode end."""
        archive.array("codes", self._codes, any_bits=True)
        archive.array("ends", self._ends)
        archive.array("counts", self._counts, any_bits=True)

    def observe(self, payloads: Payloads) -> None:
        width = self._codes.view.shape[1]
        codes, rest = np.divmod(payloads.lengths.astype(np.int64), width)
        data, counts = payloads.data, codes.copy()
        if rest.any():  # of junk no more than its whole codes is read
            stops = np.cumsum(payloads.lengths, dtype=np.int64)
            told = rest == _COUNT
            behind = stops[told][:, None] - _COUNT + np.arange(_COUNT)
            counts[told] = np.ascontiguousarray(data[behind]).view("<u2").ravel()
            data = data[np.repeat(np.tile([True, False], len(rest)), _both(codes * width, rest))]
        ends = np.cumsum(codes).astype(np.uint64)
        self._ends.extend(ends + np.uint64(len(self._codes)))
        self._counts.extend(np.minimum(counts, _MOST).astype(np.uint16))
        self._codes.extend(data.reshape(-1, width))

    def lengths(self, rows: Rows32) -> NDArray[np.int64]:
        """Return the number of tokens of each row, those that share a code included."""
        return self._counts.view[rows].astype(np.int64)

    def propose(self, question: Query, allowed: Mask | None, limit: int) -> Rows32:
        if question.tokens is None or not len(self):
            return np.empty(0, np.uint32)
        everyone = np.arange(len(self)) if allowed is None else np.flatnonzero(allowed)
        rows = everyone.astype(np.uint32)
        if len(rows) <= limit:
            return rows
        best = np.argsort(-self.matches(question, rows).mean(axis=1), kind="stable")
        return rows[best[:limit]]

    def score(self, question: Query, rows: Rows32) -> Scores | None:
        if question.tokens is None:
            return None
        found: Scores = self.matches(question, rows).mean(axis=1)
        return found

    def matches(self, question: Query, rows: Rows32) -> Scores:
        """Return each question token's best match in each row, a cosine, shape (rows, tokens)."""
        assert question.tokens is not None, "ask only when the question has tokens"
        return maxsim(self._codes.view, self._ends.view, question.tokens, rows)

    def matches_within(
        self, question: Query, rows: Rows32, first: NDArray[np.int64], stop: NDArray[np.int64]
    ) -> Scores:
        """Return the same of parts of rows, each from a code to before another; ascending."""
        assert question.tokens is not None, "ask only when the question has tokens"
        begins = self._ends.view[rows.astype(np.intp)]
        ends = np.zeros(2 * len(rows) + 2, np.uint64)
        ends[1:-1:2], ends[2:-1:2] = begins + first.view(np.uint64), begins + stop.view(np.uint64)
        ends[-1] = len(self._codes)
        parts = np.arange(1, len(ends) - 1, 2, dtype=np.uint32)  # what lies between is skipped
        return maxsim(self._codes.view, ends, question.tokens, parts)


def _both(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of both by turns."""
    return np.stack([one, other], axis=1).ravel()
