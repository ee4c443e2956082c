"""Files of PostgreSQL's log without the headers of their pages, which cut words in two."""

from __future__ import annotations

import struct
from functools import partial
from typing import Final

from hippocampus.core.files import RawFile, ReadAt

LOG_FOLDER: Final = "pg_wal"
"""Folder of a server that its log is in."""
_FIRST: Final = struct.Struct("<2xH32xI")
"""Header of the first page: after the magic number its kind, and at the end the size of a page."""
_IS_FIRST: Final = 2
"""The bit of its kind that says so: ``XLP_LONG_HEADER`` of PostgreSQL."""
_HEADER: Final = 24
"""Bytes of the header of every other page: ``XLogPageHeaderData`` of PostgreSQL, aligned."""


def without_page_headers(file: RawFile) -> RawFile:
    """Return a file of a log as one whose pages follow each other; any other one as it is."""
    begins = file.read_at(0, _FIRST.size)
    kind, page = _FIRST.unpack(begins) if len(begins) == _FIRST.size else (0, 0)
    if not kind & _IS_FIRST or page < 1024 or page & (page - 1):
        return file
    place = partial(_place, page)
    return RawFile(file.name, partial(_read, file.read_at, page), place)


def _place(page: int, offset: int) -> int:
    """Return the place in the file of a byte between the headers."""
    if offset < page - _FIRST.size:
        return _FIRST.size + offset
    number, inside = divmod(offset - (page - _FIRST.size), page - _HEADER)
    return (number + 1) * page + _HEADER + inside


def _read(read_at: ReadAt, page: int, offset: int, size: int) -> bytes:
    start, last = _place(page, offset), _place(page, offset + size - 1)
    raw = read_at(start, last + 1 - start)
    rest = page - start % page
    others = (raw[at + _HEADER : at + page] for at in range(rest, len(raw), page))
    return b"".join((raw[:rest], *others))
