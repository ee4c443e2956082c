"""Choice of the turns of a source that an import is about: all, unless its caller chooses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Final, TypeAlias

from hippocampus.core.context_variable import temporarily
from hippocampus.core.records import Turn

TurnChoice: TypeAlias = Callable[[Turn], Iterable[Turn]]
"""Choice of turns to take from one: none, the turn, or parts of it as turns."""

_choice: Final[ContextVar[TurnChoice | None]] = ContextVar("_choice", default=None)


def choosing(choice: TurnChoice) -> AbstractContextManager[None]:
    """Have imports take what a choice returns of each turn."""
    return temporarily(_choice, choice)


def is_chosen() -> bool:
    """Return whether somebody chooses."""
    return _choice.get() is not None


def chosen_turns(turns: Iterable[Turn]) -> list[Turn]:
    """Return the parts of turns that are taken, in their order."""
    choice = _choice.get()
    return list(turns) if choice is None else [one for turn in turns for one in choice(turn)]
