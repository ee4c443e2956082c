"""The best scores come first, whatever the ties, the mask and the NaN."""

import kernel_reference as reference
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hippocampus.kernel import top_k

SIZES = st.sampled_from([0, 1, 2, 63, 64, 65, 128, 511, 1000])
FEW = st.sampled_from([0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 1e-45, 0.5])
COUNTS = st.sampled_from([0, 1, 2, 10, 64, 400, 2000])


@given(arrays(np.float32, SIZES, elements=FEW), COUNTS, st.data())
def test_ties_masks_and_nan_agree_with_the_reference(on_every_path, scores, k, data):
    masks = arrays(np.uint8, len(scores), elements=st.sampled_from([0, 1, 255]))
    mask = data.draw(st.none() | masks)
    expected = reference.top_k(scores, k, mask)

    for path, found in on_every_path(lambda: top_k(scores, k, mask)):
        assert np.array_equal(expected, found), path


@pytest.mark.parametrize("order", ["random", "rising", "falling", "equal", "peaks"])
@pytest.mark.parametrize("k", [1, 7, 400, 5000])
def test_long_arrays_agree_with_the_reference_in_any_order(on_every_path, order, k):
    scores = np.random.default_rng(k).normal(size=10_007).astype(np.float32)
    if order == "equal":
        scores[:] = 1.0
    elif order == "peaks":
        scores[::128] += 10.0  # what a sample at even steps would take for usual
    elif order != "random":
        scores.sort()
        scores = scores if order == "rising" else scores[::-1].copy()
    mask = (np.arange(len(scores)) % 3 > 0).astype(np.uint8)

    for path, found in on_every_path(lambda: top_k(scores, k)):
        assert np.array_equal(reference.top_k(scores, k), found), path
    for path, found in on_every_path(lambda: top_k(scores, k, mask)):
        assert np.array_equal(reference.top_k(scores, k, mask), found), path


@pytest.mark.parametrize(
    ("error", "message", "arguments"),
    [
        (ValueError, "mask has 2 items, must have 3", (1, np.ones(2, np.uint8))),
        (TypeError, "incompatible", (1, np.ones(3, np.float32))),
        (TypeError, "incompatible", (-1, None)),
    ],
)
def test_what_does_not_fit_is_refused_by_name(error, message, arguments):
    with pytest.raises(error, match=message):
        top_k(np.zeros(3, np.float32), *arguments)
