"""Token codes of which one may stand for several tokens, beside those that stand for one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.core.records import Payloads
from hippocampus.index.late_interaction import LateInteractionCue, pack_codes

TEXTS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), max_size=8)


def observed(payloads):
    cue = LateInteractionCue(64)
    cue.observe(Payloads.of(payloads))
    return cue, np.arange(len(payloads), dtype=np.uint32)


@given(TEXTS)
def test_a_text_is_as_long_as_it_was_before_tokens_were_pooled(texts):
    payloads = [pack_codes(np.ones((codes, 8), np.uint8), codes + more) for codes, more in texts]
    cue, rows = observed(payloads)

    assert [codes + more for codes, more in texts] == cue.lengths(rows).tolist()


def test_codes_are_the_same_whether_or_not_they_tell_of_more_tokens():
    random = np.random.default_rng(4)
    codes = [random.integers(0, 256, (n, 8), dtype=np.uint8) for n in (3, 0, 2, 5)]
    alone, _ = observed([pack_codes(own, len(own)) for own in codes])
    pooled, _ = observed([pack_codes(own, len(own) + 4 * (n % 2)) for n, own in enumerate(codes)])

    assert np.array_equal(np.concatenate(codes), alone._codes.view)
    assert np.array_equal(alone._codes.view, pooled._codes.view)
    assert np.array_equal(alone._ends.view, pooled._ends.view)


@given(st.lists(st.binary(max_size=40), max_size=6))
def test_of_junk_no_more_than_whole_codes_is_read(junk):
    cue, rows = observed(junk)

    assert len(junk) == len(cue) == len(cue.lengths(rows))
    assert sum(len(one) // 8 for one in junk) == len(cue._codes.view)
