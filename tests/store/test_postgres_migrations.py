"""A store in PostgreSQL is brought to the newest format while others read and write it."""

import threading
import time
from contextlib import closing

import pytest
from store_samples import everything, grow, new_bank

from hippocampus.errors import StoreLocked
from hippocampus.store import open_store

psycopg = pytest.importorskip("psycopg")
pytest.importorskip("psycopg_pool")

from hippocampus.store.postgres import PostgresStore, schema  # noqa: E402 - after the check


@pytest.fixture
def dsn(database):
    return database()


@pytest.fixture
def old(dsn, monkeypatch):
    """A store of the format before, opened by the program that wrote it."""
    with monkeypatch.context() as then:
        then.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:-1])
        then.setattr(schema, "FORMAT", schema.FORMAT - 1)
        store = PostgresStore(dsn, busy_timeout_s=5)
    with closing(store):
        yield store


def test_a_store_of_the_format_before_opens_with_all_that_it_had(old, dsn):
    bank = new_bank(old, episodes=20)
    before = everything(old, bank)
    with closing(open_store(dsn, busy_timeout_s=5)) as store:
        assert everything(store, bank) == before
        assert store.upkeep.check() == []


STORAGE = (
    "SELECT attrelid::regclass::text, attstorage FROM pg_attribute JOIN pg_class c ON c.oid ="
    " attrelid WHERE relnamespace = 'hippocampus'::regnamespace AND relkind = 'r'"
    " AND (relname ~ '^episodes_' AND attname = ANY (ARRAY['metadata', 'speaker', 'address'])"
    " OR relname ~ '^journal_' AND attname = 'detail'"
    " OR relname = 'settings' AND attname = 'value')"
)


def told_as_compressed(store):
    return [told for told in store.upkeep.server_files()[1] if "before format 6" in told]


def test_words_of_a_store_are_compressed_by_the_server_no_more(old, dsn):
    new_bank(old, episodes=2)
    with closing(open_store(dsn, busy_timeout_s=5)) as store:
        told = told_as_compressed(store)
    with psycopg.connect(dsn) as db:
        found = db.execute(STORAGE).fetchall()

    assert len(found) == 3 * schema.PARTITIONS + schema.PARTITIONS + 1
    assert {storage for _, storage in found} == {"e"}
    names = [one.partition(":")[0] for one in told]
    assert names == ["table banks", "table episodes", "table journal", "table settings"]


def test_a_store_that_was_made_so_tells_of_nothing_compressed(dsn):
    with closing(open_store(dsn, busy_timeout_s=5)) as store:
        new_bank(store, episodes=2)
        assert told_as_compressed(store) == []


def test_an_older_program_that_waited_for_a_newer_one_takes_nothing_back(dsn, monkeypatch):
    with closing(open_store(dsn, busy_timeout_s=5)), psycopg.connect(dsn, autocommit=True) as db:
        with monkeypatch.context() as then:
            then.setattr(schema, "FORMAT", schema.FORMAT - 1)
            schema.migrate(db, patience_s=5)  # it found the format before, and waited

        assert schema.FORMAT == schema.find_format(db)


@pytest.mark.slow
def test_two_versions_share_a_store_while_one_of_them_migrates_it(old, dsn):
    bank, ended, rows = new_bank(old, episodes=5), threading.Event(), []

    def go_on():
        while not ended.is_set():
            with old.write(bank):
                grow(old, bank, 1)
            with old.read():
                rows.append(old.episodes.count(bank))

    writer = threading.Thread(target=go_on)
    writer.start()
    try:
        with closing(open_store(dsn, busy_timeout_s=20)) as store:
            with store.write(bank):
                grow(store, bank, 1)
            new_bank(store, "made by the new one")
            new_bank(old, "made by the old one")
            seen = len(rows)
            deadline = time.monotonic() + 10
            while len(rows) < seen + 3 and time.monotonic() < deadline:
                time.sleep(0.01)
            assert len(rows) >= seen + 3, "the old version does not write any more"
            ended.set()
            writer.join()
            assert store.episodes.count(bank) == rows[-1] == old.episodes.count(bank)
            assert store.banks.names() == ["ada", "made by the new one", "made by the old one"]
            assert store.upkeep.check() == []
    finally:
        ended.set()
        writer.join()


def test_a_writer_without_a_pause_does_not_keep_a_migration_from_its_turn(old, dsn):
    bank, ended = new_bank(old, episodes=5), threading.Event()

    def go_on():
        while not ended.is_set():
            with old.write(bank):
                grow(old, bank, 1)
                time.sleep(0.1)  # it has episodes by now, and changes the bank's row at its end

    writer = threading.Thread(target=go_on)
    writer.start()
    try:
        open_store(dsn, busy_timeout_s=10).close()
    finally:
        ended.set()
        writer.join()


@pytest.mark.slow
def test_who_reads_for_long_keeps_a_migration_waiting_and_nobody_else(old, dsn):
    bank = new_bank(old, episodes=5)
    with old.read():
        assert old.episodes.count(bank) == 5
        old.banks.names()
        slowest, ended = [], threading.Event()

        def others():
            with closing(psycopg.connect(dsn, autocommit=True)) as db:
                while not ended.is_set():
                    begun = time.monotonic()
                    db.execute("SELECT COUNT(*) FROM hippocampus.banks")
                    slowest.append(time.monotonic() - begun)
                    time.sleep(0.01)

        reader = threading.Thread(target=others)
        reader.start()
        with pytest.raises(StoreLocked, match="try again"):
            open_store(dsn, busy_timeout_s=1)
        ended.set()
        reader.join()
        assert max(slowest) < 0.9
    open_store(dsn, busy_timeout_s=5).close()
