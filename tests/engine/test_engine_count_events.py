"""Counting events: each once, by what memories tell that took place, within what a read may see."""

import json
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path

import pytest

from hippocampus import Policy, Turn
from hippocampus.core.records import Interval
from hippocampus.errors import InputError, InvalidTime
from hippocampus.language.counting.asked import read_asked_occasion
from hippocampus.language.counting.mentions import Mention
from hippocampus.recall.counted_events import ToldEvent, group_events

DATA = json.loads((Path(__file__).parents[1] / "data" / "counted_events.json").read_text("utf-8"))
ASKED = [(h["name"], q["q"]) for h in DATA["histories"] for q in h["questions"]]
NOW = datetime(2025, 6, 1, 12, tzinfo=UTC)


def days(events):
    return [f"{event.start:%Y-%m-%d}" for event in events]


@pytest.fixture(scope="module")
def histories():
    from hippocampus import Memory

    with Memory(":memory:", embedder="hash") as memory:
        for history in DATA["histories"]:
            name = history["name"]
            for at, text in history["episodes"]:
                several = history.get("others")
                speaker, _, said = text.partition(": ") if several else (name, "", text)
                memory.bank(name).remember(said, at=at, speaker=speaker)
        yield memory


@pytest.mark.slow
@pytest.mark.parametrize(("name", "question"), ASKED, ids=[question for _, question in ASKED])
def test_what_took_place_is_counted(histories, name, question):
    (wanted,) = [
        q for h in DATA["histories"] if h["name"] == name for q in h["questions"]
        if q["q"] == question
    ]  # fmt: skip
    now = datetime.fromisoformat(wanted["at"]).replace(tzinfo=UTC)

    found = histories.bank(name).count_events(question, now=now)

    assert wanted["days"] == days(found.events)
    assert wanted.get("count", len(wanted["days"])) == found.count
    assert not {*days(found.events)} & {*days(found.doubtful)}


@pytest.fixture
def bank(open_memory):
    return open_memory(embedder="hash").bank("ada")


TOLD = {
    "climb": ("climbed the tower", "climbing the tower", "climb the tower"),
    "paint": ("painted the fence", "painting the fence", "paint the fence"),
    "ride": ("rode the ferry", "riding the ferry", "ride the ferry"),
    "write": ("wrote to the bank", "writing to the bank", "write to the bank"),
    "meet": ("met the architect", "meeting the architect", "meet the architect"),
}
HAPPENED = (
    "I {0} yesterday.", "Yesterday we {0}, tiring but good.", "{0} again yesterday.",
    "On Tuesday I {0} with a friend.", "It rained, but I {0} all the same.",
    "We finally {0} this morning!", "Then I {0} and went to bed.",
)  # fmt: skip
DID_NOT = (
    "I did not {2} yesterday.", "I never {0}.", "I am going to {2} tomorrow.",
    "I want to {2} on Friday.", "If I {2} again I will tell you.", "I might {2} next week.",
    "Should I {2} on Sunday?", "I was going to {2} yesterday but it rained.",
    "I would have {0} if it had been dry.", "We cancelled {1} yesterday.",
    "I keep putting off {1}.",
    "I must {2} soon.", "Let's {2} on Saturday.", "I used to {2} as a child.",
    "My neighbour {0} yesterday.", "She {0} yesterday.",
)  # fmt: skip


@pytest.mark.parametrize(("verb", "frame"), list(product(TOLD, HAPPENED)))
def test_whatever_the_verb_and_the_sentence_a_deed_is_counted(bank, verb, frame):
    said = frame.format(*TOLD[verb])
    bank.remember(said[0].upper() + said[1:], at="2025-05-22T20:00", speaker="Ada")

    assert 1 == bank.count_events(f"How many times did I {TOLD[verb][2]}?", now=NOW).count


@pytest.mark.parametrize(("verb", "frame"), list(product(TOLD, DID_NOT)))
def test_whatever_the_verb_what_did_not_take_place_is_not_counted(bank, verb, frame):
    said = frame.format(*TOLD[verb])
    bank.remember(said[0].upper() + said[1:], at="2025-05-22T20:00", speaker="Ada")

    assert 0 == bank.count_events(f"How many times did I {TOLD[verb][2]}?", now=NOW).count


