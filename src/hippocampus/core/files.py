"""
Files that users name: read without dropping a store's locks, written without overwriting.

POSIX takes all locks of a process off a file as soon as the process closes *any* descriptor of it
(fcntl(2)), and SQLite's locks are of that kind (sqlite.org/howtocorrupt.html, 2.2). Another process
that then closes the store takes itself for the last one and deletes the write-ahead log under us,
with every write in it. So a descriptor of a file that this process has open as a store is kept
until the store is closed, and every file that a user names is opened here and nowhere else.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from io import BufferedReader, TextIOWrapper
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, TextIO, TypeAlias

from hippocampus.core.system import (
    CAN_RENAME_OPEN_FILES,
    at_fork,
    lock,
    open_descriptor,
    read_at,
    sync,
    sync_descriptor,
    write_at,
)
from hippocampus.errors import OutputError, OutputExists, SourceError, StoreError, StoreFull

FileId: TypeAlias = tuple[int, int]
"""A file whatever its names: (device, inode)."""
ReadAt: TypeAlias = Callable[[int, int], bytes]
"""Returns so many bytes from an offset on, fewer only at the end of the file."""


class RawFile(NamedTuple):
    """A file that is read by somebody else for us, such as the server of a database."""

    name: str
    read_at: ReadAt
    place: Callable[[int], int] = int
    """Returns where in the file a byte is, by where it was read."""


COMPANIONS: Final = ("-wal", "-shm", "-journal")
"""Endings of the files that SQLite keeps beside a database."""
PARTIAL: Final = ".hippocampus-partial-"
"""Begins the names of files that are being written and have no name of their own yet."""

_MAKING_S: Final = 60.0
"""A file younger than this is left alone: its writer may not have locked it yet."""
_SQLITE: Final = b"SQLite format 3\0"
_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_NO_LINKS: Final = frozenset({errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK, errno.EACCES})
"""Errors of file systems without hard links: FAT, some network shares, some sandboxes."""


class Hold:
    """One use of a database by this process."""

    __slots__ = ("database",)

    def __init__(self, database: FileId) -> None:
        self.database = database


class _OpenStores:
    """Databases that this process has open through SQLite, and descriptors kept for them."""

    def __init__(self) -> None:
        self.lock = threading.RLock()  # of what collects a store that was not closed, too
        self._holds: dict[FileId, set[Hold]] = {}
        self._kept: dict[FileId, dict[FileId, BinaryIO]] = {}

    def hold(self, database: Path, *, create: bool) -> Hold:
        with self.lock:
            if create and not database.exists():  # or closing it would drop the locks of another
                database.touch(0o600)  # SQLite makes -wal and -shm with the same rights
            return self._hold(_id(database.stat()))

    def _hold(self, database: FileId) -> Hold:
        hold = Hold(database)
        self._holds.setdefault(database, set()).add(hold)
        return hold

    def release(self, hold: Hold) -> None:
        with self.lock:
            holds = self._holds.get(hold.database, set())
            holds.discard(hold)  # one of before a fork is not there
            if not holds:
                self._holds.pop(hold.database, None)
                for file in self._kept.pop(hold.database, {}).values():
                    file.close()

    def owner(self, path: Path, file: FileId) -> FileId | None:
        """Return the open database that a file is, or lies beside; the lock is held."""
        if file in self._holds:
            return file
        # SQLite names its companions after the file that a link leads to.
        real = os.path.realpath(path)
        for ending in COMPANIONS:
            if real.endswith(ending):
                with suppress(OSError):
                    database = _id(Path(real.removesuffix(ending)).stat())
                    return database if database in self._holds else None
        return None

    def take(self, path: Path) -> tuple[BinaryIO, Hold | None]:
        """Return a file to read at offsets, and what to release afterwards if it is a store's."""
        with self.lock:
            file = _id(path.stat())
            owner = self.owner(path, file)
            if owner is None:
                return path.open("rb"), None
            kept = self._kept.setdefault(owner, {})
            if file not in kept:
                kept[file] = path.open("rb")
            return kept[file], self._hold(owner)

    def take_to_patch(self, path: Path) -> tuple[BinaryIO, Hold]:
        """Return a file of an open store to write to at offsets, and what to release afterwards."""
        with self.lock:
            device, number = _id(path.stat())
            owner = self.owner(path, (device, number))
            if owner is None:
                raise StoreError("is not open here, so nobody may write into it", path=path)
            kept = self._kept.setdefault(owner, {})
            # Beside the descriptor for reading, under a number that no file has.
            if (device, ~number) not in kept:
                kept[device, ~number] = path.open("r+b", buffering=0)
            return kept[device, ~number], self._hold(owner)

    def close(self, path: Path, file: BinaryIO) -> None:
        """Close a file, or keep it if it has become part of an open store since it was opened."""
        with self.lock:
            own = _id(os.fstat(file.fileno()))
            owner = self.owner(path, own)
            if owner is not None and own not in self._kept.setdefault(owner, {}):
                self._kept[owner][own] = file
            elif owner is not None:  # a second one: no name is needed to keep it
                self._kept[owner][own[0], -file.fileno()] = file
            else:
                file.close()

    def forked(self) -> None:
        """Begin anew in a child, which has no store open and no locks to lose."""
        self.lock = threading.RLock()
        self._holds.clear()
        for kept in self._kept.values():
            for file in kept.values():
                file.close()
        self._kept.clear()


