"""Measure everything: ``python -m bench [--quick] [--only NAME ...]``."""

from __future__ import annotations

import argparse
import json
import math
import sys
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.banks import Workshop
from bench.measure import HERE, Row, commit, machine

PARTS = (
    "search",
    "router",
    "ingest",
    "encoder",
    "store",
    "erasing",
    "opening",
    "cold",
    "imports",
    "memory",
    "sleep",
    "vectors",
    "large",
    "million",
    "kernels",
    "wavelet",
    "counts",
    "concepts",
    "server",
    "neighbours",
    "dashboard",
    "proxy",
    "capacity",
    "scale",
    "long_banks",
    "soak",
)


def main() -> None:
    """Run the parts, print each as it ends, and write a report."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out 200 k episodes")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="these parts")
    parser.add_argument(
        "--out", type=Path, help="by default results/speed.json; of some parts, results/PARTS.json"
    )
    given = parser.parse_args()
    # What a few parts measured must not take the place of what all did.
    name = "speed" if set(given.only) == set(PARTS) else "-".join(given.only)
    out: Path = given.out or HERE / "results" / f"{name}.json"
    rows: list[Row] = []
    with TemporaryDirectory(prefix="hippocampus-bench-") as folder:
        workshop = Workshop(Path(folder))
        for name in given.only:
            print(f"\n{name}", flush=True)
            part = import_module(f"bench.{name}")
            for row in part.rows() if name == "kernels" else part.run(workshop, quick=given.quick):
                print(shown(row), flush=True)
                rows.append(row)
    report = {
        "machine": machine(),
        "commit": commit(),
        "rows": [
            {key: rounded(value) for key, value in (asdict(row) | {"ratio": row.ratio}).items()}
            for row in rows
        ],
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    print(f"\nwritten to {out}", file=sys.stderr)


def shown(row: Row) -> str:
    """Return a row as a line of the table."""
    beside = "" if row.ratio is None else f"{rounded(row.ratio):>8} x {rounded(row.baseline):<8}"
    runs = "" if row.low is None else f"{rounded(row.low)} to {rounded(row.high)}"
    used = "" if row.processor is None else f"processor {rounded(row.processor)}"
    more = ", ".join(filter(None, (used, runs)))
    return f"  {row.name:62}{rounded(row.value):>10} {row.unit:8}{beside:20} {more:40} {row.note}"


def rounded(value: object) -> object:
    """Return a number with four digits that mean something; anything else as it is."""
    if not isinstance(value, float):
        return value
    if value == 0 or not math.isfinite(value):
        return float(value)
    return round(float(value), max(0, 3 - math.floor(math.log10(abs(value)))))


if __name__ == "__main__":
    main()
