"""Decompression within bounds: a few kilobytes that somebody made up can stand for terabytes."""

from __future__ import annotations

import io
import math
import re
import zipfile
import zlib
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.lazy_pattern import lazy_pattern

MOST_BYTES: Final = 1 << 30
"""Bytes that anything kept compressed may come to; what sleep makes of a million turns is less."""
PLENTY: Final = 1 << 24
"""Bytes that anything may come to in however few it is kept: 16 MB do no harm, and what is small
may be dense by chance (docs/format.md)."""
DENSEST: Final = 64
"""Bytes that one may stand for in what comes to more: words and numbers get 3 to 30 times as small,
and one byte of a bomb stands for 1032. Writers keep to it, so it is of the format
(docs/format.md)."""


def most_of(packed: int) -> int:
    """Return the most bytes that so many compressed ones may come to."""
    return min(MOST_BYTES, max(PLENTY, DENSEST * packed))


def inflate(packed: bytes, *, most: int | None = None) -> bytes:
    """
    Return the bytes that zlib has compressed.

    Raises:
        ValueError: it is cut off, damaged, or comes to more than ``most`` bytes: by default, than
            ``most_of`` its own.

    """
    most = most_of(len(packed)) if most is None else most
    # ``zlib.decompress`` knows no bound, and would unpack all of a bomb.
    unpacking = zlib.decompressobj()
    try:
        whole = unpacking.decompress(packed, most)
    except zlib.error as exc:
        raise ValueError(str(exc)) from exc
    if not unpacking.eof:
        msg = f"it is cut off, or comes to more than {most:,} bytes"
        raise ValueError(msg)
    return whole


_NO_ARCHIVE: Final = (
    zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError,
)  # fmt: skip
"""Errors of ``zipfile`` on bytes that are no archive, or one in a way that it does not know."""


def load_arrays(packed: bytes, *, most: int | None = None) -> dict[str, NDArray[Any]]:
    """
    Return the arrays of an ``.npz`` file by name, none of which may hold objects.

    Raises:
        ValueError: it is no such file, comes to more than ``most`` bytes (by default, than
            ``most_of`` its own), or has an array that says it is larger than it is.

    """
    most = most_of(len(packed)) if most is None else most
    try:
        with zipfile.ZipFile(io.BytesIO(packed)) as kept:
            members = kept.infolist()
            if sum(member.file_size for member in members) > most:
                msg = f"they come to more than {most:,} bytes"
                raise ValueError(msg)
            return {one.filename.removesuffix(".npy"): _read(kept, one) for one in members}
    except _NO_ARCHIVE as exc:
        msg = f"an archive that cannot be read ({exc!s:.80})"
        raise ValueError(msg) from exc


def _read(kept: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    with kept.open(member) as file:
        # No more than it says it is: ``ZipFile.read`` unpacks all of it before it looks.
        return _array(file.read(member.file_size))


_HEAD: Final = lazy_pattern(
    rb"\x93NUMPY\x01\x00(..)"
    rb"\{'descr': '(\|[biu]1|[<>][iu][248]|[<>]f[248])', 'fortran_order': (False|True), "
    rb"'shape': \(((?:[0-9]{1,18}(?:, |,(?=\))|(?=\)))){0,8})\), \} *\n",
    re.DOTALL,
)
"""The head of an ``.npy`` file of numbers, as NumPy writes it: length, type, order and shape."""


def _array(stored: bytes) -> NDArray[Any]:
    """
    Read an ``.npy`` file of numbers, all of which must be there.

    NumPy's own reader makes room for what a head promises, and has Python parse it.
    """
    head = _HEAD.match(stored)
    if head is None or head.end() != 10 + int.from_bytes(head[1], "little"):
        msg = "an array whose head is not what is written for numbers"
        raise ValueError(msg)
    shape = tuple(map(int, filter(None, head[4].replace(b" ", b"").split(b","))))
    flat = np.frombuffer(stored, head[2].decode(), offset=head.end())
    if math.prod(shape) != len(flat):
        msg = f"an array of {math.prod(shape):,} numbers with {len(flat):,} behind its head"
        raise ValueError(msg)
    # A copy, for what ``frombuffer`` returns is read-only.
    return flat.reshape(shape, order="F" if head[3] == b"True" else "C").copy()
