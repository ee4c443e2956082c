"""Damage, or texts unread, that a verb went on without: it warns, or a server collects it."""

from __future__ import annotations

import warnings
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

from hippocampus.core.context_variable import temporarily

if TYPE_CHECKING:
    from hippocampus.core.records import Degradation

_COLLECTED: ContextVar[list[tuple[str, str, str]] | None] = ContextVar("collected", default=None)
_WHAT: Final = {"store": "what is damaged", "facts": "facts", "names": "names"}


def note_damage(bank: str, lacking: str) -> None:
    """Say that something of a bank is damaged, and so was left out of a list or a sum."""
    collected = _COLLECTED.get()
    if collected is None:
        msg = f"bank {bank!r} went on without what is damaged: {lacking}"
        warnings.warn(msg, RuntimeWarning, stacklevel=4)
    else:
        collected.append((bank, "store", lacking))


def note_unread(bank: str, part: str, done: int, total: int) -> None:
    """Say that a part of a bank was read from so many of its memories, and that it goes on."""
    collected = _COLLECTED.get()
    assert collected is not None, "whoever is told a part of it collects what it lacks"
    collected.append(
        (bank, part, f"read from {done:,} of {total:,} memories so far; ask again, and it goes on")
    )


def damage_collected() -> AbstractContextManager[None]:
    """Collect damage, instead of warning, for a caller that has another place to say so."""
    return temporarily(_COLLECTED, [])


def collected_damage(asked: str) -> list[Degradation]:
    """Return the damage collected while a bank was asked: its own, and that of included banks."""
    from hippocampus.core.records import Degradation  # noqa: PLC0415 - brings NumPy

    return [
        Degradation(part=part, reason=lacking)
        if bank == asked
        else Degradation(part="include", reason=f"bank {bank!r} lacks {_WHAT[part]}: {lacking}")
        for bank, part, lacking in dict.fromkeys(_COLLECTED.get() or ())
    ]
