"""No verb takes the process's locks off a store: others would delete the log under its writes."""

import multiprocessing
import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from shutil import copyfile

import pytest

from hippocampus import Memory, Schedule, Turn, upkeep
from hippocampus.bank import Bank
from hippocampus.errors import (
    HippocampusError,
    OutputExists,
    SourceError,
    StoreClosed,
    StoreError,
    WrongKey,
)
from hippocampus.salvage import salvage
from hippocampus.sleep.topic_plot import plot_topics
from hippocampus.store.sqlite import SqliteStore

LOCKS = Path("/proc/locks")
SAID = [f"Remark {n}: the garden of Tom, who lives in Porto, has {n} pears." for n in range(12)]


def locks(path):
    """Return what this process has locked of a store: (file, kind, first byte, last byte)."""
    files = {
        file.stat().st_ino: ending
        for ending in ("", "-shm")
        if (file := path.with_name(path.name + ending)).exists()
    }
    found = set()
    for line in LOCKS.read_text().splitlines():
        _, kind, _, mode, pid, place, first, last = line.split()[:8]
        inode = int(place.rpartition(":")[2])
        if kind == "POSIX" and int(pid) == os.getpid() and inode in files:
            found.add((files[inode], mode, first, last))
    return found


linux = pytest.mark.skipif(not LOCKS.exists(), reason="only Linux lists locks in /proc/locks")


def first(bank):
    return bank.episodes()[0].id


def moved(memory, bank, folder):
    bank.export(folder / "moved.jsonl", overwrite=True)
    memory.bank("copy").import_(folder / "moved.jsonl")


def with_concepts(_, bank, folder):
    bank.export_concepts(folder / "concepts.json", overwrite=True)
    bank.import_concepts(folder / "concepts.json")


def imported(_, bank, folder):
    (folder / "note.md").write_text("The bus leaves at eleven.")
    bank.import_(folder / "note.md")


def looked_through(memory, bank, folder):
    link = folder / "link.db"
    link.symlink_to(memory.engine.store.path)
    for format_ in (None, "hippocampus", "text"):
        for path in (Path(memory.engine.store.path), link):
            with suppress(HippocampusError):
                bank.import_(path, format=format_)
    bank.import_(folder)  # which the store lies in


def written_over(memory, bank, _):
    for ending in ("", "-wal", "-shm"):
        file = Path(f"{memory.engine.store.path}{ending}")
        for verb in (bank.export, bank.export_concepts, memory.backup):
            with pytest.raises((OutputExists, HippocampusError)):
                verb(file, overwrite=True)


def salvaged(memory, _, folder):
    with Memory(folder / "salvaged.db", embedder="none") as new:
        salvage(memory.engine.store.path, new)


def included(memory, bank):
    memory.bank("others").remember("The plums are ripe.")
    bank.include("others")
    assert bank.recall("Are the plums ripe?").hits


def slept_beside(memory, bank, _):
    soon, until = timedelta(microseconds=1), time.monotonic() + 30
    with Memory(memory.engine.store.path, embedder="hash") as own:  # whose clock goes on
        own.bank("ada").remember("A night passes.")
        slept = len(bank.sleeps())
        with own.sleeping(Schedule(every=soon, idle=soon), look_every_s=0.02):
            while len(bank.sleeps()) == slept and time.monotonic() < until:
                time.sleep(0.02)
        assert len(bank.sleeps()) > slept


def kept_shut(_, bank, __):
    with pytest.raises(WrongKey):
        bank.reveal(first(bank))


