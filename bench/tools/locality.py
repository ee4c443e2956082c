"""
Does laying the vectors of a cluster of tags together make rescoring faster (SWIFT, 3.4.2)?

    python bench/tools/locality.py STORE BANK [--rows 50000]

Takes a store's bank, makes its topics by words alone, and rescores the 400 rows nearest to each of
some remembered rows: as they arrived, in the order of the clusters, and, as the best that any order
could do, in one run. Prints Markdown; ``cold``: after other memory was read in between.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from hippocampus import Memory
from hippocampus.index.live import read_payloads
from hippocampus.kernel import dot_rows, top_k
from hippocampus.sleep.clusters import cluster_tags, lay_out
from hippocampus.sleep.topics import Turn, make_topics

NEAREST, QUERIES, ROUNDS = 400, 100, 5
PAGE = 4096


def main() -> None:
    """Print how long rescoring takes in each order."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path)
    parser.add_argument("bank")
    parser.add_argument("--rows", type=int, default=50_000)
    given = parser.parse_args()
    with Memory(given.store, embedder="none", read_only=True) as memory:
        number = memory.ledger(given.bank).bank
        rows = {row.id: row.row for row in memory.store.scan_episodes(number)}
        turns = [
            Turn(rows[one.id], one.text, one.session, int(one.said_at.timestamp() * 1e6))
            for one in memory.bank(given.bank).episodes()
            if rows[one.id] < given.rows
        ]
        vectors = _vectors(memory, number)[: given.rows]
    length = len(vectors)
    graph = make_topics(turns, length=length)[0].graph
    clusters = cluster_tags(graph)
    order = lay_out(graph, clusters, length).order
    print(f"{length} rows, {len(graph)} tags, {len(clusters)} clusters,"
          f" the largest of {len(clusters[0].tags)} tags\n")  # fmt: skip
    place = np.empty(length, np.int64)
    place[order] = np.arange(length)
    scales = np.ones(length, np.float32)
    queries = np.random.default_rng(0).integers(0, length, QUERIES)
    every = np.arange(length, dtype=np.uint32)
    asked = [vectors[row].astype(np.float32) for row in queries]
    near = [top_k(dot_rows(vectors, scales, query, every), NEAREST) for query in asked]
    together = np.ascontiguousarray(vectors[order])
    ways = {
        "as they arrived": (vectors, near),
        "by cluster": (together, [place[rows].astype(np.uint32) for rows in near]),
        "in one run": (
            vectors,
            [every[first : first + NEAREST] for first in queries % (length - NEAREST)],
        ),
    }
    print("| order | warm, µs | cold, µs | pages touched |\n|---|---:|---:|---:|")
    for name, (some, rows_of) in ways.items():
        warm = _microseconds(some, scales, asked, rows_of, cold=False)
        cold = _microseconds(some, scales, asked, rows_of, cold=True)
        width = some.shape[1]
        pages = np.mean([len(np.unique(rows.astype(np.int64) * width // PAGE)) for rows in rows_of])
        print(f"| {name} | {warm:.1f} | {cold:.1f} | {pages:.0f} |")


def _vectors(memory: Memory, bank: int) -> np.ndarray:
    blocks = []
    total = sum(1 for _ in memory.store.scan_episodes(bank))
    for payloads in read_payloads(memory.store, bank, "vector", 0, total):
        size = int(payloads.lengths.max())
        assert (payloads.lengths == size).all(), "every row has a vector"
        blocks.append(payloads.data.reshape(-1, size)[:, : size - 4].view(np.int8))
    return np.ascontiguousarray(np.concatenate(blocks))


def _microseconds(vectors, scales, asked, rows_of, *, cold) -> float:
    elsewhere = np.zeros(96 << 20, np.uint8)
    times = []
    for _ in range(1 if cold else ROUNDS):
        for query, rows in zip(asked, rows_of, strict=True):
            if cold:
                elsewhere[::64] += 1
            start = time.perf_counter()
            dot_rows(vectors, scales, query, rows)
            times.append(time.perf_counter() - start)
    return float(np.median(times)) * 1e6


if __name__ == "__main__":
    main()
