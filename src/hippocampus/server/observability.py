"""Id, log line, figures and trace of every request; never its words."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import secrets
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b
from itertools import count
from typing import Any, Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.process_collector import ProcessCollector
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hippocampus.errors import HippocampusError, StoreClosed
from hippocampus.server.error_responses import answer

log = logging.getLogger("hippocampus.server")

_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_METHODS: Final = frozenset({"GET", "POST", "DELETE", "HEAD", "OPTIONS"})
_GONE: Final = 499
"""The status of a request whose client left before it was answered, as nginx has it in its logs; it
is sent to nobody."""
_OURS: Final = 500
"""The least status of a request that failed by our doing, as HTTP has it."""
_BUCKETS: Final = (
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0
)  # fmt: skip
"""Seconds, three steps for each power of ten as is usual with Prometheus, and last the 60 after
which a verb is given up (``Limits.request_s``)."""


class Figures:
    """The figures of one server, for Prometheus: by route, never by bank or key."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry(auto_describe=True)
        here: dict[str, Any] = {"namespace": "hippocampus", "registry": self.registry}
        counter: Callable[..., Counter] = partial(Counter, **here)
        gauge: Callable[..., Gauge] = partial(Gauge, **here)
        of_request = ("route", "method", "status")
        self.requests = counter("requests", "Requests answered.", of_request)
        took = "From a request's first byte to its answer's last."
        self.seconds = Histogram("request_seconds", took, ("route",), buckets=_BUCKETS, **here)
        self.under_way = gauge("requests_under_way", "Requests being answered.")
        self.calls = gauge("calls", "Verbs running or waiting for a thread.", ("kind",))
        self.answers = counter("answers", "Answers to questions, made or given again.", ("how",))
        self.banks_bytes = gauge("resident_bytes", "Memory that banks hold.")
        self.answers_bytes = gauge("answers_bytes", "Memory that answers to be given again hold.")
        self.made, self.given_again = map(self.answers.labels, ("made", "given again"))
        ProcessCollector(registry=self.registry)


class Watch:
    """
    The outermost layer of the application.

    It leaves the address as it was sent, for a bank's name may hold slashes, which are encoded.
    """

    def __init__(self, app: ASGIApp, *, figures: Figures, salt: bytes) -> None:
        self._app = app
        self._figures = figures
        self._salt = salt
        self._traced = _tracing()
        self._secret = secrets.token_bytes(16)
        self._numbers = count()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        raw = scope.get("raw_path")
        if raw is not None:
            scope["path"] = raw.partition(b"?")[0].decode("latin-1")
        request_id = self._id_of(scope)
        scope.setdefault("state", {})["request_id"] = request_id
        began, status = time.perf_counter(), 0

        async def tell(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (b"x-request-id", request_id.encode())]
            await send(message)

        self._figures.under_way.inc()
        with self._traced(scope, request_id) as span:
            try:
                await self._app(scope, receive, tell)
            except ClientDisconnect:
                status = _GONE
            except asyncio.CancelledError:  # the server ends, and has waited as long as it was told
                if status:
                    raise
                wrong = StoreClosed("the server has stopped; what was begun may be done", path="")
                await answer(wrong, request_id)(scope, receive, tell)
            except Exception as exc:  # noqa: BLE001 - the last one there is to answer
                log_failure(exc, request_id)
                # Once an answer has begun, no other can take its place.
                if not status:
                    ours = HippocampusError("something went wrong here; the log has more of it")
                    await answer(ours, request_id)(scope, receive, tell)
                status = 500
            finally:
                self._figures.under_way.dec()
                took = time.perf_counter() - began
                self._note(scope, request_id, status or _GONE, took)
                span(_route(scope), status)

    def _id_of(self, scope: Scope) -> str:
        """
        Return a request's id: its own, or one from which nobody can tell which others there were.

        Numbers in order, or those of a generator, would tell everybody how much everybody else
        asks; the system's random numbers let other threads go first.
        """
        asked = next((v for k, v in scope["headers"] if k == b"x-request-id"), b"")
        own = asked.decode("latin-1")
        if _ID.fullmatch(own):
            return own
        number = next(self._numbers).to_bytes(8, "big")
        return blake2b(number, key=self._secret, digest_size=8).hexdigest()

    def _note(self, scope: Scope, request_id: str, status: int, took: float) -> None:
        route, state = _route(scope), scope["state"]
        # Anybody can make up methods, and each would be a label that stays.
        method = scope["method"] if scope["method"] in _METHODS else "OTHER"
        self._figures.requests.labels(route, method, str(status)).inc()
        self._figures.seconds.labels(route).observe(took)
        if log.isEnabledFor(logging.INFO):
            bank = state.get("bank")
            seen = {
                "request_id": request_id, "method": method, "route": route, "status": status,
                "ms": round(took * 1e3, 2), "key": state.get("key", ""),
                # Names of banks are often names of people: a hash tells them apart.
                "bank": "" if bank is None else blake2b(
                    bank.encode("utf-8", "replace"), key=self._salt, digest_size=6
                ).hexdigest(),
            }  # fmt: skip
            log.info("request", extra={"seen": seen})


