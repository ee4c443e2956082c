"""Times that texts tell: found by them, said of each episode, and what is said where none fits."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippocampus import Config, Memory, Turn

NOW = datetime(2024, 4, 17, 12, tzinfo=UTC)  # a Wednesday
SAID = [
    ("2024-02-05", "The boiler man comes on 12 March, between ten and twelve."),
    ("2024-03-13", "He came yesterday. It is the thermostat, and forty pounds."),
    ("2024-03-20", "I was thinking about the shed."),
    ("2024-04-08", "We rowed to the island on Saturday."),
    ("2024-04-15", "The eye test is on 9 May at ten."),
    ("2024-04-16", "New glasses would be nice."),
]


def told(*said):
    bank = Memory(":memory:", embedder="hash").bank("ada")
    bank.remember_many([Turn(text=text, at=at, speaker="Ada") for at, text in said])
    return bank


def texts(found, most=None):
    return [hit.text.split(maxsplit=3)[:3] for hit in found][:most]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("What's on in May?", "The eye test"),
        ("What happened on 12 March?", "He came yesterday."),
        ("what did we do on 6 April", "We rowed to"),
        ("What did I say on 15 April?", "The eye test"),
        ("Anything on 9 May?", "The eye test"),
        ("What happened last Saturday week? I forget everything.", None),
    ],
)
def test_what_is_asked_of_a_time_is_what_was_told_of_it_whatever_its_words(question, first):
    found = told(*SAID).recall(question, now=NOW)

    assert found.found is (first is not None)
    assert first is None or first.split() == texts(found)[0]


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("What's on this week?", {"Plumber", "Roof"}),
        ("Anything planned for this weekend?", set()),
        ("What are my plans for this week?", {"Plumber", "Roof"}),
        ("What's on next week?", {"Harriers"}),
        ("What did I say this week?", {"Harriers", "Plumber", "Roof"}),
        ("What happened this week?", {"Harriers", "Plumber", "Roof"}),
        ("What is on this Saturday?", set()),
    ],
)
def test_what_is_on_is_not_what_was_said_then_of_another_time(question, wanted):
    bank = told(
        ("2024-04-15T08:00", "Harriers party on 26 April, bring a cake."),
        ("2024-04-10T08:00", "Plumber comes on 18 April."),
        ("2024-04-16T08:00", "Roof is leaking again."),
        ("2024-04-13T08:00", "Theatre on 3 May."),  # neither said nor on then
    )

    found = bank.recall(question, now=NOW)

    assert wanted == {hit.text.split()[0] for hit in found if "time" in hit.shares}


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("What's on on Tuesday?", {"Pottery", "Dentist"}),
        ("What do I have next Tuesday?", {"Pottery", "Dentist"}),
        ("Am I busy on Tuesday evening?", {"Pottery"}),
        ("What's on on Monday?", {"Yoga"}),
        ("What's on on 3 June?", {"Book"}),  # the first Wednesday, and no yoga any more
        ("What's on on Monday 10 June?", set()),
        ("What's on on 26 April?", {"Chess"}),
        ("What's on on 19 April?", set()),
        ("What's on on 3 May?", set()),
        ("What's on next week?", {"Pottery", "Dentist", "Yoga", "Chess"}),
        ("What did I do last Tuesday?", set()),  # nobody said that they were there
    ],
)
def test_what_comes_every_week_or_month_is_on_when_it_comes(question, wanted):
    bank = told(
        ("2024-04-02T08:00", "Pottery class every Tuesday at 6 pm."),
        ("2024-04-03T08:00", "Yoga every Monday until the end of May."),
        ("2024-04-04T08:00", "Book club is the first Monday of the month."),
        ("2024-04-10T08:00", "Chess every other Friday."),
        ("2024-04-11T08:00", "Dentist on 23 April at 9."),
        ("2024-04-12T08:00", "We had piano lessons every Tuesday."),
    )

    found = bank.recall(question, now=NOW)

    assert wanted == {hit.text.split()[0] for hit in found if "time" in hit.shares}


@pytest.mark.parametrize(
    ("question", "on"),
    [("What's on on 27 March?", True), ("What's on on 22 May?", True),
     ("What's on on 29 May?", False)],
)  # fmt: skip
def test_what_is_on_a_fourth_friday_is_not_on_the_last_of_five(question, on):
    bank = told(("2026-02-02T08:00", "Jazz night is the fourth Friday of the month."))

    found = bank.recall(question, now=datetime(2026, 3, 20, tzinfo=UTC))

    assert on == any("time" in hit.shares for hit in found)


def test_when_something_is_that_comes_every_week_is_its_next_turn():
    bank = told(("2024-02-06T08:00", "My pottery class is every Tuesday at 6 pm."))

    (time,) = bank.recall("When is my next pottery class?", now=NOW)[0].times
    when = bank.recall("When is my next pottery class?", now=NOW).when

    assert (time.start.date().isoformat(), time.end) == ("2024-02-06", None)
    assert f"{when.start:%Y-%m-%d %H:%M}" == "2024-04-23 17:30"


def test_nothing_at_a_certain_time_is_said_with_the_nearest_day():
    bank = told(*SAID)

    found = bank.recall("What happened on 24 March?", now=NOW)

    assert not found.found
    assert "Nothing is noted for 24 March 2024; the nearest is of 20 March 2024." == found.note
    assert found.note in found.explain()
    assert "" == bank.recall("What did I say about the island?", now=NOW).note
    assert "Nothing is noted for 24 March 2024." == told().recall("on 24 March?", now=NOW).note


def test_a_time_that_is_only_about_right_never_says_that_there_is_nothing():
    bank = told(*SAID)

    assert "" == bank.recall("What happened about ten weeks ago?", now=NOW).note


def test_what_is_asked_of_a_time_alone_lies_inside_or_near_it():
    bank = told(*SAID)

    inside = bank.recall("What happened in March?", 10, now=NOW)
    near = bank.recall("What happened on 10 April?", 10, now=NOW)

    assert {"2024-03", "2024-02"} == {f"{hit.episode.occurred_at:%Y-%m}" for hit in inside}
    assert {"2024-04-08", "2024-04-15"} == {f"{hit.episode.occurred_at:%Y-%m-%d}" for hit in near}
    assert not near.found
    assert "Nothing is noted for 10 April 2024" in near.note


def test_every_verb_tells_of_an_episode_the_same_times():
    bank = told(*SAID[:4])
    kept = bank.remember("The wedding is on 1 June, in Ghent.", at="2024-04-16T10:00")
    told_before = bank.remember("We rowed two weeks ago.", at="2024-04-15")
    assert [True] == [one.vague for one in told_before.times]
    assert told_before.times == bank.get(told_before.id).times
    (time,) = kept.times

    assert (datetime(2024, 6, 1, tzinfo=UTC), "on 1 June") == (time.start, time.text)
    for again in (
        bank.get(kept.id),
        bank.episodes(newest=True, limit=1)[0],
        bank.find("Ghent")[0],
        bank.expand(kept.address)[0],
        bank.recall("Where is the wedding?", now=NOW)[0].episode,
        bank.remember("The wedding is on 1 June, in Ghent.", at="2024-04-16T10:00"),
    ):
        assert kept.times == again.times
    corrected = bank.correct(kept.id, "The wedding is on 8 June, in Ghent.")
    assert ["on 8 June"] == [one.text for one in corrected.times]


def test_times_are_of_the_zone_in_which_the_memory_reads_them():
    with Memory(":memory:", embedder="none", config=Config(timezone="Asia/Tokyo")) as memory:
        kept = memory.bank("ada").remember("We met yesterday.", at="2024-04-16T20:00:00+00:00")

    assert datetime(2024, 4, 15, 15, tzinfo=UTC) == kept.times[0].start
    assert timedelta(hours=9) == kept.times[0].start.utcoffset()


days = st.integers(0, 120)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(days, days), max_size=12), days, st.integers(1, 40))
def test_a_time_alone_finds_just_what_was_said_or_told_of_it(notes, first, length):
    start = datetime(2023, 9, 1, tzinfo=UTC)
    said = [
        (start + timedelta(days=at, hours=9), f"Note {n}, on {start + timedelta(days=of):%d %B %Y}")
        for n, (at, of) in enumerate(notes)
    ]
    bank = told(*said)
    since, until = (start + timedelta(days=n) for n in (first, first + length))

    question = f"What happened between {since:%d %B %Y} and {until:%d %B %Y}?"
    found = bank.recall(question, 50, now=NOW, cues=("time",))

    wanted = {
        n
        for n, (at, of) in enumerate(notes)
        if first <= at <= first + length or first <= of <= first + length
    }
    assert wanted == {int(hit.text.split()[1].strip(",")) for hit in found}
