"""Servers for every surface's tests."""

import pytest
from loopback import serving


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
