"""
Arrays that grow at the end, in versions that share their storage.

A version never changes for whoever reads it: what is appended lies behind its end, and what is
changed in place is copied first (copy on write). So a writer works on a fork of what readers have,
and taking one costs the same for ten rows and ten million.
"""

from __future__ import annotations

from typing import Any, Final, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from hippocampus.kernel import Bm25Index

Item = TypeVar("Item", bound=np.generic)


class Versioned:
    """
    Something kept in memory of which there are versions; see this module.

    The attributes of a fork are forks where they can be, and else the same objects. So whatever
    else an attribute holds is replaced and never changed, or is an append-only collection of which
    each version uses what it knows of, or a note that is as true for all.
    """

    def fork(self) -> Self:
        """Return a version that holds the same, and whose changes nobody sees in this one."""
        version = object.__new__(type(self))
        version.__dict__ = {
            name: value.fork() if isinstance(value, _FORKED) else value
            for name, value in self.__dict__.items()
        }
        return version


class GrowableArray(Generic[Item]):
    """
    An array whose first axis grows, in amortised constant time a row.

    Reading is safe while a fork is changed by another thread; only one thread changes a version.
    """

    def __init__(self, dtype: type[Item] | np.dtype[Item], *trailing: int) -> None:
        self._room: NDArray[Item] = self._new_room((0, *trailing), np.dtype(dtype))
        self._length = 0
        self._taken = [0]
        """How many rows of the room are in use by any version; shared by all of them."""
        self._shared = False
        """Whether another version may read rows of this one in the same room."""
        self._seen: tuple[NDArray[Item], NDArray[Item]] | None = None
        """The rows as they were last asked for, and their room; a recall asks dozens of times."""
        self._mapped = 0
        """How many of the first rows lie in a file, and in memory only while others leave room."""

    def __len__(self) -> int:
        return self._length

    @property
    def view(self) -> NDArray[Item]:
        """The rows, read-only and without copying; those of an old view stay as they were."""
        room, seen = self._room, self._seen
        if seen is not None and seen[0] is room and len(seen[1]) == self._length:
            return seen[1]
        view = room[: self._length]
        view.flags.writeable = False
        self._seen = room, view
        return view

    @property
    def nbytes(self) -> int:
        """Bytes held, room to grow included; of what is mapped from a file, what was appended."""
        if self._mapped:
            return (self._length - self._mapped) * (self._room.nbytes // len(self._room))
        return self._room.nbytes

    def fork(self) -> GrowableArray[Item]:
        """Return a version with the same rows; what is done to either is not seen in the other."""
        self._shared = True
        # Without a constructor, which would make room anew.
        version: GrowableArray[Item] = object.__new__(type(self))
        version.__dict__ = self.__dict__.copy()
        return version

    def extend(self, rows: NDArray[Any]) -> None:
        """Append rows of matching trailing shape."""
        needed = self._length + len(rows)
        if needed > len(self._room):
            self._move(max(needed, len(self._room) + len(self._room) // 2))
        elif self._taken[0] != self._length:  # another version has appended its own
            self._move(len(self._room))
        self._room[self._length : needed] = rows
        self._length = self._taken[0] = needed

    def put(self, places: Any, values: Any) -> None:  # noqa: ANN401  # as NumPy has it
        """Assign to rows, ``array[places] = values``; copied first if a version may read them."""
        if self._shared:
            self._move(len(self._room))
        self._room[: self._length][places] = values

    def adopt(self, room: NDArray[Any], length: int, *, mapped: bool = False) -> None:
        """
        Have rows that are there already instead of its own, of the same kind.

        Args:
            room: nobody else's, and writeable.
            length: how many rows of it there are.
            mapped: whether they lie in a file.

        Raises:
            ValueError: they are of another kind.

        """
        kind = room.dtype, room.shape[1:]
        if kind != (self._room.dtype, self._room.shape[1:]) or len(room) < length:
            msg = f"{length} rows of {kind}: must be of {self._room.dtype}, {self._room.shape[1:]}"
            raise ValueError(msg)
        self._room, self._length, self._taken = room, length, [length]
        self._shared, self._mapped = False, length if mapped else 0

    def put_unread(self, places: Any, values: Any) -> None:  # noqa: ANN401  # as NumPy has it
        """Assign in place to what no version looks at: the part of a last row that is free."""
        self._room[: self._length][places] = values

    def extend_at(self, places: NDArray[np.intp], rows: NDArray[Any], size: int) -> None:
        """
        Append rows to an array that nobody has read yet, and put each in a place of its own.

        ``size``: how many rows will have been appended in the end, each in another place below it.
        """
        if size > len(self._room):
            self._move(size)
        self._room[places] = rows
        self._length = self._taken[0] = self._length + len(rows)

    def _new_room(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
        """Return room that nobody else has."""
        return np.empty(shape, dtype)

    def _move(self, size: int) -> None:
        """Go on in a room of this version's own, of ``size`` rows."""
        room = self._new_room((size, *self._room.shape[1:]), self._room.dtype)
        room[: self._length] = self._room[: self._length]
        self._room, self._taken, self._shared = room, [self._length], False
        self._mapped = 0


_FORKED: Final = (Versioned, GrowableArray, Bm25Index)
"""Types that have versions; as one tuple, for each attribute is looked at."""
