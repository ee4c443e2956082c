"""Schema of a store inside PostgreSQL: one of its own, format numbers, migrations."""

from __future__ import annotations

import time
from typing import Any, Final, TypeAlias

import psycopg

SCHEMA: Final = "hippocampus"
"""Schema that holds all tables, apart from those of others in the same database."""
PARTITIONS: Final = 8
"""Parts that each table of banks is in, by a hash of the bank: they are looked after one by one.
Stores that are there have so many, so no number here changes it. Chosen by hand."""
_LOCK: Final = 0x4869_7070_6F00
"""The advisory lock of whoever makes or changes the tables: "Hippo", since all programs of a
database share these numbers."""
WRITES: Final = 0x4869_7070_7301
"""The advisory lock that a write of the whole store has alone, and one of a bank shares. Who
changes the tables has it too: a write locks them one by one, in an order of its own."""
_WAIT_MS: Final = 200
"""Milliseconds that a change of tables waits for a transaction, and all who come later for it."""
_PAUSE_S: Final = 0.5
"""Seconds between two tries: longer than ``_WAIT_MS``, so that those who queued behind it are done
first. Chosen by hand."""
SLOTS: Final = 64
"""Counters of commits; a bank counts in its own, so that two hardly ever wait for each other."""

Connection: TypeAlias = Any
"""A connection of ``psycopg``, which is an extra."""

_V1: Final = (
    """
    CREATE TABLE settings (
        key TEXT COLLATE "C" PRIMARY KEY,
        value TEXT NOT NULL,
        checksum BYTEA
    )
    """,
    # An identity never gives a number twice, so a stale handle of a dropped bank reads nothing.
    """
    CREATE TABLE banks (
        bank BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name TEXT COLLATE "C" NOT NULL UNIQUE,
        at BIGINT NOT NULL,
        checksum BYTEA
    )
    """,
    # Half of each page stays free, so that a count changes in place.
    "CREATE TABLE commits (slot INTEGER PRIMARY KEY, n BIGINT NOT NULL) WITH (fillfactor = 50)",
    """
    CREATE TABLE journal (
        bank BIGINT NOT NULL REFERENCES banks,
        seq BIGINT NOT NULL,
        at BIGINT NOT NULL,
        kind TEXT COLLATE "C" NOT NULL,
        row BIGINT,
        detail TEXT NOT NULL,
        salt BYTEA,
        checksum BYTEA,
        head BYTEA,
        PRIMARY KEY (bank, seq)
    ) PARTITION BY HASH (bank)
    """,
    "CREATE INDEX journal_by_row ON journal (bank, row, seq) WHERE row IS NOT NULL",
    """
    CREATE TABLE episodes (
        bank BIGINT NOT NULL REFERENCES banks,
        row BIGINT NOT NULL,
        id TEXT COLLATE "C" NOT NULL,
        said_at BIGINT NOT NULL,
        noted_at BIGINT NOT NULL,
        session TEXT COLLATE "C",
        turn BIGINT,
        part BIGINT NOT NULL,
        parts BIGINT NOT NULL,
        speaker TEXT COLLATE "C",
        role TEXT COLLATE "C",
        source TEXT COLLATE "C",
        address TEXT COLLATE "C" NOT NULL,
        metadata TEXT NOT NULL,
        digest BYTEA NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('active', 'superseded', 'forgotten', 'erased')),
        supersedes BIGINT,
        superseded_by BIGINT,
        level BIGINT NOT NULL DEFAULT 0,
        marks BIGINT NOT NULL DEFAULT 0,
        checksum BYTEA,
        PRIMARY KEY (bank, row)
    ) PARTITION BY HASH (bank)
    """,
    "CREATE UNIQUE INDEX episodes_by_id ON episodes (bank, id)",
    "CREATE INDEX episodes_by_digest ON episodes (bank, digest)",
    "CREATE INDEX episodes_by_session ON episodes (bank, session, row) WHERE session IS NOT NULL",
    "CREATE INDEX episodes_by_source ON episodes (bank, source, row) WHERE source IS NOT NULL",
    """
    CREATE TABLE tail (
        bank BIGINT NOT NULL REFERENCES banks,
        kind TEXT COLLATE "C" NOT NULL,
        row BIGINT NOT NULL,
        payload BYTEA NOT NULL,
        checksum BYTEA,
        PRIMARY KEY (bank, kind, row)
    ) PARTITION BY HASH (bank)
    """,
    """
    CREATE TABLE blocks (
        bank BIGINT NOT NULL REFERENCES banks,
        kind TEXT COLLATE "C" NOT NULL,
        first BIGINT NOT NULL,
        count BIGINT NOT NULL CHECK (count > 0),
        checksum BYTEA NOT NULL,
        payload BYTEA NOT NULL,
        PRIMARY KEY (bank, kind, first)
    ) PARTITION BY HASH (bank)
    """,
)


def _v1(db: Connection) -> None:
    for statement in _V1:
        db.execute(statement)
    for table in ("journal", "episodes", "tail", "blocks"):
        _part(db, table)
    # Payloads are compressed already, or do not compress: they lie out of line, as they are.
    for table in ("tail", "blocks"):
        for part in range(PARTITIONS):
            db.execute(f"ALTER TABLE {table}_{part} ALTER COLUMN payload SET STORAGE EXTERNAL")
    db.execute("INSERT INTO commits SELECT slot, 0 FROM generate_series(0, %s) AS slot", (SLOTS,))


