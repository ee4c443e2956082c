"""Several processes that serve one store: one address, one store, none missed when one ends."""

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress

import httpx
import psutil
import pytest
from prometheus_client import CollectorRegistry, Counter, Gauge
from served_process import Process

from hippocampus.server.shared_figures import SharedFigures

AT = "/v1/banks/ada"
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memory.db"


@pytest.fixture
def start(path):
    running = []

    def start(*options):
        running.append(Process(path, "--workers", "2", *options))
        return running[-1]

    yield start
    for one in running:
        if one.process.poll() is None:
            one.process.terminate()
        one.process.communicate(timeout=30)


def workers(server):
    return psutil.Process(server.process.pid).children()


def eventually(holds, *, seconds=20.0):
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.05)


def told(server):
    """The figures of each worker: how many requests of a route it has answered."""
    text = httpx.get(f"{server.url}/metrics").text
    found = re.findall(r'requests_total\{.*route="(\S+?)".*worker="(\d)"\} (\S+)', text)
    return {(route, int(worker)): float(count) for route, worker, count in found}


@pytest.mark.slow
def test_what_was_told_to_one_worker_is_known_to_all(start):
    server = start()
    said = [f"The heron number {n} waits at the weir." for n in range(12)]
    for text in said:  # over a connection of its own each
        httpx.post(f"{server.url}{AT}/remember", json={"text": text}).raise_for_status()
        found = httpx.post(f"{server.url}{AT}/recall", json={"query": text, "k": 20}).json()
        assert text in [hit["episode"]["text"] for hit in found["hits"]]

    assert 2 == len(workers(server))
    eventually(lambda: {worker for _, worker in told(server)} == {0, 1})
    time.sleep(3)  # each has left its figures for the others
    remembered = {w: n for (route, w), n in told(server).items() if route.endswith("/remember")}
    assert 12 == sum(remembered.values())
    assert (0, "") == server.stop()


@pytest.mark.slow
def test_a_worker_that_is_killed_is_followed_by_another_without_refusing_anybody(start):
    server = start()
    gone = workers(server)[0]
    gone.kill()
    for n in range(30):
        with suppress(httpx.TransportError):  # a connection that it had just taken ends with it
            httpx.post(f"{server.url}{AT}/remember", json={"text": f"number {n}"}, timeout=20)
    eventually(lambda: len(workers(server)) == 2 and gone.pid not in map(_pid, workers(server)))

    for n in range(10):
        httpx.post(f"{server.url}{AT}/remember", json={"text": f"then {n}"}).raise_for_status()
    assert 0 == server.stop()[0]
    assert "another begins" in "".join(server.log)


def _pid(process):
    return process.pid


@pytest.mark.slow
def test_workers_end_with_the_process_that_looks_after_them(start):
    server = start()
    left = workers(server)
    server.process.kill()
    server.process.wait()

    eventually(lambda: not any(one.is_running() and one.status() != "zombie" for one in left))


@pytest.mark.slow
def test_ctrl_c_in_a_terminal_ends_all_of_them_in_order(start):
    server = start()
    left = workers(server)
    for one in (psutil.Process(server.process.pid), *left):
        one.send_signal(signal.SIGINT)
    server.process.communicate(timeout=30)

    assert 0 == server.process.returncode
    assert not any(one.is_running() for one in left)


@pytest.mark.slow
def test_what_keeps_a_worker_from_beginning_ends_all_with_one_message(path):
    command = [sys.executable, "-m", "hippocampus", "serve", "--store", str(path), "--port", "0"]
    other = "0.0.0.0"  # noqa: S104 - it is refused, for there are no keys
    done = subprocess.run(
        [*command, "--embedder", "hash", "--workers", "2", "--host", other],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip

    assert 2 == done.returncode
    assert 1 == " ".join(done.stderr.split()).count("keys create")


def test_figures_of_all_are_told_each_kind_once_with_the_number_of_its_worker(tmp_path):
    shared = []
    for number in range(3):
        own = CollectorRegistry()
        Counter("requests", "Requests answered.", ("route",), registry=own).labels("/a").inc(number)
        Gauge("bytes", "Memory.", registry=own).set(10 * number)
        shared.append(SharedFigures(own, tmp_path, number))
        shared[-1].leave()
    (tmp_path / "9.new").write_text("half of ")

    lines = shared[1].told().decode().splitlines()
    assert len({line for line in lines if line.startswith("# TYPE")}) == sum(
        line.startswith("# TYPE") for line in lines
    )
    for number in range(3):
        assert f'requests_total{{route="/a",worker="{number}"}} {float(number)}' in lines
        assert f'bytes{{worker="{number}"}} {10.0 * number}' in lines
