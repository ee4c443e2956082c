"""A lock that many threads hold together, or one thread alone."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType


class SharedLock:
    """
    Held by many threads together, or by one alone, as often as each likes.

    Who waits to hold it alone comes before those who come later. A thread that holds it alone may
    hold it together with others within that, but not the reverse: two that did so would wait for
    each other.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._together: Counter[int] = Counter()
        """How often each thread holds it together with others."""
        self._alone: int | None = None
        self._depth = 0
        self._waiting = 0

    @contextmanager
    def together(self) -> Iterator[None]:
        """Hold it together with others while the block runs."""
        me = threading.get_ident()
        with self._changed:
            if not self._together[me] and self._alone != me:
                self._changed.wait_for(lambda: self._alone is None and not self._waiting)
            self._together[me] += 1
        try:
            yield
        finally:
            with self._changed:
                self._together[me] -= 1
                if not self._together[me]:
                    # An entry of 0 would still look like a thread that holds it.
                    del self._together[me]
                self._changed.notify_all()

    def __enter__(self) -> None:
        """Hold it alone."""
        me = threading.get_ident()
        with self._changed:
            if self._alone != me:
                assert me not in self._together, "it is held together with others"
                self._waiting += 1
                try:
                    self._changed.wait_for(lambda: self._alone is None and not self._together)
                finally:
                    # Also after an interruption, or nobody would ever hold it together again.
                    self._waiting -= 1
                self._alone = me
            self._depth += 1

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        """Let go of it."""
        with self._changed:
            self._depth -= 1
            if not self._depth:
                self._alone = None
                self._changed.notify_all()
