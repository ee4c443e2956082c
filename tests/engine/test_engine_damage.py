"""Damage in a store's file: found, told with its place, and around it everything goes on."""

import sqlite3
import struct
import sys
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from time import process_time

import numpy as np
import pytest

from hippocampus import Memory, Turn
from hippocampus.core.config import Config, Ingest, Secrets
from hippocampus.core.events import JournalRow
from hippocampus.core.idempotency import Request, doing
from hippocampus.core.key import Key
from hippocampus.encryption import encrypt
from hippocampus.errors import (
    ErasurePending,
    HippocampusError,
    InputError,
    NotAStore,
    StoreCorrupt,
    Unauthorized,
)
from hippocampus.moving import move
from hippocampus.salvage import salvage
from hippocampus.server.keys import Keys
from hippocampus.store.banks import STAGED
from hippocampus.testing import HashEmbedder, ManualClock
from hippocampus.upkeep import doctor, misdated, scan, verify

NOW = datetime(2025, 6, 1, 12, tzinfo=UTC)
TALK = [
    "I live in Graz with my brother Paul.",
    "My dentist Doctor Weber is in the Annenstrasse.",
    "We painted the old sailing boat blue.",
    "I am allergic to peanuts.",
    "The key of the greenhouse is under the flower pot.",
    "Our ferry to Rovinj leaves at nine.",
]


KEY = Key.phrase("AAAA-BBBB-CCCC-DDDD-EEEE-FFFF-GGGG-HHHH")
OPENING = {"key": None}
"""How the stores of the test that runs are opened."""


@pytest.fixture(params=[None, KEY], ids=["plain", "encrypted"], autouse=True)
def key(request, monkeypatch):
    """Have every test here run on stores in plain words and on encrypted ones."""
    monkeypatch.setitem(OPENING, "key", request.param)
    return request.param


@pytest.fixture
def path(tmp_path):
    return tmp_path / "agent.db"


def opened(path):
    return Memory(path, embedder=HashEmbedder(32), clock=ManualClock(NOW), **OPENING)


def make_two_banks(path, _key):
    with opened(path) as memory:
        ada, bob = memory.bank("ada"), memory.bank("bob")
        kept = ada.remember_many(
            [
                Turn(text=text, speaker="Ada", session="s", at=NOW - timedelta(days=9 - n))
                for n, text in enumerate(TALK)
            ]
        )
        ada.pin(kept[0].id)
        ada.hold(kept[1].id, reason="for the court")
        bob.remember("The violin is in the attic.", at=NOW)
    return [episode.id for episode in kept]


@pytest.fixture
def ids(copied, path, key):
    """Begin with a store of two banks, and return the ids of the first."""
    return [*copied(path, make_two_banks, key)]


def change(path, sql, *values):
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(sql, values)


DAMAGE = {
    "an episode's address": "UPDATE episodes SET address = 'x' WHERE bank = 1 AND row = 2",
    "an episode's time": "UPDATE episodes SET said_at = said_at + 1 WHERE bank = 1 AND row = 2",
    "an episode's state": "UPDATE episodes SET state = 'forgotten' WHERE bank = 1 AND row = 2",
    "metadata that are none": "UPDATE episodes SET metadata = '{' WHERE bank = 1 AND row = 2",
    "bytes that are no text": "UPDATE episodes SET speaker = CAST(x'ff' AS TEXT)"
    " WHERE bank = 1 AND row = 2",
    "a number beyond time": "UPDATE episodes SET said_at = 1 << 62 WHERE bank = 1 AND row = 2",
    "a text": "UPDATE tail SET payload = x'010000' WHERE bank = 1 AND kind = 'content' AND row = 2",
    "a text of another row": "UPDATE tail SET payload = (SELECT payload FROM tail WHERE bank = 1"
    " AND kind = 'content' AND row = 3) WHERE bank = 1 AND kind = 'content' AND row = 2",
}


@pytest.mark.parametrize("what", DAMAGE)
def test_a_damaged_episode_is_told_by_name_without_harm_to_any_other(path, ids, what):
    change(path, DAMAGE[what])

    with opened(path) as memory:
        bank = memory.bank("ada")
        with pytest.raises(StoreCorrupt, match="row 2 of bank 1"):
            bank.get(ids[2])
        with pytest.warns(RuntimeWarning, match="row 2 of bank 1"):
            listed = [episode.text for episode in bank.episodes()]
        assert [text for text in TALK if "boat" not in text] == listed
        answer = bank.recall("Where is the key of the greenhouse?", 10)
        assert "greenhouse" in answer.hits[0].text
        assert ids[2] not in {hit.id for hit in answer}
        assert any("row 2 of bank 1" in one.reason for one in answer.degraded)
        with pytest.warns(RuntimeWarning, match="row 2 of bank 1"):
            assert [ids[3]] == [episode.id for episode in bank.find("peanuts")]
        bank.remember("The greenhouse has room for twelve tomatoes.", at=NOW)
        assert [] == list(memory.bank("bob").recall("violin").degraded)
        found = verify(memory)
    assert any("row 2 of bank 1" in problem for problem in found.problems)
    assert not any("bob" in problem for problem in found.problems)


