"""
The report of a release: what was built, how it went where it was tried, and what was not.

    python -m release.evidence --report FILE    # makes a release, by the pinned tools
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from release.installs import Installation
from release.run import ROOT, all_missed
from release.sums import sums


def report(
    out: Path, commit: str, tried: Sequence[Installation], emulated: Sequence[str], *, twice: bool
) -> dict[str, object]:
    """Return what is known of the files of a folder; ``twice``: two builds were the same bytes."""
    return {
        "commit": commit,
        "machine": {
            "cpus": os.cpu_count(),
            "machine": platform.machine(),
            "system": platform.system(),
        },
        "built_twice_alike": twice,
        "files": {
            name: {"bytes": (out / name).stat().st_size, "sha256": digest}
            for name, digest in sums(out).items()
        },
        "installations": [asdict(one) for one in tried],
        "under_an_emulator": list(emulated),
        "not_tried": all_missed(),
    }


def write(path: Path, told: dict[str, object]) -> None:
    """Write a report as JSON, into a folder that is made where it is not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(told, indent=2, ensure_ascii=False) + "\n", "utf-8")


def main() -> None:
    """Make a release, by ``make`` for the sake of its tools, whose report is kept in a file."""
    parser = argparse.ArgumentParser(prog="python -m release.evidence", description=__doc__)
    parser.add_argument("--report", type=Path, required=True, help="where to write it, as JSON")
    options = f"RELEASE=--report '{parser.parse_args().report.absolute()}'"
    sys.exit(subprocess.call(["make", "release", options], cwd=ROOT))


if __name__ == "__main__":
    main()
