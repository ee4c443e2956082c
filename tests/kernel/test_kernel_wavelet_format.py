"""A sealed wavelet matrix is its bytes: read in place, and refused when they are not as written."""

import gc
import re
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.kernel import WaveletMatrix

SYMBOLS = np.array([5, 1, 7, 1, 0, 6, 5, 5], np.uint64)


def matrix():
    return WaveletMatrix.build(SYMBOLS, 3)


def test_the_same_symbols_are_the_same_bytes():
    assert (
        matrix().to_bytes()
        == matrix().to_bytes()
        == WaveletMatrix.load(matrix().to_bytes()).to_bytes()
    )
    assert len(matrix().to_bytes()) == matrix().nbytes


def test_the_bytes_are_those_of_format_1():
    written = matrix().to_bytes()
    magic, version, bits, n, length = np.frombuffer(
        written[:32], np.dtype("S4, <u4, <u8, <u8, <u8")
    )[0]
    assert (b"HPWM", 1, 3, 8, len(written)) == (magic, version, bits, n, length)
    assert "2b7305e2c45c75da" == written[-8:].hex()  # as the xxhash package says, too


@pytest.mark.parametrize("offset", range(9))
def test_bytes_read_in_place_are_kept_alive_wherever_they_lie(offset):
    written = matrix().to_bytes()
    holder = b"x" * offset + written + b"tail"
    view = memoryview(holder)[offset : offset + len(written)]
    loaded = WaveletMatrix.load(view)
    del view, holder
    gc.collect(0)

    assert SYMBOLS.tolist() == loaded.span(0, 8).tolist()
    assert [1, 3] == [loaded.select(1, 0), loaded.select(1, 1)]


@pytest.mark.parametrize(
    "view",
    [
        lambda holder: holder,
        memoryview,
        lambda holder: memoryview(holder).toreadonly(),
        lambda holder: np.frombuffer(memoryview(holder).toreadonly(), np.uint8),
    ],
)
def test_a_buffer_that_anybody_can_write_to_is_copied(view):
    holder = bytearray(matrix().to_bytes())
    loaded = WaveletMatrix.load(view(holder))
    holder[:] = bytes(len(holder))
    holder.clear()  # which a buffer in use would not allow

    assert SYMBOLS.tolist() == loaded.span(0, 8).tolist()


def test_every_byte_altered_in_any_way_is_refused():
    written = matrix().to_bytes()
    for i in range(len(written)):
        for change in (1, 0x80, 0xFF, 0x55):
            altered = bytearray(written)
            altered[i] ^= change
            with pytest.raises(ValueError, match="not the bytes of a wavelet matrix: "):
                WaveletMatrix.load(bytes(altered))


@pytest.mark.parametrize("length", [0, 1, 39, 40, 41, 100])
def test_bytes_cut_short_are_refused_with_what_to_do(length):
    with pytest.raises(ValueError, match="copy them again from where they came"):
        WaveletMatrix.load(matrix().to_bytes()[:length])


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (
            lambda b: b + b"\0",
            "they say they are 232 and are 233 bytes, so they were cut or altered",
        ),
        (lambda b: b[:-1], "they say they are 232 and are 231 bytes"),
        (lambda b: b"GIF8" + b[4:], "they do not begin with HPWM"),
        (lambda b: b[:4] + b"\2\0\0\0" + b[8:], "format 2, this version reads format 1; upgrade"),
        (lambda b: b[:50] + b"\7" + b[51:], "their checksum is wrong, they were altered"),
    ],
)
def test_a_refusal_says_what_is_wrong(spoil, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        WaveletMatrix.load(spoil(matrix().to_bytes()))


def test_what_is_no_buffer_is_a_type_error():
    with pytest.raises(TypeError, match="bytes-like object is required"):
        WaveletMatrix.load("HPWM")


@given(st.binary(max_size=300))
def test_arbitrary_bytes_are_refused(junk):
    with pytest.raises(ValueError, match="not the bytes of a wavelet matrix"):
        WaveletMatrix.load(b"HPWM\1\0\0\0" + junk)


def test_a_segment_mapped_from_a_file_outlives_the_call_that_opened_it(tmp_path):
    path = tmp_path / "segment"
    path.write_bytes(matrix().to_bytes())
    script = (
        "import mmap, sys\nfrom hippocampus.kernel import WaveletMatrix\n"
        "def load():\n"
        "    with open(sys.argv[1], 'rb') as file:\n"
        "        return WaveletMatrix.load(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))\n"
        "print(load().span(0, 8).tolist())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, path], capture_output=True, text=True, check=True
    )
    assert str(SYMBOLS.tolist()) == done.stdout.strip()
