"""Times of what comes again and again, as statements of the present tell them."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from hippocampus.language.time.repeated import find_all_told, next_turn, told_with_places

SAID = datetime(2026, 4, 2, 19, tzinfo=UTC)  # a Thursday


def turns(text, said=SAID, zone=UTC):
    """Return the first two turns of each time that comes again in a text."""
    told = [time for time, _ in told_with_places(text, said, zone)]
    again = [n for n, time in enumerate(told) if time.end is None and time.vague]
    return [(f"{told[n - 1].start:%a %-d %b}", f"{told[n].start:%a %-d %b}") for n in again]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("pottery class every Tuesday at 6", [("Tue 7 Apr", "Tue 14 Apr")]),
        ("Harriers, they meet mondays 6.30", [("Mon 6 Apr", "Mon 13 Apr")]),
        ("Choir is on Tuesday evenings.", [("Tue 7 Apr", "Tue 14 Apr")]),
        ("Every other Friday I visit Mum.", [("Fri 3 Apr", "Fri 17 Apr")]),
        ("Therapy fortnightly on Thursdays at 14:00", [("Thu 2 Apr", "Thu 16 Apr")]),
        ("The band rehearses weekly on Wednesdays.", [("Wed 8 Apr", "Wed 15 Apr")]),
        ("On weekends we go hiking.", [("Sat 4 Apr", "Sat 11 Apr")]),
        ("Book club is the first Sunday of the month.", [("Sun 5 Apr", "Sun 3 May")]),
        ("Every last Friday of the month there is a quiz.", [("Fri 24 Apr", "Fri 29 May")]),
        ("The quiz is on the second Wednesday of each month.", [("Wed 8 Apr", "Wed 13 May")]),
        ("Cinema every 2 weeks on Friday.", [("Fri 3 Apr", "Fri 17 Apr")]),
        ("Gymnastics Wed evenings", [("Wed 8 Apr", "Wed 15 Apr")]),
        ("Signed up for yoga, Mondays at 7pm.", [("Mon 6 Apr", "Mon 13 Apr")]),
        ("Pottery moved to Wednesdays.", [("Wed 8 Apr", "Wed 15 Apr")]),
        ("I see her every week on Monday.", [("Mon 6 Apr", "Mon 13 Apr")]),
        ("Piano every Monday from September.", [("Mon 7 Sep", "Mon 14 Sep")]),
        ("Every Monday in June the pool is closed.", [("Mon 1 Jun", "Mon 8 Jun")]),
        ("Drums every Tuesday starting at 5.", [("Tue 7 Apr", "Tue 14 Apr")]),
        ("She calls every Friday from the car.", []),
        ("She calls every Friday from work.", [("Fri 3 Apr", "Fri 10 Apr")]),
        ("Rowing Mondays at 6", [("Mon 6 Apr", "Mon 13 Apr")]),
        ("Began fencing, every Friday.", [("Fri 3 Apr", "Fri 10 Apr")]),
        ("Rowing every Sat with Tom", [("Sat 4 Apr", "Sat 11 Apr")]),
    ],
)
def test_what_comes_again_is_told_by_its_first_two_turns(text, wanted):
    assert wanted == turns(text)


def test_of_several_days_each_comes_again():
    wanted = [("Mon 6 Apr", "Mon 13 Apr"), ("Thu 2 Apr", "Thu 9 Apr")]

    assert wanted == turns("I have choir each Monday and Thursday.")
    assert wanted == turns("Choir is every Mon and Thu at 7.")
    films = turns("Film night is the second and fourth Friday of the month.")
    assert films == [("Fri 10 Apr", "Fri 8 May"), ("Fri 24 Apr", "Fri 22 May")]


@pytest.mark.parametrize(
    "text",
    ["We had piano lessons every Monday.", "I used to swim on Tuesdays.", "I hate Mondays.",
     "I don't work on Fridays.", "If it rains every Tuesday we stay in.", "Mondays are hard.",
     "I ran every Tuesday last year.", "Do you meet every Tuesday?", "the last two Fridays",
     "Three Mondays in a row I was late.", "I take my pills every day.", "Lunch on Friday",
     "We would meet every Sunday.", "The class is no longer on Tuesdays.",
     "Monday to Friday I work.", "Black Fridays are the worst.", "How about Tuesdays?",
     "The shop is open other than Mondays.", "We meet every evening but Fridays.",
     "She could visit every Friday.", "Perhaps we row on Sundays.", "I'd row on Sundays.",
     "They moved the bins every Friday.", "Tom changed trains every Monday back then.",
     "Lunch at Ruby Tuesdays", "We saw the Blue Mondays live.", "Every Sun lotion I own",
     "Every Mon is a Jedi.", "My shift is every third weekend.",
     "Football practice Tue and Thu at 5"],
)  # fmt: skip
def test_what_was_or_is_not_or_is_of_no_day_does_not_come_again(text):
    assert [] == turns(text)


def test_the_hour_and_an_ending_are_those_that_are_told():
    first, again = (time for time, _ in told_with_places("Chess every Friday at 8 pm", SAID, UTC))
    assert (19, 20) == (first.start.hour, first.end.hour)
    assert again.end is None

    told = find_all_told("Yoga every Monday until June.", SAID, UTC)
    assert [7, 7] == [time.end.month for time in told]
    assert "every Monday" == told[0].text


def test_a_stretch_bounds_what_comes_again_on_both_sides():
    for text in (
        "Rowing every Sunday from June to August.",
        "Rowing every Sunday from June until August.",
    ):
        time = find_all_told(text, SAID, UTC)[0]
        assert (6, 9) == (time.start.month, time.end.month)


def test_a_fourth_day_of_months_is_told_apart_from_their_last_one():
    said = datetime(2026, 1, 30, tzinfo=UTC)

    # The fourth Friday of February is the last one, and so is that of March.
    (one,) = turns("Jazz is on the fourth Friday of the month.", datetime(2026, 2, 1, tzinfo=UTC))
    assert one == ("Fri 27 Feb", "Fri 22 May")
    (one,) = turns("Jazz is on the last Friday of the month.", said)
    assert one == ("Fri 30 Jan", "Fri 27 Feb")


def test_the_next_turn_is_on_or_to_come_and_keeps_its_hour():
    zone = ZoneInfo("Europe/London")
    said = datetime(2026, 1, 8, 12, tzinfo=zone)
    (time,) = find_all_told("Chess every other Friday at 20:00.", said, zone)

    turn = next_turn(time, datetime(2026, 4, 8, 12, tzinfo=zone))

    assert "2026-04-17 19:30" == f"{turn.start:%Y-%m-%d %H:%M}"
    (over,) = find_all_told("Chess every Friday until March.", said, zone)[:1]
    assert next_turn(over, datetime(2026, 4, 8, tzinfo=zone)) is None
    (once,) = find_all_told("Chess on Friday.", said, zone)
    assert next_turn(once, said) is None


@pytest.mark.parametrize("year", [1, 1700, 2025])
@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Chess every other Friday at 20:00.", 14),
        ("Chess every Friday.", 7),
        ("Choir on Sundays.", 7),
    ],
)
def test_what_has_come_since_long_ago_keeps_its_weeks(year, text, days):
    (time,) = find_all_told(text, datetime(year, 6, 1, 12, tzinfo=UTC), UTC)
    turn = next_turn(time, datetime(2026, 4, 8, 12, tzinfo=UTC))

    assert 0 == (turn.start - time.start).days % days
    assert 0 < (turn.start - datetime(2026, 4, 8, 12, tzinfo=UTC)).days < days


def test_at_the_end_of_the_calendar_nothing_comes_again():
    said = datetime(9999, 6, 1, 12, tzinfo=UTC)
    for text in ("Chess every Friday.", "Chess every last Friday of the month."):
        (time,) = find_all_told(text, said, UTC)[:1]
        assert next_turn(time, datetime(9999, 12, 31, 23, tzinfo=UTC)) is None


@pytest.mark.parametrize("hours", [9, -5])
def test_a_day_that_utc_has_not_begins_nothing_that_comes_again(hours):
    zone = timezone(timedelta(hours=hours))
    for moment in (datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, tzinfo=UTC)):
        for time in find_all_told("Chess every Monday.", moment, zone):
            assert moment.year == time.start.astimezone(UTC).year


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Jeden Mittwoch singe ich im Chor.", ["Wed 8 Apr"]),
        ("Dienstags gehe ich schwimmen.", ["Tue 7 Apr"]),
        ("Todos los lunes y jueves voy al gimnasio.", ["Mon 6 Apr", "Thu 2 Apr"]),
        ("Los martes tengo clase de cerámica.", ["Tue 7 Apr"]),
        ("Tous les mardis, je fais du yoga.", ["Tue 7 Apr"]),
        ("Ogni martedì ho lezione di ceramica.", ["Tue 7 Apr"]),
        ("Каждый вторник я хожу на танцы.", ["Tue 7 Apr"]),
        ("每周二晚上我上陶艺课。", ["Tue 7 Apr"]),
        ("毎週火曜日に陶芸教室があります。", ["Tue 7 Apr"]),
        ("El martes tengo dentista.", []),
        ("Früher sang ich jeden Mittwoch im Chor.", []),
        ("Ich war jeden Freitag im Büro.", []),
        ("Anna singt nicht mehr jeden Mittwoch im Chor.", []),
        ("Los martes iba a clase.", []),
        ("Singst du jeden Mittwoch?", []),
        ("Wir öffnen immer, außer dienstags.", []),
        ("Je cours tout le temps sauf les mardis.", []),
    ],
)
def test_what_comes_again_is_read_in_other_languages(text, wanted):
    assert wanted == [first for first, _ in turns(text)]
