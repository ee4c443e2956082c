"""An HTTP client of a server around the test's memory."""

import httpx
import pytest


@pytest.fixture
def url(serve, memory):
    return serve(memory)


@pytest.fixture
def http(url):
    with httpx.Client(base_url=url, timeout=30) as client:
        yield client
