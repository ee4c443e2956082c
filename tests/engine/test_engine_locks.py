"""Locks are taken in one order, no reader waits for an embedding, and nothing waits for ever."""

import json
import subprocess
import sys
import threading
from dataclasses import replace
from datetime import timedelta

import pytest

from hippocampus import Config, Ingest, Schedule, Turn
from hippocampus.encode.embed import HashEmbedder
from hippocampus.encode.terms import hash_terms
from hippocampus.engine.rebuild import drop, rebuild
from hippocampus.errors import EncoderError
from hippocampus.testing import Fails, Gate, ScriptedEmbedder
from hippocampus.upkeep import verify

SMALL = Config(ingest=Ingest(seal_rows=8, batch=8))
ROOM = {"all stay": SMALL, "none stays": replace(SMALL, resident_mb=0)}
REMARKS = [Turn(text=f"A garden remark, number {n}.", at="2025-03-02") for n in range(20)]


class Ranked:
    """A re-entrant lock that no thread may take which holds one of the same or a higher rank."""

    def __init__(self, name, rank, here):
        self.name, self.rank, self._here, self._lock = name, rank, here, threading.RLock()

    def acquire(self, *args, **options):
        here = self._here
        assert self in here.held or all(h.rank < self.rank for h in here.held), (
            f"{self.name} after {[h.name for h in here.held]}"
        )
        got = self._lock.acquire(*args, **options)
        if got:
            here.held.append(self)
            here.ever.add(self.name)
        return got

    def release(self):
        self._here.held.remove(self)
        self._lock.release()

    def __enter__(self):
        self.acquire()

    def __exit__(self, *_):
        self.release()

    def together(self):
        return self


class Here(threading.local):
    """What this thread holds, and what it ever held."""

    def __init__(self, banks):
        self.held, self.ever = [], set()
        self.banks = banks
        """Which would be others of the same names, and with other locks, if nobody held them."""


def ranked(memory, names):
    """Give every lock of a memory its rank; return what is held of them."""
    here = Here([memory.bank(name) for name in names])
    for bank in here.banks:
        bank.state.writing, bank.state.following = (
            Ranked("writing", 1, here),
            Ranked("following", 2, here),
        )
    memory.engine.embedder_lock = Ranked("moving", 3, here)
    memory.engine.store.transactions.gate = Ranked("store", 4, here)
    memory.engine.bank_cache._lock, memory.engine.segments._lock = (
        Ranked("hot", 5, here),
        Ranked("texts", 6, here),
    )
    return here


@pytest.mark.slow
@pytest.mark.parametrize("room", ROOM)
@pytest.mark.parametrize("where", [":memory:", "memory.db"])
def test_every_verb_takes_its_locks_in_one_order(open_memory, tmp_path, where, room):
    memory = open_memory(where, config=ROOM[room])
    here = ranked(memory, ["ada", "copy", "tom"])
    bank = memory.bank("ada")
    kept = bank.remember_many(REMARKS)
    memory.bank("tom").remember("The key is under the pot.")
    moved = bank.correct(kept[0].id, "A remark on gardens.")
    bank.correct(moved.id, kept[0].text)
    bank.forget(kept[1].id)
    bank.restore(kept[1].id)
    bank.forget(kept[2].id, erase=True)
    bank.forget(kept[4].id)
    bank.compact()
    assert bank.recall("garden")
    assert bank.context("garden", 300, recent=2).text
    assert bank.get(kept[3].id)
    assert bank.episodes()
    assert bank.find("garden", "remark")
    assert bank.count("garden")
    assert bank.trend("garden")
    assert [] == bank.facts("garden") + bank.entities()
    assert bank.history(kept[0].id)
    assert bank.journal()
    assert bank.stats()
    bank.export(tmp_path / "out.jsonl")
    memory.bank("copy").import_(tmp_path / "out.jsonl")
    memory.bank("tom").import_(tmp_path / "out.jsonl")
    note = tmp_path / "note.md"
    for text in ("The first wording.", "The second wording."):
        note.write_text(text)
        bank.import_(note)
    memory.rebuild()
    memory.rebuild(banks=["tom", "ada"])
    memory.rebuild(embedder=HashEmbedder(64))
    assert () == verify(memory).problems
    memory.delete_bank("copy")

    assert {"writing", "following", "moving", "store", "hot", "texts"} == here.ever
    assert [] == here.held


def test_a_bank_answers_while_the_index_of_another_is_made(open_memory):
    memory = open_memory()
    bank = memory.bank("ada")
    bank.remember("The key is under the pot.")
    made, done = threading.Event(), threading.Event()

    def make():
        with memory.engine.embedder_lock.together():  # as whoever erases has the index made anew
            made.set()
            done.wait(10)

    maker = threading.Thread(target=make)
    maker.start()
    assert made.wait(10)
    memory.bank("tom").remember("Something, so that readers look what is new.")
    answer = []
    reader = threading.Thread(target=lambda: answer.append(bank.recall("Where is the key?")))
    reader.start()
    reader.join(5)
    found = list(answer)
    done.set()
    maker.join()
    reader.join()
    assert "pot" in found[0][0].text


