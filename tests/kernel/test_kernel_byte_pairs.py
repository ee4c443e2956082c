"""Byte pairs are merged as they are defined, and become the bytes again."""

from itertools import pairwise, takewhile

import kernel_reference as reference
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hippocampus.kernel import BytePairs

LETTERS = "abé日"
BYTES = sorted({bytes([byte]) for byte in LETTERS.encode()})
MERGED = st.lists(
    st.text(LETTERS, min_size=2, max_size=5).map(str.encode)
    | st.lists(st.sampled_from(BYTES), min_size=2, max_size=3).map(b"".join),
    max_size=20,
)  # fmt: skip
VOCABULARIES = st.permutations(BYTES).flatmap(
    lambda alone: MERGED.map(lambda merged: list(dict.fromkeys([*alone, *merged])))
)


def same(one, other):
    """Return how many bytes two begin with in common."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def columns(tokens):
    """Return what the kernel takes of tokens, whose place is their id."""
    placed = sorted((token, place) for place, token in enumerate(tokens))
    written = [token for token, _ in placed]
    shared = [same(*pair) for pair in pairwise([b"", *written])]
    added = [token[known:] for token, known in zip(written, shared, strict=True)]
    return (
        np.array(shared, np.uint8), np.array([len(some) for some in added], np.uint8),
        np.zeros(len(placed), np.uint8), np.array([place for _, place in placed], np.uint32),
        np.frombuffer(b"".join(added), np.uint8),
    )  # fmt: skip


def lengths(pieces):
    return np.array([len(piece) for piece in pieces], np.uint32)


@given(VOCABULARIES, st.lists(st.text(LETTERS, max_size=12), max_size=4))
@example([*BYTES, b"ab", b"ba", b"aba"], ["ababa", "", "babab"])
def test_a_text_has_the_tokens_of_the_reference(tokens, pieces):
    text = "".join(pieces).encode()
    native = BytePairs(*columns(tokens))
    found = native.split(text, lengths(pieces))

    assert found.dtype == np.uint32
    assert reference.BytePairs(tokens).split([piece.encode() for piece in pieces]) == list(found)
    assert text == native.join(found)


@given(VOCABULARIES)
def test_the_id_found_by_the_bytes_of_any_token_spells_that_token(tokens):
    native = BytePairs(*columns(tokens))

    assert len(tokens) == len(native)
    assert list(range(len(tokens))) == [native.find(token) for token in tokens]
    assert tokens == [native.spell(place) for place in range(len(tokens))]
    assert native.find(b"") is None
    assert native.find(b"\x00") is None


def test_a_word_with_a_space_or_a_capital_letter_is_given_by_its_form():
    tokens = [b"we", b" we", b"We", b" We", b"Web", b" web", b"a", b" b", b"B"]
    words = [b"we", b"we", b"we", b"we", b"web", b"web", b"a", b"b", b"b"]
    forms = [0, 1, 2, 3, 2, 1, 0, 1, 2]
    shared = [same(*pair) for pair in pairwise([b"", *words])]
    added = [word[known:] for word, known in zip(words, shared, strict=True)]
    given_ = (shared, [len(some) for some in added], forms)
    native = BytePairs(
        *(np.array(one, np.uint8) for one in given_), np.arange(len(tokens), dtype=np.uint32),
        np.frombuffer(b"".join(added), np.uint8),
    )  # fmt: skip

    assert b"webab" == b"".join(added)
    assert tokens == [native.spell(token) for token in range(len(tokens))]
    assert list(range(len(tokens))) == [native.find(token) for token in tokens]


@pytest.fixture
def native():
    return BytePairs(*columns(BYTES))


@pytest.mark.parametrize("ends", [[2, 2], [4], [1], [], [2**32 - 1]])
def test_pieces_that_are_not_the_text_are_refused(native, ends):
    with pytest.raises(ValueError, match="text"):
        native.split(b"aba", np.array(ends, np.uint32))


def test_a_byte_that_is_no_token_and_an_id_of_none_are_refused(native):
    with pytest.raises(ValueError, match="a byte of the text is no token"):
        native.split(b"c", np.ones(1, np.uint32))
    for broken in (native.spell, lambda one: native.join(np.array([one], np.uint32))):
        with pytest.raises(IndexError, match=f"is out of bounds for {len(BYTES)}"):
            broken(len(BYTES))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({0: [1, 0]}, "token 0 shares 1 bytes"),
        ({0: [0, 2]}, "token 1 shares 2 bytes"),
        ({1: [1, 0]}, "token 1 shares 0 bytes and adds 0"),
        ({1: [1, 2]}, "token 1 shares 0 bytes and adds 2"),
        ({1: [1]}, "added has 1 items, must have 2"),
        ({2: [0]}, "forms has 1 items, must have 2"),
        ({3: [0]}, "ids has 1 items, must have 2"),
        ({3: [0, 2]}, "out of bounds for 2 ids"),
        ({4: b"abc"}, "bytes has 3 items, must have 2"),
        ({4: b"a"}, "token 1 shares 0 bytes and adds 1"),
    ],
)
def test_a_table_that_is_none_is_refused(change, message):
    given_ = [[0, 0], [1, 1], [0, 0], [0, 1], b"ab"]
    for place, instead in change.items():
        given_[place] = instead
    kinds = (np.uint8, np.uint8, np.uint8, np.uint32, np.uint8)

    with pytest.raises((ValueError, IndexError), match=message):
        BytePairs(*(np.array(list(one), kind) for one, kind in zip(given_, kinds, strict=True)))


@pytest.mark.slow
def test_a_word_without_end_takes_time_by_its_length():
    """As the square of its length it would take an hour."""
    native = BytePairs(*columns([*BYTES, b"aa", b"aaaa"]))
    count = 1 << 20

    assert count // 4 == len(native.split(b"a" * count, np.array([count], np.uint32)))
