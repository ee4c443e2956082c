"""What only a file can do: be something else, be newer, be damaged, be full, be locked."""

# ruff: noqa: PT012 - what makes a write() fail takes more than one statement

import errno
import inspect
import os
import shutil
import sqlite3
import struct
import threading
import time
import tracemalloc
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from store_samples import change, episode, everything, grow, new_bank

from hippocampus import Budget, errors
from hippocampus.core.events import Faded
from hippocampus.core.records import Block, DamagedRow
from hippocampus.errors import (
    ErasurePending,
    InputError,
    NotAStore,
    OutputError,
    OutputExists,
    OverBudget,
    StoreClosed,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreLocked,
    StoreReadOnly,
    StoreTooNew,
)
from hippocampus.store import connections, open_store, schema
from hippocampus.store.blocks import deflate, inflate, seal, unseal
from hippocampus.store.seam import Seam, translate
from hippocampus.store.sqlite import SqliteStore
from hippocampus.store.unused_bytes import left_over, may_hold, places_of_suspects


def content_of(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def sqlite(path, *statements):
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)


# ---------------------------------------------------------------- opening


def test_what_is_stored_is_there_when_opened_again(opened):
    store = opened()
    bank = new_bank(store, episodes=3)
    before = everything(store, bank)
    store.close()

    assert before == everything(opened(), bank)


def test_a_store_is_known_by_its_mark_before_anything_is_checkpointed(opened, path, tmp_path):
    """A process killed early leaves the words in the log: the file alone must say what it is."""
    new_bank(opened(), "ada")

    assert opened().banks.names() == ["ada"]
    shutil.copy(path, tmp_path / "alone.db")
    with closing(sqlite3.connect(tmp_path / "alone.db")) as db:
        assert schema.read_format(db) == (schema.APPLICATION_ID, schema.FORMAT)


def test_it_flushes_every_commit_to_a_log(opened):
    said = []
    store = opened(tracer=said.append)
    new_bank(store)

    assert "PRAGMA synchronous = FULL" in said
    assert any(line.startswith("INSERT INTO banks") and "'ada'" in line for line in said)
    for pragma, value in [("journal_mode", "wal"), ("synchronous", 2), ("secure_delete", 1)]:
        assert value == store.connections.writer.execute(f"PRAGMA {pragma}").fetchone()[0]


def test_changes_of_one_episode_are_found_by_index_however_long_the_journal_is(opened):
    said = []
    store = opened(tracer=said.append)
    bank = new_bank(store)
    for ask in ({}, {"kinds": (Faded,)}, {"after": 7}):
        said.clear()
        store.journal.read(bank, row=3, **ask)
        (asked,) = (line for line in said if "FROM journal" in line)
        plan = store.connections.writer.execute(f"EXPLAIN QUERY PLAN {asked}").fetchall()

        assert "journal_by_row (bank=? AND row=? AND seq>?)" in plan[0][-1]


def test_a_missing_file_is_made_only_when_asked_without_ever_making_its_folder(tmp_path):
    for options in ({"create": False}, {"read_only": True}):
        with pytest.raises(StoreError, match="no such file"):
            open_store(tmp_path / "a.db", busy_timeout_s=1, **options)
    with pytest.raises(StoreError, match="folder"):
        open_store(tmp_path / "no" / "a.db", busy_timeout_s=1)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("of", "step"), [(schema, "read_format"), (connections, "compare")])
def test_a_file_that_another_is_making_a_store_meanwhile_is_one(tmp_path, monkeypatch, of, step):
    path, real, read_format = tmp_path / "memory.db", getattr(of, step), schema.read_format

    def be_overtaken(*given):
        monkeypatch.setattr(of, step, real)
        other = sqlite3.connect(path, isolation_level=None, timeout=0)
        with closing(other), suppress(sqlite3.OperationalError):  # it has to wait
            schema.migrate(other)
        return real(*given)

    monkeypatch.setattr(of, step, be_overtaken)
    open_store(path, busy_timeout_s=5).close()
    with closing(sqlite3.connect(path)) as db:
        assert read_format(db) == (schema.APPLICATION_ID, schema.FORMAT)


def test_an_empty_file_becomes_a_store(opened, path):
    path.touch()
    for options in ({"create": False}, {"read_only": True}):
        with pytest.raises(NotAStore, match="empty"):
            opened(**options)

    assert opened().banks.names() == []


