"""The books of one bank: episodes, texts, journal and payloads, kept in step with each other."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from hippocampus.core.config import Ingest
from hippocampus.core.records import Store
from hippocampus.journal.acts import SleepActs
from hippocampus.journal.content import Segments
from hippocampus.journal.erasure import Erasure
from hippocampus.journal.lineage import Lineage
from hippocampus.journal.payloads import LedgerPayloads
from hippocampus.journal.reader import LedgerReader
from hippocampus.journal.writer import LedgerWriter


class Ledger:
    """
    The books of one bank, over a store and nothing else: no index, no lock, no embedder.

    It keeps no state, so it may be made anew at any time. What reads may be called anywhere, and
    sees one moment inside ``store.read()``. What writes is called inside ``store.write()``.
    """

    def __init__(
        self,
        store: Store,
        bank: int,
        *,
        name: str,
        salt: bytes,
        limits: Ingest,
        now: Callable[[], datetime],
        segments: Segments,
    ) -> None:
        self.store = store
        self.bank = bank
        self.name = name
        self.salt = salt
        self.limits = limits
        self.reader = LedgerReader(store, bank, name=name, segments=segments)
        self.lineage = Lineage(self.reader)
        self.payloads = LedgerPayloads(self.reader, limits)
        self.writer = LedgerWriter(self.reader, self.lineage, self.payloads, clock=now)
        self.acts = SleepActs(self.reader, self.writer)
        self.erasure = Erasure(self.reader, self.lineage, self.payloads, self.writer)

    def __repr__(self) -> str:
        return f"Ledger({self.name!r})"
