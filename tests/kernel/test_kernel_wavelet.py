"""The wavelet matrices answer as a plain list would, and grow as if built anew each time."""

from concurrent.futures import ThreadPoolExecutor

import kernel_reference as reference
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.kernel import (
    DynamicWaveletMatrix,
    HuffmanWaveletMatrix,
    WaveletMatrix,
    hamming_scan,
)

WIDTHS = st.integers(1, 20) | st.sampled_from([31, 32, 33, 63, 64, 65, 127, 128])
LENGTHS = (
    *(0, 1, 63, 64, 65, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025),
    *(2047, 2048, 2049, 4095, 4096, 4097),
)


@st.composite
def sequences(draw, most=60):
    """Draw a width and symbols of it: from all there are, or from few that come again."""
    bits = draw(WIDTHS)
    any_symbol = st.integers(0, 2**bits - 1)
    some = draw(st.lists(any_symbol, min_size=1, max_size=5))
    symbols = draw(st.lists(any_symbol | st.sampled_from(some), max_size=most))
    return bits, symbols


def words(symbols, bits):
    pairs = np.array([[c % 2**64, c >> 64] for c in symbols], np.uint64).reshape(-1, 2)
    return pairs if bits > 64 else pairs[:, 0].copy()


def random_symbols(random, bits, n):
    """Return symbols whose frequencies fall off as words' do."""
    few = random.integers(0, 2**63, max(n // 4, 1)).tolist()
    return [few[int(i)] * 3**bits % 2**bits for i in len(few) * random.random(n) ** 3]


def grown(symbols, bits):
    """Return the same sequence made in each way there is."""
    one_by_one, at_once, in_pieces = (DynamicWaveletMatrix(bits) for _ in range(3))
    for symbol in symbols:
        one_by_one.append(symbol)
    at_once.extend(words(symbols, bits))
    for start in range(0, len(symbols), 17):
        in_pieces.extend(words(symbols[start : start + 17], bits))
    built = WaveletMatrix.build(words(symbols, bits), bits)
    return {
        "one by one": one_by_one, "at once": at_once, "in pieces": in_pieces, "built": built,
        "sealed": in_pieces.seal(), "loaded": WaveletMatrix.load(built.to_bytes()),
    }  # fmt: skip


def in_every_form(symbols, bits):
    """Return the same sequence, in codes of different lengths too where there are any."""
    made = grown(symbols, bits)
    if bits <= 32:
        made["Huffman"] = HuffmanWaveletMatrix.build(words(symbols, bits), bits)
        made["Huffman, loaded"] = HuffmanWaveletMatrix.load(made["Huffman"].to_bytes())
    return made


@given(sequences())
def test_after_every_append_the_levels_are_those_of_a_matrix_built_from_scratch(sequence):
    bits, symbols = sequence
    dynamic, plain = DynamicWaveletMatrix(bits), reference.DynamicWaveletMatrix(bits)
    for n, symbol in enumerate(symbols, 1):
        dynamic.append(symbol)
        plain.append(symbol)
        static = WaveletMatrix.build(words(symbols[:n], bits), bits)
        assert n == len(dynamic)
        assert plain.zeros.tolist() == static.zeros.tolist() == dynamic.zeros.tolist()
        for k in range(bits):
            assert plain.level(k).tolist() == static.level(k).tolist() == dynamic.level(k).tolist()


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("bits", [1, 9, 70])
def test_it_gives_the_same_symbols_and_answers_however_it_was_made(n, bits):
    random = np.random.default_rng([n, bits])
    symbols = random_symbols(random, bits, n)
    array = words(symbols, bits)
    whole = np.arange(n, dtype=np.uint64)
    first = WaveletMatrix.build(array, bits)
    ends = random.integers(0, n + 1, 50, dtype=np.uint64)
    for how, matrix in in_every_form(symbols, bits).items():
        assert n == len(matrix), how
        for k in range(0 if "Huffman" in how else bits):
            assert np.array_equal(first.level(k), matrix.level(k)), (how, k)
        assert np.array_equal(array, matrix.access(whole)), how
        assert np.array_equal(array, matrix.span(0, n)), how
        assert np.array_equal(whole, matrix.select(array, matrix.rank(array, whole))), how
        assert np.array_equal(first.rank(0, ends), matrix.rank(0, ends)), how


@pytest.mark.parametrize(
    ("bits", "at_once", "pieces", "piece"), [(1, 0, 180_000, 7), (3, 4_200_000, 10, 2000)]
)
def test_the_tree_below_a_level_stays_right_while_growing_higher(bits, at_once, pieces, piece):
    random = np.random.default_rng(bits)
    symbols = random.integers(0, 2**bits, at_once + pieces * piece, dtype=np.uint64)
    dynamic = DynamicWaveletMatrix(bits)
    dynamic.extend(symbols[:at_once])
    for start in range(at_once, len(symbols), piece):  # few enough to be inserted one by one
        dynamic.extend(symbols[start : start + piece])
    built = WaveletMatrix.build(symbols, bits)
    at = np.append(random.integers(0, len(symbols), 5000), [0, len(symbols) - 1]).astype(np.uint64)

    assert built.to_bytes() == dynamic.seal().to_bytes()
    assert np.array_equal(symbols[at], dynamic.access(at))
    nth = built.rank(symbols[at], at)
    assert np.array_equal(nth, dynamic.rank(symbols[at], at))
    assert np.array_equal(at, dynamic.select(symbols[at], nth))
    assert np.array_equal(at, built.select(symbols[at], nth))


def test_select_finds_its_way_where_bits_lie_unevenly():
    n = 300_000
    symbols = np.zeros(n, np.uint64)
    symbols[1000:1100] = symbols[-70_000:-65_000] = symbols[-3:] = 1
    for matrix in (
        WaveletMatrix.build(symbols, 1),
        HuffmanWaveletMatrix.build(symbols, 1),
        grown_at_once(symbols, 1),
    ):
        for symbol in (0, 1):
            places = np.flatnonzero(symbols == symbol).astype(np.uint64)
            nth = np.arange(len(places), dtype=np.uint64)
            assert np.array_equal(places, matrix.select(symbol, nth))


def grown_at_once(symbols, bits):
    dynamic = DynamicWaveletMatrix(bits)
    dynamic.extend(symbols)
    return dynamic


@given(sequences(), st.data())
def test_every_question_is_answered_as_the_reference_answers_it(sequence, data):
    bits, symbols = sequence
    n = len(symbols)
    plain = reference.WaveletMatrix(symbols, bits)
    end = data.draw(st.integers(0, n))
    start = data.draw(st.integers(0, end))
    symbol = data.draw(st.sampled_from(symbols) if symbols else st.just(0))
    other = data.draw(st.integers(0, 2**bits - 1))
    low, high = sorted((symbol, other + 1))
    radius = data.draw(st.integers(0, min(bits, 6)))
    k = data.draw(st.integers(0, n))
    wide = words([symbol, other], bits)
    ends = np.array([start, end], np.uint64)
    for how, matrix in in_every_form(symbols, bits).items():
        for c in (symbol, other):
            assert plain.rank(c, end) == matrix.rank(c, end), how
            assert plain.next_occurrence(c, start) == matrix.next_occurrence(c, start), how
            assert plain.previous_occurrence(c, end) == matrix.previous_occurrence(c, end), how
            assert plain.ball(c, radius).tolist() == matrix.ball(c, radius).tolist(), how
        for which, to in ((wide, ends), (wide, end), (symbol, ends)):
            assert plain.rank(which, to).tolist() == matrix.rank(which, to).tolist(), how
        assert plain.span(start, end).tolist() == matrix.span(start, end).tolist(), how
        counted = plain.range_count(start, end, low, high)
        assert counted == matrix.range_count(start, end, low, high), how
        for ours, theirs in zip(
            plain.top_k(start, end, k), matrix.top_k(start, end, k), strict=True
        ):
            assert ours.tolist() == theirs.tolist(), how
        if start < end:
            assert plain.access(start) == matrix.access(start), how
            nth = min(k, end - start - 1)
            assert plain.quantile(start, end, nth) == matrix.quantile(start, end, nth), how
            occurrence = plain.rank(symbols[start], start)
            assert start == matrix.select(symbols[start], occurrence), how


def test_every_path_gives_the_same(on_every_path):
    random = np.random.default_rng(1)
    symbols = random.integers(0, 300, 5000, dtype=np.uint64)
    codes = random.integers(0, 4, (3000, 8), dtype=np.uint8)
    at = random.integers(0, 5000, 700, dtype=np.uint64)

    def ask():
        dynamic = DynamicWaveletMatrix(9)
        dynamic.extend(symbols[:3000])
        dynamic.extend(symbols[3000:])
        found = [hamming_scan(codes, codes[0], 9)]
        for matrix in (dynamic, dynamic.seal(), HuffmanWaveletMatrix.build(symbols, 9)):
            nth = matrix.rank(symbols[at], at)
            found += [matrix.access(at), nth, matrix.select(symbols[at], nth)]
            found += [matrix.span(7, 4900), matrix.ball(5, 2)]
        return found

    answers = [found for _, found in on_every_path(ask)]
    for found in answers[1:]:
        for ours, theirs in zip(answers[0], found, strict=True):
            assert np.array_equal(ours, theirs)


@given(st.sampled_from([1, 2, 3, 4, 7, 8, 9, 16]), st.integers(0, 40), st.integers(0, 9), st.data())
def test_descent_and_scan_find_the_same_ball(width, n, radius, data):
    rows = st.lists(st.sampled_from([0, 1, 3, 7, 255]), min_size=width, max_size=width)
    codes = np.array(data.draw(st.lists(rows, min_size=n, max_size=n)), np.uint8).reshape(n, width)
    code = np.array(data.draw(rows), np.uint8)
    expected = reference.hamming_scan(codes, code, radius).tolist()
    symbols = [int.from_bytes(row.tobytes(), "little") for row in codes]
    sealed = WaveletMatrix.build(words(symbols, 8 * width), 8 * width)
    dynamic = DynamicWaveletMatrix(8 * width)
    dynamic.extend(words(symbols, 8 * width))
    centre = int.from_bytes(code.tobytes(), "little")

    assert expected == hamming_scan(codes, code, radius).tolist()
    assert expected == sealed.ball(centre, radius).tolist() == dynamic.ball(centre, radius).tolist()


def test_every_ball_holds_the_smaller_ones_up_to_the_largest_with_all():
    random = np.random.default_rng(2)
    codes = random.integers(0, 2**64, 4000, dtype=np.uint64)
    codes[::40] = codes[7] ^ (np.uint64(1) << random.integers(0, 64, 100, dtype=np.uint64))
    sealed = WaveletMatrix.build(codes, 64)
    rows = codes.view(np.uint8).reshape(-1, 8)
    before = set()
    for radius in (0, 1, 2, 5, 30, 64, 2**70):
        found = sealed.ball(int(codes[7]), radius)
        assert np.array_equal(hamming_scan(rows, rows[7], radius), found)
        assert before <= set(found.tolist())
        before = set(found.tolist())
    assert len(codes) == len(before)


def test_it_stays_within_its_share_of_memory_however_it_grew():
    random = np.random.default_rng(3)
    n, bits = 30_000, 17
    symbols = (2**bits * random.random(n) ** 4).astype(np.uint64)
    made = grown(symbols.tolist(), bits)
    for how in ("built", "sealed", "loaded"):
        assert 8 * made[how].nbytes <= 1.10 * n * bits, how
    for how in ("one by one", "at once", "in pieces"):
        assert 8 * made[how].nbytes <= 1.35 * n * bits, how


@pytest.mark.parametrize("rows", [100, 3000])
def test_a_call_sees_the_sequence_as_it_was_at_one_moment(rows):
    dynamic = DynamicWaveletMatrix(10)
    batch = np.arange(rows, dtype=np.uint64) % 1000

    def write():
        for _ in range(60):
            dynamic.extend(batch)
            dynamic.append(1001)

    def read():
        for _ in range(60):
            n = len(dynamic)
            assert np.array_equal(batch[: min(n, rows)], dynamic.span(0, min(n, rows)))
            assert n // (rows + 1) <= dynamic.rank(1001, n) <= n // (rows + 1) + 1
            sealed = dynamic.seal()
            assert len(sealed) >= n
            assert len(sealed) % (rows + 1) in {0, rows}

    with ThreadPoolExecutor(3) as pool:
        for done in [pool.submit(write), pool.submit(read), pool.submit(read)]:
            done.result()
    assert 60 * (rows + 1) == len(dynamic)


def small(kind="dynamic"):
    dynamic = DynamicWaveletMatrix(7)
    dynamic.extend(np.array([5, 9, 5, 120], np.uint64))
    if kind == "Huffman":
        return HuffmanWaveletMatrix.build(dynamic.span(0, 4), 7)
    return dynamic if kind == "dynamic" else dynamic.seal()


@pytest.mark.parametrize("kind", ["dynamic", "sealed", "Huffman"])
@pytest.mark.parametrize(
    ("ask", "error", "says"),
    [
        (lambda m: m.access(4), IndexError, r"position 4 is out of bounds, must be in \[0, 4\)"),
        (lambda m: m.access(-1), IndexError, r"position -1 is out of bounds, must be in \[0, 4\)"),
        (lambda m: m.access(2**80), IndexError, r"position 1208925819614629174706176 is out"),
        (lambda m: m.access(np.array([0, 7], np.uint64)), IndexError, r"positions\[1\]=7 is out"),
        (lambda m: m.access(np.zeros((1, 1), np.uint64)), ValueError, "2 dimensions, must have 1"),
        (lambda m: m.access(np.array([0], np.int64)), TypeError, "incompatible function argum"),
        (lambda m: m.access(1.0), TypeError, "incompatible function arguments"),
        (lambda m: m.rank(5, 5), IndexError, r"end 5 is out of bounds, must be in \[0, 5\)"),
        (lambda m: m.rank(5, -1), IndexError, r"end -1 is out of bounds"),
        (lambda m: m.rank(128, 2), OverflowError, r"128 does not fit 7 bits, .* \[0, 2\*\*7\)"),
        (lambda m: m.rank(-1, 2), OverflowError, "symbol -1 does not fit 7 bits"),
        (lambda m: m.rank(2**64 + 5, 2), OverflowError, "does not fit 7 bits"),
        (
            lambda m: m.rank(np.array([1, 200], np.uint64), 2),
            OverflowError, r"symbols\[1\]=200 does not fit 7 bits",
        ),
        (
            lambda m: m.rank(np.zeros(2, np.uint64), np.zeros(3, np.uint64)),
            ValueError, "symbols has 2 items and ends 3, must have as many",
        ),
        (lambda m: m.rank(np.zeros((2, 2), np.uint64), 1), ValueError, r"must have shape \(n,\)"),
        (
            lambda m: m.select(5, 2),
            IndexError, "occurrence 2 is out of bounds, the symbol occurs 2 times",
        ),
        (lambda m: m.select(5, -1), IndexError, "occurrence -1 is out of bounds"),
        (lambda m: m.select(6, 0), IndexError, "occurs 0 times"),
        (
            lambda m: m.select(np.array([5, 9], np.uint64), np.array([1, 1], np.uint64)),
            IndexError, r"occurrences\[1\]=1 is out of bounds, the symbol occurs 1 times",
        ),
        (lambda m: m.select(5, np.array([2**64 - 1], np.uint64)), IndexError, "occurs 2 times"),
        (lambda m: m.span(0, 5), IndexError, r"end 5 is out of bounds, must be in \[0, 4\]"),
        (lambda m: m.span(3, 2), ValueError, "start 3 is after end 2"),
        (lambda m: m.quantile(1, 3, 2), IndexError, r"k 2 is out of bounds, must be in \[0, 2\)"),
        (lambda m: m.range_count(0, 4, 9, 5), ValueError, "low 9 is above high 5"),
        (lambda m: m.range_count(0, 4, 0, 129), OverflowError, "symbol 129 does not fit 7 bits"),
        (lambda m: m.top_k(0, 4, -1), ValueError, "k is -1, must be at least 0"),
        (lambda m: m.next_occurrence(5, 5), IndexError, "position 5 is out of bounds"),
        (lambda m: m.ball(5, -1), ValueError, "radius is -1, must be at least 0"),
    ],
)  # fmt: skip
def test_what_cannot_be_answered_is_refused_with_its_bounds(kind, ask, error, says):
    matrix = small(kind)
    with pytest.raises(error, match=says):
        ask(matrix)


@pytest.mark.parametrize(("kind", "levels"), [("dynamic", 7), ("sealed", 7), ("Huffman", 2)])
def test_a_level_that_is_not_there_is_refused(kind, levels):
    says = rf"level {levels} is out of bounds, must be in \[0, {levels}\)"
    with pytest.raises(IndexError, match=says):
        small(kind).level(levels)


@pytest.mark.parametrize("bits", [0, -1, 129, 2**70])
def test_a_width_that_no_symbol_has_is_refused(bits):
    says = f"bits={bits}, must be 1 to 128"
    with pytest.raises(ValueError, match=says):
        DynamicWaveletMatrix(bits)
    with pytest.raises(ValueError, match=says):
        WaveletMatrix.build(np.zeros(1, np.uint64), bits)
    with pytest.raises(ValueError, match=f"bits={bits}, must be 1 to 32"):
        HuffmanWaveletMatrix.build(np.zeros(1, np.uint64), bits)


@pytest.mark.parametrize(
    ("add", "error", "says"),
    [
        (lambda m: m.append(128), OverflowError, r"symbol 128 does not fit 7 bits"),
        (lambda m: m.append(-1), OverflowError, "symbol -1 does not fit"),
        (lambda m: m.append("5"), TypeError, "incompatible function arguments"),
        (lambda m: m.extend(np.array([1, 128], np.uint64)), OverflowError, r"symbols\[1\]=128"),
        (lambda m: m.extend(np.array([1, 2], np.int64)), TypeError, "incompatible function arg"),
        (lambda m: m.extend(np.zeros((2, 2), np.uint64)), ValueError, r"must have shape \(n,\)"),
    ],
)
def test_a_symbol_that_is_refused_changes_nothing(add, error, says):
    dynamic = small()
    with pytest.raises(error, match=says):
        add(dynamic)
    assert [5, 9, 5, 120] == dynamic.span(0, len(dynamic)).tolist()


def test_symbols_of_more_than_a_word_are_ints_or_pairs_of_words():
    dynamic = DynamicWaveletMatrix(100)
    dynamic.append(2**99 + 3)
    dynamic.extend(np.array([[3, 2**35]], np.uint64))

    assert 2**99 + 3 == dynamic.access(0) == dynamic.access(1)
    assert [[3, 2**35]] * 2 == dynamic.span(0, 2).tolist()
    assert 2 == dynamic.rank(2**99 + 3, 2)
    with pytest.raises(OverflowError, match="does not fit 100 bits"):
        dynamic.append(2**100)
    with pytest.raises(OverflowError, match=r"symbols\[0\] does not fit 100 bits"):
        dynamic.extend(np.array([[0, 2**36]], np.uint64))
    with pytest.raises(ValueError, match=r"must have shape \(n, 2\), the low word first"):
        dynamic.extend(np.zeros(3, np.uint64))


def test_a_code_of_another_width_is_refused():
    with pytest.raises(ValueError, match="code has 3 items, must have 8"):
        hamming_scan(np.zeros((2, 8), np.uint8), np.zeros(3, np.uint8), 1)
    with pytest.raises(ValueError, match="radius is -2, must be at least 0"):
        hamming_scan(np.zeros((2, 8), np.uint8), np.zeros(8, np.uint8), -2)
