"""What is active, and what it activates, is as adding everything up would have it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from test_concept import Seen, anchors_of, ask, said, unit

from hippocampus.config import Concepts
from hippocampus.index.concept import Activation, ConceptCue
from hippocampus.model import Payloads

START = datetime(2025, 1, 1, tzinfo=UTC)
COUNT = 40


def micros(moment):
    return int(moment.timestamp() * 1e6)


@given(
    st.integers(0, 50), st.integers(1, 6), st.integers(0, COUNT), st.integers(-2, 60),
    st.sampled_from([0.5, 24.0, 336.0, 1e6]),
)  # fmt: skip
def test_what_is_active_at_any_time_is_what_was_named_most_and_latest(
    seed, many, built, days, fades
):
    random = np.random.default_rng(seed)
    times = np.array(
        [micros(START + timedelta(hours=int(h))) for h in random.integers(0, 1200, COUNT)]
    )
    names = [f"anchor {n}" for n in range(many)]
    named = [np.flatnonzero(random.random(COUNT) < 0.4) for _ in names]
    mentions = [rows[rows < built] for rows in named]
    mentions = [rows[np.argsort(times[rows], kind="stable")] for rows in mentions]
    anchors = replace(
        anchors_of(names, unit(random, many), built=built),
        mentions=np.concatenate(mentions).astype(np.int32),
        mention_ends=np.cumsum([0, *map(len, mentions)]),
    )
    how = Concepts(active_hours=fades, active=2)
    cue = ConceptCue(
        anchors, how, Seen(unit(random, COUNT)), lambda rows: times[rows.astype(np.intp)],
        lambda: np.full(COUNT, -1, np.int32),
    )  # fmt: skip
    rest = range(built, COUNT)
    cue.observe(
        Payloads.of(
            [said(*(n for n, r in zip(names, named, strict=True) if row in r)) for row in rest]
        )
    )
    now = START + timedelta(days=days, hours=0.5)
    ages = (micros(now) - times) / 3.6e9
    worth = np.where(ages >= 0, np.exp(-ages.clip(0) / fades), 0.0)
    expected = np.array([worth[rows].sum() for rows in named])

    active = cue.active(ask(now=now))
    assert len(active) == min(how.active, np.count_nonzero(expected))
    np.testing.assert_allclose(
        expected[active], np.sort(expected)[::-1][: len(active)], rtol=1e-6, atol=1e-300
    )


@given(st.integers(0, 50), st.integers(1, 30), st.floats(0, 1))
def test_who_is_named_counts_and_the_rest_of_its_session_less(seed, count, least):
    random = np.random.default_rng(seed)
    sessions = random.integers(-1, 6, COUNT).astype(np.int32)
    rows = random.integers(0, COUNT, count).astype(np.uint32)
    values = random.random(count).astype(np.float32)
    own = np.zeros(COUNT, np.float32)
    np.maximum.at(own, rows, values)
    expected = own.copy()
    for row in np.flatnonzero(sessions >= 0):
        beside = own[sessions == sessions[row]].max() * np.float32(0.7)
        expected[row] = max(expected[row], beside)
    found = Activation(rows, values, lambda: sessions, 0.7)
    every = np.arange(COUNT, dtype=np.uint32)

    assert found.of(every).tolist() == expected.tolist()
    assert found.above(least).tolist() == (expected >= np.float32(least)).tolist()