BANK = {
    "anchors": lambda _, b, __: b.anchors(),
    "curated": lambda _, b, __: b.curated(),
    "compact": lambda _, b, __: b.compact(),
    "context": lambda _, b, __: b.context("pears", 300),
    "count_events": lambda _, b, __: b.count_events("how often did I eat pears?"),
    "correct": lambda _, b, __: b.correct(first(b), "It has many pears."),
    "count": lambda _, b, __: b.count("pears"),
    "curate": lambda _, b, __: b.curate(add=["pear tree"]),
    "demote": lambda _, b, __: b.demote(first(b), to="below"),
    "entities": lambda _, b, __: b.entities(),
    "episodes": lambda _, b, __: b.episodes(),
    "communities": lambda _, b, __: b.communities(),
    "explain": lambda _, b, __: b.explain("the garden", ids=[first(b)]),
    "exclude": lambda m, b, _: [included(m, b), b.exclude("others")],
    "expand": lambda _, b, __: b.expand(b.gists()[0].id) if b.gists() else None,
    "export": moved,
    "export_concepts": with_concepts,
    "facts": lambda _, b, __: b.facts("Tom"),
    "feedback": lambda _, b, __: b.feedback(first(b), helpful=True),
    "find": lambda _, b, __: b.find("pears"),
    "forget": lambda _, b, __: b.forget(first(b), erase=True),
    "get": lambda _, b, __: b.get(first(b)),
    "gists": lambda _, b, __: b.gists(),
    "history": lambda _, b, __: b.history(first(b)),
    "hold": lambda _, b, __: b.hold(first(b), reason="a case"),
    "import_": imported,
    "import_concepts": with_concepts,
    "include": lambda m, b, _: included(m, b),
    "included": lambda _, b, __: b.included(),
    "journal": lambda _, b, __: b.journal(),
    "note_recalls": lambda _, b, __: b.note_recalls(),
    "people": lambda _, b, __: b.people(),
    "pin": lambda _, b, __: b.pin(first(b)),
    "plot_topics": lambda _, b, folder: plot_topics(b.topics(), folder / "topics.svg"),
    "policy": lambda _, b, __: b.policy,
    "promote": lambda _, b, __: b.promote(first(b), to="above"),
    "position": lambda _, b, __: b.position,
    "quarantine": lambda _, b, __: b.quarantine(),
    "review": lambda _, b, __: b.review(),
    "reveal": kept_shut,
    "accept": lambda _, b, __: b.accept(first(b)),
    "recall": lambda _, b, __: b.recall("pears"),
    "related": lambda _, b, __: b.related(first(b)),
    "release": lambda _, b, __: b.release(first(b)),
    "remember": lambda _, b, __: b.remember("The key is under the pot."),
    "remember_many": lambda _, b, __: b.remember_many(
        [Turn(text="One more."), Turn(text="And another.")]
    ),
    "restore": lambda _, b, __: b.restore(first(b)),
    "profile": lambda _, b, __: b.profile(),
    "compact_session": lambda _, b, __: b.compact_session("s1", 500),
    "set_profile": lambda _, b, __: b.set_profile(persona="You are kind."),
    "set_policy": lambda _, b, __: b.set_policy("adaptive:50"),
    "sleep": lambda _, b, __: b.sleep(),
    "sleep_if_due": lambda _, b, __: b.sleep_if_due(Schedule()),
    "sleeps": lambda _, b, __: b.sleeps(),
    "sessions": lambda _, b, __: b.sessions(),
    "sources": lambda _, b, __: b.sources(),
    "stats": lambda _, b, __: b.stats(),
    "summary": lambda _, b, __: b.summary(),
    "topic_outline": lambda _, b, __: b.topic_outline(),
    "topics": lambda _, b, __: b.topics(),
    "trend": lambda _, b, __: b.trend("pears"),
    "undo": lambda _, b, __: b.undo(1),
    "unpin": lambda _, b, __: b.unpin(first(b)),
    "uses": lambda _, b, __: b.uses(first(b)),
    "withdraw": lambda _, b, __: b.withdraw("note.md"),
}
MEMORY = {
    "backup": lambda m, _, folder: m.backup(folder / "backup.db"),
    "bank": lambda m, *_: m.bank("other").remember("It is Tuesday."),
    "banks": lambda m, *_: m.banks(),
    "calibrate": lambda m, *_: m.calibrate(conversations=8),
    "close": lambda m, *_: Memory(m.engine.store.path, embedder="none").close(),
    "delete_bank": lambda m, b, _: [moved(m, b, _), m.delete_bank("copy")],
    "rebuild": lambda m, *_: m.rebuild(),
    "sleep_if_due": lambda m, *_: m.sleep_if_due(),
    "sleeping": slept_beside,
}
OTHERS = {
    "verify": lambda m, *_: upkeep.verify(m),
    "verify for residue": lambda m, *_: upkeep.verify(m, residue="zebra words"),
    "doctor": lambda m, *_: upkeep.doctor(m),
    "doctor by path": lambda m, *_: upkeep.doctor(Path(m.engine.store.path)),
    "doctor --repair": lambda m, *_: upkeep.redate(m),
    "scan": lambda m, *_: upkeep.scan(m),
    "salvage": salvaged,
    "import of the store": looked_through,
    "output over the store": written_over,
}
VERBS = BANK | MEMORY | OTHERS


