"""
Features: the score of each row by each cue, as one column on the cue's own scale.

A feature is a function of the cues, the query and rows, and returns shape (rows,), or None where
the question gives the cue no hold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, TypeAlias

import numpy as np

from hippocampus.core.arrays import Floats, Rows32
from hippocampus.core.config import Fusion
from hippocampus.index.cues import CueSet
from hippocampus.index.query import Query
from hippocampus.recall.best_span import best_spans
from hippocampus.recall.token_weights import token_weights

Feature: TypeAlias = Callable[[CueSet, Query, Rows32], Floats | None]
Columns: TypeAlias = Mapping[str, Floats]

ONLY_GRAPH: Final = frozenset({"graph", "time"})
"""Cues without any other one, for which names rank by activation in the graph."""


def features(fusion: Fusion) -> Mapping[str, Feature]:
    """Return every cue's feature by name, in the order in which they are added up."""
    return {
        "tokens": partial(late_interaction, fusion=fusion),
        "lexical": bm25,
        "vector": cosine,
        "signature": signature,
        "topic": topic,
        "graph": graph,
    }


def measure(query: Query, cues: CueSet, rows: Rows32, fusion: Fusion) -> dict[str, Floats]:
    """Return the columns of the features that say something, name → shape (rows,)."""
    columns = {name: feature(cues, query, rows) for name, feature in features(fusion).items()}
    return {name: column for name, column in columns.items() if column is not None}


def bm25(cues: CueSet, query: Query, rows: Rows32) -> Floats | None:
    """BM25 of the question's words."""
    return cues.lexical.score(query, rows) if "lexical" in query.cues else None


def late_interaction(cues: CueSet, query: Query, rows: Rows32, *, fusion: Fusion) -> Floats | None:
    """
    Mean of each question token's best match (MaxSim), weighted by the IDF of its word.

    A long text has its length held against it, or, by ``Fusion.span``, only its best span counted.
    """
    weight = token_weights(cues, query)
    if cues.tokens is None or weight is None:
        return None
    matched: Floats = cues.tokens.matches(query, rows) @ weight
    lengths = cues.tokens.lengths(rows).astype(np.float32)
    crowd = np.log(np.maximum(lengths / np.float32(fusion.long_tokens), np.float32(1)))
    column: Floats = matched - np.float32(fusion.length_penalty) * crowd
    if fusion.span:
        best = best_spans(cues, query, rows, weight, fusion.span_tokens)
        if best is not None:
            best = np.where(np.isnan(best), column, best)
            column = column + np.float32(fusion.span) * (best - column)
    return column


def cosine(cues: CueSet, query: Query, rows: Rows32) -> Floats | None:
    """Cosine of the pooled embeddings."""
    return None if cues.vector is None else cues.vector.score(query, rows)


def signature(cues: CueSet, query: Query, rows: Rows32) -> Floats | None:
    """Rarity of the keywords whose signatures a row holds, added up."""
    if cues.signature is None or not query.keywords:
        return None
    return cues.signature.matches(query, rows) @ cues.signature.rarity(query)


def topic(cues: CueSet, query: Query, rows: Rows32) -> Floats | None:
    """Weight of the tags that the question is routed to."""
    return None if cues.topic is None else cues.topic.score(query, rows)


def graph(cues: CueSet, query: Query, rows: Rows32) -> Floats | None:
    """Activation of the names in a row, where no other cue is asked."""
    if cues.graph is None or not query.cues <= ONLY_GRAPH:
        return None
    return cues.graph.score(query, rows)
