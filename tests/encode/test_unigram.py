"""Pieces of words in any language, cut here and by the library."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from hippocampus.encode.e5_file import read_e5
from hippocampus.encode.model_files import MULTILINGUAL, installed
from hippocampus.encode.unigram import SPACE, UnigramCutter


def tokenizer(pieces, unknown):
    made = Tokenizer(models.Unigram(pieces, unk_id=unknown, byte_fallback=False))
    made.normalizer = normalizers.Replace(Regex(" {2,}"), " ")
    made.pre_tokenizer = pre_tokenizers.Metaspace(SPACE, prepend_scheme="always")
    return made


def cutter(pieces, unknown):
    known = {piece: (place, likely) for place, (piece, likely) in enumerate(pieces)}
    del known[pieces[unknown][0]]
    return UnigramCutter(known, unknown)


@st.composite
def vocabularies(draw):
    """Return few pieces of few letters, so that ways tie and characters are unknown."""
    letters = st.text("abé日" + SPACE, min_size=1, max_size=4)
    likely = st.sampled_from([-1.0, -2.0, -2.5, -4.0]) | st.floats(-20, -1)
    pieces = draw(st.dictionaries(letters, likely, min_size=1, max_size=12))
    return [("<unk>", 0.0), *pieces.items()]


TEXTS = st.text("abé日 x" + SPACE, min_size=1)


@given(vocabularies(), TEXTS.filter(str.strip))
@example([("<unk>", 0.0), ("ab", -1.0), ("a", -0.5), ("b", -0.5)], "abab")
def test_a_text_has_the_ids_that_it_has_in_the_library(pieces, text):
    expected = tokenizer(pieces, 0).encode(text)

    assert expected.ids == cutter(pieces, 0).cut(text).ids


@given(vocabularies(), TEXTS.filter(str.strip))
def test_pieces_are_where_they_stand(pieces, text):
    found = cutter(pieces, 0).cut(text)

    for piece, (start, end) in zip(found.ids, found.offsets, strict=True):
        spelled = pieces[piece][0].removeprefix(SPACE)
        assert 0 <= start < end <= len(text)
        assert piece == 0 or not spelled or text[start:end] == spelled


@pytest.fixture(scope="module")
def published():
    folder = installed(MULTILINGUAL)
    if folder is None:
        pytest.skip("the multilingual model is not installed")
    pieces = read_e5(folder / "e5-small-q4.bin").pieces
    return tokenizer(pieces, 3), cutter(pieces, 3)


MANY = st.text("aeinrst ,.éßж日本語한글ไทยहिंदीمرحبا😊½ﬁ", min_size=1)


@pytest.mark.slow
@given(MANY.filter(str.strip))
@example("Die Bäckerei öffnet um sieben; вчера было закрыто. 昨日は休みでした。")
def test_the_published_vocabulary_is_read_as_by_the_library(published, text):
    library, own = published
    expected = library.encode(text, add_special_tokens=False)

    assert expected.ids == own.cut(text).ids
