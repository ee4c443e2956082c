"""
One stage of one peer, in a process of its own: ``python -m bench.peers.live SPECIFICATION``.

The specification is JSON; what was measured is written to its ``out``. ``build`` adds everything;
``search`` opens what was built and asks; ``find`` adds conversations and tells what is found.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Self

import numpy as np

from bench.peers.contract import Adapter, Asked, open_peer
from bench.peers.material import ASKED, Material

ROUNDS = 3
"""Rounds over the questions after each was asked once."""
ENOUGH_S = 60.0
"""No further round is begun after so long."""


class Watch:
    """Measures what happens within it, by the clock and of the processor, in seconds."""

    def __enter__(self) -> Self:
        self._begun = self._now()
        return self

    def __exit__(self, *_: object) -> None:
        self.took = self._now() - self._begun

    @staticmethod
    def _now() -> np.ndarray:
        return np.array([time.perf_counter(), time.process_time()])


def in_memory_mb(field: str) -> float:
    """Return a size of this process: VmRSS, what is in memory; VmHWM, what was at most."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(field))


def on_disk_mb(folder: Path) -> float:
    """Return what a folder's files take, as they are allocated."""
    sizes = {
        (status.st_dev, status.st_ino): status.st_blocks * 512
        for file in folder.rglob("*")
        if file.is_file()
        for status in [file.stat()]
    }
    return sum(sizes.values()) / 2**20


def shares(times: list[np.ndarray]) -> dict[str, dict[str, float]]:
    """Return percentiles of calls in milliseconds, by the clock and of the processor."""
    every = np.array(times) * 1e3
    return {
        name: {f"p{share}": float(np.percentile(column, share)) for share in (50, 95, 99)}
        for name, column in (("wall", every[:, 0]), ("processor", every[:, 1]))
    }


def fill(peer: Adapter, material: Material) -> dict[str, object]:
    """Add everything and let it settle; what an adapter's own vectors cost is taken off."""
    added, settled, count = np.zeros(2), np.zeros(2), 0
    for items, vectors in material.batches():
        before = np.array(getattr(peer, "spent_s", (0.0, 0.0)))
        with Watch() as watch:
            peer.add(items, vectors)
        added += watch.took - (np.array(getattr(peer, "spent_s", (0.0, 0.0))) - before)
        count += len(items)
    with Watch() as watch:
        peer.settle()
    settled += watch.took
    return {
        "count": count, "added_s": added.tolist(), "settled_s": settled.tolist(),
        "peak_mb": in_memory_mb("VmHWM"),
    }  # fmt: skip


def build(told: dict) -> dict[str, object]:
    """Add a material, in an empty folder."""
    material = Material(Path(told["material"]))
    store = Path(told["store"])
    peer = open_peer(told["adapter"], store, material.dimension, told["options"])
    made = fill(peer, material)
    peer.close()
    return made | {"disk_mb": on_disk_mb(store)}


def ask(peer: Adapter, some: list[Asked]) -> tuple[list[np.ndarray], list[list[str]]]:
    """Return what each search takes and finds."""
    times, found = [], []
    for one in some:
        with Watch() as watch:
            ids = peer.search(one)
        times.append(watch.took)
        found.append(ids)
    return times, found


def search(told: dict) -> dict[str, object]:
    """Open what was built; ask as many others, then each for the first time, then again."""
    material = Material(Path(told["material"]))
    every, dimension = material.asked(), material.dimension
    empty_mb = in_memory_mb("VmRSS")
    with Watch() as opened:  # with all that is imported for it, now or when it is first needed
        peer = open_peer(told["adapter"], Path(told["store"]), dimension, told["options"])
        peer.search(every[-1])
    ask(peer, every[ASKED:-1])
    first, found = ask(peer, every[:ASKED])
    again: list[np.ndarray] = []
    end = time.perf_counter() + ENOUGH_S
    for _ in range(ROUNDS):
        if not again or time.perf_counter() < end:
            again += ask(peer, every[:ASKED])[0]
    held_mb = in_memory_mb("VmRSS")
    peer.close()
    return {
        "opened_s": opened.took.tolist(),
        "first": shares(first),
        "again": shares(again),
        "calls": len(again),
        "empty_mb": empty_mb,
        "resident_mb": held_mb,
        "found": found,
    }


def find(told: dict) -> dict[str, object]:
    """Add each conversation to a store of its own, open it anew, and tell what is found."""
    every, folders = [], [one for one in Path(told["material"]).iterdir() if one.is_dir()]
    for place in range(len(folders)):
        material = Material(Path(told["material"], str(place)))
        folder, filled = Path(told["store"], str(place)), Path(told["store"], f"{place}.filled")
        if not filled.exists():  # by another way to ask the same
            peer = open_peer(told["adapter"], folder, material.dimension, told["options"])
            fill(peer, material)
            peer.close()
            filled.touch()
        peer = open_peer(told["adapter"], folder, material.dimension, told["options"])
        every.append(ask(peer, material.asked())[1])
        peer.close()
    return {"found": every}


STAGES = {"build": build, "search": search, "find": find}


def main() -> None:
    """Do what the specification tells."""
    told = json.loads(sys.argv[1])
    made = STAGES[told["stage"]](told)
    made["load"] = round(os.getloadavg()[0], 1)
    out = Path(told["out"])
    partial = out.with_suffix(".partial")
    partial.write_text(json.dumps(made))
    partial.rename(out)


if __name__ == "__main__":
    main()
