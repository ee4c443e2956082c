"""One scale for scores of any kind: zero mean and unit variance over the candidates."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple, Self

import numpy as np

from hippocampus.core.arrays import Floats

_FEW = 3
"""Values of which fewer do not say what is usual: two always lie one deviation from their mean."""


def standardised(values: Floats, *, least: float = 1e-6) -> Floats:
    """
    Put values on the common scale; too few to say what is usual are taken as they are.

    ``least``: what counts as a difference; values that differ by less are hardly told apart.
    """
    if len(values) < _FEW:
        return values.copy()
    # What NumPy's own mean and deviation compute, at a third of the cost.
    away = values - np.float32(float(np.add.reduce(values)) / len(values))
    deviation = math.sqrt(float(away @ away) / len(values))
    scaled: Floats = away / np.float32(max(deviation, least))
    return scaled


class Scale(NamedTuple):
    """Count, mean and standard deviation of some values."""

    number: int
    mean: float
    deviation: float

    @classmethod
    def of(cls, values: Floats) -> Self:
        """Return the scale of values."""
        if not len(values):
            return cls(0, 0.0, 0.0)
        wide = values.astype(np.float64)
        return cls(len(wide), float(wide.mean()), float(wide.std()))

    @classmethod
    def over(cls, parts: Iterable[Scale]) -> Self:
        """Return the scale of all the values together that some scales are of."""
        scales = [part for part in parts if part.number]
        number = sum(part.number for part in scales)
        if not number:
            return cls(0, 0.0, 0.0)
        mean = sum(part.number * part.mean for part in scales) / number
        squares = sum(part.number * (part.deviation**2 + part.mean**2) for part in scales) / number
        return cls(number, mean, math.sqrt(max(squares - mean**2, 0.0)))

    def standardise(self, values: Floats, *, least: float = 1e-6) -> Floats:
        """Put values on this scale, as ``standardised`` does on their own."""
        if self.number < _FEW:
            return values.copy()
        return (values - np.float32(self.mean)) / np.float32(max(self.deviation, least))
