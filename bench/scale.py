"""
Ten thousand banks in PostgreSQL, and ten large ones: imported, served, shared, lost, slept.

    HIPPOCAMPUS_BENCH_POSTGRES=postgresql:///empty?host=… python -m bench --only scale

The database must be an empty one; its server's processor time is measured where it runs here.
Vectors come from the embedder without a model, which takes a tenth of a millisecond a turn: what a
model takes ``encoder`` says, and it does not depend on where banks are. Servers, their clients and
the database share the processors, so that more servers are not more of those: read the processor
time of a request. ``HIPPOCAMPUS_BENCH_SCALE=0.01`` makes everything a hundredth.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen
from zlib import crc32

import numpy as np
import psutil
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq

from bench.banks import Workshop, questions, turns
from bench.capacity import Database
from bench.measure import HERE, Row, seconds
from bench.server import Client, Done, at, cpu
from hippocampus import Bank, Memory
from hippocampus.cluster import RayCluster

SHARE = float(os.environ.get("HIPPOCAMPUS_BENCH_SCALE", "1"))
EMBEDDER = "hash"
TEXTS = 20_000
"""Different texts; each turn has a number of its own behind it."""
WORKERS = 2
CLIENTS = 32
SECONDS = 20.0
WRITERS = 24
ONE_BY_ONE = 400
"""Turns remembered, and questions asked, one after the other."""


def some(count: int, least: int = 2) -> int:
    """Return a count of banks, or turns, at the scale that is measured."""
    return max(least, round(count * SHARE))


USERS, USER_TURNS = some(10_000, 40), 200
TEAMS, TEAM_TURNS = 10, some(50_000, 1000)
OPENED, OPENED_TURNS = 20, 2_000
HOT = min(some(500, 20), USERS)
SLEEPERS = min(some(1000, 10), USERS // 4)


def user(number: int) -> str:
    """Return the name of a small bank."""
    return f"acme/user {number}"


def run(workshop: Workshop, *, quick: bool) -> Iterator[Row]:  # noqa: ARG001 - all alike
    """Yield the rows."""
    address = os.environ.get("HIPPOCAMPUS_BENCH_POSTGRES")
    if not address:
        print("  left out: HIPPOCAMPUS_BENCH_POSTGRES names no database", file=sys.stderr)
        return
    database = Database(address)
    yield from one_by_one(workshop, address)  # before the import, after which it is tidied up
    yield from imported(workshop, address, database)
    yield from opened(address)
    for servers in (1, 2, 3):
        yield from served(address, database, servers)
    yield from shared(address)
    if shutil.which("haproxy"):
        yield from lost(workshop, address)
    else:
        print("  left out: a server that is lost; there is no haproxy", file=sys.stderr)
    for place, workers in enumerate((1, 2, 4)):
        yield from slept(
            address, database, workers, range(place * SLEEPERS, (place + 1) * SLEEPERS)
        )


# ---------------------------------------------------------------- import


def imported(workshop: Workshop, address: str, database: Database) -> Iterator[Row]:
    """Yield what it takes to import everything from Parquet through Ray."""
    banks = [(user(n), USER_TURNS) for n in range(USERS)]
    banks += [(f"acme/team {n}", TEAM_TURNS) for n in range(TEAMS)]
    banks += [(f"acme/opened {n}", OPENED_TURNS) for n in range(OPENED)]
    files = list(written(workshop, banks))
    before = database.processor_s()
    with RayCluster(address, workers=WORKERS, embedder=EMBEDDER) as cluster:
        report = cluster.import_(files)
    if report.failed:
        raise SystemExit(f"the import failed: {report.failed[:3]}")
    count = sum(turns for _, turns in banks)
    note = f"{count:,} turns in {len(banks):,} banks, from Parquet through Ray, {WORKERS} workers"
    yield Row(name="imported", value=count / report.elapsed_s, unit="turns/s", note=note)
    yield Row(
        name="imported, processor of the workers", value=report.cpu_s * 1e3 / count, unit="ms",
        note="a turn",
    )  # fmt: skip
    yield Row(
        name="imported, database's processor",
        value=(database.processor_s() - before) * 1e3 / count, unit="ms", note="a turn",
    )  # fmt: skip


def written(workshop: Workshop, banks: Sequence[tuple[str, int]]) -> Iterator[Path]:
    """Write the turns of banks into files of Parquet; yield each."""
    told = list(turns(TEXTS))
    number = 0
    for place, start in enumerate(range(0, len(banks), 500)):
        columns: dict[str, list[object]] = {
            name: [] for name in ("bank", "text", "at", "speaker", "session")
        }
        for name, count in banks[start : start + 500]:
            for within in range(count):
                turn = told[number % TEXTS]
                columns["bank"].append(name)
                columns["text"].append(f"{turn.text} {number}")
                columns["at"].append(turn.at)
                columns["speaker"].append(turn.speaker)
                columns["session"].append(f"session-{within // 20}")
                number += 1
        path = workshop.path(f"turns-{place}.parquet")
        pq.write_table(pa.table(columns), path)
        yield path


# ---------------------------------------------------------------- one process


def opened(address: str) -> Iterator[Row]:
    """Yield how long the first question of a bank takes that nobody has in memory."""
    asked, names = questions(OPENED), [f"acme/opened {n}" for n in range(OPENED)]
    with Memory(address, embedder=EMBEDDER) as memory:
        memory.bank("acme/team 0").recall(asked[0])  # what is loaded when first needed
        took = [
            timed(lambda name, question: memory.bank(name).recall(question), name, question)
            for name, question in zip(names, asked, strict=True)
        ]
    yield Row(
        name="bank opened and asked, p50", value=float(np.median(took)), unit="ms",
        note=f"{OPENED_TURNS:,} turns, never slept, of nobody's memory; {OPENED} banks",
    )  # fmt: skip


def one_by_one(workshop: Workshop, address: str) -> Iterator[Row]:
    """
    Yield what a ``remember`` and a ``recall`` take in PostgreSQL, and in a file.

    Each is told and asked things of its own, in turn: what the process has read once it reads
    faster the next time, and the machine is not always as fast. A hot recall is of rows that an
    earlier one has read.
    """
    told, asked = list(islice(turns(TEXTS), 2 * ONE_BY_ONE)), questions(2 * ONE_BY_ONE)
    banks: list[tuple[Bank, dict[str, list[float]]]] = []
    with ExitStack() as stack:
        for n, place in enumerate((address, workshop.path("beside.db"))):
            memory = stack.enter_context(Memory(place, embedder=EMBEDDER))
            banks.append((memory.bank("beside"), defaultdict(list)))
            banks[n][0].remember_many(told[n:ONE_BY_ONE:2])
        for n, turn in enumerate(told[ONE_BY_ONE:]):
            bank, took = banks[n % 2]
            keep = partial(bank.remember, at=turn.at, speaker=turn.speaker)
            took["remember"].append(timed(keep, turn.text))
        for verb in ("recall", "hot recall"):
            for n, question in enumerate(asked):
                bank, took = banks[n % 2]
                took[verb].append(timed(bank.recall, f"{question} ({n}, {verb})"))
    (_, here), (_, beside) = banks
    for verb, took in here.items():
        yield Row(
            name=f"{verb} in PostgreSQL, p50", value=float(np.median(took)), unit="ms",
            baseline=float(np.median(beside[verb])), note="baseline in a file of SQLite; in turn",
        )  # fmt: skip
    with psycopg.connect(address, autocommit=True) as db:
        trip = [timed(db.execute, "SELECT 1") for _ in range(ONE_BY_ONE)]
    yield Row(name="one question to PostgreSQL, p50", value=float(np.median(trip)), unit="ms")


def timed(call: Callable[..., object], *arguments: object) -> float:
    """Return how long a call takes, in milliseconds."""
    return seconds(call, *arguments) * 1e3


# ---------------------------------------------------------------- servers


class Server:
    """``hippocampus serve`` at a port of its own."""

    def __init__(self, address: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        command = [sys.executable, "-m", "hippocampus", "serve", "--store", address, "--no-sleep",
                   "--embedder", EMBEDDER, "--port", str(self.port)]  # fmt: skip
        self._process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.watched = psutil.Process(self._process.pid)

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    def end(self, number: int = signal.SIGTERM) -> None:
        """Send a signal that ends it."""
        self._process.send_signal(number)
        self._process.wait()


def until_ready(url: str) -> None:
    """Wait until an address answers with 200."""
    while True:
        try:
            with urlopen(url, timeout=5):  # noqa: S310 - our own server
                return
        except (URLError, ConnectionError, TimeoutError):
            time.sleep(0.05)


@contextmanager
def servers_of(address: str, count: int) -> Iterator[list[Server]]:
    """Run servers of the store, until the block ends."""
    servers = [Server(address) for _ in range(count)]
    try:
        for server in servers:
            until_ready(f"{server.url}/readyz")
        yield servers
    finally:
        for server in servers:
            if server.watched.is_running():
                server.end(signal.SIGKILL)


Request = tuple[str, str, str, "dict[str, object] | None"]
"""A bank, and the method, address and body of a request for it."""


def mixed(seed: int, names: Sequence[str]) -> Callable[[], Request]:
    """Return what makes the requests of a mixed load over banks; no question comes twice."""
    rng = np.random.default_rng(seed)
    asked, texts = questions(2000), [turn.text for turn in islice(turns(TEXTS), 2000)]
    count = 0

    def next_() -> Request:
        nonlocal count
        count += 1
        name, draw = names[int(rng.integers(len(names)))], rng.random()
        fresh = f"{asked[count % len(asked)]} ({seed}-{count})"
        if draw < 0.6:
            return name, "POST", at(name, "recall"), {"query": fresh}
        if draw < 0.7:
            return name, "POST", at(name, "context"), {"query": fresh, "budget_tokens": 1000}
        if draw < 0.85:
            said = f"{texts[count % len(texts)]} again, {seed} {count}"
            return name, "POST", at(name, "remember"), {"text": said, "speaker": "Ada"}
        return name, "GET", at(name, "episodes?limit=20&newest=true"), None

    return next_


class Asked(Done):
    """What came of a load: also when each request ended, and how many had to be sent again."""

    def __init__(self) -> None:
        super().__init__()
        self.ended: list[float] = []
        self.repeated = 0


async def load(urls: Sequence[str], next_: Callable[[], Request], for_s: float) -> Asked:
    """Keep a load up, each bank's requests at one of the addresses; a 503 is asked again."""
    done, began = Asked(), time.perf_counter()

    async def ask(number: int) -> None:
        clients: dict[str, Client] = {}
        sent = 0
        while (start := time.perf_counter()) - began < for_s:
            name, method, path, body = next_()
            url = urls[crc32(name.encode()) % len(urls)]
            sent += 1
            key = f"{began}-{number}-{sent}"
            status = 503
            while status == 503:
                try:
                    if url not in clients:
                        clients[url] = await Client.open(url)
                    status = await clients[url].ask(method, path, body, key=key)
                except (ConnectionError, EOFError):  # hung up: an error that no retry cures
                    clients.pop(url, None)
                    status = 0
                if status == 503:
                    done.repeated += 1
                    await asyncio.sleep(0.2)
            done.took.append(time.perf_counter() - start)
            done.ended.append(time.perf_counter() - began)
            done.errors += status != 200
            done.kept += status == 200 and path.endswith("/remember")
        for client in clients.values():
            client.close()

    await asyncio.gather(*map(ask, range(CLIENTS)))
    done.seconds = time.perf_counter() - began
    return done


