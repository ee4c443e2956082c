"""
A model's layers, rounded to eight bits, in a file beside it: a quarter of what they were made of.

Derived and disposable: where it is missing, altered, or of another model, the layers are rounded
anew, and kept where we may write.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.files import reading, writing
from hippocampus.errors import HippocampusError
from hippocampus.kernel import checksum

_LAYOUT: Final = b"1"
"""Changes with how weights are rounded, or laid out in the kernel."""
_HEAD_BYTES: Final = 40
"""Bytes before the layers: a SHA-256 of 32, and a checksum."""


def read_layers(path: Path, model: str) -> NDArray[np.uint8] | None:
    """Return the layers that ``keep_layers`` kept for a model, by its hash; None if not as kept."""
    with suppress(OSError), reading(path) as file:
        head, size = file.read(_HEAD_BYTES), os.fstat(file.fileno()).st_size - _HEAD_BYTES
        packed = np.empty(max(0, size), np.uint8)
        if file.readinto(packed.data) == size > 0 and head == _head(model, packed):
            return packed
    return None


def keep_layers(path: Path, model: str, packed: NDArray[np.uint8]) -> None:
    """Keep the layers of a model in a file, if we may write there."""
    with suppress(HippocampusError), writing(path, overwrite=True) as unfinished:
        unfinished.write_bytes(_head(model, packed) + packed.tobytes())


def _head(model: str, packed: NDArray[np.uint8]) -> bytes:
    made_of = hashlib.sha256(_LAYOUT + model.encode()).digest()
    return made_of + checksum(packed).to_bytes(_HEAD_BYTES - len(made_of), "little")
