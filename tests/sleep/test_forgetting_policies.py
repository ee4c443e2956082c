"""The papers' rules of forgetting: laws that hold for any numbers, and figures by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.errors import InputError
from hippocampus.sleep import forgetting_policies
from hippocampus.sleep.forgetting_policies import (
    Retention,
    interfere,
    levels,
    prune,
)
from hippocampus.sleep.outcome import OutcomeHistory, OutcomeUses

ROWS = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 20), st.booleans()), max_size=30
)  # value, cost, pinned


def columns(rows):
    value, cost, pinned = np.array(rows, float).reshape(-1, 3).T
    return value + np.arange(len(rows)) * 1e-3, cost, pinned.astype(bool)  # no two alike


# ---------------------------------------------------------------- decay, interference, salience


def test_importance_halves_in_29_days_without_knowing_a_future():
    ages = np.array([0.0, np.log(2) * 1000, -5.0])

    assert forgetting_policies.decay(np.array([0.8, 0.8, 0.8]), ages) == pytest.approx(
        [0.8, 0.4, 0.8]
    )


def test_what_came_later_disturbs_more_than_what_came_earlier():
    nearest = np.array([[1, 2], [0, -1], [0, -1]])
    cosines = np.array([[0.9, 0.8], [0.9, 1.0], [0.8, 1.0]])
    made = interfere(nearest, cosines, np.array([1.0, 0.0, 2.0]))

    assert made == pytest.approx([0.4 * 0.9 + 0.6 * 0.8, 0.6 * 0.9, 0.4 * 0.8])
    assert interfere(nearest, cosines, np.arange(3.0), least=0.85) == pytest.approx(
        [0.6 * 0.9, 0.4 * 0.9, 0]
    )
    assert interfere(np.zeros((0, 2), np.int64), np.zeros((0, 2)), np.zeros(0)).shape == (0,)


def test_salience_is_hemas_with_the_bonus_for_what_was_recalled():
    made = forgetting_policies.salience(np.array([0.0, 0.0, 500.0]), np.array([False, True, False]))

    assert made == pytest.approx([1.0, 1.5, np.exp(-1)])


@given(ROWS, st.integers(0, 5000))
def test_the_least_salient_go_by_the_hundred_turns_unless_they_are_pinned(rows, turns):
    value, _, pinned = columns(rows * 20)
    gone = prune(value, pinned, turns=turns)

    assert not np.any(gone & pinned)
    assert gone.sum() <= (1 - 0.995 ** (turns // 100)) * len(value) + 1e-6
    kept = ~gone & ~pinned
    assert not (gone.any() and kept.any()) or value[gone].max() < value[kept].min()
    assert not np.any(gone & ~prune(value, pinned, turns=turns + 100))


def test_half_a_per_cent_goes_every_hundred_turns():
    value, free = np.arange(1000.0), np.zeros(1000, bool)

    assert [0, 0, 5, 9] == [prune(value, free, turns=n).sum() for n in (0, 99, 100, 200)]
    assert np.flatnonzero(prune(value, free, turns=100)).tolist() == [0, 1, 2, 3, 4]


# ---------------------------------------------------------------- levels

AGED = st.lists(
    st.tuples(st.floats(-10, 20000), st.floats(-0.5, 1.5), st.integers(0, 5), st.booleans()),
    max_size=20,
)


@given(AGED, st.floats(0, 5000))
def test_a_level_that_never_falls_rises_with_age_less_the_more_it_is_worth(rows, more):
    age, worth, level, pinned = np.array(rows, float).reshape(-1, 4).T
    level, pinned = level.astype(np.int64), pinned.astype(bool)
    made = levels(age, worth, level, pinned)

    assert np.all(made >= level)
    assert np.all(made <= 5)
    assert np.array_equal(made[pinned], level[pinned])
    assert np.all(levels(age + more, worth, level, pinned) >= made)
    assert np.all(levels(age, worth + 0.1, level, pinned) <= made)
    assert np.array_equal(made, levels(age, worth, made, pinned))  # again changes nothing


def test_what_is_worth_nothing_goes_down_a_level_each_time_its_age_doubles():
    days = np.array([29.0, 31, 61, 121, 241, 481])
    none = np.zeros(6, np.int64)

    assert [0, 1, 2, 3, 4, 5] == levels(days * 24, np.zeros(6), none, none > 0).tolist()
    assert [0] * 6 == levels(days * 24, np.ones(6), none, none > 0).tolist()
    assert [0, 1, 2, 3, 3, 3] == levels(
        days * 24, np.zeros(6), none, none > 0, deepest=3
    ).tolist()  # fmt: skip


# ---------------------------------------------------------------- by what came of it


@st.composite
def seasons(draw):
    n = draw(st.integers(0, 40))
    whole = st.integers(0, 3)
    every = st.lists(whole, min_size=n, max_size=n)
    group = np.array(draw(every), np.int64)
    pairs = draw(st.lists(st.tuples(st.integers(0, n - 1), whole), max_size=9)) if n else []
    by, to = np.array(pairs, np.int64).reshape(-1, 2).T
    elsewhere = group[by] != to
    uses = OutcomeUses(by[elsewhere], to[elsewhere], np.full(elsewhere.sum(), -1))
    history = OutcomeHistory(
        np.sort(np.array(draw(st.lists(st.floats(0, 3000), min_size=n, max_size=n)), float)),
        group, np.array(draw(every), np.int64), np.array(draw(every), np.int64),
        uses,
    )  # fmt: skip
    flags = st.lists(st.booleans(), min_size=n, max_size=n)
    return history, np.array(draw(flags), bool), np.array(draw(flags), bool)


@given(seasons(), st.integers(0, 30), st.booleans(), st.sampled_from([0.0, 0.015, 0.2]))
def test_a_single_night_meets_its_target_without_fading_a_pinned_one(
    season, target, settle, probation
):
    history, there, pinned = season
    cost = np.ones(len(there))
    keeper = Retention(target=target, probationary_share=probation)
    choose = {"pinned": pinned, "cost": cost, "now_h": 3001.0, "evict_probationary": settle}
    fades = keeper.choose(history, there, **choose).fades

    assert not np.any(fades & (pinned | ~there))
    left = there & ~fades
    assert left.sum() <= target or not np.any(left & ~pinned)
    assert not keeper.choose(history, left, **choose).fades.any()
    if not settle and there.sum() <= target:
        assert not fades.any()


def stream(n, used):
    """Return a history of single rows, of which every third was referred to."""
    rows = np.arange(n)
    hits = rows[::3][:used]
    uses = OutcomeUses(np.full(len(hits), n - 1), np.full(len(hits), -1), hits)
    return OutcomeHistory(rows * 1.0, rows, rows * 0, rows * 0, uses)


def test_all_but_a_small_share_of_what_stays_has_been_referred_to():
    history = stream(300, used=90)
    every, none = np.ones(300, bool), np.zeros(300, bool)
    keeper = Retention(target=50, probationary_share=0.1)
    chosen = keeper.choose(history, every, none, np.ones(300), now_h=300.0)
    kept = ~chosen.fades

    assert kept.sum() == 50
    assert (kept & (chosen.value > 1)).sum() == 45
    assert np.all(chosen.value[:270:3] > 1)


def test_where_there_is_room_those_on_probation_use_it_until_the_season_ends():
    history = stream(300, used=20)
    every, none = np.ones(300, bool), np.zeros(300, bool)
    keeper = Retention(target=100, probationary_share=0.2)
    open_, closed = (
        ~keeper.choose(
            history, every, none, np.ones(300), now_h=300.0, evict_probationary=end
        ).fades
        for end in (False, True)
    )

    assert 100 == open_.sum()
    assert 25 == closed.sum()  # the 20 and a fifth of the whole
    assert np.all(open_[closed])


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"target": -1}, "target=-1: must be a number from 0.0"),
        ({"target": float("nan")}, "target=nan"),
        (
            {"target": 1, "probationary_share": 1.0},
            "probationary_share=1.0: must be a number from 0.0 to below 1.0",
        ),
    ],
)
def test_settings_that_mean_nothing_are_refused(wrong, complaint):
    with pytest.raises(InputError, match=complaint):
        Retention(**wrong)
