"""What the benchmarks share: a measured row, ways to time a call, and what machine this is."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """
    One figure. ``baseline``: what a plain way takes, same unit; ``ratio``: value / baseline.

    ``processor``: the same in time of the processor. ``low`` and ``high``: the least and the most
    that one of the ``runs`` has, each a run over everything that ``value`` is the median of.
    """

    name: str
    value: float
    unit: str
    baseline: float | None = None
    note: str = ""
    processor: float | None = None
    low: float | None = None
    high: float | None = None
    runs: int | None = None

    @property
    def ratio(self) -> float | None:
        """How many times the baseline it is; None without one."""
        return self.value / self.baseline if self.baseline else None


def seconds(call: Callable[..., object], *arguments: object) -> float:
    """Return how long one call takes."""
    start = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - start


ROUNDS = 5
"""Rounds over all questions that are measured, of whatever is compared."""


def every_ms(
    call: Callable[[str], object], questions: Sequence[str], rounds: int = ROUNDS
) -> np.ndarray:
    """
    Return what every call takes in ``rounds`` over the questions, in milliseconds.

    A round before them warms up and is not counted; after it nothing is left out, slow calls least
    of all. All questions are asked before the first is repeated, so none finds its own rows in the
    cache.
    """
    for question in questions:
        call(question)
    times = [[seconds(call, question) for question in questions] for _ in range(rounds)]
    return np.array(times).ravel() * 1e3


def cost_ms(
    call: Callable[[str], object], questions: Sequence[str], rounds: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return what every call takes by the clock and of the processor, in milliseconds."""
    took = np.zeros((2, rounds, len(questions)))
    for turn in range(rounds):
        for place, question in enumerate(questions):
            start, used = time.perf_counter(), time.process_time()
            call(question)
            took[:, turn, place] = time.perf_counter() - start, time.process_time() - used
    return took[0].ravel() * 1e3, took[1].ravel() * 1e3


SHARES = (50, 95, 99)


@dataclass(frozen=True, slots=True, eq=False)
class Calls:
    """What calls took, in milliseconds: ``by_clock`` and ``processor``, shape (runs, calls)."""

    by_clock: np.ndarray
    processor: np.ndarray

    def share(self, share: float) -> float:
        """Return what so many of a hundred calls took at most: the median of the runs."""
        return float(np.median(np.percentile(self.by_clock, share, axis=1)))

    def rows(
        self, name: str, *, note: str = "", beside: Calls | None = None, shares=SHARES
    ) -> Iterator[Row]:
        """Yield a row for each share of all calls, with another's calls as the baseline."""
        for share in shares:
            each, used = (
                np.percentile(some, share, axis=1) for some in (self.by_clock, self.processor)
            )
            yield Row(
                name=f"{name}, p{share}", value=self.share(share), unit="ms",
                baseline=beside.share(share) if beside else None, note=note,
                processor=float(np.median(used)), low=float(each.min()), high=float(each.max()),
                runs=len(each),
            )  # fmt: skip


def calls(
    call: Callable[[str], object],
    questions: Sequence[str],
    runs: int = ROUNDS,
    *,
    warm: bool = True,
) -> Calls:
    """
    Return what every call takes in so many runs over the questions.

    A run before them warms up and is not counted, unless they are not to be warm.
    """
    if warm:
        cost_ms(call, questions, 1)
    each = [cost_ms(call, questions, 1) for _ in range(runs)]
    return Calls(np.stack([one for one, _ in each]), np.stack([used for _, used in each]))


def repeated(
    name: str, unit: str, took: Callable[[], tuple[float, float]], runs: int = ROUNDS, **more
) -> Row:
    """Return the median of runs; each tells a figure by the clock and of the processor."""
    each = np.array([took() for _ in range(runs)])
    return Row(
        name=name, unit=unit, value=float(np.median(each[:, 0])),
        processor=float(np.median(each[:, 1])), low=float(each[:, 0].min()),
        high=float(each[:, 0].max()), runs=runs, **more,
    )  # fmt: skip


def both_ms(call: Callable[..., object], *arguments: object) -> tuple[float, float]:
    """Return how long one call takes, by the clock and of the processor, in milliseconds."""
    by_clock, processor = both_s(call, *arguments)
    return by_clock * 1e3, processor * 1e3


def both_s(call: Callable[..., object], *arguments: object) -> tuple[float, float]:
    """Return how long one call takes, by the clock and of the processor."""
    start, used = time.perf_counter(), time.process_time()
    call(*arguments)
    return time.perf_counter() - start, time.process_time() - used


def in_fresh_process(*arguments: str) -> str:
    """Run this Python with ``arguments`` from the repository's root; return what it prints."""
    done = subprocess.run(
        [sys.executable, *arguments], cwd=HERE.parent, capture_output=True, text=True, check=True
    )
    return done.stdout


def machine() -> dict[str, object]:
    """Return what a reader needs to compare, and nothing that tells whose machine it is."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "memory_gb": round(memory / 2**30, 1),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "os": f"{platform.system()} {platform.machine()}",
    }


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((x.split(":", 1)[1].strip() for x in lines if x.startswith("model name")), "?")


def commit() -> str:
    """Return the commit measured, with ``+`` when the sources differ from it."""
    try:
        head = subprocess.run(
            ["git", "rev-parse", "--short=12", "HEAD"],
            cwd=HERE, capture_output=True, text=True, check=True,
        ).stdout.strip()  # fmt: skip
        changed = subprocess.run(
            ["git", "status", "--porcelain", "--", "../src", "../native"],
            cwd=HERE, capture_output=True, text=True, check=True,
        ).stdout.strip()  # fmt: skip
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return head + ("+" if changed else "")
