"""Banks that sleep on Ray again and again, on workers that may be killed at any time."""

import os
import subprocess
import sys
import threading
from contextlib import suppress

PATIENCE_S = 300
"""For one sleep of all banks."""
WORKER = "ray::ClusterWorker"
"""Begins the title of the process of a worker."""
NEITHER_HERE = ("PG", "HIPPOCAMPUS", "RAY_ADDRESS")


def children(pid):
    """Return the processes that one has started, with their titles."""
    found = subprocess.run(
        ["ps", "-o", "pid=,args=", "--ppid", str(pid)], check=False, capture_output=True, text=True
    )
    return [
        (int(pid), title)
        for pid, title in (line.split(None, 1) for line in found.stdout.splitlines())
    ]


def descendants(pid):
    """Yield all processes that one has started, and those have, with their titles."""
    for child, title in children(pid):
        yield child, title
        yield from descendants(child)


class Sleeper:
    """
    Sleep of all banks of a store by ``hippocampus cluster sleep``, begun anew when it has ended.

    Attributes:
        whole: how often all banks slept.
        failed: how often something was in the way, such as the database that is not there.

    """

    def __init__(self, store, log):
        self.whole = self.failed = 0
        self._log = log
        env = {k: v for k, v in os.environ.items() if not k.startswith(NEITHER_HERE)}
        self._env = env | {"OPENBLAS_NUM_THREADS": "1"}
        self._command = [
            sys.executable, "-m", "hippocampus", "cluster", "sleep", "--ray", "local",
            "--workers", "2", "--store", store, "--embedder", "none", "--json",
        ]  # fmt: skip
        self._running = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._go_on, daemon=True)
        self._thread.start()

    def _go_on(self):
        while not self._over.is_set():
            self._sleep()
            self._over.wait(0.2)

    def _sleep(self):
        """Have all banks sleep once; return whether they did."""
        with self._log.open("ab") as log:
            self._running = subprocess.Popen(
                self._command, stdout=log, stderr=log, env=self._env, start_new_session=True
            )
        try:
            done = self._running.wait(PATIENCE_S) == 0
        except subprocess.TimeoutExpired:
            self._kill()
            done = False
        self.whole += done
        self.failed += not done
        return done

    def workers(self):
        """Return the processes of the workers that there are now."""
        running = self._running
        if running is None or running.poll() is not None:
            return []
        return [pid for pid, title in descendants(running.pid) if title.startswith(WORKER)]

    def _kill(self):
        """End the sleep that goes on, with the Ray that it has started."""
        running = self._running
        if running is None or running.poll() is not None:
            return
        for pid in [pid for pid, _ in descendants(running.pid)] + [running.pid]:
            with suppress(ProcessLookupError):
                os.kill(pid, 9)
        running.wait()

    def end(self):
        """Let the sleep that goes on end, have all banks sleep once more, and return the faults."""
        self._over.set()
        self._thread.join()
        if self._sleep():
            return []
        last = self._log.read_text("utf-8", errors="replace").splitlines()[-20:]
        return [f"a sleep of all banks is not done: {' | '.join(last)}"]

    def stop(self):
        """End it, whatever it does."""
        self._over.set()
        self._kill()
        self._thread.join()
