"""Quantised rows: the round trip is within half a step, and inner products follow."""

import kernel_reference as reference
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hippocampus.kernel import dot_rows, quantise_rows, sum_rows

SIZES = st.sampled_from([0, 1, 2, 63, 64, 65])
DIMENSIONS = st.sampled_from([8, 16, 24, 64, 72, 384])
COORDINATES = st.floats(width=32, allow_nan=False, allow_infinity=False)
MATRICES = arrays(np.float32, st.tuples(SIZES, DIMENSIONS), elements=COORDINATES, fill=COORDINATES)


@given(MATRICES)
def test_quantised_rows_agree_with_the_reference(vectors):
    codes, scales = quantise_rows(vectors)
    expected_codes, expected_scales = reference.quantise_rows(vectors)

    assert np.array_equal(expected_codes, codes)
    assert np.array_equal(expected_scales, scales)


@given(arrays(np.float32, (5, 16), elements=st.floats(-1e3, 1e3, width=32)))
def test_a_round_trip_moves_no_coordinate_by_more_than_half_a_step(vectors):
    codes, scales = quantise_rows(vectors)
    error = np.abs(codes * scales[:, None].astype(np.float64) - vectors)

    assert np.all(error <= 0.5001 * scales[:, None] + 1e-40)


@given(st.integers(0, 2**32 - 1), DIMENSIONS | st.sampled_from([2048, 2056, 6152]), st.data())
def test_inner_products_equal_the_reference_on_every_path(on_every_path, seed, d, data):
    random = np.random.default_rng(seed)
    matrix = random.integers(-128, 128, (50, d), dtype=np.int8)
    scales = random.random(50, np.float32)
    query = (random.normal(size=d) * data.draw(st.sampled_from([0, 1e-30, 1, 1e30]))).astype("f4")
    rows = data.draw(arrays(np.uint32, SIZES, elements=st.integers(0, 49)))
    expected = reference.dot_rows(matrix, scales, query, rows)

    for _, found in on_every_path(lambda: dot_rows(matrix, scales, query, rows)):
        assert np.array_equal(found, expected)


@pytest.mark.parametrize("d", [384, 2048, 6152])
def test_inner_products_of_the_largest_bytes_do_not_overflow(on_every_path, d):
    matrix, scales = np.full((1, d), -128, np.int8), np.ones(1, np.float32)
    rows = np.zeros(1, np.uint32)

    for _, found in on_every_path(lambda: dot_rows(matrix, scales, np.full(d, -1, "f4"), rows)):
        assert found.tolist() == [128.0 * d]


@given(arrays(np.float32, 64, elements=st.floats(-1, 1, width=32)))
def test_rounding_the_query_moves_an_inner_product_by_a_ten_thousandth_at_most(query):
    random = np.random.default_rng(0)
    vectors = random.normal(size=(20, 64)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    matrix, scales = quantise_rows(vectors)
    exact = (matrix * scales[:, None].astype(np.float64)) @ query

    found = dot_rows(matrix, scales, query, np.arange(20, dtype=np.uint32))
    assert np.abs(found - exact).max() <= 1.3e-4 * np.abs(query).max() + 1e-7


@given(st.integers(0, 2**32 - 1), DIMENSIONS, st.integers(1, 6), st.data())
def test_sums_by_group_agree_with_the_reference(on_every_path, seed, d, count, data):
    random = np.random.default_rng(seed)
    matrix = random.integers(-127, 128, (50, d), dtype=np.int8)
    scales = random.random(50, np.float32)
    rows = data.draw(arrays(np.uint32, SIZES, elements=st.integers(0, 49)))
    groups = random.integers(0, count, len(rows), dtype=np.uint32)
    expected = reference.sum_rows(matrix, scales, rows, groups, count)

    (_, first), *others = on_every_path(lambda: sum_rows(matrix, scales, rows, groups, count))
    assert first.shape == (count, d)
    np.testing.assert_allclose(first, expected, rtol=1e-4, atol=1e-2)
    assert all(np.array_equal(first, found) for _, found in others)


@pytest.mark.parametrize(
    ("error", "message", "change"),
    [
        (ValueError, "groups has 1 items, must have 2", {"groups": np.zeros(1, np.uint32)}),
        (IndexError, r"groups\[1\]=2 is out of bounds for 2 groups", {"count": 2}),
        (IndexError, r"rows\[0\]=3 is out of bounds", {"rows": np.array([3, 0], np.uint32)}),
    ],
)
def test_sums_of_what_does_not_fit_are_refused_by_name(error, message, change):
    fine = {
        "matrix": np.ones((3, 16), np.int8),
        "scales": np.ones(3, np.float32),
        "rows": np.array([0, 2], np.uint32),
        "groups": np.array([0, 2], np.uint32),
        "count": 3,
    }
    assert sum_rows(**fine)[:, 0].tolist() == [1, 0, 1]
    with pytest.raises(error, match=message):
        sum_rows(**fine | change)


@pytest.mark.parametrize(
    ("error", "message", "change"),
    [
        (ValueError, "scales has 2 items, must have 3", {"scales": np.ones(2, np.float32)}),
        (ValueError, "query has 8 items, must have 16", {"query": np.ones(8, np.float32)}),
        (IndexError, r"rows\[0\]=3 is out of bounds", {"rows": np.array([3], np.uint32)}),
        (TypeError, "incompatible", {"rows": np.array([1], np.int64)}),
        (TypeError, "incompatible", {"matrix": np.ones((3, 32), np.int8)[:, ::2]}),
        (ValueError, "query holds nan at position 0", {"query": np.full(16, np.nan, np.float32)}),
    ],
)
def test_what_does_not_fit_is_refused_by_name(error, message, change):
    fine = {
        "matrix": np.ones((3, 16), np.int8),
        "scales": np.ones(3, np.float32),
        "query": np.ones(16, np.float32),
        "rows": np.array([0, 2], np.uint32),
    }
    assert dot_rows(**fine).tolist() == [16.0, 16.0]
    with pytest.raises(error, match=message):
        dot_rows(**fine | change)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_vectors_that_are_not_finite_are_refused(bad):
    vectors = np.zeros((2, 8), np.float32)
    vectors[1, 2] = bad
    with pytest.raises(ValueError, match="at position 10, must be finite"):
        quantise_rows(vectors)