@pytest.mark.parametrize("question", [
    "How many times did I play squash in May?", "how often have i played squash in may",
    "count the times I played squash in May", "playing squash in May", "squash matches in May",
    "can you tell me how many times we played squash in May",
])  # fmt: skip
def test_the_same_may_be_asked_in_many_ways(bank, question):
    for at in ("2025-04-29T20:00", "2025-05-06T20:00", "2025-05-13T20:00"):
        bank.remember("We played a squash match tonight.", at=at, speaker="Ada")

    assert ["2025-05-06", "2025-05-13"] == days(bank.count_events(question, now=NOW).events)


def test_memories_of_one_event_are_counted_once_with_all_of_them_named(bank):
    first = bank.remember("I went sailing with Tom this morning.", at="2025-05-03T20:00")
    second = bank.remember("Still wet from sailing yesterday.", at="2025-05-04T09:00")

    (event,) = bank.count_events("How many times did I go sailing?", now=NOW).events

    assert (first.id, second.id) == event.episodes
    assert "I went sailing with Tom this morning." == event.quote
    assert "told" == event.evidence


def test_filters_of_time_mean_when_it_took_place_instead_of_when_it_was_told(bank):
    bank.remember("I sailed on 28 April.", at="2025-05-02T08:00")
    bank.remember("I sailed today.", at="2025-05-10T08:00")

    def when(**filters):
        return days(bank.count_events("sailing", now=NOW, **filters).events)

    assert ["2025-05-10"] == when(since="2025-05-01")
    assert ["2025-04-28"] == when(until="2025-04-30")
    assert ["2025-04-28"] == when(during=[("2025-04-01", "2025-05-01")])


def test_all_times_that_are_given_hold_together_for_an_event(bank):
    for day in ("2025-03-02", "2025-05-03", "2025-05-10", "2025-05-30"):
        bank.remember("I sailed round the island.", at=day)
    asked = "How many times did I sail in May 2025?"

    def when(question, **filters):
        return days(bank.count_events(question, now=NOW, **filters).events)

    assert ["2025-05-03", "2025-05-10", "2025-05-30"] == when(asked, since="2025-03-01")
    assert ["2025-05-10"] == when(asked, since="2025-05-05", until="2025-05-20")
    assert ["2025-05-03"] == when("sailing", during="May 2025", until="2025-05-09")
    assert ["2025-05-03", "2025-05-30"] == when(
        asked, during=[(None, "2025-05-04"), ("2025-05-20", None)]
    )
    assert [] == when(asked, until="2025-04-30")


def test_what_an_included_bank_tells_of_is_not_counted(open_memory):
    memory = open_memory(embedder="hash")
    own, other = memory.bank("ada"), memory.bank("tom")
    own.remember("I sailed round the island.", at="2025-05-03")
    other.remember("I sailed round the bay.", at="2025-05-10")
    own.include("tom")

    assert ["2025-05-03"] == days(own.count_events("sailing", now=NOW).events)


def test_what_took_place_today_counts_up_to_now(bank):
    bank.remember("I sailed round the island.", at="2025-06-01T07:00")
    bank.remember("I sailed round the bay.", at="2025-05-31T07:00")

    asked = ("how often did I sail so far this month?", "how often did I sail in June?")
    given = {"now": NOW.replace(hour=9)}
    assert [1, 1] == [bank.count_events(one, **given).count for one in asked]
    assert 2 == bank.count_events("sailing", until="now", **given).count
    assert 1 == bank.count_events("sailing", until="2025-06-01T00:00", **given).count


def test_only_what_a_read_may_see_is_counted_as_an_event(bank):
    bank.remember_many([
        Turn(text="I sailed today.", at="2025-05-10T08:00", speaker="Ada", session="s1"),
        Turn(text="I sailed today.", at="2025-05-11T08:00", speaker="Tom", session="s2"),
        Turn(text="You sailed on 9 May, well done!", at="2025-05-12T08:00", role="assistant"),
    ])  # fmt: skip

    assert 2 == bank.count_events("how often did we sail?", now=NOW).count
    assert 1 == bank.count_events("how often did we sail?", now=NOW, speaker="tom").count
    assert 1 == bank.count_events("how often did Tom sail?", now=NOW).count
    bank.forget(bank.find("sailed", speaker="Tom")[0].id)
    assert ["2025-05-10"] == days(bank.count_events("how often did we sail?", now=NOW).events)


