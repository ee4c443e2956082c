"""Sealing of the remaining rows anew after an erasure, under a key that the log never had."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final, cast

from hippocampus.core.cipher import STORE, Cipher, Unsealable
from hippocampus.core.events import JournalRow
from hippocampus.core.records import STORED_NAMES, Block, EpisodeRow, Kind
from hippocampus.errors import StoreCorrupt
from hippocampus.store.blocks import seal, unseal
from hippocampus.store.checksums import (
    BLANK,
    NO_CHANGES,
    SALT_BYTES,
    chained,
    change_checksum,
    damaged,
    holds,
    payload_checksum,
    row_checksum,
)
from hippocampus.store.database import Database, Row
from hippocampus.store.postgres.encryption import PostgresEncryption
from hippocampus.store.sealing import (
    open_change,
    open_episode,
    payload_place,
    seal_change,
    seal_episode,
)
from hippocampus.store.settings import SqlSettings

_AT_ONCE: Final = 2048
"""Rows that are read and written in one go."""
_EPISODE: Final = ", ".join(STORED_NAMES.values())
_CHANGE: Final = ", ".join(JournalRow._fields)


class Resealing:
    """Gives banks and the store itself other keys, and seals all of their rows anew."""

    def __init__(self, db: Database, encryption: PostgresEncryption, settings: SqlSettings) -> None:
        self._db = db
        self._encryption = encryption
        self._settings = settings

    def reseal(self, bank: int) -> None:
        """
        Seal every row of a bank under a new key, inside ``write(bank)``; the former key is gone.

        Its journal comes to other heads: they are over what is sealed.

        Raises:
            StoreCorrupt: something is damaged, and would be lost for good; nothing was changed.

        """
        before, after = self._encryption.replace(bank)
        self._episodes(bank, before, after)
        self._journal(bank, before, after)
        self._tail(bank, before, after)
        self._blocks(bank, before, after)

    def reseal_store(self) -> None:
        """
        Seal the names of banks and the settings under a new key, inside ``write()``.

        Only for who sees every bank: the names that it does not see are lost with the former key.

        Raises:
            StoreCorrupt: something is damaged, and would be lost for good; nothing was changed.

        """
        before, after = self._encryption.replace(STORE)
        self._names(before, after)
        made: list[tuple[str, str]] = []
        for key, sealed in self._settings.sealed():
            made.append((key, self._text_anew(before, after, key, sealed, f"setting {key!r}")))
        self._settings.put_all_plain(made)

    def _names(self, before: Cipher, after: Cipher) -> None:
        for page in self._pages(
            "SELECT bank, name, at, checksum FROM banks WHERE bank > ? ORDER BY bank LIMIT ?"
        ):
            made: list[Row] = []
            for bank, name, at, checksum in page:
                if not holds(checksum, row_checksum("banks", bank, values=(name, at))):
                    raise self._damaged(f"bank {bank}")
                new = self._text_anew(before, after, "bank", name, f"bank {bank}")
                made.append((new, row_checksum("banks", bank, values=(new, at)), bank))
            self._db.do_many("UPDATE banks SET name = ?, checksum = ? WHERE bank = ?", made)

    def _pages(self, sql: str, *values: object) -> Iterator[list[Row]]:
        """Yield rows in pages: ``sql`` takes a first number after the values, and how many."""
        start: int = -1
        while found := self._db.rows(sql, *values, start, _AT_ONCE):
            yield found
            start = found[-1][0]

    def _damaged(self, what: str) -> StoreCorrupt:
        refused = self._db.refuse(StoreCorrupt, damaged(what))
        assert isinstance(refused, StoreCorrupt), "it is what was asked for"
        return refused

    def _episodes(self, bank: int, before: Cipher, after: Cipher) -> None:
        sets = ", ".join(f"{name} = ?" for name in STORED_NAMES.values())
        for page in self._pages(
            f"SELECT {_EPISODE}, checksum FROM episodes"  # noqa: S608 - our own names
            " WHERE bank = ? AND row > ? ORDER BY row LIMIT ?",
            bank,
        ):
            made: list[Row] = []
            for *fields, checksum in page:
                stored = EpisodeRow(*fields)
                whole = holds(checksum, row_checksum("episodes", bank, values=stored))
                opened = open_episode(before, stored) if whole else None
                if opened is None:
                    raise self._damaged(f"row {stored.row} of bank {bank}")
                new = seal_episode(after, opened)
                mark = row_checksum("episodes", bank, values=new)
                made.append((*new, mark, bank, stored.row))
            self._db.do_many(
                f"UPDATE episodes SET {sets}, checksum = ? WHERE bank = ? AND row = ?",  # noqa: S608
                made,
            )

    def _journal(self, bank: int, before: Cipher, after: Cipher) -> None:
        head = NO_CHANGES
        for page in self._pages(
            f"SELECT {_CHANGE}, salt, checksum FROM journal"  # noqa: S608 - our own names
            " WHERE bank = ? AND seq > ? ORDER BY seq LIMIT ?",
            bank,
        ):
            made: list[Row] = []
            for *fields, salt, checksum in page:
                stored = JournalRow(*fields)
                whole = holds(checksum, change_checksum(stored, salt))
                opened = open_change(before, stored) if whole else None
                if opened is None:
                    raise self._damaged(f"change {stored.seq} of bank {bank}")
                new = seal_change(after, opened)
                # The salt of a blank detail is its commitment: by that the checksum holds.
                if new.detail != BLANK:
                    salt = os.urandom(SALT_BYTES)  # noqa: PLW2901
                mark = change_checksum(new, salt)
                head = chained(head, mark)
                made.append((new.detail, salt, mark, head, bank, new.seq))
            self._db.do_many(
                "UPDATE journal SET detail = ?, salt = ?, checksum = ?, head = ?"
                " WHERE bank = ? AND seq = ?",
                made,
            )

    def _tail(self, bank: int, before: Cipher, after: Cipher) -> None:
        for (kind,) in self._db.rows("SELECT DISTINCT kind FROM tail WHERE bank = ?", bank):
            for page in self._pages(
                "SELECT row, payload, checksum FROM tail"
                " WHERE bank = ? AND kind = ? AND row > ? ORDER BY row LIMIT ?",
                bank, kind,
            ):  # fmt: skip
                made: list[Row] = []
                for row, payload, checksum in page:
                    place, what = (
                        payload_place(kind, row),
                        f"the {kind} of row {row} of bank {bank}",
                    )
                    if not holds(checksum, payload_checksum(bank, kind, row, payload)):
                        raise self._damaged(what)
                    new = self._anew(before, after, place, payload, what)
                    made.append((new, payload_checksum(bank, kind, row, new), bank, kind, row))
                self._db.do_many(
                    "UPDATE tail SET payload = ?, checksum = ?"
                    " WHERE bank = ? AND kind = ? AND row = ?",
                    made,
                )

    def _blocks(self, bank: int, before: Cipher, after: Cipher) -> None:
        every = "SELECT kind, first FROM blocks WHERE bank = ?"
        for kind, first in self._db.rows(every, bank):
            ((count, framed, checksum),) = self._db.rows(
                "SELECT count, payload, checksum FROM blocks"
                " WHERE bank = ? AND kind = ? AND first = ?",
                bank, kind, first,
            )  # fmt: skip
            block = unseal(
                bank, cast("Kind", kind), first, count, framed, checksum, path=self._db.path
            )
            place, what = payload_place(kind, first, count), f"a {kind} block of bank {bank}"
            payload = self._anew(before, after, place, block.payload, what)
            framed, checksum = seal(bank, kind, Block(first, count, payload))
            self._db.do(
                "UPDATE blocks SET payload = ?, checksum = ?"
                " WHERE bank = ? AND kind = ? AND first = ?",
                framed, checksum, bank, kind, first,
            )  # fmt: skip

    def _text_anew(self, before: Cipher, after: Cipher, place: str, sealed: str, what: str) -> str:
        try:
            return after.seal_text_once(place, before.unseal_text(place, sealed))
        except Unsealable as exc:
            raise self._damaged(what) from exc

    def _anew(self, before: Cipher, after: Cipher, place: str, sealed: bytes, what: str) -> bytes:
        try:
            return after.seal(place, before.unseal(place, sealed))
        except Unsealable as exc:
            raise self._damaged(what) from exc
