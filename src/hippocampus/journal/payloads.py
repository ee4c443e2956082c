"""Payloads of one bank: written to the tail, filled in, sealed into blocks, and blanked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, cast

import numpy as np

from hippocampus.core.config import Ingest
from hippocampus.core.records import Block, Kind, Payloads
from hippocampus.errors import StoreCorrupt
from hippocampus.index.bm25 import BY_LANGUAGE, pack_terms
from hippocampus.journal.content import Segment
from hippocampus.journal.draft import Encoded
from hippocampus.journal.reader import LedgerPart, LedgerReader

DERIVED: Final[tuple[Kind, ...]] = (
    "vector", "tokens", "lexical", "times", "signature", "phrase", "spans",
)  # fmt: skip
"""Payloads that are made from texts, and can be made anew."""

SLEPT: Final[tuple[Kind, ...]] = ("gist", "concept", "topic", "summary", "graph", "partition")
"""Artifacts that sleep makes of a whole bank, in one block each."""

NO_TIMES: Final = b"\1"
"""The payload of times of a bank's first row, where it tells none."""

NEXT: Final[Mapping[Kind, Kind]] = {kind: cast("Kind", f"{kind}.next") for kind in DERIVED}
"""Kinds under which an unfinished rebuild keeps the new rows of each."""
_TIMES: Final = ("times", NEXT["times"])
_LEXICAL: Final = ("lexical", NEXT["lexical"])
READ_BY_LANGUAGE: Final = pack_terms(np.array([BY_LANGUAGE]))
"""End of the payload of words of a bank's first row."""


class LedgerPayloads(LedgerPart):
    """Writer of payloads, inside ``store.write()``."""

    def __init__(self, reader: LedgerReader, limits: Ingest) -> None:
        super().__init__(reader)
        self._content = reader.content
        self._limits = limits

    def put(self, encoded: Encoded, rows: Mapping[str, int]) -> None:
        """
        Write the payloads of those ids that have a row here.

        The first row of a bank has one of times even if it tells none, and a mark among its words:
        so one sees that times were looked for, and words read in their own languages, which earlier
        versions did not.
        """
        for kind in encoded:
            self._store.payloads.put(self._bank, kind, _of_rows(kind, encoded, rows).items())

    def add(self, encoded: Encoded, rows: Mapping[str, int], stop: int) -> None:
        """
        Do as ``put`` and ``seal`` do; full runs of rows become blocks without a row in the tail.

        ``stop``: how many rows there are.
        """
        ends = self.ends()
        assert encoded.keys() <= ends.keys(), "what rebuilds keep aside is not sealed"
        for kind, first in ends.items():
            made = _of_rows(kind, encoded, rows)
            after = self._seal_from(first, kind, stop, made)
            left = {row: payload for row, payload in made.items() if row >= after}
            if left:
                self._store.payloads.put(self._bank, kind, left.items())

    def fill(self, kind: Kind, made: Mapping[int, bytes]) -> None:
        """Write payloads of rows that had none, in blocks as in the tail."""
        there = {
            e.row for e in self._store.episodes.read(self._bank, list(made)) if e.state != "erased"
        }
        fresh = {row: payload for row, payload in made.items() if row in there}
        self._store.payloads.put(self._bank, kind, self._put_in_blocks(kind, fresh).items())

    def ends(self) -> dict[Kind, int]:
        """Return the row that follows the last block of each kind."""
        return self._store.payloads.sealed(self._bank, ("content", *DERIVED))

    def seal(self) -> None:
        """Turn full runs of tail rows into blocks."""
        stop = self._store.episodes.count(self._bank)
        for kind, first in self.ends().items():
            self._seal_from(first, kind, stop, {})

    def _seal_from(self, first: int, kind: Kind, stop: int, made: Mapping[int, bytes]) -> int:
        """
        Turn full runs of rows into blocks, from a row on; return the row after the last of them.

        ``made``: payloads of rows that are not in the tail yet.
        """
        run = self._limits.seal_rows
        if stop - first < run:
            return first
        present = {**dict(self._store.payloads.tail(self._bank, kind, start=first)), **made}
        if self._store.upkeep.damage(self._bank, kind):
            return first  # a block would have the place of what may yet be saved
        # Behind the last payload nothing is sealed: those of this kind may be made later.
        last = max(present, default=-1)
        while stop - first >= run and first <= last:
            payloads = [present.get(row, b"") for row in range(first, first + run)]
            self._store.payloads.put_block(self._bank, kind, self._sealed(kind, first, payloads))
            first += run
        return first

    def forget_slept(self) -> None:
        """Drop the artifacts of sleep of the whole bank, until it makes them anew."""
        for kind in SLEPT:
            self._store.payloads.drop(self._bank, kind)

    def blank(self, kind: Kind, rows: Sequence[int]) -> None:
        """Empty the payloads of rows, in the tail and in blocks; where there are none, add none."""
        self._store.payloads.blank(self._bank, kind, rows)
        self._put_in_blocks(kind, dict.fromkeys(rows, b""))

    def _put_in_blocks(self, kind: Kind, made: Mapping[int, bytes]) -> dict[int, bytes]:
        """Write payloads of those rows that are in blocks; return the others."""
        left = dict(made)
        for first, count in self._store.payloads.block_spans(self._bank, kind):
            inside = [row for row in left if first <= row < first + count]
            if inside:
                block = self._store.payloads.block(self._bank, kind, first)
                payloads = self._payloads_of(kind, block)
                for row in inside:
                    payloads[row - first] = left.pop(row)
                self._store.payloads.put_block(
                    self._bank, kind, self._sealed(kind, first, payloads)
                )
        return left

    def _payloads_of(self, kind: Kind, block: Block) -> list[bytes]:
        try:
            return list(Payloads.from_block(block))
        except ValueError as exc:
            msg = f"the {kind} of bank {self._bank}: {exc}; 'hippocampus reindex' makes it anew"
            raise StoreCorrupt(msg, path=self._store.path) from exc

    def _sealed(self, kind: Kind, first: int, payloads: Sequence[bytes]) -> Block:
        if kind == "content":
            ids = self._content.unpacked(dict(enumerate(payloads, first)))
            if len(ids) < len(payloads):
                lost = next(row for row in range(first, first + len(payloads)) if row not in ids)
                self._content.check(lost)  # which says what is wrong with it
            return Segment.of(first, list(ids.values())).to_block()
        return Block(first, len(payloads), Payloads.of(payloads).to_bytes())


def _of_rows(kind: Kind, encoded: Encoded, rows: Mapping[str, int]) -> dict[int, bytes]:
    """Return the payloads of a kind by row, with what the first row of a bank has of it."""
    made = encoded.get(kind, {})
    here = {row: made[id_] for id_, row in rows.items() if id_ in made}
    if kind in _TIMES and kind in encoded and 0 in rows.values():
        here.setdefault(0, NO_TIMES)
    if kind in _LEXICAL and 0 in here:
        here[0] += READ_BY_LANGUAGE
    return here
