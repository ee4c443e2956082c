"""Erasure by key: what PostgreSQL keeps of erased words, no key opens any more."""

import os
import random
import shutil
import tempfile
import threading
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import postgres_server
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from in_process import invoke
from store_samples import KEY, everything, grow, new_bank

from hippocampus import Memory, Turn, encryption
from hippocampus.core.cipher import Cipher, Unsealable
from hippocampus.core.clock import ManualClock
from hippocampus.core.config import Config
from hippocampus.core.key import Key, KeyRefused, open_slots, slots_of
from hippocampus.core.key_ring import add_to_ring, keep_in_ring, read_ring
from hippocampus.core.records import Block
from hippocampus.errors import (
    ErasurePending,
    StoreError,
    StoreLocked,
    StoreUnreachable,
    WrongKey,
)
from hippocampus.store import open_store
from hippocampus.store.settings import HEADER, SqlSettings
from hippocampus.store.shards import Mark, home
from hippocampus.upkeep import Findings, find_residue, verify, verify_folder

psycopg = pytest.importorskip("psycopg")
pytest.importorskip("psycopg_pool")
pytest.importorskip("cryptography")

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
WORDS = "The heron nests behind the old pumping station."


@pytest.fixture
def ring(tmp_path):
    path = tmp_path / "ring"
    path.write_text("the-first-secret-of-this-ring-000\n")
    path.chmod(0o600)
    return path


@pytest.fixture
def dsn(database):
    return database()


def folder_of(dsn):
    """Return where the server of a database is."""
    return Path(parse_qs(urlsplit(dsn).query)["host"][0])


def opened(dsn, key):
    return Memory(dsn, embedder="hash", clock=ManualClock(NOON), key=key)


def sealed_rows(dsn):
    """Return every sealed payload and wrapped key that a database holds now."""
    with psycopg.connect(dsn) as db:
        payloads = db.execute("SELECT kind, row, payload FROM hippocampus.tail").fetchall()
        wrapped = dict(
            db.execute(
                "SELECT key, value FROM hippocampus.settings WHERE key LIKE 'key %%' OR key = %s",
                ("encryption",),
            ).fetchall()
        )
    return [(kind, row, bytes(payload)) for kind, row, payload in payloads], wrapped


def found_in_log(dsn, needle):
    """Return whether the write-ahead log of a server has these bytes in any file."""
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute("CHECKPOINT")
    log = folder_of(dsn) / "data" / "pg_wal"
    return any(needle in file.read_bytes() for file in log.iterdir() if file.is_file())


def opens(key, wrapped, payload, bank=1):
    """Return what a key makes of a payload, by what was kept of the keys when it was written."""
    kind, row, sealed = payload
    try:
        master = Cipher(open_slots(key, slots_of(wrapped["encryption"])))
        name = f"key {bank}"
        cipher = Cipher(master.unseal(name, bytes.fromhex(wrapped[name])))
        return cipher.unseal(f"{kind} {row} 0", sealed)
    except (KeyRefused, Unsealable):
        return None


def name_of(dsn, bank=1):
    """Return the sealed name of a bank."""
    with psycopg.connect(dsn) as db:
        every = "SELECT name FROM hippocampus.banks WHERE bank = %s"
        return db.execute(every, (bank,)).fetchone()[0]


def opens_name(key, wrapped, sealed):
    """Return what a key makes of a bank's sealed name, by what was kept of the keys of then."""
    try:
        master = Cipher(open_slots(key, slots_of(wrapped["encryption"])))
        cipher = Cipher(master.unseal("key 0", bytes.fromhex(wrapped["key 0"])))
        return cipher.unseal_text("bank", sealed)
    except (KeyRefused, Unsealable):
        return None


# ---------------------------------------------------------------- rings


@given(st.lists(st.integers(0, 4), max_size=8))
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_ring_keeps_what_it_is_told_to_and_its_rights(ring, chosen):
    for which in chosen:
        add_to_ring(ring)
        known = read_ring(ring)
        wanted = known[which % len(known) :]
        keep_in_ring(ring, wanted)
        assert read_ring(ring) == wanted
    assert ring.stat().st_mode & 0o777 == 0o600
    assert list(ring.parent.iterdir()) == [ring]


def test_a_ring_is_never_left_empty(ring):
    before = read_ring(ring)
    keep_in_ring(ring, [b"none of these"])
    assert read_ring(ring) == before


def test_a_secret_that_left_the_ring_is_zeros_where_it_was(ring):
    secret = read_ring(ring)[0]
    with ring.open("rb") as former:
        new = add_to_ring(ring)
        assert secret in former.read()
    with ring.open("rb") as former:
        keep_in_ring(ring, [new])
        assert not former.read().strip(b"\0")


# ---------------------------------------------------------------- what an erasure leaves


def remember_and_erase(memory):
    bank = memory.bank("ada")
    bank.remember_many([Turn(text=f"Boat {n} sails to Lisbon.", at=NOON) for n in range(30)])
    told = bank.remember(WORDS, at=NOON)
    bank.sleep()
    return bank, told.id