def cut_off(path):
    """Leave what a maker leaves that is killed while the first pages of its store are written."""
    open_store(path, busy_timeout_s=1).close()
    whole = bytearray(path.read_bytes()[:12288])
    whole[18:20] = b"\x01\x01"  # there was no log yet
    path.write_bytes(whole)
    head = bytes.fromhex("d9d505f920a163d7") + struct.pack(">5I", 0, 1234, 0, 512, 4096)
    path.with_name(path.name + "-journal").write_bytes(head.ljust(512, b"\0"))


@pytest.mark.parametrize("create", [True, False])
def test_a_store_whose_making_was_cut_off_is_made_anew(path, create):
    cut_off(path)
    with pytest.raises(StoreReadOnly, match="cut off"):
        open_store(path, busy_timeout_s=1, read_only=True)
    with closing(open_store(path, busy_timeout_s=1, create=create)) as store:
        assert [] == store.upkeep.check() == store.banks.names()


def test_a_name_with_every_awkward_character_works(tmp_path):
    path = tmp_path / "a b?mode=ro&x=%41#é'.db"
    with closing(open_store(path, busy_timeout_s=1)) as store:
        new_bank(store)

    assert path.exists()
    with closing(open_store(str(path), busy_timeout_s=1, read_only=True)) as store:
        assert store.banks.names() == ["ada"]


def test_a_url_is_refused_by_name():
    with pytest.raises(InputError, match="mysql:// stores are not supported"):
        open_store("mysql://host/db", busy_timeout_s=1)


FOREIGN = {
    "words": lambda p: p.write_text("Dear diary, " * 500),
    "one byte": lambda p: p.write_bytes(b"S"),
    "zeros": lambda p: p.write_bytes(bytes(4096)),
    "half a head": lambda p: p.write_bytes(b"SQLite format 3\0"),
    "database": lambda p: sqlite(p, "CREATE TABLE t (a)"),
    "database with a log": lambda p: sqlite(p, "PRAGMA journal_mode = WAL", "CREATE TABLE t (a)"),
    "marked by another": lambda p: sqlite(p, "PRAGMA application_id = 7", "CREATE TABLE t (a)"),
}


@pytest.mark.parametrize("make", FOREIGN.values(), ids=FOREIGN)
@pytest.mark.parametrize("options", [{}, {"read_only": True}, {"create": False}])
def test_what_is_not_a_store_is_left_byte_for_byte(opened, path, tmp_path, make, options):
    make(path)
    before = content_of(tmp_path)

    with pytest.raises(NotAStore, match="another path"):
        opened(**options)

    assert before == content_of(tmp_path)


def test_a_folder_is_not_a_store(tmp_path):
    with pytest.raises(NotAStore, match="folder"):
        open_store(tmp_path, busy_timeout_s=1)


@pytest.mark.parametrize("options", [{}, {"read_only": True}])
def test_a_newer_store_is_refused_byte_for_byte(opened, path, tmp_path, options):
    opened().close()
    sqlite(path, "PRAGMA user_version = 99")
    before = content_of(tmp_path)

    with pytest.raises(StoreTooNew) as caught:
        opened(**options)

    assert (caught.value.found, caught.value.supported) == (99, schema.FORMAT)
    assert before == content_of(tmp_path)


def test_a_store_made_newer_by_a_log_not_yet_in_the_file_is_refused(opened, path):
    opened().close()
    with closing(sqlite3.connect(path, isolation_level=None)) as newer:
        newer.execute("PRAGMA user_version = 99")
        with pytest.raises(StoreTooNew):
            opened()


def test_a_store_older_than_we_read_is_refused(opened, path):
    opened().close()
    sqlite(path, "PRAGMA user_version = 0")

    with pytest.raises(StoreError, match="older"):
        opened()


# ---------------------------------------------------------------- migrations


def second(db):
    db.execute("ALTER TABLE banks ADD COLUMN mood TEXT")


def halfway(db):
    db.execute("ALTER TABLE banks ADD COLUMN weather TEXT")
    db.execute("INSERT INTO settings (key, value) VALUES ('half', 'done')")
    db.execute("SELECT * FROM nowhere")


def migrated(path, *more, **options):
    steps = (*schema.MIGRATIONS, *more)
    return closing(SqliteStore(str(path), busy_timeout_s=1, migrations=steps, **options))


def test_a_migration_that_is_recorded_is_not_applied_again(opened, path):
    new_bank(opened(), "ada", episodes=1)
    opened().close()

    for _ in range(2):
        with migrated(path, second) as store:
            assert store.banks.names() == ["ada"]
            assert schema.read_format(store.connections.writer)[1] == schema.FORMAT + 1
    with pytest.raises(StoreTooNew):
        opened()


