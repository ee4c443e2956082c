"""txtai: words (BM25) and vectors (FAISS) mixed half and half, texts in its database."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from txtai import Embeddings

from bench.peers.contract import DEPTH, Asked, Handed, Item

HANDED = Handed()
"""An index that is loaded looks its function up by name: so there is one for all."""


def transform(texts: Sequence[str]) -> np.ndarray:
    """Return vectors as txtai asks an embedder for them."""
    return np.stack([HANDED.of(text) for text in texts])


class Txtai:
    """An index that is gathered, made at once, and saved."""

    def __init__(self, folder: Path) -> None:
        os.environ["ALLOW_RESOLVE_TRANSFORM"] = "True"
        self._folder = folder / "index"
        self._index = Embeddings(
            method="external", transform=f"{__name__}.transform", content=True, hybrid=True
        )
        self._added: list[tuple[str, str]] = []
        self._vectors: list[np.ndarray] = []
        if self._folder.exists():
            self._index.load(str(self._folder))

    def add(self, items: Sequence[Item], vectors: np.ndarray) -> None:
        self._added += [(item.id, item.said) for item in items]
        self._vectors.append(np.array(vectors))

    def settle(self) -> None:
        HANDED.expect([text for _, text in self._added], np.concatenate(self._vectors))
        self._index.index(self._added)
        self._index.save(str(self._folder))
        self._added, self._vectors = [], []

    def search(self, asked: Asked) -> list[str]:
        HANDED.expect([asked.text], asked.vector[None])
        return [found["id"] for found in self._index.search(asked.text, DEPTH)]

    def close(self) -> None:
        self._index.close()


def open_peer(folder: Path, _dimension: int) -> Txtai:
    return Txtai(folder)
