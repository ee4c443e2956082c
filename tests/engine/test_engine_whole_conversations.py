"""Questions about whole conversations: summaries, orders, beginnings, all that was said."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from runpy import run_path

import pytest

from hippocampus import Memory

HISTORIES = run_path(str(Path(__file__).with_name("conversation_histories.py")))["HISTORIES"]
ASKED_AT = datetime(2025, 7, 1, 12, tzinfo=UTC)


class Clock:
    def __init__(self):
        self.at = ASKED_AT

    def now(self):
        return self.at


@pytest.fixture(scope="module", params=sorted(HISTORIES))
def told(request):
    turns, asked = HISTORIES[request.param]
    clock = Clock()
    with Memory(":memory:", embedder=None, clock=clock) as memory:
        bank, ids = memory.bank("me"), {}
        for number, (day, session, role, text) in enumerate(turns):
            said = datetime.fromisoformat(day).replace(hour=9, tzinfo=UTC)
            clock.at = said + timedelta(minutes=number)
            kept = bank.remember(text, at=clock.at, session=session, role=role)
            ids[kept.id] = number
        clock.at = ASKED_AT
        yield bank, ids, asked


def hits(bank, ids, question, k=20):
    return [ids[hit.id] for hit in bank.recall(question, k).hits]


def test_what_whole_conversations_are_asked_for_is_mostly_found_first(told):
    bank, ids, asked = told
    shares = []
    for question, needed, _ in asked:
        first = hits(bank, ids, question)[: max(5, len(needed))]
        shares.append(len(set(needed) & set(first)) / len(needed))
    assert sum(shares) / len(shares) >= 0.8


def test_events_that_are_compared_lead_in_their_order(told):
    bank, ids, asked = told
    for question, needed, in_order in asked:
        if in_order:
            assert list(needed) == hits(bank, ids, question)[: len(needed)], question


def test_a_context_quotes_the_events_in_order_with_their_dates(told):
    bank, ids, asked = told
    question, needed, _ = next(one for one in asked if one[2])
    context = bank.context(question, 300)
    shown = [ids[hit.id] for hit in context.items]
    assert set(needed) <= set(shown)
    days = [bank.get(id_).occurred_at.strftime("%Y-%m-%d") for id_, n in ids.items() if n in needed]
    places = [context.text.index(day) for day in sorted(days)]
    assert places == sorted(places)


def test_the_first_thing_that_was_told_is_the_oldest(told):
    bank, ids, _ = told
    for question in ("What was the first thing I told you?", "what did we first talk about"):
        assert hits(bank, ids, question)[0] == 0
        assert bank.recall(question).found


def test_every_conversation_about_a_matter_is_there_before_a_second_turn_of_one(told):
    bank, _, asked = told
    for question, needed, _ in asked:
        if question.startswith(("Summarise our conversations", "Give me a summary")):
            sessions = [hit.episode.session for hit in bank.recall(question, len(needed)).hits]
            assert len(set(sessions)) == len(needed)


def test_a_matter_that_was_never_spoken_of_has_no_summary(told):
    bank, _, _ = told
    assert not bank.recall("Summarise our conversations about quantum chromodynamics.").found


def test_what_is_pasted_is_no_conversation(told):
    bank, _, _ = told
    found = bank.recall("Summarise this text: cats are small and eat mice.")
    assert not found.found
