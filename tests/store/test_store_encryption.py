"""An encrypted store: who opens it, what is told of one that was tampered with, its keys."""

# ruff: noqa: PT012 - what makes a write() fail takes more than one statement

import json
import shutil
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
from store_samples import KEY, KINDS, change, episode, everything, grow, new_bank

from hippocampus.core.cipher import STORE
from hippocampus.core.events import JournalRow
from hippocampus.core.key import Key, new_phrase
from hippocampus.core.records import STORED_NAMES, Block, DamagedRow
from hippocampus.errors import StoreCorrupt, StoreEncrypted, StoreError, WrongKey
from hippocampus.store import schema
from hippocampus.store.checksums import change_checksum, payload_checksum, row_checksum
from hippocampus.store.settings import HEADER, key_of

WORDS = (
    "ada of Rovinj",
    "sunflower",
    "hummingbird",
    "zebra",
    "cormorant",
    "oystercatcher",
    "marten",
    "nightingale",
)


@pytest.fixture
def filled(opened):
    """Return a store with words in every column that takes any, and its bank."""
    store = opened(key=KEY)
    bank = new_bank(store, "ada of Rovinj", episodes=3)
    with store.write():
        store.settings.put("of ours", "oystercatcher")
        store.episodes.add(
            bank,
            [
                episode(
                    3, id="sunflower", session="hummingbird", speaker="zebra", source="cormorant",
                    address="oystercatcher", role="marten", metadata='{"nightingale": 1}',
                )
            ],
        )  # fmt: skip
        store.journal.append(bank, [change(4, 3, detail='{"by": "sunflower hummingbird"}')])
        store.payloads.put(bank, "content", [(3, b"sunflower hummingbird zebra")])
        store.payloads.put_block(
            bank, "vector", Block(0, 2, b"oystercatcher marten nightingale" * 20)
        )
    return store, bank


def raw(path):
    return b"".join(file.read_bytes() for file in sorted(path.parent.iterdir()))


def tamper(path, sql, *values):
    """Change a row as whoever has the file can, with the mark of a sound one left to the caller."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(sql, values)


# ---------------------------------------------------------------- what a file tells


def test_no_word_is_in_any_byte_of_any_file(filled, path):
    store, _ = filled
    store.upkeep.backup(path.with_name("copy.db"))
    found = [word for word in WORDS if word.encode() in raw(path)]
    assert path.with_name("store.db-wal").stat().st_size
    store.close()

    assert found == []
    assert [word for word in WORDS if word.encode() in raw(path)] == []


def test_without_a_key_the_words_are_all_there(opened, path):
    """The test before could fail."""
    store = opened()
    with store.write():
        store.episodes.add(store.banks.add("ada of Rovinj", 1), [episode(0, speaker="zebra")])
    store.close()

    assert {word for word in WORDS if word.encode() in raw(path)} == {
        "ada of Rovinj", "zebra",
    }  # fmt: skip


def test_values_that_are_alike_differ_from_bank_to_bank_and_from_row_to_row(opened, path):
    store = opened(key=KEY)
    for name in ("ada", "bob"):
        bank = new_bank(store, name)
        with store.write():
            store.episodes.add(bank, [episode(row, metadata='{"a": 1}') for row in range(2)])
            store.journal.append(bank, [change(seq) for seq in (1, 2)])
    store.close()
    with closing(sqlite3.connect(path)) as db:
        speakers = db.execute("SELECT DISTINCT bank, speaker FROM episodes").fetchall()
        metadata = db.execute("SELECT metadata FROM episodes").fetchall()
        details = db.execute("SELECT detail FROM journal").fetchall()

    assert len({speaker for _, speaker in speakers}) == len(speakers) == 2
    assert len(set(metadata)) == len(set(details)) == 4


# ---------------------------------------------------------------- who opens it


@pytest.mark.parametrize("options", [{}, {"read_only": True}])
def test_anything_but_its_key_is_refused_without_changing_a_byte(filled, opened, path, options):
    store, bank = filled
    before = everything(store, bank)
    store.close()
    content = path.read_bytes()
    for wrong, kind in (
        (None, StoreEncrypted),
        (Key.phrase(new_phrase()), WrongKey),
        (Key.passphrase("correct horse"), WrongKey),
        (Key.file(path.with_name("none")), WrongKey),
    ):
        with pytest.raises(kind, match=r"key|open"):
            opened(key=wrong, **options)

    assert content == path.read_bytes()
    assert before == everything(opened(key=KEY, **options), bank)


def test_a_store_in_plain_words_is_not_opened_with_a_key(opened):
    new_bank(opened(), episodes=1)
    with pytest.raises(StoreError, match="hippocampus encrypt"):
        opened(key=KEY)


def test_an_encrypted_store_is_not_taken_for_one_in_plain_words(filled, path):
    filled[0].close()
    with closing(sqlite3.connect(path)) as db:
        assert schema.read_format(db)[0] == schema.ENCRYPTED_ID != schema.APPLICATION_ID


@pytest.mark.slow
def test_processes_that_make_it_at_once_make_one(path):
    script = """