def served(address: str, database: Database, count: int) -> Iterator[Row]:
    """Yield what some servers do of a mixed load over hot banks."""
    names = [user(n) for n in range(HOT)]
    with servers_of(address, count) as servers:
        urls = [server.url for server in servers]
        warm = iter(names * 2)
        asyncio.run(load(urls, lambda: warmed(next(warm, names[0])), for_s=0.1 * HOT))
        before = sum(cpu(server.watched) for server in servers), database.processor_s()
        done = asyncio.run(load(urls, mixed(count, names), SECONDS))
        theirs = database.processor_s() - before[1]
        ours = sum(cpu(server.watched) for server in servers) - before[0]
    name = f"mixed load, servers: {count}"
    note = f"{HOT} hot banks, {CLIENTS} clients, {done.seconds:.0f} s"
    yield Row(name=name, value=done.rate, unit="requests/s", note=note)
    for percent in (50, 95):
        yield Row(name=f"{name}, p{percent}", value=done.ms(percent), unit="ms", note=note)
    yield Row(name=f"{name}, errors", value=float(done.errors), unit="requests", note=note)
    for whose, spent in (("servers", ours), ("database", theirs)):
        yield Row(
            name=f"{name}, processor of the {whose}", value=spent * 1e3 / len(done.took), unit="ms",
            note="a request",
        )  # fmt: skip


