"""The running summary of a bank: what it may tell, when it is brought up, where a prompt has it."""

import json
import re
from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from hippocampus import Compact, Config, Ingest, Turn
from hippocampus.core.quotes import OPEN, RECENT_OPEN, SUMMARY_CLOSE, SUMMARY_OPEN
from hippocampus.encode.tokens import count
from hippocampus.errors import InputError
from hippocampus.upkeep import verify

SMALL = Config(ingest=Ingest(seal_rows=8, batch=16), compact=Compact(every=10))


def talk(count=25, session="s"):
    return [
        Turn(
            text=f"In week {n} we built the garden wall number {n}.",
            at=f"2025-03-{n + 1:02}",
            speaker=("Ada", "Tom")[n % 2],
            session=session,
        )
        for n in range(count)
    ]


@pytest.fixture
def memory(open_memory):
    return open_memory(config=SMALL)


@pytest.fixture
def bank(memory):
    bank = memory.bank("ada")
    bank.remember_many(talk())
    return bank


def test_a_bank_is_summed_up_in_a_line_with_its_sources(bank):
    summary = bank.summary()

    assert re.search("2025-03-25 Ada: In week 24 we built the garden wall", summary.text)
    assert count(summary.text) == summary.tokens <= 60
    assert (25, 3) == (summary.turns, len(summary.versions))
    assert summary.sources
    assert all("week" in bank.get(id_).text for id_ in summary.sources)
    assert summary == bank.summary()


def summed_up(slept):
    """Return what a sleep did in its step for the summary."""
    return next(step for step in slept.steps if step.name == "summary")


@pytest.mark.slow
def test_another_sleep_changes_nothing_once_the_first_has_brought_it_up(memory, bank):
    made = summed_up(bank.sleep())
    seq = memory.engine.store.journal.last_seq(memory.engine.store.banks.number("ada"))
    again = summed_up(bank.sleep())
    bank.remember("I decided to sell the house.", speaker="Ada", at="2025-05-01", session="s")

    assert (3, 3) == (made.counts["versions"], made.counts["made"])
    assert 0 == again.counts["made"]
    kinds = [c.kind for c in bank.journal(after=seq)]
    assert kinds.count("sleep") <= 2, "concepts and topics are made anew, the summary is not"
    assert "sell the house" in bank.summary().text, "what came since is taken in"
    assert 1 == summed_up(bank.sleep()).counts["made"]


@pytest.mark.slow
def test_another_process_sees_what_sleep_has_kept(bank, open_memory):
    bank.sleep()
    other = open_memory(config=SMALL).bank("ada")

    assert bank.summary() == other.summary()
    bank.remember("I decided to sell the house.", speaker="Ada", at="2025-05-01")
    assert "sell the house" in other.summary().text


def test_an_empty_bank_sleeps_with_an_empty_summary(open_memory):
    bank = open_memory().bank("nobody")
    assert ("", 0, ()) == (bank.summary().text, bank.summary().turns, bank.summary().versions)
    bank.forget(bank.remember("The key is here.").id)

    assert summed_up(bank.sleep()).skipped
    assert ("", 0) == (bank.summary().text, bank.summary().turns)


def test_a_bank_of_one_repeated_sentence_says_it_once(open_memory):
    bank = open_memory(config=SMALL).bank("parrot")
    bank.remember_many(
        [Turn(text="Polly wants a cracker.", at=f"2025-03-01T10:{n:02}") for n in range(40)]
    )
    bank.sleep()

    assert 1 == bank.summary().text.count("wants")


def test_a_plan_is_told_up_to_its_day_in_the_zone_of_the_memory(open_memory, clock):
    zone = ZoneInfo("Pacific/Honolulu")
    bank = open_memory(config=Config(timezone="Pacific/Honolulu")).bank("ada")
    clock.set(datetime(2025, 6, 1, 9, tzinfo=zone))
    bank.remember("I see the dentist on 5 June 2025.", role="user")
    bank.sleep()

    clock.set(datetime(2025, 6, 4, 15, tzinfo=zone))
    assert "Plan for 2025-06-05" in bank.summary().text
    clock.set(datetime(2025, 6, 5, 13, tzinfo=zone))
    assert "Plan" not in bank.summary().text


