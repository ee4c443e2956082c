"""Opening a file as a store: what it must be, and how SQLite is set up for it."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from hippocampus.errors import NotAStore, StoreError, StoreReadOnly, StoreTooNew
from hippocampus.store import schema
from hippocampus.store.seam import translate

_PRAGMAS: Final = (
    "PRAGMA trusted_schema = OFF",  # a file is data: its schema may not call functions
    "PRAGMA cell_size_check = ON",
    "PRAGMA temp_store = MEMORY",  # no words in temporary files, not even while VACUUM runs
)
_CACHE: Final = "PRAGMA cache_size = -2048"
"""It reads the schema, so it comes last: salvage first says that one may be damaged."""
WRITER_PRAGMAS: Final = (
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",  # what is erased is overwritten, and not only let go
    "PRAGMA synchronous = FULL",  # in WAL mode NORMAL may lose the last commits with the power
    "PRAGMA fullfsync = ON",  # macOS keeps fsync in the drive's cache without it
    "PRAGMA checkpoint_fullfsync = ON",
    "PRAGMA journal_size_limit = 67108864",  # one large import must not leave a large log for good
)

_INSTEAD: Final = (
    "choose another path; if it was one, its first bytes are damaged: 'hippocampus doctor"
    " --salvage NEWFILE' copies what is sound into a new store"
)

READER_PRAGMAS: Final = ("PRAGMA query_only = ON",)


def connect(
    uri: str,
    pragmas: Iterable[str] = (),
    *,
    timeout_s: float,
    tracer: Callable[[str], object] | None,
) -> sqlite3.Connection:
    """Return a connection of which every statement is traced, set up by our pragmas and these."""
    # We begin transactions ourselves, and our locks see to it that one thread uses it at a time.
    db = sqlite3.connect(
        uri, uri=True, timeout=timeout_s, isolation_level=None, check_same_thread=False
    )
    try:
        db.set_trace_callback(tracer)
        for pragma in (*_PRAGMAS, *pragmas, _CACHE):
            db.execute(pragma)
    except BaseException:
        db.close()
        raise
    return db


def switch_to_wal(db: sqlite3.Connection, *, path: str, timeout_s: float) -> None:
    """Have the file keep a write-ahead log, waiting for others who open it."""
    # SQLite does not wait here by itself, and another process may be opening the same file.
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            mode = db.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        except sqlite3.OperationalError as exc:
            busy = exc.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() >= deadline:
                raise
            time.sleep(0.005)  # whoever opens it is done in some milliseconds
        else:
            break
    if mode != "wal":
        msg = (
            f"this file system cannot keep a write-ahead log (SQLite chose {mode!r});"
            " put the store on a local disk"
        )
        raise StoreError(msg, path=path)


def beside(file: Path, ending: str) -> Path:
    """Return the file of that ending beside a store's."""
    return file.with_name(file.name + ending)


def is_blank(db: sqlite3.Connection) -> bool:
    """Return whether a database has no tables yet."""
    return db.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone() is None


def was_cut_off(file: Path) -> bool:
    """Return whether a writer is in the middle of a transaction without a log, or died there."""
    journal = beside(file, "-journal")
    return file.exists() and journal.exists() and journal.stat().st_size > 0


def probe(file: Path, path: str, supported: int) -> int | None:
    """
    Return the format of the store in a file, None when there is nothing yet, without a trace.

    It goes through SQLite, immutable, because closing a file that we opened ourselves would drop
    the locks of every connection this process has to it (POSIX).
    """
    try:
        if not file.exists():
            return None
    except OSError as exc:  # a name that is too long
        raise StoreError(f"cannot be looked at ({exc.strerror})", path=path) from exc
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
            raise NotAStore(f"is not a hippocampus store; {_INSTEAD}", path=path) from exc
        if getattr(exc, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_CORRUPT:
            # Perhaps another process is just making it, or was cut off: we looked without a lock.
            # Who opens it looks again with one, and SQLite puts right what was cut off.
            return supported
        raise translate(exc, path) from exc
    judge(mark, found, fresh=False, path=path, newest=range(supported))
    return found


def judge(mark: int, found: int, *, fresh: bool, path: str, newest: Sequence[object]) -> None:
    """Raise unless a file with this mark and format is a store that we read, or a fresh one."""
    if fresh and mark == found == 0:
        return
    if mark not in schema.MARKS:
        msg = f"is a SQLite database, but not a hippocampus store; {_INSTEAD}"
        raise NotAStore(msg, path=path)
    if found > len(newest):
        raise StoreTooNew(path=path, found=found, supported=len(newest))
    if found < schema.OLDEST:
        msg = (
            f"store format {found} is older than {schema.OLDEST}, the oldest this version reads;"
            " open it once with an earlier release"
        )
        raise StoreError(msg, path=path)
