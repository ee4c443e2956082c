"""The beginning of an id stands for it, wherever an id is given, if no other begins so."""

import pytest

from hippocampus.core.key import Key
from hippocampus.errors import AmbiguousId, InputError, UnknownEpisode

KEY = Key.phrase("AAAA-BBBB-CCCC-DDDD-EEEE-FFFF-GGGG-HHHH")


@pytest.fixture
def bank(open_memory):
    bank = open_memory(":memory:", embedder="none").bank("ada")
    bank.remember_many([{"text": f"Fact {n}."} for n in range(400)])
    return bank


def shared(ids, length):
    """Return a beginning of so many characters that several ids have, or None."""
    begun = [one[:length] for one in ids]
    return next((one for one in begun if begun.count(one) > 1), None)


@pytest.mark.slow
def test_every_verb_takes_the_beginning_of_an_id(bank):
    (one, *_) = bank.episodes()
    short = one.id[:8]

    assert bank.get(short) == one
    assert bank.history(short)[0].episode == one.id
    assert bank.uses(short) == []
    assert bank.pin(short) == bank.unpin([short]) == 1
    assert bank.feedback([short], helpful=True) == 1
    assert bank.correct(short, "Fact zero.").supersedes == one.id
    assert bank.forget(short) == 0, "it is no longer in force"
    assert bank.related(bank.episodes()[1].id[:8]) is not None


def test_an_id_that_begins_several_is_refused_with_them(bank, monkeypatch):
    monkeypatch.setattr("hippocampus.journal.reader.SHORTEST_ID", 1)
    ids = sorted(one.id for one in bank.episodes())
    begun = shared(ids, 1)

    with pytest.raises(AmbiguousId, match=f"id='{begun}'") as refused:
        bank.forget(begun, erase=True)

    named = [one for one in ids if one.startswith(begun)][:5]
    assert ", ".join(named) in str(refused.value)
    assert len(bank.episodes()) == 400


@pytest.mark.parametrize("short", ["", "abc"])
def test_what_is_too_short_stands_for_nothing(bank, short):
    (one, *_) = bank.episodes()
    with pytest.raises(UnknownEpisode if short else InputError):
        bank.get(one.id[:3] if short else "")


def test_an_id_that_begins_another_is_itself(open_memory):
    bank = open_memory(":memory:", embedder="none").bank("ada")
    one = bank.remember("Fact.")
    assert bank.get(one.id).id == one.id


def test_an_episode_or_a_hit_stands_for_its_id(bank):
    one, other, *_ = bank.episodes()

    assert bank.get(one) == one
    assert bank.get(bank.recall("Fact 3.").hits[0]).text == "Fact 3."
    assert bank.pin([one, other.id, other]) == 2
    assert bank.forget(one) == 1


def test_an_address_of_one_episode_stands_for_its_version_in_force(bank):
    one = bank.remember("The roof was mended.", source="notes", address="notes.md#line-1")
    new = bank.correct("notes.md#line-1", "The roof was replaced.")

    assert one.id == new.supersedes
    assert new == bank.get("notes.md#line-1")
    assert 1 == bank.forget(["notes.md#line-1"]) == bank.restore("notes.md#line-1")
    bank.forget("notes.md#line-1", erase=True)
    with pytest.raises(UnknownEpisode):
        bank.get("notes.md#line-1")


def test_an_address_of_several_is_refused_with_their_ids(bank):
    said = [bank.remember(text, address="notes.md") for text in ("Tea.", "Cake.")]

    with pytest.raises(AmbiguousId, match=r"have this address: .*; give the id of one") as refused:
        bank.forget("notes.md")

    assert all(one.id in str(refused.value) for one in said)


def test_ids_that_are_sealed_are_found_by_their_beginning(open_memory):
    sealed = open_memory("sealed.db", key=KEY).bank("ada")
    one, _ = sealed.remember("A fact."), sealed.remember("Another.")
    assert sealed.get(one.id[:8]) == one
