"""
The graph cue: episodes and the names they hold; and what sleep has read of whom, row by row.

A name that two episodes hold is an edge between them, the stronger the rarer the name. Activation
that begins where the question's names are goes over these to what the question does not name.
"""

from __future__ import annotations

import json
import zlib
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Annotated, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Rows32
from hippocampus.core.decompress import inflate
from hippocampus.core.records import Kind, Payloads, Statement
from hippocampus.errors import InputError
from hippocampus.index.cue import DenseCue, Scores
from hippocampus.index.growable_array import GrowableArray, Versioned
from hippocampus.index.phrase_codec import PROPER, unpack_phrases
from hippocampus.index.query import Query
from hippocampus.index.sorted_sets import is_among

_HEARD: Final = 50
"""A name that more episodes hold leads nowhere in particular: as in ``spreading_activation``. Set
by hand."""
_PASSED: Final = 0.5
"""Damping: share of an episode's activation that spreads over the names it holds; for this cue
asked alone, and never measured."""

FORMAT: Final = 3
"""Format of the stored block: 3 names relations otherwise (docs/adr/0048)."""
_READ_OTHERWISE: Final = (1, 2)
"""Formats before, whose statements are by fewer rules, or by other names of relations."""


@dataclass(frozen=True)
class Statements:
    """
    Statements of the first ``length`` rows, by row; rows that say nothing are left out.

    ``heard``: who has spoken in each session so far, so that reading can go on. ``kept``: what a
    model has answered, by a digest of what it was shown, so as not to ask again. ``reader``: what
    read the rows, "rules", "parse" or "both".
    """

    length: int = 0
    rows: Mapping[int, tuple[Statement, ...]] = field(default_factory=dict)
    heard: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    kept: Mapping[str, str] = field(default_factory=dict)
    reader: str = "rules"

    @cached_property
    def numbers(self) -> NDArray[np.intp]:
        """The rows that say something, in the order in which they were read."""
        return np.fromiter(self.rows, np.intp, len(self.rows))

    def ahead(self, at: int) -> int:
        """Return the number of statements that begin after a moment, in microseconds since 1970."""
        return len(self._starts) - bisect_right(self._starts, at)

    @cached_property
    def _starts(self) -> list[int]:
        """The moments at which statements begin, ascending."""
        return sorted(
            one.start for said in self.rows.values() for one in said if one.start is not None
        )

    @cached_property
    def telling(self) -> Mapping[str, tuple[int, ...]]:
        """Rows that say something by each relation, ascending."""
        rows: defaultdict[str, list[int]] = defaultdict(list)
        for row, said in sorted(self.rows.items()):
            for relation in dict.fromkeys(statement.relation for statement in said):
                rows[relation].append(row)
        return {relation: tuple(found) for relation, found in rows.items()}


_Count = Annotated[int, msgspec.Meta(ge=0)]


class _StoredStatements(msgspec.Struct):
    """Statements as JSON has them."""

    format: int
    length: _Count
    rows: list[tuple[_Count, tuple[Statement, ...]]]
    heard: dict[str, tuple[str, ...]]
    kept: dict[str, str]
    reader: str = "rules"


