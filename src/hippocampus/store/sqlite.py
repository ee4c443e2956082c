"""The store in one SQLite file: one writer at a time, readers that never wait, durable commits."""

from __future__ import annotations

import itertools
import json
import os
import sqlite3
import struct
import sys
import threading
import time
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from hippocampus.core.events import JournalEvent, JournalRow, kind_of
from hippocampus.core.files import (
    COMPANIONS,
    Hold,
    ReadAt,
    hold_store,
    reading_raw,
    release_store,
    writing,
)
from hippocampus.core.records import Block, EpisodeRow, Kind, Progress, State
from hippocampus.errors import (
    NotAStore,
    StoreClosed,
    StoreCorrupt,
    StoreError,
    StoreLocked,
    StoreReadOnly,
    StoreTooNew,
)
from hippocampus.store import fork, schema
from hippocampus.store.blocks import seal, unseal
from hippocampus.store.seam import Seam, translate

_Row: TypeAlias = tuple[Any, ...]

# Without statistics SQLite reads a whole bank by its primary key rather than use an index whose
# first column is the bank as well (35 ms a call at 50 000 episodes): such queries name the index.
_EPISODE = ", ".join(EpisodeRow._fields)
_JOURNAL = ", ".join(JournalRow._fields)
# Rows come in the order and number of the fields, so the length check of ``_make`` buys nothing.
_to_episode: Callable[[_Row], EpisodeRow] = partial(tuple.__new__, EpisodeRow)
_to_change: Callable[[_Row], JournalRow] = partial(tuple.__new__, JournalRow)

_SCAN_ROWS = 4096
"""Episodes per query of a scan: large enough to cost nothing, small enough to stay in the cache."""
_IDLE_READERS = 8
"""Connections kept open for the next readers."""
_BACKUP_PAGES = 1024
"""Pages copied between two calls of a backup's progress."""

_PRAGMAS = (
    "PRAGMA trusted_schema = OFF",  # a file is data: its schema may not call functions
    "PRAGMA cell_size_check = ON",
    "PRAGMA temp_store = MEMORY",  # no words in temporary files, not even while VACUUM runs
    "PRAGMA cache_size = -2048",
)
_WRITER_PRAGMAS = (
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",
    "PRAGMA synchronous = FULL",  # in WAL mode NORMAL may lose the last commits with the power
    "PRAGMA fullfsync = ON",  # macOS keeps fsync in the drive's cache without it
    "PRAGMA checkpoint_fullfsync = ON",
    "PRAGMA journal_size_limit = 67108864",  # one large import must not leave a large log for good
)

_READER_PRAGMAS = ("PRAGMA query_only = ON",)

_INVARIANTS = (
    (
        "bank {}: the journal holds {} changes, numbered {} to {}, so some are missing",
        (
            "SELECT bank, COUNT(*), MIN(seq), MAX(seq) FROM journal"
            " GROUP BY bank HAVING MIN(seq) <> 1 OR MAX(seq) <> COUNT(*)"
        ),
    ),
    (
        "bank {}: change {} concerns episode {}, which does not exist",
        (
            "SELECT j.bank, j.seq, j.row FROM journal j LEFT JOIN episodes e USING (bank, row)"
            " WHERE j.row IS NOT NULL AND e.row IS NULL"
        ),
    ),
    (
        "bank {}: there are {} episodes in rows {} to {}, so some are missing",
        (
            "SELECT bank, COUNT(*), MIN(row), MAX(row) FROM episodes"
            " GROUP BY bank HAVING MIN(row) <> 0 OR MAX(row) + 1 <> COUNT(*)"
        ),
    ),
    (
        "bank {}: episode {} supersedes {}, which does not exist",
        (
            "SELECT e.bank, e.row, e.supersedes FROM episodes e"
            " LEFT JOIN episodes o ON o.bank = e.bank AND o.row = e.supersedes"
            " WHERE e.supersedes IS NOT NULL AND o.row IS NULL"
        ),
    ),
    (
        "bank {}: episode {} is superseded by {}, which does not exist",
        (
            "SELECT e.bank, e.row, e.superseded_by FROM episodes e"
            " LEFT JOIN episodes o ON o.bank = e.bank AND o.row = e.superseded_by"
            " WHERE e.superseded_by IS NOT NULL AND o.row IS NULL"
        ),
    ),
    (
        "bank {}: the {} tail holds row {}, and there is no such episode",
        (
            "SELECT t.bank, t.kind, t.row FROM tail t LEFT JOIN episodes e USING (bank, row)"
            " WHERE e.row IS NULL"
        ),
    ),
    (
        "bank {}: the {} tail holds row {}, which is also in the block from row {}",
        (
            "SELECT t.bank, t.kind, t.row, b.first FROM tail t JOIN blocks b USING (bank, kind)"
            " WHERE t.row >= b.first AND t.row < b.first + b.count"
        ),
    ),
    (
        "bank {}: the {} block of {} rows from row {} goes beyond the last episode, {}",
        (
            "SELECT b.bank, b.kind, b.count, b.first, COALESCE(e.last, -1) FROM blocks b"
            " LEFT JOIN (SELECT bank, MAX(row) AS last FROM episodes GROUP BY bank) e USING (bank)"
            " WHERE b.first < 0 OR b.first + b.count - 1 > COALESCE(e.last, -1)"
        ),
    ),
    (
        "bank {}: the {} block from row {} overlaps the one before it",
        (
            "SELECT bank, kind, first FROM ("
            " SELECT bank, kind, first, LAG(first + count) OVER"
            " (PARTITION BY bank, kind ORDER BY first) AS ends FROM blocks) WHERE ends > first"
        ),
    ),
)