def test_a_migration_that_fails_leaves_the_old_format_in_working_order(opened, path):
    bank = new_bank(opened(), episodes=2)
    before = everything(opened(), bank)

    for steps in ((halfway,), (second, halfway)):
        with pytest.raises(StoreError, match="nowhere"), migrated(path, *steps):
            pass

    store = opened()
    assert before == everything(store, bank)
    assert store.settings.get("half") is None
    assert schema.read_format(store.connections.writer) == (schema.APPLICATION_ID, schema.FORMAT)
    made = str(store.transactions.rows("SELECT sql FROM sqlite_schema"))
    assert "mood" not in made
    assert "weather" not in made


def test_an_older_store_is_not_upgraded_by_reading_it(opened, path):
    opened().close()

    with pytest.raises(StoreReadOnly, match="for writing"), migrated(path, second, read_only=True):
        pass


# ---------------------------------------------------------------- reading only


def test_a_store_opened_to_read_answers_while_refusing_to_change(opened):
    store = opened()
    bank = new_bank(store, episodes=2)
    reader = opened(read_only=True)

    assert everything(store, bank) == everything(reader, bank)
    for use in (lambda: reader.write().__enter__(), reader.upkeep.scrub):
        with pytest.raises(StoreReadOnly, match="read_only"):
            use()
    assert isinstance(StoreReadOnly("x", path="p"), PermissionError)

    before = reader.changes()
    with store.write():
        grow(store, bank, 1)
    assert before != reader.changes()
    assert reader.episodes.count(bank) == 3


# ---------------------------------------------------------------- several handles


def test_a_snapshot_stays_as_it_was_when_opened(opened):
    here, there = opened(), opened()
    bank = new_bank(here, episodes=2)

    with here.read():
        noticed = here.changes()
        with there.write():
            grow(there, bank, 3)
        assert 2 == here.episodes.count(bank) == here.journal.last_seq(bank)
        with here.read():
            assert len(list(here.episodes.scan(bank))) == 2
        assert noticed == here.changes()

    assert noticed != here.changes()
    assert here.episodes.count(bank) == 5


def test_a_commit_while_a_snapshot_begins_gives_it_a_number_of_its_own(opened):
    here, there = opened(), opened()
    bank = new_bank(here, episodes=2)
    asked = []

    def interrupt(statement):
        if statement == "BEGIN" and not asked:  # between asking for the number and the snapshot
            asked.append(here.changes())
            with there.write():
                grow(there, bank, 3)

    racing = opened(tracer=interrupt)
    before = racing.changes()
    with racing.read():
        noticed = racing.changes()
        assert noticed == racing.changes()
        assert racing.episodes.count(bank) == 5

    assert asked
    assert noticed not in {before, racing.changes()}


def test_a_write_locked_out_for_too_long_says_so_without_changing_anything(opened):
    holder, hopeful = opened(), opened(busy_timeout_s=0.05)

    with holder.write():
        with pytest.raises(StoreLocked, match="try again") as caught, hopeful.write():
            pass
        assert hopeful.settings.get("k") is None  # a reader never waits for a writer
    with hopeful.write():
        hopeful.settings.put("k", "v")

    assert isinstance(caught.value, TimeoutError)
    assert holder.settings.get("k") == "v"


def test_a_write_that_waits_for_another_process_asks_again_all_the_time(opened):
    said = []
    store, other = opened(busy_timeout_s=60), opened(tracer=said.append, busy_timeout_s=60)
    let_go = threading.Event()

    def hold():
        with store.write():
            let_go.set()
            time.sleep(0.5)

    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(hold)
        let_go.wait()
        with other.write():
            assert said.count("BEGIN IMMEDIATE") > 10
        held.result()


def test_a_write_that_waits_for_another_process_ends_with_its_budget(opened):
    store, other = opened(busy_timeout_s=60), opened(busy_timeout_s=60)

    with store.write(), Budget(seconds=0.05), pytest.raises(OverBudget), other.write():
        pass

    with other.write():  # nothing of it is left
        pass


def test_pooled_readers_are_closed_with_the_store(opened, path):
    store = opened()
    for _ in range(50):
        store.banks.names()
    assert len(store.connections.idle) == 1
    store.close()

    assert [path] == [file for file in path.parent.iterdir() if file.name.startswith("store")]


def test_a_store_closed_inside_its_own_write_says_so(opened):
    store = opened()
    with pytest.raises(StoreClosed), store.write():
        store.settings.put("k", "v")
        store.close()

    assert opened().settings.get("k") is None


# ---------------------------------------------------------------- a full disk


