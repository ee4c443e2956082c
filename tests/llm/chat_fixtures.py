"""A model on a server that behaves as it is told."""

import threading

import pytest
from chat_server import KEY, Server

from hippocampus import LanguageModel

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


@pytest.fixture
def server(monkeypatch):
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.done.set()
        server.shutdown()
        thread.join()


@pytest.fixture
def pauses():
    """How long was waited, in turn; nobody really does."""
    return []


@pytest.fixture
def open_model(server, pauses):
    opened = []

    def open_(name="small", **options):
        known = {"url": server.url, "key": KEY, "timeout_s": 5.0, "pause": pauses.append}
        opened.append(LanguageModel(name, **known | options))
        return opened[-1]

    yield open_
    for model in opened:
        model.close()


@pytest.fixture
def model(open_model):
    return open_model()
