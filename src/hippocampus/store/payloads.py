"""The tables of payloads: kept per episode, as tail rows until they are sealed into blocks."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from functools import partial
from operator import itemgetter
from typing import Final

from hippocampus.core.cipher import Unsealable
from hippocampus.core.records import Block, Kind
from hippocampus.errors import StoreCorrupt, StoreError
from hippocampus.store.blocks import deflate, inflate, seal, unseal
from hippocampus.store.checksums import damaged, holds, payload_checksum, payload_checksums
from hippocampus.store.database import Database
from hippocampus.store.sealing import payload_place

_MANY: Final = 64
"""Payloads of which it is worth asking whether any is there already: new ones are sent faster."""


class SqlPayloads:
    """The ``tail`` and ``blocks`` tables; see ``PayloadTable``."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def put(self, bank: int, kind: Kind, payloads: Iterable[tuple[int, bytes]]) -> None:
        # A row that is given twice would clash with itself below, where nothing says ON CONFLICT.
        made = sorted(dict(payloads).items(), key=itemgetter(0))
        cipher = self._db.cipher(bank)
        if cipher.seals:
            places = [(payload_place(kind, row), payload) for row, payload in made]
            sealed = cipher.seal_each(places, read_next=kind != "content")
            made = [(row, payload) for (row, _), payload in zip(made, sealed, strict=True)]
        sql = "INSERT INTO tail (bank, kind, row, payload, checksum) VALUES (?, ?, ?, ?, ?)"
        # A plain INSERT of many rows goes to PostgreSQL by COPY, which knows no ON CONFLICT.
        if len(made) < _MANY or self._has_between(bank, kind, made[0][0], made[-1][0]):
            sql += (
                " ON CONFLICT (bank, kind, row) DO UPDATE"
                " SET payload = excluded.payload, checksum = excluded.checksum"
            )
        checksum = payload_checksums(bank, kind)
        self._db.do_many(
            sql,
            ((bank, kind, int(row), payload, checksum(row, payload)) for row, payload in made),
        )
        self._db.damage.mend(bank, kind, {row for row, _ in made})

    def _has_between(self, bank: int, kind: Kind, first: int, last: int) -> bool:
        sql = "SELECT 1 FROM tail WHERE bank = ? AND kind = ? AND row BETWEEN ? AND ? LIMIT 1"
        return bool(self._db.rows(sql, bank, kind, int(first), int(last)))

    def tail(self, bank: int, kind: Kind, *, start: int = 0) -> list[tuple[int, bytes]]:
        return sorted(self.tails(bank, {kind: start})[kind].items())

    def _sound(
        self, bank: int, kind: str, row: int, payload: bytes, checksum: object
    ) -> bytes | None:
        """Return a payload as it was written; None for one that is not, as if there were none."""
        if isinstance(payload, bytes) and isinstance(row, int) and isinstance(kind, str):
            made = payload_checksum(bank, kind, row, payload)
        else:
            made = None
        if holds(checksum, made):
            with suppress(Unsealable):
                return self._db.cipher(bank).unseal(payload_place(kind, row), payload)
        what = "text" if kind == "content" else kind
        place = f"the {what} of row {row} of bank {bank}"
        self._db.damage.note(bank, kind, row, damaged(place))
        return None

    def tails(self, bank: int, starts: Mapping[Kind, int]) -> dict[Kind, dict[int, bytes]]:
        found: dict[Kind, dict[int, bytes]] = {kind: {} for kind in starts}
        one = (
            "SELECT kind, row, payload, checksum FROM tail WHERE bank = ? AND kind = ? AND row >= ?"
        )
        values = [value for kind, start in starts.items() for value in (bank, kind, int(start))]
        # One statement for all kinds: over a network each costs a way there and back.
        every = self._db.rows(" UNION ALL ".join([one] * len(starts)), *values) if starts else []
        # A bank has thousands of them, and nearly all are sound.
        checksums = {kind: payload_checksums(bank, kind) for kind in starts}
        cipher = self._db.cipher(bank)
        for kind, row, payload, mark in every:
            if (
                kind in checksums  # of a damaged row it may be anything
                and type(row) is int
                and type(payload) is bytes
                and checksums[kind](row, payload) == mark
            ):
                if not cipher.seals:
                    found[kind][row] = payload
                    continue
                with suppress(Unsealable):
                    found[kind][row] = cipher.unseal(payload_place(kind, row), payload)
                    continue
            made = self._sound(bank, kind, row, payload, mark)
            if made is not None and kind in found:
                found[kind][row] = made
        return found

    def read(self, bank: int, kind: Kind, rows: Collection[int]) -> dict[int, bytes]:
        found = self._db.rows(
            "SELECT row, payload, checksum FROM tail WHERE bank = ? AND kind = ?"  # noqa: S608
            f" AND {self._db.among('row')}",
            bank,
            kind,
            self._db.many(rows),
        )
        read = {row: self._sound(bank, kind, row, made, mark) for row, made, mark in found}
        return {row: made for row, made in read.items() if made is not None}

    def put_block(self, bank: int, kind: Kind, block: Block) -> None:
        first, ends = int(block.first), int(block.first) + int(block.count)
        # A block that lies within is replaced; of one that only overlaps rows would be lost.
        self._db.do(
            "DELETE FROM blocks WHERE bank = ? AND kind = ?"
            " AND first >= ? AND (first = ? OR first + count <= ?)",
            bank, kind, first, first, ends,
        )  # fmt: skip
        clash = self._db.rows(
            "SELECT first, count FROM blocks WHERE bank = ? AND kind = ?"
            " AND first < ? AND first + count > ?",
            bank, kind, ends, first,
        )  # fmt: skip
        if clash:
            raise self._db.refuse(
                StoreError,
                f"bank {bank}: a {kind} block of rows {first} to {ends - 1} would overlap the"
                f" one of rows {clash[0][0]} to {sum(clash[0]) - 1}; seal whole blocks",
            )
        self._db.damage.mend(bank, kind, range(first, ends))
        # Deflated first, for what is sealed does not get shorter.
        payload = self._db.cipher(bank).seal(
            payload_place(kind, first, ends - first),
            deflate(kind, block.payload, ends - first),
        )
        framed, checksum = seal(bank, kind, Block(first, ends - first, payload))
        self._db.do(
            "INSERT INTO blocks (bank, kind, first, count, checksum, payload)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            bank, kind, first, ends - first, checksum, framed,
        )  # fmt: skip
        self._db.do(
            "DELETE FROM tail WHERE bank = ? AND kind = ? AND row >= ? AND row < ?",
            bank, kind, first, ends,
        )  # fmt: skip

    def block_spans(self, bank: int, kind: Kind) -> list[tuple[int, int]]:
        sql = "SELECT first, count FROM blocks WHERE bank = ? AND kind = ? ORDER BY first"
        place = f"where a {kind} block of bank {bank} begins"
        number = partial(self._db.number, what=place)
        return [(number(first), number(count)) for first, count in self._db.rows(sql, bank, kind)]

    def sealed(self, bank: int, kinds: Collection[Kind]) -> dict[Kind, int]:
        one = (
            "SELECT * FROM (SELECT kind, first + count FROM blocks WHERE bank = ? AND kind = ?"
            " ORDER BY first DESC LIMIT 1) AS last"
        )
        values = [value for kind in kinds for value in (bank, kind)]
        every = self._db.rows(" UNION ALL ".join([one] * len(kinds)), *values) if kinds else []
        place = f"where the blocks of bank {bank} end"
        found = {kind: self._db.number(end, place) for kind, end in every}
        return {kind: found.get(kind, 0) for kind in kinds}

    def block_marks(self, bank: int, kind: Kind) -> list[tuple[int, int, bytes]]:
        sql = "SELECT first, count, checksum FROM blocks WHERE bank = ? AND kind = ? ORDER BY first"
        number = partial(self._db.number, what=f"where a {kind} block of bank {bank} begins")
        return [
            (number(first), number(count), mark if isinstance(mark, bytes) else b"")
            for first, count, mark in self._db.rows(sql, bank, kind)
        ]

    def block(self, bank: int, kind: Kind, first: int) -> Block:
        found = self._db.rows(
            "SELECT count, payload, checksum FROM blocks WHERE bank = ? AND kind = ? AND first = ?",
            bank,
            kind,
            int(first),
        )
        if not found:
            raise self._db.refuse(
                StoreError,
                f"bank {bank} has no {kind} block that begins at row {first}; ask block_spans in"
                " the same read()",
            )
        count, framed, checksum = found[0]
        path, place = self._db.path, f"the {kind} block of bank {bank} from row {first} on"
        if not isinstance(framed, bytes) or not isinstance(count, int):
            raise self._db.refuse(StoreCorrupt, damaged(place))
        block = unseal(bank, kind, int(first), count, framed, checksum, path=path)
        try:
            payload = self._db.cipher(bank).unseal(
                payload_place(kind, int(first), count), block.payload
            )
        except Unsealable as exc:
            raise self._db.refuse(StoreCorrupt, damaged(place)) from exc
        inflated = inflate(payload, count)
        if inflated is None:
            raise self._db.refuse(StoreCorrupt, damaged(f"what is deflated of {place}"))
        return Block(block.first, block.count, inflated)

    def blank(self, bank: int, kind: Kind, rows: Collection[int]) -> None:
        found = self._db.rows(
            f"SELECT row FROM tail WHERE bank = ? AND kind = ? AND {self._db.among('row')}",  # noqa: S608
            bank, kind, self._db.many(rows),
        )  # fmt: skip
        self.put(bank, kind, [(row, b"") for (row,) in found])

    def drop(self, bank: int, kind: Kind) -> None:
        # Every row: a range takes no room, and tells at once what is in it.
        self._db.damage.mend(bank, kind, range(sys.maxsize))
        self._db.do("DELETE FROM tail WHERE bank = ? AND kind = ?", bank, kind)
        self._db.do("DELETE FROM blocks WHERE bank = ? AND kind = ?", bank, kind)

    def move(self, bank: int, kind: Kind, target: Kind) -> None:
        # A block's checksum is keyed by its kind; that of a tail row is made to stay when it moves.
        if self.block_spans(bank, kind):
            raise self._db.refuse(
                StoreError, f"bank {bank}: sealed {kind} payloads cannot be moved"
            )
        self.drop(bank, target)
        self._db.do("UPDATE tail SET kind = ? WHERE bank = ? AND kind = ?", target, bank, kind)
