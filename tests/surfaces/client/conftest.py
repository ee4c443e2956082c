"""Servers to be asked: ours around a memory, and one that is scripted."""

import threading

import pytest
from loopback import served
from scripted import Scripted


@pytest.fixture(scope="session", name="served")
def a_way_to_serve():
    """Return a way to serve a memory for as long as a block lasts."""
    return served


@pytest.fixture
def scripted():
    """Return a way to have a server that answers as it is told."""
    running = []

    def start(*answers):
        server = Scripted(answers)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        running.append((server, thread))
        return server

    yield start
    for server, thread in running:
        server.shutdown()
        server.server_close()
        thread.join()
