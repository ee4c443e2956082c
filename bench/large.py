"""
What finds vectors among 50 000 to a million: a scan of all, partitions, FAISS; and where are they?

Beside the scan of sign bits: how long a search takes, how many of the ten best it has, what making
it takes and what a tenth more, what it holds. Then vectors in a file, in order of arrival or of
partitions: pages read by a question, and those of them that a small cache has not. Each part of a
size is measured in a process of its own; ``HIPPOCAMPUS_BENCH_RESUME=FILE`` keeps what is done.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from bench.banks import SEED, default_embedder, questions, sources
from bench.measure import Row, in_fresh_process, seconds
from bench.memory import resident_mb
from hippocampus.core.config import Vectors
from hippocampus.core.records import Payloads
from hippocampus.index.faiss_search import FaissSearch
from hippocampus.index.partition_search import PartitionSearch, order_of
from hippocampus.index.partitions import Partitions, keep_up
from hippocampus.index.query import Query
from hippocampus.index.vector import VectorCue
from hippocampus.index.vector_codec import pack_vectors
from hippocampus.kernel import top_k

SIZES = (50_000, 100_000, 1_000_000)
KINDS = ("turns", "clusters")
PARTS = ("partitions", "disk", "faiss")
ASKED, ROUNDS = 50, 2
LIMIT, BEST = 200, 10
PROBES = (32, 128, 256, 512)
FAISS_PROBES = (32, 128)
FAISS_SIZES = SIZES[:1]
"""Of real turns alone: to learn an index of more takes minutes of processor time."""
CLUSTERS = 2000
AT_ONCE = 8192
NOW = datetime(2024, 1, 1, tzinfo=UTC)
SOURCES = 10
PAGE = 4096
CACHE = 0.05
"""Part of the pages that the small cache holds."""

Search = Callable[[np.ndarray], np.ndarray]


def run(_workshop: object = None, *, quick: bool = False) -> Iterator[Row]:
    """Yield the rows of every size, kind and part."""
    kept = os.environ.get("HIPPOCAMPUS_BENCH_RESUME")
    done = json.loads(Path(kept).read_text()) if kept and Path(kept).exists() else {}
    for count in SIZES[:2] if quick else SIZES:
        for kind in KINDS:
            for part in PARTS:
                if part == "faiss" and (kind != KINDS[0] or count not in FAISS_SIZES):
                    continue
                name = f"{part} {kind} {count}"
                if name not in done:
                    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
                    printed = in_fresh_process("-m", "bench.large", part, kind, str(count))
                    done[name] = json.loads(printed)
                    if kept:
                        Path(kept).write_text(json.dumps(done))
                yield from (Row(**row) for row in done[name])


def filled(cue: VectorCue, kind: str, count: int) -> VectorCue:
    """Observe so many vectors: mixtures of two real turns, or points about made-up centres."""
    rng = np.random.default_rng(SEED)
    real = np.stack([source.embedded.vector for source in sources()])
    centres = rng.normal(size=(CLUSTERS, cue.dimension)).astype(np.float32)
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    for start in range(0, count, AT_ONCE):
        size = min(AT_ONCE, count - start)
        if kind == "turns":
            left, right = rng.integers(0, len(real), (2, size))
            made = np.float32(0.55) * real[left] + np.float32(0.45) * real[right]
            made += rng.normal(0, 0.005, made.shape).astype(np.float32)
        else:
            # As far from its centre as the centre from the origin: a cosine of .7 with it.
            made = rng.normal(0, cue.dimension**-0.5, (size, cue.dimension)).astype(np.float32)
            made += centres[rng.integers(0, CLUSTERS, size)]
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        cue.observe(Payloads.of(pack_vectors(made)))
    return cue


def asked(cue: VectorCue, kind: str) -> list[np.ndarray]:
    """Return vectors to search for: real questions, or points about other rows."""
    if kind == "turns":
        return [default_embedder().embed_query(text).vector for text in questions(ASKED)]
    rng = np.random.default_rng(SEED + 1)
    near = cue.vectors(rng.integers(0, len(cue), ASKED))
    near = near + rng.normal(0, cue.dimension**-0.5, near.shape)
    return list((near / np.linalg.norm(near, axis=1, keepdims=True)).astype(np.float32))


class Judge:
    """Times searches and compares what they find with an exact scan."""

    def __init__(self, cue: VectorCue, kind: str) -> None:
        self.vectors = asked(cue, kind)
        every = np.arange(len(cue), dtype=np.uint32)
        self.exact = [top_k(cue.cosines(one, every), BEST) for one in self.vectors]

    def ms(self, search: Search) -> float:
        """Return the median of some rounds, the first not counted."""
        rounds = [[seconds(search, one) for one in self.vectors] for _ in range(1 + ROUNDS)]
        return float(np.median(rounds[1:])) * 1e3

    def recall(self, search: Search) -> float:
        """Return how many of the ten best a search finds."""
        found = [search(one)[:BEST] for one in self.vectors]
        both = zip(self.exact, found, strict=True)
        return float(np.mean([np.isin(best, rows).mean() for best, rows in both]))


def size_of(count: int) -> str:
    """Return a count as rows have it."""
    return f"{count // 1000} k" if count < 1_000_000 else f"{count // 1_000_000} m"


def processor_s(call: Callable[..., object], *arguments: object) -> float:
    """Return how much processor time one call takes: others are at work on the machine."""
    start = time.process_time()
    call(*arguments)
    return time.process_time() - start


def searching(cue: VectorCue, allowed: np.ndarray | None = None) -> Search:
    """Return a search by the cue as it is."""

    nothing = np.empty(0)

    def search(vector: np.ndarray) -> np.ndarray:
        asked = Query(
            text="", now=NOW, terms=nothing.astype(np.uint32),
            term_weights=nothing.astype(np.float32), vector=vector,
        )  # fmt: skip
        return cue.propose(asked, allowed, LIMIT)

    return search


def partitions(kind: str, count: int) -> Iterator[Row]:
    """Yield what partitions take, find and hold, beside the scan."""
    cue = filled(VectorCue(len(sources()[0].embedded.vector)), kind, count)
    what, judge = f"{size_of(count)} {kind}", Judge(cue, kind)
    scan = judge.ms(searching(cue))
    yield Row(name=f"{what}: scan", value=scan, unit="ms", note="of all signs")
    yield Row(name=f"{what}: scan, ten best found", value=judge.recall(searching(cue)), unit="")
    yield Row(name=f"{what}: scan, held", value=cue.nbytes / count, unit="B a row")
    start = time.process_time()
    whole, _ = keep_up(None, cue.vectors, count)
    took = time.process_time() - start
    before = replace(whole, of_row=whole.of_row[: count * 9 // 10])
    again = processor_s(keep_up, before, cue.vectors, count)
    yield Row(name=f"{what}: partitions, a tenth new", value=again, unit="s", baseline=took,
              note=f"of one core; baseline all anew; {len(whole.centres)} partitions")  # fmt: skip
    held = cue.nbytes
    cue.search = PartitionSearch(whole, PROBES[0], None)
    first = processor_s(searching(cue), judge.vectors[0])
    yield Row(
        name=f"{what}: partitions, laid out when first asked",
        value=first,
        unit="s",
        note="of one core",
    )
    yield Row(name=f"{what}: partitions, held", value=(cue.nbytes - held) / count, unit="B a row",
              baseline=held / count, note="baseline what a scan holds")  # fmt: skip
    for probes in PROBES:
        if probes < len(whole.centres):
            cue.search = PartitionSearch(whole, probes, None)
            yield from _compared(f"{what}: partitions, {probes} probes", cue, judge, scan)
    yield from _sharded(what, cue, whole, judge)


def _compared(name: str, cue: VectorCue, judge: Judge, scan: float) -> Iterator[Row]:
    ours = judge.ms(searching(cue))
    yield Row(name=name, value=ours, unit="ms", baseline=scan, note="baseline the scan")
    yield Row(name=f"{name}, ten best found", value=judge.recall(searching(cue)), unit="")


def _sharded(what: str, cue: VectorCue, made: Partitions, judge: Judge) -> Iterator[Row]:
    """Yield what a question of one source of ten takes, its rows scattered among the others'."""
    source = np.random.default_rng(SEED).integers(0, SOURCES, len(cue)).astype(np.int32)
    one = searching(cue, source == 0)
    cue.search = None
    scan = judge.ms(one)
    for shards, how in ((None, "among all"), (lambda: source, "in shards by source")):
        cue.search = PartitionSearch(made, Vectors().probes, shards)
        yield Row(name=f"{what}: one source of {SOURCES}, {how}", value=judge.ms(one), unit="ms",
                  baseline=scan, note="baseline the scan")  # fmt: skip


