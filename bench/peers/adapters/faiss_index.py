"""FAISS: all vectors as they are (``Flat``), or a graph of neighbours over them (``HNSW32``)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import faiss
import numpy as np

from bench.peers.contract import DEPTH, Asked, Item


class Faiss:
    """An index by inner product, read from a file as a whole; a row's number is its id."""

    def __init__(self, folder: Path, dimension: int, kind: str) -> None:
        self._file = folder / "index.faiss"
        if self._file.exists():
            self._index = faiss.read_index(str(self._file))
        else:
            self._index = faiss.index_factory(dimension, kind, faiss.METRIC_INNER_PRODUCT)

    def add(self, _items: Sequence[Item], vectors: np.ndarray) -> None:
        self._index.add(np.ascontiguousarray(vectors))

    def settle(self) -> None:
        faiss.write_index(self._index, str(self._file))

    def search(self, asked: Asked) -> list[str]:
        _, rows = self._index.search(asked.vector[None], DEPTH)
        return [str(row) for row in rows[0].tolist() if row >= 0]

    def close(self) -> None:
        self._index = None


def open_peer(folder: Path, dimension: int, *, kind: str) -> Faiss:
    return Faiss(folder, dimension, kind)
