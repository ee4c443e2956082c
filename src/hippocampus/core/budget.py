"""
A budget for what is called: how long it may take and how much it may write; and cancellation.

It is looked at between steps, where work in the background gives way as well. A transaction that it
cuts off is rolled back. What was acknowledged stays, and so does what all callers share: catching
up with the journal and finishing an erasure go on to their end.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from hippocampus.core.context_variable import temporarily
from hippocampus.errors import Cancelled, InputError, OverBudget

_Values = TypeVar("_Values", bound=Iterable[Any])
_Result = TypeVar("_Result")


class Budget:
    """
    Budget of all calls in a ``with`` block together; inside another one, both hold.

        with Budget(seconds=2) as budget:
            bank.recall("Where is the key?")

    It belongs to the thread, or task, that enters it, one at a time; any thread may ``cancel`` it.

    Args:
        seconds: how long they may take from here on; None for any time.
        written_bytes: how many bytes they may hand to the store; None for any number.

    Raises:
        InputError: a limit that is not above 0.

    Its calls raise ``OverBudget`` where it is counted, ``Cancelled`` where it was called off.
    """

    def __init__(self, *, seconds: float | None = None, written_bytes: int | None = None) -> None:
        for name, given in (("seconds", seconds), ("written_bytes", written_bytes)):
            number = isinstance(given, int | float) and not isinstance(given, bool)
            if given is not None and not (number and given > 0):
                raise InputError(f"{name}={given!r}: must be a number above 0, or None")
        self.seconds = seconds
        self.written_bytes = written_bytes
        self.written = 0
        """How many bytes were handed to the store."""
        self.put_off = 0
        """How many texts were left to be embedded by the next sleep."""
        self._until: float | None = None
        self._cancelled = False
        self._outer: Budget | None = None
        self._token: Token[Budget | None] | None = None

    def cancel(self) -> None:
        """Cancel: calls under way end at their next step, and later ones do not begin."""
        self._cancelled = True

    def __enter__(self) -> Self:
        """
        Begin: what is called from here on is counted.

        Raises:
            InputError: it has begun, here or on another thread, and not ended yet.

        """
        if self._token is not None:
            raise InputError(
                "this Budget is under way already, in a block around this one or on another"
                " thread; make one for each"
            )
        self._outer = _current.get()
        self._until = None if self.seconds is None else time.monotonic() + self.seconds
        self._token = _current.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        """End."""
        if self._token is not None:
            _current.reset(self._token)
            self._token = None

    def around(self, call: Callable[[], _Result]) -> Callable[[], _Result]:
        """Return a call that is made within this budget, on whatever thread."""

        def within() -> _Result:
            # A budget belongs to a thread or task, so another thread has to enter it itself.
            with self:
                return call()

        return within

    def check(self) -> None:
        """Raise if it is counted or called off."""
        if self._cancelled:
            raise Cancelled("called off; what was not acknowledged was not done")
        if self._until is not None and time.monotonic() > self._until:
            msg = (
                f"took longer than the {self.seconds:g} s allowed for it; what was not acknowledged"
                " was not done: ask for less at once, or allow more"
            )
            raise OverBudget(msg)
        if self._outer is not None:
            self._outer.check()

    def is_half_spent(self) -> bool:
        """Return whether half of its time is over, or of that of one around it."""
        left_s = math.inf if self._until is None else self._until - time.monotonic()
        if self.seconds is not None and left_s < self.seconds / 2:
            return True
        return self._outer is not None and self._outer.is_half_spent()

    def note_put_off(self, texts: int) -> None:
        """Count texts that are left to be embedded by the next sleep."""
        self.put_off += texts
        if self._outer is not None:
            self._outer.note_put_off(texts)

    def spend(self, written_bytes: int) -> None:
        """Count bytes that are about to be written."""
        self.written += written_bytes
        if self.written_bytes is not None and self.written > self.written_bytes:
            msg = (
                f"would write more than the {self.written_bytes:,} bytes allowed for it; what was"
                " not acknowledged was not done: send less at once, or allow more"
            )
            raise OverBudget(msg)
        if self._outer is not None:
            self._outer.spend(written_bytes)


_current: Final[ContextVar[Budget | None]] = ContextVar("budget", default=None)


def check_budget() -> None:
    """Raise if whoever called has nothing left of their budget, or called it off."""
    budget = _current.get()
    if budget is not None:
        budget.check()


def budget_check() -> Callable[[], None]:
    """Return the ``check_budget`` of whoever calls, for threads that work for them."""
    budget = _current.get()
    return (lambda: None) if budget is None else budget.check


def puts_off(texts: int) -> bool:
    """
    Return whether so many texts are left to be embedded by the next sleep, and count them if so.

    They are where half of the time is over that whoever called has.
    """
    budget = _current.get()
    late = budget is not None and budget.is_half_spent()
    if budget is not None and late:
        budget.note_put_off(texts)
    return late


def texts_put_off() -> int:
    """Return the number of the caller's texts that were left to be embedded by the next sleep."""
    budget = _current.get()
    return 0 if budget is None else budget.put_off


def counted(rows: Iterable[_Values]) -> Iterable[_Values]:
    """Return rows that are written, each counted as it is taken, if anybody counts."""
    budget = _current.get()
    return rows if budget is None else _count(rows, budget)


def _count(rows: Iterable[_Values], budget: Budget) -> Iterator[_Values]:
    for row in rows:
        # A number takes eight bytes at most.
        budget.spend(sum(len(value) if isinstance(value, str | bytes) else 8 for value in row))
        yield row


@contextmanager
def without_budget() -> Iterator[None]:
    """Let work that all callers share go on to its end, whoever's budget it began with."""
    with temporarily(_current, None):
        yield
