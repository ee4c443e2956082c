"""
Open transactions of a process on a store in PostgreSQL, one of each thread at most.

A write takes an advisory lock until it ends: of its bank alone, or of the whole store where it
names none. So two servers that write one bank take turns, and who comes second sees what the first
has done; banks never wait for each other. A read is one snapshot (``REPEATABLE READ``).
"""

from __future__ import annotations

import itertools
import os
import re
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Final

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.sql import SQL, Literal
from psycopg_pool import ConnectionPool

from hippocampus.core.budget import check_budget
from hippocampus.core.records import Asks
from hippocampus.core.tenant import acting
from hippocampus.errors import HippocampusError, StoreError, StoreReadOnly, StoreUnreachable
from hippocampus.store.database import Row
from hippocampus.store.postgres import schema
from hippocampus.store.postgres.connections import PostgresConnections
from hippocampus.store.postgres.messages import Asked, Messages, ask, in_its_words

_BANKS: Final = 0x4869_7070
"""The first half of the advisory lock of a bank; the other is the bank's number."""
_CHANGES: Final = "SELECT SUM(n) FROM commits"
_LONGEST_STEP: Final = 1 << 24
"""The most by which a commit is counted on. It is drawn, for after a failover or a restore as many
commits may be of another history; so small that a counter of 64 bits lasts for 10^12 commits."""
_BEGIN_READING: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_IS_THERE: Final = "SELECT 1 FROM banks WHERE bank = %s"
_WALLED: Final = re.compile(r"\b(?:banks|journal|episodes|tail|blocks|requests)\b")


class _OfThread(threading.local):
    """Transactions that one thread has open."""

    writer: Messages | None = None
    depth: int = 0
    bank: int | None = None
    """The bank that is written; None if it is the whole store."""
    reading: bool = False
    """Whether a reading transaction is open; it begins with what is asked first."""
    ahead: tuple[Asked, ...] = ()
    """Queries that go with the first one of a reading transaction."""
    reader: Messages | None = None
    """The messages of the reading transaction, once something was asked in it."""
    transaction: int | None = None
    changes: int | None = None
    """Value of ``changes`` in the reader's transaction, in which it stays so."""
    glancing: bool = False
    glanced: int | None = None
    """Value of ``changes`` when it was first asked within a glance."""
    expected: Asks = ()
    """Calls that the next transaction is expected to make."""
    noted: list[Asked] | None = None
    """Queries that are noted instead of being asked; None where they are asked."""