def warmed(name: str) -> Request:
    """Return the request that has a server read a bank."""
    return name, "POST", at(name, "recall"), {"query": f"What is it? {time.perf_counter()}"}


def shared(address: str) -> Iterator[Row]:
    """Yield how fast three servers write one bank at once; what was acknowledged must be there."""
    name, count = "acme/of all", 0

    def next_() -> Request:
        nonlocal count
        count += 1
        # Whom it goes to is told by the first part, so that all have their share.
        body: dict[str, object] = {"text": f"The parcel {count} is at the gate.", "speaker": "Ada"}
        return f"{count}", "POST", at(name, "remember"), body

    with servers_of(address, 3) as servers:
        done = asyncio.run(load([one.url for one in servers], next_, SECONDS / 2))
        kept = []
        for server in servers:
            with urlopen(server.url + at(name, "stats"), timeout=30) as answer:  # noqa: S310 - ours
                kept.append(json.load(answer)["episodes"])
    note = f"three servers, {CLIENTS} clients, {done.seconds:.0f} s"
    yield Row(name="one bank written by all", value=done.rate, unit="writes/s", note=note)
    yield Row(name="one bank written by all, p95", value=done.ms(95), unit="ms", note=note)
    yield Row(
        name="one bank written by all, missing or twice", unit="writes", note="at any server",
        value=float(sum(abs(there - done.kept) for there in kept)) + done.errors,
    )  # fmt: skip


