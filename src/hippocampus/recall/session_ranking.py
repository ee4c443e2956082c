"""
Sessions, conversations or documents, ranked as wholes; and their support for their turns.

A session is as good as its best turn, and better if it is about the same thing as the sessions that
answer best (association), or if it is recent. Both would crowd the one right turn out of a ranking
of turns, which is why sessions have a ranking of their own (docs/adr/0011-sessions.md).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Floats, Rows32
from hippocampus.core.clock import MICROS_PER_DAY, to_micros
from hippocampus.kernel import best_two, top_k
from hippocampus.recall.propose import Search
from hippocampus.recall.standardize import standardised

_EQUAL = 0.01
"""Scores and cosines that differ by less count as equal. It also keeps rounding out of the ranking:
what is left of a vector of length 1 when nearly all is taken off is known to 0.0003."""


class SessionScores(NamedTuple):
    """
    The sessions of scored rows, each once.

    ``codes``: shape (sessions,). ``groups``: to which each row belongs, by its place in ``codes``,
    shape (rows,). ``best``: the two best scores of each, at least 0, shape (sessions + 1, 2). Rows
    outside sessions belong to the place after the last, which has nothing.
    """

    codes: NDArray[np.int32]
    groups: NDArray[np.int64]
    best: Floats

    @classmethod
    def of(cls, codes: NDArray[np.int32], scores: Floats) -> SessionScores:
        """Group scored rows by the code of their session; a negative code is no session."""
        return cls(*best_two(codes, scores))

    def support(self) -> Floats:
        """Return the mean of each session's two best scores, shape (sessions + 1,)."""
        support: Floats = np.add.reduce(self.best, 1) / np.float32(2)
        return support

    def members(self, chosen: Rows32, rows: Rows32) -> tuple[Rows32, NDArray[np.uint32]]:
        """Return the rows of some sessions, and of which of ``chosen`` each is."""
        place = np.full(len(self.best), -1, np.int64)
        place[chosen] = np.arange(len(chosen))
        place = place[self.groups]
        inside = (place >= 0).nonzero()[0]
        return rows[inside], place[inside].astype(np.uint32)

    def latest(self, occurred_at: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return when each session was last spoken in, of when its rows were said."""
        latest = np.full(len(self.best), np.iinfo(np.int64).min)
        np.maximum.at(latest, self.groups, occurred_at)
        return latest


def rank_sessions(
    search: Search, rows: Rows32, sessions: SessionScores, support: Floats
) -> NDArray[np.int32]:
    """Return the best sessions of rows by code, best first; ``support``: of each for its turns."""
    index, fusion = search.index, search.fusion
    best = sessions.best[:-1, 0] + support[:-1]
    chosen = top_k(best, fusion.sessions, None)
    if not len(chosen):
        return sessions.codes[chosen]
    worth = standardised(best[chosen], least=_EQUAL)
    last = sessions.latest(index.columns.occurred_at(rows))[chosen]
    age = np.maximum(to_micros(search.query.now) - last, 0) / (MICROS_PER_DAY * fusion.recent_days)
    worth += np.float32(fusion.recency) * np.exp(-age).astype(np.float32)
    vector = search.cues.vector
    if vector is not None:
        sums, sizes = vector.sums(*sessions.members(chosen, rows), len(chosen))
        near = associated(sums, sizes, worth, fusion.best_within)
        worth += np.float32(fusion.session_association) * standardised(near, least=_EQUAL)
    codes = sessions.codes[chosen]
    return codes[top_k(worth, len(worth))]


def associated(sums: Floats, sizes: NDArray[np.intp], worth: Floats, best_within: float) -> Floats:
    """
    Return the nearness in meaning of each session to the best ones together, as a cosine.

    A session means what its candidates mean beyond what all candidates do: without taking that off,
    everything one person says about one question is alike.

    Args:
        sums: the sum of each session's vectors, shape (sessions, dimension).
        sizes: how many they are; a session without any is near nothing.
        worth: how good each session is so far; the best speak for what is meant.
        best_within: distance below the best score at which a session's weight is 1/e.

    """
    # A session's own part is sums - counts * usual; it is not written out, which would take longer
    # than all that is worked out from it.
    counts = sizes.astype(np.float32)
    usual = np.add.reduce(sums) / np.float32(max(sizes.sum(), 1))
    squares = np.einsum("ij,ij->i", sums, sums) - 2 * counts * (sums @ usual)
    squares += counts * counts * (usual @ usual)
    lengths = np.maximum(np.sqrt(np.maximum(squares, 0)), np.float32(_EQUAL) * counts)
    lengths[counts == 0] = 1
    say = np.exp((worth - worth.max()) / np.float32(best_within)) / lengths
    meant = say @ sums - (say @ counts) * usual
    along = sums @ meant - counts * (usual @ meant)
    near: Floats = along / (lengths * np.float32(max(math.sqrt(meant @ meant), _EQUAL)))
    return near
