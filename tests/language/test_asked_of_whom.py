import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.language.asked_of_whom import asks_what_you_said, person_asked_about


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Who is Miss Moe?", "Miss Moe"),
        ("So who's Ingrid Dahl again?", "Ingrid Dahl"),
        ("who the devil's Mr Osk", "Mr Osk"),
        ("whos ingrid", "ingrid"),
        ("Who was Torvald, then?", "Torvald"),
    ],
)
def test_a_name_alone_is_asked_to_be_explained(question, name):
    assert person_asked_about(question) == name


@pytest.mark.parametrize(
    "question",
    ["Who is my boss?", "Who is the skipper of the Heron?", "Who's on duty?", "Who is at home?", "",
     "Who rows on Monday?", "Who is Ingrid's sister?"],
)  # fmt: skip
def test_who_fills_a_place_is_no_name_to_be_explained(question):
    assert person_asked_about(question) == ""


@pytest.mark.parametrize(
    "question",
    ["What did you suggest for the fence?", "You told me a price, what was it?",
     "That title you gave me, say it again"],
)  # fmt: skip
def test_what_you_did_or_said_is_asked_for(question):
    assert asks_what_you_said(question)


@pytest.mark.parametrize(
    "question", ["What do you know of boats?", "Can you row?", "What did I tell Ada?", ""]
)
def test_what_you_know_or_can_is_not(question):
    assert not asks_what_you_said(question)


@given(st.text(max_size=700))
def test_any_text_is_read(text):
    assert len(person_asked_about(text).split()) <= 4
    assert asks_what_you_said(text) in (True, False)
