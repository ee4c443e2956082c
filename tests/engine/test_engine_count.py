"""Counts and trends: exact, within what a read may see, sealed or not, whoever else writes."""

import asyncio
import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippocampus import AsyncMemory, Config, Ingest, Memory, Turn
from hippocampus.core.records import Period
from hippocampus.errors import InputError, InvalidFilter, InvalidText

SMALL = Config(ingest=Ingest(seal_rows=4, batch=3))
SAID = [
    ("I moved to Lisbon in March.", "Ada", "2025-03-30T09:00"),
    ("LISBON! lisbon, Lisbon's trams. Lisbonne no.", "Tom", "2025-03-31T23:30"),
    ("Porto is not far.", "Ada", "2025-04-01T00:15"),
    ("Back to Lisbon", "Ada", "2025-04-01T08:00"),
    ("(Lisbon)", "Tom", "2025-04-14T08:00"),
    ("The new\nYork and New York.", "Tom", "2025-05-02T08:00"),
]


def remember(bank):
    return bank.remember_many([Turn(text=t, speaker=who, at=at) for t, who, at in SAID])


@pytest.fixture
def told(open_memory):
    bank = open_memory(config=SMALL).bank("ada")
    remember(bank)
    return bank


def test_a_word_is_counted_in_any_case_and_whole(told):
    assert 6 == told.count("lisbon") == told.count(" Lisbon ")
    assert 1 == told.count("new york") == told.count("New\nYork")
    assert 0 == told.count("lisb") == told.count("faro") == told.count("💥")


def test_only_what_a_read_may_see_is_counted(told, clock):
    assert 3 == told.count("lisbon", speaker="tom") - 1
    assert 2 == told.count("lisbon", since="2025-04-01")
    assert 4 == told.count("lisbon", until="2025-03-31")
    assert 0 == told.count("lisbon", session="none")
    kept = told.episodes()
    clock.advance(timedelta(hours=1))
    told.forget(kept[1].id)
    assert 3 == told.count("lisbon")
    told.correct(kept[0].id, "I moved to Lisbon, yes Lisbon.")
    assert 4 == told.count("lisbon")
    told.forget(kept[3].id, erase=True)
    assert 3 == told.count("lisbon")
    told.restore(kept[1].id)
    assert 6 == told.count("lisbon")
    assert 5 == told.count("lisbon", as_of=kept[0].recorded_at)  # what was erased stays gone


def test_counting_follows_other_processes_without_needing_a_bank(told, open_memory):
    there = open_memory(config=SMALL)
    assert 0 == there.bank("nobody").count("lisbon")
    assert [] == there.bank("nobody").trend("lisbon")
    assert 6 == there.bank("ada").count("lisbon")
    told.remember("Lisbon again.")
    assert 7 == there.bank("ada").count("lisbon")
    told.forget([e.id for e in told.episodes(speaker="tom")], erase=True)
    assert 3 == there.bank("ada").count("lisbon")


def test_a_phrase_that_runs_from_one_text_into_the_next_is_in_neither(told):
    told.remember_many(
        [Turn(text="far away", at="2025-05-03"), Turn(text="lands", at="2025-05-03")]
    )

    assert 1 == told.count("away") == told.count("lands")
    assert 0 == told.count("awaylands") == told.count("far.Back")


WORD = st.sampled_from("Lisbon lisbon LISBON Porto new York NEW yorker is . - 's \n 💥".split(" "))
HOURS = st.integers(0, 24 * 900)


TEXT = st.lists(WORD, min_size=1, max_size=6).map(" ".join)


