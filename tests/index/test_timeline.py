"""Rows in order of time: as sorting has it after any inserts and removals, in every version."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hippocampus.index import timeline
from hippocampus.index.timeline import GroupedTimeline, Timeline

MOMENTS = st.integers(-20, 20)
SIDE = st.none() | st.integers(-25, 25)
BATCHES = st.lists(st.lists(MOMENTS, max_size=6), max_size=8)


def oracle(moments, gone=(), start=None, end=None):
    """The rows of a range, by sorting all of them."""
    return [
        row
        for moment, row in sorted((moment, row) for row, moment in enumerate(moments))
        if row not in gone and (start is None or moment >= start) and (end is None or moment < end)
    ]


@given(BATCHES, st.lists(st.integers(0, 47), max_size=4), SIDE, SIDE)
def test_a_timeline_is_what_sorting_all_of_it_gives(batches, gone, start, end):
    line, moments, versions = Timeline(), [], []
    for batch in batches:
        versions.append((line, oracle(moments)))
        line = line.fork()
        rows = np.arange(len(moments), len(moments) + len(batch))
        line.insert(rows, np.array(batch, np.int64))
        moments += batch
    whole = line
    line = line.fork()
    line = line.without(np.isin(np.arange(len(moments)), gone))

    assert line.rows.tolist() == oracle(moments, gone)
    assert line.between(start, end).tolist() == oracle(moments, gone, start, end)
    assert whole.rows.tolist() == oracle(moments)
    assert all(one.rows.tolist() == then for one, then in versions)


@given(st.lists(st.tuples(MOMENTS, st.integers(-1, 4)), max_size=40), st.data())
def test_the_timeline_of_a_label_is_what_sorting_its_rows_gives(told, data):
    moments = np.array([moment for moment, _ in told], np.int64)
    codes = np.array([code for _, code in told], np.int32)
    first = data.draw(st.integers(0, len(told)))
    start, end = data.draw(SIDE), data.draw(SIDE)
    line = GroupedTimeline()
    line.between(0, codes[:first], moments[:first])
    lost = data.draw(st.lists(st.integers(0, max(0, len(told) - 1)), max_size=3))
    if told:
        codes[lost] = -1

    for code in range(6):
        expected = [row for row in oracle(moments.tolist(), (), start, end) if codes[row] == code]
        assert line.between(code, codes, moments, start, end).tolist() == expected


@pytest.fixture
def no_tail(monkeypatch):
    """Make a run of whatever came, however little that is."""
    monkeypatch.setattr(timeline, "TAIL", 0)


@pytest.mark.usefixtures("no_tail")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(MOMENTS, st.integers(-1, 4)), min_size=1, max_size=60), st.data())
def test_however_often_it_is_asked_as_rows_come_its_order_is_the_same(told, data):
    moments = np.array([moment for moment, _ in told], np.int64)
    codes = np.array([code for _, code in told], np.int32)
    lengths = sorted(data.draw(st.lists(st.integers(0, len(told)), max_size=12)))
    line = GroupedTimeline()
    for length in [*lengths, len(told)]:
        line = line.fork()
        for code in range(-1, 6) if length else ():
            own = [row for row in oracle(moments[:length].tolist()) if codes[row] == code]
            if code >= 0:
                assert own == line.between(code, codes[:length], moments[:length]).tolist()


def test_rows_that_come_a_few_at_a_time_make_few_runs_seldom_merged(monkeypatch):
    made = []
    plain = timeline.run_of

    def counted(first, codes, moments):
        made.append(len(codes) - first)
        return plain(first, codes, moments)

    monkeypatch.setattr(timeline, "run_of", counted)
    rng = np.random.default_rng(0)
    count, step = 300_000, 500
    codes = rng.integers(-1, 50, count).astype(np.int32)
    moments = rng.integers(0, 1000, count)
    line = GroupedTimeline()
    for length in range(step, count + 1, step):
        rows = line.between(7, codes[:length], moments[:length])

    own = np.flatnonzero(codes == 7)
    assert own[np.argsort(moments[own], kind="stable")].tolist() == rows.tolist()
    assert sum(made) <= count * np.log2(count / min(made))
    assert 1 <= line.runs <= np.log2(count / min(made))
