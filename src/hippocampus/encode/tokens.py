"""Text as token ids and back, byte for byte."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hippocampus.encode import byte_pairs
from hippocampus.encode.byte_pairs import SIZE
from hippocampus.errors import InvalidText

VOCABULARY = "o200k_base"
"""The byte-pair vocabulary of every store. Part of the store's format."""

VOCABULARY_NUMBER = 1
"""Its number in stored bytes."""

BITS = 18
"""Bits of an id: the vocabulary has 199 998."""

ID_BYTES = 3
"""Bytes of one packed id: the fewest that hold its bits."""

_PIECE = 1 << 16
"""Characters tokenised at once. A token never goes across, so it is part of the store's format."""


def is_storable(text: str) -> bool:
    """Return whether ``encode`` takes a text, without loading the vocabulary."""
    # Of every text Python knows whether it is ASCII, so that costs nothing.
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)


def encode(text: str) -> list[int]:
    """
    Return the token ids of ``text``; ``decode`` gives the text back exactly.

    Raises:
        InvalidText: the text holds a lone surrogate, which no byte sequence stands for.

    """
    ids: list[int] = ids_of(text).tolist()
    return ids


def ids_of(text: str) -> NDArray[np.uint32]:
    """
    Return the token ids of ``text``, shape (tokens,).

    Raises:
        InvalidText: the text holds a lone surrogate, which no byte sequence stands for.

    """
    found: list[NDArray[np.uint32]] = []
    for start in range(0, max(1, len(text)), _PIECE):
        try:
            found.append(byte_pairs.split(text[start : start + _PIECE]))
        except UnicodeEncodeError as exc:
            place = start + exc.start
            msg = (
                f"the text holds the lone surrogate U+{ord(text[place]):04X} at character {place},"
                " which cannot be stored byte for byte; decode the source with errors='replace'"
                " first"
            )
            raise InvalidText(msg) from exc
    return found[0] if len(found) == 1 else np.concatenate(found)


def decode(tokens: Sequence[int]) -> str:
    """
    Return the text of a whole ``encode``; parts of one may not be valid text.

    Raises:
        ValueError: they are not the ids of a text.

    """
    _check(max(tokens, default=0))  # there is nothing beyond the vocabulary
    try:
        return byte_pairs.join(tokens)
    except UnicodeDecodeError as exc:
        msg = f"{len(tokens)} token ids do not form valid UTF-8"
        raise ValueError(msg) from exc


def count(text: str) -> int:
    """Return the number of tokens in ``text``."""
    return len(ids_of(text))


def vocabulary() -> list[bytes]:
    """Return the bytes that each id stands for; many are no text by themselves."""
    return list(map(byte_pairs.vocabulary().spell, range(SIZE)))


@lru_cache(maxsize=1 << 16)
def token_bytes(token: int) -> bytes:
    """Return the bytes that an id stands for."""
    return byte_pairs.vocabulary().spell(token)


def pack(tokens: Sequence[int] | NDArray[np.uint32]) -> bytes:
    """Return ids as bytes, three a token, little-endian."""
    wide = np.asarray(tokens, dtype="<u4").view(np.uint8).reshape(-1, 4)
    return np.ascontiguousarray(wide[:, :ID_BYTES]).tobytes()


def unpack(payload: bytes) -> NDArray[np.uint64]:
    """
    Return the ids of ``pack``, shape (tokens,).

    Raises:
        ValueError: they are not the bytes of ids.

    """
    if len(payload) % ID_BYTES:
        msg = f"{len(payload)} bytes are not ids of {ID_BYTES} bytes each"
        raise ValueError(msg)
    narrow = np.frombuffer(payload, dtype=np.uint8).reshape(-1, ID_BYTES)
    wide = np.zeros((len(narrow), 8), dtype=np.uint8)
    wide[:, :ID_BYTES] = narrow
    ids: NDArray[np.uint64] = wide.view("<u8").ravel()
    _check(int(ids.max(initial=0)))
    return ids


def _check(largest: int) -> None:
    if largest >= SIZE:
        msg = f"token id {largest} is not in {VOCABULARY}, whose ids are below {SIZE:,}"
        raise ValueError(msg)
