"""
Work in the background gives way to whoever waits for an answer.

Python computes one thread at a time, and one that comes back from native code waits for its turn
again: a recall does so dozens of times, so beside a thread that always computes it takes ten times
as long. Here that thread stops, at places where it can, until nobody is being answered.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from hippocampus.core.budget import check_budget

_WAIT_S: Final = 0.02
"""Longest wait at a time: most answers take less (docs/adr/0021, as all three)."""
_WORK_S: Final = 0.002
"""Least work between two waits, so that under load without a pause a tenth of the time is left."""
_TURN_S: Final = 0.0005
"""Seconds that a thread computes before another that waits may go on; Python's own is 5 ms, with
which a recall beside a sleep took twice as long. Shorter ones gained nothing more."""

Item = TypeVar("Item")


class _Here(threading.local):
    """State of this thread."""

    gives_way = False
    waited_at = 0.0


class _Turns:
    """Turn that a thread computes before another may go on: one setting, for all who give way."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._giving = 0
        self._before = 0.0

    def shorten(self) -> None:
        with self._lock:
            self._giving += 1
            # Only the first: a later one would take the shortened turns for those of before.
            if self._giving == 1:
                self._before = sys.getswitchinterval()
                # The program may have chosen shorter ones itself.
                sys.setswitchinterval(min(self._before, _TURN_S))

    def put_back(self) -> None:
        """Have them as they were, once the last one is done."""
        with self._lock:
            self._giving -= 1
            if not self._giving:
                sys.setswitchinterval(self._before)


class _Answers:
    """Number of answers that somebody in this process is waiting for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open = 0
        self.none = threading.Event()
        self.none.set()

    def begin(self) -> None:
        with self._lock:
            self._open += 1
            self.none.clear()

    def end(self) -> None:
        with self._lock:
            self._open -= 1
            if not self._open:
                self.none.set()


_here: Final = _Here()
_answers: Final = _Answers()
_turns: Final = _Turns()


@contextmanager
def answering() -> Iterator[None]:
    """
    Have those who give way do so, while the block runs or the function it decorates.

    For an answer that gives way itself nobody else does.
    """
    check_budget()
    # It would wait for itself at its next pause.
    if _here.gives_way:
        yield
        return
    _answers.begin()
    try:
        yield
    finally:
        _answers.end()


@contextmanager
def giving_way() -> Iterator[None]:
    """Have this thread give way at every ``pause`` while the block runs, and change turns often."""
    gave_way, _here.gives_way = _here.gives_way, True
    _turns.shorten()
    try:
        yield
    finally:
        _turns.put_back()
        _here.gives_way = gave_way


def pause() -> None:
    """
    End here if the budget is spent; wait until nobody is being answered, but not for long.

    Where nobody gives way, it does not wait.
    """
    check_budget()
    if not _here.gives_way or _answers.none.is_set():
        return
    if time.perf_counter() - _here.waited_at >= _WORK_S:
        _answers.none.wait(_WAIT_S)
        _here.waited_at = time.perf_counter()


def pausing(items: Iterable[Item]) -> Iterator[Item]:
    """Give the items, each after a pause."""
    for item in items:
        pause()
        yield item
