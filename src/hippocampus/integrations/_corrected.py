"""Corrections of a text, made in the value that it was read from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

FIXED: Final = frozenset(
    "type role name id kind part_kind block_type tool_name status call_id tool_call_id model"
    " model_name timestamp".split()
)
"""Fields of a message that tell its kind and identity, never its words."""


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
    before. Of several texts that are replaced at once, the first says all of the new words. What is
    no text becomes none: a number that is told in words stays.
    """
    whole = [json.loads(json.dumps(value))]
    leaves = sorted(_found(whole, old, fixed), key=lambda leaf: leaf.start)
    changes = [_changed_leaf(leaves, change, old) for change in _differences(old, new)]
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


def _changed_leaf(
    leaves: Sequence[_Leaf], change: _Rewording, old: str
) -> tuple[_Rewording, _Leaf | None]:
    """Return a change and the first leaf that it alters, or to which it adds words."""
    within = [leaf for leaf in leaves if leaf.start < change.end and change.start < leaf.end]
    if not within:
        beside = (leaf for leaf in leaves if leaf.start <= change.start <= leaf.end)
        return change, next(beside, None)
    first = next((leaf for leaf in within if isinstance(leaf.of[leaf.key], str)), within[0])
    end = within[-1].end
    if len(within) > 1 and change.end < end:
        # Letters that two words have in common by chance are not left in the last text.
        change = _Rewording(change.start, end, change.said + old[change.end : end])
    return change, first


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
    taken = bytearray(len(text))
    since: dict[str, int] = {}
    for of, key in sorted(_leaves(whole, fixed), key=lambda leaf: -len(str(leaf[0][leaf[1]]))):
        leaf = _placed(of, key, text, taken, since)
        if leaf is not None:
            taken[leaf.start : leaf.end] = b"\1" * (leaf.end - leaf.start)
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


def _placed(
    of: Any,  # noqa: ANN401 - JSON
    key: Any,  # noqa: ANN401 - JSON
    text: str,
    taken: bytearray,
    since: dict[str, int],
) -> _Leaf | None:
    """
    Return the place in a text of the words of a value's part; None if they are not there.

    ``taken``: a 1 for each character of a part before. ``since``: where the same words are looked
    for again, as those before are taken; carried on in place.
    """
    spoken = str(of[key])
    core = spoken.strip()
    blank = spoken.index(core)
    at = text.find(core, since.get(core, 0))
    while at >= 0:
        end = at + len(core)
        if taken.find(1, at, end) < 0:
            since[core] = end
            return _Leaf(of, key, at, end, spoken[:blank], spoken[blank + len(core) :])
        at = text.find(core, at + 1)
    since[core] = len(text)
    free = taken.rfind(1) + 1
    if not free and (inside := spoken.find(text)) >= 0:
        return _Leaf(of, key, 0, len(text), spoken[:inside], spoken[inside + len(text) :])
    # A long text is cut, and only its beginning is in the episode.
    line = text.find("\n", max(free, len(text) - len(core), 1) - 1) + 1
    while 0 < line < len(text):
        if core.startswith(text[line:]):
            cut = blank + len(text) - line
            return _Leaf(of, key, line, len(text), spoken[:blank], spoken[cut:])
        line = text.find("\n", line) + 1
    return None


def _like(old: object, text: str) -> object:
    """Return a text as what there was: a text, a number, or whether something is so."""
    if isinstance(old, str):
        return text
    if isinstance(old, bool):
        return {"true": True, "false": False}.get(text.casefold(), old)
    try:
        number = json.loads(text)
    except ValueError:
        return old
    return number if isinstance(number, int | float) and not isinstance(number, bool) else old
