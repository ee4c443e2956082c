"""
The weights of injections, learnt from texts of many authors.

A text is known to be an injection or not, but not which stretch of it makes it one. So that which
is likest one stands for it, and is chosen anew in each of a few rounds, as in multiple-instance
learning (Andrews et al., 2002). Logistic regression with a ridge, by Newton's method; each step is
solved by conjugate gradients, for there are 131 072 weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.logistic import sigmoid
from hippocampus.language.injections import SIZE, Weights, shares, stretches

_RIDGE: Final = 0.04
_FIRST: Final = 4
"""Stretches that stand for a text before it is known which is likest an injection."""
_ROUNDS: Final = 4
_STEPS: Final = (8, 4)
"""Newton steps of the first fit, and of those that go on from it."""
_SOLVING: Final = 20

_Doubles = NDArray[np.float64]


class LabelledText(NamedTuple):
    """A text, whether it is an injection, and how much it counts."""

    text: str
    is_injection: bool
    weight: float = 1.0


def fit(cases: Sequence[LabelledText], ridge: float = _RIDGE) -> Weights:
    """Return the weights under which cases are told apart best."""
    every = [np.concatenate(list(stretches(case.text))) for case in cases]
    labels = np.array([float(case.is_injection) for case in cases])
    counts = np.array([case.weight for case in cases])
    first = [one[:: max(1, len(one) // _FIRST)] for one in every]
    sizes = np.array([len(one) for one in first])
    of = np.repeat(np.arange(len(cases)), sizes)
    rows = _SparseRows.of(np.concatenate(first))
    at = _fitted(rows, labels[of], (counts / sizes)[of], ridge, np.zeros(SIZE + 1), _STEPS[0])
    for _ in range(_ROUNDS):
        likest = [one[np.argmax(_SparseRows.of(one).odds(at))] for one in every]
        at = _fitted(_SparseRows.of(np.array(likest)), labels, counts, ridge, at, _STEPS[1])
    return Weights(np.append(at[:SIZE], 0).astype(np.float32), float(at[-1]))


class _SparseRows(NamedTuple):
    """Stretches as rows of a sparse matrix: its places that are not 0, and what is there."""

    row: NDArray[np.int64]
    place: NDArray[np.int32]
    share: _Doubles

    @classmethod
    def of(cls, shown: NDArray[np.int32]) -> _SparseRows:
        row, column = np.nonzero(shown < SIZE)
        return cls(row, shown[row, column], shares(shown).astype(np.float64))

    def odds(self, at: _Doubles) -> _Doubles:
        """Return the product with weights and a bias behind them."""
        sums = np.bincount(self.row, at[self.place], len(self.share))
        odds: _Doubles = sums * self.share + at[SIZE]
        return odds

    def back(self, of_rows: _Doubles) -> _Doubles:
        """Return the product of the transposed matrix with a number for each row."""
        made = np.bincount(self.place, (of_rows * self.share)[self.row], SIZE + 1)
        made[SIZE] = of_rows.sum()
        return made.astype(np.float64)


def _fitted(
    rows: _SparseRows, labels: _Doubles, counts: _Doubles, ridge: float, at: _Doubles, steps: int
) -> _Doubles:
    """Return the weights and the bias, shape (SIZE + 1,), from where they are on."""
    drawn = np.append(np.full(SIZE, ridge), 1e-6)
    for _ in range(steps):
        chances = sigmoid(rows.odds(at))
        slope = rows.back(counts * (chances - labels)) + drawn * at
        curve = np.maximum(counts * chances * (1 - chances), 1e-6)
        at = at - _solved(rows, curve, drawn, slope)
    return at


def _solved(rows: _SparseRows, curve: _Doubles, drawn: _Doubles, slope: _Doubles) -> _Doubles:
    """Return the Newton step, by conjugate gradients."""
    step, left = np.zeros_like(slope), slope.copy()
    way, size = left.copy(), float(left @ left)
    for _ in range(_SOLVING):
        bent = rows.back(curve * rows.odds(way)) + drawn * way
        length = size / float(way @ bent)
        step += length * way
        left -= length * bent
        before, size = size, float(left @ left)
        if size < 1e-12 * float(slope @ slope):
            break
        way = left + (size / before) * way
    return step