def test_the_store_goes_on_after_a_full_disk_rolls_it_back(opened):
    """``max_page_count`` makes SQLite say what it says of a full disk."""
    store = opened()
    bank = new_bank(store, episodes=5)
    before = everything(store, bank)
    pages = store.connections.writer.execute("PRAGMA page_count").fetchone()[0]
    store.connections.writer.execute(f"PRAGMA max_page_count = {pages + 5}")

    with pytest.raises(StoreFull, match="free some space") as caught, store.write():
        grow(store, bank, 2)
        store.payloads.put(bank, "content", [(i, bytes(100_000)) for i in range(5)])
    assert isinstance(caught.value, OSError)
    assert before == everything(store, bank)

    store.connections.writer.execute("PRAGMA max_page_count = 1000000")
    with store.write():
        grow(store, bank, 1)
    assert store.upkeep.check() == []


def test_an_error_that_rolled_back_cannot_be_swallowed_to_write_the_rest(opened):
    store = opened()
    bank = new_bank(store, episodes=1)

    with pytest.raises(StoreError, match="rolled this transaction back"), store.write():
        grow(store, bank, 1)
        store.connections.writer.execute("ROLLBACK")  # as SQLite does when the disk is full
        grow(store, bank, 1)

    assert store.episodes.count(bank) == 1


# ---------------------------------------------------------------- damage


def flip(path, place):
    with path.open("r+b") as file:
        file.seek(place)
        byte = file.read(1)[0]
        file.seek(place)
        file.write(bytes([byte ^ 1]))


def test_a_flipped_bit_in_a_block_is_found_by_reading_and_by_check(opened, path):
    store = opened()
    bank = new_bank(store, episodes=2)
    words = b"what she said in the spring"
    with store.write():
        store.payloads.put_block(bank, "content", Block(0, 2, words))
    store.close()
    flip(path, path.read_bytes().index(words) + 3)

    store = opened()
    with pytest.raises(StoreCorrupt, match="content block of rows 0 to 1 in bank 1"):
        store.payloads.block(bank, "content", 0)
    assert any("checksum" in line for line in store.upkeep.check())


@given(st.binary(max_size=40), st.data())
def test_any_change_to_any_byte_of_a_block_is_found(payload, data):
    framed, checksum = seal(3, "content", Block(5, 2, payload))
    place = data.draw(st.integers(0, len(framed) - 1))
    bit = 1 << data.draw(st.integers(0, 7))
    flipped = framed[:place] + bytes([framed[place] ^ bit]) + framed[place + 1 :]
    cut = framed[: data.draw(st.integers(0, len(framed) - 1))]

    assert Block(5, 2, payload) == unseal(3, "content", 5, 2, framed, checksum, path="p")
    for damaged in (flipped, cut, framed + b"\0"):
        with pytest.raises(StoreCorrupt):
            unseal(3, "content", 5, 2, damaged, checksum, path="p")
    for place in ((4, "content", 5, 2), (3, "vector", 5, 2), (3, "content", 6, 2)):
        with pytest.raises(StoreCorrupt):
            unseal(*place, framed, checksum, path="p")


@given(
    st.sampled_from(["lexical", "phrase", "content", "vector", "gist"]),
    st.binary(max_size=40) | st.binary(max_size=9).map(lambda some: some * 500),
)
def test_a_payload_survives_deflating_without_ever_getting_longer(kind, payload):
    made = deflate(kind, payload, 1)

    assert payload == inflate(made, 1)
    assert len(made) <= len(payload)


@given(st.data())
def test_a_damaged_deflated_payload_is_either_none_or_the_same(data):
    payload = b"words of one kind, again and again, " * 50
    made = bytearray(deflate("lexical", payload, 1))
    made[data.draw(st.integers(4, len(made) - 1))] ^= data.draw(st.integers(1, 255))

    assert inflate(bytes(made), 1) in (None, payload)


def bomb(nbytes):
    """Return what says that it comes to so many bytes, and does."""
    return struct.pack("<4sQ", b"HipZ", nbytes) + zlib.compress(bytes(nbytes), 9)


def test_a_few_bytes_do_not_inflate_to_many():
    made = bomb(1 << 20)
    longer = made[:4] + struct.pack("<Q", 1 << 40) + made[12:]
    shorter = made[:4] + struct.pack("<Q", 1 << 10) + made[12:]

    assert bytes(1 << 20) == inflate(made, 128)
    assert inflate(longer, 128) is inflate(shorter, 128) is inflate(made, 127) is None


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2048, 1 << 40])
def test_a_block_that_says_it_is_huge_takes_no_memory_to_refuse(opened, count):
    store, made = opened(), bomb(100 << 20)
    bank = new_bank(store, episodes=2)
    with store.write():
        store.payloads.put_block(bank, "vector", Block(0, count, made))  # as it is
    assert len(made) < 110_000

    tracemalloc.start()
    try:
        with pytest.raises(StoreCorrupt, match="deflated of the vector block"):
            store.payloads.block(bank, "vector", 0)
        assert tracemalloc.get_traced_memory()[1] < 2 << 20
    finally:
        tracemalloc.stop()


