"""
Feed readers of foreign bytes what makes them take paths that nothing took before (libFuzzer's way).

    python tests/fuzz/fuzz.py SECONDS [TARGET ...]    # all targets share the seconds, on every core
    python tests/fuzz/fuzz.py --keep [TARGET ...]     # add to the corpus what the last run found

Each target begins from ``tests/fuzz/corpus``, by chance or as ``FUZZ_SEED`` says. An input after
which anything but an error of ours is raised, or that takes longer than ``SLOWEST_S`` seconds or
more than ``MOST_MB`` megabytes, is written to ``build/fuzz/TARGET`` and told at the end;
``test_fuzz_corpus.py`` shows what it does. A run under ``nice`` wants ``FUZZ_SLOWEST_S=120``.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import FunctionType
from typing import Final

HERE: Final = Path(__file__).parent
CORPUS: Final = HERE / "corpus"
FOUND: Final = HERE.parents[1] / "build" / "fuzz"
SLOWEST_S: Final = int(os.environ.get("FUZZ_SLOWEST_S", "10"))
"""By the clock on the wall: a run that gives way to others needs more, or waiting is a finding."""
MOST_MB: Final = 2048
LONGEST: Final = 6000
"""Bytes of an input: what is longer says nothing more, and is slow."""

LEAST_S: Final = 2
"""Seconds of a target at least, however late it is."""

KEPT: Final = 30
KEPT_BYTES: Final = 600
"""Inputs of each target that are added to the corpus at once, and the length of each at most."""


def _one(target: str, arguments: list[str]) -> None:
    """Fuzz one target in this process, which does not come back from it."""
    import atheris
    from fuzz_json import mutate
    from fuzz_targets import TARGETS

    from hippocampus.errors import HippocampusError

    # Not as they are imported: the finder of an editable installation is not seen through.
    for found in [one for one in gc.get_objects() if isinstance(one, FunctionType)]:
        if (found.__module__ or "").startswith("hippocampus"):
            atheris.instrument_func(found)
    read = TARGETS[target]

    def once(data: bytes) -> None:
        with suppress(HippocampusError):
            read(data)

    def mutator(data: bytes, longest: int, seed: int) -> bytes:
        return mutate(data, longest, seed, atheris.Mutate)

    atheris.Setup([sys.argv[0], *arguments], once, custom_mutator=mutator)
    atheris.Fuzz()


def run(target: str, *folders: Path, options: list[str]) -> tuple[str, str]:
    """Run libFuzzer on a target; return its name, and what it said where it failed."""
    where = FOUND / target
    where.mkdir(parents=True, exist_ok=True)
    command = [
        sys.executable, __file__, "--target", target, f"-artifact_prefix={where}/",
        f"-timeout={SLOWEST_S}", f"-rss_limit_mb={MOST_MB}", f"-max_len={LONGEST}",
        f"-seed={os.environ.get('FUZZ_SEED', '0')}", *options, *map(str, folders),
    ]  # fmt: skip
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(HERE)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    told = done.stdout + done.stderr
    last = next((line for line in reversed(told.splitlines()) if "cov: " in line), "").strip()
    print(f"{target}: {last or 'nothing was run'}", flush=True)  # noqa: T201
    said = f"{told[-6000:]}\n(it ended with {done.returncode})"
    return target, said if done.returncode else ""


def fuzz(seconds: int, targets: list[str]) -> int:
    """Fuzz targets, each for its share of the time; return how many failed."""
    workers = min(len(targets), os.cpu_count() or 1)
    until = time.monotonic() + seconds
    waiting = iter(range(len(targets), 0, -1))

    def one(target: str) -> tuple[str, str]:
        found = FOUND / target / "corpus"
        found.mkdir(parents=True, exist_ok=True)
        # Of what is left, for a process takes seconds to start, which nobody knows before.
        left = max(LEAST_S, round((until - time.monotonic()) * workers / next(waiting)))
        return run(target, found, CORPUS / target, options=[f"-max_total_time={left}"])

    with ThreadPoolExecutor(workers) as pool:
        failed = [(target, told) for target, told in pool.map(one, targets) if told]
    for target, told in failed:
        print(f"\n=== {target}\n{told}\n(the input is in {FOUND / target})")  # noqa: T201
    return len(failed)


def keep(targets: list[str]) -> int:
    """Keep in the corpus some short inputs of those that the last run found, the latest first."""
    for target in targets:
        (CORPUS / target).mkdir(parents=True, exist_ok=True)
        found = [one for one in (FOUND / target / "corpus").glob("*") if _size(one) <= KEPT_BYTES]
        for one in sorted(found, key=lambda one: one.stat().st_mtime)[-KEPT:]:
            (CORPUS / target / one.name[:16]).write_bytes(one.read_bytes())
    return 0


def _size(file: Path) -> int:
    return file.stat().st_size


def main(arguments: list[str]) -> int:
    """Return the exit code."""
    if arguments[0] == "--target":
        _one(arguments[1], arguments[2:])
    try:
        import atheris  # noqa: F401
    except ImportError:
        print("no atheris for this Python and platform: only the kept corpus is read, by the tests")  # noqa: T201
        return 0
    from fuzz_targets import TARGETS

    if arguments[0] == "--keep":
        return keep(arguments[1:] or list(TARGETS))
    return fuzz(int(arguments[0]), arguments[1:] or list(TARGETS))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
