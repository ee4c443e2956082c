"""A bank whose index lies in a file answers as one whose index was made from the store."""

import os
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippocampus import Config, Fusion, Ingest, Memory, Turn
from hippocampus.core.clock import ManualClock
from hippocampus.core.key import Key
from hippocampus.errors import InputError, StoreCorrupt
from hippocampus.index.index_file import find_damage
from hippocampus.testing import HashEmbedder, full_disk
from hippocampus.upkeep import reindex, verify

CONFIG = Config(index_file_rows=1, ingest=Ingest(seal_rows=16))
START = datetime(2025, 3, 1, 9, tzinfo=UTC)
THINGS = ("the pear tree", "a violin", "Lisbon", "the tax report", "our boat")
QUESTIONS = ["Who has the violin on day 12?", "Lisbon", "pear trees", "What did Tom say of boats?"]
FILTERS = (
    {}, {"speaker": "Tom"}, {"session": "s3"}, {"where": {"day": 4}}, {"since": "2025-03-02"},
    {"source": "notes.md"}, {"as_of": "2025-03-04"},
)  # fmt: skip


def turns(first, stop):
    return [
        Turn(
            text=f"Number {n} is about {THINGS[n % 5]} on day {n * 7 % 31}.",
            speaker=("Ada", "Tom", None)[n % 3],
            at=START + timedelta(hours=n),
            session=None if n % 11 == 0 else f"s{n // 7}",
            source="notes.md" if n % 13 == 0 else None,
            metadata={"day": n * 7 % 31, "tags": ["a", "b"]} if n % 2 else {},
        )
        for n in range(first, stop)
    ]


def opened(path, config=CONFIG, **options):
    clock = ManualClock(datetime(2025, 6, 1, tzinfo=UTC))
    return Memory(path, embedder=HashEmbedder(64), config=config, clock=clock, **options)


def files(path):
    return sorted(path.parent.glob(f"{path.name}-index-*"))


def answers(memory):
    bank = memory.bank("ada")
    found = [
        [(hit.id, hit.score, hit.text) for hit in bank.recall(question, k=20, **chosen).hits]
        for question in QUESTIONS
        for chosen in FILTERS
    ]
    index = bank.state.take().index
    columns = index.columns
    told = columns.speakers(), [side.tolist() for side in columns.neighbours()]
    return found, told, index.without_vectors, dict(index.corrected), index.outcome.view.tolist()


def changed(bank):
    """Do all that an index takes note of, but for erasing."""
    ids = [episode.id for episode in bank.episodes(limit=40)]
    bank.correct(ids[3], "Number 3 is about the old pear tree.")
    bank.forget(ids[5])
    bank.forget(ids[6])
    bank.restore(ids[6])
    bank.feedback(ids[8], helpful=True)
    bank.remember("A text of two parts. " * 120, at=START)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "agent.db"
    with opened(path) as memory:
        bank = memory.bank("ada")
        bank.remember_many(turns(0, 150))
        changed(bank)
        bank.sleep(steps=["concepts", "topics"])
    return path


def mapped(memory):
    return memory.bank("ada").state.take().index.at_rest is not None


# ---------------------------------------------------------------- the same


def test_a_bank_that_has_slept_is_read_from_one_file(path):
    assert len(files(path)) == 1
    with opened(path) as memory:
        assert mapped(memory)


@pytest.mark.slow
@pytest.mark.parametrize("more", [0, 1, 200])
def test_it_finds_what_an_index_made_from_the_store_finds(path, more):
    with opened(path) as memory:
        bank = memory.bank("ada")
        bank.remember_many(turns(150, 150 + more))
        if more:
            bank.forget(bank.episodes(limit=1)[0].id)
        grown = answers(memory)
    with opened(path) as memory:
        assert mapped(memory)
        read = answers(memory)
    for file in files(path):
        file.unlink()
    with opened(path) as memory:
        assert not mapped(memory)
        assert answers(memory) == read == grown


@pytest.mark.slow
def test_the_sleeper_goes_on_with_what_is_mapped(tmp_path):
    with opened(tmp_path / "agent.db") as memory:
        bank = memory.bank("ada")
        bank.remember_many(turns(0, 60))
        before = answers(memory)
        bank.sleep(steps=["partitions"])
        assert mapped(memory)
        assert answers(memory) == before
        bank.remember_many(turns(60, 90))  # within what there is room for
        grown = answers(memory)
    with opened(tmp_path / "agent.db") as memory:
        assert answers(memory) == grown


