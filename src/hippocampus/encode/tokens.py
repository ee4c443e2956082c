"""Text as token ids and back, byte for byte."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hippocampus.errors import InvalidText

if TYPE_CHECKING:
    from rs_bpe.bpe.openai import Tokenizer

VOCABULARY = "o200k_base"
"""The byte-pair vocabulary of every store. Part of the store's format."""

VOCABULARY_NUMBER = 1
"""Its number in stored bytes."""

SIZE = 199_998
"""Ids are below it; special ones, which are in no text, are not."""

BITS = 18
"""Bits of an id."""

ID_BYTES = 3
"""Bytes of one packed id."""

_PIECE = 1 << 16
"""Characters tokenised at once: byte-pair merging is superlinear on a run without a break."""


@lru_cache(maxsize=1)
def _tokenizer() -> Tokenizer:
    from rs_bpe.bpe import openai  # noqa: PLC0415  (60 ms and 50 MB, paid at the first use)

    return openai.o200k_base()


def is_storable(text: str) -> bool:
    """Return whether ``encode`` takes a text, without loading the vocabulary."""
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)


def encode(text: str) -> list[int]:
    """
    Return the token ids of ``text``; ``decode`` gives the text back exactly.

    Raises:
        InvalidText: the text holds a lone surrogate, which no byte sequence stands for.

    """
    tokenizer = _tokenizer()
    try:
        if len(text) <= _PIECE:
            ids: list[int] = tokenizer.encode(text)
            return ids
        return [
            token
            for start in range(0, len(text), _PIECE)
            for token in tokenizer.encode(text[start : start + _PIECE])
        ]
    except UnicodeEncodeError as exc:
        where = text[exc.start]
        msg = (
            f"the text holds the lone surrogate U+{ord(where):04X} at character {exc.start}, which"
            " cannot be stored byte for byte; decode the source with errors='replace' first"
        )
        raise InvalidText(msg) from exc


def decode(tokens: Sequence[int]) -> str:
    """
    Return the text of a whole ``encode``; parts of one may not be valid text.

    Raises:
        ValueError: they are not the ids of a text.

    """
    _check(max(tokens, default=0))  # the tokenizer would read beyond its vocabulary
    text: str | None = _tokenizer().decode(list(tokens))
    if text is None:
        msg = f"{len(tokens)} token ids do not form valid UTF-8"
        raise ValueError(msg)
    return text


def count(text: str) -> int:
    """Return how many tokens ``text`` takes."""
    return len(encode(text))


def vocabulary() -> list[bytes]:
    """Return the bytes that each id stands for; many are no text by themselves."""
    decode_bytes = _tokenizer().bpe().decode_tokens
    return [decode_bytes([token]) for token in range(SIZE)]


@lru_cache(maxsize=1 << 16)
def token_bytes(token: int) -> bytes:
    """Return the bytes that an id stands for."""
    made: bytes = _tokenizer().bpe().decode_tokens([token])
    return made


def pack(tokens: Sequence[int]) -> bytes:
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
