"""A text is parted where the pattern of its vocabulary parts it."""

import kernel_reference as reference
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hippocampus.kernel import piece_lengths

TELLING = b"aAzZsSlLrReE'09 \t\n\r/._-\x80\x81\x82\x83\x84\x85\x87"
SHAPES = st.lists(st.sampled_from(TELLING), max_size=24).map(bytes)


@pytest.mark.slow
@settings(max_examples=80 * settings().max_examples)
@given(SHAPES | st.binary(max_size=12))
@example(b"it's WE'LL they'RE x's 12345  \n\n  end ")
@example(b"ABc\x82\x87 A\x82B' 'S \x87a\x87")
@example(b"")
def test_pieces_are_those_of_the_pattern(shapes):
    found = piece_lengths(shapes)

    assert found.dtype == "uint32"
    assert reference.piece_lengths(shapes) == found.tolist()
    assert sum(found) == len(shapes)


def test_pieces_of_what_never_ends_take_time_in_proportion():
    """Where each look went back to the beginning, a million characters would take hours."""
    for some in (b"A", b"\x82", b"\x87", b" ", b"\n", b"'", b"A\x82", b" \n", b"\x85/"):
        assert sum(piece_lengths(some * (1 << 20))) == len(some) << 20