def test_a_memory_that_only_reads_uses_the_file_without_ever_writing_one(path):
    with opened(path, read_only=True) as memory:
        assert mapped(memory)
    for file in files(path):
        file.unlink()
    with opened(path, read_only=True) as memory:
        assert not mapped(memory)
    assert not files(path)


@pytest.mark.slow
def test_another_file_takes_its_place_once_the_bank_has_grown(path):
    (first,) = files(path)
    with opened(path) as memory:
        bank = memory.bank("ada")
        bank.remember_many(turns(150, 155))
        bank.sleep(steps=["partitions"])
        assert files(path) == [first]
        bank.remember_many(turns(155, 200))
        bank.sleep(steps=["partitions"])
        (second,) = files(path)
        assert second != first


# ---------------------------------------------------------------- nothing outlives an erasure


@pytest.mark.slow
def test_an_erasure_removes_it(path):
    with opened(path) as memory:
        bank = memory.bank("ada")
        bank.forget(bank.episodes(limit=1)[0].id, erase=True)
        assert not files(path)
        assert not mapped(memory)
        found = answers(memory)
    with opened(path) as memory:
        assert answers(memory) == found


def test_an_erasure_of_another_bank_leaves_it(path):
    with opened(path) as memory:
        other = memory.bank("bob")
        other.forget(other.remember("The spare key is under the pot.").id, erase=True)
        assert files(path)


def test_a_bank_that_is_deleted_takes_it_along(path):
    with opened(path) as memory:
        memory.delete_bank("ada")
    assert not files(path)


def test_one_that_came_back_after_an_erasure_is_not_read(path):
    (file,) = files(path)
    copy = file.read_bytes()
    with opened(path) as memory:
        bank = memory.bank("ada")
        bank.forget(bank.episodes(limit=1)[0].id, erase=True)
    file.write_bytes(copy)
    with opened(path) as memory:
        assert not mapped(memory)
    assert not files(path)


def test_residue_is_looked_for_in_it(path):
    with opened(path) as memory:
        found = verify(memory, residue="notes.md").residue
        assert any(files(path)[0].name in str(place) for place in found)


# ---------------------------------------------------------------- whose it is


@pytest.mark.slow
def test_one_of_another_history_is_not_read(path, tmp_path):
    (file,) = files(path)
    other = tmp_path / "elsewhere" / "agent.db"
    other.parent.mkdir()
    with opened(other) as memory:
        memory.bank("ada").remember_many(turns(300, 600))
    there = other.parent / file.name
    there.write_bytes(file.read_bytes())
    with opened(other) as memory:
        assert not mapped(memory)
        assert memory.bank("ada").recall("Number 301", k=1).hits
    assert not there.exists()


def test_a_rebuilt_index_is_not_read_from_an_older_file(path):
    with opened(path) as memory:
        reindex(memory)
    with opened(path) as memory:
        assert not mapped(memory)


@pytest.mark.slow
def test_an_encrypted_store_has_none(tmp_path):
    with opened(tmp_path / "agent.db", key=Key.passphrase("a long enough phrase")) as memory:
        memory.bank("ada").remember_many(turns(0, 40))
        memory.bank("ada").sleep(steps=["partitions"])
    assert not files(tmp_path / "agent.db")


@pytest.mark.parametrize("config", [Config(index_file_rows=None), Config(index_file_rows=1000)])
def test_small_banks_and_whoever_wants_none_have_none(tmp_path, config):
    with opened(tmp_path / "agent.db", config) as memory:
        memory.bank("ada").remember_many(turns(0, 40))
        memory.bank("ada").sleep(steps=["partitions"])
    assert not files(tmp_path / "agent.db")


def test_less_than_one_row_is_refused():
    with pytest.raises(InputError, match="index_file_rows"):
        Config(index_file_rows=0)


# ---------------------------------------------------------------- damage


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "agent.db"
    with opened(path) as memory:
        memory.bank("ada").remember_many(turns(0, 150))
        memory.bank("ada").sleep(steps=["partitions"])
    with opened(path) as memory:
        return Whole(path, answers(memory))


class Whole:
    """A store whose bank has an index in a file, and what it answers."""

    def __init__(self, path, answers):
        self.path = path
        (self.file,) = files(path)
        self.content = self.file.read_bytes()
        self.answers = answers


