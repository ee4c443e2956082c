"""A text in fewer words: its own, in order, ever fewer, and what tells it from its like last."""

import re
import time
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hippocampus.encode.tokens import count
from hippocampus.errors import InputError
from hippocampus.language.extractive_compression import (
    KEYWORDS,
    PLAIN,
    SUMMARY,
    TOMBSTONE,
    condense,
    shorten,
)

TALK = (
    "Hey Tom! Well, we finally went to the shelter last Tuesday and came home with a beagle. I"
    " named the little one Biscuit, and she does not eat fish. 😂😂"
)
texts = st.one_of(
    st.text(min_size=1, max_size=200),
    st.lists(
        st.sampled_from(
            ["Hello!", "well,", "um", "not", "Lisbon", "€84.50", "QX-4471", "the", "cat.",
             "猫が", "好き。", "שלום", "3:30pm", "don't", "😂", "\n", "and", "because",
             "(maybe)", "Thanks!"]
        ),
        min_size=1,
        max_size=60,
    ).map(" ".join),
)  # fmt: skip


@given(texts)
@example("😂")
@example("???")
@example(" ")
@example("x" * 400)
@example("Hello! Thanks!")
@example("今天天气很好，我们去爬山吧 🏔️🏔️🏔️")
@example("मैं घर जा रहा हूँ।")
@example("ไทยภาษา ไม่มีช่องว่าง")
def test_no_level_is_more_than_the_texts_own_characters_in_order(text):
    levels = [condense(text, level) for level in range(TOMBSTONE + 1)]

    assert text == levels[0]
    assert "" == levels[TOMBSTONE]
    assert all(levels[:TOMBSTONE])
    sizes = [count(level) for level in levels]
    assert sorted(sizes, reverse=True) == sizes
    for level in levels:
        rest = iter(text)
        assert all(mark in rest for mark in level if not mark.isspace())


@given(texts)
def test_the_same_text_is_condensed_the_same_way_each_time(text):
    for level in range(TOMBSTONE + 1):
        assert condense(text, level) == condense(text, level)


@given(texts)
@example('"0😀A:')
def test_what_one_level_leaves_out_no_later_one_brings_back(text):
    for less, more in pairwise(condense(text, level) for level in range(KEYWORDS, -1, -1)):
        rest = iter(more)
        assert all(mark in rest for mark in less if not mark.isspace())


def test_nothing_but_ornament_goes_first():
    said = "we finally went to the shelter last Tuesday and came home with a beagle. I named"

    assert condense(TALK, PLAIN).startswith(said)
    assert condense(TALK, PLAIN).endswith("she does not eat fish.")
    plain = "The well is deep. By the way home I saw her, and that was good."
    assert plain == condense(plain, PLAIN)


@pytest.mark.parametrize(
    "detail", ["QX-4471", "€84.50", "14th", "Lisbon", "Biscuit", "not", "Tuesday", "didn't"]
)
def test_details_outlast_all_other_words(detail):
    text = (
        f"There was a lot of talk in the kitchen about all sorts of things, {detail} among them,"
        " while the soup was on the stove and the windows were open to the garden."
    )

    assert detail in condense(text, SUMMARY)
    assert detail in condense(text, SUMMARY + 1)


def test_a_longer_text_comes_to_about_a_half_a_quarter_and_an_eighth():
    text = " ".join(
        f"On day {n} the crew repaired a pump near the old harbour, then they rested."
        for n in range(1, 30)
    )
    whole = count(text)

    for level, part in ((2, 0.5), (3, 0.25), (4, 0.125)):
        assert 0.6 * part < count(condense(text, level)) / whole <= part + 0.01


def test_a_level_that_there_is_not_is_refused():
    for level in (-1, 6, 2.5):
        with pytest.raises(InputError, match="must be from 0"):
            condense(TALK, level)


def test_the_sentence_that_tells_most_is_the_one_that_is_quoted():
    text = f"Thank you for telling me. {TALK} It helps to begin with a clear idea of what matters."
    quoted, worth = shorten(text, 16)

    assert re.search("beagle|Biscuit", quoted)
    assert count(quoted) <= 16
    assert worth > shorten("It helps to begin with a clear idea.", 16)[1]
    assert ("", 0.0) == shorten("😂 !!", 16)


def test_a_short_turn_takes_microseconds():
    text = "I do not eat meat any more, but fish is fine on Fridays."
    condense(text, KEYWORDS)
    best = float("inf")
    for _ in range(200):
        started = time.perf_counter()
        condense(text, SUMMARY)
        best = min(best, time.perf_counter() - started)

    assert best < 200e-6  # some 40 on a quiet machine; the shortest of many is not the noise


def test_a_number_that_ends_like_a_denial_denies_nothing():
    seven = "I read seven books about gardens, rivers and old boats in May."
    eight = seven.replace("seven", "eight")

    for level in range(TOMBSTONE):
        assert condense(seven, level).replace("seven", "eight") == condense(eight, level)
