"""
Use a wheel of another machine, under an emulator: what was built across is not only looked at.

The Python is Debian's; a user's emulator runs it and needs no right. What it starts are its own
programs again, by a script that calls the emulator.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from release import debian
from release.installs import SMOKE, built, smoke
from release.run import missed, run, say

TRYING = ("3.11", "3.13")
"""One for each wheel: Debian has these for all its machines."""
_OLDEST, _NEWEST = 17, 36
"""Minor versions of glibc 2 whose wheels Debian 12 and later take."""


def try_in(version: str, machine: str, dist: Path, work: Path, models: Path | None) -> list[str]:
    """Install from a folder for another machine, use it, return what it said; empty if untried."""
    emulator = shutil.which(f"qemu-{machine}")
    if emulator is None:
        missed(f"the wheel of {machine} for Python {version}: no qemu-{machine} (qemu-user) here")
        return []
    root = debian.unpack(version, machine, work / f"debian-{version}-{machine}")
    if root is None:
        why = debian.lacking() or f"{debian.MIRROR} did not give its packages"
        missed(f"the wheel of {machine} for Python {version}: no such Python ({why})")
        return []
    folder = work / f"try-{version}-{machine}"
    # Not found by the path: the emulator looks into the folder for libraries alone.
    start = [emulator, "-L", str(root)]
    run([*start, root / "usr/bin" / f"python{version}", "-m", "venv", "--without-pip", folder])
    install(version, machine, dist, folder)
    program = folder / "bin" / f"python{version}"
    command = folder / "bin/hippocampus"
    command.write_text(f'#!/bin/sh\nexec {" ".join(start)} {program} -I -m hippocampus "$@"\n')
    command.chmod(0o755)
    told = []
    for said in smoke([*start, program, "-I", SMOKE], folder, models):
        told.append(f"on {machine}, {said}")
        say(told[-1])
    return told


def install(version: str, machine: str, dist: Path, folder: Path) -> None:
    """Install a wheel, and the wheels it needs, into an environment of another machine."""
    tag = f"cp{version.replace('.', '')}"
    platforms = [f"manylinux_2_{minor}_{machine}" for minor in range(_OLDEST, _NEWEST + 1)]
    platforms.append(f"manylinux2014_{machine}")
    options = ["--only-binary", ":all:", "--python-version", version, "--implementation", "cp"]
    options += [word for abi in (tag, "abi3", "none") for word in ("--abi", abi)]
    options += [word for platform in platforms for word in ("--platform", platform)]
    into = folder / "lib" / f"python{version}" / "site-packages"
    (wheel,) = dist.glob(f"hippocampus_memory-*-{built(version)}-*_{machine}.whl")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run([*pip, *options, "--target", into, wheel], cwd=folder)