def test_what_is_told_as_twice_counts_twice(bank):
    bank.remember("I called the landlord twice today.", at="2025-05-10T20:00")

    found = bank.count_events("How many times did I call the landlord?", now=NOW)

    assert (2, 1, 2) == (found.count, len(found.events), found.events[0].times)


@pytest.mark.parametrize("alone", [(), ("2025-05-06",), ("2025-05-06", "2025-05-08")])
@pytest.mark.parametrize(("said", "times"), [("twice", 2), ("three times", 3)])
def test_how_often_it_was_in_a_week_includes_what_is_told_of_its_days(bank, alone, said, times):
    for day in alone:
        bank.remember("I called the landlord.", at=f"{day}T20:00")
    for at in ("2025-05-09T20:00", "2025-05-09T21:00"):
        bank.remember(f"I called the landlord {said} this week.", at=at)
    bank.remember("I called the landlord.", at="2025-05-15T20:00")

    found = bank.count_events("How many times did I call the landlord?", now=NOW)

    assert times + 1 == found.count


def test_a_question_how_often_finds_one_memory_of_each_event_first(bank):
    for day in range(2, 12):
        bank.remember("I went running before work.", at=f"2025-05-{day:02d}T08:00", speaker="Ada")
        bank.remember("Running is what I should do more.", at=f"2025-05-{day:02d}T09:00")

    found = bank.recall("How many times did I go running in May?", k=10, now=NOW)

    assert {"I went running before work."} == {hit.text for hit in found.hits}


def test_events_of_other_days_are_not_compared_with_each_other():
    compared = []

    class Moment(datetime):
        def __lt__(self, other):
            compared.append(1)
            return super().__lt__(other)

    first = Moment(2000, 1, 1, tzinfo=UTC)
    told = []
    for day in range(1000):
        start = first + timedelta(days=day)
        time = Interval(start, start + timedelta(days=1))
        mention = Mention(quote="I ran.", times=(time,), told=True, sure=True)
        told.append(ToldEvent(f"{day}", start, mention, "told"))

    sure, _ = group_events(told, None, NOW)

    assert 1000 == len(sure)
    assert len(compared) < 50 * len(told)


def test_what_has_faded_is_counted_by_all_that_it_said(bank, clock):
    text = (
        "Well, you know, on Monday we finally sold the old boat to Rui for 4500 euros, and the"
        " sails went with it. We swam, too. The trailer stays with us for now, as nobody"
        " asked for it."
    )
    bank.remember(text, speaker="Ada")
    bank.set_policy(Policy(deepest=2, warm_level=2, promote=0.0, cap=1.0))
    clock.advance(timedelta(days=90))
    bank.sleep(steps=["forget"])

    assert "swam" not in bank.recall("How often did we swim?").hits[0].text
    assert 1 == bank.count_events("How often did we swim?").count


def test_nothing_is_counted_of_what_nobody_did(bank):
    found = bank.count_events("How many times did I go to the moon?", now=NOW)

    assert (0, (), ()) == (found.count, found.events, found.doubtful)
    with pytest.raises(InputError):
        bank.count_events("  ")
    with pytest.raises(InvalidTime):
        bank.count_events("runs", since="someday")


NOTHING = ("?", "how many", "how many times", "how often did", "🏃", "跑步", "of")


@pytest.mark.parametrize("text", NOTHING)
def test_a_question_that_asks_for_nothing_counts_nothing(bank, text):
    bank.remember("I went running this morning.", at="2025-05-02T08:00")

    assert 0 <= bank.count_events(text, now=NOW).count <= 1


