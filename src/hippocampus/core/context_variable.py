"""Context variables that are set for a while: by whoever calls, for what runs inside."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

_Value = TypeVar("_Value")


@contextmanager
def temporarily(variable: ContextVar[_Value], value: _Value) -> Iterator[None]:
    """Set a context variable, and put back what it was."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)
