"""
An index of a bank in a file beside the store, from which opening the store maps it.

It is derived, and disposable: whoever finds it missing, damaged, of another version or of another
history makes the index from the store. Arrays that may hold any bits, such as vectors and codes,
are mapped: they come into memory with the first look and leave it when others need it. Whatever
leads anywhere, such as postings and offsets, is read and compared with its checksum at once.

The file: a head (magic, version, length and checksum of what follows), a table of contents in JSON,
and the arrays, each at the beginning of a page.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BufferedReader
from math import prod
from pathlib import Path
from typing import Any, Final, Self, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from hippocampus.core.files import reading, writing
from hippocampus.index.growable_array import GrowableArray
from hippocampus.kernel import MAPS_FILES, MappedRoom, checksum

Item = TypeVar("Item", bound=np.generic)
Plain = TypeVar("Plain")

VERSION: Final = 2
"""Version of the layout and of what is in it: another one's files are made anew."""
_MAGIC: Final = b"HippoIdx"
_HEAD: Final = struct.Struct("<8sIIQ")
_PAGE: Final = 1 << 16
"""Bytes, a multiple of the size of a page of any system: some of ARM have 64 KiB."""
_MORE: Final = 2
"""Multiple of its length that an array may reach before it moves out of its map: room in addresses
only, which costs no memory (docs/adr/0077)."""
_SPARE: Final = 1 << 20
"""Bytes besides, for arrays that are short yet."""
_CHECKED: Final = 1 << 24
"""Bytes that have a checksum of their own: a large array is checked piece by piece. Set by hand."""