@pytest.mark.parametrize("what", DAMAGE)
def test_what_is_damaged_is_not_promoted_and_that_is_said(path, ids, what):
    change(path, DAMAGE[what])
    with opened(path) as memory:
        with pytest.raises(StoreCorrupt, match="row 2 of bank 1"):
            memory.bank("ada").promote(ids[2], to="eve")
        assert "eve" not in memory.banks()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_known_is_told_though_an_episode_is_gone_since_it_was_indexed(path, ids):
    with opened(path) as memory:
        bank = memory.bank("ada")
        assert ids[-1] in {hit.id for hit in bank.recall("When does our ferry leave?", 9)}
        change(path, "DELETE FROM episodes WHERE bank = 1 AND row = 5")
        assert any("Graz" in fact.object for fact in bank.facts())
        assert "Ada" in {person.name for person in bank.people()}


@pytest.mark.parametrize("what", ["an episode's state", "a text"])
def test_a_correction_that_comes_again_tells_that_its_episode_is_damaged(path, ids, what):
    correction = Request(bytes(16), bytes(16))
    with opened(path) as memory, doing(correction):
        memory.bank("ada").correct(ids[3], "I am allergic to walnuts.")
    last = len(TALK)
    change(path, DAMAGE[what].replace("row = 2", f"row = {last}"))

    damaged = pytest.raises(StoreCorrupt, match=f"row {last} of bank 1")
    with opened(path) as memory, doing(correction), damaged:
        memory.bank("ada").correct(ids[3], "I am allergic to walnuts.")


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE journal SET at = at + 1 WHERE bank = 1 AND seq = 3",
        "UPDATE journal SET kind = 'erase' WHERE bank = 1 AND seq = 3",
        "UPDATE journal SET detail = '{\"why\":\"x\"}' WHERE bank = 1 AND kind = 'hold'",
        "UPDATE journal SET detail = CAST(x'7bff' AS TEXT) WHERE bank = 1 AND seq = 3",
        "UPDATE journal SET head = x'00' WHERE bank = 1 AND seq = 2",
        "UPDATE banks SET at = at + 1 WHERE bank = 2",
        "UPDATE tail SET payload = zeroblob(length(payload)) WHERE kind = 'lexical' AND row = 1",
        "UPDATE tail SET payload = zeroblob(length(payload)) WHERE kind = 'vector' AND row = 1",
    ],
)
def test_no_row_of_any_table_can_be_changed_unnoticed(path, ids, sql):
    assert ids
    with Memory(path, embedder="none", **OPENING) as memory:
        assert verify(memory).sound
    change(path, sql)

    with Memory(path, embedder="none", **OPENING) as memory:
        assert not verify(memory).sound


def test_a_store_whose_embedder_is_damaged_is_not_opened(path, ids):
    assert ids
    change(path, "UPDATE settings SET value = 'x' WHERE key = 'embedder'")
    with pytest.raises(StoreCorrupt, match=r"setting 'embedder' is damaged.*--salvage"):
        Memory(path, embedder="none", **OPENING)


def test_a_vector_whose_scale_is_no_number_is_left_out(path, ids):
    assert ids
    with opened(path) as memory:
        store = memory.engine.store
        with store.write():
            (made,) = store.payloads.read(1, "vector", [2]).values()
            wrong = made[:-4] + struct.pack("<f", float("nan"))
            store.payloads.put(1, "vector", [(2, wrong)])

    with opened(path) as memory:
        answer = memory.bank("ada").recall("the sailing boat", 10)
        assert "boat" in answer.hits[0].text, "by its words"
        assert all(hit.score == hit.score for hit in answer)
        assert "vectors" in {one.part for one in answer.degraded}


# ---------------------------------------------------------------- the history as a chain


def test_a_head_written_down_earlier_holds_after_later_changes_and_erasures(path, ids):
    with opened(path) as memory:
        (head, _) = verify(memory).heads
        bank = memory.bank("ada")
        bank.forget(ids[3])
        bank.release(ids[1])
        bank.forget(ids[1], erase=True)
        found = verify(memory, chain=[head])

        assert head.startswith("ada@8:")
        assert found.sound, found.problems
        assert head not in found.heads


def test_a_history_that_was_rewritten_with_all_its_checksums_has_another_head(path, ids):
    with opened(path) as memory:
        (head, _) = verify(memory).heads
        store, bank = memory.engine.store, memory.engine.ledger("ada").bank
        rows = store.journal.read(bank)
        with store.write():
            store.transactions.do("DELETE FROM journal WHERE bank = ?", bank)
            store.journal.append(
                bank, [row._replace(at=row.at - 1) if row.seq == 8 else row for row in rows]
            )

        assert verify(memory).sound
        (problem,) = verify(memory, chain=[head]).problems
        assert "the history up to change 8" in problem
        assert ids


@pytest.mark.parametrize("head", ["", "ada", "ada@x:00", "@1:00", "ada@1:zz"])
def test_what_is_no_head_is_refused(path, ids, head):
    assert ids
    with opened(path) as memory, pytest.raises(InputError, match="not a head"):
        verify(memory, chain=[head])


