"""Run a program, show what it says only where it fails, and stop there."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]


def say(line: str) -> None:
    """Print a line at once, beside the seconds since the start."""
    print(f"[{time.monotonic() - _START:5.0f} s] {line}", flush=True)


_START = time.monotonic()
_MISSED: list[str] = []


def missed(what: str) -> None:
    """Say loudly what was not tried for want of something, and keep it for the end."""
    _MISSED.append(what)
    say(f"NOT TRIED: {what}")


def all_missed() -> list[str]:
    """Return all that was not tried."""
    return list(_MISSED)


def run(
    command: Sequence[str | Path],
    *,
    cwd: Path = ROOT,
    env: Mapping[str, str] | None = None,
    without: Sequence[str] = (),
) -> str:
    """Return what a program printed; end everything, with all it said, where it fails."""
    words = [str(word) for word in command]
    around = {name: value for name, value in os.environ.items() if name not in without}
    done = subprocess.run(
        words, cwd=cwd, env=around | dict(env or {}), check=False, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{done.stdout}\nrelease: {shlex.join(words)} ended with {done.returncode}")
    return done.stdout
