"""Decompression within bounds: a few kilobytes that somebody made up can stand for terabytes."""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

MOST_BYTES: Final = 1 << 30
"""Bytes that anything kept compressed may come to; what sleep makes of a million turns is less."""


def inflate(packed: bytes, *, most: int = MOST_BYTES) -> bytes:
    """
    Return what zlib has compressed.

    Raises:
        ValueError: it is cut off, damaged, or comes to more than ``most`` bytes.

    """
    unpacking = zlib.decompressobj()
    try:
        whole = unpacking.decompress(packed, most)
    except zlib.error as exc:
        raise ValueError(str(exc)) from exc
    if not unpacking.eof:
        msg = f"it is cut off, or comes to more than {most:,} bytes"
        raise ValueError(msg)
    return whole


def load_arrays(packed: bytes, *, most: int = MOST_BYTES) -> dict[str, NDArray[Any]]:
    """
    Return the arrays of an ``.npz`` file by name, none of which may hold objects.

    Raises:
        ValueError: they come to more than ``most`` bytes, or one says it is larger than it is.
        zipfile.BadZipFile: it is no such file.

    """
    with zipfile.ZipFile(io.BytesIO(packed)) as kept:
        members = kept.infolist()
        if sum(member.file_size for member in members) > most:
            msg = f"they come to more than {most:,} bytes"
            raise ValueError(msg)
        return {one.filename.removesuffix(".npy"): _array(kept.read(one)) for one in members}


def _array(stored: bytes) -> NDArray[Any]:
    """Read an ``.npy`` file; its head may not promise more than follows, for NumPy makes room."""
    head = io.BytesIO(stored)
    version = np.lib.format.read_magic(head)
    if version != (1, 0):
        msg = f"an array of version {version}"
        raise ValueError(msg)
    shape, _, dtype = np.lib.format.read_array_header_1_0(head)
    nbytes = dtype.itemsize
    for length in shape:
        nbytes *= length
    if nbytes > len(stored):
        msg = f"an array of {nbytes:,} bytes in a file of {len(stored):,}"
        raise ValueError(msg)
    array: NDArray[Any] = np.lib.format.read_array(io.BytesIO(stored), allow_pickle=False)
    return array
