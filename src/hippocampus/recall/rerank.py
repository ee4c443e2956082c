"""An optional step of recall: a model that reads question and text together orders the hits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.records import Degradation, Reranker
from hippocampus.encode.given_parts import calling
from hippocampus.errors import EncoderError


def rerank(
    reranker: Reranker | None, question: str, texts: Sequence[str]
) -> tuple[list[int], Degradation | None]:
    """Return the places of texts, best first, and why they are as they were if it failed."""
    as_ranked = list(range(len(texts)))
    if reranker is None or not texts:
        return as_ranked, None
    try:
        name = getattr(reranker, "name", type(reranker).__name__)
        with calling("reranker", name):
            given = reranker.rerank(question, texts)
        scores = checked_scores(given, len(texts), by=name)
    except EncoderError as exc:
        return as_ranked, Degradation(part="reranker", reason=str(exc))
    return np.argsort(-scores, kind="stable").tolist(), None


def checked_scores(scores: object, count: int, *, by: str) -> NDArray[np.float32]:
    """
    Return scores that can be sorted by, of an array or a list: one a text, all finite.

    Raises:
        EncoderError: they are others; ``by`` names the reranker.

    """
    try:
        checked = np.array(scores, np.float32)
    except (TypeError, ValueError, OverflowError) as exc:
        msg = f"the reranker {by} gave {scores!r:.100}; a reranker gives one number a text"
        raise EncoderError(msg) from exc
    if checked.shape != (count,):
        msg = (
            f"the reranker {by} gave scores of shape {checked.shape} for {count} texts; use a model"
            " that gives one score a pair"
        )
        raise EncoderError(msg)
    if not np.isfinite(checked).all():
        msg = f"the reranker {by} gave a score that is not a number"
        raise EncoderError(msg)
    return checked
