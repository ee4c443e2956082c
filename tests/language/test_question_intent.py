"""What a question asks of time: when something was, or for the latest."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.encode.terms import find_terms
from hippocampus.language.question_intent import (
    asks_last,
    asks_only_last,
    asks_when,
    day_of,
    find_intents,
    is_impersonal,
    is_label,
    is_small_talk,
    places_of,
    time_told,
    times_of_events,
)
from hippocampus.language.time import find_intervals
from hippocampus.recall.parse import parse

SAID = datetime(2023, 5, 8, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    "question",
    [
        "When did I see the dentist?",
        "when was the party",
        "When?",
        "What day did we move?",
        "Which year did she graduate?",
        "How long ago did I start running?",
        "Do you remember when Tom called?",
        "Since when have I had the cat?",
        "When's the next class?",
        "whens the harriers party",
    ],
)
def test_a_question_for_a_time_is_known(question):
    assert asks_when(question)


@pytest.mark.parametrize(
    "question",
    [
        "When I was in Rome, what did I eat?",
        "What did I eat on Monday?",
        "How many times did we swim?",
        "What did she wear the day we met?",
        "Whenever",
        "",
    ],
)
def test_a_question_that_names_a_time_asks_for_none(question):
    assert not asks_when(question)


@pytest.mark.parametrize(
    ("question", "only"),
    [
        ("What did we talk about last?", True),
        ("What was the last thing I said?", True),
        ("What did I mention most recently?", True),
        ("What is the latest on the boat?", False),
        ("Where did I go on my most recent trip?", False),
        ("When did I last see the dentist?", False),
        ("What did we discuss last time about taxes?", False),
    ],
)
def test_a_question_for_the_latest_is_known(question, only):
    assert asks_last(question)
    assert asks_only_last(question) == only


@pytest.mark.parametrize(
    "question",
    [
        "Where were we?",
        "How far along are we?",
        "Where did I get to?",
        "Where had we paused?",
        "So where do we resume?",
        "What comes next?",
        "What's next?",
        "How far did we get?",
    ],
)
def test_how_far_it_has_come_is_a_question_for_the_latest(question):
    assert asks_last(question)
    assert asks_only_last(question)


@pytest.mark.parametrize(
    ("question", "latest"),
    [
        ("How far did we get with the kitchen?", True),
        ("Where had we stopped with the accounts?", True),
        ("Where did we stop for lunch in Porto?", False),
        ("Where did I leave my keys?", False),
        ("What did I get?", False),
        ("What did I start?", False),
        ("Where do we live?", False),
        ("Where am I?", False),
        ("Where does it end?", False),
        ("Who is she?", False),
        ("How far is the station?", False),
    ],
)
def test_what_is_named_besides_is_asked_for_too(question, latest):
    assert asks_last(question) == latest
    assert not asks_only_last(question)


@pytest.mark.parametrize(
    "question",
    [
        "What did we talk about last week?",
        "What did you do last Monday?",
        "What is Ada's last name?",
        "How long did it last in the end, and why?",
        "",
    ],
)
def test_other_lasts_are_left_alone(question):
    assert not asks_last(question)


@pytest.mark.parametrize(
    ("question", "intents"),
    [
        ("Who is my boss now?", {"now"}),
        ("Do I still live in Leeds?", {"now"}),
        ("Which phone do I currently have?", {"now"}),
        ("Where did I live before Leeds?", {"past"}),
        ("Who used to be my dentist?", {"past"}),
        ("How often did I go running?", {"how many", "past"}),
        ("How many plants do I have these days?", {"how many", "now"}),
        ("List my allergies", {"list"}),
        ("What are the books I want to read?", {"list"}),
        ("Tell me everything about the boat", {"list"}),
        ("When did I last see Tom?", {"when", "last", "past"}),
        ("Where do I live?", set()),
        ("", set()),
    ],
)
def test_the_intents_of_a_question_are_told_by_its_words(question, intents):
    assert find_intents(question) == intents


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("I had the interview yesterday.", "2023-05-07", "2023-05-08"),
        ("The interview is tomorrow!", "2023-05-09", "2023-05-10"),
        ("We moved on 1 May 2023.", "2023-05-01", "2023-05-02"),
        ("We are away from 20 to 27 May.", "2023-05-20", "2023-05-28"),
        ("I have been ill since Friday.", "2023-05-05", "2023-05-09"),
        ("I was there last year.", "2022-01-01", "2023-01-01"),
        ("Last year I was there on 3 May 2022.", "2022-05-03", "2022-05-04"),
        ("I had the interview.", "2023-05-08", "2023-05-09"),
        ("I had it yesterday, and one on 1 May 2023.", "2023-05-08", "2023-05-09"),
    ],
)
def test_an_event_is_at_the_only_time_or_day_that_is_named_or_when_it_was_told(text, start, end):
    told = time_told(text, SAID)

    assert (start, end) == (f"{told.start:%Y-%m-%d}", f"{told.end:%Y-%m-%d}")


@given(st.text(), st.datetimes(timezones=st.just(UTC)))
def test_any_text_can_be_read_at_every_moment_of_a_day(text, moment):
    day = day_of(moment)

    assert day.start <= moment
    assert day.end is None or moment < day.end == day.start + timedelta(days=1)
    told = time_told(text, moment)
    assert told.start is None or told.end is None or told.start < told.end
    assert asks_last(text) or not asks_only_last(text)


# ---------------------------------------------------------------- hints that are no exact time


@pytest.mark.parametrize(
    ("fuzzy", "exact"),
    [
        ("around March", "in March"),
        ("around last spring", "last spring"),
        ("around spring", "in the spring"),
        ("around winter", "in the winter"),
        ("around the 5th of May", "on the 5th of May"),
        ("around 5 May 2022", "on 5 May 2022"),
        ("circa 2021", "in 2021"),
        ("a few weeks ago", "three weeks ago"),
        ("several months ago", "four months ago"),
        ("a couple of days ago", "two days ago"),
    ],
)
def test_what_is_said_vaguely_is_read_wider_without_being_cut(fuzzy, exact):
    (wide,), (narrow,) = (find_intervals(f"What was {said}?", SAID) for said in (fuzzy, exact))

    assert wide.start <= narrow.start
    assert narrow.end <= wide.end
    assert narrow.end - narrow.start < wide.end - wide.start


@pytest.mark.parametrize(
    "nowhere", ["February 30", "the 31st of February", "30/30/2023", "2023-02-31", "25:70"]
)
def test_a_date_that_does_not_exist_is_no_time(nowhere):
    assert () == find_intervals(f"What did I do on {nowhere}?", SAID)


def test_of_a_day_that_a_month_does_not_have_the_month_is_left():
    (month,) = find_intervals("What did I do on 31 February 2023?", SAID)

    assert (datetime(2023, 2, 1, tzinfo=UTC), datetime(2023, 3, 1, tzinfo=UTC)) == (
        month.start,
        month.end,
    )


@pytest.mark.parametrize(
    "question", ["What did I do tomorrow last week?", "What did I do yesterday, tomorrow?"]
)
def test_times_that_contradict_each_other_are_read_without_cutting_each_other(question):
    read = find_intervals(question, SAID)

    assert 2 == len(read)
    assert all(one.start < one.end for one in read)


def test_a_stretch_said_backwards_began_a_year_before():
    (stretch,) = find_intervals("What did I do between May and March 2023?", SAID)

    assert (2022, 5) == (stretch.start.year, stretch.start.month)
    assert (2023, 4) == (stretch.end.year, stretch.end.month)


LISTING = """
What happened on Saturday?                                | on Saturday
what did I do yesterday                                   | yesterday
Anything on next week?                                    | on next week
what's going on in August                                 | in August
So how was Easter?                                        | Easter
Tell me everything that happened in May                   | in May
Yesterday?                                                | Yesterday
Plans for tomorrow?                                       | for tomorrow
Did anything happen last night while I slept?             | last night
The form asks for it: what did I do on Monday?            | on Monday
It's been a long week. What got done on Tuesday           | on Tuesday
"""


@pytest.mark.parametrize("line", [line for line in LISTING.splitlines() if line])
def test_a_clause_of_light_words_asks_for_whatever_was_at_its_time(line):
    text, time = (part.strip() for part in line.split("|"))

    assert [time] == [one.text for one in asked_of(text)]


@pytest.mark.parametrize(
    "question",
    [
        "What did I sow in May?",
        "Who came on Saturday?",
        "What did I say about the roof last week?",
        "What happened to the roof in May?",
        "What happened on Saturday, and who paid?",
        "How many times did I swim in May?",
        "I swam on Saturday.",
        "What happened?",
        "",
    ],
)
def test_a_question_for_something_at_a_time_asks_for_that(question):
    assert () == asked_of(question)


def asked_of(question):
    words = parse(question, now=SAID).words
    return times_of_events(question, words, find_intervals(question, SAID))


@given(st.text(), st.lists(st.sampled_from(["what happened", "on Monday", ",", "?", "roof", " "])))
def test_the_times_asked_of_are_times_that_are_named(text, parts):
    question = " ".join([text, *parts])
    named = find_intervals(question, SAID)

    assert set(parse(question, now=SAID).listing) <= set(named)


@pytest.mark.parametrize(
    ("text", "impersonal"),
    [
        ("tell me a riddle", True),
        ("What is 3 times 8?", True),
        ("how long do eggs boil", True),
        ("what did I boil", False),
        ("tell me about my eggs", False),
        ("what does Ottoline boil?", False),
        ("show us the eggs", False),
    ],
)
def test_what_speaks_of_nobody_is_asked_of_the_world(text, impersonal):
    assert impersonal == is_impersonal(text, find_terms(text))


def test_a_name_that_was_never_heard_is_nobody():
    text = "What does Ottoline boil?"
    words = find_terms(text)

    assert is_impersonal(text, words, {word.hash for word in words})
    assert not is_impersonal(
        "What do I boil for Ottoline?", find_terms("What do I boil for Ottoline?")
    )


def test_a_time_that_is_told_twice_has_two_places():
    text = "What did I do yesterday, and what did Ana do yesterday?"

    assert [(14, 23), (45, 54)] == list(places_of(find_intervals(text, SAID), text))


@pytest.mark.parametrize(
    "text", ["morning mate", "Good night x", "thanks love", "hello everyone", "ok cheers buddy xx"]
)
def test_whom_a_greeting_is_to_is_not_asked_about(text):
    assert is_small_talk(text, find_terms(text))


@pytest.mark.parametrize("text", ["my mate", "love", "mate's name?", "is there a team", "x"])
def test_whoever_is_addressed_alone_is_no_greeting(text):
    assert not is_small_talk(text, find_terms(text))


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("wifi?", True), ("gate code", True), ("sauna opening hours", True),
        ("explain sauna", False), ("what is a gate", False), ("good one", False),
        ("wifi of the old summer sauna", False),
    ],
)  # fmt: skip
def test_a_name_of_a_thing_alone_asks_for_what_was_told_of_it(text, label):
    words = find_terms(text)

    assert label == is_label(text, words, frozenset())
    assert not is_label(text, words, {word.hash for word in words})
