"""The meaning cue: pooled embeddings, scanned as sign bits, rescored at eight bits a dimension."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Rows32
from hippocampus.core.records import Kind, Payloads
from hippocampus.index.archive import Archive
from hippocampus.index.cue import Mask, Scores
from hippocampus.index.growable_array import GrowableArray, Versioned
from hippocampus.index.quantised_rows import QuantisedRows
from hippocampus.index.query import Query
from hippocampus.index.vector_codec import unpack_vectors
from hippocampus.kernel import scan_turned, sign_codes, top_k

BLOCK = 128
"""Rows whose sign codes are kept turned, as the scan reads them: a block of the kernel
(``agreement.hpp``)."""
FEW = 8
"""When fewer than one row in so many is allowed, their bytes are no more to read than all signs,
which are an eighth as long."""
FEW_FOR_A_SEARCH = 16_384
"""Most allowed rows that cost no more to read than a search looks at."""
OVERSAMPLE = 2
"""Rows the sign scan hands to rescoring, per row asked for. Of the ten that an exact scan of 50 000
real embeddings finds first, 2 find .999 when 200 are asked for, and .91 of all 200 (3: .9995 and
.96). On 97 000 LongMemEval turns no measure moved by more than .002. See ``bench/vectors.py``."""


class Searched(Protocol):
    """Vectors of a bank, as a search reads them."""

    def __len__(self) -> int:
        """Return the number of rows."""
        ...

    @property
    def signs(self) -> NDArray[np.uint8]:
        """Sign codes of all rows, in blocks that are kept turned."""
        ...

    def vectors(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the vectors of rows, shape (rows, dimension)."""
        ...

    def wide(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return a vector as long as the signs are packed."""
        ...


class VectorSearch(Protocol):
    """A way to find the rows near a vector without looking at all of them; versions share it."""

    @property
    def nbytes(self) -> int:
        """Bytes held in memory."""
        ...

    def near(
        self, codes: Searched, vector: NDArray[np.float32], allowed: Mask | None, wanted: int
    ) -> tuple[Rows32, int] | None:
        """
        Return ``wanted`` rows near a vector that are allowed, and of how many of the first rows.

        The others are scanned; None: all are.
        """
        ...


class VectorCue(Versioned):
    """
    Pooled embeddings of ``dimension`` floats: ``dimension`` × 9/8 + 4 bytes an episode.

    Args:
        dimension: how many numbers a vector has.
        folder: where to keep eight of these nine parts in a file; None to have them in memory.
        order: in which the vectors of the first rows lie, if not as they come.

    """

    kind: Kind = "vector"

    def __init__(
        self, dimension: int, *, folder: Path | None = None, order: Rows32 | None = None
    ) -> None:
        self._dimension = dimension
        self._padded = -(-dimension // 64) * 64
        self._signs: GrowableArray[np.uint8] = GrowableArray(np.uint8, self._padded // 8, BLOCK)
        self._rows = QuantisedRows(dimension, folder=folder, order=order)
        self.search: VectorSearch | None = None
        """Finds rows among many; None: all are scanned."""

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def dimension(self) -> int:
        """Return the number of dimensions of a vector."""
        return self._dimension

    @property
    def present(self) -> Mask:
        """Mask of rows with a vector, shape (n,)."""
        return self._rows.present

    @property
    def nbytes(self) -> int:
        held = self._signs.nbytes + self._rows.nbytes
        return held if self.search is None else held + self.search.nbytes

    @property
    def signs(self) -> NDArray[np.uint8]:
        """Sign codes of all rows, in blocks that are kept turned, shape (blocks, bytes, 128)."""
        return self._signs.view

    def archive(self, archive: Archive) -> None:
        """Tell of its signs, and of the vectors."""
        archive.array("signs", self._signs, any_bits=True)
        self._rows.archive(archive)

    def observe(self, payloads: Payloads) -> None:
        signed, scales = unpack_vectors(payloads.lengths, payloads.data, self._dimension)
        # Whatever its sign: a question has 0 there (``wide``).
        padded = np.full((len(signed), self._padded), -1.0, np.float32)
        padded[:, : self._dimension] = signed
        self._extend_signs(sign_codes(padded))
        self._rows.extend(signed, scales)

    def _extend_signs(self, codes: NDArray[np.uint8]) -> None:
        """Fill up the last block, then begin others; the last may end in rows not there yet."""
        used = len(self) % BLOCK
        if used:
            rest, codes = codes[: BLOCK - used], codes[BLOCK - used :]
            place = len(self._signs) - 1, slice(None), slice(used, used + len(rest))
            self._signs.put_unread(place, rest.T)
        blocks = np.zeros((-(-len(codes) // BLOCK), BLOCK, self._padded // 8), np.uint8)
        blocks.reshape(-1, self._padded // 8)[: len(codes)] = codes
        self._signs.extend(blocks.transpose(0, 2, 1))

    def propose(self, question: Query, allowed: Mask | None, limit: int) -> Rows32:
        if question.vector is None or not len(self):
            return np.empty(0, np.uint32)
        near = self.candidates(question.vector, allowed, limit * OVERSAMPLE)
        exact = self.score(question, near)
        assert exact is not None, "the question has a vector"
        return near[top_k(exact, limit, None)]

    def candidates(self, vector: NDArray[np.float32], allowed: Mask | None, wanted: int) -> Rows32:
        """Return rows that may be nearest: about ``wanted``, or all that are allowed if few are."""
        count = len(self) if allowed is None else int(np.count_nonzero(allowed))
        if (
            allowed is not None
            and count * FEW < len(self)
            and (self.search is None or count <= FEW_FOR_A_SEARCH)
        ):
            return np.flatnonzero(allowed).astype(np.uint32)
        found = None if self.search is None else self.search.near(self, vector, allowed, wanted)
        if found is None:
            return self._scanned(vector, allowed, wanted, 0)
        rows, known = found
        return np.concatenate([rows, self._scanned(vector, allowed, wanted, known)])

    def _scanned(
        self, vector: NDArray[np.float32], allowed: Mask | None, wanted: int, start: int
    ) -> Rows32:
        """Return the rows from ``start`` on whose signs are nearest."""
        if start >= len(self):
            return np.empty(0, np.uint32)
        first = start // BLOCK
        found = scan_turned(self._signs.view[first:], self.wide(vector))
        found = found[start - first * BLOCK : len(self) - first * BLOCK]
        mask = None if allowed is None else allowed[start:].view(np.uint8)
        rows: Rows32 = top_k(found, wanted, mask)
        return rows + np.uint32(start) if start else rows

    def estimates(self, vector: NDArray[np.float32]) -> Scores:
        """Estimate the cosine of every row with a vector from the signs alone, shape (n,)."""
        return scan_turned(self._signs.view, self.wide(vector))[: len(self)]

    def wide(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return a vector as long as the signs are packed."""
        padded = np.zeros(self._padded, np.float32)
        padded[: self._dimension] = vector
        return padded

    def score(self, question: Query, rows: Rows32) -> Scores | None:
        return None if question.vector is None else self.cosines(question.vector, rows)

    def cosines(self, vector: NDArray[np.float32], rows: Rows32) -> Scores:
        """Return the cosines of a vector and rows, shape (rows,)."""
        return self._rows.cosines(vector, rows)

    def vectors(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the vectors of rows, shape (rows, dimension); zeros where there is none."""
        return self._rows.vectors(rows)

    def sums(
        self, rows: Rows32, groups: NDArray[np.uint32], count: int
    ) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
        """Add up the vectors of rows by group; return the sums, and of how many each is one."""
        return self._rows.sums(rows, groups, count)
