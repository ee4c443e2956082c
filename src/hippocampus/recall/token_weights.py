"""Weights of a question's tokens in late interaction."""

from __future__ import annotations

import numpy as np

from hippocampus.core.arrays import Floats
from hippocampus.index.cues import CueSet
from hippocampus.index.query import Query


def token_weights(cues: CueSet, query: Query) -> Floats | None:
    """Return the share of each of a question's tokens, by the IDF of its word; None without any."""
    if cues.tokens is None or query.tokens is None or query.token_terms is None:
        return None
    known = query.token_terms >= 0
    weight = np.zeros(len(known), np.float32)
    weight[known] = np.sqrt(cues.lexical.rarity(query.terms)[query.token_terms[known]])
    if query.term_discounts is not None:
        weight[known] *= query.term_discounts[query.token_terms[known]]
    if not weight.sum() > 0:
        weight[:] = 1.0
    shares: Floats = weight / weight.sum()
    return shares
