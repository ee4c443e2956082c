"""The words of sets are found in a text as a pattern finds them."""

import re
import unicodedata

import kernel_reference as reference
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hippocampus.kernel import WordSets

WORDS = ("a", "don", "t", "forward", "preference", "\xe9t\xe9", "\u024fa", "overcompensation")
SIGNS = "A'\u2019\xd7\u0250\u2013\U0001f600\xdf\xb2_7 "
TEXTS = st.lists(st.sampled_from([*WORDS, *SIGNS, " ", " "])).map("".join)
SETS = st.lists(st.lists(st.sampled_from([*WORDS, "aa", "a b", ""])), max_size=5)


@given(SETS, TEXTS | st.text())
@example([["a"], [], ["a", "t"]], "A t\u2019a \U0001f600a 7a aa A")
def test_a_text_is_read_as_by_the_reference(sets, text):
    native, plain = WordSets(), reference.WordSets()
    for place, words in enumerate(sets):
        assert native.add(words) == plain.add(words) == place
    found, expected = native.read(text.encode()), plain.read(text.encode())

    of = range(len(sets))
    assert len(native) == len(sets)
    assert expected == {
        "size": len(found),
        "is_latin": found.is_latin,
        "has_digit": found.has_digit,
        "has_marked": found.has_marked,
        "places": list(map(found.places, of)),
        "words": [set(found.words(number)) for number in of],
    }
    assert [found.count(number) for number in of] == [len(found.places(number)) for number in of]
    assert [found.has(number) for number in of] == [found.count(number) > 0 for number in of]
    assert all(len(found.words(number)) == len(set(found.words(number))) for number in of)


@given(st.binary())
def test_bytes_that_are_no_text_are_read_to_their_end(raw):
    sets = WordSets()
    sets.add(["a"])
    found = sets.read(raw)
    assert len(found) <= len(raw)
    assert all(at < len(raw) for at in found.places(0))


def test_there_is_room_for_64_sets_and_no_more():
    sets = WordSets()
    for place in range(64):
        assert sets.add([f"word{chr(97 + place % 26)}", "all"]) == place
    with pytest.raises(ValueError, match="64 sets"):
        sets.add(["late"])
    found = sets.read(b"late all")

    assert len(sets) == 64
    assert [found.has(place) for place in (0, 63, 64)] == [True, True, False]


def test_what_was_found_outlives_the_sets_and_knows_no_later_one():
    sets = WordSets()
    sets.add(["early"])
    found = sets.read(b"early late")
    sets.add([f"x{place}" for place in range(3000)] + ["late"])
    del sets

    assert (found.words(0), found.words(1)) == (["early"], [])


def test_every_character_is_latin_only_if_patterns_and_cases_agree_on_it():
    sets = WordSets()
    for code in range(0x80, 0x110000):
        low = chr(code).lower()
        raw = low.encode(errors="surrogatepass")
        if not (found := sets.read(raw)).is_latin:
            continue
        word = re.fullmatch(r"[^\W\d_]", low) is not None
        assert len(low) == 1, hex(code)
        assert len(found) == word == (re.fullmatch(r"\w", low) is not None), hex(code)
        assert low == chr(code).casefold(), hex(code)
        assert unicodedata.combining(low) == 0, hex(code)
        odd = re.fullmatch("(?i)[a-z]", chr(code))
        assert not odd or low.isascii(), hex(code)