def test_a_head_of_changes_that_are_not_there_is_told(path, ids):
    assert ids
    with opened(path) as memory:
        assert any("no change 99" in p for p in verify(memory, chain=["ada@99:00"]).problems)
        assert any("no change 1" in p for p in verify(memory, chain=["eve@1:00"]).problems)


# ---------------------------------------------------------------- salvage


def rescued(path, tmp_path):
    with opened(tmp_path / "new.db") as memory:
        return salvage(path, memory, **OPENING), memory.bank("ada").episodes(), verify(memory)


def test_a_sound_store_is_salvaged_whole(path, ids, tmp_path):
    with opened(path) as memory:
        before, history = memory.bank("ada").episodes(), memory.bank("ada").history(ids[1])
    found, episodes, checked = rescued(path, tmp_path)

    assert {"ada": 6, "bob": 1} == found.banks
    assert () == found.lost
    assert before == episodes
    assert checked.sound, checked.problems
    with opened(tmp_path / "new.db") as memory:
        assert history == memory.bank("ada").history(ids[1])


def leaves(raw, size, number):
    """Return the numbers of the pages under one of a table without rowids."""
    page = raw[(number - 1) * size : number * size]
    if page[0] != 2:
        return [number]
    (cells,) = struct.unpack(">H", page[3:5])
    places = struct.unpack(f">{cells}H", page[12 : 12 + 2 * cells])
    below = [struct.unpack(">I", page[at : at + 4])[0] for at in places]
    return [*below, struct.unpack(">I", page[8:12])[0]]


@pytest.mark.parametrize("which", [1, -1], ids=["a page between", "the last page"])
def test_salvage_finds_every_bank_though_a_page_of_each_table_is_damaged(path, tmp_path, which):
    with opened(path) as memory:
        for name in ("ada", "bob", "eve"):
            turns = [Turn(text=f"Remark {n} of {name} is of rain.", at=NOW) for n in range(90)]
            memory.bank(name).remember_many(turns)
    kept = ("episodes", "episodes_by_digest", "episodes_by_id", "journal")
    tables = [page_of(path, name) for name in kept]
    raw = bytearray(path.read_bytes())
    number, size = page_of(path, "banks")
    for page in (number, *(leaves(raw, size, first)[which] for first, _ in tables)):
        raw[(page - 1) * size : page * size] = b"\x55" * size
    path.write_bytes(raw)

    with opened(tmp_path / "new.db") as memory:
        found = salvage(path, memory, **OPENING)
        assert {"salvaged-1", "salvaged-2", "salvaged-3"} == {*found.banks}
        assert sum(found.banks.values()) > 200
        assert verify(memory).sound


@pytest.mark.usefixtures("ids")
def test_salvage_says_that_the_key_of_a_bank_is_missing(path, tmp_path, key):
    change(path, "DELETE FROM settings WHERE key = 'key 1'")  # which a plain store does not have
    found, episodes, _ = rescued(path, tmp_path)

    missing = "the key of bank 1, and with it every word there" in found.lost
    assert (missing, not any(one.text for one in episodes)) == (key is not None,) * 2


def make_sealed(path, vault):
    """Make a store that has a secret in its vault and a key of servers; return the key's token."""
    secrets = Config(secrets=Secrets(write="vault"))
    with Memory(path, embedder="none", config=secrets, vault=vault, **OPENING) as memory:
        memory.bank("ada").remember("My card is 4111 1111 1111 1111, keep it.", at=NOW)
        return Keys(memory).create("ada's phone", "read", ["ada"]).token


@pytest.mark.parametrize("opens", [True, False], ids=["with the vault", "without"])
def test_salvage_brings_what_opens_the_vault_and_the_keys_of_servers(path, tmp_path, opens):
    vault = Key.command([sys.executable, "-c", "print('of the vault ' * 4)"])
    token = make_sealed(path, vault)
    given = {"vault": vault} if opens else {}
    with Memory(tmp_path / "new.db", embedder="none", **given, **OPENING) as memory:
        assert () == salvage(path, memory, **OPENING).lost
        assert verify(memory).sound
    with Memory(tmp_path / "new.db", embedder="none", vault=vault, **OPENING) as memory:
        bank, keys = memory.bank("ada"), Keys(memory)
        (kept,) = bank.episodes()
        assert "4111 1111 1111 1111" in bank.reveal(kept.id).text
        assert keys.refresh()
        assert keys.caller(token).banks == ("ada",)


@pytest.mark.parametrize("name", ["salt", "vault", "api-keys"])
def test_salvage_tells_of_keys_that_are_damaged_and_lets_nobody_in(path, tmp_path, name):
    token = make_sealed(path, Key.command([sys.executable, "-c", "print('of the vault ' * 4)"]))
    change(path, "UPDATE settings SET checksum = x'00' WHERE key = ?", name)
    with Memory(tmp_path / "new.db", embedder="none", **OPENING) as memory:
        (told,) = salvage(path, memory, **OPENING).lost
        keys = Keys(memory)
        assert keys.refresh()
        if name != "vault":
            with pytest.raises(Unauthorized):
                keys.caller(token)
    assert f"the setting {name!r}" in told


