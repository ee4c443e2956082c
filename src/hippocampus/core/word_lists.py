"""
English as data: lists of words in ``words/*.txt``, regular expressions in ``patterns/*.txt``.

In both, lines that begin with "#" are comments, and the first one says what the file is for and
where it comes from. Nothing is read or compiled by importing, but when it is first asked for.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

_HERE: Final = Path(__file__).parent
_COMMENT_OR_BREAK = re.compile(r"^#.*\n|\n +(?=\S)", re.MULTILINE)
_NAMED = re.compile(r"\{([a-z_]+)\}")


@cache
def word_list(name: str) -> tuple[str, ...]:
    """Return the entries of ``words/{name}.txt`` in their order, which matters to patterns."""
    text = (_HERE / "words" / f"{name}.txt").read_text("utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))


@cache
def word_set(name: str) -> frozenset[str]:
    """Return the entries of ``words/{name}.txt``, to look words up in."""
    return frozenset(word_list(name))


@cache
def pattern_list(name: str) -> tuple[tuple[str, str], ...]:
    """
    Return the (name, regular expression) pairs of ``patterns/{name}.txt``, in their order.

    An entry is ``name = expression``, and goes on in the indented lines after it, whose indent does
    not count. In it ``{x}`` stands for the expression above that is named x, or else for the words
    of ``words/x.txt`` as alternatives.
    """
    text = (_HERE / "patterns" / f"{name}.txt").read_text("utf-8")
    found: dict[str, str] = {}
    entries = []
    for line in filter(None, _COMMENT_OR_BREAK.sub("", text).splitlines()):
        key, _, written = line.partition(" = ")
        found[key] = _NAMED.sub(
            lambda part: found.get(part[1]) or "|".join(word_list(part[1])), written
        )
        entries.append((key, found[key]))
    return tuple(entries)


class Patterns:
    """The expressions of ``patterns/{name}.txt`` as attributes, each compiled at its first use."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> re.Pattern[str]:
        expression = dict(pattern_list(self._name)).get(name)
        if expression is None:
            raise AttributeError(f"no expression {name!r} in patterns/{self._name}.txt")
        compiled = re.compile(expression)
        setattr(self, name, compiled)  # so that Python finds it without asking here again
        return compiled
