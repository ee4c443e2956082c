"""A store that is begun without an embedder is signed, until there is one."""

import pytest

from hippocampus import Config, Signatures
from hippocampus.encode.random_indexing import load
from hippocampus.engine.context import SIGNED, SIGNING
from hippocampus.errors import InputError
from hippocampus.index.bank_index import read_payloads
from hippocampus.upkeep import doctor, reembed, reindex, verify

FACTS = [
    {"text": f"Fact {n}: Biscuit naps on the {'violin' if n % 3 else 'cello'}.", "session": "s"}
    for n in range(20)
]
PLAIN = Config(signatures=None)


def signed(memory, name="ada"):
    ledger = memory.engine.ledger(name)
    stop = memory.engine.store.episodes.count(ledger.bank)
    parts = read_payloads(memory.engine.store, ledger.bank, "signature", 0, stop)
    return [bool(payload) for part in parts for payload in part]


def signing(memory):
    return memory.engine.store.settings.get(SIGNING)


def counts(bank, query="violin"):
    return "signature" in bank.recall(query).hits[0].shares


@pytest.fixture
def begun(open_memory):
    """Return a store that was begun without an embedder, closed."""
    with open_memory(embedder="none") as memory:
        memory.bank("ada").remember_many(FACTS)


@pytest.mark.parametrize("name", ["memory.db", ":memory:"])
def test_what_is_begun_without_an_embedder_is_found_by_its_signatures(open_memory, name):
    memory = open_memory(name, embedder="none")
    bank = memory.bank("ada")
    bank.remember_many(FACTS)

    assert Signatures() == load(memory.engine.store.settings.get(SIGNED))
    assert all(signed(memory))
    assert counts(bank)
    assert bank.recall("naps", cues=["signature"]).found
    assert verify(memory).sound


def test_what_is_begun_with_an_embedder_is_not(open_memory):
    memory = open_memory()
    memory.bank("ada").remember_many(FACTS)

    assert memory.engine.store.settings.get(SIGNED) is None
    assert not any(signed(memory))
    assert not counts(memory.bank("ada"))


@pytest.mark.usefixtures("begun")
def test_it_goes_on_being_signed_as_long_as_there_is_no_embedder(open_memory):
    memory = open_memory(embedder="none")
    memory.bank("ada").remember("Biscuit is asleep.")
    memory.bank("bob").remember("Biscuit is awake.")

    assert all(signed(memory))
    assert all(signed(memory, "bob"))
    assert counts(memory.bank("bob"), "awake")


def test_a_store_that_earlier_versions_began_stays_unsigned_until_somebody_asks(open_memory):
    with open_memory(embedder="none", config=PLAIN) as memory:
        memory.bank("ada").remember_many(FACTS)
    with open_memory(embedder="none") as memory:
        memory.bank("ada").remember("Biscuit is asleep.")
        memory.bank("bob").remember("Biscuit is awake.")
        reindex(memory)
        assert not any(signed(memory) + signed(memory, "bob"))
        assert memory.engine.store.settings.get(SIGNED) is None
        assert not counts(memory.bank("ada"))
        with pytest.raises(InputError, match="reindex --signatures"):
            memory.bank("ada").recall("Biscuit", cues=["signature"])
    with open_memory(embedder="none", config=Config(signatures=Signatures())) as memory:
        reindex(memory)
    assert counts(open_memory(embedder="none").bank("ada"))


@pytest.mark.usefixtures("begun")
def test_whoever_declines_signatures_is_not_given_them_again(open_memory):
    with open_memory(embedder="none", config=PLAIN) as memory:
        reindex(memory)
        assert not any(signed(memory))
    with open_memory(embedder="none") as memory:
        memory.delete_bank("ada")
        memory.bank("bob").remember("Biscuit is awake.")
        assert not any(signed(memory, "bob"))
        assert memory.engine.signatures() is None


@pytest.mark.usefixtures("begun")
def test_an_embedder_that_comes_later_makes_nothing_worse_until_it_has_seen_most(open_memory):
    before = open_memory(embedder="none").bank("ada").recall("violin")
    memory = open_memory()
    bank = memory.bank("ada")

    after = bank.recall("violin")
    assert [hit.id for hit in before.hits] == [hit.id for hit in after.hits]
    assert counts(bank)
    bank.remember("Biscuit is asleep.")
    assert counts(bank)
    assert signed(memory) == [True] * 20 + [False], "what has a vector is not signed as well"


@pytest.mark.usefixtures("begun")
def test_a_sleep_that_makes_the_vectors_drops_the_signatures(open_memory):
    memory = open_memory()
    bank = memory.bank("ada")
    bank.sleep()

    assert not any(signed(memory))
    assert "signature" not in bank.stats().stored_bytes
    found = bank.recall("violin")
    assert () == found.degraded
    assert "signature" not in found.hits[0].shares
    assert verify(memory).sound
    blind = open_memory(embedder="none").bank("ada")
    assert {"embedder"} == {one.part for one in blind.recall("Biscuit").degraded}


@pytest.mark.usefixtures("begun")
@pytest.mark.parametrize("way", ["reindex", "reembed"])
def test_a_rebuild_with_an_embedder_drops_them_for_the_whole_store(open_memory, path, way):
    if way == "reembed":
        reembed(path, "hash")
    else:
        with open_memory() as memory:
            reindex(memory)
    memory = open_memory()

    assert not any(signed(memory))
    assert memory.engine.store.settings.get(SIGNED) is None
    assert signing(memory) is None
    assert not counts(memory.bank("ada"))
    assert verify(memory).sound


@pytest.mark.usefixtures("begun")
def test_whoever_asks_for_them_keeps_them_beside_an_embedder(open_memory):
    with open_memory(embedder="none", config=Config(signatures=Signatures())) as memory:
        reindex(memory)
        assert signing(memory) is None
    memory = open_memory()
    bank = memory.bank("ada")
    bank.sleep()
    bank.remember("Biscuit is asleep.")

    assert all(signed(memory))
    assert counts(bank)


@pytest.mark.usefixtures("begun")
def test_a_rebuild_without_an_embedder_keeps_them(open_memory):
    memory = open_memory(embedder="none")
    reindex(memory)

    assert all(signed(memory))
    assert signing(memory) is not None


def test_a_store_that_somebody_else_began_meanwhile_is_written_as_they_have_it(open_memory):
    mine, theirs = open_memory(embedder="none"), open_memory()
    assert mine.engine.signatures() is not None
    theirs.bank("ada").remember("Biscuit is asleep.")
    mine.bank("ada").remember("Biscuit is awake.")

    assert not any(signed(mine))
    assert mine.engine.store.settings.get(SIGNED) is None


@pytest.mark.usefixtures("begun")
def test_the_doctor_says_for_how_long_a_store_is_signed(path):
    (row,) = [row for row in doctor(path) if row[0] == "signatures"]
    assert row[1].endswith("until there is an embedder")
