"""Processes that are killed, that crowd, that fork, that may not write."""

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from store_samples import KINDS, new_bank

from hippocampus.store import open_store

HEAD = """
import os, sys
from contextlib import closing
from hippocampus.errors import *
from hippocampus.core.records import Block
from hippocampus.store import open_store
sys.path.insert(0, sys.argv[2])
from store_samples import everything, grow, new_bank
path = sys.argv[1]
"""


def child(script, path, **options):
    return subprocess.Popen(
        [sys.executable, "-c", HEAD + script, str(path), str(Path(__file__).parent)],
        stdout=subprocess.PIPE,
        text=True,
        **options,
    )


def said(script, path, **options):
    with child(script, path, **options) as running:
        out = running.communicate(timeout=60)[0]
    assert running.returncode == 0, out
    return out.split()


# ---------------------------------------------------------------- killed

WRITE_FOR_EVER = """
store = open_store(path, busy_timeout_s=5)
bank = new_bank(store)
while True:
    with store.write():
        grow(store, bank, 3)
        done = store.episodes.count(bank)
        if done % 30 == 0:
            first = sum(count for _, count in store.payloads.block_spans(bank, "content"))
            store.payloads.put_block(bank, "content", Block(first, done - first, b"x" * 9000))
    print(done, flush=True)
"""


def kill_while_writing(path, after):
    """Kill a writer once it has acknowledged ``after`` more writes; return the last it did."""
    with child(WRITE_FOR_EVER, path) as writer:
        last = 0
        for _ in range(after):
            last = int(writer.stdout.readline())
        writer.send_signal(signal.SIGKILL)
        rest = writer.stdout.read().splitlines(keepends=True)
    return int(next((line for line in reversed(rest) if line.endswith("\n")), last))


def assert_whole(path, acknowledged):
    with closing(open_store(path, busy_timeout_s=5)) as store:
        bank = store.banks.number("ada")
        count = store.episodes.count(bank)

        assert store.upkeep.check() == []
        assert count in {acknowledged, acknowledged + 3}, "the last write wholly or not at all"
        assert count == store.journal.last_seq(bank) == len(list(store.episodes.scan(bank)))
        for kind in KINDS:
            sealed = sum(n for _, n in store.payloads.block_spans(bank, kind))
            assert list(range(sealed, count)) == [row for row, _ in store.payloads.tail(bank, kind)]


@pytest.mark.slow
def test_a_writer_killed_at_any_instant_loses_nothing_it_acknowledged(path):
    for after in (1, 7, 25):
        assert_whole(path, kill_while_writing(path, after))


@pytest.mark.slow
def test_a_writer_killed_many_times_loses_nothing_it_acknowledged(path):
    chance = random.Random(7)  # noqa: S311 - a seed, so that a failure repeats
    for _ in range(25):
        assert_whole(path, kill_while_writing(path, chance.randrange(1, 60)))


CREATE_FOR_EVER = """
import itertools
print("ready", flush=True)
for n in itertools.count():
    open_store(f"{path}.{n}", busy_timeout_s=5).close()
"""


@pytest.mark.slow
def test_a_store_whose_maker_was_killed_opens(tmp_path):
    chance = random.Random(7)  # noqa: S311 - a seed, so that a failure repeats
    for turn in range(15):
        folder = tmp_path / str(turn)
        folder.mkdir()
        with child(CREATE_FOR_EVER, folder / "s") as maker:
            maker.stdout.readline()
            time.sleep(chance.random() / 10)
            maker.send_signal(signal.SIGKILL)
        for name in {file.name.partition("-")[0] for file in folder.iterdir()}:
            with closing(open_store(folder / name, busy_timeout_s=5)) as store:
                assert store.upkeep.check() == []


# ---------------------------------------------------------------- many

CROWD = """
import time
store = open_store(path, busy_timeout_s=30)
bank = new_bank(store)
last = 0
for _ in range(int(os.environ["TURNS"])):
    with store.write():
        grow(store, bank, 2)
    with store.read():
        count = store.episodes.count(bank)
        assert count == store.journal.last_seq(bank) == len(store.journal.read(bank)), "one moment"
        assert count == len(store.payloads.tail(bank, "vector"))
        assert count >= last + 2, "what was written is read"
        last = count
store.close()
print("done")
"""


def crowd(path, processes, turns):
    environment = {**os.environ, "TURNS": str(turns)}
    with ExitStack() as closing_all:
        running = [child(CROWD, path, env=environment) for _ in range(processes)]
        for one in running:
            closing_all.enter_context(one)
        words = [one.communicate(timeout=120)[0] for one in running]
    assert words == ["done\n"] * processes
    with closing(open_store(path, busy_timeout_s=5)) as store:
        assert processes * turns * 2 == store.episodes.count(store.banks.number("ada"))
        assert store.upkeep.check() == []


@pytest.mark.slow
def test_eight_processes_share_one_store_from_its_making_on(path):
    crowd(path, 8, 5)


@pytest.mark.slow
def test_eight_processes_share_one_store_for_long(path):
    crowd(path, 8, 100)


def test_changes_notices_another_process(opened, path):
    store = opened()
    bank = new_bank(store)
    before = store.changes()
    said("store = open_store(path, busy_timeout_s=5); new_bank(store, 'bo'); store.close()", path)

    assert before != store.changes()
    assert store.banks.names() == ["ada", "bo"]
    assert bank == store.banks.number("ada")


