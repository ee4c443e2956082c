"""Faults of JSON that somebody sent, in words: the values that may be where one may not."""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Literal, Union, get_args, get_origin

from hippocampus.core.lazy_pattern import lazy_pattern

_ENUM: Final = lazy_pattern(r"(?s)Invalid enum value (.*) - at `\$\.?(.*)`")
_HALVES: Final = lazy_pattern(
    r"(?i)(?<!\\)(?:\\\\)*(?:(\\ud[89ab][0-9a-f]{2})(?!\\ud[c-f])"
    r"|(?<!\\ud[89ab][0-9a-f]{2})(\\ud[c-f][0-9a-f]{2}))"
)
"""Half of a character of two, by its escape."""
_STEP: Final = re.compile(r"([^.\[\]]+)|\[[^\]]*\]")

FieldsOf = Callable[[Any], Mapping[str, Any]]


def worded(fault: str, kind: Any, fields_of: FieldsOf) -> str:  # noqa: ANN401 - a type
    """
    Return the words for a decoder's complaint of JSON that does not fit a type.

    Args:
        fault: the decoder's message.
        kind: the type that was wanted.
        fields_of: gives the fields of a record, each with its type.

    """
    found = _ENUM.fullmatch(fault)
    allowed = list(_values(_at(kind, found[2], fields_of))) if found else []
    if found and allowed:
        return f"{found[2]}={found[1]}: must be {_either(list(map(repr, allowed)))}"
    return f"{fault.rstrip('.')}; see /openapi.json for what is expected"


def half_character(text: str) -> str | None:
    """Return the words for half of a character, which no text has; None where there is none."""
    found = _HALVES.search(text)
    if found is None:
        return None
    half = found[1] or found[2]
    return (
        f"{half} is half of a character, and no text; cut texts between characters, or leave it out"
    )


def _either(names: list[str]) -> str:
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _at(kind: Any, path: str, fields_of: FieldsOf) -> list[Any]:  # noqa: ANN401 - a type
    """Return the types that may be at a place of what a type tells of."""
    here = list(_parts(kind))
    for step in _STEP.finditer(path):
        inner: list[Any] = []
        for one in here:
            arguments = get_args(one)
            if step[1] is None:
                inner += [arg for arg in arguments if arg is not ...]
            elif step[1] in (known := fields_of(one)):
                inner.append(known[step[1]])
            elif arguments:
                inner.append(arguments[-1])  # of a mapping
        here = [part for one in inner for part in _parts(one)]
    return here


def _parts(kind: Any) -> Iterator[Any]:  # noqa: ANN401 - a type
    """Yield the types of which any will do."""
    if get_origin(kind) in (Union, types.UnionType):
        for one in get_args(kind):
            yield from _parts(one)
    else:
        yield kind


def _values(kinds: list[Any]) -> Iterator[object]:
    for one in kinds:
        if get_origin(one) is Literal:
            yield from get_args(one)
