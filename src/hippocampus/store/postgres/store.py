"""A store in PostgreSQL."""

from __future__ import annotations

from contextlib import AbstractContextManager

from hippocampus.core.key import Key
from hippocampus.core.records import Asks, Progress
from hippocampus.core.records.store import StoreUpkeep
from hippocampus.errors import StoreReadOnly
from hippocampus.store.banks import SqlBanks
from hippocampus.store.copying import SqlStore, copy_store
from hippocampus.store.episodes import SqlEpisodes
from hippocampus.store.index_files import IndexFiles
from hippocampus.store.journal import SqlJournal
from hippocampus.store.payloads import SqlPayloads
from hippocampus.store.postgres.connections import PostgresConnections
from hippocampus.store.postgres.encryption import PostgresEncryption
from hippocampus.store.postgres.rates import PostgresRates
from hippocampus.store.postgres.tenants import Grants, PostgresBanks, Tenants
from hippocampus.store.postgres.transactions import DatabaseTime, PostgresTransactions
from hippocampus.store.postgres.upkeep import PostgresUpkeep
from hippocampus.store.requests import SqlRequests
from hippocampus.store.row_checks import Tables
from hippocampus.store.settings import SqlSettings


class PostgresStore:
    """
    A ``Store`` in a database of PostgreSQL 14 or later, in a schema of its own; no extensions.

    Any number of processes may have it open. In a child that was forked it connects anew.
    """

    def __init__(
        self,
        dsn: str,
        *,
        busy_timeout_s: float,
        read_only: bool = False,
        create: bool = True,
        key: Key | None = None,
    ) -> None:
        connections = PostgresConnections(dsn, busy_timeout_s=busy_timeout_s, read_only=read_only)
        db = self.transactions = PostgresTransactions(connections)
        self._open = db.open
        self.settings = SqlSettings(db)
        self.encryption = PostgresEncryption(db, self.settings)
        tenants = Tenants(self.settings, self.encryption)
        banks = PostgresBanks(db, self.encryption, tenants)
        self.grants = Grants(db, banks, tenants)
        self.banks: SqlBanks = banks
        self.journal = SqlJournal(db)
        self.episodes = SqlEpisodes(db)
        self.payloads = SqlPayloads(db)
        self.requests = SqlRequests(db, DatabaseTime(db))
        self.rates = None if read_only else PostgresRates(db)
        self.index_files = IndexFiles(db, self.banks, self.journal)
        tables = Tables(
            self.settings, self.banks, self.journal, self.episodes, self.payloads, self.requests
        )
        self.upkeep: StoreUpkeep = PostgresUpkeep(
            db, tables, self._copy_to, self.encryption, self.grants
        )
        connections.start(create=create)
        try:
            self.encryption.unlock(key)
        except BaseException:
            connections.close()
            raise
        # Not before: the settings by which the key opens the store stand there in the clear.
        db.cipher, db.open.mark = self.encryption.of, tenants.mark

    def _copy_to(self, target: SqlStore, progress: Progress | None) -> int:
        return copy_store(self, target, progress=progress)

    def __repr__(self) -> str:
        return f"PostgresStore({self.path!r})"

    @property
    def path(self) -> str:
        return self.transactions.path

    def close(self) -> None:
        self.transactions.connections.close()

    def write(self, bank: int | None = None) -> AbstractContextManager[None]:
        return self.transactions.write(bank)

    def writes_all(self) -> bool:
        return self._open.writes_all

    def read(self) -> AbstractContextManager[None]:
        return self._open.read()

    def wait_until_durable(self, bank: int) -> None:
        if not self.transactions.read_only:
            with self.transactions.write(bank):  # whose commit waits, and with it all before it
                pass

    def databases(self) -> int:
        return 1

    def settings_of(self, bank: int) -> SqlSettings:  # noqa: ARG002 - all banks are here
        return self.settings

    def every_settings(self) -> list[SqlSettings]:
        return [self.settings]

    def is_replica(self) -> bool:
        ((follows,),) = self.transactions.rows("SELECT pg_is_in_recovery()")
        return bool(follows)

    def check_usable(self) -> None:
        if self.is_replica() and not self.transactions.read_only:
            raise self.transactions.refuse(
                StoreReadOnly,
                "is a standby, which takes no writes; serve its primary, or 'serve --read-only'",
            )

    def is_walled(self) -> bool:
        return self.transactions.connections.walled

    def changes(self) -> int:
        return self._open.changes()

    def flush(self) -> None:
        self.transactions.flush()

    def glance(self) -> AbstractContextManager[None]:
        return self._open.glance()

    def look_again(self) -> None:
        self._open.look_again()

    def forget_texts(self) -> None:
        self.encryption.forget_texts()

    def expecting(self, asks: Asks) -> AbstractContextManager[None]:
        return self._open.expecting(asks)
