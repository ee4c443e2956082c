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
import sys
import time
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

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # and no thread is there when copies are made

KEPT: Final = 30
KEPT_BYTES: Final = 600
"""Inputs of each target that are added to the corpus at once, and the length of each at most."""


def instrument() -> None:
    """Have every function of ours tell where it goes: takes ten seconds, for all targets once."""
    import atheris
    import fuzz_targets  # noqa: F401 - brings all that targets call

    # Not as they are imported: the finder of an editable installation is not seen through.
    for found in [one for one in gc.get_objects() if isinstance(one, FunctionType)]:
        if (found.__module__ or "").startswith("hippocampus"):
            atheris.instrument_func(found)


def begin(target: str, seconds: int) -> int:
    """Begin libFuzzer on a target in a copy of this process; return the copy's number."""
    (FOUND / target / "corpus").mkdir(parents=True, exist_ok=True)
    sys.stdout.flush()
    copy = os.fork()
    if copy:
        return copy
    log = os.open(_log(target), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(log, stream)
    _fuzz_here(target, seconds)
    sys.exit(f"libFuzzer came back from {target}")


def _fuzz_here(target: str, seconds: int) -> None:
    """Fuzz one target in this process, which ends as usual: only then the input is written."""
    import atheris
    from fuzz_json import mutate
    from fuzz_targets import TARGETS

    from hippocampus.errors import HippocampusError

    read, where = TARGETS[target], FOUND / target

    def once(data: bytes) -> None:
        with suppress(HippocampusError):
            read(data)

    def mutator(data: bytes, longest: int, seed: int) -> bytes:
        return mutate(data, longest, seed, atheris.Mutate)

    options = [
        f"-artifact_prefix={where}/", f"-timeout={SLOWEST_S}", f"-rss_limit_mb={MOST_MB}",
        f"-max_len={LONGEST}", f"-seed={os.environ.get('FUZZ_SEED', '0')}",
        f"-max_total_time={seconds}", str(where / "corpus"), str(CORPUS / target),
    ]  # fmt: skip
    atheris.Setup([sys.argv[0], *options], once, custom_mutator=mutator)
    atheris.Fuzz()


def _log(target: str) -> Path:
    return FOUND / target / "said.log"


def ended(target: str, code: int) -> bool:
    """Say how far a target came, and all it said where it failed; return whether it did."""
    told = _log(target).read_text("utf-8", errors="replace")
    last = next((line for line in reversed(told.splitlines()) if "cov: " in line), "").strip()
    print(f"{target}: {last or 'nothing was run'}", flush=True)  # noqa: T201
    if code:
        print(f"\n=== {target}\n{told[-6000:]}\n(it ended with {code}; see {FOUND / target})")  # noqa: T201
    return code != 0


def fuzz(seconds: int, targets: list[str]) -> int:
    """Fuzz targets, each for its share of the time; return how many failed."""
    workers = min(len(targets), os.cpu_count() or 1)
    instrument()
    until = time.monotonic() + seconds
    waiting, going, failed = list(targets), dict[int, str](), 0
    while waiting or going:
        while waiting and len(going) < workers:
            share = round((until - time.monotonic()) * workers / len(waiting))
            target = waiting.pop(0)
            going[begin(target, max(LEAST_S, share))] = target
        copy, status = os.wait()
        failed += ended(going.pop(copy), os.waitstatus_to_exitcode(status))
    return failed


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
