"""From records to a report: medians of the runs with their spread, and what is lost to whom."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.peers.contract import DEPTH
from bench.peers.running import Record, Task
from bench.peers.systems import System
from hippocampus_bench import metrics

EVEN = 0.03
"""By how much two may differ and still be called even."""
EXACT = "NumPy, a scan"
"""Whose ten best are the ten best."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One figure of a row. ``more``: whether more is better. ``of``: where a record has it."""

    name: str
    unit: str
    more: bool
    of: Callable[[Record], float]
    stage: str = "search"


def _call(which: str, clock: str, share: str) -> Callable[[Record], float]:
    return lambda record: record[which][clock][share]


def _calls() -> Iterator[Measure]:
    for which, said in (("first", "first asked"), ("again", "asked again")):
        for clock, told in (("wall", ""), ("processor", ", processor")):
            for share in ("p50", "p95", "p99"):
                name = f"search, {said}{told}, {share}"
                yield Measure(name=name, unit="ms", more=False, of=_call(which, clock, share))


MEASURES = (
    Measure(
        name="adds", unit="/s", more=True, stage="build",
        of=lambda record: record["count"] / record["added_s"][0],
    ),
    Measure(
        name="adds, settled", unit="/s", more=True, stage="build",
        of=lambda record: record["count"] / (record["added_s"][0] + record["settled_s"][0]),
    ),
    Measure(
        name="an add, processor", unit="ms", more=False, stage="build",
        of=lambda record: record["added_s"][1] / record["count"] * 1e3,
    ),
    Measure(
        name="an add, settled, processor", unit="ms", more=False, stage="build",
        of=lambda record: (record["added_s"][1] + record["settled_s"][1]) / record["count"] * 1e3,
    ),
    Measure(
        name="disk", unit="MB", more=False, stage="build", of=lambda record: record["disk_mb"]
    ),
    Measure(
        name="opening", unit="ms", more=False, of=lambda record: record["opened_s"][0] * 1e3
    ),
    Measure(
        name="opening, processor", unit="ms", more=False,
        of=lambda record: record["opened_s"][1] * 1e3,
    ),
    *_calls(),
    Measure(name="resident", unit="MB", more=False, of=lambda record: record["resident_mb"]),
)  # fmt: skip
ADDING = ("adds", "an add, processor")
"""What tells nothing of those that only gather what is added."""
FOUND = "LoCoMo recall@10"
NEAREST = "of the ten nearest"
COMPARED = (
    "adds, settled", "search, first asked, p50", "search, first asked, p95",
    "search, first asked, processor, p50", "opening", "resident", "disk",
)  # fmt: skip
"""What a win or a loss is told of; recall as well."""

NOT_YET = "not measured yet"

Look = Callable[[Task], Record | None]


def spread(values: Sequence[float]) -> dict[str, float]:
    """Return the median of some runs, the least and the most."""
    return {
        "median": rounded(float(np.median(values))),
        "low": rounded(min(values)), "high": rounded(max(values)),
    }  # fmt: skip


def rounded(value: float) -> float:
    """Return four digits that mean something."""
    return float(f"{value:.4g}")


def rows(plan: Sequence[Task], look: Look) -> list[dict[str, Any]]:
    """Return a row for each system at each size of which something was measured."""
    made = []
    for system, size in dict.fromkeys((task.system.name, task.size) for task in plan if task.size):
        mine = [task for task in plan if task.size == size and task.system.name == system]
        owner, gathers = mine[0].system.built_as, mine[0].system.gathers
        builds = [
            task for task in plan
            if (task.stage, task.size, task.system.name) == ("build", size, owner)
        ]  # fmt: skip
        records = {
            "build": [kept for task in builds if (kept := _good(look(task)))],
            "search": [kept for t in mine if t.stage == "search" and (kept := _good(look(t)))],
        }
        if not records["search"]:
            continue
        made.append(
            {
                "system": system,
                "kind": mine[0].system.kind,
                "ours": mine[0].system.ours,
                "size": size,
                "runs": len(records["search"]),
                "load": sorted(one["load"] for one in records["search"]),
                "figures": {
                    measure.name: spread([measure.of(one) for one in records[measure.stage]])
                    for measure in MEASURES
                    if records[measure.stage] and not (gathers and measure.name in ADDING)
                },
            }
        )
    _tell_nearest(made, plan, look)
    return made