class Section(msgspec.Struct, frozen=True):
    """An array of a file."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    offset: int
    checksums: tuple[int, ...]
    any_bits: bool

    @property
    def nbytes(self) -> int:
        """Its length."""
        return prod(self.shape) * np.dtype(self.dtype).itemsize


class Contents(msgspec.Struct, frozen=True):
    """Head of an index file: what it was made of, and its sections."""

    made_of: list[str]
    """Identity for which the file is of use: bank, history, embedder and settings."""
    seq: int
    """The change up to which it goes."""
    plain: dict[str, Any]
    sections: list[Section]


@dataclass(slots=True)
class IndexFileWriter:
    """Takes note of what an index holds; ``write`` puts it in a file."""

    _prefix: str = ""
    _plain: dict[str, Any] = field(default_factory=dict)
    _arrays: dict[str, tuple[NDArray[Any], bool]] = field(default_factory=dict)

    def within(self, part: str) -> Self:
        """Return the same archive for a part of what is told."""
        return type(self)(f"{self._prefix}{part}.", self._plain, self._arrays)

    def array(self, name: str, array: GrowableArray[Any], *, any_bits: bool = False) -> None:
        """Take note of an array."""
        self._arrays[self._prefix + name] = array.view, any_bits

    def fixed(self, name: str, array: NDArray[Item]) -> NDArray[Item]:
        """Take note of an array that does not grow."""
        self._arrays[self._prefix + name] = array, False
        return array

    def plain(self, name: str, value: Plain) -> Plain:
        """Take note of what JSON can hold."""
        self._plain[self._prefix + name] = value
        return value

    def write(self, path: Path, made_of: list[str], seq: int) -> None:
        """
        Write all of it, whole or not at all; what had the name is replaced.

        Raises:
            OutputError, StoreFull: it cannot be written there.

        """
        sections: list[Section] = []
        at = 0  # of the first page behind the table of contents
        for name, (array, any_bits) in self._arrays.items():
            sums = _checksums(_bytes(array))
            sections.append(Section(name, array.dtype.str, array.shape, at, sums, any_bits))
            at += _whole_pages(array.nbytes)
        table = msgspec.json.encode(Contents(made_of, seq, self._plain, sections))
        head = _HEAD.pack(_MAGIC, VERSION, len(table), checksum(np.frombuffer(table, np.uint8)))
        start = _first_page(len(table))
        with writing(path, overwrite=True) as unfinished, unfinished.open("r+b") as file:
            file.write(head + table)
            for section, (array, _) in zip(sections, self._arrays.values(), strict=True):
                file.seek(start + section.offset)
                file.write(_bytes(array).data)
            # To the end of the last page, for arrays are mapped by whole ones.
            file.truncate(start + at)


class MappedParts:
    """The parts of a file that are mapped; empty where nothing is."""

    def __init__(self) -> None:
        self.rooms: list[MappedRoom] = []

    def damaged(self) -> bool:
        """Return whether something of the file was gone when it was looked at."""
        return any(room.damaged for room in self.rooms)


class IndexFileReader:
    """Reader that fills an index with the arrays and values of a file."""

    def __init__(self, file: BufferedReader, size: int, prefix: str = "") -> None:
        self._file = file
        self._prefix = prefix
        self.mapped = MappedParts()
        self.contents, self._start = _table(file, size)
        self._sections = {section.name: section for section in self.contents.sections}

    def within(self, part: str) -> Self:
        """Return the same archive for a part of what is told."""
        view = object.__new__(type(self))
        view.__dict__ = {**self.__dict__, "_prefix": f"{self._prefix}{part}."}
        return view

    def array(self, name: str, array: GrowableArray[Any], *, any_bits: bool = False) -> None:
        """Fill an array."""
        section = self._sections[self._prefix + name]
        dtype, trailing = np.dtype(section.dtype), section.shape[1:]
        if not section.nbytes:
            return
        if not (any_bits and MAPS_FILES):
            array.adopt(self._read(section), section.shape[0])
            return
        row = section.nbytes // section.shape[0]
        most = (section.nbytes * _MORE + _SPARE) // row * row
        at = self._start + section.offset
        try:
            room = MappedRoom(self._file.fileno(), at, section.nbytes, most)
        except (OSError, RuntimeError):  # no addresses, or too many maps
            array.adopt(self._read(section), section.shape[0])
            return
        self.mapped.rooms.append(room)
        rows = room.array[:most].view(dtype).reshape(-1, *trailing)
        array.adopt(rows, section.shape[0], mapped=True)

    def fixed(self, name: str, array: NDArray[Item]) -> NDArray[Item]:
        """Return an array as the file has it."""
        section = self._sections[self._prefix + name]
        if np.dtype(section.dtype) != array.dtype or len(section.shape) != 1:
            msg = f"{section.name} is of {section.dtype} {section.shape}, not of {array.dtype}"
            raise ValueError(msg)
        return self._read(section)

    def plain(self, name: str, value: Plain) -> Plain:
        """Return a value as the file has it."""
        found = self.contents.plain[self._prefix + name]
        # Refused here, while the index can still be made anew.
        if type(found) is not type(value):
            msg = f"{self._prefix}{name} is {type(found).__name__}, not {type(value).__name__}"
            raise TypeError(msg)
        kept: Plain = found
        return kept

    def _read(self, section: Section) -> NDArray[Any]:
        array = np.empty(section.shape, np.dtype(section.dtype))
        self._file.seek(self._start + section.offset)
        raw = _bytes(array)
        there = self._file.readinto(raw.data) == section.nbytes
        if not there or _checksums(raw) != section.checksums:
            msg = f"the checksum of {section.name} does not match"
            raise ValueError(msg)
        return array


def find_damage(path: Path) -> Iterator[str]:
    """Yield damage of a file against its checksums; reads all of it, and keeps nothing."""
    try:
        with reading(path) as file:
            contents, start = _table(file, path.stat().st_size)
            for section in contents.sections:
                file.seek(start + section.offset)
                for number, expected in enumerate(section.checksums):
                    left = min(_CHECKED, section.nbytes - number * _CHECKED)
                    if checksum(np.frombuffer(file.read(left), np.uint8)) != expected:
                        yield f"{path.name}: the checksum of {section.name} does not match"
                        break
    except FileNotFoundError:
        return  # somebody has removed it meanwhile
    except (ValueError, TypeError, OSError, RecursionError) as exc:
        yield f"{path.name}: {exc}"


def _table(file: BufferedReader, size: int) -> tuple[Contents, int]:
    """
    Return the table of contents of a file, and where its arrays begin.

    Raises:
        ValueError: it is none of ours, of another version, cut short or altered.

    """
    head = file.read(_HEAD.size)
    if len(head) < _HEAD.size or head[: len(_MAGIC)] != _MAGIC:
        raise ValueError("it is no index of a bank")
    _, version, length, expected = _HEAD.unpack(head)
    if version != VERSION or sys.byteorder != "little":
        raise ValueError(f"it is of version {version}, and this is {VERSION}")
    # A false length shall not have us take that much memory.
    table = file.read(length) if length <= size else b""
    if checksum(np.frombuffer(table, np.uint8)) != expected:
        raise ValueError("the checksum of its table of contents does not match")
    contents = msgspec.json.decode(table, type=Contents)
    start = _first_page(length)
    for one in contents.sections:
        if one.offset < 0 or min(one.shape, default=0) < 0:
            raise ValueError(f"{one.name} is at no place, or of no size")
        if start + one.offset + _whole_pages(one.nbytes) > size:
            raise ValueError("it was cut short")
    return contents, start


def _checksums(raw: NDArray[np.uint8]) -> tuple[int, ...]:
    return tuple(checksum(raw[at : at + _CHECKED]) for at in range(0, len(raw), _CHECKED))


def _first_page(length: int) -> int:
    return _whole_pages(_HEAD.size + length)


def _whole_pages(nbytes: int) -> int:
    return -(-nbytes // _PAGE) * _PAGE


def _bytes(array: NDArray[Any]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)
