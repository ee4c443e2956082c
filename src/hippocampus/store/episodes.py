"""The episodes table: everything about an episode but its text, by bank and row."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import Final

from hippocampus.core.records import STORED_NAMES, EpisodeRow, State
from hippocampus.errors import StoreError
from hippocampus.store.transactions import Row, Transactions, as_json

# Without statistics SQLite reads a whole bank by its primary key rather than use an index whose
# first column is the bank as well (35 ms a call at 50 000 episodes): such queries name the index.
_EPISODE: Final = ", ".join(STORED_NAMES.values())
# Rows come in the order and number of the fields, so the length check of ``_make`` buys nothing.
_to_episode: Final[Callable[[Row], EpisodeRow]] = partial(tuple.__new__, EpisodeRow)

_SCAN_ROWS = 4096
"""Episodes per query of a scan: large enough to cost nothing, small enough to stay in the cache."""


class SqliteEpisodes:
    """The ``episodes`` table; see ``EpisodeTable``."""

    def __init__(self, db: Transactions) -> None:
        self._db = db

    def add(self, bank: int, rows: Iterable[EpisodeRow]) -> None:
        rows = list(rows)
        for expected, episode in enumerate(rows, self.count(bank)):
            if episode.row != expected:
                raise self._db.connections.refuse(
                    StoreError,
                    f"bank {bank}: the next free row is {expected}, not {episode.row};"
                    " catch up with the journal first",
                )
        places = ", ".join("?" for _ in EpisodeRow._fields)
        self._db.do_many(
            f"INSERT INTO episodes (bank, {_EPISODE}) VALUES (?, {places})",  # noqa: S608
            ((bank, *episode) for episode in rows),
        )

    def set_state(
        self, bank: int, rows: Collection[int], state: State, *, superseded_by: int | None = None
    ) -> None:
        self._db.do(
            "UPDATE episodes SET state = ?1,"
            " superseded_by = CASE ?1 WHEN 'active' THEN NULL ELSE COALESCE(?2, superseded_by) END"
            " WHERE bank = ?3 AND row IN (SELECT value FROM json_each(?4)) AND state <> 'erased'",
            state, None if superseded_by is None else int(superseded_by), bank, as_json(rows),
        )  # fmt: skip

    def redate(self, bank: int, moments: Mapping[int, int]) -> None:
        self._db.do_many(
            "UPDATE episodes SET noted_at = ? WHERE bank = ? AND row = ?",
            ((at, bank, row) for row, at in moments.items()),
        )

    def set_level(self, bank: int, rows: Collection[int], level: int) -> None:
        self._db.do(
            "UPDATE episodes SET level = ? WHERE bank = ?"
            " AND row IN (SELECT value FROM json_each(?)) AND state <> 'erased'",
            int(level),
            bank,
            as_json(rows),
        )

    def set_marks(self, bank: int, rows: Collection[int], marks: int, *, on: bool) -> None:
        self._db.do(
            "UPDATE episodes SET marks = CASE WHEN ?1 THEN marks | ?2 ELSE marks & ~?2 END"
            " WHERE bank = ?3 AND row IN (SELECT value FROM json_each(?4)) AND state <> 'erased'",
            on, int(marks), bank, as_json(rows),
        )  # fmt: skip

    def count(self, bank: int) -> int:
        last = self._db.rows("SELECT MAX(row) FROM episodes WHERE bank = ?", bank)[0][0]
        return 0 if last is None else last + 1

    def read(self, bank: int, rows: Collection[int]) -> list[EpisodeRow]:
        found = self._db.rows(
            f"SELECT {_EPISODE} FROM episodes"  # noqa: S608
            " WHERE bank = ? AND row IN (SELECT value FROM json_each(?))",
            bank,
            as_json(rows),
        )
        by_row = {row[0]: row for row in found}
        return [_to_episode(by_row[row]) for row in rows if row in by_row]

    def scan(self, bank: int, *, start: int = 0) -> Iterator[EpisodeRow]:
        while True:
            found = self._db.rows(
                f"SELECT {_EPISODE} FROM episodes"  # noqa: S608
                " WHERE bank = ? AND row >= ? ORDER BY row LIMIT ?",
                bank,
                start,
                _SCAN_ROWS,
            )
            yield from map(_to_episode, found)
            if len(found) < _SCAN_ROWS:
                return
            start = found[-1][0] + 1

    def last_of_session(self, bank: int, session: str, limit: int) -> list[EpisodeRow]:
        found = self._db.rows(
            f"SELECT {_EPISODE} FROM episodes INDEXED BY episodes_by_session"  # noqa: S608
            " WHERE bank = ? AND session = ?"
            " ORDER BY row DESC LIMIT ?",
            bank,
            session,
            limit,
        )
        return list(map(_to_episode, reversed(found)))

    def from_source(self, bank: int, source: str) -> list[EpisodeRow]:
        found = self._db.rows(
            f"SELECT {_EPISODE} FROM episodes INDEXED BY episodes_by_source"  # noqa: S608
            " WHERE bank = ? AND source = ? ORDER BY row",
            bank,
            source,
        )
        return list(map(_to_episode, found))

    def rows_at(self, bank: int, address: str) -> list[int]:
        sql = "SELECT row FROM episodes WHERE bank = ? AND address = ? ORDER BY row"
        return [row for (row,) in self._db.rows(sql, bank, address)]

    def rows_of(self, bank: int, ids: Collection[str]) -> dict[str, int]:
        return dict(
            self._db.rows(
                "SELECT id, row FROM episodes"
                " WHERE bank = ? AND id IN (SELECT value FROM json_each(?))",
                bank,
                json.dumps(list(ids)),
            )
        )

    def rows_with_digest(self, bank: int, digest: bytes) -> list[int]:
        found = self._db.rows(
            "SELECT row FROM episodes INDEXED BY episodes_by_digest"
            " WHERE bank = ? AND digest = ? AND state <> 'erased'"
            " ORDER BY row",
            bank,
            digest,
        )
        return [row for (row,) in found]

    def erase(self, bank: int, rows: Collection[int]) -> None:
        self._db.do(
            "UPDATE episodes SET state = 'erased', said_at = noted_at, session = NULL, turn = NULL,"
            " part = 0, parts = 1, speaker = NULL, role = NULL, source = NULL, address = '',"
            " metadata = '{}', digest = x'', supersedes = NULL, superseded_by = NULL,"
            " level = 0, marks = 0"
            " WHERE bank = ? AND row IN (SELECT value FROM json_each(?))",
            bank,
            as_json(rows),
        )
