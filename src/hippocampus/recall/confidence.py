"""
How sure we are that a hit is relevant, as a probability that means the same for every question.

A logistic model over evidence on absolute scales: how well the question's tokens are matched, how
much of its rare words is there, how near the meanings are. Fitted on synthetic conversations with
questions that have no answer (``bench/tools/calibrate.py``); no benchmark was looked at. A model
per set of evidence, since an embedder may be absent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

DEPTH = 10
"""Hits that are looked at to say whether anything was found, however many are asked for."""


class Model(NamedTuple):
    """One fitted model: what it needs, its constant and weights, and where "found" begins."""

    evidence: tuple[str, ...]
    weights: tuple[float, ...]
    found: float


MODELS: tuple[Model, ...] = (
    Model(("tokens", "coverage"), (-3.07, 6.06, 1.11), 0.51),
    Model(("vector", "coverage"), (-0.98, 1.4, 2.34), 0.53),
    Model(("coverage",), (-0.41, 2.44), 0.54),
)
"""The first whose evidence is there is used. ``found`` keeps four in five of the hard synthetic
questions that have an answer; docs/adr/0010 says what it lets through of those that have none."""


def confidence(evidence: Mapping[str, NDArray[np.float32]], rows: int) -> NDArray[np.float32]:
    """Return each hit's score, shape (rows,), in [0, 1]: even odds of relevance are 0.5."""
    model = _model(evidence)
    if model is None:
        return np.zeros(rows, np.float32)
    constant, *weights = model.weights
    logit = np.full(rows, constant, np.float64)
    for name, weight in zip(model.evidence, weights, strict=True):
        logit += weight * evidence[name][:rows]
    return (1.0 / (1.0 + np.exp(-logit))).astype(np.float32)


def is_found(evidence: Mapping[str, NDArray[np.float32]], sure: float) -> bool:
    """Return whether a best score of ``sure`` counts as having found something."""
    model = _model(evidence)
    return model is not None and sure >= model.found


def settle(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return scores that never rise from one hit to the next: each is at least all after it."""
    return np.maximum.accumulate(scores[::-1])[::-1]


def _model(evidence: Mapping[str, NDArray[np.float32]]) -> Model | None:
    return next((m for m in MODELS if all(name in evidence for name in m.evidence)), None)
