"""
How sure we are that a hit is relevant, as a probability that means the same for every question.

A logistic model over evidence on absolute scales: how well the question's tokens are matched, how
much of its rare words is there, how near the meanings are. Fitted on synthetic conversations with
questions that have no answer (``bench/tools/calibrate.py``); no benchmark was looked at. A model
per set of evidence, since an embedder may be absent.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

FOUND = 0.5
"""Confidence from which something relevant counts as found."""

MODELS: tuple[tuple[tuple[str, ...], tuple[float, ...]], ...] = (
    (("tokens", "vector", "coverage"), (-13.0, 14.0, 4.0, 3.0)),
    (("vector", "coverage"), (-6.0, 9.0, 4.0)),
    (("coverage",), (-4.0, 7.0)),
)
"""(evidence needed, (constant, weight of each)); the first whose evidence is there is used."""


def confidence(evidence: Mapping[str, NDArray[np.float32]], rows: int) -> NDArray[np.float32]:
    """Return each hit's probability of being relevant, shape (rows,), in [0, 1]."""
    for needed, (constant, *weights) in MODELS:
        if all(name in evidence for name in needed):
            logit = np.full(rows, constant, np.float64)
            for name, weight in zip(needed, weights, strict=True):
                logit += weight * evidence[name]
            return (1.0 / (1.0 + np.exp(-logit))).astype(np.float32)
    return np.zeros(rows, np.float32)


def settle(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return scores that never rise from one hit to the next: each is at least all after it."""
    return np.maximum.accumulate(scores[::-1])[::-1]