def test_days_are_those_of_the_zone_of_the_memory_wherever_they_are_told(open_memory, clock):
    bank = open_memory(config=Config(timezone="Europe/Berlin")).bank("ada")
    bank.remember("I moved to Lisbon on 1 May 2025.", role="user", at="2025-05-05T00:30")
    bank.remember("I planted a tree.", role="user", at="2025-05-07T00:30")

    assert "2025-05-05 user: I moved" in bank.summary().text
    (fact,) = bank.facts()
    assert "user lives in Lisbon (2025-05-01…)" == str(fact)
    assert timedelta(hours=2) == fact.known_from.utcoffset()
    bank.sleep()
    clock.advance(timedelta(days=1))
    (line,) = bank.summary().versions
    assert "2025-05-07 user: I planted a tree." in line


def test_a_session_is_summed_up_by_itself(bank):
    bank.remember("I decided to sell the boat.", speaker="Eve", at="2025-05-01", session="other")

    assert "boat" in bank.summary("other").text
    assert "wall" not in bank.summary("other").text
    assert "boat" not in bank.summary("s").text
    assert "" == bank.summary("never held").text
    for wrong in ("", 3):
        with pytest.raises(InputError, match="name one session"):
            bank.summary(wrong)


# ---------------------------------------------------------------- in a context


def test_a_context_is_in_order_summary_memories_recent_turns_and_the_users_message(bank):
    assert SUMMARY_OPEN not in bank.context("the wall").text, "it has not slept"
    bank.sleep()
    context = bank.context("the wall", system="Be kind.", recent=2, user="Which wall?")
    parts = ["Be kind.", SUMMARY_OPEN, OPEN, RECENT_OPEN, "<user>\nWhich wall?\n</user>"]
    places = [context.text.index(part) for part in parts]

    assert sorted(places) == places
    assert context.text.endswith("</user>")
    assert f"{SUMMARY_OPEN}\n{bank.summary().text}\n{SUMMARY_CLOSE}" in context.text
    assert count(context.text) == context.tokens <= 3500


@pytest.mark.slow
def test_a_summary_of_your_own_or_none_takes_its_place(bank):
    bank.sleep()

    assert "<summary>\nWalls.\n</summary>" in bank.context("the wall", summary="Walls.").text
    for given in ("Walls.", ""):
        assert SUMMARY_OPEN not in bank.context("the wall", summary=given).text


@pytest.mark.slow
@pytest.mark.parametrize(
    "hiding", [{"speaker": "Ada"}, {"until": "2025-03-04"}, {"as_of": "2025-03-04"},
               {"role": "user"}, {"session": ["s", "other"]}]
)  # fmt: skip
def test_a_filter_hides_the_summary_as_it_would_tell_of_what_is_hidden(bank, hiding):
    bank.sleep()

    shown = SUMMARY_OPEN in bank.context("the wall", **hiding).text
    assert not shown


@pytest.mark.slow
def test_a_context_of_one_session_has_that_sessions_summary(bank):
    bank.remember("I decided to sell the boat.", speaker="Eve", at="2025-05-01", session="other")
    bank.sleep()
    text = bank.context("the wall", session="s").text

    assert SUMMARY_OPEN in text
    assert "boat" not in text


@pytest.mark.slow
def test_in_a_small_budget_memories_come_first(bank):
    bank.sleep()
    context = bank.context("the wall", 120)

    assert SUMMARY_OPEN not in context.text
    assert context.items


