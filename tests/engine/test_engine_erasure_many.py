"""Erasing much goes in pieces: each is short for others, and cut off, a retry does the rest."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager
from datetime import UTC, datetime

import pytest

from hippocampus import Config, Ingest, Memory, Turn
from hippocampus.core.clock import ManualClock
from hippocampus.errors import (
    ErasurePending,
    InputError,
    StoreCorrupt,
    StoreLocked,
    UnknownBank,
    UnknownEpisode,
)
from hippocampus.journal.writer import LedgerWriter
from hippocampus.store.transactions import Transactions
from hippocampus.store.upkeep import SqliteUpkeep
from hippocampus.upkeep import shrink, verify

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
SMALL = Config(ingest=Ingest(seal_rows=64))
COUNT = 900
TABLES = ("journal", "episodes", "tail", "blocks", "requests")


def said(n):
    return f"Turn {n} speaks of marzipan {n * 7919 % 9973}."


def fill(memory, name="ada", count=COUNT):
    turns = [Turn(text=said(n), at="2025-03-02", source="talk.txt") for n in range(count)]
    return [e.id for e in memory.bank(name).remember_many(turns)]


def make_filled(path):
    with Memory(path, embedder="hash", clock=ManualClock(NOON), config=SMALL) as memory:
        return fill(memory)


@pytest.fixture
def filled(copied, open_memory, path):
    ids = copied(path, make_filled)
    memory = open_memory(config=SMALL)
    return memory, memory.bank("ada"), ids


class Cut(Exception):
    """The power went."""


@contextmanager
def counting(monkeypatch, *, cut_after=None):
    """Count the rows that each transaction changes, by table; perhaps cut off at the beginning."""
    every, write, do_many = [], Transactions.write, Transactions.do_many

    @contextmanager
    def counted(self):
        if not self.writing:
            if cut_after is not None and len(every) >= cut_after:
                raise Cut
            every.append({})
        with write(self):
            yield

    def many(self, sql, rows):
        rows = list(rows)
        table = next(t for t in ("settings", *TABLES) if f" {t} " in sql)
        every[-1][table] = every[-1].get(table, 0) + len(rows)
        do_many(self, sql, rows)

    with monkeypatch.context() as patch:
        patch.setattr(Transactions, "write", counted)
        patch.setattr(Transactions, "do_many", many)
        yield every


def most(every, table):
    return max(one.get(table, 0) for one in every)


def erased(bank):
    return {c.episode for c in bank.journal() if c.kind == "erase"}


@pytest.mark.slow
@pytest.mark.parametrize("by", ["ids", "source", "compact"])
def test_no_transaction_changes_many_rows_however_many_go(filled, monkeypatch, by):
    memory, bank, ids = filled
    if by == "compact":
        bank.forget(ids)
    with counting(monkeypatch) as every:
        if by == "ids":
            assert COUNT == bank.forget(ids, erase=True)
        elif by == "source":
            assert COUNT == bank.forget(source="talk.txt", erase=True)
        else:
            assert COUNT == bank.compact().forgotten

    assert most(every, "episodes") <= 2 * 192, "each row changes its state, and is blanked"
    assert len(every) > COUNT / 192
    assert [] == bank.episodes()
    assert verify(memory, residue="marzipan").sound


def test_episodes_far_apart_go_in_more_pieces_for_each_has_a_segment_of_its_own(
    filled, monkeypatch
):
    _, bank, ids = filled
    with counting(monkeypatch) as every:
        assert 14 == bank.forget(ids[::65], erase=True)

    assert most(every, "episodes") <= 2 * 3
    assert len(every) > 14 / 3


@pytest.mark.slow
def test_an_erasure_of_many_that_is_cut_off_is_finished_by_asking_again(filled, monkeypatch):
    memory, bank, ids = filled
    with counting(monkeypatch, cut_after=2), pytest.raises(Cut):
        bank.forget(ids, erase=True)
    gone = erased(bank)
    assert 0 < len(gone) < COUNT
    assert set(ids) - gone == {e.id for e in bank.episodes(limit=None)}, "the rest is as it was"
    assert verify(memory).sound

    assert COUNT - len(gone) == bank.forget(ids, erase=True)
    assert verify(memory, residue="marzipan").sound
    assert 0 == bank.forget(ids, erase=True), "nothing is left of them"
    with pytest.raises(UnknownEpisode, match="was erased"):
        bank.forget(ids[0], erase=True)


@pytest.mark.parametrize("wrong", ["held", "a held earlier wording", "unknown"])
def test_what_is_wrong_with_one_of_many_is_said_before_any_is_erased(filled, wrong):
    _, bank, ids = filled
    named = list(ids)
    if wrong == "unknown":
        named.append("f" * 24)
    else:
        if wrong != "held":
            named[-1] = bank.correct(ids[-1], "Another wording.").id
        bank.hold(ids[-1], reason="a lawsuit")
    before = bank.journal()

    with pytest.raises(UnknownEpisode if wrong == "unknown" else InputError):
        bank.forget(named, erase=True)
    assert before == bank.journal()


@pytest.mark.slow
def test_another_bank_writes_while_many_are_erased(filled):
    memory, bank, ids = filled
    other, seen = memory.bank("tom"), []

    def step(done, _):
        other.remember(f"After {done}.")
        seen.append(done)

    bank.forget(ids, erase=True, progress=step)
    assert len(seen) > COUNT / 192
    assert COUNT == seen[-1]
    assert len(seen) == len(other.episodes(limit=None))


def test_compacting_loses_no_link_though_a_chain_is_longer_than_a_piece(open_memory, monkeypatch):
    monkeypatch.setattr("hippocampus.bank.forgetting._COMPACTED_AT_ONCE", 3)
    monkeypatch.setattr("hippocampus.bank.forgetting._A_SEGMENT", 1)
    memory = open_memory(config=SMALL)
    private, shared = memory.bank("ada"), memory.bank("project")
    texts = [f"The key is under pot {n}." for n in range(12)]
    last = private.remember(texts[0])
    for text in (*texts[1:], texts[1], "The key is lost."):  # one goes back to an earlier wording
        last = private.correct(last.id, text)
        if text == texts[2]:
            private.promote(last.id, to="project")
    assert 12 == private.compact(superseded=True).superseded

    assert 1 == private.forget(last.id, erase=True)
    assert [] == shared.episodes(), "what was promoted goes with what stands for it"


# ------------------------------------------------------------------ a whole bank


def test_no_transaction_drops_many_rows_of_a_bank(filled, monkeypatch):
    monkeypatch.setattr(
        "hippocampus.store.upkeep._DROPPED_AT_ONCE",
        {"requests": ("key", 9), "journal": ("seq", 50), "tail": ("rowid", 10),
         "blocks": ("rowid", 2), "episodes": ("row", 50)},
    )  # fmt: skip
    memory, _, _ = filled
    memory.bank("tom").remember("The heron waits.")
    with counting(monkeypatch) as every:
        memory.delete_bank("ada")

    assert {"journal": 50, "tail": 10, "blocks": 2, "episodes": 50} == {
        table: most(every, table) for table in ("journal", "tail", "blocks", "episodes")
    }
    assert ["tom"] == memory.banks()
    assert verify(memory, residue="marzipan").sound


@pytest.mark.parametrize("finish", ["the next erasure", "the next opening"])
def test_a_bank_half_dropped_is_gone_and_whoever_comes_next_finishes_it(
    filled, open_memory, monkeypatch, finish
):
    memory, _, _ = filled
    other = memory.bank("tom").remember("The heron waits.")
    with counting(monkeypatch, cut_after=3), pytest.raises(Cut):
        memory.delete_bank("ada")
    upkeep = memory.engine.store.upkeep
    assert upkeep.owes_scrub()
    assert ["tom"] == memory.banks()
    assert [] == memory.engine.store.banks.staged()
    assert [] == upkeep.check()
    with pytest.raises(UnknownBank):
        memory.delete_bank("ada")
    again = memory.bank("ada").remember("Another bank of that name.")

    if finish == "the next erasure":
        assert 1 == memory.bank("tom").forget(other.id, erase=True)
    else:
        memory.close()
        memory = open_memory(config=SMALL)
    assert not memory.engine.store.upkeep.owes_scrub()
    assert verify(memory, residue="marzipan").sound
    assert again == memory.bank("ada").get(again.id)


def test_a_bank_whose_rows_cannot_be_removed_yet_is_said_to_be_pending(filled, monkeypatch):
    memory, _, _ = filled

    def locked(*_, **__):
        raise StoreLocked("another process writes", path="m.db")

    with monkeypatch.context() as patch:
        patch.setattr(SqliteUpkeep, "_removes_some", locked)
        with pytest.raises(ErasurePending, match="in no list"):
            memory.delete_bank("ada")
    assert [] == memory.banks()
    memory.engine.finish_erasure()

    assert not memory.engine.store.upkeep.owes_scrub()
    assert verify(memory, residue="marzipan").sound


def test_a_dropped_bank_that_is_damaged_keeps_no_other_from_erasing(filled, monkeypatch):
    memory, _, _ = filled
    other = memory.bank("bob")
    kept = other.remember("The word is turmeric.")

    def damaged(*_, **__):
        raise StoreCorrupt("a page of it is damaged", path="memory.db")

    monkeypatch.setattr(SqliteUpkeep, "_removes_some", damaged)
    with pytest.raises(ErasurePending, match="a page of it is damaged"):
        memory.delete_bank("ada")
    with pytest.raises(ErasurePending, match="a page of it is damaged"):
        other.forget(kept.id, erase=True)

    (pending,) = memory.engine.store.upkeep.leftovers()  # and no page with anything left over
    assert "waits to be finished" in pending


def test_a_dropped_bank_that_has_a_name_again_is_left_alone(filled):
    memory, bank, ids = filled
    store = memory.engine.store
    number = store.banks.number("ada")
    with store.write():
        store.upkeep.owe_drop(number)
        store.banks.rename(number, "ada")
    store.upkeep.scrub()

    assert len(ids) == len(bank.episodes(limit=len(ids) + 1))


def test_a_bank_that_is_being_removed_is_in_no_backup(filled, tmp_path):
    memory, _, _ = filled
    store = memory.engine.store
    with store.write():
        store.upkeep.owe_drop(store.banks.number("ada"))
    memory.backup(tmp_path / "copy.db")

    with sqlite3.connect(tmp_path / "copy.db") as db:
        assert (0,) == db.execute("SELECT count(*) FROM episodes").fetchone()


def test_a_bank_in_which_something_is_held_is_not_dropped(filled, open_memory, monkeypatch):
    memory, bank, ids = filled
    bank.hold(ids[7], reason="a lawsuit")
    with pytest.raises(InputError, match="is held"):
        memory.delete_bank("ada")
    bank.release(ids[7])
    check = LedgerWriter.check_all_free

    def held_meanwhile(self, *, after=0):
        seen = check(self, after=after)
        if not after:
            with open_memory(config=SMALL) as another:
                another.bank("ada").hold(ids[0], reason="a lawsuit")
        return seen

    monkeypatch.setattr(LedgerWriter, "check_all_free", held_meanwhile)
    with pytest.raises(InputError, match="is held"):
        memory.delete_bank("ada")
    assert ["ada"] == memory.banks()


@pytest.mark.slow
def test_after_a_kill_amid_dropping_the_next_opening_leaves_nothing(filled, path):
    memory, _, _ = filled
    memory.close()
    code = """
