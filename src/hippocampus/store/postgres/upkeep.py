"""Upkeep of a store in PostgreSQL, of which the database does the greater part itself."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

from hippocampus.core.budget import without_budget
from hippocampus.core.cipher import STORE
from hippocampus.core.files import RawFile, writing
from hippocampus.core.records import Kind, Progress
from hippocampus.core.tenant import EVERY, acting_for
from hippocampus.errors import ErasurePending, StoreCorrupt, StoreError
from hippocampus.store.copying import SqlStore
from hippocampus.store.postgres.encryption import WAITING, PostgresEncryption
from hippocampus.store.postgres.resealing import Resealing
from hippocampus.store.postgres.server_files import ServerFiles
from hippocampus.store.postgres.tenants import Grants
from hippocampus.store.postgres.transactions import PostgresTransactions
from hippocampus.store.row_checks import RowChecks, Tables
from hippocampus.store.settings import owed_of
from hippocampus.store.sqlite import SqliteStore

_OWED = "scrub"
"""The setting that says that removed rows may still be in the tables."""
_PATIENCE_S: Final = 30.0  # of a copy that nobody else has open, so it is never waited for
_TABLES = ("requests", "journal", "episodes", "tail", "blocks", "settings", "banks")


class PostgresUpkeep:
    """Upkeep of the database's tables; see ``StoreUpkeep``."""

    def __init__(
        self,
        db: PostgresTransactions,
        tables: Tables,
        copy_to: Callable[[SqlStore, Progress | None], object],
        encryption: PostgresEncryption,
        grants: Grants,
    ) -> None:
        self._db = db
        self._copy_to = copy_to
        self._encryption = encryption
        self._grants = grants
        self._resealing = Resealing(db, encryption, tables.settings)
        self._tables = tables
        self._rows = RowChecks(db, tables)

    def stored_bytes(self, bank: int) -> dict[str, int]:
        return self._rows.stored_bytes(bank)

    def owe_scrub(self, bank: int | None = None) -> None:
        self._tables.settings.put(_OWED, "owed")
        if bank is not None:  # a row for each, so that banks do not undo each other's
            self._tables.settings.put(owed_of(bank), "owed")

    def owe_drop(self, bank: int) -> None:
        self._tables.banks.drop(bank)  # its rows keep nobody waiting
        # Its key goes with it; its name is under that of the store.
        self.owe_scrub(STORE if self._encryption.seals else None)

    def _owed(self) -> list[int]:
        """Return the banks in which something was erased since they were sealed, or the store."""
        return self._tables.settings.owed()

    def owes_scrub(self) -> bool:
        return self._tables.settings.has(_OWED)

    @without_budget()  # whoever erased has acknowledged it, and what is left over belongs to all
    def scrub(self, *, wait: bool = True, shrink: bool = False) -> None:  # noqa: ARG002 - none wait
        """
        Have the tables give the room of removed rows to others; in an encrypted store, renew keys.

        The bytes of rows may stay in pages until these are written over, in the log and in backups.
        In an encrypted store what is left of a bank is sealed anew, and every name once one
        was deleted; the key that opens the rest is destroyed, if it is a ring's.
        """
        self._db.open.outside("scrub")
        owed = self.owes_scrub()
        try:
            if owed and self._encryption.seals and not self._renew_keys():
                return
            self._db.vacuum(_TABLES, full=shrink)
            if owed:
                with self._db.write():
                    # Another may have erased in a bank since, which is to be sealed anew itself.
                    if not (self._encryption.seals and self._owed()):
                        self._tables.settings.put(_OWED, None)
        except ErasurePending:
            raise
        except StoreError as exc:
            if not owed:  # nothing was erased: the tables were to get smaller
                raise
            # What else such an error says is of a write that was rolled back: this one was not.
            reason = str(exc).removeprefix(f"{self._db.path}: ").partition("; ")[0]
            raise self._db.refuse(
                ErasurePending,
                "what was erased is out of every table, but its bytes may still be in the pages of"
                f" the database, its log and its backups: {reason}. It is finished by the next"
                " erasure, or when the store is opened",
            ) from exc

    def _renew_keys(self) -> bool:
        """Seal anew what is owed, and renew the keys; return whether nothing of it is left."""
        with acting_for(EVERY):
            for bank in self._owed():
                if bank == STORE:
                    self._reseal_store()
                else:
                    self._reseal(bank)
        renewed = self._encryption.renew()
        with self._db.write():
            if self._owed():
                return False  # another has erased since, or may reach what this role does not see
            self._tables.settings.put(WAITING, None if renewed else "keys")
        return True

    def _reseal(self, bank: int) -> None:
        """Seal the rest of a bank anew, unless others have, or it is behind the wall."""
        there = self._tables.banks.has(bank)
        if not there and self._encryption.has_key(bank):
            return
        try:
            with self._db.write(bank if there else None):
                if not self._tables.settings.has(owed_of(bank)):
                    return
                if there and self._tables.banks.has(bank):
                    self._resealing.reseal(bank)
                self._tables.settings.put(owed_of(bank), None)
        except StoreCorrupt as exc:
            raise self._db.refuse(
                ErasurePending,
                f"what was erased of bank {bank} is still in the log and in backups that its key"
                f" opens: it is not sealed anew while something in it is damaged ({exc})",
            ) from exc

    def _reseal_store(self) -> None:
        """Seal names of banks and settings anew, unless others have, or a wall hides some."""
        if not self._grants.sees_every_bank():
            return
        try:
            with self._db.write():
                if self._tables.settings.has(owed_of(STORE)):
                    self._resealing.reseal_store()
                    self._tables.settings.put(owed_of(STORE), None)
        except StoreCorrupt as exc:
            raise self._db.refuse(
                ErasurePending,
                "the name of a deleted bank is still in the log and in backups that the key of the"
                f" store opens: names are not sealed anew while something is damaged ({exc})",
            ) from exc

    def leftovers(self) -> list[str]:
        self._db.open.outside("leftovers")
        found = []
        if self.owes_scrub():
            found.append("an erasure waits to be finished; run scrub()")
        if self._tables.settings.get(WAITING) is not None:
            found.append(
                "what was erased is in the log and in backups that the keys open: change them with"
                " 'hippocampus encryption rotate --new-key …' and destroy the former, or have a"
                " ring renewed (docs/postgres.md)"
            )
        return found

    def damage(self, bank: int, kind: str | None = None, row: int | None = None) -> list[str]:
        return self._db.damage.of(bank, kind, row)

    def note_damage(self, bank: int, kind: Kind, first: int, message: str) -> None:
        self._db.damage.note(bank, kind, first, message)

    def check(self, bank: int | None = None) -> list[str]:
        try:
            with self._db.open.read():
                return self._rows.check(bank) + self._grants.check_walls()
        except StoreCorrupt as exc:  # damage that keeps us from looking further
            return [str(exc)]

    def backup(
        self, target: Path, *, overwrite: bool = False, progress: Progress | None = None
    ) -> None:
        self._db.open.outside("backup")
        with writing(target, overwrite=overwrite) as whole:
            copy = SqliteStore(str(whole), busy_timeout_s=_PATIENCE_S, key=self._encryption.key)
            with closing(copy):
                self._copy_to(copy, progress)

    def files(self) -> list[Path]:
        return []

    def server_files(self) -> tuple[list[RawFile], list[str]]:
        self._db.open.outside("server_files")
        return ServerFiles(self._db, seals=self._encryption.seals).look()
