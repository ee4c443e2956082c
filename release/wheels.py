"""
Build: an sdist, and a wheel for each architecture and each Python that needs one of its own.

The compiler is Clang as ``ziglang`` carries it, pinned with the other tools: it brings the headers
and symbols of the glibc that a wheel is to run on, and those of other architectures.
"""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from release.run import run
from release.shrink import shrink

GLIBC = "2.28"
"""That of RHEL 8, Debian 10 and Ubuntu 20.04, and what NumPy's wheels ask for."""
COMPILERS = {"cc": "CC", "c++": "CXX"}
AUDITWHEEL = (
    "import platform, sys; machine = sys.argv.pop(1); platform.machine = lambda: machine;"
    " from auditwheel.main import main; sys.exit(main())"
)
"""What runs auditwheel as on a machine that is named first: it takes only the platforms of its own,
though it repairs wheels of any."""
LOCK = Path(__file__).with_name("build.lock")


@dataclass(frozen=True)
class Target:
    """What a wheel is built for, and the Python that it is built with."""

    python: str
    machine: str

    @property
    def tag(self) -> str:
        """The platform as wheels name it."""
        return f"manylinux_{GLIBC.replace('.', '_')}_{self.machine}"


def environment(folder: Path, python: str) -> Path:
    """Return the Python of a new environment that has the pinned tools."""
    inside = folder / "bin/python"
    if not inside.exists():
        run([python, "-m", "venv", folder])
        pip = [inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        run([*pip, "--no-deps", "--require-hashes", "-r", LOCK])
    return inside


def compilers(folder: Path, machine: str) -> dict[str, str]:
    """Write a program for each compiler, and return the variables that name them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in COMPILERS:
        path = folder / name.replace("+", "x")
        path.write_text(
            "#!/bin/sh\n"
            f'exec "{sys.executable}" -m ziglang {name} -target {machine}-linux-gnu.{GLIBC} "$@"\n'
        )
        path.chmod(0o755)
    return {variable: str(folder / name.replace("+", "x")) for name, variable in COMPILERS.items()}


def build_sdist(source: Path, out: Path, when: str) -> Path:
    """Return the sdist of a folder of sources."""
    out.mkdir(parents=True, exist_ok=True)
    env = {"SOURCE_DATE_EPOCH": when}
    run([sys.executable, "-m", "build", "--sdist", "--no-isolation", "-o", out, source], env=env)
    return newest(out, "*.tar.gz")


def build_wheel(source: Path, out: Path, target: Target, work: Path, when: str) -> Path:
    """Return the wheel of a folder of sources for a target, named for the glibc it asks for."""
    raw = work / "raw"
    shutil.rmtree(raw, ignore_errors=True)
    python = environment(work.parent / f"tools-{Path(target.python).name}", target.python)
    # What stands in place of folders, in messages of the assertions.
    folders = {source: "hippocampus", python.parents[1]: "tools"}
    env = {
        "SOURCE_DATE_EPOCH": when,
        "PATH": f"{python.parent}:{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
        "_PYTHON_HOST_PLATFORM": f"linux-{target.machine}",
        "CMAKE_ARGS": f"-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR={target.machine}",
        "CXXFLAGS": " ".join(f"-ffile-prefix-map={old}={new}" for old, new in folders.items()),
        **compilers(work / f"compilers-{target.machine}", target.machine),
        **suffix(python, target.machine),
    }
    run([python, "-m", "build", "--wheel", "--no-isolation", "-o", raw, source], env=env)
    out.mkdir(parents=True, exist_ok=True)
    made = newest(raw, "*.whl")
    repair = [sys.executable, "-c", AUDITWHEEL, target.machine, "repair", "--only-plat"]
    run([*repair, "--plat", target.tag, "-w", out, made], env=env)
    wheel = newest(out, f"*{target.tag}.whl")
    shrink(wheel)
    return wheel


def build_bench(source: Path, out: Path, when: str, *, sdist: bool) -> list[Path]:
    """Return the wheel of the benchmarks, which fits everywhere, and their sdist."""
    kinds = ("--sdist", "--wheel") if sdist else ("--wheel",)
    command = [sys.executable, "-m", "build", "--no-isolation", *kinds, "-o", out, source]
    run(command, env={"SOURCE_DATE_EPOCH": when})
    return sorted(out.glob("hippocampus_bench-*"))


def suffix(python: Path, machine: str) -> dict[str, str]:
    """Return what a module for another machine is to be called, where its name says a machine."""
    own = run(
        [python, "-c", "import sysconfig as s; print(s.get_config_var('EXT_SUFFIX'))"]
    ).strip()
    here = run([python, "-c", "import platform; print(platform.machine())"]).strip()
    return {"SETUPTOOLS_EXT_SUFFIX": own.replace(here, machine)}


def newest(folder: Path, pattern: str) -> Path:
    """Return the file of a pattern that was written last."""
    return max(folder.glob(pattern), key=lambda path: path.stat().st_mtime)
