"""The episodes table: everything about an episode but its text, by bank and row."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Final

from hippocampus.core.budget import check_budget
from hippocampus.core.cipher import Cipher, Unsealable
from hippocampus.core.records import STORED_NAMES, DamagedRow, EpisodeRow, State
from hippocampus.errors import StoreCorrupt, StoreError
from hippocampus.store.checksums import damaged, holds, is_of, row_checksum
from hippocampus.store.database import Database, Row
from hippocampus.store.sealing import open_episode, seal_episode

# Without statistics SQLite reads a whole bank by its primary key rather than use an index whose
# first column is the bank as well (35 ms a call at 50 000 episodes): such queries name the index.
_EPISODE: Final = ", ".join(STORED_NAMES.values())
_CHECKED: Final = f"{_EPISODE}, checksum"

_LAST: Final = "\U0010ffff"
"""Comes after every character that an id has."""
_SCAN_ROWS = 4096
"""Episodes per query of a scan: large enough to cost nothing, small enough to stay in the cache."""


class SqlEpisodes:
    """The ``episodes`` table; see ``EpisodeTable``."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, bank: int, rows: Iterable[EpisodeRow]) -> None:
        rows = list(rows)
        for expected, episode in enumerate(rows, self.count(bank)):
            if episode.row != expected:
                raise self._db.refuse(
                    StoreError,
                    f"bank {bank}: the next free row is {expected}, not {episode.row};"
                    " catch up with the journal first",
                )
        places = ", ".join("?" for _ in EpisodeRow._fields)
        cipher = self._db.cipher(bank)
        sealed = [seal_episode(cipher, episode) for episode in rows]
        self._db.do_many(
            f"INSERT INTO episodes (bank, {_CHECKED}) VALUES (?, {places}, ?)",  # noqa: S608
            ((bank, *episode, _checksum(bank, episode)) for episode in sealed),
        )

    def set_state(
        self, bank: int, rows: Collection[int], state: State, *, superseded_by: int | None = None
    ) -> None:
        by = None if superseded_by is None else int(superseded_by)

        def changed(old: EpisodeRow) -> EpisodeRow:
            kept = old.superseded_by if by is None else by
            return old._replace(state=state, superseded_by=None if state == "active" else kept)

        self._change(bank, rows, changed, ("state", "superseded_by"))

    def redate(self, bank: int, moments: Mapping[int, int]) -> None:
        self._change(
            bank, moments, lambda old: old._replace(recorded_at=moments[old.row]), ("recorded_at",),
            erased=True,
        )  # fmt: skip

    def set_level(self, bank: int, rows: Collection[int], level: int) -> None:
        self._change(bank, rows, lambda old: old._replace(level=int(level)), ("level",))

    def set_marks(self, bank: int, rows: Collection[int], marks: int, *, on: bool) -> None:
        def changed(old: EpisodeRow) -> EpisodeRow:
            return old._replace(marks=old.marks | int(marks) if on else old.marks & ~int(marks))

        self._change(bank, rows, changed, ("marks",))

    def _change(
        self,
        bank: int,
        rows: Collection[int],
        changed: Callable[[EpisodeRow], EpisodeRow],
        fields: Collection[str],
        *,
        erased: bool = False,
    ) -> None:
        """Change fields of sound episodes, and their checksums; of erased ones only if told."""
        sets = ", ".join(f"{STORED_NAMES[name]} = ?" for name in fields)
        # The checksum is over the whole row, so that is read to change one field of it.
        found = self.read(bank, rows)
        made = [
            changed(old)
            for old in found
            if not isinstance(old, DamagedRow) and (erased or old.state != "erased")
        ]
        cipher = self._db.cipher(bank)
        made = [seal_episode(cipher, new) for new in made]
        self._db.do_many(
            f"UPDATE episodes SET {sets}, checksum = ? WHERE bank = ? AND row = ?",  # noqa: S608
            (
                (*(getattr(new, name) for name in fields), _checksum(bank, new), bank, new.row)
                for new in made
            ),
        )

    def count(self, bank: int) -> int:
        # Not COUNT, which reads every row, and gives a number twice where one is missing.
        last = self._db.rows("SELECT MAX(row) FROM episodes WHERE bank = ?", bank)[0][0]
        return 0 if last is None else self._row(bank, last) + 1

    def _row(self, bank: int, found: object, *, least: int = 0) -> int:
        row = self._db.number(found, f"a row of bank {bank}")
        # An order that goes backwards would have a scan go round for ever.
        return row if row >= least else self._db.number(None, f"the order of bank {bank}")

    def read(self, bank: int, rows: Collection[int]) -> list[EpisodeRow]:
        if not rows:
            return []
        found = self._db.rows(
            f"SELECT {_CHECKED} FROM episodes"  # noqa: S608
            f" WHERE bank = ? AND {self._db.among('row')}",
            bank,
            self._db.many(rows),
        )
        by_row = {row[0]: row for row in found}
        return [self._sound(bank, by_row[row]) for row in rows if row in by_row]

    def _sound(self, bank: int, stored: Row) -> EpisodeRow:
        """Return an episode as it was written, or what stands for a damaged one."""
        episode: EpisodeRow = tuple.__new__(EpisodeRow, stored[:-1])
        cipher, name = self._db.cipher(bank), episode.id
        whole = holds(stored[-1], _checksum(bank, episode))
        found = open_episode(cipher, episode) if whole else None
        if found is not None and is_of(EpisodeRow, tuple(found)):
            return found
        place = f"episode {name!r}, row {episode.row} of bank {bank},"
        self._db.damage.note(bank, "episodes", episode.row, damaged(place))
        return DamagedRow.of(episode.row, "" if cipher.seals else name)

    def scan(self, bank: int, *, start: int = 0) -> Iterator[EpisodeRow]:
        expected = start
        while True:
            check_budget()
            found = self._db.rows(
                f"SELECT {_CHECKED} FROM episodes"  # noqa: S608
                " WHERE bank = ? AND row >= ? ORDER BY row LIMIT ?",
                bank,
                expected,
                _SCAN_ROWS,
            )
            for stored in found:
                row = self._row(bank, stored[0], least=expected)
                yield from self._missing(bank, range(expected, row))
                yield self._sound(bank, stored)
                expected = row + 1
            if len(found) < _SCAN_ROWS:
                return

    def _missing(self, bank: int, rows: range) -> Iterator[EpisodeRow]:
        """Yield stand-ins for rows that are not there, though later ones are."""
        # A damaged row number may be anything: nobody stands in for billions of rows.
        if len(rows) > _SCAN_ROWS:
            place = f"the episodes table of bank {bank} between rows {rows[0]} and {rows[-1] + 1}"
            raise self._db.refuse(StoreCorrupt, damaged(place))
        for row in rows:
            self._db.damage.note(bank, "episodes", row, damaged(f"row {row} of bank {bank}"))
            yield DamagedRow.of(row, "")

    def last_of_session(self, bank: int, session: str, limit: int) -> list[EpisodeRow]:
        found = self._db.rows(
            f"SELECT {_CHECKED} FROM episodes {self._db.using('episodes_by_session')}"  # noqa: S608
            " WHERE bank = ? AND session = ?"
            " ORDER BY row DESC LIMIT ?",
            bank,
            self._db.cipher(bank).seal_text("session", session),
            limit,
        )
        return self._all_sound(bank, reversed(found))

    def from_source(self, bank: int, source: str) -> list[EpisodeRow]:
        found = self._db.rows(
            f"SELECT {_CHECKED} FROM episodes {self._db.using('episodes_by_source')}"  # noqa: S608
            " WHERE bank = ? AND source = ? ORDER BY row",
            bank,
            self._db.cipher(bank).seal_text("source", source),
        )
        return self._all_sound(bank, found)

    def _all_sound(self, bank: int, found: Iterable[Row]) -> list[EpisodeRow]:
        read = (self._sound(bank, stored) for stored in found)
        return [episode for episode in read if not isinstance(episode, DamagedRow)]

    def rows_at(self, bank: int, address: str) -> list[int]:
        sql = "SELECT row FROM episodes WHERE bank = ? AND address = ? ORDER BY row"
        return [
            row
            for (row,) in self._db.rows(
                sql, bank, self._db.cipher(bank).seal_text("address", address)
            )
        ]

    def rows_of(self, bank: int, ids: Collection[str]) -> dict[str, int]:
        cipher = self._db.cipher(bank)
        named = {cipher.seal_text("id", one): one for one in ids}
        found = self._db.rows(
            f"SELECT id, row FROM episodes WHERE bank = ? AND {self._db.among('id')}",  # noqa: S608
            bank,
            self._db.many(list(named)),
        )
        # By a damaged page of the index one may come that nobody asked for.
        return {named[one]: row for one, row in found if one in named}

    def ids_beginning(self, bank: int, prefix: str, limit: int) -> list[str]:
        cipher = self._db.cipher(bank)
        if cipher.seals:  # sealed ones are in no order
            stored = self._db.rows("SELECT id FROM episodes WHERE bank = ?", bank)
            opened = (_opened(cipher, one) for (one,) in stored)
            return sorted(one for one in opened if one.startswith(prefix))[:limit]
        found = self._db.rows(
            f"SELECT id FROM episodes {self._db.using('episodes_by_id')}"  # noqa: S608
            " WHERE bank = ? AND id >= ? AND id < ? ORDER BY id LIMIT ?",
            bank, prefix, prefix + _LAST, limit,
        )  # fmt: skip
        return [one for (one,) in found if isinstance(one, str) and one.startswith(prefix)]

    def rows_with_digest(self, bank: int, digest: bytes) -> list[int]:
        found = self._db.rows(
            f"SELECT row FROM episodes {self._db.using('episodes_by_digest')}"  # noqa: S608
            " WHERE bank = ? AND digest = ? AND state <> 'erased'"
            " ORDER BY row",
            bank,
            self._db.cipher(bank).seal("digest", digest),
        )
        return [row for (row,) in found]

    def erase(self, bank: int, rows: Collection[int]) -> None:
        # Row and id stay: the journal and other episodes name them.
        self._change(bank, rows, EpisodeRow.blanked, EpisodeRow._fields[2:], erased=True)


def _opened(cipher: Cipher, stored: object) -> str:
    """Return an id as it was before it was sealed; none that anybody gives if it does not open."""
    with suppress(Unsealable):
        return cipher.unseal_text("id", stored) if isinstance(stored, str) else ""
    return ""


def _checksum(bank: int, episode: EpisodeRow) -> bytes | None:
    return row_checksum("episodes", bank, values=episode)
