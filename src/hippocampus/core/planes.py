"""
Numbers in planes: all lowest bytes, then all the next, as tables ship that are to be small.

Of a number's bytes some tell more than others; apart, each kind is compressed as it can be.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


def into_planes(numbers: NDArray[Any], count: int) -> NDArray[np.uint8]:
    """Return the ``count`` lowest bytes of numbers, shape (count, numbers)."""
    width = numbers.dtype.itemsize
    flat = np.ascontiguousarray(numbers, numbers.dtype.newbyteorder("<")).reshape(-1)
    return np.ascontiguousarray(flat.view(np.uint8).reshape(-1, width)[:, :count].T)


def from_planes(planes: NDArray[np.uint8], kind: DTypeLike) -> NDArray[Any]:
    """Return numbers, shape (numbers,), whose bytes beyond those of the planes are 0."""
    made = np.dtype(kind)
    numbers = planes[-1].astype(f"u{made.itemsize}")
    for plane in planes[-2::-1]:
        numbers <<= 8
        numbers |= plane
    joined: NDArray[Any] = numbers.view(made)
    return joined
