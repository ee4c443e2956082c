from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.sources.timestamps import moment_in_name, read_moment

NOON = datetime(2024, 5, 3, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "written",
    [
        "2024-05-03T12:00:00Z",
        "2024-05-03T12:00:00z",
        "2024-05-03 12:00:00 UTC",
        "2024-05-03T14:00:00+02:00",
        "20240503T120000Z",
        "Fri, 03 May 2024 12:00:00 +0000",
        "Fri, 3 May 2024 14:00:00 +0200",
        "3 May 2024 12:00:00 GMT",
        "Fri, 03 May 2024 12:00:00 -0000",
        "Fri, 03 May 2024 14:00:00 +02:00",
        "Fri, 3 May 2024 14:00:00 GMT+0200 (CEST)",
        "Fri May 03 2024 05:00:00 GMT-0700 (Pacific Daylight Time)",
        "3 May 2024 14:00:00 UTC+2",
        "2024-05-03 02:00 PM +02:00",
        "1714737600",
        "1714737600.0",
        1714737600,
        1714737600.0,
        1714737600_000,
        1714737600_000_000,
        1714737600_000_000_000,
        NOON,
        NOON.astimezone(timezone(timedelta(hours=-7))),
    ],
)
def test_the_same_moment_is_read_however_it_is_written(written):
    assert read_moment(written) == NOON


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2024-05-03T24:00:00Z", datetime(2024, 5, 4, tzinfo=UTC)),
        ("2016-12-31 23:59:60 UTC", datetime(2017, 1, 1, tzinfo=UTC)),
        ("2024-W18-5T12:00Z", NOON),
        ("9999-12-31T24:00Z", None),
    ],
)
def test_the_end_of_a_day_a_leap_second_and_a_day_of_a_week_are_read(written, meant):
    assert meant == read_moment(written)


@pytest.mark.parametrize(
    "written",
    ["2024-05-03", "20240503", "2024/05/03", "3 May 2024", "May 3, 2024", "03.05.2024"],
)
def test_a_bare_date_is_its_naive_midnight(written):
    assert datetime(2024, 5, 3) == read_moment(written)  # noqa: DTZ001


@pytest.mark.parametrize(
    "written",
    [20240503, 20240503.0, 202405030000, "202405030000", "20240503000000", "May 3, 2024 12:00 AM"],
)
def test_a_date_that_is_a_number_is_no_count_of_seconds(written):
    assert datetime(2024, 5, 3) == read_moment(written)  # noqa: DTZ001


@pytest.mark.parametrize("number", [86_400, 202405, 202405.5, 20241350, 99_999_999])
def test_a_number_of_the_first_years_is_no_moment(number):
    assert read_moment(number) is None


@pytest.mark.parametrize(
    "written",
    [
        "May 3, 2024, 10:05 PM",
        "3 May 2024 10:05 pm",
        "2024-05-03 10:05 p.m.",
        "2024/05/03 10:05PM",
        "03.05.2024 10:05 PM",
        "10:05 PM on 3 May, 2024",
        "May 3, 2024 22:05",
    ],
)
def test_the_half_of_the_day_counts_in_every_form(written):
    assert datetime(2024, 5, 3, 22, 5) == read_moment(written)  # noqa: DTZ001


@pytest.mark.parametrize(
    "written",
    [None, True, "", "soon", "2024-13-01", "99999999999999999999", float("nan"), float("inf"),
     10**400, -(10**30), [], {}, "Fri, 99 May 2024 12:00:00 +0000", "0000-00-00"],
)  # fmt: skip
def test_what_is_not_a_moment_is_none(written):
    assert read_moment(written) is None


@given(st.one_of(st.text(), st.integers(), st.floats(), st.binary(), st.none()))
def test_no_value_makes_it_raise(value):
    moment = read_moment(value)

    assert moment is None or isinstance(moment, datetime)


@given(st.datetimes(timezones=st.just(UTC)))
def test_iso_text_is_read_exactly(moment):
    assert read_moment(moment.isoformat()) == moment


@pytest.mark.parametrize(
    ("path", "day"),
    [
        ("2024-05-03-standup.md", (2024, 5, 3)),
        ("notes/2023-01-01/2024_05_03 call.txt", (2024, 5, 3)),
        ("20240503.md", (2024, 5, 3)),
        ("2024-02-31.md", None),
        ("invoice-120240503.md", None),
        ("invoice-10051231.md", None),
        ("1492-10-12 landfall.md", (1492, 10, 12)),
        ("plan.md", None),
    ],
)
def test_dates_in_names_are_found(path, day):
    assert moment_in_name(path) == (day and datetime(*day))  # noqa: DTZ001
