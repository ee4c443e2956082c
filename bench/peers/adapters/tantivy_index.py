"""Tantivy: a stored text with English stems, BM25 over any of the question's words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import tantivy

from bench.peers.contract import DEPTH, Asked, Item


class Tantivy:
    """An index in a folder; each batch is committed."""

    def __init__(self, folder: Path) -> None:
        schema = tantivy.SchemaBuilder()
        schema.add_text_field("text", stored=True, tokenizer_name="en_stem")
        schema.add_text_field("id", stored=True, tokenizer_name="raw")
        self._index = tantivy.Index(schema.build(), path=str(folder))
        self._writer = None

    def add(self, items: Sequence[Item], _vectors: np.ndarray) -> None:
        if self._writer is None:
            self._writer = self._index.writer()
        for item in items:
            self._writer.add_document(tantivy.Document(text=item.said, id=item.id))
        self._writer.commit()

    def settle(self) -> None:
        if self._writer is not None:
            self._writer.wait_merging_threads()
            self._writer = None
        self._index.reload()

    def search(self, asked: Asked) -> list[str]:
        searcher = self._index.searcher()
        words = " ".join(re.findall(r"\w+", asked.text))
        query, _ = self._index.parse_query_lenient(words, ["text"])
        documents = [searcher.doc(place) for _, place in searcher.search(query, DEPTH).hits]
        return [document["id"][0] for document in documents]

    def close(self) -> None:
        self.settle()


def open_peer(folder: Path, _dimension: int) -> Tantivy:
    return Tantivy(folder)
