"""Sessions as a whole: what they lend their turns, and how they are ranked among themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hippocampus.recall.session_ranking import SessionScores, associated
from hippocampus.recall.standardize import standardised

CODES = st.lists(st.integers(-1, 5), max_size=40)


@given(CODES, st.data())
def test_support_is_the_mean_of_the_two_best_scores_of_a_session(codes, data):
    # Few different values, so that the best is often there twice.
    drawn = data.draw(st.lists(st.integers(-3, 3), min_size=len(codes), max_size=len(codes)))
    scores = np.array(drawn, np.float32)
    sessions = SessionScores.of(np.array(codes, np.int32), scores)
    support = sessions.support()[sessions.groups]

    for row, code in enumerate(codes):
        mates = sorted((max(drawn[r], 0) for r, c in enumerate(codes) if c == code), reverse=True)
        assert support[row] == (0 if code < 0 else sum(mates[:2]) / 2)


PARTS = st.integers(-4, 4).map(lambda n: n / 16)  # of vectors no longer than 1
SUMS = arrays(np.float32, (6, 8), elements=PARTS)
SIZES = arrays(np.float64, 6, elements=st.integers(1, 5))
WORTH = arrays(np.float32, 6, elements=st.integers(-2, 2))


@given(SUMS, SIZES, WORTH)
def test_association_is_a_cosine_without_regard_to_order(sums, sizes, worth):
    order = np.random.default_rng(0).permutation(6)
    near = associated(sums, sizes, worth, 0.3)

    assert np.abs(near).max() <= 1 + 1e-5
    assert associated(sums[order], sizes[order], worth[order], 0.3) == pytest.approx(
        near[order], abs=1e-3
    )


@given(SUMS, SIZES, WORTH, arrays(np.float32, 8, elements=PARTS))
def test_what_all_vectors_share_does_not_associate_sessions(sums, sizes, worth, shared):
    near = associated(sums, sizes, worth, 0.3)
    moved = associated(sums + sizes[:, None].astype(np.float32) * shared, sizes, worth, 0.3)

    assert moved == pytest.approx(near, abs=5e-3)


def test_the_best_session_draws_the_one_that_is_about_the_same():
    sums = np.array([[5, 0, 0], [4, 1, 0], [0, 0, 5], [0, 5, -5]], np.float32)
    near = associated(sums, np.array([5.0] * 4), np.array([9, 0, 0, 0], np.float32), 0.3)

    assert near.argsort()[::-1][:2].tolist() == [0, 1]


def test_a_session_without_vectors_changes_nothing_for_the_others():
    sums = np.array([[5, 0, 0], [4, 1, 0], [0, 0, 5]], np.float32)
    worth = np.array([9, 0, 0, 0, 0], np.float32)
    alone = associated(sums, np.array([5.0] * 3), worth[:3], 0.3)
    more = np.concatenate([sums, np.zeros((2, 3), np.float32)])
    near = associated(more, np.array([5.0, 5, 5, 0, 0]), worth, 0.3)

    assert near.tolist() == pytest.approx([*alone, 0, 0], abs=1e-5)
    assert associated(more[3:], np.zeros(2), worth[:2], 0.3).tolist() == [0, 0]


@pytest.mark.parametrize("sessions", [3, 6, 7, 11, 100])
def test_sessions_that_mean_the_same_are_not_told_apart_by_rounding(sessions):
    chance = np.random.default_rng(sessions)
    vector = chance.normal(size=384)
    sizes = chance.integers(1, 9, sessions).astype(np.float64)
    sums = (sizes[:, None] * vector / np.linalg.norm(vector)).astype(np.float32)
    near = associated(sums, sizes, np.zeros(sessions, np.float32), 0.3)

    assert np.abs(standardised(near, least=0.01)).max() < 0.05


def test_what_one_voice_says_leans_on_nothing_around_it_until_another_answers(open_memory):
    bank = open_memory().bank("ada")
    notes = ["The kiln was delivered.", "It is blue.", "The glaze is for the bowls."]
    for minute, text in enumerate(notes):
        bank.remember(text, speaker="Ada", session="s", at=f"2024-03-05T10:0{minute}")

    def lent():
        hits = bank.recall("Was the kiln delivered?", now="2024-03-06")
        return {part for hit in hits for part in hit.shares} & {"neighbours", "session"}

    assert lent() == set()
    bank.remember("Which bowls?", speaker="Tom", session="s", at="2024-03-05T10:04")
    assert lent() == {"neighbours", "session"}