def pack(statements: Statements) -> bytes:
    """Return the bytes of statements; the same ones give the same bytes."""
    said = {"format": FORMAT, **asdict(statements)} | {"rows": sorted(statements.rows.items())}
    body = json.dumps(said, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return zlib.compress(body.encode(), 6)


def unpack(data: bytes) -> Statements:
    """
    Read the bytes of statements.

    Raises:
        InputError: they are not what ``pack`` wrote, or a later version wrote them; sleep makes
            them anew.

    """
    try:
        said = msgspec.json.decode(inflate(data), type=_StoredStatements)
    except (ValueError, msgspec.MsgspecError, RecursionError) as exc:
        msg = f"facts: these bytes are damaged, or something else ({exc!r:.80}); sleep once more"
        raise InputError(msg) from exc
    if said.format in _READ_OTHERWISE:
        return Statements(kept=said.kept)  # read all again
    whole = all(0 <= row < said.length for row, _ in said.rows)
    named = all(one.subject and one.relation for _, made in said.rows for one in made)
    if not (said.format == FORMAT and whole and named):
        msg = "facts: another version wrote them, or not all of them is there; sleep once more"
        raise InputError(msg)
    return Statements(said.length, dict(said.rows), said.heard, said.kept, said.reader)


class GraphCue(Versioned, DenseCue):
    """
    Episodes and the names in them, both ways, from the payloads of phrases.

    Space: 8 bytes a mention and 8 an episode. Asking costs the mentions that are touched.
    """

    kind: Kind = "phrase"

    def __init__(self) -> None:
        self._names = GrowableArray(np.uint32)
        self._owners = GrowableArray(np.uint32)
        self._ends = GrowableArray(np.int64)
        self._sorted: tuple[NDArray[np.uint32], Rows32] | None = None

    def __len__(self) -> int:
        return len(self._ends)

    @property
    def nbytes(self) -> int:
        return self._names.nbytes + self._owners.nbytes + self._ends.nbytes

    def observe(self, payloads: Payloads) -> None:
        read = unpack_phrases(payloads)
        proper = (read.keys & PROPER) > 0
        owners = read.owner[proper]
        start, before = len(self), len(self._names)
        self._names.extend(read.keys[proper] & ~np.uint32(PROPER))
        self._owners.extend(owners + start)
        self._ends.extend(before + np.searchsorted(owners, np.arange(len(payloads)), side="right"))
        self._sorted = None

    def mentions(self, rows: Rows32, apart: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Return the number of names in each row but for some, which ascend; shape (rows,)."""
        names, place = self._of(rows)
        others = ~is_among(names, apart)
        return np.bincount(place[others], minlength=len(rows))

    def scores(self, question: Query) -> Scores | None:
        """Return the activation of each row, shape (n,); None where the question names nothing."""
        asked = np.fromiter(question.phrases, np.uint32, len(question.phrases))
        first = self._passed(asked, np.ones(len(asked), np.float32))
        rows = np.flatnonzero(first).astype(np.uint32)
        if not len(rows):
            return None
        names, place = self._of(rows)
        new = ~np.isin(names, asked)  # what the question names has passed on its own already
        names, strength = names[new], first[rows][place[new]]
        each, at = np.unique(names, return_inverse=True)
        most = np.zeros(len(each), np.float32)
        np.maximum.at(most, at, strength)
        return first + np.float32(_PASSED) * self._passed(each, most)

    def _passed(self, names: NDArray[np.uint32], strength: Scores) -> Scores:
        """Return the activation that each row has from names: the rarer a name, the more."""
        if self._sorted is None:
            order = np.argsort(self._names.view, kind="stable")
            self._sorted = self._names.view[order], self._owners.view[order]
        ordered, owners = self._sorted
        total = np.zeros(len(self), np.float32)
        first = np.searchsorted(ordered, names)
        ends = np.searchsorted(ordered, names, side="right")
        for name, (start, stop) in enumerate(zip(first.tolist(), ends.tolist(), strict=True)):
            if 0 < stop - start <= _HEARD:
                rarity = np.log((len(self) + 1) / (stop - start + 0.5)) / np.log(len(self) + 1)
                total[owners[start:stop]] += np.float32(rarity) * strength[name]
        return total

    def _of(self, rows: Rows32) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """Return the names of rows, and with each the place of its row among those given."""
        ends = self._ends.view
        stop = ends[rows.astype(np.intp)]
        start = np.where(rows > 0, ends[rows.astype(np.intp) - 1], 0)
        counts = stop - start
        place = np.repeat(np.arange(len(rows)), counts)
        within = np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts, counts)
        return self._names.view[start[place] + within], place
