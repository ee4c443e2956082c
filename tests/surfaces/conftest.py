"""A server on a loopback port, in this process, around a memory that the test has as well."""

import threading

import pytest
import uvicorn

from hippocampus.server import create_app


@pytest.fixture
def serve():
    """Return a way to serve a memory; it answers at the URL that is returned."""
    running = []

    def start(memory, **options):
        app = create_app(memory, **options)
        config = uvicorn.Config(
            app, port=0, log_config=None, access_log=False, timeout_graceful_shutdown=5
        )
        server = uvicorn.Server(config)
        ready = threading.Event()
        startup = server.startup

        async def announce(sockets=None):
            await startup(sockets)
            ready.set()

        server.startup = announce
        thread = threading.Thread(target=server.run)
        thread.start()
        running.append((server, thread))
        assert ready.wait(20), "the server did not start"
        port = server.servers[0].sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}"

    yield start
    for server, thread in running:
        server.should_exit = True
        thread.join()
