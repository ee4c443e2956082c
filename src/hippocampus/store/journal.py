"""The journal table: every change to a bank, in order, numbered without gaps."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import Final

from hippocampus.core.events import JournalEvent, JournalRow, kind_of
from hippocampus.errors import StoreError
from hippocampus.store.transactions import Row, Transactions, as_json

_JOURNAL: Final = ", ".join(JournalRow._fields)
# Rows come in the order and number of the fields, so the length check of ``_make`` buys nothing.
_to_change: Final[Callable[[Row], JournalRow]] = partial(tuple.__new__, JournalRow)


class SqliteJournal:
    """The ``journal`` table; see ``JournalTable``."""

    def __init__(self, db: Transactions) -> None:
        self._db = db

    def append(self, bank: int, rows: Iterable[JournalRow]) -> None:
        rows = list(rows)
        last = self.last_seq(bank)
        for expected, change in enumerate(rows, last + 1):
            if change.seq != expected:
                raise self._db.connections.refuse(
                    StoreError,
                    f"bank {bank} is at change {last}, so {change.seq} cannot stand where"
                    f" {expected} belongs; catch up with the journal first",
                )
        self._db.do_many(
            f"INSERT INTO journal (bank, {_JOURNAL}) VALUES (?, ?, ?, ?, ?, ?)",  # noqa: S608
            ((bank, *change) for change in rows),
        )

    def redate(self, bank: int, moments: Mapping[int, int]) -> None:
        self._db.do_many(
            "UPDATE journal SET at = ? WHERE bank = ? AND seq = ?",
            ((at, bank, seq) for seq, at in moments.items()),
        )

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
        by = "" if row is None else "INDEXED BY journal_by_row"
        sql = f"SELECT {_JOURNAL} FROM journal {by} WHERE bank = ? AND seq > ?"  # noqa: S608
        values: list[object] = [bank, after]
        if row is not None:
            sql += " AND row = ?"
            values.append(int(row))
        if kinds is not None:
            sql += " AND kind IN (SELECT value FROM json_each(?))"
            values.append(json.dumps(list(map(kind_of, kinds))))
        found = self._db.rows(
            f"{sql} ORDER BY seq LIMIT ?", *values, -1 if limit is None else limit
        )
        return list(map(_to_change, found))

    def last_seq(self, bank: int) -> int:
        found = self._db.rows("SELECT MAX(seq) FROM journal WHERE bank = ?", bank)
        return found[0][0] or 0

    def redact(self, bank: int, rows: Collection[int]) -> None:
        self._db.do(
            "UPDATE journal SET detail = '{}'"
            " WHERE bank = ? AND row IN (SELECT value FROM json_each(?))",
            bank,
            as_json(rows),
        )
