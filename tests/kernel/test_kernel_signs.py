"""Sign codes and their scans agree with the reference to the last bit, on every SIMD path."""

import kernel_reference as reference
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hippocampus.kernel import maxsim, scan_signs, scan_turned, sign_codes

SIZES = st.sampled_from([0, 1, 2, 63, 64, 65, 127, 128, 129, 511])
WIDTHS = st.sampled_from([1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 48, 64])
SEEDS = st.integers(0, 2**32 - 1)
COORDINATES = st.floats(width=32, allow_nan=False, allow_infinity=False)


def make_codes(seed, n, width):
    return np.random.default_rng(seed).integers(0, 256, (n, width), dtype=np.uint8)


def make_queries(seed, q, width):
    queries = np.random.default_rng(seed).normal(size=(q, 8 * width))
    return (queries / np.linalg.norm(queries, axis=1, keepdims=True)).astype(np.float32)


def make_offsets(lengths):
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint64)


@given(arrays(np.float32, st.tuples(SIZES, WIDTHS.map(lambda w: 8 * w)), fill=COORDINATES))
def test_sign_codes_agree_with_the_reference(vectors):
    assert np.array_equal(reference.sign_codes(vectors), sign_codes(vectors))


def test_zero_of_either_sign_is_positive_unlike_nan():
    row = np.array([[0.0, -0.0, np.nan, 1e-45, -1e-45, np.inf, -np.inf, 1.0]], np.float32)

    assert sign_codes(row).tolist() == [[0b10101011]]


@given(SEEDS, SIZES, WIDTHS)
def test_a_scan_is_bit_exact_on_every_path(on_every_path, seed, n, width):
    codes, query = make_codes(seed, n, width), make_queries(seed, 1, width)[0]
    expected = reference.scan_signs(codes, query)

    for path, found in on_every_path(lambda: scan_signs(codes, query)):
        assert np.array_equal(expected, found), path


@given(SEEDS, st.integers(0, 4), WIDTHS)
def test_a_scan_of_turned_blocks_is_a_scan_of_their_rows(on_every_path, seed, blocks, width):
    codes, query = make_codes(seed, 128 * blocks, width), make_queries(seed, 1, width)[0]
    turned = np.ascontiguousarray(codes.reshape(-1, 128, width).transpose(0, 2, 1))
    expected = scan_signs(codes, query)

    assert np.array_equal(expected, reference.scan_turned(turned, query))
    for path, found in on_every_path(lambda: scan_turned(turned, query)):
        assert np.array_equal(expected, found), path


@given(SEEDS, st.lists(st.integers(0, 4), max_size=9), WIDTHS)
def test_named_blocks_are_scanned_in_the_order_named(on_every_path, seed, named, width):
    codes, query = make_codes(seed, 128 * 5, width), make_queries(seed, 1, width)[0]
    turned = np.ascontiguousarray(codes.reshape(-1, 128, width).transpose(0, 2, 1))
    some = np.array(named, np.uint32)
    expected = scan_turned(turned, query).reshape(-1, 128)[some].ravel()

    for path, found in on_every_path(lambda: scan_turned(turned, query, some)):
        assert np.array_equal(expected, found), path


def test_blocks_that_are_not_there_are_refused():
    blocks, query = np.zeros((2, 8, 128), np.uint8), np.zeros(64, np.float32)
    with pytest.raises(IndexError, match="is out of bounds for 2"):
        scan_turned(blocks, query, np.array([0, 2], np.uint32))


def test_blocks_of_another_shape_are_refused():
    blocks = np.zeros((2, 8, 128), np.uint8)
    with pytest.raises(ValueError, match="query has 32 items, must have 64"):
        scan_turned(blocks, np.zeros(32, np.float32))
    with pytest.raises(ValueError, match="the last axis of blocks has 64 items, must have 128"):
        scan_turned(np.zeros((2, 8, 64), np.uint8), np.zeros(64, np.float32))


@given(arrays(np.float32, 72, elements=COORDINATES), SEEDS)
def test_any_finite_query_is_rounded_as_the_reference_rounds(on_every_path, query, seed):
    codes = make_codes(seed, 5, 9)
    expected = reference.scan_signs(codes, query)

    for path, found in on_every_path(lambda: scan_signs(codes, query)):
        assert np.array_equal(expected, found), path


@given(SEEDS, WIDTHS)
def test_rounding_moves_each_coordinate_by_at_most_a_fifteenth_of_the_largest(seed, width):
    codes, query = make_codes(seed, 20, width), make_queries(seed, 1, width)[0]
    signs = 2.0 * np.unpackbits(codes, axis=1, bitorder="little") - 1
    norm = np.sqrt(2 * len(query) / np.pi)
    bound = np.abs(query).max() / 15 * len(query) / norm

    assert np.all(np.abs(scan_signs(codes, query) - signs @ query / norm) <= bound * 1.0001)


