"""A random walk through names leads to what the best hits lead to, and lifts nothing above them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus import Config, Fusion, Memory
from hippocampus.errors import InputError
from hippocampus.recall.personalized_pagerank import RESTART, _visits

WALKING = Config(fusion=Fusion(spreading="pagerank"))

TEXTS = [
    "Silent Harbour is a film that Ana Silva directed.",
    "Ana Silva was born in Porto Moniz, a village by the sea.",
    "Porto Moniz has natural pools of lava.",
    "The harbour was loud with gulls all summer.",
    "Tom mended the roof of the barn.",
    "The barn stands behind the mill.",
]

TIES = st.lists(
    st.tuples(st.integers(0, 7), st.sampled_from("abcd"), st.floats(0.05, 1.0)), max_size=30
)
HOME = st.dictionaries(st.integers(0, 7), st.floats(0.1, 5.0), min_size=1, max_size=4)


def ranked(config, question):
    with Memory(":memory:", embedder="hash", config=config) as memory:
        bank = memory.bank("a")
        ids = [bank.remember(text, at="2025-03-01").id for text in TEXTS]
        return [ids.index(hit.id) for hit in bank.recall(question, k=6)]


def test_a_walk_goes_on_to_what_only_a_hit_names():
    question = "Where was the director of Silent Harbour born?"
    without = ranked(Config(fusion=Fusion(spreading_share=0)), question)
    walked = ranked(WALKING, question)

    assert walked[0] == without[0] == 0, "the first hit stays"
    assert walked.index(1) <= without.index(1)
    assert walked.index(2) < without.index(2), "a name further on counts as well"


@given(HOME, TIES)
def test_visits_are_those_of_a_walker_with_a_chance_to_go_home(home, ties):
    found = _visits(home, ties)
    assert all(visits >= 0 for visits in found.values())
    assert sum(found.values()) <= 1 + 1e-9
    assert sum(found[row] for row in home) >= RESTART - 1e-9

    rng = np.random.default_rng(0)
    if not ties:
        total = sum(home.values())
        assert all(found[row] == pytest.approx(RESTART * home[row] / total) for row in home)
        return
    shuffled = [ties[place] for place in rng.permutation(len(ties))]
    again = _visits(home, shuffled)
    assert all(again[row] == pytest.approx(found[row]) for row in found), "in whatever order"


def test_a_walk_round_a_ring_of_names_leads_everywhere_before_it_ends():
    ring = [(row, name, 1.0) for row in range(4) for name in (f"n{row}", f"n{(row + 1) % 4}")]
    found = _visits({0: 1.0}, ring)

    assert found[1] == pytest.approx(found[3])
    assert found[0] > found[1] > found[2] > 0


def test_another_way_to_lead_on_is_refused():
    with pytest.raises(InputError, match="spreading"):
        Fusion(spreading="walk")
