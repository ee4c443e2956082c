"""Readers that look for words first find what those do that read all of a text by patterns."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hippocampus.core.sought_words import SoughtWords, is_latin
from hippocampus.core.word_lists import Patterns, word_set
from hippocampus.encode.languages import (
    ENGLISH,
    is_plain_english,
    is_plain_english_text,
    stop_words,
)
from hippocampus.language import standing
from hippocampus.language.self_disclosure import tells_of_deed, tells_of_self
from hippocampus.language.standing import tells_standing
from hippocampus.language.time import english
from hippocampus.language.time.english import core_words_in, may_tell_time, word_meanings
from hippocampus.language.time.lexicon import time_words, word_pattern
from hippocampus.language.time.mixed import likely_languages, may_tell_time_in

_TALK = Patterns("talk")
_TOKEN = Patterns("standing").token
_RUN = re.compile(r"[^\W\d_]+")
_WRITTEN = re.compile(
    r"(?<![0-9])[12][0-9]{3}(?![0-9])|[0-9][:/.-][0-9]|[0-9] ?(?:st|nd|rd|th|s|am|pm|a\.m|p\.m)\b"
    r"|['\u2019][0-9]{2}\b|\b[qh][1-4]\b|o['\u2019]clock",
    re.IGNORECASE,
)
_DATED = re.compile(r"(?<![0-9])(?:[12][0-9]{3}(?![0-9])|[0-9]{1,2}\.\s?[0-9]{1,2}\.)")

_SELF = (
    "i",
    "I",
    "We",
    "my",
    "MINE",
    "myself",
    "ours",
    "me",
    "went",
    "joined",
    "have",
    "never",
    "also",
)
_HINTS = sorted(
    word_set("leanings") | word_set("attitudes") | word_set("before_attitudes") | standing._hints()
    | standing._LEADS | standing._MAY | standing._OVER | standing._NOT | standing._SUBJECT
    | standing._OWNER | standing._FOR_ONCE | {word for rule in standing._RULES for word in rule}
)  # fmt: skip
_TIMES = sorted({*word_meanings(), *time_words("shared"), *sorted(time_words("foreign"))[::40]})
_GRAMMAR = sorted(word for language in ("en", "de", "fr", "da") for word in stop_words()[language])
_DIGITS = (
    "1987",
    "7",
    "3.5.",
    "12:30",
    "'87",
    "\u201987",
    "q3",
    "H2",
    "xh2",
    "4 pm",
    "o'clock",
    "O\u2019CLOCK",
    "21st",
    "5a",
)
_SIGNS = (
    *"    .,!?;:\n'_-x", "\u2019", "\u2013", "\u201c", "\u2026", "\U0001f600", "Ada", "Olga",
    "really", "caf\xe9", "\xc9t\xe9", "stra\xdfe", "\u0131", "\u0130", "\u017f", "\u212a", "\xb2",
    "\u65e5", "\u0645", "e\u0301", "\ud800", "\u200d",
)  # fmt: skip
_WORD = (
    st.sampled_from(_SELF) | st.sampled_from(_HINTS) | st.sampled_from(_TIMES)
    | st.sampled_from(_GRAMMAR) | st.sampled_from(_DIGITS)
)  # fmt: skip
_WORDS = _WORD | _WORD.map(str.title) | _WORD.map(str.upper)
_TEXTS = st.lists(
    st.one_of(_WORDS.map(" {}".format), _WORDS.map(" {}".format), st.sampled_from(_SIGNS), _WORDS),
    max_size=40,
).map("".join)


@given(_TEXTS)
@example("I ate, did I? We also went")
def test_what_is_told_of_oneself_is_what_a_search_finds(text):
    assert tells_of_self(text) == (_TALK.of_self.search(text) is not None)
    assert tells_of_deed(text) == (_TALK.of_deed.search(text) is not None)


def _tells_standing(text: str) -> bool:
    """Return what all words of a text tell, each with all that are around it."""
    written = _TOKEN.findall(text[:2000])
    low = [word.lower().replace("\u2019", "'") for word in written]
    words = standing._WordsSaid(low, text[:2000], 0, 2000)
    hints = word_set("attitudes") | word_set("leanings") | {"again"} | standing._ALWAYS
    hints |= standing._BARRED | standing._NOT_DO
    ruled = any(
        tuple(low[at : at + len(rule)]) == rule
        for at in range(len(low))
        for rule in standing._RULES
    )
    told = ruled or any(standing._is_told(words, at) for at in range(len(low)) if low[at] in hints)
    return told and not text[:2000].rstrip().endswith("?")


@given(_TEXTS)
@example("The drink is my, like, 4th")
@example("Not that, " + "and " * 11 + "again. It is fine and good now, and that is all of it.")
@example("We agreed, " + "so " * 60 + "never be late for the boat that leaves from the island")
@example("x" * 90 + "can't say x\u2019can't" + "y" * 90)
@example("Ada " + "just really still " * 2 + "\u2014" * 60 + "dislikes" + " " * 60 + "the boat")
def test_wishes_near_a_hint_are_those_of_the_whole_text(text):
    assert tells_standing(text) == _tells_standing(text)


@given(_TEXTS)
def test_a_text_that_may_tell_a_time_is_one_in_which_patterns_find_it(text):
    core = english._core_words().intersection(_RUN.findall(text.lower()))
    clock = re.search("[0-9]", text) or "clock" in text.lower()
    assert core_words_in(text) == core
    assert may_tell_time(text) == bool(core or (clock and _WRITTEN.search(text)))


@given(_TEXTS)
def test_a_text_that_may_tell_a_time_elsewhere_is_told_by_its_words(text):
    words = word_pattern().findall(text.casefold())
    if is_latin(text):
        assert is_plain_english_text(text) == is_plain_english(words)
        told = not time_words("foreign").isdisjoint(words)
        shared = not time_words("shared").isdisjoint(words) or _DATED.search(text)
        maybe = not is_plain_english(words) and shared
        expected = told or bool(maybe and likely_languages(text)[:1] != [ENGLISH])
        assert may_tell_time_in(text) == expected


def test_words_sought_later_are_found_in_a_text_that_was_read_before():
    text = "The zyzzyva is read before zyzzyvas are sought."
    assert SoughtWords(lambda: ["read"]).are_in(text)
    late = SoughtWords(lambda: ["zyzzyva"])
    assert late.places_in(text) == [4]
    assert late.different_in(text) == ["zyzzyva"]
    assert late.count_in(f"{text} Zyzzyva!") == 2


@pytest.mark.parametrize("length", [10, 5000])
def test_words_are_asked_for_at_the_first_text_and_once(length):
    asked = []
    sought = SoughtWords(lambda: asked.append(1) or ["boat"])
    assert asked == []
    for _ in range(3):
        assert sought.are_in("a " * length + "Boat")
    assert asked == [1]
