"""
Find orders to a model in what others wrote before such texts were marked as they are kept.

A bank is looked over once, by its next sleep; the journal says that it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hippocampus.core.background_yield import pausing
from hippocampus.core.events import Accepted, Judged, Suspected
from hippocampus.core.origin import OWN
from hippocampus.core.records import SUSPECT, EpisodeRow
from hippocampus.journal.ledger import Ledger
from hippocampus.language.injections import reads_like_injection

_AT_ONCE: Final = 256
"""Texts in memory at a time: they may be long, and are read once."""


def is_judged(ledger: Ledger) -> bool:
    """Return whether a bank was looked over."""
    return bool(ledger.reader.events(Judged))


def find_suspects(ledger: Ledger) -> list[int]:
    """Return the rows of others that read like an instruction to a model and do not say so."""
    rows = [e.row for e in _unmarked(ledger)]
    found: list[int] = []
    for start in range(0, len(rows), _AT_ONCE):
        texts = ledger.reader.texts(rows[start : start + _AT_ONCE])
        found += [row for row, text in pausing(texts.items()) if reads_like_injection(text)]
    return found


def mark_suspects(ledger: Ledger, found: list[int]) -> int:
    """Mark suspects that are still there and that nobody has accepted; return their number."""
    # They were found outside of this transaction, so somebody may have changed them since.
    wanted = set(found)
    rows = [e.row for e in _unmarked(ledger) if e.row in wanted]
    ledger.store.episodes.set_marks(ledger.bank, rows, SUSPECT, on=True)
    ledger.writer.note_at(
        ledger.writer.now(), [*((row, Suspected()) for row in rows), (None, Judged())]
    )
    return len(rows)


def _unmarked(ledger: Ledger) -> Iterator[EpisodeRow]:
    accepted = {change.row for change in ledger.reader.events(Accepted)}
    for e in ledger.store.episodes.scan(ledger.bank):
        known = e.origin in OWN or e.marks & SUSPECT or e.row in accepted
        if e.state != "erased" and not known:
            yield e
