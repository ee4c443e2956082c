"""Counts, trends and compaction on the command line."""

import pytest

SAID = [
    ("Lisbon, lisbon!", "2024-01-03"),
    ("Lisbon. " * 8, "2024-01-12"),
    ("Back to LISBON", "2024-03-30"),
    ("Porto", "2024-04-17"),
    ("Lisbon lisbon lisbon", "2024-04-30"),
]


@pytest.fixture
def counted(shell, made_once):
    made_once(shell, tell)
    return shell


def tell(shell):
    for text, at in SAID:
        shell("remember", text, "--at", at)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("trend-by-week", []),
        ("trend-by-month", ["--by", "month"]),
        ("trend-by-year", ["--by", "year", "--since", "2022-05-01", "--until", "2024-12-31"]),
        ("trend-by-day", ["--by", "day", "--since", "2024-01-01", "--until", "2024-01-14"]),
    ],
)
def test_a_trend_is_drawn_as_bars(counted, golden, name, options):
    shown = counted("trend", "lisbon", *options, env={"COLUMNS": "60"})

    assert 0 == shown.code
    golden(name, shown.out)


@pytest.mark.slow
def test_a_trend_of_nothing_is_one_line(counted, golden):
    golden("trend-of-nothing", counted("trend", "zebra", env={"COLUMNS": "60"}).out)


@pytest.mark.parametrize("columns", ["20", "60", "200"])
def test_a_trend_fits_the_terminal(counted, columns):
    shown = counted("trend", "lisbon", "--by", "month", env={"COLUMNS": columns}).out

    assert max(map(len, shown.splitlines())) <= int(columns)


def test_count_prints_a_number(counted):
    assert "14\n" == counted("count", "lisbon").out
    assert (
        "9\n"
        == counted(
            "count", "-", "--since", "2024-01-10", "--until", "2024-03-31", stdin="LISBON\n"
        ).out
    )
    assert {"term": "Porto", "count": 1} == counted("count", "Porto", "--json").json
    assert (0, "0\n") == (counted("count", "zebra").code, counted("count", "zebra").out)


def test_a_trend_for_programs_has_every_period(counted):
    found = counted("trend", "lisbon", "--by", "month", "--json").json

    assert ("lisbon", "month") == (found["term"], found["by"])
    assert [10, 0, 1, 3] == [period["count"] for period in found["periods"]]
    assert "2024-01-01T00:00:00+00:00" == found["periods"][0]["start"]


def test_a_wrong_call_says_what_would_be_right(counted):
    refused = counted("trend", "lisbon", "--by", "hour")
    assert 2 == refused.code
    assert "day, week, month, year" in refused.err
    assert 2 == counted("count", " ").code


def test_compacting_is_final_once_it_is_confirmed(counted):
    ids = [e["id"] for e in counted("episodes", "--json").json]
    counted("forget", *ids[:2])
    assert (2, True) == (counted("compact").code, "--yes" in counted("compact").err)
    assert "2 forgotten would be removed" in counted("compact", "--dry-run").out
    assert 1 == counted("forget", "--undo", ids[0], "--json").json["restored"]
    done = counted("compact", "--yes", "--superseded", "--json").json
    assert (1, 0) == (done["forgotten"], done["superseded"])
    assert done["bytes_after"] < done["bytes_before"]

    assert 0 == counted("forget", "--undo", ids[0], "--json").json["restored"]
    gone = counted("forget", "--undo", ids[1])
    assert (2, True) == (gone.code, "was erased" in gone.err)
    assert "0 forgotten removed" in counted("compact", "--yes").out