def _good(record: Record | None) -> Record | None:
    return None if record is None or "failed" in record else record


def _tell_nearest(made: list[dict[str, Any]], plan: Sequence[Task], look: Look) -> None:
    """Add how many of the ten nearest each search by vectors alone finds."""
    found = {}
    for task in plan:
        if task.stage == "search" and task.system.kind == "vectors":
            kept = _good(look(task))
            if kept:
                found[task.system.name, task.size] = kept["found"]
    for row in made:
        mine, exact = (found.get((name, row["size"])) for name in (row["system"], EXACT))
        if mine and exact:
            shares = [len(set(a) & set(b)) / len(b) for a, b in zip(mine, exact, strict=True)]
            row["figures"][NEAREST] = spread([float(np.mean(shares))])


def recalls(
    plan: Sequence[Task], look: Look, gold: Sequence[Sequence[Sequence[str]]]
) -> list[dict[str, Any]]:
    """Return how much of the evidence each system finds among the first ten."""
    made = []
    for task in plan:
        kept = _good(look(task)) if task.stage == "find" else None
        if kept is None:
            continue
        scores = [
            metrics.recall_at(ranked, frozenset(evidence), DEPTH)
            for case, told in zip(kept["found"], gold, strict=True)
            for ranked, evidence in zip(case, told, strict=True)
        ]
        made.append(
            {
                "system": task.system.name, "kind": task.system.kind, "ours": task.system.ours,
                "questions": len(scores), FOUND: rounded(float(np.mean(scores))),
            }
        )  # fmt: skip
    return made


def lost(table: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """
    Return where a system of others is better than ours of its kind, the best of them.

    A memory is compared with ours as it is used; engines with ours asked for words or vectors
    alone, and what mixes both with ours that mixes both.
    """
    better = {measure.name: measure.more for measure in MEASURES}
    found = []
    for ours in table:
        if not ours["ours"]:
            continue
        rivals = [
            row for row in table
            if not row["ours"] and row["size"] == ours["size"] and row["kind"] in _beside(ours)
        ]  # fmt: skip
        for measure in (one for one in COMPARED if one in ours["figures"]):
            mine = ours["figures"][measure]["median"]
            best = sorted(
                (
                    (row["figures"][measure]["median"], row["system"])
                    for row in rivals
                    if measure in row["figures"]
                ),
                reverse=better[measure],
            )
            if best and _worse(mine, best[0][0], more=better[measure]):
                found.append(
                    {
                        "system": ours["system"], "kind": ours["kind"], "size": ours["size"],
                        "measure": measure, "here": mine, "there": best[0][0], "to": best[0][1],
                    }
                )  # fmt: skip
    return found


def _beside(ours: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the kinds of what a system of ours is compared with."""
    match ours["system"]:
        case "hippocampus":
            return ("hybrid", "memory")
        case "hippocampus, embedding the question":
            return ()
        case _:
            return (ours["kind"],)


def _worse(mine: float, theirs: float, *, more: bool) -> bool:
    ratio = theirs / mine if more else mine / theirs
    return ratio > 1 + EVEN


def left_out(
    plan: Sequence[Task],
    look: Look,
    failed: Callable[[Task], str],
    lacking: Callable[[System], str],
) -> list[dict[str, Any]]:
    """Return what could not be measured, or is not yet, and why; size 0: conversations."""
    named = {task.system.name: task.system for task in plan}
    made = []
    for name, size in dict.fromkeys((task.system.name, task.size) for task in plan):
        system = named[name]
        of_owner = [
            task for task in plan if task.size == size and task.system.name == system.built_as
        ]
        mine = [task for task in plan if task.size == size and task.system.name == name]
        reasons = [lacking(system)] + [failed(task) for task in mine + of_owner]
        asked = [task for task in mine if task.stage != "build"]
        reasons += [] if any(map(look, asked)) else [NOT_YET]
        reason = next(filter(None, reasons), "")
        if reason:
            made.append({"system": name, "size": size, "reason": reason})
    return made