def lost(workshop: Workshop, address: str) -> Iterator[Row]:
    """Yield what a load through the balancer notices of a server that is killed."""
    names = [user(n) for n in range(HOT)]
    log = workshop.path("haproxy.log").open("w")
    with log, servers_of(address, 2) as servers, Balancer(servers, log) as url:
        warm = iter(names * 2)
        asyncio.run(load([url], lambda: warmed(next(warm, names[0])), for_s=0.1 * HOT))

        async def meanwhile() -> Asked:
            loading = asyncio.create_task(load([url], mixed(7, names), 3 * SECONDS))
            await asyncio.sleep(SECONDS)
            await asyncio.to_thread(servers[0].end, signal.SIGKILL)
            return await loading

        done = asyncio.run(meanwhile())
    took, ended = np.array(done.took) * 1e3, np.array(done.ended)
    after = np.arange(int(SECONDS), int(3 * SECONDS))
    # The other server has twice the work: what it takes in the end is as fast as it can.
    later = float(np.percentile(took[ended > 2.5 * SECONDS], 95))
    slow = [s for s in after if p95(took[(ended >= s) & (ended < s + 1)]) > 1.5 * later]
    note = f"{CLIENTS} clients through HAProxy, one of two servers killed after {SECONDS:.0f} s"
    yield Row(name="server lost, errors", value=float(done.errors), unit="requests", note=note)
    yield Row(
        name="server lost, 503s that were asked again", value=float(done.repeated), unit="requests"
    )
    yield Row(
        name="server lost, until p95 is back", unit="s", note="within 1.5 × of that at the end",
        value=float(slow[-1] + 1 - SECONDS) if slow else 0.0,
    )  # fmt: skip
    yield Row(
        name="server lost, p95 at the end", value=later, unit="ms",
        baseline=float(np.percentile(took[ended < SECONDS], 95)), note="baseline before",
    )  # fmt: skip


def p95(took: np.ndarray) -> float:
    """Return the percentile; infinite where nothing ended."""
    return float(np.percentile(took, 95)) if took.size else float("inf")


class Balancer:
    """The balancer that is shipped, before two servers."""

    def __init__(self, servers: Sequence[Server], log: object) -> None:
        with ExitStack() as held:
            ports = [
                held.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1]
                for _ in range(2)
            ]
        self._port = ports[0]
        self._given = {
            "HIPPOCAMPUS_BIND": f"127.0.0.1:{ports[0]}",
            "HIPPOCAMPUS_STATS": f"127.0.0.1:{ports[1]}",
            **{f"HIPPOCAMPUS_SERVER_{n}": f"127.0.0.1:{s.port}" for n, s in enumerate(servers, 1)},
        }
        self._log = log

    def __enter__(self) -> str:
        self._process = subprocess.Popen(
            ["haproxy", "-db", "-f", HERE.parent / "deploy" / "haproxy.cfg"],
            env=os.environ | self._given, stdout=self._log, stderr=subprocess.STDOUT,
        )  # fmt: skip
        url = f"http://127.0.0.1:{self._port}"
        until_ready(f"{url}/balancerz")
        time.sleep(3)  # it finds both
        return url

    def __exit__(self, *error: object) -> None:
        self._process.kill()
        self._process.wait()


# ---------------------------------------------------------------- sleep


def slept(address: str, database: Database, workers: int, which: range) -> Iterator[Row]:
    """Yield how fast banks sleep that never slept, for a number of workers."""
    before = database.processor_s()
    with RayCluster(address, workers=workers, embedder=EMBEDDER) as cluster:
        report = cluster.sleep(banks=[user(n) for n in which])
    if report.failed:
        raise SystemExit(f"the sleep failed: {report.failed[:3]}")
    name, note = f"slept, workers: {workers}", f"{len(which):,} banks of {USER_TURNS} turns"
    yield Row(name=name, value=report.rate, unit="banks/s", note=note)
    yield Row(
        name=f"{name}, processor of the workers", value=report.cpu_s * 1e3 / len(which), unit="ms",
        note="a bank",
    )  # fmt: skip
    yield Row(
        name=f"{name}, database's processor",
        value=(database.processor_s() - before) * 1e3 / len(which), unit="ms", note="a bank",
    )  # fmt: skip
