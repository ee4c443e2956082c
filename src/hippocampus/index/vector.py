"""The meaning cue: pooled embeddings, scanned as sign bits, rescored at eight bits a dimension."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hippocampus.index.base import Mask, Question, Rows, Scores
from hippocampus.index.growing import Growing
from hippocampus.kernel import (
    dot_rows,
    quantise_rows,
    scan_signs,
    sign_codes,
    sum_rows,
    top_k,
)
from hippocampus.model import Kind, Payloads

OVERSAMPLE = 3
"""Rows the sign scan hands to rescoring, per row asked for. On 50 000 real embeddings 3 find what
an exact scan finds (recall of the best 10 above 0.99); see ``bench/vectors.py``."""


def pack_vectors(vectors: NDArray[np.float32]) -> list[bytes]:
    """Return each vector's payload: its signed bytes, then their float32 scale."""
    bytes_, scales = quantise_rows(np.ascontiguousarray(vectors, dtype=np.float32))
    return [b.tobytes() + s.astype("<f4").tobytes() for b, s in zip(bytes_, scales, strict=True)]


class VectorCue:
    """Pooled embeddings of ``dimension`` floats: ``dimension`` × 9/8 + 4 bytes an episode."""

    name = "vector"
    kind: Kind = "vector"

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._signs: Growing[np.uint8] = Growing(np.uint8, -(-dimension // 64) * 8)
        self._bytes: Growing[np.int8] = Growing(np.int8, dimension)
        self._scales: Growing[np.float32] = Growing(np.float32)

    def __len__(self) -> int:
        return len(self._scales)

    @property
    def present(self) -> Mask:
        """Which rows have a vector, shape (n,)."""
        return self._scales.view > 0

    @property
    def nbytes(self) -> int:
        return self._signs.nbytes + self._bytes.nbytes + self._scales.nbytes

    def observe(self, payloads: Payloads) -> None:
        size = self._dimension + 4
        present = payloads.lengths == size
        whole = np.zeros((len(payloads), size), np.uint8)
        whole[present] = payloads.data.reshape(-1, size) if present.any() else 0
        signed = whole[:, : self._dimension].view(np.int8)
        scales = np.ascontiguousarray(whole[:, self._dimension :]).view("<f4").ravel()
        width = self._signs.view.shape[1] * 8
        padded = np.full((len(signed), width), -1.0, np.float32)
        padded[:, : self._dimension] = signed
        self._bytes.extend(signed)
        self._scales.extend(scales)
        self._signs.extend(sign_codes(padded))

    def propose(self, question: Question, allowed: Mask | None, limit: int) -> Rows:
        if question.vector is None or not len(self):
            return np.empty(0, np.uint32)
        signs = self._signs.view
        query = np.zeros(signs.shape[1] * 8, np.float32)
        query[: self._dimension] = question.vector
        if allowed is not None and np.count_nonzero(allowed) * 4 < len(signs):
            few = np.flatnonzero(allowed).astype(np.uint32)
            near = few[top_k(scan_signs(signs, query, few), limit * OVERSAMPLE, None)]
        else:
            mask = None if allowed is None else allowed.view(np.uint8)
            near = top_k(scan_signs(signs, query, None), limit * OVERSAMPLE, mask)
        exact = self.score(question, near)
        assert exact is not None, "the question has a vector"
        return near[top_k(exact, limit, None)]

    def score(self, question: Question, rows: Rows) -> Scores | None:
        if question.vector is None:
            return None
        return dot_rows(self._bytes.view, self._scales.view, question.vector, rows)

    def sums(self, rows: Rows, groups: NDArray[np.uint32], count: int) -> NDArray[np.float32]:
        """Add up the vectors of rows by group, shape (count, dimension); no vector adds nothing."""
        return sum_rows(self._bytes.view, self._scales.view, rows, groups, count)
