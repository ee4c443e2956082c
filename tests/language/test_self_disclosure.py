"""Which texts tell of who says them."""

import time

import pytest

from hippocampus.language.self_disclosure import tells_of_deed, tells_of_self


@pytest.mark.parametrize(
    "text",
    [
        "I moved to Porto",
        "By the way, my sister lives in Porto. Do you know it?",
        "Do you know Porto? I've been there once.",
        "Any tips?\nWe have two cats",
        "MINE IS BLUE!",
        "Do I like Porto? I do.",
    ],
)
def test_a_sentence_in_the_first_person_tells(text):
    assert tells_of_self(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Porto is in Portugal.",
        "Where did I put my keys?",
        "Can you help me? What is my name?",
        "The mines of Wales. An image, tiny.",
        "You told her.",
    ],
)
def test_a_question_or_a_talk_of_others_does_not(text):
    assert not tells_of_self(text)


def test_a_long_text_that_only_asks_is_read_in_no_time():
    started = time.perf_counter()

    assert not tells_of_self("do I, " * 400 + "?")
    assert time.perf_counter() - started < 0.5


@pytest.mark.parametrize(
    "text",
    [
        "I moved to Porto",
        "Guess what, we went camping last week!",
        "I’ve also joined a choir.",
        "Last year I finally actually bought the boat",
    ],
)
def test_what_a_first_person_did_is_a_deed(text):
    assert tells_of_deed(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I need a red one.",
        "They went camping.",
        "Did I paint it?",
        "my feed, I think",
        "I will",
    ],
)
def test_what_is_wished_asked_or_done_by_others_is_not(text):
    assert not tells_of_deed(text)
