"""Servers for every surface's tests."""

import asyncio
from unittest.mock import patch

import pytest
from loopback import serving


class _Hasty:
    """``asyncio`` for uvicorn, which looks every tenth of a second whether it is to end."""

    def __getattr__(self, name):
        return getattr(asyncio, name)

    def sleep(self, delay):
        return asyncio.sleep(min(delay, 0.005))


@pytest.fixture(scope="session", autouse=True)
def _servers_end_at_once():
    """Let servers of this process end as soon as they are told to; hundreds are started."""
    with patch("uvicorn.server.asyncio", _Hasty()):
        yield


@pytest.fixture
def serve():
    """Return a way to serve a memory; it answers at the URL that is returned."""
    with serving() as start:
        yield start


@pytest.fixture(scope="module")
def serve_all():
    """As ``serve``, for all tests of a module."""
    with serving() as start:
        yield start


@pytest.fixture(scope="session")
def _telemetry():
    """Set OpenTelemetry up, which a process can do once."""
    from opentelemetry import metrics, trace
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import InMemoryMetricReader
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    spans, reader = InMemorySpanExporter(), InMemoryMetricReader()
    if not isinstance(trace.get_tracer_provider(), TracerProvider):  # a page of docs has one, too
        trace.set_tracer_provider(TracerProvider())
    trace.get_tracer_provider().add_span_processor(SimpleSpanProcessor(spans))
    metrics.set_meter_provider(MeterProvider([reader]))
    return spans, reader


@pytest.fixture
def spans(_telemetry):
    """Return what has the spans of this test that have ended."""
    exporter, _ = _telemetry
    exporter.clear()
    return exporter


@pytest.fixture
def figures(_telemetry):
    """Return a way to read the figures that were recorded, by name: their points."""
    _, reader = _telemetry

    def read():
        told = reader.get_metrics_data()
        return {
            metric.name: (metric, list(metric.data.data_points))
            for resource in told.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }

    return read
