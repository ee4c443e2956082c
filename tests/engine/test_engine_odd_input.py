"""Odd input that is no error: what it says of itself holds, and nothing else suffers for it."""

from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus import Config, Memory, Turn
from hippocampus.core.clock import ManualClock
from hippocampus.upkeep import verify

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)
DAY = "2026-11-03"
PLACES = ("Porto", "Lisbon", "Graz", "Oslo", "Cork")


@pytest.fixture
def bank(open_memory):
    return open_memory(":memory:", clock=ManualClock(NOW)).bank("ada")


def say(bank, *texts, at=DAY, speaker="Ana"):
    return bank.remember_many([Turn(text=text, speaker=speaker, at=at) for text in texts])


# ---------------------------------------------------------------- contradictions and clocks


@pytest.mark.slow
@given(st.permutations([(hour, place) for hour, place in enumerate(PLACES)]))
def test_of_what_contradicts_itself_on_one_day_the_latest_holds(told):
    with Memory(":memory:", embedder="none", clock=ManualClock(NOW)) as memory:
        bank = memory.bank("ada")
        for hour, place in told:
            say(bank, f"I live in {place}.", at=f"{DAY}T{9 + hour:02}:00")

        facts = {fact.object: fact.current for fact in bank.facts("Ana")}
        assert facts == {place: place == PLACES[-1] for place in PLACES}
        assert PLACES[-1] in bank.recall("Where does Ana live?", 1)[0].text


@pytest.mark.parametrize(
    "texts", [["I live in Porto.", "I live in Lisbon."], ["I live in Porto. I live in Lisbon."]]
)
def test_of_what_is_said_at_one_moment_the_last_sentence_holds(bank, texts):
    say(bank, *texts)

    assert [("Porto", False), ("Lisbon", True)] == [
        (fact.object, fact.current) for fact in bank.facts("Ana")
    ]


def test_a_turn_from_a_clock_far_ahead_holds_from_then_and_not_now(bank):
    say(bank, "I moved to Porto.", at="2099-01-01")
    say(bank, "I moved to Lisbon.", at="2026-11-20")
    say(bank, "I moved to Faro.", at="1901-01-01")

    def held(at):
        return [fact.object for fact in bank.facts("Ana", at=at)]

    assert ["Lisbon"] == held(NOW)
    assert ["Faro"] == held("1950-06-01")
    assert ["Porto"] == held("2099-06-01")
    assert "Lisbon" in bank.recall("What did Ana do last week?", 1)[0].text
    for _ in range(2):  # before and after a sleep
        assert "Lisbon" in bank.recall("Where does Ana live?", 1)[0].text
        bank.sleep()
    assert ["Lisbon"] == held(NOW)


# ---------------------------------------------------------------- times that cannot be


@pytest.mark.parametrize(
    "said",
    [
        "I met Tom on 31 April 2026.",
        "We met on 29 February 2025.",
        "The party is at 25:70 on the 45th of May.",
        "It happened on 2026-13-45T99:99.",
        "See you in 99999999999 years.",
        "It was 99999999999 days ago.",
        "Back in the year 0 and in 10000 BC.",
        "Between May 2026 and March 2026 nothing moved.",
        "On Monday the 1st, 2nd, 3rd of Smarch at 12:60.",
    ],
)
def test_a_time_that_cannot_be_is_found_by_the_words_it_is_kept_as(bank, said):
    (kept,) = say(bank, said)

    assert said == bank.get(kept.id).text
    recall = bank.recall(said, 1)
    assert kept.id == recall[0].id
    assert all(None in pair or pair[0] < pair[1] for pair in _ends(recall.intervals))
    bank.sleep()
    bank.count_events("How many times did I meet Tom?")
    bank.context(said, budget_tokens=300)


def _ends(intervals):
    return [(interval.start, interval.end) for interval in intervals]


# ---------------------------------------------------------------- names


@given(st.permutations(["Elisabeth", "Lisbeth", "Betty", "Bee", "Lilibet"]))
def test_a_person_of_five_names_is_known_by_each(names):
    with Memory(":memory:", embedder="none", clock=ManualClock(NOW)) as memory:
        bank = memory.bank("ada")
        say(bank, *(f"{one} is also called {other}." for one, other in pairwise(names)))
        say(bank, "Elisabeth lives in Graz.")

        for name in names:
            assert "Graz" in {fact.object for fact in bank.facts(name)}, name


def test_two_persons_of_one_first_name_are_two_by_their_surnames(bank):
    say(bank, "Tom Berger lives in Oslo.", "Tom Huber lives in Graz.", "Tom Huber is a nurse.")
    bank.sleep()

    told = {(fact.subject, fact.object) for fact in bank.facts()}
    assert {("Tom Berger", "Oslo"), ("Tom Huber", "Graz"), ("Tom Huber", "nurse")} <= told
    assert all(fact.current for fact in bank.facts())
    for name, place in (("Tom Berger", "Oslo"), ("Tom Huber", "Graz")):
        assert place in bank.recall(f"Where does {name} live?", 1)[0].text
        assert {place} == {f.object for f in bank.facts(name) if f.relation == "lives_in"}
    assert {"Oslo", "Graz"} <= {
        word.strip(".")
        for hit in bank.recall("Where does Tom live?", 3)
        for word in hit.text.split()
    }


# ---------------------------------------------------------------- scripts, emoji, nothing


