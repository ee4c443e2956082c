"""Threads that block for an event loop, and cancellation of the requests they make."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import TypeVar

from hippocampus.core.connections import Connection

T = TypeVar("T")


class Cancellation:
    """The cancelled state of a request, and the connection that it uses."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cancelled = threading.Event()
        self._connection: Connection | None = None

    @property
    def cancelled(self) -> bool:
        """Return whether nobody waits for the request any more."""
        return self._cancelled.is_set()

    @contextmanager
    def watching(self, connection: Connection) -> Iterator[None]:
        """Break off what the connection does in the block if the request is cancelled, no later."""
        with self._lock:
            self._connection = connection
            # It may have been cancelled before it had a connection to break off.
            if self.cancelled:
                connection.abort()
        try:
            yield
        finally:
            with self._lock:  # the next request on it is somebody else's
                self._connection = None

    def cancel(self) -> None:
        """Break off the request, and its pause before another attempt."""
        with self._lock:
            self._cancelled.set()
            if self._connection is not None:
                self._connection.abort()

    def pause(self, seconds: float) -> None:
        """Wait, unless it is cancelled."""
        self._cancelled.wait(seconds)


_current: ContextVar[Cancellation] = ContextVar("_current")


def cancellation() -> Cancellation:
    """Return that of the task this thread works for; one that never comes without a task."""
    return _current.get(None) or Cancellation()


class Threads:
    """Threads for the tasks of one event loop, started as they are needed."""

    def __init__(self, most: int) -> None:
        self._pool = ThreadPoolExecutor(most, thread_name_prefix="hippocampus-http")

    async def run(self, call: Callable[[], T]) -> T:
        """Return the result of a call; it is broken off if the task is cancelled."""
        mine, context = Cancellation(), copy_context()
        # In a copy of the context, for the task may have several requests under way.
        context.run(_current.set, mine)
        running = asyncio.get_running_loop().run_in_executor(self._pool, context.run, call)
        try:
            return await running
        except asyncio.CancelledError:
            mine.cancel()
            raise

    def close(self) -> None:
        """Let the threads end once they have nothing to do."""
        # A thread may wait for a server, and an event loop that ends must not.
        self._pool.shutdown(wait=False)
