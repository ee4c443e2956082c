"""Texts in Latin letters and signs are cut into words as all others are, only sooner."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from hippocampus.encode import terms
from hippocampus.encode.terms import UNSPACED, is_plain

ANY = st.text() | st.text("aZéßŁʼ·'’“”—…•😊👍🏽\u0301\u200d日ไ한ا 1²_\u0345\ufe0f")


@given(ANY)
@example("Ada’s “pear” trees — naïve… 😊👍🏽")
def test_a_plain_text_has_the_words_that_it_has_for_whoever_knows_all_scripts(text):
    words = terms._word().findall(text)

    assert not is_plain(text) or words == terms._PLAIN_WORD.findall(text)


@given(ANY)
def test_in_a_plain_text_there_is_no_script_without_spaces(text):
    assert not (is_plain(text) and re.search(f"[{UNSPACED}\uac00-\ud7a3]", text))


def test_what_people_type_in_english_is_plain():
    assert is_plain("Ada’s “pear” trees — naïve… 😊👍🏽")
    assert not any(map(is_plain, ["日本", "ไทย", "한국", "e\u0301", "привет", "❤\ufe0f"]))
