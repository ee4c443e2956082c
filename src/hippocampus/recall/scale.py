"""One scale for scores of any kind: zero mean and unit variance over the candidates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float32]


def standardised(values: Numbers, *, least: float = 1e-6) -> Numbers:
    """
    Put values on the common scale; too few to say what is usual are taken as they are.

    ``least``: what counts as a difference; values that differ by less are hardly told apart.
    """
    if len(values) < 3:
        return values.copy()
    # The mean and the deviation as NumPy's own methods compute them, at half the cost.
    away = values - np.add.reduce(values) / np.float32(len(values))
    deviation = np.sqrt(np.add.reduce(away * away) / np.float32(len(values)))
    scaled: Numbers = away / np.float32(max(float(deviation), least))
    return scaled
