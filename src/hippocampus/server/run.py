"""Runs the application until it is told to stop, and then ends what it has begun."""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from types import FrameType
from typing import Any, Final

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from hippocampus.core.listening import is_loopback, listen
from hippocampus.core.system import STOP_SIGNALS, end_in_time
from hippocampus.encode.embedders.together import EmbedsTogether, Together
from hippocampus.errors import AccessError
from hippocampus.memory import Memory
from hippocampus.server.app import create_app
from hippocampus.server.keys import Keys
from hippocampus.server.observability import log
from hippocampus.server.settings import PORT, Limits
from hippocampus.server.workers import Worker
from hippocampus.sleep.schedule import Schedule

_KEEP_ALIVE_S: Final = 75
"""Seconds for which a connection without requests stays: uvicorn's 5 would have an agent that
thinks in between connect anew each time. Longer than a client of ours uses one again, 60 s
(``core/connections.py``). Never measured."""
_MOST_HEAD_BYTES: Final = 1 << 16
"""Bytes of the headers of a request, which the parser would keep without end. Chosen by hand."""
_GRACE_S: Final = 1.0
"""Seconds that a verb that has begun may still take, after requests were waited for. Chosen by
hand."""
_HELD_S: Final = 0.5
"""Seconds after that until a timer of the system ends the process, if Python could not. Chosen by
hand."""
_LAST_WORDS: Final = '{"level": "warning", "event": "ended, for a call kept the interpreter"}'
_SWITCH_S: Final = 0.001
"""Seconds that a thread computes before another may: five times fewer than by default, for the one
that answers waits for those that search."""
_GARBAGE: Final = (20_000, 10, 50)
"""Objects from which on garbage is looked for, and how often further: beside an index, a look at
everything keeps all threads waiting for 120 ms, and the default has one every second of erasing."""


def serve(
    memory: Memory,
    *,
    host: str = "127.0.0.1",
    port: int = PORT,
    limits: Limits | None = None,
    schedule: Schedule | None = None,
    ready: Callable[[str], None] | None = None,
    overdue: Callable[[], None] | None = None,
    worker: Worker | None = None,
) -> None:
    """
    Serve a memory until SIGTERM or SIGINT.

    Then no connection is taken any more, requests that are under way are answered, and verbs that
    have begun end, before it returns. Writes that were answered are durable.

    Args:
        memory: what is served; whoever opened it closes it.
        host: which address to listen at; without keys only this machine's own.
        port: at which port; 0 finds a free one.
        limits: what is taken at once.
        schedule: when banks sleep meanwhile; None: only when they are told to.
        ready: called with the server's URL once it answers.
        overdue: called, on a thread, where verbs have not ended a while after ``limits.drain_s``;
            a program that must end ends the process there, and loses only writes that nobody was
            told of. Where even that is impossible, for a call into C keeps the interpreter to
            itself, the process is ended by a signal half a second later.
        worker: which of several processes that serve at this address this is; see ``work``.

    Raises:
        AccessError: without keys, others would be let in.
        InputError: it is impossible to listen there.

    """
    server = make_server(
        memory, host=host, port=port, limits=limits, schedule=schedule, ready=ready,
        overdue=overdue, worker=worker,
    )  # fmt: skip
    with _at_hand():
        server.run([listen(host, port) if worker is None else worker.listening])


@contextmanager
def _at_hand() -> Iterator[None]:
    """Have threads take turns often, and look for garbage rarely, for nobody goes on meanwhile."""
    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(_SWITCH_S)
    gc.set_threshold(*_GARBAGE)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        sys.setswitchinterval(interval)


