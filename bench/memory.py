"""
How much memory does a process hold with 50 000 episodes, and where does each byte of one go?

    python -m bench.memory disk STORE

says of any store, by table, index and kind of payload, how many bytes an episode takes.
"""

from __future__ import annotations

import gc
import resource
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.banks import Workshop
from bench.measure import Row, in_fresh_process
from hippocampus import Memory

COUNT = 50_000
QUESTION = "What did Ada plant in the garden?"


def run(workshop: Workshop, *, quick: bool) -> Iterator[Row]:  # noqa: ARG001 - all alike
    """Yield resident megabytes, as measured and as told, then bytes an episode by kind."""
    built = workshop.bank(COUNT)
    for spec, what in (("none", "no embedder"), ("default", "default embedder loaded")):
        printed = in_fresh_process("-m", "bench.memory", str(built.path), spec)
        empty, held, told = map(float, printed.split())
        yield Row(
            name=f"resident at 50 k, {what}", value=held, unit="MB", baseline=empty,
            note="after ten recalls; baseline the same process before it reads the bank",
        )  # fmt: skip
        yield Row(
            name=f"told by stats at 50 k, {what}", value=told, unit="MB", baseline=held - empty,
            note="baseline what the process has grown by",
        )  # fmt: skip
    with Memory(built.path, embedder="none", read_only=True) as memory:
        bank = memory.bank("b")
        text = sum(len(episode.text.encode()) for episode in bank.episodes())
        cues = bank.state.take().index.cues
        indexed = {name: cue.nbytes for name, cue in cues.named().items()}
    for part, nbytes in disk(built.path).items():
        yield Row(
            name=f"disk an episode, {part}", value=nbytes, unit="B",
            baseline=text / COUNT, note="baseline the text in UTF-8",
        )  # fmt: skip
    for name, nbytes in indexed.items():
        yield Row(name=f"memory an episode, {name} cue", value=nbytes / COUNT, unit="B")


def disk(path: Path) -> dict[str, float]:
    """
    Return the bytes that an episode takes in a store's file without its free pages, by part.

    Parts are tables and indexes with all their pages; of the pages of payloads, kinds, and what is
    over; and the whole file.
    """
    with tempfile.TemporaryDirectory(prefix="hippocampus-bench-") as folder:
        copy = Path(folder) / "copy.db"
        source = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        source.execute("VACUUM INTO ?", (str(copy),))
        source.close()
        db = sqlite3.connect(copy)
        (episodes,) = db.execute("SELECT COUNT(*) FROM episodes").fetchone()
        pages = dict(db.execute("SELECT name, SUM(pgsize) FROM dbstat GROUP BY name"))
        parts: dict[str, int] = {}
        for table in ("blocks", "tail"):
            kinds = f"SELECT kind, SUM(LENGTH(payload)) FROM {table} GROUP BY kind"
            for kind, nbytes in db.execute(kinds):
                parts[f"{kind} in {table}"] = nbytes
                pages[table] -= nbytes
            parts[f"the rest of {table}"] = pages.pop(table)
        db.close()
        parts |= pages
        largest = sorted(parts.items(), key=lambda item: -item[1])
        whole = {"whole file": copy.stat().st_size}
        return {part: nbytes / max(1, episodes) for part, nbytes in [*largest, *whole.items()]}


def print_disk(path: str) -> None:
    """Print where each byte of an episode goes."""
    for part, nbytes in disk(Path(path)).items():
        print(f"{part:32} {nbytes:8.1f}")


def once(path: str, spec: str) -> None:
    """Print resident megabytes before the bank is read, after ten recalls, and as told."""
    with Memory(path, embedder=spec, read_only=True) as memory:
        if memory.engine.embedder is not None:
            memory.engine.embedder.embed_query(QUESTION)
        empty = resident_mb()
        bank = memory.bank("b")
        for _ in range(10):
            bank.recall(QUESTION)
        gc.collect()
        print(empty, resident_mb(), bank.stats().resident_bytes / (1 << 20))


def resident_mb() -> float:
    """Return the process's resident memory."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:  # not Linux
        import psutil  # noqa: PLC0415 - only needed here

        return psutil.Process().memory_info().rss / (1 << 20)
    return pages * resource.getpagesize() / (1 << 20)


if __name__ == "__main__":
    if sys.argv[1] == "disk":
        print_disk(sys.argv[2])
    else:
        once(*sys.argv[1:])