_open_stores: Final = _OpenStores()
at_fork(after_in_child=_open_stores.forked)


def hold_store(database: Path, *, create: bool = False) -> Hold:
    """
    Say that this process opens a database from now on; ``create`` an empty file if there is none.

    To be called before SQLite opens it, and ended by ``release_store`` after SQLite has closed it.
    """
    return _open_stores.hold(database, create=create)


release_store: Final = _open_stores.release


# ---------------------------------------------------------------- reading


@contextmanager
def reading(path: str | Path) -> Iterator[BufferedReader]:
    """
    Open a file for reading that no store of this process consists of.

    Raises:
        SourceError: it is a store that this process has open, or lies beside one as its log.
        OSError: as ``open`` does.

    """
    path = Path(path)
    with _open_stores.lock:
        if _open_stores.owner(path, _id(path.stat())) is not None:
            msg = (
                "is part of a store that is open here, and no file to read from; to copy a bank"
                " out of it, use 'export'"
            )
            raise SourceError(msg, path=path)
    # Should it become a store before it is closed, ``close`` keeps it open.
    file = path.open("rb")
    try:
        yield file
    finally:
        _open_stores.close(path, file)


@contextmanager
def reading_lines(path: str | Path) -> Iterator[TextIO]:
    """Open a file of UTF-8 for reading line by line; see ``reading``."""
    with reading(path) as file:
        text = TextIOWrapper(file, encoding="utf-8")
        try:
            yield text
        finally:
            text.detach()  # closing is not its business


def read_bytes(path: str | Path) -> bytes:
    """Return a whole file; see ``reading``."""
    with reading(path) as file:
        return file.read()


def read_text(path: str | Path) -> str:
    """Return a whole file that is UTF-8; see ``reading``."""
    return read_bytes(path).decode()


def read_small(path: str | Path, *, most: int) -> bytes:
    """
    Return a whole file that somebody else may have made: a plain one, of at most so many bytes.

    Raises:
        OSError: there is none, or it is a device or the like.
        ValueError: it is larger.

    """
    # A pipe would wait for ever, and a device may never end.
    if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116 - a text as well
        raise OSError(errno.EINVAL, "is no plain file", str(path))
    with reading(path) as file:
        # What is read counts, and not the size, which may change in between.
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(f"{path}: is larger than {most} bytes")
    return data


