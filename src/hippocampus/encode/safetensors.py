"""Weight files of the safetensors format: a header of JSON, and tensors one after another."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.files import reading
from hippocampus.errors import EncoderError

_NOT_WEIGHTS: Final = (
    OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError,
    MemoryError,
)  # fmt: skip
"""Errors of a file whose header is none."""


class SafeTensors:
    """The tensors of a file, each read when it is asked for."""

    def __init__(
        self, path: Path, file: BufferedReader, places: dict[str, tuple[int, tuple[int, ...]]]
    ) -> None:
        self._path, self._file, self._places = path, file, places

    def offset(self, name: str) -> int:
        """Return the place at which a tensor begins, in bytes from the start of the file."""
        return self._places[name][0]

    def read(self, name: str, room: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """Read a tensor, into an array of its shape if one is given."""
        offset, shape = self._places[name]
        made = np.empty(shape, np.float32) if room is None else room
        self._file.seek(offset)
        if self._file.readinto(made.data) != made.nbytes:
            msg = f"{self._path}: it ends within {name}; run 'hippocampus models install --force'"
            raise EncoderError(msg)
        return made


@contextmanager
def read_safetensors(path: Path) -> Iterator[SafeTensors]:
    """
    Read the header of a file that is then open; tensors of other numbers than float32 are left out.

    Raises:
        EncoderError: it is not such a file.

    """
    with ExitStack() as opened:
        try:
            file = opened.enter_context(reading(path))
            size = int.from_bytes(file.read(8), "little")
            header = json.loads(file.read(size))
            places = {
                name: (8 + size + tensor["data_offsets"][0], tuple(tensor["shape"]))
                for name, tensor in header.items()
                if name != "__metadata__" and tensor["dtype"] == "F32"
            }
        except _NOT_WEIGHTS as exc:
            msg = f"{path}: not a file of weights ({exc}); run 'hippocampus models install --force'"
            raise EncoderError(msg) from exc
        yield SafeTensors(path, file, places)
