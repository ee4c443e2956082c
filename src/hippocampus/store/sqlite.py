"""The store in one SQLite file: one writer at a time, readers that never wait, durable commits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

from hippocampus.core.key import Key
from hippocampus.core.records import Asks
from hippocampus.store import schema
from hippocampus.store.banks import SqlBanks
from hippocampus.store.connections import Connections
from hippocampus.store.encryption import SqlEncryption
from hippocampus.store.episodes import SqlEpisodes
from hippocampus.store.index_files import IndexFiles
from hippocampus.store.journal import SqlJournal
from hippocampus.store.kept_time import KeptTime
from hippocampus.store.payloads import SqlPayloads
from hippocampus.store.requests import SqlRequests
from hippocampus.store.row_checks import Tables
from hippocampus.store.settings import SqlSettings
from hippocampus.store.transactions import Transactions
from hippocampus.store.upkeep import SqliteUpkeep


class SqliteStore:
    """
    A ``Store`` in one SQLite file, or in memory for the path ``:memory:``: its tables.

    A store cannot be carried over a fork, but opened again in the child (``fork.py``).

    ``read_only`` never changes a byte of the file. Where SQLite cannot keep its ``-shm`` file, on
    read-only media, the file is taken not to change while it is open.
    """

    def __init__(
        self,
        path: str,
        *,
        busy_timeout_s: float,
        read_only: bool = False,
        create: bool = True,
        key: Key | None = None,
        tracer: Callable[[str], object] | None = None,
        migrations: Sequence[schema.Migration] = schema.MIGRATIONS,
    ) -> None:
        self.connections = Connections(
            path, busy_timeout_s=busy_timeout_s, read_only=read_only, tracer=tracer
        )
        db = self.transactions = Transactions(self.connections)
        self.settings = SqlSettings(db)
        self.encryption = SqlEncryption(db, self.settings)
        self.banks = SqlBanks(db, self.encryption)
        self.journal = SqlJournal(db)
        self.episodes = SqlEpisodes(db)
        self.payloads = SqlPayloads(db)
        self.requests = SqlRequests(db, KeptTime(self.settings))
        tables = Tables(
            self.settings, self.banks, self.journal, self.episodes, self.payloads, self.requests
        )
        self.index_files = IndexFiles(db, self.banks, self.journal)
        self.upkeep = SqliteUpkeep(db, tables, self.index_files)
        db.start(migrations, create=create)
        try:
            self.encryption.unlock(key)
        except BaseException:
            db.close()
            raise
        # Not before: the settings by which the key opens the store stand there in the clear.
        db.cipher = self.encryption.of

    def __repr__(self) -> str:
        return f"SqliteStore({self.path!r}{', closed' if self.connections.closed else ''})"

    @property
    def path(self) -> str:
        return self.connections.path

    def close(self) -> None:
        self.transactions.close()

    def write(self, bank: int | None = None) -> AbstractContextManager[None]:  # noqa: ARG002
        return self.transactions.write()  # of all banks: SQLite has one writer

    def writes_all(self) -> bool:
        return self.transactions.writing

    def read(self) -> AbstractContextManager[None]:
        return self.transactions.read()

    def wait_until_durable(self, bank: int) -> None:
        """Return at once: SQLite shows what is in its log, and synchronised."""

    @property
    def rates(self) -> None:
        return None

    def databases(self) -> int:
        return 1

    def settings_of(self, bank: int) -> SqlSettings:  # noqa: ARG002 - all banks are here
        return self.settings

    def every_settings(self) -> list[SqlSettings]:
        return [self.settings]

    def is_replica(self) -> bool:
        return False

    def check_usable(self) -> None:
        self.connections.usable()
        self.connections.check_named()
        self.changes()

    def is_walled(self) -> bool:
        return False

    def changes(self) -> int:
        return self.transactions.changes()

    def flush(self) -> None:
        pass  # what is written is done at once

    def glance(self) -> AbstractContextManager[None]:
        return nullcontext()  # it is asked in microseconds

    def look_again(self) -> None:
        pass

    def forget_texts(self) -> None:
        self.encryption.forget_texts()

    def expecting(
        self,
        asks: Asks,  # noqa: ARG002 - it does not wait for answers
    ) -> AbstractContextManager[None]:
        return nullcontext()
