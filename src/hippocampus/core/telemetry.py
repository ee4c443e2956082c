"""
Spans and figures of what is done to a memory, by OpenTelemetry's conventions for generative AI.

Its API is no dependency: nothing is recorded unless the program itself has imported it and set it
up. What was said, asked and found is not recorded, unless the variable of the conventions asks for
it; nor is the name of a bank, which is often the name of a person.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from opentelemetry.metrics import Histogram
    from opentelemetry.trace import Span

R = TypeVar("R")

OPERATIONS: Final[Mapping[str, str]] = {
    "recall": "search_memory", "context": "search_memory", "find": "search_memory",
    "remember": "create_memory", "remember_many": "create_memory", "import_": "upsert_memory",
    "promote": "upsert_memory", "demote": "update_memory",
    "correct": "update_memory", "restore": "update_memory",
    "forget": "delete_memory", "withdraw": "delete_memory", "delete_bank": "delete_memory_store",
}  # fmt: skip
"""Names of verbs in the conventions, where those have one (``gen_ai.operation.name``)."""
CAPTURE: Final = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
"""The variable by which a user allows that what was said is recorded."""
_CAPTURES: Final = frozenset({"true", "span_only", "span_and_event"})
_PROVIDER: Final = "hippocampus"
_BUCKETS_S: Final = (
    0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92
)  # fmt: skip
"""Those that the conventions name for ``gen_ai.client.operation.duration``."""


def is_set_up() -> bool:
    """Return whether anybody has set OpenTelemetry up; who has not imported it has not."""
    api = sys.modules.get("opentelemetry.trace"), sys.modules.get("opentelemetry.metrics")
    if api == (None, None):
        return False
    return _traces() or _measures()


def _traces() -> bool:
    trace = sys.modules.get("opentelemetry.trace")
    provider = getattr(trace, "get_tracer_provider", None)  # half there, as it is imported
    proxy = getattr(trace, "ProxyTracerProvider", None)
    return provider is not None and proxy is not None and not isinstance(provider(), proxy)


def _measures() -> bool:
    metrics = sys.modules.get("opentelemetry.metrics")
    provider = getattr(metrics, "get_meter_provider", None)
    # The provider that stands in until there is one has no public name.
    return provider is not None and not type(provider()).__name__.startswith("_")


def in_this_trace(call: Callable[[], R]) -> Callable[[], R]:
    """Return a call that another thread makes within the trace of this one."""
    if not is_set_up():
        return call
    here = copy_context()
    return lambda: here.run(call)


def trace_headers() -> dict[str, str]:
    """Return the headers by which a request to a server goes on this trace; none without one."""
    headers: dict[str, str] = {}
    if _traces():
        from opentelemetry import propagate  # noqa: PLC0415 - only where the program has it

        propagate.inject(headers)
    return headers


class MemorySpan:
    """One operation under way; its attributes are added as they become known."""

    def __init__(self, span: Span | None) -> None:
        self._span = span

    @property
    def captures(self) -> bool:
        """Return whether texts may be recorded."""
        return os.environ.get(CAPTURE, "").casefold() in _CAPTURES and self._span is not None

    def note(self, **known: str | int | None) -> None:
        """Add attributes of ``gen_ai.memory``, by what follows it, with ``_`` for a dot."""
        for name, value in known.items():
            if self._span is not None and value is not None:
                self._span.set_attribute(f"gen_ai.memory.{name.replace('_', '.')}", value)

    def tell_records(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Add the memories themselves, where that is allowed."""
        if self.captures:
            import json  # noqa: PLC0415 - short commands do without

            self.note(records=json.dumps(list(records), ensure_ascii=False))


@contextmanager
def operation(
    name: str, store: str = "", *, server: tuple[str, int] | None = None
) -> Iterator[MemorySpan]:
    """
    Record an operation on a memory store while the block runs.

    Args:
        name: as in ``OPERATIONS``.
        store: an id of the bank, from which nobody can read its name; empty: it is not known.
        server: address and port of the server that it is asked of; none: it is in this process.

    """
    about: dict[str, Any] = {"gen_ai.operation.name": name, "gen_ai.provider.name": _PROVIDER}
    if server is not None:
        about |= {"server.address": server[0], "server.port": server[1]}
    began = time.perf_counter()
    with _span(name, about | ({"gen_ai.memory.store.id": store} if store else {})) as span:
        try:
            yield MemorySpan(span)
        except BaseException as exc:
            about["error.type"] = type(exc).__name__
            _fail(span, type(exc).__name__)
            raise
        finally:
            if _measures():
                _histogram(id(sys.modules["opentelemetry.metrics"].get_meter_provider())).record(
                    time.perf_counter() - began, about
                )


@contextmanager
def _span(name: str, about: Mapping[str, Any]) -> Iterator[Span | None]:
    if not _traces():
        yield None
        return
    from opentelemetry import trace  # noqa: PLC0415 - only where the program has it

    remote = "server.address" in about
    kind = trace.SpanKind.CLIENT if remote else trace.SpanKind.INTERNAL
    with trace.get_tracer("hippocampus").start_as_current_span(
        name, kind=kind, attributes=about,
        record_exception=False, set_status_on_exception=False,  # messages quote what was said
    ) as span:  # fmt: skip
        yield span


def _fail(span: Span | None, kind: str) -> None:
    if span is not None:
        from opentelemetry.trace import StatusCode  # noqa: PLC0415

        span.set_attribute("error.type", kind)
        span.set_status(StatusCode.ERROR)


@cache
def _histogram(_provider: int) -> Histogram:
    from opentelemetry import metrics  # noqa: PLC0415

    make = partial(
        metrics.get_meter("hippocampus").create_histogram,
        "gen_ai.client.operation.duration", unit="s", description="GenAI operation duration.",
    )  # fmt: skip
    try:
        return make(explicit_bucket_boundaries_advisory=_BUCKETS_S)
    except TypeError:  # an API from before 1.30, which knows of no bounds
        return make()
