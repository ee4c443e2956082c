"""What only a hit names is found by a second look, and nothing else moves for it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus import Memory
from hippocampus.core.records import Payloads
from hippocampus.encode.terms import hash_terms
from hippocampus.index.bm25 import Bm25Cue, pack_terms
from hippocampus.recall.spreading_activation import Lift, _names, lifted


def test_in_a_bank_of_one_there_is_no_one_to_lend_to():
    with Memory(":memory:", embedder="hash") as memory:
        memory.bank("a").remember("Silent Harbour was made by Ana Silva.")

        assert len(memory.bank("a").recall("Who made Silent Harbour?")) == 1


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("We met Ana Silva and then Ana in Porto.", ["ana silva", "ana", "porto"]),
        ("no names at all", []),
        ("", []),
    ],
)
def test_a_name_is_taken_whole(text, names):
    assert names == list(_names(text))


WORDS = st.lists(st.sampled_from("ana silva porto river film boat".split()), max_size=14)


@given(st.lists(WORDS, max_size=30), st.lists(st.sampled_from(["ana", "silva", "boat"]), min_size=1,
       max_size=3, unique=True), st.integers(1, 30), st.randoms(use_true_random=False))  # fmt: skip
def test_the_rows_that_hold_or_open_with_a_name_do_so_word_by_word(texts, name, most, chance):
    cue = Bm25Cue()
    middle = chance.randint(0, len(texts))  # in two goes, as a bank grows
    for some in (texts[:middle], texts[middle:]):
        cue.observe(Payloads.of([pack_terms(hash_terms(" ".join(text))) for text in some]))
    allowed = np.array([chance.random() < 0.8 for _ in texts], np.bool_)
    terms = hash_terms(" ".join(name))
    rarest = min(sum(word in text for text in texts) for word in name)
    holding = [row for row, text in enumerate(texts) if allowed[row] and set(name) <= set(text)]
    rows = np.arange(len(texts), dtype=np.uint32)

    expected = holding if 1 < rarest <= most else []
    assert expected == cue.holding(terms, allowed, most).tolist()
    assert cue.opening(terms, rows).tolist() == [
        any(text[:8][at : at + len(name)] == name for at in range(8)) for text in texts
    ]


def test_what_a_hit_lifts_stays_below_it_where_the_hit_fell_since():
    rows = np.arange(4, dtype=np.uint32)
    scores = np.array([9, 4, 3, 1], np.float32)  # the second was at 8 by its words alone
    lifts = {3: Lift(6.0, 7.6, begun_by=1), 2: Lift(0.5, 7.6, begun_by=1)}

    raised = lifted(lifts, rows, scores, 0.7)

    assert raised.tolist() == pytest.approx([9, 4, 3.5, 3.8])
