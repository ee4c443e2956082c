"""
Threads for verbs, which block: a few of each kind, shared fairly among callers.

Callers take turns: who sends a thousand requests waits for their own, and whoever comes next is
served after at most one more of them. One thread, if there are two, is kept from every single
caller, so that others find one free. And Python computes on one thread at a time: while others ask
as well, who computes most of the time has one thread, which gives way to their answers, or each
would take as many times as long as there are threads.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import ContextVar
from typing import Any, Final, TypeAlias, TypeVar

from hippocampus.core.background_yield import giving_way
from hippocampus.core.budget import Budget
from hippocampus.core.rights import with_rights
from hippocampus.core.telemetry import in_this_trace
from hippocampus.core.tenant import as_now
from hippocampus.errors import Overloaded

_Result = TypeVar("_Result")
_Waiting: TypeAlias = tuple[Callable[[], Any], asyncio.Future[Any]]

CALLER: Final[ContextVar[str]] = ContextVar("caller", default="")
"""The id of the key that the current request came with; empty where there are no keys."""


_LATELY_S: Final = 2.0
"""Seconds after which a caller's computing counts for a third of itself (1/e). Chosen by hand."""
_MOST_OF_IT: Final = 0.5
"""The share of a processor from which on a caller computes most of the time. Chosen by hand."""


class Shares:
    """
    Shares of computing that callers had lately, and whether others ask as well, in all pools.

    What waits for a database or a model counts for nothing: who does has as many threads as ever.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._spent: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """When a caller was last here, and what it had computed then, in seconds; latest last."""

    def note(self, caller: str, seconds: float = 0.0) -> None:
        """Note that a caller is here, and has computed for so long."""
        now = self._clock()
        self._spent[caller] = now, self._lately(caller, now) + seconds
        self._spent.move_to_end(caller)
        # By then next to nothing is left of what it had computed.
        while now - next(iter(self._spent.values()))[0] > 10 * _LATELY_S:
            self._spent.popitem(last=False)

    def crowds(self, caller: str) -> bool:
        """Return whether a caller computes most of the time while others are here."""
        now = self._clock()
        others = (one for one in reversed(self._spent) if one and one != caller)
        other = next(others, None)
        if other is None or now - self._spent[other][0] > _LATELY_S:
            return False
        return self._lately(caller, now) > _MOST_OF_IT * _LATELY_S

    def _lately(self, caller: str, now: float) -> float:
        at, spent = self._spent.get(caller, (now, 0.0))
        return spent * math.exp((at - now) / _LATELY_S)


class Pool:
    """
    Pool of ``threads`` threads for blocking calls; beyond ``waiting`` in line they are refused.

    Of the places in line, one caller with a key has at most half. A pool belongs to one event loop.
    """

    def __init__(
        self,
        name: str,
        *,
        threads: int,
        waiting: int,
        budget: Callable[[], Budget] = Budget,
        shares: Shares | None = None,
    ) -> None:
        """
        Take the number of threads, and of calls that may wait for one.

        ``budget`` makes one for each call. ``shares``: those of all pools together.
        """
        self.name = name
        self._budget = budget
        self._shares = shares or Shares()
        self.busy = 0
        """How many calls are running or waiting."""
        self._most = threads + waiting
        self._most_of_line = max(1, waiting // 2)
        # One thread is left to others, however much one caller asks.
        self._most_at_once = max(1, threads - 1)
        self._free = threads
        self._running: Counter[str] = Counter()
        self._lines: OrderedDict[str, deque[_Waiting]] = OrderedDict()
        """Who waits, by caller; the caller whose turn is next comes first."""
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=f"hippocampus-{name}")

    async def run(self, call: Callable[[], _Result]) -> _Result:
        """Return the result of a call; it ends at its next step once nobody waits for it."""
        budget = self._budget()
        try:
            return await self._run(budget.around(call))
        except asyncio.CancelledError:
            budget.cancel()
            raise

    async def _run(self, call: Callable[[], _Result]) -> _Result:
        caller = CALLER.get()
        own = self._lines.get(caller, ())
        if self.busy >= self._most or (caller and len(own) >= self._most_of_line):
            msg = f"{len(own)} requests of yours are waiting, {self.busy} in all; try again soon"
            raise Overloaded(msg, retry_after_s=1.0)
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[_Result] = loop.create_future()
        self.busy += 1
        self._shares.note(caller)
        # A thread knows nothing of the request: its trace, tenant and rights go along.
        done = in_this_trace(as_now(with_rights(call)))
        waits = done, answer
        self._lines.setdefault(caller, deque()).append(waits)
        self._begin(loop)
        try:
            return await answer
        except asyncio.CancelledError:
            self._leave(caller, waits)
            raise

    def _leave(self, caller: str, waits: _Waiting) -> None:
        """Give up the place in line of a call that nobody waits for, if it has one still."""
        line = self._lines.get(caller, ())
        if line and waits in line:
            line.remove(waits)
            self.busy -= 1
            if not line:
                del self._lines[caller]

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin as many calls as there are free threads, those of each caller in turn."""
        while self._free:
            caller = next(filter(self._may_begin, self._lines), None)
            if caller is None:
                return
            line = self._lines[caller]
            call, answer = line.popleft()
            if line:
                self._lines.move_to_end(caller)
            else:
                del self._lines[caller]
            if answer.cancelled():  # whoever asked is gone
                self.busy -= 1
                continue
            self._free -= 1
            self._running[caller] += 1
            took: list[float] = []
            if self._shares.crowds(caller):
                call = giving_way()(call)
            self._threads.submit(_timed, call, took).add_done_callback(
                self._ending(loop, caller, answer, took)
            )

    def _may_begin(self, caller: str) -> bool:
        running = self._running[caller]
        if not caller or not running:
            return True
        return running < self._most_at_once and not self._shares.crowds(caller)

    def _ending(
        self,
        loop: asyncio.AbstractEventLoop,
        caller: str,
        answer: asyncio.Future[Any],
        took: list[float],
    ) -> Callable[[Future[Any]], None]:
        """Return the callback of a thread whose call has ended: the loop tells those who wait."""

        def end(done: Future[Any]) -> None:
            self._free += 1
            self.busy -= 1
            # Which leaves out callers that have none running, so that it stays small.
            self._running -= Counter({caller: 1})
            self._shares.note(caller, sum(took))
            # Whoever has hung up meanwhile is told nothing.
            if not answer.done():
                error = done.exception()
                answer.set_result(done.result()) if error is None else answer.set_exception(error)
            self._begin(loop)

        def tell(done: Future[Any]) -> None:
            with suppress(RuntimeError):  # the loop has ended meanwhile
                loop.call_soon_threadsafe(end, done)

        return tell

    def close(self) -> None:
        """Wait for every call that has begun, so that none is cut off from its store."""
        self._threads.shutdown(wait=True)


def _timed(call: Callable[[], _Result], took: list[float]) -> _Result:
    """Return the result of a call, and note for how long this thread has computed."""
    began = time.thread_time()
    try:
        return call()
    finally:
        took.append(time.thread_time() - began)
