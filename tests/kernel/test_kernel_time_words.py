"""The words of a sentence are found as a pattern finds them, and what may be more is asked."""

import kernel_reference as reference
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hippocampus.kernel import TimeWords

KNOWN = {"may": 4, "don't": 5, "'s": 6, ",": 7}
TELLING = [
    *KNOWN, "May", "DON'T", "'S", "s", "'", "a", "P", "m", "o", "o'clock", "7", "12", "2023",
    "12345", ".", ":", "/", "-", "_", "?", "\x80", "\xff", " ", "\n", "\x1c", "\x00", "\x7f",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(TELLING), max_size=16).map("".join)


def tables():
    """Return a native table and a plain one of the same words."""
    made = TimeWords(1, 2, 3), reference.TimeWords(1, 2, 3)
    for table in made:
        for word, part in KNOWN.items():
            table.add(word, 9)
            table.add(word, part)  # what is said last counts
    return made


@pytest.mark.slow
@settings(max_examples=80 * settings().max_examples)
@given((TEXTS | st.text(st.characters(max_codepoint=255))).map(lambda text: text.encode("latin-1")))
@example(b"May don't a's 's' 's5 a'b'c 'sa DON'T5 12 12, 12,3 5 pm 5 p 5 x 90's 12345 1 7")
def test_a_sentence_is_read_as_by_the_reference(text):
    asked = []

    def ask(i, at):
        asked.append((i, at))
        return None if at % 3 == 2 else (8, min(at + 1 + at % 2, len(text)))

    native, plain = tables()
    read = native.read(text, ask)
    asked_natively = asked.copy()
    asked.clear()

    assert read == plain.read(text, ask)
    assert asked_natively == asked


@pytest.mark.parametrize("end", [3, 7])
def test_a_token_is_told_to_end_within_the_text_behind_its_beginning(end):
    with pytest.raises(ValueError, match="a token is told to end"):
        TimeWords(1, 2, 3).read(b"12 _ab", lambda _i, _at: (8, end))


def test_what_a_question_raises_ends_the_reading():
    def ask(_i, _at):
        raise KeyError

    with pytest.raises(KeyError):
        TimeWords(1, 2, 3).read(b"_", ask)


def test_a_sentence_that_never_ends_takes_time_in_proportion():
    for some in (b"a", b"'", b"a'", b"'s", b"a'b", b"1 ", b"1,"):
        parts, places = TimeWords(1, 2, 3).read(some * (1 << 18), lambda _i, _at: None)
        assert len(places) == 2 * len(parts)