@pytest.mark.slow
def test_calibration_takes_its_locks_in_the_same_order(open_memory):
    memory = open_memory(":memory:", config=SMALL)
    here = ranked(memory, ["ada"])
    memory.bank("ada").remember_many(REMARKS)
    memory.calibrate()

    assert memory.bank("ada").recall("garden")
    assert [] == here.held


@pytest.mark.slow
@pytest.mark.parametrize("room", ROOM)
def test_every_verb_of_sleep_takes_its_locks_in_the_same_order(open_memory, room):
    memory = open_memory(":memory:", config=ROOM[room])
    here = ranked(memory, ["ada"])
    bank = memory.bank("ada")
    first, second, *_ = [kept.id for kept in bank.remember_many(REMARKS)]
    bank.pin(first)
    bank.unpin(first)
    bank.hold(second, reason="a case")
    bank.release(second)
    bank.feedback(first, helpful=True)
    bank.set_policy("adaptive:50")
    assert bank.recall("garden")
    bank.note_recalls()
    assert bank.sleep(dry_run=True)
    assert bank.sleep()
    assert bank.sleep_if_due(Schedule()) is None
    assert bank.gists() is not None
    assert bank.context("garden", 300, gists=2).text
    bank.undo(1)
    assert bank.sleeps()
    assert bank.quarantine() == []
    assert [] == memory.sleep_if_due()
    assert bank.related(first) is not None
    with memory.sleeping(look_every_s=0.001):
        assert bank.recall("garden")

    assert {"writing", "following", "store"} <= here.ever
    assert [] == here.held


