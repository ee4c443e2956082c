"""
Measure other stores and engines beside ours: ``python -m bench.peers [--sizes N ...]``.

Each is run in a process of its own by the interpreter of its environment (``make peers``), with the
same texts and the same vectors, which our embedder made before. What is cut off goes on where it
was; what cannot be installed or takes too much is left out, and the report says why.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bench.measure import HERE, commit, machine
from bench.peers.picture import draw
from bench.peers.report import left_out, lost, recalls, rows
from bench.peers.running import Limits, Runner, Task, conversations, tasks
from bench.peers.systems import ENVIRONMENTS, ROOT, System, systems

SIZES = (1_000, 50_000, 200_000)
RUNS = 3


def main() -> None:
    """Do what is not done yet; write a report of what there is."""
    every = systems()
    given = _parsed([system.name for system in every])
    named = {one.name for one in every if not given.only or one.name in given.only}
    named |= {one.built_as for one in every if one.name in named}
    chosen = [one for one in every if one.name in named]
    until = time.monotonic() + given.minutes * 60
    limits = Limits(seconds=given.patience, memory_mb=given.memory * 1024, until=until)
    work = given.work.absolute()
    runner = Runner(work, lambda size: _material(work, size, given.data), limits)
    plan = [*tasks(chosen, given.sizes, given.runs), *(conversations(chosen) if given.data else ())]
    done = runner.do(plan)
    report = summary(plan, runner, work, chosen)
    given.out.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    if given.plots:
        draw(report, given.plots / "peers.png")
    if not done:
        sys.exit("the time was up: run it again to go on")


def _parsed(names: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.peers", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    add = parser.add_argument
    add("--sizes", type=int, nargs="+", default=SIZES, metavar="N", help="texts in a bank")
    add("--runs", type=int, default=RUNS, help="how often each is run")
    add(
        "--only",
        nargs="+",
        choices=names,
        metavar="SYSTEM",
        help=f"of {', '.join(names)}, and whose builds they open",
    )
    add("--data", type=Path, help="LoCoMo's file, to tell how much each finds")
    add("--minutes", type=float, default=float("inf"), help="begin nothing more after so many")
    add("--patience", type=float, default=600.0, help="seconds that one stage may take")
    add("--memory", type=float, default=6.0, help="GiB that one process may hold")
    add("--work", type=Path, default=ENVIRONMENTS / "work", help="where records and stores lie")
    add("--out", type=Path, default=HERE / "results" / "peers.json")
    add("--plots", type=Path, help="a folder to draw how time grows with size into")
    return parser.parse_args()


def _material(work: Path, size: int, data: Path | None) -> Path:
    """Return what is added and asked, made when it is first needed."""
    # What makes it brings the models: it is not for those who only want the help.
    from bench.peers import making  # noqa: PLC0415

    if size == 0:
        assert data is not None, "conversations are planned where there are some"
        return making.conversations(work / "material" / "locomo", data)
    making.sized(work / "material", size)
    return work / "material" / str(size)


def summary(
    plan: Sequence[Task], runner: Runner, work: Path, chosen: Sequence[System]
) -> dict[str, object]:
    """Return the report."""
    table = rows(plan, runner.record)
    gold = work / "material" / "locomo" / "gold.json"
    found = recalls(plan, runner.record, json.loads(gold.read_text())) if gold.exists() else []
    return {
        "machine": machine(),
        "commit": commit(),
        "load": round(os.getloadavg()[0], 1),
        "systems": [
            {
                "name": system.name, "kind": system.kind, "package": system.package or "",
                "version": system.version(), "own": system.own,
            }
            for system in chosen
        ],
        "rows": table,
        "found": found,
        "lost": lost(table),
        "left_out": left_out(
            plan, runner.record, lambda task: runner.failed(task, plan), System.lacking
        ),
    }  # fmt: skip


if __name__ == "__main__":
    os.chdir(ROOT)
    main()
