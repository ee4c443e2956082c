"""What was said in the time of an event: joins between timelines, as a filter of every read."""

from datetime import UTC, datetime, timedelta

import pytest

from hippocampus import Memory, Turn
from hippocampus.core.clock import ManualClock
from hippocampus.errors import InvalidFilter, InvalidTime, UnknownEvent

NOW = datetime(2024, 9, 1, 12, tzinfo=UTC)
TALK = [
    ("2024-05-02", "Ana", "I am away from 13 to 17 May, in Lisbon."),
    ("2024-05-06", "Tom", "The heating broke down again."),
    ("2024-05-14", "Tom", "The plumber came and mended the boiler."),
    ("2024-05-18", "Tom", "I repainted the shed."),
    ("2024-05-21", "Tom", "We planted the beans."),
    ("2024-06-03", "Ana", "I had the interview at the bank yesterday."),
    ("2024-06-04", "Tom", "The car needs new tyres."),
    ("2024-07-01", "Tom", "I bought a kayak."),
]


@pytest.fixture
def bank():
    memory = Memory(":memory:", embedder="hash", clock=ManualClock(NOW))
    bank = memory.bank("home")
    bank.remember_many([Turn(text=t, speaker=who, at=at, session=at) for at, who, t in TALK])
    yield bank
    memory.close()


@pytest.mark.parametrize(
    ("during", "days"),
    [
        ("the week when Ana was away", ["14", "18"]),
        ("in the week when Ana was away", ["14", "18"]),
        ("while Ana was away", ["14"]),
        ("the week after Ana was away", ["18", "21"]),
        ("the day after Ana's interview at the bank", []),
        ("two days after the interview", ["04"]),
        ("May 2024", ["06", "14", "18", "21"]),
        ("2024-05-14", ["14"]),
        ("2024-05", ["06", "14", "18", "21"]),
        ("Mai 2024", ["06", "14", "18", "21"]),
        ("Juni 2024", ["04"]),
        ("2024-05-14..2024-05-18", ["14", "18"]),
        ("2024-06..", ["04", "01"]),
        ("..2024-05-14", ["06", "14"]),
        (["Mai 2024 ", "2024-07"], ["06", "14", "18", "21", "01"]),
        ([("2024-07-01", None), "while Ana was away"], ["14", "01"]),
        ("since the interview", ["04", "01"]),
        ("before the interview", ["06", "14", "18", "21"]),
    ],
)
def test_what_one_said_is_found_by_the_time_of_anothers_event(bank, during, days):
    found = bank.episodes(speaker="Tom", during=during)

    assert days == [f"{one.occurred_at:%d}" for one in found]


def test_recall_and_every_other_read_take_an_event(bank):
    asked = {"during": "the week when Ana was away", "speaker": "Tom"}

    hits = bank.recall("What did Tom say?", **asked).hits
    assert {"14", "18"} == {f"{hit.episode.occurred_at:%d}" for hit in hits}
    assert "boiler" in bank.context("What did Tom do?", **asked).text
    assert [] == bank.find("kayak", **asked)
    assert 1 == bank.count("shed", **asked)
    assert {1} == {period.count for period in bank.trend("shed", "week", **asked) if period.count}


def test_the_question_itself_joins_timelines(bank):
    (interval,) = bank.recall("What did Tom say in the week when Ana was away?").intervals

    assert (datetime(2024, 5, 13, tzinfo=UTC), datetime(2024, 5, 20, tzinfo=UTC)) == (
        interval.start,
        interval.end,
    )


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("What did Tom say in the week when Ana was away?", ["14", "18"]),
        ("what did Tom do while Ana was away?", ["14"]),
        ("While Ana was away, what did Tom talk about?", ["14"]),
        ("What did Tom mention the week after Ana was away?", ["18", "21"]),
    ],
)
def test_a_question_for_what_one_said_in_anothers_time_has_that_alone(bank, question, days):
    found = bank.recall(question)

    assert found.found
    assert days == sorted(f"{hit.episode.occurred_at:%d}" for hit in found.hits)
    assert {"Tom"} == {hit.episode.speaker for hit in found.hits}


def test_what_happened_in_anothers_time_is_whatever_was_noted_then(bank):
    found = bank.recall("What happened while Ana was away?")

    assert found.found
    assert "The plumber came and mended the boiler." in [hit.text for hit in found.hits]
    assert not {"06", "21"} & {f"{hit.episode.occurred_at:%d}" for hit in found.hits}


@pytest.mark.parametrize(
    "question",
    [
        "What did Tom repaint while whistling?",
        "What did Tom plant while Priscilla toured Patagonia?",
        "What has Tom bought in a while?",
    ],
)
def test_a_while_that_no_event_tells_is_no_time(bank, question):
    assert () == bank.recall(question).intervals


def test_who_said_nothing_in_anothers_time_is_not_found(bank):
    bank.remember("Any news?", speaker="Olga", at="2024-07-15")
    found = bank.recall("What did Olga say in the week when Ana was away?")

    assert not found
    assert () == found.hits


