"""
Several processes that serve one store at one address, so that more than one processor computes.

Python computes on one processor at a time, however many threads there are. The process that is
started stays as the one that looks after the workers: it opens no store and starts no thread, for
it forks. Each worker has a socket of its own at the address, among which the kernel shares out
connections; one that ends is followed by another on the same socket, so that nobody is refused.
"""

from __future__ import annotations

import gc
import logging
import os
import selectors
import shutil
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Final, NamedTuple

from hippocampus.core.listening import listen
from hippocampus.core.system import CAN_FORK, SHARES_CONNECTIONS, STOP_SIGNALS, fork
from hippocampus.errors import InputError

log = logging.getLogger("hippocampus.server")

_WORD: Final = 512
"""Most bytes of what a worker says, all of which are written at once."""


class Worker(NamedTuple):
    """One of the processes, as it knows itself."""

    number: int
    """From 0; the first also does what one alone shall do."""
    listening: socket.socket
    figures: Path
    """The folder in which each leaves its figures for the others."""
    ready: Callable[[str], None]
    """To be called with the URL once it answers."""


@dataclass(slots=True)
class _Process:
    """One of the processes, as the one that looks after them knows it."""

    pid: int
    said: int
    """Descriptor at which its readiness is read, and, for it closes with the process, its end."""
    is_ready: bool = False


def work(count: int, *, host: str, port: int, ready: Callable[[str], None]) -> Worker:
    """
    Return in each of ``count`` processes, which are children of this one, and never in this one.

    This process looks after them until it is told to stop, and then ends as they have. One that
    ends before it was ready ends all of them, for so would the next.

    Args:
        count: how many, at least 2.
        host: which address to listen at.
        port: at which port; 0 finds a free one.
        ready: called in this process with the URL once all of them answer.

    Raises:
        InputError: there are no forks here, or it is impossible to listen there.

    """
    if not CAN_FORK:
        msg = f"workers={count}: this system cannot fork; start one server for each instead"
        raise InputError(msg)
    crew = _Crew(_sockets(count, host, port), ready)
    try:
        return crew.run()
    finally:
        crew.close()


def _sockets(count: int, host: str, port: int) -> list[socket.socket]:
    """Return a socket for each; the same one where the kernel does not share out connections."""
    first = listen(host, port, shared=True)
    if not SHARES_CONNECTIONS:
        return [first] * count
    # Where any port will do, the first finds the one that all share.
    port = first.getsockname()[1]
    return [first, *(listen(host, port, shared=True) for _ in range(count - 1))]


