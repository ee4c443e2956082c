"""What goes wrong with a database is an error that says what to do, and nothing is lost."""

# ruff: noqa: PT012 - what makes a write() fail takes more than one statement

import os
import random
import subprocess
import time
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import postgres_server
import pytest
from store_samples import grow, new_bank

from hippocampus import Memory
from hippocampus.errors import (
    HippocampusError,
    NotAStore,
    StoreError,
    StoreFull,
    StoreLocked,
    StoreReadOnly,
    StoreTooNew,
    TextTooLong,
)
from hippocampus.moving import move
from hippocampus.store import open_store

psycopg = pytest.importorskip("psycopg")
pytest.importorskip("psycopg_pool")

from hippocampus.store.postgres import schema  # noqa: E402 - after the check


@pytest.fixture
def dsn(database):
    return database()


@pytest.fixture
def again(dsn):
    opened = []

    def open_(address=dsn, **options):
        opened.append(open_store(address, **{"busy_timeout_s": 5, **options}))
        return opened[-1]

    yield open_
    for one in opened:
        one.close()


def folder_of(dsn):
    return Path(parse_qs(urlsplit(dsn).query)["host"][0])


def sql(dsn, *statements):
    with psycopg.connect(dsn, autocommit=True) as db:
        for statement in statements:
            db.execute(statement)


@contextmanager
def role(dsn, name, options="LOGIN"):
    sql(dsn, f"CREATE ROLE {name} {options}")
    try:
        yield dsn.replace("user=hippo", f"user={name}")
    finally:
        sql(dsn, f"DROP OWNED BY {name}", f"DROP ROLE {name}")


# ---------------------------------------------------------------- addresses


@pytest.mark.parametrize(
    "wrong",
    [
        "postgresql://ada:secret@127.0.0.1:1/none",
        "postgresql://ada:secret@no-such-host.invalid/none",
        "postgresql://ada:secret@127.0.0.1:notaport/none",
        "postgresql://ada:secret@127.0.0.1/none?no_such_option=1",
        "postgresql://ada:secret@127.0.0.1:1/none?sslmode=sometimes",
        "postgresql://ada:secret@[127.0.0.1/none",
    ],
)
def test_an_address_that_leads_nowhere_is_told_without_its_password(wrong):
    with pytest.raises(StoreError, match=r"check|write it as") as caught:
        open_store(wrong, busy_timeout_s=1)
    assert "secret" not in str(caught.value)


def test_a_user_that_is_not_there_is_told(dsn):
    with pytest.raises(StoreError, match=r"refuses this user or password"):
        open_store(dsn.replace("user=hippo", "user=stranger"), busy_timeout_s=1)


# ---------------------------------------------------------------- rights


def test_who_may_make_no_schema_is_told_so_without_anything_made(dsn):
    with role(dsn, "guest_a") as guest, pytest.raises(StoreReadOnly, match="lacks a right"):
        open_store(guest, busy_timeout_s=1)
    with psycopg.connect(dsn) as db:
        found = db.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'hippocampus'")
        assert found.fetchone() is None


def test_who_may_not_even_look_is_told(dsn, again):
    again()
    with role(dsn, "guest_b") as guest, pytest.raises(StoreReadOnly, match="postgres grant"):
        open_store(guest, busy_timeout_s=1)


def test_who_may_not_migrate_is_told_so_without_any_change(dsn, again):
    again()
    sql(dsn, "UPDATE hippocampus.format SET format = format - 1")
    with role(dsn, "guest_c") as guest:
        sql(
            dsn,
            "GRANT USAGE ON SCHEMA hippocampus TO guest_c",
            "GRANT ALL ON ALL TABLES IN SCHEMA hippocampus TO guest_c",
        )
        with pytest.raises(StoreReadOnly, match="lacks a right"):
            open_store(guest, busy_timeout_s=1)
    with psycopg.connect(dsn) as db:
        found = db.execute("SELECT format FROM hippocampus.format").fetchone()
    assert found == (schema.FORMAT - 1,)


# ---------------------------------------------------------------- what is there already


def test_tables_of_somebody_else_are_left_alone(dsn):
    sql(
        dsn,
        "CREATE SCHEMA hippocampus",
        "CREATE TABLE hippocampus.banks (theirs TEXT)",
        "INSERT INTO hippocampus.banks VALUES ('a row')",
    )
    with pytest.raises(NotAStore, match="name another database"):
        open_store(dsn, busy_timeout_s=1)
    with psycopg.connect(dsn) as db:
        assert db.execute("SELECT theirs FROM hippocampus.banks").fetchall() == [("a row",)]


