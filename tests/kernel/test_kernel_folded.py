"""Lines are unfolded as they were, and what fits none is refused."""

from itertools import pairwise, takewhile

import kernel_reference as reference
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.kernel import unfold


def lines_of(shared, added):
    text, starts = unfold(np.array(shared, np.uint8), np.frombuffer(added, np.uint8))
    assert (np.uint8, np.int32) == (text.dtype, starts.dtype)
    return text.tobytes(), starts.tolist()


@given(st.lists(st.text("abé", max_size=20).map(str.encode)))
def test_lines_are_unfolded_as_they_were(lines):
    shared = [
        sum(1 for _ in takewhile(lambda two: two[0] == two[1], zip(*pair, strict=False)))
        for pair in pairwise([b"", *lines])
    ]
    added = b"\n".join(line[known:] for line, known in zip(lines, shared, strict=True))
    text, starts = lines_of(shared, added)

    assert b"\n".join(lines) == text
    assert reference.unfold(shared, added) == (text, starts)


@pytest.mark.parametrize(
    ("shared", "added", "message"),
    [
        ([1], b"a", "line 0 shares 1 bytes with one of 0"),
        ([0, 3], b"ab\nc", "line 1 shares 3 bytes with one of 2"),
        ([0, 0], b"a", "more or fewer lines than 2"),
        ([0, 0], b"a\nb\nc", "more or fewer lines than 2"),
        ([], b"a", "added has 1 items, must have 0"),
    ],
)
def test_what_fits_no_lines_is_refused(shared, added, message):
    with pytest.raises(ValueError, match=message):
        lines_of(shared, added)
