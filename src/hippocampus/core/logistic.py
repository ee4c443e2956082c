"""Logistic regression by Newton's method, with a ridge."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hippocampus.core.arrays import Doubles


def fit_logistic(
    rows: Doubles,
    labels: Doubles,
    weights: Doubles | float,
    start: Doubles,
    ridge: Doubles,
    *,
    guarded: bool = False,
    steps: int = 50,
    settled: float = 1e-8,
) -> Doubles:
    """
    Return the coefficients, each drawn by its ridge to where it starts, shape (k,).

    Args:
        rows: what is known of each case, shape (n, k); a constant is a column of ones.
        labels: 0 or 1, shape (n,).
        weights: how much each case counts, shape (n,), or all of them.
        start: where each coefficient starts, shape (k,).
        ridge: how strongly each is drawn there, in cases, shape (k,).
        guarded: for columns that may tell the labels apart entirely, or nothing at all: odds and
            curvature are bounded, and so are steps, which are no Newton's where the quadratic does
            not hold.
        steps: most steps.
        settled: a step no longer than that is the last.

    """

    def derivatives(at: Doubles) -> tuple[Doubles, Doubles]:
        odds = rows @ at
        p = sigmoid(odds) if guarded else logistic(odds)
        curve = weights * p * (1 - p)
        if guarded:
            # Where all is sure the curve is flat, and a step divided by it would have no end.
            curve = np.maximum(curve, 1e-6)
        slope = rows.T @ (weights * (p - labels)) + ridge * (at - start)
        # A hair of ridge, or a column that tells nothing would leave no single solution.
        return slope, (rows * curve[:, None]).T @ rows + np.diag(ridge + 1e-9 * guarded)

    return newton(
        start, derivatives, longest=4.0 if guarded else np.inf, steps=steps, settled=settled
    )


def logistic(odds: Doubles) -> Doubles:
    """Return chances of log odds; below -700 or so NumPy warns that it overflows."""
    chances: Doubles = 1 / (1 + np.exp(-odds))
    return chances


def sigmoid(odds: Doubles) -> Doubles:
    """Return chances of log odds, which count as 30 at most."""
    # Bounded, so that a chance is never quite 0 or 1.
    return logistic(np.clip(odds, -30, 30))


def newton(
    start: Doubles,
    derivatives: Callable[[Doubles], tuple[Doubles, Doubles]],
    *,
    longest: float = np.inf,
    steps: int = 50,
    settled: float = 1e-8,
) -> Doubles:
    """Return the minimum of a convex function, given its gradient and Hessian at a point."""
    at = start.copy()
    for _ in range(steps):
        step = np.linalg.solve(*reversed(derivatives(at)))
        size = float(np.abs(step).max())
        at -= step / max(1.0, size / longest)
        if size < settled:
            break
    return at
