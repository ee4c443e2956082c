"""
Transactions on a store in PostgreSQL: writers of one bank one after the other, readers never wait.

A write takes an advisory lock until it ends: of its bank alone, or of the whole store where it
names none. So two servers that write one bank take turns, and who comes second sees what the first
has done; banks never wait for each other. A read is one snapshot (``REPEATABLE READ``).
"""

from __future__ import annotations

import itertools
import os
import re
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Final, TypeVar

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.sql import SQL, Composed, Literal
from psycopg_pool import ConnectionPool, PoolTimeout

from hippocampus.core.budget import check_budget, counted
from hippocampus.core.cipher import PLAIN, Cipher
from hippocampus.core.records import Asks
from hippocampus.core.store_address import without_password
from hippocampus.core.tenant import acting
from hippocampus.errors import (
    HippocampusError,
    NotAStore,
    StoreClosed,
    StoreCorrupt,
    StoreError,
    StoreOvertaken,
    StoreReadOnly,
    StoreTooNew,
    StoreUnreachable,
)
from hippocampus.store.checksums import Damage, damaged
from hippocampus.store.database import Row
from hippocampus.store.postgres import schema
from hippocampus.store.postgres.messages import Asked, Messages, ask, in_its_words, prepare_alone
from hippocampus.store.postgres.seam import FOREIGN, translate
from hippocampus.store.postgres.texts import TextDumper, TextReader
from hippocampus.store.seam import Seam

_STORE: Final = 0x4869_7070_7301
"""The advisory lock that a write of the whole store has alone, and one of a bank shares."""
_BANKS: Final = 0x4869_7070
"""The first half of the advisory lock of a bank; the other is the bank's number."""
_MOST: Final = 16
"""Connections that one process has open at once: PostgreSQL takes 100 by default, so some servers
and people fit beside each other (docs/postgres.md). Chosen by hand."""
_PROMPT_S: Final = 1.0
"""Seconds for which a connection is waited for before it is asked why there is none: that nobody is
there is told at once, that all are in use is waited for (docs/adr/0083)."""

_COPIED: Final = 64
"""Rows from which on they are sent by ``COPY``, which is a message more. Chosen by hand."""
_FETCHED: Final = 4096
"""Rows that a stream has in memory at once. Chosen by hand."""
_INSERT: Final = re.compile(
    r"INSERT INTO (?P<table>\w+) \((?P<columns>[\w, ]+)\) VALUES \(\?(?:, \?)*\)"
)
"""A statement that does no more than insert rows as they are."""
_CHANGES: Final = "SELECT SUM(n) FROM commits"
_NOW: Final = "SELECT (EXTRACT(EPOCH FROM now()) * 1000000)::bigint"
_BEGIN_READING: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_IS_THERE: Final = "SELECT 1 FROM banks WHERE bank = %s"
_WALLED: Final = re.compile(r"\b(?:banks|journal|episodes|tail|blocks|requests)\b")

_Answer = TypeVar("_Answer")

_inherited: Final[list[object]] = []
"""Pools of a parent process: to close their connections here would end those of the parent."""


class _OfThread(threading.local):
    """Transactions that one thread has open."""

    writer: Messages | None = None
    depth: int = 0
    slot: int = 0
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


