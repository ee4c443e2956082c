"""Upkeep of a store's file: its size, a check, a copy, and no trace of what was removed."""

from __future__ import annotations

import math
import secrets
import sqlite3
import struct
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeVar

from hippocampus.core.budget import check_budget, without_budget
from hippocampus.core.files import (
    COMPANIONS,
    Patch,
    RawFile,
    ReadAt,
    patching,
    reading_raw,
    sweep,
    writing,
)
from hippocampus.core.records import Kind, Progress
from hippocampus.core.system import CAN_WRITE_AT
from hippocampus.errors import ErasurePending, StoreCorrupt, StoreError, StoreFull
from hippocampus.store import schema
from hippocampus.store.checksums import damaged
from hippocampus.store.database import Row
from hippocampus.store.index_files import IndexFiles
from hippocampus.store.opening import beside
from hippocampus.store.row_checks import RowChecks, Tables
from hippocampus.store.schema_comparison import compare
from hippocampus.store.seam import Seam
from hippocampus.store.transactions import Transactions
from hippocampus.store.unused_bytes import MOST_PAGES, left_over, places_of_suspects

_Found = TypeVar("_Found")
_OWED = "scrub"
"""The setting that says that removed bytes may still be in the files."""
_LOOKED_AT_ONCE = 1024
"""Pages that are read at once, while others write: 4 MB by default. Chosen by hand."""
_ZEROED_AT_ONCE = 128
"""Pages that are written while nobody else may write: some milliseconds."""
_DROPPED_AT_ONCE: Mapping[str, tuple[str, int]] = {
    "episodes": ("row", 2048), "requests": ("key", 2048), "journal": ("seq", 2048),
    "tail": ("rowid", 2048), "blocks": ("rowid", 4),
}  # fmt: skip
"""Rows of a dropped bank that are removed in one transaction, and what tells them apart: a block
may be as long as thousands of other rows. With these, deleting a bank of 20 000 holds others up for
45 ms at most (docs/adr/0044)."""
_ON_THE_WAY_S = 0.2
"""Most seconds for which whoever opens or closes a store removes rows that others have left."""
_GAP_S = 0.002
"""Pause between two such transactions, in which who waits to write gets its turn."""
_TRIES = 100
"""Times that others may write in the moment between emptying the log and taking the lock. Chosen by
hand."""
_BACKUP_PAGES = 1024
"""Pages copied between two calls of a backup's progress: 4 MB by default. Chosen by hand."""