def verbs(*quick):
    """Return all verbs as parameters, all but some for nights."""
    slow = pytest.mark.slow
    return [pytest.param(verb, marks=() if verb in quick else slow) for verb in VERBS]


def test_every_public_verb_is_tried():
    inner = {"now", "resident_bytes"}

    assert set(BANK) == {name for name in dir(Bank) if not name.startswith("_")} - {
        "name", "now", "writing", "reading",
    }  # fmt: skip
    assert set(MEMORY) | inner == {name for name in dir(Memory) if not name.startswith("_")}


@pytest.fixture(scope="module")
def garden(tmp_path_factory):
    """Return a store whose bank has slept, to be copied."""
    file = tmp_path_factory.mktemp("garden") / "memory.db"
    with Memory(file, embedder="hash") as memory:
        bank = memory.bank("ada")
        bank.remember_many([Turn(text=text, speaker="Ada") for text in SAID])
        bank.curate(add=["pears", "garden"])
        bank.sleep()
    return file


@pytest.mark.slow
@linux
@pytest.mark.parametrize("verb", verbs(*(VERBS.keys() - {"calibrate"})))
def test_a_verb_leaves_the_process_the_locks_it_had(garden, open_memory, path, tmp_path, verb):
    copyfile(garden, path)
    memory = open_memory()
    bank = memory.bank("ada")
    assert bank.recall("pears")
    before = locks(path)
    thread = threading.Thread(target=VERBS[verb], args=(memory, bank, tmp_path))
    thread.start()
    thread.join()

    assert {"", "-shm"} == {file for file, *_ in before}, "it is open, so it is locked"
    assert before <= locks(path)


OTHER = """
import sys
from hippocampus import Memory
with Memory(sys.argv[1], embedder="hash") as memory:
    memory.bank("ada").remember(sys.argv[2])
"""


def another_process_comes_and_goes(path, text):
    subprocess.run([sys.executable, "-c", OTHER, str(path), text], check=True, timeout=60)


def texts(bank):
    return {episode.text for episode in bank.episodes()}


@pytest.mark.slow
@pytest.mark.parametrize("verb", verbs("import of the store"))
def test_nothing_acknowledged_is_lost_when_another_process_closes_after_a_verb(
    garden, open_memory, path, tmp_path, verb
):
    copyfile(garden, path)
    memory = open_memory()
    bank = memory.bank("ada")
    bank.remember("It was before.")
    VERBS[verb](memory, bank, tmp_path)
    there = texts(bank)
    another_process_comes_and_goes(path, "It was another.")
    bank.remember("It was after.")
    another_process_comes_and_goes(path, "It was another still.")
    memory.close()

    since = {"It was another.", "It was after.", "It was another still."}
    assert there | since == texts(open_memory().bank("ada"))


@pytest.mark.slow
def test_a_file_that_becomes_a_store_while_it_is_read_keeps_the_stores_locks(tmp_path):
    from hippocampus.core.files import reading

    path = tmp_path / "late.db"
    path.touch()
    with reading(path):
        memory = Memory(path, embedder="hash")
        memory.bank("ada").remember("It was before.")
    if LOCKS.exists():
        assert {"", "-shm"} == {file for file, *_ in locks(path)}
    another_process_comes_and_goes(path, "It was another.")
    memory.bank("ada").remember("It was after.")
    another_process_comes_and_goes(path, "It was another still.")
    memory.close()
    with Memory(path, embedder="hash") as memory:
        assert 4 == len(memory.bank("ada").episodes())


def test_importing_the_store_says_what_to_do_instead(open_memory, path):
    bank = open_memory().bank("ada")
    bank.remember("It was before.")
    for file in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        with pytest.raises(SourceError, match="use 'export'"):
            bank.import_(file)


# ---------------------------------------------------------------- forks

fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")


def in_a_child(run):
    """Return what ``run`` returns in a forked child, as text."""
    mine, its = multiprocessing.Pipe(duplex=False)
    child = os.fork()
    if not child:
        try:
            its.send(str(run()))
        except BaseException as exc:  # noqa: BLE001 - whatever it is, the parent is told
            its.send(f"{type(exc).__name__}: {exc}")
        finally:
            os._exit(0)
    its.close()
    try:
        return mine.recv()
    finally:
        mine.close()
        os.waitpid(child, 0)


