"""The three tiers of a bank: what is hot, what the index has, what is sealed."""

from datetime import UTC, datetime, timedelta

import pytest

from hippocampus import Memory, Turn
from hippocampus.core.clock import ManualClock
from hippocampus.core.config import Config, Ingest, Policy
from hippocampus.encode.embedders.hashing import HashEmbedder

NOW = datetime(2024, 9, 1, 12, tzinfo=UTC)


def tiers(bank):
    return {one.name: one for one in bank.stats().tiers}


@pytest.fixture
def clock():
    return ManualClock(NOW)


@pytest.fixture
def bank(clock, tmp_path):
    config = Config(ingest=Ingest(seal_rows=256))
    with Memory(tmp_path / "m.db", embedder="hash", clock=clock, config=config) as memory:
        bank = memory.bank("home")
        bank.remember_many(
            Turn(
                text=f"Remark {n} of the {'harbour' if n % 7 else 'lighthouse'}.",
                at=NOW - timedelta(days=130 - n / 9),
            )
            for n in range(1100)
        )
        yield bank


@pytest.mark.slow
def test_sealed_texts_count_as_cold_beside_the_warm_memories_in_force(bank):
    held = tiers(bank)

    assert ["hot", "warm", "cold"] == list(held)
    assert 1100 == held["warm"].memories
    assert 0 < held["cold"].memories <= 1100
    assert 0 < held["cold"].nbytes <= bank.stats().stored_bytes["content"]
    assert 0 == held["hot"].memories


@pytest.mark.slow
def test_what_is_said_and_what_is_recalled_is_hot_for_an_hour(bank, clock):
    bank.remember("The ferry is late.", at=NOW)
    assert 1 == tiers(bank)["hot"].memories

    shown = {hit.id for hit in bank.recall("the lighthouse", 3)}
    hot = tiers(bank)["hot"]
    assert 1 + len(shown) == hot.memories
    assert hot.nbytes > 0

    bank.note_recalls()  # into the journal
    assert 1 + len(shown) == tiers(bank)["hot"].memories

    clock.advance(timedelta(hours=2))
    assert 0 == tiers(bank)["hot"].memories


def test_how_long_something_is_hot_is_the_policys(clock):
    config = Config(policy=Policy(hot_hours=48))
    with Memory(":memory:", embedder="hash", clock=clock, config=config) as memory:
        bank = memory.bank("home")
        bank.remember("The ferry is late.", at=NOW - timedelta(hours=30))
        bank.remember("The ferry was late.", at=NOW - timedelta(hours=60))

        assert 1 == tiers(bank)["hot"].memories


@pytest.mark.slow
def test_what_is_forgotten_is_in_no_tier(bank):
    for one in bank.episodes(limit=100):
        bank.forget(one.id)

    assert 1000 == tiers(bank)["warm"].memories
    assert tiers(bank)["cold"].memories <= 1000


@pytest.mark.slow
def test_a_bank_that_nobody_has_asked_holds_no_index(bank, tmp_path, clock):
    bank.recall("the lighthouse")
    assert tiers(bank)["warm"].nbytes > 100_000
    with Memory(tmp_path / "m.db", embedder="hash", clock=clock) as memory:
        assert tiers(memory.bank("home"))["warm"].nbytes < 20_000


class Counted(HashEmbedder):
    """Counts the questions that it embeds."""

    asked = 0

    def embed_query(self, text):
        self.asked += 1
        return super().embed_query(text)


def test_a_question_that_was_asked_lately_is_not_embedded_again(clock):
    embedder = Counted()
    with Memory(":memory:", embedder=embedder, clock=clock) as memory:
        bank, other = memory.bank("home"), memory.bank("away")
        for one in (bank, other):
            one.remember("The ferry is late.", at=NOW)
        first = bank.recall("Is the ferry late?")
        assert 1 == embedder.asked

        assert first.hits == bank.recall("Is the ferry late?").hits
        bank.context("Is the ferry late?")
        bank.explain("Is the ferry late?")
        assert 1 == embedder.asked

        other.recall("Is the ferry late?")  # nobody can tell what another bank was asked
        assert 2 == embedder.asked

        bank.forget(bank.episodes()[0].id, erase=True)
        bank.remember("The ferry is on time.", at=NOW)
        bank.recall("Is the ferry late?")
        assert 3 == embedder.asked


def test_only_the_last_questions_are_known(clock):
    embedder = Counted()
    with Memory(":memory:", embedder=embedder, clock=clock) as memory:
        bank = memory.bank("home")
        bank.remember("The ferry is late.", at=NOW)
        for n in range(40):
            bank.recall(f"Is ferry {n} late?")
        bank.recall("Is ferry 39 late?")
        assert 40 == embedder.asked

        bank.recall("Is ferry 0 late?")
        assert 41 == embedder.asked
