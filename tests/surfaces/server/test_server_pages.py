"""Lists in pages: each entry once, whatever is remembered or forgotten between two of them."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus import Turn, wire
from hippocampus.core.records import Episode
from hippocampus.errors import InputError
from hippocampus.server.pagination import turn_to

AT = "/v1/banks/ada"
START = datetime(2024, 1, 1, tzinfo=UTC)


def walk(http, path, **query):
    """Yield the pages of a list."""
    while True:
        answer = http.get(path, params=query)
        assert answer.status_code == 200, answer.text
        yield answer.json()
        if "next-cursor" not in answer.headers:
            return
        query["cursor"] = answer.headers["next-cursor"]


@pytest.fixture
def seven(bank):
    for number in range(7):  # three of them at one moment
        bank.remember(f"Number {number}.", at=START + timedelta(days=max(0, number - 4)))
    return bank


@pytest.mark.parametrize("newest", [False, True])
@pytest.mark.parametrize("limit", [1, 2, 3, 7, 8])
def test_all_pages_together_are_the_list(http, seven, limit, newest):
    pages = list(walk(http, f"{AT}/episodes", limit=limit, newest=str(newest).lower()))

    assert all(len(page) == limit for page in pages[:-1])
    found = [one["id"] for page in pages for one in page]
    assert [episode.id for episode in seven.episodes(newest=newest)] == found


def test_what_is_remembered_or_forgotten_between_pages_moves_nothing(http, seven):
    pages = walk(http, f"{AT}/episodes", limit=2, newest="true")
    first = next(pages)
    seven.remember("Newer than all.", at=START + timedelta(days=30))
    seven.forget(first[0]["id"])
    rest = [one["text"] for page in pages for one in page]

    assert [f"Number {n}." for n in (4, 3, 2, 1, 0)] == rest or sorted(rest) == [
        f"Number {n}." for n in range(5)
    ]


def test_pages_go_on_at_the_first_and_the_last_moment_there_are(http, bank):
    for number, moment in enumerate(("0001-01-02", "9999-12-31T23:59:59.999999+00:00")):
        for text in "ab":
            bank.remember(f"{text} {number}", at=moment)
    for newest in ("true", "false"):
        pages = list(walk(http, f"{AT}/episodes", limit=1, newest=newest))
        assert [1] * 4 == [len(page) for page in pages]


def test_filters_hold_on_every_page(http, bank):
    for number in range(6):
        bank.remember(
            f"Number {number}.", at=START + timedelta(days=number), session="ab"[number % 2]
        )
    pages = walk(
        http, f"{AT}/episodes", limit=1, session="a", since="2024-01-02", until="2024-01-05"
    )

    assert ["Number 2.", "Number 4."] == [one["text"] for page in pages for one in page]


def test_the_journal_and_the_banks_come_in_pages_too(http, memory, seven):
    for number in range(5):
        memory.bank(f"b{number}").remember("Something.")

    changes = [one for page in walk(http, f"{AT}/journal", limit=3) for one in page]
    assert json.loads(wire.dump(seven.journal())) == changes
    assert memory.banks() == [one for page in walk(http, "/v1/banks", limit=2) for one in page]


@pytest.mark.slow
def test_a_list_without_a_limit_comes_in_pages_as_well(http, memory):
    memory.bank("big").remember_many([Turn(text=f"Number {n}.") for n in range(1001)])
    pages = list(walk(http, "/v1/banks/big/episodes"))

    assert [1000, 1] == [len(page) for page in pages]
    found = http.post("/v1/banks/big/find", json={"terms": ["Number"]})
    rest = http.post(
        "/v1/banks/big/find", json={"terms": ["Number"], "cursor": found.headers["next-cursor"]}
    )
    assert (1000, 1) == (len(found.json()), len(rest.json()))


@pytest.mark.parametrize("cursor", ["x", "bnVsbA", "W10", "é", "A" * 3000, "WyJhIiwiYiJd", "Ww"])
def test_a_cursor_that_is_none_is_refused(http, seven, cursor):
    for path in (f"{AT}/episodes", f"{AT}/journal", f"{AT}/history?id={seven.episodes()[0].id}"):
        answer = http.get(
            path, params={"cursor": cursor, "id": "x"} if "?" in path else {"cursor": cursor}
        )
        assert answer.status_code in (404, 422), (path, answer.text)


def episode(number, occurred_at):
    return Episode(
        id=str(number), bank="b", text="x", occurred_at=occurred_at, recorded_at=occurred_at
    )


@given(
    days=st.lists(st.integers(0, 3), max_size=12),
    most=st.integers(1, 5),
    newest=st.booleans(),
)
def test_pages_by_time_are_the_list_however_many_share_a_moment(days, most, newest):
    every = [episode(n, START + timedelta(days=day)) for n, day in enumerate(sorted(days))]
    if newest:
        every.reverse()

    def read(*, limit, newest, offset=0, since=None, until=None):
        seen = [e for e in every if (since is None or e.occurred_at >= since)
                and (until is None or e.occurred_at < until)]  # fmt: skip
        assert newest in (True, False)
        return seen[offset : offset + limit]

    found, cursor = [], None
    while True:
        page = turn_to("time", read, {"newest": newest, "offset": 0}, limit=most, cursor=cursor)
        found += page.entries
        cursor = page.cursor
        if cursor is None:
            break
    assert every == found


def test_a_page_of_nothing_is_empty_and_the_last():
    assert turn_to("place", list, {}, limit=0, cursor=None) == ([], None)
    with pytest.raises(InputError):
        turn_to("place", list, {}, limit=-1, cursor=None)
