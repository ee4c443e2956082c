"""Sentences that are quoted whole: what means the same alone, and nothing that was cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.encode.tokens import count
from hippocampus.language.whole_sentences import whole_sentences


def told(text, tokens=30):
    return [one.text for one in whole_sentences(text, tokens)]


@pytest.mark.parametrize("said", [
    "I moved to Porto in March", "The vet says that Otto must not eat fish",
    "We decided against the blue tiles", "My sister marries on the 14th of June",
    "Dr. Alvarez took the stitches out at 9.30 this morning", "Painted the shed at last",
])  # fmt: skip
def test_a_sentence_that_means_the_same_alone_is_quoted_whole(said):
    assert [said] == told(f"Hm. {said}. Ok?")


@pytest.mark.parametrize("said", [
    "It sank after an hour.", "And then we went home.", "She paid too much for the piano.",
    "Where did I put the keys?", "Please write an outline of the talk.",
    "You told me about the lake.", "`Apply(OrderContext context)` is what we landed on.",
    "- the first of three points",
    "See https://example.org for what I mean.", "Eggs, flour, milk, butter, salt, four lemons.",
    "mit dem rad ist was passiert.", "今天天气很好", "Thinking of a new roof for the shed.",
    "Says the roof will cost a fortune.", 'I said "we shall see and left.', "😂😂", "",
])  # fmt: skip
def test_what_hangs_on_something_else_or_is_no_sentence_is_not_quoted(said):
    assert [] == told(said)


@given(st.text(max_size=300), st.integers(1, 40))
def test_what_is_quoted_stands_in_the_text_within_its_tokens(text, tokens):
    for one in whole_sentences(text, tokens):
        assert one.text in " ".join(text.split())
        assert one.tokens == count(one.text) <= tokens


@pytest.mark.slow
def test_a_text_of_a_megabyte_is_read_in_time():
    assert told("a.b " * 250_000) == told("((((" * 250_000) == []
