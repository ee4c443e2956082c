"""
bm25s with its English stop words and Snowball stems.

An index is made of all texts at once, and lies in memory when it is searched.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import bm25s
import numpy as np
import Stemmer

from bench.peers.contract import DEPTH, Asked, Item


class Bm25s:
    """Texts gathered until they settle; then they and the index are written."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._file = folder, folder / "texts.json"
        self._stem = Stemmer.Stemmer("english")
        self._texts: list[list[str]] = []
        self._index = None
        if self._file.exists():
            self._index = bm25s.BM25.load(folder)
            self._texts = json.loads(self._file.read_text())

    def add(self, items: Sequence[Item], _vectors: np.ndarray) -> None:
        self._texts += [[item.id, item.said] for item in items]

    def settle(self) -> None:
        self._index = bm25s.BM25()
        self._index.index(self._tokens([text for _, text in self._texts]), show_progress=False)
        self._index.save(self._folder, show_progress=False)
        self._file.write_text(json.dumps(self._texts))

    def search(self, asked: Asked) -> list[str]:
        tokens = self._tokens([asked.text])
        k = min(DEPTH, len(self._texts))
        rows, scores = self._index.retrieve(tokens, k=k, show_progress=False)
        return [self._texts[row][0] for row in rows[0][scores[0] > 0]]

    def close(self) -> None:
        self._index = None

    def _tokens(self, texts: list[str]):
        return bm25s.tokenize(texts, stopwords="en", stemmer=self._stem, show_progress=False)


def open_peer(folder: Path, _dimension: int) -> Bm25s:
    return Bm25s(folder)