SEIZE = """
import sqlite3
db = sqlite3.connect(path, timeout=0)
try:
    db.execute("PRAGMA journal_mode = DELETE")
    print("seized")
except sqlite3.OperationalError:
    print("locked")
"""


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"read_only": True}])
def test_opening_it_again_in_a_process_keeps_the_locks_of_the_first(opened, path, options):
    """POSIX drops a process's locks on a file when it closes any handle to it."""
    first = opened()
    new_bank(first)
    opened(**options).close()

    assert said(SEIZE, path) == ["locked"]
    first.close()
    assert said(SEIZE, path) == ["seized"]


FORK = """
store = open_store(path, busy_timeout_s=5)
bank = new_bank(store, episodes=2)
child = os.fork()
if not child:
    try:
        store.settings.get("k")
    except StoreClosed as exc:
        assert "fork" in str(exc)
        store.close()
        with closing(open_store(path, busy_timeout_s=5)) as own, own.write():
            grow(own, bank, 1)
        os._exit(0)
    os._exit(1)
assert os.waitpid(child, 0)[1] == 0
assert store.episodes.count(bank) == 3
with store.write():
    grow(store, bank, 1)
assert store.upkeep.check() == []
store.close()
print("done")
"""


def test_a_store_carried_over_a_fork_is_refused_without_stopping_the_parent(path):
    assert said(FORK, path) == ["done"]


FORKED_BY_C = """
import ctypes
store = open_store(path, busy_timeout_s=5)
bank = new_bank(store, episodes=2)
child = ctypes.PyDLL(None).fork()
if not child:
    for _ in range(2):
        try:
            open_store(path, busy_timeout_s=5)
        except StoreError as exc:
            assert "a program in C forked this process" in str(exc), exc
        else:
            os._exit(1)
    open_store(path + ".own", busy_timeout_s=5).close()
    if not os.fork():  # whoever is forked by what was forked so is barred as well
        try:
            open_store(path, busy_timeout_s=5)
        except StoreError:
            os._exit(0)
        os._exit(1)
    os._exit(os.waitstatus_to_exitcode(os.wait()[1]))
assert os.waitpid(child, 0)[1] == 0
with store.write():
    grow(store, bank, 1)
assert store.upkeep.check() == []
store.close()
print("done")
"""


def test_a_child_that_python_was_not_told_of_may_not_open_what_was_open(path):
    assert said(FORKED_BY_C, path) == ["done"]


# ---------------------------------------------------------------- refused by the system

NO_ROOM = """
import resource
store = open_store(path, busy_timeout_s=5)
bank = new_bank(store, episodes=2)
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
try:
    with store.write():
        store.payloads.put(bank, "content", [(0, os.urandom(3_000_000))])
except StoreFull as exc:
    print("full")
assert store.payloads.read(bank, "content", [0]) == {0: b"content 0"}
with store.write():
    store.settings.put("small", "fits")
store.close()
"""


def test_a_file_that_may_not_grow_is_a_full_disk_without_any_loss(opened, path):
    assert said(NO_ROOM, path) == ["full"]

    store = opened()
    assert store.settings.get("small") == "fits"
    assert store.upkeep.check() == []


NOT_ALLOWED = """
import sqlite3
import urllib.parse  # which pathlib loads when it is asked, from where nobody else may look
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
try:
    open_store(path, busy_timeout_s=1)
except StoreReadOnly as exc:
    print("refused")
try:
    with closing(open_store(path, busy_timeout_s=1, read_only=True)) as store:
        print(*store.banks.names(), store.changes())
        print("sound" if not store.upkeep.check() else "unsound")
except StoreReadOnly as exc:
    print("unreadable" if "-wal" in str(exc) else exc)
"""


@pytest.fixture
def barred():
    """
    A folder that any user may look into, to be closed to writing by the test.

    Not in pytest's, which every run of pytest that begins closes to others again.
    """
    folder = Path(tempfile.mkdtemp(prefix="hippocampus-barred-"))
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


@pytest.mark.parametrize(("file", "folder"), [(0o644, 0o555), (0o444, 0o777)])
def test_a_file_or_folder_that_cannot_be_written_is_read_only_and_readable(barred, file, folder):
    path = barred / "store.db"
    with closing(open_store(path, busy_timeout_s=5)) as store:
        new_bank(store)
    path.chmod(file)
    barred.chmod(folder)

    found = said(NOT_ALLOWED, path)
    assert found[:2] == ["refused", "ada"]
    assert found[-1] == "sound"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("CREATE TRIGGER keep AFTER INSERT ON tail BEGIN DELETE FROM journal; END", "'keep'"),
        ("DROP INDEX journal_by_row", "'journal_by_row' is missing"),
    ],
)
def test_another_schema_is_refused_where_nothing_can_be_written_as_well(barred, change, why):
    path = barred / "store.db"
    with closing(open_store(path, busy_timeout_s=5)) as store:
        new_bank(store)
    with closing(sqlite3.connect(path)) as db:
        db.execute(change)
    path.chmod(0o644)
    barred.chmod(0o555)

    assert why in " ".join(said(NOT_ALLOWED.replace("StoreReadOnly", "StoreError"), path))


def test_a_log_that_cannot_be_read_is_never_passed_over(barred):
    """Read without its log the store would answer, and lack the latest words."""
    path = barred / "store.db"
    with closing(open_store(path, busy_timeout_s=5)) as store:
        new_bank(store)
        kept = {file: file.read_bytes() for file in store.upkeep.files() if "-shm" not in file.name}
    for file, content in kept.items():
        file.write_bytes(content)
        file.chmod(0o644)
    barred.chmod(0o555)

    assert said(NOT_ALLOWED, path) == ["refused", "unreadable"]
