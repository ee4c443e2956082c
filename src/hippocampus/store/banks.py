"""The tables of settings and banks: what the store as a whole keeps, and which banks it holds."""

from __future__ import annotations

import sys

from hippocampus.store import schema
from hippocampus.store.transactions import Transactions


class SqliteSettings:
    """The ``settings`` table; see ``SettingsTable``."""

    def __init__(self, db: Transactions) -> None:
        self._db = db

    def get(self, key: str) -> str | None:
        found = self._db.rows("SELECT value FROM settings WHERE key = ?", key)
        return found[0][0] if found else None

    def put(self, key: str, value: str | None) -> None:
        if value is None:
            self._db.do("DELETE FROM settings WHERE key = ?", key)
        else:
            self._db.do("INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)", key, value)


class SqliteBanks:
    """The ``banks`` table; see ``BankTable``."""

    def __init__(self, db: Transactions) -> None:
        self._db = db

    def names(self, *, prefix: str = "", after: str = "", limit: int | None = None) -> list[str]:
        sql = (
            "SELECT name FROM banks WHERE name >= ? AND name > ? AND name < ? ORDER BY name LIMIT ?"
        )
        most = -1 if limit is None else limit
        return [name for (name,) in self._db.rows(sql, prefix, after, _beyond(prefix), most)]

    def number(self, name: str) -> int | None:
        found = self._db.rows("SELECT bank FROM banks WHERE name = ?", name)
        return found[0][0] if found else None

    def add(self, name: str, at: int) -> int:
        self._db.do("INSERT INTO banks (name, at) VALUES (?, ?) ON CONFLICT DO NOTHING", name, at)
        number: int = self._db.rows("SELECT bank FROM banks WHERE name = ?", name)[0][0]
        return number

    def drop(self, bank: int) -> None:
        for table in (*schema.BANKED, "banks"):
            self._db.do(f"DELETE FROM {table} WHERE bank = ?", bank)  # noqa: S608 - our own names


def _beyond(prefix: str) -> str | bytes:
    """Return what comes after every text that begins so; SQLite has blobs after all texts."""
    for end in range(len(prefix) - 1, -1, -1):
        code = ord(prefix[end]) + 1
        if code <= sys.maxunicode:
            return prefix[:end] + chr(0xE000 if code == 0xD800 else code)
    return b""
