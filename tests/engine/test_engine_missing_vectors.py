"""A model that is installed later: what was stored before gets its vectors in the next sleep."""

from datetime import timedelta

import pytest

from hippocampus import Config, Ingest
from hippocampus.core.budget import Budget, puts_off, texts_put_off
from hippocampus.engine import missing_vectors
from hippocampus.errors import Cancelled, EncoderError
from hippocampus.sleep.schedule import Schedule
from hippocampus.testing import Fails, HashEmbedder, ScriptedEmbedder

FACTS = [f"Fact {n} about the garden." for n in range(20)]


class Counting(HashEmbedder):
    """Embeds, and knows how often."""

    def __init__(self):
        super().__init__()
        self.passages = 0

    def embed(self, passages):
        self.passages += len(passages)
        return super().embed(passages)


@pytest.fixture
def blind(open_memory):
    """Return a store that was written to without an embedder, closed."""
    with open_memory(embedder="none") as memory:
        memory.bank("ada").remember_many([{"text": one, "session": "s"} for one in FACTS])


def told(bank, query="garden"):
    return [one.reason for one in bank.recall(query).degraded if one.part == "vectors"]


def step(slept):
    return next(one for one in slept.steps if one.name == "vectors")


@pytest.mark.usefixtures("blind")
def test_recall_says_how_many_have_no_vector_until_a_sleep_has_made_them(open_memory):
    bank = open_memory().bank("ada")
    (reason,) = told(bank)
    assert reason.startswith("20 of 20 episodes have none")

    slept = bank.sleep()

    assert step(slept).counts == {"episodes": 20}
    assert told(bank) == []


@pytest.mark.usefixtures("blind")
def test_what_is_embedded_later_is_embedded_as_it_would_have_been(open_memory):
    late = open_memory().bank("ada")
    late.sleep(steps=["vectors"])
    early = open_memory("early.db").bank("ada")
    early.remember_many([{"text": one, "session": "s"} for one in FACTS])

    def vectors(bank):
        with bank.state.asking() as here:
            return here.index.cues.vector.vectors(range(20)).tolist()

    assert vectors(late) == vectors(early)


@pytest.mark.usefixtures("blind")
def test_what_has_vectors_is_not_embedded_again(open_memory):
    embedder = Counting()
    bank = open_memory(embedder=embedder).bank("ada")
    bank.remember("A new fact.")
    before = embedder.passages

    bank.sleep(steps=["vectors"])

    assert embedder.passages == before + 20
    assert step(bank.sleep(steps=["vectors"])).counts == {"episodes": 0}
    assert embedder.passages == before + 20


@pytest.mark.usefixtures("blind")
def test_a_sleep_that_is_cut_off_goes_on_where_it_was(open_memory, monkeypatch):
    monkeypatch.setattr(missing_vectors, "_AT_ONCE", 5)
    embedder, budget = Counting(), Budget()
    memory = open_memory(embedder=embedder)
    embed = embedder.embed

    def cut_off(passages):
        if embedder.passages >= 10:
            budget.cancel()
        return embed(passages)

    embedder.embed = cut_off
    with pytest.raises(Cancelled), budget:
        memory.bank("ada").sleep(steps=["vectors"])
    memory.close()

    again = Counting()
    bank = open_memory(embedder=again).bank("ada")
    assert 0 < int(told(bank)[0].split()[0]) < 20
    bank.sleep(steps=["vectors"])
    assert told(bank) == []
    assert again.passages < 20


@pytest.mark.usefixtures("blind")
def test_a_sleep_that_fails_half_way_is_not_begun_anew_in_the_same_process(
    open_memory, monkeypatch
):
    monkeypatch.setattr(missing_vectors, "_AT_ONCE", 5)
    embedder = ScriptedEmbedder(on_passages=Fails(containing="Fact 12"))
    bank = open_memory(embedder=embedder).bank("ada")
    with pytest.raises(EncoderError):
        bank.sleep(steps=["vectors"])
    (reason,) = told(bank)
    assert reason.startswith("10 of 20 episodes have none")

    embedder.on_passages, before = None, embedder.passages
    assert step(bank.sleep(steps=["vectors"])).counts == {"episodes": 10}
    assert embedder.passages - before == 10
    assert told(bank) == []


def test_a_blind_sleep_is_followed_by_one_that_sees(open_memory, clock):
    with open_memory(embedder="none") as memory:
        memory.bank("ada").remember("A fact.")
        slept = memory.bank("ada").sleep()
        assert step(slept).skipped == "there is no embedder"
    clock.advance(timedelta(hours=1))

    with open_memory(embedder="none") as memory:
        assert memory.sleep_if_due(Schedule(night=None)) == []
    memory = open_memory()
    (slept,) = memory.sleep_if_due(Schedule(night=None))
    assert step(slept).counts == {"episodes": 1}


def test_nothing_of_what_was_erased_is_embedded(open_memory):
    with open_memory(embedder="none") as memory:
        gone, _ = (memory.bank("ada").remember(text) for text in ("A secret.", "A fact."))
        memory.bank("ada").forget(gone.id, erase=True)
    assert step(open_memory().bank("ada").sleep(steps=["vectors"])).counts == {"episodes": 1}


@pytest.mark.usefixtures("blind")
def test_a_model_that_has_just_been_installed_makes_no_recall_worse(open_memory):
    def scores(embedder):
        with open_memory(embedder=embedder) as memory:
            return [(hit.id, hit.score) for hit in memory.bank("ada").recall("which garden?")]

    assert scores("none") == scores("hash")


class HalfSpent(Budget):
    """A budget whose time is half over after so many looks at it."""

    def __init__(self, looks):
        super().__init__(seconds=60)
        self.looks = looks

    def is_half_spent(self):
        self.looks -= 1
        return self.looks < 0


@pytest.mark.parametrize("long", [True, False])
def test_who_is_short_of_time_keeps_it_all_and_has_the_rest_embedded_later(open_memory, long):
    embedder = Counting()
    config = Config(ingest=Ingest(batch=5, chunk_tokens=16))
    bank = open_memory(embedder=embedder, config=config).bank("ada")

    with HalfSpent(looks=2):
        if long:
            bank.remember(
                " ".join(f"The {n}th tree of the old garden is an oak." for n in range(50))
            )
        else:
            bank.remember_many([{"text": one} for one in FACTS])

    there = len(bank.episodes())
    assert embedder.passages == 10 < there
    (reason,) = told(bank)
    assert reason.startswith(f"{there - 10} of {there} episodes have none")
    bank.sleep(steps=["vectors"])
    assert told(bank) == []
    assert embedder.passages == there


def test_a_short_text_has_its_vector_however_long_it_waited_to_be_written(open_memory):
    embedder = Counting()
    bank = open_memory(embedder=embedder).bank("ada")

    with HalfSpent(looks=0) as budget:
        bank.remember("The gate key hangs behind the shed door.")

    assert (1, 0) == (embedder.passages, budget.put_off)
    assert [] == told(bank)


@pytest.mark.parametrize(("seconds", "spent"), [(None, False), (60, False), (1e-9, True)])
def test_texts_are_put_off_where_half_of_a_budget_or_one_around_is_spent(seconds, spent):
    assert not puts_off(3)
    with Budget(seconds=seconds) as outer, Budget(seconds=60), Budget():
        assert puts_off(3) is spent
        assert texts_put_off() == outer.put_off == 3 * spent
