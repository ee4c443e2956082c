"""Threads for verbs, which block: a few of each kind, and a bounded number of requests waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from hippocampus.errors import Overloaded

_Result = TypeVar("_Result")


class Pool:
    """Runs what blocks on ``threads`` threads; more than ``waiting`` in line are sent away."""

    def __init__(self, name: str, *, threads: int, waiting: int) -> None:
        self.name = name
        self.busy = 0
        """How many calls are running or waiting."""
        self._most = threads + waiting
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=f"hippocampus-{name}")

    async def run(self, call: Callable[[], _Result]) -> _Result:
        """Return what a call returns; once begun it goes on to its end, if anybody waits or not."""
        if self.busy >= self._most:
            msg = f"{self._most} requests are being served or waiting; try again in a second"
            raise Overloaded(msg, retry_after_s=1.0)
        self.busy += 1
        running = self._threads.submit(call)
        running.add_done_callback(self._done(asyncio.get_running_loop()))
        return await asyncio.wrap_future(running)

    def _done(self, loop: asyncio.AbstractEventLoop) -> Callable[[object], None]:
        def count() -> None:
            self.busy -= 1

        def tell(_: object) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(count)

        return tell

    def close(self) -> None:
        """Wait for every call that has begun, so that none is cut off from its store."""
        self._threads.shutdown(wait=True)