import os, sys
from hippocampus import Memory
from hippocampus.store.upkeep import SqliteUpkeep
remove, calls = SqliteUpkeep._removes_some, []
def few(self, bank, **given):
    calls.append(bank)
    return os._exit(9) if len(calls) > 2 else remove(self, bank, **given)
SqliteUpkeep._removes_some = few
Memory(sys.argv[1], embedder="hash").delete_bank("ada")
"""
    done = subprocess.run([sys.executable, "-c", code, path], check=False, env=os.environ)
    assert 9 == done.returncode
    Memory(path, embedder="hash").close()

    raw = b"".join(file.read_bytes() for file in path.parent.glob(f"{path.name}*"))
    assert b"talk.txt" not in raw
    with sqlite3.connect(path) as db:
        assert (0, 0) == (
            db.execute("SELECT count(*) FROM banks").fetchone()[0],
            db.execute("SELECT count(*) FROM episodes").fetchone()[0],
        )


# ------------------------------------------------------------------ the file's size


@pytest.mark.slow
def test_compacting_a_bank_leaves_the_file_as_long_as_it_was_and_shrinking_does_not(filled, path):
    memory, bank, ids = filled
    bank.forget(ids)
    assert [] == memory.engine.store.upkeep.leftovers()
    before = path.stat().st_size
    bank.compact()
    assert path.stat().st_size >= before
    assert [] == memory.engine.store.upkeep.leftovers()

    told = shrink(memory)
    assert told[1] < told[0]
    assert path.stat().st_size < before
    with closing(sqlite3.connect(path)) as db:  # all that was free is given back
        assert (0,) == db.execute("PRAGMA freelist_count").fetchone()
    assert verify(memory, residue="marzipan").sound
