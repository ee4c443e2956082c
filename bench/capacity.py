"""
What does a turn cost in PostgreSQL: bytes, log, rows, memory, processor of ours and of theirs?

    HIPPOCAMPUS_BENCH_POSTGRES=postgresql:///empty?host=… python -m bench --only capacity

The database must be an empty one; its server's processor time is measured where it runs here.
``hippocampus plan`` calculates with these figures.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import psutil
import psycopg

from bench.banks import TableEmbedder, Workshop, questions, turns
from bench.measure import Row
from hippocampus import Memory

BANKS = 40
TURNS = 200
LATER = 20
ASKED = 10
TABLES = ("journal", "episodes", "tail", "blocks")


class Database:
    """The figures of a server of PostgreSQL."""

    def __init__(self, address: str) -> None:
        self._db = psycopg.connect(address, autocommit=True)
        self._server = None
        with suppress(psycopg.Error, OSError, psutil.Error):
            folder = self.one("SHOW data_directory")
            pid = int((Path(str(folder)) / "postmaster.pid").read_text().split()[0])
            self._server = psutil.Process(pid)

    def one(self, query: str):
        """Return the one value of a query."""
        return self._db.execute(query).fetchone()[0]

    def log_bytes(self) -> int:
        """Return how many bytes of log were ever written."""
        return int(self.one("SELECT pg_current_wal_lsn() - '0/0'"))

    def nbytes(self, *, packed: bool = False) -> int:
        """Return the bytes of all tables of ours and their indexes; ``packed``: written anew."""
        self._db.execute("VACUUM FULL" if packed else "VACUUM")
        return int(self.one(
            "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON"
            " n.oid = c.relnamespace WHERE n.nspname = 'hippocampus' AND c.relkind = 'r'"
        ))  # fmt: skip

    def rows(self) -> int:
        """Return the rows of all tables of banks."""
        counts = (self.one(f"SELECT count(*) FROM hippocampus.{table}") for table in TABLES)
        return sum(map(int, counts))

    def processor_s(self) -> float:
        """Return the processor time that the server has had; nan where it runs elsewhere."""
        if self._server is None:
            return float("nan")
        used = 0.0
        for one in (self._server, *self._server.children()):
            with suppress(psutil.Error):
                times = one.cpu_times()
                used += times.user + times.system
        times = self._server.cpu_times()
        return used + times.children_user + times.children_system


class Spent:
    """What something took: of our processor, of the database's, of its log, of embedding."""

    def __init__(self, database: Database, embedder: TableEmbedder) -> None:
        self._database, self._embedder = database, embedder
        self._began = self._now()

    def _now(self) -> np.ndarray:
        ours = time.process_time() - self._embedder.spent_processor_s
        return np.array([ours, self._database.processor_s(), self._database.log_bytes()])

    def rows(self, what: str, count: int, note: str) -> Iterator[Row]:
        """Yield a row for each, for one of ``count``."""
        ours, theirs, log = ((self._now() - self._began) / count).tolist()
        yield Row(name=f"{what}, processor", value=ours * 1e3, unit="ms", note=note)
        yield Row(name=f"{what}, database's processor", value=theirs * 1e3, unit="ms", note=note)
        yield Row(name=f"{what}, log", value=log, unit="B", note=note)


def run(workshop: Workshop, *, quick: bool) -> Iterator[Row]:  # noqa: ARG001 - all alike
    """Yield what writing, sleeping, asking and opening cost, and what is there in the end."""
    address = os.environ.get("HIPPOCAMPUS_BENCH_POSTGRES")
    if not address:
        print("  left out: HIPPOCAMPUS_BENCH_POSTGRES names no database", file=sys.stderr)
        return
    database, embedder = Database(address), TableEmbedder({})
    some = list(turns(BANKS * (TURNS + LATER)))
    first, later = some[: BANKS * TURNS], some[BANKS * TURNS :]
    names = [f"acme/user {n}" for n in range(BANKS)]
    banks = f"{BANKS} banks of {TURNS} turns"
    for question in questions(ASKED):
        embedder.embed_query(question)
    with Memory(address, embedder=embedder) as memory:
        spent = Spent(database, embedder)
        _remember(memory, embedder, names, first)
        yield from spent.rows("remember", len(first), f"one by one; {banks}")
        yield Row(name="rows a turn, not slept", value=database.rows() / len(first), unit="rows")
        yield Row(
            name="bytes a turn, not slept", value=database.nbytes() / len(first), unit="B",
            note="tables and indexes",
        )  # fmt: skip
        yield from _slept(memory, database, embedder, names, len(first), "first sleep")
        _remember(memory, embedder, names, later)
        yield from _slept(memory, database, embedder, names, len(later), "later sleep")
        yield Row(
            name="rows a turn, slept", value=database.rows() / len(some), unit="rows", note=banks
        )
        database.one("SELECT 1")
        yield Row(
            name="bytes a turn, slept", value=database.nbytes() / len(some), unit="B",
            note="tables and indexes, after VACUUM, with what is free in them",
        )  # fmt: skip
    yield from _asked(address, database, embedder, names)


def _remember(memory: Memory, embedder: TableEmbedder, names: list[str], some: list) -> None:
    embedder.expect(some)
    each = len(some) // len(names)
    for place, turn in enumerate(some):
        bank = memory.bank(names[place // each])
        bank.remember(turn.text, at=turn.at, speaker=turn.speaker, session=turn.session)


def _slept(memory, database, embedder, names, count: int, what: str) -> Iterator[Row]:
    spent = Spent(database, embedder)
    for name in names:
        memory.bank(name).sleep()
    yield from spent.rows(f"{what}, a new turn", count, f"{count // len(names)} new a bank")


def _asked(address, database, embedder, names) -> Iterator[Row]:
    asked = questions(ASKED)
    with Memory(address, embedder=embedder) as memory:
        memory.bank("nobody")
        before = memory.resident_bytes
        spent = Spent(database, embedder)
        for name in names:
            memory.bank(name).recall(asked[0])
        yield from spent.rows("bank opened and asked", len(names), "the first question of each")
        held = (memory.resident_bytes - before) / len(names) / (TURNS + LATER)
        yield Row(name="memory a turn of a bank in use", value=held, unit="B")
        spent = Spent(database, embedder)
        for question in asked[1:]:
            for name in names:
                memory.bank(name).recall(question)
        yield from spent.rows("recall", (ASKED - 1) * len(names), "hot banks, in turn")
