"""
What is added and asked: texts, and the vectors that our embedder makes of them, in a folder.

It is read by the interpreters of the peers' environments; what makes it imports our package.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from bench.peers.contract import Asked, Item

BATCH = 1000
"""Texts that are added at once."""
ASKED = 200
"""Questions; as many others are asked before."""


class Material:
    """Items with a vector each, and questions with theirs and those of their tokens."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return int(self.vectors().shape[1])

    def vectors(self) -> np.ndarray:
        """Return the items' vectors, read from the file as they are needed."""
        return np.load(self._folder / "vectors.npy", mmap_mode="r")

    def batches(self, size: int = BATCH) -> Iterator[tuple[list[Item], np.ndarray]]:
        """Yield items and their vectors."""
        vectors, start = self.vectors(), 0
        with (self._folder / "items.jsonl").open(encoding="utf-8") as file:
            while some := [_item(line) for _, line in zip(range(size), file, strict=False)]:
                yield some, np.array(vectors[start : start + len(some)])
                start += len(some)

    def asked(self) -> list[Asked]:
        """Return the questions."""
        said = json.loads((self._folder / "asked.json").read_text(encoding="utf-8"))
        kept = np.load(self._folder / "asked.npz")
        tokens, spans = (np.split(kept[name], kept["ends"][:-1]) for name in ("tokens", "spans"))
        return [
            Asked(text=text, at=at, vector=vector, tokens=some, spans=places)
            for (text, at), vector, some, places in zip(
                said, kept["vectors"], tokens, spans, strict=True
            )
        ]

    def write(self, items: Sequence[Item], vectors: np.ndarray, asked: Sequence[Asked]) -> None:
        """Write all into the folder; the vectors last, which tell that it is whole."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / "items.jsonl").open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(asdict(item)) + "\n" for item in items)
        said = [[one.text, one.at] for one in asked]
        (self._folder / "asked.json").write_text(json.dumps(said), encoding="utf-8")
        tokens = [one.tokens for one in asked]
        np.savez(
            self._folder / "asked.npz",
            vectors=np.stack([one.vector for one in asked]),
            tokens=np.concatenate(tokens),
            spans=np.concatenate([one.spans for one in asked]),
            ends=np.cumsum([len(some) for some in tokens]),
        )
        np.save(self._folder / "vectors.npy", vectors)

    @property
    def whole(self) -> bool:
        """Whether it was written to its end, by this program."""
        there = (self._folder / "vectors.npy").exists()
        return there and "spans" in np.load(self._folder / "asked.npz").files


def _item(line: str) -> Item:
    told = json.loads(line)
    of = told.pop("of")
    return Item(**told, of=None if of is None else tuple(of))
