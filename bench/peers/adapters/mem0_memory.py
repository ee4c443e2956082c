"""
mem0 with its default vector store (Qdrant, local), without a language model (``infer=False``).

What it would have of spaCy's and fastembed's models, which it downloads, it does without.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench.peers.contract import DEPTH, Asked, Handed, Item

USER = "b"
NOBODY = {"provider": "openai", "config": {"api_key": "none"}}
"""What it must have to open and never asks."""


class Mem0:
    """One user's memories."""

    def __init__(self, folder: Path, dimension: int) -> None:
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder)}
        from mem0 import Memory  # noqa: PLC0415 - it reads its settings when it is imported

        self._handed = Handed()
        store = {
            "path": str(folder / "qdrant"),
            "embedding_model_dims": dimension,
            "on_disk": True,  # or it begins by erasing what is there
        }
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "embedder": NOBODY,
                "llm": NOBODY,
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._memory.embedding_model = self

    def embed(self, text: str, _memory_action: str | None = None) -> list[float]:
        """Return a vector as mem0 asks its embedder for it."""
        return self._handed.of(text).tolist()

    def embed_batch(self, texts: Sequence[str], _memory_action: str | None = None) -> list:
        """Return vectors as mem0 asks its embedder for them."""
        return [self.embed(text) for text in texts]

    def add(self, items: Sequence[Item], vectors: np.ndarray) -> None:
        self._handed.expect([item.said for item in items], vectors)
        for item in items:
            said = [{"role": "user", "content": item.said}]
            self._memory.add(said, user_id=USER, metadata={"ref": item.id}, infer=False)

    def settle(self) -> None:
        """Nothing: it searches what there is."""

    def search(self, asked: Asked) -> list[str]:
        self._handed.expect([asked.text], asked.vector[None])
        found = self._memory.search(asked.text, filters={"user_id": USER}, top_k=DEPTH)
        return [one["metadata"]["ref"] for one in found["results"]]

    def close(self) -> None:
        self._memory.close()
        client = self._memory.vector_store.client
        client.close()


def open_peer(folder: Path, dimension: int) -> Mem0:
    return Mem0(folder, dimension)
