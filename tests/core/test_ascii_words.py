"""The first look at a text's words sees what a closer look would find."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from hippocampus.core.ascii_words import letter_runs
from hippocampus.encode.languages import (
    ENGLISH,
    ROUNDED,
    detect,
    is_plain_english,
    leanings,
    script_of,
    stop_words,
)
from hippocampus.encode.terms import hash_terms, hash_words
from hippocampus.language.standing import tells_standing
from hippocampus.language.time.english import may_tell_time, written_at

_ASCII = st.text(st.characters(max_codepoint=127), max_size=60)
_GRAMMAR = st.sampled_from(sorted({w for some in stop_words().values() for w in some}))
_TOLD = re.compile(
    r"(?<![0-9])[12][0-9]{3}(?![0-9])|[0-9][:/.-][0-9]|[0-9] ?(?:st|nd|rd|th|s|am|pm|a\.m|p\.m)\b"
    r"|['\u2019][0-9]{2}\b|\b[qh][1-4]\b|o['\u2019]clock",
    re.IGNORECASE,
)


@given(_ASCII)
def test_runs_of_letters_are_those_a_pattern_finds(text):
    assert list(letter_runs(text)) == re.findall("[a-z]+", text.lower())


@given(st.lists(_GRAMMAR | st.sampled_from(["boat", "haus", "tisch"]), max_size=12))
def test_where_words_lean_to_english_no_other_language_is_likelier(words):
    known = leanings()
    leaning = [known[word] for word in set(words) if known.get(word)]
    if (not leaning or sum(leaning) > ROUNDED) and not is_plain_english(words):
        assert detect(words, count=len(words))[:1] in ((), (ENGLISH,))


@given(
    st.lists(_GRAMMAR | st.sampled_from(["boat", "caf\u00e9", "ada\u2019s", "1946"]), max_size=12)
)
def test_a_text_that_is_english_or_unknown_has_the_terms_of_its_words(words):
    words = [word for word in words if script_of(word) == "Latin"]
    if is_plain_english(words) or detect(words, count=len(words))[:1] in ((), (ENGLISH,)):
        text = " \u2026 ".join(words)
        assert hash_terms(text).tolist() == hash_words(text)


def test_signs_and_letters_of_latin_have_the_terms_of_their_words():
    greek = {0xB5, 0x2126, *range(0x213C, 0x2140)}  # once folded, and so of another language
    for code in {*range(0x80, 0x250), *range(0x2000, 0x2200), *range(0x1F300, 0x1FB00)} - greek:
        text = "The a{0}b of {0} is here, and it is {0}mine".format(chr(code))
        assert hash_terms(text).tolist() == hash_words(text), hex(code)


@given(st.text(st.sampled_from("0123456789129':/.- qQhHoOsStTaApPmMclock\u2019\n_x"), max_size=14))
def test_written_times_are_found_where_each_of_them_begins(text):
    clock = any(map(str.isdigit, text)) or "clock" in text.lower()
    assert written_at(text) == [one.start() for one in _TOLD.finditer(text) if clock]
    assert may_tell_time(text) or not written_at(text)


def test_every_wish_is_seen_at_a_first_look():
    wishes = (
        "From now on answer in French.", "In future write less.", "Going forward, use tabs.",
        "As a rule we eat at six.", "Every time I ask, be brief.", "Each time, show the steps.",
        "When I ask for a list, number it.", "When I mention tea, ask which.",
        "If I ask about wine, say no.", "I can't stand coriander.", "We don't eat meat.",
        "Never call before noon.", "I'm vegan.", "Do not write that again.", "She loves plums.",
    )  # fmt: skip
    assert [wish for wish in wishes if not tells_standing(wish)] == [
        wish for wish in wishes if not tells_standing(f"{wish} \u2026")
    ]
    assert sum(map(tells_standing, wishes)) > 10