@pytest.mark.slow
def test_no_key_that_is_left_opens_what_log_and_dead_rows_keep_of_erased_words(dsn, ring):
    key = Key.ring(ring)
    with opened(dsn, key) as memory:
        bank, erased = remember_and_erase(memory)
        payloads, wrapped = sealed_rows(dsn)
        readable = [p for p in payloads if opens(key, wrapped, p)]
        assert readable, "the test must see what it looks for"
        bank.forget(erased, erase=True)
        assert [p for p in payloads if opens(key, wrapped, p)] == []
        _, now = sealed_rows(dsn)  # nor do keys of now open rows of before
        assert [p for p in payloads if p[2] and opens(key, now, p)] == []
        assert any(found_in_log(dsn, sealed[:64]) for *_, sealed in readable)
        assert found_in_log(dsn, wrapped["key 1"].encode()[:64])
        assert not any(found_in_log(dsn, word) for word in (b"heron", b"pumping"))
        assert memory.engine.store.upkeep.leftovers() == []
        assert verify(memory, residue=WORDS).sound
        assert len(bank.episodes()) == 30
        assert bank.recall("boat 7 Lisbon", k=1).hits[0].text == "Boat 7 sails to Lisbon."
    with opened(dsn, key) as memory:
        assert len(memory.bank("ada").episodes()) == 30
        assert verify(memory).sound


@pytest.mark.slow
def test_with_a_key_that_stays_the_log_is_told_of_until_it_is_changed(dsn, tmp_path):
    key, other = Key.file(tmp_path / "key"), Key.file(tmp_path / "other")
    (tmp_path / "key").write_text("a secret of sixteen bytes or more")
    (tmp_path / "other").write_text("another one of sixteen bytes or more")
    with opened(dsn, key) as memory:
        bank, erased = remember_and_erase(memory)
        payloads, wrapped = sealed_rows(dsn)
        bank.forget(erased, erase=True)
        assert [p for p in payloads if opens(key, wrapped, p)], "as it is told"
        (told,) = memory.engine.store.upkeep.leftovers()
        assert "encryption rotate" in told
        assert not verify(memory, residue=WORDS).sound
    assert encryption.rotate(dsn, key=key, new=key) == ["secret"]
    with opened(dsn, key) as memory:
        assert memory.engine.store.upkeep.leftovers() == [told]
    assert encryption.rotate(dsn, key=key, new=other) == ["secret"]
    with opened(dsn, other) as memory:
        assert memory.engine.store.upkeep.leftovers() == []
        assert [p for p in payloads if opens(other, wrapped, p)] == []
        assert verify(memory, residue=WORDS).sound


@pytest.mark.slow
def test_a_bank_that_is_deleted_takes_its_key_out_of_the_log_as_well(dsn, ring):
    key = Key.ring(ring)
    with opened(dsn, key) as memory:
        remember_and_erase(memory)
        memory.bank("tom").remember("Another one.", at=NOON)
        payloads, wrapped = sealed_rows(dsn)
        memory.delete_bank("ada")
        assert [p for p in payloads if opens(key, wrapped, p)] == []
        assert [e.text for e in memory.bank("tom").episodes()] == ["Another one."]
        assert memory.engine.store.upkeep.leftovers() == []


@pytest.mark.slow
def test_a_base_backup_of_before_is_not_opened_by_the_keys_of_after(dsn, ring, tmp_path):
    folder = folder_of(dsn)
    key, copy = Key.ring(ring), folder / "copy"
    with opened(dsn, key) as memory:
        bank, erased = remember_and_erase(memory)
        postgres_server.take_copy(folder, copy)
        before = ring.read_bytes()
        bank.forget(erased, erase=True)
    with postgres_server.running_copy(folder, copy) as place:
        restored = dsn.replace(str(folder), str(place))
        with pytest.raises(WrongKey):
            open_store(restored, busy_timeout_s=5, key=key)
        kept = tmp_path / "kept"
        kept.write_bytes(before)  # whoever kept the ring of then reads what was there then
        with opened(restored, Key.ring(kept)) as memory:
            assert WORDS in [e.text for e in memory.bank("ada").episodes()]


JANE = "acme/jane.doe@example.com"


@pytest.mark.slow
def test_no_key_that_is_left_opens_the_name_of_a_deleted_bank_in_the_log(dsn, ring):
    key = Key.ring(ring)
    with opened(dsn, key) as memory:
        for name in (JANE, "acme/tom"):
            memory.bank(name).remember(f"A note of {name}.", at=NOON)
        store = memory.engine.store
        settings_of_before = store.settings.every()
        sealed, (_, wrapped) = name_of(dsn), sealed_rows(dsn)
        assert opens_name(key, wrapped, sealed) == JANE, "the test must see what it looks for"
        memory.delete_bank(JANE)
        assert found_in_log(dsn, sealed.encode())
        _, now = sealed_rows(dsn)
        assert opens_name(key, wrapped, sealed) is opens_name(key, now, sealed) is None
        assert store.upkeep.leftovers() == store.upkeep.check() == []
        assert store.settings.every() == settings_of_before
        assert memory.banks() == ["acme/tom"]
        assert verify(memory).sound
    with opened(dsn, key) as memory:
        assert [e.text for e in memory.bank("acme/tom").episodes()] == ["A note of acme/tom."]


