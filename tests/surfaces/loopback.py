"""A server on a loopback port, in this process, around a memory that the test has as well."""

import threading
from contextlib import contextmanager

from hippocampus.server.run import make_server


@contextmanager
def serving():
    """Give a way to serve a memory; every server ends with the block."""
    running = []

    def start(memory, **options):
        urls, ready = [], threading.Event()

        def announce(url):
            urls.append(url)
            ready.set()

        server = make_server(memory, port=0, ready=announce, **options)
        thread = threading.Thread(target=server.run)
        thread.start()
        running.append((server, thread))
        assert ready.wait(20), "the server did not start"
        return urls[0]

    yield start
    for server, _ in running:
        server.should_exit = True
    for _, thread in running:
        thread.join()


@contextmanager
def served(memory, **options):
    """Serve one memory, at the URL that is given, until the block ends."""
    with serving() as start:
        yield start(memory, **options)
