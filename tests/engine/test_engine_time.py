"""Recall and time: what hangs on an event, when something was, what came last, time alone."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippocampus import Config, Memory, Turn

NOW = datetime(2024, 1, 5, 12, tzinfo=UTC)
START = datetime(2023, 5, 1, 9, tzinfo=UTC)


def told(*said, embedder="hash"):
    """A bank that was told things on days after the start."""
    memory = Memory(":memory:", embedder=embedder)
    bank = memory.bank("ada")
    dated = [(START + timedelta(days=day), text) for day, text in said]
    bank.remember_many([Turn(text=text, at=at, speaker="Ada") for at, text in dated])
    return bank


def diary(*said):
    """The same among two hundred days of nothing much."""
    filler = [(day, f"Breakfast number {day} was porridge.") for day in range(200)]
    return told(*filler, *said)


def dates(intervals):
    return [(f"{one.start:%Y-%m-%d}", f"{one.end:%Y-%m-%d}") for one in intervals]


@pytest.mark.parametrize(
    ("event", "said_on", "question", "on"),
    [
        ("The interview went well.", 20, "What did I eat the day after the interview?", 21),
        ("I had the interview yesterday.", 20, "What did I eat the day after the interview?", 20),
        ("The interview is tomorrow.", 20, "What did I eat two days before the interview?", 19),
        ("Our interview!", 20, "What did I eat the same day as the interview?", 20),
    ],
)
def test_a_time_that_hangs_on_an_event_is_found_out_first(event, said_on, question, on):
    bank = diary((said_on, event))

    found = bank.recall(question, 250, now=NOW)

    day = START + timedelta(days=on)
    assert [(f"{day:%Y-%m-%d}", f"{day + timedelta(days=1):%Y-%m-%d}")] == dates(found.intervals)
    assert any(
        hit.episode.occurred_at.date() == day.date() and "time" in hit.shares for hit in found
    )


@pytest.mark.parametrize(
    "now", ["2024-06-01T22:30:00Z", "2024-06-02T00:30", "2024-06-01T15:30-07:00"]
)
def test_yesterday_is_that_of_the_zone_of_the_memory_however_now_is_given(open_memory, now):
    bank = open_memory(embedder="hash", config=Config(timezone="Europe/Berlin")).bank("ada")
    bank.remember("I repaired the boiler.", at="2024-06-01T10:00")
    bank.remember("I cleaned the gutters.", at="2024-05-31T10:00")

    found = bank.recall("What did I do yesterday?", now=now)
    assert [("2024-06-01", "2024-06-02")] == dates(found.intervals)
    assert "I repaired the boiler." == found[0].text
    narrowed = bank.recall("repairs", now=now, since="yesterday", until="yesterday")
    assert ["I repaired the boiler."] == [hit.text for hit in narrowed]


def test_what_hangs_on_an_event_is_preferred_without_cutting_anything():
    bank = diary((20, "The interview went well."))
    joined = bank.recall("What breakfast did I have the day after the interview?", 250, now=NOW)
    without = bank.recall(
        "What breakfast did I have the day after the interview?", 250, now=NOW,
        cues=("tokens", "vector", "lexical"),
    )  # fmt: skip

    target = (START + timedelta(days=21)).date()
    ranks = [
        next(rank for rank, hit in enumerate(found) if hit.episode.occurred_at.date() == target)
        for found in (joined, without)
    ]
    assert ranks[0] < ranks[1]
    assert {hit.id for hit in joined} == {hit.id for hit in without}
    assert () == without.intervals


@pytest.mark.parametrize(
    "question",
    [
        "What did I eat the day after the coronation?",  # nobody told of one
        "What did I eat after the interview?",  # loose: it may be years
    ],
)
def test_an_event_that_is_not_known_and_a_loose_offset_say_nothing_of_time(question):
    assert () == diary((20, "The interview went well.")).recall(question, now=NOW).intervals


def test_an_event_is_looked_for_among_what_may_be_seen():
    bank = diary((20, "The interview went well."))
    question = "What did I eat the day after the interview?"

    assert () == bank.recall(question, now=NOW, until="2023-05-10").intervals
    assert () == bank.recall(question, now=NOW, cues=("tokens", "lexical")).intervals


def test_a_question_for_a_time_gets_the_time_that_the_best_hit_names():
    bank = diary(
        (40, "Two days ago the dentist filled my tooth."), (60, "The piano came upstairs.")
    )
    dentist = bank.recall("When did the dentist fill my tooth?", now=NOW)
    piano = bank.recall("When did the piano come upstairs?", now=NOW)

    assert ("2023-06-08", "2023-06-09") == dates([dentist.when])[0]
    assert "Two days ago" == dentist.when.text
    assert dentist.when == dentist[0].times[0]
    assert "when: 2023-06-08" in dentist.explain()
    assert ("2023-06-30", "2023-07-01") == dates([piano.when])[0]
    assert () == piano[0].times


PLANS = (
    "Xmas plan: we drive to Sheffield on the 25th, then Hannah visits on 28 December. "
    "Jude flies to Dubai on 30 December. Grandma isn't due on Monday, she arrives on 2 January."
)


@pytest.mark.parametrize(
    ("question", "on"),
    [
        ("When do we drive to Sheffield?", "2023-12-25"),
        ("When does Hannah visit us at Xmas?", "2023-12-28"),
        ("When does Jude fly to Dubai?", "2023-12-30"),
        ("When is Grandma due, when does she arrive?", "2024-01-02"),
    ],
)
def test_of_several_times_of_a_hit_the_one_beside_the_words_of_the_question_is_its(question, on):
    found = diary((230, PLANS)).recall(question, now=datetime(2023, 12, 20, tzinfo=UTC))

    assert on == dates([found.when])[0][0]


@pytest.mark.parametrize(
    ("said", "question", "on"),
    [
        ("the audit was meant to be 2 July but Per's ill so it's the 16th now",
         "When's the audit?", "2023-06-16"),
        ("had my eye test tuesday. dad's test is 5 July, at the surgery",
         "When is dad's eye test?", "2023-07-05"),
        ("dad's test is 5 July, at the surgery. had my eye test tuesday",
         "When did I have my eye test?", "2023-06-06"),
    ],
)  # fmt: skip
def test_a_time_given_up_or_on_the_other_side_of_now_is_not_when_it_is(said, question, on):
    found = diary((40, said)).recall(question, now=datetime(2023, 6, 12, tzinfo=UTC))

    assert on == dates([found.when])[0][0]


def test_another_hit_gives_its_time_only_where_it_says_as_much():
    bank = diary((40, "Remember the boiler service!"), (45, "The boiler service is on 2 August."))
    lake = diary(
        (60, "Another swim in the lake."), (70, "We had pizza at the lake yesterday."),
        (80, "I didn't swim in the lake this week."),
    )  # fmt: skip

    assert "on 2 August" == bank.recall("When is the boiler service?", now=NOW).when.text
    swim = lake.recall("When did we have another swim in the lake?", now=NOW)
    assert "Another swim in the lake." == swim[0].text
    assert ("2023-06-30", "2023-07-01") == dates([swim.when])[0]


@pytest.mark.parametrize(
    ("said", "question", "start"),
    [
        ("My longest run in the hills since June!", "When was my longest run?", "2023-11-17"),
        ("The first run in the hills since June.", "When was my first run?", "2023-11-17"),
        ("Run in the hills, third since June.", "When was my run in the hills?", "2023-11-17"),
        ("I have lived in the hills since June.", "Since when have I lived there?", "2023-06-01"),
        ("The hills are closed from next Monday.", "When are the hills closed?", "2023-11-20"),
    ],
)
def test_what_is_set_against_all_since_a_time_was_not_then(said, question, start):
    found = diary((200, said)).recall(question, now=NOW)

    assert start == f"{found.when.start:%Y-%m-%d}"


def test_no_time_is_told_where_none_is_asked_or_nothing_is_found():
    bank = diary((40, "Two days ago the dentist filled my tooth."))

    asked = bank.recall("Which tooth did the dentist fill?", now=NOW)
    assert asked.when is None
    assert "Two days ago" == asked[0].times[0].text
    assert bank.recall("When did the zeppelin crash?", now=NOW).when is None
    assert told().recall("When did the dentist fill my tooth?", now=NOW).when is None


def test_what_was_talked_about_last_is_what_was_said_last():
    bank = diary((300, "Let us buy a boat."), (301, "Only if it is blue."))
    last = bank.recall("What did we talk about last?", 3, now=NOW)

    assert ["Only if it is blue.", "Let us buy a boat."] == [hit.text for hit in last][:2]
    assert last.found
    earlier = bank.recall("What did we talk about last?", 1, now=NOW, until="2023-05-03")
    assert "Breakfast number 2 was porridge." == earlier[0].text
    assert not told().recall("What did we talk about last?", now=NOW).found


def test_of_what_says_the_same_the_latest_comes_first_when_that_is_asked():
    bank = diary(*((day, "We rowed on the lake.") for day in (10, 90, 150)))

    latest = bank.recall("What was our most recent time on the lake?", 3, now=NOW)
    assert [150, 90, 10] == [(hit.episode.occurred_at - START).days for hit in latest]


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 365), min_size=1, max_size=30, unique=True), st.integers(0, 365))
def test_time_alone_finds_what_was_said_then_and_nothing_else(days, asked):
    bank = told(*((day, f"Note {day}.") for day in days))
    day = START + timedelta(days=asked)

    found = bank.recall(f"What was on {day:%d %B %Y}?", 500, now=NOW, cues=("time",))

    timed = {hit.episode.occurred_at for hit in found if "time" in hit.shares}
    assert {START + timedelta(days=one) for one in days if one == asked} == timed


@pytest.mark.slow
def test_time_alone_in_a_bank_that_is_not_scored_whole_sees_only_then():
    with Memory(":memory:", embedder="none") as memory:
        bank = memory.bank("ada")
        hours = [START + timedelta(hours=hour) for hour in range(600)]
        bank.remember_many([Turn(text=f"Note {at:%d %H}.", at=at) for at in hours])
        found = bank.recall("What was on 9 May 2023?", 500, now=NOW, cues=("time",))
        none = bank.recall("What was on 9 May 2021?", 500, now=NOW, cues=("time",))

    assert {at for at in hours if (at.month, at.day) == (5, 9)} == {
        hit.episode.occurred_at for hit in found
    }
    assert 0 == len(none)
