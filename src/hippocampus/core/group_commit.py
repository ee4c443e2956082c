"""Group commit: what threads ask for while they wait for the same lock is done together."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import dataclass, field
from typing import Final, Generic, TypeAlias, TypeVar

from hippocampus.core.budget import without_budget
from hippocampus.errors import StoreError, StoreLocked, StoreUnreachable

Asked = TypeVar("Asked")
Made = TypeVar("Made")
Fits: TypeAlias = Callable[[Sequence[Asked], Asked], bool]

_OF_ALL: Final = (StoreLocked, StoreUnreachable)
"""Errors that are the fault of no call, and of which each may have taken a timeout: doing the calls
one by one would take as many. A full disk is none: it may have room for one call alone."""


# Told apart by identity: two callers may ask for the same.
@dataclass(slots=True, eq=False)
class _Call(Generic[Asked, Made]):
    """Call that somebody waits for."""

    asked: Asked
    made: Future[Made] = field(default_factory=Future)


class GroupCommit(Generic[Asked, Made]):
    """
    Calls that are done together where one costs less beside others.

    Nobody waits for a call that may come. Of those that wait for the lock, whoever gets it does the
    first ones, in the order they came, and their own if it is among them. If they fail together
    each is done alone, so that everybody hears of their own fault and of nobody else's; but what
    is the fault of none, such as a store that is locked, is told to all.
    """

    def __init__(self, fits: Fits[Asked]) -> None:
        """Take the rule for joining: whether one more call can be done beside some."""
        self._fits = fits
        self._mutex = threading.Lock()
        self._waiting: list[_Call[Asked, Made]] = []

    @property
    def waiting(self) -> int:
        """Return the number of calls that wait."""
        return len(self._waiting)

    def call(
        self,
        asked: Asked,
        do: Callable[[Sequence[Asked]], Sequence[Made]],
        *,
        inside: Callable[[], AbstractContextManager[object]],
    ) -> Made:
        """
        Return the result of ``asked``.

        Args:
            asked: one call.
            do: does some calls, all of them or none; returns what was made of each, in order.
            inside: returns what is held meanwhile: a lock, or a semaphore.

        """
        mine = _Call[Asked, Made](asked)
        with self._mutex:
            self._waiting.append(mine)
        try:
            taken = False
            # Those that came first may leave no room for ours, which then waits for the lock again.
            while not taken:
                with inside():
                    some = self._take(mine)
                    # One done alone has its own budget; of several none may end the others.
                    with nullcontext() if some == [mine] else without_budget():
                        _settle(some, do)
                taken = not some or mine in some
        finally:
            self._drop(mine)  # it is there still if we were interrupted
        try:
            return mine.made.result()
        finally:
            del mine  # an error raised here has this frame, which must not have the error

    def _take(self, mine: _Call[Asked, Made]) -> list[_Call[Asked, Made]]:
        """Return those that have waited longest; none if somebody else has taken ours."""
        with self._mutex:
            if mine not in self._waiting:
                return []
            some = self._waiting[:1]
            for one in self._waiting[1:]:
                if self._fits([call.asked for call in some], one.asked):
                    some.append(one)
            for one in some:
                self._waiting.remove(one)
            return some

    def _drop(self, mine: _Call[Asked, Made]) -> None:
        with self._mutex:
            if mine in self._waiting:
                self._waiting.remove(mine)


def _settle(
    some: Sequence[_Call[Asked, Made]], do: Callable[[Sequence[Asked]], Sequence[Made]]
) -> None:
    """Do some calls and tell whoever waits for each."""
    try:
        _do(some, do)
    except _OF_ALL as exc:
        for one in _unsettled(some):
            one.made.set_exception(_own(exc))
    # Whoever is interrupted may have taken calls of others, who would wait for ever.
    except BaseException as exc:
        for one in _unsettled(some):
            one.made.set_exception(exc)
        raise


def _do(
    some: Sequence[_Call[Asked, Made]], do: Callable[[Sequence[Asked]], Sequence[Made]]
) -> None:
    """Do some calls, or each alone if they fail together; raise what is the fault of none."""
    if not some:
        return
    try:
        made = do([call.asked for call in some])
    except _OF_ALL:
        raise
    except Exception as exc:  # noqa: BLE001 - raised by whoever asked
        if len(some) > 1:
            for one in some:
                _do([one], do)
        else:
            some[0].made.set_exception(exc)
    else:
        for one, own in zip(some, made, strict=True):
            one.made.set_result(own)


def _unsettled(some: Sequence[_Call[Asked, Made]]) -> list[_Call[Asked, Made]]:
    """Return the calls of which nothing has been told yet."""
    return [one for one in some if not one.made.done()]


def _own(told: StoreError) -> StoreError:
    """Return an error that says the same, for a thread that adds to it what is its own."""
    own = copy(told).with_traceback(told.__traceback__)
    own.__cause__ = told.__cause__
    if hasattr(told, "__notes__"):
        own.__notes__ = [*told.__notes__]
    return own