def test_what_would_inflate_to_too_much_is_kept_as_it_is():
    payload = bytes(20 << 20)

    assert payload == deflate("lexical", payload, 2048)
    assert len(deflate("lexical", payload[: 16 << 20], 2048)) < 1 << 15


def test_a_block_that_does_not_inflate_is_damage_though_its_checksum_fits(opened):
    store = opened()
    bank = new_bank(store, episodes=2)
    broken = deflate("lexical", b"the same " * 90, 2)[:-4]
    with store.write():
        store.payloads.put_block(bank, "lexical", Block(0, 2, broken))

    with pytest.raises(StoreCorrupt, match="deflated of the lexical block of bank 1 from row 0"):
        store.payloads.block(bank, "lexical", 0)


def test_damaged_pages_are_reported_instead_of_answered_from(opened, path):
    store = opened()
    bank = new_bank(store, episodes=500)
    store.close()
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * (size - 4096))

    store = opened()
    with pytest.raises(StoreCorrupt, match="backup"):
        everything(store, bank)
    assert store.upkeep.check()


def test_text_that_is_not_text_is_damage(opened):
    store = opened()
    bank = new_bank(store, episodes=1)
    with store.write():
        store.transactions.do("UPDATE episodes SET address = CAST(x'ff' AS TEXT)")

    (found,) = store.episodes.scan(bank)
    assert isinstance(found, DamagedRow)
    assert any("episode 'e0'" in line and "backup" in line for line in store.upkeep.damage(bank))


BROKEN = {
    "some are missing": "DELETE FROM journal WHERE seq = 2",
    "rows 0 to 3": "DELETE FROM episodes WHERE row = 1",
    "no such episode": "INSERT INTO tail VALUES (1, 'content', 77, x'', x'')",
    "concerns episode 77": "UPDATE journal SET row = 77 WHERE seq = 1",
    "supersedes 77": "UPDATE episodes SET supersedes = 77 WHERE row = 1",
    "superseded by 77": "UPDATE episodes SET superseded_by = 77 WHERE row = 1",
    "beyond the last": "UPDATE blocks SET count = 9",
    "also in the block": "INSERT INTO tail VALUES (1, 'content', 0, x'', x'')",
    "belongs to none of the banks": "INSERT INTO tail VALUES (9, 'content', 0, x'', x'')",
    "overlaps": "INSERT INTO blocks SELECT bank, kind, 1, 1, checksum, payload FROM blocks",
}


@pytest.mark.parametrize("said", BROKEN)
def test_check_finds_what_cannot_be(opened, said):
    store = opened()
    bank = new_bank(store, episodes=4)
    with store.write():
        store.payloads.put_block(bank, "content", Block(0, 2, b"x"))
    assert store.upkeep.check() == []
    store.connections.writer.execute("PRAGMA foreign_keys = OFF")
    store.connections.writer.execute(BROKEN[said])

    assert any(said in line for line in store.upkeep.check()), store.upkeep.check()


# ---------------------------------------------------------------- erasure


def residue(store, secrets):
    return [
        (file.name, secret)
        for file in store.upkeep.files()
        for secret in secrets
        if secret in file.read_bytes()
    ]


def test_after_a_scrub_no_file_holds_a_byte_of_what_was_erased(opened):
    store = opened()
    bank, gone = new_bank(store, episodes=300), new_bank(store, "gone")
    secrets = [b"sphinx-%d-quartz" % n for n in range(40)]
    for secret in secrets:
        word = secret.decode()
        with store.write():
            row, seq = store.episodes.count(bank), store.journal.last_seq(bank)
            said = dict.fromkeys(("session", "speaker", "source", "address"), word)
            store.episodes.add(bank, [episode(row, metadata=f'"{word}"', digest=secret, **said)])
            store.journal.append(bank, [change(seq + 1, row, detail=f'{{"{word}": 1}}')])
            store.payloads.put(bank, "content", [(row, secret * 100)])
            grow(store, bank, 7)  # pages split and rows move, leaving copies behind
            store.episodes.add(gone, [episode(store.episodes.count(gone), id=word)])
    with store.write():
        store.payloads.put_block(bank, "vector", Block(0, 300, b"".join(secrets) * 100))
    assert residue(store, secrets)

    rows = [row.row for row in store.episodes.scan(bank) if "sphinx" in row.address]
    with store.write():
        store.journal.redact(bank, rows)
        store.episodes.erase(bank, rows)
        store.payloads.put(bank, "content", [(row, b"") for row in rows])
        store.payloads.put_block(bank, "vector", Block(0, 300, b""))
        store.banks.drop(gone)
    store.upkeep.scrub()

    assert residue(store, secrets) == []
    assert {"store.db", "store.db-wal", "store.db-shm"} == {f.name for f in store.upkeep.files()}
    assert store.upkeep.check() == []


