"""Whoever checks after kills sees what is lost, and what is there twice."""

import time

import pytest
from loopback import served
from writers import SAID_AT, Writer, missing_from

from hippocampus import Memory


@pytest.fixture
def written(tmp_path):
    """A memory, where it is served, and a writer that has written to it."""
    with Memory(tmp_path / "memory.db", embedder="none") as memory, served(memory) as url:
        writer = Writer(url, None, "ada", "the test")
        until = time.monotonic() + 20
        while len(writer.acknowledged) < 3 and time.monotonic() < until:
            time.sleep(0.02)
        writer.stop()
        yield memory.bank("ada"), url, writer


@pytest.mark.slow
def test_what_is_lost_or_there_twice_is_seen(written):
    bank, url, writer = written
    assert [] == list(missing_from(url, None, [writer]))

    first, *_ = writer.acknowledged
    bank.remember(first, at="2025-04-01")
    assert ["ada: 1 texts are there twice"] == list(missing_from(url, None, [writer]))

    (there,) = [e.id for e in bank.find(first) if e.occurred_at.month == 4]
    bank.forget(there)
    bank.forget([e.id for e in bank.find(first)])
    assert [f"ada: lost: {first}"] == list(missing_from(url, None, [writer]))


@pytest.mark.slow
def test_what_was_sent_twice_is_there_once(written):
    bank, url, writer = written
    for text in writer.acknowledged:
        bank.remember(text, at=SAID_AT)

    assert [] == list(missing_from(url, None, [writer]))
