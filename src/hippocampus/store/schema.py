"""What a SQLite store looks like inside: its mark, its format numbers and the way between them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeAlias

APPLICATION_ID = 0x4869_7070
"""``Hipp`` in the header's application id tells a store from any other SQLite file."""

Migration: TypeAlias = Callable[[sqlite3.Connection], None]
"""Brings a database from the format before to its own, inside an open transaction."""

# Every key starts with the bank. Tables whose rows are short are kept in key order (WITHOUT ROWID),
# so that reading a bank is one run over neighbouring pages; payloads are too long for that.
_V1 = (
    "CREATE TABLE settings (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    # AUTOINCREMENT: a dropped bank's number never comes back, so a stale handle reads nothing.
    """
    CREATE TABLE banks (
        bank INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL UNIQUE,
        at INTEGER NOT NULL
    )
    """,
    """
    CREATE TABLE journal (
        bank INTEGER NOT NULL REFERENCES banks,
        seq INTEGER NOT NULL,
        at INTEGER NOT NULL,
        kind TEXT NOT NULL,
        row INTEGER,
        detail TEXT NOT NULL,
        PRIMARY KEY (bank, seq)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX journal_by_row ON journal (bank, row, seq) WHERE row IS NOT NULL",
    """
    CREATE TABLE episodes (
        bank INTEGER NOT NULL REFERENCES banks,
        row INTEGER NOT NULL,
        id TEXT NOT NULL,
        said_at INTEGER NOT NULL,
        noted_at INTEGER NOT NULL,
        session TEXT,
        turn INTEGER,
        part INTEGER NOT NULL,
        parts INTEGER NOT NULL,
        speaker TEXT,
        role TEXT,
        source TEXT,
        address TEXT NOT NULL,
        metadata TEXT NOT NULL,
        digest BLOB NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('active', 'superseded', 'forgotten', 'erased')),
        supersedes INTEGER,
        superseded_by INTEGER,
        PRIMARY KEY (bank, row)
    ) WITHOUT ROWID
    """,
    "CREATE UNIQUE INDEX episodes_by_id ON episodes (bank, id)",
    "CREATE INDEX episodes_by_digest ON episodes (bank, digest)",
    "CREATE INDEX episodes_by_session ON episodes (bank, session, row) WHERE session IS NOT NULL",
    "CREATE INDEX episodes_by_source ON episodes (bank, source, row) WHERE source IS NOT NULL",
    """
    CREATE TABLE tail (
        bank INTEGER NOT NULL REFERENCES banks,
        kind TEXT NOT NULL,
        row INTEGER NOT NULL,
        payload BLOB NOT NULL,
        PRIMARY KEY (bank, kind, row)
    )
    """,
    """
    CREATE TABLE blocks (
        bank INTEGER NOT NULL REFERENCES banks,
        kind TEXT NOT NULL,
        first INTEGER NOT NULL,
        count INTEGER NOT NULL CHECK (count > 0),
        checksum BLOB NOT NULL,
        payload BLOB NOT NULL,
        PRIMARY KEY (bank, kind, first)
    )
    """,
)


def _v1(db: sqlite3.Connection) -> None:
    for statement in _V1:
        db.execute(statement)


def _v2(db: sqlite3.Connection) -> None:
    """
    Allow content in blocks, as segments (``journal/content.py``).

    Nothing changes in the tables; the number keeps away versions that would look for every text in
    the tail. What is there is sealed once its bank takes in an episode.
    """


def _v3(db: sqlite3.Connection) -> None:
    """
    Allow segments of version 2, and in payloads phrases and what sleep makes.

    Nothing changes in the tables; the number keeps away versions that could not read the texts, or
    would leave words in anchors and topics that they erase.
    """


def _v4(db: sqlite3.Connection) -> None:
    """Let episodes fade, and be kept from it; none has, and none is."""
    for column in ("level", "marks"):
        db.execute(f"ALTER TABLE episodes ADD COLUMN {column} INTEGER NOT NULL DEFAULT 0")


MIGRATIONS: tuple[Migration, ...] = (_v1, _v2, _v3, _v4)
"""Migration n, counted from 1, makes format n. Released ones never change; new ones only add."""

FORMAT = len(MIGRATIONS)
"""The format this version writes."""

OLDEST = 1
"""The oldest format this version reads (and brings to ``FORMAT``)."""

BANKED = ("journal", "tail", "blocks", "episodes")
"""The tables whose key starts with the bank."""


def read_format(db: sqlite3.Connection) -> tuple[int, int]:
    """Return (application id, format) as the database's header says."""
    return (
        db.execute("PRAGMA application_id").fetchone()[0],
        db.execute("PRAGMA user_version").fetchone()[0],
    )


def foreign(db: sqlite3.Connection, migrations: Sequence[Migration]) -> list[str]:
    """
    Return what a database has that these migrations do not make, such as "trigger 'x'".

    A trigger, a view or an index of somebody else's runs whenever we read or write, so a file with
    one is none of ours. ``ANALYZE`` and the like leave tables that begin with ``sqlite_``.
    """
    made = _made_by(tuple(migrations))
    return [f"{kind} {name!r}" for kind, name in db.execute(_OBJECTS) if (kind, name) not in made]


_OBJECTS = "SELECT type, name FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"


@cache
def _made_by(migrations: tuple[Migration, ...]) -> frozenset[tuple[str, str]]:
    db = sqlite3.connect(":memory:", isolation_level=None)
    try:
        for step in migrations:
            step(db)
        return frozenset(db.execute(_OBJECTS))
    finally:
        db.close()


def migrate(db: sqlite3.Connection, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """
    Bring a database to the newest format and mark it, all in one transaction or not at all.

    Two processes may try at once: the second finds the work done. A failure leaves the format,
    and every byte that counts, as they were.
    """
    if read_format(db) == (APPLICATION_ID, len(migrations)):
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        _, found = read_format(db)
        for number, step in enumerate(migrations[found:], found + 1):
            step(db)
            db.execute(f"PRAGMA user_version = {number}")
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")
