"""
What does one bank of a million episodes take: to open, to ask, to sleep, in memory and on disk?

It is made as ``banks.py`` makes all, and has slept; each figure is of a fresh process. Opening is
measured beside making the index from the store, which is what happens where its file is missing.
``HIPPOCAMPUS_BENCH_STORE=FOLDER`` keeps the store, and goes on where it was cut off;
``HIPPOCAMPUS_BENCH_MILLION=100000`` makes it smaller. Facts are read by rules: parsing a million
texts is another matter, and optional.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np

from bench.banks import TableEmbedder, Workshop, questions, turns
from bench.measure import Row, cost_ms, in_fresh_process, seconds
from bench.memory import resident_mb
from bench.search import ASKED, FILTERS, NOW
from hippocampus import Config, Memory

COUNT = 1_000_000
BATCH = 20_000
MORE = 10_000
"""Episodes that come after the sleep, for the next one."""
ROUNDS = 3
WORDS = ("the", "garden", "quokka")
CONFIG = Config(statements="rules")


def run(_workshop: Workshop | None = None, *, quick: bool = False) -> Iterator[Row]:
    """Yield the rows of one size."""
    count = int(os.environ.get("HIPPOCAMPUS_BENCH_MILLION", 50_000 if quick else COUNT))
    kept = os.environ.get("HIPPOCAMPUS_BENCH_STORE")
    if kept is None:
        from tempfile import TemporaryDirectory  # noqa: PLC0415 - none where it is kept

        with TemporaryDirectory(prefix="hippocampus-bench-") as folder:
            yield from measure(Path(folder) / f"{count}.db", count)
    else:
        yield from measure(Path(kept) / f"{count}.db", count)


def measure(path: Path, count: int) -> Iterator[Row]:
    """Yield the rows of a store, which is made as far as it is not there."""
    size = f"{count // 1_000_000} m" if count >= 1_000_000 else f"{count // 1000} k"
    for stage in ("fill", "sleep", "built", "opened", "asked", "incremental"):
        done = path.with_suffix(f".{stage}.json")
        if not done.exists():
            if stage == "built":
                _remove_index_files(path)
            done.write_text(in_fresh_process("-m", "bench.million", stage, str(path), str(count)))
            if stage == "built":
                in_fresh_process("-m", "bench.million", "keep", str(path), str(count))
    told = {
        stage: json.loads(path.with_suffix(f".{stage}.json").read_text())
        for stage in ("fill", "sleep", "built", "opened", "asked", "incremental")
    }
    yield from _rows(size, count, told)


def _rows(size: str, count: int, told: dict[str, dict[str, float]]) -> Iterator[Row]:
    asked, opened, built = told["asked"], told["opened"], told["built"]
    made = "baseline made from the store"
    yield Row(
        name=f"{size}, opened: index in memory", value=opened["open_s"], unit="s",
        baseline=built["open_s"], note=f"Memory() and its bank, fresh process; {made}",
    )  # fmt: skip
    yield Row(
        name=f"{size}, opened: first recall after that", value=opened["first_s"], unit="s",
        baseline=built["first_s"], note=made,
    )  # fmt: skip
    yield Row(
        name=f"{size}, resident once opened", value=opened["resident_mb"], unit="MB",
        baseline=built["resident_mb"], note=f"of this bank alone; {made}",
    )  # fmt: skip
    yield Row(
        name=f"{size}, resident after {ASKED} questions", value=asked["resident_mb"], unit="MB",
        note="with all pages of the file that were looked at",
    )  # fmt: skip
    yield Row(
        name=f"{size}, resident after {ASKED} questions, held", value=asked["held_mb"], unit="MB",
        note="without pages of the file, which the system takes when others need room",
    )  # fmt: skip
    for name in ("p50", "p95", "p99"):
        yield Row(
            name=f"{size}, recall, {name}", value=asked[f"cpu {name}"], unit="ms",
            baseline=asked[f"clock {name}"],
            note="processor, all calls, without embedding; baseline by the clock",
        )  # fmt: skip
    for name in FILTERS:
        yield Row(
            name=f"{size}, recall, {name}, p50", value=asked[name], unit="ms",
            baseline=asked["cpu p50"], note="processor; baseline unfiltered",
        )  # fmt: skip
    for word in WORDS:
        yield Row(
            name=f"{size}, count of {word!r}", value=asked[f"count {word}"], unit="ms",
            note=f"processor, median of {ROUNDS}; it is there {asked[f'in {word}']:,.0f} times",
        )  # fmt: skip
    yield Row(
        name=f"{size}, remember, p50", value=told["incremental"]["remember_ms"], unit="ms",
        note="processor, vectors known",
    )  # fmt: skip
    yield Row(
        name=f"{size}, written", value=count / told["fill"]["cpu_s"], unit="turns/s",
        note="of processor time, vectors known",
    )  # fmt: skip
    slept = told["sleep"]
    yield Row(
        name=f"{size}, the first sleep", value=slept["cpu_s"], unit="s", baseline=slept["clock_s"],
        note="processor; baseline by the clock",
    )  # fmt: skip
    for step in sorted(key for key in slept if key.startswith("step ")):
        yield Row(name=f"{size}, the first sleep: {step[5:]}", value=slept[step], unit="s")
    yield Row(name=f"{size}, the first sleep, most memory", value=slept["most_mb"], unit="MB")
    yield Row(
        name=f"{size}, the sleep after {MORE:,} more", value=told["incremental"]["cpu_s"], unit="s",
        baseline=slept["cpu_s"], note="processor; baseline the first sleep",
    )  # fmt: skip
    yield Row(
        name=f"{size}, store, an episode", value=slept["store_bytes"] / count, unit="B",
    )  # fmt: skip
    yield Row(
        name=f"{size}, index file, an episode", value=slept["index_bytes"] / count, unit="B",
    )  # fmt: skip


# ---------------------------------------------------------------- in processes of their own


def fill(path: Path, count: int) -> dict[str, float]:
    """Write the bank, going on where it was cut off."""
    embedder = TableEmbedder()
    with Memory(path, embedder=embedder, config=CONFIG) as memory:
        bank = memory.bank("b")
        there = bank.stats().episodes if "b" in memory.banks() else 0
        used = 0.0
        every = islice(turns(count), there, None)
        while some := list(islice(every, BATCH)):
            embedder.expect(some)
            given = [replace(t, metadata={"project": t.metadata["project"]}) for t in some]
            start, spent = time.process_time(), embedder.spent_s
            bank.remember_many(given)
            used += time.process_time() - start - (embedder.spent_s - spent)
    return {"cpu_s": used * count / max(count - there, 1) or 1.0}


def sleep(path: Path, _count: int) -> dict[str, float]:
    """Have it sleep for the first time."""
    with Memory(path, embedder=TableEmbedder({}), config=CONFIG) as memory:
        start, used = time.perf_counter(), time.process_time()
        slept = memory.bank("b").sleep()
        clock_s, cpu_s = time.perf_counter() - start, time.process_time() - used
    index = sum(one.stat().st_size for one in path.parent.glob(f"{path.name}-index-*"))
    return {
        "cpu_s": cpu_s, "clock_s": clock_s,
        "most_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "store_bytes": float(path.stat().st_size), "index_bytes": float(index),
        **{f"step {step.name}": step.elapsed_s for step in slept.steps},
    }  # fmt: skip


def opened(path: Path, _count: int) -> dict[str, float]:
    """Open it, and ask once."""
    embedder = TableEmbedder({})
    question = questions(1)[0]
    embedder.embed_query(question)
    gc.collect()
    empty, start = resident_mb(), time.perf_counter()
    with Memory(path, embedder=embedder, config=CONFIG) as memory:
        bank = memory.bank("b")
        bank.episodes(limit=0)
        open_s = time.perf_counter() - start
        held = resident_mb() - empty
        first_s = seconds(lambda: bank.recall(question, now=NOW))
    return {"open_s": open_s, "resident_mb": held, "first_s": first_s}


def asked(path: Path, _count: int) -> dict[str, float]:
    """Ask it, with and without filters, and count."""
    embedder = TableEmbedder({})
    every = questions(ASKED)
    for question in every:
        embedder.embed_query(question)
    gc.collect()
    empty, mapped = resident_mb(), _mapped_mb()
    told: dict[str, float] = {}
    with Memory(path, embedder=embedder, config=CONFIG, read_only=True) as memory:
        bank = memory.bank("b")
        for question in every:
            bank.recall(question, now=NOW)
        clock_ms, cpu_ms = cost_ms(lambda q: bank.recall(q, now=NOW), every, ROUNDS)
        gc.collect()
        told["resident_mb"] = resident_mb() - empty
        told["held_mb"] = told["resident_mb"] - (_mapped_mb() - mapped)
        for share in (50, 95, 99):
            told[f"clock p{share}"] = float(np.percentile(clock_ms, share))
            told[f"cpu p{share}"] = float(np.percentile(cpu_ms, share))
        for name, options in FILTERS.items():
            bank.recall(every[0], now=NOW, **options)
            some = cost_ms(lambda q, given=options: bank.recall(q, now=NOW, **given), every, 1)
            told[name] = float(np.median(some[1]))
        for word in WORDS:
            told[f"in {word}"] = float(bank.count(word))
            told[f"count {word}"] = float(np.median(cost_ms(bank.count, [word], ROUNDS)[1]))
    return told


def incremental(path: Path, _count: int) -> dict[str, float]:
    """Write some more, one by one and in bulk, and have it sleep again."""
    embedder = TableEmbedder({})
    with Memory(path, embedder=embedder, config=CONFIG) as memory:
        bank = memory.bank("b")
        there = bank.stats().episodes
        some = list(islice(turns(there + MORE), there, None))
        embedder.expect(some)
        given = [replace(t, metadata={"project": t.metadata["project"]}) for t in some]
        used = []
        for turn in given[:100]:
            start = time.process_time()
            bank.remember(
                turn.text, at=turn.at, speaker=turn.speaker, session=turn.session,
                metadata=turn.metadata,
            )  # fmt: skip
            used.append(time.process_time() - start)
        bank.remember_many(given[100:])
        start = time.process_time()
        bank.sleep()
        return {"cpu_s": time.process_time() - start, "remember_ms": float(np.median(used)) * 1e3}


def keep(path: Path, _count: int) -> dict[str, float]:
    """Write the index to its file again."""
    with Memory(path, embedder=TableEmbedder({}), config=CONFIG) as memory:
        memory.bank("b").sleep(steps=["partitions"])
    return {}


def _remove_index_files(path: Path) -> None:
    for file in path.parent.glob(f"{path.name}-index-*"):
        file.unlink()


def _mapped_mb() -> float:
    """Return how much of what is resident lies in files; 0 where the system does not tell."""
    status = Path("/proc/self/status")
    if not status.exists():
        return 0.0
    (line,) = [one for one in status.read_text().splitlines() if one.startswith("RssFile")]
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    stages = {
        "fill": fill, "sleep": sleep, "built": opened, "opened": opened, "asked": asked,
        "incremental": incremental, "keep": keep,
    }  # fmt: skip
    print(json.dumps(stages[sys.argv[1]](Path(sys.argv[2]), int(sys.argv[3]))))
