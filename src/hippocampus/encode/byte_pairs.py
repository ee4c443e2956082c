"""
The byte pairs of o200k_base: a text becomes tokens, and tokens become the text.

The table is ``o200k_base.bin``, made by ``bench/tools/build_vocabulary.py``; the ids are those of
OpenAI's vocabulary of that name.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.planes import from_planes
from hippocampus.kernel import BytePairs, piece_lengths

SIZE: Final = 199_998
"""Ids of o200k_base are below it; special ones, which are in no text, are not."""
TABLE_FILE: Final = Path(__file__).with_name("o200k_base.bin")

_SHAPES: Final = {
    "Lu": "\x80", "Lt": "\x80", "Ll": "\x81", "Lm": "\x82", "Lo": "\x82",
    "Mn": "\x87", "Mc": "\x87", "Me": "\x87", "Nd": "\x83", "Nl": "\x83", "No": "\x83",
    "Zs": "\x84", "Zl": "\x84", "Zp": "\x84",
}  # fmt: skip
"""Stand-in for a character beyond ASCII, by its category (``piece_lengths``)."""
_OTHER: Final = "\x85"
_NEXT_LINE: Final = "\x85"
_LONG_S: Final = "\u017f"
"""The one letter that is an s without regard to case, and so may end "it's"."""


class _Shapes(dict[int, str]):
    """Characters as ``str.translate`` takes them: ASCII is itself, another what stands for it."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        self[code] = char if char.isascii() else _SHAPES.get(unicodedata.category(char), _OTHER)
        return self[code]


_shapes: Final = _Shapes({ord(_NEXT_LINE): _SHAPES["Zs"], ord(_LONG_S): _SHAPES["Ll"]})


@cache
def vocabulary() -> BytePairs:
    """Return the table, read at its first use."""
    return read_table(TABLE_FILE.read_bytes())


def read_table(packed: bytes) -> BytePairs:
    """
    Read a table: what each word shares and adds, ids in three planes, and all that is added.

    Of "Word", " Word" and " word" only one has letters in it. The highest bit of what is shared
    says that a space stands before, that of what is added that the first letter is a capital one.
    """
    data = np.frombuffer(packed, np.uint8)
    shared, added = data[: 2 * SIZE].reshape(2, SIZE)
    highest, length = np.uint8(7), np.uint8(0x7F)
    forms = shared >> highest | added >> highest << np.uint8(1)
    ids = from_planes(data[2 * SIZE : 5 * SIZE].reshape(3, SIZE), np.uint32)
    return BytePairs(shared & length, added & length, forms, ids, data[5 * SIZE :])


def split(text: str) -> NDArray[np.uint32]:
    """
    Return the tokens of a text, shape (tokens,).

    Raises:
        UnicodeEncodeError: the text holds a lone surrogate.

    """
    raw = text.encode()
    shapes = raw if text.isascii() else text.translate(_shapes).encode("latin-1")
    return vocabulary().split(raw, piece_lengths(shapes))


def join(tokens: Sequence[int]) -> str:
    """
    Return the text of tokens, each of which is below ``SIZE``.

    Raises:
        UnicodeDecodeError: they are not the tokens of a text.

    """
    return vocabulary().join(np.asarray(tokens, np.uint32)).decode()
