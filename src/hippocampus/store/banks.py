"""The tables of settings and banks: what the store as a whole keeps, and which banks it holds."""

from __future__ import annotations

import sys
from typing import Final

from hippocampus.errors import StoreCorrupt
from hippocampus.store import schema
from hippocampus.store.checksums import damaged, holds, row_checksum
from hippocampus.store.cipher import STORE, Unsealable
from hippocampus.store.transactions import Row, Transactions


class SqliteSettings:
    """The ``settings`` table; see ``SettingsTable``."""

    def __init__(self, db: Transactions) -> None:
        self._db = db
        self._sound: dict[str, Row] = {}
        """The last value of each with its checksum, once compared: they are read at every turn."""

    def get(self, key: str) -> str | None:
        value = self.get_plain(key)
        if value is None or not self._db.keys.seals:
            return value
        try:
            return self._db.cipher(STORE).open_text(key, value)
        except Unsealable as exc:
            raise self._db.connections.refuse(StoreCorrupt, damaged(f"setting {key!r}")) from exc

    def get_plain(self, key: str) -> str | None:
        """Return a value as it stands in the file: of those that open the others."""
        found = self._db.rows("SELECT value, checksum FROM settings WHERE key = ?", key)
        if not found:
            return None
        value, checksum = found[0]
        if self._sound.get(key) != found[0]:
            if not holds(checksum, row_checksum("settings", values=(key, value))):
                raise self._db.connections.refuse(StoreCorrupt, damaged(f"setting {key!r}"))
            self._sound[key] = found[0]
        kept: str = value
        return kept

    def every(self) -> list[tuple[str, str]]:
        """Return all settings but those that open the others."""
        keys = [key for (key,) in self._db.rows("SELECT key FROM settings ORDER BY key")]
        told = [(key, self.get(key)) for key in keys if key != HEADER and not is_key(key)]
        return [(key, value) for key, value in told if value is not None]

    def keyed(self) -> list[int]:
        """Return the banks that have a wrapped key, and 0 for the store's own."""
        keys = [key for (key,) in self._db.rows("SELECT key FROM settings") if is_key(key)]
        return sorted(int(key.removeprefix(_KEY)) for key in keys)

    def any(self) -> bool:
        """Return whether the store has any setting or bank: whether it is in use."""
        return bool(self._db.rows("SELECT 1 FROM settings UNION ALL SELECT 1 FROM banks LIMIT 1"))

    def damaged(self) -> list[str]:
        return [
            damaged(f"setting {key!r}")
            for key, value, mark in self._db.rows("SELECT key, value, checksum FROM settings")
            if not holds(mark, row_checksum("settings", values=(key, value)))
        ]

    def put(self, key: str, value: str | None) -> None:
        if value is not None and self._db.keys.seals:
            value = self._db.cipher(STORE).seal_text(key, value)
        self.put_plain(key, value)

    def put_plain(self, key: str, value: str | None) -> None:
        """Set a value that stands in the file as it is."""
        if value is None:
            self._db.do("DELETE FROM settings WHERE key = ?", key)
        else:
            self._db.do(
                "INSERT OR REPLACE INTO settings (key, value, checksum) VALUES (?, ?, ?)",
                key,
                value,
                row_checksum("settings", values=(key, value)),
            )


class SqliteBanks:
    """The ``banks`` table; see ``BankTable``."""

    def __init__(self, db: Transactions) -> None:
        self._db = db
        self._sound: tuple[str, Row] | None = None
        """The name and row last asked for, once compared."""

    def names(self, *, prefix: str = "", after: str = "", limit: int | None = None) -> list[str]:
        sql = (
            "SELECT bank, name, at, checksum FROM banks"
            " WHERE name >= ? AND name > ? AND name < ? ORDER BY name LIMIT ?"
        )
        most = -1 if limit is None else limit
        if self._db.keys.seals:
            every = self._db.rows("SELECT bank, name, at, checksum FROM banks")
            whole = [
                name for bank, name, at, mark in every if holds(mark, _checksum(bank, name, at))
            ]
            opened = sorted(self._db.cipher(STORE).open_text("bank", name) for name in whole)
            chosen = [name for name in opened if name.startswith(prefix) and name > after]
            return chosen[:limit]
        found = self._db.rows(sql, prefix, after, _beyond(prefix), most)
        return [name for bank, name, at, mark in found if holds(mark, _checksum(bank, name, at))]

    def number(self, name: str) -> int | None:
        if self._db.keys.seals:
            name = self._db.cipher(STORE).seal_text("bank", name)
        found = self._db.rows("SELECT bank, at, checksum FROM banks WHERE name = ?", name)
        if not found:
            return None
        number, at, checksum = found[0]
        if self._sound != (name, found[0]):
            if not holds(checksum, _checksum(number, name, at)):
                raise self._db.connections.refuse(StoreCorrupt, damaged(f"bank {name!r}"))
            self._sound = name, found[0]
        known: int = number
        return known

    def since(self, bank: int) -> int:
        """Return when a bank was made."""
        at: int = self._db.rows("SELECT at FROM banks WHERE bank = ?", bank)[0][0]
        return at

    def add(self, name: str, at: int) -> int:
        known = self.number(name)
        if known is not None:
            return known
        if self._db.keys.seals:
            name = self._db.cipher(STORE).seal_text("bank", name)
        self._db.do("INSERT INTO banks (name, at) VALUES (?, ?)", name, at)
        number: int = self._db.rows("SELECT bank FROM banks WHERE name = ?", name)[0][0]
        self._db.do(
            "UPDATE banks SET checksum = ? WHERE bank = ?", _checksum(number, name, at), number
        )
        self._db.keys.make(number)
        return number

    def damaged(self) -> list[str]:
        found = self._db.rows("SELECT bank, name, at, checksum FROM banks")
        return [
            damaged(f"bank {number}, perhaps {name!r}")
            for number, name, at, mark in found
            if not holds(mark, _checksum(number, name, at))
        ]

    def drop(self, bank: int) -> None:
        for table in (*schema.BANKED, "banks"):
            self._db.do(f"DELETE FROM {table} WHERE bank = ?", bank)  # noqa: S608 - our own names
        self._db.do("DELETE FROM settings WHERE key = ?", key_of(bank))


HEADER: Final = "encryption"
"""The setting whose slots open the master key; a store in plain words has none."""
_KEY: Final = "key "


def key_of(bank: int) -> str:
    """Return the setting that has the wrapped key of a bank."""
    return f"{_KEY}{bank}"


def is_key(setting: str) -> bool:
    """Return whether a setting is the wrapped key of a bank."""
    return setting.startswith(_KEY)


def _checksum(number: int, name: str, at: int) -> bytes | None:
    return row_checksum("banks", number, values=(name, at))


def _beyond(prefix: str) -> str | bytes:
    """Return what comes after every text that begins so; SQLite has blobs after all texts."""
    for end in range(len(prefix) - 1, -1, -1):
        code = ord(prefix[end]) + 1
        if code <= sys.maxunicode:
            return prefix[:end] + chr(0xE000 if code == 0xD800 else code)
    return b""
