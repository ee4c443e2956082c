"""Check what was built: names, metadata, symbols, contents and size."""

from __future__ import annotations

import sys
import tarfile
from pathlib import Path
from zipfile import ZipFile

from release import readme
from release.run import ROOT, run, say
from release.wheels import GLIBC

MOST_BYTES = 4_190_000
"""Of a wheel. A release that is larger has taken in what nobody meant to ship."""


def check(files: list[Path]) -> None:
    """End everything where a file is not as it is to be published."""
    run([sys.executable, "-m", "twine", "check", "--strict", *files])
    schema = [sys.executable, "-m", "check_jsonschema", "--builtin-schema"]
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    run([*schema, "vendor.github-workflows", *workflows])
    for file in files:
        check_page(file)
    for wheel in (file for file in files if file.suffix == ".whl"):
        check_contents(wheel)
        if "manylinux" in wheel.name:
            check_symbols(wheel)
        say(f"{wheel.name} is sound, {wheel.stat().st_size / 1e6:.2f} MB")


def description(file: Path) -> str:
    """Return what the index is to show of an sdist or a wheel: the page in its metadata."""
    if file.suffix == ".whl":
        with ZipFile(file) as files:
            (name,) = (one for one in files.namelist() if one.endswith(".dist-info/METADATA"))
            text = files.read(name).decode()
    else:
        with tarfile.open(file) as packed:
            member = packed.extractfile(f"{file.name.removesuffix('.tar.gz')}/PKG-INFO")
            text = member.read().decode() if member else ""
    return text.partition("\n\n")[2]


def check_page(file: Path, page: str | None = None) -> None:
    """End everything where a link would lead nowhere, if it is known where they are to lead."""
    dead = readme.relative(description(file) if page is None else page)
    if dead and readme.repository():
        sys.exit(f"release: links in {file.name} lead nowhere from the index: {', '.join(dead)}")


def check_contents(wheel: Path) -> None:
    """End everything where a wheel holds more than its package, or is too large."""
    # W002: two empty files are the same; W004: words are modules' neighbours, and no modules.
    run([Path(sys.executable).with_name("check-wheel-contents"), "--ignore", "W002,W004", wheel])
    with ZipFile(wheel) as files:
        names = files.namelist()
    package = wheel.name.partition("-")[0].removesuffix("_memory")
    roots = {name.partition("/")[0] for name in names}
    strange = [r for r in roots if r != package and not r.endswith(".dist-info")]
    if package == "hippocampus":
        strange += [name for name in names if "bench" in name or "evaluation/" in name]
    if strange:
        sys.exit(f"release: {wheel.name} holds {', '.join(sorted(strange))} beside {package}")
    if wheel.stat().st_size > MOST_BYTES:
        sys.exit(f"release: {wheel.name} has {wheel.stat().st_size:,} bytes of {MOST_BYTES:,}")


def check_symbols(wheel: Path) -> None:
    """End everything where a wheel asks for a newer glibc or Python than its name says."""
    told = run([sys.executable, "-m", "auditwheel", "show", wheel])
    if f'"manylinux_{GLIBC.replace(".", "_")}_' not in told and '"manylinux_2_17_' not in told:
        sys.exit(f"{told}\nrelease: {wheel.name} asks for a newer glibc than {GLIBC}")
    if "-abi3-" in wheel.name:
        run([sys.executable, "-m", "abi3audit", "--strict", wheel])
