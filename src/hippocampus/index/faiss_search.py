"""
A search by FAISS: IVF4096 over vectors turned by OPQ16 (HEMA, section 3.3).

It is made in memory when a bank is first asked, and takes the extra ``faiss``. It is in no file:
FAISS would read one that somebody had changed without checks.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Rows32
from hippocampus.core.optional import require
from hippocampus.index.cue import Mask
from hippocampus.index.vector import Searched

if TYPE_CHECKING:
    from types import ModuleType

LISTS: Final = 4096
"""Inverted lists of an index, where there are enough rows to learn them from (HEMA, section
3.3)."""
PIECES: Final = 16
"""Bytes that a vector is coded in (HEMA, section 3.3)."""
LEAST: Final = 10_000
"""Rows below which there is nothing to learn an index from: all are scanned, which takes a few
hundredths of a millisecond."""
_OF_A_LIST: Final = 39
"""Rows that FAISS wants of each list to learn it."""
_TURNED: Final = 64
"""Numbers of a vector that the rotation leaves, four for each byte; OPQ-16 in HEMA, section 3.3,
names no number."""
_ROUNDS: Final = 4
"""Rounds of k-means and of turning, fewer than FAISS's own: an index is made at the first question
after opening, and 35 s for 50 000 turns are long already (docs/large-banks.md)."""
_OF_A_CODE: Final = 39
"""Rows that each code of a piece is learnt from, the fewest that FAISS wants. More rounds and rows
took five times as long."""
_AT_ONCE: Final = 65_536
"""Rows that are added at a time: 100 MB of vectors of 384."""
_BEHIND: Final = 4096
"""New rows that are scanned before they are added, so that not every question adds some. Set by
hand."""
_SEED: Final = 0
"""Seed of the sample: any will do, but the same bank has the same index."""


def lists_for(rows: int) -> int:
    """Return the number of lists that is enough for so many rows: a power of two."""
    return min(LISTS, 1 << max(0, (rows // _OF_A_LIST).bit_length() - 1))


class FaissSearch:
    """An index that grows with the bank; ``probes``: how many lists are looked into."""

    def __init__(self, probes: int) -> None:
        self._faiss: ModuleType = require("faiss", extra="faiss", feature="Vectors.search='faiss'")
        self.probes = probes
        self._lock = threading.Lock()
        self._index: Any = None

    @property
    def nbytes(self) -> int:
        """Bytes held in memory, about: FAISS does not say."""
        index = self._index
        # Beside its code each vector has an id of 8 bytes.
        return 0 if index is None else (PIECES + 8) * int(index.ntotal)

    def near(
        self, codes: Searched, vector: NDArray[np.float32], allowed: Mask | None, wanted: int
    ) -> tuple[Rows32, int] | None:
        """Return rows near a vector, and how many it knows; None if too few are allowed."""
        if len(codes) < LEAST:
            return None
        faiss = self._faiss
        # For the search, too: FAISS lets nobody search while another adds.
        with self._lock:
            index = self._grown(codes)
            inside = faiss.SearchParametersIVF(nprobe=self.probes)
            known = int(index.ntotal)
            if allowed is not None:
                # Versions share the index, which may know later rows: they are left out below.
                bits = np.packbits(np.resize(allowed, known), bitorder="little")
                inside.sel = faiss.IDSelectorBitmap(bits)
            how = faiss.SearchParametersPreTransform(index_params=inside)
            _, found = index.search(np.ascontiguousarray(vector[None]), wanted, params=how)
        rows = found[0][(found[0] >= 0) & (found[0] < len(codes))]
        if allowed is not None and len(rows) < wanted:
            return None
        return rows.astype(np.uint32), min(known, len(codes))

    def _grown(self, codes: Searched) -> Any:  # noqa: ANN401 - FAISS has no types
        """Return the index with the rows added that have come since; the caller holds the lock."""
        index = self._index
        if index is None:
            index = self._index = self._learnt(codes)
        start = int(index.ntotal)
        if len(codes) > start + _BEHIND or not start:
            for first in range(start, len(codes), _AT_ONCE):
                rows = np.arange(first, min(first + _AT_ONCE, len(codes)))
                index.add(codes.vectors(rows))
        return index

    def _learnt(self, codes: Searched) -> Any:  # noqa: ANN401 - FAISS has no types
        """Return an empty index that knows how the bank's vectors lie."""
        lists = lists_for(len(codes))
        rng = np.random.default_rng(_SEED)
        wanted = min(len(codes), max(LEAST, lists * _OF_A_LIST))
        sample = codes.vectors(np.sort(rng.choice(len(codes), wanted, replace=False)))
        dimension = sample.shape[1]
        pieces = min(PIECES, dimension)
        turned = min(_TURNED, dimension - dimension % pieces)
        faiss = self._faiss
        rotation = faiss.OPQMatrix(dimension, pieces, turned)
        rotation.niter, rotation.niter_pq, rotation.max_train_points = _ROUNDS, 4, LEAST
        index = faiss.index_factory(turned, f"IVF{lists},PQ{pieces}", faiss.METRIC_INNER_PRODUCT)
        index.cp.niter = index.pq.cp.niter = _ROUNDS
        index.pq.cp.max_points_per_centroid = _OF_A_CODE
        index = faiss.IndexPreTransform(rotation, index)
        index.train(sample)
        return index
