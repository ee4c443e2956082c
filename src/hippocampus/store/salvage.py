"""Reading a damaged store as far as it can be read: row by row, around what cannot."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Self

from hippocampus.core.cipher import KEY_BYTES, PLAIN, STORE, Cipher, Unsealable
from hippocampus.core.events import JournalRow
from hippocampus.core.key import Key
from hippocampus.core.records import STORED_NAMES, Block, EpisodeRow
from hippocampus.errors import NotAStore, StoreCorrupt, StoreError
from hippocampus.store import schema
from hippocampus.store.banks import DROPPED, STAGED
from hippocampus.store.blocks import unseal
from hippocampus.store.checksums import change_checksum, holds, payload_checksum, row_checksum
from hippocampus.store.damaged_header import is_sound, mended_copy
from hippocampus.store.database import Row
from hippocampus.store.encryption import open_header
from hippocampus.store.opening import READER_PRAGMAS, connect
from hippocampus.store.schema_comparison import (
    compare,
    format_of,
    is_plain_table,
    read_objects,
)
from hippocampus.store.sealing import open_change, open_episode, payload_place
from hippocampus.store.seam import Seam
from hippocampus.store.settings import HEADER, key_of

# Else SQLite refuses a file, whole, of which one table's definition or last page is damaged.
_PRAGMAS: Final = ("PRAGMA writable_schema = ON", *READER_PRAGMAS)
_UNREADABLE: Final = frozenset(
    {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
)
"""Results of SQLite for a file whose header is none, or says what cannot be."""
_AT_ONCE: Final = 4096
"""Keys asked for in one query, until one fails."""
_ROWID: Final = "rowid"
"""SQLite's own key of a table's rows."""
_QUERIES: Final = 4096
"""Queries by which a table is read, about: the number of its last row may be damaged."""
_MOST: Final = 1 << 31
"""A number that no bank reaches, and no row of one."""
_APART: Final = 8
"""Keys between two that are tried where nothing can be read so far: a page has as many, at least,
unless its rows are long. Chosen by hand."""
_MOST_VOID: Final = 2
"""Runs of ``_AT_ONCE`` keys in which nothing can be read, after which the rest is given up."""
_MOST_UNREAD: Final = 1 << 14
"""Numbers of banks, one after the other, of which nothing can be read, likewise."""
_MOST_FAILED: Final = 100_000
"""Reads of one table that may fail before the rest of it is given up. Chosen by hand."""
_CHECKED: Final = 5
"""The format since which rows have checksums; of earlier ones what can be read is believed."""


def _connect(path: Path) -> sqlite3.Connection | None:
    """Return a connection to a store; None if SQLite reads no table of ours there."""
    db: sqlite3.Connection | None = None
    try:
        db = connect(f"{path.as_uri()}?mode=ro", _PRAGMAS, timeout_s=5, tracer=None)
        db.text_factory = schema.readable
        known = {name for kind, name, _ in read_objects(db) if kind == "table"}
        if not known.isdisjoint(schema.BANKED):
            return db
    except sqlite3.DatabaseError as exc:
        if exc.sqlite_errorcode & 0xFF not in _UNREADABLE:
            raise
    if db is not None:
        db.close()
    return None


class DamagedStore:
    """
    The rows of a store that are sound, with no more than one table of one bank open at a time.

    Nothing is written. ``lost`` says, after each method, what it could not read.

    Raises:
        StoreError: there is no such store, or one of a format before 4: open it once for writing.
        StoreEncrypted: it is encrypted, and there is no key.
        WrongKey: the key does not open it.
        StoreCorrupt: not even its tables can be told, or it is encrypted and its header is gone.

    """

    def __init__(self, path: Path, *, key: Key | None = None) -> None:
        path = path.absolute()
        self.path = path
        self.lost: list[str] = []
        self._failed = 0
        self._lacking: dict[str, bool] = {}
        """Whether the index by which a table is read lacks some of its rows."""
        self._open_parts = ExitStack()
        if not path.exists():
            raise StoreError("there is no such store to salvage", path=path)
        with ExitStack() as opening:
            with Seam(str(path)):
                self._db = self._open(path, opening)
                self._format = format_of(self._db, schema.read_format(self._db)[1])
            self._check_format()
            with Seam(str(path)):
                self._tables = self._plain_tables(schema.MIGRATIONS[: self._format])
                encrypted = self._is_encrypted()
            self._ciphers: dict[int, Cipher] = {}
            self._master = self._unlocked(key) if encrypted else PLAIN
            self._open_parts = opening.pop_all()

    def _check_format(self) -> None:
        if self._format < _CHECKED - 1:
            msg = f"format {self._format} is too old to be salvaged; open it once for writing"
            raise StoreError(msg, path=self.path)

    def _open(self, path: Path, opening: ExitStack) -> sqlite3.Connection:
        """Return a connection to the file, or to a copy of which the header is mended."""
        db = _connect(path) if path.is_file() and is_sound(path) else None
        if db is None and path.is_file():
            folder = opening.enter_context(TemporaryDirectory())
            copy = mended_copy(path, Path(folder))
            db = _connect(copy) if copy is not None else None
            self.lost.append("what the header of the file said; its tables tell what it holds")
        if db is None:
            raise NotAStore("is not a hippocampus store; choose another path", path=path)
        opening.callback(db.close)
        return db

    def _is_encrypted(self) -> bool:
        """
        Return whether words are sealed, by the settings: the mark of the file may be damaged.

        Where they cannot be read the mark is believed: what is sealed is not to be taken for words.
        """
        keys = "SELECT 1 FROM settings WHERE key = ? OR key GLOB ? LIMIT 1"
        found = (
            self._read(keys, HEADER, f"{key_of(0)[:-1]}*") if "settings" in self._tables else None
        )
        if found is None:
            return schema.read_format(self._db)[0] == schema.ENCRYPTED_ID
        return bool(found)

    def _plain_tables(self, migrations: Sequence[schema.Migration]) -> frozenset[str]:
        """
        Return the names of the tables that are read, and note where the schema is not a store's.

        What a table holds can be read whatever rules it was given for writing. A view, or a table
        whose values are computed, holds nothing: it would run what somebody else has written.
        """
        found = compare(self._db, migrations)  # without an index of ours nothing is lost
        self.lost += [f"schema: {one}, which no store has" for one in found.foreign]
        self.lost += [f"schema: {difference}" for difference in found.changed]
        return frozenset(
            name for kind, name, sql in read_objects(self._db) if is_plain_table(kind, sql)
        )

    def _unlocked(self, key: Key | None) -> Cipher:
        """Return the cipher that opens the keys of banks."""
        header = self._setting(HEADER)
        if header is None:
            msg = "its header is damaged, without which nothing of an encrypted store can be read"
            raise StoreCorrupt(msg, path=self.path)
        return Cipher(open_header(key, header, lambda kind, message: kind(message, path=self.path)))

    def _cipher(self, bank: int) -> Cipher:
        """Return the cipher of a bank; where its key is lost, one that opens nothing."""
        if not self._master.seals:
            return PLAIN
        if bank not in self._ciphers:
            opened = b""  # as one that is missing is unsealed
            with suppress(Unsealable, ValueError):
                wrapped = bytes.fromhex(self._setting(key_of(bank)) or "")
                opened = self._master.unseal(key_of(bank), wrapped)
            if not opened:
                opened = os.urandom(KEY_BYTES)
                self.lost.append(f"the key of bank {bank}, and with it every word there")
            self._ciphers[bank] = Cipher(opened)
        return self._ciphers[bank]

    def _setting(self, name: str) -> str | None:
        """Return a setting that is sound, as it stands in the file."""
        if "settings" not in self._tables:
            return None
        for value, mark in self._every("SELECT value, checksum FROM settings WHERE key = ?", name):
            if holds(mark, row_checksum("settings", values=(name, value))):
                return str(value)
        return None

    def settings(self, names: Iterable[str]) -> dict[str, str | None]:
        """Return settings by name: None for what is damaged, nothing of what is not there."""
        told: dict[str, str | None] = {}
        more = ", checksum" if self._format >= _CHECKED else ""
        sql = f"SELECT value{more} FROM settings WHERE key = ?"  # noqa: S608 - our own names
        for name in names:
            found = self._read(sql, name) if "settings" in self._tables else None
            for value, *mark in [(None,)] if found is None else found:
                whole = self._passes(mark, row_checksum("settings", values=(name, value)))
                told[name] = self._opened(STORE, name, value) if whole else None
        return told

    def close(self) -> None:
        """Release the file, and the copy of it."""
        self._open_parts.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def banks(self) -> list[tuple[int, str]]:
        """Return the banks by number and name; a bank whose row is damaged by a name made up."""
        named: dict[int, str] = {}
        for number, name, at, *mark in self._walk("banks", "bank, name, at", "bank", ()):
            checksum = row_checksum("banks", number, values=(name, at))
            opened = self._opened(STORE, "bank", name) if self._passes(mark, checksum) else None
            if opened is not None:
                named[number] = opened
            else:
                self.lost.append(f"the name of bank {number}, perhaps {name!r}")
        # The row of a bank may be lost where its episodes and changes are not.
        taken = {*named.values()}
        for table, key in (("episodes", "row"), ("journal", "seq")):
            for number in self._numbers(table, key) if table in self._tables else ():
                if number not in named:
                    named[number] = _made_up(number, taken)
        for number in [one for one, name in named.items() if name.startswith(STAGED)]:
            name = named.pop(number).removeprefix(STAGED)
            self.lost.append(f"a copy of bank {name!r} that was cut off: 'hippocampus move' again")
        return sorted(one for one in named.items() if not one[1].startswith(DROPPED))

    def _numbers(self, table: str, key: str) -> Iterator[int]:
        """Yield the banks that have rows in a table, around pages that cannot be read."""
        # Step by step through its key: one query for all would end at the first such page.
        after = f"SELECT bank FROM {table} WHERE bank > ? ORDER BY bank, {key} LIMIT 1"  # noqa: S608
        last = f"SELECT bank FROM {table} WHERE bank = ? ORDER BY {key} DESC LIMIT 1"  # noqa: S608
        number = failed = 0
        while failed < _MOST_UNREAD and number < _MOST:
            found = self._read(after, number)
            failed = 0 if found else failed + 1
            if found is None:  # where the next one begins; it may go on where it can be read
                number += 1
                found = self._every(last, number)
            elif not found or not isinstance(found[0][0], int):
                return
            for (number,) in found:
                yield number

    def episodes(self, bank: int) -> dict[int, EpisodeRow | str | None]:
        """Return episodes by row; of a damaged one its id, if there is one, or None."""
        found: dict[int, EpisodeRow | str | None] = {}
        columns = ", ".join(STORED_NAMES.values())
        for stored in self._walk("episodes", columns, "row", (bank,)):
            fields, mark = stored[: len(EpisodeRow._fields)], stored[len(EpisodeRow._fields) :]
            episode: EpisodeRow = tuple.__new__(EpisodeRow, fields)
            if self._passes(mark, row_checksum("episodes", bank, values=episode)):
                opened = open_episode(self._cipher(bank), episode)
                if opened is not None:
                    found[episode.row] = opened
                    continue
            if isinstance(episode.row, int):
                found[episode.row] = self._opened(bank, "id", episode.id)
        return found

    def journal(self, bank: int) -> dict[int, JournalRow]:
        """Return the changes of a bank that are sound, by number."""
        found: dict[int, JournalRow] = {}
        columns = ", ".join(JournalRow._fields)
        for stored in self._walk("journal", columns, "seq", (bank,), "salt, "):
            change: JournalRow = tuple.__new__(JournalRow, stored[:5])
            salt, *mark = stored[5:] or (b"",)
            whole = self._passes(mark, change_checksum(change, salt))
            opened = open_change(self._cipher(bank), change) if whole else None
            if opened is None:
                self.lost.append(f"change {change.seq} of bank {bank}")
            else:
                found[change.seq] = opened
        return found

    def texts(self, bank: int) -> Iterator[dict[int, bytes] | Block]:
        """Yield the texts of a bank: those of the tail by row, then each block of others."""
        tail: dict[int, bytes] = {}
        for key in self._keys_of("tail", "row"):
            tail |= dict(self._tail(bank, key))
        yield tail
        known = set[int]()
        for key in self._keys_of("blocks", "first"):
            for block in self._blocks(bank, key):
                if block.first not in known:
                    known.add(block.first)
                    yield block

    def _keys_of(self, table: str, key: str) -> tuple[str, ...]:
        """
        Return the keys by which a table is read: its own, or that of its rows as well.

        Its own is kept in an index, of which a page may be damaged where none of the table is.
        """
        if table not in self._lacking:
            # The first is counted by the index, the second in the table.
            by_index, there = (
                self._read(f"SELECT COUNT({one}) FROM {table}")  # noqa: S608 - our own names
                for one in ("bank", "payload")
            )
            self._lacking[table] = by_index is None or there is None or by_index != there
        return (key, _ROWID) if self._lacking[table] else (key,)

    def _tail(self, bank: int, key: str) -> Iterator[tuple[int, bytes]]:
        """Yield the sound texts of the tail by row."""
        for row, payload, *mark in self._walk("tail", "row, payload", key, (bank, "content")):
            whole = isinstance(payload, bytes)
            if whole and self._passes(mark, payload_checksum(bank, "content", row, payload)):
                with suppress(Unsealable):
                    place = payload_place("content", row)
                    yield row, self._cipher(bank).unseal(place, payload)

    def _blocks(self, bank: int, key: str) -> Iterator[Block]:
        """Yield the sound blocks of texts."""
        columns, where = "first, count, payload, checksum", (bank, "content")
        for first, count, payload, mark in self._walk("blocks", columns, key, where, checked=False):
            try:
                block = unseal(bank, "content", first, count, payload, mark, path=str(self.path))
                place = payload_place("content", first, count)
                opened = self._cipher(bank).unseal(place, block.payload)
            except (StoreCorrupt, TypeError, Unsealable) as exc:
                self.lost.append(str(exc))
            else:
                yield Block(block.first, block.count, opened)

    def _opened(self, bank: int, place: str, sealed: object) -> str | None:
        """Return a text that was sealed; None if it is none or does not open."""
        try:
            return (
                self._cipher(bank).unseal_text(place, sealed) if isinstance(sealed, str) else None
            )
        except Unsealable:
            return None

    def _passes(self, mark: list[object] | tuple[object, ...], checksum: bytes | None) -> bool:
        """Return whether a row has its checksum, or is of a format without them."""
        return holds(mark[0], checksum) if mark else checksum is not None

    def _walk(
        self,
        table: str,
        columns: str,
        key: str,
        where: tuple[object, ...],
        salt: str = "",
        *,
        checked: bool = True,
    ) -> Iterator[Row]:
        """Yield rows in the order of a key, around pages that cannot be read."""
        if table not in self._tables:
            return
        more = f", {salt}checksum" if checked and self._format >= _CHECKED else ""
        names = ("bank", "kind")[: len(where)]
        # With a plus in front it is not looked up in an index.
        plus = "+" if key == _ROWID else ""
        rule = "".join(f"{plus}{name} = ? AND " for name in names)
        sql = (
            f"SELECT {columns}{more} FROM {table}"  # noqa: S608
            f" WHERE {rule}{key} >= ? AND {key} < ? ORDER BY {key}"
        )
        self._failed = 0
        last = self._every(f"SELECT MAX({key}) FROM {table} WHERE {rule}1", *where)  # noqa: S608
        known = last[0][0] if last and isinstance(last[0][0], int) else None
        if last and last[0][0] is None:
            return
        read = partial(self._read, sql, *where)
        if known is None:
            first = f"SELECT {key} FROM {table} WHERE {rule}{key} >= ? ORDER BY {key} LIMIT 1"  # noqa: S608
            yield from self._without_end(read, partial(self._read, first, *where))
        end = 0 if known is None else min(known + 1, _MOST)
        step = max(_AT_ONCE, end // _QUERIES)
        for low in range(0, end, step):
            yield from self._between(read, low, min(low + step, end))
        whose = f" of bank {where[0]}" if where else ""
        if known is not None and known >= _MOST:
            self.lost.append(f"rows of the table {table!r}{whose} whose numbers cannot be")
        if self._failed:
            self.lost.append(f"what was on damaged pages of the table {table!r}{whose}")

    def _without_end(
        self,
        read: Callable[[int, int], list[Row] | None],
        begins: Callable[[int], list[Row] | None],
    ) -> Iterator[Row]:
        """
        Yield the rows that can be read of a table whose last key cannot be.

        Args:
            read: returns the rows between two keys.
            begins: returns the first key from one on.

        """
        low = void = 0
        # Behind the last row there is no end of keys, none of which can be read.
        while void < _MOST_VOID and low < _MOST:
            found = begins(low)
            if found is not None:
                if not found or not isinstance(found[0][0], int):
                    return
                low = found[0][0]
            high = min(low + _AT_ONCE, _MOST)
            if found is None and all(read(at, at + 1) is None for at in range(low, high, _APART)):
                self._failed += 1
                void += 1
            else:
                void = 0
                yield from self._between(read, low, high)
            low = high

    def _between(
        self, read: Callable[[int, int], list[Row] | None], low: int, high: int
    ) -> Iterator[Row]:
        """Yield the rows that can be read between two keys, halving ranges that cannot."""
        rows = read(low, high)
        if rows is not None:
            yield from rows
            return
        self._failed += 1  # where a table's first page is damaged nothing can be read, ever
        if high - low > 1 and self._failed < _MOST_FAILED:
            middle = (low + high) // 2
            yield from self._between(read, low, middle)
            yield from self._between(read, middle, high)

    def _every(self, sql: str, *values: object) -> list[Row]:
        return self._read(sql, *values) or []

    def _read(self, sql: str, *values: object) -> list[Row] | None:
        """Return the rows of a query; None if it meets a page that is damaged."""
        try:
            return self._db.execute(sql, values).fetchall()
        except (sqlite3.DatabaseError, UnicodeDecodeError):  # the latter quotes a damaged schema
            return None


def _made_up(number: int, taken: Collection[str]) -> str:
    """Return a name for a bank that no other has: one that was salvaged before may."""
    name = f"salvaged-{number}"
    while name in taken:
        name += "-again"
    return name
