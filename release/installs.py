"""Install what was built into clean environments, one for each Python here, and use it there."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from release import debian
from release.interpreters import BUILDING, find
from release.run import missed, run, say

SMOKE = Path(__file__).with_name("smoke.py")
FROM_THE_SHELL = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
MODEL = "all-MiniLM-L6-v2"
"""The folder of the default model, among those that ``make model`` installs."""
MOST_MB = 120
"""Megabytes of files that an installation without extras may bring; docs/adr/0091 has them."""
MOST_SECONDS = 20
"""Seconds from the end of an installation to the demo's last answer: issue "A release"."""
USE_BENCH = "from hippocampus_bench.life import live; live(300)"  # its texts came along


@dataclass(frozen=True, slots=True)
class Installation:
    """An installation into a clean environment that was used: how large it was, and how quick."""

    python: str
    wheel: str
    files_mb: float
    """Megabytes of files that came, without pip's own."""
    disk_mb: float
    """The same as a disk counts them: in whole blocks."""
    install_s: float
    """Seconds of ``pip install``, downloads included."""
    demo_s: float
    """Seconds of the first command after it, the demo: its answers, and its files' compilation."""
    said: list[str]
    """What the smoke test said, without the model and with it."""


def models_here() -> Path | None:
    """Return what XDG_DATA_HOME is where the default model is installed; None where it is not."""
    home = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share")
    return home if (home / "hippocampus/models" / MODEL).is_dir() else None


def built(version: str) -> str:
    """Return the Python and the ABI that a wheel for a version of Python is named for."""
    tag = f"cp{version.replace('.', '')}"
    return f"{tag}-{tag}" if version == BUILDING[0] else f"cp{BUILDING[1].replace('.', '')}-abi3"


def smoke(command: Sequence[str | Path], folder: Path, models: Path | None) -> Iterator[str]:
    """Yield what the smoke test says without a model, and with it where it is installed."""
    around = {"XDG_DATA_HOME": str(folder / "data"), "COLUMNS": "500"}
    said = run(command, cwd=folder, env=around, without=FROM_THE_SHELL)
    yield f"without the model: {said.strip()}"
    if models is not None:
        around["XDG_DATA_HOME"] = str(models)
        said = run([*command, "--model"], cwd=folder, env=around, without=FROM_THE_SHELL)
        yield f"with the model: {said.strip()}"


def try_in(
    version: str, dist: Path, work: Path, models: Path | None, *, bench: bool = False
) -> Installation | None:
    """
    Install from a folder into a clean environment and use it; return how it was, None without one.

    ``bench``: the package of benchmarks, too.
    """
    here = f"{work}/debian-{version}"
    python = find(version) or debian.python(version, os.uname().machine, Path(here))
    if python is None:
        name = f"PYTHON_{version.replace('.', '_')}"
        missed(f"Python {version}, which is not here, and Debian did not give it ({name}=FILE)")
        return None
    folder = work / f"try-{version}"
    shutil.rmtree(folder, ignore_errors=True)
    run([python, "-m", "venv", folder])
    inside = folder / "bin/python"
    product = newest_wheel(dist, "hippocampus_memory", inside)
    begun = time.monotonic()
    install(product, folder)
    ready = time.monotonic()
    around = {"XDG_DATA_HOME": str(folder / "data")}
    run([folder / "bin/hippocampus", "demo"], cwd=folder, env=around, without=FROM_THE_SHELL)
    answered = time.monotonic()
    files, disk = sizes(folder)
    tried = Installation(
        version, product.name, round(files, 1), round(disk, 1), round(ready - begun, 1),
        round(answered - ready, 1), list(smoke([inside, "-I", SMOKE], folder, models)),
    )  # fmt: skip
    judge(tried)
    if bench:
        try_bench(newest_wheel(dist, "hippocampus_bench", inside), folder)
    return tried


def install(wheel: Path, folder: Path) -> None:
    """Install a wheel into an environment, of others' packages wheels alone: without a compiler."""
    pip = [folder / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run([*pip, "--only-binary", ":all:", wheel], cwd=folder, without=FROM_THE_SHELL)


def judge(tried: Installation) -> None:
    """Say how an installation was, and end everything where it is too large or too slow."""
    say(
        f"{tried.wheel}: {tried.files_mb:.0f} MB on Python {tried.python}, {tried.disk_mb:.0f} with"
        f" the ends of blocks; installed in {tried.install_s} s, the demo took {tried.demo_s} s"
    )
    for said in tried.said:
        say(said)
    if tried.files_mb > MOST_MB:
        sys.exit(f"release: it is to be at most {MOST_MB} MB; see what its dependencies bring")
    if tried.demo_s > MOST_SECONDS:
        sys.exit(f"release: the demo is to answer within {MOST_SECONDS} s of the installation")


def try_bench(wheel: Path, folder: Path) -> None:
    """Install the package of benchmarks beside the product, and use it."""
    install(wheel, folder)
    run([folder / "bin/python", "-I", "-c", USE_BENCH], cwd=folder, without=FROM_THE_SHELL)
    told = run([folder / "bin/hippocampus", "bench", "--help"], cwd=folder)
    if "longmemeval" not in told:
        sys.exit(f"{told}\nrelease: {wheel.name} brings no command bench")
    say(f"{wheel.name} works beside it")


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


def sizes(folder: Path) -> tuple[float, float]:
    """Return the megabytes that an installation brought, beside pip: of files, and on the disk."""
    there = list(folder.glob("lib/python3*/site-packages/*"))
    before = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence")
    files = [
        Path(top, name).stat()
        for path in there
        if not path.name.startswith(before)
        for top, _, names in (os.walk(path) if path.is_dir() else [(path.parent, [], [path.name])])
        for name in names
    ]
    of_files = sum(file.st_size for file in files)
    return of_files / 1e6, sum(file.st_blocks * 512 for file in files) / 1e6
