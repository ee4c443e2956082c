"""
What does a turn of a long bank take in PostgreSQL, once it has slept: bytes, and memory in use?

    HIPPOCAMPUS_BENCH_POSTGRES=postgresql:///empty?host=… python -m bench --only long_banks

Beside ``capacity``, whose banks are short, it tells what a bank takes from what a turn does.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from bench.banks import TableEmbedder, Workshop, questions, turns
from bench.capacity import Database
from bench.measure import Row
from hippocampus import Memory

BANKS = 1
TURNS = 2500


def run(workshop: Workshop, *, quick: bool) -> Iterator[Row]:  # noqa: ARG001 - all alike
    """Yield the bytes of a turn in the database, and in memory."""
    address = os.environ.get("HIPPOCAMPUS_BENCH_POSTGRES")
    if not address:
        print("  left out: HIPPOCAMPUS_BENCH_POSTGRES names no database", file=sys.stderr)
        return
    database, embedder = Database(address), TableEmbedder({})
    some = list(turns(BANKS * TURNS))
    embedder.expect(some)
    names = [f"acme/agent {n}" for n in range(BANKS)]
    with Memory(address, embedder=embedder) as memory:
        for place, name in enumerate(names):
            memory.bank(name).remember_many(some[place * TURNS : (place + 1) * TURNS])
            memory.bank(name).sleep()
    note = f"{BANKS} bank of {TURNS} turns"
    yield Row(name="bytes a turn, slept", value=database.nbytes() / len(some), unit="B", note=note)
    yield Row(
        name="bytes a turn, packed", value=database.nbytes(packed=True) / len(some), unit="B",
        note="after VACUUM FULL: without what sleep left free, which later turns take",
    )  # fmt: skip
    yield Row(name="rows a turn, slept", value=database.rows() / len(some), unit="rows", note=note)
    with Memory(address, embedder=embedder) as memory:
        for name in names:
            memory.bank(name).recall(questions(1)[0])
        held = memory.resident_bytes / len(some)
        yield Row(name="memory a turn of a bank in use", value=held, unit="B", note=note)
