"""A wavelet matrix of Huffman codes: as few bits as codes can have, and its bytes are refused when
they are not as written. What it answers is tested with the other wavelet matrices."""

import heapq
from collections import Counter
from itertools import count

import kernel_reference as reference
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.kernel import HuffmanWaveletMatrix, WaveletMatrix

SYMBOLS = np.array([5, 1, 7, 1, 0, 6, 5, 5, 1, 5, 300, 5], np.uint64)


def matrix(symbols=SYMBOLS):
    return HuffmanWaveletMatrix.build(np.asarray(symbols, np.uint64), 9)


def table(written):
    """Read what is before the levels: of each length of code its symbols, and what goes on."""
    longest, size = np.frombuffer(written[32:48], "<u8").tolist()
    numbers, number, shift = [], 0, 0
    for byte in written[48 : 48 + size]:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(number)
            number = shift = 0
    at, codes = iter(numbers), []
    for _ in range(longest + 1 if numbers else 0):
        leaves, left = next(at), next(at)
        symbol, symbols = -1, []
        for _ in range(leaves):
            symbol += next(at) + 1
            symbols.append(symbol)
        codes.append((symbols, left))
    assert list(at) == []
    return codes


def fewest_bits(symbols):
    """The bits of all symbols together, in codes that no code could better."""
    order = count()
    heap = [(times, next(order), 0) for times in Counter(symbols).values()]
    heapq.heapify(heap)
    while len(heap) > 1:
        (some, _, bits), (others, _, more) = heapq.heappop(heap), heapq.heappop(heap)
        heapq.heappush(heap, (some + others, next(order), bits + more + some + others))
    return heap[0][2] if heap else 0


@given(st.lists(st.integers(0, 511) | st.sampled_from([3, 4, 400])))
def test_no_code_could_have_fewer_bits(symbols):
    codes = table(matrix(symbols).to_bytes())
    lengths = {symbol: d for d, (some, _) in enumerate(codes) for symbol in some}

    assert set(symbols) == set(lengths)
    assert fewest_bits(symbols) == sum(lengths[symbol] for symbol in symbols)
    for d, (_, left) in enumerate(codes):
        assert left == sum(lengths[symbol] > d for symbol in symbols)


@given(st.lists(st.integers(0, 511) | st.sampled_from([3, 4, 400])))
def test_the_levels_are_those_of_the_reference(symbols):
    made, plain = matrix(symbols), reference.HuffmanWaveletMatrix(symbols, 9)

    assert plain.zeros.tolist() == made.zeros.tolist()
    for k in range(len(plain.zeros)):
        assert plain.level(k).tolist() == made.level(k).tolist()


def test_what_grows_like_fibonacci_numbers_has_the_longest_codes_there_are():
    counts = [1, 1]
    while sum(counts) < 200_000:
        counts.append(counts[-1] + counts[-2])
    symbols = np.repeat(np.arange(len(counts), dtype=np.uint64), counts)
    made = matrix(symbols)

    assert len(counts) - 1 == len(made.zeros)
    assert np.array_equal(symbols, made.span(0, len(symbols)))
    assert list(range(2)) == [made.select(0, 0), made.select(1, 0)]


def test_what_is_frequent_takes_fewer_bytes():
    random = np.random.default_rng(0)
    symbols = (512 * random.random(20_000) ** 12).astype(np.uint64)
    assert 3 * len(matrix(symbols).to_bytes()) < 2 * len(WaveletMatrix.build(symbols, 9).to_bytes())


def test_where_all_are_as_frequent_it_takes_hardly_more():
    symbols = np.arange(100_000, dtype=np.uint64) % 512
    plain, coded = WaveletMatrix.build(symbols, 9), matrix(symbols)

    assert len(plain.zeros) == len(coded.zeros)
    assert len(coded.to_bytes()) <= len(plain.to_bytes()) + 512 + 60


def test_the_bytes_are_those_of_format_1():
    written = matrix().to_bytes()
    magic, version, bits, n, length, longest, size = np.frombuffer(
        written[:48], np.dtype("S4, <u4, <u8, <u8, <u8, <u8, <u8")
    )[0]

    assert (b"HPHW", 1, 9, 12, len(written), 4, 17) == (
        magic, version, bits, n, length, longest, size
    )  # fmt: skip
    assert matrix().to_bytes() == HuffmanWaveletMatrix.load(written).to_bytes() == written


def test_memory_is_what_is_written_and_what_is_known_of_each_symbol():
    made = matrix()
    assert len(made.to_bytes()) + 6 * 17 + 4 == made.nbytes


@pytest.mark.parametrize("symbols", [[], [7], [7, 7, 7], [0, 511], SYMBOLS])
def test_every_byte_altered_in_any_way_is_refused(symbols):
    written = matrix(symbols).to_bytes()
    for i in range(len(written)):
        for change in (1, 0x80, 0xFF, 0x55):
            altered = bytearray(written)
            altered[i] ^= change
            with pytest.raises(ValueError, match="not the bytes of a wavelet matrix: "):
                HuffmanWaveletMatrix.load(bytes(altered))


def test_bytes_cut_anywhere_are_refused():
    written = matrix().to_bytes()
    for length in range(len(written)):
        with pytest.raises(ValueError, match="not the bytes of a wavelet matrix: "):
            HuffmanWaveletMatrix.load(written[:length])


def test_the_two_sealed_forms_are_told_apart():
    with pytest.raises(ValueError, match="they do not begin with HPHW"):
        HuffmanWaveletMatrix.load(WaveletMatrix.build(SYMBOLS, 9).to_bytes())
    with pytest.raises(ValueError, match="they do not begin with HPWM"):
        WaveletMatrix.load(matrix().to_bytes())


@given(st.binary(max_size=300))
def test_arbitrary_bytes_are_refused(junk):
    with pytest.raises(ValueError, match="not the bytes of a wavelet matrix"):
        HuffmanWaveletMatrix.load(b"HPHW\1\0\0\0" + junk)