def test_nobody_writes_erased_bytes_back_from_what_it_has_cached(opened, monkeypatch):
    store, other = opened(), opened()
    bank = new_bank(store, episodes=300)
    secrets = [b"sphinx-%d-quartz" % n for n in range(40)]
    for secret in secrets:
        word = secret.decode()
        with store.write():
            row = store.episodes.count(bank)
            said = dict.fromkeys(("session", "speaker", "source", "address"), word)
            store.episodes.add(bank, [episode(row, metadata=f'"{word}"', digest=secret, **said)])
            store.episodes.add(bank, [episode(row + n) for n in range(1, 8)])
    rows = [row.row for row in store.episodes.scan(bank) if "sphinx" in row.address]
    with store.write():
        store.episodes.erase(bank, rows)
    store.upkeep.leftovers()  # brings the log into the file
    assert residue(store, secrets), "copies of rows that moved"
    zero_pages, apart, written = store.upkeep._zero_pages, store.connections.apart, []

    def cached_before(patch, pages, db):
        other.connections.open_writer().execute("PRAGMA integrity_check").fetchall()  # of all pages
        zero_pages(patch, pages, db)

    def written_before():
        if not written and not residue(store, secrets):  # the last of it has just been zeroed
            with other.write():
                other.transactions.do("UPDATE episodes SET session = 'z' WHERE session > 's'")
            written.append(True)
        return apart()

    monkeypatch.setattr("hippocampus.store.upkeep._LOOKED_AT_ONCE", 3)
    monkeypatch.setattr("hippocampus.store.upkeep._ZEROED_AT_ONCE", 2)
    monkeypatch.setattr(store.upkeep, "_zero_pages", cached_before)
    monkeypatch.setattr(store.connections, "apart", written_before)
    store.upkeep.scrub()

    assert written
    assert residue(store, secrets) == []


def test_a_disk_that_fails_at_zeroing_leaves_the_erasure_pending(opened, monkeypatch):
    store = opened()
    bank = new_bank(store, episodes=200)
    with store.write():
        store.upkeep.owe_scrub()
        store.episodes.erase(bank, range(100))
    for failing in (errno.EIO, errno.ENOSPC):
        monkeypatch.setattr("hippocampus.core.files.write_at", partial(_fail, failing))
        monkeypatch.setattr("hippocampus.store.upkeep.left_over", lambda _: [(4000, 4096)])
        with pytest.raises(ErasurePending, match=os.strerror(failing)):
            store.upkeep.scrub()
        assert store.upkeep.owes_scrub()
        monkeypatch.undo()
    store.upkeep.scrub()

    assert not store.upkeep.owes_scrub()
    assert store.upkeep.check() == []


def _fail(number, *_):
    raise OSError(number, os.strerror(number))


def test_a_scrub_lets_others_write_between_its_steps(opened, monkeypatch):
    store, other = opened(), opened(busy_timeout_s=0)
    bank, theirs = new_bank(store, episodes=400), new_bank(store, "theirs")
    monkeypatch.setattr("hippocampus.store.upkeep._ZEROED_AT_ONCE", 1)
    apart = store.connections.apart

    def written_before():
        with other.write():
            grow(other, theirs, 1)
        return apart()

    monkeypatch.setattr(store.connections, "apart", written_before)
    store.upkeep.scrub()

    assert store.episodes.count(theirs) > 10
    assert store.episodes.count(bank) == 400
    assert store.upkeep.check() == []


def test_a_scrub_of_what_has_nothing_left_over_holds_others_up_once(opened, monkeypatch):
    store = opened()
    new_bank(store, episodes=400)
    store.upkeep.scrub()
    apart, times = store.connections.apart, []

    def counted():
        times.append(1)
        return apart()

    monkeypatch.setattr("hippocampus.store.upkeep._LOOKED_AT_ONCE", 2)
    monkeypatch.setattr(store.connections, "apart", counted)
    store.upkeep.scrub()

    assert len(times) == 1


