"""
The statements of one transaction: those that write are sent together, and nothing is asked twice.

The database answers each message a way through the network later, so what a verb costs is how often
it waits for one. A statement that writes waits until something is asked or the transaction ends,
and all that wait go in one message; what was asked stays known until something is written to its
table. While a transaction writes a bank it has its lock, and what one reads does not change, so the
database would answer the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Final, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

import psycopg
from psycopg.sql import Composed

from hippocampus.store.database import Row

_OURS: Final = re.compile(r"\b(?:banks|journal|episodes|tail|blocks|requests|settings)\b")
"""The tables of which an answer may stay known; the others belong to no bank."""
_KNOWN_ROWS: Final = 64
"""The longest answer that stays known, in rows: ends, marks and settings; nobody asks twice for
more (docs/adr/0094)."""
_WAITING: Final = 512
"""Statements that wait at most: they are in memory."""

_PREPARED: Final = 256
"""Statements that a connection has prepared at most; beyond, psycopg drops the oldest. Chosen by
hand."""
_Key: TypeAlias = tuple[str, tuple[object, ...]]
_Form: TypeAlias = tuple[str, tuple[type, ...]]
"""A statement and the types of its values: each such pair is prepared for itself."""
_prepared: Final = WeakKeyDictionary[psycopg.Connection, set[_Form]]()
"""Statements that each connection has had prepared."""

Check = Callable[[int], None]
"""Check of how many rows a statement has changed."""


class Asked(NamedTuple):
    """A query, and its values."""

    sql: str
    values: tuple[object, ...]

    @property
    def key(self) -> _Key:
        """The statement with its values, to look it up by."""
        return self.sql, tuple(tuple(one) if isinstance(one, list) else one for one in self.values)


class _Waiting(NamedTuple):
    """A statement that is yet to be sent."""

    sql: str
    values: Row
    check: Check | None = None


class Messages:
    """Messages of a transaction on its connection: what it asks, and what it writes."""

    def __init__(self, db: psycopg.Connection) -> None:
        self.db = db
        self._waiting: list[_Waiting] = []
        self._known: dict[_Key, list[Row]] = {}

    def begin(self, statements: Sequence[str], asked: Iterable[Asked]) -> None:
        """
        Begin the transaction, in one message with what is going to be asked in it.

        What the database has not prepared yet is left out, and asked when it is asked for.
        """
        ready = _prepared.get(self.db, set())
        asked = [one for one in asked if _form(*one) in ready]
        if not asked:
            self.db.execute("; ".join(statements), prepare=False)
            return
        begins = [_Waiting(sql, ()) for sql in statements]
        made = self._together(begins + [_Waiting(*one) for one in asked])
        for one, cursor in zip(asked, made[len(begins) :], strict=True):
            self._known[one.key] = cursor.fetchall()

    def ask(self, sql: str, values: Sequence[object]) -> list[Row]:
        """Return the rows of a query, after all that was written before it."""
        one = Asked(sql, tuple(values))
        known = self._known.get(one.key)
        if known is None:
            known = self._answer(one)
            if _tables(sql) and len(known) <= _KNOWN_ROWS:
                self._known[one.key] = known
        return list(known)  # the caller may change its own

    def write(self, sql: str, rows: Iterable[Row], check: Check | None = None) -> None:
        """
        Have a statement sent with each of some rows, before anything is asked or committed.

        ``check``: is told how many rows it has changed, and refuses if that is not right.
        """
        self._forget(sql)
        self._waiting += (_Waiting(sql, row, check) for row in rows)
        if len(self._waiting) >= _WAITING:
            self.send()

    def copy(self, sql: str, table: str, rows: Iterable[Row]) -> None:
        """Send rows to a table, as ``COPY`` has it."""
        self._forget(table)
        self.send()
        with self.db.cursor() as cursor, cursor.copy(sql) as copy:
            for row in rows:
                copy.write_row(row)

    def command(self, statement: Composed) -> None:
        """Run a statement that is none of the tables' own, and may change any of them."""
        self._known.clear()
        self.send()
        self.db.execute(statement)

    def send(self) -> None:
        """Send the statements that wait, and see that they did what they were to do."""
        self._send()

    def drop(self) -> None:
        """Drop waiting statements and known rows: the transaction goes back in time."""
        self._waiting.clear()
        self._known.clear()

    def _answer(self, one: Asked) -> list[Row]:
        return self._send(_Waiting(*one)).fetchall()

    def _send(self, *last: _Waiting) -> psycopg.Cursor:
        """Send waiting statements and one more, in one message; return the last one's cursor."""
        every = [*self._waiting, *last]
        self._waiting.clear()
        made: list[psycopg.Cursor] = []
        known = _prepared.setdefault(self.db, set())
        # Only what is prepared goes into a pipeline: see ``prepare_alone``.
        for is_known, some in groupby(every, lambda one: _form(one.sql, one.values) in known):
            if not is_known:
                made += (ask(self.db, one.sql, one.values) for one in some)
            else:
                made += self._together(list(some))
        for one, done in zip(every, made, strict=True):
            if one.check is not None:
                one.check(done.rowcount)
        return made[-1] if made else self.db.cursor()

    def _together(self, some: Sequence[_Waiting]) -> list[psycopg.Cursor]:
        """Send statements in one message; raise the error of the first that fails."""
        if len(some) == 1:
            return [ask(self.db, some[0].sql, some[0].values)]
        made: list[psycopg.Cursor] = []
        wrong: psycopg.Error | None = None
        try:
            with self.db.pipeline():
                try:
                    made += (self.db.execute(in_its_words(o.sql), o.values or None) for o in some)
                except psycopg.Error as exc:
                    wrong = exc  # at the end of the pipeline it is only told that it was cut off
        except psycopg.Error as exc:
            wrong = wrong or exc
        if wrong is not None:
            raise wrong
        return made

    def _forget(self, sql: str) -> None:
        """Forget the known rows of the tables that a statement writes."""
        written = _tables(sql)
        for key in [key for key in self._known if not written.isdisjoint(_tables(key[0]))]:
            del self._known[key]


def prepare_alone(db: psycopg.Connection) -> None:
    """
    Have a connection prepare a statement only where it is run by itself, by ``ask``.

    What is prepared within a pipeline that fails is taken by psycopg for prepared ever after.
    """
    db.prepare_threshold = 1 << 30  # runs until it does so unasked
    db.prepared_max = _PREPARED


def ask(db: psycopg.Connection, sql: str, values: Sequence[object]) -> psycopg.Cursor:
    """Run one statement by itself; the database has it prepared from then on."""
    made = db.execute(in_its_words(sql), values or None, prepare=True)
    known = _prepared.setdefault(db, set())
    if len(known) >= _PREPARED:
        # psycopg drops the oldest by now, and does not say which.
        known.clear()
    known.add(_form(sql, values))
    return made


def _form(sql: str, values: Sequence[object]) -> _Form:
    return sql, tuple(map(type, values))


@lru_cache(maxsize=512)
def _tables(sql: str) -> frozenset[str]:
    """Return the tables that a statement names."""
    return frozenset(_OURS.findall(sql))


@lru_cache(maxsize=512)
def in_its_words(sql: str) -> str:
    """Return a statement with the marks for values that ``psycopg`` knows; none of ours has a %."""
    return sql.replace("?", "%s")
