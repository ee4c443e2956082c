"""
Arrays that grow in a file without a name, mapped into memory.

What is read lies in the system's cache, and leaves memory when others need it. The file has no name
from the start: nobody can cut it short under the map, nothing is left of it when the process ends,
however it ends, and what was erased from a store is in no file that stays. All of its bytes are
reserved before any is written, so a full disk is an error here and not a signal later.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.system import expect_random_reads, reserve
from hippocampus.errors import StoreFull
from hippocampus.index.growable_array import GrowableArray

Item = TypeVar("Item", bound=np.generic)


class DiskArray(GrowableArray[Item]):
    """A growable array whose rows are in a file of ``folder`` that has no name."""

    def __init__(self, dtype: type[Item] | np.dtype[Item], *trailing: int, folder: Path) -> None:
        self._folder = folder
        self._process = os.getpid()
        super().__init__(dtype, *trailing)

    @property
    def nbytes(self) -> int:
        """Bytes held in memory for good: none."""
        return 0

    @property
    def mapped(self) -> int:
        """Bytes of the file."""
        return self._room.nbytes

    def extend(self, rows: NDArray[Any]) -> None:
        """Append rows of matching trailing shape."""
        if self._process != os.getpid():  # a child shares the file with its parent
            self._process = os.getpid()
            self._move(len(self._room))
        super().extend(rows)

    def _new_room(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        if not size:  # of nothing there is no map
            return np.empty(shape, dtype)
        try:
            with tempfile.TemporaryFile(dir=self._folder) as file:
                reserve(file.fileno(), size)
                mapped = mmap.mmap(file.fileno(), size)  # which keeps the file when it is closed
        except OSError as exc:
            msg = (
                f"Vectors.place='disk': no room for {size:,} bytes of vectors"
                f" ({exc.strerror or exc}); make some, or have place='memory'"
            )
            raise StoreFull(msg, path=str(self._folder)) from exc
        expect_random_reads(mapped)
        return np.frombuffer(mapped, dtype).reshape(shape)
