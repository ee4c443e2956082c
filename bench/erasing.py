"""
What does erasing one short memory cost in a large store, or many, and how long do others wait?

The baseline of the first is SQLite's ``VACUUM`` of the same file, by which it was done once. Others
are banks of the same store, which has one writer.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bench.banks import Workshop
from bench.measure import Row, seconds
from hippocampus import Memory, Turn

BLOB = 125_000
"""Bytes of metadata of each memory of the large bank, so that the store is soon large."""
ROUNDS = 5
MANY = 1_000
"""Memories that are erased, or compacted, in one call."""


def run(workshop: Workshop, *, quick: bool) -> Iterator[Row]:  # noqa: ARG001 - its banks are small
    """Yield the time of erasures and the longest wait of another bank, by what is erased."""
    yield from _one(quick=quick)
    yield from _many(4_000 if quick else 20_000, 1 if quick else 3)


def _one(*, quick: bool) -> Iterator[Row]:
    for megabytes in (50, 200) if quick else (50, 200, 800):
        with TemporaryDirectory() as folder:
            path = Path(folder) / "m.db"
            with Memory(path, embedder="none") as memory:
                _fill(memory, megabytes)
                rounds = [_erase_one(memory, n) for n in range(ROUNDS)]
            (erased, waited), least, most = (
                of(rounds, axis=0) for of in (np.median, np.min, np.max)
            )
            with closing(sqlite3.connect(path, isolation_level=None)) as db:
                rewritten = seconds(db.execute, "VACUUM")
        yield Row(
            name=f"erase one memory, {megabytes} MB", value=erased, unit="s", baseline=rewritten,
            note="another bank writes meanwhile; baseline VACUUM",
            low=least[0], high=most[0], runs=ROUNDS,
        )  # fmt: skip
        yield Row(
            name=f"longest write of another bank meanwhile, {megabytes} MB",
            value=waited * 1e3, unit="ms", note=f"median of {ROUNDS} erasures",
            low=least[1] * 1e3, high=most[1] * 1e3, runs=ROUNDS,
        )  # fmt: skip


def _fill(memory: Memory, megabytes: int) -> None:
    bank = memory.bank("large")
    blob = os.urandom(BLOB // 2).hex()
    for n in range(megabytes * 1_000_000 // BLOB):
        bank.remember(f"Number {n}.", metadata={"blob": blob}, at="2025-01-01")


def _erase_one(memory: Memory, number: int) -> tuple[float, float]:
    """Return the seconds of an erasure, and of the longest write of another bank meanwhile."""
    small = memory.bank("small")
    kept = small.remember(f"The word is sunflower {number}.")
    return _beside(memory, lambda: small.forget(kept.id, erase=True))


def _many(size: int, rounds: int) -> Iterator[Row]:
    """Yield the time of erasing much, from banks of so many memories, and how long others wait."""
    found: dict[str, list[tuple[float, float]]] = {}
    for _ in range(rounds):
        with (
            TemporaryDirectory() as folder,
            Memory(Path(folder) / "m.db", embedder="none") as memory,
        ):
            for name, erase in _ways(memory, size).items():
                found.setdefault(name, []).append(_beside(memory, erase))
    for name, each in found.items():
        (erased, waited), least, most = (of(each, axis=0) for of in (np.median, np.min, np.max))
        note = f"of a bank of {size:,}"
        yield Row(
            name=name, value=erased, unit="s", note=note, low=least[0], high=most[0], runs=rounds
        )
        yield Row(
            name=f"longest write of another bank meanwhile: {name}", value=waited * 1e3, unit="ms",
            note=f"{note}; median of {rounds}", low=least[1] * 1e3, high=most[1] * 1e3, runs=rounds,
        )  # fmt: skip


def _ways(memory: Memory, size: int) -> dict[str, Callable[[], object]]:
    """Return ways to erase much, each from a bank of its own."""
    ids: dict[str, list[str]] = {}
    for name in ("ids", "source", "compact", "whole"):
        turns = [
            Turn(text=f"Turn {n} of {name} speaks of {n * 7919 % 9973}.", source="talk")
            for n in range(size)
        ]
        ids[name] = [e.id for e in memory.bank(name).remember_many(turns)]
    some, hidden = ids["ids"][:: size // MANY], ids["compact"][:: size // MANY]
    memory.bank("compact").forget(hidden)
    return {
        f"erase {len(some):,} memories by id": lambda: memory.bank("ids").forget(some, erase=True),
        "erase a source": lambda: memory.bank("source").forget(source="talk", erase=True),
        f"compact {len(hidden):,} memories": lambda: memory.bank("compact").compact(),
        "delete a bank": lambda: memory.delete_bank("whole"),
    }


def _beside(memory: Memory, erase: Callable[[], object]) -> tuple[float, float]:
    """Return the seconds of an erasure, and of the longest write of another bank meanwhile."""
    waits, done = [0.0], threading.Event()

    def write() -> None:
        other, n, begun = memory.bank("other"), 0, time.monotonic_ns()
        while not done.is_set():
            n += 1
            waits.append(seconds(other.remember, f"Remark {begun} {n}."))
            time.sleep(0.005)

    writer = threading.Thread(target=write)
    writer.start()
    time.sleep(0.1)
    erased = seconds(erase)
    done.set()
    writer.join()
    return erased, max(waits)
