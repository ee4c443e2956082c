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
APART = "Memory(), bank, index in memory; imports and loading the model apart"


def run(workshop: Workshop, *, quick: bool) -> Iterator[Row]:  # noqa: ARG001 - all alike
    """Yield the medians of several fresh processes."""
    path = str(workshop.bank(COUNT).path)
    for embedder, what in (("none", "no embedder"), ("default", "default embedder")):
        printed = [in_fresh_process("-m", "bench.opening", path, embedder) for _ in range(RUNS)]
        times = np.array([text.split() for text in printed], np.float64)
        by_clock, used = times[:, :3], times[:, 3:]
        for name, columns, note in (
            ("bank read", slice(1, 2), APART),
            ("process start to first hits", slice(0, 3), ""),
        ):
            each = by_clock[:, columns].sum(axis=1)
            yield Row(
                name=f"opening 50 k, {what}: {name}", value=float(np.median(each)), unit="s",
                processor=float(np.median(used[:, columns].sum(axis=1))),
                low=float(each.min()), high=float(each.max()), runs=RUNS, note=note,
            )  # fmt: skip


def once(path: str, spec: str) -> None:
    """Print seconds of importing and loading, opening and the first recall; by both clocks."""

    def now() -> np.ndarray:
        return np.array([time.perf_counter(), time.process_time()])

    start = now()
    from hippocampus import Memory  # noqa: PLC0415 - what is measured
    from hippocampus.encode.embed import load_embedder  # noqa: PLC0415

    embedder = load_embedder(spec)
    imported = now()
    with Memory(path, embedder=embedder or "none", read_only=True) as memory:
        bank = memory.bank("b")
        bank.episodes(limit=0)
        opened = now()
        bank.recall("What did Ada plant in the garden?")
        answered = now()
    steps = np.stack([imported - start, opened - imported, answered - opened])
    print(*steps[:, 0], *steps[:, 1])


if __name__ == "__main__":
    once(*sys.argv[1:])
