"""Fields by the names they had until 0.1: they still work, with a warning, until 0.3."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import partial, wraps
from typing import Any, Final, TypeVar, cast

from hippocampus._moved import warn_of_old_name
from hippocampus.core.lazy_dataclass import LazyMethod

T = TypeVar("T")

RENAMED: Final[dict[Hashable, Mapping[str, str]]] = {}
"""Of each class with such names, old name -> new name."""


def renamed(names: Mapping[str, str]) -> Callable[[type[T]], type[T]]:
    """
    Let a frozen dataclass take fields by old names, and give them.

    An old name that is passed wins over the new one, so that ``dataclasses.replace`` works.

    Args:
        names: old name -> new name.

    """

    def apply(cls: type[T]) -> type[T]:
        RENAMED[cast("Hashable", cls)] = names
        init, take = vars(cls).get("__init__"), partial(_taking, cls, names)
        if isinstance(init, LazyMethod):
            init.wrap = take  # to compile it here is what an immutable class saves
        else:
            cls.__init__ = take(cls.__init__)  # type: ignore[method-assign]
        for old, new in names.items():
            setattr(cls, old, property(_reader(cls, old, new)))
        return cls

    return apply


def _taking(cls: type, names: Mapping[str, str], init: Callable[..., None]) -> Callable[..., None]:
    """Return a constructor that takes the fields of a class by today's names or by old ones."""

    @wraps(init)
    def take(self: object, *args: Any, **given: Any) -> None:  # noqa: ANN401 - any field
        if not names.keys().isdisjoint(given):
            for old in given.keys() & names.keys():
                _warn(cls, old, names[old])
                given[names[old]] = given.pop(old)
        init(self, *args, **given)

    return take


def _reader(cls: type, old: str, new: str) -> Callable[[object], object]:
    def read(self: object) -> object:
        _warn(cls, old, new)
        return getattr(self, new)

    return read


def _warn(cls: type, old: str, new: str) -> None:
    warn_of_old_name(f"{cls.__name__}.{old}", f"{cls.__name__}.{new}", stacklevel=2)
