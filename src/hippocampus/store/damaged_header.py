"""Copies of stores whose first bytes are damaged: SQLite reads no page of a file without them."""

from __future__ import annotations

import shutil
import struct
from pathlib import Path
from typing import Final

from hippocampus.core.files import reading
from hippocampus.errors import SourceError
from hippocampus.store import schema
from hippocampus.store.opening import beside

_HEADER: Final = 100
"""Bytes of the header, as "The Database Header" of SQLite's file format counts all below."""
_MAGIC: Final = b"SQLite format 3\0"
_USUAL_PAGE: Final = 4096
"""Bytes of a page by SQLite's default since 3.12, which no store of ours has changed."""
_PAGES: Final = frozenset(1 << power for power in range(9, 16))
"""Sizes of a page, but for 64 KiB, which is written as 1, and which no store of ours has."""
_TABLE_PAGES: Final = frozenset({0x05, 0x0D})
"""Kinds of page that the schema, which begins behind the header, may start with."""
_WITH_LOG, _WITHOUT_LOG = 2, 1  # SQLite's "file format versions": of WAL, and of a rollback journal
_LOG: Final = "-wal"


def is_sound(path: Path) -> bool:
    """
    Return whether the header of a file says what those of all our stores say, and its length.

    A store that this process has open has been read as one, so it is taken to be.
    """
    has_log = beside(path, _LOG).exists()
    try:
        with reading(path) as file:
            header = file.read(_HEADER)
    except SourceError:
        return True
    if len(header) < _HEADER:
        return False
    mended = _mended(header, path.stat().st_size, has_log=has_log)
    # Magic and size of a page; its shares; format of the schema; encoding of texts. What is left
    # out, such as versions and counters, is another in every file.
    same = (slice(0, 18), slice(20, 24), slice(44, 48), slice(56, 60))
    # Until a log is copied into the file, the number of pages is that of some later moment.
    return all(header[one] == mended[one] for one in (*same, *[slice(28, 32)] * (not has_log)))


def mended_copy(path: Path, folder: Path) -> Path | None:
    """
    Copy a database into a folder, with a header that SQLite takes; None if it cannot be one.

    What the header alone tells is given up: the list of free pages, which no reader needs. Format
    and mark are set to ours, for the tables themselves to tell which format they are of.

    Raises:
        SourceError: the file is a store that this process has open.

    """
    with reading(path) as file:
        first = file.read(_HEADER + 1)
        if len(first) <= _HEADER or first[_HEADER] not in _TABLE_PAGES:
            return None
        copy = folder / path.name
        with copy.open("wb") as made:
            size, has_log = path.stat().st_size, beside(path, _LOG).exists()
            made.write(_mended(first[:_HEADER], size, has_log=has_log))
            made.write(first[_HEADER:])
            shutil.copyfileobj(file, made)
    if beside(path, _LOG).exists():
        with reading(beside(path, _LOG)) as log, beside(copy, _LOG).open("wb") as made:
            shutil.copyfileobj(log, made)
    return copy


def _mended(header: bytes, size: int, *, has_log: bool) -> bytes:
    mended = bytearray(header)
    (page,) = struct.unpack_from(">H", header, 16)
    if page not in _PAGES:
        page = _USUAL_PAGE
    version = _WITH_LOG if has_log else _WITHOUT_LOG
    # Of page sizes, who may read and write, and shares of a page that are the same in all files.
    struct.pack_into(">16sHBBBBBB", mended, 0, _MAGIC, page, version, version, 0, 64, 32, 32)
    struct.pack_into(">IIII", mended, 24, 1, -(-size // page), 0, 0)
    struct.pack_into(">II", mended, 44, 4, 0)  # format of the schema; no cache is suggested
    struct.pack_into(">II", mended, 56, 1, schema.FORMAT)  # texts are in UTF-8
    struct.pack_into(">I20xI", mended, 68, schema.APPLICATION_ID, 1)
    return bytes(mended)