def faiss(kind: str, count: int) -> Iterator[Row]:
    """Yield what FAISS takes, finds and holds, beside the scan in the same process."""
    cue = filled(VectorCue(len(sources()[0].embedded.vector)), kind, count)
    what, judge = f"{size_of(count)} {kind}", Judge(cue, kind)
    scan, held, base = judge.ms(searching(cue)), resident_mb(), cue.nbytes / count
    made = FaissSearch(FAISS_PROBES[0])
    cue.search = made
    took = processor_s(searching(cue), judge.vectors[0])
    yield Row(
        name=f"{what}: FAISS, made when first asked", value=took, unit="s", note="of one core"
    )
    held = (resident_mb() - held) * 2**20 / count
    yield Row(
        name=f"{what}: FAISS, held", value=held, unit="B a row", baseline=base,
        note="measured, with what learning it took; baseline what a scan holds",
    )  # fmt: skip
    for probes in FAISS_PROBES:
        made.probes = probes
        yield from _compared(f"{what}: FAISS, {probes} probes", cue, judge, scan)


def disk(kind: str, count: int) -> Iterator[Row]:
    """Yield what vectors in a file take and hold, and the pages that questions read."""
    dimension = len(sources()[0].embedded.vector)
    cue = filled(VectorCue(dimension), kind, count)
    in_memory = cue.nbytes
    what, judge = f"{size_of(count)} {kind}", Judge(cue, kind)
    scan = judge.ms(searching(cue))
    rows = [searching(cue)(one) for one in judge.vectors]
    made, _ = keep_up(None, cue.vectors, count)
    by_partition = order_of(made)
    places = {"as they arrived": np.arange(count), "by partition": np.argsort(by_partition)}
    near = [cue.candidates(one, None, 2 * LIMIT).astype(np.int64) for one in judge.vectors]
    base: dict[str, float] = {}
    for how, place in places.items():
        pages = [np.unique(place[some] * dimension // PAGE) for some in near]
        each, missed = float(np.mean([len(p) for p in pages])), _missed(pages, count * dimension)
        for name, value in (
            ("pages a question reads", each),
            ("pages a small cache lacks", missed),
        ):
            yield Row(
                name=f"{what}: {name}, {how}", value=value, unit="pages",
                baseline=base.setdefault(name, value), note="baseline as they arrived",
            )  # fmt: skip
    del cue
    with tempfile.TemporaryDirectory() as folder:
        for how, order in (("as they arrived", None), ("by partition", by_partition)):
            cue = VectorCue(dimension, folder=Path(folder), order=order)
            took = seconds(filled, cue, kind, count)
            assert all(
                np.array_equal(a, searching(cue)(q))
                for a, q in zip(rows, judge.vectors, strict=True)
            )
            yield Row(
                name=f"{what}: in a file, {how}", value=judge.ms(searching(cue)), unit="ms",
                baseline=scan, note=f"baseline in memory; {took:.3g} s to make and fill",
            )  # fmt: skip
    yield Row(
        name=f"{what}: in a file, held", value=cue.nbytes / count, unit="B a row",
        baseline=in_memory / count, note="baseline in memory",
    )  # fmt: skip


def _missed(pages: list[np.ndarray], size: int) -> float:
    """Return how many pages a question reads on average that were not among the last read."""
    most = max(1, int(CACHE * size / PAGE))
    cache: OrderedDict[int, None] = OrderedDict()
    missed = 0
    for some in pages:
        for page in some.tolist():
            missed += page not in cache
            cache[page] = None
            cache.move_to_end(page)
            if len(cache) > most:
                cache.popitem(last=False)
    return missed / len(pages)


if __name__ == "__main__":
    part, kind, size = sys.argv[1:]
    print(json.dumps([asdict(row) for row in globals()[part](kind, int(size))]))
