"""
Nearest-anchor search: exact while there are few anchors, in two levels when there are many.

The first level compares the signs of every anchor's components, a thirty-second of its bytes; the
second compares the nearest by those exactly (CONCEPT, section 8.4, where the first level is
categories; ``docs/adr/0016-anchors.md`` says what both find).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.index.cue import Mask, Scores
from hippocampus.kernel import dot_rows, quantise_rows, scan_turned, sign_codes, top_k

LOOKED_AT: Final = 256
"""Anchors that the second level compares, at least: among 100 000 they hold .998 of the best 5, 64
hold .995 (docs/adr/0016)."""
BLOCK: Final = 128
"""Anchors whose signs are kept turned, as the scan reads them: a block of the kernel
(``agreement.hpp``)."""
MARGIN: Final = 0.1
"""Margin for cosines that signs estimate too low: .998 of those above a threshold are within
(docs/adr/0016)."""

Places = NDArray[np.intp]


class AnchorSearch:
    """An index of anchor vectors, shape (a, dimension), zero for those without a meaning."""

    def __init__(self, vectors: NDArray[np.float32], exact: int) -> None:
        self.has_meaning: Mask = np.asarray(vectors.any(axis=1))
        self._places = np.flatnonzero(self.has_meaning)
        self._bytes, self._scales = quantise_rows(np.ascontiguousarray(vectors[self._places]))
        # Signs are compared by words of 64 bits.
        self._padded = -(-vectors.shape[1] // 64) * 64
        codes = sign_codes(self._wide(self._bytes.astype(np.float32)))
        codes = np.pad(codes, ((0, -len(codes) % BLOCK), (0, 0)))  # the scan takes whole blocks
        self._signs = np.ascontiguousarray(
            codes.reshape(-1, BLOCK, codes.shape[1]).transpose(0, 2, 1)
        )
        self._every = np.arange(len(self._places), dtype=np.uint32)
        self.in_levels = len(self._places) > exact
        """Whether there are so many that signs are compared first."""

    @property
    def nbytes(self) -> int:
        """Bytes held in memory."""
        return self._bytes.nbytes + self._scales.nbytes + self._signs.nbytes

    def best(self, vector: NDArray[np.float32], count: int) -> tuple[Places, Scores]:
        """Return the ``count`` anchors nearest to a vector, the nearest first, and cosines."""
        some = self._every
        if self.in_levels:
            some = top_k(self._estimates(vector), max(LOOKED_AT, 8 * count), None)
        cosines = self._exact(vector, some)
        best = top_k(cosines, count).astype(np.intp)
        return self._places[some[best]], cosines[best]

    def cosines(self, vector: NDArray[np.float32], least: float, also: Places) -> Scores:
        """
        Return a vector's cosines with all anchors, shape (a,).

        0 for those without a meaning; -1 for those below ``least`` that nobody asks for in
        ``also``, if they are many.
        """
        if self.in_levels:
            wanted = self._estimates(vector) >= least - MARGIN
            wanted[np.searchsorted(self._places, also[np.isin(also, self._places)])] = True
            some = np.flatnonzero(wanted).astype(np.uint32)
        else:
            some = self._every
        told = np.zeros(len(self.has_meaning), np.float32)
        told[self._places] = -1
        told[self._places[some]] = self._exact(vector, some)
        return told

    def _exact(self, vector: NDArray[np.float32], some: NDArray[np.uint32]) -> Scores:
        return dot_rows(self._bytes, self._scales, vector, some)

    def _estimates(self, vector: NDArray[np.float32]) -> Scores:
        return scan_turned(self._signs, self._wide(vector[None])[0])[: len(self._places)]

    def _wide(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return vectors as long as the signs are packed."""
        wide = np.zeros((len(vectors), self._padded), np.float32)
        wide[:, : vectors.shape[1]] = vectors
        return wide
