"""The connections to one store: one that writes, a pool that reads, and one that watches."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hippocampus.core.budget import check_budget
from hippocampus.core.files import FileId, Hold, file_id, hold_store, release_store, unwritable
from hippocampus.errors import (
    NotAStore,
    StoreClosed,
    StoreCorrupt,
    StoreError,
    StoreReadOnly,
    StoreReplaced,
)
from hippocampus.store import fork, schema
from hippocampus.store.opening import (
    READER_PRAGMAS,
    WRITER_PRAGMAS,
    beside,
    connect,
    is_blank,
    judge,
    probe,
    switch_to_wal,
    was_cut_off,
)
from hippocampus.store.schema_comparison import (
    SchemaDifferences,
    compare,
    format_of,
    make_missing,
)
from hippocampus.store.seam import Seam

_IDLE_READERS: Final = 8
"""Connections kept open for the next readers: as many as a server has threads for what reads by
default (``Limits.readers``). Each holds 2 MB of pages."""
_POLL_S: Final = 0.008
"""Seconds for which SQLite waits until it is told to again: it asks at 1, 3, 8 ms."""
_LONGEST_S: Final = 2e6
"""The longest that SQLite can be told to wait: it counts milliseconds in 32 bits."""


class Connections:
    """
    Connections of this process to one store.

    One connection writes; its user holds the gate of ``Transactions``. Readers borrow theirs from a
    pool. In memory there is only the one that writes.
    """

    def __init__(
        self,
        path: str,
        *,
        busy_timeout_s: float,
        read_only: bool,
        tracer: Callable[[str], object] | None,
    ) -> None:
        self.path = path
        self.file = None if path == ":memory:" else Path(path).absolute()
        self.busy_timeout_s = busy_timeout_s
        self.patience_s = busy_timeout_s  # of the connection that writes, now
        self.read_only = read_only and self.file is not None
        self.seam = Seam(path)
        self.closed = False
        self.writer: sqlite3.Connection | None = None
        self.idle: list[sqlite3.Connection] = []
        self.lent: set[sqlite3.Connection] = set()
        self.hold: Hold | None = None
        self._log: FileId | None = None
        """The write-ahead log that the writing connection has, once it was seen."""
        # Guards the pool, what is lent of it and the watcher; never held for long.
        self._lock = threading.Condition(threading.Lock())
        self._watcher: sqlite3.Connection | None = None
        self._tracer = tracer
        self._pid = os.getpid()
        self._epoch = 0  # how often every connection was closed for a fork
        self._uri = "" if self.file is None else f"{self.file.as_uri()}?mode=ro"

    def refuse(self, kind: type[StoreError], message: str) -> StoreError:
        """Return the error that says what is wrong with this store."""
        return kind(message, path=self.path)

    @property
    def inherited(self) -> bool:
        """Return whether another process opened it, and this one was forked from that."""
        return self._pid != os.getpid()

    # ------------------------------------------------------------ opening and closing

    def start(self, migrations: Sequence[schema.Migration], *, create: bool) -> None:
        """Open the store, which is made or brought to the newest format if it may be written."""
        with self._lock, self.seam:
            if self.file is None:
                self.writer = self._open_memory(migrations)
                return
            try:
                if self.read_only:
                    self._open_to_read(self.file, migrations)
                else:
                    self.writer = self._open_to_write(self.file, migrations, create=create)
                    _give_patience(self.writer, self.patience_s, most_s=_POLL_S)
                    # Not rwc: a file that is gone meanwhile would be made anew, and empty.
                    self._uri = f"{self.file.as_uri()}?mode=rw"
            except BaseException:
                self.closed = True
                self._let_go()
                raise

    def _connect(self, uri: str, pragmas: Iterable[str] = ()) -> sqlite3.Connection:
        return connect(uri, pragmas, timeout_s=self.busy_timeout_s, tracer=self._tracer)

    def _open_memory(self, migrations: Sequence[schema.Migration]) -> sqlite3.Connection:
        db = self._connect("file::memory:", WRITER_PRAGMAS)
        try:
            schema.migrate(db, migrations)
        except BaseException:
            db.close()
            raise
        return db

    def _open_to_read(self, file: Path, migrations: Sequence[schema.Migration]) -> None:
        supported = len(migrations)
        if was_cut_off(file):
            raise self.refuse(
                StoreReadOnly,
                "it is being made, or its making was cut off and its -journal file tells how to"
                " undo that; open it once for writing",
            )
        found = probe(file, self.path, supported)
        if found is None:
            state = "is empty" if file.exists() else "there is no such file"
            kind = NotAStore if file.exists() else StoreError
            raise self.refuse(
                kind,
                f"{state}; 'hippocampus remember' makes a store, as does opening it for writing",
            )
        if found < supported:
            raise self.refuse(
                StoreReadOnly,
                f"store format {found} must be upgraded to {supported}; open it once for writing",
            )
        self._hold(file)
        try:
            self._check_readable(migrations)
        except sqlite3.OperationalError as exc:
            # The last byte is the result; what is above it tells more of it (extended codes).
            if exc.sqlite_errorcode & 0xFF not in {
                sqlite3.SQLITE_CANTOPEN,
                sqlite3.SQLITE_READONLY,
            }:
                raise
            log = beside(file, "-wal")
            if log.exists() and log.stat().st_size:
                raise self.refuse(
                    StoreReadOnly,
                    "its -wal file holds changes that cannot be read without writing a -shm file"
                    " beside it; open it once where its folder can be written",
                ) from exc
            # There is no log to read, so the file alone is the store, and needs no -shm file.
            self._uri += "&immutable=1"
            self._check_readable(migrations)

    def _check_readable(self, migrations: Sequence[schema.Migration]) -> None:
        """Refuse to read a file whose schema is not a store's, or lacks an index."""
        db = self._connect(self._uri)
        try:
            if missing := self._check_own(db, migrations).missing:
                raise self.refuse(
                    StoreReadOnly,
                    f"its index {', '.join(map(repr, missing))} is missing; open it once for"
                    " writing, which makes it anew from the rows",
                )
            db.execute("SELECT 1 FROM banks LIMIT 1").fetchone()
        finally:
            db.close()

    def _open_to_write(
        self, file: Path, migrations: Sequence[schema.Migration], *, create: bool
    ) -> sqlite3.Connection:
        found = probe(file, self.path, len(migrations))
        missing = not file.exists()
        if found is None and not create:
            if missing:
                raise self.refuse(StoreError, "there is no such file")
            raise self.refuse(
                NotAStore, "is empty; 'hippocampus remember' makes it a store, as does create=True"
            )
        if not file.parent.is_dir():
            raise self.refuse(StoreError, f"there is no folder {file.parent}; make it first")
        if (shut := unwritable(file)) is not None:
            raise self.refuse(
                StoreReadOnly,
                f"{shut} cannot be written by this user (the folder must be writable too);"
                " change its permissions, or only read: commands that read do so by"
                " themselves, and Memory does with read_only=True",
            )
        self._hold(file, create=missing)
        db = self._connect(f"{file.as_uri()}?mode=rwc", WRITER_PRAGMAS)
        try:
            db.execute("BEGIN DEFERRED")  # to read of one moment: another may be making it a store
            mark, found = schema.read_format(db)
            judge(mark, found, fresh=is_blank(db), path=self.path, newest=migrations)
            # By its own format, before the upgrade, in which a foreign trigger would run.
            differences = self._check_own(db, migrations[:found])
            db.execute("COMMIT")
            # The mark goes into the file itself, before there is a log it could hide in.
            schema.migrate(db, migrations)
            if differences.missing:
                self._make_missing(db, migrations)
            switch_to_wal(db, path=self.path, timeout_s=self.busy_timeout_s)
        except BaseException:
            db.close()
            raise
        return db

    def _check_own(
        self, db: sqlite3.Connection, migrations: Sequence[schema.Migration]
    ) -> SchemaDifferences:
        """Refuse a file whose schema is not a store's, but for indexes that can be made anew."""
        found = compare(db, migrations)
        # A table of ours that is missing makes a store of an older format, not its header wrong.
        of = format_of(db, len(migrations)) if found.foreign else len(migrations)
        if of > len(migrations):
            raise self.refuse(
                StoreCorrupt,
                f"its header says that it is of format {len(migrations)}, and its tables are those"
                f" of format {of}: the header is damaged. Nothing was read or written;"
                " 'hippocampus doctor --salvage NEWFILE' copies what is sound into a new store, or"
                " restore a backup",
            )
        if found.foreign:
            raise self.refuse(
                NotAStore,
                f"holds what no store has: {', '.join(found.foreign)}; if you trust the file, drop"
                " them with SQLite and open it again",
            )
        if found.changed:
            raise self.refuse(
                StoreCorrupt,
                f"its schema is not that of a store: {'; '.join(found.changed)}. Nothing was read"
                " or written; 'hippocampus doctor --salvage NEWFILE' copies what is sound into a"
                " new store, or restore a backup",
            )
        return found

    def _make_missing(self, db: sqlite3.Connection, migrations: Sequence[schema.Migration]) -> None:
        """Make indexes anew that somebody has dropped; their tables hold all that they do."""
        try:
            make_missing(db, migrations)
        except sqlite3.IntegrityError as exc:
            raise self.refuse(
                StoreCorrupt,
                f"an index is missing and cannot be made anew, for rows are there twice ({exc});"
                " 'hippocampus doctor --salvage NEWFILE' copies what is sound into a new store, or"
                " restore a backup",
            ) from exc

    def _hold(self, file: Path, *, create: bool = False) -> None:
        """Have this process neither close a descriptor of the file nor fork with it open."""
        try:
            self.hold = hold_store(file, create=create)
        except OSError as exc:
            raise self.refuse(StoreError, f"cannot be opened: {exc.strerror}") from exc
        self._release = weakref.finalize(self, release_store, self.hold)
        self._release.atexit = False  # connections are still open then
        fork.check_openable(file, self.path)

    def _let_go(self) -> None:
        """End the hold of ``_hold``, once the last connection is closed; the lock is held."""
        if self.closed and not self.lent and self.hold is not None:
            self._release()

    def close(self) -> None:
        """Close every connection but those that are lent; the gate is held."""
        if self.inherited:  # the parent's connections are not ours to close
            self.closed = True
            return
        with self.seam:
            with self._lock:
                self.closed = True
                mine = [*self.idle, self._watcher]
                self.idle, self._watcher = [], None
            # The writer last: the last connection to go empties the log and removes it.
            for db in (*mine, self.writer):
                if db is not None:
                    db.close()
            with self._lock:
                self.writer = None
                self._let_go()

    # ------------------------------------------------------------ forks

    def pause(self, until: float) -> bool:
        """Close every connection and let none be opened; False if one is lent until that moment."""
        # Kept until ``resume``, so that nobody opens a connection while the process is forked.
        self._lock.acquire()
        if not self._lock.wait_for(lambda: not self.lent, max(0.0, until - time.monotonic())):
            self._lock.release()
            return False
        for db in self.all():
            db.close()
        self.idle, self._watcher, self.writer = [], None, None
        self._epoch += 1
        return True

    def resume(self) -> None:
        """Let connections be opened again, after ``pause`` has closed them."""
        self._lock.release()

    def all(self) -> list[sqlite3.Connection]:
        """Return every connection that is open."""
        every = (*self.idle, *self.lent, self._watcher, self.writer)
        return [db for db in every if db is not None]

    # ------------------------------------------------------------ using

    def usable(self) -> None:
        """Refuse a store that was closed, or opened by the process this one was forked from."""
        if self._pid != os.getpid():
            raise self.refuse(
                StoreClosed,
                f"opened by process {self._pid}, and a store cannot be carried over a fork;"
                " open it again in this process",
            )
        if self.closed:
            raise self.refuse(StoreClosed, "the store was closed; open it again")

    def writable(self) -> None:
        """Refuse to change a store that was opened to be read."""
        if self.read_only:
            why = "it was opened with read_only=True"
            if self.file is not None and unwritable(self.file) is not None:
                # A server's clients read this, and need not know where the store is.
                why = (
                    "it was opened to be read, for its file or folder cannot be written by this"
                    " user; change their permissions"
                )
            raise self.refuse(StoreReadOnly, why)

    def open_writer(self) -> sqlite3.Connection:
        """Return the connection that writes, opened anew if a fork closed it; the gate is held."""
        if self.writer is None:
            with self._lock, self.seam:
                self.check_named()
                self.writer = self._connect(self._uri, WRITER_PRAGMAS)
                _give_patience(self.writer, self.patience_s, most_s=_POLL_S)
                self._log = None
        return self.writer

    @contextmanager
    def waiting(self, seconds: float) -> Iterator[sqlite3.Connection]:
        """Give the connection that writes, which waits so long for others; the gate is held."""
        self.usable()
        db, self.patience_s = self.open_writer(), seconds
        _give_patience(db, seconds)
        try:
            yield db
        finally:
            self.patience_s = self.busy_timeout_s
            _give_patience(db, self.patience_s, most_s=_POLL_S)

    def begin(self, db: sqlite3.Connection) -> None:
        """
        Begin to write, as soon as other processes let.

        SQLite by itself asks again at intervals that grow to a tenth of a second, and so misses the
        short pauses of somebody who writes one thing after the other.
        """
        until = time.monotonic() + self.patience_s
        while True:
            try:
                db.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as exc:
                busy = exc.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
                if not busy or time.monotonic() >= until:
                    raise
            else:
                return
            check_budget()  # whoever has no time left need not wait for the lock

    def check_named(self, *, log: bool = False) -> None:
        """
        Refuse to go on with a file that has lost its name, for nobody will find what it holds.

        Args:
            log: look at the write-ahead log too, inside a transaction that writes.

        Raises:
            StoreReplaced: somebody has deleted, moved or replaced it.

        """
        if self.hold is None or self.file is None:
            return
        missing = file_id(self.file) != self.hold.database
        if log and not missing:
            found = file_id(beside(self.file, "-wal"))
            # The first write makes the log, so it is only known from then on.
            self._log = self._log or found
            missing = found is None or found != self._log
        if missing:
            raise self.refuse(
                StoreReplaced,
                "its file was deleted, moved or replaced while it was open; nothing was"
                " acknowledged: put the file back, or open what is there now",
            )

    @contextmanager
    def borrowed(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection that reads, from the pool or opened anew."""
        with self._lock, self.seam:
            self.usable()
            # An open connection goes on with its file; a new one opens what has the name.
            if not self.idle:
                self.check_named()
            db = self.idle.pop() if self.idle else self._connect(self._uri, READER_PRAGMAS)
            self.lent.add(db)
        try:
            yield db
        finally:
            with self._lock:
                if not self.closed and len(self.idle) < _IDLE_READERS:
                    self.idle.append(db)
                else:
                    db.close()
                self.lent.remove(db)
                self._lock.notify_all()
                self._let_go()

    @contextmanager
    def apart(self) -> Iterator[sqlite3.Connection]:
        """Give a connection of its own to write, whose commits all others see; the gate is held."""
        with self._lock, self.seam:
            self.usable()
            self.check_named()
            db = self._connect(self._uri, WRITER_PRAGMAS)
            # As if lent to a reader: a fork waits for it, and so does the end of the hold.
            self.lent.add(db)
        try:
            with self.seam:
                yield db
        finally:
            with self._lock:
                db.close()
                self.lent.remove(db)
                self._lock.notify_all()
                self._let_go()

    def data_version(self) -> int:
        """Return a number that differs whenever anybody has committed to the file."""
        # A data_version means something only beside others of the same connection.
        with self._lock, self.seam:
            self.usable()
            if self._watcher is None:
                self._watcher = self._connect(self._uri, READER_PRAGMAS)
            version: int = self._watcher.execute("PRAGMA data_version").fetchone()[0]
            # The watcher after a fork counts anew, and must give no number a second time.
            return version + (self._epoch << 32)


def _give_patience(db: sqlite3.Connection, seconds: float, *, most_s: float = _LONGEST_S) -> None:
    """Have a connection wait so long for others, but at most ``most_s`` at a time."""
    db.execute(f"PRAGMA busy_timeout = {round(1000 * min(seconds, most_s))}")
