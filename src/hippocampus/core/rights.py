"""
Rights: which banks whoever asks may read and write, beyond the one that is asked.

A call names one bank, and whoever let it in has seen to that. What a bank includes, and where a
memory is promoted to, are other banks, which are looked at here at the moment of the call. In a
program of one's own there is no one to ask, and every bank is open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, NamedTuple, TypeVar

from hippocampus.core.context_variable import temporarily
from hippocampus.core.events import BanksIncluded, CameFrom, Promoted, kind_of

_Result = TypeVar("_Result")


class Rights(NamedTuple):
    """Banks that may be read, and those that may be written, by name, there or not."""

    may_read: Callable[[str], bool]
    may_write: Callable[[str], bool]
    may_accept: Callable[[str], bool] = lambda _: False
    """Banks whose texts may be said to be no orders to a model, as ``accept`` says it."""


def _always(_: str) -> bool:
    return True


ALL: Final = Rights(_always, _always, _always)
"""Those of a program that has the store itself."""

_OF_OTHERS: Final = frozenset(kind_of(event) for event in (BanksIncluded, Promoted, CameFrom))
"""Kinds of journal rows that name other banks."""

_held: Final[ContextVar[Rights]] = ContextVar("rights", default=ALL)


def rights() -> Rights:
    """Return the rights of whoever asks now."""
    return _held.get()


def without_strangers(kind: str, fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """
    Return the fields of a journal row without the names of banks that whoever asks may not read.

    For what shows or copies a journal. A list of banks keeps those that may be read; an episode's
    link to another bank is emptied, as an erasure empties it, so that every event can be decoded.

    Args:
        kind: the row's kind, which tells whether it names other banks.
        fields: those of its detail.

    """
    if kind not in _OF_OTHERS:
        return fields
    may_read, names, bank = rights().may_read, fields.get("banks"), fields.get("bank")
    if isinstance(names, list):
        return {**fields, "banks": [one for one in names if may_read(one)]}
    return {} if bank is not None and not may_read(bank) else fields


def hold(given: Rights) -> None:
    """Have rights from here on, to the end of the task."""
    _held.set(given)


@contextmanager
def holding(given: Rights) -> Iterator[None]:
    """Have rights."""
    with temporarily(_held, given):
        yield


def with_rights(call: Callable[[], _Result]) -> Callable[[], _Result]:
    """Return a call that has the rights of its maker, on whatever thread."""
    given = rights()

    def within() -> _Result:
        with holding(given):
            return call()

    return within
