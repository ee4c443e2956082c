"""
Lists of English words, from ``words/*.txt``: read when first asked for, and kept.

A file has one entry a line; lines that begin with "#" are comments, and the first one says what the
list is for and where it comes from. Nothing is read by importing: ask where a list is used.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def word_list(name: str) -> tuple[str, ...]:
    """Return the entries of ``words/{name}.txt`` in their order, which matters to patterns."""
    text = (files("hippocampus.core") / "words" / f"{name}.txt").read_text("utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))


@cache
def word_set(name: str) -> frozenset[str]:
    """Return the entries of ``words/{name}.txt``, to look words up in."""
    return frozenset(word_list(name))
