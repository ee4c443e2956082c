"""Another file in the place of a store: nobody has that open, and what was there is kept."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Final

from hippocampus.core.files import COMPANIONS
from hippocampus.core.system import CAN_RENAME_OPEN_FILES, give_as, sync
from hippocampus.errors import NotAStore, OutputExists, StoreError, StoreLocked, StoreTooNew
from hippocampus.store import schema
from hippocampus.store.index_files import files_beside
from hippocampus.store.opening import beside, probe
from hippocampus.store.seam import Seam, translate

_IN_USE: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def copy_database(source: Path, target: Path) -> None:
    """
    Copy a store, and what its log holds, into an empty file, in whatever format it has.

    Raises:
        StoreError: there is none, or it was cut off in the middle of a write.
        NotAStore: it is something else.

    """
    if probe(source, str(source), len(schema.MIGRATIONS)) is None:
        if source.exists():
            raise NotAStore("is empty; name a file that 'backup' wrote", path=source)
        raise StoreError("there is no such file; name one that 'backup' wrote", path=source)
    with Seam(str(source)):
        try:
            _copy_pages(f"{source.as_uri()}?mode=ro", target)
        except sqlite3.OperationalError as exc:
            if exc.sqlite_errorcode == sqlite3.SQLITE_READONLY_ROLLBACK:
                msg = (
                    "was cut off in the middle of a write; 'hippocampus verify --store FILE' puts"
                    " it right, or name another backup"
                )
                raise StoreError(msg, path=source) from exc
            if any(_holds_bytes(beside(source, one)) for one in ("-wal", "-journal")):
                raise
            # Where nothing may be written there can be no -shm file, nor is one needed then.
            _copy_pages(f"{source.as_uri()}?mode=ro&immutable=1", target)


def _copy_pages(source: str, target: Path) -> None:
    with (
        closing(sqlite3.connect(source, uri=True)) as old,
        closing(sqlite3.connect(target, isolation_level=None)) as new,
    ):
        old.backup(new)
        new.execute("PRAGMA journal_mode = DELETE")


def _holds_bytes(file: Path) -> bool:
    return file.exists() and file.stat().st_size > 0


def check_replaceable(file: Path, *, force: bool) -> bool:
    """
    Refuse a file that is something else than a store; return whether it is one.

    Args:
        file: a damaged store counts as one as long as it begins like one; an empty file does not.
        force: whether something else may be replaced, too.

    Raises:
        NotAStore: it is something else.

    """
    try:
        return probe(file, str(file), len(schema.MIGRATIONS)) is not None
    except StoreTooNew:
        return True
    except NotAStore as exc:
        if force and file.is_file():
            return False
        msg = (
            "is not a hippocampus store, and was left as it is; name another --store, or, if it"
            " was one, say that it may be replaced (force=True, --force)"
        )
        raise NotAStore(msg, path=file) from exc


@contextmanager
def held_alone(file: Path) -> Iterator[None]:
    """
    Hold a store that nobody has open, so that nobody opens it; its file has what its log held.

    It may be given another name meanwhile: SQLite then leaves alone what has its former name. On
    Windows, where it may not as long as it is open, it is only looked at. A damaged one, too.

    Raises:
        StoreLocked: somebody has it open.

    """
    with ExitStack() as held:
        if file.exists():
            _hold(file, held)
        if not CAN_RENAME_OPEN_FILES:
            held.close()
        yield


def _hold(file: Path, held: ExitStack) -> None:
    how = f"{file.as_uri()}?mode=rw"
    try:
        db = sqlite3.connect(how, uri=True, timeout=0, isolation_level=None)
        held.enter_context(closing(db))
        db.execute("PRAGMA locking_mode = EXCLUSIVE")  # until it is closed
        # The lock is taken with the first transaction, and in this mode not given back after it.
        db.execute("BEGIN EXCLUSIVE")
        db.execute("ROLLBACK")
        db.execute("PRAGMA wal_checkpoint = TRUNCATE").fetchall()
    except sqlite3.DatabaseError as exc:
        code = exc.sqlite_errorcode & 0xFF
        if code in _IN_USE:
            raise StoreLocked(
                "is open in this or another process; stop what has it open (a server, a proxy, a"
                " resident process), and restore then",
                path=file,
            ) from exc
        if code not in _DAMAGED:  # which is why a backup is restored
            raise translate(exc, str(file)) from exc


def put_in_place(whole: Path, file: Path, *, former: Path, was_store: bool) -> bool:
    """
    Give a finished file the name of a store; return whether there was one, which is ``former`` now.

    At every moment a store has the name. The log of the former one goes with it, or SQLite would
    play it back into the new one; its indexes in files are of another history, and are removed.
    After an error everything has the name again that it had.
    Only a store hands its rights on: another file may be one that everybody reads.
    """
    was_there = file.exists()
    if was_store:
        give_as(whole, file.stat())
    with ExitStack() as back:
        if was_there:
            _name_also(file, former, back)
        for path in (*(beside(file, one) for one in COMPANIONS), *_indexes(file)):
            if path.exists():
                aside = beside(former, path.name.removeprefix(file.name))
                path.rename(aside)
                back.callback(aside.rename, path)
        whole.replace(file)
        back.pop_all()
    for index in _indexes(former):
        index.unlink(missing_ok=True)
    sync(file.parent)
    return was_there


def _indexes(file: Path) -> list[Path]:
    return [one.path for one in files_beside(file)]


def _name_also(file: Path, name: Path, back: ExitStack) -> None:
    """Give a file a second name, or, where there are no links, another one; tell the way back."""
    if name.exists():
        raise OutputExists("exists already; try again in a second", path=name)
    try:
        os.link(file, name)
    except OSError:
        file.rename(name)
        back.callback(name.rename, file)
    else:
        back.callback(name.unlink)