@pytest.mark.parametrize(
    ("question", "told", "count"),
    [
        ("How often was the kiln cold?", ("The kiln was cold again.", "Our kiln was cold."), 2),
        ("How many times was the tall gate open?", ("The tall gate was open.", "It rained."), 1),
        ("How often were the old pumps loud?", ("The old pumps were not loud.",), 0),
        ("How often was Ines ill?", ("Ines was ill on Monday.", "Ines was here."), 1),
        ("How often was I ill?", ("I was ill yesterday.", "The dog was ill."), 1),
    ],
)
def test_what_something_was_is_counted_like_what_it_did(bank, question, told, count):
    for day, text in enumerate(told):
        bank.remember(text, at=f"2025-04-{day + 10}", speaker="Ada")

    assert count == bank.count_events(question).count


def test_without_an_embedder_nothing_is_near_in_meaning(open_memory):
    bank = open_memory(embedder="none").bank("ada")
    bank.remember("Lena moved to Porto.", at="2025-04-10")
    bank.remember("I swam in the lake.", at="2025-04-11")

    found = bank.count_events("How many times did I swim?")
    assert (1, ()) == (found.count, found.doubtful)


PLACES = ("pool", "library", "theatre", "gym")
WENT = (
    "Went to the {0} before lunch.", "{0} again, worn out.", "Hit the {0} with Tom.",
    "{0} again, my arms are lead.",
    "Back at the {0} this evening.", "At the {0} with Tom, bliss.", "Tom took me to the {0}.",
    "Tom and I went to the {0}.", "Spent an hour at the {0}.", "Tom came to the {0} with me.",
)  # fmt: skip
STAYED = (
    "Tom went to the {0} without me.", "Tom went to the {0}.", "My sister went to the {0}.",
    "Tom told me he went to the {0}.", "Skipped the {0}.", "I should go to the {0} again.",
    "Never the {0} again.", "{0} again tomorrow.", "Back at the {0} on Friday.",
    "Tom went to the {0} instead of me.", "{0} again on Friday, I need it.",
    "I like the {0} again.",
)  # fmt: skip


def capital(text):
    return text[0].upper() + text[1:]


@pytest.mark.parametrize(("place", "frame"), list(product(PLACES, WENT)))
def test_a_place_is_counted_where_whoever_asks_was_there(bank, place, frame):
    bank.remember(capital(frame.format(place)), at="2025-05-22T20:00", speaker="Ada")

    for asked in ("How many times did I go to the {0}?", "How often was I at the {0} in May?"):
        assert 1 == bank.count_events(asked.format(place), now=NOW).count


@pytest.mark.parametrize(("place", "frame"), list(product(PLACES, STAYED)))
def test_a_place_is_not_counted_where_only_others_were(bank, place, frame):
    bank.remember(capital(frame.format(place)), at="2025-05-22T20:00", speaker="Ada")

    for asked in ("How many times did I go to the {0}?", "How often was I at the {0} in May?"):
        assert 0 == bank.count_events(asked.format(place), now=NOW).count


@pytest.mark.parametrize("who", ["dentist", "optician", "barber"])
@pytest.mark.parametrize(
    ("said", "count"),
    [
        ("Saw the {0} about it.", 1), ("Back at the {0} for a check.", 1),
        ("Had to visit the {0} again.", 1), ("I went to the {0}.", 1),
        ("The {0} is on holiday.", 0), ("Rang the {0}.", 0), ("Didn't see the {0} after all.", 0),
        ("Ola saw the {0}.", 0),
    ],
)  # fmt: skip
def test_seeing_somebody_at_work_is_going_there(bank, who, said, count):
    bank.remember(said.format(who), at="2025-05-22T20:00", speaker="Ada")

    asked = f"How many times have I been to the {who} this year?"
    assert count == bank.count_events(asked, now=NOW).count


@pytest.mark.parametrize(
    ("said", "count"),
    [
        ("Tom went to the pool without me.", 1), ("Hit the pool with Tom.", 1),
        ("I went to the pool with Tom.", 1), ("Tom and I went to the pool.", 1),
        ("I went to the pool without Tom.", 0), ("I told Tom about the pool.", 0),
    ],
)  # fmt: skip
def test_whoever_came_along_was_there(bank, said, count):
    bank.remember(said, at="2025-05-22T20:00", speaker="Ada")

    assert count == bank.count_events("How often did Tom go to the pool?", now=NOW).count


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("Camping in Snowdonia 17-21 June.", "How many times did I go camping?"),
        ("Sailing 3-5 June with Ola.", "How many times did I go sailing?"),
        ("Marathon 6 June!", "How many marathons did I run?"),
        ("Tom flies to Oslo 27 Dec to 3 Jan", "How many times did Tom fly to Oslo?"),
    ],
)
@pytest.mark.parametrize("now", [NOW, NOW.replace(year=2026)])
def test_what_a_note_tells_ahead_is_no_event_of_a_year_before(bank, said, question, now):
    bank.remember(said, at="2025-05-28T20:00", speaker="Ada")

    assert 0 == bank.count_events(question, now=now).count


