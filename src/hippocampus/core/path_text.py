"""Paths as text that can be kept, and the paths of such text, also where names are not UTF-8."""

from __future__ import annotations

import os
import re
from pathlib import PurePath
from typing import Final

_MARK: Final = "\ufffd"
"""Stands before a byte that is no UTF-8, which two digits follow: ``caf\ufffdE9.md``."""
_LIKE_ONE: Final = re.compile(f"{_MARK}(?=[89A-F][0-9A-F])")
"""The mark in a name that has it itself, where it could be taken for one of ours."""
_BYTES: Final = re.compile("[\udc80-\udcff]")
"""Bytes as Python has them in text."""
_MARKED: Final = re.compile(f"{_MARK}([89A-F][0-9A-F])")


def path_text(path: PurePath) -> str:
    """
    Return a path as text that can be kept, with forward slashes; no two have the same.

    UTF-8 is as it is. Other bytes are marked, and so is what looks like one that was.
    """
    raw = os.fsencode(path.as_posix())
    text = _LIKE_ONE.sub(_marked(_MARK.encode()), raw.decode("utf-8", "surrogateescape"))
    return _BYTES.sub(lambda one: _marked(bytes([ord(one[0]) - 0xDC00])), text)


def path_of_text(text: str) -> str:
    """
    Return the path whose text this is, as the system takes it.

    Raises:
        ValueError: it holds half characters.

    """
    bytes_ = _MARKED.sub(lambda one: chr(0xDC00 + int(one[1], 16)), text)
    return os.fsdecode(bytes_.encode("utf-8", "surrogateescape"))


def _marked(raw: bytes) -> str:
    return "".join(f"{_MARK}{byte:02X}" for byte in raw)
