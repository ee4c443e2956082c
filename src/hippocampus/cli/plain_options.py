"""
Options read without Typer, as far as they are plain, for commands that are called often.

Loading Typer and describing every option of a command to it takes as long as a recall does. What is
not plain, be it an error or a call for help, is left to it.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from typing import Final

SCOPE: Final[Mapping[str, str]] = {
    f"--{name}": name for name in ("store", "bank", "embedder", "timezone")
}
"""Options that say which memory is meant."""
_SELDOM: Final = ("KEY", "VAULT", "SECRETS", "HIDE_SECRETS", "FLOOD", "RERANKER")
"""Variables, after "HIPPOCAMPUS_", whose values Typer reads."""


def read_plain(
    args: Sequence[str],
    options: Mapping[str, str],
    *,
    flags: Collection[str] = (),
    words: int = 0,
) -> dict[str, str] | None:
    """
    Return the values of options by their names, of flags as "yes", of ``words`` by their places.

    Those that say which memory is meant are read as well, and their variables. None if there is
    anything else, or an option has no value; the last of several counts.
    """
    if any(os.environ.get(f"HIPPOCAMPUS_{name}") for name in _SELDOM):
        return None
    known, left, given = {**SCOPE, **options}, list(args), list[str]()
    found = {
        name: value
        for name in SCOPE.values()
        if (value := os.environ.get(f"HIPPOCAMPUS_{name.upper()}"))
    }
    while left:
        arg = left.pop(0)
        if not arg.startswith("-"):
            given.append(arg)
            continue
        name, equals, value = arg.partition("=")
        if arg in flags:
            found[arg] = "yes"
            continue
        if not equals and left and not left[0].startswith("-"):
            value = left.pop(0)
        if not value or name not in known:
            return None
        found[known[name]] = value
    found |= {str(place): word for place, word in enumerate(given)}
    return found if len(given) == words else None


def whole(text: str) -> int | None:
    """Return the number that plain digits are; None if a text is something else."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None