def page_of(path, name):
    """Return the number of the first page of a table or index, from 1, and the size of a page."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        sql = "SELECT rootpage FROM sqlite_schema WHERE name = ?"
        return db.execute(sql, (name,)).fetchone()[0], db.execute("PRAGMA page_size").fetchone()[0]


def test_salvage_takes_nothing_that_is_sealed_for_words(path, ids, tmp_path, key):
    assert ids
    number, size = page_of(path, "settings")
    with path.open("r+b") as file:
        file.seek((number - 1) * size)
        file.write(b"\x55" * size)
    if key is None:
        assert rescued(path, tmp_path)[0].banks == {"ada": 6, "bob": 1}
    else:
        with pytest.raises(StoreCorrupt, match="its header is damaged"):
            rescued(path, tmp_path)


@pytest.mark.parametrize("what", DAMAGE)
def test_salvage_brings_all_that_is_sound_with_a_list_of_what_is_lost(path, ids, tmp_path, what):
    change(path, DAMAGE[what])
    found, episodes, checked = rescued(path, tmp_path)

    assert any("row 2" in line or ids[2] in line for line in found.lost)
    told = [episode.text for episode in episodes]
    assert [t for t in TALK if "boat" not in t] == [t for t in told if "boat" not in t]
    assert ("text" not in what or "bytes" in what) == any("boat" in text for text in told)
    assert checked.sound, checked.problems


def test_a_bank_is_deleted_as_far_as_damage_lets_it(path, ids):
    with opened(path) as memory:
        memory.bank("ada").release(ids[1])
    number, size = page_of(path, "sqlite_autoindex_tail_1")
    before = path.read_bytes()[(number - 1) * size : number * size]
    change(path, "DELETE FROM tail WHERE bank = 1 AND kind = 'content' AND row > 2")
    with path.open("r+b") as file:  # of rows that are there no more
        file.seek((number - 1) * size)
        file.write(before)
    with opened(path) as memory:
        with pytest.raises(ErasurePending, match="table 'tail' where bank 1 was is damaged"):
            memory.delete_bank("ada")
        assert ["bob"] == memory.banks()
        assert ["The violin is in the attic."] == [
            one.text for one in memory.bank("bob").episodes()
        ]
    with closing(sqlite3.connect(path)) as db:
        sql = "SELECT COUNT(payload) FROM tail WHERE +bank = 1"
        assert [(0,)] == db.execute(sql).fetchall()


@pytest.mark.parametrize("content", ["none", "junk"])
def test_salvage_brings_texts_that_an_index_has_lost(path, tmp_path, content):
    small = Config(ingest=Ingest(seal_rows=4))
    with Memory(path, embedder="none", config=small, **OPENING) as memory:
        memory.bank("ada").remember_many([Turn(text=text, at=NOW) for text in TALK])
    empty, size = page_of(path, "requests_by_time")
    raw = bytearray(path.read_bytes())
    other = raw[(empty - 1) * size : empty * size] if content == "none" else b"\x55" * size
    for table in ("tail", "blocks"):
        number, _ = page_of(path, f"sqlite_autoindex_{table}_1")
        raw[(number - 1) * size : number * size] = other
    path.write_bytes(raw)
    _, episodes, checked = rescued(path, tmp_path)

    assert {*TALK} == {episode.text for episode in episodes}
    assert checked.sound, checked.problems


@pytest.mark.usefixtures("ids")
def test_a_bank_without_a_name_is_not_salvaged_into_another_one(path, tmp_path):
    with opened(path) as memory:
        memory.bank("salvaged-1").remember("This was salvaged once.", at=NOW)
    change(path, "DELETE FROM banks WHERE bank = 1")
    with opened(tmp_path / "new.db") as memory:
        found = salvage(path, memory, **OPENING)
        assert {"salvaged-1-again": 6, "salvaged-1": 1, "bob": 1} == found.banks
        (kept,) = memory.bank("salvaged-1").episodes()
    assert "This was salvaged once." == kept.text


@pytest.mark.usefixtures("ids")
def test_no_two_sleeps_of_a_salvaged_bank_have_one_number(path, tmp_path):
    with opened(path) as memory:
        bank = memory.bank("ada")
        assert [1, 2] == [bank.sleep(steps=["deduplicate"]).number for _ in range(2)]
    change(
        path, "UPDATE journal SET at = at + 1 WHERE seq = (SELECT MIN(seq) FROM journal"
        " WHERE bank = 1 AND kind = 'asleep') AND bank = 1",
    )  # fmt: skip
    rescued(path, tmp_path)
    with opened(tmp_path / "new.db") as memory:
        bank = memory.bank("ada")
        assert 3 == bank.sleep(steps=["deduplicate"]).number
        assert [2, 3] == [one.number for one in bank.sleeps()]
        assert {} == bank.undo(2)


def test_salvage_leaves_out_a_copy_of_a_bank_that_was_cut_off(path, ids, tmp_path):
    with opened(path) as memory, memory.engine.store.write():
        memory.engine.store.banks.add(f"{STAGED}eve", 0)
    found, episodes, checked = rescued(path, tmp_path)

    assert {"ada": len(ids), "bob": 1} == found.banks
    assert len(ids) == len(episodes)
    assert "a copy of bank 'eve' that was cut off: 'hippocampus move' again" in found.lost
    assert checked.sound, checked.problems


@pytest.mark.parametrize("number", [6_000, 1 << 30, 1 << 62])
def test_salvage_makes_nothing_up_for_a_row_whose_number_is_damaged(path, ids, tmp_path, number):
    change(path, "UPDATE episodes SET row = ? WHERE bank = 1 AND row = 5", number)
    change(path, "UPDATE journal SET seq = ? WHERE bank = 1 AND seq = 7", number)
    found, episodes, checked = rescued(path, tmp_path)

    assert len(ids) == len(episodes) == found.banks["ada"]
    assert 3 <= len(found.lost) < 6
    assert checked.sound, checked.problems


@pytest.mark.slow
def test_salvage_goes_around_pages_that_cannot_be_read(path, tmp_path):
    with opened(path) as memory:
        memory.bank("ada").remember_many(
            [
                Turn(text=f"Remark {n} is about the weather in place {n}.", at=NOW)
                for n in range(400)
            ]
        )
    with closing(sqlite3.connect(path)) as db:
        (size,) = db.execute("PRAGMA page_size").fetchone()
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = path.read_bytes()
    rng, lost = np.random.default_rng(3), ()
    for attempt in range(10):  # pages may be free, or hold what is made anew
        damaged = bytearray(whole)
        for page in rng.choice(np.arange(20, len(whole) // size), 3, replace=False).tolist():
            damaged[page * size : (page + 1) * size] = bytes(size)
        path.write_bytes(damaged)
        folder = tmp_path / str(attempt)
        folder.mkdir()

        found, episodes, checked = rescued(path, folder)
        lost += found.lost
        assert len(episodes) >= 200
        assert all(episode.text.startswith("Remark") for episode in episodes)
        assert checked.sound, checked.problems
        if lost:
            break
    assert lost


@pytest.fixture
def whole(path):
    """Make a store of forty remarks, and return the bytes of its file."""
    with opened(path) as memory:
        turns = [
            Turn(text=f"Remark {n} is of the weather in place {n}.", at=NOW) for n in range(40)
        ]
        memory.bank("ada").remember_many(turns)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path.read_bytes()


@pytest.mark.parametrize("percent", [95, 90, 80])
def test_salvage_brings_what_is_sound_of_a_file_that_was_cut_off(path, tmp_path, whole, percent):
    path.write_bytes(whole[: len(whole) * percent // 100])
    found, episodes, checked = rescued(path, tmp_path)

    assert found.banks["ada"] == len(episodes)
    texts = [line for line in found.lost if "the text of episode" in line]
    assert len(episodes) + len(texts) == 40
    assert percent < 95 or len(episodes) == 40
    assert checked.sound, checked.problems


@pytest.mark.slow
def test_salvage_lists_tables_of_which_no_page_can_be_read(path, tmp_path, whole):
    path.write_bytes(whole[: len(whole) * 3 // 5])
    found, episodes, _ = rescued(path, tmp_path)

    assert [] == episodes
    for table in ("episodes", "journal", "tail"):
        assert any(f"the table '{table}' of bank 1" in line for line in found.lost)


@pytest.mark.slow
def test_salvage_takes_no_time_for_what_is_beyond_the_end_of_a_file(path, tmp_path):
    with opened(path) as memory:
        for name in ("ada", "bob", "eve", "ida"):
            turns = [Turn(text=f"Remark {n} of {name} is of rain.", at=NOW) for n in range(60)]
            memory.bank(name).remember_many(turns)
    _, size = page_of(path, "journal")
    path.write_bytes(path.read_bytes()[: size * 24])
    began = process_time()
    with opened(tmp_path / "new.db") as memory:
        found = salvage(path, memory, **OPENING)

    assert process_time() - began < 12  # of each bank it was twenty
    assert any("on damaged pages of the table 'journal' of bank" in line for line in found.lost)


@pytest.mark.parametrize("table", ["requests", "blocks", "episodes"])
@pytest.mark.parametrize("bits", [{2: 0x80, 3: 0x80}, {0: 1}, {7: 1}, {22: 1}])
def test_salvage_reads_around_a_table_whose_definition_is_damaged(
    path, tmp_path, whole, table, bits
):
    damaged = bytearray(whole)
    for place, bit in bits.items():
        damaged[whole.index(f"CREATE TABLE {table}".encode()) + place] ^= bit
    path.write_bytes(damaged)
    found, episodes, checked = rescued(path, tmp_path)

    assert any(line.startswith(f"schema: table '{table}' has") for line in found.lost)
    assert 40 == len([one for one in episodes if one.text.startswith("Remark")])
    assert checked.sound, checked.problems


@pytest.mark.parametrize("place", [1, 16, 17, 20, 23, 31, 44, 47, 59, 60, 63, 68, 71])
def test_salvage_brings_everything_where_only_the_header_is_damaged(path, tmp_path, whole, place):
    damaged = bytearray(whole)
    damaged[place] ^= 9 if place == 63 else 1  # from format 9 to 0, and from our mark to another
    path.write_bytes(damaged)
    found, episodes, checked = rescued(path, tmp_path)

    assert 40 == found.banks["ada"] == len(episodes)
    assert checked.sound, checked.problems


def test_a_header_that_states_another_format_is_told_as_damage(path, whole):
    damaged = bytearray(whole)
    damaged[63] = 8
    path.write_bytes(damaged)

    with pytest.raises(StoreCorrupt, match=r"of format 8, .* of format 9: the header is damaged"):
        opened(path)


@pytest.mark.parametrize("content", [b"", b"notes " * 5000, b"SQLite format 3\0" + bytes(9000)])
def test_what_never_was_a_store_is_not_salvaged(tmp_path, content):
    file = tmp_path / "notes.txt"
    file.write_bytes(content)

    with pytest.raises(NotAStore), opened(tmp_path / "new.db") as memory:
        salvage(file, memory, **OPENING)
    assert content == file.read_bytes()


def test_salvage_writes_to_a_new_store_only(path, ids, tmp_path):
    assert ids
    with opened(path) as memory, pytest.raises(InputError, match="has banks"):
        salvage(tmp_path / "other.db", memory, **OPENING)


def test_an_export_that_would_lack_something_is_not_made(path, ids, tmp_path):
    assert ids
    change(path, DAMAGE["a text"])
    with opened(path) as memory, pytest.raises(StoreCorrupt, match="no export was made"):
        memory.bank("ada").export(tmp_path / "ada.jsonl")
    assert not (tmp_path / "ada.jsonl").exists()


def test_a_page_of_banks_is_as_long_as_asked_though_one_is_damaged(path):
    names = ["ada", "bob", "eve", "ida", "tom", "zoe"]
    with opened(path) as memory:
        for name in names:
            memory.bank(name).remember("It rains in Graz.", at=NOW)
    change(path, "UPDATE banks SET at = at + 1 WHERE bank IN (2, 3)")
    with opened(path) as memory:
        assert ["ada", "ida", "tom"] == memory.banks(limit=3)
        assert ["ida"] == memory.banks(after="ada", limit=1)
        assert ["zoe"] == memory.banks(after="tom", limit=3)
        assert ["ada", "ida", "tom", "zoe"] == memory.banks(limit=9) == memory.banks()
        assert [] == memory.banks(limit=0)


LACKING = {
    "a text": "DELETE FROM tail WHERE bank = 1 AND kind = 'content' AND row = 2",
    "the last text": "DELETE FROM tail WHERE bank = 1 AND kind = 'content' AND row = 5",
    "a change": "DELETE FROM journal WHERE bank = 1 AND seq = 3",
    "a journal": "DELETE FROM journal WHERE bank = 1",
    "the last episode": "DELETE FROM episodes WHERE bank = 1 AND row = 5",
    "the row of a bank": "DELETE FROM banks WHERE bank = 1",
}
"""What a page of an index that is damaged hides from whoever reads by it: no checksum tells."""


@pytest.mark.usefixtures("ids")
@pytest.mark.parametrize("what", LACKING)
def test_no_copy_is_made_that_would_lack_what_is_missing(path, tmp_path, what):
    change(path, LACKING[what])
    key, target = OPENING["key"], tmp_path / "safe.db"
    with pytest.raises(StoreCorrupt, match="--salvage"):
        encrypt(path, target, key=KEY, old=key)
    assert not target.exists()

    moved = move(path, target, key=key, target_key=key)
    assert not moved.whole
    assert {"bob": "copied"} == {o.bank: o.outcome for o in moved.banks if o.outcome != "refused"}
    assert any("bank 1" in one.problem for one in moved.banks)
    if "bank" not in what:
        with opened(path) as memory, pytest.raises(StoreCorrupt):
            memory.bank("ada").export(tmp_path / "ada.jsonl")


@pytest.mark.usefixtures("ids")
def test_no_copy_is_made_without_the_banks_that_an_index_has_lost(path, tmp_path):
    number, size = page_of(path, "sqlite_autoindex_banks_1")
    empty, _ = page_of(path, "requests_by_time")
    raw = bytearray(path.read_bytes())
    raw[(number - 1) * size : number * size] = raw[(empty - 1) * size : empty * size]
    path.write_bytes(raw)
    with pytest.raises(StoreCorrupt, match="is damaged: "):
        encrypt(path, tmp_path / "safe.db", key=KEY, old=OPENING["key"])
    assert not move(path, tmp_path / "new.db", key=OPENING["key"]).whole


@pytest.mark.usefixtures("ids")
def test_no_copy_is_made_without_the_last_change_that_a_page_has_lost(path, tmp_path):
    number, size = page_of(path, "journal")
    raw = bytearray(path.read_bytes())
    (page,) = leaves(raw, size, number)[-1:]
    at = (page - 1) * size + 3  # how many cells a page has
    struct.pack_into(">H", raw, at, struct.unpack_from(">H", raw, at)[0] - 1)
    path.write_bytes(raw)
    with pytest.raises(StoreCorrupt, match="SQLite"):
        encrypt(path, tmp_path / "safe.db", key=KEY, old=OPENING["key"])
    assert not move(path, tmp_path / "new.db", key=OPENING["key"]).whole


def test_a_setting_that_is_none_keeps_its_store_from_being_copied(path, ids, tmp_path):
    assert ids
    put_anything(path, "settings", "key", "x'07'", "key = 'salt'")
    with pytest.raises(StoreCorrupt, match="is damaged: setting"):
        encrypt(path, tmp_path / "safe.db", key=KEY, old=OPENING["key"])
    with pytest.raises(StoreCorrupt, match="a setting is damaged"):
        move(path, tmp_path / "new.db", key=OPENING["key"])


# ---------------------------------------------------------------- flips anywhere


def told(path):
    """What a store answers: of every bank, everything that a reader may see."""
    with Memory(path, embedder="none", create=False, **OPENING) as memory:
        banks = {}
        for name in memory.banks():
            bank = memory.bank(name)
            episodes = bank.episodes()
            hits = [(hit.id, hit.score) for hit in bank.recall("key greenhouse boat", 10)]
            banks[name] = episodes, [bank.history(e.id) for e in episodes], hits
        return banks


def flips(path, times, seed):
    """Flip a bit of the file at random, again and again; yield what came of each."""
    whole = path.read_bytes()
    rng = np.random.default_rng(seed)
    before = told(path)
    for _ in range(times):
        place, bit = int(rng.integers(100, len(whole))), 1 << int(rng.integers(8))
        broken = bytearray(whole)
        broken[place] ^= bit
        path.write_bytes(broken)
        for beside in ("-wal", "-shm"):
            path.with_name(path.name + beside).unlink(missing_ok=True)
        try:
            same = told(path) == before
        except HippocampusError:
            same = False
        try:
            with Memory(path, embedder="none", create=False, **OPENING) as memory:
                sound = verify(memory).sound
        except HippocampusError:
            sound = False
        yield place, same, sound


def small(path):
    with Memory(path, embedder="none", clock=ManualClock(NOW), **OPENING) as memory:
        for name in ("ada", "bob"):
            bank = memory.bank(name)
            kept = bank.remember_many(
                [Turn(text=f"{text} ({name})", speaker="Ada", at=NOW) for text in TALK]
            )
            bank.hold(kept[1].id, reason="for the court")
            bank.forget(kept[2].id)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = DELETE")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:bank .* went on without:RuntimeWarning")
def test_no_flipped_bit_raises_what_is_not_ours_or_changes_an_answer_unnoticed(path):
    small(path)
    silent = [place for place, same, sound in flips(path, 50, seed=1) if sound and not same]
    assert [] == silent


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:bank .* went on without:RuntimeWarning")
def test_no_flipped_bit_of_thousands_changes_an_answer_unnoticed(path):
    small(path)
    silent = [place for place, same, sound in flips(path, 3000, seed=4) if sound and not same]
    assert [] == silent


# ---------------------------------------------------------------- checksums that somebody made fit


def put_anything(path, table, column, value, where):
    """Put a value where SQLite would not let anybody put it, as a flipped bit of a page does."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        ((made,),) = db.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (table,))
        db.execute("PRAGMA writable_schema = ON")
        change = "UPDATE sqlite_schema SET sql = ? WHERE name = ?"
        db.execute(change, (made.replace(" NOT NULL", ""), table))
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA ignore_check_constraints = ON")
        db.execute(f"UPDATE {table} SET {column} = {value} WHERE {where}")  # noqa: S608
        db.execute("PRAGMA writable_schema = ON")
        db.execute(change, (made, table))


