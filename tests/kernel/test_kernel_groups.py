"""Keys are ordered, and the two best scores of each group found, as sorting does it."""

import kernel_reference as reference
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hippocampus.kernel import best_two, stable_order

SIZES = st.sampled_from([0, 1, 2, 63, 400])
CODES = st.integers(-2, 9) | st.sampled_from([-(2**31), 2**31 - 1])
SCORES = st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, 1e-45, np.nan, np.inf, -np.inf])


@given(SIZES, st.data())
def test_groups_and_their_best_agree_with_the_reference(size, data):
    codes = data.draw(arrays(np.int32, size, elements=CODES))
    scores = data.draw(arrays(np.float32, size, elements=SCORES))

    for expected, found in zip(
        reference.best_two(codes, scores), best_two(codes, scores), strict=True
    ):
        assert expected.dtype == found.dtype
        assert np.array_equal(expected, found)


def test_codes_and_scores_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="scores has 2 items, must have 3"):
        best_two(np.zeros(3, np.int32), np.zeros(2, np.float32))


@given(arrays(np.uint32, SIZES, elements=st.integers(0, 5) | st.integers(0, 2**32 - 1)))
def test_keys_are_ordered_as_a_stable_sort_orders_them(keys):
    order = stable_order(keys)

    assert order.dtype == np.uint32
    assert np.array_equal(reference.stable_order(keys), order)
