"""A SQLite database of another program's, read beside it: nothing in it is changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, TypeAlias

from hippocampus.core.files import reading
from hippocampus.errors import SourceError
from hippocampus.sources.agents.log import LONGEST_LINE

Rows: TypeAlias = Iterator[tuple[Any, ...]]

_MAGIC: Final = b"SQLite format 3\0"
_BUSY: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_WAIT_S: Final = 5.0
"""Seconds for the tool itself, which may be writing: the default of Python's ``sqlite3``."""


@contextmanager
def reading_database(path: Path, tables: tuple[str, ...]) -> Iterator[sqlite3.Connection]:
    """
    Open a database that has these tables, as it was committed last.

    Raises:
        SourceError: it is no database, or not one with these tables, or damaged.

    """
    with reading(path) as file:  # which refuses a store that is open here
        if file.read(len(_MAGIC)) != _MAGIC:
            raise SourceError("is no SQLite database", path=path)
    try:
        with closing(_connect(path)) as connection:
            there = {name for (name,) in connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table'")}  # fmt: skip
            lacking = [name for name in tables if name not in there]
            if lacking:
                msg = f"has no table {lacking[0]!r}; it is of another program, or another version"
                raise SourceError(msg, path=path)
            yield connection
    except sqlite3.Error as exc:
        msg = f"cannot be read as a database: {exc}"
        raise SourceError(msg, path=path) from exc


def _connect(path: Path) -> sqlite3.Connection:
    """Connect for reading; where not even its index of the log can be made, to the file alone."""
    for how in ("mode=ro", "mode=ro&immutable=1"):
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, timeout=_WAIT_S)
        # A longer value is refused instead of being read into memory (``value_at``).
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_LINE)
        try:
            # Connecting alone reads nothing, so nothing that is wrong shows.
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError as exc:
            connection.close()
            # Of one that is being written the file alone may hold what was never committed.
            if how != "mode=ro" or exc.sqlite_errorcode & 0xFF in _BUSY:
                raise
        else:
            return connection
    raise SourceError("cannot be opened", path=path)


class LongValue(ValueError):
    """A value that is too long to read; others of its table can be read."""


def value_at(database: sqlite3.Connection, query: str, key: object) -> object:
    """
    Return the one value that a query has for a key; None if it has none, or NULL.

    Raises:
        LongValue: it has more than 64 MB.

    """
    try:
        row = database.execute(query, (key,)).fetchone()
    except sqlite3.DataError as exc:
        raise LongValue(f"has more than {LONGEST_LINE // 1024**2} MB") from exc
    return None if row is None else row[0]


def as_bytes(value: object) -> bytes:
    """Return a JSON value, which some programs keep as text and some as bytes."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")