class PostgresTransactions:
    """The transactions of this process on one store; ``Store`` says what they do."""

    def __init__(self, dsn: str, *, busy_timeout_s: float, read_only: bool) -> None:
        self._dsn = dsn
        self._path = without_password(dsn)
        self._read_only = read_only
        self._patience_s = busy_timeout_s
        self._pid = os.getpid()
        self._closed = False
        self._pool: ConnectionPool | None = None
        self._here = _OfThread()
        self._opening = threading.Lock()
        self._unsettled = itertools.count(1)
        self._streams = itertools.count(1)
        self._transactions = itertools.count(1)
        self.seen = 0
        """What ``changes`` came to when it was last asked, on any thread."""
        self.seam = Seam(self._path, FOREIGN, translate)
        self.damage = Damage()
        self.cipher: Callable[[int], Cipher] = lambda _: PLAIN
        self.mark: Callable[[str], str | None] = lambda tenant: tenant
        """What stands for a tenant in the database."""
        self.walled = False
        """Whether this role sees the banks of one tenant alone, the one it says it acts for."""

    @property
    def path(self) -> str:
        return self._path

    @property
    def file(self) -> Path | None:
        return None

    @property
    def read_only(self) -> bool:
        return self._read_only

    def refuse(self, kind: type[StoreError], message: str) -> StoreError:
        return kind(message, path=self._path)

    # ------------------------------------------------------------ opening

    def start(self, *, create: bool) -> None:
        """Connect, and make the store or bring it to the newest format if it may be written."""
        with self.seam, self._connect() as db:
            db.autocommit = True
            found = schema.find_format(db)
            if found == 0:
                raise self.refuse(
                    NotAStore,
                    f"the database has a schema {schema.SCHEMA!r} that is none of ours; name"
                    " another database",
                )
            if found is not None and found > schema.FORMAT:
                raise StoreTooNew(path=self._path, found=found, supported=schema.FORMAT)
            if found == schema.FORMAT:
                return
            if found is None and (self._read_only or not create):
                raise self.refuse(
                    StoreError, "there is no store in this database; open it for writing once"
                )
            if self._read_only:
                raise self.refuse(
                    StoreReadOnly,
                    f"has format {found}, which is older: open it for writing once",
                )
            schema.migrate(db, patience_s=self._patience_s)
        self.start(create=create)  # which looks at what there is now

    def _connect(self) -> psycopg.Connection:
        timeout = max(1, int(self._patience_s))
        return psycopg.connect(self._dsn, connect_timeout=timeout)

    def _ready(self) -> ConnectionPool:
        """Return the pool of this process; one that a parent opened is left alone."""
        if self._closed:
            raise self.refuse(StoreClosed, "the store was closed; open it again")
        with self._opening:
            if self._pid != os.getpid():
                _inherited.append(self._pool)
                self._pool, self._pid, self._here = None, os.getpid(), _OfThread()
            if self._pool is None:
                self._pool = ConnectionPool(
                    self._dsn, min_size=0, max_size=_MOST, open=True, timeout=self._patience_s,
                    reconnect_timeout=_PROMPT_S, configure=self._configure, name="hippocampus",
                    kwargs={"autocommit": True},
                )  # fmt: skip
            return self._pool

    def _configure(self, db: psycopg.Connection) -> None:
        prepare_alone(db)
        wait_ms = max(1, int(self._patience_s * 1000))
        db.execute(f"SET search_path TO {schema.SCHEMA}")
        db.execute(f"SET lock_timeout TO {wait_ms}")
        db.adapters.register_dumper(str, TextDumper)
        db.adapters.register_loader("text", TextReader)
        ((self.walled,),) = db.execute("SELECT row_security_active('banks')")

    def close(self) -> None:
        """Release everything. May be called twice."""
        self._closed = True
        with self._opening:
            pool, self._pool = self._pool, None
        if pool is not None and self._pid == os.getpid():
            pool.close()

    # ------------------------------------------------------------ connections

    def _lend(self, pool: ConnectionPool) -> psycopg.Connection:
        """
        Lend a connection of the pool.

        A pool that has none to give waits, whether all are in use or the database is not there;
        which of them it is, another connection tells.
        """
        try:
            return pool.getconn(min(self._patience_s, _PROMPT_S))
        except PoolTimeout:
            self._connect().close()
            return pool.getconn(self._patience_s)

    def _begun(
        self, pool: ConnectionPool, begin: Sequence[str], asked: Sequence[Asked]
    ) -> Messages:
        """Return the messages of a transaction that has begun, on a connection that is lent."""
        return self._asked(pool, lambda db: self._begin(db, begin, asked))[1]

    def _expected(self) -> list[Asked]:
        """Return the queries that the transaction which begins is expected to ask."""
        here = self._here
        asks, here.expected = here.expected, ()
        # Behind the wall nothing is asked ahead: the tenant is said first.
        if not asks or self.walled:
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

    def _asked(
        self, pool: ConnectionPool, ask: Callable[[psycopg.Connection], _Answer]
    ) -> tuple[psycopg.Connection, _Answer]:
        """
        Lend a connection, and return what it answers to a first statement, which changes nothing.

        One that broke while it lay in the pool, such as when the database was started anew, is
        thrown away, and the next one is asked.
        """
        # All that lie in the pool may be broken; after them comes one that is new.
        for left in reversed(range(_MOST + 1)):
            db = self._lend(pool)
            try:
                return db, ask(db)
            except psycopg.OperationalError:
                broken = db.closed
                self._put_back(pool, db)
                if not broken or not left:
                    raise
            except BaseException:
                self._put_back(pool, db)
                raise
        raise AssertionError("the last attempt has returned or raised")

    # ------------------------------------------------------------ transactions

    @property
    def writing(self) -> bool:
        return self._here.writer is not None

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
            raise self.refuse(
                StoreError, f"{verb}() was called inside read() or write(); call it after the block"
            )

    @contextmanager
    def write(self, bank: int | None = None) -> Iterator[None]:
        pool = self._ready()
        if self._read_only:
            raise self.refuse(StoreReadOnly, "was opened with read_only=True")
        check_budget()
        here = self._here
        if here.writer is not None:
            with self._nested(here.writer):
                yield
            return
        with self.seam:
            writer = self._begun(pool, ["BEGIN", *_locks(bank)], self._expected())
        db = writer.db
        try:
            with self.seam:
                self._check_ours(db, bank)
            here.writer, here.depth, here.slot = writer, 0, (bank or 0) % schema.SLOTS
            here.transaction = next(self._transactions)
            try:
                yield
                with self.seam:
                    self._unbroken(writer)
                    writer.send()
                    self._commit(db, here.slot)
            finally:
                here.writer = here.transaction = here.glanced = None
        finally:
            self._put_back(pool, db)

    def _commit(self, db: psycopg.Connection, slot: int) -> None:
        try:
            db.execute(
                # Last, and with the COMMIT: who counts in the same slot waits no longer than that.
                SQL("UPDATE commits SET n = n + 1 WHERE slot = {}; COMMIT").format(slot),
                prepare=False,
            )
        except psycopg.Error as exc:
            if not db.closed:
                raise
            msg = (
                "the connection broke while the transaction was being committed, so it may be done"
                " or not: look, or do it again under the same key, which does it once"
            )
            raise self.refuse(StoreUnreachable, msg) from exc

    def _begin(
        self, db: psycopg.Connection, begin: Sequence[str], noted: Sequence[Asked]
    ) -> Messages:
        """Begin a transaction, and say in the same message for whom it is, if anybody asks."""
        made = Messages(db)
        if not self.walled:
            made.begin(begin, noted)
            return made
        said = SQL("{}; SET LOCAL hippocampus.tenant TO {}")
        tenant = Literal(self.mark(acting()) or "")
        db.execute(said.format(SQL("; ".join(begin)), tenant), prepare=False)
        return made

    def _check_ours(self, db: psycopg.Connection, bank: int | None) -> None:
        """Refuse to write a bank behind the wall, of another tenant than is acted for."""
        if bank is None or not self.walled or db.execute(_IS_THERE, (bank,)).fetchone():
            return
        raise self.refuse(
            StoreError,
            f"there is no bank {bank}, or it is of another tenant than this call acts for;"
            " nothing was changed",
        )

    @contextmanager
    def _nested(self, writer: Messages) -> Iterator[None]:
        here, db = self._here, writer.db
        name = f"s{here.depth}"
        with self.seam:
            writer.send()
            db.execute(f"SAVEPOINT {name}")
        here.depth += 1
        try:
            yield
            with self.seam:
                self._unbroken(writer)
                writer.send()
                db.execute(f"RELEASE {name}")
        except BaseException:
            writer.drop()
            if not db.closed:
                with self.seam:
                    db.execute(f"ROLLBACK TO {name}")
            raise
        finally:
            here.depth -= 1

    def _unbroken(self, writer: Messages) -> None:
        if writer.db.info.transaction_status != TransactionStatus.INTRANS:
            raise self.refuse(
                StoreError,
                "an earlier error has rolled this transaction back; let that error end write()",
            )

    def _put_back(self, pool: ConnectionPool, db: psycopg.Connection) -> None:
        """Give a connection back, out of any transaction; one that is broken is closed there."""
        try:
            if not db.closed and db.info.transaction_status != TransactionStatus.IDLE:
                with suppress(psycopg.Error):  # then it is broken, and what was wrong is told
                    db.execute("ROLLBACK")
        finally:
            pool.putconn(db)

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
                self._put_back(pool, reader.db)

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

    def vacuum(self, tables: Collection[str], *, full: bool) -> None:
        """Have tables give back the room of removed rows; outside transactions."""
        with self._reader() as db, self.seam:
            for table in tables:
                db.execute(f"VACUUM {'FULL ' if full else ''}{table}")

    def checkpoint(self) -> None:
        """Have the server write changed pages into its files, if this role may; outside them."""
        with self._reader() as db, self.seam, suppress(psycopg.errors.InsufficientPrivilege):
            db.execute("CHECKPOINT")

    # ------------------------------------------------------------ statements

    @contextmanager
    def _reader(self) -> Iterator[psycopg.Connection]:
        pool = self._ready()
        here = self._here
        if here.writer is not None or here.reading:
            with self.seam:
                lent = here.writer or self._reads()
                lent.send()
            yield lent.db
            return
        with self.seam:
            db = pool.getconn()
        try:
            yield db
        finally:
            self._put_back(pool, db)

    def rows(self, sql: str, *values: object) -> list[Row]:
        pool, here = self._ready(), self._here
        if here.noted is not None:
            here.noted.append(Asked(sql, values))
            return []
        with self.seam:
            if here.writer is not None or here.reading:
                return (here.writer or self._reads(Asked(sql, values))).ask(sql, values)
            db, found = self._asked(pool, lambda db: self._answer(db, sql, values))
            self._put_back(pool, db)
            return found

    def stream(self, sql: str, *values: object) -> Iterator[Row]:
        if self._here.noted is not None:  # more than can be known ahead
            return
        name = f"stream{next(self._streams)}"
        # A cursor of the server ends with its transaction, so there has to be one.
        with self.read(), self._reader() as db, self.seam, db.cursor(name) as cursor:
            cursor.itersize = _FETCHED
            cursor.execute(in_its_words(sql), values or None)
            yield from cursor

    def _answer(self, db: psycopg.Connection, sql: str, values: tuple[object, ...]) -> list[Row]:
        """Return the rows of a query outside transactions."""
        if self.walled and _is_walled(sql):
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

    def _writer(self) -> Messages:
        self._ready()
        writer = self._here.writer
        if writer is None:
            raise self.refuse(StoreError, "a writing method was called outside write()")
        self._unbroken(writer)
        return writer

    def do(self, sql: str, *values: object) -> None:
        with self.seam:
            self._writer().write(sql, counted([values]))

    def do_many(self, sql: str, rows: Iterable[Row]) -> None:
        writer, made = self._writer(), list(counted(rows))
        copied = len(made) >= _COPIED and not self.walled  # behind a wall there is no COPY
        new = _INSERT.fullmatch(sql) if copied else None
        with self.seam:
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
        with self.seam:
            self._writer().write(sql, [(after, bank, before)], check)

    def flush(self) -> None:
        if self._here.writer is not None:
            with self.seam:
                self._writer().send()

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
        with self.seam:
            self._writer().command(statement)

    def is_marked_encrypted(self) -> bool:
        ((sealed,),) = self.rows("SELECT sealed FROM format")
        return bool(sealed)

    def mark_encrypted(self) -> None:
        self.do("UPDATE format SET sealed = true")


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


def _locks(bank: int | None) -> list[str]:
    """Return the statements that take the locks of a write."""
    if bank is None:
        return [f"SELECT pg_advisory_xact_lock({_STORE})"]
    # Such a lock has two halves of 32 bits; two banks with one lock wait for each other in vain.
    own = bank & 0x7FFF_FFFF
    # The store's first, and shared: who writes the whole store has it alone, and needs no bank's.
    return [
        f"SELECT pg_advisory_xact_lock_shared({_STORE})",
        f"SELECT pg_advisory_xact_lock({_BANKS}, {own})",
    ]


@lru_cache(maxsize=512)
def _is_walled(sql: str) -> bool:
    """Return whether a statement reads banks, or what is in them."""
    return _WALLED.search(sql) is not None
