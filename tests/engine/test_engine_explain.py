"""Explaining a recall: every step of it, and why a memory is among the hits or is not."""

from datetime import UTC, datetime, timedelta

import pytest

from hippocampus import Memory, Turn
from hippocampus.core.clock import ManualClock
from hippocampus.core.config import Config, Fusion
from hippocampus.errors import InputError, UnknownEpisode

NOW = datetime(2024, 9, 1, 12, tzinfo=UTC)
SEEN = ("boats", "birds", "cars", "kites", "trams")
NEAR = ("harbour", "church", "river", "school")


def talk():
    for n in range(120):
        who = ("Ana", "Tom")[n % 2]
        at = NOW - timedelta(days=200 - n)
        yield Turn(text=f"I saw {SEEN[n % 5]} by the {NEAR[n % 4]}.", speaker=who, at=at)
    yield Turn(text="I bought a kayak from Priya.", speaker="Tom", at="2024-07-01", session="k")
    yield Turn(text="I am away from 13 to 17 May.", speaker="Ana", at="2024-05-02")


@pytest.fixture(params=[400, 20], ids=["all are weighed", "cues propose"])
def bank(request):
    config = Config(fusion=Fusion(candidates=request.param))
    memory = Memory(":memory:", embedder="hash", clock=ManualClock(NOW), config=config)
    bank = memory.bank("home")
    bank.remember_many(talk())
    yield bank
    memory.close()


def test_it_has_the_hits_of_the_recall_with_what_each_signal_gave_them(bank):
    made = bank.explain("What did Tom buy?", 3)
    found = bank.recall("What did Tom buy?", 3)

    assert [hit.id for hit in found] == [hit.id for hit in made.recall] == [h.id for h in made.hits]
    assert [1, 2, 3] == [hit.place for hit in made.hits]
    for hit in made.hits:
        assert hit.shown
        assert hit.ranking_score == pytest.approx(sum(hit.parts.values()), abs=0.05)
    assert found.found == made.verdict.found == (made.verdict.confidence >= made.verdict.least)
    assert {"embed", "search", "propose", "score"} <= made.steps_s.keys()


def test_it_says_how_the_question_was_read(bank):
    made = bank.explain("When did Tom buy the kayak in July?", speaker="tom", since="2024-01-01")
    read = made.question

    assert ("Tom",) == read.speakers
    assert "a time" in read.asks_for
    assert {"speaker tom", "since 2024-01-01"} == set(read.only)
    assert ["in July"] == [one.text for one in read.times]
    assert {"kayak", "buy"} <= {one.word for one in read.words}
    assert 1 == pytest.approx(sum(one.share for one in read.words))
    assert 1 == next(one.memories for one in read.words if one.word == "kayak")


def test_the_time_of_an_event_is_told_without_asking_about_who_is_in_it(bank):
    asked = bank.explain("What did Tom see in the week when Ana was away?").question
    given = bank.explain("What did Tom see?", during="the week when Ana was away").question

    assert ("Tom",) == asked.speakers
    assert [(13, 20)] == [(one.start.day, one.end.day) for one in asked.times]
    assert ("during 2024-05-13..2024-05-20",) == given.only


def test_proposals_are_counted_by_cue(bank):
    made = bank.explain("Who saw kites by the church?", 5)
    proposing = [one for one in made.cues if one.proposed]

    if made.recall.cost.candidates == made.recall.cost.allowed:
        assert [] == proposing
    else:
        assert {"lexical", "vector"} <= {one.cue for one in proposing}
    for one in made.cues:
        assert one.proposed >= max(one.alone, one.shown, one.in_time)


def reason(bank, query, text, **filters):
    (one,) = (e for e in bank.episodes(forgotten=filters.pop("forgotten", False)) if e.text == text)
    (account,) = bank.explain(query, 3, ids=[one.id], **filters).asked
    assert account.id == one.id
    return account


def test_a_memory_that_is_there_is_told_of_by_what_speaks_for_it(bank):
    account = reason(bank, "What did Tom buy from Priya?", "I bought a kayak from Priya.")

    assert account.shown
    assert 1 == account.place
    assert account.why.startswith("It is there by ")
    assert "Priya" in account.words


def test_a_memory_behind_the_hits_is_told_of_by_what_it_lacks(bank):
    account = reason(bank, "Who saw kites by the church?", "I bought a kayak from Priya.")

    assert not account.shown
    assert "behind the last hit: less by" in account.why or "Nothing proposed it" in account.why


def test_a_memory_that_a_filter_hides_is_told_of_by_that_filter(bank):
    hidden = reason(bank, "Who saw kites?", "I bought a kayak from Priya.", speaker="Ana")
    twice = reason(
        bank, "Who saw kites?", "I bought a kayak from Priya.", speaker="Ana", until="2024-06-01"
    )

    assert "Filters leave it out: speaker." == hidden.why
    assert {"until", "speaker"} == set(twice.why[:-1].split(": ")[1].split(" and "))
    assert hidden.place is None


def test_a_memory_that_is_not_in_force_is_told_of_by_its_state(bank):
    (kayak,) = bank.find("kayak")
    newer = bank.correct(kayak.id, "I bought a canoe from Priya.")
    (account,) = bank.explain("What did Tom buy?", ids=[kayak.id]).asked
    assert "It is superseded, and not in force." == account.why

    bank.forget(newer.id)
    (account,) = bank.explain("What did Tom buy?", ids=[newer.id]).asked
    assert "It is forgotten, and not in force." == account.why

    bank.forget(newer.id, erase=True)
    (account,) = bank.explain("What did Tom buy?", ids=[newer.id]).asked
    assert "" == account.text
    assert "It is erased, and not in force." == account.why


def test_what_scores_too_little_is_told_of_by_that(bank):
    made = bank.explain("Who saw kites by the church?", 3, min_score=1.0)

    assert () == made.hits
    assert "min_score" in made.left_out[0].why


def test_cues_that_are_left_out_propose_nothing(bank):
    made = bank.explain("Who saw kites by the church?", 3, cues=["lexical"])

    assert {"lexical"} <= {one.cue for one in made.cues} <= {"lexical", "neighbours"}


def test_an_unknown_memory_and_too_many_are_refused(bank):
    with pytest.raises(UnknownEpisode):
        bank.explain("Who saw kites?", ids=["no such id"])
    with pytest.raises(InputError, match="at most 100"):
        bank.explain("Who saw kites?", ids=["x"] * 101)


def test_an_event_that_nothing_tells_of_is_all_there_is_to_explain(bank):
    made = bank.explain("What did Tom see?", during="while zebras danced in Peru")

    assert not made.verdict.found
    assert "zebras danced in Peru" in made.verdict.note
    assert () == made.hits == made.cues
    assert "zebras" in str(made)


def test_as_text_it_has_a_part_for_each_step(bank):
    (kayak,) = bank.find("kayak")
    shown = str(bank.explain("What did Tom buy in July?", 3, ids=kayak.id))

    heads = [line for line in shown.splitlines() if line and not line.startswith(" ")]
    assert heads == [
        "The question", "Who proposed what", "Hits", "Not among them", "Asked for", "Decided",
        "Time",
    ]  # fmt: skip
    assert "None" not in shown


def test_an_empty_bank_is_explained_as_well():
    with Memory(":memory:", embedder="none", clock=ManualClock(NOW)) as memory:
        bank = memory.bank("empty")
        bank.remember("Gone.")
        bank.forget(bank.episodes()[0].id)
        made = bank.explain("What did Tom buy?")

    assert () == made.hits
    assert not made.verdict.found
    assert "nothing relevant was found" in str(made)
