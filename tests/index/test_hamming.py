"""Hamming balls: two ways, one answer, and it is the one a plain comparison gives."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.index import hamming
from hippocampus.index.hamming import Codes

WIDTHS = st.sampled_from([1, 2, 3, 4, 8, 9, 16])


def drawn(random, count, width, kinds):
    """Return codes of so many kinds, a few of their bits turned."""
    codes = random.integers(0, 256, (kinds, width), dtype=np.uint8)[
        random.integers(0, kinds, count)
    ]
    turned = random.integers(0, 256, codes.shape, dtype=np.uint8)
    return codes ^ np.where(random.random(codes.shape) < 0.1, turned & 3, 0).astype(np.uint8)


def near(codes, code, radius):
    """Return where codes are within the radius, one by one."""
    apart = [int.from_bytes(row.tobytes()) ^ int.from_bytes(code.tobytes()) for row in codes]
    return [place for place, bits in enumerate(apart) if bits.bit_count() <= radius]


@given(st.integers(0, 2**32 - 1), WIDTHS, st.integers(1, 300), st.integers(0, 12), st.data())
def test_both_ways_find_what_comparing_finds(seed, width, count, radius, data):
    codes = drawn(np.random.default_rng(seed), count, width, 5)
    held = Codes(8 * width)
    cut = data.draw(st.integers(0, count))
    held.extend(codes[:cut])
    held.build_matrix()
    held.extend(codes[cut:])
    code = codes[data.draw(st.integers(0, count - 1))]
    expected = near(codes, code, radius)

    assert expected == held.ball(code, radius, way="scan").positions.tolist()
    assert expected == held.ball(code, radius, way="descent").positions.tolist()
    assert expected == held.ball(code, radius).positions.tolist()


@given(st.integers(0, 2**32 - 1), WIDTHS, st.integers(1, 200))
def test_a_larger_radius_returns_a_superset(seed, width, count):
    codes = drawn(np.random.default_rng(seed), count, width, 3)
    held = Codes(8 * width)
    held.extend(codes)
    held.build_matrix()
    balls = [set(held.ball(codes[0], r, way="descent").positions.tolist()) for r in range(9)]

    assert 0 in balls[0]
    assert all(small <= large for small, large in pairwise(balls))


@given(st.integers(0, 2**32 - 1), st.integers(1, 200), st.data())
def test_ranks_tell_which_spans_hold_a_code(seed, count, data):
    random = np.random.default_rng(seed)
    codes = random.integers(0, 5, (count, 1), dtype=np.uint8)
    held = Codes(8)
    cut = data.draw(st.integers(0, count))
    held.extend(codes[:cut])
    held.build_matrix()
    held.extend(codes[cut:])
    ends = np.sort(random.integers(0, count + 1, 8))
    starts, stops = ends[:-1], ends[1:]
    expected = [3 in codes[a:b] for a, b in zip(starts, stops, strict=True)]

    assert expected == held.holds(np.array([3], np.uint8), starts, stops).tolist()


def test_few_codes_are_scanned_without_keeping_a_matrix():
    held = Codes(64)
    held.extend(np.zeros((hamming.LEAST - 1, 8), np.uint8))

    assert "scan" == held.ball(np.zeros(8, np.uint8), 0).way
    assert 0 == held.in_matrix


def test_of_many_codes_only_rare_ones_are_found_by_descent():
    random = np.random.default_rng(0)
    codes = random.integers(0, 256, (hamming.LEAST, 8), dtype=np.uint8)
    codes[::3] = 7
    held = Codes(64)
    held.extend(codes)
    rare, frequent = codes[1], codes[0]

    assert 0 == held.in_matrix, "nobody has asked yet"
    assert "descent" == held.ball(rare, 0).way
    assert hamming.LEAST == held.in_matrix
    assert 1 == held.occurrences(rare, 0)
    assert len(codes[::3]) == held.occurrences(frequent, 0)
    assert "scan" == held.ball(frequent, 0).way
    assert "scan" == held.ball(rare, 16).way, "a wide ball has more paths than there are codes"


@pytest.mark.parametrize("bad", [-1, 2.5])
def test_a_radius_that_is_none_is_refused(bad):
    held = Codes(8)
    held.extend(np.zeros((3, 1), np.uint8))
    with pytest.raises((ValueError, TypeError)):
        held.ball(np.zeros(1, np.uint8), bad, way="scan")
