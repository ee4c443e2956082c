"""
Sessions, conversations or documents, as a whole: what they lend their turns, and their own ranking.

A session is as good as its best turn, and better if it is about the same thing as the sessions that
answer best, or if it is recent. The first is how one memory calls up another; the second is what a
person who goes on with something expects. Both would crowd the one right turn out of a ranking of
turns, which is why sessions have a ranking of their own (docs/adr/0011-sessions.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from hippocampus._clock import to_micros
from hippocampus.config import Fusion
from hippocampus.index.base import Mask, Question, Rows
from hippocampus.index.live import LiveIndex
from hippocampus.index.vector import VectorCue
from hippocampus.kernel import top_k
from hippocampus.recall.scale import Numbers, standardised

Number = TypeVar("Number", np.float32, np.int64)

_DAY = 86_400_000_000
"""Microseconds."""

_ALIKE = 0.01
"""Scores and cosines that differ by less say the same. It also keeps rounding out of the ranking:
what is left of a vector of length 1 when nearly all is taken off is known to 0.0003."""


@dataclass(frozen=True, slots=True, eq=False)
class Sessions:
    """
    The sessions of some rows, each once.

    ``codes``: shape (sessions,). ``held``: which rows belong to one, session by session, shape
    (held,). ``starts``: where in ``held`` each session begins. ``groups``: to which session each of
    ``held`` belongs, by its place in ``codes``.
    """

    codes: NDArray[np.int32]
    held: NDArray[np.intp]
    starts: NDArray[np.intp]
    groups: NDArray[np.intp]

    @classmethod
    def of(cls, codes: NDArray[np.int32]) -> Sessions:
        """Group rows by the code of their session; a negative code is no session."""
        held = np.argsort(codes, kind="stable")
        held = held[np.count_nonzero(codes < 0) :]
        ordered = codes[held]
        first = is_first(ordered)
        starts = np.flatnonzero(first)
        return cls(ordered[starts], held, starts, np.cumsum(first) - 1)

    def __len__(self) -> int:
        return len(self.codes)

    def members(self, chosen: Rows, rows: Rows) -> tuple[Rows, NDArray[np.uint32]]:
        """Return the rows of some sessions, and of which of ``chosen`` each is."""
        place = np.full(len(self), -1, np.int64)
        place[chosen] = np.arange(len(chosen))
        place = place[self.groups]
        inside = np.flatnonzero(place >= 0)
        return rows[self.held[inside]], place[inside].astype(np.uint32)

    def best(self, scores: Numbers) -> Numbers:
        """Return each session's best score, at least 0."""
        return np.maximum(self.highest(scores), np.float32(0))

    def highest(self, values: NDArray[Number]) -> NDArray[Number]:
        """Return each session's highest of the rows' values, shape (sessions,)."""
        highest: NDArray[Number] = np.maximum.reduceat(values[self.held], self.starts)
        return highest

    def support(self, scores: Numbers) -> Numbers:
        """Return for each row the mean of its session's two best scores, at least 0 each."""
        support = np.zeros(len(scores), np.float32)
        best = self.best(scores)
        equal = np.flatnonzero(scores[self.held] == best[self.groups])
        once = equal[is_first(self.groups[equal])]
        others = scores.copy()
        others[self.held[once]] = 0
        support[self.held] = ((best + self.best(others)) / np.float32(2))[self.groups]
        return support


def is_first(ordered: NDArray[np.generic]) -> Mask:
    """Return where a value stands for the first time, of values in order (or equal ones together)."""
    first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return first


def rank_sessions(
    index: LiveIndex,
    question: Question,
    rows: Rows,
    scores: Numbers,
    sessions: Sessions,
    fusion: Fusion,
    cues: frozenset[str],
) -> NDArray[np.int32]:
    """Return the best sessions of scored rows by code, best first."""
    best = sessions.best(scores)
    chosen = top_k(best, fusion.sessions, None)
    if not len(chosen):
        return sessions.codes[chosen]
    worth = standardised(best[chosen], least=_ALIKE)
    last = sessions.highest(index.columns.said_at(rows))[chosen]
    age = np.maximum(to_micros(question.now) - last, 0) / (_DAY * fusion.recent_days)
    worth += np.float32(fusion.recency) * np.exp(-age).astype(np.float32)
    vector = index.cues.get("vector")
    if "vector" in cues and isinstance(vector, VectorCue):
        sums, sizes = vector.sums(*sessions.members(chosen, rows), len(chosen))
        near = associated(sums, sizes, worth, fusion.best_within)
        worth += np.float32(fusion.association) * standardised(near, least=_ALIKE)
    codes = sessions.codes[chosen]
    return codes[np.lexsort((codes, -worth))]


def associated(
    sums: Numbers, sizes: NDArray[np.intp], worth: Numbers, best_within: float
) -> Numbers:
    """
    Return how near in meaning each session is to the best ones together, as a cosine.

    A session means what its candidates mean beyond what all candidates do: without taking that off,
    everything one person says about one question is alike.

    Args:
        sums: the sum of each session's vectors, shape (sessions, dimension).
        sizes: how many they are; a session without any is near nothing.
        worth: how good each session is so far; the best speak for what is meant.
        best_within: how far below the best a session's say in that has fallen to 1/e.

    """
    # A session's own part is sums - counts * usual; it is not written out, which would take longer
    # than all that is worked out from it.
    counts = sizes.astype(np.float32)
    usual = sums.sum(axis=0) / np.maximum(counts.sum(), np.float32(1))
    squares = np.einsum("ij,ij->i", sums, sums) - 2 * counts * (sums @ usual)
    squares += counts * counts * (usual @ usual)
    lengths = np.maximum(np.sqrt(np.maximum(squares, 0)), np.float32(_ALIKE) * counts)
    lengths[counts == 0] = 1
    say = np.exp((worth - worth.max()) / np.float32(best_within)) / lengths
    meant = say @ sums - (say @ counts) * usual
    along = sums @ meant - counts * (usual @ meant)
    length = np.maximum(np.sqrt(meant @ meant), np.float32(_ALIKE))
    near: Numbers = along / (lengths * length)
    return near
