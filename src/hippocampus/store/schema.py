"""Schema of a SQLite store: its mark, its format numbers and the way between them."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

from hippocampus.core.events import JournalRow
from hippocampus.store.checksums import (
    BLANK,
    NO_CHANGES,
    SALT_BYTES,
    chained,
    change_checksum,
    payload_checksum,
    row_checksum,
)

APPLICATION_ID = 0x4869_7070  # "Hipp" (docs/format.md)
ENCRYPTED_ID = 0x4869_7071
"""Of a store whose words are sealed; who does not know this mark leaves the file alone."""
MARKS = (APPLICATION_ID, ENCRYPTED_ID)
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
    # One by one: ``executescript`` would commit the migration's transaction.
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


_CHECKED = {
    "settings": ("checksum",),
    "banks": ("checksum",),
    "journal": ("salt", "checksum", "head"),
    "episodes": ("checksum",),
    "tail": ("checksum",),
}
"""The columns of format 5, by table."""
_AT_ONCE = 4096
"""Rows that are read, and then written, at once. Chosen by hand."""


def _v5(db: sqlite3.Connection) -> None:
    """
    Give every row a checksum, and every journal a head.

    What cannot be read, of a file that was damaged before, has none, and is found by that.
    """
    for table, columns in _CHECKED.items():
        for column in columns:
            db.execute(f"ALTER TABLE {table} ADD COLUMN {column} BLOB")
    db.text_factory = readable
    for key, value in db.execute("SELECT key, value FROM settings").fetchall():
        if checksum := row_checksum("settings", values=(key, value)):
            db.execute("UPDATE settings SET checksum = ? WHERE key = ?", (checksum, key))
    for bank, name, at in db.execute("SELECT bank, name, at FROM banks").fetchall():
        checksum = row_checksum("banks", bank, values=(name, at))
        db.execute("UPDATE banks SET checksum = ? WHERE bank = ?", (checksum, bank))
        _check_journal(db, bank)
        _check_episodes(db, bank)
        _check_tail(db, bank)
    db.text_factory = str


def readable(raw: bytes) -> str:
    """Return a text of which some bytes may be none; SQLite would give up a whole query for one."""
    return raw.decode(errors="surrogateescape")


def _pages(
    db: sqlite3.Connection, sql: str, values: tuple[object, ...]
) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the rows of a query behind a number, whose first column that is, in its order."""
    last = -1
    while rows := db.execute(sql, (*values, last, _AT_ONCE)).fetchall():
        yield rows
        last = rows[-1][0]


def _check_journal(db: sqlite3.Connection, bank: int) -> None:
    head = NO_CHANGES
    sql = (
        "SELECT seq, at, kind, row, detail FROM journal"
        " WHERE bank = ? AND seq > ? ORDER BY seq LIMIT ?"
    )
    for rows in _pages(db, sql, (bank,)):
        changes = [JournalRow(*row) for row in rows]
        salts = [b"" if c.detail == BLANK else os.urandom(SALT_BYTES) for c in changes]
        checked: list[tuple[object, ...]] = []
        for change, salt in zip(changes, salts, strict=True):
            checksum = change_checksum(change, salt)
            head = chained(head, checksum or b"")
            checked.append((salt, checksum, head, bank, change.seq))
        db.executemany(
            "UPDATE journal SET salt = ?, checksum = ?, head = ? WHERE bank = ? AND seq = ?",
            checked,
        )


def _check_episodes(db: sqlite3.Connection, bank: int) -> None:
    sql = (
        "SELECT row, id, said_at, noted_at, session, turn, part, parts, speaker, role, source,"
        " address, metadata, digest, state, supersedes, superseded_by, level, marks"
        " FROM episodes WHERE bank = ? AND row > ? ORDER BY row LIMIT ?"
    )
    for rows in _pages(db, sql, (bank,)):
        db.executemany(
            "UPDATE episodes SET checksum = ? WHERE bank = ? AND row = ?",
            [(row_checksum("episodes", bank, values=row), bank, row[0]) for row in rows],
        )


def _check_tail(db: sqlite3.Connection, bank: int) -> None:
    for (kind,) in db.execute("SELECT DISTINCT kind FROM tail WHERE bank = ?", (bank,)).fetchall():
        sql = (
            "SELECT row, payload FROM tail WHERE bank = ? AND kind = ?"
            " AND row > ? ORDER BY row LIMIT ?"
        )
        for rows in _pages(db, sql, (bank, kind)):
            db.executemany(
                "UPDATE tail SET checksum = ? WHERE bank = ? AND kind = ? AND row = ?",
                [(payload_checksum(bank, kind, r, made), bank, kind, r) for r, made in rows],
            )


def _v6(db: sqlite3.Connection) -> None:
    """
    Let the marks of an episode hold its origin, and that it is suspect.

    Nothing changes in the tables; the number keeps away versions that would read these as the level
    at which a text was settled.
    """


def _v7(db: sqlite3.Connection) -> None:
    """
    Allow payloads of told times.

    Nothing changes in the tables; the number keeps away versions that would leave the times of a
    text that they erase. Sleep reads the texts that are there.
    """


def _v8(db: sqlite3.Connection) -> None:
    """
    Allow vectors of fewer bits, token codes that stand for several tokens, and deflated blocks.

    Nothing changes in the tables; the number keeps away versions that would take such payloads for
    none. What is there stays as it is until ``reindex`` makes it anew.
    """


def _v9(db: sqlite3.Connection) -> None:
    """Keep for a day what came of requests that named themselves; of earlier ones nothing is."""
    db.execute(
        """
        CREATE TABLE requests (
            bank INTEGER NOT NULL,
            key BLOB NOT NULL,
            asked BLOB NOT NULL,
            at INTEGER NOT NULL,
            result TEXT NOT NULL,
            checksum BLOB,
            PRIMARY KEY (bank, key)
        ) WITHOUT ROWID
        """
    )
    db.execute("CREATE INDEX requests_by_time ON requests (bank, at)")


MIGRATIONS: tuple[Migration, ...] = (_v1, _v2, _v3, _v4, _v5, _v6, _v7, _v8, _v9)
"""Migration n, counted from 1, makes format n. Released ones never change; new ones only add."""

FORMAT = len(MIGRATIONS)
"""The format this version writes."""

OLDEST = 1
"""The oldest format this version reads (and brings to ``FORMAT``)."""

BANKED = ("requests", "journal", "tail", "blocks", "episodes")
"""The tables whose key starts with the bank."""


def read_format(db: sqlite3.Connection) -> tuple[int, int]:
    """Return (application id, format) as the database's header says."""
    return (
        db.execute("PRAGMA application_id").fetchone()[0],
        db.execute("PRAGMA user_version").fetchone()[0],
    )


def migrate(db: sqlite3.Connection, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """
    Bring a database to the newest format and mark it, all in one transaction or not at all.

    Two processes may try at once: the second finds the work done. A failure leaves the format,
    and every byte that counts, as they were.
    """
    mark, found = read_format(db)
    if mark in MARKS and found == len(migrations):
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        mark, found = read_format(db)
        for number, step in enumerate(migrations[found:], found + 1):
            step(db)
            db.execute(f"PRAGMA user_version = {number}")
        if mark not in MARKS:
            db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")
