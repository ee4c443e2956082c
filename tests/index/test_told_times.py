"""The time cue against a plain list of intervals."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.core.records import Interval, Payloads
from hippocampus.index.query import Query
from hippocampus.index.told_times import TimeCue, pack_times, times_fit

EPOCH = datetime(2024, 1, 1, tzinfo=UTC)
TEXT = "once upon a time"

hours = st.integers(-2000, 2000)
ends = st.one_of(
    st.tuples(hours, st.integers(1, 500)).map(lambda pair: (pair[0], pair[0] + pair[1])),
    hours.map(lambda start: (start, None)),
    hours.map(lambda end: (None, end)),
)
places = st.integers(0, len(TEXT) - 4)
rows = st.lists(st.lists(st.tuples(ends, places), max_size=4), max_size=12)


def moment(hour):
    return None if hour is None else EPOCH + timedelta(hours=hour)


def interval(pair, text=""):
    vague = None not in pair and pair[0] % 2 == 1
    return Interval(moment(pair[0]), moment(pair[1]), text, vague)


def cue_of(told, *, batch=3):
    cue = TimeCue()
    packed = [
        pack_times([(interval(pair, TEXT[at : at + 4]), at) for pair, at in row]) for row in told
    ]
    for start in range(0, len(packed), batch):
        cue.observe(Payloads.of(packed[start : start + batch]))
    return cue, packed


def asking(*pairs):
    none = np.zeros(0)
    return Query(
        text="", now=EPOCH, terms=none.astype(np.uint32), term_weights=none.astype(np.float32),
        intervals=tuple(map(interval, pairs)),
    )  # fmt: skip


@given(rows)
def test_what_a_text_tells_comes_back_as_it_was_read(told):
    cue, packed = cue_of(told)

    assert len(told) == len(cue)
    assert [bool(row) for row in told] == cue.tells().tolist()
    for row, times in enumerate(told):
        wanted = tuple(interval(pair, TEXT[at : at + 4]) for pair, at in times)
        assert wanted == cue.of(row, TEXT, UTC)
        assert times_fit(packed[row], TEXT)


@given(rows, st.lists(ends, min_size=1, max_size=3))
def test_a_told_time_counts_by_the_root_of_its_share_in_the_time_asked_for(told, asked):
    cue, _ = cue_of(told)

    def share(pair, time):
        (start, end), (first, last) = ((-1e9 if p[0] is None else p[0], p[1]) for p in (pair, time))
        end, last = (1e9 if e is None else e for e in (end, last))
        return (max(0.0, min(end, last) - max(start, first)) / (end - start)) ** 0.5

    wanted = [
        max((share(pair, time) for pair, _ in row for time in asked), default=0.0) for row in told
    ]
    closed = np.array([all(None not in pair for pair, _ in row) for row in told], bool)
    scores = cue.scores(asking(*asked))

    assert scores[closed].tolist() == pytest.approx(
        [one for one, whole in zip(wanted, closed, strict=True) if whole], abs=1e-4
    )
    assert ((scores >= 0) & (scores <= 1)).all()


def test_without_a_time_in_the_question_the_cue_says_nothing():
    assert cue_of([[((0, 1), 0)]])[0].scores(asking()) is None


@pytest.mark.parametrize("payload", [b"12", b"\1" * 23, bytes(22), b"\xff" * 22])
def test_bytes_that_are_no_times_of_a_text_do_not_fit_it(payload):
    assert not times_fit(payload, TEXT)


@pytest.mark.parametrize(
    ("first", "last", "worth"),
    [(24, 48, 0), (0, 24, 0.6), (7 * 24, 8 * 24, 0.6), (7 * 24 + 12, 8 * 24, 0.6), (0, 7 * 24, 0.6),
     (21 * 24, 22 * 24, 0), (-24, 0, 0), (0, 365 * 24, 0)],
)  # fmt: skip
def test_what_comes_every_week_is_of_each_of_its_days_until_its_ending(first, last, worth):
    words = TEXT[:4]
    week = [
        Interval(moment(0), moment(24), words),
        Interval(moment(7 * 24), None, words, vague=True),
        Interval(None, moment(20 * 24), words),
    ]
    cue = TimeCue()
    cue.observe(Payloads.of([pack_times([(time, 0) for time in week])]))
    asked = replace(asking((first, last)), now=EPOCH - timedelta(days=2))

    assert worth == pytest.approx(float(cue.scores(asked)[0]))
    (told,) = cue.of(0, TEXT, UTC)
    assert (told.start, told.end) == (moment(0), moment(20 * 24))
    assert not cue.after(EPOCH - timedelta(days=2)).size
