"""
A store in one SQLite file.

Two connections: one writes, one reads, so a reader never waits for a long write. WAL, with a
flush to disk at every commit: what is acknowledged is durable. ``secure_delete`` overwrites what
is removed. Foreign exceptions leave through one door, ``_translated``.
"""

from __future__ import annotations

import os
import sqlite3
import struct
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from hippocampus.errors import (
    NotAStore,
    StoreClosed,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreLocked,
    StoreReadOnly,
    StoreTooNew,
)
from hippocampus.model import Block, EpisodeRow, JournalRow, Kind, Progress, State
from hippocampus.store.schema import APPLICATION_ID, FORMAT, migrate

_MAGIC: Final = b"HPB1"
_HEAD: Final = struct.Struct("<4sI16s")  # magic, bytes that follow, their checksum
_CHUNK: Final = 500  # values in one IN (...) list; SQLite takes at least 999
_COLUMNS: Final = ", ".join(EpisodeRow._fields)
_PAGES_A_STEP: Final = 2048

_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE}
_READ_ONLY = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


class SqliteStore:
    """The ``Store`` protocol over ``sqlite3``. Safe to share between threads, not across fork."""

    def __init__(
        self,
        path: str | Path,
        *,
        busy_timeout_s: float = 10.0,
        read_only: bool = False,
        create: bool = True,
        tracer: Callable[[str], None] | None = None,
    ) -> None:
        self._path = str(path)
        self._in_memory = self._path == ":memory:"
        self._timeout = busy_timeout_s
        self._read_only = read_only
        self._tracer = tracer
        self._closed = False
        self._pid = os.getpid()
        self._write_lock = threading.RLock()
        self._read_lock = self._write_lock if self._in_memory else threading.RLock()
        self._depth = 0
        self._read_depth = 0
        self._commits = 0
        with self._translated():
            fresh = self._inspect(create=create)
            self._writer = self._connect()
            try:
                if not read_only:
                    self._prepare(fresh=fresh)
                self._reader = self._writer if self._in_memory else self._connect()
            except BaseException:
                self._writer.close()
                raise

    # ------------------------------------------------------------ opening and closing

    @property
    def path(self) -> str:
        return self._path

    def _inspect(self, *, create: bool) -> bool:
        """Look at what is there before touching it; whether it is a new store."""
        if self._in_memory:
            return True
        file = Path(self._path)
        if file.is_dir():
            raise NotAStore("is a folder; give the name of a file", path=self._path)
        if not file.exists() or file.stat().st_size == 0:
            if self._read_only or not create:
                raise StoreError(
                    "does not exist; open it without create=False or read_only to make it",
                    path=self._path,
                )
            if not file.absolute().parent.is_dir():
                raise StoreError(
                    f"its folder {file.absolute().parent} does not exist; make the folder first",
                    path=self._path,
                )
            return True
        with file.open("rb") as raw:
            head = raw.read(100)
        if len(head) < 100 or not head.startswith(b"SQLite format 3\x00"):
            raise NotAStore("is not a hippocampus store; it was left as it is", path=self._path)
        found, application = struct.unpack(">I4xI", head[60:72])
        if application != APPLICATION_ID:
            raise NotAStore(
                "is a SQLite database of another program; it was left as it is", path=self._path
            )
        if found > FORMAT:
            raise StoreTooNew(path=self._path, found=found, supported=FORMAT)
        return False

    def _connect(self) -> sqlite3.Connection:
        if self._in_memory:
            target, uri = ":memory:", False
        else:
            mode = "ro" if self._read_only else "rwc"
            target, uri = f"{Path(self._path).absolute().as_uri()}?mode={mode}", True
        connection = sqlite3.connect(
            target,
            timeout=self._timeout,
            isolation_level=None,
            check_same_thread=False,
            uri=uri,
            cached_statements=256,
        )
        if self._tracer is not None:
            connection.set_trace_callback(self._tracer)
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cache_size = -16384")
        return connection

    def _prepare(self, *, fresh: bool) -> None:
        if fresh:
            self._writer.execute("PRAGMA page_size = 8192")
        if not self._in_memory:
            self._writer.execute("PRAGMA journal_mode = WAL")
        self._writer.execute("PRAGMA synchronous = FULL")
        found: int = self._writer.execute("PRAGMA user_version").fetchone()[0]
        if found > FORMAT:
            raise StoreTooNew(path=self._path, found=found, supported=FORMAT)
        if found < FORMAT:
            migrate(self._writer)

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        if os.getpid() != self._pid:
            return  # the parent's connections are not ours to close
        with self._write_lock, self._read_lock:
            if self._reader is not self._writer:
                self._reader.close()
            self._writer.close()

    # ------------------------------------------------------------ errors, in one place

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as exc:
            raise translate(exc, self._path, self._timeout) from exc
        except OSError as exc:
            if isinstance(exc, StoreError):
                raise
            if isinstance(exc, PermissionError):
                raise StoreReadOnly(
                    "cannot be opened by this user; check who owns it", path=self._path
                ) from exc
            raise StoreError(f"cannot be opened: {exc.strerror or exc}", path=self._path) from exc

    def _check_open(self) -> None:
        if self._closed:
            raise StoreClosed("was closed; open a new Memory", path=self._path)
        if os.getpid() != self._pid:
            raise StoreClosed(
                "was opened before a fork; open a new Memory in the child process",
                path=self._path,
            )

    # ------------------------------------------------------------ transactions

    @contextmanager
    def write(self) -> Iterator[None]:
        self._check_open()
        with self._write_lock:
            level = self._depth
            if level == 0 and self._read_only:
                raise StoreReadOnly("was opened with read_only=True", path=self._path)
            begin, commit, undo = (
                ("BEGIN IMMEDIATE", ("COMMIT",), ("ROLLBACK",))
                if level == 0
                else (
                    f"SAVEPOINT level{level}",
                    (f"RELEASE level{level}",),
                    (f"ROLLBACK TO level{level}", f"RELEASE level{level}"),
                )
            )
            with self._translated():
                self._writer.execute(begin)
            self._depth += 1
            try:
                with self._translated():
                    yield
                    for statement in commit:
                        self._writer.execute(statement)
            except BaseException:
                if self._writer.in_transaction:  # a full disk may have rolled back already
                    for statement in undo:
                        self._writer.execute(statement)
                raise
            finally:
                self._depth -= 1
            if level == 0:
                self._commits += 1

    @contextmanager
    def read(self) -> Iterator[None]:
        self._check_open()
        if self._writing_here() or self._in_memory:
            yield
            return
        with self._read_lock:
            if self._read_depth == 0:
                with self._translated():
                    self._reader.execute("BEGIN")
            self._read_depth += 1
            try:
                yield
            finally:
                self._read_depth -= 1
                if self._read_depth == 0 and not self._closed:
                    self._reader.execute("COMMIT")

    def _writing_here(self) -> bool:
        """Whether this thread is inside ``write()``."""
        if not self._depth or not self._write_lock.acquire(blocking=False):
            return False
        try:
            return self._depth > 0
        finally:
            self._write_lock.release()

    def _ask(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        self._check_open()
        if self._writing_here():
            with self._translated():
                return self._writer.execute(sql, values).fetchall()
        with self._read_lock, self._translated():
            return self._reader.execute(sql, values).fetchall()

    def _ask_in(
        self, sql: str, lead: Sequence[Any], values: Collection[Any], *, order: str = ""
    ) -> list[Any]:
        """Ask with an ``IN (…)`` list of any length in the place of ``@``."""
        found: list[Any] = []
        rest = list(values)
        for start in range(0, len(rest), _CHUNK):
            some = rest[start : start + _CHUNK]
            marks = ",".join("?" * len(some))
            found += self._ask(sql.replace("@", f"({marks})") + order, [*lead, *some])
        return found

    def _tell(self, sql: str, values: Sequence[Any] = ()) -> None:
        assert self._depth, "writing methods are called inside write()"
        self._writer.execute(sql, values)

    def _tell_many(self, sql: str, values: Iterable[Sequence[Any]]) -> None:
        assert self._depth, "writing methods are called inside write()"
        self._writer.executemany(sql, values)

    def changes(self) -> int:
        self._check_open()
        if self._in_memory:
            return self._commits
        with self._read_lock, self._translated():
            found: int = self._reader.execute("PRAGMA data_version").fetchone()[0]
            return found

    # ------------------------------------------------------------ settings and banks

    def setting(self, key: str) -> str | None:
        found = self._ask("SELECT value FROM settings WHERE key = ?", (key,))
        return found[0][0] if found else None

    def set_setting(self, key: str, value: str | None) -> None:
        if value is None:
            self._tell("DELETE FROM settings WHERE key = ?", (key,))
        else:
            self._tell("INSERT OR REPLACE INTO settings VALUES (?, ?)", (key, value))

    def bank_names(self) -> list[str]:
        return [name for (name,) in self._ask("SELECT name FROM banks ORDER BY name")]

    def bank_number(self, name: str) -> int | None:
        found = self._ask("SELECT bank FROM banks WHERE name = ?", (name,))
        return found[0][0] if found else None

    def add_bank(self, name: str, at: int) -> int:
        self._tell("INSERT OR IGNORE INTO banks (name, made_at) VALUES (?, ?)", (name, at))
        number = self.bank_number(name)
        assert number is not None, "just added"
        return number

    def drop_bank(self, bank: int) -> None:
        for table in ("journal", "episodes", "tail", "blocks", "banks"):
            self._tell(f"DELETE FROM {table} WHERE bank = ?", (bank,))  # noqa: S608  (our words)

    # ------------------------------------------------------------ journal

    def append(self, bank: int, rows: Iterable[JournalRow]) -> None:
        self._tell_many(
            "INSERT INTO journal (bank, seq, at, kind, row, detail) VALUES (?, ?, ?, ?, ?, ?)",
            ((bank, *row) for row in rows),
        )

    def journal(
        self,
        bank: int,
        *,
        after: int = 0,
        row: int | None = None,
        kinds: Collection[str] | None = None,
        limit: int | None = None,
    ) -> list[JournalRow]:
        sql = "SELECT seq, at, kind, row, detail FROM journal WHERE bank = ? AND seq > ?"
        values: list[Any] = [bank, after]
        if row is not None:
            sql += " AND row = ?"
            values.append(row)
        if kinds is not None:
            sql += f" AND kind IN ({','.join('?' * len(kinds))})"
            values += kinds
        sql += " ORDER BY seq"
        if limit is not None:
            sql += " LIMIT ?"
            values.append(limit)
        return [JournalRow._make(found) for found in self._ask(sql, values)]

    def last_seq(self, bank: int) -> int:
        found = self._ask("SELECT max(seq) FROM journal WHERE bank = ?", (bank,))
        return found[0][0] or 0

    def redact(self, bank: int, rows: Collection[int]) -> None:
        self._tell_many(
            "UPDATE journal SET detail = '{}' WHERE bank = ? AND row = ?",
            ((bank, row) for row in rows),
        )

    # ------------------------------------------------------------ episodes

    def add_episodes(self, bank: int, rows: Iterable[EpisodeRow]) -> None:
        marks = ",".join("?" * (len(EpisodeRow._fields) + 1))
        self._tell_many(
            f"INSERT INTO episodes (bank, {_COLUMNS}) VALUES ({marks})",  # noqa: S608  (our words)
            ((bank, *row) for row in rows),
        )

    def set_state(
        self, bank: int, rows: Collection[int], state: State, *, superseded_by: int | None = None
    ) -> None:
        self._tell_many(
            "UPDATE episodes SET state = ?, superseded_by = ? WHERE bank = ? AND row = ?",
            ((state, superseded_by, bank, row) for row in rows),
        )

    def episode_count(self, bank: int) -> int:
        found = self._ask("SELECT max(row) FROM episodes WHERE bank = ?", (bank,))
        return 0 if found[0][0] is None else found[0][0] + 1

    def episodes(self, bank: int, rows: Collection[int]) -> list[EpisodeRow]:
        found = self._ask_in(
            f"SELECT {_COLUMNS} FROM episodes WHERE bank = ? AND row IN @",  # noqa: S608
            (bank,),
            rows,
        )
        by_row = {record[0]: EpisodeRow._make(record) for record in found}
        return [by_row[row] for row in rows if row in by_row]

    def scan_episodes(self, bank: int, *, start: int = 0) -> Iterator[EpisodeRow]:
        found = self._ask(
            f"SELECT {_COLUMNS} FROM episodes WHERE bank = ? AND row >= ? ORDER BY row",  # noqa: S608
            (bank, start),
        )
        return map(EpisodeRow._make, found)

    def last_of_session(self, bank: int, session: str, limit: int) -> list[EpisodeRow]:
        found = self._ask(
            f"SELECT {_COLUMNS} FROM episodes WHERE bank = ? AND session = ?"  # noqa: S608
            " ORDER BY row DESC LIMIT ?",
            (bank, session, limit),
        )
        return [EpisodeRow._make(record) for record in reversed(found)]

    def rows_from_source(self, bank: int, source: str) -> list[EpisodeRow]:
        found = self._ask(
            f"SELECT {_COLUMNS} FROM episodes WHERE bank = ? AND source = ? ORDER BY row",  # noqa: S608
            (bank, source),
        )
        return [EpisodeRow._make(record) for record in found]

    def rows_of(self, bank: int, ids: Collection[str]) -> dict[str, int]:
        return dict(
            self._ask_in("SELECT id, row FROM episodes WHERE bank = ? AND id IN @", (bank,), ids)
        )

    def rows_with_digest(self, bank: int, digest: bytes) -> list[int]:
        found = self._ask(
            "SELECT row FROM episodes WHERE bank = ? AND digest = ? ORDER BY row", (bank, digest)
        )
        return [row for (row,) in found]

    def erase_episodes(self, bank: int, rows: Collection[int]) -> None:
        self._tell_many(
            "UPDATE episodes SET state = 'erased', session = NULL, turn = NULL, speaker = NULL,"
            " role = NULL, source = NULL, address = '', metadata = '{}', digest = x'',"
            " said_at = 0 WHERE bank = ? AND row = ?",
            ((bank, row) for row in rows),
        )

    # ------------------------------------------------------------ payloads

    def put_payloads(self, bank: int, kind: Kind, payloads: Iterable[tuple[int, bytes]]) -> None:
        self._tell_many(
            "INSERT OR REPLACE INTO tail (bank, kind, row, payload) VALUES (?, ?, ?, ?)",
            ((bank, kind, row, payload) for row, payload in payloads),
        )

    def tail(self, bank: int, kind: Kind, *, start: int = 0) -> list[tuple[int, bytes]]:
        return self._ask(
            "SELECT row, payload FROM tail WHERE bank = ? AND kind = ? AND row >= ? ORDER BY row",
            (bank, kind, start),
        )

    def payloads(self, bank: int, kind: Kind, rows: Collection[int]) -> dict[int, bytes]:
        return dict(
            self._ask_in(
                "SELECT row, payload FROM tail WHERE bank = ? AND kind = ? AND row IN @",
                (bank, kind),
                rows,
            )
        )

    def put_block(self, bank: int, kind: Kind, block: Block) -> None:
        head = _HEAD.pack(_MAGIC, len(block.payload), _checksum(bank, kind, block))
        self._tell(
            "INSERT OR REPLACE INTO blocks (bank, kind, first, count, payload)"
            " VALUES (?, ?, ?, ?, ?)",
            (bank, kind, block.first, block.count, head + block.payload),
        )
        self._tell(
            "DELETE FROM tail WHERE bank = ? AND kind = ? AND row >= ? AND row < ?",
            (bank, kind, block.first, block.first + block.count),
        )

    def block_spans(self, bank: int, kind: Kind) -> list[tuple[int, int]]:
        return self._ask(
            "SELECT first, count FROM blocks WHERE bank = ? AND kind = ? ORDER BY first",
            (bank, kind),
        )

    def block(self, bank: int, kind: Kind, first: int) -> Block:
        found = self._ask(
            "SELECT count, payload FROM blocks WHERE bank = ? AND kind = ? AND first = ?",
            (bank, kind, first),
        )
        where = f"block {first} of kind {kind} in bank {bank}"
        if not found:
            raise StoreCorrupt(f"{where} is missing; run 'hippocampus reindex'", path=self._path)
        count, raw = found[0]
        if len(raw) < _HEAD.size:
            raise StoreCorrupt(f"{where} is cut short; run 'hippocampus reindex'", path=self._path)
        magic, length, checksum = _HEAD.unpack_from(raw)
        block = Block(first, count, raw[_HEAD.size :])
        if magic != _MAGIC or length != len(block.payload):
            raise StoreCorrupt(f"{where} is cut short; run 'hippocampus reindex'", path=self._path)
        if checksum != _checksum(bank, kind, block):
            raise StoreCorrupt(
                f"{where} is not what was written; run 'hippocampus reindex'", path=self._path
            )
        return block

    def drop_payloads(self, bank: int, kind: Kind) -> None:
        for table in ("tail", "blocks"):
            self._tell(
                f"DELETE FROM {table} WHERE bank = ? AND kind = ?",  # noqa: S608  (our words)
                (bank, kind),
            )

    def move_payloads(self, bank: int, kind: Kind, target: Kind) -> None:
        assert not self.block_spans(bank, kind), "a rebuild leaves its payloads in the tail"
        self.drop_payloads(bank, target)
        self._tell("UPDATE tail SET kind = ? WHERE bank = ? AND kind = ?", (target, bank, kind))

    def stored_bytes(self, bank: int) -> dict[str, int]:
        found: dict[str, int] = {}
        for table in ("tail", "blocks"):
            for kind, size in self._ask(
                f"SELECT kind, sum(length(payload)) FROM {table} WHERE bank = ? GROUP BY kind",  # noqa: S608
                (bank,),
            ):
                found[kind] = found.get(kind, 0) + size
        return found

    # ------------------------------------------------------------ upkeep

    def scrub(self) -> None:
        self._check_open()
        with self._write_lock, self._read_lock:
            assert not self._depth, "scrub is a transaction of its own"
            with self._translated():
                self._writer.execute("VACUUM")
                if self._in_memory:
                    return
                busy = self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            if busy:
                raise StoreLocked(
                    "the words are erased, but another process is reading and its log still holds"
                    " them; erase again (or run any erase) once it has finished",
                    path=self._path,
                )

    def check(self) -> list[str]:
        problems = [
            str(line) for (line,) in self._ask("PRAGMA integrity_check(20)") if line != "ok"
        ]
        for bank, name in self._ask("SELECT bank, name FROM banks"):
            problems += [f"bank {name!r}: {problem}" for problem in self._check_bank(bank)]
        return problems

    def _check_bank(self, bank: int) -> list[str]:
        problems: list[str] = []
        first, last, count = self._ask(
            "SELECT min(seq), max(seq), count(*) FROM journal WHERE bank = ?", (bank,)
        )[0]
        if count and (first != 1 or last != count):
            problems.append(f"the journal has {count} changes, numbered {first} to {last}")
        top, rows = self._ask(
            "SELECT max(row), count(*) FROM episodes WHERE bank = ?", (bank,)
        )[0]
        if rows and top != rows - 1:
            problems.append(f"{rows} episodes, but the last is in row {top}")
        for kind, row in self._ask(
            "SELECT DISTINCT kind, row FROM tail WHERE bank = ? AND row > ? LIMIT 5",
            (bank, -1 if top is None else top),
        ):
            problems.append(f"a payload of kind {kind} in row {row}, which has no episode")
        for (kind,) in self._ask("SELECT DISTINCT kind FROM blocks WHERE bank = ?", (bank,)):
            expected = 0
            for start, size in self.block_spans(bank, kind):
                if start != expected:
                    problems.append(f"blocks of kind {kind}: row {start} follows {expected - 1}")
                expected = start + size
                try:
                    self.block(bank, kind, start)
                except StoreCorrupt as exc:
                    problems.append(str(exc))
        return problems

    def backup(self, target: Path, *, progress: Progress | None = None) -> None:
        self._check_open()
        if target.exists():
            raise StoreError("exists already; name a new file for the backup", path=target)
        partial = target.with_name(f"{target.name}.partial-{os.getpid()}")
        with self._translated():
            try:
                source = self._writer if self._in_memory else self._connect()
                copy = sqlite3.connect(partial, isolation_level=None)
                try:
                    source.backup(
                        copy,
                        pages=_PAGES_A_STEP,
                        progress=None
                        if progress is None
                        else lambda _, left, total: progress(total - left, total),
                    )
                    copy.execute("PRAGMA journal_mode = DELETE")
                finally:
                    copy.close()
                    if source is not self._writer:
                        source.close()
                with partial.open("rb") as written:
                    os.fsync(written.fileno())
                partial.rename(target)
            except BaseException:
                partial.unlink(missing_ok=True)
                raise

    def files(self) -> list[Path]:
        if self._in_memory:
            return []
        named = (Path(self._path + suffix) for suffix in ("", "-wal", "-shm", "-journal"))
        return [file for file in named if file.exists()]


def translate(exc: sqlite3.Error, path: str, timeout_s: float) -> StoreError:
    """Return our error for one of sqlite3's; every one has a place."""
    code = getattr(exc, "sqlite_errorcode", None) or 0
    primary = code & 0xFF
    if primary in _BUSY:
        return StoreLocked(
            f"another process has kept it locked for {timeout_s:g} s; nothing was changed,"
            " try again or raise Config.busy_timeout_s",
            path=path,
        )
    if code in _FULL or primary in _FULL:
        return StoreFull("the disk is full; nothing was changed, make room and repeat", path=path)
    if primary in _READ_ONLY:
        return StoreReadOnly("cannot be written; check the rights of file and folder", path=path)
    if primary in _DAMAGED:
        return StoreCorrupt(
            f"is damaged ({exc}); restore a backup, or salvage with 'sqlite3 FILE .recover'",
            path=path,
        )
    if primary == sqlite3.SQLITE_CANTOPEN:
        return StoreError("cannot be opened; check that folder and file exist", path=path)
    if isinstance(exc, sqlite3.ProgrammingError) and "closed" in str(exc):
        return StoreClosed("was closed; open a new Memory", path=path)
    return StoreError(f"the database refused: {exc}", path=path)


def _checksum(bank: int, kind: str, block: Block) -> bytes:
    known = blake2b(block.payload, digest_size=16)
    known.update(f"{bank}/{kind}/{block.first}/{block.count}".encode())
    return known.digest()