@pytest.mark.parametrize("column", ["checksum", "head", "salt", "detail", "kind", "at"])
@pytest.mark.parametrize("value", ["'text'", "7", "2.5", "NULL", "x'00'"])
def test_a_column_of_the_journal_that_is_of_another_type_is_told(path, ids, column, value):
    put_anything(path, "journal", column, value, "bank = 1 AND seq = 3")
    with opened(path) as memory:
        found = verify(memory)
        memory.bank("ada").remember("Life goes on.")
        assert memory.bank("ada").get(ids[0]).text == TALK[0]
    assert not found.sound


def test_the_size_of_a_bank_is_told_whatever_stands_in_the_place_of_payloads(path, ids):
    assert ids
    put_anything(path, "tail", "payload", "NULL", "bank = 1 AND kind = 'lexical'")
    put_anything(path, "tail", "kind", "x'00'", "bank = 1 AND kind = 'vector' AND row = 3")
    with opened(path) as memory:
        told = memory.bank("ada").stats().stored_bytes
    assert 0 == told["lexical"]
    assert {str} == {*map(type, told)}


KEYS = {
    "episodes.row": "bank = 1 AND row = 3",
    "journal.seq": "bank = 1 AND seq = 3",
    "tail.row": "bank = 1 AND kind = 'vector' AND row = 3",
    "tail.kind": "bank = 1 AND kind = 'vector' AND row = 3",
}


