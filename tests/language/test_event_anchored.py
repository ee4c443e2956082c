"""Times that hang on an event are told apart from those a calendar knows, and resolved later."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.core.records import Interval
from hippocampus.language.event_anchored import find_event_anchored, merge_intervals

NOW = datetime(2023, 8, 1, 12, tzinfo=UTC)
EVENT = datetime(2023, 6, 3, 17, 30, tzinfo=UTC)  # a Saturday


def day(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "event", "times"),
    [
        ("What did I do the day after the interview?", "the interview", "2023-06-04 2023-06-05"),
        ("Two weeks before my exam, who called?", "my exam", "2023-05-19 2023-05-22"),
        ("What did I eat the evening before the race?", "the race", "2023-06-02T17 2023-06-03"),
        ("the Monday after Lena's party", "Lena's party", "2023-06-05 2023-06-06"),
        ("Who came the day of the wedding?", "the wedding", "2023-06-03 2023-06-04"),
        ("What did I say a week after I got the job.", "I got the job", "2023-06-09 2023-06-12"),
        ("What did I do the same day as the wedding?", "the wedding", "2023-06-03 2023-06-04"),
        ("Who came the same week as the fair?", "the fair", "2023-05-29 2023-06-05"),
        ("What did I wear on the day I met Tom?", "I met Tom", "2023-06-03 2023-06-04"),
        ("Two days later than the race, who won?", "the race", "2023-06-05 2023-06-06"),
    ],
)
def test_an_event_is_cut_out_with_its_date_put_in_its_place(question, event, times):
    join = find_event_anchored(question, NOW)

    assert join is not None
    assert event == join.event == question[join.start : join.end]
    (interval,) = join.resolve([EVENT], NOW)
    assert tuple(map(day, times.split())) == (interval.start, interval.end)


@pytest.mark.parametrize(
    "question",
    [
        "What did I do the day after Christmas?",
        "What happened during the summer?",
        "What did John do the week before August 3, 2023?",
        "after last Monday",
        "How many days before the 'Rack Fest' did I join?",
        "How long did they date before getting married?",
        "How many weeks had passed since I recovered from the flu?",
        "Which neighbour looks after Lena's cat?",
        "Who was named after her grandmother?",
        "Did it rain after all?",
        "What did I say before that?",
        "the day after it",
        "What is a week?",
        "after",
        "",
    ],
)
def test_neither_a_time_of_the_calendar_nor_what_is_no_time_is_a_join(question):
    assert find_event_anchored(question, NOW) is None


@pytest.mark.parametrize(
    ("question", "exact"),
    [
        ("What did I do the day after the interview?", True),
        ("What did I do after the interview?", False),
        ("Since the move, what did I do the day after the party?", True),
        ("Which neighbour lives beside us?", False),
    ],
)
def test_only_a_time_at_a_known_distance_from_an_event_is_one(question, exact):
    assert (find_event_anchored(question, NOW) is not None) == exact


def test_several_moments_the_event_may_have_been_at_give_merged_times():
    join = find_event_anchored("the day after the interview", NOW)
    moments = [EVENT, EVENT + timedelta(days=1), EVENT + timedelta(days=30), EVENT]

    assert [(day("2023-06-04"), day("2023-06-06")), (day("2023-07-04"), day("2023-07-05"))] == [
        (one.start, one.end) for one in join.resolve(moments, NOW)
    ]
    assert () == join.resolve([], NOW)


def test_the_day_is_that_of_the_one_who_asks():
    tokyo = ZoneInfo("Asia/Tokyo")
    (interval,) = find_event_anchored("the day of the wedding", NOW).resolve(
        [EVENT], NOW.astimezone(tokyo)
    )

    assert datetime(2023, 6, 4, tzinfo=tokyo) == interval.start  # 17:30 UTC is the 4th there


@given(st.text() | st.sampled_from(["a day after ", "during ", "before the "]).flatmap(
    lambda lead: st.text().map(lead.__add__)
), st.datetimes(timezones=st.just(UTC)))  # fmt: skip
def test_any_text_and_any_moment_is_read_or_left_alone(text, moment):
    join = find_event_anchored(text, NOW)

    if join is not None:
        assert join.event == text[join.start : join.end].strip()
        assert isinstance(join.resolve([moment], NOW), tuple)


HOURS = st.integers(0, 40).map(lambda hour: NOW + timedelta(hours=hour)) | st.none()
INTERVALS = st.builds(Interval, HOURS, HOURS).filter(
    lambda one: one.start is None or one.end is None or one.start < one.end
)


@given(st.lists(INTERVALS, max_size=8))
def test_merged_intervals_cover_the_same_time_apart_and_in_order(intervals):
    merged = merge_intervals(intervals)

    def covers(some, moment):
        return any(
            (one.start is None or one.start <= moment) and (one.end is None or moment < one.end)
            for one in some
        )

    for half in range(-2, 84):
        moment = NOW + timedelta(minutes=30 * half)
        assert covers(intervals, moment) == covers(merged, moment)
    for before, after in pairwise(merged):
        assert before.end < after.start
    assert merged == merge_intervals(merged)


def test_intervals_merge_by_instant_where_clocks_go_back():
    berlin = ZoneInfo("Europe/Berlin")
    early = datetime(2023, 10, 29, 2, 30, tzinfo=berlin, fold=0)
    late = datetime(2023, 10, 29, 2, 10, tzinfo=berlin, fold=1)
    first, second = Interval(early - timedelta(days=1), early), Interval(late, None)

    assert (first, second) == merge_intervals([second, first])