@pytest.mark.slow
def test_with_a_key_that_stays_a_deleted_name_goes_when_it_is_changed(dsn, tmp_path):
    key, other = Key.file(tmp_path / "key"), Key.file(tmp_path / "other")
    (tmp_path / "key").write_text("a secret of sixteen bytes or more")
    (tmp_path / "other").write_text("another one of sixteen bytes or more")
    with opened(dsn, key) as memory:
        memory.bank(JANE).remember("A note.", at=NOON)
        sealed, (_, wrapped) = name_of(dsn), sealed_rows(dsn)
        memory.delete_bank(JANE)
        assert opens_name(key, wrapped, sealed) == JANE, "as it is told"
        assert "encryption rotate" in memory.engine.store.upkeep.leftovers()[0]
    encryption.rotate(dsn, key=key, new=other)
    _, now = sealed_rows(dsn)
    assert opens_name(other, wrapped, sealed) is opens_name(other, now, sealed) is None


@pytest.mark.slow
def test_a_base_backup_does_not_give_the_name_of_a_bank_deleted_since(dsn, ring):
    folder, key = folder_of(dsn), Key.ring(ring)
    with opened(dsn, key) as memory:
        memory.bank(JANE).remember("A note.", at=NOON)
        postgres_server.take_copy(folder, folder / "with-name")
        sealed = name_of(dsn)
        memory.delete_bank(JANE)
    with postgres_server.running_copy(folder, folder / "with-name") as place:
        restored = dsn.replace(str(folder), str(place))
        assert name_of(restored) == sealed
        _, wrapped = sealed_rows(restored)
        _, now = sealed_rows(dsn)
        assert opens_name(key, wrapped, sealed) is opens_name(key, now, sealed) is None


# ---------------------------------------------------------------- looking for it


@pytest.mark.slow
def test_verify_looks_into_the_files_of_a_server_except_where_it_says_so(
    dsn,
):
    told = {"where": "behind the weir"}
    with Memory(dsn, embedder="none", clock=ManualClock(NOON)) as memory:  # in plain words
        bank = memory.bank("ada")
        erased = bank.remember("The otter sleeps.", metadata=told, at=NOON).id
        bank.forget(erased, erase=True)
        found = verify(memory, residue=told["where"])
        assert any(place.where.startswith("pg_wal/") for place in found.residue)
        assert not found.sound
        assert any("backups" in place for place in found.unseen)
        assert verify(memory, residue="no such words at all").sound
    data = folder_of(dsn) / "data"
    said = ["verify", "--store", dsn, "--embedder", "none", "--data-directory", str(data)]
    done = invoke(*said, "--residue", told["where"])
    assert done.exit_code == 1, done.output
    assert "not looked at: backups" in done.output
    assert "the text is still there" in done.output
    done = invoke(*said[:-2], "--residue", "no such words at all")
    assert "no residue of the text where it was looked for" in " ".join(done.output.split())
    assert "give a folder" in invoke(*said[:-1], "/no/such", "--residue", "x").output


@pytest.mark.slow
def test_erased_words_of_a_long_value_are_found_in_what_the_server_has_left(dsn):
    chance = random.Random(1)  # noqa: S311
    words = "the otter sleeps behind a weir near mill and old boat while rain falls on".split()
    filler, told = (" ".join(chance.choices(words, k=k)) for k in (2500, 14))
    with Memory(dsn, embedder="none", clock=ManualClock(NOON)) as memory:
        bank = memory.bank("ada")
        note = {"note": f"{filler} {told} {filler}"}
        erased = bank.remember("Plain words.", metadata=note, at=NOON).id
        bank.forget(erased, erase=True)
        found = verify(memory, residue=told)
    assert any(place.where.startswith("pg_wal/") for place in found.residue)
    assert not found.sound
    assert any("packed" in place for place in found.unseen)


def test_an_encrypted_store_has_no_words_that_nobody_sees(dsn):
    with Memory(dsn, embedder="none", key=KEY) as memory:
        memory.bank("ada").remember("Plain words.")
        assert not any("packed" in place for place in memory.engine.store.upkeep.server_files()[1])


@pytest.mark.slow
def test_words_at_the_end_of_a_page_of_the_log_are_found_at_their_place(dsn):
    text, data = "".join(f"<{n:05}>" for n in range(900)), folder_of(dsn) / "data"
    with closing(open_store(dsn, busy_timeout_s=5)) as store:
        with psycopg.connect(dsn, autocommit=True) as db:
            db.execute("CREATE TABLE filler (text TEXT)")
            db.execute("ALTER TABLE filler ALTER COLUMN text SET STORAGE PLAIN")
            for _ in range(6):
                db.execute("INSERT INTO filler VALUES (%s)", (text,))
        files = [file for file in store.upkeep.server_files()[0] if "pg_wal/" in file.name]
        found = find_residue(files, text)

    as_they_are = [(data / place.where).read_bytes() for place in found]
    whole = [
        raw.startswith(text.encode(), at) for raw, (_, at) in zip(as_they_are, found, strict=True)
    ]
    begun = [
        raw.startswith(text[:20].encode(), at)
        for raw, (_, at) in zip(as_they_are, found, strict=True)
    ]
    assert begun == [True] * 6
    assert not all(whole)
    of_folder = verify_folder(Findings(problems=()), data, text)
    assert set(of_folder.residue) >= set(found)


