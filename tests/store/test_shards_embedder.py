"""A store over several databases moves to another embedder, and may be cut off at any commit."""

import itertools
import shutil
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress

import pytest

from hippocampus import Config, Memory
from hippocampus.engine.rebuild import REBUILDING, begin, finish, stage
from hippocampus.errors import EmbedderMismatch, StoreError
from hippocampus.journal.payloads import NEXT
from hippocampus.moving import move
from hippocampus.store.shards import home
from hippocampus.testing import Gate, HashEmbedder, ScriptedEmbedder
from hippocampus.upkeep import doctor, reembed, reindex, verify

OLD, NEW, OTHER = HashEmbedder(), HashEmbedder(32), HashEmbedder(64)
LETTERS = "abc"
NAMES = ["bank 0", "bank 1", "bank 2", "bank 3", "bank 4", "bank 5"]
"""Two of each database, as it happens."""


def fill(store, embedder=OLD):
    with Memory(store, embedder=embedder) as memory:
        for name in NAMES:
            memory.bank(name).remember(f"The key of {name} is under the blue pot.")
            memory.bank(name).remember("The boat is called Aurelia.")
    return store


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("filled")
    fill([folder / letter for letter in LETTERS])
    return folder


@pytest.fixture
def files(filled, tmp_path):
    return fresh(filled, tmp_path / "files")


def fresh(filled, folder):
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(filled, folder)
    return [folder / letter for letter in LETTERS]


