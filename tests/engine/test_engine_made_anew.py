"""A bank is deleted and made anew by another process while something in it is being changed."""

from datetime import UTC, datetime, timedelta

import pytest

from hippocampus import Memory, Turn
from hippocampus.bank.commit import Committer
from hippocampus.errors import UnknownBank
from hippocampus.testing import ScriptedEmbedder

BEGUN = datetime(2024, 1, 1, tzinfo=UTC)


def fill(memory, words, count=20, session=None):
    at = [BEGUN + timedelta(hours=n) for n in range(count)]
    turns = [
        Turn(text=f"{words} number {n}.", at=when, session=session) for n, when in enumerate(at)
    ]
    return memory.bank("ada").remember_many(turns)


@pytest.fixture
def other(path):
    with Memory(path, embedder="none") as memory:
        yield memory


@pytest.fixture
def remake(other):
    """Return a call that replaces the bank once, as another process does."""
    left = [True]

    def once(*_, count=20):
        if left and left.pop():
            other.delete_bank("ada")
            fill(other, "Another life", count, session="t")

    return once


def assert_untouched(other, count):
    episodes = other.bank("ada").episodes()
    assert [f"Another life number {n}." for n in range(count)] == [e.text for e in episodes]


@pytest.mark.parametrize("erase", [False, True])
def test_a_long_forget_goes_no_further_than_the_bank_that_it_began_in(
    open_memory, other, remake, erase
):
    memory = open_memory(embedder="none")
    fill(memory, "It was before", 600, session="s")

    done = memory.bank("ada").forget(
        session="s", erase=erase, progress=lambda *_: remake(count=600)
    )

    assert 0 < done < 600
    assert_untouched(other, 600)


def test_compacting_goes_no_further_either(open_memory, other, remake):
    memory = open_memory(embedder="none")
    bank = memory.bank("ada")
    fill(memory, "It was before", 900, session="s")
    bank.forget(session="s")

    def come_between(done, _):
        if done:
            remake(count=900)
            other.bank("ada").forget(session="t")

    bank.compact(progress=come_between)

    assert 900 == other.bank("ada").restore(session="t")
    assert_untouched(other, 900)


@pytest.mark.parametrize("count", [2, 20])
def test_a_correction_corrects_nothing_in_another_bank(
    open_memory, other, remake, monkeypatch, count
):
    memory = open_memory(embedder="none")
    old = fill(memory, "It was before")[3]
    encode = Committer._encode

    def while_others_are_at_it(self, *given):
        remake(count=count)
        return encode(self, *given)

    monkeypatch.setattr(Committer, "_encode", while_others_are_at_it)
    with pytest.raises(UnknownBank, match="was deleted while it was being changed"):
        memory.bank("ada").correct(old.id, "It is otherwise now.")

    assert_untouched(other, count)


def test_a_sleep_gives_another_bank_no_vectors_of_texts_that_are_gone(
    open_memory, path, other, remake
):
    with Memory(path, embedder="none") as memory:
        fill(memory, "It was before")
    memory = open_memory(embedder=ScriptedEmbedder(32, on_passages=remake))

    with pytest.raises(UnknownBank, match="was deleted while it was being changed"):
        memory.bank("ada").sleep(steps=["vectors"])

    ledger = other.engine.ledger("ada")
    assert [] == list(other.engine.store.payloads.tail(ledger.bank, "vector"))
    assert_untouched(other, 20)