def test_a_role_that_may_not_read_the_servers_files_is_told_what_was_not_looked_at(dsn):
    with closing(open_store(dsn, busy_timeout_s=5)):
        pass
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute("CREATE ROLE looker LOGIN")
        db.execute("GRANT USAGE ON SCHEMA hippocampus TO looker")
        db.execute("GRANT SELECT ON ALL TABLES IN SCHEMA hippocampus TO looker")
    try:
        looker = dsn.replace("user=hippo", "user=looker")
        with closing(open_store(looker, busy_timeout_s=5, read_only=True)) as store:
            files, unseen = store.upkeep.server_files()
        assert files == []
        assert "--data-directory" in unseen[0]
    finally:
        with psycopg.connect(dsn, autocommit=True) as db:
            db.execute("DROP OWNED BY looker")
            db.execute("DROP ROLE looker")


# ---------------------------------------------------------------- others meanwhile


def test_what_is_left_of_a_bank_is_what_it_was_for_every_process(dsn, ring):
    with (
        closing(open_store(dsn, busy_timeout_s=5, key=Key.ring(ring))) as one,
        closing(open_store(dsn, busy_timeout_s=5, key=Key.ring(ring))) as other,
    ):
        bank, second = new_bank(one, episodes=9), new_bank(one, "bob", episodes=2)
        with one.write(bank):
            one.payloads.put_block(bank, "content", Block(0, 4, b"some texts"))
        before = everything(other, bank)
        assert everything(one, bank) == before
        with other.read():
            assert other.episodes.count(bank) == 9
            with one.write(bank):
                one.upkeep.owe_scrub(bank)
            one.upkeep.scrub()
            assert everything(other, bank) == before  # as of its moment, by the key of then
        assert everything(other, bank) == everything(one, bank) == before
        assert other.upkeep.damage(bank) == other.upkeep.check() == []
        with other.write(bank):
            grow(other, bank, 1)
        with other.write(second):
            grow(other, second, 1)
        assert one.episodes.count(bank) == 10
        assert one.upkeep.check() == []


@pytest.mark.slow
def test_readers_and_writers_go_on_while_banks_are_sealed_anew(dsn, ring):
    with (
        closing(open_store(dsn, busy_timeout_s=20, key=Key.ring(ring))) as one,
        closing(open_store(dsn, busy_timeout_s=20, key=Key.ring(ring))) as other,
    ):
        bank, ended, wrong = new_bank(one, episodes=5), threading.Event(), []

        def go_on():
            while not ended.is_set():
                with other.write(bank):
                    grow(other, bank, 1)
                other.changes()
                for read in (other.payloads.tail(bank, "content"), other.journal.read(bank)):
                    wrong.extend(other.upkeep.damage(bank) or [] if read else ["nothing"])

        writer = threading.Thread(target=go_on)
        writer.start()
        for _ in range(8):
            with one.write(bank):
                one.upkeep.owe_scrub(bank)
            one.upkeep.scrub()
        ended.set()
        writer.join()
        assert wrong == []
        assert one.episodes.count(bank) == other.episodes.count(bank) > 5
        assert one.upkeep.check() == other.upkeep.check() == []


def test_every_process_follows_when_a_deletion_has_names_sealed_anew(dsn, ring):
    with (
        closing(open_store(dsn, busy_timeout_s=5, key=Key.ring(ring))) as one,
        closing(open_store(dsn, busy_timeout_s=5, key=Key.ring(ring))) as other,
    ):
        banks = {name: new_bank(one, name, episodes=2) for name in ("ada", "bob", "tom")}
        with one.write():
            one.settings.put("salt", "of this store")
        assert other.settings.get("salt") == "of this store"
        assert other.banks.number("bob") == banks["bob"]
        for gone in ("ada", "tom"):
            with one.write():
                one.upkeep.owe_drop(banks[gone])
            one.upkeep.scrub()
            # No ``changes`` has told it: a name that is not found is looked for again.
            assert other.banks.number("bob") == banks["bob"]
            assert other.banks.number(gone) is None
            for store in (one, other):  # nor does who expects to ask find the key changed for ever
                known = partial(store.banks.number, "bob")
                with store.expecting([known]), store.write():
                    assert known() == banks["bob"]
        assert other.banks.names() == ["bob"]
        assert other.settings.get("salt") == "of this store"
        with other.write():
            assert other.banks.add("bob", 1) == banks["bob"]
            other.banks.add("eve", 1)
            other.settings.put("salt", "another")
        with other.write(banks["bob"]):
            grow(other, banks["bob"], 1)
        assert one.banks.names() == other.banks.names() == ["bob", "eve"]
        assert one.settings.get("salt") == "another"
        assert one.upkeep.check() == other.upkeep.check() == []


