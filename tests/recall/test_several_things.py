"""What a question for several things finds; words of our own, no benchmark's."""

from datetime import UTC, datetime, timedelta

from hippocampus import Config, Fusion
from hippocampus.language.standing import asks_for_advice

START = datetime(2024, 1, 1, tzinfo=UTC)


def remember(bank, sessions):
    ids = []
    for day, turns in enumerate(sessions):
        at = START + timedelta(days=7 * day)
        ids.append([
            bank.remember(text, at=at + timedelta(minutes=n), speaker="Ada", session=f"s{day}").id
            for n, text in enumerate(turns)
        ])  # fmt: skip
    return ids


SESSIONS = [
    [
        "I painted the lighthouse at Cromarty.",
        "The lighthouse has a red door.",
        "Red doors are odd.",
    ],
    ["Rain all week.", "The roof leaks over the bath."],
    ["I painted a lighthouse in Tarbat Ness on Sunday.", "It was windy there."],
    ["The ferry was late.", "Wilf has a cough."],
    ["Painted one more lighthouse, Chanonry, from the beach.", "The sand got into the oils."],
]


def test_of_several_things_each_comes_before_what_is_only_said_beside_one(open_memory):
    bank = open_memory().bank("ada")
    ids = remember(bank, SESSIONS)
    found = bank.recall("Which lighthouses did Ada paint?", now=START + timedelta(days=60))

    assert {hit.id for hit in found.hits[:3]} == {ids[0][0], ids[2][0], ids[4][0]}


def test_what_else_is_like_the_best_is_lifted_without_displacing_it(open_memory):
    asked = "Which lighthouses did Ada paint?"
    now = START + timedelta(days=60)
    bank = open_memory().bank("ada")
    remember(bank, SESSIONS)
    with_it = bank.recall(asked, now=now)
    plain = open_memory(config=Config(fusion=Fusion(alike=0))).bank("bea")
    remember(plain, SESSIONS)
    without = plain.recall(asked, now=now)

    assert with_it[0].text == without[0].text
    assert any(hit.shares.get("alike") for hit in with_it.hits)
    assert not any(hit.shares.get("alike") for hit in without.hits)


def test_a_list_of_what_was_told_is_no_request_for_advice():
    assert not asks_for_advice("Give me all the tide times I noted.")
    assert not asks_for_advice("list every ferry that was late")
    assert asks_for_advice("Give me a rhyme about the ferry.")
    assert asks_for_advice("Plan all the meals for the week.")


def test_a_short_context_holds_every_event_that_is_counted(open_memory):
    bank = open_memory().bank("ada")
    now = START + timedelta(days=60)
    ids = remember(bank, [
        ["I swam in the loch this morning."], ["Rain all week."], ["The roof leaks over the bath."],
        ["Swam in the loch again, cold."], ["The ferry was late."], ["I went for a swim at noon."],
    ])  # fmt: skip
    told = bank.context("How many times did I swim?", budget_tokens=400, now=now)

    assert {ids[0][0], ids[3][0], ids[5][0]} <= {hit.id for hit in told.items}
