"""The table of banks: which the store holds."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Final

from hippocampus.core.cipher import STORE, Unsealable
from hippocampus.core.tenant import tenant_of
from hippocampus.errors import StoreCorrupt
from hippocampus.store import schema
from hippocampus.store.checksums import damaged, holds, row_checksum
from hippocampus.store.database import Database, Row
from hippocampus.store.encryption import SqlEncryption

STAGED: Final = "\x1e"
"""Beginning of the name of a bank that is still being copied here; nobody's own has it."""
DROPPED: Final = "\x1d"
"""Beginning of the name of a bank that is gone, while its rows are being removed."""
_NAMELESS: Final = """
    SELECT bank FROM episodes WHERE bank NOT IN (SELECT bank FROM banks)
    UNION SELECT bank FROM journal WHERE bank NOT IN (SELECT bank FROM banks) ORDER BY bank
"""
"""The banks that have rows in other tables, and none in that of banks."""
_HIDDEN: Final = "\x1f"
"""Comes after every name of such banks."""


class SqlBanks:
    """The ``banks`` table; see ``BankTable``."""

    def __init__(self, db: Database, encryption: SqlEncryption) -> None:
        self._db = db
        self._encryption = encryption
        self._sound: tuple[str, Row] | None = None
        """The name and row last asked for, once compared."""

    def names(self, *, prefix: str = "", after: str = "", limit: int | None = None) -> list[str]:
        after = max(after, _HIDDEN)  # so no list has banks that are being copied or removed
        return self._names(prefix, after, limit)

    def staged(self) -> list[str]:
        """Return the names of banks that are being copied here, or were when it was cut off."""
        return self._names(STAGED, "", None)

    def _names(self, prefix: str, after: str, limit: int | None) -> list[str]:
        cipher = self._db.cipher(STORE)
        if cipher.seals:  # sealed names have an order of their own
            names = sorted(name for _, name in self._all() if name is not None)
            return [n for n in names if n.startswith(prefix) and n > after][:limit]
        beyond = _beyond(prefix)
        sql = (
            "SELECT bank, name, at, checksum FROM banks"  # noqa: S608
            f" WHERE name >= ? AND name > ?{beyond and ' AND name < ?'} ORDER BY name"
        )
        values = prefix, after, *filter(None, (beyond,))
        if limit is None:
            return _sound_names(self._db.rows(sql, *values))
        most = asked = max(0, int(limit))
        while True:
            found = self._db.rows(f"{sql} LIMIT {asked}", *values)
            names = _sound_names(found)
            if len(names) >= most or len(found) < asked:
                return names[:most]
            # In the place of damaged ones others come, or a page would look like the last one.
            asked += most - len(names)

    def _all(self) -> Iterator[tuple[Row, str | None]]:
        """Yield every row with the name of the bank; None for one that is damaged."""
        cipher = self._db.cipher(STORE)
        for row in self._db.rows("SELECT bank, name, at, checksum FROM banks"):
            number, name, at, mark = row
            opened = None
            if holds(mark, _checksum(number, name, at)):
                with suppress(Unsealable):
                    opened = cipher.unseal_text("bank", name)
            yield row, opened

    def number(self, name: str) -> int | None:
        name = self._db.cipher(STORE).seal_text("bank", name)
        found = self._db.rows("SELECT bank, at, checksum FROM banks WHERE name = ?", name)
        if not found:
            return None
        number, at, checksum = found[0]
        # Every verb asks for its bank: a row that is as it was need not be compared again.
        if self._sound != (name, found[0]):
            if not holds(checksum, _checksum(number, name, at)):
                raise self._db.refuse(StoreCorrupt, damaged(f"bank {name!r}"))
            self._sound = name, found[0]
        known: int = number
        return known

    def has(self, bank: int) -> bool:
        """Return whether there is a bank of a number."""
        return bool(self._db.rows("SELECT 1 FROM banks WHERE bank = ?", bank))

    def since(self, bank: int) -> int:
        """Return when a bank was made."""
        at: int = self._db.rows("SELECT at FROM banks WHERE bank = ?", bank)[0][0]
        return at

    def add(self, name: str, at: int) -> int:
        known = self.number(name)
        if known is not None:
            return known
        tenant, name = tenant_of(name), self._db.cipher(STORE).seal_text("bank", name)
        self._insert(name, at, tenant)
        number: int = self._db.rows("SELECT bank FROM banks WHERE name = ?", name)[0][0]
        # The number is only known once the row is there, and the checksum covers it.
        self._db.do(
            "UPDATE banks SET checksum = ? WHERE bank = ?", _checksum(number, name, at), number
        )
        self._encryption.make(number)
        return number

    def rename(self, bank: int, name: str) -> None:
        """Call a bank by a name that none has."""
        name, at = self._db.cipher(STORE).seal_text("bank", name), self.since(bank)
        self._db.do(
            "UPDATE banks SET name = ?, checksum = ? WHERE bank = ?",
            name, _checksum(bank, name, at), bank,
        )  # fmt: skip

    def hide(self, bank: int) -> None:
        """
        Give a bank that is gone a name in no list, and destroy its key.

        That name alone says that its rows are to be removed: with another it would be back.
        """
        self.rename(bank, f"{DROPPED}{bank}")
        self._encryption.drop(bank)

    def dropped(self) -> list[int]:
        """Return the banks that are gone, and whose rows are still to be removed."""
        found = map(self.number, self._names(DROPPED, "", None))
        return [number for number in found if number is not None]

    def is_dropped(self, bank: int) -> bool:
        """Return whether the name of a bank says that it is gone."""
        return self.number(f"{DROPPED}{bank}") == bank

    def _insert(self, name: str, at: int, tenant: str) -> None:  # noqa: ARG002 - who keeps it does
        self._db.do("INSERT INTO banks (name, at) VALUES (?, ?)", name, at)

    def damaged(self) -> list[str]:
        every = list(self._all())
        told = [
            damaged(f"bank {number}, perhaps {name!r}")
            for (number, name, *_), opened in every
            if opened is None
        ]
        # By the index of names, which lists go by.
        listed = {bank for (bank,) in self._db.rows("SELECT bank FROM banks WHERE name >= ''")}
        unlisted = [number for (number, *_), _ in every if number not in listed]
        told += [damaged(f"the name of bank {number} in the index of names") for number in unlisted]
        nameless = self._db.rows(_NAMELESS)
        return told + [damaged(f"the row of bank {number}") for (number,) in nameless]

    def drop(self, bank: int) -> None:
        # The bank's own row goes last: the others refer to it.
        for table in (*schema.BANKED, "banks"):
            self._db.do(f"DELETE FROM {table} WHERE bank = ?", bank)  # noqa: S608 - our own names
        self._encryption.drop(bank)


def _sound_names(found: Iterable[Row]) -> list[str]:
    return [name for bank, name, at, mark in found if holds(mark, _checksum(bank, name, at))]


def _checksum(number: int, name: str, at: int) -> bytes | None:
    return row_checksum("banks", number, values=(name, at))


def _beyond(prefix: str) -> str:
    """Return the bound above every text that begins so; empty where there is none."""
    for end in range(len(prefix) - 1, -1, -1):
        code = ord(prefix[end]) + 1
        if code <= sys.maxunicode:
            # Half a surrogate pair can be in no text that is stored: the next character is U+E000.
            return prefix[:end] + chr(0xE000 if code == 0xD800 else code)
    return ""