@pytest.mark.slow
def test_readers_and_writers_go_on_while_names_are_sealed_anew(dsn, ring):
    with (
        closing(open_store(dsn, busy_timeout_s=20, key=Key.ring(ring))) as one,
        closing(open_store(dsn, busy_timeout_s=20, key=Key.ring(ring))) as other,
    ):
        bob, ended, told = new_bank(one, "bob"), threading.Event(), set()
        with one.write():
            one.settings.put("salt", "of this store")

        def found(store):
            there = "bob" in store.banks.names()
            return store.banks.number("bob"), store.settings.get("salt"), there

        def go_on(store, moment):
            while not ended.is_set():
                try:
                    with store.read() if moment else store.write():
                        told.add(found(store))
                    told.add(found(store))
                except StoreError as exc:
                    told.add(str(exc))

        others = [
            threading.Thread(target=go_on, args=of)
            for of in ((one, True), (other, True), (other, False))
        ]
        for thread in others:
            thread.start()
        for n in range(20):
            gone = new_bank(one, f"gone {n}")
            with one.write():
                one.upkeep.owe_drop(gone)
            one.upkeep.scrub()
        ended.set()
        for thread in others:
            thread.join()
        assert told == {(bob, "of this store", True)}
        assert one.upkeep.check() == other.upkeep.check() == []


def test_a_moment_shows_the_names_of_then_while_they_are_sealed_anew(dsn, ring):
    with (
        closing(open_store(dsn, busy_timeout_s=5, key=Key.ring(ring))) as one,
        closing(open_store(dsn, busy_timeout_s=5, key=Key.ring(ring))) as other,
    ):
        ada, bob = new_bank(one, "ada"), new_bank(one, "bob")
        with other.read():
            assert other.banks.names() == ["ada", "bob"]
            with one.write():
                one.upkeep.owe_drop(ada)
            one.upkeep.scrub()
            assert other.banks.names() == ["ada", "bob"]
            assert (other.banks.number("ada"), other.banks.number("bob")) == (ada, bob)
        assert other.banks.names() == ["bob"]


# ---------------------------------------------------------------- what goes wrong


@pytest.mark.slow
def test_a_deletion_that_was_cut_off_takes_the_name_at_the_next_opening(dsn, ring):
    key = Key.ring(ring)
    with opened(dsn, key) as memory:
        for name in (JANE, "acme/tom"):
            memory.bank(name).remember("A note.", at=NOON)
        sealed, (_, wrapped) = name_of(dsn), sealed_rows(dsn)
        kept = ring.rename(ring.with_name("away"))
        with pytest.raises(ErasurePending, match="tried again"):
            memory.delete_bank(JANE)
        assert memory.banks() == ["acme/tom"]
    kept.rename(ring)
    with opened(dsn, key) as memory:
        assert memory.engine.store.upkeep.leftovers() == []
        assert opens_name(key, wrapped, sealed) is None
        assert memory.banks() == ["acme/tom"]
        assert verify(memory).sound


@pytest.mark.parametrize(
    "broken", ["UPDATE hippocampus.banks SET checksum = ''",
               "UPDATE hippocampus.settings SET checksum = '' WHERE key = 'salt'"],
)  # fmt: skip
def test_a_damaged_name_or_setting_is_not_lost_with_the_key_of_the_store(dsn, ring, broken):
    with closing(open_store(dsn, busy_timeout_s=5, key=Key.ring(ring))) as store:
        ada, _ = new_bank(store, "ada"), new_bank(store, "bob")
        with store.write():
            store.settings.put("salt", "of this store")
        with store.write():
            store.upkeep.owe_drop(ada)
        before = sealed_rows(dsn)[1]["key 0"]
        with psycopg.connect(dsn, autocommit=True) as db:
            db.execute(broken)
        with pytest.raises(ErasurePending, match="damaged"):
            store.upkeep.scrub()
        assert sealed_rows(dsn)[1]["key 0"] == before
        assert store.upkeep.leftovers()


@pytest.mark.slow
def test_a_ring_that_cannot_be_written_leaves_the_erasure_pending_and_the_store_open(dsn, ring):
    with opened(dsn, Key.ring(ring)) as memory:
        bank, erased = remember_and_erase(memory)
        kept = ring.rename(ring.with_name("away"))
        with pytest.raises(ErasurePending, match="tried again"):
            bank.forget(erased, erase=True)
        assert len(bank.episodes()) == 30
        assert memory.engine.store.upkeep.owes_scrub()
    kept.rename(ring)
    with opened(dsn, Key.ring(ring)) as memory:  # opening it finishes what is owed
        assert memory.engine.store.upkeep.leftovers() == []
        assert verify(memory, residue=WORDS).sound


def test_a_ring_opens_the_store_wherever_a_renewal_was_cut_off(dsn, ring):
    with closing(open_store(dsn, busy_timeout_s=5, key=Key.ring(ring))) as store:
        bank = new_bank(store, episodes=2)
    add_to_ring(ring)  # and then the process died, before it committed
    with closing(open_store(dsn, busy_timeout_s=5, key=Key.ring(ring))) as store:
        with store.write(bank):
            store.upkeep.owe_scrub(bank)
        store.upkeep.scrub()
        assert len(read_ring(ring)) == 1
    add_to_ring(ring)
    with closing(open_store(dsn, busy_timeout_s=5, key=Key.ring(ring))) as store:
        assert store.episodes.count(bank) == 2


def test_a_lost_key_is_told_without_destroying_anything(dsn, ring, tmp_path):
    with closing(open_store(dsn, busy_timeout_s=5, key=Key.ring(ring))) as store:
        bank = new_bank(store, episodes=2)
    before = sealed_rows(dsn)
    other = tmp_path / "other"
    other.write_text("another secret of another ring 00\n")
    for key in (Key.ring(other), Key.ring(tmp_path / "none"), Key.passphrase("who knows it")):
        with pytest.raises(WrongKey):
            open_store(dsn, busy_timeout_s=5, key=key)
    assert sealed_rows(dsn) == before
    with closing(open_store(dsn, busy_timeout_s=5, key=Key.ring(ring))) as store:
        assert store.episodes.count(bank) == 2
    assert os.access(ring, os.R_OK)


