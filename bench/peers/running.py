"""Run the stages of all systems, each in its process, so that what is cut off goes on."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.peers.systems import ENVIRONMENTS, ROOT, System

REPEATED_S = 60.0
"""A build that took longer is not made a second time."""

Record = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one stage may take. ``until``: when nothing more is begun, by ``time.monotonic``."""

    seconds: float = 600.0
    memory_mb: float = 6144.0
    until: float = float("inf")


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A stage of a system. ``size``: of the bank, 0 for conversations."""

    system: System
    stage: str
    size: int
    run: int

    @property
    def name(self) -> str:
        """What its record is called."""
        return f"{slug(self.system.name)}-{self.size}-{self.stage}-{self.run}"


def slug(name: str) -> str:
    """Return a name that a file may have."""
    return re.sub(r"\W+", "-", name.lower()).strip("-")


def conversations(every: Sequence[System]) -> list[Task]:
    """Return what tells how much each system finds."""
    return [Task(system=system, stage="find", size=0, run=1) for system in every]


def tasks(every: Sequence[System], sizes: Sequence[int], runs: int) -> Iterator[Task]:
    """
    Yield all that is to be done, size by size.

    Systems take turns, and every second run the other way round, so that whatever else the
    machine does meets all of them. What opens another's build comes after it in the first.
    """
    for size in sizes:
        for run in range(1, runs + 1):
            for system in every if run % 2 else every[::-1]:
                if system.builds:
                    yield Task(system=system, stage="build", size=size, run=run)
                yield Task(system=system, stage="search", size=size, run=run)


class Runner:
    """Does tasks whose records there are not yet; ``work``: where records and stores lie."""

    def __init__(
        self,
        work: Path,
        material: Callable[[int], Path],
        limits: Limits,
        environments: Path = ENVIRONMENTS,
        say: Callable[[str], object] = print,
    ) -> None:
        self._work, self._material, self._limits = work, material, limits
        self._environments, self._say = environments, say
        (work / "records").mkdir(parents=True, exist_ok=True)

    def record(self, task: Task) -> Record | None:
        """Return what was measured, or why it could not be; None if it was not yet."""
        file = self._work / "records" / f"{task.name}.json"
        if not file.exists():
            return None
        kept = json.loads(file.read_text())
        return kept if kept.get("stamp") == task.system.stamp() else None

    def do(self, plan: Sequence[Task]) -> bool:
        """Do what is not done yet; return whether all is, or the time was up before."""
        for task in plan:
            if self.record(task) is not None or self._needless(task, plan):
                continue
            if time.monotonic() > self._limits.until:
                return False
            begun = time.monotonic()
            kept = self._run(task)
            outcome = kept.get("failed", f"{time.monotonic() - begun:.0f} s")
            self._say(f"{task.system.name}, {task.size}, {task.stage} {task.run}: {outcome}")
        return True

    def failed(self, task: Task, plan: Sequence[Task]) -> str:
        """Return why a system has failed so far, at this size or at a smaller one; or nothing."""
        for other in plan:
            same = other.system.name == task.system.name and bool(other.size) == bool(task.size)
            if same and other.size <= task.size:
                kept = self.record(other)
                if kept and "failed" in kept:
                    at = "" if other.size == task.size else f"at {other.size:,}: "
                    return f"{at}{kept['failed']}"
        return ""

    def _needless(self, task: Task, plan: Sequence[Task]) -> bool:
        """Tell whether a task is left out: it cannot be run, has failed, or is long to repeat."""
        if task.system.lacking(self._environments) or self.failed(task, plan):
            return True
        store = self._store(task)
        if task.stage == "search":
            return not store.exists()
        if task.stage == "build" and task.run > 1:
            before = [one for one in plan if one.name == _with_run(task, 1).name]
            kept = self.record(before[0]) if before else None
            return kept is None or kept["added_s"][0] + kept["settled_s"][0] > REPEATED_S
        return False

    def _store(self, task: Task) -> Path:
        return self._work / "stores" / str(task.size) / slug(task.system.built_as)

    def _run(self, task: Task) -> Record:
        store, records = self._store(task), self._work / "records"
        if task.stage != "search" and task.system.builds:
            shutil.rmtree(store, ignore_errors=True)
        store.parent.mkdir(parents=True, exist_ok=True)
        out = records / f"{task.name}.measured"
        told = {
            "stage": task.stage,
            "adapter": task.system.adapter,
            "options": task.system.options_at(task.size),
            "material": str(self._material(task.size)),
            "store": str(store),
            "out": str(out),
        }
        failed = self._watched(task, told)
        if failed or not out.exists():
            kept: Record = {"failed": failed or "it ended and had measured nothing"}
            if task.stage == "build":
                shutil.rmtree(store, ignore_errors=True)
        else:
            kept = json.loads(out.read_text())
            out.unlink()
        kept["stamp"] = task.system.stamp()
        (records / f"{task.name}.json").write_text(json.dumps(kept))
        return kept

    def _watched(self, task: Task, told: dict[str, Any]) -> str:
        """Run a stage and watch what it takes; return why it failed, or nothing."""
        log = self._work / "records" / f"{task.name}.log"
        words = [task.system.python(self._environments), "-m", "bench.peers.live", json.dumps(told)]
        end = time.monotonic() + self._limits.seconds
        with log.open("w") as file:
            process = subprocess.Popen(words, cwd=ROOT, stdout=file, stderr=file)
            try:
                while process.poll() is None:
                    time.sleep(0.05)
                    if time.monotonic() > end:
                        return f"not done in {self._limits.seconds:.0f} s"
                    if resident_mb(process.pid) > self._limits.memory_mb:
                        return f"more than {self._limits.memory_mb / 1024:.3g} GiB of memory"
            finally:
                if process.poll() is None:
                    process.kill()
                process.wait()
        if process.returncode == 0:
            return ""
        said = log.read_text(errors="replace").strip().splitlines()
        return (said[-1] if said else f"ended with {process.returncode}")[:300]


def _with_run(task: Task, run: int) -> Task:
    return Task(system=task.system, stage=task.stage, size=task.size, run=run)


def resident_mb(process: int) -> float:
    """Return what a process has in memory; 0 when it has ended."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024
