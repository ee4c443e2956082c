"""
The formulas that say what memories, phrases and anchors are worth: a row each, applied alike.

A feature is a column, one number for each of what is appraised; a formula names features, weighs
them and combines them. What a feature is made of is said where it is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.logistic import sigmoid
from hippocampus.errors import InputError

Column: TypeAlias = NDArray[Any]
"""Floats of either width, shape (n,): a result is as wide as its operands."""
Weighted: TypeAlias = Iterable[tuple[Column, float]]


def total(weighted: Weighted) -> Column:
    """Return Σ w·x."""
    return reduce(np.add, (weight * column for column, weight in weighted))


def product(weighted: Weighted) -> Column:
    """Return Π x^w."""
    powers = (column if weight == 1 else column**weight for column, weight in weighted)
    return reduce(np.multiply, powers)


def chance(weighted: Weighted) -> Column:
    """Return the logistic function of Σ w·x."""
    return sigmoid(total(weighted))


class Formula(NamedTuple):
    """
    One formula for the worth of memories, and its source.

    ``weights``: of features, by name, where nobody gives others; ``shares``: they are divided by
    their sum; ``bounds``: what is below or above counts as the bound.
    """

    source: str
    weights: Mapping[str, float]
    combine: Callable[[Weighted], Column] = total
    shares: bool = False
    bounds: tuple[float, float] | None = None


IOTA_RECENCY_HOURS: Final = 168.0
"""Hours in which being new has fallen to 1/e. CONCEPT calls them a half-life; its formula, which is
the one used here, makes them a time constant."""

# The source of a formula's weights is its first field.
FIVE_FACTORS: Final = Formula(
    "HUMAN, Table 2",
    {"recency": 0.25, "frequency": 0.25, "surprise": 0.20, "saliency": 0.15, "outcome": 0.15},
    shares=True,
)
FOUR_SIGNALS: Final = Formula(
    "HUMAN, section 8.1; weights as calibrated for the default embedder (docs/adr/0017)",
    {"length": 0.648, "surprise": 0.352, "position": 0.0, "recency": 0.0},
    shares=True,
)
LASTING: Final = Formula(
    "CONCEPT, section 4.6a, but for recency",
    {"entity_density": 3.0, "decision": 3.0, "engagement": 2.5},
)
IOTA: Final = Formula("CONCEPT, section 4.6a", {"lasting": 1.0, "recency": 1.5}, bounds=(1.0, 10.0))
ANCHOR: Final = Formula(
    "CONCEPT, section 4.2: TF-IDF, times how lately, times how much the user brought it up",
    {"frequency": 1.0, "rarity": 1.0, "recency": 1.0, "users": 1.0},
    product,
)
SALIENCE: Final = Formula("HEMA, section 3.4", {"recency": 1.0, "recalled": 0.5})
OUTCOME: Final = Formula(
    "HUMAN, Table 2, of which it is the last factor; weights are ours",
    {"unknown": 0.5, "used": 0.1, "judged": 0.25},
    bounds=(0.0, 1.0),
)
VALUE: Final = Formula("HUMAN, equations 2 and 3", {"left": 1.0, "interference": -1.0}, product)
FORESIGHT: Final = Formula(
    "HUMAN, section 9.1; weights are learnt every night from what came of memories so far",
    {},
    chance,
)


def appraise(
    features: Mapping[str, Column], formula: Formula, weights: Mapping[str, float] | None = None
) -> Column:
    """
    Return the worth of each row by a formula, shape (n,).

    Args:
        features: columns by name; all that the weights name, and maybe others.
        formula: one of this module's.
        weights: in place of the formula's own.

    Raises:
        InputError: weights of features that are not there, or shares that mean nothing.

    """
    weights = formula.weights if weights is None else weights
    known = not set(weights) - set(features)
    parts = sum(weights.values()) if formula.shares else 1.0
    if not known or (formula.shares and (min(weights.values(), default=-1) < 0 or not parts > 0)):
        msg = f"weights={dict(weights)}: needs numbers from 0 on for some of {', '.join(features)}"
        raise InputError(msg)
    worth = formula.combine((features[name], weight / parts) for name, weight in weights.items())
    return worth if formula.bounds is None else np.clip(worth, *formula.bounds)


def importance(lasting: Column, age_h: Column) -> Column:
    """Return the importance of rows, in [1, 10]: the part that lasts, in [0, 8.5], and newness."""
    return appraise({"lasting": lasting, "recency": np.exp(-age_h / IOTA_RECENCY_HOURS)}, IOTA)
