"""Checks of a store's rows: whether each is as it was written, and what they take."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, NamedTuple, cast

from hippocampus.core.records import Kind
from hippocampus.errors import StoreCorrupt
from hippocampus.store.banks import SqlBanks
from hippocampus.store.checksums import damaged
from hippocampus.store.database import Database
from hippocampus.store.episodes import SqlEpisodes
from hippocampus.store.invariants import invariants
from hippocampus.store.journal import SqlJournal
from hippocampus.store.payloads import SqlPayloads
from hippocampus.store.requests import SqlRequests
from hippocampus.store.settings import SqlSettings

_TEXTS: Final = ("id", "session", "speaker", "role", "source", "address", "metadata")


class Tables(NamedTuple):
    """The tables that are checked row by row."""

    settings: SqlSettings
    banks: SqlBanks
    journal: SqlJournal
    episodes: SqlEpisodes
    payloads: SqlPayloads
    requests: SqlRequests


class RowChecks:
    """Looks at every row of a store."""

    def __init__(self, db: Database, tables: Tables) -> None:
        self._db = db
        self._tables = tables

    def stored_bytes(self, bank: int) -> dict[str, int]:
        """Return bytes kept by kind of data; see ``StoreUpkeep``."""
        size = self._db.size_of
        texts = " + ".join(f"COALESCE({size(name)}, 0)" for name in _TEXTS)
        found = self._db.rows(
            f"SELECT 'journal', COALESCE(SUM({size('kind')} + {size('detail')} + 24), 0)"  # noqa: S608
            " FROM journal WHERE bank = ? UNION ALL"
            # 24 and 64: the fixed-width numbers of a row, which are packed into fewer bytes
            f" SELECT 'episodes', COALESCE(SUM({texts} + LENGTH(digest) + 64), 0)"
            " FROM episodes WHERE bank = ? UNION ALL"
            " SELECT kind, SUM(n) FROM ("
            "  SELECT kind, LENGTH(payload) AS n FROM tail WHERE bank = ? UNION ALL"
            "  SELECT kind, LENGTH(payload) FROM blocks WHERE bank = ?) AS every GROUP BY kind",
            bank, bank, bank, bank,
        )  # fmt: skip
        # On a damaged page a kind may be anything, and what is kept of it nothing.
        return {kind: int(nbytes or 0) for kind, nbytes in found if isinstance(kind, str)}

    def check(self, bank: int | None = None) -> list[str]:
        """Return the faults of rows, and between them; inside ``read()``; or of one bank."""
        wrong: list[str] = []
        if bank is not None:
            return list(self._damaged_rows(bank))
        dropped = set(self._tables.banks.dropped())  # of which some is there, and some is not
        for message, sql in invariants():
            rows = self._db.rows(sql)
            wrong += [message.format(*row) for row in rows if row[0] not in dropped]
        wrong += self._tables.settings.damaged() + self._tables.banks.damaged()
        wrong += self._tables.requests.damaged()
        for (number,) in self._db.rows("SELECT bank FROM banks ORDER BY bank"):
            wrong += [] if number in dropped else self._damaged_rows(number)
        return wrong

    def _damaged_rows(self, bank: int) -> Iterator[str]:
        """Read every row of a bank; yield what is wrong with it."""
        yield from self._looked_at(lambda: self._tables.journal.read(bank))
        yield from self._looked_at(lambda: sum(1 for _ in self._tables.episodes.scan(bank)))
        kinds = "SELECT DISTINCT kind FROM tail WHERE bank = ? ORDER BY kind"
        for (kind,) in self._db.rows(kinds, bank):
            if not isinstance(kind, str):
                yield damaged(f"the tail of bank {bank}, of kind {kind!r},")
                continue
            yield from self._looked_at(
                partial(self._tables.payloads.tail, bank, cast("Kind", kind))
            )
        for kind, first in self._db.rows(
            "SELECT kind, first FROM blocks WHERE bank = ? ORDER BY 1, 2", bank
        ):
            if isinstance(kind, str) and isinstance(first, int):
                look = partial(self._tables.payloads.block, bank, cast("Kind", kind), first)
                yield from self._looked_at(look)
            else:
                yield damaged(f"a block of bank {bank}, of kind {kind!r} from row {first!r} on,")
        # Reading has noted what is damaged, and raised nothing.
        yield from self._db.damage.of(bank)
        stored = self._db.stream("SELECT head FROM journal WHERE bank = ? ORDER BY seq", bank)
        heads = self._tables.journal.heads(bank)[1:]
        for seq, ((noted,), head) in enumerate(zip(stored, heads, strict=True), 1):
            if noted != head:
                yield (
                    f"the journal of bank {bank} does not come to the head that was noted with its"
                    f" change {seq}: changes up to there are missing, or other than they were"
                )
                break

    def _looked_at(self, look: Callable[[], object]) -> Iterator[str]:
        """Yield why something cannot be read at all, if it cannot."""
        try:
            look()
        except StoreCorrupt as exc:
            yield str(exc)
