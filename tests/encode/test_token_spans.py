"""Where an embedder's pieces stand in the stream of a text's ids, and back."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.encode.token_spans import characters, pack_spans
from hippocampus.encode.tokens import encode, token_bytes

WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)


def ids_of(text):
    return np.array(encode(text), np.uint64)


def walked(payload):
    return np.cumsum(list(payload[1:])).tolist()


@given(WORDS)
def test_every_character_is_found_in_the_id_that_holds_its_first_byte(text):
    ids = ids_of(text)
    payload = pack_spans(text, ids, np.arange(len(text), dtype=np.int32))
    at = [len(text[:n].encode()) for n in range(len(text))]
    ends = np.cumsum([len(token_bytes(int(one))) for one in ids])

    assert payload[0] == 0
    assert walked(payload) == np.searchsorted(ends, at, side="right").tolist()


@given(WORDS, st.data())
def test_ids_give_back_characters_that_hold_all_their_bytes(text, data):
    ids = ids_of(text)
    first = data.draw(st.integers(0, len(ids) - 1))
    stop = data.draw(st.integers(first + 1, len(ids) + 5))
    begin, end = characters(text, ids, first, stop)

    held = b"".join(token_bytes(int(one)) for one in ids[first:stop])
    assert held in text[begin:end].encode()
    assert (0, len(text)) == characters(text, ids, 0, len(ids))


def test_pieces_before_the_text_are_counted_without_being_placed():
    payload = pack_spans("A dog barks.", ids_of("A dog barks."), np.array([-5, -2, 0, 2, 6]))

    assert payload[0] == 2
    assert walked(payload) == [0, 1, 2]


def test_a_piece_that_lies_far_behind_is_caught_up_with():
    text = "ab " * 400 + "end"
    ids = ids_of(text)
    payload = pack_spans(text, ids, np.array([0, len(text) - 3, len(text) - 2, len(text) - 1]))

    steps = walked(payload)
    assert steps[0] == 0
    assert steps[1] == 255
    assert steps[-1] == min(len(ids) - 1, 3 * 255)
