"""Compaction: what is forgotten goes for good, in whole transactions, while others read."""

import random
import signal
import subprocess
import sys
import textwrap
import threading

import pytest

from hippocampus import Compacted, Config, Ingest, Turn
from hippocampus.errors import StoreReadOnly, UnknownBank, UnknownEpisode
from hippocampus.upkeep import verify

SMALL = Config(ingest=Ingest(seal_rows=8, batch=16))


def small_pieces(monkeypatch):
    """Have a segment of eight rows count as four, and a transaction compact four of it."""
    monkeypatch.setattr("hippocampus.bank.forgetting._COMPACTED_AT_ONCE", 8)
    monkeypatch.setattr("hippocampus.bank.forgetting._A_SEGMENT", 4)


def said(n):
    return f"Turn {n} speaks of {n * 7919 % 9973} and of gardens."


def fill(bank, count=200):
    return bank.remember_many([Turn(text=said(n), at="2025-03-02") for n in range(count)])


@pytest.fixture
def filled(open_memory):
    memory = open_memory(config=SMALL)
    bank = memory.bank("ada")
    return memory, bank, fill(bank)


@pytest.mark.slow
def test_what_was_forgotten_is_gone_without_a_change_to_everything_else(filled):
    memory, bank, kept = filled
    bank.correct(kept[0].id, "Turn 0 is corrected.")
    bank.forget([e.id for e in kept[1::2]])
    before = bank.episodes()
    done = bank.compact()

    assert (100, 0) == (done.forgotten, done.superseded)
    assert done.bytes_after < 0.7 * done.bytes_before
    assert sum(bank.stats().stored_bytes.values()) == done.bytes_after
    assert before == bank.episodes()
    assert (0, 1) == (bank.stats().forgotten, bank.stats().superseded)
    assert {said(n) for n in range(2, 200, 2)} <= {hit.text for hit in bank.recall("turn", k=200)}
    for n in (1, 101, 199):  # in blocks and in the tail
        assert verify(memory, residue=said(n)).sound
    assert not verify(memory, residue=said(0)).sound, "an earlier wording stays unless asked for"


def test_the_journal_says_why_what_cannot_be_restored_is_gone(filled):
    _, bank, kept = filled
    bank.forget([kept[3].id, kept[4].id])
    bank.restore(kept[4].id)
    bank.compact()

    with pytest.raises(UnknownEpisode, match="was erased"):
        bank.restore(kept[3].id)
    changes = bank.history(kept[3].id)
    assert ["remember", "forget", "erase"] == [change.kind for change in changes]
    assert {"by": "compact"} == changes[-1].detail
    assert kept[4] == bank.get(kept[4].id)


def test_earlier_wordings_go_when_asked_for(filled):
    memory, bank, kept = filled
    new = bank.correct(kept[5].id, "Turn 5 was wrong.")
    assert 0 == bank.compact().superseded
    assert 1 == bank.compact(superseded=True).superseded

    assert verify(memory, residue=said(5)).sound
    assert new.text == bank.get(new.id).text
    with pytest.raises(UnknownEpisode, match="was erased"):
        bank.get(kept[5].id)


def test_a_version_in_force_stays_though_another_of_its_chain_is_forgotten(filled):
    _, bank, kept = filled
    second = bank.correct(kept[0].id, "Turn 0 was wrong.")
    bank.forget(second.id)
    back = bank.correct(kept[1].id, said(0))  # the first wording is in force again
    assert back.id == kept[0].id

    assert 1 == bank.compact().forgotten
    assert said(0) == bank.get(kept[0].id).text


def test_a_dry_run_tells_what_would_go_without_changing_anything(filled, path):
    _, bank, kept = filled
    bank.correct(kept[0].id, "Turn 0 was wrong.")
    bank.forget([e.id for e in kept[10:20]])
    journal, raw = bank.journal(), path.read_bytes()
    size = sum(bank.stats().stored_bytes.values())

    assert Compacted(
        forgotten=10, superseded=1, bytes_before=size, bytes_after=size, dry_run=True
    ) == bank.compact(superseded=True, dry_run=True)
    assert 0 == bank.compact(dry_run=True).superseded
    assert (journal, raw) == (bank.journal(), path.read_bytes())
    assert 10 == bank.restore([e.id for e in kept[10:20]])


def test_compacting_twice_or_an_empty_bank_changes_nothing(filled):
    memory, bank, kept = filled
    bank.forget(kept[0].id)
    bank.compact()
    journal = bank.journal()
    done = bank.compact()

    assert (0, done.bytes_before) == (done.forgotten, done.bytes_after)
    assert journal == bank.journal()
    with pytest.raises(UnknownBank):
        memory.bank("nobody").compact()


def test_a_memory_that_may_not_write_may_only_ask(filled, open_memory):
    _, bank, kept = filled
    bank.forget(kept[0].id)
    there = open_memory(read_only=True, config=SMALL).bank("ada")

    assert 1 == there.compact(dry_run=True).forgotten
    with pytest.raises(StoreReadOnly):
        there.compact()


