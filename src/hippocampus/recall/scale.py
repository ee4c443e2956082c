"""One scale for scores of any kind: zero mean and unit variance over the candidates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float32]


class Scale(NamedTuple):
    """What is usual for a cue among the candidates of a question."""

    mean: np.float32
    deviation: np.float32

    @classmethod
    def of(cls, values: Numbers, *, least: float = 1e-6) -> Scale:
        """
        Measure values; too few to say what is usual are taken as they are.

        ``least``: what counts as a difference; values that differ by less are hardly told apart.
        """
        if len(values) < 3:
            return cls(np.float32(0), np.float32(1))
        # The mean and the deviation as NumPy's own methods compute them, at half the cost.
        mean = np.add.reduce(values) / np.float32(len(values))
        away = values - mean
        deviation = np.sqrt(np.add.reduce(away * away) / np.float32(len(values)))
        return cls(mean, np.float32(max(float(deviation), least)))

    def apply(self, values: Numbers) -> Numbers:
        """Put values on the common scale."""
        return (values - self.mean) / self.deviation


def standardised(values: Numbers, *, least: float) -> Numbers:
    """Put values on the common scale by what is usual among themselves."""
    return Scale.of(values, least=least).apply(values)
