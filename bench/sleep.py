"""How long does a bank of 50 000 sleep, what does that take, and who notices?"""

from __future__ import annotations

import json
import shutil
import sys
import threading
import time
from collections.abc import Iterator

import numpy as np

from bench.banks import LAST, TableEmbedder, Workshop, questions
from bench.measure import Row, in_fresh_process
from bench.memory import resident_mb
from hippocampus import Bank, Memory
from hippocampus.core.clock import ManualClock

COUNT = 50_000
POLICIES = ("keep", "adaptive:1000000")
NOW = LAST.replace(month=6)
_LOOK_S = 0.02
_ASKED = 300


def run(workshop: Workshop, *, quick: bool) -> Iterator[Row]:  # noqa: ARG001 - all alike
    """Yield seconds by step, megabytes at most, and how recall fares meanwhile."""
    built = workshop.bank(COUNT)
    for policy in POLICIES:
        copy = built.path.with_name("slept.db")
        shutil.copy(built.path, copy)
        told = json.loads(in_fresh_process("-m", "bench.sleep", str(copy), policy))
        copy.unlink()
        first, again = told["first"], told["again"]
        yield Row(
            name=f"sleep of 50 k, policy {policy}", value=first["all"], unit="s",
            note=", ".join(f"{name} {s:.1f}" for name, s in first.items() if name != "all"),
        )  # fmt: skip
        yield Row(
            name=f"sleep again, policy {policy}", value=again["all"], unit="s",
            baseline=first["all"], note="nothing has changed; baseline the first",
        )  # fmt: skip
        yield Row(
            name=f"memory while asleep, policy {policy}", value=told["peak_mb"], unit="MB",
            baseline=told["awake_mb"], note="at most; baseline before",
        )  # fmt: skip
        yield Row(
            name=f"recall while asleep, policy {policy}, p95", value=told["asleep_ms"], unit="ms",
            baseline=told["awake_ms"],
            note="50 times a second, in a thread beside it; baseline as often, before",
        )  # fmt: skip


def once(path: str, policy: str) -> None:
    """Print what two sleeps take, and how recall fares before and meanwhile."""
    with Memory(path, embedder=TableEmbedder({}), clock=ManualClock(NOW)) as memory:
        bank = memory.bank("b")
        bank.set_policy(policy)
        asked = questions()
        for text in asked:
            bank.recall(text)
        awake = list[float]()
        for n in range(_ASKED):  # as often as beside a sleep: who asks after a pause waits longer
            time.sleep(_LOOK_S)
            awake.append(_ask(bank, asked[n % len(asked)]))
        before = resident_mb()
        ended, peak, asleep = threading.Event(), [before], list[float]()

        def look() -> None:
            while not ended.wait(_LOOK_S):
                peak.append(resident_mb())

        def ask() -> None:
            while not ended.is_set():
                asleep.append(_ask(bank, asked[len(asleep) % len(asked)]))
                time.sleep(_LOOK_S)

        watchers = [threading.Thread(target=one) for one in (look, ask)]
        for one in watchers:
            one.start()
        try:
            first = _sleep(memory)
        finally:
            ended.set()
            for one in watchers:
                one.join()
        told = {
            "first": first,
            "again": _sleep(memory),
            "awake_mb": before,
            "peak_mb": max(peak),
            "awake_ms": float(np.percentile(awake, 95)),
            "asleep_ms": float(np.percentile(asleep, 95)),
        }
    print(json.dumps(told))


def _ask(bank: Bank, text: str) -> float:
    started = time.perf_counter()
    bank.recall(text)
    return (time.perf_counter() - started) * 1e3


def _sleep(memory: Memory) -> dict[str, float]:
    started = time.perf_counter()
    slept = memory.bank("b").sleep()
    steps = {step.name: round(step.elapsed_s, 2) for step in slept.steps}
    return {"all": time.perf_counter() - started, **steps}


if __name__ == "__main__":
    once(*sys.argv[1:])
