"""Runs the proxy as a server does, before a server that the test tells what to answer."""

import json
import socket
import threading
from contextlib import contextmanager

import httpx
import pytest
import uvicorn
from upstream import Upstream

from hippocampus import Memory
from hippocampus.proxy.app import create_app


class Running:
    """A proxy in a thread; ``settle`` waits until all that was said is remembered."""

    def __init__(self, app):
        self.app = app
        self._busy, self._change = 0, threading.Condition()
        config = uvicorn.Config(
            self._counted, interface="asgi3", log_level="critical", access_log=False, ws="none",
            server_header=False, date_header=False, lifespan="on",
        )  # fmt: skip
        self._server = uvicorn.Server(config)
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.origin = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.url = f"{self.origin}/v1"
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],))
        self._thread.start()
        # Certificates that it has no use for take 25 ms to load.
        self.http = httpx.Client(base_url=self.url, timeout=20, verify=False)  # noqa: S501

    async def _counted(self, scope, receive, send):
        http = scope["type"] == "http"
        self._count(+http)
        try:
            await self.app(scope, receive, send)
        finally:
            self._count(-http)

    def _count(self, by):
        with self._change:
            self._busy += by
            self._change.notify_all()

    def settle(self):
        with self._change:
            assert self._change.wait_for(lambda: self._busy == 0, timeout=20)
        self.app._memory._writer.submit(int).result(timeout=20)

    def chat(self, *said, headers=None, **more):
        """Ask as a client does, with what user and model have said in turn."""
        roles = ("user", "assistant")
        messages = [
            {"role": roles[i % 2], "content": one} if isinstance(one, str) else one
            for i, one in enumerate(said)
        ]
        body = json.dumps({"model": "small", "messages": messages, **more})
        told = {"Content-Type": "application/json", **(headers or {})}
        answer = self.http.post("/chat/completions", content=body, headers=told)
        self.settle()
        return answer

    def stop(self):
        if self._thread.is_alive():
            self.http.close()
            self._server.should_exit = True
            self._thread.join()


@pytest.fixture
def upstream():
    server = Upstream()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def start(upstream, path):
    """Return a way to start a proxy before the upstream, on the test's store."""
    running = []

    def start_(memory=None, *, url=None, **options):
        memory = memory or (lambda: Memory(path, embedder="hash"))
        app = create_app(memory, url or upstream.url, **{"bank": "me"} | options)
        running.append(Running(app))
        return running[-1]

    yield start_
    for one in running:
        one.stop()


@pytest.fixture
def proxy(start):
    return start()


@pytest.fixture
def remembered(path):
    """Return what a bank holds, as (role, text), in order; opened anew each time."""

    @contextmanager
    def opened(bank):
        with Memory(path, embedder="hash") as memory:
            yield memory.bank(bank)

    def said(bank="me", **filters):
        with opened(bank) as it:
            return [(e.role, e.text) for e in it.episodes(**filters)]

    said.bank = opened
    return said