def test_nothing_is_counted_that_lies_after_the_present_of_the_question(bank):
    bank.remember("I went sailing.", at="2025-05-03T20:00")
    bank.remember("I went sailing.", at="2025-05-20T20:00")

    assert ["2025-05-03"] == days(bank.count_events("sailing", now="2025-05-10").events)


@pytest.mark.parametrize(
    ("said", "question", "count"),
    [
        ("nosebleed, first since march", "How many nosebleeds did I have?", 1),
        ("sprained ankle - my second this year", "How many sprained ankles did I have?", 1),
        ("sauna, first thing tomorrow", "How often did I go to the sauna?", 0),
        ("choir, sang the Rutter, everyone loved it", "How often did we have choir?", 1),
        ("choir, Anna cancelled", "How often did we have choir?", 0),
        ("choir: bring the Rutter", "How often did we have choir?", 0),
        ("dentist, rang me back", "How often was I at the dentist?", 0),
    ],
)  # fmt: skip
def test_a_note_without_a_verb_is_read_with_what_stands_beside_it(bank, said, question, count):
    bank.remember(said, at="2025-05-22T20:00", speaker="Ada")

    assert count == bank.count_events(question, now=NOW).count


@pytest.mark.parametrize(
    ("said", "question", "count"),
    [
        ("I ordered a pizza twice this week.", "How often did I order pizza?", 2),
        ("Swam three times in April.", "How many times did I swim?", 3),
        ("I swam twice a week in April.", "How many times did I swim?", 1),
        ("Ran twice the distance today.", "How many times did I run?", 1),
        ("I drove to Graz on Monday and to Linz on Tuesday.", "How often did I drive?", 2),
        ("Swam 40 lengths on Monday and 60 on Tuesday.", "How many times did I swim?", 2),
        ("Swam on Monday and I was ill on Tuesday.", "How many times did I swim?", 1),
        ("Swam on Monday and not on Tuesday.", "How many times did I swim?", 1),
        ("I've sold four chairs today.", "How many chairs did I sell?", 4),
        ("Read three novels on the train.", "How many novels did I read?", 3),
        ("Finished reading Ulysses.", "How many novels did I read?", 1),
        ("I bought two novels and read one.", "How many novels did I read?", 1),
        ("I read two of five novels.", "How many novels did I read?", 1),
        ("Swam as planned.", "How many times did I swim?", 1),
        ("Planned a swim.", "How many times did I swim?", 0),
        ("I babysat on Friday.", "How often did I babysit?", 1),
        ("Redid the bathroom.", "How often did I redo the bathroom?", 1),
        ("Dad visited.", "How often did I visit dad?", 0),
        ("She's visited dad.", "How often did I visit dad?", 0),
        ("I've visited dad.", "How often did I visit dad?", 1),
        ("Second appointment with Dr. Novak.", "How often did I see Dr. Novak?", 1),
        ("Second appointment with Dr. Huber.", "How often did I see Dr. Novak?", 0),
        ("No appointment with Dr. Novak until May.", "How often did I see Dr. Novak?", 0),
    ],
)
def test_how_often_it_was_in_a_longer_time_is_told_and_no_rate_is(bank, said, question, count):
    bank.remember(said, at="2025-05-22T20:00", speaker="Ada")

    assert count == bank.count_events(question, now=NOW).count