STRESS = """
import faulthandler, json, sys, threading, time
from pathlib import Path
from hippocampus import Config, Ingest, Memory, Turn
from hippocampus.encode.embed import HashEmbedder
from hippocampus.upkeep import verify

faulthandler.dump_traceback_later(60, exit=True)  # a deadlock shows where, and ends
where, folder, most = sys.argv[1], Path(sys.argv[2]), json.loads(sys.argv[3])
how = Config(ingest=Ingest(seal_rows=8, batch=4), resident_mb=most)
memory = Memory(where, embedder="hash", config=how)
wrong = []

def often(verb, *arguments):
    def run():
        try:
            for n in range(8):
                verb(memory.bank(("ada", "tom")[n % 2]), n, *arguments)
        except BaseException as exc:
            wrong.append(exc)
            raise
    return run

def remember(bank, n, who):
    said = [f"Number {n}, part {p}, of {who}." for p in range(6)]
    bank.remember_many([Turn(text=text, session=who) for text in said])

def ask(bank, n):
    bank.recall(f"number {n}")
    bank.find("number", "part", limit=3)
    bank.context(f"part {n}", 300, recent=2)

def change(bank, n):
    kept = bank.remember(f"This will be changed, number {n}.")
    moved = bank.correct(kept.id, f"This was changed, number {n}.")
    bank.forget(moved.id)
    bank.restore(moved.id)
    bank.forget(moved.id, erase=n % 4 == 0)

def come_and_go(bank, n):
    note = folder / "note.md"
    note.write_text(f"The note says {n}.")
    bank.import_(note)
    bank.export(folder / "out.jsonl", overwrite=True)
    bank.import_(folder / "out.jsonl")

work = [often(remember, "Ada"), often(remember, "Tom"), often(ask), often(change),
        often(come_and_go)]
threads = [threading.Thread(target=run, daemon=True) for run in work]
for thread in threads:
    thread.start()
moves = 0
while any(thread.is_alive() for thread in threads) or moves < 4:
    memory.rebuild(embedder=HashEmbedder((64, 256)[moves % 2]))
    moves += 1
    time.sleep(0.02)
assert not wrong, wrong
assert () == verify(memory).problems
for name in memory.banks():
    assert memory.bank(name).recall("number 3", cues=["vector"]).degraded == ()
memory.close()
print("sound after", moves)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("where", "most"),
    [
        pytest.param(":memory:", None, marks=pytest.mark.slow),
        pytest.param("memory.db", None, marks=pytest.mark.slow),
        pytest.param("memory.db", 0, marks=pytest.mark.slow),
        ("memory.db", 0.1),
    ],
)
def test_threads_that_read_and_write_while_the_store_is_rebuilt_all_come_to_an_end(
    tmp_path, where, most
):
    where = where if where == ":memory:" else str(tmp_path / where)
    done = subprocess.run(
        [sys.executable, "-c", STRESS, where, str(tmp_path), json.dumps(most)],
        capture_output=True, text=True, check=False, timeout=90,
    )  # fmt: skip

    assert "sound after" in done.stdout, done.stderr


# ---------------------------------------------------------------- while something is encoded


WRITERS = {
    "remember": lambda bank, _: bank.remember("The train leaves at ten."),
    "correct": lambda bank, _: bank.correct(bank.episodes()[0].id, "The ferry leaves at ten."),
    "import of a file": lambda bank, folder: bank.import_(folder / "note.md"),
    "import of an export": lambda bank, folder: bank.import_(folder / "out.jsonl"),
    "rebuild": lambda bank, _: rebuild(bank.state.engine),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_no_read_waits_for_another_thread_that_is_embedding(open_memory, tmp_path, writer):
    gate = Gate(opened=True)
    memory = open_memory(embedder=ScriptedEmbedder(on_passages=gate))
    (tmp_path / "note.md").write_text("The bus leaves at eleven.")
    memory.bank("other").remember("The tram leaves at noon.")
    memory.bank("other").export(tmp_path / "out.jsonl")
    bank = memory.bank("ada")
    kept = bank.remember("The ferry leaves at nine.")
    gate.go.clear()
    gate.asked.clear()
    thread = threading.Thread(target=WRITERS[writer], args=(bank, tmp_path))
    thread.start()
    try:
        assert gate.asked.wait(timeout=30)
        assert kept == bank.recall("ferry")[0].episode
        assert kept == bank.get(kept.id)
        assert [kept] == bank.episodes()
        assert 1 == bank.stats().episodes == len(bank.journal())
    finally:
        gate.go.set()
        thread.join(timeout=30)
    assert not thread.is_alive()
    assert () == verify(memory).problems


def test_what_is_erased_while_a_rebuild_embeds_it_does_not_come_back(open_memory):
    there = open_memory().bank("ada")

    def erase(_):
        if there.episodes():
            there.forget(there.episodes()[0].id, erase=True)

    here = open_memory(config=SMALL)
    there.remember("The safe opens with marzipan.")
    assert {"ada": 0} == here.rebuild(embedder=ScriptedEmbedder(on_passages=erase))
    trace = hash_terms("marzipan").astype("<u4").tobytes()
    assert not any(trace in file.read_bytes() for file in here.engine.store.upkeep.files())


@pytest.mark.parametrize("other", [256, 64])
def test_a_rebuild_that_another_one_comes_between_is_still_whole(open_memory, other):
    there = open_memory(embedder="none", config=SMALL)
    here = open_memory(config=SMALL)
    bank = here.bank("ada")
    bank.remember_many(REMARKS)

    def between(done, _):
        if done == 8:
            there.rebuild(embedder=HashEmbedder(other))

    assert {"ada": 20} == here.rebuild(embedder=HashEmbedder(128), progress=between)
    assert () == verify(here).problems
    for cue in ("vector", "lexical"):
        assert REMARKS[3].text in [hit.text for hit in bank.recall(REMARKS[3].text, cues=[cue])]
    assert 0 == bank.state.take().index.without_vectors


def test_a_bank_that_comes_to_be_while_all_move_to_an_embedder_moves_as_well(open_memory):
    there, here = open_memory(), open_memory(config=SMALL)
    here.bank("ada").remember_many(REMARKS)

    def meanwhile(done, _):
        if done == 8:
            there.bank("late").remember("The dentist is on Monday.")

    done = here.rebuild(banks=["ada"], embedder=HashEmbedder(64), progress=meanwhile)
    assert {"ada": 20, "late": 1} == done
    assert 0 == here.bank("late").state.take().index.without_vectors
    assert () == verify(here).problems


def test_a_rebuild_fills_what_another_has_dropped_of_its_work(open_memory):
    here = open_memory(config=SMALL)
    here.bank("ada").remember_many(REMARKS)
    ledger = here.engine.ledger("ada")

    def drop_the_first(done, _):
        if done == 8:
            with here.engine.store.write():
                drop(ledger)

    assert {"ada": 20} == here.rebuild(progress=drop_the_first)
    assert () == verify(here).problems
    assert 0 == here.bank("ada").state.take().index.without_vectors


def test_a_first_text_not_embedded_leaves_no_bank_and_an_empty_one_is_rebuilt(open_memory):
    memory = open_memory(embedder=ScriptedEmbedder(on_passages=Fails()))
    with pytest.raises(EncoderError):
        memory.bank("ada").remember("The key is here.")
    assert {} == memory.rebuild()
    memory.bank("ada").set_policy("keep")
    assert {"ada": 0} == memory.rebuild()


# ---------------------------------------------------------------- the journal's time


def test_the_journals_time_never_goes_back_though_the_clock_does(open_memory, clock):
    memory = open_memory()
    bank = memory.bank("ada")
    kept = bank.remember("The ferry leaves at nine.")
    memory.rebuild()
    for step in (1, -48, 1, -48):
        clock.advance(timedelta(hours=step))
        bank.forget(kept.id)
        memory.rebuild()
        bank.restore(kept.id)
        kept = bank.correct(kept.id, f"The ferry leaves at {step}.")
        bank.remember(f"Another remark, {step}.", at="2025-03-02")
    times = [change.at for change in bank.journal()]

    assert sorted(times) == times
    assert kept.recorded_at == bank.history(kept.id)[-1].at
