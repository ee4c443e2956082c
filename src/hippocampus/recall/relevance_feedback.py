"""
Relevance feedback: what the best rows agree on, beyond the question, leads to more of the same.

"Who made the goblet?" has no word of "Sokolov, spelled how?", but two of the best rows do. Rare
words that several of the best rows share, and the question lacks, are asked for as well (J. Rocchio
1971; without anybody's judgement, as in V. Lavrenko and W. Croft's relevance models, SIGIR 2001).
The best row stays the best.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.altered import altered
from hippocampus.core.arrays import Floats
from hippocampus.encode.terms import find_terms
from hippocampus.kernel import top_k
from hippocampus.recall.propose import Search
from hippocampus.recall.scored import Scored
from hippocampus.recall.spreading_activation import ReadTexts

_BEST: Final = 4
"""Best rows, which are taken to be on the question's subject. This and the next were chosen on
dialogues of two seeds, and judged on a third (docs/papers/hema.md)."""
_AGREE: Final = 2
"""Of them, how many must have a word: one alone has words of other matters."""
_RARE: Final = 0.04
"""Share of a bank's rows above which a word says nothing; of few rows, three have it still. Set by
hand."""
_AHEAD: Final = np.float32(1e-3)
"""Distance of the best row from what comes next: only their order is to stay."""


def gain_of_agreed(search: Search, scored: Scored, texts: ReadTexts) -> Floats | None:
    """Return the gains of rows with words that the best rows agree on; see ``Fusion.feedback``."""
    weight = search.fusion.feedback
    if not weight or len(scored.rows) <= _BEST or "lexical" not in search.query.cues:
        return None
    terms, worth = _agreed(search, scored, texts)
    if not len(terms):
        return None
    asked = altered(search.query, terms=terms, term_weights=np.ones(len(terms), np.float32))
    there = search.cues.lexical.matches(asked, scored.rows) > 0
    part: Floats = np.float32(weight) * (there @ (worth / worth.sum()))
    first = int(np.argmax(scored.scores))
    lifted = scored.scores + part
    part[first] += max(lifted.max() + _AHEAD - lifted[first], 0) if lifted.argmax() != first else 0
    return part


def _agreed(search: Search, scored: Scored, texts: ReadTexts) -> tuple[NDArray[np.uint32], Floats]:
    """Return the rare words that several of the best rows have, and what each is worth."""
    lexical = search.cues.lexical
    best = scored.rows[top_k(scored.scores, _BEST)]
    known = set(search.query.terms.tolist())
    shared = Counter(
        hashed
        for text in texts(best.tolist()).values()
        for hashed in {term.hash for term in find_terms(text) if not term.function} - known
    )
    agreed = sorted(hashed for hashed, rows in shared.items() if rows >= _AGREE)
    terms = np.array(agreed, np.uint32)
    if not len(terms):
        return terms, np.empty(0, np.float32)
    rare = lexical.frequency(terms) <= max(_AGREE + 1, _RARE * len(lexical))
    counts = np.array([shared[hashed] for hashed in agreed], np.float32)
    return terms[rare], (lexical.rarity(terms) * counts)[rare]