@pytest.mark.slow
def test_the_estimate_is_the_cosine_within_one_over_the_root_of_the_dimension():
    random = np.random.default_rng(7)
    query = make_queries(1, 1, 32)[0]
    near = query + random.normal(size=(4000, 256)) / 16 * random.uniform(0, 3, (4000, 1))
    vectors = (near / np.linalg.norm(near, axis=1, keepdims=True)).astype(np.float32)
    turn = np.linalg.qr(random.normal(size=(256, 256)))[0].astype(np.float32)
    error = scan_signs(sign_codes(vectors @ turn), query @ turn) - vectors @ query

    assert abs(error.mean()) < 0.02
    assert error.std() < 1 / 16


@given(
    SEEDS,
    st.lists(st.sampled_from([0, 1, 3, 40, 64, 127, 128, 200]), max_size=8),
    st.sampled_from([0, 1, 2, 7, 8, 9, 16, 17]),
    WIDTHS,
)
def test_maxsim_is_bit_exact_on_every_path(on_every_path, seed, lengths, q, width):
    offsets = make_offsets(lengths)
    codes, queries = make_codes(seed, sum(lengths), width), make_queries(seed, q, width)
    expected = reference.maxsim(codes, offsets, queries)

    for path, found in on_every_path(lambda: maxsim(codes, offsets, queries)):
        assert np.array_equal(expected, found), path


@given(SEEDS, st.data())
def test_maxsim_of_chosen_spans_gives_them_in_the_order_asked(on_every_path, seed, data):
    lengths = np.random.default_rng(seed).integers(0, 90, 20)
    offsets = make_offsets(lengths)
    codes, queries = make_codes(seed, int(lengths.sum()), 32), make_queries(seed, 3, 32)
    rows = data.draw(arrays(np.uint32, st.integers(0, 30), elements=st.integers(0, 19)))
    everything = maxsim(codes, offsets, queries)

    for path, found in on_every_path(lambda: maxsim(codes, offsets, queries, rows)):
        assert np.array_equal(everything[rows], found), path


def test_maxsim_of_spans_of_one_row_is_a_scan():
    codes, queries = make_codes(0, 70, 32), make_queries(0, 2, 32)
    best = maxsim(codes, np.arange(71, dtype=np.uint64), queries)

    assert np.array_equal(best, np.stack([scan_signs(codes, q) for q in queries], axis=1))


def test_the_widest_codes_do_not_overflow(on_every_path):
    codes = np.full((3, 512), 255, np.uint8)
    query = np.ones(4096, np.float32)
    expected = reference.scan_signs(codes, query)

    for path, found in on_every_path(lambda: scan_signs(codes, query)):
        assert np.array_equal(expected, found), path


CODES, QUERIES = make_codes(0, 4, 8), make_queries(0, 2, 8)
OFFSETS = np.array([0, 1, 4], np.uint64)
SPOILT = np.where(np.arange(64) == 3, np.float32(np.nan), QUERIES[0])


@pytest.mark.parametrize(
    ("error", "message", "change"),
    [
        (ValueError, "query has 63 items, must have 64", {"query": QUERIES[0, :63]}),
        (ValueError, "nan at position 3, must be finite", {"query": SPOILT}),
        (ValueError, "must have 1 to 512", {"codes": CODES[:, :0], "query": QUERIES[0, :0]}),
        (TypeError, "incompatible", {"codes": CODES.astype(np.int8)}),
        (TypeError, "incompatible", {"codes": np.hstack([CODES, CODES])[:, ::2]}),
        (TypeError, "incompatible", {"query": QUERIES}),
        (TypeError, "incompatible", {"query": QUERIES[0].astype(np.float64)}),
    ],
)
def test_a_scan_refuses_what_it_cannot_read_by_name(error, message, change):
    with pytest.raises(error, match=message):
        scan_signs(**{"codes": CODES, "query": QUERIES[0]} | change)


@pytest.mark.parametrize(
    ("error", "message", "change"),
    [
        (
            ValueError,
            "a row of queries has 32 items, must have 64",
            {"queries": QUERIES[:, :32].copy()},
        ),
        (ValueError, "offsets is empty, must start with 0", {"offsets": OFFSETS[:0]}),
        (ValueError, r"offsets\[0\]=1, must be 0", {"offsets": OFFSETS[1:]}),
        (ValueError, "offsets end at 1, must end at .* 4", {"offsets": OFFSETS[:2]}),
        (ValueError, r"offsets\[2\]=1 is below .* 4", {"offsets": OFFSETS[[0, 2, 1, 2]]}),
        (IndexError, "out of bounds for 2 rows", {"rows": np.array([2], np.uint32)}),
    ],
)
def test_maxsim_refuses_what_it_cannot_read_by_name(error, message, change):
    with pytest.raises(error, match=message):
        maxsim(**{"codes": CODES, "offsets": OFFSETS, "queries": QUERIES} | change)


def test_a_dimension_that_is_no_multiple_of_eight_is_refused():
    with pytest.raises(ValueError, match="9 dimensions, must have a positive multiple of 8"):
        sign_codes(QUERIES[:, :9].copy())
