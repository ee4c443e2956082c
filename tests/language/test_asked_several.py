"""Questions for several things, by their form; words of our own, no benchmark's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.language.asked_several import asked_in_plural, asks_for_several


@pytest.mark.parametrize(
    "question",
    [
        "Which lighthouses did Ottoline paint?",
        "What kind of hats does the ferryman own?",
        "what causes has Wilf marched for",
        "Which of the cellos were sold?",
        "what are Ottoline's nicknames",
        "Where has the Heron been?",
        "What have I planted in the yard?",
        "How many kayaks did we rent?",
        "List the ferries that were late.",
        "every tile we looked at, and its price",
    ],
)
def test_a_plural_a_number_and_all_of_something_ask_for_several_things(question):
    assert asks_for_several(question)


@pytest.mark.parametrize(
    "question",
    [
        "Which lighthouse did Ottoline paint?",
        "What is the news about the bus?",
        "What does Wilf play?",
        "When did the ferry leave?",
        "Who is the skipper of the Heron?",
        "What glass is in the window?",
    ],
)
def test_one_thing_is_not_several(question):
    assert not asks_for_several(question)


def test_the_sort_is_the_noun_before_the_verb():
    assert asked_in_plural("Which stone lighthouses did she paint?") == "lighthouse"
    assert asked_in_plural("What kinds of hats does he own?") == "hat"
    assert asked_in_plural("Which lighthouse did she paint?") == ""


@given(st.text())
def test_any_text_is_read(text):
    assert isinstance(asks_for_several(text), bool)