import sys
sys.path.insert(0, sys.argv[2])
from hippocampus.store import open_store
from store_samples import KEY, everything, grow
store = open_store(sys.argv[1], busy_timeout_s=30, key=KEY)
with store.write():
    bank = store.banks.add("ada", 1)
    grow(store, bank, 2)
everything(store, bank)
assert not store.upkeep.check()
"""
    command = [sys.executable, "-c", script, str(path), str(Path(__file__).parent)]
    running = [subprocess.Popen(command) for _ in range(4)]
    assert [one.wait(60) for one in running] == [0] * 4


def test_no_plain_words_are_written_into_a_store_encrypted_meanwhile(opened, path):
    early, store = opened(), opened(key=KEY)
    with pytest.raises(StoreEncrypted):
        new_bank(early, "ada of Rovinj", episodes=2)

    assert store.banks.names() == []
    assert b"ada of Rovinj" not in raw(path)
    new_bank(store, "ada of Rovinj", episodes=2)
    assert store.upkeep.check() == []


def test_it_can_be_used_by_several_threads_at_once(opened):
    store = opened(key=KEY)
    banks = [new_bank(store, name, episodes=1) for name in "abcd"]

    def work(bank):
        for _ in range(10):
            with store.write():
                grow(store, bank, 1)
            everything(store, bank)

    threads = [threading.Thread(target=work, args=(bank,)) for bank in banks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert {store.episodes.count(bank) for bank in banks} == {11}
    assert store.upkeep.check() == []


def test_the_number_of_a_bank_that_was_never_committed_may_be_of_another(opened):
    one, other = opened(key=KEY), opened(key=KEY)
    with pytest.raises(ZeroDivisionError), one.write():
        taken = one.banks.add("gone", 1)
        grow(one, taken, 1)
        raise ZeroDivisionError
    bank = new_bank(other, "kept", episodes=2)

    assert bank == taken
    assert everything(one, bank) == everything(other, bank)


def test_the_number_of_a_bank_that_is_not_there_yet_has_no_key_yet(opened):
    one, other = opened(key=KEY), opened(key=KEY)
    assert one.episodes.read(1, [0]) == []
    bank = new_bank(other, episodes=2)

    assert bank == 1
    assert everything(one, bank) == everything(other, bank)


# ---------------------------------------------------------------- tampering and damage


def reseal(path, table, columns, key, checksum):
    """Swap columns of the first two rows, and give both the checksums of sound rows."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        names = ", ".join(columns)
        (a, *one), (b, *two) = db.execute(
            f"SELECT {key}, {names} FROM {table} ORDER BY {key} LIMIT 2"  # noqa: S608
        ).fetchall()
        sets = ", ".join(f"{name} = ?" for name in columns)
        for row, values in ((a, two), (b, one)):
            db.execute(f"UPDATE {table} SET {sets} WHERE {key} = ?", (*values, row))  # noqa: S608
            db.execute(
                f"UPDATE {table} SET checksum = ? WHERE {key} = ?",  # noqa: S608
                (checksum(db, row), row),
            )