@fork
@linux
@pytest.mark.parametrize("verb", verbs("recall", "remember", "verify for residue"))
def test_a_child_that_opens_the_store_has_locks_of_its_own(
    garden, open_memory, path, tmp_path, verb
):
    copyfile(garden, path)
    memory = open_memory()
    bank = memory.bank("ada")
    bank.remember("It was before.")
    VERBS[verb](memory, bank, tmp_path)
    there = texts(bank)

    def child():
        with Memory(path, embedder="hash") as own:
            own.bank("ada").remember("It was the child.")
            return sorted({file for file, *_ in locks(path)})

    assert "['', '-shm']" == in_a_child(child)
    bank.remember("It was after.")
    assert {"", "-shm"} == {file for file, *_ in locks(path)}
    assert there | {"It was the child.", "It was after."} == texts(bank)


PREFORKED = """
import os, sys
from hippocampus import Memory
path, closes_early = sys.argv[1], sys.argv[2] == "early"
master = Memory(path, embedder="hash")
master.bank("ada").remember("It was the master.")
assert master.bank("ada").recall("master")
go_in, go_out = os.pipe()
workers = []
for worker in range(3):
    pid = os.fork()
    if not pid:
        own = Memory(path, embedder="hash")
        for n in range(20):
            own.bank("ada").remember(f"Worker {worker} says {n}.")
            if n == 10:
                os.read(go_in, 1)
        own.close()
        os._exit(0)
    workers.append(pid)
if closes_early:
    master.close()
os.write(go_out, b"xxx")
assert all(os.waitpid(pid, 0)[1] == 0 for pid in workers)
master.close()
with Memory(path, embedder="hash") as memory:
    print(len(memory.bank("ada").episodes()), memory.engine.store.upkeep.check())
"""


@pytest.mark.slow
@fork
@pytest.mark.parametrize("closes", ["early", pytest.param("late", marks=pytest.mark.slow)])
def test_workers_of_a_server_that_forks_lose_nothing(path, closes):
    done = subprocess.run(
        [sys.executable, "-c", PREFORKED, str(path), closes],
        capture_output=True, text=True, check=False, timeout=90,
    )  # fmt: skip

    assert "61 []\n" == done.stdout, done.stderr


@fork
def test_a_child_can_write_for_its_parent_only_through_a_memory_of_its_own(open_memory, path):
    bank = open_memory().bank("ada")
    bank.remember("It was before.")

    def child():
        with pytest.raises(StoreClosed, match="cannot be carried over a fork"):
            bank.remember("It never was.")
        with Memory(path, embedder="hash") as memory:
            return memory.bank("ada").remember("It was the child.").text

    assert "It was the child." == in_a_child(child)
    assert "It was the child." == bank.recall("child")[0].text


@pytest.mark.slow
@fork
@pytest.mark.parametrize("transaction", [SqliteStore.read, SqliteStore.write])
def test_a_child_of_a_transaction_may_not_open_the_store(open_memory, path, transaction):
    memory = open_memory()
    memory.bank("ada").remember("It was before.")
    with transaction(memory.engine.store):
        said = in_a_child(lambda: Memory(path, embedder="hash"))
        other = in_a_child(lambda: Memory(path.with_name("other.db"), embedder="hash"))

    assert said.startswith(StoreError.__name__)
    assert "start this process with 'spawn'" in said
    assert other.startswith("Memory(")
    assert "Memory(" in in_a_child(lambda: Memory(path, embedder="hash")), "it has ended"
    memory.bank("ada").remember("It was after.")


@pytest.mark.slow
@fork
def test_a_fork_waits_for_the_transactions_of_other_threads(open_memory, path):
    memory = open_memory()
    memory.bank("ada").remember("It was before.")
    inside, ended = threading.Event(), threading.Event()

    def long():
        with memory.engine.store.write():
            inside.set()
            assert not ended.wait(0.3)

    thread = threading.Thread(target=long)
    thread.start()
    assert inside.wait(30)
    said = in_a_child(lambda: Memory(path, embedder="hash").bank("ada").remember("A child.").text)
    thread.join()

    assert "A child." == said
    assert 2 == len(memory.bank("ada").episodes())
