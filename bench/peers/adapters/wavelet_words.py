"""
Wavelet matrices over the numbers of all words, one after the other: this package's and ours.

A search counts each of the question's words and finds where the rarest first occurs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import numpy as np

from bench.peers.contract import DEPTH, Asked, Item


class Words:
    """Numbers of words in the order they were said; ``rank`` and ``select`` over them."""

    def __init__(self, folder: Path, package: str) -> None:
        self._package, self._file = import_module(package), folder / "words.npz"
        self._written = folder / "matrix.bin"
        self._numbers: dict[str, int] = {}
        self._said: list[int] = []
        self._starts: list[int] = []
        self._ids: list[str] = []
        self._matrix = None
        if self._file.exists():
            kept = np.load(self._file)
            names = json.loads(bytes(kept["names"]).decode())
            self._numbers, self._ids = dict(names["numbers"]), names["ids"]
            self._starts, self._said = kept["starts"], kept["said"]
            self._matrix = self._made()

    def add(self, items: Sequence[Item], _vectors: np.ndarray) -> None:
        for item in items:
            self._ids.append(item.id)
            self._starts.append(len(self._said))
            self._said += [
                self._numbers.setdefault(word, len(self._numbers)) for word in _words(item.said)
            ]

    def settle(self) -> None:
        names = json.dumps({"numbers": list(self._numbers.items()), "ids": self._ids}).encode()
        self._matrix = self._made()
        ours = hasattr(self._matrix, "to_bytes")
        if ours:
            self._written.write_bytes(self._matrix.to_bytes())
        self._starts = np.array(self._starts)
        np.savez(
            self._file, starts=self._starts, names=np.frombuffer(names, np.uint8),
            said=np.array([] if ours else self._said, np.uint64),
        )  # fmt: skip

    def _made(self):
        form, bits = self._package.WaveletMatrix, max(1, len(self._numbers).bit_length())
        if self._written.exists():
            return form.load(self._written.read_bytes())
        if hasattr(form, "build"):
            return form.build(np.array(self._said, np.uint64), bits)
        return form(np.asarray(self._said).tolist())

    def search(self, asked: Asked) -> list[str]:
        size, found = len(self._matrix), []
        for word in dict.fromkeys(_words(asked.text)):
            number = self._numbers.get(word)
            if number is not None and (times := self._matrix.rank(number, size)):
                found.append((times, number))
        if not found:
            return []
        times, number = min(found)
        first = 0 if hasattr(self._matrix, "to_bytes") else 1  # theirs counts occurrences from 1
        places = [self._matrix.select(number, first + nth) for nth in range(min(times, DEPTH))]
        rows = np.searchsorted(self._starts, places, "right")
        return [self._ids[row - 1] for row in dict.fromkeys(rows.tolist())]

    def close(self) -> None:
        self._matrix = None


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def open_peer(folder: Path, _dimension: int, *, package: str) -> Words:
    return Words(folder, package)
