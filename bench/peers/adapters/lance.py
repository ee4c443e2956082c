"""LanceDB: a table with a full-text index, and one of vectors from as many as it advises."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import lancedb
import numpy as np
import pyarrow as pa

from bench.peers.contract import DEPTH, Asked, Item

INDEXED_FROM = 100_000
"""Its guide: below about as many, a scan is fast enough."""


class Lance:
    """One table; ``way``: what it is asked for, ``hybrid``, ``vector`` or ``fts``."""

    def __init__(self, folder: Path, dimension: int, way: str) -> None:
        self._way = way
        self._db = lancedb.connect(str(folder))
        self._schema = pa.schema(
            [("id", pa.string()), ("text", pa.string()),
             ("vector", pa.list_(pa.float32(), dimension))]
        )  # fmt: skip
        self._table = self._db.create_table("b", schema=self._schema, exist_ok=True)

    def add(self, items: Sequence[Item], vectors: np.ndarray) -> None:
        flat = pa.array(np.ascontiguousarray(vectors).ravel())
        columns = [
            pa.array([item.id for item in items]),
            pa.array([item.said for item in items]),
            pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1]),
        ]
        self._table.add(pa.Table.from_arrays(columns, schema=self._schema))

    def settle(self) -> None:
        self._table.create_fts_index("text", replace=True)
        if self._table.count_rows() >= INDEXED_FROM:
            self._table.create_index(metric="cosine", vector_column_name="vector")
        self._table.optimize()

    def search(self, asked: Asked) -> list[str]:
        match self._way:
            case "hybrid":
                query = self._table.search(query_type="hybrid").vector(asked.vector)
                query = query.text(asked.text).distance_type("cosine")
            case "vector":
                query = self._table.search(asked.vector).distance_type("cosine")
            case _:
                query = self._table.search(asked.text, query_type="fts")
        found = query.select(["id", "text"]).limit(DEPTH).to_arrow()
        return found["id"].to_pylist()

    def close(self) -> None:
        self._table = None


def open_peer(folder: Path, dimension: int, *, way: str) -> Lance:
    return Lance(folder, dimension, way)
