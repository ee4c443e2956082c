"""
Ours: turns in a bank of a store, with their vectors and token vectors, asked as users ask it.

Mixed turns get the mixture of real turns' vectors, whose cost is taken off; real ones, of a
conversation, go through the default embedder. A question has its vectors unless ``embeds``.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import numpy as np

from bench.peers.contract import DEPTH, Asked, Item
from hippocampus import Config, Memory, Turn
from hippocampus.core.records import Embedded, Fingerprint, Passage


class HandedEmbedder:
    """Gives what was made before; loads the model for what was not."""

    def __init__(self, fingerprint: Fingerprint | None, *, embeds: bool) -> None:
        self._fingerprint, self._embeds = fingerprint, embeds
        self._table = None
        self.asked: Asked | None = None
        self.spent_s = np.zeros(2)
        """By the clock and of the processor."""

    @property
    def fingerprint(self) -> Fingerprint:
        """The default embedder's."""
        if self._fingerprint is None or self._embeds:
            self._fingerprint = self.table.fingerprint
        return self._fingerprint

    @property
    def table(self):
        """The benchmark's table of mixtures, which embeds what it does not know."""
        if self._table is None:
            from bench.banks import TableEmbedder  # noqa: PLC0415 - it brings the real turns

            self._table = TableEmbedder()
        return self._table

    def expect(self, items: Sequence[Item], turns: Sequence[Turn]) -> None:
        """Learn what mixed turns are made of."""
        mixed = [
            Turn(text=turn.text, speaker=turn.speaker, metadata={"from": item.of})
            for item, turn in zip(items, turns, strict=True)
            if item.of is not None
        ]
        self.table.expect(mixed)

    def embed(self, passages: Sequence[Passage]) -> list[Embedded]:
        """Embed what is remembered."""
        before = np.array([time.perf_counter(), time.process_time()])
        made = self.table.embed(passages)
        self.spent_s += np.array([time.perf_counter(), time.process_time()]) - before
        return made

    def embed_query(self, text: str) -> Embedded:
        """Embed a question, or return what is known of it."""
        asked = self.asked
        if self._embeds or asked is None or asked.text != text:
            return self.table.embed_query(text)
        return Embedded(vector=asked.vector, tokens=asked.tokens, spans=asked.spans)


class Hippocampus:
    """One bank; ``cues``: all unless some are named; ``statements``: what sleep reads facts by."""

    def __init__(
        self, folder: Path, cues: Sequence[str] | None, statements: str | None, *, embeds: bool
    ) -> None:
        path, known = folder / "memory.db", folder / "fingerprint.json"
        self._cues = None if cues is None else tuple(cues)
        fingerprint = Fingerprint(**json.loads(known.read_text())) if known.exists() else None
        self._embedder = HandedEmbedder(fingerprint, embeds=embeds)
        config = Config() if statements is None else Config(statements=statements)
        self._memory = Memory(path, embedder=self._embedder, config=config, read_only=path.exists())
        self._bank = self._memory.bank("b")
        known.write_text(json.dumps(asdict(self._embedder.fingerprint)))

    @property
    def spent_s(self) -> np.ndarray:
        """What embedding took so far, by the clock and of the processor."""
        return self._embedder.spent_s

    def add(self, items: Sequence[Item], _vectors: np.ndarray) -> None:
        turns = [
            Turn(
                text=item.text, at=datetime.fromisoformat(item.at), speaker=item.speaker,
                session=item.session, metadata={"ref": item.id},
            )
            for item in items
        ]  # fmt: skip
        before = np.array([time.perf_counter(), time.process_time()])
        self._embedder.expect(items, turns)
        self._embedder.spent_s += np.array([time.perf_counter(), time.process_time()]) - before
        self._bank.remember_many(turns)

    def settle(self) -> None:
        self._bank.sleep()

    def search(self, asked: Asked) -> list[str]:
        self._embedder.asked = asked
        found = self._bank.recall(
            asked.text, DEPTH, now=datetime.fromisoformat(asked.at), cues=self._cues
        )
        return [hit.episode.metadata["ref"] for hit in found.hits]

    def close(self) -> None:
        self._memory.close()


def open_peer(
    folder: Path,
    _dimension: int,
    *,
    cues: Sequence[str] | None = None,
    statements: str | None = None,
    embeds: bool = False,
) -> Hippocampus:
    return Hippocampus(folder, cues, statements, embeds=embeds)