class _Here(threading.local):
    """What one thread has open: the connection its snapshot is on, and ``changes`` before it."""

    db: sqlite3.Connection | None = None
    changes: int = 0


class SqliteStore:
    """
    A ``Store`` in one SQLite file, or in memory for the path ``:memory:``.

    One connection writes, behind a lock that threads queue for; readers borrow connections from a
    pool, one per snapshot, so that no thread ever sees another's transaction. In memory there is
    only one connection, and readers queue with the writer. A store cannot be carried over a fork,
    but opened again in the child (``fork.py``).

    ``read_only`` never changes a byte of the file. Where SQLite cannot keep its ``-shm`` file, on
    read-only media, the file is taken not to change while it is open.
    """

    def __init__(
        self,
        path: str,
        *,
        busy_timeout_s: float,
        read_only: bool = False,
        create: bool = True,
        tracer: Callable[[str], object] | None = None,
        migrations: Sequence[schema.Migration] = schema.MIGRATIONS,
    ) -> None:
        self._path = path
        self._file = None if path == ":memory:" else Path(path).absolute()
        self._busy_timeout_s = busy_timeout_s
        self._tracer = tracer
        self._seam = Seam(path)
        self._pid = os.getpid()
        self._closed = False
        self._gate = threading.RLock()  # who holds it may write
        self._owner: int | None = None  # the thread inside write()
        self._depth = 0
        self._commits = 0
        self._unsettled = itertools.count(1)
        self._here = _Here()
        # Guards the pool, what is lent of it and the watcher; never held for long.
        self._lock = threading.Condition(threading.Lock())
        self._idle: list[sqlite3.Connection] = []
        self._lent: set[sqlite3.Connection] = set()
        self._watcher: sqlite3.Connection | None = None
        self._writer: sqlite3.Connection | None = None
        self._read_only = read_only and self._file is not None
        self._paused = False  # while this process is being forked
        self._epoch = 0  # how often every connection was closed for a fork
        self.hold: Hold | None = None
        self._uri = "" if self._file is None else f"{self._file.as_uri()}?mode=ro"
        with self._gate, self._lock, self._seam:  # a fork waits until it is open
            if self._file is None:
                self._writer = self._open_memory(migrations)
                return
            fork.register(self)
            try:
                if read_only:
                    self._open_to_read(self._file, len(migrations))
                else:
                    self._writer = self._open_to_write(self._file, migrations, create=create)
                    self._uri = f"{self._file.as_uri()}?mode=rw"
            except BaseException:
                self._closed = True
                self._let_go()
                raise

    def __repr__(self) -> str:
        return f"SqliteStore({self._path!r}{', closed' if self._closed else ''})"

    def _no(self, kind: type[StoreError], message: str) -> StoreError:
        return kind(message, path=self._path)

    @property
    def path(self) -> str:
        """Where the store is, for messages."""
        return self._path

    # ------------------------------------------------------------ opening and closing

    def _connect(self, uri: str, pragmas: Iterable[str] = ()) -> sqlite3.Connection:
        db = sqlite3.connect(
            uri,
            uri=True,
            timeout=self._busy_timeout_s,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            db.set_trace_callback(self._tracer)
            for pragma in (*_PRAGMAS, *pragmas):
                db.execute(pragma)
        except BaseException:
            db.close()
            raise
        return db

    def _open_memory(self, migrations: Sequence[schema.Migration]) -> sqlite3.Connection:
        db = self._connect("file::memory:", _WRITER_PRAGMAS)
        try:
            schema.migrate(db, migrations)
        except BaseException:
            db.close()
            raise
        return db

    def _open_to_read(self, file: Path, supported: int) -> None:
        if _was_cut_off(file):
            raise self._no(
                StoreReadOnly,
                "it is being made, or its making was cut off and its -journal file tells how to"
                " undo that; open it once for writing",
            )
        found = _probe(file, self._path, supported)
        if found is None:
            state = "is empty" if file.exists() else "there is no such file"
            kind = NotAStore if file.exists() else StoreError
            raise self._no(kind, f"{state}; create the store by opening it for writing")
        if found < supported:
            raise self._no(
                StoreReadOnly,
                f"store format {found} must be upgraded to {supported}; open it once for writing",
            )
        self._hold(file)
        try:
            db = self._connect(self._uri)
            try:
                db.execute("SELECT 1 FROM banks LIMIT 1").fetchone()
            finally:
                db.close()
        except sqlite3.OperationalError as exc:
            if exc.sqlite_errorcode & 0xFF not in {
                sqlite3.SQLITE_CANTOPEN,
                sqlite3.SQLITE_READONLY,
            }:
                raise
            log = _beside(file, "-wal")
            if log.exists() and log.stat().st_size:
                raise self._no(
                    StoreReadOnly,
                    "its -wal file holds changes that cannot be read without writing a -shm file"
                    " beside it; open it once where its folder can be written",
                ) from exc
            self._uri += "&immutable=1"

    def _open_to_write(
        self, file: Path, migrations: Sequence[schema.Migration], *, create: bool
    ) -> sqlite3.Connection:
        missing = not file.exists()
        if _probe(file, self._path, len(migrations)) is None and not create:
            if missing:
                raise self._no(StoreError, "there is no such file")
            raise self._no(NotAStore, "is empty; pass create=True to make it a store")
        if not file.parent.is_dir():
            raise self._no(StoreError, f"there is no folder {file.parent}; make it first")
        for needed in (file.parent, file):
            if not os.access(needed, os.W_OK) and (needed != file or not missing):
                raise self._no(
                    StoreReadOnly,
                    f"{needed} cannot be written by this user (the folder must be writable too);"
                    " open it with read_only=True or change its permissions",
                )
        self._hold(file, create=missing)
        db = self._connect(f"{file.as_uri()}?mode=rwc", _WRITER_PRAGMAS)
        try:
            db.execute("BEGIN DEFERRED")  # to read of one moment: another may be making it a store
            mark, found = schema.read_format(db)
            fresh = _is_blank(db)
            db.execute("COMMIT")
            _judge(mark, found, fresh=fresh, path=self._path, newest=migrations)
            # The mark goes into the file itself, before there is a log it could hide in.
            schema.migrate(db, migrations)
            self._switch_to_wal(db)
        except BaseException:
            db.close()
            raise
        return db

    def _hold(self, file: Path, *, create: bool = False) -> None:
        """Have this process neither close a descriptor of the file nor fork with it open."""
        try:
            self.hold = hold_store(file, create=create)
        except OSError as exc:
            raise self._no(StoreError, f"cannot be opened: {exc.strerror}") from exc
        self._release = weakref.finalize(self, release_store, self.hold)
        self._release.atexit = False  # connections are still open then
        fork.check_openable(file, self._path)

    def _let_go(self) -> None:
        """End what ``_hold`` began, once the last connection is closed; the lock is held."""
        if self._closed and not self._lent and self.hold is not None:
            self._release()

    def _switch_to_wal(self, db: sqlite3.Connection) -> None:
        # SQLite does not wait here by itself, and another process may be opening the same file.
        deadline = time.monotonic() + self._busy_timeout_s
        while True:
            try:
                mode = db.execute("PRAGMA journal_mode = WAL").fetchone()[0]
            except sqlite3.OperationalError as exc:
                busy = exc.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
                if not busy or time.monotonic() >= deadline:
                    raise
                time.sleep(0.005)
            else:
                break
        if mode != "wal":
            raise self._no(
                StoreError,
                f"this file system cannot keep a write-ahead log (SQLite chose {mode!r});"
                " put the store on a local disk",
            )

    def close(self) -> None:
        """Release everything; further use raises ``StoreClosed``. May be called twice."""
        if self._pid != os.getpid():  # the parent's connections are not ours to close
            self._closed = True
            return
        with self._gate, self._seam:
            with self._lock:
                self._closed = True
                mine = [*self._idle, self._watcher]
                self._idle, self._watcher = [], None
            # The writer last: the last connection to go empties the log and removes it.
            for db in (*mine, self._writer):
                if db is not None:
                    db.close()
            with self._lock:
                self._writer = None
                self._let_go()

    # ------------------------------------------------------------ forks

    def pause(self, until: float) -> bool:
        """Close every connection before a fork; False if one is in use until that moment."""
        if self._file is None or (self._closed and not self._lent):
            return True
        if self._owner == threading.get_ident() or self._here.db is not None:
            return False  # this very thread is in a transaction
        if not self._gate.acquire(timeout=max(0.0, until - time.monotonic())):
            return False
        self._lock.acquire()
        if not self._lock.wait_for(lambda: not self._lent, max(0.0, until - time.monotonic())):
            self._lock.release()
            self._gate.release()
            return False
        for db in (*self._idle, self._watcher, self._writer):
            if db is not None:
                db.close()
        self._idle, self._watcher, self._writer = [], None, None
        self._epoch += 1
        self._paused = True
        return True

    def resume(self) -> None:
        """Let connections be opened again after a fork, in the parent."""
        if self._paused:
            self._paused = False
            self._lock.release()
            self._gate.release()

    def inherited(self) -> list[object]:
        """Return every connection, which in a child is not to be closed."""
        return [*self._idle, *self._lent, self._watcher, self._writer]

    def _usable(self) -> None:
        if self._pid != os.getpid():
            raise self._no(
                StoreClosed,
                f"opened by process {self._pid}, and a store cannot be carried over a fork;"
                " open it again in this process",
            )
        if self._closed:
            raise self._no(StoreClosed, "the store was closed; open it again")

    # ------------------------------------------------------------ transactions

    @contextmanager
    def write(self) -> Iterator[None]:
        """Open a transaction as the store's only writer; nested, a savepoint."""
        self._usable()
        self._writable()
        if not self._gate.acquire(timeout=min(self._busy_timeout_s, threading.TIMEOUT_MAX)):
            raise self._no(
                StoreLocked,
                f"another thread has been writing for more than {self._busy_timeout_s:g} s;"
                " nothing was changed: try again, or raise Config.busy_timeout_s",
            )
        try:
            self._usable()  # it may have been closed while we queued
            db = self._open_writer()
            self._begin(db)
            try:
                yield
            except BaseException:
                self._undo(db)
                raise
            self._keep(db)
        finally:
            self._gate.release()

    def _writable(self) -> None:
        if self._read_only:
            raise self._no(StoreReadOnly, "it was opened with read_only=True")

    def _open_writer(self) -> sqlite3.Connection:
        """Return the connection that writes, opened anew if a fork closed it; the gate is held."""
        if self._writer is None:
            with self._lock, self._seam:
                self._writer = self._connect(self._uri, _WRITER_PRAGMAS)
        return self._writer

    def _begin(self, db: sqlite3.Connection) -> None:
        with self._seam:
            db.execute(f"SAVEPOINT s{self._depth}" if self._depth else "BEGIN IMMEDIATE")
        self._depth += 1
        self._owner = threading.get_ident()

    def _end(self) -> None:
        self._depth -= 1
        if not self._depth:
            self._owner = None

    def _undo(self, db: sqlite3.Connection) -> None:
        self._end()
        if self._closed:
            return
        with self._seam:
            if db.in_transaction:  # SQLite has rolled back by itself when the disk was full
                if self._depth:
                    db.execute(f"ROLLBACK TO s{self._depth}")
                    db.execute(f"RELEASE s{self._depth}")
                else:
                    db.execute("ROLLBACK")

    def _keep(self, db: sqlite3.Connection) -> None:
        self._end()
        self._usable()
        with self._seam:
            self._unbroken(db)
            if self._depth:
                db.execute(f"RELEASE s{self._depth}")
                return
            try:
                db.execute("COMMIT")
            finally:
                if db.in_transaction:
                    db.execute("ROLLBACK")
            self._commits += 1

    def _unbroken(self, db: sqlite3.Connection) -> None:
        if not db.in_transaction:
            raise self._no(
                StoreError,
                "an earlier error has rolled this transaction back; let that error end write()",
            )

    @contextmanager
    def read(self) -> Iterator[None]:
        """Open a snapshot: everything read inside belongs to one moment."""
        self._usable()
        if self._owner == threading.get_ident() or self._here.db is not None:
            yield
        elif self._file is None:
            with self._gate:
                self._usable()
                yield
        else:
            changes = self.changes()
            with self._borrowed() as db:
                try:
                    with self._seam:
                        db.execute("BEGIN")
                        db.execute("SELECT 1 FROM settings LIMIT 1").fetchone()  # begins it now
                    # A commit between the two may or may not be seen: then no number is known.
                    known = self.changes() == changes
                    self._here.changes = changes if known else -next(self._unsettled)
                    self._here.db = db
                    yield
                finally:
                    self._here.db = None
                    with self._seam:
                        if db.in_transaction:
                            db.execute("ROLLBACK")

    @contextmanager
    def _borrowed(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._seam:
            self._usable()
            db = self._idle.pop() if self._idle else self._connect(self._uri, _READER_PRAGMAS)
            self._lent.add(db)
        try:
            yield db
        finally:
            with self._lock:
                if not self._closed and len(self._idle) < _IDLE_READERS:
                    self._idle.append(db)
                else:
                    db.close()
                self._lent.remove(db)
                self._lock.notify_all()
                self._let_go()

    def changes(self) -> int:
        """
        Return a number that differs whenever another process or connection has committed.

        Commits through this object count too. Inside ``read()`` it speaks of the snapshot, and
        inside ``write()``, where nothing is settled, no two numbers are equal. Equal numbers mean
        that nothing has changed, from whatever threads they were asked.
        """
        self._usable()
        if self._owner == threading.get_ident():
            return -next(self._unsettled)
        if self._file is None:
            return self._commits
        if self._here.db is not None:
            return self._here.changes
        # A data_version means something only beside others of the same connection.
        with self._lock, self._seam:
            self._usable()
            if self._watcher is None:
                self._watcher = self._connect(self._uri, _READER_PRAGMAS)
            version: int = self._watcher.execute("PRAGMA data_version").fetchone()[0]
            return version + (self._epoch << 32)

    @contextmanager
    def _reader(self) -> Iterator[sqlite3.Connection]:
        self._usable()
        if self._owner == threading.get_ident() and self._writer is not None:
            yield self._writer
        elif self._here.db is not None:
            yield self._here.db
        elif self._file is None and self._writer is not None:
            with self._gate:
                self._usable()
                yield self._writer
        else:
            with self._borrowed() as db:
                yield db

    def _rows(self, sql: str, *values: object) -> list[_Row]:
        with self._reader() as db, self._seam:
            return db.execute(sql, values).fetchall()

    def _writing(self) -> sqlite3.Connection:
        self._usable()
        if self._writer is None or self._owner != threading.get_ident():
            raise self._no(StoreError, "a writing method was called outside write()")
        self._unbroken(self._writer)  # or the statement would commit by itself
        return self._writer

    def _do(self, sql: str, *values: object) -> None:
        db = self._writing()
        with self._seam:
            db.execute(sql, values)

    def _do_many(self, sql: str, rows: Iterable[_Row]) -> None:
        db = self._writing()
        with self._seam:
            db.executemany(sql, rows)

    # ------------------------------------------------------------ settings and banks

    def setting(self, key: str) -> str | None:
        """Return a stored setting, or None."""
        found = self._rows("SELECT value FROM settings WHERE key = ?", key)
        return found[0][0] if found else None

    def set_setting(self, key: str, value: str | None) -> None:
        """Store a setting; None removes it."""
        if value is None:
            self._do("DELETE FROM settings WHERE key = ?", key)
        else:
            self._do("INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)", key, value)

    def bank_names(
        self, *, prefix: str = "", after: str = "", limit: int | None = None
    ) -> list[str]:
        """Return the names of banks, sorted by code point: of all, or of those that begin so."""
        sql = (
            "SELECT name FROM banks WHERE name >= ? AND name > ? AND name < ? ORDER BY name LIMIT ?"
        )
        most = -1 if limit is None else limit
        return [name for (name,) in self._rows(sql, prefix, after, _beyond(prefix), most)]

    def bank_number(self, name: str) -> int | None:
        """Return a bank's number, or None."""
        found = self._rows("SELECT bank FROM banks WHERE name = ?", name)
        return found[0][0] if found else None

    def add_bank(self, name: str, at: int) -> int:
        """Create a bank and return its number; an existing one keeps its number."""
        self._do("INSERT INTO banks (name, at) VALUES (?, ?) ON CONFLICT DO NOTHING", name, at)
        number: int = self._rows("SELECT bank FROM banks WHERE name = ?", name)[0][0]
        return number

    def drop_bank(self, bank: int) -> None:
        """Remove a bank and everything under its key. Its number is never given again."""
        for table in (*schema.BANKED, "banks"):
            self._do(f"DELETE FROM {table} WHERE bank = ?", bank)  # noqa: S608 - our own names

    # ------------------------------------------------------------ journal

    def append(self, bank: int, rows: Iterable[JournalRow]) -> None:
        """Append changes; ``seq`` continues the bank's without gaps."""
        rows = list(rows)
        last = self.last_seq(bank)
        for expected, change in enumerate(rows, last + 1):
            if change.seq != expected:
                raise self._no(
                    StoreError,
                    f"bank {bank} is at change {last}, so {change.seq} cannot stand where"
                    f" {expected} belongs; catch up with the journal first",
                )
        self._do_many(
            f"INSERT INTO journal (bank, {_JOURNAL}) VALUES (?, ?, ?, ?, ?, ?)",  # noqa: S608
            ((bank, *change) for change in rows),
        )

    def journal(
        self,
        bank: int,
        *,
        after: int = 0,
        row: int | None = None,
        kinds: Collection[type[JournalEvent]] | None = None,
        limit: int | None = None,
    ) -> list[JournalRow]:
        """Return changes with ``seq > after``, in order; of one episode, of some classes."""
        # Left alone, the planner goes through the bank's journal for the changes of one episode.
        by = "" if row is None else "INDEXED BY journal_by_row"
        sql = f"SELECT {_JOURNAL} FROM journal {by} WHERE bank = ? AND seq > ?"  # noqa: S608
        values: list[object] = [bank, after]
        if row is not None:
            sql += " AND row = ?"
            values.append(int(row))
        if kinds is not None:
            sql += " AND kind IN (SELECT value FROM json_each(?))"
            values.append(json.dumps(list(map(kind_of, kinds))))
        found = self._rows(f"{sql} ORDER BY seq LIMIT ?", *values, -1 if limit is None else limit)
        return list(map(_to_change, found))

    def last_seq(self, bank: int) -> int:
        """Return the last change's number, 0 when there is none."""
        found = self._rows("SELECT MAX(seq) FROM journal WHERE bank = ?", bank)
        return found[0][0] or 0

    def redact(self, bank: int, rows: Collection[int]) -> None:
        """Empty the detail of every change that concerns these episodes."""
        self._do(
            "UPDATE journal SET detail = '{}'"
            " WHERE bank = ? AND row IN (SELECT value FROM json_each(?))",
            bank,
            _numbers(rows),
        )

    # ------------------------------------------------------------ episodes

    def add_episodes(self, bank: int, rows: Iterable[EpisodeRow]) -> None:
        """Add episodes; rows continue the bank's without gaps, ids are new."""
        rows = list(rows)
        for expected, episode in enumerate(rows, self.episode_count(bank)):
            if episode.row != expected:
                raise self._no(
                    StoreError,
                    f"bank {bank}: the next free row is {expected}, not {episode.row};"
                    " catch up with the journal first",
                )
        places = ", ".join("?" for _ in EpisodeRow._fields)
        self._do_many(
            f"INSERT INTO episodes (bank, {_EPISODE}) VALUES (?, {places})",  # noqa: S608
            ((bank, *episode) for episode in rows),
        )

    def set_state(
        self, bank: int, rows: Collection[int], state: State, *, superseded_by: int | None = None
    ) -> None:
        """
        Change the state of episodes.

        ``superseded_by`` is kept when none is given, and cleared from what becomes active again.
        What is erased stays so.
        """
        self._do(
            "UPDATE episodes SET state = ?1,"
            " superseded_by = CASE ?1 WHEN 'active' THEN NULL ELSE COALESCE(?2, superseded_by) END"
            " WHERE bank = ?3 AND row IN (SELECT value FROM json_each(?4)) AND state <> 'erased'",
            state,
            None if superseded_by is None else int(superseded_by),
            bank,
            _numbers(rows),
        )

    def set_level(self, bank: int, rows: Collection[int], level: int) -> None:
        """Change how far episodes have faded; what is erased has no level."""
        self._do(
            "UPDATE episodes SET level = ? WHERE bank = ?"
            " AND row IN (SELECT value FROM json_each(?)) AND state <> 'erased'",
            int(level),
            bank,
            _numbers(rows),
        )

    def set_marks(self, bank: int, rows: Collection[int], marks: int, *, on: bool) -> None:
        """Put marks on episodes, or take them off; what is erased has none."""
        self._do(
            "UPDATE episodes SET marks = CASE WHEN ?1 THEN marks | ?2 ELSE marks & ~?2 END"
            " WHERE bank = ?3 AND row IN (SELECT value FROM json_each(?4)) AND state <> 'erased'",
            on,
            int(marks),
            bank,
            _numbers(rows),
        )

    def episode_count(self, bank: int) -> int:
        """Return the next free row: one more than the highest ever used, 0 for an empty bank."""
        last = self._rows("SELECT MAX(row) FROM episodes WHERE bank = ?", bank)[0][0]
        return 0 if last is None else last + 1

    def episodes(self, bank: int, rows: Collection[int]) -> list[EpisodeRow]:
        """Return episodes by row, in the order asked; rows that do not exist are left out."""
        found = self._rows(
            f"SELECT {_EPISODE} FROM episodes"  # noqa: S608
            " WHERE bank = ? AND row IN (SELECT value FROM json_each(?))",
            bank,
            _numbers(rows),
        )
        by_row = {row[0]: row for row in found}
        return [_to_episode(by_row[row]) for row in rows if row in by_row]

    def scan_episodes(self, bank: int, *, start: int = 0) -> Iterator[EpisodeRow]:
        """
        Yield every episode from row ``start`` on, in order of row.

        No transaction stays open between two episodes; iterate inside ``read()`` for one snapshot.
        """
        while True:
            found = self._rows(
                f"SELECT {_EPISODE} FROM episodes"  # noqa: S608
                " WHERE bank = ? AND row >= ? ORDER BY row LIMIT ?",
                bank,
                start,
                _SCAN_ROWS,
            )
            yield from map(_to_episode, found)
            if len(found) < _SCAN_ROWS:
                return
            start = found[-1][0] + 1

    def last_of_session(self, bank: int, session: str, limit: int) -> list[EpisodeRow]:
        """Return the last ``limit`` episodes of a session by row, oldest first, in any state."""
        found = self._rows(
            f"SELECT {_EPISODE} FROM episodes INDEXED BY episodes_by_session"  # noqa: S608
            " WHERE bank = ? AND session = ?"
            " ORDER BY row DESC LIMIT ?",
            bank,
            session,
            limit,
        )
        return list(map(_to_episode, reversed(found)))

    def rows_from_source(self, bank: int, source: str) -> list[EpisodeRow]:
        """Return every episode of a source, in any state, in order of row."""
        found = self._rows(
            f"SELECT {_EPISODE} FROM episodes INDEXED BY episodes_by_source"  # noqa: S608
            " WHERE bank = ? AND source = ? ORDER BY row",
            bank,
            source,
        )
        return list(map(_to_episode, found))

    def rows_at(self, bank: int, address: str) -> list[int]:
        """Return the rows of an address, in any state, in order; looks at every episode."""
        sql = "SELECT row FROM episodes WHERE bank = ? AND address = ? ORDER BY row"
        return [row for (row,) in self._rows(sql, bank, address)]

    def rows_of(self, bank: int, ids: Collection[str]) -> dict[str, int]:
        """Return the rows of those ids that exist."""
        return dict(
            self._rows(
                "SELECT id, row FROM episodes"
                " WHERE bank = ? AND id IN (SELECT value FROM json_each(?))",
                bank,
                json.dumps(list(ids)),
            )
        )

    def rows_with_digest(self, bank: int, digest: bytes) -> list[int]:
        """Return the rows whose text has this digest, in order; erased ones have none."""
        found = self._rows(
            "SELECT row FROM episodes INDEXED BY episodes_by_digest"
            " WHERE bank = ? AND digest = ? AND state <> 'erased'"
            " ORDER BY row",
            bank,
            digest,
        )
        return [row for (row,) in found]

    def erase_episodes(self, bank: int, rows: Collection[int]) -> None:
        """
        Blank every word of these episodes (all but row, id and state, which becomes erased).

        ``noted_at`` stays, which the journal knows anyway, and stands for ``said_at`` too, so that
        timelines keep their order. Payloads are the caller's to overwrite: only it reads them.
        """
        self._do(
            "UPDATE episodes SET state = 'erased', said_at = noted_at, session = NULL, turn = NULL,"
            " part = 0, parts = 1, speaker = NULL, role = NULL, source = NULL, address = '',"
            " metadata = '{}', digest = x'', supersedes = NULL, superseded_by = NULL,"
            " level = 0, marks = 0"
            " WHERE bank = ? AND row IN (SELECT value FROM json_each(?))",
            bank,
            _numbers(rows),
        )

    # ------------------------------------------------------------ payloads

    def put_payloads(self, bank: int, kind: Kind, payloads: Iterable[tuple[int, bytes]]) -> None:
        """Write (row, payload) to the tail, replacing what is there."""
        self._do_many(
            "INSERT INTO tail (bank, kind, row, payload) VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET payload = excluded.payload",
            ((bank, kind, int(row), payload) for row, payload in payloads),
        )

    def tail(self, bank: int, kind: Kind, *, start: int = 0) -> list[tuple[int, bytes]]:
        """Return the tail's (row, payload) from row ``start`` on, in order."""
        sql = "SELECT row, payload FROM tail WHERE bank = ? AND kind = ? AND row >= ? ORDER BY row"
        return [(row, payload) for row, payload in self._rows(sql, bank, kind, start)]

    def payloads(self, bank: int, kind: Kind, rows: Collection[int]) -> dict[int, bytes]:
        """Return single payloads from the tail (sealed ones are read by block)."""
        return dict(
            self._rows(
                "SELECT row, payload FROM tail WHERE bank = ? AND kind = ?"
                " AND row IN (SELECT value FROM json_each(?))",
                bank,
                kind,
                _numbers(rows),
            )
        )

    def put_block(self, bank: int, kind: Kind, block: Block) -> None:
        """
        Seal a block: write it and drop its tail rows.

        It replaces one with the same first row, and any that lie wholly within it. One that
        would overlap another in part is refused.
        """
        first, ends = int(block.first), int(block.first) + int(block.count)
        self._do(
            "DELETE FROM blocks WHERE bank = ? AND kind = ?"
            " AND first >= ? AND (first = ? OR first + count <= ?)",
            bank,
            kind,
            first,
            first,
            ends,
        )
        clash = self._rows(
            "SELECT first, count FROM blocks WHERE bank = ? AND kind = ?"
            " AND first < ? AND first + count > ?",
            bank,
            kind,
            ends,
            first,
        )
        if clash:
            raise self._no(
                StoreError,
                f"bank {bank}: a {kind} block of rows {first} to {ends - 1} would overlap the"
                f" one of rows {clash[0][0]} to {sum(clash[0]) - 1}; seal whole blocks",
            )
        framed, checksum = seal(bank, kind, Block(first, ends - first, block.payload))
        self._do(
            "INSERT INTO blocks (bank, kind, first, count, checksum, payload)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            bank,
            kind,
            first,
            ends - first,
            checksum,
            framed,
        )
        self._do(
            "DELETE FROM tail WHERE bank = ? AND kind = ? AND row >= ? AND row < ?",
            bank,
            kind,
            first,
            ends,
        )

    def block_spans(self, bank: int, kind: Kind) -> list[tuple[int, int]]:
        """Return (first, count) of every sealed block, in order."""
        sql = "SELECT first, count FROM blocks WHERE bank = ? AND kind = ? ORDER BY first"
        return [(first, count) for first, count in self._rows(sql, bank, kind)]

    def block_marks(self, bank: int, kind: Kind) -> list[tuple[int, int, bytes]]:
        """Return (first, count, checksum) of every sealed block, in order."""
        return [
            (first, count, checksum)
            for first, count, checksum in self._rows(
                "SELECT first, count, checksum FROM blocks WHERE bank = ? AND kind = ?"
                " ORDER BY first",
                bank,
                kind,
            )
        ]

    def block(self, bank: int, kind: Kind, first: int) -> Block:
        """Return a sealed block by its first row, every byte verified."""
        found = self._rows(
            "SELECT count, payload, checksum FROM blocks WHERE bank = ? AND kind = ? AND first = ?",
            bank,
            kind,
            int(first),
        )
        if not found:
            raise self._no(
                StoreError,
                f"bank {bank} has no {kind} block that begins at row {first}; ask block_spans in"
                " the same read()",
            )
        count, framed, checksum = found[0]
        return unseal(bank, kind, int(first), count, framed, checksum, path=self._path)

    def drop_payloads(self, bank: int, kind: Kind) -> None:
        """Remove every payload of a kind: tail and blocks."""
        self._do("DELETE FROM tail WHERE bank = ? AND kind = ?", bank, kind)
        self._do("DELETE FROM blocks WHERE bank = ? AND kind = ?", bank, kind)

    def move_payloads(self, bank: int, kind: Kind, target: Kind) -> None:
        """Make payloads of one kind those of ``target``, in place of what was there."""
        if self.block_spans(bank, kind):
            raise self._no(StoreError, f"bank {bank}: sealed {kind} payloads cannot be moved")
        self.drop_payloads(bank, target)
        self._do("UPDATE tail SET kind = ? WHERE bank = ? AND kind = ?", target, bank, kind)

    def stored_bytes(self, bank: int) -> dict[str, int]:
        """Return bytes kept by kind of data: ``journal``, ``episodes`` and each kind of payload."""
        texts = " + ".join(
            f"COALESCE(LENGTH(CAST({name} AS BLOB)), 0)"
            for name in ("id", "session", "speaker", "role", "source", "address", "metadata")
        )
        return dict(
            self._rows(
                "SELECT 'journal', COALESCE(SUM("  # noqa: S608
                "LENGTH(CAST(kind AS BLOB)) + LENGTH(CAST(detail AS BLOB)) + 24), 0)"
                " FROM journal WHERE bank = ?1 UNION ALL"
                # 24 and 64: the fixed-width numbers of a row, which SQLite packs into fewer bytes
                f" SELECT 'episodes', COALESCE(SUM({texts} + LENGTH(digest) + 64), 0)"
                " FROM episodes WHERE bank = ?1 UNION ALL"
                " SELECT kind, SUM(n) FROM ("
                "  SELECT kind, LENGTH(payload) AS n FROM tail WHERE bank = ?1 UNION ALL"
                "  SELECT kind, LENGTH(payload) FROM blocks WHERE bank = ?1) GROUP BY kind",
                bank,
            )
        )

    # ------------------------------------------------------------ upkeep

    def scrub(self) -> None:
        """
        Rewrite the database so that no free page, journal or log keeps removed bytes.

        Raises:
            StoreLocked: someone still reads an older state, which keeps the log alive.

        """
        self._outside_transactions("scrub")
        self._writable()
        with self._gate, self._seam:
            self._usable()
            db = self._open_writer()
            # secure_delete zeroes what is removed, not the old place of what moved: VACUUM does
            db.execute("VACUUM")
            self._commits += 1
            busy = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        if busy:
            raise self._no(
                StoreLocked,
                "removed bytes are gone from the database, but its -wal file may still hold them:"
                f" another reader kept it for more than {self._busy_timeout_s:g} s; scrub again"
                " once other processes have finished reading",
            )

    def leftovers(self) -> list[str]:
        """Return where bytes that were removed may still be: in free pages, or in the log."""
        self._outside_transactions("leftovers")
        if self._file is None:
            return []
        wrong: list[str] = []
        advice = "may still hold what was removed; run scrub() when no other process reads"
        if not self._read_only:
            with self._gate, self._seam:
                self._usable()
                self._open_writer().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        log = _beside(self._file, "-wal")
        if log.exists() and log.stat().st_size > 0:
            wrong.append(f"{log.name} {advice}")
        size = int(self._rows("PRAGMA page_size")[0][0])
        with reading_raw(self._file) as read_at:
            free = _free_pages(read_at, size)
            used = [page for page in free or () if any(_page(read_at, page, size))]
        if free is None:
            wrong.append(f"the list of free pages of {self._file.name} is damaged; they {advice}")
        if used:
            wrong.append(
                f"{len(used)} free pages of {self._file.name}, the first {min(used)}, {advice}"
            )
        return wrong

    def check(self) -> list[str]:
        """Return what is wrong with the database's own structure; empty when sound."""
        wrong: list[str] = []
        try:
            with self.read():
                found = [text for (text,) in self._rows("PRAGMA integrity_check")]
                wrong += [f"SQLite: {text}" for text in found if text != "ok"]
                for table, _, parent, _ in self._rows("PRAGMA foreign_key_check"):
                    wrong.append(f"table {table}: a row belongs to none of the {parent}")
                for message, sql in _INVARIANTS:
                    wrong += [message.format(*row) for row in self._rows(sql)]
                wrong += self._damaged_blocks()
        except StoreCorrupt as exc:  # damage that keeps us from looking further
            wrong.append(str(exc))
        return wrong

    def _damaged_blocks(self) -> Iterator[str]:
        for bank, kind, first in self._rows(
            "SELECT bank, kind, first FROM blocks ORDER BY 1, 2, 3"
        ):
            try:
                self.block(bank, kind, first)
            except StoreCorrupt as exc:
                yield str(exc)

    def backup(
        self, target: Path, *, overwrite: bool = False, progress: Progress | None = None
    ) -> None:
        """
        Write a complete, consistent copy while others read and write.

        The copy is one file, which takes its name only when it is whole and on disk.
        """
        self._outside_transactions("backup")
        # One snapshot: without it a commit in between would make the copy begin again.
        with (
            writing(target, overwrite=overwrite) as whole,
            self.read(),
            self._reader() as source,
            Seam(str(target)),
        ):
            copy = sqlite3.connect(whole, isolation_level=None)
            try:
                source.backup(copy, pages=_BACKUP_PAGES, progress=_reporting(progress))
                copy.execute("PRAGMA journal_mode = DELETE")  # one file, readable anywhere
            finally:
                copy.close()

    def files(self) -> list[Path]:
        """Return every file the store's bytes may be in."""
        if self._file is None:
            return []
        return [file for end in ("", *COMPANIONS) if (file := _beside(self._file, end)).exists()]

    def _outside_transactions(self, verb: str) -> None:
        self._usable()
        if self._owner == threading.get_ident() or self._here.db is not None:
            raise self._no(
                StoreError, f"{verb}() was called inside read() or write(); call it after the block"
            )


def _numbers(rows: Iterable[int]) -> str:
    """Return rows as the JSON that ``json_each`` takes: one parameter, however many there are."""
    return json.dumps([int(row) for row in rows])


def _page(read_at: ReadAt, number: int, size: int) -> bytes:
    return read_at((number - 1) * size, size)


def _free_pages(read_at: ReadAt, size: int) -> set[int] | None:
    """
    Return the pages on the free list but for the list's own, or None if it is no list.

    Ref: sqlite.org/fileformat2, 1.5.
    """
    trunk, total = struct.unpack_from(">II", _page(read_at, 1, size), 32)
    trunks, found = set[int](), set[int]()
    while trunk and trunk not in trunks:
        trunks.add(trunk)
        page = _page(read_at, trunk, size)
        if len(page) < size:
            return None
        trunk, count, *leaves = struct.unpack(f">{size // 4}I", page)
        found |= set(leaves[:count])
    return found if not trunk and len(trunks) + len(found) == total else None


def _beside(file: Path, ending: str) -> Path:
    return file.with_name(file.name + ending)


def _is_blank(db: sqlite3.Connection) -> bool:
    return db.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone() is None


def _beyond(prefix: str) -> str | bytes:
    """Return what comes after every text that begins so; SQLite has blobs after all texts."""
    for end in range(len(prefix) - 1, -1, -1):
        code = ord(prefix[end]) + 1
        if code <= sys.maxunicode:
            return prefix[:end] + chr(0xE000 if code == 0xD800 else code)
    return b""


def _was_cut_off(file: Path) -> bool:
    """Whether a writer is in the middle of a transaction without a log, or died there."""
    journal = _beside(file, "-journal")
    return file.exists() and journal.exists() and journal.stat().st_size > 0


def _probe(file: Path, path: str, supported: int) -> int | None:
    """
    Return the format of the store in a file, None when there is nothing yet, without a trace.

    It goes through SQLite, immutable, because closing a file that we opened ourselves would drop
    the locks of every connection this process has to it (POSIX).
    """
    if not file.exists():
        return None
    if not file.is_file():
        raise NotAStore("is a folder or a device, not a file", path=path)
    if file.stat().st_size == 0:
        return None
    if not os.access(file, os.R_OK):
        raise StoreReadOnly("cannot be read by this user; check its permissions", path=path)
    try:
        db = sqlite3.connect(f"{file.as_uri()}?mode=ro&immutable=1", uri=True)
        try:
            mark, found = schema.read_format(db)
        finally:
            db.close()
    except sqlite3.Error as exc:
        if getattr(exc, "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB:
            raise NotAStore("is not a hippocampus store; choose another path", path=path) from exc
        if getattr(exc, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_CORRUPT:
            # Perhaps another process is just making it, or was cut off: we looked without a lock.
            # Who opens it looks again with one, and SQLite puts right what was cut off.
            return supported
        raise translate(exc, path) from exc
    _judge(mark, found, fresh=False, path=path, newest=range(supported))
    return found


def _judge(mark: int, found: int, *, fresh: bool, path: str, newest: Sequence[object]) -> None:
    """Raise unless a file with this mark and format is a store that we read, or a fresh one."""
    if fresh and mark == found == 0:
        return
    if mark != schema.APPLICATION_ID:
        msg = "is a SQLite database, but not a hippocampus store; choose another path"
        raise NotAStore(msg, path=path)
    if found > len(newest):
        raise StoreTooNew(path=path, found=found, supported=len(newest))
    if found < schema.OLDEST:
        msg = (
            f"store format {found} is older than {schema.OLDEST}, the oldest this version reads;"
            " open it once with an earlier release"
        )
        raise StoreError(msg, path=path)


def _reporting(progress: Progress | None) -> Callable[[int, int, int], None] | None:
    if progress is None:
        return None
    return lambda _, remaining, total: progress(total - remaining, total)
