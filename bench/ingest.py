"""
How many turns a second are kept, and what does one ``remember`` cost?

Once with vectors from a table, which leaves everything but the embedder (checks, ids, tokens,
terms, signatures, journal, index; looking the vectors up is taken off), once with the real one.
The baseline inserts the same rows into a plain SQLite table, 512 to a transaction.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bench.banks import BATCH, TableEmbedder, Workshop, default_embedder, turns
from bench.measure import Row, seconds
from hippocampus import Memory, Turn

REAL = 512
SINGLE = 200


def run(workshop: Workshop, *, quick: bool) -> Iterator[Row]:
    """Yield turns a second by size, with and without the embedder, and one write's latency."""
    for count in (10_000, 50_000) if quick else (10_000, 50_000, 200_000):
        built = workshop.bank(count)
        own_s = built.elapsed_s - built.embed_s
        yield Row(
            name=f"remember_many, {count // 1000} k, all but the embedder", value=count / own_s,
            unit="turns/s", baseline=count / plain_s(list(turns(count))),
            note="vectors from a table; baseline plain SQLite inserts",
        )  # fmt: skip
        yield from without_embedder(count)
    yield with_real_embedder()
    yield from one_by_one()


def without_embedder(count: int) -> Iterator[Row]:
    """Yield turns a second where nothing embeds them, by the clock and of the processor."""
    some = [replace(turn, metadata={}) for turn in turns(count)]
    with TemporaryDirectory() as folder, Memory(Path(folder) / "m.db", embedder="none") as memory:
        bank = memory.bank("b")
        bank.remember_many(some[:BATCH])  # word lists are read at the first use
        start, used = time.perf_counter(), time.process_time()
        bank.remember_many(some[BATCH:])
        by_clock, cpu = time.perf_counter() - start, time.process_time() - used
    size = f"{count // 1000} k"
    name = f"remember_many, {size}, without an embedder"
    yield Row(name=name, value=(count - BATCH) / by_clock, unit="turns/s")
    yield Row(
        name=f"{name}, processor", value=(count - BATCH) / cpu, unit="turns/s",
        note="turns by a second of the processor's",
    )  # fmt: skip


def plain_s(some: list[Turn]) -> float:
    """Return how long plain inserts of the same turns take."""
    rows = [(t.text, str(t.at), t.speaker, t.session) for t in some]
    with TemporaryDirectory() as folder:
        db = sqlite3.connect(Path(folder) / "plain.db", isolation_level=None)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, text, at, speaker, session)")

        def insert() -> None:
            for first in range(0, len(rows), BATCH):
                db.execute("BEGIN")
                sql = "INSERT INTO t (text, at, speaker, session) VALUES (?, ?, ?, ?)"
                db.executemany(sql, rows[first : first + BATCH])
                db.execute("COMMIT")

        taken = seconds(insert)
        db.close()
    return taken


def with_real_embedder() -> Row:
    """Return turns a second with the default embedder, each turn read after its neighbours."""
    some = [replace(turn, metadata={}) for turn in islice(turns(REAL), REAL)]
    embedder = default_embedder()
    with TemporaryDirectory() as folder, Memory(Path(folder) / "m.db", embedder=embedder) as memory:
        taken = seconds(memory.bank("b").remember_many, some)
    return Row(
        name=f"remember_many, {REAL} turns, default embedder", value=REAL / taken, unit="turns/s"
    )


def one_by_one() -> Iterator[Row]:
    """Yield the latency of a single durable write into a small bank."""
    embedder = TableEmbedder()
    some = list(turns(SINGLE))
    embedder.expect(some)
    with TemporaryDirectory() as folder, Memory(Path(folder) / "m.db", embedder=embedder) as memory:
        bank = memory.bank("b")
        times = []
        for turn in some:
            start = time.perf_counter()
            bank.remember(turn.text, at=turn.at, speaker=turn.speaker, session=turn.session)
            times.append(time.perf_counter() - start)
    p50, p95 = np.percentile(times, [50, 95]) * 1e3
    plain_ms = np.median(commits_ms())
    yield Row(
        name="remember, p50", value=p50, unit="ms", baseline=plain_ms,
        note="vectors from a table; baseline one plain durable SQLite insert",
    )  # fmt: skip
    yield Row(name="remember, p95", value=p95, unit="ms", note="vectors from a table")


def commits_ms() -> list[float]:
    """Return how long single plain durable inserts take."""
    with TemporaryDirectory() as folder:
        db = sqlite3.connect(Path(folder) / "plain.db", isolation_level=None)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("CREATE TABLE t (text)")
        times = [seconds(db.execute, "INSERT INTO t VALUES ('x')") * 1e3 for _ in range(SINGLE)]
        db.close()
    return times
