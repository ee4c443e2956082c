"""The table of requests: what came of those that named themselves by a key, kept for a day."""

from __future__ import annotations

from contextlib import suppress
from typing import Final, Protocol

from hippocampus.core.records.store import DoneRequest
from hippocampus.errors import StoreCorrupt
from hippocampus.store.checksums import damaged, holds, row_checksum
from hippocampus.store.database import Database

_OTHERS: Final = 64
"""Other banks that are looked through with one that is cleared: those that nobody writes to any
more are cleared along (docs/adr/0083). Chosen by hand."""
_NEXT: Final = """
    WITH RECURSIVE kept (bank, place) AS (
        SELECT MIN(bank), 1 FROM requests WHERE bank > ?
        UNION ALL
        SELECT (SELECT MIN(one.bank) FROM requests AS one WHERE one.bank > kept.bank), place + 1
        FROM kept WHERE kept.bank IS NOT NULL AND place < ?
    )
    SELECT bank FROM kept WHERE bank IS NOT NULL ORDER BY bank
"""
"""The banks after one that have requests, a step through the index for each."""


class Time(Protocol):
    """Time in a database."""

    def now(self) -> int:
        """Return the time in microseconds since 1970."""

    def behind(self) -> int:
        """Return by how much it is behind a clock that is right."""


class SqlRequests:
    """The ``requests`` table; see ``RequestTable``."""

    def __init__(self, db: Database, time: Time) -> None:
        self._db = db
        self._time = time
        self._looked: int | None = None
        """The last of the other banks that were looked through; None before the first."""

    def find(self, bank: int, key: bytes) -> DoneRequest | None:
        found = self._db.rows(
            "SELECT asked, at, result, checksum FROM requests WHERE bank = ? AND key = ?", bank, key
        )
        if not found:
            return None
        *values, checksum = found[0]
        if not holds(checksum, row_checksum("requests", bank, values=(key, *values))):
            raise self._db.refuse(StoreCorrupt, damaged(f"request {key.hex()} of bank {bank}"))
        return DoneRequest(*values)

    def add(self, bank: int, key: bytes, done: DoneRequest) -> None:
        self._db.do(
            "INSERT INTO requests (bank, key, asked, at, result, checksum)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            bank, key, *done, row_checksum("requests", bank, values=(key, *done)),
        )  # fmt: skip

    def every(self, bank: int) -> list[tuple[bytes, DoneRequest]]:
        """Return the requests of a bank by their keys; those that are damaged are left out."""
        keys = self._db.rows("SELECT key FROM requests WHERE bank = ? ORDER BY key", bank)
        found = list[tuple[bytes, DoneRequest]]()
        for key in [key for (key,) in keys if isinstance(key, bytes)]:
            with suppress(StoreCorrupt):
                done = self.find(bank, key)
                found += [] if done is None else [(key, done)]
        return found

    def now(self, bank: int) -> int:  # noqa: ARG002 - all banks here are in one database
        return self._time.now()

    def behind(self) -> int:
        """Return by how much ``now`` is behind a clock that is right, in microseconds."""
        return self._time.behind()

    def drop_before(self, bank: int, at: int) -> None:
        # Who asks nothing of its bank any more would have its requests kept for ever.
        others = self._next(bank if self._looked is None else self._looked)
        self._looked = others[-1] if len(others) == _OTHERS else -1
        among = self._db.among("bank")
        # Rows that another writer clears at the same time are passed over: neither waits.
        self._db.do(
            "DELETE FROM requests WHERE (bank, key) IN ("  # noqa: S608
            f"SELECT bank, key FROM requests WHERE {among} AND at < ? {self._db.unlocked()})",
            self._db.many([bank, *others]), at,
        )  # fmt: skip

    def _next(self, bank: int) -> list[int]:
        found = self._db.rows(_NEXT, bank, _OTHERS)
        return [self._db.number(one, "a bank of requests") for (one,) in found]

    def damaged(self) -> list[str]:
        """Return the faults of rows."""
        return [
            damaged(f"a request of bank {bank}")
            for bank, *values, checksum in self._db.rows(
                "SELECT bank, key, asked, at, result, checksum FROM requests"
            )
            if not holds(checksum, row_checksum("requests", bank, values=values))
        ]
