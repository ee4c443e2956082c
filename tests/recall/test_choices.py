"""Questions that name two things of which one is so; words of our own, no benchmark's."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.language.asked_choice import read_choice, side_of

START = datetime(2024, 1, 1, tzinfo=UTC)
BESIDE = [
    "The bus was late again.", "Rain all week, the gutter leaks.", "Wilf called about the boiler.",
    "I planted leeks behind the shed.", "We had soup.", "My knee is sore after the stairs.",
]  # fmt: skip


def ask(bank, turns, question):
    """Return the places among the turns of the first hits."""
    ids = {}
    for day, text in enumerate([x for pair in zip(BESIDE, turns, strict=False) for x in pair]):
        kept = bank.remember(text, at=START + timedelta(days=day), role="user", session=f"s{day}")
        ids[kept.id] = turns.index(text) if text in turns else None
    for day, text in enumerate(BESIDE[len(turns) :], 20):
        bank.remember(text, at=START + timedelta(days=day), role="user", session=f"s{day}")
    found = bank.recall(question, now=START + timedelta(days=40))
    return [ids.get(hit.id) for hit in found.hits[:3]]


@pytest.mark.parametrize(
    ("turns", "question"),
    [
        (
            ["Torn between the oak table and the walnut table.", "Went for the walnut in the end."],
            "Did I choose the oak table or the walnut one?",
        ),
        (
            ["Should the door be green or grey?", "Grey it is. Two coats."],
            "Is the door green or grey?",
        ),
        (
            ["Sold the Volvo in April.", "The Saab passed its inspection in May."],
            "Do I still have the Volvo or the Saab?",
        ),
        (
            ["I won't take the job at Globex.", "I signed with Initech this morning."],
            "Globex or Initech, which job did I take?",
        ),
        (
            ["The choir meets on Tuesdays.", "The choir meets on Wednesdays from now on."],
            "Is the choir on Tuesday or Wednesday?",
        ),
    ],
)
def test_what_takes_a_side_leads_with_the_other_following(open_memory, turns, question):
    first, *rest = ask(open_memory().bank("ada"), turns, question)

    assert first == 1
    assert 0 in rest


def test_the_later_one_leads_only_if_it_tells_as_much(open_memory):
    turns = ["I paid the roofer in cash.", "The glazier got a bank transfer."]

    assert ask(open_memory().bank("ada"), turns, "Did I pay the roofer or the glazier in cash?")[
        :2
    ] == [0, 1]


@pytest.mark.parametrize(
    ("text", "named", "decided"),
    [
        ("Red or blue, I can't tell.", 2, False),
        ("Blue, though red was cheaper.", 2, True),
        ("The blue kayak is ours.", 1, True),
        ("We don't want the blue kayak.", 1, False),
        ("Sold the blue kayak, kept the paddle.", 1, False),
        ("Is the blue kayak any good?", 1, False),
        ("The kayak leaks.", 0, False),
    ],
)
def test_a_text_weighs_turns_down_or_takes_a_side(text, named, decided):
    choice = read_choice("Did we buy the red kayak or the blue one?")
    assert choice is not None
    side = side_of(text, choice)

    assert (len(side.named), side.decided) == (named, decided)


@pytest.mark.parametrize(
    "question",
    [
        "What did we buy or borrow?",
        "Which towns or villages did we see?",
        "Is the kayak ours or not?",
        "Where do we keep paddles?",
        "Which of the paddles is broken?",
    ],
)
def test_what_names_no_two_things_is_no_choice(question):
    assert read_choice(question) is None


@given(st.text(), st.text())
def test_any_text_is_read(question, text):
    choice = read_choice(f"{question} or {text}")
    if choice is not None:
        side_of(text, choice)
