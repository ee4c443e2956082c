"""Install what was built into clean environments, one for each Python here, and use it there."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from release.interpreters import find
from release.run import run, say

SMOKE = Path(__file__).with_name("smoke.py")
FROM_THE_SHELL = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")


def try_in(version: str, dist: Path, work: Path, models: Path | None) -> bool:
    """Install from a folder into a clean environment and use it; return whether there was one."""
    python = find(version)
    if python is None:
        say(
            f"Python {version} is not here, and not tried (PYTHON_{version.replace('.', '_')}=FILE)"
        )
        return False
    folder = work / f"try-{version}"
    shutil.rmtree(folder, ignore_errors=True)
    run([python, "-m", "venv", folder])
    inside = folder / "bin/python"
    pip = [inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    # Only wheels, of others too: a new machine has no compiler.
    product = newest_wheel(dist, "hippocampus_memory", inside)
    run([*pip, "--only-binary", ":all:", product], cwd=folder, without=FROM_THE_SHELL)
    elsewhere = {"XDG_DATA_HOME": str(folder / "data"), "COLUMNS": "500"}
    said = run([inside, "-I", SMOKE], cwd=folder, env=elsewhere, without=FROM_THE_SHELL)
    say(f"without the model: {said.strip()}; {size(folder):.0f} MB installed")
    if models is not None:
        there = {**elsewhere, "XDG_DATA_HOME": str(models)}
        said = run([inside, "-I", SMOKE, "--model"], cwd=folder, env=there, without=FROM_THE_SHELL)
        say(f"with the model: {said.strip()}")
    return True


def newest_wheel(dist: Path, name: str, python: Path) -> Path:
    """Return the wheel of a folder that a Python would take."""
    asked = "from pip._vendor.packaging.tags import sys_tags; print(*sys_tags(), sep='\\n')"
    tags = run([python, "-c", asked]).split()
    for tag in tags:
        for wheel in sorted(dist.glob(f"{name}-*.whl"), reverse=True):
            _, _, pythons, abi, platforms = wheel.stem.split("-")
            offered = {f"{p}-{abi}-{f}" for p in pythons.split(".") for f in platforms.split(".")}
            if tag in offered:
                return wheel
    sys.exit(f"release: no wheel in {dist} fits {python}")


def size(folder: Path) -> float:
    """Return the megabytes that an installation brought: all but pip, which was there before."""
    there = list(folder.glob("lib/python3*/site-packages/*"))
    before = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence")
    files = (
        Path(top, name)
        for path in there
        if not path.name.startswith(before)
        for top, _, names in (os.walk(path) if path.is_dir() else [(path.parent, [], [path.name])])
        for name in names
    )
    return sum(file.stat().st_blocks * 512 for file in files) / 1e6