class OpenTransactions:
    """The transactions that threads of this process have open on one store, and how they begin."""

    def __init__(self, connections: PostgresConnections) -> None:
        self._connections = connections
        self._seam = connections.seam
        self._pid = os.getpid()
        self._here = _OfThread()
        self._beginning = threading.Lock()
        self._unsettled = itertools.count(1)
        self._transactions = itertools.count(1)
        self.seen = 0
        """What ``changes`` came to when it was last asked, on any thread."""
        self.mark: Callable[[str], str | None] = lambda tenant: tenant
        """What stands for a tenant in the database."""

    def _ready(self) -> ConnectionPool:
        """Return the pool of this process, in which none of its parent's transactions is open."""
        pool = self._connections.ready()
        if self._pid != os.getpid():
            with self._beginning:
                if self._pid != os.getpid():
                    self._here, self._pid = _OfThread(), os.getpid()
        return pool

    @property
    def writing(self) -> bool:
        return self._here.writer is not None

    @property
    def writes_all(self) -> bool:
        """True while this thread writes the whole store, and not one bank."""
        return self.writing and self._here.bank is None

    @property
    def transaction(self) -> int | None:
        """A number that this thread's transaction has alone; None outside of one."""
        return self._here.transaction

    @property
    def noting(self) -> bool:
        """True while this thread's queries are noted, to be asked later, and find nothing now."""
        return self._here.noted is not None

    def outside(self, verb: str) -> None:
        """Refuse a verb inside a transaction of this thread."""
        self._ready()
        if self.writing or self._here.reading:
            raise self._connections.refuse(
                StoreError, f"{verb}() was called inside read() or write(); call it after the block"
            )

    # ------------------------------------------------------------ writing

    @contextmanager
    def write(self, bank: int | None = None) -> Iterator[None]:
        pool = self._ready()
        if self._connections.read_only:
            raise self._connections.refuse(StoreReadOnly, "was opened with read_only=True")
        check_budget()
        here = self._here
        if here.writer is not None:
            with self._nested(here.writer):
                yield
            return
        with self._seam:
            writer = self._begun(pool, ["BEGIN", *_locks(bank)], self._expected())
        db = writer.db
        try:
            with self._seam:
                self._check_ours(db, bank)
            here.writer, here.depth, here.bank = writer, 0, bank
            here.transaction = next(self._transactions)
            try:
                yield
                with self._seam:
                    self._unbroken(writer)
                    writer.send()
                    self._commit(db, (bank or 0) % schema.SLOTS)
            finally:
                here.writer = here.transaction = here.glanced = None
        finally:
            self._connections.put_back(pool, db)

    def _commit(self, db: psycopg.Connection, slot: int) -> None:
        try:
            step = 1 + secrets.randbelow(_LONGEST_STEP)
            db.execute(
                # Last, and with the COMMIT: who counts in the same slot waits no longer than that.
                SQL("UPDATE commits SET n = n + {} WHERE slot = {}; COMMIT").format(step, slot),
                prepare=False,
            )
        except psycopg.Error as exc:
            if not db.closed:
                raise
            msg = (
                "the connection broke while the transaction was being committed, so it may be done"
                " or not: look, or do it again under the same key, which does it once"
            )
            raise self._connections.refuse(StoreUnreachable, msg) from exc

    def _check_ours(self, db: psycopg.Connection, bank: int | None) -> None:
        """Refuse to write a bank behind the wall, of another tenant than is acted for."""
        if (
            bank is None
            or not self._connections.walled
            or db.execute(_IS_THERE, (bank,)).fetchone()
        ):
            return
        raise self._connections.refuse(
            StoreError,
            f"there is no bank {bank}, or it is of another tenant than this call acts for;"
            " nothing was changed",
        )

    @contextmanager
    def _nested(self, writer: Messages) -> Iterator[None]:
        here, db = self._here, writer.db
        name = f"s{here.depth}"
        with self._seam:
            writer.send()
            db.execute(f"SAVEPOINT {name}")
        here.depth += 1
        try:
            yield
            with self._seam:
                self._unbroken(writer)
                writer.send()
                db.execute(f"RELEASE {name}")
        except BaseException:
            writer.drop()
            if not db.closed:
                with self._seam:
                    db.execute(f"ROLLBACK TO {name}")
            raise
        finally:
            here.depth -= 1

    def _unbroken(self, writer: Messages) -> None:
        if writer.db.info.transaction_status != TransactionStatus.INTRANS:
            raise self._connections.refuse(
                StoreError,
                "an earlier error has rolled this transaction back; let that error end write()",
            )

    # ------------------------------------------------------------ reading

    @contextmanager
    def read(self) -> Iterator[None]:
        pool = self._ready()
        here = self._here
        if here.writer is not None or here.reading or here.noted is not None:
            yield
            return
        here.ahead = tuple(self._expected())
        here.reading, here.transaction = True, next(self._transactions)
        try:
            yield
            if here.reader is not None:
                with suppress(psycopg.Error):  # what was read is read; it is closed then
                    here.reader.db.execute("COMMIT")  # a ROLLBACK would have all prepared anew
        finally:
            reader, here.reader, here.reading = here.reader, None, False
            here.transaction = here.changes = None
            if reader is not None:
                self._connections.put_back(pool, reader.db)

    def _reads(self, *first: Asked) -> Messages:
        """Return the messages of the open reading transaction, which begins with a first query."""
        here = self._here
        if here.reader is None:
            every = {one.key: one for one in (Asked(_CHANGES, ()), *here.ahead, *first)}
            asked = list(every.values())
            # What beginning asks, such as a tenant's mark, is asked beside it, outside of it.
            number, here.reading, here.transaction = here.transaction, False, None
            try:
                here.reader = self._begun(self._ready(), [_BEGIN_READING], asked)
            finally:
                here.reading, here.transaction = True, number
        return here.reader

    def changes(self) -> int:
        self._ready()
        here = self._here
        if here.writer is not None:
            return -next(self._unsettled)
        known = here.changes if here.reading else here.glanced
        if known is not None:
            return known
        ((total,),) = self.rows(_CHANGES)
        if here.reading:
            here.changes = int(total)
            here.glanced = here.changes if here.glancing else None  # it may be a later moment
            return here.changes
        self.seen = int(total)
        if here.glancing:
            here.glanced = self.seen
        return self.seen

    @contextmanager
    def glance(self) -> Iterator[None]:
        here = self._here
        if here.glancing:
            yield
            return
        here.glancing = True
        try:
            yield
        finally:
            here.glancing, here.glanced = False, None

    def look_again(self) -> None:
        self._here.glanced = None

    @contextmanager
    def expecting(self, asks: Asks) -> Iterator[None]:
        here = self._here
        if here.writer is not None or here.reading:
            yield  # what they ask is asked in that transaction
            return
        here.expected = asks
        try:
            yield
        finally:
            here.expected = ()

    # ------------------------------------------------------------ what is asked in them

    def _expected(self) -> list[Asked]:
        """Return the queries that the transaction which begins is expected to ask."""
        here = self._here
        asks, here.expected = here.expected, ()
        # Behind the wall nothing is asked ahead: the tenant is said first.
        if not asks or self._connections.walled:
            return []
        noted: list[Asked] = []
        here.noted = noted
        try:
            for ask in asks:
                with suppress(HippocampusError, LookupError, TypeError, ValueError):
                    ask()  # it finds nothing, and may stumble over that
        finally:
            here.noted = None
        return noted

    def _begun(
        self, pool: ConnectionPool, begin: Sequence[str], asked: Sequence[Asked]
    ) -> Messages:
        """Return the messages of a transaction that has begun, on a connection that is lent."""
        return self._connections.asked(pool, lambda db: self._begin(db, begin, asked))[1]

    def _begin(
        self, db: psycopg.Connection, begin: Sequence[str], noted: Sequence[Asked]
    ) -> Messages:
        """Begin a transaction, and say in the same message for whom it is, if anybody asks."""
        made = Messages(db)
        if not self._connections.walled:
            made.begin(begin, noted)
            return made
        said = SQL("{}; SET LOCAL hippocampus.tenant TO {}")
        tenant = Literal(self.mark(acting()) or "")
        db.execute(said.format(SQL("; ".join(begin)), tenant), prepare=False)
        return made

    @contextmanager
    def connection(self) -> Iterator[psycopg.Connection]:
        """Lend the connection of this thread's transaction, all that waits sent; or any."""
        pool = self._ready()
        here = self._here
        if here.writer is not None or here.reading:
            with self._seam:
                lent = here.writer or self._reads()
                lent.send()
            yield lent.db
            return
        with self._seam:
            db = pool.getconn()
        try:
            yield db
        finally:
            self._connections.put_back(pool, db)

    def rows(self, sql: str, *values: object) -> list[Row]:
        """Return the rows of a query, in this thread's transaction if it has one open."""
        pool, here = self._ready(), self._here
        if here.noted is not None:
            here.noted.append(Asked(sql, values))
            return []
        with self._seam:
            if here.writer is not None or here.reading:
                return (here.writer or self._reads(Asked(sql, values))).ask(sql, values)
            db, found = self._connections.asked(pool, lambda db: self._answer(db, sql, values))
            self._connections.put_back(pool, db)
            return found

    def _answer(self, db: psycopg.Connection, sql: str, values: tuple[object, ...]) -> list[Row]:
        """Return the rows of a query outside transactions."""
        if self._connections.walled and _is_walled(sql):
            return self._rows_alone(db, sql, values)
        return ask(db, sql, values).fetchall()

    def _rows_alone(
        self, db: psycopg.Connection, sql: str, values: tuple[object, ...]
    ) -> list[Row]:
        """Return the rows of a query outside transactions that needs a tenant, in one message."""
        tenant = self.mark(acting()) or ""
        with db.pipeline():
            db.execute("BEGIN READ ONLY")
            # True: for this transaction alone, for the connection goes back to the pool.
            db.execute("SELECT set_config('hippocampus.tenant', %s, true)", (tenant,))
            found = db.execute(in_its_words(sql), values or None)
            db.execute("COMMIT")
        return found.fetchall()

    def writer(self) -> Messages:
        """Return the messages of this thread's write, which has to be open."""
        self._ready()
        writer = self._here.writer
        if writer is None:
            raise self._connections.refuse(
                StoreError, "a writing method was called outside write()"
            )
        self._unbroken(writer)
        return writer


def _locks(bank: int | None) -> list[str]:
    """Return the statements that take the locks of a write."""
    if bank is None:
        return [f"SELECT pg_advisory_xact_lock({schema.WRITES})"]
    # Such a lock has two halves of 32 bits; two banks with one lock wait for each other in vain.
    own = bank & 0x7FFF_FFFF
    # The store's first, and shared: who writes the whole store has it alone, and needs no bank's.
    return [
        f"SELECT pg_advisory_xact_lock_shared({schema.WRITES})",
        f"SELECT pg_advisory_xact_lock({_BANKS}, {own})",
    ]


@lru_cache(maxsize=512)
def _is_walled(sql: str) -> bool:
    """Return whether a statement reads banks, or what is in them."""
    return _WALLED.search(sql) is not None