def test_what_took_place_twice_has_two_times_that_are_one_where_they_meet(bank):
    bank.remember("I am away from 18 to 20 May as well.", speaker="Ana", at="2024-05-15")
    bank.remember("I am away on 1 July.", speaker="Ana", at="2024-06-20")
    bank.remember("When I was away, Tom kept the cat.", speaker="Ana", at="2024-08-20")

    found = bank.episodes(speaker="Tom", during="while Ana was away")

    assert ["14", "18", "01"] == [f"{one.occurred_at:%d}" for one in found]


def test_lists_refuse_an_unknown_event_that_recall_only_notes(bank):
    unknown = "the week when Priscilla visited Patagonia"

    with pytest.raises(UnknownEvent, match="Priscilla visited Patagonia"):
        bank.episodes(during=unknown)
    found = bank.recall("What did Tom say?", during=unknown)

    assert not found
    assert () == found.hits
    assert "Priscilla visited Patagonia" in found.note
    assert not bank.context("What did Tom say?", during=unknown).items


def test_an_event_is_looked_for_among_what_the_read_may_know(bank):
    before = datetime(2024, 8, 31, tzinfo=UTC)  # nothing was noted yet

    with pytest.raises(UnknownEvent):
        bank.episodes(during="while Ana was away", as_of=before)


@pytest.mark.parametrize(
    ("during", "complaint"),
    [
        ("", "say when"),
        ("  ", "say when"),
        ("2024-05-14T10:00", "a pair of moments"),
        (("2024-05-14", "2024-05-16"), "pairs of moments"),
        (["2024-05-14", "2024-05-16"], r"as \[\['2024-05-14', '2024-05-16'\]\]"),
        ("2024-03-05...2024-04-01", "two dots"),
        ("2024-06 ....", "two dots"),
        ("..", "all of time"),
        ([], "give"),
        ([""], "say when"),
        (b"last week", "give"),
        ({"a": 1}, "give"),
        ([None], "pair"),
        (7, "give"),
    ],
)
def test_what_cannot_be_meant_is_refused(bank, during, complaint):
    with pytest.raises(InvalidFilter, match=f"^during=.*{complaint}"):
        bank.episodes(during=during)


def test_an_event_in_an_empty_bank_and_a_very_long_one_are_unknown():
    with Memory(":memory:", embedder="hash", clock=ManualClock(NOW)) as memory:
        bank = memory.bank("empty")
        with pytest.raises(UnknownEvent):
            bank.episodes(during="while Ana was away")
        bank.remember("Ana was away.", at=NOW - timedelta(days=1))
        with pytest.raises(UnknownEvent):
            bank.episodes(during="the week when " + "nobody knew of anything " * 400)


@pytest.mark.parametrize(
    "ends", [{"until": "9999-12-31"}, {"during": "..9999-12-31"}, {"as_of": "9999-12-31"}]
)
def test_the_last_day_of_the_calendar_ends_nothing(bank, ends):
    assert bank.context("the boiler", recent=2, **ends).items
    assert bank.explain("the boiler", **ends).question.only
    assert 1 == bank.count_events("the kayaks I bought", **ends).count


@pytest.mark.parametrize("during", ["the week after the trip", "the day before the trip"])
def test_a_time_beside_an_event_of_which_no_day_is_told_is_unknown(bank, during):
    bank.remember("We made the trip to Rome last year.", speaker="Ana", at="2024-05-02")

    assert "no day" in bank.recall("What happened?", during=during).note
    with pytest.raises(UnknownEvent, match="no day"):
        bank.find("shed", during=during)


@pytest.mark.parametrize(
    "during",
    [
        "2024-02-30", "2024-13", "2024-W10", "31.02.2024", "now", "-5 days", "32 July 2024", "7",
        "in 5 minutes", "2024-02-30T10:00", "30 Februar 2024", ["last week", "2024-02-30"],
    ],
)  # fmt: skip
def test_what_can_only_be_a_time_and_is_none_is_no_event(bank, during):
    with pytest.raises(InvalidFilter, match=r"^during=.*no time that can be read; .*'2024-07'"):
        bank.episodes(during=during)


@pytest.mark.parametrize(
    ("during", "stretch"),
    [
        ("Mai 2024", ("2024-05-01", "2024-06-01")),
        ("while Ana was away", ("2024-05-13", "2024-05-18")),
        ([("2024-05-14", None)], ("2024-05-14", None)),
    ],
)
def test_an_answer_says_which_time_was_meant(bank, during, stretch):
    found = bank.recall("boiler", during=during)

    assert [stretch] == [
        tuple(end and f"{end:%Y-%m-%d}" for end in (one.start, one.end)) for one in found.during
    ]
    assert () == bank.recall("boiler").during


@pytest.mark.parametrize(
    "during", ["hm.. and then the roof", "Zoe waved.. yesterday", "yesterday...the roof", "oh.."]
)
def test_two_dots_beside_words_that_are_no_time_part_nothing(bank, during):
    with pytest.raises(UnknownEvent):
        bank.episodes(during=during)


@pytest.mark.parametrize("during", ["2024-05-14..2024-02-30", "2024-02-30..", "32 July..2024-08"])
def test_a_side_that_is_no_time_is_refused_by_the_name_of_its_filter(bank, during):
    with pytest.raises((InvalidTime, InvalidFilter), match=r"^during="):
        bank.episodes(during=during)
