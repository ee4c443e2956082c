"""The table of requests: what came of those that named themselves by a key, kept for a day."""

from __future__ import annotations

from contextlib import suppress

from hippocampus.core.records.store import DoneRequest
from hippocampus.errors import StoreCorrupt
from hippocampus.store.checksums import damaged, holds, row_checksum
from hippocampus.store.database import Database


class SqlRequests:
    """The ``requests`` table; see ``RequestTable``."""

    def __init__(self, db: Database) -> None:
        self._db = db

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
        for (key,) in keys:
            with suppress(StoreCorrupt):
                done = self.find(bank, key)
                found += [] if done is None else [(key, done)]
        return found

    def drop_before(self, bank: int, at: int) -> None:
        self._db.do("DELETE FROM requests WHERE bank = ? AND at < ?", bank, at)

    def damaged(self) -> list[str]:
        """Return the faults of rows."""
        return [
            damaged(f"a request of bank {bank}")
            for bank, *values, checksum in self._db.rows(
                "SELECT bank, key, asked, at, result, checksum FROM requests"
            )
            if not holds(checksum, row_checksum("requests", bank, values=values))
        ]
