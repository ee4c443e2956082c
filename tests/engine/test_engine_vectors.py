"""However vectors are searched and wherever they lie, a bank finds what it finds by a scan."""

from contextlib import closing
from dataclasses import replace

import pytest

from hippocampus import Config, Memory, Turn, Vectors
from hippocampus.core.key import Key
from hippocampus.errors import InputError, MissingExtra
from hippocampus.sleep.artifacts import PARTITIONS
from hippocampus.store import open_store
from hippocampus.testing import HashEmbedder
from hippocampus.upkeep import reindex, verify

SUBJECTS = ("the garden", "a violin", "Lisbon", "the tax report", "our boat")
TURNS = [
    Turn(text=f"Number {n} is about {SUBJECTS[n % 5]} on day {n * 7 % 31}.", at="2025-01-02")
    for n in range(900)
]
QUESTIONS = ["What is about a violin on day 12?", "Lisbon, number 402", "the boat"]
ALL = 4096
"""As many probes as there may be partitions."""


def opened(path, key=None, **vectors):
    config = Config(vectors=Vectors(**vectors))
    return Memory(path, embedder=HashEmbedder(64), config=config, key=key)


def found(memory, **options):
    bank = memory.bank("ada")
    return [
        [hit.id for hit in bank.recall(q, k=8, cues=["vector"], **options).hits] for q in QUESTIONS
    ]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "agent.db"
    with opened(path) as memory:
        memory.bank("ada").remember_many(TURNS)
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    "vectors",
    [
        {"search": "partitions", "probes": ALL},
        {"search": "auto", "partitioned_rows": 900, "probes": ALL},
        {"search": "partitions", "probes": ALL, "shards": "source"},
        {"place": "disk"},
        {"place": "disk", "layout": "partitions"},
        {"layout": "partitions", "search": "scan"},
    ],
)
def test_a_bank_finds_the_same_before_and_after_sleep_and_once_opened_again(path, vectors):
    with opened(path) as memory:
        expected = found(memory)
    with opened(path, **vectors) as memory:
        assert found(memory) == expected
        memory.bank("ada").sleep(steps=["partitions"])
        assert found(memory) == expected
    with opened(path, **vectors) as memory:
        assert found(memory) == expected
        fresh = memory.bank("ada").remember(f"{QUESTIONS[0]} A violin on day 12.")
        assert fresh.id in found(memory)[0]
        memory.bank("ada").forget(fresh.id, erase=True)
        assert found(memory) == expected


def steps_of(memory):
    return memory.bank("ada").sleep(steps=["partitions"]).steps[0]


@pytest.mark.slow
def test_sleep_puts_new_memories_into_the_partitions_of_a_large_bank(path):
    with opened(path) as memory:
        assert "fewer than 500,000 episodes" in steps_of(memory).skipped
    with opened(path, search="scan") as memory:
        assert "'scan'" in steps_of(memory).skipped
    with opened(path, search="partitions") as memory:
        assert steps_of(memory).counts == {"partitions": 30, "episodes": 900}
        memory.bank("ada").remember("We sold the boat.")
        assert steps_of(memory).counts["episodes"] == 1
        assert steps_of(memory).counts["episodes"] == 0


@pytest.mark.slow
def test_after_an_erasure_partitions_are_made_anew(path):
    with opened(path, search="partitions", probes=ALL) as memory:
        steps_of(memory)
        bank = memory.bank("ada")
        bank.forget(bank.episodes(limit=1)[0].id, erase=True)
        assert PARTITIONS.read(memory.engine.ledger("ada")) is None
        assert steps_of(memory).counts["episodes"] > 800


@pytest.mark.slow
@pytest.mark.parametrize("payload", [b"", b"PK\x03\x04 nothing", b"\x00" * 400])
def test_unreadable_partitions_are_reported_until_sleep_makes_them_anew(path, payload):
    with opened(path, search="partitions", probes=ALL) as memory:
        expected = found(memory)
        steps_of(memory)
    with closing(open_store(path, busy_timeout_s=1)) as store, store.write():
        block = store.payloads.block(1, "partition", 0)
        store.payloads.drop(1, "partition")
        store.payloads.put_block(1, "partition", replace(block, payload=payload))
    with opened(path, search="partitions", probes=ALL) as memory:
        recalled = memory.bank("ada").recall(QUESTIONS[0])
        assert any("sleep makes them anew" in one.reason for one in recalled.degraded)
        assert found(memory) == expected
        steps_of(memory)
        assert not memory.bank("ada").recall(QUESTIONS[0]).degraded
        assert not verify(memory).problems


@pytest.mark.slow
def test_partitions_of_another_embedder_go_with_its_vectors(path):
    with opened(path, search="partitions", probes=ALL) as memory:
        steps_of(memory)
        memory.rebuild(embedder=HashEmbedder(128))
    other = Memory(
        path, embedder=HashEmbedder(128), config=Config(vectors=Vectors(search="partitions"))
    )
    with other as memory:
        assert not memory.bank("ada").recall(QUESTIONS[0]).degraded
        reindex(memory)
        assert memory.bank("ada").recall(QUESTIONS[0], cues=["vector"]).hits


@pytest.mark.slow
def test_vectors_on_disk_take_less_memory_without_leaving_a_file(path):
    sizes = {}
    for place in ("memory", "disk"):
        with opened(path, place=place) as memory:
            found(memory)
            sizes[place] = memory.bank("ada").state.take().index.cues.vector.nbytes
    names = {one.name for one in path.parent.iterdir()}

    assert sizes["disk"] < sizes["memory"] / 3
    assert names <= {"agent.db", "agent.db-wal", "agent.db-shm"}


def test_vectors_of_an_encrypted_store_are_never_in_a_file(tmp_path):
    with pytest.raises(InputError, match="the store is encrypted"):
        opened(tmp_path / "agent.db", key=Key.phrase("AAAA-BBBB-CCCC-DDDD"), place="disk")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "vectors",
    [
        {"search": "hnsw"}, {"partitioned_rows": 0}, {"probes": 0}, {"probes": 5000},
        {"place": "tape"}, {"shards": 3}, {"layout": None}, {"partitioned_rows": 1.5},
    ],
)  # fmt: skip
def test_settings_out_of_range_are_refused(vectors):
    with pytest.raises(InputError, match=f"Vectors.{next(iter(vectors))}="):
        Vectors(**vectors)


def test_a_library_that_is_not_there_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "faiss", None)

    with pytest.raises(MissingExtra, match="hippocampus-memory\\[faiss\\]"):
        opened(tmp_path / "agent.db", search="faiss")
