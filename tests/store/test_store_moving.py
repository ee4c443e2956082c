"""Banks that move between a file and PostgreSQL are in the target as they are in the source."""

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_samples import KEY

from hippocampus import Memory
from hippocampus.core.records.store import DoneRequest
from hippocampus.errors import (
    EmbedderMismatch,
    InputError,
    StoreEncrypted,
    StoreError,
    UnknownBank,
)
from hippocampus.moving import move
from hippocampus.store import open_store
from hippocampus.upkeep import reembed, verify

QUESTIONS = ("Where is the key?", "cat", "Who was in Lisbon?")
SAID = ("The key is under the blue pot.", "A cat slept on the mat.", "Lena was in Lisbon in May.")


def memory(where, **how):
    return Memory(where, embedder="hash", **how)


def told(where, name="ada", **how):
    """Answer what a bank says to whoever asks, and what its journal comes to."""
    with memory(where, read_only=True, **how) as opened:  # or it would note what was recalled
        found = verify(opened)
        assert () == found.problems
        bank = opened.bank(name)
        return (
            [h.split("@")[1] for h in found.heads if h.startswith(f"{name}@")],
            list(bank.episodes()),
            [[(hit.episode.id, hit.score) for hit in bank.recall(q).hits] for q in QUESTIONS],
            [bank.history(e.id) for e in bank.episodes()],
        )


def fill(where, name="ada", *, turns=3, **how):
    with memory(where, **how) as opened:
        bank = opened.bank(name)
        bank.remember_many(
            [{"text": f"{SAID[n % 3]} ({n})", "speaker": "Lena"} for n in range(turns)]
        )
    return where


@pytest.fixture
def place(tmp_path, database):
    """Return a new place for a store, in a file or in PostgreSQL."""
    numbers = count()
    return lambda kind: database() if kind == "postgres" else tmp_path / f"{next(numbers)}.db"


WAYS = [
    ("file", "postgres"),
    ("postgres", "file"),
    pytest.param("file", "file", marks=pytest.mark.slow),
    pytest.param("postgres", "postgres", marks=pytest.mark.slow),
]


@pytest.mark.slow
@pytest.mark.parametrize(("source", "target"), WAYS)
def test_a_bank_is_in_the_target_as_it_was_in_the_source(place, source, target):
    old, new = fill(place(source), turns=24), place(target)
    with memory(old) as opened:
        opened.bank("ada").sleep()

    (moved,) = move(old, new).banks

    assert ("copied", 24, 0) == (moved.outcome, moved.episodes, moved.behind)
    assert told(old) == told(new)


def test_what_is_there_already_is_not_copied_again(place):
    old, new = fill(place("file")), place("file")
    move(old, new)

    assert ["there"] == [one.outcome for one in move(old, new).banks]


def test_what_was_written_since_is_brought_by_another_move(place):
    old, new = fill(place("file")), place("file")
    move(old, new)
    fill(old, turns=5)

    (moved,) = move(old, new).banks

    assert "caught up" == moved.outcome
    assert told(old) == told(new)


def test_a_bank_that_has_gone_on_in_the_target_stays_as_it_is(place):
    old, new = fill(place("file")), place("file")
    move(old, new)
    fill(new, turns=5)
    before = told(new)

    assert ["ahead"] == [one.outcome for one in move(old, new).banks]
    assert before == told(new)


def test_other_content_under_the_name_is_refused_while_the_others_are_moved(place):
    old, new = fill(place("file")), fill(place("file"), turns=4)
    fill(old, "bob")
    before = told(new)

    moved = move(old, new)

    assert ["refused", "copied"] == [one.outcome for one in moved.banks]
    assert "--as" in moved.banks[0].problem
    assert not moved.whole
    assert before == told(new)


def test_under_another_name_a_bank_joins_others_whose_texts_are_salted_otherwise(place):
    old, new = fill(place("file")), fill(place("file"), turns=4)

    (moved,) = move(old, new, banks=["ada"], as_="ada of old").banks

    assert "copied" == moved.outcome
    assert told(old)[2] == told(new, "ada of old")[2]  # which also verifies the digests


