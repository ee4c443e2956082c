"""Questions for something by whose it is; words of our own, no benchmark's."""

from datetime import UTC, datetime, timedelta

import pytest

from hippocampus.index.query import Possessive
from hippocampus.language.parsed.pipeline import can_parse
from hippocampus.recall.parse import parse

START = datetime(2024, 1, 1, tzinfo=UTC)
BESIDE = [
    "The bus was late.",
    "I planted leeks behind the shed.",
    "Phoned the bank.",
    "We had soup.",
]


def first(bank, turns, question):
    for day, text in enumerate([*BESIDE, *turns, *BESIDE]):
        at = START + timedelta(days=day)
        bank.remember(text, at=at, role="user", speaker="Eva", session=f"s{day}")
    bank.sleep()
    return bank.recall(question, now=START + timedelta(days=60))[0].text


@pytest.mark.skipif(not can_parse(), reason="needs 'hippocampus models install english'")
@pytest.mark.parametrize(
    ("turns", "question", "answer"),
    [
        (
            [
                "Wilf's wife is called Margit.",
                "Margit works at the harbour.",
                "Bea works at school.",
            ],
            "Where does Wilf's wife work?",
            1,
        ),
        (
            ["My brother is Jonas.", "Jonas bakes sourdough.", "Wilf bakes buns."],
            "What does my brother bake?",
            1,
        ),
        (
            [
                "Lena's husband is Otto.",
                "Otto's birthday is 9 July.",
                "Lena's birthday is 3 March.",
            ],
            "When is Lena's husband's birthday?",
            1,
        ),
    ],
)
def test_whose_it_is_is_known_by_any_name(open_memory, turns, question, answer):
    assert first(open_memory().bank("eva"), turns, question) == turns[answer]


@pytest.mark.parametrize("question", ["Bea's phone number", "the phone number of Bea"])
def test_the_name_of_a_thing_alone_asks_for_it(open_memory, question):
    turns = ["Ada's number is 0171 555 220.", "Bea's number is 0171 555 991."]

    assert first(open_memory().bank("eva"), turns, question) == turns[1]


def test_what_names_owner_and_thing_comes_before_what_names_one(open_memory):
    turns = ["The code of the shed is 9090.", "The code of the garage is 4411."]

    assert first(open_memory().bank("eva"), turns, "what's the shed's code") == turns[0]


@pytest.mark.parametrize("question", ["Eva's favourite colour", "the favourite colour of Eva"])
def test_a_possessive_alone_asks_for_what_holds_now(open_memory, question):
    turns = ["My favourite colour is green.", "My favourite colour is now blue."]

    assert first(open_memory().bank("eva"), turns, question) == turns[1]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("my sister's dog", (("", ("sister",), None), ("sister", ("dog",), 0))),
        ("Ada's sister's dog", (("Ada", ("sister",), None), ("sister", ("dog",), 0))),
        ("the address of Rosa", (("Rosa", ("address",), None),)),
        ("the neighbours' boy", (("neighbours", ("boy",), None),)),
        ("What does Ada eat?", ()),
    ],
)
def test_possessives_name_their_owners_in_a_chain(question, said):
    assert parse(question, now=START).possessives == tuple(Possessive(*one) for one in said)
