"""What is active, and what it activates, is as adding everything up would have it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from test_concept import Seen, anchors_of, said, unit

from hippocampus.core.config import Concepts
from hippocampus.core.records import Payloads
from hippocampus.index.concept import Activation, ConceptCue

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
    often = np.array([len(rows) for rows in named])
    lately = np.array([worth[rows].sum() for rows in named]) / np.sqrt(often + 5)
    active = cue.active(now)
    if not lately.sum() > 0:
        assert not active
        return
    share = lately / lately.sum()
    expected = share * np.log(share / (often / often.sum() + 1e-4), where=share > 0, out=share * 0)
    expected = expected.clip(0) if (expected > 0).any() else share
    assert len(active) == min(how.active, np.count_nonzero(expected > 0))
    best = np.sort(expected)[::-1][: len(active)]
    np.testing.assert_allclose(expected[list(active)], best, rtol=1e-6, atol=1e-300)
    np.testing.assert_allclose(list(active.values()), best / best.sum(), rtol=1e-6, atol=1e-300)


@given(st.integers(0, 50), st.integers(1, 30), st.integers(1, COUNT), st.booleans())
def test_who_is_named_counts_more_than_the_rest_of_its_session(seed, count, most, some):
    random = np.random.default_rng(seed)
    sessions = random.integers(-1, 6, COUNT).astype(np.int32)
    rows = random.integers(0, COUNT, count).astype(np.uint32)
    things = random.integers(0, 4, count)
    worth = random.random(4).astype(np.float32)
    pairs = sorted(set(zip(rows.tolist(), things.tolist(), strict=True)))
    rows, things = (np.array(part) for part in zip(*pairs, strict=True))
    named, named_in = random.integers(1, 5, COUNT), random.integers(1, 9, 6)
    own, lent = np.zeros(COUNT), np.zeros(6)
    for row, thing in pairs:
        own[row] += worth[thing]
    for session in range(6):
        there = {thing for row, thing in pairs if sessions[row] == session}
        lent[session] = sum(worth[thing] for thing in there) / np.sqrt(named_in[session])
    own /= np.sqrt(named)
    beside = np.array([lent[session] if session >= 0 else 0.0 for session in sessions])
    expected = own / own.max() + 0.7 * beside / (lent.max() or 1.0)
    expected /= expected[rows].max()
    found = Activation(
        rows.astype(np.uint32), things, worth.astype(np.float64),
        lambda r: named[r].astype(np.float32), sessions,
        lambda codes: named_in[codes].astype(np.float32), 0.7,
    )  # fmt: skip
    every = np.arange(COUNT, dtype=np.uint32)
    allowed = random.random(COUNT) < 0.7 if some else None
    best = found.best(most, allowed)
    there = every if allowed is None else np.flatnonzero(allowed)

    np.testing.assert_allclose(found.of(every), expected, rtol=1e-5, atol=1e-6)
    assert set(best.tolist()) <= set(there.tolist())
    kept = np.sort(expected[there][expected[there] > 0])[::-1][:most]
    np.testing.assert_allclose(np.sort(expected[best])[::-1], kept, rtol=1e-5)