def of_episode(db, row):
    names = ", ".join(STORED_NAMES.values())
    stored = db.execute(f"SELECT {names} FROM episodes WHERE row = ?", (row,)).fetchone()  # noqa: S608
    return row_checksum("episodes", 1, values=stored)


def test_metadata_moved_to_another_row_do_not_open_there(filled, opened, path):
    store, bank = filled
    with store.write():
        store.episodes.add(bank, [episode(4, metadata='{"cat": 2}')])
    store.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        ((made,),) = db.execute("SELECT checksum FROM episodes WHERE row = 3")
        assert of_episode(db, 3) == made, "checksums are made here as the store makes them"
    tamper(path, "DELETE FROM episodes WHERE row < 3")
    reseal(path, "episodes", ["metadata"], "row", of_episode)

    store = opened(key=KEY)
    rows = store.episodes.read(bank, [3, 4])
    assert all(isinstance(row, DamagedRow) for row in rows)
    assert len(store.upkeep.damage(bank)) == 2


def test_a_detail_moved_to_another_change_does_not_open_there(filled, opened, path):
    store, bank = filled
    store.close()

    def checksum(db, seq):
        *found, salt = db.execute(
            "SELECT seq, at, kind, row, detail, salt FROM journal WHERE seq = ?", (seq,)
        ).fetchone()
        return change_checksum(JournalRow(*found), salt)

    reseal(path, "journal", ["detail", "salt"], "seq", checksum)
    store = opened(key=KEY)

    assert [c.kind for c in store.journal.read(bank)][:2] == ["damaged", "damaged"]


def test_a_payload_moved_to_another_row_does_not_open_there(filled, opened, path):
    store, bank = filled
    store.close()
    tamper(path, "DELETE FROM tail WHERE kind <> 'content'")
    reseal(
        path, "tail", ["payload"], "row",
        lambda db, row: payload_checksum(
            bank, "content", row,
            db.execute("SELECT payload FROM tail WHERE row = ?", (row,)).fetchone()[0],
        ),
    )  # fmt: skip
    store = opened(key=KEY)

    assert [row for row, _ in store.payloads.tail(bank, "content")] == [2, 3]
    assert len(store.upkeep.damage(bank)) == 2


def test_a_setting_or_a_name_of_another_does_not_open(opened):
    store = opened(key=KEY)
    new_bank(store, "ada"), new_bank(store, "bob")
    with store.write():
        store.settings.put("one", "1")
        store.settings.put_plain("two", store.settings.get_plain("one"))
    with pytest.raises(StoreCorrupt, match="two"):
        store.settings.get("two")
    with store.write():
        name = "b3RoZXI="
        store.transactions.do(
            "UPDATE banks SET name = ?, checksum = ? WHERE bank = 1",
            name, row_checksum("banks", 1, values=(name, 1)),
        )  # fmt: skip

    assert store.banks.names() == ["bob"]
    assert len(store.upkeep.check()) == 2


@pytest.mark.parametrize("key", [HEADER, key_of(STORE), key_of(1)])
@pytest.mark.parametrize("gone", [True, False])
def test_a_header_or_key_that_is_gone_or_damaged_is_told(filled, opened, path, key, gone):
    filled[0].close()
    if gone:
        tamper(path, "DELETE FROM settings WHERE key = ?", key)
    else:
        tamper(path, "UPDATE settings SET value = 'f' || value WHERE key = ?", key)
    with pytest.raises(StoreCorrupt, match="damaged"):
        everything(opened(key=KEY), opened(key=KEY).banks.number("ada of Rovinj"))


