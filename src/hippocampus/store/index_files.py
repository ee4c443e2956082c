"""
Files of banks' indexes, beside the database: ``NAME-index-BANK-SEQ``.

They are made by others and derived from what is in the store. What matters here is that none
outlives what was erased: whoever finishes an erasure removes those from before it.
"""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import Final

from hippocampus.core.cipher import STORE
from hippocampus.core.events import Erased
from hippocampus.core.records import IndexFile
from hippocampus.store.banks import SqlBanks
from hippocampus.store.database import Database
from hippocampus.store.journal import SqlJournal
from hippocampus.store.opening import beside

_NAMED: Final = re.compile(r"-index-(\d{1,18})-(\d{1,18})")


class IndexFiles:
    """The files there are of one store; see ``IndexFileTable``."""

    def __init__(self, db: Database, banks: SqlBanks, journal: SqlJournal) -> None:
        self._db = db
        self._banks = banks
        self._journal = journal

    def place(self, bank: int, seq: int) -> Path | None:
        """Return the path for the index of a bank; None if nothing of it may lie in the clear."""
        file = self._db.file
        if file is None or self._db.read_only or self._seals():
            return None
        return beside(file, f"-index-{bank}-{seq}")

    def find(self, bank: int) -> list[IndexFile]:
        """Return the files of a bank, the newest first."""
        return [] if self._seals() else [one for one in self.every() if one.bank == bank]

    def every(self) -> list[IndexFile]:
        """Return all there are, the newest first."""
        file = self._db.file
        return [] if file is None else files_beside(file)

    def sweep(self) -> None:
        """Remove index files that may hold erased texts, or are of banks that are gone."""
        for one in self.every():
            if (
                self._seals()
                or not self._banks.has(one.bank)
                or self._banks.is_dropped(one.bank)
                or self._journal.read(one.bank, after=one.seq, kinds=(Erased,), limit=1)
            ):
                one.path.unlink(missing_ok=True)

    def remove(self, path: Path) -> None:
        """Remove one that is of no use; who has it mapped goes on with what it was."""
        if not self._db.read_only:
            with suppress(OSError):  # it is derived, and looked at again by whoever comes next
                path.unlink(missing_ok=True)

    def _seals(self) -> bool:
        return self._db.cipher(STORE).seals


def files_beside(file: Path) -> list[IndexFile]:
    """Return the indexes that lie beside a store, the newest first."""
    found = []
    for path in file.parent.glob(f"{_escaped(file.name)}-index-*"):
        named = _NAMED.fullmatch(path.name.removeprefix(file.name))
        if named is not None:
            found.append(IndexFile(int(named[1]), int(named[2]), path))
    return sorted(found, key=lambda one: -one.seq)


def _escaped(name: str) -> str:
    return re.sub(r"([*?\[])", r"[\1]", name)
