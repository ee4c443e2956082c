import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.language import rival_statements
from hippocampus.language.rival_statements import (
    clauses,
    find_of_one_frame,
    find_rivals,
    tells_correction,
)


def rivals(one, other, speakers=("Ada", "Ada")):
    told = zip((one, other), speakers, strict=True)
    return list(find_rivals(told))


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("The rent is £950 a month.", "The rent is £1,100 a month now."),
        ("I live in Oslo.", "I live in Bergen, by the harbour."),
        ("The skipper of the Heron is Olav.", "The skipper of the Heron is Per Dahl."),
        ("Ingrid works at Fjordkraft.", "Ingrid works at Equinor."),
        ("Ingrid is married to Olav.", "Ingrid is married to Per."),
        ("I eat meat.", "I don't eat meat any more."),
        ("My favourite soup is leek.", "Actually my favourite soup is sorrel now."),
        ("The regatta is on Monday.", "The regatta is on Thursday."),
        ("I row 5 km a day.", "I row 8 km a day."),
    ],
)
def test_statements_alike_but_for_their_ends_are_rivals(earlier, later):
    assert rivals(earlier, later) == [(0, 1)]


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("I like tea.", "I like coffee."),
        ("I am interested in Rome.", "I am interested in Oslo."),
        ("I went to Rome.", "I went to Oslo."),
        ("I have been to Rome.", "I have been to Oslo."),
        ("I want to live in Rome.", "I want to live in Oslo."),
        ("If the rent is 950, we stay.", "The rent is 1,100."),
        ("Is the rent 950?", "Is the rent 1,100?"),
        ("The rent is 950 a month.", "The rent is 950 a month."),
        ("I have two dogs.", "I have three cats."),
        ("My friend is Olav.", "My friend is Per."),
        ("It is 5 degrees.", "It is 9 degrees."),
        ("The sea is calm.", "The sea is rough."),
        ("", ""),
    ],
)
def test_attitudes_deeds_plans_questions_and_moods_rival_nothing(earlier, later):
    assert not rivals(earlier, later)


def test_what_two_people_say_of_themselves_is_no_rival():
    one, other = "My boat is called Heron.", "My boat is called Gull."

    assert rivals(one, other)
    assert not rivals(one, other, ("Ada", "Ingrid"))


def test_of_something_past_two_statements_are_alike_and_no_rivals():
    told = ["The yard was founded by Olav Dahl.", "It rained.", "The yard was founded by Per Moe."]

    assert list(find_of_one_frame(told)) == [(0, 2, "the yard was founded by")]
    assert not rivals(told[0], told[2])


@pytest.fixture
def compared(monkeypatch):
    """Return the comparisons of two clauses that are made."""
    made = []

    def counted(one, other, *, compare=rival_statements.rivals):
        made.append((one, other))
        return compare(one, other)

    monkeypatch.setattr(rival_statements, "rivals", counted)
    return made


def test_what_texts_repeat_is_compared_once_a_text(compared):
    told = [("The pump is old. It is here. " * 20, "Ada")] * 100

    assert not list(find_rivals(told))
    assert not list(find_of_one_frame(text for text, _ in told[:8]))
    assert len(compared) <= 2 * (len(told) + 8)


def test_a_text_that_is_overtaken_is_not_compared_again(compared):
    told = [(f"The pump is at {bar} bar.", "Ada") for bar in range(100)]

    assert list(find_rivals(told)) == [(place, place + 1) for place in range(99)]
    assert len(compared) == 99


def test_only_clauses_that_are_most_of_their_text_are_overtaken(compared):
    told = [
        (" ".join(f"The pump is at {n + bar} bar." for n in range(20)), "Ada") for bar in (0, 9)
    ]

    assert list(find_rivals(told)) == [(0, 1)]
    compared.clear()
    assert not list(find_rivals(told, share=0.5))
    assert not compared


@given(st.text(max_size=900), st.text(max_size=900))
def test_any_two_texts_are_compared(one, other):
    assert set(rivals(one, other)) <= {(0, 1)}
    assert all(0 < clause.share <= 1 for clause in clauses(one))


@pytest.mark.parametrize(
    "text",
    [
        "I raised my voice from fear in the garden.",
        "I changed the curtains in my flat from blue to red.",
        "We moved to Linz with the cat.",
        "Not only Tom but Ada came.",
        "We named him after all the uncles.",
        "Das ist doch schön.",
    ],
)
def test_a_change_of_something_else_is_told_and_corrects_nothing(text):
    assert not tells_correction(text)


@pytest.mark.parametrize(
    "text",
    [
        "It is only 350 euros after all.",
        "We moved the launch from 3 May to 20 May.",
        "The dentist has moved to Thursday.",
        "Scratch that, it's Linz.",
        "Es sind doch nur 350 Euro.",
        "It's not Tom but Ada.",
    ],
)
def test_what_puts_right_what_was_said_is_a_correction(text):
    assert tells_correction(text)
