"""
Logistic regression on questions whose answers are known.

It fits the confidence models (``docs/adr/0010``), and how much an embedder's tokens and vectors
weigh beside what needs no embedder (``docs/adr/0017``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from hippocampus.calibrate import POOLS
from hippocampus.calibrate.trial import TrialQuestion
from hippocampus.core.arrays import Doubles, Floats
from hippocampus.core.logistic import fit_logistic, newton
from hippocampus.recall.confidence import MODELS, Confidence, LogisticModel, confidence

REJECTED_SHARE: Final = 5 / 6
"""Of the questions without an answer, how many must count as not found: made up, they are harder
than people's (docs/adr/0010). Chosen by hand."""
EMBEDDER_EVIDENCE: Final = frozenset({"matched", "missing", "vector"})
"""Evidence that an embedder tells. What words and speakers tell means the same for every one, and
eight conversations cannot say it better than those that the built-in models come from."""
RIDGE: Final = 3.0
"""Strength of the ridge that draws the rest to the built-in models: alone, those conversations
would leave the weights of evidence that goes together to chance. With it the error on unseen
questions is .023 to .034, without .025 to .047 (docs/adr/0017)."""
_WEAK_RIDGE: Final = 1e-2
"""Strength where all is fitted anew, on many conversations: only so much that evidence which tells
nothing leaves a solution."""
DEFAULT_HEARING: Final = 2.74
"""The default embedder's weight there beside words, where 1 is its weight in a ranking: these
conversations share few words with their questions, on purpose. It is to be measured again whenever
the other parts of a ranking change; a slow test of the calibration says so."""
EMBEDDER_CUES: Final = frozenset({"tokens", "vector"})
"""The parts of a ranking that an embedder tells."""
_FIXED_RIDGE: Final = 1e6
"""Strength that holds a weight where it is: hundreds of times the number of questions, or more."""
_LISTWISE_RIDGE: Final = 1.0
"""Strength that draws both parts of a ranking to 0.5: next to nothing beside hundreds of questions,
but then a part that tells nothing has a solution, too. Not tuned."""
_CHOICES: Final = 20
"""Most rounds of fitting and choosing again, in case two choices take turns."""


class Learnt(NamedTuple):
    """A model, and how models fitted on half of the questions judged the other half."""

    model: LogisticModel
    unseen: list[tuple[TrialQuestion, Confidence]]


def learn_models(asked: Sequence[TrialQuestion], *, anew: bool = False) -> list[Learnt]:
    """
    Fit a model to each set of evidence that there is.

    Only what the embedder tells is weighed, from the built-in models on; or all of it, ``anew``,
    which takes many more conversations.
    """
    # A question whose evidence recall misses teaches nothing about what evidence looks like.
    heard = [one for one in asked if one.relevant.any() or not one.answerable]
    there = set(heard[0].known) if heard else set()
    like = [model for model in MODELS if there.issuperset(model.evidence)]
    return [_learn(heard, model, anew=anew) for model in like]


def _learn(asked: Sequence[TrialQuestion], like: LogisticModel, *, anew: bool) -> Learnt:
    # By pool, so that no conversation is in both halves.
    halves = [[one for one in asked if one.group % 2 == half] for half in (0, 1)]
    unseen = [
        (one, confidence(one.known, len(one.relevant), models=[fitted]))
        for learnt, other in (halves, halves[::-1])
        for fitted in [fit(learnt, like, anew=anew)]
        for one in other
    ]
    # Nothing in it depends on the embedder, and few conversations would only add chance.
    if not anew and EMBEDDER_EVIDENCE.isdisjoint(like.evidence):
        return Learnt(like, unseen)
    # On questions that the fit has not seen, or the threshold would be too low.
    none = [judged.sure for one, judged in unseen if not one.answerable]
    found = round(float(np.quantile(none, REJECTED_SHARE)), 2)
    return Learnt(fit(asked, like, anew=anew)._replace(found=found), unseen)


