"""
The byte pairs of o200k_base: a text becomes tokens, and tokens become the text.

The table is ``o200k_base.bin``, made by ``bench/tools/build_vocabulary.py``; the ids are those of
OpenAI's vocabulary of that name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np

from hippocampus.kernel import BytePairs

SIZE: Final = 199_998
"""Ids are below it; special ones, which are in no text, are not."""
TABLE_FILE: Final = Path(__file__).with_name("o200k_base.bin")

_SPACE: Final = "\t\n\x0b\x0c\r \ue004"
_NUMBER: Final = "0-9\ue003"
_LETTER: Final = "A-Za-z\ue000-\ue002"
_UPPER: Final = "[A-Z\ue000\ue002\ue007]"
_LOWER: Final = "[a-z\ue001\ue002\ue007]"
_SHAPES: Final = {
    "Lu": "\ue000", "Lt": "\ue000", "Ll": "\ue001", "Lm": "\ue002", "Lo": "\ue002",
    "Mn": "\ue007", "Mc": "\ue007", "Me": "\ue007", "Nd": "\ue003", "Nl": "\ue003", "No": "\ue003",
    "Zs": "\ue004", "Zl": "\ue004", "Zp": "\ue004",
}  # fmt: skip
"""Stand-in for a character beyond ASCII, by its category."""
_OTHER: Final = "\ue005"
_NEXT_LINE: Final = "\x85"
_LONG_S: Final = "\u017f"
"""The one letter that is an s without regard to case, and so may end "it's"."""


class _Shapes(dict[int, str]):
    """Characters as ``str.translate`` takes them: ASCII is itself, another what stands for it."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        self[code] = char if char.isascii() else _SHAPES.get(unicodedata.category(char), _OTHER)
        return self[code]


_shapes: Final = _Shapes({ord(_NEXT_LINE): "\ue004", ord(_LONG_S): "\ue001"})


@cache
def _pieces() -> re.Pattern[str]:
    """Return the pattern that parts a text, in shapes, where no token goes across."""
    ending = r"(?:'(?:[sStTmMdD]|[rR][eE]|[vV][eE]|[lL][lL]))?"
    before = rf"[^\r\n{_LETTER}{_NUMBER}]?"
    return re.compile(
        rf"{before}{_UPPER}*{_LOWER}+{ending}|{before}{_UPPER}+{_LOWER}*{ending}"
        rf"|[{_NUMBER}]{{1,3}}| ?[^{_SPACE}{_LETTER}{_NUMBER}]+[\r\n/]*"
        rf"|[{_SPACE}]*[\r\n]+|[{_SPACE}]+(?![^{_SPACE}])|[{_SPACE}]+"
    )


@cache
def vocabulary() -> BytePairs:
    """Return the table, read at its first use."""
    return read_table(TABLE_FILE.read_bytes())


def read_table(packed: bytes) -> BytePairs:
    """Read a table: what each token shares and adds, the ids in three planes, and what is added."""
    data = np.frombuffer(packed, np.uint8)
    shared, added = data[: 2 * SIZE].reshape(2, SIZE)
    low, middle, high = data[2 * SIZE : 5 * SIZE].reshape(3, SIZE).astype(np.uint32)
    ids = (low | middle << 8 | high << 16).astype(np.uint32)
    return BytePairs(shared, added, ids, data[5 * SIZE :])


def split(text: str) -> list[int]:
    """
    Return the tokens of a text.

    Raises:
        UnicodeEncodeError: the text holds a lone surrogate.

    """
    # ``re`` knows no categories of Unicode: each character is given as one that stands for its own.
    shape = text if text.isascii() else text.translate(_shapes)
    lengths = np.fromiter(map(len, _pieces().findall(shape)), np.uint32)
    ids: list[int] = vocabulary().split(text.encode(), lengths).tolist()
    return ids


def join(tokens: Sequence[int]) -> str:
    """
    Return the text of tokens, each of which is below ``SIZE``.

    Raises:
        UnicodeDecodeError: they are not the tokens of a text.

    """
    return vocabulary().join(np.asarray(tokens, np.uint32)).decode()
