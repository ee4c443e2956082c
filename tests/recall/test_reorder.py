"""Reordering: gains are told as parts, and scores that were are never changed."""

import numpy as np
import pytest

from hippocampus.recall.reorder import STEPS
from hippocampus.recall.scored import AHEAD, Scored
from hippocampus.recall.session_ranking import SessionScores


@pytest.fixture
def scored():
    scores = np.array([1, 3, 2], np.float32)
    sessions = SessionScores.of(np.full(3, -1, np.int32), scores)
    parts = {"lexical": scores.copy()}
    return Scored(np.arange(3, dtype=np.uint32), scores, parts, sessions, sessions.support())


def test_a_gain_is_a_part_of_its_own_or_added_to_the_one_there_is(scored):
    gain = np.array([0, 0, 2], np.float32)
    lifted = scored.lift("choice", gain).lift("lexical", gain)

    assert [1, 3, 6] == lifted.scores.tolist()
    assert [0, 0, 2] == lifted.parts["choice"].tolist()
    assert [1, 3, 4] == lifted.parts["lexical"].tolist()


def test_lifting_leaves_what_was_lifted_as_it_was(scored):
    scored.lift("choice", np.ones(3, np.float32)).lift("lexical", np.ones(3, np.float32))

    assert [1, 3, 2] == scored.scores.tolist()
    assert {"lexical": [1, 3, 2]} == {n: part.tolist() for n, part in scored.parts.items()}


def test_a_row_that_leads_is_before_all_others_by_a_set_distance(scored):
    led = scored.lift("facts", scored.lead(0))

    assert [3 + AHEAD, 3, 2] == pytest.approx(led.scores.tolist())


def test_each_step_has_a_part_of_its_own():
    parts = [step.part for step in STEPS]

    assert len(parts) == len(set(parts))
