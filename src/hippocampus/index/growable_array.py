"""Arrays that grow at the end, in amortised constant time a row."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Item = TypeVar("Item", bound=np.generic)


class GrowableArray(Generic[Item]):
    """An array whose first axis grows; ``view`` is what it holds now, without copying."""

    def __init__(self, dtype: type[Item], *trailing: int) -> None:
        self._room: NDArray[Item] = np.empty((0, *trailing), dtype)
        self._length = 0

    def __len__(self) -> int:
        return self._length

    @property
    def view(self) -> NDArray[Item]:
        """The rows so far. Rows never change once written, so an old view stays true."""
        return self._room[: self._length]

    @property
    def nbytes(self) -> int:
        """Bytes held, room to grow included."""
        return self._room.nbytes

    def extend(self, rows: NDArray[Any]) -> None:
        """Append rows of matching trailing shape."""
        needed = self._length + len(rows)
        if needed > len(self._room):
            grown = np.empty(
                (max(needed, len(self._room) + len(self._room) // 2), *self._room.shape[1:]),
                self._room.dtype,
            )
            grown[: self._length] = self.view
            self._room = grown
        self._room[self._length : needed] = rows
        self._length = needed