@contextmanager
def reading_raw(path: Path) -> Iterator[ReadAt]:
    """Give a way to read a file at offsets, also one of a store that this process has open."""
    file, hold = _open_stores.take(path)
    try:
        yield partial(_read_at, file.fileno())
    finally:
        if hold is None:
            _open_stores.close(path, file)
        else:
            _open_stores.release(hold)


class Patch:
    """A file of an open store, read and written at offsets, past SQLite."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def read(self, offset: int, size: int) -> bytes:
        """Return so many bytes from an offset on, fewer only at the end of the file."""
        return _read_at(self._descriptor, offset, size)

    def zero(self, offset: int, size: int) -> None:
        """Write zeros."""
        done = 0
        while done < size:
            done += write_at(self._descriptor, bytes(size - done), offset + done)

    def sync(self) -> None:
        """Return once all of it is on the disk."""
        sync_descriptor(self._descriptor)


@contextmanager
def patching(path: Path) -> Iterator[Patch]:
    """
    Give a file of a store that this process has open, to be changed where SQLite does not look.

    Whoever does that knows that no process writes there meanwhile, nor has kept what was there.
    """
    file, hold = _open_stores.take_to_patch(path)
    try:
        yield Patch(file.fileno())
    finally:
        _open_stores.release(hold)


def _read_at(descriptor: int, offset: int, size: int) -> bytes:
    parts: list[bytes] = []
    while size > 0 and (part := read_at(descriptor, size, offset)):
        parts.append(part)
        offset, size = offset + len(part), size - len(part)
    return b"".join(parts)


def _id(status: os.stat_result) -> FileId:
    return status.st_dev, status.st_ino


def file_id(path: Path) -> FileId | None:
    """Return the identity of the file that has a name; None if there is none."""
    try:
        return _id(path.stat())
    except OSError:
        return None


# ---------------------------------------------------------------- writing


def unwritable(database: Path) -> Path | None:
    """
    Return the folder of a database, or the file, if this user cannot write there; None otherwise.

    The folder too: SQLite makes the -wal and -shm files there.
    """
    needed = (database.parent, database) if database.exists() else (database.parent,)
    return next((one for one in needed if not os.access(one, os.W_OK)), None)


@contextmanager
def writing(path: str | Path, *, overwrite: bool = False) -> Iterator[Path]:
    """
    Give an empty file to write, which takes the name ``path`` once the block has ended well.

    It is whole and on disk when it gets the name, and only its owner may read it. With an error
    there is no trace of it, and what had the name before is as it was. Of a process that was
    killed there, the next one to write into the folder removes the trace.

    Args:
        path: where; the folder must exist. A link is followed.
        overwrite: whether a file that is there may be replaced. A database never is.

    Raises:
        OutputExists: something is there already.
        OutputError: no file can be made there.
        StoreFull: the disk is full.

    """
    target = Path(os.path.realpath(path))
    check_output(target, overwrite=overwrite)
    sweep(target.parent)
    # With the target's ending, by which some who write it choose the format.
    unfinished = target.with_name(f"{PARTIAL}{secrets.token_hex(8)}{target.suffix}")
    with _telling_of(path):
        held = open_descriptor(unfinished, os.O_CREAT | os.O_EXCL | os.O_RDWR)
        file = os.fdopen(held, "rb")
        try:
            # So that a ``sweep`` of another process knows that somebody still writes it.
            lock(held)
            yield unfinished
            # Before it has its name: a name on disk without the bytes would be a damaged file.
            sync(unfinished)
            if not CAN_RENAME_OPEN_FILES:
                file.close()
            _name(unfinished, target, overwrite=overwrite)
            sync(target.parent)
        finally:
            if not CAN_RENAME_OPEN_FILES:
                file.close()
            # After a link this is a second name of the file; after a rename it is gone.
            with suppress(FileNotFoundError):
                unfinished.unlink()
            if not file.closed:
                _open_stores.close(target, file)


def append(path: Path, line: bytes) -> None:
    """Add a line to a file of this user's own, in one write; several processes may at once."""
    descriptor = open_descriptor(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, follow=False)
    try:
        os.write(descriptor, line)
    finally:
        os.close(descriptor)


