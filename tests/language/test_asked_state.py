import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.language.asked_state import AskedState, asked_state

NOW, MAYBE_NOW, BEFORE = (
    AskedState(newest=True, sure=True),
    AskedState(newest=True, sure=False),
    AskedState(newest=False, sure=True),
)


@pytest.mark.parametrize(
    ("question", "state"),
    [
        ("Which plumber do we use?", NOW),
        ("what's my locker number", NOW),
        ("Who is the captain at present?", NOW),
        ("What was the latest reading?", NOW),
        ("Who runs the bakery?", MAYBE_NOW),
        ("Where does Ingrid teach?", MAYBE_NOW),
        ("Where has Ingrid got her boat?", MAYBE_NOW),
        ("Which plumber did we use before?", BEFORE),
        ("What was my first locker number?", BEFORE),
        ("What's my first name?", NOW),
        ("How old is my aunt?", NOW),
        ("Which days does Ingrid teach?", MAYBE_NOW),
        ("What's the code of the boathouse?", NOW),
        ("Where is dad's hearing aid?", NOW),
        ("What's her dad's job?", MAYBE_NOW),
    ],
)
def test_the_words_of_a_question_tell_if_it_asks_for_now_or_for_before(question, state):
    assert state == asked_state(question)


@pytest.mark.parametrize(
    "question",
    [
        "Which plumber came on Tuesday?",
        "What did Ingrid teach?",
        "Is there any fish dad can't eat?",
        "Which countries has Ingrid seen?",
        "Why is Ingrid in Oslo?",
        "Which sports does Ingrid like?",
        "What kind of boat is it?",
        "Would Ingrid like a boat?",
        "Which was built first, the boat or the shed?",
        "the boat in Oslo",
        "",
    ],
)
def test_a_question_for_a_deed_a_reason_or_several_things_asks_for_no_state(question):
    assert asked_state(question) is None


@given(st.text(max_size=700))
def test_any_text_has_at_most_one_state(text):
    assert asked_state(text) in (None, NOW, MAYBE_NOW, BEFORE)