class SqliteUpkeep:
    """Upkeep of the file; see ``StoreUpkeep``."""

    def __init__(self, db: Transactions, tables: Tables, index_files: IndexFiles) -> None:
        self._db = db
        self._index_files = index_files
        self._connections = db.connections
        self._tables = tables
        self._rows = RowChecks(db, tables)

    def stored_bytes(self, bank: int) -> dict[str, int]:
        return self._rows.stored_bytes(bank)

    def owe_scrub(self, bank: int | None = None) -> None:  # noqa: ARG002 - it is of the file
        self._tables.settings.put(_OWED, secrets.token_hex(8))  # each erasure's own

    def owe_drop(self, bank: int) -> None:
        self._tables.banks.hide(bank)
        self.owe_scrub(bank)

    def owes_scrub(self) -> bool:
        return self._tables.settings.has(_OWED)

    @without_budget()  # whoever erased has acknowledged it, and what is left over belongs to all
    def scrub(self, *, wait: bool = True, shrink: bool = False) -> None:
        self._db.outside("scrub")
        self._connections.writable()
        if self._connections.file is not None:
            sweep(self._connections.file.parent)
            self._index_files.sweep()
        file, owed = self._connections.file, self._tables.settings.get(_OWED)
        left = self._remove_dropped(wait=wait)
        try:
            if shrink or file is None or not self._can_zero():
                with self._db.gate, self._connections.seam, self._waiting(wait=wait) as db:
                    db.execute("VACUUM")  # which moves every row to a new place
                    self._db.commits += 1
            else:
                self._zero_unused(file, wait=wait)
            with self._db.gate, self._connections.seam, self._waiting(wait=wait) as db:
                self._empty_log(db)
        except OSError as exc:  # StoreLocked and StoreFull are some
            if owed is None:  # nothing was erased: the file was to get smaller
                raise
            # What else such an error says is of a write that was rolled back: this one was not.
            reason = str(exc).removeprefix(f"{getattr(exc, 'path', '')}: ").partition("; ")[0]
            raise self._pending(reason, full=isinstance(exc, StoreFull)) from exc
        if left is not None:
            raise self._pending(left, "a bank that was deleted is in no list") from None
        if owed is not None:
            with self._db.write():
                # Another mark is of an erasure that came meanwhile, and is to be finished itself.
                if self._tables.settings.get(_OWED) == owed:
                    self._tables.settings.put(_OWED, None)

    def _remove_dropped(self, *, wait: bool) -> str | None:
        """
        Remove the rows of banks that are gone, few in each transaction: all wait for it.

        Returns why some are left, if they are. Who does not ``wait`` has other things to do, and
        leaves what is much to whoever comes next.
        """
        until, left = time.monotonic() + (math.inf if wait else _ON_THE_WAY_S), None
        for bank in self._tables.banks.dropped():
            before: tuple[str, list[Row]] | None = None
            try:
                while (removed := self._removes_some(bank, wait=wait)) is not None:
                    if removed == before:  # an index names rows that are in no table
                        told = damaged(f"table {removed[0]!r} where bank {bank} was")
                        raise self._connections.refuse(StoreCorrupt, told)
                    if time.monotonic() > until:
                        return "there is more of it than is removed on the way"
                    before = removed
                    time.sleep(_GAP_S)
            except StoreError as exc:  # one that is damaged keeps nobody else from erasing
                left = str(exc)
        return left

    def _removes_some(self, bank: int, *, wait: bool) -> tuple[str, list[Row]] | None:
        """
        Remove some rows of a bank that is gone; return of which table, and their keys.

        None once that was the last of it.
        """
        with self._db.gate, self._waiting(wait=wait), self._db.write():
            if not self._tables.banks.is_dropped(bank):  # somebody else has ended it
                return None
            for table, (key, most) in _DROPPED_AT_ONCE.items():
                some = f"SELECT {key} FROM {table} WHERE bank = ? LIMIT {most}"  # noqa: S608
                found = self._db.rows(some, bank)
                if found:
                    sql = f"DELETE FROM {table} WHERE bank = ? AND {key} = ?"  # noqa: S608
                    self._db.do_many(sql, ((bank, one) for (one,) in found))
                    return table, found
            self._tables.banks.drop(bank)
        return None

    def _can_zero(self) -> bool:
        """Return whether unused bytes can be zeroed in place; SQLite may move pages whole."""
        moves = int(self._db.rows("PRAGMA auto_vacuum")[0][0])
        return CAN_WRITE_AT and not moves and self._page_count() < MOST_PAGES

    def _page_count(self) -> int:
        return int(self._db.rows("PRAGMA page_count")[0][0])

    def _empty_log(self, db: sqlite3.Connection) -> None:
        """Bring the write-ahead log's pages into the file, and leave nothing in it."""
        if db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            raise self._pending("another process reads an older state of it")

    def _zero_unused(self, file: Path, *, wait: bool) -> None:
        """
        Zero the unused bytes of pages, some pages at a time, and let others write in between.

        ``secure_delete`` has zeroed what was removed where it was last, but not the old places of
        rows that have moved. Pages are looked at while others write: what was removed is in no row
        any more, so a page that has nothing left over from it will have nothing.
        """
        with patching(file) as patch:
            free = self._alone(partial(self._free, patch), wait=wait)
            suspects = self._suspects(patch, free)
            while pages := list(islice(suspects, _ZEROED_AT_ONCE)):
                self._alone(partial(self._zero_pages, patch, pages), wait=wait)

    def _alone(self, do: Callable[[sqlite3.Connection], _Found], *, wait: bool) -> _Found:
        """
        Return the result of an act that is done while nobody else may write to the file.

        Not to the log, for the lock to write is taken; nor from the log into the file, for the log
        is empty.
        """
        assert self._connections.file is not None, "it is a file's pages that are asked for"
        log = beside(self._connections.file, "-wal")
        for _ in range(_TRIES):
            with self._db.gate, self._connections.apart() as db:
                if not wait:
                    db.execute("PRAGMA busy_timeout = 0")
                self._empty_log(db)
                db.execute("BEGIN IMMEDIATE")
                if not log.exists() or not log.stat().st_size:
                    found = do(db)
                    db.execute("COMMIT")
                    return found
                db.execute("COMMIT")
        raise self._pending("others write without a pause")

    def _free(self, patch: Patch, db: sqlite3.Connection) -> set[int]:
        """
        Return the numbers of free pages; of a list that is damaged, none.

        It commits, so that nobody's cache has pages as they were before a scrub that was cut off
        between zeroing and its commit.
        """
        db.execute(f"PRAGMA user_version = {schema.FORMAT}")
        (size,) = db.execute("PRAGMA page_size").fetchone()
        return _free_pages(patch.read, size) or set()

    def _suspects(self, patch: Patch, free: set[int]) -> Iterator[int]:
        """Yield the numbers of pages where unused bytes are not zero; the first has the schema."""
        size, count = int(self._db.rows("PRAGMA page_size")[0][0]), self._page_count()
        for first in range(1, count + 1, _LOOKED_AT_ONCE):
            pages = patch.read((first - 1) * size, _LOOKED_AT_ONCE * size)
            found = {first + place for place in places_of_suspects(pages, size)}
            for number in free.intersection(range(first, first + len(pages) // size)):
                at = (number - first) * size
                if not pages.startswith(bytes(size), at):
                    found.add(number)
            yield from sorted(found - {1})

    def _zero_pages(self, patch: Patch, pages: Sequence[int], db: sqlite3.Connection) -> None:
        """
        Zero the unused bytes of some pages.

        Others may have the old bytes in their caches, and would write them again with their next
        change of the page: they empty their caches when they see a commit of another connection, so
        there is one.
        """
        (size,) = db.execute("PRAGMA page_size").fetchone()
        free, found = _free_pages(patch.read, size) or set(), False
        for number in pages:
            at = (number - 1) * size
            page = patch.read(at, size)
            if len(page) < size:  # the file was made smaller meanwhile
                continue
            for begin, end in _unused(page, free=number in free):
                patch.zero(at + begin, end - begin)
                found = True
        if found:
            patch.sync()
            db.execute(f"PRAGMA user_version = {schema.FORMAT}")  # as it is: a change to commit

    def _waiting(self, *, wait: bool) -> AbstractContextManager[sqlite3.Connection]:
        """Give the writing connection, which waits for other processes or does not."""
        return self._connections.waiting(self._connections.busy_timeout_s if wait else 0.0)

    def _pending(
        self,
        reason: str,
        done: str = "what was erased is out of every table",
        *,
        full: bool = False,
    ) -> StoreError:
        to_do = "Free some space; nothing else" if full else "Nothing"
        return self._connections.refuse(
            ErasurePending,
            f"{done}, but its bytes may still be in the file or in its -wal: {reason}. {to_do} is"
            " to be done: the next erasure, opening or closing of the store finishes it",
        )

    def leftovers(self) -> list[str]:
        self._db.outside("leftovers")
        file = self._connections.file
        if file is None:
            return []
        advice = "may still hold what was removed; run scrub() when no other process reads"
        wrong = [f"an erasure waits to be finished; {file.name} {advice}"] * self.owes_scrub()
        if not self._connections.read_only:
            with self._db.gate, self._connections.seam:
                self._connections.usable()
                # What a log has not yet brought into the file is nothing left over.
                self._connections.open_writer().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        log = beside(file, "-wal")
        if log.exists() and log.stat().st_size > 0:
            wrong.append(f"{log.name} {advice}")
        size = int(self._db.rows("PRAGMA page_size")[0][0])
        with reading_raw(file) as read_at:
            free = _free_pages(read_at, size)
            used = [page for page in free or () if any(_page(read_at, page, size))]
        if free is None:
            wrong.append(f"the list of free pages of {file.name} is damaged; they {advice}")
        if used:
            wrong.append(f"{len(used)} free pages of {file.name}, the first {min(used)}, {advice}")
        return wrong

    def damage(self, bank: int, kind: str | None = None, row: int | None = None) -> list[str]:
        return self._db.damage.of(bank, kind, row)

    def note_damage(self, bank: int, kind: Kind, first: int, message: str) -> None:
        self._db.damage.note(bank, kind, first, message)

    def check(self, bank: int | None = None) -> list[str]:
        wrong: list[str] = []
        try:
            with self._db.read():
                if bank is not None:
                    return self._rows.check(bank)
                found = [text for (text,) in self._db.rows("PRAGMA integrity_check")]
                wrong += [f"SQLite: {text}" for text in found if text != "ok"]
                with self._db.reader() as db, self._connections.seam:
                    differences = compare(db, schema.MIGRATIONS)
                wrong += [f"schema: {text}" for text in differences.told()]
                for table, _, parent, _ in self._db.rows("PRAGMA foreign_key_check"):
                    wrong.append(f"table {table}: a row belongs to none of the {parent}")
                wrong += self._rows.check()
        except StoreCorrupt as exc:  # damage that keeps us from looking further
            wrong.append(str(exc))
        return wrong

    def backup(
        self, target: Path, *, overwrite: bool = False, progress: Progress | None = None
    ) -> None:
        self._db.outside("backup")
        if not self._connections.read_only:
            self._remove_dropped(wait=True)  # or the copy would have what is gone
        # One snapshot: without it a commit in between would make the copy begin again.
        with (
            writing(target, overwrite=overwrite) as whole,
            self._db.read(),
            self._db.reader() as source,
            Seam(str(target)),
        ):
            copy = sqlite3.connect(whole, isolation_level=None)
            try:
                source.backup(copy, pages=_BACKUP_PAGES, progress=_reporting(progress))
                copy.execute("PRAGMA journal_mode = DELETE")  # one file, readable anywhere
            finally:
                copy.close()

    def files(self) -> list[Path]:
        if self._connections.file is None:
            return []
        named = [beside(self._connections.file, end) for end in ("", *COMPANIONS)]
        named += [one.path for one in self._index_files.every()]
        return [file for file in named if file.exists()]

    def server_files(self) -> tuple[list[RawFile], list[str]]:
        return [], []


def _unused(page: bytes, *, free: bool) -> Iterator[tuple[int, int]]:
    """Yield the spans of a page, (start, end), that are unused and not zero."""
    if not free:
        yield from left_over(page)
    elif any(page):
        yield 0, len(page)


def _page(read_at: ReadAt, number: int, size: int) -> bytes:
    return read_at((number - 1) * size, size)


def _free_pages(read_at: ReadAt, size: int) -> set[int] | None:
    """
    Return the pages on the free list but for the list's own, or None if it is no list.

    Ref: sqlite.org/fileformat2, 1.5.
    """
    trunk, total = struct.unpack_from(">II", _page(read_at, 1, size), 32)
    trunks, found = set[int](), set[int]()
    while trunk and trunk not in trunks:  # a damaged list may lead back
        trunks.add(trunk)
        page = _page(read_at, trunk, size)
        if len(page) < size:
            return None
        trunk, count, *leaves = struct.unpack(f">{size // 4}I", page)
        found |= set(leaves[:count])
    return found if not trunk and len(trunks) + len(found) == total else None


def _reporting(progress: Progress | None) -> Callable[[int, int, int], None]:
    def report(_: int, remaining: int, total: int) -> None:
        check_budget()
        if progress is not None:
            progress(total - remaining, total)

    return report
