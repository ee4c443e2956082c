"""A bank's index as it stands in memory: columns and cues, kept up with the journal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from hippocampus.core.records import STATE_CHANGES, JournalRow, Kind, Payloads, Store
from hippocampus.index.columns import Columns
from hippocampus.index.cues import CueSet
from hippocampus.index.gists import Priming
from hippocampus.index.growable_array import GrowableArray

_KINDS: Final = (*STATE_CHANGES, "feedback", "annotate", "withdrawn")


def _outcome(kind: str, detail: Mapping[str, Any]) -> int:
    """Return what a change says of the worth of its episode."""
    match kind:
        case "feedback" if "helpful" in detail:  # or the episode is erased
            return 1 if detail["helpful"] else -1
        case "annotate" if detail.get("why") == "corrected":
            return -1
        case "withdrawn" if detail.get("why") == "corrected":
            return 1
    return 0


class BankIndex:
    """
    Derived, disposable: what it holds can be rebuilt from the store at any time.

    Not safe to share between threads without the bank's lock.
    """

    def __init__(self, store: Store, bank: int, cues: CueSet) -> None:
        self._store = store
        self._bank = bank
        self.cues = cues
        self.columns = Columns()
        self.seq = 0
        """The last change taken in."""
        self.outcome = GrowableArray(np.float32)
        """How often each row helped, less how often it did not or was found to be otherwise."""
        self.corrected: dict[int, list[str]] = {}
        """Rows that were found to be otherwise, each with the ids of what says so, in order."""
        self.gists: Priming | None = None
        """What sleep has made of clusters of rows, if it has."""
        self.without_vectors = 0
        """Episodes in force that no embedder has seen; they are found by words alone."""
        self.without_signatures = 0
        """Episodes in force whose tokens were never signed, where others' are."""

    def __len__(self) -> int:
        return len(self.columns)

    def catch_up(self) -> None:
        """Take in what has changed since the last call; one snapshot."""
        with self._store.read():
            last = self._store.last_seq(self._bank)
            if last == self.seq:
                return
            start = len(self.columns)
            fresh = list(self._store.scan_episodes(self._bank, start=start))
            changes = self._store.journal(self._bank, after=self.seq, kinds=_KINDS)
            stop = start + len(fresh)
            self.outcome.extend(np.zeros(len(fresh), np.float32))
            self.columns.observe(fresh)  # cues may ask when rows were said
            for cue in self.cues:
                for payloads in read_payloads(self._store, self._bank, cue.kind, len(cue), stop):
                    cue.observe(payloads)
        for change in changes:
            if change.row is None:
                continue
            if change.kind in STATE_CHANGES:
                self.columns.set_state(change.row, STATE_CHANGES[change.kind], change.at)
            else:
                self._judge(change.row, change)
        self.seq = last
        vector, signature = self.cues.vector, self.cues.signature
        if vector is not None:
            unseen = self.columns.visible() & ~vector.present
            self.without_vectors = int(np.count_nonzero(unseen))
        if signature is not None:
            unsigned = self.columns.visible() & ~signature.present
            self.without_signatures = int(np.count_nonzero(unsigned))

    def _judge(self, row: int, change: JournalRow) -> None:
        """Take in what was said of a row."""
        detail = json.loads(change.detail)
        self.outcome.view[row] += _outcome(change.kind, detail)
        by = detail.get("by") if detail.get("why") == "corrected" else None
        if by is None:
            return
        told = self.corrected.setdefault(row, [])
        if change.kind == "annotate":
            told.append(by)
        elif by in told:
            told.remove(by)


def read_payloads(store: Store, bank: int, kind: Kind, start: int, stop: int) -> Iterator[Payloads]:
    """Yield the payloads of rows ``[start, stop)`` in order; rows without one come out empty."""
    for first, count in store.block_spans(bank, kind):
        if first + count <= start or first >= stop:
            continue
        if first > start:
            yield _absent(first - start)
            start = first
        payloads = Payloads.from_block(store.block(bank, kind, first))
        skip, keep = start - first, min(first + count, stop) - first
        if (skip, keep) != (0, count):
            ends = np.concatenate([[0], np.cumsum(payloads.lengths, dtype=np.int64)])
            payloads = Payloads(payloads.lengths[skip:keep], payloads.data[ends[skip] : ends[keep]])
        yield payloads
        start = first + keep
    if start < stop:
        present = dict(store.tail(bank, kind, start=start))
        yield Payloads.of([present.get(row, b"") for row in range(start, stop)])


def _absent(count: int) -> Payloads:
    return Payloads(np.zeros(count, np.uint32), np.empty(0, np.uint8))
