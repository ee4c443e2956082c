"""
Processes that share a store while they are stopped, killed and told the wrong time.

    python tests/faults/crowd.py PATH LOG ROLE SEED     one of them, as ``crowd`` starts it

Each writes down what it is about to do and then what came of it, with the time of a clock that all
processes of a machine share; the rest is ``linearizable.in_some_order``.
"""

import json
import random
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from linearizable import READS, SEEDED, TEXTS, Done, do, seed

from hippocampus import Config, Ingest, Memory
from hippocampus.upkeep import verify

CONFIG = Config(ingest=Ingest(seal_rows=4), busy_timeout_s=0.3)
ROLES = ("owner", "owner", "sleeper", "reader")
OPERATIONS = 60
"""Of each process, if it lives."""
STEPS = (timedelta(0), timedelta(days=-400), timedelta(hours=-1), timedelta(days=3))
"""What its clock is wrong by."""


class WrongClock:
    """A clock that somebody sets anew now and then."""

    def __init__(self, rng):
        self._rng = rng
        self.wrong_by = timedelta(0)

    def step(self):
        """Be set to another time."""
        self.wrong_by = self._rng.choice(STEPS)

    def now(self):
        """Return what it shows."""
        return datetime.now(UTC) + self.wrong_by


def choose(role, rng):
    """Return what a process does next, and to which text."""
    if role == "reader" or rng.random() < 0.4:
        return rng.choice(READS), SEEDED[0]
    if role == "sleeper":
        return ("sleep" if rng.random() < 0.95 else "compact"), SEEDED[0]
    if rng.random() < 0.2:
        return "remember", rng.choice(sorted(TEXTS))
    what = "erase" if rng.random() < 0.03 else rng.choice(["forget", "restore"])
    return what, rng.choice(SEEDED)


def work(path, log, role, seed_):
    """Do a few things, and write down what came of them."""
    rng = random.Random(seed_)  # noqa: S311
    clock = WrongClock(rng)
    ids = json.loads(Path(path).with_suffix(".ids").read_text("utf-8"))
    with (
        Path(log).open("a", encoding="utf-8", buffering=1) as out,
        Memory(
            path, embedder="none", config=CONFIG, clock=clock, read_only=role == "reader"
        ) as memory,
    ):
        bank = memory.bank("ada")
        for _ in range(OPERATIONS):
            what, text = choose(role, rng)
            print(json.dumps([what, text, time.monotonic()]), file=out)
            answer = do(bank, ids, what, text)
            print(json.dumps([time.monotonic(), answer]), file=out)
            clock.step()
            time.sleep(rng.random() / 200)


def read(log):
    """Yield what a process has noted; the last may have no answer."""
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines() if line]
    for called, answered in zip(lines[::2], [*lines[1::2], None], strict=False):
        yield Done(*called) if answered is None else Done(*called, *answered)


def crowd(folder, seed_):
    """
    Let processes loose on a new store, interrupt them, and return what they did.

    Returns:
        the history, how many were killed, how often one was stopped, and what ``verify`` says.

    """
    rng = random.Random(seed_)  # noqa: S311
    path = folder / "memory.db"
    with Memory(path, embedder="none", config=CONFIG) as memory:
        path.with_suffix(".ids").write_text(json.dumps(seed(memory.bank("ada"))), "utf-8")
    logs, alive = [], []

    def start(role):
        logs.append(folder / f"{len(logs)}.log")
        logs[-1].touch()
        arguments = [str(path), str(logs[-1]), role, str(rng.random())]
        alive.append(
            (role, subprocess.Popen([sys.executable, __file__, *arguments], stderr=subprocess.PIPE))
        )

    for role in ROLES:
        start(role)
    killed = stopped = 0
    failed = []
    while alive:
        time.sleep(rng.random() / 10)
        role, process = rng.choice(alive)
        if process.poll() is not None:
            alive.remove((role, process))
            _, told = process.communicate()
            if process.returncode not in {0, -signal.SIGKILL}:
                failed.append(told.decode()[-2000:])
        elif killed < len(ROLES) and rng.random() < 0.25:
            process.kill()
            killed += 1
            start(role)
        else:
            process.send_signal(signal.SIGSTOP)
            time.sleep(rng.random() / 4)
            process.send_signal(signal.SIGCONT)
            stopped += 1
    history = [one for log in logs for one in read(log)]
    with Memory(path, embedder="none", config=CONFIG) as memory:
        bank = memory.bank("ada")
        for what in READS:
            began = time.monotonic()
            answer = do(bank, {}, what, SEEDED[0])
            history.append(Done(what, SEEDED[0], began, time.monotonic(), answer))
        return history, killed, stopped, [*failed, *verify(memory).problems]


if __name__ == "__main__":
    work(*sys.argv[1:])
