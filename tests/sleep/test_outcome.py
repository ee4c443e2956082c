"""Who was referred to, against counting one by one, and whether what is likely is foreseen."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.calibrate.thresholds import area_under_roc
from hippocampus.sleep.outcome import (
    SIGNALS,
    OutcomeHistory,
    OutcomeUses,
    activation,
    features,
    find_uses,
    foresee,
    times_used,
)


@st.composite
def references(draw):
    n = draw(st.integers(1, 30))
    group = np.array(draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)), np.int64)
    row = st.integers(0, n - 1)
    uses = [(by, to, -1) for by, to in draw(st.lists(st.tuples(row, st.integers(0, 4))))]
    uses += [(by, -1, to) for by, to in draw(st.lists(st.tuples(row, row)))]
    return group, OutcomeUses(*np.array(uses, np.int64).reshape(-1, 3).T)


@given(references())
def test_references_are_counted_as_one_by_one(given_):
    group, uses = given_
    count, last = times_used(group, uses)

    for row in range(len(group)):
        later = [
            int(by)
            for by, to_group, to_row in zip(*uses, strict=True)
            if by > row and (to_group == group[row] or to_row == row)
        ]
        assert (len(later), max(later, default=-1)) == (count[row], last[row])


@given(references(), st.integers(0, 30))
def test_the_past_is_the_same_whatever_comes_later(given_, stop):
    group, uses = given_
    stop = min(stop, len(group))
    history = OutcomeHistory(np.arange(len(group)) * 1.0, group, group, group, uses)
    known = OutcomeHistory(
        history.at_h[:stop], group[:stop], group[:stop], group[:stop],
        OutcomeUses(*(part[uses.by < stop] for part in uses)),
    )  # fmt: skip
    past = history.before(stop)

    assert np.array_equal(features(past, 99.0), features(known, 99.0))
    assert np.array_equal(foresee(past, 99.0), foresee(known, 99.0))
    assert np.all(np.isfinite(features(past, 99.0)))
    assert np.all((foresee(past, 99.0) > 0) & (foresee(past, 99.0) < 1))


def test_names_of_groups_and_rows_are_uses_except_for_ones_own_group():
    group = np.array([0, 1, 0, 1])
    said = [(1, "a"), (2, "a"), (3, "x"), (3, "a"), (3, "nobody"), (2, "b")]
    uses = find_uses(said, group, {"a": 0, "b": 1}, {"x": 0, "b": 3})

    assert [(1, 0, -1), (3, -1, 0), (3, 0, -1), (2, 1, -1)] == list(
        zip(*(part.tolist() for part in uses), strict=True)
    )
    assert 0 == len(find_uses([], group, {}, {}).by)


def week_after_week(kind_matters, weeks=8, a_week=400, seed=0):
    """Return a history in which rows of kind 1 are referred to within days, others hardly."""
    dice = np.random.default_rng(seed)
    n = weeks * a_week
    at = np.sort(dice.uniform(0, weeks * 168.0, n))
    kind = dice.integers(0, 4, n)
    likely = np.where(kind == 1, 0.9, 0.05) if kind_matters else np.full(n, 0.3)
    found = np.flatnonzero(dice.random(n) < likely)
    by = np.searchsorted(at, at[found] + dice.exponential(100.0, len(found)))
    there = by < n
    rows = np.arange(n)
    uses = OutcomeUses(by[there], np.full(there.sum(), -1), found[there])
    return OutcomeHistory(at, rows, rows * 0, kind, uses)


def test_what_told_before_who_would_be_referred_to_is_learnt():
    history = week_after_week(kind_matters=True)
    stop = 2400
    past = history.before(stop)
    chance = foresee(past, float(history.at_h[stop - 1]))
    later = times_used(history.group, history.uses)[1][:stop] >= stop
    fresh = np.arange(stop) >= stop - 400

    assert area_under_roc(chance[fresh & later], chance[fresh & ~later]) > 0.75
    assert area_under_roc(chance[later], chance[~later]) > 0.85


def test_where_nothing_tells_the_newer_are_likelier():
    history = week_after_week(kind_matters=False)
    chance = foresee(history, float(history.at_h[-1]))

    assert chance[-400:].mean() > 2 * chance[:400].mean()


def test_until_there_is_enough_to_learn_from_the_newer_are_likelier():
    rows = np.arange(10)
    alone = OutcomeHistory(rows * 10.0, rows, rows, rows, find_uses([], rows, {}, {}))

    assert np.all(np.diff(foresee(alone, 100.0)) > 0)
    assert foresee(alone.before(0), 0.0).shape == (0,)


def test_what_is_come_back_to_often_and_lately_is_the_most_present():
    at = np.array([0.0, 0, 0, 10, 50, 60, 90, 90])
    group = np.array([0, 1, 2, 0, 0, 1, 1, 2])
    no_uses = find_uses([], group, {}, {})
    present = activation(OutcomeHistory(at, group, group, group, no_uses), 100.0)
    often, seldom, early = present[1], present[2], present[0]

    assert often > early
    assert often > seldom


@given(references(), st.integers(1, 60))
def test_a_use_makes_its_group_more_present_without_making_others_less_so(given_, age_h):
    group, uses = given_
    history = OutcomeHistory(np.arange(len(group)) * 1.0, group, group, group, uses)
    if not len(group):
        return
    now_h = len(group) + float(age_h)
    more = OutcomeUses(
        np.append(uses.by, len(group)), np.append(uses.group, group[0]), np.append(uses.row, -1)
    )
    before = activation(history, now_h)
    after = activation(history._replace(uses=more), now_h)

    assert np.all(after >= before)
    assert np.all(after[group == group[0]] > before[group == group[0]])


@pytest.mark.parametrize("pace", [1.0, 1 / 50])
def test_a_bank_of_days_learns_as_one_of_months_does(pace):
    history = week_after_week(kind_matters=True)
    history = history._replace(at_h=history.at_h * pace)
    stop = 2400
    chance = foresee(history.before(stop), float(history.at_h[stop - 1]))
    later = times_used(history.group, history.uses)[1][:stop] >= stop

    assert area_under_roc(chance[later], chance[~later]) > 0.8


def test_what_is_linked_to_something_present_has_more_around_it_than_what_is_not():
    #  Of three old groups one refers to a group that goes on, one to one that does not.
    group = np.array([0, 1, 2, 3, 4, 3, 3])
    at = np.array([0.0, 0, 0, 0, 0, 90, 99])
    said = [(0, "goes on"), (1, "over")]
    uses = find_uses(said, group, {"goes on": 3, "over": 4}, {})
    row = features(OutcomeHistory(at, group, group * 0, group * 0, uses), 100.0)
    around = row[:, SIGNALS.index("activation around") - 1]
    linked = row[:, SIGNALS.index("linked") - 1]

    assert around[0] > around[1] > around[2]
    assert linked[:3].tolist() == [1, 1, 0]