MIXED = {
    "Ich habe am Montag mit Tom über the new contract gesprochen, et il a dit oui.":
        ("new contract", "gesprochen Montag", "il a dit"),
    "昨天我和 Tom 去了 Lisbon，天气 was great.": ("Lisbon", "天气", "我和"),
    "Встреча with Лена в пятницу, ok?": ("Лена", "Встреча"),
    "اجتماع مع Sara غدا about the budget": ("budget", "اجتماع"),
}  # fmt: skip


def test_a_text_of_several_languages_is_found_by_the_words_of_each(open_memory):
    bank = open_memory(":memory:", embedder="none").bank("ada")
    say(bank, *MIXED, "The soup has ginger.")
    bank.sleep()

    for text, questions in MIXED.items():
        for question in questions:
            assert text == bank.recall(question, 1)[0].text, question


WITHOUT_WORDS = ("😂😂", "🎂", "👩‍👩‍👧‍👦", "...", "?!", "—", "\u200b\u200d", "🏳️‍🌈 🏳️‍🌈")


def test_what_has_no_words_is_kept_without_saying_anything(bank):
    kept = say(bank, *WITHOUT_WORDS)
    say(bank, "The cake is in the oven.")
    bank.sleep()

    assert list(WITHOUT_WORDS) == [bank.get(one.id).text for one in kept]
    assert () == tuple(bank.facts()) == tuple(bank.anchors())
    assert [] == [word for word in WITHOUT_WORDS if word in bank.summary().text]
    assert "The cake is in the oven." == bank.recall("cake", 1)[0].text
    for text in WITHOUT_WORDS:
        bank.recall(text)
        assert 0 == bank.count_events(f"how many times {text}?").count
    assert not bank.recall("...").found


def test_an_emoji_is_found_by_itself(bank):
    say(bank, "😂😂", "🎂", "The cake is in the oven.")

    assert "🎂" == bank.recall("🎂", 1)[0].text
    assert "😂😂" == bank.recall("😂", 1)[0].text


@pytest.mark.slow
@given(st.lists(st.text(min_size=1, max_size=60).filter(str.strip), min_size=1, max_size=6))
def test_whatever_is_said_a_bank_stays_sound_through_sleep_and_answers(texts):
    with Memory(":memory:", embedder="none", clock=ManualClock(NOW)) as memory:
        bank = memory.bank("ada")
        try:
            say(bank, *texts)
        except ValueError:  # a lone surrogate
            assert any("\ud800" <= one <= "\udfff" for text in texts for one in text)
            return
        bank.sleep()
        bank.context(texts[0], budget_tokens=400)
        bank.count_events(texts[-1])

        assert verify(memory).sound


def test_without_a_model_a_question_is_found_by_a_word_that_it_alone_has(open_memory):
    bank = open_memory(":memory:", embedder="none").bank("ada")
    asked, *_ = say(bank, "Where is the samovar?", "The soup has ginger.", "It rains in Cork.")

    assert asked.id == bank.recall("samovar", 1)[0].id


# ---------------------------------------------------------------- the ends of the calendar

ENDS = (
    "0001-01-01T00:00:00Z", "0001-01-01T02:00:00Z", "9999-12-31T12:00:00Z", "9999-12-31T23:59:59Z"
)  # fmt: skip
"""What other programs keep for "never" and "for ever", and moments less than a day from them."""
AT_THE_ENDS = (
    "My sister Anna lives in Oslo.",
    "I live in Porto.",
    "I went to the gym with Anna.",
    "Every Monday I go for a run with Bob.",
    "Every first Monday of the month I meet Clara.",
    "The meeting with Tom is tomorrow at 5 pm.",
)
QUESTIONS = (
    "Where does Anna live?", "When was I at the gym?", "When do I go for a run?", "When is it?",
    "How often did I go to the gym?", "What did I say before I went to the gym?", "in March 2020",
)  # fmt: skip


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Tokyo"])
def test_a_bank_with_the_first_and_the_last_times_is_read_and_sleeps(open_memory, zone):
    config = Config(timezone=zone)
    bank = open_memory(":memory:", clock=ManualClock(NOW), config=config).bank("ada")
    for end in ENDS:
        say(bank, *AT_THE_ENDS, at=end)
    bank.correct(bank.episodes()[-1].id, "The meeting with Tom is off.")
    never, *_ = bank.episodes()

    for _ in range(2):
        assert {"Anna", "Ana"} <= {one.name for one in (*bank.people(), *bank.entities())}
        assert {"Oslo", "Porto"} <= {fact.object for fact in bank.facts()}
        for now in (None, ENDS[0], ENDS[-1]):
            for question in QUESTIONS:
                assert bank.recall(question, now=now).query == question
                assert bank.context(question, now=now, recent=2).text
                told = bank.explain(question, now=now, ids=[never.id])
                assert ([never.id], True) == ([one.id for one in told.asked], bool(str(told)))
                assert bank.count_events(question, now=now).count >= 0
        for end in ENDS:
            assert bank.explain("Anna", since=end, as_of=end)
            assert bank.facts(at=end) or end < "1"
        assert [1, 9999] == [bank.stats().first.year, bank.stats().last.year]
        assert bank.sleep().number


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Tokyo"])
def test_what_took_place_on_the_last_day_is_counted_on_it(open_memory, zone):
    config = Config(timezone=zone)
    bank = open_memory(":memory:", clock=ManualClock(NOW), config=config).bank("ada")
    say(bank, "I went to the gym.", at="9999-12-31T23:59:59Z")

    (event,) = bank.count_events("how often did I go to the gym?", now=ENDS[-1]).events
    assert (9999, 12, 31) == (event.start.year, event.start.month, event.start.day)
    assert event.start < event.end <= datetime.max.replace(tzinfo=UTC)
