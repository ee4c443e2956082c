"""
Standing wishes: preferences, bans and rules that bear on a question for advice.

"What shall I cook for Ada?" shares little with "Ada can't stand coriander", and its answer hangs on
it. The wishes that are nearest to the question, among themselves, follow after the best hits.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Floats
from hippocampus.kernel import top_k
from hippocampus.recall.propose import Search
from hippocampus.recall.scored import Scored

_BEHIND: Final = np.float32(3)
"""Distance at which wishes follow the best hit, in standard deviations: where it answers in its own
words, it and what is as good as it stay ahead. Chosen on everyday histories, preferences and LoCoMo
(docs/adr/0050)."""
_STEP: Final = np.float32(0.01)
"""Distance from one wish to the next: only their order counts."""


def gain_of_wishes(search: Search, scored: Scored) -> Floats | None:
    """Return the gains of wishes that fit a question for advice best; no assistant's are some."""
    most = search.fusion.standing
    if not search.query.advice or not most or not len(scored.rows):
        return None
    rows = scored.rows.astype(np.intp)
    wishes = search.cues.lexical.standing()[rows]
    wishes = wishes & ~search.index.columns.role.holds("assistant", rows)
    places = np.flatnonzero(wishes)
    near = _nearness(search, scored, places)
    places = places[top_k(near, most)]
    line = scored.scores.max() - _BEHIND - _STEP * np.arange(len(places), dtype=np.float32)
    gained = np.maximum(line - scored.scores[places], 0)
    if not gained.any():
        return None
    gain = np.zeros(len(rows), np.float32)
    gain[places] = gained
    return gain


def _nearness(search: Search, scored: Scored, places: NDArray[np.intp]) -> Floats:
    """
    Return the nearness of wishes to the question, shape (places,): by meaning where known.

    What a wish has of the question's words is chance: "I never run on tarmac" has none of "put
    together a training plan".
    """
    vector = search.cues.vector
    near = None if vector is None else vector.score(search.query, scored.rows[places])
    return scored.scores[places] if near is None else near
