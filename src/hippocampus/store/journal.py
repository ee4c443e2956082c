"""The journal table: every change to a bank, in order, numbered without gaps."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from typing import Final, NamedTuple

from hippocampus.core.events import JournalEvent, JournalRow, kind_of
from hippocampus.errors import StoreError
from hippocampus.store.checksums import (
    BLANK,
    NO_CHANGES,
    SALT_BYTES,
    chained,
    change_checksum,
    commitment,
    damaged,
    holds,
    is_of,
)
from hippocampus.store.database import Database, Row
from hippocampus.store.sealing import open_change, seal_change

_JOURNAL: Final = ", ".join(JournalRow._fields)
_CHECKED: Final = f"{_JOURNAL}, salt, checksum"
_MARKED: Final = "seq, head, at, kind, row"
_LAST: Final = f"SELECT {_MARKED} FROM journal WHERE bank = ? ORDER BY seq DESC LIMIT 1"  # noqa: S608
DAMAGED: Final = "damaged"
"""The kind of what stands for a change whose row is damaged: one that nobody knows."""


class KeptChange(NamedTuple):
    """A change and what its place in the chain is made of; None where that is of sealed words."""

    change: JournalRow
    salt: bytes | None = None
    checksum: bytes | None = None


class SqlJournal:
    """The ``journal`` table; see ``JournalTable``."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def append(self, bank: int, rows: Iterable[JournalRow]) -> None:
        rows = list(rows)
        if not rows:
            return
        last, head = self._last(bank)
        for expected, change in enumerate(rows, last + 1):
            if change.seq != expected:
                raise self._db.refuse(
                    StoreError,
                    f"bank {bank} is at change {last}, so {change.seq} cannot stand where"
                    f" {expected} belongs; catch up with the journal first",
                )
        # First of all, to refuse before anything is written where another server was faster.
        self._db.advance(bank, last, last + len(rows))
        cipher = self._db.cipher(bank)
        rows = [seal_change(cipher, change) for change in rows]
        # One call for all: each is a call of the system.
        random = os.urandom(SALT_BYTES * len(rows))
        made: list[KeptChange] = []
        for place, change in enumerate(rows):
            at = place * SALT_BYTES
            # In a blank detail there are no words that anybody could try.
            salt = b"" if change.detail == BLANK else random[at : at + SALT_BYTES]
            made.append(KeptChange(change, salt, change_checksum(change, salt)))
        self._chain(bank, head, made)

    def _chain(self, bank: int, head: bytes, changes: Iterable[KeptChange]) -> None:
        made: list[Row] = []
        for change, salt, checksum in changes:
            head = chained(head, checksum)
            made.append((bank, *change, salt, checksum, head))
        self._db.do_many(
            f"INSERT INTO journal (bank, {_CHECKED}, head)"  # noqa: S608
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            made,
        )

    def kept(self, bank: int, *, after: int, limit: int) -> list[KeptChange]:
        """Return changes as ``keep`` takes them into the journal of another store."""
        found = self._db.rows(
            f"SELECT {_CHECKED} FROM journal WHERE bank = ? AND seq > ?"  # noqa: S608
            f" ORDER BY seq LIMIT {int(limit)}",
            bank,
            after,
        )
        chain = not self.is_sealed(bank)
        return [
            KeptChange(self._sound(bank, stored), *(stored[-2:] if chain else ()))
            for stored in found
        ]

    def keep(self, bank: int, changes: Iterable[KeptChange]) -> None:
        """
        Append changes of another store's journal, whose chain goes on here.

        Where either store seals its words a new chain begins, for it is over what is sealed.
        """
        changes = list(changes)
        if self.is_sealed(bank) or any(one.checksum is None for one in changes):
            self.append(bank, [one.change for one in changes])
        elif changes:
            last, head = self._last(bank)
            self._db.advance(bank, last, last + len(changes))
            self._chain(bank, head, changes)

    def is_sealed(self, bank: int) -> bool:
        """Return whether the chain of a bank is over sealed words, which differ in every store."""
        return self._db.cipher(bank).seals

    def _last(self, bank: int) -> tuple[int, bytes]:
        """Return the number of the last change, and the head after it."""
        found = self._db.rows(_LAST, bank)
        seq, head, *_ = found[0] if found else (0, NO_CHANGES)
        return self._seq(bank, seq), head if isinstance(head, bytes) else NO_CHANGES

    def redate(self, bank: int, moments: Mapping[int, int]) -> None:
        head, made = NO_CHANGES, list[Row]()
        for *fields, salt, checksum in self._db.rows(
            f"SELECT {_CHECKED} FROM journal WHERE bank = ? ORDER BY seq",  # noqa: S608
            bank,
        ):
            change = JournalRow(*fields)
            at = moments.get(change.seq, change.at)
            # What is damaged keeps its wrong checksum: a new one would hide the damage.
            if at != change.at and holds(checksum, change_checksum(change, salt)):
                checksum = change_checksum(change._replace(at=at), salt)  # noqa: PLW2901
                change = change._replace(at=at)
            head = chained(head, checksum)
            made.append((change.at, checksum, head, bank, change.seq))
        self._db.do_many(
            "UPDATE journal SET at = ?, checksum = ?, head = ? WHERE bank = ? AND seq = ?", made
        )

    def head(self, bank: int, *, seq: int | None = None) -> bytes:
        if seq is None:
            return self._last(bank)[1]
        found = self._db.rows("SELECT head FROM journal WHERE bank = ? AND seq = ?", bank, seq)
        return found[0][0] if found and isinstance(found[0][0], bytes) else NO_CHANGES

    def mark(self, bank: int, *, seq: int | None = None) -> bytes:
        if seq is None:
            found = self._db.rows(_LAST, bank)
        else:
            sql = f"SELECT {_MARKED} FROM journal WHERE bank = ? AND seq = ?"  # noqa: S608
            found = self._db.rows(sql, bank, seq)
        if not found:
            return NO_CHANGES
        _, head, *plain = found[0]
        # Sealed anew after an erasure, a bank's journal has other heads, over the same changes.
        if self.is_sealed(bank) or not isinstance(head, bytes):
            return repr(plain).encode(errors="surrogatepass")
        return head

    def heads(self, bank: int) -> list[bytes]:
        made = [NO_CHANGES]
        sql = "SELECT checksum FROM journal WHERE bank = ? ORDER BY seq"
        for (checksum,) in self._db.stream(sql, bank):
            made.append(chained(made[-1], checksum))
        return made

    def read(
        self,
        bank: int,
        *,
        after: int = 0,
        row: int | None = None,
        kinds: Collection[type[JournalEvent]] | None = None,
        limit: int | None = None,
    ) -> list[JournalRow]:
        # Left alone, the planner goes through the bank's journal for the changes of one episode.
        by = "" if row is None else self._db.using("journal_by_row")
        sql = f"SELECT {_CHECKED} FROM journal {by} WHERE bank = ? AND seq > ?"  # noqa: S608
        values: list[object] = [bank, after]
        if row is not None:
            sql += " AND row = ?"
            values.append(int(row))
        if kinds is not None:
            sql += f" AND {self._db.among('kind')}"
            values.append(self._db.many(list(map(kind_of, kinds))))
        most = "" if limit is None else f" LIMIT {int(limit)}"
        found = self._db.rows(f"{sql} ORDER BY seq{most}", *values)
        return [self._sound(bank, stored) for stored in found]

    def _sound(self, bank: int, stored: Row) -> JournalRow:
        """Return a change as it was written, or what stands for a damaged one."""
        self._seq(bank, stored[0])
        change: JournalRow = tuple.__new__(JournalRow, stored[:-2])
        whole = holds(stored[-1], change_checksum(change, stored[-2]))
        found = open_change(self._db.cipher(bank), change) if whole else None
        if found is not None and is_of(JournalRow, tuple(found)):
            return found
        place = f"change {change.seq} of bank {bank}, perhaps {change.kind!r},"
        self._db.damage.note(bank, "journal", change.seq, damaged(place))
        return JournalRow(change.seq, 0, DAMAGED, None, BLANK)

    def last_seq(self, bank: int) -> int:
        return self._last(bank)[0]

    def _seq(self, bank: int, found: object) -> int:
        return self._db.number(found, f"the number of a change of bank {bank}")

    def redact(self, bank: int, rows: Collection[int]) -> None:
        found = self._db.rows(
            f"SELECT detail, salt, seq FROM journal {self._db.using('journal_by_row')}"  # noqa: S608
            f" WHERE bank = ? AND {self._db.among('row')} AND detail <> ?",
            bank,
            self._db.many(rows),
            BLANK,
        )
        self._db.do_many(
            "UPDATE journal SET detail = ?, salt = ? WHERE bank = ? AND seq = ?",
            ((BLANK, _committed(detail, salt), bank, seq) for detail, salt, seq in found),
        )


def _committed(detail: str, salt: bytes) -> bytes | None:
    try:
        return commitment(detail, salt)
    except (TypeError, ValueError):  # what was damaged stays so, and goes all the same
        return None