def test_a_scrub_leaves_the_mark_of_an_erasure_that_came_meanwhile(opened, monkeypatch):
    store, other = opened(), opened()
    new_bank(store, episodes=300)
    suspects = store.upkeep._suspects

    def while_another_erases(*given):
        with other.write():
            other.upkeep.owe_scrub()
        return suspects(*given)

    with store.write():
        store.upkeep.owe_scrub()
    monkeypatch.setattr(store.upkeep, "_suspects", while_another_erases)
    store.upkeep.scrub()
    assert store.upkeep.owes_scrub()
    monkeypatch.undo()
    other.upkeep.scrub()

    assert not store.upkeep.owes_scrub()


def test_a_scrub_that_was_cut_off_before_its_commit_leaves_nobody_old_pages(opened, monkeypatch):
    store, other = opened(), opened()
    new_bank(store, episodes=300)
    before = other.changes()
    monkeypatch.setattr(store.upkeep, "_suspects", lambda *_: iter(()))  # all is zeroed already
    store.upkeep.scrub()

    assert other.changes() != before, "or a page as it was could be written from a cache"


def test_a_file_whose_pages_sqlite_moves_whole_is_written_anew(opened, tmp_path):
    store = opened()
    bank = new_bank(store, episodes=300)
    store.close()
    with closing(sqlite3.connect(tmp_path / "store.db", isolation_level=None)) as db:
        db.execute("PRAGMA auto_vacuum = FULL")
        db.execute("VACUUM")
    store = opened()
    secrets = [b"sphinx-%d-quartz" % n for n in range(40)]
    for secret in secrets:
        with store.write():
            row = store.episodes.count(bank)
            store.episodes.add(bank, [episode(row, session=secret.decode(), digest=secret)])
            grow(store, bank, 7)
    rows = [row.row for row in store.episodes.scan(bank) if "sphinx" in str(row.session)]
    with store.write():
        store.episodes.erase(bank, rows)
    store.upkeep.scrub()

    assert residue(store, secrets) == []
    assert store.upkeep.check() == []


def test_a_page_that_does_not_fit_together_is_looked_at_again():
    whole = bytes([13, 0, 0, 0, 0, 16, 0, 0]) + bytes(4088)
    torn = bytes([13, 15, 255, 0, 9, 16, 0, 0]) + bytes(4088)

    assert not may_hold(whole)
    assert may_hold(whole[:100] + b"left" + whole[104:])
    assert may_hold(torn)
    assert list(left_over(torn)) == []


@given(
    st.lists(
        st.tuples(
            st.sampled_from([0, 2, 5, 10, 13]), st.sampled_from([0, 0, 0, 300, 512]),
            st.integers(0, 300), st.integers(0, 600), st.none() | st.integers(12, 511),
        ),
        max_size=9,
    )
)  # fmt: skip
def test_pages_that_are_looked_at_together_are_found_as_each_by_itself(made):
    pages = []
    for kind, block, cells, content, left in made:
        page = bytearray(struct.pack(">BHHHB", kind, block, cells, content, 0) + bytes(504))
        if left is not None:
            page[left] = 7
        pages.append(bytes(page))

    alone = [place for place, page in enumerate(pages) if may_hold(page)]
    assert list(places_of_suspects(b"".join(pages), 512)) == alone


def test_a_scrub_that_a_reader_holds_up_says_that_the_log_may_keep_words(opened):
    store, other = opened(busy_timeout_s=0.1), opened()
    bank = new_bank(store, episodes=3)
    with store.write():
        store.payloads.put(bank, "content", [(0, b"sphinx")])
        store.payloads.put(bank, "content", [(0, b"")])

    with other.read(), pytest.raises(ErasurePending, match="opening or closing of the store"):
        store.upkeep.scrub()
    store.upkeep.scrub()

    assert residue(store, [b"sphinx"]) == []


# ---------------------------------------------------------------- backup


def test_a_backup_is_one_moment_though_others_write_meanwhile(opened, tmp_path):
    store, writer = opened(), opened()
    bank = new_bank(store, episodes=2)
    with store.write():
        store.payloads.put(bank, "vector", [(0, bytes(12_000_000))])

    def write_meanwhile(_done, _total):
        with writer.write():
            grow(writer, bank, 1)

    store.upkeep.backup(tmp_path / "copy.db", progress=write_meanwhile)

    with closing(open_store(tmp_path / "copy.db", busy_timeout_s=1)) as copy:
        assert 2 == copy.episodes.count(bank) == copy.journal.last_seq(bank)
        assert copy.upkeep.check() == []
    assert store.episodes.count(bank) > 3
    assert {"copy.db", "store.db", "store.db-wal", "store.db-shm"} == set(content_of(tmp_path))