@pytest.mark.parametrize("value", ["no hex", "", "00", "ff" * 80])
def test_a_key_that_somebody_made_up_is_damage(filled, opened, path, value):
    filled[0].close()
    mark = row_checksum("settings", values=(key_of(1), value))
    tamper(
        path, "UPDATE settings SET value = ?, checksum = ? WHERE key = ?", value, mark, key_of(1)
    )
    with pytest.raises(StoreCorrupt, match="key of bank 1"):
        everything(opened(key=KEY), 1)


def test_a_header_that_asks_for_too_much_is_damaged(filled, opened, path):
    filled[0].close()
    slot = {"kind": "phrase", "salt": "AAAA", "wrapped": "", "argon2": [1 << 40, 3, 4]}
    value = json.dumps([slot])
    mark = row_checksum("settings", values=(HEADER, value))
    tamper(path, "UPDATE settings SET value = ?, checksum = ? WHERE key = ?", value, mark, HEADER)
    with pytest.raises(StoreCorrupt, match=HEADER):
        opened(key=KEY)


# ---------------------------------------------------------------- its keys


@pytest.mark.slow
def test_every_key_that_was_added_opens_it_until_one_takes_the_place_of_all(filled, opened):
    store, bank = filled
    before = everything(store, bank)
    words, last = Key.passphrase("correct horse"), Key.phrase(new_phrase())
    store.encryption.add(words)
    assert store.encryption.kinds() == ["phrase", "passphrase"]
    assert before == everything(opened(key=words), bank) == everything(opened(key=KEY), bank)

    store.encryption.add(last, replace=True)
    assert before == everything(store, bank) == everything(opened(key=last), bank)
    for gone in (words, KEY):
        with pytest.raises(WrongKey):
            opened(key=gone)


def test_rotation_changes_the_keys_and_no_answer(filled, opened):
    store, bank = filled
    before, header = everything(store, bank), store.settings.get_plain(HEADER)
    wrapped = store.settings.get_plain(key_of(bank))
    new = Key.phrase(new_phrase())
    store.encryption.rotate(new)

    assert before == everything(store, bank) == everything(opened(key=new), bank)
    assert header != store.settings.get_plain(HEADER)
    assert wrapped != store.settings.get_plain(key_of(bank))
    assert store.upkeep.check() == []
    with pytest.raises(WrongKey):
        opened(key=KEY)


def test_whoever_has_it_open_while_its_keys_are_rotated_goes_on(filled, opened):
    store, bank = filled
    other = opened(key=KEY)
    store.encryption.rotate(KEY)
    made = new_bank(other, "made after", episodes=1)
    seen = new_bank(store, "seen after", episodes=1)

    assert everything(store, made) == everything(other, made)
    assert everything(store, seen) == everything(other, seen)
    assert everything(store, bank) == everything(other, bank)


def test_whoever_has_it_open_with_a_key_that_was_taken_away_makes_no_bank(filled, opened):
    store, bank = filled
    other = opened(key=KEY)
    store.encryption.rotate(Key.phrase(new_phrase()))
    before = everything(store, bank)

    with pytest.raises(WrongKey):
        new_bank(other, "made after")
    assert store.banks.names() == ["ada of Rovinj"]
    assert before == everything(store, bank)


def test_dropping_a_bank_destroys_its_key(filled, path):
    store, bank = filled
    shutil.copy(path, path.with_name("before.db"))
    wrapped = store.settings.get_plain(key_of(bank))
    with store.write():
        store.banks.drop(bank)
    store.upkeep.scrub()
    store.close()
    files = [path, *path.parent.glob("store.db-*")]

    assert wrapped
    assert not [file for file in files if wrapped.encode() in file.read_bytes()]


def test_every_kind_of_payload_is_sealed(opened, path):
    store = opened(key=KEY)
    bank = new_bank(store, episodes=2)
    with store.write():
        for kind in KINDS:
            store.payloads.put_block(bank, kind, Block(0, 2, f"{kind} words".encode() * 9))

    assert [store.payloads.block(bank, kind, 0).payload for kind in KINDS] == [
        f"{kind} words".encode() * 9 for kind in KINDS
    ]
    assert b" words" not in raw(path)
