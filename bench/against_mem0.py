"""
How does our memory compare with mem0, called in the same way, with the same embedder?

    python -m bench.against_mem0 --data locomo.json --peer-python /elsewhere/bin/python

``--data``: LoCoMo's file, or half of it. ``--peer-python``: the interpreter of an environment that
has mem0ai, and this package, whose embedder it uses, too; mem0 is no
dependency of ours. Nothing is asked over the network: ``infer=False``, mem0's telemetry is off.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import asdict
from itertools import repeat
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bench.__main__ import rounded, shown
from bench.measure import HERE, Row, commit, machine
from bench.mem0_calls import DEPTH
from hippocampus_bench import metrics
from hippocampus_bench.datasets import Case
from hippocampus_bench.locomo import load
from hippocampus_bench.options import Options

SYSTEMS = ("hippocampus", "mem0")
WAYS = {
    "turns": "a turn a call",
    "runs": "a turn a call, with run_id",
    "sessions": "a conversation a call",
}
"""How turns are added. With ``run_id``, ours reads each in the light of those before it."""


def main() -> None:
    """Run both systems, print the table and write the report."""
    parser = argparse.ArgumentParser(prog="python -m bench.against_mem0")
    parser.add_argument("--data", type=Path, required=True, help="LoCoMo's file")
    parser.add_argument("--peer-python", required=True, help="an interpreter that has mem0ai")
    parser.add_argument("--rounds", type=int, default=3, help="how often each question is asked")
    parser.add_argument("--cases", type=int, help="only so many conversations")
    parser.add_argument("--plain", action="store_true", help="mem0: texts without their speaker")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "mem0.json")
    given = parser.parse_args()
    cases = load(given.data, Options()).cases[: given.cases]
    lived, loads = {}, [os.getloadavg()[0]]
    for way in WAYS:
        for system in SYSTEMS:  # one after the other, so that both meet the same machine
            python = given.peer_python if system == "mem0" else sys.executable
            named = "named" if system == "mem0" and not given.plain else "plain"
            lived[system, way] = in_its_process(python, system, way, cases, given.rounds, named)
            loads.append(os.getloadavg()[0])
    rows = compare(cases, lived)
    for row in rows:
        print(shown(row))
    report = {
        "machine": machine(),
        "commit": commit(),
        "load": [round(one, 1) for one in loads],
        "mem0ai": version(given.peer_python),
        "turns": sum(len(case.said) for case in cases),
        "questions": sum(len(answerable(case)) for case in cases),
        "rows": [
            {key: rounded(value) for key, value in (asdict(row) | {"ratio": row.ratio}).items()}
            for row in rows
        ],
    }
    given.out.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")


def answerable(case: Case) -> list:
    """Return the questions that have evidence, all but the adversarial ones."""
    return [question for question in case.questions if question.answerable]


def in_its_process(python: str, system: str, way: str, cases, rounds: int, named: str) -> dict:
    """Run a system on the cases in a new process; return what it printed."""
    work = [
        {
            "id": case.id,
            "turns": [
                {
                    "key": said.key,
                    "text": said.turn.text,
                    "speaker": said.turn.speaker,
                    "session": said.turn.session,
                    "at": said.turn.at.isoformat(),
                }
                for said in case.said
            ],
            "questions": [question.text for question in answerable(case)],
        }
        for case in cases
    ]
    with TemporaryDirectory(prefix="hippocampus-bench-") as folder:
        file = Path(folder) / "work.json"
        file.write_text(json.dumps(work))
        done = subprocess.run(
            [python, "-m", "bench.mem0_calls", system, way, file, str(rounds), named],
            cwd=HERE.parent,
            stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
    return json.loads(done.stdout)


def version(python: str) -> str:
    """Return the version of mem0 in an environment."""
    asks = "from importlib.metadata import version; print(version('mem0ai'))"
    done = subprocess.run([python, "-c", asks], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def compare(cases, lived: dict) -> list[Row]:
    """Return the table: ours, with mem0's as the baseline."""
    golds = [question.gold for case in cases for question in answerable(case)]

    def row(name, unit, way, measure, note):
        ours, theirs = (measure(lived[system, way]) for system in SYSTEMS)
        return Row(name=name, unit=unit, value=ours, baseline=theirs, note=note)

    def per_second(live):
        return 1 / float(np.mean(live["added_s"]))

    def worked_ms(live):
        return live["worked_s"] / sum(len(case.said) for case in cases) * 1e3

    def recall(live):
        return float(np.mean(list(map(metrics.recall_at, live["ranked"], golds, repeat(DEPTH)))))

    def searched(share):
        return lambda live: float(np.percentile(live["search_s"], share)) * 1e3

    more, less = "more is better", "less is better"
    adds = [row(f"adds, {told}", "/s", way, per_second, more) for way, told in WAYS.items()]
    adds += [
        row(f"work of an add, {told}", "ms", way, worked_ms, less) for way, told in WAYS.items()
    ]
    found = [
        row(f"evidence recall@{DEPTH}, {told}", "", way, recall, more)
        for way, told in WAYS.items()
        if way != "sessions"
    ]
    return [
        *adds,
        row("search p50", "ms", "turns", searched(50), less),
        row("search p95", "ms", "turns", searched(95), less),
        row("resident after it all", "MB", "turns", itemgetter("resident_mb"), less),
        row("resident at most", "MB", "turns", itemgetter("peak_mb"), less),
        row("disk", "MB", "turns", itemgetter("disk_mb"), less),
        *found,
    ]


if __name__ == "__main__":
    main()
