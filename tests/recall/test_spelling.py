"""Misspelt words of a question are read as words that the bank has; all others stay."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.encode.terms import hash_words
from hippocampus.recall.spelling import respelled

HELD = (
    "phone number address birthday restaurant appointment kayaking walnuts john dinner guitar"
    " receive knife photograph neighbour then show whose is in the of"
).split()


def frequency(terms):
    held = {one for word in HELD for one in hash_words(word)}
    return np.array([int(term) in held for term in terms], np.uint32)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("whats my fone number", "whats my phone number"),
        ("when is her brithday", "when is her birthday"),
        ("which resturant was it", "which restaurant was it"),
        ("who got the nife", "who got the knife"),
        ("did i recieve it", "did i receive it"),
        ("the fotograph of jonh", "the photograph of john"),
        ("where is the guittar", "where is the guitar"),
        ("wehre is it", "where is it"),
    ],
)
def test_a_word_that_no_dictionary_has_is_the_nearest_that_the_bank_has(written, meant):
    assert respelled(written, frequency) == meant


@pytest.mark.parametrize(
    "text",
    [
        "the winner of the diner",  # words that are near others, and are words
        "who is Jonh",  # a name is what it is
        "where is the wifi passwrd",  # nothing like it in the bank
        "fone",  # nothing to go by but it is one
        "whens john and whos is it and hows the kayaking and wheres the knife",
        "wo hast du das telefonn gekauft und wieso",  # another language
        "gnu",
        "",
    ],
)
def test_what_may_be_meant_as_it_is_stays(text):
    assert respelled(text, frequency) == (text if text != "fone" else "phone")


@given(st.lists(st.sampled_from(HELD), min_size=1).map(" ".join))
def test_what_the_bank_has_is_never_changed(text):
    assert respelled(text, frequency) == text


@given(st.text())
def test_any_text_is_read(text):
    respelled(text, frequency)


def test_recall_finds_as_if_a_question_were_spelled_the_way_it_says_it_read_it(open_memory):
    bank = open_memory(":memory:").bank("ada")
    bank.remember("My phone number is 07700 900123.", speaker="Ada")

    typo, plain = bank.recall("whats my fone number?"), bank.recall("whats my phone number?")

    assert (typo.query, typo.read_as) == ("whats my fone number?", plain.query)
    assert plain.read_as == ""
    assert [(hit.id, hit.score) for hit in typo] == [(hit.id, hit.score) for hit in plain]
    assert "read as: whats my phone number?" in typo.explain()
