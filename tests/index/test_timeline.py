"""Rows in order of time: as sorting has it after any inserts and removals, in every version."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

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


def test_rows_of_a_label_are_grouped_once_for_many_more():
    rng = np.random.default_rng(0)
    codes = rng.integers(-1, 50, 20_000).astype(np.int32)
    moments = rng.integers(0, 1000, 20_000)
    line = GroupedTimeline()
    for length in (5_000, 5_600, 20_000):
        rows = line.between(7, codes[:length], moments[:length])
        own = np.flatnonzero(codes[:length] == 7)
        assert rows.tolist() == own[np.argsort(moments[own], kind="stable")].tolist()
