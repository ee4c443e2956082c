"""What the three scores say of the same signals, and who is promoted, retained and pruned."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.calibrate.calibration import BUILT_IN
from hippocampus.core.appraise import FOUR_SIGNALS
from hippocampus.errors import InputError
from hippocampus.index.anchors import effective
from hippocampus.language.importance import lasting_importance
from hippocampus.sleep import importance
from hippocampus.sleep.importance import FORMS, Features, ranked, score, tiers

SHARE = st.floats(0, 1)
ROW = st.tuples(
    st.floats(0, 9000), st.integers(0, 9), SHARE, SHARE, SHARE,
    st.floats(0, 400), st.integers(0, 50), st.floats(0, 8.5),
)  # fmt: skip


def features(rows):
    return Features(*np.array(rows, float).reshape(-1, 8).T)


@given(st.lists(ROW, max_size=30), st.randoms(use_true_random=False))
def test_scores_within_their_range_do_not_depend_on_the_order_of_rows(rows, dice):
    shuffled = list(range(len(rows)))
    dice.shuffle(shuffled)
    for form in FORMS:
        low, high = (1, 10) if form == "iota" else (0, 1)
        made = score(features(rows), form)
        again = score(features([rows[place] for place in shuffled]), form)

        assert made.shape == (len(rows),)
        assert np.all((low - 1e-9 <= made) & (made <= high + 1e-9))
        assert np.allclose(made[shuffled], again)


@pytest.mark.parametrize(
    ("form", "signal", "better"),
    [
        ("five", "age_h", -1), ("five", "alike", -1), ("five", "surprise", 1),
        ("five", "saliency", 1), ("five", "outcome", 1), ("four", "length", 1),
        ("four", "surprise", 1), ("iota", "lasting", 1), ("iota", "age_h", -1),
    ],
)  # fmt: skip
def test_more_of_a_signal_is_worth_more_or_less_as_the_papers_say(form, signal, better):
    two = features([[100, 2, 0.5, 0.5, 0.5, 20, 3, 4.0]] * 2)
    two._asdict()[signal][1] += 0.4

    less, more = score(two, form)

    assert np.sign(more - less) == better


def test_five_factors_weigh_as_in_the_paper():
    brand_new_and_single = features([[0, 0, 0, 0, 0, 0, 0, 0]])
    all_of_it = features([[0, 0, 1, 1, 1, 0, 0, 0]])

    assert score(brand_new_and_single) == pytest.approx(0.5)
    assert score(all_of_it) == pytest.approx(1)
    half_life = np.log(2) / importance.DECAY_PER_HOUR / 24
    assert round(half_life) == 29
    assert score(features([[half_life * 24, 0, 0, 0, 0, 0, 0, 0]])) == pytest.approx(0.375)


def test_the_four_signals_weigh_as_the_default_embedder_was_calibrated():
    assert dict(FOUR_SIGNALS.weights) == dict(BUILT_IN.signals)


def test_another_embedders_weights_change_who_is_worth_more():
    long_and_usual, short_and_new = [0, 0, 0.1, 0, 0, 90, 0, 0], [0, 0, 0.9, 0, 0, 3, 0, 0]
    two = features([long_and_usual, short_and_new])

    assert np.argmax(score(two, "four")) == 0
    assert np.argmax(score(two, "four", weights={"length": 0.2, "surprise": 0.8})) == 1


def test_iota_is_what_anchors_rank_by():
    text = "We decided to move to Lisbon in March."
    lasting = lasting_importance(text, names=1, role="user")
    iota = score(features([[5.0, 0, 0, 0, 0, 0, 0, lasting]]), "iota")

    ones = np.ones(1, np.float32)
    assert np.float32(1 + 0.15 * np.log(iota)) == pytest.approx(
        effective(ones, ones * lasting, 5.0, 0.15)
    )


@pytest.mark.parametrize(
    ("given_", "complaint"),
    [
        ({"form": "six"}, "form='six': there are five, four, iota"),
        ({"weights": {"charm": 1.0}}, "for some of recency, frequency"),
        ({"weights": {"recency": -1.0, "outcome": 2.0}}, "numbers from 0 on"),
        ({"weights": {"recency": 0.0}}, "numbers from 0 on"),
        ({"weights": {}}, "numbers from 0 on"),
    ],
)
def test_scores_that_mean_nothing_are_refused(given_, complaint):
    with pytest.raises(InputError, match=complaint):
        score(features([[0] * 8]), **given_)


# ---------------------------------------------------------------- ranks


@given(st.lists(st.integers(0, 9), max_size=40))
def test_a_rank_is_the_share_of_the_others_that_are_below(values):
    made = ranked(np.array(values, float))

    for place, value in enumerate(values):
        others = values[:place] + values[place + 1 :]
        above = [(one < value) + (one == value) / 2 for one in others]
        assert made[place] == pytest.approx(np.mean(above) if above else 0.5)


@given(st.lists(st.integers(0, 5), max_size=60))
def test_the_best_fifth_is_promoted_with_the_worst_fifth_pruned(values):
    made = tiers(np.array(values, float))
    share = len(values) // 5

    assert share == (made == importance.PROMOTED).sum() == (made == importance.PRUNED).sum()
    for worse, better in ((0, 1), (1, 2), (0, 2)):
        low = [v for v, tier in zip(values, made, strict=True) if tier == worse]
        high = [v for v, tier in zip(values, made, strict=True) if tier == better]
        assert not low or not high or max(low) <= min(high)


def test_the_later_of_equals_ranks_above_the_earlier():
    assert [0, 1, 1, 1, 2] == tiers(np.zeros(5)).tolist()


@pytest.mark.parametrize(("promote", "prune"), [(-0.1, 0.2), (0.6, 0.6), (float("nan"), 0)])
def test_shares_that_cannot_be_are_refused(promote, prune):
    with pytest.raises(InputError, match="must be shares"):
        tiers(np.zeros(3), promote=promote, prune=prune)
