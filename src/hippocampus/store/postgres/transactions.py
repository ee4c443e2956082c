"""Statements of the tables on a store in PostgreSQL, in whatever transaction is open."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Final

import psycopg
from psycopg.sql import Composed

from hippocampus.core.budget import counted
from hippocampus.core.cipher import PLAIN, Cipher
from hippocampus.errors import StoreCorrupt, StoreError, StoreOvertaken
from hippocampus.store.checksums import Damage, damaged
from hippocampus.store.database import Row
from hippocampus.store.postgres.connections import PostgresConnections
from hippocampus.store.postgres.messages import in_its_words
from hippocampus.store.postgres.open_transactions import OpenTransactions

_COPIED: Final = 64
"""Rows from which on they are sent by ``COPY``, which is a message more. Chosen by hand."""
_FETCHED: Final = 4096
"""Rows that a stream has in memory at once. Chosen by hand."""
_INSERT: Final = re.compile(
    r"INSERT INTO (?P<table>\w+) \((?P<columns>[\w, ]+)\) VALUES \(\?(?:, \?)*\)"
)
"""A statement that does no more than insert rows as they are."""
_NOW: Final = "SELECT (EXTRACT(EPOCH FROM now()) * 1000000)::bigint"


class PostgresTransactions:
    """
    The ``Database`` of the tables: their statements in open transactions, and its dialect.

    Attributes:
        connections: those of this process to the store.
        open: the transactions that its threads have open on them.

    """

    def __init__(self, connections: PostgresConnections) -> None:
        self.connections = connections
        self.open = OpenTransactions(connections)
        self._seam = connections.seam
        self._streams = itertools.count(1)
        self.damage = Damage()
        self.cipher: Callable[[int], Cipher] = lambda _: PLAIN

    @property
    def path(self) -> str:
        return self.connections.path

    @property
    def file(self) -> Path | None:
        return None

    @property
    def read_only(self) -> bool:
        return self.connections.read_only

    @property
    def writing(self) -> bool:
        return self.open.writing

    def refuse(self, kind: type[StoreError], message: str) -> StoreError:
        return self.connections.refuse(kind, message)

    def write(self, bank: int | None = None) -> AbstractContextManager[None]:
        return self.open.write(bank)

    # ------------------------------------------------------------ statements

    def rows(self, sql: str, *values: object) -> list[Row]:
        return self.open.rows(sql, *values)

    def stream(self, sql: str, *values: object) -> Iterator[Row]:
        if self.open.noting:  # more than can be known ahead
            return
        name = f"stream{next(self._streams)}"
        # A cursor of the server ends with its transaction, so there has to be one.
        with self.open.read(), self.open.connection() as db, self._seam, db.cursor(name) as cursor:
            cursor.itersize = _FETCHED
            cursor.execute(in_its_words(sql), values or None)
            yield from cursor

    def do(self, sql: str, *values: object) -> None:
        with self._seam:
            self.open.writer().write(sql, counted([values]))

    def do_many(self, sql: str, rows: Iterable[Row]) -> None:
        writer, made = self.open.writer(), list(counted(rows))
        # Behind a wall there is no COPY.
        copied = len(made) >= _COPIED and not self.connections.walled
        new = _INSERT.fullmatch(sql) if copied else None
        with self._seam:
            if new is None:
                writer.write(sql, made)
            else:
                columns = f"COPY {new['table']} ({new['columns']}) FROM STDIN"
                writer.copy(columns, new["table"], made)

    def advance(self, bank: int, before: int, after: int) -> None:
        # Whoever was first has the row locked until it ends, and then this one finds none. A lower
        # number is left by an earlier version of ours, which knows nothing of it.
        def check(moved: int) -> None:
            if moved != 1:
                msg = (
                    f"another server has written to bank {bank} meanwhile, or dropped it; nothing"
                    " was changed: try again"
                )
                raise self.refuse(StoreOvertaken, msg)

        sql = "UPDATE banks SET seq = ? WHERE bank = ? AND seq <= ?"
        with self._seam:
            self.open.writer().write(sql, [(after, bank, before)], check)

    def flush(self) -> None:
        if self.open.writing:
            with self._seam:
                self.open.writer().send()

    def number(self, found: object, what: str) -> int:
        if not isinstance(found, int):
            raise self.refuse(StoreCorrupt, damaged(what))
        return found

    def among(self, column: str) -> str:
        return f"{column} = ANY(?)"

    def many(self, values: Collection[int] | Collection[str]) -> object:
        return [one if isinstance(one, str) else int(one) for one in values]

    def size_of(self, column: str) -> str:
        return f"OCTET_LENGTH({column})"

    def using(self, index: str) -> str:  # noqa: ARG002 - it has statistics, and finds out itself
        return ""

    def unlocked(self) -> str:
        return "FOR UPDATE SKIP LOCKED"

    def command(self, statement: Composed) -> None:
        """Run a statement that is none of the tables' own, inside ``write()``."""
        with self._seam:
            self.open.writer().command(statement)

    def is_marked_encrypted(self) -> bool:
        ((sealed,),) = self.rows("SELECT sealed FROM format")
        return bool(sealed)

    def mark_encrypted(self) -> None:
        self.do("UPDATE format SET sealed = true")

    def vacuum(self, tables: Collection[str], *, full: bool) -> None:
        """Have tables give back the room of removed rows; outside transactions."""
        with self.open.connection() as db, self._seam:
            for table in tables:
                db.execute(f"VACUUM {'FULL ' if full else ''}{table}")

    def checkpoint(self) -> None:
        """Have the server write changed pages into its files, if this role may; outside them."""
        with (
            self.open.connection() as db,
            self._seam,
            suppress(psycopg.errors.InsufficientPrivilege),
        ):
            db.execute("CHECKPOINT")


class DatabaseTime:
    """The database's own time, which is the same for all servers, whatever their clocks say."""

    def __init__(self, db: PostgresTransactions) -> None:
        self._db = db

    def now(self) -> int:
        """Return the time in microseconds since 1970."""
        ((now,),) = self._db.rows(_NOW)
        return int(now)

    def behind(self) -> int:
        """Return by how much it is behind a clock that is right."""
        return 0
