"""
What does erasing one short memory cost in a large store, and how long do other banks wait for it?

The baseline of the first is SQLite's ``VACUUM`` of the same file, by which it was done once.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bench.banks import Workshop
from bench.measure import Row, seconds
from hippocampus import Memory

BLOB = 125_000
"""Bytes of metadata of each memory of the large bank, so that the store is soon large."""
ROUNDS = 5


def run(workshop: Workshop, *, quick: bool) -> Iterator[Row]:  # noqa: ARG001 - its banks are small
    """Yield the time of an erasure and the longest wait of another bank, by size of the store."""
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
    small, waits, done = memory.bank("small"), [0.0], threading.Event()
    kept = small.remember(f"The word is sunflower {number}.")

    def write() -> None:
        other, n = memory.bank("other"), 0
        while not done.is_set():
            n += 1
            waits.append(seconds(other.remember, f"Remark {number} {n}."))
            time.sleep(0.005)

    writer = threading.Thread(target=write)
    writer.start()
    time.sleep(0.1)
    erased = seconds(lambda: small.forget(kept.id, erase=True))
    done.set()
    writer.join()
    return erased, max(waits)