@pytest.mark.slow
def test_a_damaged_row_is_not_lost_with_its_key(dsn, ring):
    with opened(dsn, Key.ring(ring)) as memory:
        bank, erased = remember_and_erase(memory)
        with psycopg.connect(dsn, autocommit=True) as db:
            db.execute("UPDATE hippocampus.episodes SET checksum = '' WHERE row = 3")
        with pytest.raises(ErasurePending, match="damaged"):
            bank.forget(erased, erase=True)
        with psycopg.connect(dsn, autocommit=True) as db:
            told = db.execute("SELECT value FROM hippocampus.settings WHERE key = 'key 1'")
            assert told.fetchone()
        assert memory.engine.store.upkeep.leftovers()


@pytest.mark.slow
def test_erasures_in_two_banks_at_once_are_both_finished(dsn, ring):
    with opened(dsn, Key.ring(ring)) as one, opened(dsn, Key.ring(ring)) as two:
        banks = [one.bank("ada"), two.bank("bob")]
        ids = [[bank.remember(f"Word {n}.").id for n in range(4)] for bank in banks]
        before = sealed_rows(dsn)[1]
        start = threading.Barrier(2)

        def erase(bank, some):
            start.wait()
            for id_ in some[:3]:
                bank.forget(id_, erase=True)

        threads = [
            threading.Thread(target=erase, args=pair) for pair in zip(banks, ids, strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        store = one.engine.store
        store.upkeep.scrub()

        assert not store.upkeep.owes_scrub()
        assert [] == store.upkeep.leftovers()
        after = sealed_rows(dsn)[1]
        assert all(after[name] != before[name] for name in ("key 1", "key 2"))
        assert ["Word 3."] == [episode.text for episode in two.bank("ada").episodes()]


def test_what_two_banks_owe_is_noted_for_each(dsn):
    with closing(open_store(dsn, busy_timeout_s=5, key=KEY)) as store:
        with store.write():
            banks = [store.banks.add(name, 1) for name in ("ada", "bob")]
        for bank in banks:
            with store.write(bank):
                store.upkeep.owe_scrub(bank)
        assert banks == store.settings.owed()


# ---------------------------------------------------------------- several databases, one ring


def placed(place, places=2):
    """Return a name for a bank that is in one of several databases."""
    return next(name for name in "abcdefgh" if home(name, places) == place)


def kept_and_erased(store, ring, place):
    """Erase an episode in one database of a store; return the texts that it then opens with."""
    with opened(store, Key.ring(ring)) as memory:
        for name in (placed(0), placed(1)):
            memory.bank(name).remember(f"The note of {name}.", at=NOON)
        bank = memory.bank(placed(place))
        bank.forget(bank.remember(WORDS, at=NOON).id, erase=True)
        assert memory.engine.store.upkeep.leftovers() == []
    with opened(store, Key.ring(ring)) as memory:
        return [e.text for name in memory.banks() for e in memory.bank(name).episodes()]


@pytest.mark.slow
@pytest.mark.parametrize("place", [0, 1])
def test_an_erasure_in_one_of_several_databases_leaves_the_others_their_key(database, ring, place):
    former = read_ring(ring)
    store = [database(), database()]
    notes = sorted(f"The note of {placed(one)}." for one in (0, 1))
    assert sorted(kept_and_erased(store, ring, place)) == notes
    (line,) = read_ring(ring)
    assert line not in former


@pytest.mark.slow
@pytest.mark.parametrize("place", [0, 1])
def test_a_file_beside_a_database_follows_when_the_ring_is_renewed(database, ring, tmp_path, place):
    store = [str(tmp_path / "one.db"), database()][:: 1 if place else -1]
    notes = sorted(f"The note of {placed(one)}." for one in (0, 1))
    assert sorted(kept_and_erased(store, ring, place)) == notes
    assert len(read_ring(ring)) == 1


def test_files_that_share_a_ring_leave_it_as_it_is(ring, tmp_path):
    former = read_ring(ring)
    assert len(kept_and_erased([tmp_path / "a.db", tmp_path / "b.db"], ring, 1)) == 2
    assert read_ring(ring) == former


@pytest.mark.slow
def test_a_ring_keeps_its_lines_while_a_database_is_not_opened_by_it(database, ring, tmp_path):
    (tmp_path / "other").write_text("another secret of sixteen bytes or more")
    first, second = database(), database()
    with opened([first, second], Key.ring(ring)) as memory:
        bank = memory.bank(placed(1))
        ids = [bank.remember(f"{n} herons.", at=NOON).id for n in range(3)]
        encryption.add_key(first, key=Key.ring(ring), new=Key.file(tmp_path / "other"))
        bank.forget(ids[0], erase=True)  # it waits for a key that nobody has destroyed
        assert "encryption rotate" in memory.engine.store.upkeep.leftovers()[0]
    with opened([first, second], Key.ring(ring)) as memory:
        bank = memory.bank(placed(1))
        encryption.rotate(first, key=Key.ring(ring), new=Key.file(tmp_path / "other"))
        with pytest.raises(ErasurePending, match="does not open"):
            bank.forget(ids[1], erase=True)
        encryption.rotate(first, key=Key.file(tmp_path / "other"), new=Key.ring(ring))
    with opened([first, second], Key.ring(ring)) as memory:
        assert [e.text for e in memory.bank(placed(1)).episodes()] == ["2 herons."]
        assert memory.engine.store.upkeep.leftovers() == []
    assert len(read_ring(ring)) == 1


@pytest.mark.slow
def test_who_does_not_know_of_a_database_takes_nothing_out_of_the_ring(database, ring):
    first, second = database(), database()
    with opened(first, Key.ring(ring)) as before:
        erased = before.bank("ada").remember(WORDS, at=NOON).id
        with opened([first, second], Key.ring(ring)) as memory:
            memory.bank(placed(1)).remember("The note of another.", at=NOON)
        with pytest.raises(ErasurePending, match="all of them"):
            before.bank("ada").forget(erased, erase=True)
    with opened([first, second], Key.ring(ring)) as memory:  # which finishes it
        assert [e.text for e in memory.bank(placed(1)).episodes()] == ["The note of another."]
        assert memory.bank("ada").episodes() == memory.engine.store.upkeep.leftovers() == []
    assert len(read_ring(ring)) == 1


@pytest.mark.slow
def test_a_database_that_the_ring_leaves_while_it_is_added_is_refused(database, ring, monkeypatch):
    first, second, read = database(), database(), Mark.read
    with opened(first, Key.ring(ring)) as before:
        erased = before.bank("ada").remember(WORDS, at=NOON).id

        def meanwhile(store):
            monkeypatch.undo()
            before.bank("ada").forget(erased, erase=True)
            return read(store)

        monkeypatch.setattr(Mark, "read", meanwhile)
        with pytest.raises(WrongKey):
            opened([first, second], Key.ring(ring))
    with opened(first, Key.ring(ring)) as memory:
        assert memory.banks() == ["ada"]


@pytest.mark.slow
def test_a_database_that_is_not_there_keeps_the_ring_as_it_was(database, ring, monkeypatch):
    with opened([database(), database()], Key.ring(ring)) as memory:
        banks = [memory.bank(placed(place)) for place in (0, 1)]
        ids = [bank.remember(WORDS, at=NOON).id for bank in banks]
        before, db = set(read_ring(ring)), memory.engine.store.shards[0].transactions

        def gone(*_):
            raise db.refuse(StoreUnreachable, "went away; nothing was acknowledged")

        with monkeypatch.context() as away:
            away.setattr(db, "write", gone)
            with pytest.raises(ErasurePending, match="went away"):
                banks[1].forget(ids[1], erase=True)
        assert before <= set(read_ring(ring))
        assert banks[1].episodes() == []
        banks[0].forget(ids[0], erase=True)  # which finishes the other's
        assert memory.engine.store.upkeep.leftovers() == []
    assert before.isdisjoint(read_ring(ring))


@pytest.mark.slow
def test_erasures_in_two_databases_at_once_lose_no_line_of_the_ring(database, ring):
    store, start = [database(), database()], threading.Barrier(2)
    opened(store, Key.ring(ring)).close()
    wrong = []

    def erase(place):
        with opened(store, Key.ring(ring)) as memory:
            bank = memory.bank(placed(place))
            ids = [bank.remember(f"{n} herons.", at=NOON).id for n in range(6)]
            start.wait()
            for one in ids[1:]:
                try:
                    bank.forget(one, erase=True)
                except ErasurePending:
                    pass
                except StoreError as exc:
                    wrong.append(exc)

    threads = [threading.Thread(target=erase, args=(place,)) for place in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    with opened(store, Key.ring(ring)) as memory:
        memory.engine.store.upkeep.scrub()
        texts = [e.text for name in memory.banks() for e in memory.bank(name).episodes()]
        assert texts == ["0 herons."] * 2
        assert memory.engine.store.upkeep.leftovers() == []
    assert len(read_ring(ring)) == 1


def test_a_key_that_was_added_meanwhile_outlives_an_erasure(dsn, ring, tmp_path):
    (tmp_path / "other").write_text("another secret of sixteen bytes or more")
    other = Key.file(tmp_path / "other")
    with opened(dsn, Key.ring(ring)) as memory:
        bank = memory.bank("ada")
        erased = bank.remember(WORDS, at=NOON).id
        encryption.add_key(dsn, key=Key.ring(ring), new=other)
        bank.forget(erased, erase=True)
    with opened(dsn, other) as memory:
        assert memory.banks() == ["ada"]


def test_a_thread_that_looked_before_has_no_line_in_use_taken_out(dsn, ring, monkeypatch):
    key = Key.ring(ring)
    with closing(open_store(dsn, busy_timeout_s=5, key=key)) as store:
        kind, alone = type(store.encryption), type(store.encryption).alone
        bank = new_bank(store, episodes=2)
        with store.write(bank):
            store.upkeep.owe_scrub(bank)
        former = sealed_rows(dsn)[1]["encryption"]
        master = open_slots(key, slots_of(former))

        @contextmanager
        def overtaken(own):
            with alone(own):
                own._take(former, master)  # what another thread has read just before
                yield

        monkeypatch.setattr(kind, "alone", overtaken)
        store.upkeep.scrub()
    monkeypatch.undo()
    with closing(open_store(dsn, busy_timeout_s=5, key=key)) as store:
        assert store.episodes.count(bank) == 2


# ---------------------------------------------------------------- what is lost with a machine


def settings_of_commits(monkeypatch):
    """Have the settings by which each renewal commits noted; return where."""
    found, put = [], SqlSettings.put_plain

    def noting(self, key, value):
        if key == HEADER:
            found.extend(self._db.rows("SELECT current_setting('synchronous_commit')"))
        put(self, key, value)

    monkeypatch.setattr(SqlSettings, "put_plain", noting)
    return found


@pytest.mark.parametrize(
    ("chosen", "used"),
    [("off", "on"), ("local", "on"), ("remote_write", "on"), ("remote_apply", "remote_apply")],
)
def test_new_keys_are_durable_before_the_ring_loses_a_line(dsn, ring, monkeypatch, chosen, used):
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute(f"ALTER DATABASE {db.info.dbname} SET synchronous_commit TO {chosen}")
    with closing(open_store(dsn, busy_timeout_s=5, key=Key.ring(ring))) as store:
        bank = new_bank(store, episodes=2)
        with store.write(bank):
            store.upkeep.owe_scrub(bank)
        found = settings_of_commits(monkeypatch)
        store.upkeep.scrub()
        assert found == [(used,)]
        assert store.transactions.rows("SELECT current_setting('synchronous_commit')") == [
            (chosen,)
        ]


@pytest.mark.slow
def test_a_machine_that_dies_once_the_ring_is_renewed_loses_no_key(ring, monkeypatch):
    if postgres_server.binaries() is None:
        pytest.skip("no PostgreSQL is installed")
    folder = Path(tempfile.mkdtemp(prefix="hippocampus-pg-"))
    folder.chmod(0o755)
    keep = Key.keep
    with postgres_server.controlled(folder) as (address, turn):
        dsn = address.format("postgres")
        with psycopg.connect(dsn, autocommit=True) as db:
            db.execute("ALTER DATABASE postgres SET synchronous_commit TO off")

        def dies(key, wanted):
            keep(key, wanted)
            turn("stop")
            turn("start")

        with opened(dsn, Key.ring(ring)) as memory:
            bank, erased = remember_and_erase(memory)
            monkeypatch.setattr(Key, "keep", dies)
            with pytest.raises(ErasurePending):
                bank.forget(erased, erase=True)
        monkeypatch.setattr(Key, "keep", keep)
        with opened(dsn, Key.ring(ring)) as memory:
            assert len(memory.bank("ada").episodes()) == 30
    shutil.rmtree(folder)


# ---------------------------------------------------------------- done, and not finished


@contextmanager
def in_the_way(dsn):
    """Hold the lock on a table that another server's VACUUM of it does."""
    with psycopg.connect(dsn) as db:
        db.execute("LOCK TABLE hippocampus.settings IN SHARE UPDATE EXCLUSIVE MODE")
        yield


@pytest.mark.parametrize("with_ring", [False, True])
def test_an_erasure_that_a_vacuum_is_in_the_way_of_is_pending_and_done(dsn, ring, with_ring):
    key, soon = Key.ring(ring) if with_ring else None, Config(busy_timeout_s=0.2)
    with Memory(dsn, embedder="none", key=key, config=soon) as memory:
        ada, store = memory.bank("ada"), memory.engine.store
        erased = ada.remember(WORDS).id
        ada.remember("The other.")
        with in_the_way(dsn):
            with pytest.raises(ErasurePending, match=r"out of every table.*locked") as told:
                ada.forget(erased, erase=True)
            assert "nothing was changed" not in str(told.value)
            assert [e.text for e in ada.episodes()] == ["The other."]
            with pytest.raises(ErasurePending):
                memory.delete_bank("ada")
            assert memory.banks() == []
            assert store.upkeep.owes_scrub()
            assert store.upkeep.leftovers()
        with in_the_way(dsn), pytest.raises(StoreLocked):
            store.upkeep.scrub()
        store.upkeep.scrub()
        assert not store.upkeep.owes_scrub()
        assert store.upkeep.leftovers() == []
        with in_the_way(dsn), pytest.raises(StoreLocked, match="nothing was changed"):
            store.upkeep.scrub(shrink=True)  # nothing was erased


@pytest.mark.slow
def test_an_erasure_that_one_database_keeps_waiting_is_finished_in_the_others(database, ring):
    store = [database(), database()]
    with Memory(
        store, embedder="none", key=Key.ring(ring), config=Config(busy_timeout_s=0.2)
    ) as memory:
        banks = [memory.bank(placed(place)) for place in (0, 1)]
        ids = [bank.remember(WORDS).id for bank in banks]
        with in_the_way(store[0]):
            for bank, one in zip(banks, ids, strict=True):
                with pytest.raises(ErasurePending):
                    bank.forget(one, erase=True)
        first, second = memory.engine.store.shards
        assert first.upkeep.owes_scrub()
        assert not second.upkeep.owes_scrub()
