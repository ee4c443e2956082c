"""Servers to be asked: ours around a memory, and one that says what it is told to."""

import threading
from contextlib import contextmanager

import pytest
import uvicorn

from hippocampus.server import create_app


@pytest.fixture(scope="session")
def served():
    """Return a way to serve a memory for as long as a block lasts."""

    @contextmanager
    def serving(memory, **options):
        config = uvicorn.Config(
            create_app(memory, **options), port=0, log_config=None, timeout_graceful_shutdown=5
        )
        server, ready = uvicorn.Server(config), threading.Event()
        startup = server.startup

        async def announce(sockets=None):
            await startup(sockets)
            ready.set()

        server.startup = announce
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            assert ready.wait(20), "the server did not start"
            yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()

    return serving
