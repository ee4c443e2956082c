"""The tables, as numbered migrations that are applied and recorded in one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import Final

APPLICATION_ID: Final = 0x48495050  # "HIPP"

FORMAT: Final = 1
"""The format we write; SQLite's ``user_version``."""

OLDEST: Final = 1
"""The oldest format we read."""

Migration = Callable[[sqlite3.Connection], None]


def _first(connection: sqlite3.Connection) -> None:
    """Create every table. Each key starts with the bank; payload rows hold no words as text."""
    for statement in (
        "CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
        # AUTOINCREMENT: the number of a dropped bank is never given to another.
        "CREATE TABLE banks (bank INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,"
        " made_at INTEGER NOT NULL)",
        "CREATE TABLE journal (bank INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL,"
        " kind TEXT NOT NULL, row INTEGER, detail TEXT NOT NULL,"
        " PRIMARY KEY (bank, seq)) WITHOUT ROWID",
        "CREATE INDEX journal_of_row ON journal (bank, row)",
        "CREATE TABLE episodes (bank INTEGER NOT NULL, row INTEGER NOT NULL, id TEXT NOT NULL,"
        " said_at INTEGER NOT NULL, noted_at INTEGER NOT NULL, session TEXT, turn INTEGER,"
        " part INTEGER NOT NULL, parts INTEGER NOT NULL, speaker TEXT, role TEXT, source TEXT,"
        " address TEXT NOT NULL, metadata TEXT NOT NULL, digest BLOB NOT NULL,"
        " state TEXT NOT NULL, supersedes INTEGER, superseded_by INTEGER,"
        " PRIMARY KEY (bank, row)) WITHOUT ROWID",
        "CREATE UNIQUE INDEX episode_ids ON episodes (bank, id)",
        "CREATE INDEX episode_digests ON episodes (bank, digest)",
        "CREATE INDEX episode_sessions ON episodes (bank, session, row) WHERE session IS NOT NULL",
        "CREATE INDEX episode_sources ON episodes (bank, source, row) WHERE source IS NOT NULL",
        "CREATE TABLE tail (bank INTEGER NOT NULL, kind TEXT NOT NULL, row INTEGER NOT NULL,"
        " payload BLOB NOT NULL, PRIMARY KEY (bank, kind, row)) WITHOUT ROWID",
        "CREATE TABLE blocks (bank INTEGER NOT NULL, kind TEXT NOT NULL, first INTEGER NOT NULL,"
        " count INTEGER NOT NULL, payload BLOB NOT NULL, PRIMARY KEY (bank, kind, first))",
    ):
        connection.execute(statement)


MIGRATIONS: Final[Sequence[Migration]] = (_first,)
"""Migration ``i`` brings a store from format ``i`` to ``i + 1``."""

assert len(MIGRATIONS) == FORMAT, "one migration a format"


def migrate(
    connection: sqlite3.Connection, migrations: Sequence[Migration] = MIGRATIONS
) -> int:
    """Bring a store to the newest format, all steps or none; returns the format it had."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        found: int = connection.execute("PRAGMA user_version").fetchone()[0]
        if found < len(migrations):
            for step in migrations[found:]:
                step(connection)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {len(migrations)}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
    return found
