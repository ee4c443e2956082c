"""An optional step of recall: a model that reads question and text together orders the hits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hippocampus.core.records import Degradation, Reranker
from hippocampus.errors import EncoderError


def rerank(
    reranker: Reranker | None, question: str, texts: Sequence[str]
) -> tuple[list[int], Degradation | None]:
    """Return the places of texts, best first, and why they are as they were if it failed."""
    as_ranked = list(range(len(texts)))
    if reranker is None or not texts:
        return as_ranked, None
    try:
        scores = reranker.rerank(question, texts)
    except EncoderError as exc:
        return as_ranked, Degradation(part="reranker", reason=str(exc))
    return np.argsort(-scores, kind="stable").tolist(), None
