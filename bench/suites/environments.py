"""
What the suites run in, under ``build/peers-suites``: an environment, programs of npm, sources.

The environment stands on the locked one of this checkout, so that ours and the frameworks are of
the versions in ``requirements.lock``. Sources are fetched in just those versions: the tests that
come with a release are run against that release.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent
BUILD = HERE.parents[1] / "build" / "peers-suites"
PATIENCE_S = 1200


def run(
    words: Sequence[str | Path], *, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command; one that hangs is ended."""
    return subprocess.run(
        [str(word) for word in words], cwd=cwd, env=env, capture_output=True, text=True,
        check=False, timeout=PATIENCE_S,
    )  # fmt: skip


def must(words: Sequence[str | Path], **how: Path) -> None:
    """
    Run a command that has to go well.

    Raises:
        RuntimeError: it did not.

    """
    done = run(words, **how)
    if done.returncode:
        said = (done.stderr or done.stdout).strip()[-1000:]
        raise RuntimeError(f"{' '.join(map(str, words))}: {said}")


def python() -> Path:
    """Return the interpreter of the environment, made of ``requirements.txt`` if it is not."""
    folder, pins = BUILD / "python", HERE / "requirements.txt"
    program, made = folder / "bin" / "python", folder / "made.txt"
    wanted = f"{pins.read_text('utf-8')}{sys.prefix}\n"
    if made.exists() and made.read_text("utf-8") == wanted:
        return program
    shutil.rmtree(folder, ignore_errors=True)
    must([sys.executable, "-m", "venv", folder])
    ours = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n"
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "ours.pth").write_text(ours, encoding="utf-8")
    must([program, "-m", "pip", "install", "--quiet", "-r", pins])
    made.write_text(wanted, encoding="utf-8")
    return program


def npm() -> Path:
    """Return the folder with programs of npm, made of ``package.json`` if it is not."""
    folder, pins = BUILD / "npm", HERE / "package.json"
    made = folder / "made.txt"
    if not made.exists() or made.read_text("utf-8") != pins.read_text("utf-8"):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        shutil.copy(pins, folder)
        must(["npm", "install", "--no-save", "--silent"], cwd=folder)
        shutil.copy(pins, made)
    return folder / "node_modules"


def source(package: str) -> Path:
    """Return the unpacked source of a package, in the version that is installed."""
    name = f"{package}-{version_of(package)}"
    folder = BUILD / "sources" / name
    if not folder.exists():
        here = BUILD / "fetched" / name
        shutil.rmtree(here, ignore_errors=True)
        must([
            python(), "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", package,
            "--dest", here, f"{package}=={version_of(package)}",
        ])  # fmt: skip
        (archive,) = here.glob("*.tar.gz")
        with tarfile.open(archive) as packed:
            packed.extractall(here, filter="data")
        (unpacked,) = (path for path in here.iterdir() if path.is_dir())
        folder.parent.mkdir(parents=True, exist_ok=True)
        unpacked.rename(folder)
    return folder


def version_of(package: str) -> str:
    """Return a package's version: as pinned here, or else as in the lock."""
    pins = (line.partition("==") for line in (HERE / "requirements.txt").read_text().splitlines())
    return {name: pinned for name, _, pinned in pins}.get(package) or version(package)
