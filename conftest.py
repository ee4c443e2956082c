"""What tests share: ``--slow``, Hypothesis profiles, a clock that stands still, small memories.

A property is tried with 10 examples, always the same, at every ``make test``; with 25 of them in
CI; and with 400 new ones at night. ``--hypothesis-profile`` chooses ``commit``, ``ci``, ``night``.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

from hippocampus import Memory
from hippocampus.calibrate.run import calibrate
from hippocampus.core.clock import ManualClock
from hippocampus.encode.embed import HashEmbedder

_CALM = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

# Shrinking may take minutes: a commit fails with the example that was found, CI with a small one.
_FOUND = (Phase.explicit, Phase.generate)
settings.register_profile("commit", max_examples=10, derandomize=True, phases=_FOUND, **_CALM)
settings.register_profile("ci", max_examples=25, derandomize=True, **_CALM)
settings.register_profile("night", max_examples=400, **_CALM)


_MEMORY = Path("/dev/shm")  # noqa: S108 - what lies in it are temporary files
_ROOM = 8 << 30  # bytes: the databases of PostgreSQL take half of it


def _keep_files_in_memory():
    """
    Have temporary files in memory, where there is room: a flush to a disk takes milliseconds.

    A test of a few lines flushes a dozen times. What a store does when a write is cut off or fails
    is told by kills and by disks that are made to fail, and no fast test pulls a plug.
    """
    if not _MEMORY.is_dir() or "TMPDIR" in os.environ:
        return
    there = os.statvfs(_MEMORY)
    runs_programs = not there.f_flag & os.ST_NOEXEC  # a disk that fails is a library
    if runs_programs and there.f_bavail * there.f_frsize >= _ROOM:
        os.environ["TMPDIR"] = tempfile.tempdir = str(_MEMORY)


def pytest_addoption(parser):
    parser.addoption(
        "--slow",
        action="store_true",
        help="run the slow tests too, and many Hypothesis examples",
    )
    parser.addoption(
        "--golden", action="store_true", help="write what is shown as what is expected to be"
    )


def pytest_configure(config):
    # A shell lets what it runs in the background ignore an interrupt, and so would every program
    # that a test starts and interrupts.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not config.getoption("--hypothesis-profile"):
        settings.load_profile("night" if config.getoption("--slow") else "commit")
    if not config.getoption("--slow"):
        _keep_files_in_memory()


def pytest_collection_modifyitems(config, items):
    # A worker that has nothing left takes tests from the end of another's list: modules that make
    # much once, as benchmarks do, stand far from it, or both workers would make it.
    items.sort(key=lambda item: not item.nodeid.startswith("packages/"))
    if not config.getoption("--slow"):
        # Not skipped: what is skipped is what this machine lacks something for, and is told.
        config.hook.pytest_deselected(items=[item for item in items if "slow" in item.keywords])
        items[:] = [item for item in items if "slow" not in item.keywords]


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Import the tests, and all that they import, without looking for garbage among it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


_GARBAGE = gc.get_threshold()


def pytest_collection_finish():
    """
    Leave what is imported by now out of every later garbage collection: it is there to stay.

    Look for garbage less often, too: of the time of small tests that takes one part in fifteen.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10 * _GARBAGE[0], *_GARBAGE[1:])


def pytest_unconfigure():
    gc.unfreeze()
    gc.set_threshold(*_GARBAGE)


@pytest.fixture(scope="session")
def hashed():
    """Return the calibration of the embedder of no model; it takes seconds, so once for all."""
    return calibrate(HashEmbedder())


@pytest.fixture
def clock():
    """Return a clock that stands at noon on 1 June 2025 until told otherwise."""
    return ManualClock(datetime(2025, 6, 1, 12, tzinfo=UTC))


@pytest.fixture
def path(tmp_path):
    """Return where the test's store is, or will be."""
    return tmp_path / "memory.db"


@pytest.fixture
def open_memory(path, clock):
    """Return a way to open the test's store, or one beside it, with an embedder of no model."""
    opened = []

    def open_(name=path.name, **options):
        where = name if name == ":memory:" else path.with_name(name)
        memory = Memory(where, **{"embedder": "hash", "clock": clock} | options)
        opened.append(memory)
        return memory

    yield open_
    for memory in opened:
        memory.close()


@pytest.fixture(scope="session")
def copied(tmp_path_factory):
    """Return a way to begin with a copy of a store that is made but once; with what making gave."""
    made = {}

    def begin(path, make, *how):
        if (make, how) not in made:
            first = tmp_path_factory.mktemp("made") / path.name
            made[make, how] = first, make(first, *how)
        store, gave = made[make, how]
        shutil.copyfile(store, path)
        return gave

    return begin


@pytest.fixture
def memory(open_memory):
    """Return a new memory in a file."""
    return open_memory()


@pytest.fixture
def bank(memory):
    """Return an empty bank of it."""
    return memory.bank("ada")


@pytest.fixture
def corrected(bank, clock):
    """Return a memory, and what a person said within the hour of its recall that it is not so."""
    flight = bank.remember("Our flight to Porto leaves on Monday.", speaker="Ada", role="user")
    clock.advance(timedelta(days=2))
    bank.recall("When does our flight to Porto leave?")
    clock.advance(timedelta(minutes=5))
    news = bank.remember("No, our flight to Porto leaves on Tuesday.", speaker="Ada", role="user")
    assert {"corrected": 1} == bank.sleep(steps=["reconsolidate"])["reconsolidate"].counts
    return flight, news
