"""NumPy: one product with all float32 vectors, kept in a file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench.peers.contract import DEPTH, Asked, Item


class NumpyScan:
    """All vectors in memory."""

    def __init__(self, folder: Path) -> None:
        self._file, self._names = folder / "vectors.npy", folder / "ids.json"
        self._added: list[np.ndarray] = []
        self._ids: list[str] = []
        if self._file.exists():
            self._added = [np.load(self._file)]
            self._ids = json.loads(self._names.read_text())

    def add(self, items: Sequence[Item], vectors: np.ndarray) -> None:
        self._added.append(np.array(vectors))
        self._ids += [item.id for item in items]

    def settle(self) -> None:
        self._added = [np.concatenate(self._added)]
        np.save(self._file, self._added[0])
        self._names.write_text(json.dumps(self._ids))

    def search(self, asked: Asked) -> list[str]:
        scores = self._added[0] @ asked.vector
        best = np.argpartition(-scores, min(DEPTH, len(scores) - 1))[:DEPTH]
        return [self._ids[row] for row in best[np.argsort(-scores[best])]]

    def close(self) -> None:
        self._added = []


def open_peer(folder: Path, _dimension: int) -> NumpyScan:
    return NumpyScan(folder)