@pytest.mark.parametrize("value", ["'text'", "2.5", "x'00'", "-1"])
@pytest.mark.parametrize("place", KEYS)
def test_a_key_of_a_row_that_is_no_key_is_told(path, ids, place, value):
    assert ids
    put_anything(path, *place.split("."), value, KEYS[place])
    with opened(path) as memory:
        assert not verify(memory).sound
        with suppress(StoreCorrupt):  # which is telling it, too
            memory.bank("ada").recall("greenhouse key")
        assert memory.bank("bob").recall("violin").hits


def test_a_damaged_change_is_none_of_those_that_are_read(path, ids):
    with opened(path) as memory:
        memory.bank("ada").sleep()
    change(path, "UPDATE journal SET at = at + 1 WHERE bank = 1 AND kind IN ('asleep', 'feedback')")

    with opened(path) as memory:
        assert [] == memory.bank("ada").sleeps()
        assert memory.bank("ada").get(ids[0]).text == TALK[0]


MADE_BY_SLEEP = ("concept", "gist", "graph", "summary", "topic")


@pytest.mark.parametrize("damaged", [MADE_BY_SLEEP[1:2], MADE_BY_SLEEP[:2], MADE_BY_SLEEP])
def test_each_thing_that_sleep_left_is_damaged_by_itself(path, ids, damaged):
    assert ids
    with opened(path) as memory:
        memory.bank("ada").sleep()
        facts, about = memory.bank("ada").facts(), memory.bank("ada").summary()
    for kind in damaged:
        change(path, "UPDATE blocks SET payload = x'00' WHERE bank = 1 AND kind = ?", kind)

    with opened(path) as memory:
        bank = memory.bank("ada")
        told = [one.reason for one in bank.recall("greenhouse key").degraded if one.part == "sleep"]
        assert len(damaged) == len(told) == len(set(told))
        if "graph" not in damaged:
            assert (facts, about) == (bank.facts(), bank.summary())


