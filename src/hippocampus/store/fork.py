"""
Forks: connections are closed before one and opened again after it, so that no child inherits any.

SQLite keeps in its own memory which locks a process holds. A child inherits that memory but not the
locks (fcntl(2)): opening the same file again it believes that it holds them, takes none, and other
processes delete the write-ahead log under it (sqlite.org/howtocorrupt.html, 2.6). What cannot be
closed, because a transaction is open on it, bars the child from opening that file. So does a fork
that Python is not told of, by a server written in C: nothing could be closed before it.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import Final, Protocol

from hippocampus.core.files import FileId, Hold
from hippocampus.core.system import at_fork
from hippocampus.errors import StoreError

_PATIENCE_S: Final = 2.0
"""Most seconds that a fork waits for other threads' transactions, all stores together
(docs/adr/0036)."""


class Forkable(Protocol):
    """A store of this process."""

    @property
    def hold(self) -> Hold | None:
        """Hold of this process on the store's file."""

    def pause(self, until: float) -> bool:
        """Close every connection and let nobody open one; False if one is in use until then."""

    def resume(self) -> None:
        """Let connections be opened again; in the parent, after a pause or an attempt at one."""

    def inherited(self) -> list[object]:
        """Return the connections a child must never close; called in the child."""


class _Forks:
    def __init__(self) -> None:
        self._begin()
        self._barred: dict[FileId, str] = {}  # and why
        self._never_closed: list[object] = []

    def _begin(self) -> None:
        """Have no store of this process, which a child has none of."""
        self._pid = os.getpid()
        self.lock = threading.RLock()  # a child's copy of the former is still held
        self.stores: weakref.WeakSet[Forkable] = weakref.WeakSet()
        self._asked: list[tuple[Forkable, bool]] = []

    def before(self) -> None:
        self.look()
        # Until the fork is over, so that no store is opened during it.
        self.lock.acquire()
        until = time.monotonic() + _PATIENCE_S
        self._asked = [(store, store.pause(until)) for store in list(self.stores)]

    def after_in_parent(self) -> None:
        for store, _ in self._asked:
            store.resume()
        self._asked = []
        self.lock.release()

    def after_in_child(self) -> None:
        why = (
            f"process {self._pid} was inside a transaction on it when this process was forked, and"
            " SQLite can take no locks on it here; fork while nothing is read or written, or"
            " start this process with 'spawn'"
        )
        self._bar((store for store, paused in self._asked if not paused), why)
        self._begin()

    def _bar(self, stores: Iterable[Forkable], why: str) -> None:
        for store in stores:
            if store.hold is not None:
                self._barred[store.hold.database] = why
                # Named here for good, or the garbage collector would close them.
                self._never_closed += store.inherited()

    def look(self) -> None:
        """Bar the stores that were open when this process was forked without a word to Python."""
        if self._pid == os.getpid():
            return
        why = (
            f"process {self._pid} had it open when a program in C forked this process, which"
            " Python is not told of, and SQLite can take no locks on it here; open it in the"
            " child alone (uWSGI: lazy-apps = true), or start this process with 'spawn'"
        )
        self._bar(list(self.stores), why)
        self._begin()

    def check(self, file: Path, path: str) -> None:
        self.look()
        status = file.stat()
        barred = self._barred.get((status.st_dev, status.st_ino))
        if barred is not None:
            raise StoreError(barred, path=path)


_forks: Final = _Forks()
at_fork(
    before=_forks.before,
    after_in_parent=_forks.after_in_parent,
    after_in_child=_forks.after_in_child,
)


def register(store: Forkable) -> None:
    """Have a store close its connections before every fork, for as long as it is in use."""
    _forks.look()
    with _forks.lock:
        _forks.stores.add(store)


check_openable: Final = _forks.check