def sweep(folder: Path) -> None:
    """Remove from a folder what processes were writing when they were killed."""
    every: list[Path] = []
    with suppress(OSError):
        every = [one for one in folder.iterdir() if one.name.startswith(PARTIAL)]
    for left in every:
        # One that cannot be removed keeps no other; a store of this process is being written.
        with suppress(OSError, SourceError):
            _remove_left(left)


def _remove_left(left: Path) -> None:
    """Remove a file that has no name of its own yet, unless somebody may still be writing it."""
    ending = next((end for end in COMPANIONS if left.name.endswith(end)), "")
    whole = left.with_name(left.name.removesuffix(ending))
    # A log is swept after its database, whose lock tells whether somebody writes it.
    if time.time() - left.stat().st_mtime < _MAKING_S or (ending and whole.exists()):
        return
    with reading(left) as file:
        is_left = lock(file.fileno())
        if is_left and CAN_RENAME_OPEN_FILES:
            left.unlink()
    if is_left and not CAN_RENAME_OPEN_FILES:
        left.unlink()


def check_output(path: str | Path, *, overwrite: bool = False) -> None:
    """
    Refuse to write where something is that may not be replaced; see ``writing``.

    Raises:
        OutputExists: something is there already, and may not be replaced.
        OutputError: there is no such folder.

    """
    target = Path(os.path.realpath(path))
    try:
        status = target.stat()
    except FileNotFoundError:
        if not target.parent.is_dir():
            msg = "its folder does not exist; make the folder first"
            raise OutputError(msg, path=path) from None
        if is_database(target):  # a log whose database has the name before the ending
            msg = "is the name of a file that SQLite keeps beside a database; name another"
            raise OutputExists(msg, path=path) from None
        return
    except OSError as exc:
        raise OutputError(f"cannot be written: {exc.strerror}", path=path) from exc
    if not stat.S_ISREG(status.st_mode):
        raise OutputExists("is no regular file; name a new file", path=path)
    if is_database(target):
        raise OutputExists("is a database, which is never written over; name another", path=path)
    if not overwrite:
        msg = (
            "exists already; name a new file, or say that it may be replaced (overwrite=True, or"
            " --force)"
        )
        raise OutputExists(msg, path=path)


def is_database(path: Path) -> bool:
    """Return whether a file is a SQLite database, or has the name of one's log or index."""
    for ending in COMPANIONS:
        if path.name.endswith(ending) and is_database(
            path.with_name(path.name.removesuffix(ending))
        ):
            return True
    if not path.is_file():  # a pipe would wait for ever
        return False
    try:
        with reading(path) as file:
            return file.read(len(_SQLITE)) == _SQLITE
    # It is part of a store that this process has open.
    except SourceError:
        return True
    except OSError:
        return False


def _name(unfinished: Path, target: Path, *, overwrite: bool) -> None:
    """Give a file its name; without ``overwrite``, even one made meanwhile is not replaced."""
    if not overwrite:
        try:
            os.link(unfinished, target)
        # Told below, in words of ours.
        except FileExistsError:
            pass
        except OSError as exc:
            if exc.errno not in _NO_LINKS:
                raise
        else:
            return
    # A rename replaces what is there, so it comes second, and after one more look.
    check_output(target, overwrite=overwrite)
    unfinished.replace(target)


@contextmanager
def _telling_of(path: str | Path) -> Iterator[None]:
    """Make errors of the system, met while ``path`` is written, ours."""
    try:
        yield
    except (OutputError, StoreFull):
        raise
    except OSError as exc:
        if exc.errno in _NO_ROOM:
            msg = "no room to write it; there is no such file now: make some room and try again"
            raise StoreFull(msg, path=path) from exc
        if exc.errno is None or (exc.filename is not None and PARTIAL not in str(exc.filename)):
            raise  # it is about something else
        raise OutputError(f"cannot be written: {exc.strerror}", path=path) from exc
