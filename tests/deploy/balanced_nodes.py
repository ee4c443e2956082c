"""Servers of one store behind the balancer that is shipped, each a process as a user starts it."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import ExitStack, contextmanager
from pathlib import Path

DEPLOY = Path(__file__).parents[2] / "deploy"


@contextmanager
def short_folder():
    """Make a folder whose name is short enough for a socket in it, and that others may enter."""
    folder = Path(tempfile.mkdtemp(prefix="hippocampus-pg-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def free_ports(count):
    """Return ports that nobody listens at, all of them at once, so that they differ."""
    with ExitStack() as stack:
        held = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [one.getsockname()[1] for one in held]


def until(true, what, *, seconds=20):
    """Wait until something holds."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def status(url):
    """Return the status that an address answers with, 0 where nobody answers."""
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310 - ours
            return answer.status
    except urllib.error.HTTPError as exc:
        return exc.code
    except OSError:
        return 0


class Node:
    """``hippocampus serve`` at a port of its own; it can be killed and started again."""

    def __init__(self, store, port, *options):
        self.store, self.port = store, port
        self.options = options
        self.process = None

    def start(self):
        command = ("-m", "hippocampus", "serve", "--store", self.store, *self.options, "--no-sleep")
        self.process = subprocess.Popen(
            [sys.executable, *command, "--port", str(self.port), "--embedder", "hash"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def await_ready(self):
        until(lambda: status(f"{self.url}/readyz") == 200, f"{self.url} is not ready")

    def end(self, number=signal.SIGKILL):
        self.process.send_signal(number)
        self.process.wait(timeout=40)

    def served(self):
        """Return how many requests of banks it has answered."""
        with urllib.request.urlopen(f"{self.url}/metrics", timeout=5) as answer:  # noqa: S310
            told = answer.read().decode()
        found = re.findall(
            r'^hippocampus_requests_total\{.*route="/v1/banks/.*\} (\S+)$', told, re.MULTILINE
        )
        return sum(map(float, found))


@contextmanager
def balanced(nodes, folder, **more):
    """Run the balancer that is shipped before two servers; yield its port, and its figures'."""
    port, figures, reads = free_ports(3)
    environment = {
        "HIPPOCAMPUS_BIND": f"127.0.0.1:{port}",
        "HIPPOCAMPUS_STATS": f"127.0.0.1:{figures}",
        "HIPPOCAMPUS_READS": f"127.0.0.1:{reads}",
        **{f"HIPPOCAMPUS_SERVER_{n}": f"127.0.0.1:{one.port}" for n, one in enumerate(nodes, 1)},
        **more,
    }
    with (folder / "balancer.log").open("w") as log:
        process = subprocess.Popen(
            ["haproxy", "-db", "-f", DEPLOY / "haproxy.cfg"], env=os.environ | environment,
            stdout=log, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            until(
                lambda: status(f"http://127.0.0.1:{port}/balancerz") == 200,
                "the balancer finds no server",
            )
            yield port, figures
        finally:
            process.kill()
            process.wait()
