import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.language.self_disclosure import only_asks
from hippocampus.language.standing import asks_for_advice, tells_standing


@pytest.mark.parametrize(
    "text",
    [
        "I can't stand fennel.",
        "we really don't enjoy long drives",
        "Olga prefers the window seat.",
        "My sister is coeliac, by the way.",
        "Whenever I mention distances, give them in miles.",
        "Please never wake me before eight.",
        "From now on send the invoices to Per.",
        "The doctor said he is not allowed caffeine.",
        "Don't use my middle name.",
        "I'll not fly with them again.",
        "she always takes the stairs",
    ],
)
def test_a_preference_a_ban_and_a_rule_are_standing(text):
    assert tells_standing(text)


@pytest.mark.parametrize(
    "text",
    [
        "We drove to the fennel farm.",
        "Do you like fennel?",
        "I can't wait to see you!",
        "I would like two tickets for Friday.",
        "I have never been to Oslo.",
        "It looks like rain.",
        "I don't know.",
        "The train stands at platform two.",
        "",
    ],
)
def test_a_deed_a_wish_for_once_and_a_question_are_not(text):
    assert not tells_standing(text)


@pytest.mark.parametrize(
    "text",
    [
        "Could you suggest a film?",
        "What should I wear on Saturday?",
        "Write a note to the landlord.",
        "May we bring the cat?",
        "Any ideas for a present?",
    ],
)
def test_who_asks_what_to_do_or_for_something_made_asks_for_advice(text):
    assert asks_for_advice(text)


@pytest.mark.parametrize(
    "text", ["Where did we park?", "Who is Olga?", "When is the train?", "the cat", ""]
)
def test_who_asks_for_a_fact_does_not(text):
    assert not asks_for_advice(text)


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Which tea do you like?", True),
        ("Which tea? The green one?", True),
        ("Is it 3.5 miles?", True),
        ("哪种茶？", True),
        ("I like green tea. Which do you like?", False),
        ("Green tea.", False),
        ("", False),
    ],
)
def test_a_text_all_whose_sentences_ask_only_asks(text, asks):
    assert asks == only_asks(text)


@given(st.text(max_size=300))
def test_any_text_is_read_the_same_way_every_time(text):
    told = (tells_standing(text), asks_for_advice(text), only_asks(text))

    assert told == (tells_standing(text), asks_for_advice(text), only_asks(text))