def test_a_table_of_another_kind_by_our_name_is_left_alone(dsn):
    sql(dsn, "CREATE SCHEMA hippocampus", "CREATE TABLE hippocampus.format (paper TEXT)")
    with pytest.raises(NotAStore, match="name another database"):
        open_store(dsn, busy_timeout_s=1)


def test_a_store_of_a_newer_version_says_so_without_losing_anything(dsn, again):
    bank = new_bank(again(), episodes=2)
    sql(dsn, "UPDATE hippocampus.format SET format = 99")
    for read_only in (False, True):
        with pytest.raises(StoreTooNew):
            open_store(dsn, busy_timeout_s=1, read_only=read_only)
    with psycopg.connect(dsn) as db:
        told = db.execute("SELECT COUNT(*) FROM hippocampus.episodes WHERE bank = %s", (bank,))
        assert told.fetchone() == (2,)


# ---------------------------------------------------------------- limits


@pytest.mark.slow
def test_a_statement_that_takes_too_long_is_undone_with_an_error(dsn, again):
    store = again()
    bank = new_bank(store, episodes=2)
    slow = again(f"{dsn}&options=-cstatement_timeout%3D200")
    with pytest.raises(StoreLocked, match="statement_timeout"), slow.write(bank):
        grow(slow, bank, 1)
        slow.transactions.rows("SELECT pg_sleep(5)")
    assert store.episodes.count(bank) == 2
    with slow.write(bank):
        grow(slow, bank, 1)
    assert store.episodes.count(bank) == 3


def test_the_lack_of_a_free_connection_is_an_error_until_there_is_one(dsn, again):
    again()
    with role(dsn, "crowd", "LOGIN CONNECTION LIMIT 1") as crowded:
        sql(
            dsn,
            "GRANT USAGE ON SCHEMA hippocampus TO crowd",
            "GRANT ALL ON ALL TABLES IN SCHEMA hippocampus TO crowd",
        )
        with (
            closing(psycopg.connect(crowded)),
            pytest.raises(StoreLocked, match="no connection left"),
        ):
            open_store(crowded, busy_timeout_s=1)
        deadline = time.monotonic() + 10
        while True:
            try:
                open_store(crowded, busy_timeout_s=1).close()
                break
            except StoreLocked:  # the server takes a moment to see that one has left
                assert time.monotonic() < deadline


@pytest.mark.slow
def test_a_server_at_max_connections_is_told_while_the_store_is_open(dsn, again):
    store = again(busy_timeout_s=1)
    bank = new_bank(store, episodes=1)
    kept = []
    try:
        with pytest.raises(psycopg.OperationalError, match=r"too many clients|connection slots"):
            while True:
                kept.append(psycopg.connect(dsn))
        with pytest.raises(StoreLocked, match="no connection left"):
            open_store(dsn, busy_timeout_s=1)
        with store.write(bank):  # the connection that it has is enough
            grow(store, bank, 1)
    finally:
        for one in kept:
            one.close()
    assert store.episodes.count(bank) == 2


