"""Scored candidates: a score each, and the part that each signal or step of reordering gave."""

from __future__ import annotations

from typing import Final

import numpy as np

from hippocampus.core.altered import altered
from hippocampus.core.arrays import Floats, Rows32
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.recall.session_ranking import SessionScores

AHEAD: Final = 0.1
"""Lead of a row that is put first before the next one, in standard deviations: more than rounding,
and less than any signal gives. Set by hand."""


@immutable(kw_only=False, eq=False)
class Scored:
    """Candidates with their scores, shape (rows,) each."""

    rows: Rows32
    scores: Floats
    parts: dict[str, Floats]
    """The part of each signal, by name."""
    sessions: SessionScores
    support: Floats
    """Support of each session for its turns, shape (sessions + 1,)."""

    def lift(self, name: str, gain: Floats) -> Scored:
        """Return them with a gain added, shape (rows,), told as the part ``name``, or in it."""
        parts = dict(self.parts)
        parts[name] = parts[name] + gain if name in parts else gain
        return altered(self, scores=self.scores + gain, parts=parts)

    def lead(self, place: int) -> Floats:
        """Return the gains, shape (rows,), by which the row at a place comes first."""
        gain = np.zeros(len(self.rows), np.float32)
        gain[place] = self.scores.max() - self.scores[place] + np.float32(AHEAD)
        return gain
