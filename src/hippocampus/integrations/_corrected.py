"""Corrections of a text, made in the value that it was read from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

FIXED: Final = frozenset(
    "type role name id kind part_kind block_type tool_name status call_id tool_call_id model"
    " model_name timestamp".split()
)
"""Fields of a message that say what it is, and never what it says."""


class _Leaf(NamedTuple):
    """A text or number in a value, and the place of its words in the text of its episode."""

    of: Any
    key: Any
    start: int
    end: int
    before: str
    """Characters of it that are not in the text, and stand before the others."""
    after: str


def reworded(value: Any, old: str, new: str, *, fixed: frozenset[str] = FIXED) -> Any:  # noqa: ANN401
    """
    Return a value in which the words of an old text are those of a new one.

    What differs is put in the place of what it replaces, line by line if there are as many lines as
    before. Of several texts that are replaced at once, the first says the new words.
    """
    whole = [json.loads(json.dumps(value))]
    leaves = sorted(_found(whole, old, fixed), key=lambda leaf: leaf.start)
    changes = [(change, _changed_leaf(leaves, change)) for change in _differences(old, new)]
    for leaf in leaves:
        parts, place = [leaf.before], leaf.start
        for change, first in changes:
            if first is leaf:
                parts += [old[place : change.start], change.said]
            if first is leaf or (change.start < leaf.end and leaf.start < change.end):
                place = max(place, change.end)
        text = "".join([*parts, old[place : leaf.end], leaf.after])
        if text != str(leaf.of[leaf.key]) and (isinstance(leaf.of[leaf.key], str) or text):
            leaf.of[leaf.key] = _like(leaf.of[leaf.key], text)
    return whole[0]


class _Rewording(NamedTuple):
    """A stretch of an old text, and the words that a new one has in its place."""

    start: int
    end: int
    said: str


def _changed_leaf(leaves: Sequence[_Leaf], change: _Rewording) -> _Leaf | None:
    """Return the first leaf that a change alters, or to which it adds words."""
    within = (leaf for leaf in leaves if leaf.start < change.end and change.start < leaf.end)
    beside = (leaf for leaf in leaves if leaf.start <= change.start <= leaf.end)
    return next(within, None) or next(beside, None)


def _differences(old: str, new: str) -> Iterator[_Rewording]:
    """Yield the changes from one text to another, in order."""
    before, after = old.split("\n"), new.split("\n")
    if len(before) != len(after):
        before, after = [old], [new]
    place = 0
    for was, now in zip(before, after, strict=True):
        if was != now:
            change = _difference(was, now)
            yield change._replace(start=place + change.start, end=place + change.end)
        place += len(was) + 1


def _difference(old: str, new: str) -> _Rewording:
    """Return the one change that makes one text of another."""
    most = min(len(old), len(new))
    start = next((n for n in range(most) if old[n] != new[n]), most)
    same = next((n for n in range(most - start) if old[-1 - n] != new[-1 - n]), most - start)
    return _Rewording(start, len(old) - same, new[start : len(new) - same])


def _found(whole: list[Any], text: str, fixed: frozenset[str]) -> Iterator[_Leaf]:
    """Yield the parts of a value whose words are in a text; the longest are looked for first."""
    taken = [False] * len(text)
    for of, key in sorted(_leaves(whole, fixed), key=lambda leaf: -len(str(leaf[0][leaf[1]]))):
        leaf = _placed(of, key, text, taken)
        if leaf is not None:
            taken[leaf.start : leaf.end] = [True] * (leaf.end - leaf.start)
            yield leaf


def _leaves(whole: list[Any], fixed: frozenset[str]) -> Iterator[tuple[Any, Any]]:
    """Yield every text and number of a value: what it is in, and its key there."""
    todo: list[tuple[Any, Any]] = [(whole, 0)]
    while todo:
        of, key = todo.pop()
        one = of[key]
        if isinstance(one, dict):
            todo += [(one, name) for name in reversed(list(one)) if name not in fixed]
        elif isinstance(one, list):
            todo += [(one, place) for place in reversed(range(len(one)))]
        elif isinstance(one, str | int | float) and str(one).strip():
            yield of, key


def _placed(of: Any, key: Any, text: str, taken: list[bool]) -> _Leaf | None:  # noqa: ANN401 - JSON
    """Return where the words of a part of a value are in a text; None if they are not there."""
    spoken = str(of[key])
    core = spoken.strip()
    blank = spoken.index(core)
    at = text.find(core)
    while at >= 0:
        if not any(taken[at : at + len(core)]):
            rest = spoken[blank + len(core) :]
            return _Leaf(of, key, at, at + len(core), spoken[:blank], rest)
        at = text.find(core, at + 1)
    if (inside := spoken.find(text)) >= 0 and not any(taken):
        return _Leaf(of, key, 0, len(text), spoken[:inside], spoken[inside + len(text) :])
    # A long text is cut, and only its beginning is in the episode.
    lines = (n for n in range(1, len(text)) if text[n - 1] == "\n" and not any(taken[n:]))
    for line in lines:
        if core.startswith(text[line:]):
            cut = blank + len(text) - line
            return _Leaf(of, key, line, len(text), spoken[:blank], spoken[cut:])
    return None


def _like(old: object, text: str) -> object:
    """Return a text as the number that it is, if there was one."""
    if isinstance(old, str):
        return text
    try:
        number = json.loads(text)
    except ValueError:
        return text
    return number if isinstance(number, int | float) else text
