"""Killed, full, locked, crowded: afterwards the store opens and holds what was acknowledged."""

import random
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from hippocampus import Config, Ingest, Memory, Turn
from hippocampus.errors import StoreClosed, StoreError, StoreLocked, StoreReadOnly, UnknownBank
from hippocampus.upkeep import verify

BATCH = 20
TURNS = 1200
CONFIG = Config(ingest=Ingest(batch=BATCH, seal_rows=64))
IMPORTS = """
import sys
from hippocampus import Config, Ingest, Memory, Turn
config = Config(ingest=Ingest(batch=20, seal_rows=64))
def turns(count):
    return [
        Turn(text=f"Turn {n} speaks of {n * 7919 % 9973}.", session=f"s{n // 100}", at="2025-03-02")
        for n in range(count)
    ]
memory = Memory(sys.argv[1], embedder="hash", config=config)
bank = memory.bank("ada")
"""


def turns(count):
    return [
        Turn(text=f"Turn {n} speaks of {n * 7919 % 9973}.", session=f"s{n // 100}", at="2025-03-02")
        for n in range(count)
    ]


def child(path, script, *arguments):
    """Start a process that runs ``script`` with a bank at hand."""
    return subprocess.Popen(
        [sys.executable, "-c", IMPORTS + textwrap.dedent(script), str(path), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(process):
    """Return what a process printed, once it has ended well."""
    out, err = process.communicate(timeout=120)
    assert 0 == process.returncode, err
    return out


# ---------------------------------------------------------------- killed


def killed_after(path, acknowledged):
    """Run an import in another process, and kill it once so many turns are acknowledged."""
    process = child(
        path,
        f"bank.remember_many(turns({TURNS}), progress=lambda done, total: print(done, flush=True))",
    )
    with process:
        seen = next(done for done in map(int, process.stdout) if done >= acknowledged)
        process.send_signal(signal.SIGKILL)
    return seen


def assert_whole_and_repeatable(open_memory, acknowledged):
    memory = open_memory(config=CONFIG)
    bank = memory.bank("ada")
    kept = bank.episodes()

    assert acknowledged <= len(kept)
    assert 0 == len(kept) % BATCH
    assert () == verify(memory).problems
    expected = turns(TURNS)
    assert {turn.text for turn in expected[: len(kept)]} == {e.text for e in kept}
    bank.remember_many(expected)
    assert [turn.text for turn in expected] == [e.text for e in bank.episodes()]
    assert list(range(1, TURNS + 1)) == [change.seq for change in bank.journal()]
    assert () == verify(memory).problems


@pytest.mark.slow
def test_a_process_killed_in_an_import_leaves_whole_batches(path, open_memory):
    assert_whole_and_repeatable(open_memory, killed_after(path, 300))


@pytest.mark.slow
def test_a_process_killed_right_after_its_first_write_leaves_a_store_that_opens(path, open_memory):
    process = child(path, 'bank.remember("The first fact."); print("kept", flush=True); input()')
    with process:
        assert "kept\n" == process.stdout.readline()
        second = open_memory()  # while the first is still there
        assert ["The first fact."] == [e.text for e in second.bank("ada").episodes()]
        second.close()
        process.kill()

    assert ["The first fact."] == [e.text for e in open_memory().bank("ada").episodes()]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_a_process_killed_at_any_moment_of_an_import_leaves_whole_batches(path, open_memory, seed):
    acknowledged = killed_after(path, random.Random(seed).randrange(0, TURNS))  # noqa: S311
    assert_whole_and_repeatable(open_memory, acknowledged)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_a_process_killed_among_all_kinds_of_changes_leaves_a_sound_store(path, open_memory, seed):
    process = child(
        path,
        """
        import random
        ids = [e.id for e in bank.remember_many(turns(200))]
        print("ready", flush=True)
        chance = random.Random(int(sys.argv[2]))
        for n in range(10_000):
            id_ = chance.choice(ids)
            verb = chance.choice(["forget", "restore", "erase", "rebuild", "add"])
            try:
                if verb == "rebuild":
                    memory.rebuild()
                elif verb == "add":
                    ids.append(bank.remember(f"Another fact, number {n}.").id)
                elif verb == "erase":
                    ids.remove(id_)
                    bank.forget(id_, erase=True)
                else:
                    getattr(bank, verb)(id_)
            except ValueError as exc:
                print(exc)
        """,
        seed,
    )
    with process:
        assert "ready\n" == process.stdout.readline()
        threading.Event().wait(0.2 + seed / 10)
        process.kill()
    memory = open_memory(config=CONFIG)

    assert () == verify(memory).problems
    assert memory.bank("ada").recall("turn speaks", k=3)
    memory.rebuild()
    assert () == verify(memory).problems


# ---------------------------------------------------------------- crowded


@pytest.mark.slow
def test_eight_processes_that_write_to_one_bank_at_once_read_their_writes(path, open_memory):
    script = """
    me = sys.argv[2]
    for n in range(15):
        kept = bank.remember(f"Process {me} says sentence {n}.", session="talk", at="2025-03-02")
        assert kept in bank.episodes(session="talk"), "read your writes"
        assert kept.id in {hit.id for hit in bank.recall(f"process {me} sentence {n}", k=200)}
        bank.remember("All of them say this very sentence.", at="2025-03-02", session="same")
        other = memory.bank(f"own {me}")
        other.remember(f"Sentence {n} of {me} alone.", at="2025-03-02")
    other.forget([e.id for e in other.episodes()][:5])
    """
    for process in [child(path, script, me) for me in range(8)]:
        finished(process)
    memory = open_memory()
    bank = memory.bank("ada")
    talk = bank.episodes(session="talk")

    expected = {f"Process {me} says sentence {n}." for me in range(8) for n in range(15)}
    assert sorted(expected) == sorted(e.text for e in talk)
    assert list(range(120)) == sorted(e.turn for e in talk)
    assert 1 == len(bank.episodes(session="same"))
    journal = bank.journal()
    assert list(range(1, len(journal) + 1)) == [change.seq for change in journal]
    assert 121 == sum(change.kind == "remember" for change in journal)
    assert [10] * 8 == [len(memory.bank(f"own {me}").episodes()) for me in range(8)]
    assert () == verify(memory).problems


@pytest.mark.slow
def test_threads_share_a_memory_and_its_banks(memory):
    def work(me):
        for n in range(10):
            for name in ("shared", f"own {me % 2}"):
                bank = memory.bank(name)
                kept = bank.remember(f"Thread {me} says {n}.", session="talk", at="2025-03-02")
                assert kept.id in {hit.id for hit in bank.recall(f"thread {me}", k=99)}
                assert bank.context(f"thread {me}", budget_tokens=300).tokens <= 300
        return True

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(work, range(6)))
    assert 60 == len(memory.bank("shared").episodes())
    assert list(range(60)) == sorted(e.turn for e in memory.bank("shared").episodes())
    assert () == verify(memory).problems


def test_a_correction_made_elsewhere_meanwhile_is_not_overwritten(open_memory):
    one, two = (open_memory().bank("ada") for _ in range(2))
    first = one.remember("The key is under the pot.", at="2025-03-02")
    two.correct(first.id, "The key is with Tom.")
    with pytest.raises(ValueError, match="superseded"):
        one.correct(first.id, "The key is in the drawer.")

    assert ["The key is with Tom."] == [e.text for e in one.episodes()]


# ---------------------------------------------------------------- full, locked, read-only


@pytest.mark.slow
def test_writing_works_again_after_a_full_disk_that_changed_nothing(path, open_memory):
    script = """
    from hippocampus.errors import StoreFull
    from hippocampus.testing import full_disk
    from hippocampus.upkeep import verify
    bank.remember_many(turns(40))
    before = bank.journal(), bank.episodes()
    big = [Turn(text=" ".join(f"{n}x{i}" for i in range(400)), at="2025-03-03") for n in range(20)]
    with full_disk(400_000):
        for attempt in range(2):
            try:
                bank.remember_many(big)
            except StoreFull as exc:
                print("full:", exc)
            assert before == (bank.journal(), bank.episodes()), "nothing has changed"
            assert bank.recall("turn speaks", k=3)
    assert () == verify(memory).problems
    bank.remember_many(big)
    assert () == verify(memory).problems
    """
    lines = finished(child(path, script)).splitlines()

    assert ["full:", "full:"] == [line.split()[0] for line in lines]
    assert "free" in lines[0] or "grow" in lines[0]
    kept = open_memory(config=CONFIG).bank("ada").episodes(since="2025-03-03")
    big = [" ".join(f"{n}x{i}" for i in range(400)) for n in range(20)]
    assert "".join(big) == "".join(episode.text for episode in kept)


@pytest.mark.slow
def test_a_lock_held_too_long_is_an_error_for_writers_only(path, open_memory):
    bank = open_memory(config=Config(busy_timeout_s=0.1)).bank("ada")
    bank.remember("The spare key is under the blue pot.")
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    for write in (
        lambda: bank.remember("Never kept."),
        lambda: bank.forget(bank.episodes()[0].id),
        lambda: bank.correct(bank.episodes()[0].id, "Never kept."),
    ):
        with pytest.raises(StoreLocked, match="another process") as caught:
            write()
        assert isinstance(caught.value, TimeoutError)

    assert 1 == len(bank.recall("key"))
    assert 1 == len(bank.journal())
    holder.execute("ROLLBACK")
    holder.close()
    bank.remember("Kept now.")
    assert 2 == len(bank.episodes())


def test_a_memory_that_cannot_note_what_was_recalled_is_closed_all_the_same(path, open_memory):
    locked = open_memory(config=Config(busy_timeout_s=0.1))
    kept = locked.bank("ada").remember("The spare key is under the blue pot.")
    reader = open_memory(read_only=True)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    for memory in (locked, reader):
        assert memory.bank("ada").recall("key")
        memory.close()
        with pytest.raises(StoreClosed):
            memory.banks()
    holder.close()

    assert [] == open_memory().bank("ada").uses(kept.id)


def test_a_read_only_memory_answers_while_refusing_every_change(open_memory, tmp_path):
    writer = open_memory()
    kept = writer.bank("ada").remember("The spare key is under the blue pot.")
    memory = open_memory(read_only=True)
    bank = memory.bank("ada")

    assert kept.id == bank.recall("spare key")[0].id
    assert bank.context("spare key").items
    assert [kept] == bank.episodes()
    for change in (
        lambda: bank.remember("No."),
        lambda: memory.bank("new").remember("No."),
        lambda: bank.correct(kept.id, "No."),
        lambda: bank.forget(kept.id),
        lambda: bank.forget(kept.id, erase=True),
        lambda: bank.restore(kept.id),
        lambda: memory.delete_bank("ada"),
        memory.rebuild,
    ):
        with pytest.raises(StoreReadOnly):
            change()
    assert () == verify(memory).problems
    assert 1 == bank.export(tmp_path / "out.jsonl")
    writer.bank("ada").remember("It follows what others write.")
    assert 2 == len(bank.episodes())


def test_a_read_only_or_uncreated_memory_needs_a_store(path):
    for options in ({"read_only": True}, {"create": False}):
        with pytest.raises(StoreError, match=r"memory\.db"):
            Memory(path, embedder="none", **options)
        assert not path.exists()
    with pytest.raises(StoreError, match="folder"):
        Memory(path.parent / "missing" / "memory.db", embedder="none")


# ---------------------------------------------------------------- deleted banks


def test_a_deleted_bank_may_be_made_anew_with_nothing_left_of_the_old(open_memory):
    memory, other = open_memory(), open_memory()
    bank, elsewhere = memory.bank("ada"), other.bank("ada")
    bank.remember("The spare key is under the blue pot.", session="s", at="2025-03-02")
    memory.bank("tom").remember("Tom's own.")
    assert 1 == len(elsewhere.recall("key"))
    memory.delete_bank("ada")

    assert ["tom"] == memory.banks() == other.banks()
    for handle in (bank, elsewhere, memory.bank("ada")):
        assert [] == handle.episodes() == handle.journal()
        assert 0 == len(handle.recall("key"))
        with pytest.raises(UnknownBank):
            handle.stats()
    assert () == verify(memory, residue="under the blue pot").residue
    assert 0 == elsewhere.remember("Anew.", session="s", at="2025-03-02").turn
    assert ["Anew."] == [e.text for e in bank.episodes()]
    assert ["Anew."] == [hit.text for hit in bank.recall("anew key")]
    assert () == verify(memory).problems
