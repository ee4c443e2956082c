"""How much later does an answer come through the proxy, with 10 000 memories behind it?"""

from __future__ import annotations

import json
import socketserver
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from threading import Thread

import numpy as np

from bench import measure
from bench.banks import Workshop, default_embedder, questions
from bench.measure import HERE, Row
from hippocampus import Bank, Memory
from hippocampus.proxy.app import BUDGET_TOKENS

COUNT = 10_000
ROUNDS = range(4)
WAYS = {
    "passed on": {"X-Memory": "off"},
    "recalled": {"X-Memory": "read"},
    "recalled and remembered": {},
}
ANSWER = json.dumps(
    {"choices": [{"index": 0, "message": {"content": "Noted."}, "finish_reason": "stop"}]}
).encode()


def run(workshop: Workshop, *, quick: bool) -> Iterator[Row]:  # noqa: ARG001 - all alike
    """Yield medians of what each way adds to a request, over the same one made directly."""
    path = workshop.bank(COUNT).path
    with process("-m", "bench.proxy") as straight:
        upstream = f"http://127.0.0.1:{straight}/v1"
        options = ("--upstream", upstream, "--store", str(path), "--bank", "b", "--port", "0")
        with process("-m", "hippocampus", "proxy", *options) as port:
            direct, proxied = (HTTPConnection("127.0.0.1", int(p)) for p in (straight, port))
            with Memory(path, embedder=default_embedder(), read_only=True) as memory:
                took = np.array([list(times(direct, proxied, memory.bank("b"))) for _ in ROUNDS])
            direct.close()
            proxied.close()
    every = took[1:].reshape(-1, took.shape[-1]) * 1e3  # the first round warms up
    straight_ms, embedded_ms, *ways = every.T
    for way, each_ms in zip(WAYS, ways, strict=True):
        for share in (50, 95):
            yield Row(
                name=f"proxy, 10 k, {way}: added, p{share}",
                value=float(np.percentile(each_ms - straight_ms, share)), unit="ms",
                baseline=float(np.percentile(embedded_ms, share)) if "recalled" in way else None,
                note="over the request made directly; baseline Bank.context in this process",
            )  # fmt: skip


def times(direct: HTTPConnection, proxied: HTTPConnection, bank: Bank) -> Iterator[list[float]]:
    """Yield what each question takes: directly, embedded, and by each way through the proxy."""
    for question in questions():
        embedded_s = measure.seconds(bank.context, question, BUDGET_TOKENS)
        ways = [seconds(proxied, question, headers) for headers in WAYS.values()]
        yield [seconds(direct, question, {}), embedded_s, *ways]


def seconds(line: HTTPConnection, question: str, headers: dict[str, str]) -> float:
    """Return how long one chat takes."""
    body = json.dumps({"model": "none", "messages": [{"role": "user", "content": question}]})
    start = time.perf_counter()
    line.request(
        "POST", "/v1/chat/completions", body, {"Content-Type": "application/json", **headers}
    )
    answer = line.getresponse()
    answer.read()
    elapsed_s = time.perf_counter() - start
    assert answer.status == 200, answer.status
    assert "deadline" not in answer.headers.get("X-Memory", ""), "it has to recall"
    return elapsed_s


@contextmanager
def process(*arguments: str) -> Iterator[str]:
    """Run this Python until the block ends; give the port that it says it listens on."""
    with subprocess.Popen(
        [sys.executable, *arguments], cwd=HERE.parent, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stderr is not None
        port = running.stderr.readline().partition("127.0.0.1:")[2].partition("/")[0]
        reading = Thread(target=running.stderr.read)  # a log that nobody reads stops who writes it
        reading.start()
        try:
            yield port
        finally:
            running.terminate()
            reading.join()


class Upstream(socketserver.StreamRequestHandler):
    """Answers every request of a connection with the same."""

    disable_nagle_algorithm = True

    def handle(self) -> None:
        """Read requests until there is none."""
        while self.rfile.readline():
            length = 0
            while (line := self.rfile.readline().lower()).strip():
                if line.startswith(b"content-length:"):
                    length = int(line.partition(b":")[2])
            self.rfile.read(length)
            self.wfile.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
                % (len(ANSWER), ANSWER)
            )


if __name__ == "__main__":
    socketserver.ThreadingTCPServer.daemon_threads = True
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Upstream) as server:
        print(f"http://127.0.0.1:{server.server_address[1]}/", file=sys.stderr, flush=True)
        server.serve_forever()
