"""Traces mature, and lend to their sources what the question says that they mean."""

import json
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus import Maturation
from hippocampus.core.clock import MICROS_PER_HOUR
from hippocampus.errors import InputError
from hippocampus.index.gists import Priming, Trace, Traces, activation, pack, unpack

WEEK = 7 * 24 * MICROS_PER_HOUR
MADE = 1_740_000_000_000_000
HOW = Maturation()


def trace(*rows, made_at=MADE, **more):
    return Trace(rows, f"of {rows}", made_at, **more)


def at(weeks, **more):
    (found,) = activation([trace(1, 2, 3, **more)], round(MADE + weeks * WEEK), HOW)
    return found


def test_a_trace_is_silent_for_a_week_and_mature_after_two():
    assert 0.029 < at(0) < 0.03
    assert at(1) == 0.5 == HOW.silent
    assert 0.97 < at(2) < 0.98


@given(st.floats(-1e9, 1e9), st.floats(0, 1e9), st.integers(0, 100_000))
def test_activation_is_a_share_that_grows_with_time_and_with_recalls(weeks, more, days):
    now = at(weeks, days=days)

    assert 0 <= at(min(weeks, 0)) <= now <= at(weeks + more, days=days) <= 1
    assert now <= at(weeks, days=days + 1)


def test_what_is_recalled_every_day_matures_twice_as_fast():
    assert at(0.5, days=3.5) == at(1)
    assert at(-3) == at(0)


MADE_OF = Traces(
    traces=(trace(1, 4, 9), trace(2, 3, 5, made_at=MADE - round(4 * WEEK))),
    vectors=np.eye(2, 4, dtype=np.float32),
    length=10,
)
ALL = np.ones(10, np.bool_)
ROWS = np.arange(10, dtype=np.uint32)


def lent(vector, shown=ALL, least=0.4, how=HOW):
    vector = np.array(vector, np.float32) / np.linalg.norm(vector)
    return (
        Priming(MADE_OF, how, least).lent(vector, ROWS, shown, MADE).astype(float).round(2).tolist()
    )


def test_a_mature_trace_lends_its_sources_more_than_a_silent_one():
    assert [0, 0.32, 0, 0, 0.32, 0, 0, 0, 0, 0.32] == lent([1, 0, 0, 0])
    assert [0, 0, 1, 1, 0, 1, 0, 0, 0, 0] == lent([0, 1, 0, 0])
    assert not any(lent([0, 0, 1, 0])), "it means neither"
    assert not any(lent([1, 0, 3, 0])), "it is not near enough"
    assert 0.029 == pytest.approx(max(lent([1, 0, 0, 0], how=Maturation(implicit=0))), abs=0.01)


@pytest.mark.parametrize("hidden", [2, 3, 5])
def test_a_trace_of_which_a_source_is_hidden_lends_nothing_to_the_others(hidden):
    shown = ALL.copy()
    shown[hidden] = False

    assert not any(lent([0, 1, 0, 0], shown))
    assert any(lent([1, 0, 0, 0], shown))


def test_vectors_of_another_length_and_a_bank_without_gists_lend_nothing():
    none = Traces(traces=(), vectors=np.zeros((0, 4), np.float32), length=3)

    assert not any(lent([1, 0, 0, 0, 0]))
    assert not Priming(none, HOW, 0.4).lent(np.ones(4, np.float32), ROWS, ALL, MADE).any()
    assert not len(activation((), MADE, HOW))


def test_what_was_packed_is_read_again():
    read = unpack(pack(MADE_OF))

    assert (MADE_OF.traces, MADE_OF.length) == (read.traces, read.length)
    assert np.array_equal(MADE_OF.vectors, read.vectors)


def spoilt(**changes):
    document = json.loads(zlib.decompress(pack(MADE_OF)))
    return zlib.compress(json.dumps(document | changes).encode())


@pytest.mark.parametrize(
    "payload",
    [
        b"", b"hello", pack(MADE_OF)[:-9], zlib.compress(b"[]"), spoilt(format=2),
        spoilt(dimension=3), spoilt(length=9), spoilt(vectors="?"), spoilt(traces=[[1]]),
        spoilt(traces=[[[1, 2], "a", 0, 0, 0], [[2, 3], "b", 0, 0, 0]]), spoilt(length=-1),
        spoilt(traces=[[[1, 2], "a", 10**30, 0, False], [[3], "b", 0, 0, False]]),
    ],
)  # fmt: skip
def test_what_cannot_be_gists_is_refused(payload):
    with pytest.raises(InputError, match="sleep makes them anew"):
        unpack(payload)


@pytest.mark.parametrize(
    "wrong",
    [{"half_hours": -1}, {"slope_hours": 0}, {"recalled_hours": float("nan")}, {"silent": 1.1},
     {"implicit": "much"}, {"implicit": True}],
)  # fmt: skip
def test_a_maturation_that_cannot_be_is_refused(wrong):
    with pytest.raises(InputError, match=f"Maturation.{next(iter(wrong))}"):
        Maturation(**wrong)
