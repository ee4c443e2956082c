"""Damage that a verb of a bank went on without: it warns, or a server collects it and says so."""

from __future__ import annotations

import warnings
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from hippocampus.core.context_variable import temporarily

if TYPE_CHECKING:
    from hippocampus.core.records import Degradation

_COLLECTED: ContextVar[list[tuple[str, str]] | None] = ContextVar("collected", default=None)


def note_damage(bank: str, lacking: str) -> None:
    """Say that something of a bank is damaged, and so was left out of a list or a sum."""
    collected = _COLLECTED.get()
    if collected is None:
        msg = f"bank {bank!r} went on without what is damaged: {lacking}"
        warnings.warn(msg, RuntimeWarning, stacklevel=4)
    else:
        collected.append((bank, lacking))


def damage_collected() -> AbstractContextManager[None]:
    """Collect damage, instead of warning, for a caller that has another place to say so."""
    return temporarily(_COLLECTED, [])


def collected_damage(asked: str) -> list[Degradation]:
    """Return the damage collected while a bank was asked: its own, and that of included banks."""
    from hippocampus.core.records import Degradation  # noqa: PLC0415 - brings NumPy

    return [
        Degradation(part="store", reason=lacking)
        if bank == asked
        else Degradation(part="include", reason=f"bank {bank!r} lacks what is damaged: {lacking}")
        for bank, lacking in dict.fromkeys(_COLLECTED.get() or ())
    ]
