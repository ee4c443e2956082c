"""Signals of several banks are on one scale: as if all candidates were of one bank."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus import Memory, Turn
from hippocampus.bank.searches import bind_to, encode, gather_from
from hippocampus.recall.parse import parse
from hippocampus.recall.search import on_one_scale, rank
from hippocampus.recall.standardize import Scale, standardised

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
THINGS = ("boat", "garden", "piano", "cellar", "deploy")
NUMBERS = st.lists(st.floats(-1e3, 1e3, width=32), max_size=20)


@given(st.lists(NUMBERS, min_size=1, max_size=4))
def test_the_scale_of_parts_is_that_of_all_of_it(parts):
    arrays = [np.array(part, np.float32) for part in parts]
    whole, over = Scale.of(np.concatenate(arrays)), Scale.over(map(Scale.of, arrays))

    assert whole.number == over.number
    assert whole.mean == pytest.approx(over.mean, abs=1e-6)
    assert whole.deviation == pytest.approx(over.deviation, abs=1e-3)


@given(NUMBERS)
def test_on_their_own_scale_values_are_standardised(numbers):
    values = np.array(numbers, np.float32)

    own = Scale.of(values).standardise(values, least=1e-2)

    assert np.allclose(standardised(values, least=1e-2), own, atol=1e-2)


@pytest.fixture(scope="module")
def state():
    with Memory(":memory:", embedder="hash") as memory:
        bank = memory.bank("ada")
        bank.remember_many(
            Turn(text=f"Ada spoke of the {THINGS[n % 5]} {n} times.", speaker="Ada",
                 at=NOON + n * timedelta(minutes=1), session=f"s{n // 6}")
            for n in range(40)
        )  # fmt: skip
        yield bank.state


@pytest.mark.parametrize(
    "question", ["Who spoke 35 times of the boat?", "the garden 7 times", "tea"]
)
def test_parts_of_a_bank_are_measured_together_as_the_whole_is(state, question):
    with state.asking() as here:
        query = parse(question, now=NOON, cues=frozenset(state.engine.check_cues(None)))
        query = bind_to(here, query, encode(state, query, here.embedder, here.signatures))
        whole = gather_from(here, query, None)
        masks = [np.arange(40) // 6 % 3 == part for part in range(3)]  # whole conversations
        parts = on_one_scale([gather_from(here, query, mask) for mask in masks])

        for name, column in whole.candidates.features.items():
            for part, mask in zip(parts, masks, strict=True):
                together = part.candidates.features[name]
                assert np.allclose(column[mask], together, atol=1e-4), name
        best = max(parts, key=lambda part: rank(part, 1).scores[0])
        assert rank(whole, 1).rows[0] == rank(best, 1).rows[0]
        assert rank(whole, 1).scores[0] == pytest.approx(rank(best, 1).scores[0], abs=0.1)


def test_a_bank_alone_is_on_its_own_scale(state):
    with state.asking() as here:
        query = parse("the boat", now=NOON, cues=frozenset(state.engine.check_cues(None)))
        query = bind_to(here, query, encode(state, query, here.embedder, here.signatures))
        gathered = gather_from(here, query, None)
        (scaled,) = on_one_scale([gathered])

        assert rank(gathered, 40).rows.tolist() == rank(scaled, 40).rows.tolist()
