"""Make what is derived from a bank's texts anew, beside what is in use, and swap."""

from __future__ import annotations

from collections.abc import Collection

from hippocampus.core.config import Signatures
from hippocampus.core.events import IndexRebuilt
from hippocampus.core.records import Embedder, Kind, Progress
from hippocampus.journal.ledger import Ledger
from hippocampus.journal.payloads import NEXT
from hippocampus.write.encode import context_before, encode_drafts

REBUILDING = "rebuilding"
"""The setting that says whose vectors an unfinished rebuild makes; there is one at a time."""


def drop(ledger: Ledger) -> None:
    """Throw away what an unfinished rebuild has made; inside a transaction."""
    for kind in NEXT.values():
        ledger.store.payloads.drop(ledger.bank, kind)


def stage(
    ledger: Ledger,
    embedder: Embedder | None,
    signed: Signatures | None,
    mark: str,
    *,
    progress: Progress | None = None,
) -> None:
    """
    Make the derived payloads anew beside the present ones; goes on where it was stopped.

    One transaction a batch; ends early when the setting is no longer ``mark``, for then another
    rebuild has begun, or ended this one. Reads texts alone: a damaged index is to be repaired.
    """
    store, bank, batch = ledger.store, ledger.bank, ledger.limits.batch
    staged = {row for row, _ in store.payloads.tail(bank, NEXT["lexical"])}
    records = list(store.episodes.scan(bank))
    missing = {e.row for e in records if e.state != "erased"} - staged
    if not missing:
        return
    stop = len(records)
    phrases = bool(
        store.payloads.block_spans(bank, "phrase") or store.payloads.tail(bank, "phrase")
    )
    said: dict[str, list[str]] = {}
    for first in range(0, stop, batch):  # from 0: what was said before colours what comes after
        some = records[first : first + batch]
        drafts = ledger.reader.drafts(some)
        before = context_before(drafts, said)
        if any(record.row in missing for record in some):
            encoded = encode_drafts(
                drafts, before, embedder=embedder, signed=signed, phrases=phrases
            )
            made = {NEXT[kind]: encoded[kind] for kind in NEXT if kind in encoded}
            with store.write():
                if store.settings.get(REBUILDING) != mark:
                    return
                # What was erased while we encoded it must not come in again by this door.
                there = store.episodes.read(bank, [record.row for record in some])
                ledger.payloads.put(made, {e.id: e.row for e in there if e.state != "erased"})
        if progress:
            progress(min(first + batch, stop), stop)


def promote(ledger: Ledger, kinds: Collection[Kind]) -> int:
    """
    Put what ``stage`` made of some kinds in the place of what was; inside a transaction.

    Returns how many episodes are in force.
    """
    for kind, made in NEXT.items():
        if kind in kinds:
            ledger.store.payloads.move(ledger.bank, made, kind)
    ledger.payloads.seal()
    ledger.writer.note(IndexRebuilt())
    return sum(row.state == "active" for row in ledger.store.episodes.scan(ledger.bank))