@pytest.mark.slow
@settings(max_examples=15)
@given(
    said=st.lists(st.tuples(TEXT, HOURS), max_size=14),
    term=st.sampled_from(["lisbon", "New York", "new york is", "porto", ".", "💥", "york"]),
    by=st.sampled_from(["day", "week", "month", "year"]),
    zone=st.sampled_from(["UTC", "America/Sao_Paulo", "Europe/Berlin"]),
    seal_rows=st.sampled_from([3, 100]),
)
def test_a_trend_is_a_count_of_matches_in_the_texts_of_each_period(said, term, by, zone, seal_rows):
    start = datetime(2023, 1, 1, tzinfo=UTC)
    config = Config(timezone=zone, ingest=Ingest(seal_rows=seal_rows, batch=5))
    bounded = re.escape(term.casefold())
    alone = re.compile(rf"(?<!\w){bounded}(?!\w)" if term[0].isalpha() else bounded)
    with Memory(":memory:", embedder="none", config=config) as memory:
        bank = memory.bank("ada")
        bank.remember_many(
            Turn(text=f"{text} #{n}", at=start + timedelta(hours=hours))
            for n, (text, hours) in enumerate(said)
        )
        expected = Counter()
        for episode in bank.episodes():
            day = episode.occurred_at.astimezone(ZoneInfo(zone)).date()
            day -= timedelta(days={"week": day.weekday(), "day": 0}.get(by, day.day - 1))
            day = day.replace(month=1) if by == "year" else day
            expected[day] += len(alone.findall(episode.text.casefold()))
        found = bank.trend(term, by)
        days = [period.start.date() for period in found]
        lengths = {"day": {1}, "week": {7}, "month": {28, 29, 30, 31}, "year": {365, 366}}

        assert sum(expected.values()) == bank.count(term) == sum(p.count for p in found)
        assert +expected == +Counter(dict(zip(days, (p.count for p in found), strict=True)))
        assert {(b - a).days for a, b in pairwise(days)} <= lengths[by]
        assert [min(expected), max(expected)] == [days[0], days[-1]] if said else [] == days


def test_a_trend_goes_from_since_to_until_without_gaps(told):
    found = told.trend("lisbon", "month", since="2025-01-15", until="2025-06-30")

    assert [0, 0, 4, 2, 0, 0] == [period.count for period in found]
    assert [datetime(2025, month, 1, tzinfo=ZoneInfo("UTC")) for month in range(1, 7)] == [
        period.start for period in found
    ]
    assert [Period(datetime(2025, 4, 1, tzinfo=ZoneInfo("UTC")), 1)] == told.trend(
        "lisbon", "day", since="2025-04-01", until="2025-04-01"
    )
    assert [] == told.trend("lisbon", "day", since="2025-04-01T09:00", until="2025-04-01T09:00")[1:]


def test_a_day_begins_at_midnight_where_the_user_is(open_memory):
    config = Config(timezone="Europe/Lisbon", ingest=Ingest(seal_rows=4))
    bank = open_memory("there.db", config=config).bank("ada")
    bank.remember("Lisbon by night.", at="2025-06-30T23:30:00+00:00")

    assert ["2025-07-01"] == [str(p.start.date()) for p in bank.trend("lisbon", "day")]
    assert 1 == bank.trend("lisbon", "month", since="2025-07-01", until="2025-07-01")[0].count


@pytest.mark.parametrize("by", ["day", "week", "month", "year"])
def test_the_ends_of_time_are_periods_too(open_memory, by):
    bank = open_memory().bank("ada")
    bank.remember("In the beginning.", at="0001-01-01T00:00:00+00:00")
    first = bank.trend("beginning", by)
    assert [1] == [period.count for period in first]
    bank.remember("In the end.", at="9999-12-31T23:59:59+00:00")
    bank.forget(bank.episodes()[0].id)

    assert 1 == sum(period.count for period in bank.trend("end", by))


def test_what_makes_no_sense_is_refused(told):
    told.remember("Lisbon in the year one.", at="0001-01-01")
    with pytest.raises(InputError, match=r"10,000.*longer periods"):
        told.trend("lisbon", "day")
    assert 2025 == len(told.trend("lisbon", "year"))
    for by in ("hour", "", None, "Week"):
        with pytest.raises(InputError, match="day, week, month, year"):
            told.trend("lisbon", by)
    with pytest.raises(InvalidText, match="blank"):
        told.count("  ")
    with pytest.raises(InvalidFilter, match="person"):
        told.count("lisbon", person="Ada")


def test_async_callers_count_too(path):
    async def run():
        async with AsyncMemory(path, embedder="none") as memory:
            bank = memory.bank("ada")
            await bank.remember("Lisbon, lisbon.", at="2025-03-02")
            return await bank.count("lisbon"), await bank.trend("lisbon", by="year")

    counted, periods = asyncio.run(run())
    assert (2, [2]) == (counted, [period.count for period in periods])
