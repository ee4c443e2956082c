"""
Match of the best span of a text with a question: late interaction, a few words at a time.

A long text has a match for every word of a question somewhere; a span in which they stand together
says more. Spans are runs of ids of the content, each overlapping the next by half.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Floats, Rows32
from hippocampus.core.config import Fusion
from hippocampus.encode.token_spans import characters
from hippocampus.encode.tokens import encode
from hippocampus.index.cue import Scores
from hippocampus.index.cues import CueSet
from hippocampus.index.query import Query
from hippocampus.index.token_spans import Stretches
from hippocampus.recall.token_weights import token_weights


def best_spans(
    cues: CueSet, query: Query, rows: Rows32, weight: Floats, size: int
) -> Scores | None:
    """
    Return the match of the best span of each row, a cosine; NaN of rows without spans.

    Args:
        cues: the cues that are asked.
        query: the query.
        rows: the rows, ascending.
        weight: of each of the question's tokens, adding up to 1.
        size: of a span, in ids of the content.

    """
    halves, matched = _spans(cues, query, rows, weight, size)
    if halves is None:
        return None
    best = np.full(len(rows), np.nan, np.float32)
    first = np.flatnonzero(np.append(True, halves.owner[1:] != halves.owner[:-1]))
    best[halves.owner[first]] = np.maximum.reduceat(matched, first)
    return best


def best_span(
    cues: CueSet, query: Query, row: int, weight: Floats, size: int
) -> tuple[int, int] | None:
    """Return the span of ids of a row's content that matches best; None where none is known."""
    halves, matched = _spans(cues, query, np.array([row], np.uint32), weight, size)
    if halves is None or not matched.max() > 0:
        return None
    number = int(halves.number[int(np.argmax(matched))])
    return number * _half(size), (number + 2) * _half(size)


def _half(size: int) -> int:
    return max(1, size // 2)


def _spans(
    cues: CueSet, query: Query, rows: Rows32, weight: Floats, size: int
) -> tuple[Stretches | None, NDArray[np.float32]]:
    """Return the spans of rows, named by their first halves, and how well each matches."""
    nothing = None, np.empty(0, np.float32)
    if cues.spans is None or cues.tokens is None or query.tokens is None:
        return nothing
    halves = cues.spans.stretches(rows, _half(size))
    if not len(halves.owner):
        return nothing
    matches = cues.tokens.matches_within(query, rows[halves.owner], halves.first, halves.stop)
    beside = (halves.owner[1:] == halves.owner[:-1]) & (halves.number[1:] - halves.number[:-1] == 1)
    matches[:-1][beside] = np.maximum(matches[:-1], matches[1:])[beside]
    return halves, matches @ weight


def best_characters(
    cues: CueSet, query: Query, row: int, text: str, *, fusion: Fusion
) -> tuple[int, int] | None:
    """Return the span of characters of a row's text that matches best; None where none is known."""
    weight = None if cues.spans is None else token_weights(cues.among(query.cues), query)
    if weight is None:
        return None
    best = best_span(cues, query, row, weight, fusion.span_tokens)
    if best is None:
        return None
    return characters(text, np.array(encode(text), np.uint64), *best)
