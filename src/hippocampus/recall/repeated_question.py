"""
Repeated questions: who asked the same before answered nothing.

Nothing is as near to a question as itself. Where the best turn only asks, in the question's words
of content, the best one that says something with any of them goes before it.
"""

from __future__ import annotations

from typing import Final

from hippocampus.core.arrays import Floats
from hippocampus.encode.terms import hash_terms
from hippocampus.kernel import top_k
from hippocampus.recall.propose import Search
from hippocampus.recall.scored import Scored
from hippocampus.recall.spreading_activation import ReadTexts

_LOOKED_AT: Final = 8
"""Best rows that are read: what answers a question lies near it. Set by hand."""


def gain_of_answer(search: Search, scored: Scored, read: ReadTexts) -> Floats | None:
    """Return the gain of the best row that says something, if the first repeats the question."""
    best = top_k(scored.scores, _LOOKED_AT)
    rows = scored.rows[best]
    asks = search.cues.lexical.marked(rows).asking
    if not len(best) or not asks[0] or asks.all():
        return None
    texts = read(rows.tolist())
    said = [frozenset(hash_terms(texts.get(row, "")).tolist()) for row in rows.tolist()]
    content = [word for word in search.query.words if not word.function]
    asked = {hashed for word in content for hashed in (word.hash, *word.forms)}
    if said[0] != search.query.text_terms:
        return None
    for place, words, only_asks in zip(best.tolist(), said, asks.tolist(), strict=True):
        if not only_asks and not asked.isdisjoint(words):
            return scored.lead(place)
    return None
