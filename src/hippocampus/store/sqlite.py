"""The store in one SQLite file: one writer at a time, readers that never wait, durable commits."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from hippocampus.core.key import Key, KeyRefused, make_slot, open_slots
from hippocampus.errors import StoreEncrypted, StoreError, WrongKey
from hippocampus.store import schema
from hippocampus.store.banks import HEADER, SqliteBanks, SqliteSettings, key_of
from hippocampus.store.cipher import KEY_BYTES, STORE, Keyring
from hippocampus.store.connections import Connections
from hippocampus.store.episodes import SqliteEpisodes
from hippocampus.store.journal import SqliteJournal
from hippocampus.store.payloads import SqlitePayloads
from hippocampus.store.transactions import Transactions
from hippocampus.store.upkeep import SqliteUpkeep, Tables


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
        self.settings = SqliteSettings(db)
        self.banks = SqliteBanks(db)
        self.journal = SqliteJournal(db)
        self.episodes = SqliteEpisodes(db)
        self.payloads = SqlitePayloads(db)
        tables = Tables(self.settings, self.banks, self.journal, self.episodes, self.payloads)
        self.upkeep = SqliteUpkeep(db, tables)
        self._master = b""
        db.start(migrations, create=create)
        try:
            self._unlock(key)
        except BaseException:
            db.close()
            raise

    def _unlock(self, key: Key | None) -> None:
        """Open the header with a key, or make one with it in a store that is new."""
        header = self.settings.get_plain(HEADER)
        if header is None and key is None:
            return
        if header is None and self.settings.any():
            raise self.connections.refuse(
                StoreError, "is not encrypted, so no key opens it: leave the key out, or make one"
                " that is with 'hippocampus encrypt'",
            )  # fmt: skip
        if key is None:
            raise self.connections.refuse(
                StoreEncrypted,
                "it is encrypted; give its key: Memory(path, key=Key.passphrase(…)), or --key-file"
                " or HIPPOCAMPUS_PASSPHRASE on the command line",
            )
        fresh = header is None
        try:
            master = os.urandom(KEY_BYTES) if fresh else open_slots(key, json.loads(header or ""))
        except KeyRefused as exc:
            raise self.connections.refuse(WrongKey, str(exc)) from exc
        self._master = master
        self.transactions.keys = Keyring(master, self._wrapped, self._keep)
        if fresh:
            with self.write():
                self.settings.put_plain(HEADER, json.dumps([make_slot(key, master)]))
                self.transactions.keys.make(STORE)

    def slots(self) -> list[str]:
        """Return the kinds of keys that open the store, in the order in which they were added."""
        return [slot["kind"] for slot in json.loads(self.settings.get_plain(HEADER) or "[]")]

    def add_slot(self, key: Key, *, replace: bool) -> None:
        """Have one more key open the store, or this one alone."""
        try:
            slot = make_slot(key, self._master)
        except KeyRefused as exc:
            raise self.connections.refuse(WrongKey, str(exc)) from exc
        with self.write():
            others = [] if replace else json.loads(self.settings.get_plain(HEADER) or "[]")
            self.settings.put_plain(HEADER, json.dumps([*others, slot]))

    def rotate(self, key: Key) -> None:
        """Wrap the keys of all banks by a new master key, which this key alone opens."""
        master = os.urandom(KEY_BYTES)
        with self.write():
            for bank, wrapped in self.transactions.keys.rewrap(self.settings.keyed(), master):
                self._keep(bank, wrapped)
            self._master = master
            self.transactions.keys = Keyring(master, self._wrapped, self._keep)
            self.add_slot(key, replace=True)

    def _wrapped(self, bank: int) -> bytes | None:
        found = self.settings.get_plain(key_of(bank))
        return None if found is None else bytes.fromhex(found)

    def _keep(self, bank: int, wrapped: bytes) -> None:
        self.settings.put_plain(key_of(bank), wrapped.hex())

    def __repr__(self) -> str:
        return f"SqliteStore({self.path!r}{', closed' if self.connections.closed else ''})"

    @property
    def path(self) -> str:
        return self.connections.path

    def close(self) -> None:
        self.transactions.close()

    def write(self) -> AbstractContextManager[None]:
        return self.transactions.write()

    def read(self) -> AbstractContextManager[None]:
        return self.transactions.read()

    def changes(self) -> int:
        return self.transactions.changes()
