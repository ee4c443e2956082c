"""Constraints on settings: declared beside the default, and checked here for all of them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cache
from types import UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    TypeAlias,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from msgspec import Meta, ValidationError, convert

from hippocampus.errors import InputError

Share: TypeAlias = Annotated[float, Meta(ge=0.0, le=1.0)]
"""A part of a whole."""

Cosine: TypeAlias = Annotated[float, Meta(ge=-1.0, le=1.0)]

Span: TypeAlias = Annotated[float, Meta(ge=0.0, le=1e9)]
"""A length of time, in the unit that the setting's name ends with."""

_SCALARS: Final[Mapping[object, str]] = {
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    type(None): "None",
}

_BOUNDS: Final[Mapping[str, str]] = {
    "gt": " above",
    "ge": " from",
    "le": " to",
    "lt": " to below",
    "multiple_of": ", a multiple of",
}


def check_whole(*, least: int = 0, optional: bool = False, **given: object) -> None:
    """
    Refuse arguments, passed by their names, that are no whole numbers from ``least`` on.

    ``optional``: None is allowed.
    """
    for name, value in given.items():
        if value is None and optional:
            continue
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise InputError(f"{name}={value!r}: must be a whole number, {least} or more")


def check_share(**given: object) -> None:
    """Refuse arguments, passed by their names, that are no numbers from 0 to 1."""
    for name, value in given.items():
        number = value if isinstance(value, int | float) else -1
        if isinstance(value, bool) or not 0 <= number <= 1:
            raise InputError(f"{name}={value!r}: must be a number from 0 to 1")


def check(settings: Any) -> None:  # noqa: ANN401 - any dataclass
    """
    Refuse settings of which one breaks the constraint of its annotation.

    Checked are numbers, truth values, choices, and their unions with None; anything else is left to
    the class. A float may be given as a whole number.
    """
    for name, (kind, rule) in _constraints(settings.__class__).items():
        given = getattr(settings, name)
        try:
            # NumPy's are floats that msgspec does not know.
            convert(float(given) if isinstance(given, float) else given, kind)
        except ValidationError as exc:
            raise InputError(f"{type(settings).__name__}.{name}={given!r}: must be {rule}") from exc


@cache
def _constraints(cls: Hashable) -> dict[str, tuple[Any, str]]:
    """Return the fields of a class that are checked, each with its type and the rule in words."""
    hints = get_type_hints(cls, include_extras=True)
    rules = {name: (kind, _rule(kind)) for name, kind in hints.items()}
    return {name: (kind, rule) for name, (kind, rule) in rules.items() if rule is not None}


def _rule(kind: Any) -> str | None:  # noqa: ANN401 - types have no common type
    """Return the rule of a type in words; None for one that is not checked here."""
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        rules = [_rule(one) for one in args]
        return None if None in rules else ", or ".join(rule for rule in rules if rule)
    if origin is Literal:
        return f"one of {', '.join(map(str, args))}"
    if origin is Annotated:
        # As numbers of that type: to typing's cache, bounds of 0 and of 0.0 are the same kind.
        bounds = ((words, getattr(args[1], bound)) for bound, words in _BOUNDS.items())
        said = (f"{words} {args[0](n)}" for words, n in bounds if n is not None)
        return _SCALARS[args[0]] + "".join(said)
    return _SCALARS.get(kind)
