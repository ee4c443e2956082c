"""Sets as arrays that ascend: what NumPy's set routines do, which are slow on a few hundred."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hippocampus.index.cue import Mask, Scores

Item = TypeVar("Item", bound=np.generic)


def each_once(values: NDArray[Item]) -> NDArray[Item]:
    """Return values sorted, each once: ``np.unique``."""
    ordered = np.sort(values)
    first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def columns_once(values: NDArray[Item]) -> NDArray[Item]:
    """Return the columns of a table sorted, each once: ``np.unique`` with ``axis=1``."""
    ordered = values[:, np.lexsort(values[::-1])]
    first = np.ones(ordered.shape[1], np.bool_)
    np.any(ordered[:, 1:] != ordered[:, :-1], axis=0, out=first[1:])
    return ordered[:, first]


def is_among(values: NDArray[Any], known: NDArray[Any]) -> Mask:
    """Return a mask of known values, where those ascend: ``np.isin``; shape (values,)."""
    if not len(known):
        return np.zeros(len(values), np.bool_)
    among: Mask = known[_places(known, values)] == values
    return among


def looked_up(known: NDArray[Any], worth: Scores, wanted: NDArray[Any]) -> Scores:
    """Return the worths of wanted keys, where the known ones ascend, shape (wanted,); 0 else."""
    if not len(known):
        return np.zeros(len(wanted), np.float32)
    at = _places(known, wanted)
    return np.where(known[at] == wanted, worth[at], np.float32(0))


def _places(known: NDArray[Any], wanted: NDArray[Any]) -> NDArray[np.intp]:
    # What is greater than all is compared with the last, and differs from it.
    return np.minimum(known.searchsorted(wanted), len(known) - 1)
