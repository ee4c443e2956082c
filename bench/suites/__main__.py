"""
Run others' own suites against ours, and tell what is new: ``make peers-suites``.

``known.toml`` has what is known to deviate, and why. A failure that is not in it fails the run; one
that is in it and passes is told, so that it can be taken out. It needs the network once, to fetch
the packages in the versions that are pinned here.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from bench.measure import commit, machine
from bench.suites import environments
from bench.suites.runners import RUNNERS, Outcomes


def known() -> dict[str, dict[str, str]]:
    """Return the patterns of names that are known to fail, by suite, each with its reason."""
    told = tomllib.loads((environments.HERE / "known.toml").read_text("utf-8"))
    reasons = told.pop("reasons")
    return {
        suite: {name: reasons[reason] for reason, names in of.items() for name in names}
        for suite, of in told.items()
    }


def compare(outcomes: Outcomes, expected: Mapping[str, str]) -> dict[str, Any]:
    """Return what passed, what failed as is known, what newly fails, and what is mended."""
    failed = {name: said for name, said in outcomes.items() if said != "passed"}
    reasons = {
        name: next((why for pattern, why in expected.items() if fnmatchcase(name, pattern)), None)
        for name in failed
    }
    used = {pattern for pattern in expected if any(fnmatchcase(name, pattern) for name in failed)}
    return {
        "checks": len(outcomes),
        "passed": len(outcomes) - len(failed),
        "known": dict(sorted((name, why) for name, why in reasons.items() if why is not None)),
        "new": {name: failed[name] for name, why in reasons.items() if why is None},
        "mended": sorted(set(expected) - used),
    }


def versions() -> dict[str, str]:
    """Return the version of each package that a suite is of."""
    pinned = (environments.HERE / "requirements.txt").read_text("utf-8").splitlines()
    found = dict(line.split("==") for line in pinned if "==" in line)
    found |= json.loads((environments.HERE / "package.json").read_text("utf-8"))["dependencies"]
    locked = ("langgraph-checkpoint", "langchain-core", "openai-agents", "mcp")
    return dict(sorted((found | {name: environments.version_of(name) for name in locked}).items()))


def main() -> None:
    """Run the suites that are named, or all; tell, and write the report."""
    parser = argparse.ArgumentParser(prog="python -m bench.suites", description=__doc__)
    parser.add_argument("--only", nargs="*", help=f"of {', '.join(RUNNERS)}")
    parser.add_argument("--report", type=Path, help="where to write what was found, as JSON")
    given = parser.parse_args()
    unknown = set(given.only or ()) - set(RUNNERS)
    if unknown:
        parser.error(f"{unknown.pop()}: must be of {', '.join(RUNNERS)}")
    expected, found, wrong = known(), {}, 0
    for name in given.only or RUNNERS:
        began = time.perf_counter()
        found[name] = told = compare(RUNNERS[name](), expected.get(name, {}))
        told["seconds"] = round(time.perf_counter() - began, 1)
        wrong += len(told["new"]) + (told["checks"] == 0)
        line = f"{told['passed']}/{told['checks']} pass, {len(told['known'])} known to deviate"
        print(f"{name}: {line}", flush=True)
        for check, said in told["new"].items():
            print(f"  new: {check}: {said}")
        for check in told["mended"]:
            print(f"  mended, to take out of known.toml: {check}")
    if given.report:
        report = {
            "at": datetime.now(UTC).date().isoformat(), "commit": commit(), "machine": machine(),
            "versions": versions(), "suites": found,
        }  # fmt: skip
        given.report.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    if wrong:
        sys.exit(f"{wrong} new: mend them, or add them to bench/suites/known.toml with the reason")


if __name__ == "__main__":
    main()
