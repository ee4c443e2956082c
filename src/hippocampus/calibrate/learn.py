"""
Fits what an embedder's evidence is worth to questions whose answers are known.

Logistic regression, nothing more: the confidence models (``docs/adr/0010``), and how much its
tokens and vectors weigh beside what needs no embedder (``docs/adr/0017``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippocampus.calibrate.trial import Asked
from hippocampus.recall.confidence import MODELS, Confidence, Model, confidence

TURNED_DOWN: Final = 5 / 6
"""Of the questions without an answer, how many must count as not found."""
_RIDGE: Final = 1e-2
_STEPS: Final = 50
_CHOICES: Final = 20

Floats = NDArray[np.float64]


class Learnt(NamedTuple):
    """A model, and how models fitted on half of the questions judged the other half."""

    model: Model
    unseen: list[tuple[Asked, Confidence]]


def learn_models(asked: Sequence[Asked]) -> list[Learnt]:
    """Fit a model to each set of evidence that there is."""
    # A question whose evidence recall misses teaches nothing about what evidence looks like.
    heard = [one for one in asked if one.relevant.any() or not one.answerable]
    there = set(heard[0].known) if heard else set()
    every = [model.evidence for model in MODELS if there.issuperset(model.evidence)]
    return [_learn(heard, names) for names in every]


def _learn(asked: Sequence[Asked], names: tuple[str, ...]) -> Learnt:
    halves = [[one for one in asked if one.group % 2 == half] for half in (0, 1)]
    unseen = [
        (one, confidence(one.known, len(one.relevant), models=[fitted]))
        for learnt, other in (halves, halves[::-1])
        for fitted in [fit(learnt, names)]
        for one in other
    ]
    none = [judged.sure for one, judged in unseen if not one.answerable]
    found = round(float(np.quantile(none, TURNED_DOWN)), 2)
    return Learnt(fit(asked, names)._replace(found=found), unseen)


def fit(asked: Sequence[Asked], names: tuple[str, ...]) -> Model:
    """
    Fit on whether a question is answered, by the hit that looks most like an answer.

    Which one that is depends on the weights: so fit, choose again, until it stays.
    """
    tables = [one.table(names) for one in asked]
    answered = np.array([one.answerable for one in asked], np.float64)
    even = balanced(answered)
    best = np.zeros(len(asked), np.intp)
    for _ in range(_CHOICES):
        chosen = np.array([table[row] for table, row in zip(tables, best, strict=True)])
        weights = logistic(chosen, answered, even)
        before, best = best, np.array([int(np.argmax(table @ weights)) for table in tables])
        if (before == best).all():
            break
    odds = np.concatenate([table @ weights for table in tables])
    ranks = np.concatenate([np.log(np.arange(1, len(table) + 1)) for table in tables])
    relevant = np.concatenate([one.relevant for one in asked]).astype(np.float64)
    each = np.repeat(even, [len(table) for table in tables])
    constant, slope, fall = _rounded(
        logistic(np.column_stack([np.ones(len(odds)), odds, -ranks]), relevant, each)
    )
    return Model(names, _rounded(weights), (constant, slope, fall), 0.5)


def _rounded(weights: Floats) -> tuple[float, ...]:
    return tuple(round(float(weight), 2) for weight in weights)


def balanced(answered: Floats) -> Floats:
    """Return weights that make questions with and without an answer count the same."""
    share = answered.mean()
    weights: Floats = np.where(answered > 0, 0.5 / share, 0.5 / (1 - share))
    return weights


def logistic(evidence: Floats, labels: Floats, weights: Floats) -> Floats:
    """Return logistic regression weights by Newton's method, a little drawn towards 0."""
    fitted = np.zeros(evidence.shape[1])
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-evidence @ fitted))
        slope = evidence.T @ (weights * (p - labels)) + _RIDGE * fitted
        curve = (evidence * (weights * p * (1 - p))[:, None]).T @ evidence
        step = np.linalg.solve(curve + _RIDGE * np.eye(len(fitted)), slope)
        fitted -= step
        if np.abs(step).max() < 1e-8:
            break
    return fitted
