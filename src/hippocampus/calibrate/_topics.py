"""
What synthetic people talk about: the made-up texts of ``topics.toml``, read when first asked for.

The file says how ``TOPICS`` is read and what fills the slots.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

TOPICS: str
WORDS: Mapping[str, str]
"""What a slot may be filled with, "|" between."""
GREETINGS: tuple[str, ...]
CLOSINGS: tuple[str, ...]
SMALLTALK: tuple[str, ...]
DAILY: tuple[str, ...]
REACTIONS: tuple[str, ...]
REPLIES: tuple[str, ...]
HINTS: tuple[str, ...]
REQUESTS: tuple[str, ...]
ON_TOPIC: tuple[str, ...]
PADDING: tuple[str, ...]
ELSEWHERE: tuple[str, ...]
TASKS: tuple[tuple[str, str, str, str], ...]
"""Requests, with their answers, the items of a list in these, and the questions about an item."""


def __getattr__(name: str) -> object:
    if name not in __annotations__:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return _texts()[name]


@cache
def _texts() -> Mapping[str, object]:
    from tomllib import loads  # noqa: PLC0415 - only who calibrates shall wait for it

    read = loads((files("hippocampus.calibrate") / "topics.toml").read_text("utf-8"))
    tasks = tuple((t["request"], t["answer"], t["items"], t["asks"]) for t in read.pop("TASKS"))
    lists = {name: tuple(found) for name, found in read.items() if isinstance(found, list)}
    return read | lists | {"TASKS": tasks}
