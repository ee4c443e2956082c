"""What is sealed opens under its key and where it belongs, whether it was sealed lately or not."""

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
        sealed = writer.seal(place, value, read_next=True)
        opened = [cipher.unseal(place, sealed) for cipher in (writer, writer, reader)]
        assert opened == [value] * 3


def test_a_value_that_was_moved_does_not_open_although_it_was_sealed_lately():
    cipher = Cipher(KEY, LatelySealed())
    sealed = cipher.seal("content 1 0", b"the code is 4711", read_next=True)

    with pytest.raises(Unsealable):
        cipher.unseal("content 2 0", sealed)


def test_what_was_sealed_lately_is_gone_once_it_was_read():
    lately = LatelySealed()
    sealed = Cipher(KEY, lately).seal("lexical 0 0", b"first", read_next=True)

    assert lately.take("lexical 0 0", sealed) == b"first"
    assert lately.take("lexical 0 0", sealed) is None


def test_what_was_sealed_lately_is_gone_before_it_takes_much_room():
    lately = LatelySealed()
    cipher = Cipher(KEY, lately)
    sealed = cipher.seal("lexical 0 0", b"first", read_next=True)
    for row in range(1, 2000):
        cipher.seal(f"lexical {row} 0", bytes(4000), read_next=True)

    assert lately.take("lexical 0 0", sealed) is None
    assert cipher.unseal("lexical 0 0", sealed) == b"first"