@pytest.mark.slow
@settings(max_examples=2 * settings().max_examples, deadline=None)
@given(st.data())
def test_a_file_that_somebody_changed_is_refused_or_harmless(whole, data):
    last = len(whole.content) - 1
    at = data.draw(st.integers(0, min(last, 4000)) | st.integers(0, last))
    changed = bytearray(whole.content)
    changed[at] ^= data.draw(st.integers(1, 255))
    whole.file.write_bytes(changed)
    with opened(whole.path) as memory:
        found = answers(memory)
        assert mapped(memory) or found == whole.answers
    whole.file.write_bytes(whole.content)


@pytest.mark.slow
@given(st.floats(0, 1, exclude_max=True))
def test_a_file_that_was_cut_short_is_made_anew(whole, part):
    whole.file.write_bytes(whole.content[: int(part * len(whole.content))])
    with opened(whole.path) as memory:
        assert not mapped(memory)
        assert answers(memory) == whole.answers
    assert not whole.file.exists()
    whole.file.write_bytes(whole.content)


@pytest.mark.skipif(os.name == "nt", reason="a mapped file cannot be cut short there")
def test_a_file_that_is_cut_short_while_it_is_used_is_an_error_only_once(path):
    config = Config(index_file_rows=1, fusion=Fusion(candidates=1000))
    with opened(path, config) as memory:
        (file,) = files(path)
        bank = memory.bank("ada")
        expected = [hit.id for hit in bank.recall("Number 12", k=50).hits]
        assert mapped(memory)
        os.truncate(file, 1 << 16)
        with pytest.raises(StoreCorrupt, match="nothing is lost"):
            bank.recall("Number 12", k=50)
        assert [hit.id for hit in bank.recall("Number 12", k=50).hits] == expected
    assert not files(path)


@pytest.mark.slow
def test_verify_tells_of_damage_in_what_is_mapped(path):
    (file,) = files(path)
    with opened(path) as memory:
        memory.bank("ada").sleep()
        assert verify(memory).sound
    (file,) = files(path)
    content = bytearray(file.read_bytes())
    content[-70_000] ^= 1  # the end of an array, or of the page behind one
    for at in range(len(content) - 1, 0, -4096):
        content[at] ^= 1
    file.write_bytes(content)
    assert list(find_damage(file))
    with opened(path, read_only=True) as memory:
        assert any(file.name in problem for problem in verify(memory).problems)


@pytest.mark.slow
def test_a_full_disk_leaves_the_bank_as_it_was(path):
    for file in files(path):
        file.unlink()
    with opened(path) as memory:
        before = answers(memory)
        with full_disk():
            memory.bank("ada").state.keep_index()
        assert not mapped(memory)
        assert answers(memory) == before
    assert not files(path)


KILLED = """
import os, sys, threading
from hippocampus import Config, Memory
from hippocampus.testing import HashEmbedder

threading.Timer(float(sys.argv[2]), os.kill, (os.getpid(), 9)).start()
with Memory(sys.argv[1], embedder=HashEmbedder(64), config=Config(index_file_rows=1)) as memory:
    memory.bank("ada").sleep(steps=["partitions"])
"""


@pytest.mark.slow
def test_a_process_killed_while_it_wrote_one_leaves_a_store_that_opens(path):
    with opened(path) as memory:
        memory.bank("ada").sleep()
    for file in files(path):
        file.unlink()
    for delay_ms in range(400, 1400, 125):
        asked = [sys.executable, "-c", KILLED, str(path), str(delay_ms / 1000)]
        subprocess.run(asked, check=False, timeout=60)
        with opened(path) as memory:
            assert memory.bank("ada").recall("Number 12", k=1).hits
            assert not verify(memory).problems


@pytest.mark.slow
def test_two_memories_of_one_store_go_on_with_what_each_has(path):
    with opened(path) as one, closing(opened(path)) as other:
        assert mapped(one)
        assert mapped(other)
        bank = one.bank("ada")
        bank.forget(bank.episodes(limit=1)[0].id, erase=True)
        assert answers(other) == answers(one)
        bank.sleep(steps=["partitions"])
        assert answers(other) == answers(one)


def test_it_is_the_owners_alone(path):
    (file,) = files(path)
    assert Path(file).stat().st_mode & 0o077 == 0
