"""A calibration is kept with the store, for its embedder alone, and every default goes by it."""

import asyncio
import json
from dataclasses import replace

import pytest

from hippocampus import AsyncMemory, Config, Fusion, Turn
from hippocampus.calibrate.calibration import BUILT_IN, Calibration
from hippocampus.core.config import Concepts
from hippocampus.encode.embed import HashEmbedder
from hippocampus.engine.context import CALIBRATED
from hippocampus.errors import EmbedderMismatch, InputError, StoreReadOnly
from hippocampus.upkeep import doctor, verify

SAID = [
    Turn(text=f"Item {n}: something on the {('violin', 'garden', 'boat')[n % 3]}.", at="2025-03-02")
    for n in range(30)
]
SMALL = HashEmbedder(64)


def keep(memory, calibration):
    """Have a store keep a calibration, as if it had been made."""
    with memory.engine.store.write():
        memory.engine.store.settings.put(CALIBRATED, calibration.dump())


@pytest.mark.slow
def test_a_calibration_is_used_after_the_store_was_opened_again(open_memory, hashed):
    memory = open_memory()
    bank = memory.bank("ada")
    bank.remember_many(SAID)
    assert "run 'hippocampus calibrate'" in bank.stats().uncalibrated
    journal, told = bank.journal(), []
    assert memory.calibrate(progress=lambda *at: told.append(at)) == hashed
    assert told
    assert (bank.journal(), memory.banks()) == (journal, ["ada"])  # it reads and changes none
    memory.close()

    again = open_memory()
    assert again.engine.calibration().values == hashed
    assert again.bank("ada").stats().uncalibrated is None
    assert again.bank("ada").sleep().notes == ()
    assert verify(again).sound


@pytest.mark.slow
def test_an_index_in_use_goes_by_a_new_calibration_at_once(open_memory, hashed):
    here, there = open_memory(), open_memory()
    bank = here.bank("ada")
    bank.remember_many(SAID)
    bank.sleep()
    before = bank.recall("the violin")
    # Everything is found from a probability of 0 on, and no anchor is like any question.
    sure = replace(
        hashed,
        models=tuple(model._replace(found=0.0) for model in hashed.models),
        cosines=hashed.cosines._replace(theta=1.0, sem_theta=1.0),
    )
    keep(there, sure)

    assert bank.recall("My elephants?").found
    assert bank.state.take().index.cues.concept._least.theta == 1.0
    keep(there, hashed)
    assert bank.state.take().index.cues.concept._least.theta == hashed.cosines.theta
    assert bank.recall("the violin").hits[0].episode == before.hits[0].episode


def test_weights_of_the_embedder_follow_how_much_it_tells(open_memory, hashed):
    memory = open_memory()
    bank = memory.bank("ada")
    bank.remember_many(SAID)

    def share():
        return bank.recall("the violin, item 3", cues=["tokens", "lexical"])[0].shares["tokens"]

    shares = []
    for hearing in (0.1, 1.0, 10.0):
        keep(memory, replace(hashed, hearing=hearing))
        shares.append(share())
    assert shares == sorted(shares)
    assert shares[0] < shares[2]


def test_what_the_config_gives_is_not_calibrated(open_memory, hashed):
    mine = Config(fusion=Fusion(tokens=2.0, vector=0.3), concepts=Concepts(theta=0.11))
    memory = open_memory(config=mine)
    bank = memory.bank("ada")
    bank.remember_many(SAID)
    bank.sleep()
    before = bank.recall("the violin, item 3")
    keep(memory, replace(hashed, hearing=9.0))
    after = bank.recall("the violin, item 3")

    assert [hit.shares for hit in before] == [hit.shares for hit in after]
    assert bank.state.take().index.cues.concept._least.theta == 0.11


def test_an_embedder_has_its_own_calibration_again_after_another_without_any(open_memory, hashed):
    memory = open_memory()
    bank = memory.bank("ada")
    bank.remember_many(SAID)
    keep(memory, hashed)
    memory.rebuild(embedder=SMALL)

    assert memory.engine.calibration().values is BUILT_IN
    assert "not calibrated for hash (64 dimensions" in bank.stats().uncalibrated
    assert "not calibrated" in str(bank.sleep())
    assert bank.recall("violin").degraded == ()
    memory.rebuild(embedder=HashEmbedder())
    assert memory.engine.calibration().values == hashed


def test_the_default_embedder_needs_none(open_memory):
    class Default(HashEmbedder):
        fingerprint = BUILT_IN.embedder

    known = open_memory("other.db", embedder=Default()).engine.calibration()
    assert (known.values, known.lacking) == (BUILT_IN, None)


def test_without_an_embedder_there_is_nothing_to_calibrate(open_memory):
    memory = open_memory(embedder="none")

    assert memory.engine.calibration().lacking is None
    with pytest.raises(InputError, match="no embedder"):
        memory.calibrate()


@pytest.mark.parametrize("kept", ["{", "[]", json.dumps({"version": 99})])
def test_a_damaged_calibration_gives_way_to_the_built_in_one_until_the_next(
    open_memory, kept, hashed
):
    memory = open_memory()
    bank = memory.bank("ada")
    bank.remember_many(SAID)
    with memory.engine.store.write():
        memory.engine.store.settings.put(CALIBRATED, kept)

    (degraded,) = bank.recall("violin").degraded
    assert degraded.part == "calibration"
    assert "run" not in bank.recall("violin").hits[0].text
    assert memory.engine.calibration().values is BUILT_IN
    assert any("calibration" in problem for problem in verify(memory).problems)
    rows = {what: well for what, _, well in doctor(memory)}
    assert rows["calibration"] is False
    keep(memory, hashed)
    assert bank.recall("violin").degraded == ()
    assert verify(memory).sound


def test_a_read_only_store_is_refused_before_any_work(open_memory):
    open_memory().close()
    memory = open_memory(read_only=True)
    told = []

    with pytest.raises(StoreReadOnly, match="dry_run"):
        memory.calibrate(progress=lambda *at: told.append(at))
    assert told == []


@pytest.mark.slow
def test_one_made_while_another_process_moved_the_store_is_not_kept(open_memory):
    here, there = open_memory(), open_memory()
    here.bank("ada").remember_many(SAID)

    def meanwhile(done, total):
        if done == total:
            there.rebuild(embedder=SMALL)

    with pytest.raises(EmbedderMismatch):
        here.calibrate(progress=meanwhile)
    assert there.engine.store.settings.get(CALIBRATED) is None


def test_it_can_be_awaited(path):
    async def refused():
        async with AsyncMemory(path, embedder="none") as memory:
            await memory.calibrate()

    with pytest.raises(InputError, match="no embedder"):
        asyncio.run(refused())


def test_a_kept_one_is_plain_json(open_memory, hashed):
    memory = open_memory()
    keep(memory, hashed)
    kept = json.loads(memory.engine.store.settings.get(CALIBRATED))

    assert kept["embedder"]["name"] == "hash"
    assert kept["cosines"] == hashed.cosines._asdict()
    assert Calibration.load(json.dumps(kept), path="here") == hashed
