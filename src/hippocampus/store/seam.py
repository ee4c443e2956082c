"""The seam to ``sqlite3``: the one place where its exceptions become ours."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from types import TracebackType

from hippocampus import errors

FOREIGN = (sqlite3.Error, sqlite3.Warning, OverflowError, UnicodeError)
"""
Everything ``sqlite3`` raises. ``OverflowError`` and ``UnicodeEncodeError``: for values that SQLite
cannot hold; ``UnicodeDecodeError``: SQLite quotes a damaged schema in its message.
"""

_MESSAGES: dict[int, tuple[type[errors.StoreError], str]] = {
    sqlite3.SQLITE_BUSY: (
        errors.StoreLocked,
        (
            "locked by another process for longer than the timeout; nothing was changed: try again,"
            " raise Config.busy_timeout_s, or find the process that keeps it"
        ),
    ),
    sqlite3.SQLITE_LOCKED: (
        errors.StoreLocked,
        "locked by another statement of this process; nothing was changed: try again",
    ),
    sqlite3.SQLITE_FULL: (
        errors.StoreFull,
        "the disk is full; the write was rolled back: free some space and try again",
    ),
    # A quota or a file size limit, unlike a full disk, reaches us as a failed write.
    sqlite3.SQLITE_IOERR_WRITE: (
        errors.StoreFull,
        (
            "the file cannot grow, or the disk fails; the write was rolled back: check the quota,"
            " the file size limit and the disk's health, and try again"
        ),
    ),
    sqlite3.SQLITE_IOERR_SHMSIZE: (
        errors.StoreFull,
        "no room for the -shm file; nothing was changed: free some space and try again",
    ),
    sqlite3.SQLITE_READONLY: (
        errors.StoreReadOnly,
        "cannot be written: check the permissions of the file and its folder, or open it read-only",
    ),
    sqlite3.SQLITE_PERM: (
        errors.StoreReadOnly,
        "access was refused: check the permissions of the file and its folder",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        errors.StoreError,
        (
            "the file, or its -wal or -shm beside it, cannot be opened: check that the folder"
            " exists, may be written, and that the process has file handles left"
        ),
    ),
    sqlite3.SQLITE_CORRUPT: (
        errors.StoreCorrupt,
        (
            "the database is damaged; copy its files away first, then restore a backup, or have"
            " 'hippocampus doctor --salvage NEWFILE' copy what is sound into a new store"
        ),
    ),
    sqlite3.SQLITE_NOTADB: (
        errors.StoreCorrupt,
        (
            "the database's first page is damaged; copy its files away first, then restore a"
            " backup, or have 'hippocampus doctor --salvage NEWFILE' copy what is sound into a new"
            " store"
        ),
    ),
    sqlite3.SQLITE_IOERR: (
        errors.StoreError,
        "the disk failed to read or write; nothing was acknowledged: check the disk",
    ),
    sqlite3.SQLITE_CONSTRAINT: (
        errors.StoreError,
        (
            "the change breaks a rule of the store and was not made: the bank was dropped, or the"
            " row or id exists already"
        ),
    ),
    sqlite3.SQLITE_TOOBIG: (
        errors.StoreError,
        "a value is longer than SQLite can hold (1 GB); nothing was changed: split it",
    ),
}


def translate(exc: Exception, path: str) -> errors.StoreError:
    """Return the error of ours that an exception of ``sqlite3`` means for the store at ``path``."""
    code: int | None = getattr(exc, "sqlite_errorcode", None)
    if code is not None:
        found = _MESSAGES.get(code) or _MESSAGES.get(code & 0xFF)  # extended, then primary code
        if found is not None:
            kind, message = found
            return kind(f"{message} (SQLite says: {exc})", path=path)
    if isinstance(exc, sqlite3.ProgrammingError) and "closed" in str(exc):
        return errors.StoreClosed("the store was closed; open it again", path=path)
    if undecodable(exc) or isinstance(exc, UnicodeDecodeError):
        kind, message = _MESSAGES[sqlite3.SQLITE_CORRUPT]
        return kind(f"{message} (SQLite says: {exc})", path=path)
    if isinstance(exc, OverflowError | UnicodeEncodeError):
        return errors.StoreError(f"a value cannot be stored, nothing was changed: {exc}", path=path)
    return errors.StoreError(f"SQLite refused: {exc}", path=path)


def undecodable(exc: Exception) -> bool:
    """Return whether bytes in a text column are not UTF-8: Python's own error, without a code."""
    return isinstance(exc, sqlite3.OperationalError) and str(exc).startswith("Could not decode")


class Seam:
    """
    A context in which every foreign exception leaves as one of ours, mostly a ``StoreError``.

    Those of ``sqlite3``, unless another driver says which are its own and what they mean.
    """

    def __init__(
        self,
        path: str,
        foreign: tuple[type[Exception], ...] = FOREIGN,
        meaning: Callable[[Exception, str], errors.HippocampusError] = translate,
    ) -> None:
        self._path = path
        self._foreign = foreign
        self._meaning = meaning

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(exc, self._foreign):
            raise self._meaning(exc, self._path) from exc