@pytest.mark.parametrize(
    "change_",
    [
        JournalRow(0, 1 << 62, "of a later version", None, "{}"),
        JournalRow(0, 5, "lapse", "x", "{}"),
        JournalRow(0, 5, "pin", -1, "{}"),
        JournalRow(0, 5, "recall", None, f'{{"shown": [[{10**30}, 0]]}}'),
        JournalRow(0, 5, "annotate", 0, f'{{"by": "x", "at": {1 << 62}}}'),
    ],
)
def test_a_change_that_cannot_be_is_damage_whatever_its_checksum_says(path, ids, change_):
    with opened(path) as memory:
        bank, store = memory.bank("ada"), memory.engine.store
        with store.write():
            store.journal.append(1, [change_._replace(seq=store.journal.last_seq(1) + 1)])
        for read in (
            bank.journal, bank.sleeps, lambda: bank.history(ids[0]), lambda: bank.uses(ids[0]),
            lambda: bank.recall("greenhouse"), bank.sleep,
        ):  # fmt: skip
            with suppress(HippocampusError):
                read()
        assert not verify(memory).sound


@pytest.mark.parametrize("fields", [{"recorded_at": 1 << 62}, {"superseded_by": -1}, {"part": "x"}])
def test_an_episode_that_cannot_be_is_damage_whatever_its_checksum_says(path, ids, fields):
    with opened(path) as memory:
        bank, store = memory.bank("ada"), memory.engine.store
        (row,) = store.episodes.read(1, [0])
        made = row._replace(**{"row": len(ids), "id": "made up", "digest": b"", **fields})
        with store.write():
            store.episodes.add(1, [made])
        with pytest.warns(RuntimeWarning, match=f"row {len(ids)} of bank 1"):
            assert TALK == [episode.text for episode in bank.episodes()]
        assert not verify(memory).sound


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("embedder", "{}"),
        ("embedder", "["),
        ("signatures", "{"),
        ("signatures", "[]"),
        ("salt", "x"),
    ],
)
def test_a_setting_that_cannot_be_is_damage_whatever_its_checksum_says(path, ids, key, value):
    assert ids
    with opened(path) as memory, memory.engine.store.write():
        memory.engine.store.settings.put(key, value)
    with pytest.raises(StoreCorrupt, match="cannot be read"), opened(path) as memory:
        memory.bank("ada").recall("greenhouse")


def test_a_bank_that_is_deleted_meanwhile_ends_no_look_at_the_others(open_memory, monkeypatch):
    memory = open_memory()
    memory.bank("ada").remember("My password is hunter2!zq and stays so.")
    monkeypatch.setattr(memory, "banks", lambda: ["a bank that is gone", "ada"])

    assert verify(memory).sound
    assert verify(memory).checked["banks"] == 1
    assert {one.bank for one in scan(memory)} == {"ada"}
    assert list(misdated(memory)) == []
    assert [True] == [ok for what, _, ok in doctor(memory) if what == "times"]
