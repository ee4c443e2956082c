"""Differences of configurations as they may be seen: what changes, and nothing that others hold."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from typing import Final

_CONTEXT: Final = 2
"""Lines that a difference shows around what changes; ``diff`` has 3 by default. By hand."""
_LONG: Final = 200
"""Characters from which on a line is long, as a whole file of JSON in one is. Chosen by hand."""
_BESIDE: Final = 40
"""Characters that it shows around what changes in a line that is long. Chosen by hand."""
_HIDDEN: Final = "…"
_FRAME: Final = re.compile(
    r"""\s*(?:"(?:[^"\\]|\\.)*"\s*:|[\w.-]+\s*=(?!=|\s*$)|\[\[?[\w-][^\[\]=,]*\]\]?\s*$)?[\s{}\[\],]*"""
)
"""Beginning of a line of JSON or TOML before its value: a name, a table, brackets. What ends in "="
is Base64."""
_STRING: Final = re.compile(r"""("(?:[^"\\]|\\.)*"|'[^']*')(\s*:)?""")
"""A string, and the colon after it if it is a name."""


def difference(path: str, before: bytes | None, after: bytes | None) -> Iterator[str]:
    """
    Yield the lines of a unified difference of a file; None where there is none.

    Values that stay are not shown, since any may be a secret: of the lines around what changes
    there are names and brackets, and of lines that change, what is not in them before and after.
    """
    was, becomes = (path if raw is not None else "/dev/null" for raw in (before, after))
    old, new = ((raw or b"").decode("utf-8", "replace").splitlines() for raw in (before, after))
    lines = list(difflib.unified_diff(old, new, was, becomes, n=_CONTEXT, lineterm=""))
    stays = _strings(lines[2:], "-") & _strings(lines[2:], "+")
    yield from lines[:2]
    yield from _around_what_changes([_shown(line, stays) for line in lines[2:]])


def _strings(lines: Sequence[str], sign: str) -> set[str]:
    found = (one for line in lines if line[:1] == sign for one in _STRING.finditer(line))
    return {one[1] for one in found if not one[2]}


def _shown(line: str, stays: set[str]) -> str:
    if line[:1] != " ":
        return _STRING.sub(lambda one: _HIDDEN if one[1] in stays and not one[2] else one[0], line)
    frame = _FRAME.match(line, 1)
    end = frame.end() if frame else 1
    return line if end == len(line) else f"{line[:end]}{_HIDDEN}"


def _around_what_changes(lines: Sequence[str]) -> Iterator[str]:
    """Yield a difference in which a long line that became another has but what is around it."""
    place = 0
    while place < len(lines):
        old, new = lines[place], "".join(lines[place + 1 : place + 2])
        if old[:1] + new[:1] == "-+" and max(len(old), len(new)) > _LONG:
            start = _alike(old[1:], new[1:])
            # Only up to what is alike at the beginning, or a repeated part would be counted twice.
            end = _alike(old[:start:-1], new[:start:-1])
            yield from (_window(line, start - _BESIDE, end - _BESIDE) for line in (old, new))
            place += 2
        else:
            yield old
            place += 1


def _alike(one: str, other: str) -> int:
    """Return the length of the common beginning of two texts, in characters."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def _window(line: str, start: int, end: int) -> str:
    text = line[1:]
    shown = text[max(start, 0) : len(text) - max(end, 0)]
    return f"{line[0]}{'…' if start > 0 else ''}{shown}{'…' if end > 0 else ''}"