def test_a_backup_never_replaces_what_is_there(opened, path, tmp_path):
    store = opened()
    new_bank(store)
    (tmp_path / "diary.txt").write_text("Dear diary")
    store.upkeep.backup(tmp_path / "copy.db")
    before = content_of(tmp_path)

    for target in (path, tmp_path / "diary.txt", tmp_path / "copy.db", tmp_path):
        with pytest.raises(OutputExists, match="name"):
            store.upkeep.backup(target)
    for target in (path, tmp_path / "copy.db", tmp_path):
        with pytest.raises(OutputExists, match="name"):
            store.upkeep.backup(target, overwrite=True)
    with pytest.raises(OutputError, match="folder"):
        store.upkeep.backup(tmp_path / "no" / "copy.db")

    assert before == content_of(tmp_path)


def test_a_backup_that_is_stopped_leaves_nothing_behind(opened, tmp_path):
    store = opened()
    new_bank(store)

    def stop(_done, _total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.upkeep.backup(tmp_path / "copy.db", progress=stop)

    assert {"store.db", "store.db-wal", "store.db-shm"} == set(content_of(tmp_path))


def test_a_backup_is_one_file_that_read_only_media_can_hold(opened, tmp_path):
    store = opened()
    new_bank(store)
    store.upkeep.backup(tmp_path / "copy.db")
    before = set(content_of(tmp_path))

    with closing(open_store(tmp_path / "copy.db", busy_timeout_s=1, read_only=True)) as copy:
        assert copy.banks.names() == ["ada"]
    assert before == set(content_of(tmp_path))


# ---------------------------------------------------------------- the seam


def foreign_classes():
    found = [v for v in vars(sqlite3).values() if inspect.isclass(v) and issubclass(v, Exception)]
    return sorted({*found, OverflowError}, key=lambda kind: kind.__name__)


@pytest.mark.parametrize("kind", foreign_classes())
def test_every_exception_of_sqlite_leaves_as_ours_with_its_cause(kind):
    with pytest.raises(StoreError) as caught, Seam("a.db"):
        raise kind("it said")

    assert isinstance(caught.value.__cause__, kind)
    assert str(caught.value).startswith("a.db: ")
    assert "it said" in str(caught.value)


CODES = {name: code for name, code in vars(sqlite3).items() if name.startswith("SQLITE_") and code}
EXPECTED = {
    "SQLITE_BUSY": StoreLocked,
    "SQLITE_BUSY_SNAPSHOT": StoreLocked,
    "SQLITE_LOCKED": StoreLocked,
    "SQLITE_FULL": StoreFull,
    "SQLITE_IOERR_WRITE": StoreFull,
    "SQLITE_READONLY": StoreReadOnly,
    "SQLITE_READONLY_DIRECTORY": StoreReadOnly,
    "SQLITE_PERM": StoreReadOnly,
    "SQLITE_CORRUPT": StoreCorrupt,
    "SQLITE_CORRUPT_INDEX": StoreCorrupt,
    "SQLITE_NOTADB": StoreCorrupt,
    "SQLITE_IOERR": StoreError,
    "SQLITE_IOERR_READ": StoreError,
    "SQLITE_CANTOPEN": StoreError,
    "SQLITE_CONSTRAINT_UNIQUE": StoreError,
}


def test_every_code_has_a_meaning_that_is_the_right_one_for_the_common_ones():
    for name, code in CODES.items():
        exc = sqlite3.OperationalError("it said")
        exc.sqlite_errorcode = code
        found = translate(exc, "a.db")

        assert isinstance(found, errors.StoreError)
        assert EXPECTED.get(name, type(found)) is type(found), name


@pytest.mark.parametrize("value", ["\ud800", 2**70])
def test_a_value_that_cannot_be_stored_is_refused(opened, value):
    store = opened()
    with pytest.raises(StoreError, match="cannot be stored"), store.write():
        store.transactions.do("INSERT INTO settings (key, value) VALUES ('k', ?)", value)


@pytest.mark.parametrize("read_only", [False, True])
def test_a_store_whose_end_is_missing_is_called_damaged_without_being_changed(path, read_only):
    open_store(path, busy_timeout_s=1).close()
    kept = path.read_bytes()[:12288]
    path.write_bytes(kept)

    with pytest.raises(StoreCorrupt, match="restore a backup"):
        open_store(path, busy_timeout_s=1, read_only=read_only)
    assert kept == path.read_bytes()