def _v2(db: Connection) -> None:
    """Keep for a day what came of requests that named themselves."""
    db.execute(
        """
        CREATE TABLE requests (
            bank BIGINT NOT NULL,
            key BYTEA NOT NULL,
            asked BYTEA NOT NULL,
            at BIGINT NOT NULL,
            result TEXT NOT NULL,
            checksum BYTEA,
            PRIMARY KEY (bank, key)
        ) PARTITION BY HASH (bank)
        """
    )
    _part(db, "requests")
    db.execute("CREATE INDEX requests_by_time ON requests (bank, at)")


def _part(db: Connection, table: str) -> None:
    for part in range(PARTITIONS):
        db.execute(
            f"CREATE TABLE {table}_{part} PARTITION OF {table}"
            f" FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {part})"
        )


def _v3(db: Connection) -> None:
    """
    Have a bank's row say how many changes it has: the fence that every write goes through.

    The room that is left in pages lets the number change in place.
    """
    db.execute("ALTER TABLE banks ADD COLUMN seq BIGINT NOT NULL DEFAULT 0")
    db.execute("ALTER TABLE banks SET (fillfactor = 70)")


def _v4(db: Connection) -> None:
    """Count for all servers together how often callers ask."""
    db.execute(
        "CREATE UNLOGGED TABLE rates (caller BYTEA PRIMARY KEY, tokens FLOAT8 NOT NULL,"
        " given INTEGER NOT NULL, at TIMESTAMPTZ NOT NULL) WITH (fillfactor = 50)"
    )


def _tenants(db: Connection) -> None:
    """Have each bank say whose it is; who keeps tenants apart fills it in (``tenants.py``)."""
    db.execute('ALTER TABLE banks ADD COLUMN tenant TEXT COLLATE "C"')


_WORDS: Final = (
    ("banks", ("name",)),
    ("settings", ("value",)),
    *((f"journal_{part}", ("detail",)) for part in range(PARTITIONS)),
    *(
        (f"episodes_{part}", ("speaker", "role", "address", "metadata"))
        for part in range(PARTITIONS)
    ),
)
"""Columns with words, by table; not those of sessions and sources, which indexes may have long.
Banks come first: who looks one up by its name has no other table yet, and waits there."""
MAYBE_COMPRESSED: Final = "rows that were written before format 6 may be compressed"
"""The comment on a table in which the server may have compressed words."""


def _uncompressed(db: Connection) -> None:
    """
    Have the server compress no words, so that who looks for some sees what is left of them.

    It changes no row: each table that may have compressed ones says so ever after.
    """
    for table, columns in _WORDS:
        every = ", ".join(f"ALTER COLUMN {column} SET STORAGE EXTERNAL" for column in columns)
        db.execute(f"ALTER TABLE {table} {every}")
    ((commits,),) = db.execute("SELECT SUM(n) FROM commits")
    if commits:
        for table, _ in _WORDS:
            db.execute(f"COMMENT ON TABLE {table} IS '{MAYBE_COMPRESSED}'")


MIGRATIONS: Final = (_v1, _v2, _v3, _v4, _tenants, _uncompressed)
"""Migration n, counted from 1, makes format n. Released ones never change; new ones only add."""
FORMAT: Final = len(MIGRATIONS)


_FORMAT_COLUMNS: Final = (
    "SELECT COUNT(*) FROM pg_attribute WHERE attrelid = to_regclass(%s)"
    " AND (attname, atttypid) IN"
    " (('format', 'integer'::regtype), ('sealed', 'boolean'::regtype))"
)


def find_format(db: Connection) -> int | None:
    """Return the format of the store in a database; None if there is none, 0 if it is no store."""
    there = db.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", (SCHEMA,)).fetchone()
    if there is None:
        return None
    # Asked of the catalogue: to read a table that is not there would end the transaction.
    columns = db.execute(_FORMAT_COLUMNS, (f"{SCHEMA}.format",)).fetchone()
    if columns != (2,):
        return 0
    found = db.execute(f"SELECT format FROM {SCHEMA}.format").fetchone()  # noqa: S608
    return 0 if found is None else int(found[0])


def migrate(db: Connection, *, patience_s: float) -> None:
    """
    Bring a store to the newest format, all in one transaction; one process at a time.

    Others read and write meanwhile: who would have to wait for one of their transactions stands in
    the way of all who come after, so it does not wait for long, and tries again. What does not
    begin as a store of ours is left alone.
    """
    deadline = time.monotonic() + patience_s
    while True:
        try:
            _migrate(db)
        except psycopg.errors.LockNotAvailable:
            if time.monotonic() >= deadline:
                raise
            time.sleep(_PAUSE_S)
        else:
            return


def _migrate(db: Connection) -> None:
    with db.transaction():
        db.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        db.execute(f"SET LOCAL lock_timeout TO {_WAIT_MS}")
        db.execute("SELECT pg_advisory_xact_lock(%s)", (WRITES,))
        found = find_format(db)
        if found is not None and not 0 < found < FORMAT:
            return  # while this one waited another made it, or more of it than is known here
        if found is None:
            db.execute(f"CREATE SCHEMA {SCHEMA}")
            db.execute(f"SET LOCAL search_path TO {SCHEMA}")
            db.execute("CREATE TABLE format (format INTEGER NOT NULL, sealed BOOLEAN NOT NULL)")
            db.execute("INSERT INTO format VALUES (0, false)")
        db.execute(f"SET LOCAL search_path TO {SCHEMA}")
        for step in MIGRATIONS[found or 0 :]:
            step(db)
        db.execute("UPDATE format SET format = %s", (FORMAT,))
