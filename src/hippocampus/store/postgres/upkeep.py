"""Upkeep of a store in PostgreSQL, of which the database does the greater part itself."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

from hippocampus.core.files import writing
from hippocampus.core.records import Kind, Progress
from hippocampus.errors import StoreCorrupt
from hippocampus.store.copying import SqlStore
from hippocampus.store.encryption import SqlEncryption
from hippocampus.store.postgres.transactions import PostgresTransactions
from hippocampus.store.row_checks import RowChecks, Tables
from hippocampus.store.sqlite import SqliteStore

_OWED = "scrub"
"""The setting that says that removed rows may still be in the tables."""
_PATIENCE_S: Final = 30.0
_TABLES = ("journal", "episodes", "tail", "blocks", "settings", "banks")


class PostgresUpkeep:
    """Upkeep of the database's tables; see ``StoreUpkeep``."""

    def __init__(
        self,
        db: PostgresTransactions,
        tables: Tables,
        copy_to: Callable[[SqlStore, Progress | None], object],
        encryption: SqlEncryption,
    ) -> None:
        self._db = db
        self._copy_to = copy_to
        self._encryption = encryption
        self._tables = tables
        self._rows = RowChecks(db, tables)

    def stored_bytes(self, bank: int) -> dict[str, int]:
        return self._rows.stored_bytes(bank)

    def owe_scrub(self) -> None:
        self._tables.settings.put(_OWED, "owed")

    def owes_scrub(self) -> bool:
        return bool(self._db.rows("SELECT 1 FROM settings WHERE key = ?", _OWED))

    def scrub(self, *, wait: bool = True, shrink: bool = False) -> None:  # noqa: ARG002 - none wait
        """
        Have the tables give the room of removed rows to others.

        Their bytes may stay in pages until these are written over, in the log and in backups: where
        that matters the store is encrypted, and what an erased word was sealed by is gone.
        """
        self._db.outside("scrub")
        self._db.vacuum(_TABLES, full=shrink)
        if self.owes_scrub():
            with self._db.write():
                self._tables.settings.put(_OWED, None)

    def leftovers(self) -> list[str]:
        self._db.outside("leftovers")
        owed = "an erasure waits to be finished; run scrub()"
        return [owed] if self.owes_scrub() else []

    def damage(self, bank: int, kind: str | None = None, row: int | None = None) -> list[str]:
        return self._db.damage.of(bank, kind, row)

    def note_damage(self, bank: int, kind: Kind, first: int, message: str) -> None:
        self._db.damage.note(bank, kind, first, message)

    def check(self) -> list[str]:
        try:
            with self._db.read():
                return self._rows.check()
        except StoreCorrupt as exc:  # damage that keeps us from looking further
            return [str(exc)]

    def backup(
        self, target: Path, *, overwrite: bool = False, progress: Progress | None = None
    ) -> None:
        self._db.outside("backup")
        with writing(target, overwrite=overwrite) as whole:
            copy = SqliteStore(str(whole), busy_timeout_s=_PATIENCE_S, key=self._encryption.key)
            with closing(copy):
                self._copy_to(copy, progress)

    def files(self) -> list[Path]:
        return []