@contextmanager
def small_disk(folder, megabytes):
    """A file system of so many megabytes; the test is skipped where nobody may mount one."""
    folder.mkdir()
    mounted = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0777", "tmpfs", folder]
    try:
        subprocess.run(mounted, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("a small disk takes the right to mount one")
    try:
        postgres_server.as_user(folder)
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


@pytest.mark.slow
def test_a_full_disk_is_told_without_losing_what_was_there(dsn):
    with small_disk(folder_of(dsn) / "small", 14) as small:
        full = dsn.replace("///store", "///full")
        name = urlsplit(full).path[1:]
        with psycopg.connect(dsn, autocommit=True) as db:
            db.execute(f"CREATE TABLESPACE small LOCATION '{small}'")
            db.execute(f"CREATE DATABASE {name} TABLESPACE small")
        try:
            with closing(open_store(full, busy_timeout_s=5)) as store:
                bank, kept = new_bank(store, episodes=3), b""
                with pytest.raises(StoreFull, match="free some space"):
                    for _ in range(100):
                        more = os.urandom(500_000)
                        with store.write(bank):
                            store.payloads.put(bank, "content", [(0, more)])
                        kept = more
                assert store.episodes.count(bank) == 3
                assert store.payloads.read(bank, "content", [0]) == {0: kept}
                assert store.upkeep.check() == []
                larger = ["mount", "-o", "remount,size=40m", small]
                subprocess.run(larger, check=True, capture_output=True)
                with store.write(bank):
                    grow(store, bank, 1)
                assert store.episodes.count(bank) == 4
        finally:
            with psycopg.connect(dsn, autocommit=True) as db:
                db.execute(f"DROP DATABASE {name} WITH (FORCE)")
                db.execute("DROP TABLESPACE small")


# ---------------------------------------------------------------- standbys


@pytest.mark.slow
def test_a_standby_answers_while_saying_where_to_write(dsn, again):
    store, folder = again(), folder_of(dsn)
    bank = new_bank(store, episodes=3)
    postgres_server.take_copy(folder, folder / "standby", standby=True)
    with postgres_server.running_copy(folder, folder / "standby") as place:
        standby = dsn.replace(str(folder), str(place))
        with closing(open_store(standby, busy_timeout_s=5)) as other:
            assert other.episodes.count(bank) == 3
            told = pytest.raises(StoreReadOnly, match="write through the primary")
            with told, other.write(bank):
                grow(other, bank, 1)
            with pytest.raises(StoreReadOnly, match="write through the primary"):
                new_bank(other, "bob")
            assert other.upkeep.check() == []
        with Memory(standby, embedder="none", read_only=True) as memory:
            assert memory.banks() == ["ada"]
            with pytest.raises(StoreReadOnly):
                memory.bank("tom").remember("A note.")
        with store.write(bank):
            grow(store, bank, 1)
        with closing(open_store(standby, busy_timeout_s=5, read_only=True)) as other:
            deadline = time.monotonic() + 20
            while other.episodes.count(bank) < 4:
                assert time.monotonic() < deadline, "the standby does not follow"
                time.sleep(0.02)
    assert store.episodes.count(bank) == 4


@pytest.mark.slow
def test_a_standby_without_a_store_makes_none(dsn):
    folder = folder_of(dsn)
    postgres_server.take_copy(folder, folder / "blank", standby=True)
    with (
        postgres_server.running_copy(folder, folder / "blank") as place,
        pytest.raises(StoreReadOnly, match="write through the primary"),
    ):
        open_store(dsn.replace(str(folder), str(place)), busy_timeout_s=5)


# ---------------------------------------------------------------- others


def test_a_bank_that_was_dropped_while_hot_elsewhere_is_gone_there_too(dsn):
    with Memory(dsn, embedder="none") as one, Memory(dsn, embedder="none") as other:
        one.bank("ada").remember("The spare key is under the blue pot.")
        assert other.bank("ada").recall("Where is the spare key?").hits
        one.delete_bank("ada")
        assert other.bank("ada").recall("Where is the spare key?").hits == ()
        assert other.banks() == []
        other.bank("ada").remember("The shed has a new lock.")
        assert [e.text for e in one.bank("ada").episodes()] == ["The shed has a new lock."]


def test_a_bank_that_is_dropped_before_a_write_elsewhere_stays_dropped(again):
    one, other = again(), again()
    bank = new_bank(one, episodes=2)
    with one.write():
        one.banks.drop(bank)
    with pytest.raises(StoreError, match="the bank was dropped"), other.write(bank):
        grow(other, bank, 1)
    assert one.banks.names() == other.banks.names() == []
    assert one.upkeep.check() == []


def test_every_error_of_a_server_is_one_of_ours(again):
    store = again()
    for statement in (
        "SELECT 1 / 0", "SELECT no_such()", "SELECT * FROM nowhere", "SELECT 'x'::integer",
    ):  # fmt: skip
        with pytest.raises(HippocampusError):
            store.transactions.rows(statement)
    assert store.banks.names() == []


LONG = "".join(random.Random(7).choices("abcdefghijklmnopqrstuvwxyz0123456789", k=4000))  # noqa: S311


@pytest.mark.parametrize("label", ["session", "source"])
def test_a_label_that_postgresql_cannot_index_is_refused_as_too_long(dsn, label):
    with Memory(dsn, embedder="none") as memory:
        with pytest.raises(TextTooLong, match=r"2 700 bytes.* give a shorter"):
            memory.bank("ada").remember("The key is here.", **{label: LONG})
        assert memory.bank("ada").remember("The key is there.", **{label: LONG[:2000]})


def test_a_bank_with_such_a_label_is_not_moved_and_the_others_are(dsn, tmp_path):
    with Memory(tmp_path / "a.db", embedder="none") as memory:
        memory.bank("bad").remember("The key is here.", source=LONG)
        memory.bank("good").remember("The key is there.")

    told = {one.bank: one for one in move(tmp_path / "a.db", dsn).banks}

    assert {"bad": "refused", "good": "copied"} == {one: told[one].outcome for one in told}
    assert "give a shorter" in told["bad"].problem
