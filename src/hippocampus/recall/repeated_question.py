"""
Repeated questions: who asked the same before answered nothing.

Nothing is as near to a question as itself. Where the best turn only asks, in the question's words
of content, the best one that says something with any of them goes before it.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from hippocampus.encode.terms import hash_terms
from hippocampus.kernel import top_k
from hippocampus.recall.propose import Search
from hippocampus.recall.score import Scored
from hippocampus.recall.spreading_activation import AHEAD, ReadTexts

_LOOKED_AT: Final = 8
"""Best rows that are read."""


def lead_before_question(search: Search, scored: Scored, read: ReadTexts) -> None:
    """Let the best row that says something lead, if the best one only repeats the question."""
    best = top_k(scored.scores, _LOOKED_AT)
    rows = scored.rows[best]
    asks = search.cues.lexical.marked(rows).asking
    if not len(best) or not asks[0] or asks.all():
        return
    texts = read(rows.tolist())
    said = [frozenset(hash_terms(texts.get(row, "")).tolist()) for row in rows.tolist()]
    content = [word for word in search.query.words if not word.function]
    asked = {hashed for word in content for hashed in (word.hash, *word.forms)}
    if said[0] != search.query.text_terms:
        return
    for place, words, only_asks in zip(best.tolist(), said, asks.tolist(), strict=True):
        if not only_asks and not asked.isdisjoint(words):
            gain = scored.scores[best[0]] - scored.scores[place] + np.float32(AHEAD)
            scored.parts["answering"] = np.zeros(len(scored.rows), np.float32)
            scored.parts["answering"][place] = gain
            scored.scores[place] += gain
            return
