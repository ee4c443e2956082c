"""Rows are merged into groups as Ward's method does it, the same on every processor."""

import kernel_reference as reference
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from hippocampus.kernel import merge_rows

ROWS = arrays(
    np.float32, array_shapes(min_dims=2, max_dims=2, max_side=12),
    elements=st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, 0.25, 7.0]) | st.floats(-1, 1, width=32),
)  # fmt: skip


@given(ROWS, st.integers(0, 14))
def test_groups_are_those_of_the_reference(rows, count):
    groups = merge_rows(rows, count)

    assert groups.dtype == np.uint32
    assert np.array_equal(reference.merge_rows(rows, count), groups)


@given(ROWS, st.integers(1, 14))
def test_there_are_as_many_groups_as_asked_for_without_an_empty_one(rows, count):
    assert min(count, len(rows)) == len(np.unique(merge_rows(rows, count)))


def test_no_rows_are_no_groups():
    assert not len(merge_rows(np.empty((0, 8), np.float32), 3))


def test_too_many_rows_and_numbers_that_are_none_are_refused():
    with pytest.raises(ValueError, match="rows has 4097 items, must have at most 4096"):
        merge_rows(np.zeros((4097, 1), np.float32), 1)
    with pytest.raises(ValueError, match="must be finite"):
        merge_rows(np.full((2, 2), np.nan, np.float32), 1)
