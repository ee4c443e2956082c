"""Damage of texts and rows is told by every verb: by those that count, and by those that list."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from hippocampus import Config, Memory, Turn
from hippocampus.core.config import Ingest
from hippocampus.errors import StoreCorrupt

NOW = datetime(2025, 6, 1, 12, tzinfo=UTC)
COUNT = 40
SEALED = Config(ingest=Ingest(seal_rows=16))
"""Two blocks of sixteen texts, and eight that are in none."""
LATE = range(16, COUNT)
DAMAGE = {
    "a block": "UPDATE blocks SET payload = zeroblob(length(payload))"
    " WHERE bank = 1 AND kind = 'content' AND first = 0",
    "a block that is gone": "DELETE FROM blocks WHERE bank = 1 AND kind = 'content' AND first = 0",
    "a text": "UPDATE tail SET payload = x'010000'"
    " WHERE bank = 1 AND kind = 'content' AND row = 35",
    "a text that is gone": "DELETE FROM tail WHERE bank = 1 AND kind = 'content' AND row = 35",
    "a row": "UPDATE episodes SET said_at = said_at + 1 WHERE bank = 1 AND row = 35",
}


def opened(path):
    return Memory(path, embedder="none", config=SEALED)


@pytest.fixture
def path(tmp_path):
    """Make a store of two banks that say the same."""
    made = tmp_path / "agent.db"
    with opened(made) as memory:
        for name in ("ada", "bob"):
            turns = [
                Turn(text=f"We swam in lake {n}.", session="s", at=NOW - timedelta(days=COUNT - n))
                for n in range(COUNT)
            ]
            memory.bank(name).remember_many(turns)
    return made


@pytest.fixture(params=DAMAGE)
def damaged(path, request):
    """Damage the first bank in one of the ways."""
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(DAMAGE[request.param])
    return path


COUNTED = {
    "count": lambda bank: bank.count("swam"),
    "count of a phrase": lambda bank: bank.count("swam in"),
    "trend": lambda bank: bank.trend("swam", "month"),
    "count_events": lambda bank: bank.count_events("How often did we swim?"),
}
LISTED = {
    "episodes": lambda bank: [e.text for e in bank.episodes()],
    "find": lambda bank: [e.text for e in bank.find("swam")],
    "compact_session": lambda bank: [e.text for e in bank.compact_session("s", 4000).kept],
}


@pytest.mark.parametrize("verb", COUNTED)
def test_a_verb_that_counts_refuses_to_where_something_is_damaged(damaged, verb):
    with opened(damaged) as memory:
        with pytest.raises(StoreCorrupt, match=r"(row \d+|rows \d+) .*bank 1|bank 1 from row 0"):
            COUNTED[verb](memory.bank("ada"))
        assert COUNTED[verb](memory.bank("bob"))


@pytest.mark.parametrize("verb", LISTED)
def test_a_verb_that_lists_goes_on_with_what_is_sound_while_it_warns(damaged, verb):
    with opened(damaged) as memory:
        with pytest.warns(RuntimeWarning, match=r"'ada' went on without .*(bank 1|row 35)"):
            found = LISTED[verb](memory.bank("ada"))
        assert len(found) in {COUNT - 1, COUNT - 16}
        assert "We swam in lake 20." in found
        assert COUNT == len(LISTED[verb](memory.bank("bob")))


@pytest.mark.parametrize("what", ["a text", "a text that is gone"])
def test_an_address_at_which_all_is_damaged_is_not_told_as_unknown(path, what):
    with opened(path) as memory:
        address = memory.bank("ada").episodes()[35].address
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(DAMAGE[what])
    with opened(path) as memory, pytest.raises(StoreCorrupt, match="row 35 of bank 1"):
        memory.bank("ada").expand(address)


@pytest.mark.parametrize("what", ["a text", "a text that is gone"])
@pytest.mark.parametrize("verb", ["promote", "demote"])
def test_what_is_damaged_goes_to_no_other_bank(path, what, verb):
    with opened(path) as memory:
        (kept,) = (e for e in memory.bank("ada").episodes() if e.text.endswith(" 35."))
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(DAMAGE[what])
    with opened(path) as memory:
        with pytest.raises(StoreCorrupt, match="row 35 of bank 1"):
            getattr(memory.bank("ada"), verb)(kept.id, to="team")
        assert memory.banks() == ["ada", "bob"]


def test_a_copy_that_is_damaged_there_is_told_of(path):
    with opened(path) as memory:
        (kept,) = (e for e in memory.bank("bob").episodes() if e.text.endswith(" 35."))
        memory.bank("bob").promote(kept.id, to="team")
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE tail SET payload = x'010000' WHERE bank = 3 AND kind = 'content'")
    with opened(path) as memory, pytest.raises(StoreCorrupt, match="row 0 of bank 3"):
        memory.bank("bob").promote(kept.id, to="team")


@pytest.mark.parametrize("verb", ["stats", "sources", "people", "facts", "entities", "summary"])
def test_what_is_made_of_a_bank_warns_of_what_is_damaged_there(path, verb):
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(DAMAGE["a row"])
    with opened(path) as memory:
        with pytest.warns(RuntimeWarning, match="'ada' went on without .*row 35 of bank 1"):
            getattr(memory.bank("ada"), verb)()
        getattr(memory.bank("bob"), verb)()


def test_damage_of_a_bank_that_is_included_is_told_by_its_name(path):
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(DAMAGE["a text"])
    with opened(path) as memory:
        bob = memory.bank("bob")
        with pytest.warns(RuntimeWarning, match="'ada' went on without"):
            assert 2 * COUNT - 1 == len(bob.find("swam", include="ada"))
        with pytest.warns(RuntimeWarning, match="'ada' went on without"):
            bob.facts(include="ada")
        with pytest.raises(StoreCorrupt, match="row 35 of bank 1"):
            bob.count("swam", include="ada")
        assert COUNT == len(bob.find("swam"))


@pytest.mark.parametrize("verb", ["count", "count of a phrase", "trend"])
def test_what_is_damaged_keeps_nobody_from_counting_where_it_is_not(path, verb):
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(DAMAGE["a block"])
    since = NOW - timedelta(days=COUNT - 16)
    with opened(path) as memory:
        bank = memory.bank("ada")
        with pytest.raises(StoreCorrupt):
            COUNTED[verb](bank)
        assert len(LATE) == bank.count("swam", since=since)
        assert len(LATE) == sum(period.count for period in bank.trend("swam", since=since))
