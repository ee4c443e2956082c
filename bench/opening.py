"""How soon does a fresh process answer from a bank of 50 000 episodes?"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

import numpy as np

from bench.banks import Workshop
from bench.measure import Row, in_fresh_process

COUNT = 50_000
RUNS = 5


def run(workshop: Workshop, *, quick: bool) -> Iterator[Row]:  # noqa: ARG001 - all alike
    """Yield the medians of several fresh processes."""
    path = str(workshop.bank(COUNT).path)
    for embedder, what in (("none", "no embedder"), ("default", "default embedder")):
        printed = [in_fresh_process("-m", "bench.opening", path, embedder) for _ in range(RUNS)]
        times = np.array([text.split() for text in printed], np.float64)
        imported, opened, answered = np.median(times, axis=0)
        yield Row(
            name=f"opening 50 k, {what}: bank read", value=opened, unit="s",
            note="Memory(), bank, index in memory; imports and loading the model apart",
        )  # fmt: skip
        yield Row(
            name=f"opening 50 k, {what}: process start to first hits",
            value=imported + opened + answered, unit="s",
        )  # fmt: skip


def once(path: str, spec: str) -> None:
    """Print the seconds of importing and loading, of opening, and of the first recall."""
    start = time.perf_counter()
    from hippocampus import Memory  # noqa: PLC0415 - what is measured
    from hippocampus.encode.embed import load_embedder  # noqa: PLC0415

    embedder = load_embedder(spec)
    imported = time.perf_counter()
    with Memory(path, embedder=embedder or "none", read_only=True) as memory:
        bank = memory.bank("b")
        bank.episodes(limit=0)
        opened = time.perf_counter()
        bank.recall("What did Ada plant in the garden?")
        answered = time.perf_counter()
    print(imported - start, opened - imported, answered - opened)


if __name__ == "__main__":
    once(*sys.argv[1:])
