"""Words where a moment is asked for: what they begin and end at, and what is refused."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus import Memory, Turn
from hippocampus.core.clock import ManualClock
from hippocampus.errors import InvalidTime
from hippocampus.language.time.given import end_of, moment_of, start_of

NOW = datetime(2024, 4, 17, 12, tzinfo=UTC)  # a Wednesday


def day(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("words", "start", "end"),
    [
        ("yesterday", "2024-04-16", "2024-04-17"),
        ("last week", "2024-04-08", "2024-04-15"),
        (" in March ", "2024-03-01", "2024-04-01"),
        ("Monday", "2024-04-15", "2024-04-16"),
        ("next month", "2024-05-01", "2024-06-01"),
        ("March", "2024-03-01", "2024-04-01"),
        ("Christmas", "2023-12-25", "2023-12-26"),
        ("in winter", "2023-12-01", "2024-03-01"),
        ("autumn.", "2023-09-01", "2023-12-01"),
        ("2023-07", "2023-07-01", "2023-08-01"),
        (" 2023-12 ", "2023-12-01", "2024-01-01"),
        ("Juli 2023", "2023-07-01", "2023-08-01"),
        ("juli 2023", "2023-07-01", "2023-08-01"),
        ("März 2023", "2023-03-01", "2023-04-01"),
        ("Oktober", "2023-10-01", "2023-11-01"),
        ("Sommer 2023", "2023-06-01", "2023-09-01"),
        ("sommaren 2023", "2023-06-01", "2023-09-01"),
        ("maart 2023", "2023-03-01", "2023-04-01"),
        ("august 2023", "2023-08-01", "2023-09-01"),
        ("augustus 2023", "2023-08-01", "2023-09-01"),
        ("été 2023", "2023-06-01", "2023-09-01"),
        ("marzo 2023", "2023-03-01", "2023-04-01"),
    ],
)
def test_words_reach_from_the_start_to_the_end_of_their_stretch(words, start, end):
    assert day(start) == start_of(words, NOW, name="since") == moment_of(words, NOW, name="at")
    assert day(end) == end_of(words, NOW, name="until")


def test_what_is_shorter_than_a_day_happened_in_its_middle():
    assert day("2024-04-16T18:00") == moment_of("yesterday at 6 pm", NOW, name="at")
    assert day("2024-04-17T08:00") == moment_of("this morning", NOW, name="at")


@pytest.mark.parametrize(
    "words",
    [
        "soon",
        "yesterday or today",
        "the boat yesterday",
        "spring rolls",
        "in",
        "",
        "x",
        "2023-13",
        "2023-00",
        "30 Februar 2023",
        "Juli 2023 in Rom",
    ],
)
def test_words_that_are_not_one_time_and_nothing_else_are_refused(words):
    for read in (start_of, end_of, moment_of):
        with pytest.raises(InvalidTime, match=r"^since=.*'yesterday'"):
            read(words, NOW, name="since")


def test_a_text_of_more_than_a_thousand_characters_is_no_time():
    assert day("2024-04-16") == start_of("yesterday" + " " * 991, NOW, name="since")
    with pytest.raises(InvalidTime, match=r"^since="):
        start_of("yesterday" + " " * 992, NOW, name="since")


def test_an_open_side_is_no_end():
    with pytest.raises(InvalidTime, match="no beginning"):
        start_of("before March", NOW, name="since")
    with pytest.raises(InvalidTime, match="no end"):
        end_of("since March", NOW, name="until")


@given(st.one_of(st.datetimes(), st.dates(), st.integers(), st.floats(), st.none(), st.binary()))
def test_what_is_no_text_is_left_for_others_to_read(value):
    for read in (start_of, end_of, moment_of):
        assert read(value, NOW, name="at") is value


@pytest.mark.slow
def test_every_verb_takes_words_dates_and_seconds_for_a_time():
    with Memory(":memory:", embedder="none", clock=ManualClock(NOW)) as memory:
        bank = memory.bank("ada")
        bank.remember_many(
            [Turn(text=f"It rained on {n}.", at=f"2024-04-{n}") for n in range(10, 18)]
        )
        bank.remember("The tub leaks.", at="yesterday")

        week = bank.episodes(since="last week", until="last week")
        assert [f"It rained on {n}." for n in range(10, 15)] == [one.text for one in week]
        assert 3 == len(bank.episodes(since=date(2024, 4, 16)))
        assert 3 == len(bank.episodes(since=datetime(2024, 4, 16, tzinfo=UTC).timestamp()))
        assert 9 == len(bank.episodes(until=date(2024, 4, 17)))
        assert 5 == len(bank.episodes(during=[("last week", "last week")]))
        assert day("2024-04-16") == bank.find("tub", since="yesterday")[0].occurred_at
        assert 0 == len(bank.episodes(as_of="yesterday"))
        assert 2 == bank.count("rained", since="Monday", until="yesterday")
        assert ["It rained on 14."] == [
            h.text for h in bank.recall("rained", since="Sunday", until="Sunday")
        ]


@pytest.mark.parametrize("now", ["now", " Right now.", "jetzt", "ahora"])
def test_now_is_the_moment_of_the_call_and_what_is_kept_at_it_is_from_before(now):
    with Memory(":memory:", embedder="none", clock=ManualClock(NOW)) as memory:
        bank = memory.bank("ada")
        bank.remember("The tub leaks.", at=now)
        bank.remember("A plumber comes.", at="tomorrow")

        for asked in (
            {"until": now},
            {"until": now, "as_of": now},
            {"during": f"yesterday..{now}"},
        ):
            assert [NOW] == [one.occurred_at for one in bank.episodes(**asked)]
        assert 2 == len(bank.episodes(since=now))


def test_words_are_read_as_of_the_moment_at_which_a_recall_asks():
    with Memory(":memory:", embedder="none", clock=ManualClock(NOW)) as memory:
        bank = memory.bank("ada")
        bank.remember_many(
            [Turn(text=f"It rained on {n}.", at=f"2024-04-{n}") for n in range(10, 18)]
        )

        found = bank.recall(
            "rained", now=day("2024-04-12T09:00"), since="yesterday", until="yesterday"
        )

    assert ["It rained on 11."] == [hit.text for hit in found]


def test_what_was_noted_at_midnight_was_not_known_the_day_before():
    with Memory(":memory:", embedder="none", clock=ManualClock(day("2024-04-17"))) as memory:
        bank = memory.bank("ada")
        bank.remember("The tub leaks.", at="2024-04-10")

        assert 0 == len(bank.episodes(as_of="yesterday"))
        assert 1 == len(bank.episodes(as_of="today"))
