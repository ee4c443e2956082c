"""
Sessions, conversations or documents, as a whole: what they lend their turns, and their own ranking.

A session is as good as its best turn, and better if it is about the same thing as the sessions that
answer best, or if it is recent. The first is how one memory calls up another; the second is what a
person who goes on with something expects. Both would crowd the one right turn out of a ranking of
turns, which is why sessions have a ranking of their own (docs/adr/0011-sessions.md).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hippocampus._clock import to_micros
from hippocampus.config import Fusion
from hippocampus.index.base import Question, Rows
from hippocampus.index.live import LiveIndex
from hippocampus.index.vector import VectorCue
from hippocampus.recall.scale import Numbers, standardised

_DAY = 86_400_000_000
"""Microseconds."""


@dataclass(frozen=True, slots=True, eq=False)
class Sessions:
    """
    The sessions of some rows, each once.

    ``codes``: shape (sessions,). ``held``: which rows belong to one. ``groups``: to which, by its
    place in ``codes``, shape (held,).
    """

    codes: NDArray[np.int32]
    held: NDArray[np.intp]
    groups: NDArray[np.uint32]

    @classmethod
    def of(cls, codes: NDArray[np.int32]) -> Sessions:
        """Group rows by the code of their session; a negative code is no session."""
        held = np.flatnonzero(codes >= 0)
        found, groups = np.unique(codes[held], return_inverse=True)
        return cls(found, held, groups.astype(np.uint32))

    def __len__(self) -> int:
        return len(self.codes)

    def best(self, scores: Numbers) -> Numbers:
        """Return each session's best score, at least 0."""
        best = np.zeros(len(self), np.float32)
        np.maximum.at(best, self.groups, scores[self.held])
        return best

    def support(self, scores: Numbers) -> Numbers:
        """Return for each row the mean of its session's two best scores, at least 0 each."""
        support = np.zeros(len(scores), np.float32)
        best = self.best(scores)
        first = np.flatnonzero(scores[self.held] == best[self.groups])
        _, once = np.unique(self.groups[first], return_index=True)
        others = scores.copy()
        others[self.held[first[once]]] = 0
        support[self.held] = ((best + self.best(others)) / np.float32(2))[self.groups]
        return support


def rank_sessions(
    index: LiveIndex,
    question: Question,
    rows: Rows,
    scores: Numbers,
    sessions: Sessions,
    fusion: Fusion,
    cues: frozenset[str],
) -> NDArray[np.int32]:
    """Return the sessions of scored rows by code, best first."""
    if not len(sessions):
        return sessions.codes
    rows = rows[sessions.held]
    worth = standardised(sessions.best(scores))
    last = np.zeros(len(sessions), np.int64)
    np.maximum.at(last, sessions.groups, index.columns.said_at(rows))
    age = np.maximum(to_micros(question.now) - last, 0) / (_DAY * fusion.recent_days)
    worth += np.float32(fusion.recency) * np.exp(-age).astype(np.float32)
    vector = index.cues.get("vector")
    if "vector" in cues and isinstance(vector, VectorCue):
        sums = vector.sums(rows, sessions.groups, len(sessions))
        near = associated(sums, np.bincount(sessions.groups), worth, fusion.best_within)
        worth += np.float32(fusion.association) * standardised(near)
    return sessions.codes[np.lexsort((sessions.codes, -worth))]


def associated(
    sums: Numbers, sizes: NDArray[np.intp], worth: Numbers, best_within: float
) -> Numbers:
    """
    Return how near in meaning each session is to the best ones together, as a cosine.

    A session means what its candidates mean beyond what all candidates do: without taking that off,
    everything one person says about one question is alike.

    Args:
        sums: the sum of each session's vectors, shape (sessions, dimension).
        sizes: how many they are.
        worth: how good each session is so far; the best speak for what is meant.
        best_within: how far below the best a session's say in that has fallen to 1/e.

    """
    usual = sums.sum(axis=0) / np.float32(sizes.sum())
    own = sums - sizes.astype(np.float32)[:, None] * usual
    own /= np.maximum(np.sqrt(np.einsum("ij,ij->i", own, own)), np.float32(1e-6))[:, None]
    say = np.exp((worth - worth.max()) / np.float32(best_within))
    meant = say @ own
    near: Numbers = own @ (meant / np.maximum(np.sqrt(meant @ meant), np.float32(1e-6)))
    return near
