"""What is sealed opens under its key and where it belongs, whether it was sealed lately or not."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from store_samples import episode

from hippocampus.core.cipher import KEY_BYTES, Cipher, LatelySealed, Unsealable
from hippocampus.store.sealing import open_episode, seal_episode

KEY = os.urandom(KEY_BYTES)
PLACES = st.sampled_from(["content 1 0", "content 2 0", "id"])


def sealed_lately(cipher, place, value):
    """Return a value as it is sealed by whoever reads it next."""
    (sealed,) = cipher.seal_each([(place, value)], read_next=True)
    return sealed


@given(st.lists(st.tuples(PLACES, st.binary(max_size=40)), max_size=12))
def test_what_was_sealed_lately_opens_as_it_does_for_whoever_did_not_seal_it(values):
    writer, reader = Cipher(KEY, LatelySealed()), Cipher(KEY)
    for place, value in values:
        sealed = sealed_lately(writer, place, value)
        assert sealed == reader.seal(place, value)
        opened = [cipher.unseal(place, sealed) for cipher in (writer, writer, reader)]
        assert opened == [value] * 3


def test_a_value_that_was_moved_does_not_open_although_it_was_sealed_lately():
    cipher = Cipher(KEY, LatelySealed())
    sealed = sealed_lately(cipher, "content 1 0", b"the code is 4711")

    with pytest.raises(Unsealable):
        cipher.unseal("content 2 0", sealed)


def test_texts_that_were_forgotten_are_kept_nowhere_and_open_still():
    cipher = Cipher(KEY)
    sealed = cipher.seal_text("speaker", "Ottilie")
    assert "Ottilie" in repr(vars(cipher))
    cipher.forget_texts()

    assert "Ottilie" not in repr(vars(cipher))
    assert "Ottilie" == cipher.unseal_text("speaker", sealed)


def test_what_was_sealed_lately_is_gone_once_it_was_read():
    lately = LatelySealed()
    sealed = sealed_lately(Cipher(KEY, lately), "lexical 0 0", b"first")

    assert lately.take(b"lexical 0 0", sealed) == b"first"
    assert lately.take(b"lexical 0 0", sealed) is None


def test_what_was_sealed_lately_is_gone_before_it_takes_much_room():
    lately = LatelySealed()
    cipher = Cipher(KEY, lately)
    sealed = sealed_lately(cipher, "lexical 0 0", b"first")
    for row in range(1, 2000):
        sealed_lately(cipher, f"lexical {row} 0", bytes(4000))

    assert lately.take(b"lexical 0 0", sealed) is None
    assert cipher.unseal("lexical 0 0", sealed) == b"first"


def test_a_row_that_was_sealed_lately_is_gone_once_it_was_read():
    lately = LatelySealed()
    cipher = Cipher(KEY, lately)
    sealed = seal_episode(cipher, episode(7, speaker="zebra"))

    assert open_episode(cipher, sealed) == episode(7, speaker="zebra")
    assert lately.take_episode(sealed) is None
    assert open_episode(cipher, sealed) == episode(7, speaker="zebra")


@pytest.mark.parametrize("field", ["id", "speaker", "address", "metadata"])
def test_a_row_of_which_a_value_was_moved_does_not_open_although_sealed_lately(field):
    cipher = Cipher(KEY, LatelySealed())
    words = {"session": "zebra", "speaker": "Lena", "address": "a.md", "metadata": '{"a": 1}'}
    ours, other = (seal_episode(cipher, episode(row, **words)) for row in (1, 2))
    moved = other.metadata if field == "metadata" else other.session

    assert open_episode(cipher, ours._replace(**{field: moved})) is None


def test_what_is_read_gives_its_room_back_to_what_is_sealed_after_it():
    cipher = Cipher(KEY, lately := LatelySealed())
    first = sealed_lately(cipher, "lexical 0 0", b"first")
    for row in range(1, 2000):
        cipher.unseal(f"lexical {row} 0", sealed_lately(cipher, f"lexical {row} 0", bytes(4000)))

    assert lately.take(b"lexical 0 0", first) == b"first"


def test_what_was_sealed_lately_and_never_read_is_gone_once_something_is_erased():
    lately = LatelySealed()
    cipher = Cipher(KEY, lately)
    sealed = sealed_lately(cipher, "lexical 0 0", b"first")
    seal_episode(cipher, episode(7, speaker="zebra"))
    lately.clear()

    assert "first" not in repr(vars(lately))
    assert "zebra" not in repr(vars(lately))
    assert cipher.unseal("lexical 0 0", sealed) == b"first"
