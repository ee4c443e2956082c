"""
Rows for a question for several things: each is told by its own row, and they are alike.

"Which trips did Ada take?" is answered by a memory of each trip, most of them from different talks.
What is near the best rows together is likely one more of them, whether or not it has a word of the
question; the best row stays the best (docs/adr/0063).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from hippocampus.core.arrays import Floats
from hippocampus.kernel import top_k
from hippocampus.recall.propose import Search
from hippocampus.recall.scored import Scored
from hippocampus.recall.standardize import standardised

_BEST: Final = 5
"""Best rows that together tell the kind of the things asked for (docs/adr/0063); set by hand."""
_BEHIND: Final = np.float32(1e-3)
"""Distance that what is alike keeps from the best row, which has to stay the best."""


def gain_of_alike(search: Search, scored: Scored) -> Floats | None:
    """Return the gains of rows like the best ones, where several things are asked for."""
    query, vector, weight = search.query, search.cues.vector, search.fusion.alike
    if not query.several or vector is None or query.vector is None or not weight:
        return None
    best = scored.rows[top_k(scored.scores, _BEST)]
    if len(best) < 2:
        return None
    meant = vector.vectors(best.astype(np.int64)).mean(axis=0)
    length = float(np.linalg.norm(meant))
    if not length:
        return None
    near = vector.cosines(np.ascontiguousarray(meant / length, np.float32), scored.rows)
    room = np.maximum(scored.scores.max() - scored.scores - _BEHIND, 0)
    gain: Floats = np.minimum(np.float32(weight) * np.maximum(standardised(near), 0), room)
    return gain