class _Crew:
    """The workers, for the process that looks after them."""

    def __init__(self, sockets: list[socket.socket], ready: Callable[[str], None]) -> None:
        self._sockets = sockets
        self._ready = ready
        self._told = False
        self._stopping = False
        self._code = 0
        self._processes: dict[int, _Process] = {}
        self._figures = Path(tempfile.mkdtemp(prefix="hippocampus-figures-"))
        self._life, self._alive = os.pipe()
        """The second end is held by this process alone: it closes when this one ends."""
        self._woken, self._wake = os.pipe()
        self._worker: int | None = None
        """In a child, which one it is."""

    def run(self) -> Worker:
        """Look after workers, and exit once they have ended; return in each of them."""
        before = {one: signal.signal(one, self._heed) for one in STOP_SIGNALS}
        if self._begin(0, before):  # alone: it may have to make the store
            return self._as_worker()
        with selectors.DefaultSelector() as waiting:
            waiting.register(self._woken, selectors.EVENT_READ)
            watched: set[int] = set()
            while self._processes:
                for process in self._processes.values():
                    if process.said not in watched:
                        waiting.register(process.said, selectors.EVENT_READ)
                        watched.add(process.said)
                for key, _ in waiting.select():
                    if key.fd == self._woken:
                        self._stop(os.read(self._woken, 1)[0])
                        continue
                    number = next(n for n, p in self._processes.items() if p.said == key.fd)
                    if word := os.read(key.fd, _WORD):
                        begins = self._heard(number, word.decode())
                    else:
                        waiting.unregister(key.fd)
                        watched.remove(key.fd)
                        begins = self._ended(number)
                    if any(self._begin(another, before) for another in begins):
                        return self._as_worker()
        raise SystemExit(self._code)

    def close(self) -> None:
        """Let go of what this process holds; of a worker, what is none of its own."""
        for number, one in enumerate(self._sockets):
            if self._worker is None or one is not self._sockets[self._worker]:
                with suppress(OSError):
                    self._sockets[number].close()
        # By a worker as well: while it held this end it would not see the process go that looks
        # after it.
        os.close(self._alive)
        if self._worker is None:
            shutil.rmtree(self._figures, ignore_errors=True)

    def _begin(self, number: int, before: Mapping[signal.Signals, object]) -> bool:
        """Start a worker; return whether this is it."""
        said, say = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        gc.freeze()  # what is there is not looked through again, and its pages stay shared
        pid = fork()
        if pid:
            # The worker alone has this end, so that it closes when the worker ends.
            os.close(say)
            self._processes[number] = _Process(pid, said)
            return False
        for one, handler in before.items():
            signal.signal(one, handler)  # type: ignore[arg-type]  # as it was returned
        for other in self._processes.values():
            os.close(other.said)
        for end in (said, self._woken, self._wake):
            os.close(end)
        self._worker, self._say = number, say
        return True

    def _as_worker(self) -> Worker:
        assert self._worker is not None, "this is one"
        threading.Thread(target=self._end_with_parent, name="hippocampus-life", daemon=True).start()
        return Worker(
            self._worker, self._sockets[self._worker], self._figures,
            lambda url: _say(self._say, url),
        )  # fmt: skip

    def _end_with_parent(self) -> None:
        """Stop once the process is gone that looks after this one."""
        os.read(self._life, 1)
        os.kill(os.getpid(), signal.SIGTERM)

    def _heard(self, number: int, url: str) -> list[int]:
        """Note that a worker is ready; return which others are to begin."""
        self._processes[number].is_ready = True
        if self._stopping:
            return []
        if len(self._processes) < len(self._sockets):
            return [one for one in range(len(self._sockets)) if one not in self._processes]
        if not self._told and all(one.is_ready for one in self._processes.values()):
            self._told = True
            self._ready(url)
        return []

    def _ended(self, number: int) -> list[int]:
        """Note that a worker has ended; return whether another is to begin in its place."""
        gone = self._processes.pop(number)
        os.close(gone.said)
        _, status = os.waitpid(gone.pid, 0)
        code = os.waitstatus_to_exitcode(status)
        if self._stopping:
            self._code = max(self._code, abs(code))
            return []
        seen = {"worker": number, "code": code}
        if gone.is_ready:
            log.error("a worker has ended, and another begins", extra={"seen": seen})
            return [number]
        log.error("a worker could not begin", extra={"seen": seen})
        self._stop(signal.SIGTERM)
        # To end before it was ready is a failure, even with 0.
        self._code = abs(code) or 1
        return []

    def _heed(self, sig: int, _frame: FrameType | None) -> None:
        # Nothing else: a signal may come in the middle of anything.
        os.write(self._wake, bytes([sig]))

    def _stop(self, sig: int) -> None:
        """Tell all of them to stop; a second time, as urgently as this one was told."""
        again, self._stopping = self._stopping, True
        for one in self._sockets:
            # This process holds them as well, and connections would go on being taken for nobody.
            one.close()
        for process in self._processes.values():
            with suppress(ProcessLookupError):
                os.kill(process.pid, sig if again else signal.SIGTERM)


def _say(to: int, url: str) -> None:
    """Tell the process that looks after this one that it is ready."""
    os.write(to, url.encode()[:_WORD])
