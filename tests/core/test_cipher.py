"""What is sealed opens under its own key and where it belongs, whether it was sealed lately or not."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.core.cipher import KEY_BYTES, Cipher, LatelySealed, Unsealable

KEY = os.urandom(KEY_BYTES)
PLACES = st.sampled_from(["content 1 0", "content 2 0", "id"])


@given(st.lists(st.tuples(PLACES, st.binary(max_size=40)), max_size=12))
def test_what_was_sealed_lately_opens_as_it_does_for_whoever_did_not_seal_it(values):
    writer, reader = Cipher(KEY, LatelySealed()), Cipher(KEY)
    for place, value in values:
        sealed = writer.seal(place, value)
        assert writer.unseal(place, sealed) == reader.unseal(place, sealed) == value


def test_a_value_that_was_moved_does_not_open_although_it_was_sealed_lately():
    cipher = Cipher(KEY, LatelySealed())
    sealed = cipher.seal("content 1 0", b"the code is 4711")

    with pytest.raises(Unsealable):
        cipher.unseal("content 2 0", sealed)


def test_what_was_sealed_lately_is_forgotten_before_it_takes_much_room():
    lately = LatelySealed()
    cipher = Cipher(KEY, lately)
    sealed = cipher.seal("content 0 0", b"first")
    for row in range(1, 2000):
        cipher.seal(f"content {row} 0", bytes(4000))
    cipher.seal("content 2000 0", bytes(1 << 20))

    assert lately.opened("content 0 0", sealed) is None
    assert cipher.unseal("content 0 0", sealed) == b"first"
