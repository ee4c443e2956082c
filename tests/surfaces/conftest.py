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
