"""Numbers in planes are the same numbers to the bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hippocampus.core.planes import from_planes, into_planes


@given(arrays(np.uint32, st.integers(0, 20), elements=st.integers(0, 2**24 - 1)))
def test_whole_numbers_need_no_more_planes_than_their_bytes(numbers):
    planes = into_planes(numbers, 3)

    assert (3, len(numbers)) == planes.shape
    assert numbers.tolist() == from_planes(planes, np.uint32).tolist()


@pytest.mark.parametrize("kind", [np.float16, np.float32])
@given(values=st.lists(st.floats(width=16, allow_nan=False)))
def test_real_numbers_come_back_to_the_bit(kind, values):
    numbers = np.array(values, kind)
    back = from_planes(into_planes(numbers, numbers.dtype.itemsize), kind)

    assert kind == back.dtype
    assert numbers.tobytes() == back.tobytes()


def test_the_lowest_bytes_come_first():
    assert [[0x02, 0x04], [0x01, 0x03]] == into_planes(
        np.array([0x0102, 0x0304], np.uint16), 2
    ).tolist()
