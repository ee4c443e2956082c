"""
How long does a recall take, by size of the bank, by filter and by cue?

Every question is asked of the whole engine (all cues, ten hits read and decoded); what the
embedder takes for the question is reported apart, for it is the same at any size. Two plain ways
to search the same texts stand beside it, asked as often: SQLite's FTS5 asked for any of the
question's words and ordered by ``bm25()``, and a NumPy product with the float32 vectors, best ten.
Neither reads a text. Each row tells p50, p95 or p99 of all calls, the median of the runs and their
spread, and the time of the processor.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.banks import FIRST, LAST, TableEmbedder, Workshop, questions
from bench.measure import Calls, Row, calls, cost_ms
from hippocampus import Memory
from hippocampus.index.vector import VectorCue

ASKED = 200
"""Questions; as many others are asked before."""
OPENINGS = 3
"""How often a bank is opened anew for questions that were never asked."""
NOW = LAST + timedelta(days=1)
_START = FIRST + 0.4 * (LAST - FIRST)
FILTERS: dict[str, dict[str, Any]] = {
    "time range of 5 %": {"since": _START, "until": _START + 0.05 * (LAST - FIRST)},
    "one session of 20 turns": {"session": "session-7"},
    "one speaker of 20": {"speaker": "Ada"},
    "metadata, 1 in 20": {"where": {"project": "p3"}},
}
CUES = (("lexical",), ("vector",), ("vector", "lexical"))


def run(workshop: Workshop, *, quick: bool) -> Iterator[Row]:
    """Yield the rows of every size."""
    for count in (1_000, 10_000, 50_000) if quick else (1_000, 10_000, 50_000, 200_000):
        yield from measure(workshop, count)


def measure(workshop: Workshop, count: int) -> Iterator[Row]:
    """Yield the rows of one size."""
    size = f"{count // 1000} k"
    asked = questions(ASKED)
    embedder = TableEmbedder({})
    with Memory(workshop.bank(count).path, embedder=embedder, read_only=True) as memory:
        bank = memory.bank("b")

        def recall(**options: Any) -> Calls:
            return calls(lambda q: bank.recall(q, now=NOW, **options), asked)

        texts = [episode.text for episode in bank.episodes()]
        plain = calls(fts5(texts), asked)
        cue = bank.state.take().index.cues.vector
        assert isinstance(cue, VectorCue), "the default embedder gives vectors"
        exact = calls(brute_force(cue, embedder), asked)
        every = recall()
        note = "without embedding the question"
        yield from every.rows(
            f"recall, {size}", note=f"{note}; baseline FTS5 OR + bm25()", beside=plain
        )
        yield from plain.rows(f"FTS5 OR + bm25(), {size}")
        yield from exact.rows(f"NumPy brute-force cosine, {size}")
        for name, options in FILTERS.items():
            yield from recall(**options).rows(
                f"recall, {size}, {name}", note="baseline unfiltered", beside=every
            )
        for cues in CUES:
            yield from recall(cues=cues).rows(
                f"recall, {size}, cues {' '.join(cues)}", note="baseline all cues", beside=every
            )
        embedder.answers = None
        yield from recall().rows(
            f"recall, {size}, embedding included", note="baseline without embedding", beside=every
        )
    yield from first_asked(workshop.bank(count).path, size)


def first_asked(path: Path, size: str) -> Iterator[Row]:
    """Yield what questions take that nobody has asked before, in a bank that others were asked."""
    every = questions(2 * ASKED)
    embedder = TableEmbedder({})
    for question in every:
        embedder.embed_query(question)
    runs = []
    for _ in range(OPENINGS):
        with Memory(path, embedder=embedder, read_only=True) as memory:
            ask = partial(memory.bank("b").recall, now=NOW)
            cost_ms(ask, every[ASKED:], 1)
            runs.append(cost_ms(ask, every[:ASKED], 1))
    note = "each for the first time, after as many others; without embedding it"
    found = Calls(np.stack([one for one, _ in runs]), np.stack([used for _, used in runs]))
    yield from found.rows(f"recall, {size}, first asked", note=note)


def fts5(texts: list[str]):
    """Return a search of the same texts by SQLite's own full-text index."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE t USING fts5(text, tokenize = 'porter unicode61')")
    db.executemany("INSERT INTO t VALUES (?)", ((text,) for text in texts))
    db.execute("INSERT INTO t(t) VALUES ('optimize')")

    def ask(question: str) -> list[tuple[int]]:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
        sql = "SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t) LIMIT 10"
        return db.execute(sql, (words,)).fetchall()

    return ask


def brute_force(cue: VectorCue, embedder: TableEmbedder):
    """Return an exact search of the same vectors, kept as float32."""
    vectors = floats(cue)

    def ask(question: str) -> np.ndarray:
        scores = vectors @ embedder.embed_query(question).vector
        best = np.argpartition(-scores, 10)[:10]
        return best[np.argsort(-scores[best])]

    return ask


def floats(cue: VectorCue) -> np.ndarray:
    """Return the bank's vectors as float32, shape (n, dimension)."""
    return cue.vectors(np.arange(len(cue)))
