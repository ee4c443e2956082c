"""The table of byte pairs against the library whose vocabulary it is."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hippocampus.encode import byte_pairs, tokens

ODD = st.text(
    "aAbZzſéÉß' \t\n\r\x0b\x1c\x85\xa0.,!?/-_1239²½Ⅷ'llıİ日本語한글ไทยहिंदी"
    "😊👩‍👧“”—…\u200d\u0301ǅʰ\u2028\u3000Ⴀა"
)


@pytest.fixture(scope="module")
def library():
    openai = pytest.importorskip("rs_bpe.bpe", reason="has no wheel for this Python").openai
    return openai.o200k_base()


@given(st.text() | ODD | st.text("aAbB é日\n=-1", min_size=60, max_size=400))
@example("it's WE'LL they'RE x's 12345  \n\n  end ")
@example("'/\u0301\u0301s")
@example("\x85\x85it'ſ")
@example("ab" * 40 + "=" * 70)
@example("")
def test_a_text_has_the_tokens_that_it_has_in_the_library(library, text):
    assert library.encode(text) == byte_pairs.split(text).tolist()


@given(st.text() | ODD)
def test_tokens_become_the_text_again(text):
    assert text == byte_pairs.join(byte_pairs.split(text))


@pytest.mark.slow
def test_no_character_is_read_otherwise_than_by_the_library(library):
    for code in range(sys.maxunicode + 1):
        if not 0xD800 <= code < 0xE000:
            text = "a{0}b {0}1{0}!{0}\n{0}".format(chr(code))
            assert library.encode(text) == byte_pairs.split(text).tolist(), hex(code)


@pytest.mark.slow
def test_what_grows_with_a_word_is_not_the_square_of_its_length():
    """A quadratic merge of a million letters would take hours."""
    for word in ("a" * (1 << 20), "xq" * (1 << 19)):
        assert word == tokens.decode(tokens.encode(word))


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(UnicodeDecodeError):
        byte_pairs.join([byte_pairs.vocabulary().find(b"\xc3")])


@pytest.mark.slow
@pytest.mark.usefixtures("library")
def test_the_table_is_the_librarys():
    tool = Path(__file__).parents[2] / "bench" / "tools" / "build_vocabulary.py"
    done = subprocess.run([sys.executable, tool, "--check"], capture_output=True, check=False)

    assert (0, b"") == (done.returncode, done.stderr)
    assert tokens.SIZE == byte_pairs.SIZE
