"""
Immutable dataclasses, whose methods are each compiled at their first use.

A dataclass writes the source of its methods and compiles it where the class is defined, half a
millisecond each. A command of the shell defines more than a hundred classes and makes instances of
few of them. ``@immutable`` is ``@dataclass(frozen=True, slots=True, kw_only=True)`` in all else:
``fields``, ``replace``, ``asdict``, patterns and pickles know it, and what is used often is none
the slower for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import FrozenInstanceError, dataclass, field, fields
from typing import Any, Final, NoReturn, TypeVar, dataclass_transform, overload

T = TypeVar("T")

_SHARED: Final = ("__setattr__", "__delattr__", "__getstate__", "__setstate__")
"""Methods that are the same for all classes."""


@overload
def immutable(cls: type[T], /) -> type[T]: ...
@overload
def immutable(*, kw_only: bool = True, eq: bool = True) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def immutable(
    cls: type[T] | None = None, /, *, kw_only: bool = True, eq: bool = True
) -> type[T] | Callable[[type[T]], type[T]]:
    """
    Return a class as an immutable dataclass with slots, whose fields are given by name.

    ``kw_only=False``: its fields may be given by position; ``eq=False``: an instance equals itself.
    """

    def decorate(cls: type[T]) -> type[T]:
        own = vars(cls)
        named = ("__init__", "__repr__", *(("__eq__", "__hash__") if eq else ()))
        lazy = [name for name in named if own.get(name) is None]  # ``__eq__`` unsets ``__hash__``
        shared = [name for name in _SHARED if name not in own]
        # Not frozen: Python would compile methods for that, where ours are one for all classes.
        made = dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)(cls)
        for name in shared:
            setattr(made, name, getattr(_Immutable, name))
        for name in lazy:
            setattr(made, name, LazyMethod(made, name))
        return made

    return decorate if cls is None else decorate(cls)


class LazyMethod:
    """
    A method that makes place for the compiled one once it is looked for.

    ``wrap``: what is made of the compiled one before it takes its place.
    """

    __slots__ = ("_cls", "_name", "wrap")

    def __init__(self, cls: type[Any], name: str) -> None:
        self._cls, self._name = cls, name
        self.wrap: Callable[[Callable[..., Any]], Callable[..., Any]] | None = None

    def __get__(self, instance: object, owner: type[Any]) -> Any:  # noqa: ANN401 - any method
        for name, method in _compiled(self._cls, made=self._name == "__init__").items():
            # Another thread may have put the compiled one there meanwhile.
            if isinstance(lazy := vars(self._cls).get(name), LazyMethod):
                setattr(self._cls, name, method if lazy.wrap is None else lazy.wrap(method))
        return getattr(owner if instance is None else instance, self._name)


def _compiled(cls: type[Any], *, made: bool) -> Mapping[str, Any]:
    """Return the methods of a dataclass of the same fields: how it is made, or all the others."""
    body = {
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        "__doc__": cls.__doc__,
        "__annotations__": {one.name: one.type for one in fields(cls)},
        **{one.name: one for one in fields(cls)},
    }
    if (checked := getattr(cls, "__post_init__", None)) is not None:
        body["__post_init__"] = checked
    # Without slots, in whose place a dataclass would look for the defaults.
    bare = type(cls.__name__, (), body)
    if made:
        return vars(dataclass(frozen=True, repr=False, eq=False)(bare))
    return vars(dataclass(init=False, unsafe_hash=True)(bare))


class _Immutable:
    """Parts of an immutable class that need no fields to be known."""

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __getstate__(self) -> list[Any]:
        return [getattr(self, one.name) for one in fields(self)]  # type: ignore[arg-type]

    def __setstate__(self, state: list[Any]) -> None:
        for one, value in zip(fields(self), state, strict=True):  # type: ignore[arg-type]
            object.__setattr__(self, one.name, value)
