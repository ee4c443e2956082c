"""The page about the file names every table, column, setting and kind that a store really has."""

import re
import sqlite3
from typing import get_args

import pytest
from docs_blocks import ROOT

from hippocampus import Memory, Turn
from hippocampus.core.events import Event, Unknown, kind_of
from hippocampus.core.records import STATE_CHANGES
from hippocampus.store import schema

PAGE = (ROOT / "docs" / "format.md").read_text(encoding="utf-8")
_TABLE = re.compile(r"^\| `(\w+)` \| `([\w ]+)` \|", re.MULTILINE)
_EVENT = re.compile(r"^\| `(\w+)` \| ([A-Z]\w+) \| [^|`]+ \|(.*)\|$", re.MULTILINE)


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    path = tmp_path_factory.mktemp("format") / "agent.db"
    with Memory(path, embedder="hash:64") as memory:
        bank = memory.bank("ada")
        first, second, third = bank.remember_many(
            [Turn(text=f"{word} is a word", at="2025-03-02") for word in ("one", "two", "three")]
        )
        bank.correct(first.id, "one is a number")
        bank.forget(second.id)
        bank.restore(second.id)
        bank.forget(third.id, erase=True)
        memory.rebuild()
    with sqlite3.connect(path) as db:
        yield db
    db.close()


def test_the_page_has_the_tables_and_columns_that_there_are(db):
    tables = [
        name
        for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        if not name.startswith("sqlite_")
    ]
    real = {t: [column[1] for column in db.execute(f"PRAGMA table_info({t})")] for t in tables}

    assert {table: columns.split() for table, columns in _TABLE.findall(PAGE)} == real


def test_the_page_has_the_mark_and_the_format():
    assert f"`{schema.APPLICATION_ID:#x}`" in PAGE
    assert f"the format: {schema.FORMAT} |" in PAGE


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT key FROM settings",
        "SELECT DISTINCT kind FROM journal",
        "SELECT DISTINCT kind FROM tail UNION SELECT DISTINCT kind FROM blocks",
    ],
)
def test_the_page_names_whatever_a_store_holds(db, sql):
    found = [value for (value,) in db.execute(sql)]

    assert found
    assert [value for value in found if f"`{value}`" not in PAGE] == []


def test_the_page_has_the_kinds_of_journal_rows_their_events_and_their_fields():
    classes = [event for event in get_args(Event) if event is not Unknown]
    real = {kind_of(c): (c.__name__, sorted(c.__struct_fields__)) for c in classes}
    told = {
        k: (name, sorted(re.findall(r"`(\w+)`", rest))) for k, name, rest in _EVENT.findall(PAGE)
    }

    assert told == real


def test_the_page_says_what_state_each_event_leaves_an_episode_in():
    (line,) = re.findall(r"Of a row's events the last of (.+?)\.\n", PAGE, re.DOTALL)
    told = dict(re.findall(r"`(\w+)` \((\w+)\)", line))

    assert told == {kind_of(event): state for event, state in STATE_CHANGES.items()}
