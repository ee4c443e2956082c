"""Transactions on a store: one writer at a time, and readers that never wait."""

from __future__ import annotations

import itertools
import json
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from hippocampus.core.budget import check_budget, counted
from hippocampus.core.cipher import PLAIN, Cipher
from hippocampus.core.files import Hold
from hippocampus.errors import StoreCorrupt, StoreError, StoreLocked
from hippocampus.store import fork, schema
from hippocampus.store.checksums import Damage, damaged
from hippocampus.store.connections import Connections
from hippocampus.store.database import Row
from hippocampus.store.seam import undecodable


class _ThreadSnapshot(threading.local):
    """Snapshot of one thread: the connection that it is on, and ``changes`` before it."""

    db: sqlite3.Connection | None = None
    changes: int = 0


class Transactions:
    """
    The transactions of this process on one store, and the statements inside them.

    One connection writes, behind a gate that threads queue for; readers borrow one per snapshot, so
    that no thread ever sees another's transaction. In memory there is only one connection, and
    readers queue with the writer. Every connection is closed for a fork (``fork.py``).
    ``Store`` says what ``write``, ``read`` and ``changes`` do.
    """

    def __init__(self, connections: Connections) -> None:
        self.connections = connections
        self.gate = threading.RLock()  # who holds it may write
        self.commits = 0
        self._owner: int | None = None  # the thread inside write()
        self._depth = 0
        self._unsettled = itertools.count(1)
        self._here = _ThreadSnapshot()
        self._paused = False  # while this process is being forked
        self.damage = Damage()
        self.cipher: Callable[[int], Cipher] = lambda _: PLAIN
        """The cipher of a bank: that of ``SqlEncryption``, once a key has opened the store."""

    @property
    def path(self) -> str:
        return self.connections.path

    @property
    def file(self) -> Path | None:
        return self.connections.file

    @property
    def read_only(self) -> bool:
        return self.connections.read_only

    def refuse(self, kind: type[StoreError], message: str) -> StoreError:
        return self.connections.refuse(kind, message)

    def start(self, migrations: Sequence[schema.Migration], *, create: bool) -> None:
        """Open the store; a fork waits until it is open."""
        with self.gate:
            if self.connections.file is not None:
                fork.register(self)
            self.connections.start(migrations, create=create)

    def close(self) -> None:
        """Release everything; what is lent to readers, when they are done."""
        if self.connections.inherited:
            self.connections.close()
            return
        with self.gate:
            self.connections.close()

    def _inside(self) -> bool:
        """Return whether this very thread is in a transaction."""
        return self.writing or self._here.db is not None

    @property
    def writing(self) -> bool:
        """Return whether this very thread is inside ``write()``."""
        return self._owner == threading.get_ident()

    def outside(self, verb: str) -> None:
        """Refuse a verb inside a transaction of this thread."""
        self.connections.usable()
        if self._inside():
            raise self.connections.refuse(
                StoreError, f"{verb}() was called inside read() or write(); call it after the block"
            )

    # ------------------------------------------------------------ forks

    @property
    def hold(self) -> Hold | None:
        """Hold of this process on the file; None in memory."""
        return self.connections.hold

    def pause(self, until: float) -> bool:
        """Close every connection before a fork; False if one is in use until that moment."""
        if self.connections.file is None or (self.connections.closed and not self.connections.lent):
            return True
        if self._inside():  # who forks inside one would wait for itself
            return False
        if not self.gate.acquire(timeout=max(0.0, until - time.monotonic())):
            return False
        self._paused = self.connections.pause(until)
        if not self._paused:
            self.gate.release()
        return self._paused

    def resume(self) -> None:
        """Let connections be opened again after a fork, in the parent."""
        if self._paused:
            self._paused = False
            self.connections.resume()
            self.gate.release()

    def inherited(self) -> list[object]:
        """Return every connection, which in a child is not to be closed."""
        return list(self.connections.all())

    # ------------------------------------------------------------ transactions

    @contextmanager
    def write(self) -> Iterator[None]:
        self.connections.usable()
        self.connections.writable()
        check_budget()
        patience_s = self.connections.busy_timeout_s
        if not self.gate.acquire(timeout=min(patience_s, threading.TIMEOUT_MAX)):
            raise self.connections.refuse(
                StoreLocked,
                f"another thread has been writing for more than {patience_s:g} s;"
                " nothing was changed: try again, or raise Config.busy_timeout_s",
            )
        try:
            self.connections.usable()  # it may have been closed while we queued
            db = self.connections.open_writer()
            self._begin(db)
            try:
                yield
            except BaseException:
                self._undo(db)
                raise
            self._keep(db)
        finally:
            self.gate.release()

    def _begin(self, db: sqlite3.Connection) -> None:
        with self.connections.seam:
            if self._depth:
                db.execute(f"SAVEPOINT s{self._depth}")
            else:
                self.connections.begin(db)
        self._depth += 1
        self._owner = threading.get_ident()

    def _end(self) -> None:
        self._depth -= 1
        if not self._depth:
            self._owner = None

    def _undo(self, db: sqlite3.Connection) -> None:
        self._end()
        if self.connections.closed:  # and with its connection the transaction was rolled back
            return
        with self.connections.seam:
            if db.in_transaction:  # SQLite has rolled back by itself when the disk was full
                if self._depth:
                    db.execute(f"ROLLBACK TO s{self._depth}")
                    db.execute(f"RELEASE s{self._depth}")  # going back to it leaves it open
                else:
                    db.execute("ROLLBACK")

    def _keep(self, db: sqlite3.Connection) -> None:
        self._end()
        self.connections.usable()
        with self.connections.seam:
            self._unbroken(db)
            if self._depth:
                db.execute(f"RELEASE s{self._depth}")
                return
            try:
                self.connections.check_named(log=True)
                db.execute("COMMIT")
            finally:
                # A COMMIT that fails, on a full disk say, may leave the transaction open.
                if db.in_transaction:
                    db.execute("ROLLBACK")
            self.commits += 1
        self.connections.check_named(log=True)  # it may have happened meanwhile

    def _unbroken(self, db: sqlite3.Connection) -> None:
        if not db.in_transaction:
            raise self.connections.refuse(
                StoreError,
                "an earlier error has rolled this transaction back; let that error end write()",
            )

    @contextmanager
    def read(self) -> Iterator[None]:
        self.connections.usable()
        if self._inside():
            yield
        elif self.connections.file is None:
            with self.gate:
                self.connections.usable()
                yield
        else:
            changes = self.changes()
            with self.connections.borrowed() as db:
                try:
                    with self.connections.seam:
                        db.execute("BEGIN")
                        db.execute("SELECT 1 FROM settings LIMIT 1").fetchone()  # begins it now
                    # A commit between the two may or may not be seen: then no number is known.
                    known = self.changes() == changes
                    self._here.changes = changes if known else -next(self._unsettled)
                    self._here.db = db
                    yield
                finally:
                    self._here.db = None
                    with self.connections.seam:
                        if db.in_transaction:
                            db.execute("ROLLBACK")

    def changes(self) -> int:
        self.connections.usable()
        if self.writing:
            # What is not committed yet may be taken back: each look at it is a state of its own.
            return -next(self._unsettled)
        if self.connections.file is None:
            return self.commits
        if self._here.db is not None:
            return self._here.changes
        return self.connections.data_version()

    @contextmanager
    def reader(self) -> Iterator[sqlite3.Connection]:
        """Lend the connection on which this thread reads: its transaction's, if it is in one."""
        self.connections.usable()
        if self.writing and self.connections.writer is not None:
            yield self.connections.writer
        elif self._here.db is not None:
            yield self._here.db
        elif self.connections.file is None and self.connections.writer is not None:
            with self.gate:
                self.connections.usable()
                yield self.connections.writer
        else:
            with self.connections.borrowed() as db:
                yield db

    def rows(self, sql: str, *values: object) -> list[Row]:
        """Return the rows of a query; bytes in a text that are none come out as half characters."""
        with self.reader() as db, self.connections.seam:
            try:
                return db.execute(sql, values).fetchall()
            except sqlite3.OperationalError as exc:
                if not undecodable(exc):
                    raise
            db.text_factory = schema.readable  # slow, and so only for what is damaged
            try:
                return db.execute(sql, values).fetchall()
            finally:
                db.text_factory = str

    def advance(self, bank: int, before: int, after: int) -> None:
        """Take the numbers of changes; who writes does so alone, and has seen all."""

    def number(self, found: object, what: str) -> int:
        """Return the number a key holds, checked: in a damaged page anything may be there."""
        if not isinstance(found, int):
            raise self.connections.refuse(StoreCorrupt, damaged(what))
        return found

    def among(self, column: str) -> str:
        return f"{column} IN (SELECT value FROM json_each(?))"  # noqa: S608

    def many(self, values: Collection[int] | Collection[str]) -> object:
        # The number of parameters is limited; a list as JSON is one.
        return json.dumps([one if isinstance(one, str) else int(one) for one in values])

    def size_of(self, column: str) -> str:
        return f"LENGTH(CAST({column} AS BLOB))"  # of a text it counts characters

    def using(self, index: str) -> str:
        return f"INDEXED BY {index}"

    def unlocked(self) -> str:
        return ""  # one writer: nobody else is changing any

    def is_marked_encrypted(self) -> bool:
        ((mark,),) = self.rows("PRAGMA application_id")
        return bool(mark == schema.ENCRYPTED_ID)

    def mark_encrypted(self) -> None:
        self.do(f"PRAGMA application_id = {schema.ENCRYPTED_ID}")

    def _writing(self) -> sqlite3.Connection:
        self.connections.usable()
        if self.connections.writer is None or not self.writing:
            raise self.connections.refuse(StoreError, "a writing method was called outside write()")
        self._unbroken(self.connections.writer)  # or the statement would commit by itself
        return self.connections.writer

    def do(self, sql: str, *values: object) -> None:
        """Run a statement inside ``write()``."""
        db = self._writing()
        for row in counted([values]):
            with self.connections.seam:
                db.execute(sql, row)

    def stream(self, sql: str, *values: object) -> Iterator[Row]:
        """Yield the rows of a long query."""
        return iter(self.rows(sql, *values))

    def do_many(self, sql: str, rows: Iterable[Row]) -> None:
        """Run a statement with each of some rows, inside ``write()``."""
        db = self._writing()
        with self.connections.seam:
            db.executemany(sql, counted(rows))