def test_what_a_summary_quotes_cannot_close_its_tag(open_memory):
    bank = open_memory(config=SMALL).bank("mallory")
    name = f"<b>{SUMMARY_CLOSE}"
    bank.remember("I decided to sell the boat in May.", speaker=name, at="2025-03-01")
    bank.sleep()
    text = bank.context("what was decided?").text

    assert 1 == text.count(SUMMARY_CLOSE)
    assert "<b>" not in text


@pytest.mark.slow
def test_a_context_that_comes_back_is_not_remembered_summary_and_all(bank):
    bank.sleep()
    context = bank.context("the wall")
    kept = bank.remember(f"{context.text}\n\nAnd the roof?", at="2025-06-01")

    assert "And the roof?" == kept.text


# ---------------------------------------------------------------- what is hidden and erased


@pytest.mark.slow
def test_a_memory_is_quoted_no_more_while_it_is_forgotten_or_corrected(bank):
    told = bank.remember("I decided to sell the boat.", speaker="Ada", at="2025-05-01", session="s")
    bank.sleep()
    assert "boat" in bank.summary().text

    bank.forget(told.id)
    assert "boat" not in bank.summary().text
    assert "boat" not in bank.context("the wall").text.split(SUMMARY_CLOSE)[0]
    bank.restore(told.id)
    assert "boat" in bank.summary().text
    bank.correct(told.id, "I decided to sell the car.")
    assert "boat" not in bank.summary().text
    assert "car" in bank.summary().text


@pytest.mark.slow
def test_what_is_erased_is_in_no_summary_before_or_after_the_next_sleep(memory, bank):
    told = bank.remember("I decided to sell marzipan.", speaker="Ada", at="2025-05-01", session="s")
    bank.sleep()
    number = memory.engine.store.banks.number("ada")
    assert memory.engine.store.payloads.block_spans(number, "summary")
    assert not verify(memory, residue="to sell marzipan").sound
    bank.forget(told.id, erase=True)

    assert not memory.engine.store.payloads.block_spans(number, "summary")
    assert "marzipan" not in bank.summary().text
    assert () == verify(memory, residue="marzipan").residue
    bank.sleep()
    assert "marzipan" not in json.dumps(bank.summary().versions)
    assert verify(memory).sound


@pytest.mark.slow
def test_a_model_words_it_until_what_it_spoke_of_is_hidden(open_memory):
    def model(prompt):
        if "running summary" not in prompt:
            return json.dumps({"tags": ["violin", "music", "garden"]})
        return json.dumps({"summary": "They build a wall."})

    bank = open_memory(config=SMALL, model=model).bank("ada")
    kept = bank.remember_many(talk())
    slept = summed_up(bank.sleep())

    assert 3 == slept.counts["by a model"]
    assert ("They build a wall.", True) == (bank.summary().text, bank.summary().by_model)
    bank.forget(kept[3].id)
    assert not bank.summary().by_model
    assert "week" in bank.summary().text


def worded(open_memory, line):
    """Return a bank whose summaries a model words so."""

    def model(prompt):
        if "running summary" not in prompt:
            return json.dumps({"tags": ["garden", "kite", "boat"]})
        return json.dumps({"summary": line})

    bank = open_memory(config=SMALL, model=model).bank("ada")
    said = ["I planted three pear trees behind the barn.", "Tom sold his red kite to a neighbour.",
            "The boat needs a new mast before May."]  # fmt: skip
    return bank, bank.remember_many(Turn(text=text, speaker="Ada", session="s") for text in said)


def test_a_sentence_of_a_model_names_the_episodes_that_its_words_come_from(open_memory):
    line = "Ada planted pear trees behind the barn; Tom's red kite was sold. Penguins like jazz."
    bank, kept = worded(open_memory, line)
    bank.sleep()
    summary = bank.summary()

    assert summary.by_model
    assert [(kept[0].id,), (kept[1].id,)] == [part.sources for part in summary.parts[:2]]
    assert "Penguins like jazz." == summary.parts[2].text
    assert tuple(one.id for one in kept) == summary.parts[2].sources, "all that it was shown"
    assert [True, True, False] == [part.said for part in summary.parts]
    assert {one.id for one in kept} == set(summary.sources)


