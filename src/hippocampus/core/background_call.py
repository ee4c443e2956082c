"""A call that another thread makes meanwhile: native work beside Python's, on a second core."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class BackgroundCall(Generic[T]):
    """
    The call of a function without the GIL, made by a thread of its own.

    Args:
        call: the function; it looks at no context variable.

    """

    def __init__(self, call: Callable[[], T]) -> None:
        self._call = call
        self._made: T
        self._error: BaseException | None = None
        # No daemon: one that comes back from native code while Python ends aborts the process.
        self._thread = threading.Thread(target=self._run, name="hippocampus-background")
        try:
            self._thread.start()
        except RuntimeError:  # there are as many threads as the system allows
            self._run()

    def _run(self) -> None:
        try:
            self._made = self._call()
        except BaseException as exc:  # noqa: BLE001 - it is raised where the result is wanted
            self._error = exc

    def result(self) -> T:
        """Return the result, or raise what the call raised, once it is done."""
        if self._thread.ident is not None:
            self._thread.join()
        if self._error is not None:
            raise self._error
        return self._made
