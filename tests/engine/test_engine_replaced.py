"""A store whose file was deleted, moved or replaced under it acknowledges nothing any more."""

import shutil

import pytest

from hippocampus.errors import StoreReplaced


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
