"""The systems that are measured, as ``peers.toml`` tells them, and what runs each."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ENVIRONMENTS = ROOT / "build" / "peers"
LARGE = 50_000
_READ = ("contract.py", "live.py", "material.py")
"""What a measurement depends on, beside the adapter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """A peer, or one way to ask it."""

    name: str
    kind: str
    adapter: str
    environment: str | None = None
    package: str | None = None
    store: str | None = None
    ours: bool = False
    gathers: bool = False
    """Whether what is added can be searched only once it has settled."""
    own: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    large: Mapping[str, Any] = field(default_factory=dict)
    """Further options from ``LARGE`` texts on."""

    @property
    def built_as(self) -> str:
        """The name of the system whose build it opens."""
        return self.store or self.name

    @property
    def builds(self) -> bool:
        """Whether it makes the build that it opens."""
        return self.built_as == self.name

    @property
    def lock(self) -> Path | None:
        """The pinned requirements of its environment."""
        return None if self.environment is None else HERE / "locks" / f"{self.environment}.txt"

    def python(self, environments: Path = ENVIRONMENTS) -> str:
        """Return the interpreter that runs it."""
        if self.environment is None:
            return sys.executable
        return str(environments / self.environment / "bin" / "python")

    def lacking(self, environments: Path = ENVIRONMENTS) -> str:
        """Return why it cannot be run; empty if it can."""
        if self.environment is None:
            return ""
        folder = environments / self.environment
        if (folder / "failed.txt").exists():
            return f"not installed: {(folder / 'failed.txt').read_text('utf-8').strip()}"
        return "" if (folder / "made.txt").exists() else "not installed: run make peers"

    def version(self) -> str:
        """Return the pinned version of its package; of ours and of Python's own, nothing."""
        if self.lock is None or self.package is None:
            return ""
        pins = dict(line.split("==") for line in self.lock.read_text().split() if "==" in line)
        return pins[self.package]

    def options_at(self, size: int) -> dict[str, Any]:
        """Return what its adapter is told in a bank of a size."""
        return dict(self.options) | (dict(self.large) if size >= LARGE else {})

    def stamp(self) -> str:
        """Return what its measurements depend on: what was measured of another is of no use."""
        adapter = HERE / "adapters" / f"{self.adapter}.py"
        large = {LARGE: self.large} if self.large else {}
        parts = [(HERE / name).read_text() for name in _READ] + [adapter.read_text()]
        parts += [json.dumps([self.options, large], sort_keys=True)]
        parts += [self.lock.read_text()] if self.lock else []
        parts += [ours_now()] if self.lock is None else []
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


@cache
def ours_now() -> str:
    """Return what our own sources are: their trees, and what differs from them."""
    words = (
        ["git", "rev-parse", "HEAD:src", "HEAD:native"],
        ["git", "diff", "HEAD", "--", "src", "native"],
    )
    done = [subprocess.run(w, cwd=ROOT, capture_output=True, text=True, check=False) for w in words]
    return "".join(one.stdout for one in done)


def systems(told: Path = HERE / "peers.toml") -> list[System]:
    """Return all, in the order of the file."""
    return [System(**one) for one in tomllib.loads(told.read_text("utf-8"))["system"]]
