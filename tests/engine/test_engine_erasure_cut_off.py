"""An erasure that is cut off after it was decided is finished by whoever comes next."""

import os
import resource
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from hippocampus import Config, Memory
from hippocampus.core.files import writing
from hippocampus.errors import ErasurePending, StoreFull, UnknownEpisode
from hippocampus.store import SqliteStore
from hippocampus.testing import full_disk

SECRETS = [b"marzipan", b"Zqspeaker", b"zqsession", b"zqmetadata", b"zqsource"]
CUT_OFF = """
import os, sys
from hippocampus import Config, Memory
from hippocampus.store.upkeep import SqliteUpkeep

SqliteUpkeep.scrub = lambda self, **_: os._exit(9)
memory = Memory(sys.argv[1], embedder="hash")
memory.bank("ada").forget(sys.argv[2], erase=True)
"""


@pytest.fixture
def secret(memory, path):
    """Return what is to be erased, beside others, in a store that is closed."""
    bank = memory.bank("ada")
    for number in range(40):
        bank.remember(f"Number {number} is no secret.", session="s")
    said = bank.remember(
        "The code is marzipan.", speaker="Zqspeaker", session="zqsession", source="zqsource.txt",
        metadata={"k": "zqmetadata"},
    )  # fmt: skip
    bank.recall("marzipan")
    memory.close()
    assert left(path)
    return said.id


def left(path):
    """Return which secrets are in the raw bytes of the store's files."""
    raw = b"".join(file.read_bytes() for file in path.parent.glob(f"{path.name}*"))
    return [word for word in SECRETS if word.lower() in raw.lower()]


@pytest.mark.slow
def test_after_a_kill_before_the_file_was_rewritten_the_next_opening_does_it(secret, path):
    done = subprocess.run([sys.executable, "-c", CUT_OFF, path, secret], check=False)
    assert 9 == done.returncode
    assert left(path)

    with Memory(path, embedder="hash") as memory:
        assert not memory.engine.store.upkeep.owes_scrub()
        assert [] == memory.engine.store.upkeep.leftovers()
        assert 40 == len(memory.bank("ada").episodes(limit=None))
    assert [] == left(path)


def test_an_erasure_that_an_older_reader_holds_up_is_finished_by_asking_again(secret, path):
    reader = sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)
    with Memory(path, embedder="hash", config=Config(busy_timeout_s=0.05)) as memory:
        memory.engine.store.settings.get("salt")
        bank = memory.bank("ada")
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM episodes").fetchone()
        with pytest.raises(ErasurePending, match="out of every table"):
            bank.forget(secret, erase=True)
        assert [] == bank.find("marzipan")
        assert "an erasure waits" in memory.engine.store.upkeep.leftovers()[0]

        reader.close()
        with pytest.raises(UnknownEpisode, match="was erased"):
            bank.forget(secret, erase=True)
        assert not memory.engine.store.upkeep.owes_scrub()
    assert [] == left(path)


def test_an_erasure_without_room_to_rewrite_the_file_is_finished_by_closing(secret, path):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    memory = Memory(path, embedder="hash")
    bank = memory.bank("ada")
    bank.recall("marzipan")
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size // 2, before[1]))
        with pytest.raises(ErasurePending, match="cannot grow") as pending:
            bank.forget(secret, erase=True)
        assert "Free some space; nothing else is to be done: the next" in str(pending.value)
        assert "rolled back" not in str(pending.value)
        assert str(pending.value).count(str(path)) == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert memory.engine.store.upkeep.owes_scrub()
    memory.close()
    assert [] == left(path)


def test_an_erasure_for_which_there_is_no_room_at_all_changes_nothing(secret, path):
    with Memory(path, embedder="hash") as memory:
        bank = memory.bank("ada")
        with full_disk(), pytest.raises(StoreFull, match=r"was rolled back: .* try again"):
            bank.forget(secret, erase=True)
        assert not memory.engine.store.upkeep.owes_scrub()
        assert secret in [one.id for one in bank.find("marzipan")]
        assert bank.forget(secret, erase=True) == 1
    assert [] == left(path)


@pytest.mark.slow
def test_a_dropped_bank_leaves_nothing_though_it_was_cut_off(secret, path):
    code = CUT_OFF.replace('bank("ada").forget(sys.argv[2], erase=True)', 'delete_bank("ada")')
    done = subprocess.run([sys.executable, "-c", code, path, secret], check=False)
    assert 9 == done.returncode

    Memory(path, embedder="hash").close()
    assert [] == left(path)


def test_of_unfinished_files_only_what_a_killed_backup_left_is_swept(secret, path):
    started = """
import os, sys, time
from hippocampus.core.files import writing
with writing(sys.argv[1]) as unfinished:
    unfinished.write_bytes(b"marzipan")
    os.utime(unfinished, (0, 0))
    print("written", flush=True)
    time.sleep(60)
"""
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", started, path.with_name(name)], stdout=subprocess.PIPE
        )
        for name in ("killed.db", "going-on.db")
    ]
    for writer in writers:
        assert b"written\n" == writer.stdout.readline()
    writers[0].kill()
    writers[0].communicate()
    assert 2 == len(list(path.parent.glob(".hippocampus-partial-*")))

    with Memory(path, embedder="hash") as memory:
        memory.bank("ada").forget(secret, erase=True)
    (still,) = path.parent.glob(".hippocampus-partial-*")
    writers[1].kill()
    writers[1].communicate()
    with Memory(path, embedder="hash") as memory:
        memory.backup(path.with_name("copy.db"))
    assert not still.exists()


def test_a_store_that_another_thread_is_writing_keeps_nobody_from_erasing(secret, path):
    # As ``encrypt`` and a restore have one for as long as a large store takes.
    with (
        writing(path.with_name("encrypted.db")) as unfinished,
        closing(SqliteStore(str(unfinished), busy_timeout_s=1)),
    ):
        os.utime(unfinished, (0, 0))
        with Memory(path, embedder="hash") as memory:
            assert 1 == memory.bank("ada").forget(secret, erase=True)
            memory.backup(path.with_name("copy.db"))
        assert unfinished.exists()
    assert left(path) == []
