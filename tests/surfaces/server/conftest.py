"""One server for the tests of a module, around a memory that is empty before each of them."""

from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from hippocampus import Memory
from hippocampus.core.clock import ManualClock

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def home(tmp_path_factory, serve_all):
    """A memory, its clock, where it is served, and a client of that."""
    clock = ManualClock(NOON)
    file = tmp_path_factory.mktemp("served") / "memory.db"
    with Memory(file, embedder="hash", clock=clock) as memory:
        url = serve_all(memory)
        # Certificates that it has no use for take 25 ms to load.
        with httpx.Client(base_url=url, timeout=30, verify=False) as client:  # noqa: S501
            yield memory, clock, url, client


@pytest.fixture
def memory(home):
    home[1].set(NOON)
    yield home[0]
    for name in home[0].banks():
        home[0].delete_bank(name)


@pytest.fixture
def path(home):
    """Where that memory is, for whoever opens it as well."""
    return Path(home[0].engine.store.path)


@pytest.fixture
def clock(home):
    return home[1]


@pytest.fixture
def url(home, memory):
    assert memory is home[0]
    return home[2]


@pytest.fixture
def http(home, memory):
    assert memory is home[0]
    return home[3]


@pytest.fixture
def kept_waiting():
    """Return a way to have whoever recalls from a bank wait: it left memory, and is not let in."""

    @contextmanager
    def hold(bank):
        with bank.state.following:
            bank.state.let_go()
            yield

    return hold
