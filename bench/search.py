"""
How long does a recall take, by size of the bank, by filter and by cue?

Every question is asked of the whole engine (all cues, ten hits read and decoded); what the
embedder takes for the question is reported apart, for it is the same at any size. Two plain ways
to search the same texts stand beside it: SQLite's FTS5 asked for any of the question's words and
ordered by ``bm25()``, and a NumPy product with the float32 vectors, best ten. Neither reads a text.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import numpy as np

from bench.banks import FIRST, LAST, TableEmbedder, Workshop, questions
from bench.measure import ROUNDS, Row, cost_ms, every_ms
from hippocampus import Memory
from hippocampus.index.vector import VectorCue

ASKED = 200
"""Questions; as many others are asked before."""
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

        def recall(**options: Any) -> np.ndarray:
            return every_ms(lambda q: bank.recall(q, now=NOW, **options), asked, ROUNDS)

        texts = [episode.text for episode in bank.episodes()]
        fts_ms = np.median(every_ms(fts5(texts), asked, ROUNDS))
        cue = bank.state.take().index.cues.vector
        assert isinstance(cue, VectorCue), "the default embedder gives vectors"
        exact_ms = np.median(every_ms(brute_force(cue, embedder), asked, ROUNDS))
        yield from first_asked(lambda q: bank.recall(q, now=NOW), embedder, size)
        all_ms, cpu_ms = cost_ms(lambda q: bank.recall(q, now=NOW), asked, ROUNDS)
        p50, p95 = np.percentile(all_ms, [50, 95])
        note = "without embedding the question"
        for share, by_clock in ((50, p50), (95, p95)):
            yield Row(
                name=f"recall, {size}, processor, p{share}", value=np.percentile(cpu_ms, share),
                unit="ms", baseline=by_clock, note=f"{note}; baseline by the clock",
            )  # fmt: skip
        yield Row(
            name=f"recall, {size}, p50", value=p50, unit="ms", baseline=fts_ms,
            note=f"{note}; baseline FTS5 OR + bm25()",
        )  # fmt: skip
        yield Row(
            name=f"recall, {size}, p95", value=p95, unit="ms", baseline=exact_ms,
            note=f"{note}; baseline NumPy brute-force cosine, p50",
        )  # fmt: skip
        for name, options in FILTERS.items():
            value = np.median(recall(**options))
            yield Row(
                name=f"recall, {size}, {name}, p50", value=value, unit="ms", baseline=p50,
                note="baseline unfiltered",
            )  # fmt: skip
        for cues in CUES:
            value = np.median(recall(cues=cues))
            yield Row(
                name=f"recall, {size}, cues {' '.join(cues)}, p50", value=value, unit="ms",
                baseline=p50, note="baseline all cues",
            )  # fmt: skip
        embedder.answers = None
        whole = np.percentile(recall(), [50, 95])
        yield Row(
            name=f"recall, {size}, embedding included, p50", value=whole[0], unit="ms",
            baseline=p50, note="baseline without embedding",
        )  # fmt: skip
        yield Row(name=f"recall, {size}, embedding included, p95", value=whole[1], unit="ms")


def first_asked(call: Callable[[str], object], embedder: TableEmbedder, size: str) -> Iterator[Row]:
    """Yield what questions take that nobody has asked before, in a bank that others were asked."""
    every = questions(2 * ASKED)
    for question in every:
        embedder.embed_query(question)
    cost_ms(call, every[ASKED:], 1)
    by_clock, cpu_ms = cost_ms(call, every[:ASKED], 1)
    note = "each for the first time, after as many others; without embedding it"
    for share in (50, 95):
        yield Row(
            name=f"recall, {size}, first asked, p{share}", value=np.percentile(by_clock, share),
            unit="ms", note=note,
        )  # fmt: skip
    yield Row(
        name=f"recall, {size}, first asked, processor, p50", value=np.percentile(cpu_ms, 50),
        unit="ms", note=note,
    )  # fmt: skip


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
