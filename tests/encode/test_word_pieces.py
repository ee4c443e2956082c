"""Texts cut into word pieces here and by the library."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from hippocampus.encode.model_files import installed
from hippocampus.encode.word_pieces import WordCutter


@pytest.fixture(scope="module")
def file():
    folder = installed()
    if folder is None:
        pytest.skip("the default model is not installed")
    return (folder / "tokenizer.json").read_bytes()


@pytest.fixture(scope="module")
def library(file):
    tokenizer = Tokenizer.from_str(file.decode())
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tokenizer.encode_special_tokens = True
    return tokenizer


@pytest.fixture(scope="module")
def cutter(file):
    return WordCutter(file)


def is_old(char):
    """Return whether every edition of Unicode says the same of a character."""
    category = unicodedata.ucd_3_2_0.category(char)
    return category not in ("Cn", "Cs") and category == unicodedata.category(char)


ASCII = st.text(st.characters(max_codepoint=0x7F)) | st.text("aAeEsSnNgt'-. \t\n19")
ANY = st.text(st.characters().filter(is_old))
ODD = st.text("aÀéßİıſΣς日本語한글ไทยहिंदी “”…—;\x85\u200b\u2028\u3000\u0301\ufffd\x1c😊½ﬁ\ue000")


@given(ASCII | ANY | ODD)
@example("What did Ada plant in the garden, un-believably?")
@example("[CLS] [SEP] [UNK] ##ing")
@example("a" * 100 + " " + "b" * 101)
@example("x\x00y \x7f\x0b\x1c z")
@example("Übergrößen — naïve 日本 😊")
@example("é" * 100 + " " + "é" * 101)
def test_a_text_has_the_pieces_that_it_has_in_the_library(cutter, library, text):
    expected = library.encode(text, add_special_tokens=False)

    assert (expected.ids, expected.offsets) == tuple(cutter.cut(text))


@pytest.mark.slow
def test_no_character_is_cut_otherwise_than_by_the_library(cutter, library):
    for char in filter(is_old, map(chr, range(0x110000))):
        text = f"a{char}b {char}"
        expected = library.encode(text, add_special_tokens=False)
        assert (expected.ids, expected.offsets) == tuple(cutter.cut(text)), hex(ord(char))
