"""
Places of an embedder's tokens in a text's stream of ids (DWM, sections 3.1 and 3.3).

The paper keeps two streams of equal positions, contents and signatures. An embedder cuts a text
into pieces of its own, so each piece notes at which id of the content it begins: a byte a piece,
for it is how far that lies behind where the piece before began.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.encode.tokens import token_bytes

_MOST: Final = 255
"""Ids that one piece can lie behind the one before; what is more is caught up with by the next."""


def pack_spans(text: str, ids: NDArray[np.uint64], begins: NDArray[np.int32]) -> bytes:
    """
    Pack the places at which pieces of a text begin, as the store keeps them.

    First how many stand before the text, such as its speaker's name; at most 255 count. Then, for
    each of the others, how many ids it begins behind the last.

    Args:
        text: the text.
        ids: of its content.
        begins: the character at which each piece begins, ascending; below 0 before the text.

    """
    before = min(int(np.count_nonzero(begins < 0)), _MOST)
    inside = begins[before:].clip(0, max(len(text) - 1, 0))
    places = np.searchsorted(_ends(ids), _byte_of(text)[inside], side="right")
    out, last = bytearray([before]), 0
    for place in places.tolist():
        step = min(max(place - last, 0), _MOST)
        last += step
        out.append(step)
    return bytes(out)


def characters(text: str, ids: NDArray[np.uint64], first: int, stop: int) -> tuple[int, int]:
    """Return the range of characters that the ids from ``first`` to before ``stop`` stand for."""
    ends = np.concatenate([[0], _ends(ids)])
    at = _byte_of(text)
    start, end = ends[min(first, len(ids))], ends[min(stop, len(ids))]
    begin = max(int(np.searchsorted(at, start, side="right")) - 1, 0)
    return begin, max(int(np.searchsorted(at, end, side="left")), begin)


def _ends(ids: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the byte at which each id ends."""
    return np.cumsum([len(token_bytes(one)) for one in ids.tolist()], dtype=np.int64)


def _byte_of(text: str) -> NDArray[np.int64]:
    """Return the byte at which each character begins, and the end of the last."""
    points = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    sizes = 1 + (points > 0x7F).astype(np.int64) + (points > 0x7FF) + (points > 0xFFFF)
    return np.concatenate([[0], np.cumsum(sizes)])
