"""Measures against values worked out by hand and against the plainest code."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.calibrate.thresholds import area_under_roc
from hippocampus_bench import metrics

ids = st.sampled_from("abcdefghij")
rankings = st.lists(ids, unique=True, max_size=10)
golds = st.frozensets(ids, min_size=1, max_size=6)
depths = st.integers(1, 12)


def test_a_ranking_worked_out_by_hand():
    ranking, gold = list("xaybz"), frozenset("abc")

    assert metrics.recall_at(ranking, gold, 2) == pytest.approx(1 / 3)
    assert metrics.recall_at(ranking, gold, 5) == pytest.approx(2 / 3)
    assert metrics.any_at(ranking, gold, 1) == 0
    assert metrics.any_at(ranking, gold, 2) == 1
    assert metrics.all_at(ranking, gold, 5) == 0
    assert metrics.reciprocal_rank(ranking, gold) == 0.5
    ideal = 1 / math.log2(2) + 1 / math.log2(3) + 1 / math.log2(4)
    assert metrics.ndcg_at(ranking, gold, 5) == pytest.approx(
        (1 / math.log2(3) + 1 / math.log2(5)) / ideal
    )
    # rel_2 / log2(2) + rel_4 / log2(4) over 1 + 1 / log2(2) + 1 / log2(3)
    assert metrics.ndcg_official_at(ranking, gold, 5) == pytest.approx(
        (1 + 1 / 2) / (1 + 1 + 1 / math.log2(3))
    )


@given(rankings, golds, depths)
def test_recall_any_and_all_agree_with_counting(ranking, gold, k):
    found = [ref for ref in ranking[:k] if ref in gold]

    assert metrics.recall_at(ranking, gold, k) == len(found) / len(gold)
    assert metrics.any_at(ranking, gold, k) == (len(found) > 0)
    assert metrics.all_at(ranking, gold, k) == (len(found) == len(gold))


def official_dcg(relevances):
    """The evaluator published with LongMemEval, for NumPy 2."""
    relevances = np.asarray(relevances, dtype=float)
    if not relevances.size:
        return 0.0
    return relevances[0] + np.sum(relevances[1:] / np.log2(np.arange(2, relevances.size + 1)))


@given(rankings, golds, depths)
def test_official_ndcg_agrees_with_the_published_evaluator(ranking, gold, k):
    corpus = [*ranking, *sorted(gold - set(ranking))]
    ideal = official_dcg(sorted((ref in gold for ref in corpus), reverse=True)[:k])
    actual = official_dcg([ref in gold for ref in ranking[:k]])

    assert metrics.ndcg_official_at(ranking, gold, k) == pytest.approx(actual / ideal)


@given(rankings, golds, depths)
def test_ndcg_is_one_exactly_when_gold_leads(ranking, gold, k):
    best = [*sorted(gold), *(ref for ref in ranking if ref not in gold)]

    assert metrics.ndcg_at(best, gold, k) == pytest.approx(1)
    assert 0 <= metrics.ndcg_at(ranking, gold, k) <= 1 + 1e-12
    assert metrics.ndcg_at(ranking, gold, k) <= metrics.ndcg_at(best, gold, k) + 1e-12


@given(rankings, golds, st.integers(1, 11))
def test_a_deeper_look_never_recalls_less(ranking, gold, k):
    for measure in (metrics.recall_at, metrics.any_at, metrics.all_at):
        assert measure(ranking, gold, k) <= measure(ranking, gold, k + 1)


def test_means_are_taken_over_the_questions_that_have_the_measure():
    rows = [("a", {"x": 1.0}), ("a", {"x": 0.0, "y": 1.0}), ("b", {"x": 0.5})]

    summary = metrics.summarise(rows, resamples=50)

    assert summary["x"].value == 0.5
    assert summary["x"].n == 3
    assert summary["x/kind=a"].value == 0.5
    assert summary["x/kind=b"].n == 1
    assert (summary["y"].value, summary["y"].n) == (1.0, 1)
    assert "y/kind=b" not in summary


def test_the_interval_agrees_with_drawing_one_question_at_a_time():
    values = np.random.default_rng(3).random(60)
    rows = [("a", {"x": float(value)}) for value in values]
    rng = np.random.default_rng(4)
    means = [rng.choice(values, len(values)).mean() for _ in range(4000)]
    low, high = np.percentile(means, [2.5, 97.5])

    estimate = metrics.summarise(rows, seed=1, resamples=4000)["x"]

    assert estimate.value == pytest.approx(values.mean())
    assert estimate.low == pytest.approx(low, abs=0.006)
    assert estimate.high == pytest.approx(high, abs=0.006)


def test_the_bootstrap_is_the_same_for_the_same_seed():
    rows = [("a", {"x": i**0.5}) for i in range(40)]

    assert metrics.summarise(rows, seed=5) == metrics.summarise(rows, seed=5)
    assert metrics.summarise(rows, seed=5) != metrics.summarise(rows, seed=6)


def test_a_single_question_has_an_interval_without_width():
    estimate = metrics.summarise([("a", {"x": 0.25})])["x"]

    assert estimate == metrics.Estimate(0.25, 0.25, 0.25, 1)


@given(
    st.lists(st.integers(0, 5), min_size=1, max_size=8),
    st.lists(st.integers(0, 5), min_size=1, max_size=8),
)
def test_the_area_under_the_curve_counts_won_pairs(positive, negative):
    won = sum((p > n) + (p == n) / 2 for p in positive for n in negative)
    expected = won / (len(positive) * len(negative))

    assert area_under_roc(np.array(positive), np.array(negative)) == pytest.approx(expected)
    estimate = metrics.separation(positive, negative, resamples=100)
    assert estimate.value == pytest.approx(expected)
    assert 0 <= estimate.low <= estimate.high <= 1


def test_percentiles_are_in_milliseconds():
    assert metrics.percentiles_ms([0.001] * 99 + [0.101])["p50"] == 1.0
    assert metrics.percentiles_ms([]) == {}
