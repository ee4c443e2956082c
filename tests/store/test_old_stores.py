"""Stores, exports and anchors files of every earlier format are read, and answer as they did."""

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hippocampus import Memory
from hippocampus.core.clock import ManualClock
from hippocampus.store.schema import FORMAT, OLDEST
from hippocampus.testing import HashEmbedder
from hippocampus.upkeep import reindex, verify

OLD = Path(__file__).parents[1] / "data" / "old"
"""Made by ``make.py`` there, each with the code of its format; the last before issue 20."""
NOW = datetime(2025, 6, 1, 12, tzinfo=UTC)


@pytest.fixture(params=range(2, FORMAT + 1))
def name(request):
    return f"format-{request.param}"


@pytest.fixture
def said(name):
    """Return what the version that made the store said of it."""
    return json.loads((OLD / f"{name}.answers.json").read_text("utf-8"))


@pytest.fixture
def memory(name, tmp_path):
    path = tmp_path / "old.db"
    path.write_bytes(gzip.decompress((OLD / f"{name}.db.gz").read_bytes()))
    with Memory(path, embedder=HashEmbedder(64), clock=ManualClock(NOW)) as memory:
        yield memory


@pytest.fixture
def sound(memory, name):
    """Return the store as ``verify`` wants it, having done what it says where it finds fault."""
    if name == "format-2":  # phrases of another kind; its anchors were of version 1
        assert all("reindex" in p or "version 1" in p for p in verify(memory).problems)
        reindex(memory)
        memory.bank("ada").sleep()
    assert verify(memory).sound
    return memory


def episodes(bank):
    return [[episode.id, episode.state, episode.text] for episode in bank.episodes()]


def found(bank, said, k=3):
    return {q: [hit.text for hit in bank.recall(q, k=k, now=NOW)] for q in said["recall"]}


def test_there_is_a_sample_of_every_format_that_is_read():
    first = Path(__file__).parent / "samples" / "format-1.db.gz"  # see journal/test_content.py
    samples = {first.name} | {file.name for file in OLD.glob("*.db.gz")}

    assert {f"format-{n}.db.gz" for n in range(OLDEST, FORMAT + 1)} == samples


def test_an_old_store_holds_what_it_held(memory, said, name):
    bank = memory.bank("ada")

    assert said["episodes"] == episodes(bank)
    if name != "format-2":
        assert said["anchors"] == sorted(anchor.name for anchor in bank.anchors())
    assert said["topics"] == sorted(topic.name for topic in bank.topics())


def test_an_old_store_answers_as_it_did(memory, said, name):
    exact = name == f"format-{FORMAT}"  # before that, ranking has been mended since
    told = found(memory.bank("ada"), said)

    for question, texts in said["recall"].items():
        if question != "Who is the dentist?":  # of which everything was forgotten
            assert texts[: 3 if exact else 1] == told[question][: 3 if exact else 1], question
    if exact:
        bank = memory.bank("ada")
        facts = [str(fact) for who in ("Ada", "Paul", "Klara") for fact in bank.facts(who)]
        assert said["facts"] == facts
        assert said["summary"] == bank.summary().text


def test_an_old_store_goes_on_living(sound, said):
    bank = sound.bank("ada")
    kept = bank.remember("The heron has a nest on the boat house.", speaker="Ada")
    bank.sleep()

    assert verify(sound).sound
    assert kept.id == bank.recall("Where does the heron have a nest?")[0].id
    assert {e[0] for e in said["episodes"]} < {e.id for e in bank.episodes()}


def test_an_export_of_an_old_version_is_taken_in_whole(name, said, open_memory):
    bank = open_memory(embedder=HashEmbedder(64)).bank("ada")
    bank.import_(OLD / f"{name}.jsonl")

    assert said["episodes"] == episodes(bank)
    answer = bank.recall("What is Ada allergic to?", k=1, now=NOW)[0].text
    assert said["recall"]["What is Ada allergic to?"][0] == answer


def test_an_anchors_file_of_an_old_version_is_taken_in(sound, said, name):
    bank = sound.bank("ada")
    bank.curate(deny=said["anchors"][:3])
    bank.sleep()
    assert said["anchors"] != sorted(anchor.name for anchor in bank.anchors())
    bank.import_concepts(OLD / f"{name}.concepts.json")

    assert said["anchors"] == sorted(anchor.name for anchor in bank.anchors())
    assert verify(sound).sound


@pytest.mark.parametrize("name", ["format-6"])
def test_an_old_store_tells_times_from_its_next_sleep_on(memory):
    bank = memory.bank("ada")
    assert () == bank.recall("Where does the sailing boat lie?", k=1, now=NOW)[0].times
    bank.sleep()

    trip = bank.recall("What happened on 15 March 2025?", now=NOW)
    assert "Our ferry to Rovinj leaves at nine on Saturday." in [hit.text for hit in trip]
    move = next(hit for hit in bank.recall("Where did Klara move to?", now=NOW) if hit.times)
    assert ["last month"] == [time.text for time in move.times]
    assert move.times == bank.get(move.id).times
    assert verify(memory).sound
