"""Interfaces read off functions: groups of parameters spread out, documentation in paragraphs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeVar, get_type_hints

from hippocampus.core.lazy_dataclass import immutable

P = ParamSpec("P")
R = TypeVar("R")


@immutable
class ParameterGroup:
    """Parameters that are arguments of a verb by the same names."""

    def given(self) -> dict[str, Any]:
        """Return the arguments; None for an empty list, as of an option that nobody gave."""
        given = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: None if value == [] else value for name, value in given.items()}


def spread(function: Callable[P, R]) -> Callable[P, R]:
    """
    Write the fields of each dataclass that a function takes into its signature, keyword-only.

    A framework that reads an interface off a signature, for a command or a tool, sees the fields,
    and calls with them; the function gets the instance. So a group of options is written once.
    """
    hints = get_type_hints(function, include_extras=True)
    parameters: list[inspect.Parameter] = []
    groups: dict[str, type[Any]] = {}
    for given in inspect.signature(function).parameters.values():
        kind = hints.get(given.name, given.annotation)
        if not (isinstance(kind, type) and is_dataclass(kind)):
            parameters.append(given.replace(annotation=kind))
            continue
        groups[given.name] = kind
        own = get_type_hints(kind, include_extras=True)
        parameters += [
            inspect.Parameter(f.name, given.KEYWORD_ONLY, default=f.default, annotation=own[f.name])
            for f in fields(kind)
        ]

    @wraps(function)
    def flat(*args: Any, **options: Any) -> R:  # noqa: ANN401 - whatever the function takes
        for name, kind in groups.items():
            given = {f.name: options.pop(f.name) for f in fields(kind) if f.name in options}
            options.setdefault(name, kind(**given))
        return function(*args, **options)

    flat.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        parameters, return_annotation=hints.get("return", inspect.Signature.empty)
    )
    flat.__annotations__ = {p.name: p.annotation for p in parameters}
    if "return" in hints:
        flat.__annotations__["return"] = hints["return"]
    return flat


def described(function: Callable[..., object], texts: Mapping[str, Any]) -> str:
    """Return a function's docstring and, of its texts, ``more``: a line for each paragraph."""
    whole = "\n\n".join((inspect.getdoc(function) or "", texts.get("more", ""))).strip()
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in whole.split("\n\n"))
