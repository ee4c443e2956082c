"""
How many turns a second are kept, and what does one ``remember`` cost?

Once with vectors from a table, which leaves everything but the embedder (checks, ids, tokens,
terms, signatures, journal, index; looking the vectors up is taken off), once with the real one.
The baseline inserts the same rows into a plain SQLite table, 512 to a transaction. At last one text
of as many bytes as one may have, beside SQLite's search for words over parts of it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bench.banks import BATCH, TableEmbedder, Workshop, default_embedder, turns
from bench.measure import Calls, Row, both_ms, both_s, repeated, seconds
from hippocampus import Memory, Turn

REAL = 512
SINGLE = 200
LONG = 16 << 20
"""Bytes of a text that is as long as one may be."""
PART = 850
"""Characters of a part of it, about."""
RUNS = 3
"""Repeated runs of which the median counts, of the baselines as well."""


def run(workshop: Workshop, *, quick: bool) -> Iterator[Row]:
    """Yield turns a second by size, with and without the embedder, and one write's latency."""
    for count in (10_000, 50_000) if quick else (10_000, 50_000, 200_000):
        built = workshop.bank(count)
        yield Row(
            name=f"remember_many, {count // 1000} k, all but the embedder",
            value=count / (built.elapsed_s - built.embed_s), unit="turns/s",
            processor=count / (built.processor_s - built.embed_processor_s),
            baseline=count / plain_s(list(turns(count))),
            note="once; vectors from a table; baseline plain SQLite inserts",
        )  # fmt: skip
        yield from without_embedder(count)
    yield with_real_embedder()
    yield from one_by_one()
    yield from one_long_text(LONG // 4 if quick else LONG)


def without_embedder(count: int) -> Iterator[Row]:
    """Yield turns a second where nothing embeds them."""
    some = [replace(turn, metadata={}) for turn in turns(count)]

    def once() -> tuple[float, float]:
        with TemporaryDirectory() as folder, Memory(Path(folder) / "m", embedder="none") as memory:
            bank = memory.bank("b")
            bank.remember_many(some[:BATCH])  # word lists are read at the first use
            by_clock, processor = both_s(bank.remember_many, some[BATCH:])
        return (count - BATCH) / by_clock, (count - BATCH) / processor

    name = f"remember_many, {count // 1000} k, without an embedder"
    yield repeated(name, "turns/s", once, RUNS)


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

        once = []
        for _ in range(RUNS):
            once.append(seconds(insert))
            db.execute("DELETE FROM t")
        db.close()
    return float(np.median(once))


def with_real_embedder() -> Row:
    """Return turns a second with the default embedder, each turn read after its neighbours."""
    some = [replace(turn, metadata={}) for turn in islice(turns(REAL), REAL)]
    embedder = default_embedder()

    def once() -> tuple[float, float]:
        with TemporaryDirectory() as folder, Memory(Path(folder) / "m", embedder=embedder) as made:
            by_clock, processor = both_s(made.bank("b").remember_many, some)
        return REAL / by_clock, REAL / processor

    return repeated(f"remember_many, {REAL} turns, default embedder", "turns/s", once, RUNS)


def one_by_one() -> Iterator[Row]:
    """Yield the latency of a single durable write into a small bank."""
    some = list(turns(SINGLE))

    def once() -> tuple[np.ndarray, np.ndarray]:
        embedder = TableEmbedder()
        embedder.expect(some)
        with TemporaryDirectory() as folder, Memory(Path(folder) / "m", embedder=embedder) as made:
            bank = made.bank("b")

            def keep(turn: Turn) -> None:
                bank.remember(turn.text, at=turn.at, speaker=turn.speaker, session=turn.session)

            took = np.array([both_ms(keep, turn) for turn in some])
        return took[:, 0], took[:, 1]

    plain = np.array([commits_ms() for _ in range(RUNS)])
    each = [once() for _ in range(RUNS)]
    kept = Calls(np.stack([one for one, _ in each]), np.stack([used for _, used in each]))
    yield from kept.rows(
        "remember", beside=Calls(plain, plain),
        note="vectors from a table; baseline one plain durable SQLite insert",
    )  # fmt: skip


def one_long_text(length: int) -> Iterator[Row]:
    """Yield how long one text takes that is cut into thousands of parts, and its bytes on disk."""
    whole = 2 * length // 100  # turns have 100 characters and more
    text = "\n".join(f"{turn.speaker}: {turn.text}" for turn in turns(whole))
    text = text.encode()[:length].decode(errors="ignore")
    sizes = []

    def once() -> tuple[float, float]:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "m.db"
            with Memory(path, embedder="none") as memory:
                memory.bank("b").remember("Word lists are read at the first use.")
                took = both_s(memory.bank("b").remember, text)
            sizes.append(path.stat().st_size / len(text.encode()))
        return took

    named = f"remember, a text of {length >> 20} MiB"
    yield repeated(
        named, "s", once, RUNS, baseline=searchable_s(text),
        note="without an embedder; baseline SQLite's FTS5 of as long parts",
    )  # fmt: skip
    yield Row(name=f"{named}, on disk", value=float(np.median(sizes)), unit="of its bytes")


def searchable_s(text: str) -> float:
    """Return how long it takes to insert parts of a text into a table for full-text search."""
    parts = [(text[at : at + PART],) for at in range(0, len(text), PART)]

    def insert() -> None:
        with TemporaryDirectory() as folder:
            db = sqlite3.connect(Path(folder) / "plain.db", isolation_level=None)
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("CREATE VIRTUAL TABLE t USING fts5 (text, tokenize = 'porter unicode61')")
            db.execute("BEGIN")
            db.executemany("INSERT INTO t VALUES (?)", parts)
            db.execute("COMMIT")
            db.close()

    return float(np.median([seconds(insert) for _ in range(RUNS)]))


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
