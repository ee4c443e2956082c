"""
LangGraph's SQLite store with its index of vectors, one item a text.

Some builds of Python cannot load SQLite's extensions, as its vectors are one; then it has the
module of the package ``pysqlite3``, which can.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

if not hasattr(sqlite3.Connection, "enable_load_extension"):
    import pysqlite3 as sqlite3

    sys.modules["sqlite3"] = sqlite3

from langgraph.store.base import PutOp
from langgraph.store.sqlite import SqliteStore

from bench.peers.contract import DEPTH, Asked, Handed, Item

NAMESPACE = ("b",)


class LangGraphStore:
    """One namespace of a store in a file."""

    def __init__(self, folder: Path, dimension: int) -> None:
        self._handed = Handed()
        # As SqliteStore.from_conn_string opens it, but for a connection that can be closed.
        self._db = sqlite3.connect(
            folder / "store.db", check_same_thread=False, isolation_level=None
        )
        # Documented as "fields"; this version reads "text_fields".
        index = {"dims": dimension, "embed": self._embed, "text_fields": ["text"]}
        self._store = SqliteStore(self._db, index=index)
        self._store.setup()

    def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._handed.of(text).tolist() for text in texts]

    def add(self, items: Sequence[Item], vectors: np.ndarray) -> None:
        self._handed.expect([item.said for item in items], vectors)
        self._store.batch([PutOp(NAMESPACE, item.id, {"text": item.said}) for item in items])

    def settle(self) -> None:
        """Nothing: it searches what there is."""

    def search(self, asked: Asked) -> list[str]:
        self._handed.expect([asked.text], asked.vector[None])
        found = self._store.search(NAMESPACE, query=asked.text, limit=DEPTH)
        return [item.key for item in found]

    def close(self) -> None:
        self._db.close()


def open_peer(folder: Path, dimension: int) -> LangGraphStore:
    return LangGraphStore(folder, dimension)
