"""One conversation within a token budget, as where a model's window is full."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hippocampus import Memory, Turn
from hippocampus.core.quotes import SESSION_OPEN, SUMMARY_OPEN, without_quotes
from hippocampus.encode.tokens import count
from hippocampus.errors import BudgetTooSmall, InputError

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
CHAT = [
    Turn(
        text=(
            f"We decided to ask Porto Stone for {n} slates."
            if n % 7 == 3
            else f"Well, it went on and on about this and that for a while, as number {n} did."
        ),
        at=NOON + timedelta(minutes=n), speaker="Ada" if n % 2 else "assistant",
        role="user" if n % 2 else "assistant", session="s1",
    )
    for n in range(60)
]  # fmt: skip


LEAST = 45
"""Tokens of the mark that all of it was left out, in its tags, and a few more."""


@pytest.fixture(scope="module")
def bank():
    with Memory(":memory:", embedder="none") as memory:
        bank = memory.bank("ada")
        bank.remember_many(CHAT)
        bank.remember("Another talk.", session="s2", at=NOON)
        yield bank


@given(budget=st.integers(0, 3000))
def test_every_turn_is_accounted_for_once_in_order_within_any_budget(bank, budget):
    assume(budget >= LEAST)
    made = bank.compact_session("s1", budget)

    assert made.tokens == count(made.text) <= budget
    ids = [e.id for e in (*made.kept, *made.shortened)] + [one.id for one in made.left_out]
    assert sorted(ids) == sorted(e.id for e in bank.episodes(session="s1"))
    turns = made.text[made.text.index(SESSION_OPEN) :]
    places = [turns.index(f"{e.text}\n") for e in made.kept]
    assert places == sorted(places)


def test_a_budget_without_room_for_a_single_mark_is_refused_with_what_it_takes(bank):
    with pytest.raises(BudgetTooSmall) as refused:
        bank.compact_session("s1", 10)

    assert 10 < refused.value.needed_tokens <= LEAST
    bank.compact_session("s1", refused.value.needed_tokens)


def test_a_conversation_that_fits_stands_whole(bank):
    made = bank.compact_session("s1", 10_000)

    assert ((), (), 60) == (made.shortened, made.left_out, len(made.kept))
    assert "…" not in made.text


def test_the_newest_turns_stay_with_the_older_ones_that_matter(bank):
    made = bank.compact_session("s1", 900)

    turns = bank.episodes(session="s1")
    newest = [e.id for e in made.kept][-8:]
    assert newest == [e.id for e in turns[-8:]]
    older = [e for e in made.kept if e.id not in newest]
    decided = [e for e in older if "decided" in e.text]
    assert len(decided) >= 3
    assert len({e.id for e in made.kept} | {e.id for e in made.shortened}) < 60


def test_what_is_left_out_is_opened_by_its_address(bank):
    made = bank.compact_session("s1", 400)

    assert "turns from s1#turn-0 on]" in made.text
    for pointer in made.left_out[:3]:
        assert [pointer.id] == [e.id for e in bank.expand(pointer.address)]


def test_more_room_never_keeps_fewer_turns_whole_or_short(bank):
    shown = [
        len(made.kept) + len(made.shortened)
        for budget in (300, 600, 1200, 2400)
        for made in [bank.compact_session("s1", budget)]
    ]

    assert shown == sorted(shown)


def test_it_is_data_as_a_whole_with_the_summary_first_where_there_is_room(bank):
    made = bank.compact_session("s1", 2500)

    assert made.text.startswith(SUMMARY_OPEN)
    assert SESSION_OPEN in made.text
    assert "" == without_quotes(made.text).strip()
    assert not bank.compact_session("s1", 300).text.startswith(SUMMARY_OPEN)


def test_of_a_conversation_that_never_was_there_is_nothing(bank):
    made = bank.compact_session("never")

    assert ("", 0, ()) == (made.text, made.tokens, made.kept)


@pytest.mark.parametrize("wrong", [{"session": ""}, {"session": None}, {"budget_tokens": -1}])
def test_what_can_be_no_session_or_budget_is_refused(bank, wrong):
    with pytest.raises(InputError):
        bank.compact_session(**{"session": "s1", **wrong})