def test_compaction_reaches_what_left_its_file(open_memory, tmp_path):
    memory = open_memory(config=SMALL)
    note = tmp_path / "note.md"
    for text in ("The heron waits at the weir.", "The kingfisher came instead."):
        note.write_text(text)
        memory.bank("ada").import_(note)

    assert 1 == memory.bank("ada").compact().forgotten
    assert verify(memory, residue="The heron waits").sound


@pytest.mark.slow
def test_readers_and_writers_go_on_while_it_runs(filled, monkeypatch):
    small_pieces(monkeypatch)
    memory, bank, kept = filled
    bank.forget([e.id for e in kept[::3]])
    expected = {e.text for e in bank.episodes()}
    wrong, stop = [], threading.Event()

    def read():
        while not stop.is_set():
            seen = {e.text for e in bank.episodes(until="2025-03-02")}
            found = {hit.text for hit in bank.recall("turn gardens", k=20)}
            if seen != expected or not found <= expected or bank.count("gardens") < len(expected):
                wrong.append((seen ^ expected, found - expected))

    def write():
        n = 0
        while not stop.is_set():
            bank.remember(f"Meanwhile {n}, gardens.", at="2025-04-01")
            n += 1

    threads = [threading.Thread(target=work) for work in (read, read, write)]
    for thread in threads:
        thread.start()
    try:
        assert 67 == bank.compact().forgotten
    finally:
        stop.set()
        for thread in threads:
            thread.join(timeout=60)
    assert [] == wrong
    assert verify(memory, residue=said(0)).sound


CHILD = """
import sys
from hippocampus import Config, Ingest, Memory
from hippocampus.bank import forgetting
forgetting._COMPACTED_AT_ONCE = 8  # many transactions, of which some are done by then
forgetting._A_SEGMENT = 4
memory = Memory(sys.argv[1], embedder="hash", config=Config(ingest=Ingest(seal_rows=8, batch=16)))
bank = memory.bank("ada")
"""


def child(path, script):
    return subprocess.Popen(
        [sys.executable, "-c", CHILD + textwrap.dedent(script), str(path)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.mark.slow
def test_another_process_reads_what_it_may_while_it_runs(filled, path, monkeypatch):
    small_pieces(monkeypatch)
    _, bank, kept = filled
    bank.forget([e.id for e in kept[::2]])
    process = child(
        path,
        """
        expected = [e.text for e in bank.episodes()]
        print("ready", flush=True)
        seen = set()
        while max(seen, default=0) < 100:
            assert expected == [e.text for e in bank.episodes()]
            assert len(expected) == bank.count("gardens")
            assert bank.recall("turn gardens", k=5)
            seen.add(sum(change.kind == "erase" for change in bank.journal(after=300)))
        print(*sorted(seen))
        """,
    )
    with process:
        assert "ready\n" == process.stdout.readline()
        assert 100 == bank.compact().forgotten
        out, err = process.communicate(timeout=60)
    assert 0 == process.returncode, err
    assert {int(number) % 4 for number in out.split()} == {0}, "whole segments at a time"


def killed_in_a_compaction(path, after):
    process = child(path, "bank.compact(progress=lambda done, _: print(done, flush=True))")
    with process:
        for line in process.stdout:
            if int(line) >= after:
                process.send_signal(signal.SIGKILL)
                break


def assert_finishes(open_memory, kept, hidden):
    memory = open_memory(config=SMALL)
    bank = memory.bank("ada")
    assert [e.text for e in kept if e.id not in hidden] == [e.text for e in bank.episodes()]
    assert () == verify(memory).problems
    gone = {c.episode for c in bank.journal() if c.kind == "erase"}
    assert gone <= hidden
    if hidden - gone:
        some = min(hidden - gone)
        assert 1 == bank.restore(some), "what it had not reached is forgotten as before"
        assert 1 == bank.forget(some)
    assert len(hidden - gone) == bank.compact().forgotten
    for episode in kept:
        assert verify(memory, residue=episode.text).sound == (episode.id in hidden)
    return gone


@pytest.mark.slow
def test_killed_half_way_it_leaves_a_sound_store_in_which_it_can_be_finished(
    filled, open_memory, path
):
    memory, bank, kept = filled
    hidden = {e.id for e in kept[::4]}
    bank.forget(hidden)
    memory.close()
    killed_in_a_compaction(path, 20)
    gone = assert_finishes(open_memory, kept, hidden)

    assert 0 < len(gone) < len(hidden)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_killed_at_any_moment_it_can_be_finished(filled, open_memory, path, seed):
    memory, bank, kept = filled
    chance = random.Random(seed)  # noqa: S311
    hidden = {e.id for e in chance.sample(kept, 60)}
    bank.forget(hidden)
    memory.close()
    process = child(path, 'print("go", flush=True); bank.compact()')
    with process:
        assert "go\n" == process.stdout.readline()
        threading.Event().wait(chance.random() / 4)
        process.kill()
    assert_finishes(open_memory, kept, hidden)
