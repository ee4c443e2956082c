"""
Archive of an index: its contents, declared once for writing a file and for reading it.

Each part of an index has a method ``archive`` that names what it holds. A writer takes note of it,
a reader puts what the file has in its place, so that the two cannot come apart.
"""

from __future__ import annotations

from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from hippocampus.index.growable_array import GrowableArray

Item = TypeVar("Item", bound=np.generic)
Plain = TypeVar("Plain")


class Archive(Protocol):
    """A file that an index is written to or read from; names are of the part that tells them."""

    def within(self, part: str) -> Self:
        """Return the same archive for a part of what is told."""
        ...

    def array(self, name: str, array: GrowableArray[Any], *, any_bits: bool = False) -> None:
        """
        Tell of an array.

        ``any_bits``: it may hold anything without harm but to its own meaning, and so is mapped
        from the file and not checked before it is used.
        """
        ...

    def fixed(self, name: str, array: NDArray[Item]) -> NDArray[Item]:
        """Tell of an array that does not grow, of one axis; return what it is to be."""
        ...

    def plain(self, name: str, value: Plain) -> Plain:
        """Note a value that JSON can hold; return the value that is to be. A list stays a list."""
        ...
