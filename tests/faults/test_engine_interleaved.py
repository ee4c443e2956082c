"""Several memories on one store, statement by statement: what they see is of some order."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from interleaved import live
from linearizable import OF_SEEDED, READS, SEEDED, TEXTS, Done, in_some_order

KEPT = json.loads((Path(__file__).parent / "schedules.json").read_text("utf-8"))
"""Lives that once went wrong, or nearly."""

VERBS = st.one_of(
    st.tuples(st.just("remember"), st.sampled_from(sorted(TEXTS))),
    st.tuples(st.sampled_from(OF_SEEDED), st.sampled_from(SEEDED)),
    st.tuples(st.sampled_from([*READS, "sleep", "compact"]), st.just(SEEDED[0])),
)
PLANS = st.lists(st.lists(VERBS, min_size=1, max_size=4), min_size=2, max_size=3)
SCHEDULES = st.lists(st.tuples(st.integers(1, 40), st.integers(0, 2)), max_size=12)


def judge(plans, schedule):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        history, problems = live(Path(folder) / "memory.db", plans, schedule)
    assert in_some_order(history), history
    assert () == problems


@pytest.mark.slow
@given(plans=PLANS, schedule=SCHEDULES)
def test_what_several_see_of_a_bank_is_of_some_order(plans, schedule):
    judge(plans, schedule)


@pytest.mark.parametrize("kept", KEPT, ids=[kept["why"] for kept in KEPT])
def test_a_schedule_that_was_kept_goes_well(kept):
    judge(kept["plans"], kept["schedule"])


def test_a_read_of_what_was_already_gone_has_no_order():
    history = [
        Done("forget", "roof", 0, 1, 1),
        Done("episodes", "roof", 2, 3, ["boat", "key", "roof"]),
    ]
    assert not in_some_order(history)


def test_what_was_never_answered_may_have_been_done_or_not():
    killed = Done("forget", "roof", 0)
    for seen in (["boat", "key"], ["boat", "key", "roof"]):
        assert in_some_order([killed, Done("episodes", "roof", 2, 3, seen)])


def test_two_reads_must_not_go_back_in_time():
    history = [
        Done("remember", "soup", 0, 9, "active"),
        Done("episodes", "roof", 1, 2, ["boat", "key", "roof", "soup"]),
        Done("episodes", "roof", 3, 4, ["boat", "key", "roof"]),
    ]
    assert not in_some_order(history)
