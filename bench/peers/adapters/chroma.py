"""chromadb: a collection in a folder, its graph by cosine, texts beside the vectors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import chromadb
import numpy as np

from bench.peers.contract import DEPTH, Asked, Item


class Chroma:
    """One collection of a persistent client."""

    def __init__(self, folder: Path) -> None:
        settings = chromadb.Settings(anonymized_telemetry=False)
        self._client = chromadb.PersistentClient(str(folder), settings)
        self._kept = self._client.get_or_create_collection(
            "bank", metadata={"hnsw:space": "cosine"}, embedding_function=None
        )

    def add(self, items: Sequence[Item], vectors: np.ndarray) -> None:
        self._kept.add(
            ids=[item.id for item in items],
            documents=[item.said for item in items],
            embeddings=vectors,
        )

    def settle(self) -> None:
        """Nothing: it keeps its index up itself."""

    def search(self, asked: Asked) -> list[str]:
        found = self._kept.query(
            query_embeddings=asked.vector[None], n_results=DEPTH, include=["documents"]
        )
        return found["ids"][0]

    def close(self) -> None:
        self._client.close()


def open_peer(folder: Path, _dimension: int) -> Chroma:
    return Chroma(folder)
