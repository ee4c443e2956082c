"""A store's file that is not what it was: deleted, moved, replaced, or with more planted in it."""

import shutil
import sqlite3

import pytest

from hippocampus.errors import NotAStore, StoreReplaced


def gone(path):
    path.unlink()


def moved(path):
    path.rename(path.with_name("elsewhere.db"))


def replaced(path):
    shutil.copy(path, path.with_name("copy.db"))
    path.with_name("copy.db").replace(path)


def log_gone(path):
    path.with_name(f"{path.name}-wal").unlink()


def log_replaced(path):
    log = path.with_name(f"{path.name}-wal")
    log.rename(log.with_name("old"))
    log.write_bytes(b"")


@pytest.mark.parametrize("happened", [gone, moved, replaced, log_gone, log_replaced])
def test_a_write_into_a_file_without_its_name_is_not_acknowledged(memory, bank, path, happened):
    bank.remember("We met at noon.")
    happened(path)
    for _ in range(2):
        with pytest.raises(StoreReplaced, match="put the file back"):
            bank.remember("Nobody would find this.")
    with pytest.raises(StoreReplaced):
        memory.bank("another").remember("Nor this.")
    assert ["We met at noon."] == [episode.text for episode in bank.episodes()]


def test_a_file_that_comes_back_is_written_on(bank, path):
    bank.remember("We met at noon.")
    aside = path.with_name("aside.db")
    path.rename(aside)
    with pytest.raises(StoreReplaced):
        bank.remember("In between.")
    aside.rename(path)
    bank.remember("We parted at one.")

    assert 2 == len(bank.episodes())


@pytest.mark.parametrize(
    "planted",
    [
        "CREATE TRIGGER keep AFTER INSERT ON tail BEGIN DELETE FROM journal; END",
        "CREATE VIEW everything AS SELECT * FROM tail",
        "CREATE INDEX by_text ON tail (payload)",
        "CREATE TABLE stolen (payload BLOB)",
    ],
)
@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_with_more_in_it_than_a_store_is_refused_by_name(
    open_memory, path, planted, read_only
):
    open_memory().bank("ada").remember("We met at noon.")
    open_memory().close()
    db = sqlite3.connect(path, isolation_level=None)
    db.execute(planted)
    kind, name = planted.split()[1:3]
    before = path.read_bytes()
    with pytest.raises(NotAStore, match=f"holds what no store has: {kind.lower()} '{name}'"):
        open_memory(read_only=read_only)
    assert before == path.read_bytes()

    db.execute(f"DROP {kind} {name}")
    db.execute("ANALYZE")
    db.close()
    assert 1 == len(open_memory(read_only=read_only).bank("ada").episodes())