def _route(scope: Scope) -> str:
    """Return the pattern of a request's address: what stands in it is somebody's."""
    return getattr(scope.get("route"), "path", "other")


def log_failure(exc: Exception, request_id: str = "") -> None:
    """Log the place and kind of a failure, and not its message, which may hold what was said."""
    frames = traceback.extract_tb(exc.__traceback__)[-12:]  # the last are ours; before, frameworks'
    where = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
    seen = {"request_id": request_id, "error": type(exc).__name__, "where": where}
    log.error("failure", extra={"seen": seen})


# ---------------------------------------------------------------- logs


class JsonLines(logging.Formatter):
    """A log record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        line |= getattr(record, "seen", {})
        if record.exc_info and record.exc_info[0] is not None:
            # Its message may hold what was said.
            line["error"] = record.exc_info[0].__name__
        return json.dumps(line, ensure_ascii=False)


LEVELS: Final = ("debug", "info", "warning", "error")


class _ToStderr(logging.Handler):
    """Writes to what stderr is at the time, and so never to one that was closed."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            sys.stderr.write(f"{self.format(record)}\n")
            sys.stderr.flush()
        except Exception:  # noqa: BLE001 - a full disk or a reader that left fails no request
            self.handleError(record)


def log_to_stderr(level: str) -> None:
    """Write the server's log to stderr, a line of JSON for each thing."""
    handler = _ToStderr()
    handler.setFormatter(JsonLines())
    below = logging.getLogger("uvicorn.error")  # which has only what is not a request at all
    database = logging.getLogger("psycopg")  # and its pool, when PostgreSQL goes away
    for one, least in ((log, level), (below, "warning"), (database, "warning")):
        one.handlers[:] = [handler]
        one.setLevel(least.upper())
        one.propagate = False


# ---------------------------------------------------------------- traces


def _tracing() -> Any:  # noqa: ANN401 - a function from a scope to a context
    """Return the tracer of a request: none, unless OpenTelemetry is there and set up."""
    try:
        from opentelemetry import propagate, trace  # noqa: PLC0415 - only where it is
    except ModuleNotFoundError:
        return _untraced
    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        return _untraced
    tracer = trace.get_tracer("hippocampus.server")

    @contextmanager
    def traced(scope: Scope, request_id: str) -> Iterator[Any]:
        headers = {k.decode("latin-1"): v.decode("latin-1") for k, v in scope["headers"]}
        with tracer.start_as_current_span(
            "request", context=propagate.extract(headers), kind=trace.SpanKind.SERVER,
            attributes={"http.request.method": scope["method"], "request.id": request_id},
        ) as span:  # fmt: skip

            def end(route: str, status: int) -> None:
                # Only now: the router has found it since the span began.
                span.update_name(f"{scope['method']} {route}")
                span.set_attribute("http.route", route)
                span.set_attribute("http.response.status_code", status)
                if status >= _OURS:
                    span.set_attribute("error.type", str(status))
                    span.set_status(trace.StatusCode.ERROR)

            yield end

    return traced


@contextmanager
def _untraced(_scope: Scope, _request_id: str) -> Iterator[Any]:
    yield lambda _route, _status: None
