"""Connections of a process to one store in PostgreSQL: a pool that is opened when it is needed."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeVar

import psycopg
from psycopg.pq import TransactionStatus
from psycopg_pool import ConnectionPool, PoolTimeout

from hippocampus.core.store_address import without_password
from hippocampus.errors import (
    NotAStore,
    StoreClosed,
    StoreError,
    StoreReadOnly,
    StoreTooNew,
)
from hippocampus.store.postgres import schema
from hippocampus.store.postgres.messages import prepare_alone
from hippocampus.store.postgres.seam import FOREIGN, translate
from hippocampus.store.postgres.texts import TextDumper, TextReader
from hippocampus.store.seam import Seam

_MOST: Final = 16
"""Connections that one process has open at once: PostgreSQL takes 100 by default, so some servers
and people fit beside each other (docs/postgres.md). Chosen by hand."""
_PROMPT_S: Final = 1.0
"""Seconds for which a connection is waited for before it is asked why there is none: that nobody is
there is told at once, that all are in use is waited for (docs/adr/0083)."""

_Answer = TypeVar("_Answer")

_inherited: Final[list[object]] = []
"""Pools of a parent process: to close their connections here would end those of the parent."""


class PostgresConnections:
    """Connections of this process to one store. A child that was forked opens its own."""

    def __init__(self, dsn: str, *, busy_timeout_s: float, read_only: bool) -> None:
        self.dsn = dsn
        self.path = without_password(dsn)
        self.read_only = read_only
        self._patience_s = busy_timeout_s
        self._pid = os.getpid()
        self._closed = False
        self._pool: ConnectionPool | None = None
        self._opening = threading.Lock()
        self.seam = Seam(self.path, FOREIGN, translate)
        self.walled = False
        """Whether this role sees the banks of one tenant alone, the one it says it acts for."""

    def refuse(self, kind: type[StoreError], message: str) -> StoreError:
        """Return the error that says what is wrong with this store."""
        return kind(message, path=self.path)

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
                raise StoreTooNew(path=self.path, found=found, supported=schema.FORMAT)
            if found == schema.FORMAT:
                return
            if found is None and (self.read_only or not create):
                raise self.refuse(
                    StoreError, "there is no store in this database; open it for writing once"
                )
            if self.read_only:
                raise self.refuse(
                    StoreReadOnly,
                    f"has format {found}, which is older: open it for writing once",
                )
            schema.migrate(db, patience_s=self._patience_s)
        self.start(create=create)  # which looks at what there is now

    def _connect(self) -> psycopg.Connection:
        timeout = max(1, int(self._patience_s))
        return psycopg.connect(self.dsn, connect_timeout=timeout)

    def ready(self) -> ConnectionPool:
        """Return the pool of this process; one that a parent opened is left alone."""
        if self._closed:
            raise self.refuse(StoreClosed, "the store was closed; open it again")
        with self._opening:
            if self._pid != os.getpid():
                _inherited.append(self._pool)
                self._pool, self._pid = None, os.getpid()
            if self._pool is None:
                self._pool = ConnectionPool(
                    self.dsn, min_size=0, max_size=_MOST, open=True, timeout=self._patience_s,
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

    # ------------------------------------------------------------ lending

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

    def asked(
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
                self.put_back(pool, db)
                if not broken or not left:
                    raise
            except BaseException:
                self.put_back(pool, db)
                raise
        raise AssertionError("the last attempt has returned or raised")

    def put_back(self, pool: ConnectionPool, db: psycopg.Connection) -> None:
        """Give a connection back, out of any transaction; one that is broken is closed there."""
        try:
            if not db.closed and db.info.transaction_status != TransactionStatus.IDLE:
                with suppress(psycopg.Error):  # then it is broken, and what was wrong is told
                    db.execute("ROLLBACK")
        finally:
            pool.putconn(db)
