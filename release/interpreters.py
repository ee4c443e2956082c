"""The Pythons of this machine: those that build a release, and those that it is tried in."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

BUILDING = ("3.11", "3.12")
"""An ordinary wheel for the first, and the stable ABI of the second for it and all that follow."""
TRYING = ("3.11", "3.12", "3.13", "3.14")


def answers(python: str | Path, version: str) -> bool:
    """Return whether a program is a Python of a version that can make environments."""
    asked = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"
    try:
        told = subprocess.run(
            [python, "-I", "-c", asked], capture_output=True, text=True, timeout=60, check=False
        )
    except OSError:
        return False
    return told.stdout.strip() == version


def places(version: str) -> list[str]:
    """Return where a Python may be: as named, on the path, and where tools install several."""
    home = Path.home()
    named = os.environ.get(f"PYTHON_{version.replace('.', '_')}")
    on_path = (shutil.which(f"python{version}"), shutil.which("python3"))
    roots = [os.environ.get("PYENV_ROOT", home / ".pyenv"), home / ".local/share/uv/python", "/opt"]
    several = [
        str(found)
        for root in map(Path, roots)
        for found in sorted(root.glob(f"**/bin/python{version}"))
        if not (found.parents[1] / "pyvenv.cfg").exists()
    ]
    return [place for place in (named, *on_path, *several) if place]


def find(version: str) -> str | None:
    """Return a Python of a version, named by PYTHON_3_12 and the like or found; None without."""
    return next((place for place in places(version) if answers(place, version)), None)
