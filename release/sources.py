"""What is released: the files of a commit, in a folder of their own, at the commit's time."""

from __future__ import annotations

import io
import subprocess
import tarfile
from pathlib import Path

from release import readme
from release.run import ROOT, run


def epoch(commit: str = "HEAD") -> str:
    """Return the seconds of a commit's time, which files of a release are dated by."""
    return run(["git", "log", "-1", "--format=%ct", commit]).strip()


def unsaved() -> list[str]:
    """Return the files that differ from the commit, and so would not be what is released."""
    return run(["git", "status", "--porcelain", "--untracked-files=no"]).splitlines()


def export(folder: Path, commit: str = "HEAD") -> Path:
    """Write the files of a commit into a new folder, and return it."""
    packed = subprocess.run(
        ["git", "archive", "--format=tar", commit], cwd=ROOT, check=True, capture_output=True
    ).stdout
    folder.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(packed)) as files:
        files.extractall(folder, filter="data")
    readme.rewrite(folder)
    return folder


def unpack(sdist: Path, folder: Path) -> Path:
    """Write the files of an sdist into a new folder, and return it."""
    folder.mkdir(parents=True)
    with tarfile.open(sdist) as files:
        files.extractall(folder, filter="data")
    (inside,) = folder.iterdir()
    return inside