def fit(
    asked: Sequence[TrialQuestion], like: LogisticModel, *, anew: bool = False
) -> LogisticModel:
    """
    Fit on whether a question is answered, by the hit that looks most like an answer.

    Which one that is depends on the weights: so fit, choose again, until it stays. ``like``: the
    model to begin with, and to keep to in what the embedder does not tell, unless ``anew``.
    """
    if not anew and EMBEDDER_EVIDENCE.isdisjoint(like.evidence):
        return like
    tables = [one.table(like.evidence) for one in asked]
    answered = np.array([one.answerable for one in asked], np.float64)
    even = balanced(answered)
    start = np.array(like.weights)
    drawn = _WEAK_RIDGE if anew else RIDGE
    told = [True, *(anew or name in EMBEDDER_EVIDENCE for name in like.evidence)]
    # Weights that the embedder does not tell are held where they are by a ridge, in the same fit.
    held = np.where(told, drawn, _FIXED_RIDGE)
    best = np.array([int(np.argmax(table @ start)) for table in tables])
    for _ in range(_CHOICES):
        chosen = np.array([table[row] for table, row in zip(tables, best, strict=True)])
        weights = fit_logistic(chosen, answered, even, start, held)
        before, best = best, np.array([int(np.argmax(table @ weights)) for table in tables])
        if (before == best).all():
            break
    odds = np.concatenate([table @ weights for table in tables])
    ranks = np.concatenate([np.log(np.arange(1, len(table) + 1)) for table in tables])
    relevant = np.concatenate([one.relevant for one in asked]).astype(np.float64)
    each = np.repeat(even, [len(table) for table in tables])
    columns = np.column_stack([np.ones(len(odds)), odds, -ranks])
    constant, slope, fall = _rounded(
        fit_logistic(columns, relevant, each, np.array(like.hit), np.full(3, drawn))
    )
    # Even odds for now: ``_learn`` sets it by questions that this fit has not seen.
    return like._replace(weights=_rounded(weights), hit=(constant, slope, fall), found=0.5)


def _rounded(weights: Doubles) -> tuple[float, ...]:
    return tuple(round(float(weight), 2) for weight in weights)


def balanced(answered: Doubles) -> Doubles:
    """Return weights that make questions with and without an answer count the same."""
    share = answered.mean()
    weights: Doubles = np.where(answered > 0, 0.5 / share, 0.5 / (1 - share))
    return weights


# ---------------------------------------------------------------- what counts how much in a ranking


def find_hearing(asked: Sequence[TrialQuestion]) -> float:
    """
    Return the weight of an embedder beside words, as a multiple of the default embedder's.

    List-wise: how its part and the others have to be weighed for what answers a question to be
    chosen among all candidates (softmax). Words, speakers and times are the measure, since they
    are the same for every embedder.
    """
    lists = [
        (
            np.stack([_parts(one, of_embedder=own) for own in (False, True)]).T.astype(np.float64),
            one.right,
        )
        for one in asked
        # Only the pools on which the default embedder was measured, or the two cannot be compared.
        if one.right.any() and one.group < POOLS
    ]

    def derivatives(weights: Doubles) -> tuple[Doubles, Doubles]:
        slope, curve = _LISTWISE_RIDGE * (weights - 0.5), _LISTWISE_RIDGE * np.eye(2)
        for parts, right in lists:
            odds = parts @ weights
            # Less the largest, so that no power overflows.
            share = np.exp(odds - odds.max())
            share /= share.sum()
            inside = np.where(right, share, 0)
            usual = share @ parts
            slope += usual - inside @ parts / inside.sum()
            curve += (parts * share[:, None]).T @ parts - np.outer(usual, usual)
        return slope, curve

    weights = newton(np.array([0.5, 0.5]), derivatives)
    # Neither part may count against itself, and the other one is divided by.
    others, embedders = np.maximum(weights, (1e-3, 0.0))
    return round(float(embedders / others / DEFAULT_HEARING), 2)


def _parts(one: TrialQuestion, *, of_embedder: bool) -> Floats:
    """Return the part of each candidate's rank that the embedder's cues, or all others, give."""
    parts = (part for name, part in one.parts.items() if (name in EMBEDDER_CUES) == of_embedder)
    return sum(parts, np.zeros(1, np.float32))
