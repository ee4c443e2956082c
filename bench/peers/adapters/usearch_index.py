"""usearch with its defaults: a graph of neighbours over vectors of 16 bits, by cosine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from usearch.index import Index

from bench.peers.contract import DEPTH, Asked, Item


class Usearch:
    """An index that is read from its file as a whole."""

    def __init__(self, folder: Path, dimension: int) -> None:
        self._file = folder / "index.usearch"
        self._index = Index(ndim=dimension)
        if self._file.exists():
            self._index.load(str(self._file))

    def add(self, items: Sequence[Item], vectors: np.ndarray) -> None:
        keys = np.array([int(item.id) for item in items], np.uint64)
        self._index.add(keys, np.ascontiguousarray(vectors))

    def settle(self) -> None:
        self._index.save(str(self._file))

    def search(self, asked: Asked) -> list[str]:
        return [str(key) for key in self._index.search(asked.vector, DEPTH).keys.tolist()]

    def close(self) -> None:
        self._index.reset()


def open_peer(folder: Path, dimension: int) -> Usearch:
    return Usearch(folder, dimension)
