"""Material of a bank's concepts: its rows, its phrases, and which rows say each phrase."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Floats, Rows
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.index.phrase_codec import PROPER
from hippocampus.kernel import stable_order
from hippocampus.language.noun_phrases import Phrase


@immutable(eq=False)
class Material:
    """
    Material of a bank's concepts; n rows, p phrases.

    ``keys``, shape (p,), with ``PROPER`` in names; ``owner``: the row of each; ``lasting``
    importance, ``gists`` (``language/equivalence.py``), ``occurred_at`` in microseconds,
    ``shown``, ``by_user`` and ``session`` by number, -1 for none, shape (n,). ``uses``: how often
    each was recalled; None where that is not asked for.
    """

    keys: NDArray[np.uint32]
    owner: Rows
    lasting: Floats
    gists: NDArray[np.uint32]
    occurred_at: NDArray[np.int64]
    shown: NDArray[np.bool_]
    by_user: NDArray[np.bool_]
    session: NDArray[np.int32]
    uses: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.shown)

    def digest(self, length: int) -> int:
        """Return a checksum of what the first rows weigh, whenever they are looked at."""
        lasting = zlib.crc32(self.lasting[:length].tobytes())
        return zlib.crc32(self.occurred_at[:length].tobytes(), lasting)


class Reads(NamedTuple):
    """Readers of a bank, asked for a little at a time."""

    vectors: Callable[[Rows], Floats]
    """Vectors of rows, shape (rows, dimension), of length 1 or zero."""
    names: Callable[[Collection[int]], Mapping[int, Sequence[Phrase]]]
    """Phrases by row, spelled; asked for a few, those of new anchors."""
    embed: Callable[[Sequence[str]], Floats]
    """Vectors of names."""
    estimates: Callable[[Floats], Floats] | None = None
    """Estimates the cosines of all rows and a vector by their signs, shape (rows,)."""


@immutable(kw_only=False, eq=False)
class PhrasePostings:
    """
    Every phrase that is said by rows in force, and those rows.

    ``keys``: ascending, without ``PROPER``; the i-th is said by ``rows[ends[i] : ends[i + 1]]``,
    ascending, and by which of them as a name says ``proper``.
    """

    keys: NDArray[np.uint32]
    ends: NDArray[np.int64]
    rows: Rows
    proper: NDArray[np.bool_]
    occurred_at: NDArray[np.int64]

    @classmethod
    def of(cls, material: Material) -> PhrasePostings:
        """Group the phrases of a bank."""
        keys, rows = material.keys, material.owner
        there = material.shown[rows]
        # Where nothing is hidden this spares a copy of all phrases.
        if not there.all():
            keys, rows = keys[there], rows[there]
        bare = keys & ~np.uint32(PROPER)
        # Stable, so that the rows of each phrase stay ascending.
        order = stable_order(bare)
        bare = bare[order]
        starts = np.flatnonzero(np.append(True, bare[1:] != bare[:-1])[: len(bare)])
        proper = (keys >= PROPER)[order]
        ends = np.append(starts, len(bare))
        return cls(bare[starts], ends, rows[order], proper, material.occurred_at)

    def place(self, key: int) -> int | None:
        """Return the place of a phrase among the keys, None if nothing in force says it."""
        at = int(np.searchsorted(self.keys, key))
        return at if at < len(self.keys) and self.keys[at] == key else None

    def rows_of(self, keys: Sequence[int]) -> list[Rows]:
        """Return the rows that say each phrase, in order of time."""
        found = []
        for key in keys:
            at = self.place(key)
            rows = self.rows[:0] if at is None else self.rows[self.ends[at] : self.ends[at + 1]]
            found.append(rows[np.argsort(self.occurred_at[rows], kind="stable")])
        return found

    def sums(self, of_each: NDArray[np.float32]) -> NDArray[np.float32]:
        """Add up, for each phrase, numbers of which there is one for each of ``rows``."""
        if not len(self.keys):
            return np.empty(0, np.float32)
        return np.add.reduceat(of_each, self.ends[:-1], dtype=np.float64).astype(np.float32)

    def latest(self) -> NDArray[np.int64]:
        """Return when each phrase was said last."""
        if not len(self.keys):
            return np.empty(0, np.int64)
        latest: NDArray[np.int64] = np.maximum.reduceat(self.occurred_at[self.rows], self.ends[:-1])
        return latest
