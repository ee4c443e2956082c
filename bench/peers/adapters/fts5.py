"""SQLite's full-text index: any of the question's words, ordered by ``bm25()``."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench.peers.contract import DEPTH, Asked, Item


class Fts5:
    """A table of texts with its index in a file."""

    def __init__(self, folder: Path) -> None:
        self._db = sqlite3.connect(folder / "texts.db")
        self._db.execute("PRAGMA journal_mode = wal")
        self._db.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS t USING"
            " fts5(text, id UNINDEXED, tokenize = 'porter unicode61')"
        )

    def add(self, items: Sequence[Item], _vectors: np.ndarray) -> None:
        with self._db:
            self._db.executemany(
                "INSERT INTO t VALUES (?, ?)", ((item.said, item.id) for item in items)
            )

    def settle(self) -> None:
        with self._db:
            self._db.execute("INSERT INTO t(t) VALUES ('optimize')")

    def search(self, asked: Asked) -> list[str]:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", asked.text))
        sql = "SELECT id, text FROM t WHERE t MATCH ? ORDER BY bm25(t) LIMIT ?"
        return [found for found, _ in self._db.execute(sql, (words, DEPTH))]

    def close(self) -> None:
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._db.close()


def open_peer(folder: Path, _dimension: int) -> Fts5:
    return Fts5(folder)