LIFE = {
    "2025-01-10": "Swam for the first time in ages.",
    "2025-02-10": "I swam 20 lengths.",
    "2025-02-20": "Did not swim because of my shoulder.",
    "2025-03-05": "I wanted to swim but the pool was closed.",
    "2025-03-08": "The last swim of Tom was in May.",
    "2025-03-12": "We argued about swimming lessons.",
}


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("When did I last swim?", "2025-02-10"),
        ("When did I swim last?", "2025-02-10"),
        ("When was the last time I went swimming?", "2025-02-10"),
        ("When did I swim most recently?", "2025-02-10"),
        ("When did I first swim?", "2025-01-10"),
        ("When was the first time that I swam?", "2025-01-10"),
    ],
)
def test_the_last_or_first_to_take_place_leads_where_its_time_is_asked_for(bank, question, day):
    for said_on, text in LIFE.items():
        bank.remember(text, at=said_on, speaker="Ada")

    assert LIFE[day] == bank.recall(question)[0].text


@pytest.mark.parametrize(
    ("question", "last"),
    [
        ("When did the boiler last break down?", True),
        ("When did I eat pizza last?", True),
        ("When was Tom first ill?", False),
        ("When did I finish last in the race?", None),
        ("When did we move at last?", None),
        ("When did I see the last film?", None),
        ("When did my last lesson take place?", None),
    ],
)
def test_the_time_of_an_occasion_is_asked_for_only_where_last_is_of_the_deed(question, last):
    occasion = read_asked_occasion(question, NOW)

    assert last == (None if occasion is None else occasion.last)


def test_the_first_time_in_a_year_is_on_its_own_day(bank):
    bank.remember("Swam for the first time this year.", at="2025-03-01", speaker="Ada")
    bank.remember("Swam again.", at="2025-03-08", speaker="Ada")
    bank.remember("Another swim, the third this month.", at="2025-03-15", speaker="Ada")

    assert ["2025-03-01", "2025-03-08", "2025-03-15"] == [
        f"{event.start:%Y-%m-%d}" for event in bank.count_events("How often did I swim?").events
    ]


def test_what_was_in_a_year_is_not_counted_for_a_month_of_it(bank):
    bank.remember("I swam three times in 2024.", at="2025-05-22T20:00", speaker="Ada")

    assert 0 == bank.count_events("How many times did I swim in July 2024?", now=NOW).count


@pytest.mark.parametrize(
    ("said", "question", "count"),
    [
        ("Applied to the council as a housing officer.", "How many times did we move house?", 0),
        ("The booking at the hotel was easy.", "How many books did I have?", 0),
        ("Squash again, two hours.", "How many times did I skip squash?", 0),
        ("Skipped squash, worn out.", "How many times did I skip squash?", 1),
        ("Took the bus home.", "How many times did I miss the bus?", 0),
    ],
)
def test_other_words_of_a_stem_and_the_opposite_deed_do_not_count(bank, said, question, count):
    bank.remember(said, at="2025-05-22T20:00", speaker="Ada")

    assert count == bank.count_events(question, now=NOW).count


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Wie oft war ich im September joggen?", "German"),
        ("¿Cuántas veces fui al cine?", "Spanish"),
        ("Combien de fois suis-je allé nager ?", "French"),
        ("我打过几次麻将？", "Chinese"),
    ],
)
def test_a_count_that_is_asked_for_in_another_language_says_that_it_is_none(
    bank, question, language
):
    bank.remember("Heute war ich joggen, 5 Kilometer.", at="2025-05-22T20:00", speaker="Ada")

    (lack,) = [x for x in bank.count_events(question, now=NOW).degraded if x.part == "language"]

    assert f"the question is in {language}" in lack.reason
    assert "in English alone" in lack.reason


def test_memories_in_another_language_that_a_count_is_near_to_are_told(bank):
    bank.remember("Heute war ich mit Anna im Kino, es war schön.", at="2025-05-22", speaker="Ada")

    (lack,) = bank.count_events("How often was I at the Kino?", now=NOW).degraded

    assert lack.reason.startswith("memories near to it are in German")


@pytest.mark.parametrize("asked", ["How often did I swim in May?", "my runs", "Pilates in August"])
def test_a_count_in_english_of_what_was_told_in_english_lacks_nothing(bank, asked):
    bank.remember("I swam in the lake and ran home.", at="2025-05-22T20:00", speaker="Ada")

    assert bank.count_events(asked, now=NOW).degraded == ()