def test_what_is_written_to_the_source_meanwhile_is_told(place, monkeypatch):
    old, new = fill(place("file")), place("file")
    monkeypatch.setattr("hippocampus.moving.copy_bank", writing_meanwhile(old))

    (moved,) = (first := move(old, new)).banks

    assert 2 == moved.behind
    assert not first.whole
    monkeypatch.undo()
    assert move(old, new).whole
    assert told(old) == told(new)


def writing_meanwhile(old):
    from hippocampus.moving import copy_bank

    def copied(*given, **named):
        with memory(old) as opened:
            opened.bank("ada").remember_many([{"text": "One more."}, {"text": "And another."}])
        return copy_bank(*given, **named)

    return copied


def test_what_differs_after_copying_does_not_take_the_name(place, monkeypatch):
    old, new = fill(place("file")), place("file")
    monkeypatch.setattr("hippocampus.moving.copy_bank", lambda *_, **__: b"\0" * 16)

    (moved,) = move(old, new).banks

    assert "refused" == moved.outcome
    with memory(new) as opened:
        assert [] == opened.banks()


@pytest.mark.parametrize("sealed", ["source", "target", "both"])
def test_an_encrypted_store_is_moved_with_its_key(place, sealed):
    key = KEY if sealed != "target" else None
    target_key = KEY if sealed != "source" else None
    old, new = fill(place("file"), key=key), place("file")

    moved = move(old, new, key=key, target_key=target_key)

    assert moved.whole
    assert told(old, key=key)[1:] == told(new, key=target_key)[1:]
    again = move(old, new, key=key, target_key=target_key)
    assert ["there"] == [one.outcome for one in again.banks]
    fill(old, turns=4, key=key)
    later = move(old, new, key=key, target_key=target_key)
    assert ["caught up"] == [one.outcome for one in later.banks]


def test_an_encrypted_source_without_its_key_is_refused(place):
    with pytest.raises(StoreEncrypted):
        move(fill(place("file"), key=KEY), place("file"))


def test_vectors_of_two_embedders_are_not_mixed(place):
    new = place("file")
    with Memory(new, embedder="hash:32") as opened:
        opened.bank("bob").remember("Hello.")

    with pytest.raises(EmbedderMismatch):
        move(fill(place("file")), new)


@pytest.mark.parametrize("kind", ["file", "postgres"])
def test_a_source_that_changes_its_embedder_meanwhile_is_no_longer_copied(place, kind):
    old, new = fill(fill(place(kind)), "bob"), place("file")

    def change(done, _of):
        if done == 1:
            reembed(old, "hash:32")

    with pytest.raises(StoreError, match=r"was moved to another embedder.* into a new store"):
        move(old, new, progress=change)
    with memory(new) as opened:
        assert ["ada"] == opened.banks()
        assert () == verify(opened).problems
    assert move(old, place("file")).whole


def test_stores_of_which_one_is_signed_are_not_mixed(place):
    new = place("file")
    with Memory(new, embedder="none") as opened:
        opened.bank("bob").remember("Hello.")

    with pytest.raises(StoreError, match="no-signatures"):
        move(fill(place("file")), new)


@pytest.mark.parametrize(
    ("how", "error"),
    [
        ({"banks": ["nobody"]}, UnknownBank),
        ({"as_": "x"}, InputError),
        ({"banks": ["ada"], "as_": ""}, InputError),
    ],
)
def test_what_cannot_be_meant_is_refused(place, how, error):
    target = place("file")
    with pytest.raises(error):
        move(fill(place("file")), target, **how)
    assert not target.exists(), "nothing is made for what is not moved"


def test_a_store_is_not_moved_into_itself(place):
    old = fill(place("file"))

    with pytest.raises(InputError, match="source"):
        move(old, old)


@pytest.mark.parametrize("link", [os.link, os.symlink])
def test_a_store_is_not_moved_into_another_name_of_itself(place, tmp_path, link):
    source = fill(place("file"))
    other = tmp_path / "other-name.db"
    link(source, other)

    with pytest.raises(InputError, match="source as well"):
        move(source, other)
    assert not other.with_name("other-name.db-wal").exists()