def vectors(memory, name):
    store = memory.engine.store
    return dict(store.payloads.tail(store.banks.number(name), "vector"))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The vectors of every bank, by the embedder that makes them."""
    found = {}
    for embedder in (OLD, NEW, OTHER):
        store = tmp_path_factory.mktemp("made") / "one.db"
        with Memory(fill(store, embedder), embedder=embedder) as memory:
            found[embedder.fingerprint] = {name: vectors(memory, name) for name in NAMES}
    return found


class CutOff(BaseException):
    """The end of a process."""


def on_commits(store, *, before=lambda: None, after=lambda: None):
    """Have something done before and after each commit of each database."""
    begun = dict.fromkeys(store.shards, 0)

    def watched(shard, write):
        @contextmanager
        def block(bank=None):
            with write(bank):
                begun[shard] += 1
                try:
                    yield
                    if begun[shard] == 1:
                        before()
                finally:
                    begun[shard] -= 1
            if not begun[shard]:
                after()

        return block

    for shard in store.shards:
        shard.write = watched(shard, shard.write)


def moved_until(files, commits, *, opened=OLD, embedder=NEW):
    """Move a store to another embedder until so many commits; return whether that was all."""
    memory, left = Memory(files, embedder=opened), itertools.count(commits, -1)

    def cut_off():
        if next(left) <= 0:
            raise CutOff

    on_commits(memory.engine.store, before=cut_off)
    done = False
    with suppress(CutOff):
        memory.rebuild(embedder=embedder)
        done = True
    with suppress(CutOff):
        memory.close()
    for shard in memory.engine.store.shards:
        shard.close()
    return done


def cut_between(files, **how):
    """Cut a change off after its first database; return the banks that are there."""
    before = files[0].parent.with_name("before")
    fresh(files[0].parent, before)
    commits, new = itertools.count(), set()
    while not new:
        fresh(before, files[0].parent)
        assert not moved_until(files, next(commits), **how)
        with Memory(files, embedder="none", read_only=True) as memory:
            new = {name for name in NAMES if fingerprint(memory, name) == NEW.fingerprint}
    return new


def fingerprint(memory, name):
    return memory.engine.stored_fingerprint(memory.engine.store.banks.number(name))


def answers(memory, name):
    """Whether a bank finds all that it holds, or else refuses vectors of another embedder."""
    try:
        found = memory.bank(name).recall("key and boat")
    except EmbedderMismatch:
        return False
    assert {"The boat is called Aurelia.", f"The key of {name} is under the blue pot."} == {
        hit.text for hit in found
    }
    return True


def answering(memory):
    return {name for name in NAMES if answers(memory, name)}


def assert_is_whole(memory, made, embedder=NEW):
    store = memory.engine.store
    assert {embedder.fingerprint} == memory.engine.stored_fingerprints()
    assert made[embedder.fingerprint] == {name: vectors(memory, name) for name in NAMES}
    assert {*NAMES} == answering(memory)
    assert [None] * 3 == [kept.get(REBUILDING) for kept in store.every_settings()]
    banks = [store.banks.number(name) for name in NAMES]
    assert not any(
        list(store.payloads.tail(bank, kind)) for bank in banks for kind in NEXT.values()
    )
    assert verify(memory).sound


def as_older_versions_kept_it(files):
    """Have a store whose first database alone says whose its vectors are."""
    with Memory(files, embedder="none") as memory, memory.engine.store.write():
        for kept in memory.engine.store.every_settings()[1:]:
            kept.put("embedder", None)
    return files


def test_the_banks_of_these_tests_are_in_all_databases():
    assert {0, 1, 2} == {home(name, 3) for name in NAMES}


# ---------------------------------------------------------------- whole


@pytest.mark.parametrize("kept", ["by each database", "by the first alone"])
def test_several_databases_move_to_another_embedder(files, made, kept):
    if kept == "by the first alone":
        as_older_versions_kept_it(files)
    with Memory(files, embedder=OLD) as memory:
        assert dict.fromkeys(NAMES, 2) == memory.rebuild(embedder=NEW)
        assert_is_whole(memory, made)
        memory.bank("later").remember("It is of the new one.")
    with pytest.raises(EmbedderMismatch):
        Memory(files, embedder=OLD)
    with Memory(files, embedder=NEW) as memory:
        assert ["It is of the new one."] == [hit.text for hit in memory.bank("later").recall("new")]
        assert_is_whole(memory, made)


def test_all_banks_answer_and_take_what_is_said_while_an_embedder_is_at_work(files):
    gate = Gate()
    with Memory(files, embedder=OLD) as here, Memory(files, embedder=OLD) as there:
        mover = threading.Thread(
            target=here.rebuild, kwargs={"embedder": ScriptedEmbedder(32, on_passages=gate)}
        )
        mover.start()
        try:
            assert gate.asked.wait(30)
            for memory in (here, there):
                assert {*NAMES} == answering(memory)
            for name in NAMES:
                there.bank(name).remember("The tram leaves at noon.")
        finally:
            gate.go.set()
            mover.join(30)
        assert {NEW.fingerprint} == here.engine.stored_fingerprints()
        for name in NAMES:
            assert "The tram leaves at noon." in {h.text for h in here.bank(name).recall("tram")}
            assert 3 == len(vectors(here, name))
        assert verify(here).sound


def test_databases_change_one_after_the_other_while_each_bank_answers_from_its_own(files):
    seen = []
    with Memory(files, embedder=OLD) as memory, Memory(files, embedder=OLD) as old:

        def look():
            with Memory(files, embedder="none", read_only=True) as reader:
                assert {*NAMES} == answering(reader)
                new = {name for name in NAMES if fingerprint(reader, name) == NEW.fingerprint}
            assert {*NAMES} - new == answering(old)
            seen.append(sorted({home(name, 3) for name in new}))

        on_commits(memory.engine.store, after=look)
        memory.rebuild(embedder=NEW)
    # Of three databases, the first one last; before it payloads are made, which nobody sees.
    assert [[], [2], [1, 2], [0, 1, 2]] == [each for each, _ in itertools.groupby(seen)]


# ---------------------------------------------------------------- cut off


@pytest.mark.slow
@pytest.mark.parametrize("first", [False, True])
def test_a_change_that_is_cut_off_before_any_commit_loses_nothing(filled, tmp_path, made, first):
    halves, wholes = set(), set()
    for commits in itertools.count():
        files = fresh(filled, tmp_path / "files")
        if first:
            as_older_versions_kept_it(files)
        if moved_until(files, commits):
            break
        with Memory(files, embedder="none", read_only=True) as memory:
            assert {*NAMES} == answering(memory)
            for name in NAMES:
                assert made[fingerprint(memory, name)][name] == vectors(memory, name)
            new = {name for name in NAMES if fingerprint(memory, name) == NEW.fingerprint}
        with Memory(files, embedder=OLD) as memory:
            assert {*NAMES} - new == answering(memory)
        if new:
            halves.add(frozenset(new))
        else:
            wholes.add(commits)
            reembed(files, "hash:32")
        with Memory(files, embedder=NEW) as memory:
            assert_is_whole(memory, made)
    assert len(halves) == 2  # one database, then two; with the third it is done
    assert len(wholes) >= 3 + len(NAMES)


def test_who_opens_a_store_with_its_next_embedder_finishes_the_change(files):
    new = cut_between(files)
    with Memory(files, embedder=OLD) as memory:
        assert {*NAMES} - new == answering(memory)
        staying = min({*NAMES} - new)
        memory.bank(staying).remember("The tram leaves at noon.")
        with pytest.raises(EmbedderMismatch):
            memory.bank(min(new)).remember("The tram leaves at noon.")
    with Memory(files, embedder=NEW) as memory:
        memory.bank(staying).forget(memory.bank(staying).episodes()[-1].id, erase=True)
        assert {NEW.fingerprint} == memory.engine.stored_fingerprints()
        assert {*NAMES} == answering(memory)
        assert verify(memory).sound


@pytest.mark.parametrize("embedder", [OLD, NEW, OTHER])
def test_a_change_that_was_cut_off_can_be_gone_on_with_or_turned_elsewhere(files, made, embedder):
    cut_between(files)
    assert dict.fromkeys(NAMES, 2) == reembed(files, f"hash:{embedder.fingerprint.dimension}")
    with Memory(files, embedder=embedder) as memory:
        assert_is_whole(memory, made, embedder)


def test_another_embedder_than_the_two_is_refused_with_the_names_of_both(files):
    cut_between(files)
    with pytest.raises(EmbedderMismatch, match=r"hash.*256.* and .*hash.*32") as refused:
        Memory(files, embedder=OTHER)
    assert "reembed" in str(refused.value)


def test_what_needs_vectors_of_one_embedder_waits_for_the_end_of_a_change(files, tmp_path):
    cut_between(files)
    with Memory(files, embedder=OLD) as memory:
        for refused in (
            lambda: reindex(memory),
            lambda: memory.backup(tmp_path / "copy.db"),
            lambda: move(files, tmp_path / "moved.db"),
        ):
            with pytest.raises(StoreError, match="'hippocampus reembed', and try again"):
                refused()
        assert [row for row in doctor(memory) if row[0] == "vectors" and row[2] is False]
    reembed(files, "hash:32")
    with Memory(files, embedder=NEW) as memory:
        assert not [row for row in doctor(memory) if row[0] == "vectors" and row[2] is False]
        reindex(memory)
        memory.backup(tmp_path / "copy.db")
    assert move(files, tmp_path / "moved.db").whole
    for copy in ("copy.db", "moved.db"):
        with Memory(tmp_path / copy, embedder=NEW) as memory:
            assert {*NAMES} == answering(memory)


# ---------------------------------------------------------------- the first


@pytest.fixture
def unembedded(tmp_path):
    (tmp_path / "files").mkdir()
    return fill([tmp_path / "files" / letter for letter in LETTERS], "none")


@pytest.mark.parametrize("anew", [NEW, OTHER])
def test_the_first_embedder_of_several_databases_may_be_cut_off(unembedded, made, anew):
    new = cut_between(unembedded, opened="none")
    with Memory(unembedded, embedder="none") as memory:
        assert {*NAMES} == answering(memory)
        assert new == {name for name in NAMES if any(vectors(memory, name).values())}
    with pytest.raises(EmbedderMismatch, match=r"hash.*32.* but .*hash.*64"):
        Memory(unembedded, embedder=OTHER)
    if anew is OTHER:
        reembed(unembedded, "hash:64")
    with Memory(unembedded, embedder=anew) as memory:
        assert_is_whole(memory, made, anew)


def test_writers_of_two_databases_do_not_begin_with_two_embedders(unembedded):
    with Memory(unembedded, embedder=OLD) as one, Memory(unembedded, embedder=NEW) as two:
        one.bank(NAMES[0]).remember("The tram leaves at noon.")
        with pytest.raises(EmbedderMismatch):
            two.bank(next(n for n in NAMES if home(n, 3) != home(NAMES[0], 3))).remember("No.")
        assert {OLD.fingerprint} == one.engine.stored_fingerprints()


def test_who_begins_with_an_embedder_and_who_makes_a_bank_both_get_their_turn(
    unembedded, monkeypatch
):
    first_name, place = NAMES[1], home(NAMES[1], 3)
    fresh_bank = next(n for n in map(str, itertools.count()) if place == home(n, 3))
    patient = {"embedder": NEW, "config": Config(busy_timeout_s=2)}
    assert place != 0
    with Memory(unembedded, **patient) as one, Memory(unembedded, **patient) as two:
        settle, rival = one.engine.settle_embedder, []

        def late(*given):
            if not rival:
                rival.append(threads.submit(two.bank(fresh_bank).remember, "It is new."))
                while not is_locked(unembedded[0]):  # it waits for the other database by now
                    assert not rival[0].done()
            settle(*given)

        monkeypatch.setattr(one.engine, "settle_embedder", late)
        with ThreadPoolExecutor(1) as threads:
            one.bank(first_name).remember("The tram leaves at noon.")
            assert rival[0].result().text == "It is new."
        assert {NEW.fingerprint} == one.engine.stored_fingerprints()


def is_locked(file):
    with closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as db:
        try:
            db.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return True
        return False


# ---------------------------------------------------------------- several at once


def test_a_change_that_another_one_comes_between_is_still_whole(files, made):
    with Memory(files, embedder=OLD) as here, Memory(files, embedder="none") as there:
        others = iter([OTHER])

        def between(_done, _of):
            for other in others:
                there.rebuild(embedder=other)

        here.rebuild(embedder=NEW, progress=between)
        assert_is_whole(here, made)


@pytest.mark.parametrize("cut", [False, True])
def test_who_shares_a_change_finds_it_ended_by_another(files, made, cut):
    if cut:
        cut_between(files)
    with Memory(files, embedder="none") as one, Memory(files, embedder="none") as two:
        for memory in (one, two):
            begin(memory.engine, NEW)
        stage(one.engine, NEW, banks=NAMES[:3])
        stage(two.engine, NEW, banks=NAMES[3:])
        assert dict.fromkeys(NAMES, 2) == finish(one.engine, NEW)
        assert finish(two.engine, NEW) is None
    with Memory(files, embedder=NEW) as memory:
        assert_is_whole(memory, made)


REEMBED = """
import sys
from hippocampus.upkeep import reembed
sys.stdin.readline()
reembed(sys.argv[2:], sys.argv[1])
"""


@pytest.mark.slow
@pytest.mark.parametrize("other", [NEW, OTHER])
def test_two_processes_that_change_the_embedder_at_once_leave_a_whole_store(files, made, other):
    both = [
        subprocess.Popen(
            [sys.executable, "-c", REEMBED, f"hash:{one.fingerprint.dimension}", *map(str, files)],
            stdin=subprocess.PIPE,
        )
        for one in (NEW, other)
    ]
    for process in both:
        process.stdin.write(b"\n")
        process.stdin.close()
    assert [0, 0] == [process.wait(60) for process in both]
    with Memory(files, embedder="none") as memory:
        (last,) = memory.engine.stored_fingerprints()
    last = next(one for one in (NEW, other) if one.fingerprint == last)
    with Memory(files, embedder=last) as memory:
        assert_is_whole(memory, made, last)


@pytest.mark.slow
def test_databases_of_postgresql_finish_a_change_that_was_cut_off(database, made):
    store = ",".join(database() for _ in LETTERS)
    fill(store)
    # Three commits begin it, one is of each bank, and three end it, of which two come about.
    assert [False, False] == [moved_until(store, 3 + len(NAMES)), moved_until(store, 3 + 2)]
    with Memory(store, embedder=OLD) as memory:
        assert answering(memory) == {name for name in NAMES if not home(name, 3)}
    with Memory(store, embedder=NEW) as memory:
        assert_is_whole(memory, made)


def test_a_change_that_another_was_cut_off_in_the_middle_of_says_so(files, made):
    with Memory(files, embedder=OLD) as memory:
        begin(memory.engine, NEW)
        cut_off = memory.engine.store.every_settings()[1]  # the first database is the last to say
        with memory.engine.store.write():
            cut_off.put(REBUILDING, "another")
        with pytest.raises(StoreError, match="somebody else has begun"):
            finish(memory.engine, NEW)

    reembed(files, "hash:32")
    with Memory(files, embedder=NEW) as memory:
        assert_is_whole(memory, made)
