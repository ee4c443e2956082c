"""Whoever checks after kills sees what is lost, and what is there twice."""

import os
import signal
import time
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from itertools import count
from pathlib import Path

import pytest
from loopback import served
from sleepers import Sleeper
from writers import Writer, missing_from

from hippocampus import Memory
from hippocampus.client.transport import Line
from hippocampus.errors import ServerUnavailable
from hippocampus.upkeep import verify


def wait_for(what, seconds=20):
    """Return the first answer that is not empty."""
    until = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < until
        time.sleep(0.02)
    return found


@pytest.fixture
def served_bank(tmp_path):
    """A bank, and where it is served."""
    with Memory(tmp_path / "memory.db", embedder="none") as memory, served(memory) as url:
        yield memory.bank("ada"), url


@pytest.fixture
def written(served_bank):
    """A bank, where it is served, and a writer that has written to it."""
    bank, url = served_bank
    writer = Writer(url, None, "ada", "the test")
    wait_for(lambda: len(writer.acknowledged) >= 3)
    writer.stop()
    return bank, url, writer


@pytest.mark.slow
def test_what_is_lost_or_there_twice_is_seen(written):
    bank, url, writer = written
    assert [] == list(missing_from(url, None, [writer]))

    first, *_ = writer.acknowledged
    second = bank.remember(first, again=True)
    assert [f"ada: 2 times: {first}"] == list(missing_from(url, None, [writer]))

    bank.forget(second.id)
    bank.forget([e.id for e in bank.find(first)])
    assert [f"ada: lost: {first}"] == list(missing_from(url, None, [writer]))


@pytest.mark.slow
def test_what_was_sent_again_because_its_answer_was_lost_is_there_once(served_bank, monkeypatch):
    bank, url = served_bank
    ask, writes = Line.__dict__["_once"], count()

    def answer_lost(line, call, *rest):
        done = ask(line, call, *rest)
        if call.once and next(writes) % 2 == 0:
            raise ServerUnavailable("the answer was lost", url=line.url)
        return done

    monkeypatch.setattr(Line, "_once", answer_lost)
    writer = Writer(url, None, "ada", "the test")
    wait_for(lambda: len(writer.acknowledged) >= 3)
    writer.stop()

    assert next(writes) >= 6
    assert writer.problems == []
    assert [] == list(missing_from(url, None, [writer]))
    assert len(bank.episodes()) == len(writer.acknowledged)


@pytest.mark.slow
def test_banks_sleep_though_a_worker_is_killed(tmp_path):
    if find_spec("ray") is None:
        pytest.skip("Ray is not installed")
    store = tmp_path / "memory.db"
    with Memory(store, embedder="none") as memory:
        for number in range(30):
            memory.bank(f"bank {number}").remember(f"Item {number} was put on the shelf.")
    sleeper = Sleeper(str(store), tmp_path / "log")
    try:
        os.kill(wait_for(sleeper.workers, 60)[0], signal.SIGKILL)
        assert sleeper.end() == []
    finally:
        sleeper.stop()
    with Memory(store, embedder="none", read_only=True) as memory:
        assert all(memory.bank(name).sleeps() for name in memory.banks())
        assert verify(memory).sound


def test_a_campaign_that_cannot_test_anything_says_so_and_fails(monkeypatch):
    place = Path(__file__).with_name("campaign.py")
    spec = spec_from_file_location("chaos_campaign", place)
    campaign = module_from_spec(spec)
    spec.loader.exec_module(campaign)
    monkeypatch.setattr(campaign, "missing", lambda: "etcd is not installed")
    monkeypatch.setattr("sys.argv", [str(place), "--seconds", "1"])
    said = []

    assert campaign.main(show=said.append) == campaign.CANNOT
    assert said == ["nothing was tested, for there is no cluster: etcd is not installed"]