ACTS = st.lists(
    st.one_of(
        st.tuples(st.just("say"), st.sampled_from(SAID), st.integers(0, 5)),
        st.tuples(st.just("forget"), st.integers(0, 9), st.booleans()),
        st.tuples(st.just("correct"), st.integers(0, 9), st.sampled_from(SAID)),
        st.tuples(st.just("sleep")),
        st.tuples(st.just("say"), st.just("A \0 character of no place: é"), st.integers(0, 5)),
    ),
    min_size=1,
    max_size=12,
)  # fmt: skip


def do(bank, act):
    ids = [episode.id for episode in bank.episodes()]
    match act:
        case "say", text, number:
            bank.remember(f"{text} {number}", speaker="Lena")
        case "forget", place, erase if ids:
            bank.forget([ids[place % len(ids)]], erase=erase)
        case "correct", place, text if ids:
            bank.correct(ids[place % len(ids)], f"{text} After all.")
        case ("sleep",) if ids:
            bank.sleep()


@pytest.mark.slow
@settings(max_examples=6, deadline=None)
@given(acts=ACTS)
def test_whatever_was_done_a_bank_comes_back_from_postgres_as_it_was(
    acts, tmp_path_factory, request
):
    folder = tmp_path_factory.mktemp("moved")
    there = request.getfixturevalue("a_database")
    name = f"ada {next(NUMBERS)}"
    with memory(folder / "a.db") as opened:
        for act in acts:
            do(opened.bank("ada"), act)
        if not opened.banks():
            return

    (first,) = move(folder / "a.db", there, banks=["ada"], as_=name).banks
    (second,) = move(there, folder / "b.db", banks=[name], as_="ada").banks

    assert (first.digest, first.head) == (second.digest, second.head)
    assert told(folder / "a.db") == told(folder / "b.db")


NUMBERS = count()


@pytest.fixture(scope="session")
def a_database(server):
    return server()


MOVING = "import sys; from hippocampus.moving import move; move(*sys.argv[1:])"


@pytest.mark.slow
@pytest.mark.parametrize("target", ["file", "postgres"])
def test_the_next_run_ends_a_killed_move_that_left_no_bank_in_part(place, target):
    old, new = fill(place("file"), turns=1500), place(target)
    with closing(open_store(new, busy_timeout_s=5)) as store:
        process = subprocess.Popen([sys.executable, "-c", MOVING, os.fspath(old), os.fspath(new)])
        until = time.monotonic() + 60
        while not store.banks.staged():
            assert time.monotonic() < until
            assert process.poll() is None
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert [] == store.banks.names()
        assert [] != store.banks.staged()

        moved = move(old, new)

        assert ["copied"] == [one.outcome for one in moved.banks]
        assert [] == store.banks.staged()
    with memory(old, read_only=True) as opened, memory(new, read_only=True) as other:
        assert verify(opened) == verify(other)


def test_a_request_that_named_itself_is_known_after_a_move(place):
    old, new = fill(place("file")), place("file")
    with closing(open_store(old, busy_timeout_s=5)) as store, store.write():
        bank = store.banks.number("ada")
        store.requests.add(bank, b"key", DoneRequest(b"asked", 5, "{}"))

    move(old, new)

    with closing(open_store(new, busy_timeout_s=5)) as store:
        bank = store.banks.number("ada")
        assert DoneRequest(b"asked", 5, "{}") == store.requests.find(bank, b"key")


def test_a_move_leaves_alone_what_another_is_just_copying(place):
    old, new = fill(place("file")), place("file")
    with closing(open_store(new, busy_timeout_s=5)) as store:
        with store.write():
            store.banks.add("\x1ebob", 1)

        move(old, new)

        assert (["ada"], ["\x1ebob"]) == (store.banks.names(), store.banks.staged())


@pytest.mark.parametrize("sealed", ["source", "target", "both"])
def test_what_was_erased_since_leaves_the_target_with_another_move(place, sealed):
    key = KEY if sealed != "target" else None
    target_key = KEY if sealed != "source" else None
    old, new = fill(place("file"), key=key), place("file")
    move(old, new, key=key, target_key=target_key)
    with memory(old, key=key) as opened:
        opened.bank("ada").forget(opened.bank("ada").episodes()[0].id, erase=True)

    moved = move(old, new, key=key, target_key=target_key)

    assert ["caught up"] == [one.outcome for one in moved.banks]
    assert told(old, key=key)[1:] == told(new, key=target_key)[1:]
