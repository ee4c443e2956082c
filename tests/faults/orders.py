"""
Lives on one store, drawn by chance, and whether what each saw is of some order.

    python tests/faults/orders.py --seconds 3600 --report bench/results/orders.json

Half of the time statement by statement in one process (``interleaved.py``), the rest several
processes that are stopped, killed and told the wrong time (``crowd.py``). What is found here goes,
shortened, into ``schedules.json``.
"""

import argparse
import json
import random
import tempfile
import time
from collections import Counter
from pathlib import Path

from crowd import crowd
from interleaved import draw, live
from linearizable import in_some_order


def interleave(seed, counted):
    """Return what went wrong in one life, if anything."""
    plans, schedule = draw(random.Random(seed))  # noqa: S311
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        history, problems = live(Path(folder) / "memory.db", plans, schedule)
    counted.update({"lives": 1, "operations": len(history), "switches": len(schedule)})
    if problems or not in_some_order(history):
        return {"plans": plans, "schedule": schedule, "problems": problems}
    return None


def gather(seed, counted):
    """Return what went wrong in one crowd, if anything."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        history, killed, stopped, problems = crowd(Path(folder), seed)
    counted.update({"crowds": 1, "operations": len(history), "kills": killed, "stops": stopped})
    if problems or not in_some_order(history):
        return {"seed": seed, "problems": problems, "history": [vars(one) for one in history]}
    return None


def main(show=print):
    """Run for some time, and write what was found."""
    from hippocampus_bench.report import commit

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--report", type=Path)
    given = parser.parse_args()
    told, findings = {}, []
    began = time.monotonic()
    for place, kind in enumerate((interleave, gather), 1):
        counted, seed = Counter(), given.seed
        while time.monotonic() < began + place * given.seconds / 2:
            found = kind(seed, counted)
            findings += [] if found is None else [found]
            seed += 1
        told[kind.__name__] = dict(counted)
        show(kind.__name__, dict(counted), len(findings), "findings")
    if given.report:
        text = json.dumps({"commit": commit(), **told, "findings": findings}, indent=1)
        given.report.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
