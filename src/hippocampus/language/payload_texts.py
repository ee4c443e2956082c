"""Texts in JSON, and in JSON that is kept as a text: each is read by itself, none is broken."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

NAMES: Final = frozenset(
    {"user_id", "agent_id", "run_id", "actor_id", "langgraph.namespace", "langgraph.key"}
)
"""Metadata by which somebody finds again what is theirs: changed, those of two would be one."""
_IDS: Final = frozenset({"id", "call_id", "tool_call_id"})
"""Fields by which an answer is known for that of its call."""
_ID: Final = re.compile(r"[\w:.-]{1,256}")
_NUMBERS_BELOW: Final = 10**11
"""Numbers that may be a code, if their field says so; longer ones are ids and times."""
_ENDS: Final = {"{": "}", "[": "]", '"': '"'}


class NumberText(str):
    """Text of a number in its JSON."""

    __slots__ = ()


Change = Callable[[str, str], str | int]
"""Change of a text or ``NumberText``, which is given with the name of its field."""


def change_texts(
    value: Any,  # noqa: ANN401 - JSON
    change: Change,
    label: str = "",
    *,
    names: Collection[str] = (),
    rename: Callable[[str], str] = str,
) -> Any:  # noqa: ANN401 - JSON
    """
    Return JSON with its texts changed; those in fields that are ``names``, by ``rename``.

    A text that is JSON itself, such as the arguments of a call, is JSON afterwards too.
    """
    whole = [value]
    # No recursion: a message may be nested as deeply as it likes.
    todo: list[tuple[Any, Any, str, str]] = [(whole, 0, label, "")]
    while todo:
        of, place, field, path = todo.pop()
        one = of[place]
        if isinstance(one, Mapping):
            of[place] = dict(one)
            todo += [
                (of[place], key, str(key), _below(path, key)) for key in reversed(list(of[place]))
            ]
        elif isinstance(one, list | tuple):
            of[place] = list(one)
            todo += [(of[place], n, field, _DEEP) for n in reversed(range(len(one)))]
        elif path in names and isinstance(one, str):
            of[place] = rename(one)
        else:
            of[place] = _changed(one, change, field)
    return whole[0]


def spelled(value: Any, *, names: Collection[str] = ()) -> str:  # noqa: ANN401 - JSON
    """Return the texts in JSON, a line each, after the names of their fields."""
    lines: list[str] = []
    todo: list[tuple[Any, str, str, str]] = [(value, "", "", "")]
    while todo:
        one, before, field, path = todo.pop()
        inside = _as_json(one) if isinstance(one, str) else one
        if isinstance(inside, Mapping):
            todo += [
                (item, _heading(field, key), str(key), _below(path, key))
                for key, item in reversed(list(inside.items()))
            ]
        elif isinstance(inside, list | tuple):
            todo += [(item, before, field, _DEEP) for item in reversed(inside)]
        elif path in names or not (isinstance(one, str) or _is_code(one)):
            lines.append(before)
        elif is_call_id(one, field):  # as JSON, where it is read as an id
            lines.append(as_id(one, field))
        else:
            lines.append(f"{before}{one if inside is None else inside}")
    return "\n".join(lines)


_DEEP: Final = ".."
"""The path of what is in a list or in an object of an object, where no names are."""


def _heading(field: str, key: object) -> str:
    """Return the heading of a text: the name of its field, after that of the field around it."""
    return "".join(f"{as_words(name)}: " for name in (field, str(key)) if name)


def as_words(field: str) -> str:
    """Return the name of a field in words: db_Password for dbPassword."""
    return _HUMPS.sub("_", field) if _ID.fullmatch(field) else field


_HUMPS: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def _below(path: str, key: object) -> str:
    """Return the path of a field of what is at a path."""
    return str(key) if not path else _DEEP if "." in path else f"{path}.{key}"


def is_call_id(value: object, field: str) -> bool:
    """Return whether a value is what an answer names its call by."""
    return field in _IDS and isinstance(value, str) and _ID.fullmatch(value) is not None


def as_id(value: str, field: str) -> str:
    """Return an id after the name of its field as JSON has them."""
    return f'"{field}": "{value}"'


def _is_code(value: object) -> bool:
    """Return whether a value is a number that may be a secret, if its field says so."""
    return type(value) is int and 0 <= value < _NUMBERS_BELOW


def _changed(value: Any, change: Change, label: str) -> Any:  # noqa: ANN401 - JSON
    """Return a value that is neither list nor object, changed where it is a text."""
    if _is_code(value):
        made = change(NumberText(value), label)
        return value if made == str(value) else made
    if not isinstance(value, str):
        return value
    inside = _as_json(value)
    if inside is None:
        return change(value, label)
    made = change_texts(inside, change, label)
    if made == inside:
        return value
    told = json.dumps(made, ensure_ascii=False, default=lambda one: f"{_MARK}{one.token}{_MARK}")
    told = told if _has_mark(value) else _MARKED.sub(r"\1", told)
    # Half a character, as an escape may spell, cannot be written otherwise.
    return _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", told)


@dataclass(frozen=True)
class _Fraction:
    """A number as its JSON spells it: 1.10 stays 1.10."""

    token: str


_HALF: Final = re.compile("[\ud800-\udfff]")
_MARK: Final = "\ue000"
"""A character of nobody's, around what is a number until it is JSON again."""
_MARKED: Final = re.compile(rf'"{_MARK}([\d.eE+-]+){_MARK}"')


def _has_mark(text: str) -> bool:
    """Return whether a text has the mark itself, perhaps as an escape."""
    return _MARK in text or "\\ue000" in text.lower()


def _as_json(text: str) -> Any:  # noqa: ANN401 - JSON
    """
    Return the object, list or text that a text is as JSON; None if it is none of them.

    None, too, for what would be another text if it were written anew: with a field twice, or with a
    number that is not finite.
    """
    bare = text.strip()
    if len(bare) < 2 or _ENDS.get(bare[0]) != bare[-1]:
        return None
    try:
        return json.loads(
            bare,
            object_pairs_hook=_fields,
            parse_float=_finite if _has_mark(text) else _fraction,
            parse_constant=_finite,
        )
    except (ValueError, RecursionError):
        return None


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of its fields; ``ValueError`` if two have one name."""
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a field is given twice")
    return made


def _finite(said: str) -> float:
    """Return a number; ``ValueError`` if it is not finite."""
    if not math.isfinite(number := float(said)):
        raise ValueError(f"{said} is not finite")
    return number


def _fraction(said: str) -> _Fraction:
    _finite(said)
    return _Fraction(said)