def make_server(
    memory: Memory,
    *,
    host: str = "127.0.0.1",
    port: int = PORT,
    limits: Limits | None = None,
    schedule: Schedule | None = None,
    ready: Callable[[str], None] | None = None,
    overdue: Callable[[], None] | None = None,
    worker: Worker | None = None,
) -> uvicorn.Server:
    """Return the server of ``serve``, for programs that run it; ``should_exit`` ends it."""
    limits = limits or Limits()
    if not is_loopback(host) and not Keys(memory).refresh():
        msg = (
            f"host={host!r} is not this machine alone, and the store has no keys, so anybody could"
            " read it; make one with 'hippocampus keys create', or listen at 127.0.0.1"
        )
        raise AccessError(msg)
    if isinstance(memory.engine.embedder, EmbedsTogether):
        # Requests that wait for the model ask it in one go, which takes each a third less.
        memory.engine.embedder = Together(memory.engine.embedder)
    config = uvicorn.Config(
        create_app(memory, limits=limits, schedule=schedule, worker=worker), host=host, port=port,
        loop="uvloop" if find_spec("uvloop") else "asyncio", http=_Protocol, ws="none",
        lifespan="on", log_config=None, access_log=False, server_header=False,
        # Of proxies no header is believed: anybody can send them, and who is near is let in.
        proxy_headers=False, timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=max(1, round(limits.drain_s)),
    )  # fmt: skip
    last = None if overdue is None else (limits.drain_s + _GRACE_S, overdue)
    return _Server(config, ready or (lambda _url: None), last)


class _Protocol(HttpToolsProtocol):
    """
    Refuses a request whose headers have no end, and hangs up on who says nothing.

    The parser keeps headers, those after a body too, of which nobody here reads any.
    """

    _in_head = False
    _head_bytes = 0
    """Bytes since a request began, or since the last of its body."""
    _parsed_bytes = 0
    """Bytes of the headers of the current request."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_request()

    def data_received(self, data: bytes) -> None:
        self._head_bytes += len(data)
        super().data_received(data)  # in which a whole request may begin and end
        if self._head_bytes > _MOST_HEAD_BYTES:
            self.send_400_response("The request's headers are too long.")
        self._await_request()

    def _await_request(self) -> None:
        """Give callers without a request under way as long as between two of them."""
        idle = self.cycle is None or self.cycle.response_complete
        if idle and self.timeout_keep_alive_task is None:
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )

    def on_message_begin(self) -> None:
        self._in_head, self._head_bytes, self._parsed_bytes = True, 0, 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        self._count(url)
        super().on_url(url)

    def _count(self, *parts: bytes) -> None:
        """Refuse a head that is too long, though it came in one piece."""
        self._parsed_bytes += sum(map(len, parts))
        if self._parsed_bytes > _MOST_HEAD_BYTES:
            raise ValueError("the request's headers are too long")  # the parser answers 400

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count(name, value)
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head = False
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._head_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._head_bytes = 0
        super().on_message_complete()


class _Server(uvicorn.Server):
    """Says when it is ready, and ends by returning, so that the store is closed after it."""

    def __init__(
        self,
        config: uvicorn.Config,
        ready: Callable[[str], None],
        last: tuple[float, Callable[[], None]] | None,
    ) -> None:
        super().__init__(config)
        self._ready = ready
        self._last = last
        """After how many seconds of stopping what is called."""
        self._began = time.perf_counter()

    async def startup(self, sockets: list[Any] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            listening = sockets or self.servers[0].sockets
            host, port = listening[0].getsockname()[:2]
            url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
            took = round((time.perf_counter() - self._began) * 1e3, 1)
            log.info("ready", extra={"seen": {"url": url, "ms": took}})
            self._ready(url)

    async def shutdown(self, sockets: list[Any] | None = None) -> None:
        log.info("stopping", extra={"seen": {"under_way": len(self.server_state.tasks)}})
        await super().shutdown(sockets)
        log.info("stopped", extra={"seen": {}})

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        # Only the first signal sets the timer; what a second one means is uvicorn's to say.
        if self._last is not None and not self.should_exit:
            timer = threading.Timer(*self._last)
            timer.daemon = True  # it must not keep a process that ended in time
            timer.start()
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield  # where Python takes no signals
            return
        # Not uvicorn's way: it raises the signal again at the end, before the store is closed.
        kept = {one: signal.signal(one, self.handle_exit) for one in STOP_SIGNALS}
        if self._last is not None:
            end_in_time(self._last[0] + _HELD_S, _LAST_WORDS)
        try:
            yield
        finally:
            for one, handler in kept.items():
                signal.signal(one, handler)