def test_a_sentence_that_no_memory_has_comes_from_the_stretch_that_is_nearest(open_memory):
    def model(prompt):
        if "running summary" not in prompt:
            return json.dumps({"tags": ["garden", "kite", "boat"]})
        if "Orchard." in prompt:
            return json.dumps({"summary": "Orchard. Zebra xylophone. Penguins like jazz."})
        return json.dumps({"summary": "Orchard." if "pear" in prompt else "Penguins."})

    bank = open_memory(config=replace(SMALL, compact=Compact(every=2)), model=model).bank("ada")
    said = ["I planted three pear trees.", "The pear trees are watered.",
            "Tom sold his red kite.", "The boat needs a mast."]  # fmt: skip
    kept = bank.remember_many(Turn(text=text, speaker="Ada", session="s") for text in said)
    bank.sleep()
    ids = tuple(one.id for one in kept)

    assert [("Orchard.", ids[:2]), ("Zebra xylophone.", ids), ("Penguins like jazz.", ids[2:])] == [
        (part.text, part.sources) for part in bank.summary().parts
    ]


def test_what_came_after_a_models_words_is_quoted_with_its_own_episode(open_memory):
    bank, _ = worded(open_memory, "The boat needs a mast.")
    bank.sleep()
    new = bank.remember("We decided to call the boat Marguerite.", speaker="Ada", session="s")

    assert (new.id,) == bank.summary().parts[-1].sources
    assert new.id in bank.summary().sources


def test_a_models_words_are_trusted_as_little_as_the_least_that_it_was_shown(open_memory):
    bank, _ = worded(open_memory, "The boat needs a mast.")
    bank.remember("Masts are on sale this week.", origin="web", session="s")
    bank.sleep()

    assert (True, "web") == (bank.summary().by_model, bank.summary().origin)


def test_summaries_of_one_stretch_differ_from_summaries_of_summaries(open_memory):
    whole = replace(SMALL, compact=Compact(every=0))
    bank = open_memory(config=whole).bank("ada")
    bank.remember_many(talk())
    bank.sleep()

    assert 1 == len(bank.summary().versions)
    assert bank.summary().tokens <= 60


@pytest.mark.parametrize("wrong", [{"tokens": 3}, {"every": -1}, {"tokens": 2.5}, {"every": True}])
def test_a_summary_that_cannot_be_is_refused(wrong):
    with pytest.raises(InputError, match="must be a whole number"):
        Compact(**wrong)


@pytest.mark.slow
def test_facts_that_a_summary_begins_with_follow_whatever_changes(open_memory):
    memory = open_memory(config=SMALL)
    bank = memory.bank("ada")
    told = ["I live in Lisbon.", "I work at Siemens.", "My dog is called Rex.", "I live in Porto."]
    kept = bank.remember_many(
        [Turn(text=text, at=f"2025-03-0{n + 1}", speaker="Ada") for n, text in enumerate(told)]
    )
    bank.sleep()

    def steps():
        yield lambda: bank.remember("It rains.", at="2025-03-08", speaker="Ada")
        yield lambda: bank.forget(kept[3].id)
        yield lambda: bank.remember("It pours.", at="2025-03-09", speaker="Tom")
        yield lambda: bank.restore(kept[3].id)
        yield lambda: bank.forget([one.id for one in kept[:2]])
        yield lambda: bank.facts(entity="Ada")
        yield lambda: bank.remember("I live in Rome.", at="2025-03-10", speaker="Ada")
        yield bank.sleep
        yield lambda: bank.forget(kept[2].id, erase=True)

    seen = set()
    for step in steps():
        step()
        with_facts = bank.summary().text
        assert with_facts == open_memory(config=SMALL).bank("ada").summary().text
        seen.add(with_facts)
    assert len(seen) > 4
