"""
Altered copies of records with slots: what ``dataclasses.replace`` does, at half the cost.

That one asks each field how it is made, and passes all of them through ``__init__``; a recall makes
a dozen copies of records with up to forty fields, in each of which a few change.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import fields
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar, cast

T = TypeVar("T")


class _Slots(NamedTuple):
    """Reader and setters of the fields of a class: all read at once, each set by its name."""

    read: Callable[[object], tuple[Any, ...]]
    put: Mapping[str, Callable[[object, object], None]]


def altered(record: T, /, **changes: Any) -> T:  # noqa: ANN401 - of any field
    """
    Return a copy of a record with some fields changed.

    The record is of a dataclass with slots, two fields or more and no ``__post_init__``, for that
    is not run.
    """
    slots = _slots(cast("Hashable", type(record)))
    twin = object.__new__(type(record))
    for put, value in zip(slots.put.values(), slots.read(record), strict=True):
        put(twin, value)
    for name, value in changes.items():
        slots.put[name](twin, value)
    return twin


@cache
def _slots(kind: Any) -> _Slots:  # noqa: ANN401 - any dataclass
    names = [one.name for one in fields(kind)]
    # The slot itself: a frozen class refuses to be set by name.
    return _Slots(attrgetter(*names), {name: getattr(kind, name).__set__ for name in names})
