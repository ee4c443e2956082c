"""
Make an environment for each peer, of its pinned requirements: ``make peers``.

What cannot be installed is told at the end, and left out when the rest is measured.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.peers.systems import ENVIRONMENTS, HERE, systems

PATIENCE_S = 1800
Run = Callable[[Sequence[str]], subprocess.CompletedProcess]


def by_pip(words: Sequence[str]) -> subprocess.CompletedProcess:
    """Run a command; one that hangs is ended."""
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=PATIENCE_S)


def make(name: str, locks: Path, environments: Path, run: Run = by_pip) -> str:
    """Make one, unless it is of its lock already; return why it could not be made, or nothing."""
    folder, lock = environments / name, locks / f"{name}.txt"
    made, failed = folder / "made.txt", folder / "failed.txt"
    if made.exists() and made.read_text() == lock.read_text():
        return ""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    commands = (
        [sys.executable, "-m", "venv", str(folder)],
        [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "-r", str(lock)],
    )
    for words in commands:
        try:
            done = run(words)
            said = done.stderr.strip().splitlines() if done.returncode else None
        except subprocess.TimeoutExpired:
            said = [f"not done in {PATIENCE_S} s"]
        if said is not None:
            reason = said[-1] if said else f"{Path(words[0]).name} failed and said nothing"
            failed.write_text(reason + "\n", encoding="utf-8")
            return reason
    made.write_text(lock.read_text())
    return ""


def main() -> None:
    """Make those that are named, or all."""
    every = sorted({system.environment for system in systems() if system.environment})
    parser = argparse.ArgumentParser(prog="python -m bench.peers.environments", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(every)}; all unless given")
    given = parser.parse_args()
    unknown = set(given.names) - set(every)
    if unknown:
        parser.error(f"{unknown.pop()}: must be of {', '.join(every)}")
    problems = []
    for name in given.names or every:
        print(f"{name} ...", flush=True)
        reason = make(name, HERE / "locks", ENVIRONMENTS)
        problems += [f"{name}: {reason}"] if reason else []
    if problems:
        sys.exit("\n".join(["not installed, and left out:", *problems]))


if __name__ == "__main__":
    main()
