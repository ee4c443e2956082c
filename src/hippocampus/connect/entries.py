"""An entry of ours in a configuration of somebody else: put into its text, and taken out again."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from hippocampus.connect import jsonc
from hippocampus.connect.jsonc import Node, SyntaxFault

Format: TypeAlias = Literal["json", "toml"]
KeyPath: TypeAlias = tuple[str, ...]

_LONG_NUMBER: Final = re.compile(r"[0-9_]{4000}")
_AT: Final = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


class ConfigEntry(NamedTuple):
    """Entry of a configuration: a value under a path, or, if it ``appends``, in the list there."""

    path: KeyPath
    value: Any
    appends: bool = False


class Conflict(ValueError):
    """Something stands where an entry is to go, and it is not ours."""


class Placed(NamedTuple):
    """A text with an entry in it, and which containers were made for it."""

    text: str
    made: tuple[KeyPath, ...] = ()


def put(text: str, kind: Format, entry: ConfigEntry) -> Placed:
    """
    Return the text with an entry; the same text if it has it already.

    Raises:
        SyntaxFault: the text is not what it is meant to be.
        Conflict: something else stands there.

    """
    return _put_json(text, entry) if kind == "json" else Placed(_put_toml(text, entry))


def take(text: str, kind: Format, entry: ConfigEntry, made: Sequence[KeyPath] = ()) -> str | None:
    """
    Return the text without an entry, and without what was made for it and is empty now.

    None if it is not there, or is not as it was put there.

    Raises:
        SyntaxFault: the text is not what it is meant to be.

    """
    return _take_json(text, entry, made) if kind == "json" else _take_toml(text, entry)


def changed_at(text: str, kind: Format, entry: ConfigEntry) -> int | None:
    """Return the line where an entry stands that is no longer as it was put there; None if none."""
    if kind == "toml":
        name = re.escape(".".join(entry.path))
        found = re.search(rf"^[ \t]*\[{name}[\].]", text, re.MULTILINE)
        return text.count("\n", 0, found.start()) + 1 if found else None
    chain = _chain(jsonc.parse(text), entry.path)
    if chain is None:
        return None
    item: jsonc.JsonItem | None = chain[-1]
    if entry.appends:
        # Its longest text, the command, still shows which item is ours when the rest was changed.
        told = max(_strings(entry.value), key=len, default="")
        item = next((one for one in chain[-1].node.items if told in _strings(one.node.value)), None)
    return None if item is None else text.count("\n", 0, item.start) + 1


def _strings(value: object) -> list[str]:
    """Return every string in a value but names."""
    if isinstance(value, Mapping):
        return [text for one in value.values() for text in _strings(one)]
    if isinstance(value, list):
        return [text for one in value for text in _strings(one)]
    return [value] if isinstance(value, str) else []


# ---------------------------------------------------------------- JSON


def _put_json(text: str, entry: ConfigEntry) -> Placed:
    if not text.strip("\ufeff \t\r\n"):  # a file may be empty but for a byte order mark
        text = "{}\n"
    node = root = jsonc.parse(text)
    if not isinstance(root.value, dict):
        raise Conflict("its whole content is not an object")
    for depth, key in enumerate(entry.path):
        item = node.member(key)
        if item is None:
            value = [entry.value] if entry.appends else entry.value
            for name in reversed(entry.path[depth + 1 :]):
                value = {name: value}
            # A list that the entry is appended to was made as well.
            made = range(depth + 1, len(entry.path) + entry.appends)
            changed = jsonc.insert(text, node, key, value)
            return _checked(
                Placed(changed, tuple(entry.path[:n] for n in made)), _with(root.value, entry)
            )
        node = item.node
        last = depth == len(entry.path) - 1
        if last and not entry.appends:
            if node.value == entry.value:
                return Placed(text)
            raise Conflict(f"{_named(entry.path)} is there already, and says something else")
        wanted = list if last else dict
        if not isinstance(node.value, wanted):
            what = "a list" if last else "an object"
            raise Conflict(f"{_named(entry.path[: depth + 1])} is not {what}")
    # A hook that is there already would be called twice.
    if entry.value in node.value:
        return Placed(text)
    changed = jsonc.insert(text, node, None, entry.value)
    return _checked(Placed(changed), _with(root.value, entry))


def _take_json(text: str, entry: ConfigEntry, made: Sequence[KeyPath]) -> str | None:
    root = jsonc.parse(text)
    chain = _chain(root, entry.path)
    if chain is None:
        return None
    if entry.appends:
        node = chain[-1].node
        item = next((one for one in node.items if one.node.value == entry.value), None)
        # An object that has taken the place of the list has keys.
        if item is None or item.key is not None:
            return None
    else:
        item = chain[-1]
        node = chain[-2].node if len(chain) > 1 else root
        if item.node.value != entry.value:
            return None
    text = jsonc.remove(text, node, item)
    # Inner ones first, or the outer ones would not be empty yet.
    for path in sorted(made, key=len, reverse=True):
        text = _without_empty(text, path)
    return text


def _without_empty(text: str, path: KeyPath) -> str:
    root = jsonc.parse(text)
    chain = _chain(root, path)
    # A comment that stands in it is somebody's, and keeps it.
    if chain is None or not jsonc.is_bare(text, chain[-1].node) or chain[-1].node.value:
        return text
    return jsonc.remove(text, chain[-2].node if len(chain) > 1 else root, chain[-1])


def _chain(root: Node, path: KeyPath) -> list[jsonc.JsonItem] | None:
    found = list[jsonc.JsonItem]()
    node = root
    for key in path:
        item = node.member(key)
        if item is None:
            return None
        found.append(item)
        node = item.node
    return found


def _with(value: Mapping[str, Any], entry: ConfigEntry) -> Any:  # noqa: ANN401 - JSON
    whole = deepcopy(value)
    at: Any = whole
    for key in entry.path[:-1]:
        at = at.setdefault(key, {})
    if entry.appends:
        at.setdefault(entry.path[-1], []).append(entry.value)
    else:
        at[entry.path[-1]] = entry.value
    return whole


def _checked(placed: Placed, meant: object) -> Placed:
    """Return a change, if it says what it was meant to say and nothing else."""
    if jsonc.parse(placed.text).value != meant:
        raise Conflict("it is written in a way that cannot be changed in place")
    return placed


def _named(path: KeyPath) -> str:
    return ".".join(path)


# ---------------------------------------------------------------- TOML


def _put_toml(text: str, entry: ConfigEntry) -> str:
    before = _read_toml(text)
    at: Any = before
    for key in entry.path:
        if not isinstance(at, dict):
            raise Conflict(f"{_named(entry.path)} has no table to stand in")
        at = at.get(key, {})
    if at == entry.value:
        return text
    if at != {}:
        raise Conflict(f"{_named(entry.path)} is there already, and says something else")
    eol = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text else eol if text.endswith("\n") else eol * 2
    changed = text + gap + _table(entry, eol)
    try:
        # An inline table is valid TOML, and no table can be added to it from below.
        said = _read_toml(changed)
    except SyntaxFault:
        said = {}
    if said != _with(before, entry):
        name = _named(entry.path[:-1])
        raise Conflict(f"{name} is written in a way that no table can be added to; use [{name}.…]")
    return changed


def _take_toml(text: str, entry: ConfigEntry) -> str | None:
    before = _read_toml(text)
    eol = "\r\n" if "\r\n" in text else "\n"
    table = _table(entry, eol)
    meant = _without(before, entry)
    # With the blank line that was put before it, if that is still there.
    for ours in (eol + table, table):
        # Of two, one is inside a text of several lines, and which is not guessed.
        if meant is not None and text.count(ours) == 1:
            left = text.replace(ours, "")
            if _read_toml(left) in meant:
                return left
    return None


def _without(value: Mapping[str, Any], entry: ConfigEntry) -> list[Any] | None:
    """Return the text without an entry: with the tables around it, or without empty ones."""
    whole = deepcopy(value)
    around: list[Any] = [whole]
    for key in entry.path[:-1]:
        around.append(around[-1].get(key, {}))
    if around[-1].pop(entry.path[-1], None) != entry.value:
        return None
    fuller = deepcopy(whole)
    for depth in range(len(entry.path) - 1, 0, -1):
        if not around[depth]:
            del around[depth - 1][entry.path[depth - 1]]
    return [fuller, whole]


def _read_toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as exc:
        # Python 3.11 tells the place in the message alone.
        what, at = str(exc), _AT.search(str(exc))
        line, column = text.count("\n") + 1, 1
        if at and at[1]:
            line, column = int(at[1]), int(at[2])
        raise SyntaxFault(_AT.sub("", what), line, column) from exc
    except RecursionError:
        raise SyntaxFault("nested too deeply", 1, 1) from None
    except ValueError:
        # int() refuses more than 4,300 digits, and tomllib lets that through without a place.
        at = _LONG_NUMBER.search(text)
        line = text.count("\n", 0, at.start() if at else None) + 1
        raise SyntaxFault("a number is too long to read", line, 1) from None


def _table(entry: ConfigEntry, eol: str) -> str:
    lines = [f"[{'.'.join(entry.path)}]"]
    lines += [
        f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in entry.value.items()
    ]
    return "".join(f"{line}{eol}" for line in lines)
