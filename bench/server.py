"""
What does the server add to a verb, and how many requests a second does it answer?

A server of its own process, as ``hippocampus serve`` starts it, with the default embedder and two
banks of 10 k episodes that have slept; 32 clients over kept connections, in this process, on the
same machine. A mixed load asks questions that were not asked before (half of it), composes
contexts, remembers, and looks things up; a cached one asks 100 questions again and again of banks
that do not change. The clients share the processors: what they take is a row of its own.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote
from urllib.request import urlopen

import numpy as np
import psutil

from bench.banks import BATCH, TableEmbedder, Workshop, questions, turns
from bench.measure import Row
from hippocampus import Memory

CLIENTS = 32
EPISODES = 10_000
BANKS = ("acme/lena", "acme/ömer")
SECONDS = float(os.environ.get("HIPPOCAMPUS_BENCH_SERVER_S", "10"))
"""How long the mixed load is kept up; 900 for memory over a quarter of an hour."""
SETTLED_S = 60.0
"""After how long what is loaded when first needed is loaded, and answers fill their place."""
WORKERS = 2
"""Processes that answer, beside one."""


def run(workshop: Workshop, *, quick: bool) -> Iterator[Row]:  # noqa: ARG001 - as every part's
    """Yield the rows."""
    store = build(workshop)
    began = time.perf_counter()
    with served(store) as (url, process):
        yield Row(
            name="serve, process start to ready", value=time.perf_counter() - began, unit="s",
            note="default embedder, two banks of 10 k",
        )  # fmt: skip
        yield from overhead(store, url)
        watched = psutil.Process(process.pid)
        asyncio.run(load(url, mixed(1), seconds=2))  # what is loaded when first needed
        yield from mixed_rows(url, watched, "", seconds=SECONDS)
        spent = cpu(watched)
        done = asyncio.run(load(url, repeated(), seconds=min(SECONDS, 10)))
        spent = (cpu(watched) - spent) * 1e3 / len(done.took)
        yield Row(name="serve, the same 100 questions", value=done.rate, unit="requests/s")
        yield Row(
            name="serve, the same 100 questions, processor time of the server", value=spent,
            unit="ms", note="a request",
        )  # fmt: skip
        yield Row(name="serve, the same 100 questions, p50", value=done.ms(50), unit="ms")
        yield Row(
            name="serve, the same questions, errors", value=float(done.errors), unit="requests"
        )
    with served(store, "--workers", str(WORKERS)) as (url, process):
        watched = psutil.Process(process.pid)
        asyncio.run(load(url, mixed(3), seconds=2))
        yield from mixed_rows(url, watched, f", {WORKERS} workers", seconds=min(SECONDS, 120))


def mixed_rows(url: str, server: psutil.Process, how: str, *, seconds: float) -> Iterator[Row]:
    """Yield what a mixed load takes: time, processor, memory."""
    name = f"serve, mixed load{how}"
    before, own, banks = cpu(server), time.process_time(), banks_bytes(url)
    done = asyncio.run(load(url, mixed(2), seconds=seconds, server=server))
    spent = (cpu(server) - before) * 1e3 / len(done.took)
    own = (time.process_time() - own) * 1e3 / len(done.took)
    note = f"{CLIENTS} clients, {done.seconds:.0f} s"
    yield Row(name=name, value=done.rate, unit="requests/s", note=note)
    for at in (50, 95, 99):
        yield Row(name=f"{name}, p{at}", value=done.ms(at), unit="ms", note=note)
    yield Row(
        name=f"{name}, processor time of the server", value=spent, unit="ms",
        note="a request; others' work does not count",
    )  # fmt: skip
    yield Row(
        name=f"{name}, processor time of the clients", value=own, unit="ms",
        note="a request, on the same processors",
    )  # fmt: skip
    yield Row(name=f"{name}, errors", value=float(done.errors), unit="requests")
    settled = np.interp(min(SETTLED_S, seconds / 2), *zip(*done.resident_mb, strict=True))
    yield Row(
        name=f"{name}, resident memory at its end", value=done.resident_mb[-1][1], unit="MB",
        baseline=float(settled),
        note=f"baseline after {min(SETTLED_S, seconds / 2):.0f} s of {done.seconds:.0f} s",
    )  # fmt: skip
    if how:  # of other workers than the one that is asked, figures are seconds old
        return
    yield Row(
        name=f"{name}, of that what banks hold more", value=(banks_bytes(url) - banks) / 2**20,
        unit="MB", note=f"of {done.kept} new memories",
    )  # fmt: skip


def banks_bytes(url: str) -> float:
    """Return how many bytes banks hold in memory, as the server says."""
    with urlopen(f"{url}/metrics") as answer:  # noqa: S310 - our own server
        told = answer.read().decode()
    return sum(map(float, re.findall(r"^hippocampus_resident_bytes\S* (\S+)", told, re.MULTILINE)))


def cpu(process: psutil.Process) -> float:
    """Return the processor time that a process and its workers have taken, in seconds."""
    times = [one.cpu_times() for one in family(process)]
    return float(sum(one.user + one.system for one in times))


def family(process: psutil.Process) -> list[psutil.Process]:
    """Return a process and its workers."""
    return [process, *process.children()]


def resident_bytes(server: psutil.Process) -> float:
    """Return what is resident of a server, of pages that its workers share each its part."""
    every = family(server)
    if len(every) == 1:
        return float(server.memory_info().rss)
    infos = [one.memory_full_info() for one in every]
    return float(sum(getattr(info, "pss", info.rss) for info in infos))


def build(workshop: Workshop) -> Path:
    """Return a store with the banks, which have slept, as those in use have."""
    path = workshop.path("served.db")
    if path.exists():
        return path
    embedder = TableEmbedder()
    with Memory(path, embedder=embedder) as memory:
        for name in BANKS:
            made = list(turns(EPISODES))
            embedder.expect(made)
            given = [replace(turn, metadata={"project": turn.metadata["project"]}) for turn in made]
            for start in range(0, len(given), BATCH):
                memory.bank(name).remember_many(given[start : start + BATCH])
            memory.bank(name).sleep()
    return path


@contextmanager
def served(store: Path, *options: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Run a server of a store; its URL and process."""
    command = [sys.executable, "-m", "hippocampus", "serve", "--store", str(store), "--port", "0",
               "--log-level", "warning", *options]  # fmt: skip
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None, "it was asked for"
        try:
            found = None
            while found is None:
                line = process.stderr.readline()
                assert line, "the server ended before it was ready"
                found = re.search(r"http://\S+", line)
            yield found[0], process
        finally:
            process.terminate()


# ---------------------------------------------------------------- overhead


def overhead(store: Path, url: str) -> Iterator[Row]:
    """Yield what a recall takes over HTTP beside the same one in this process."""
    asked = [f"{question} (again)" for question in questions(60)]
    with Memory(store, read_only=True) as memory:
        bank = memory.bank(BANKS[0])
        bank.recall("Who is it?")
        asyncio.run(one_by_one(url, ["Who is it?"]))
        over, here = [], []
        for question in asked:  # in pairs, for the machine is not always as fast
            began = time.perf_counter()
            bank.recall(question)
            here.append(time.perf_counter() - began)
            over += asyncio.run(one_by_one(url, [question]))
    differ = np.median(np.array(over) - np.array(here)) * 1e3
    p50 = np.median(here) * 1e3
    yield Row(
        name="serve, recall over HTTP, p50", value=float(np.median(over) * 1e3), unit="ms",
        baseline=float(p50), note="baseline in this process",
    )  # fmt: skip
    yield Row(name="serve, overhead of HTTP, p50", value=float(differ), unit="ms")


async def one_by_one(url: str, asked: list[str]) -> list[float]:
    """Return how long each recall takes over one connection, in seconds."""
    client = await Client.open(url)
    await client.ask("GET", "/healthz")  # the connection is there
    took = []
    for question in asked:
        began = time.perf_counter()
        assert await client.ask("POST", at(BANKS[0], "recall"), {"query": question}) == 200
        took.append(time.perf_counter() - began)
    client.close()
    return took


# ---------------------------------------------------------------- load


@dataclass
class Done:
    """What came of a load."""

    seconds: float = 0.0
    took: list[float] = field(default_factory=list)
    errors: int = 0
    kept: int = 0
    """How many memories were new."""
    resident_mb: list[tuple[float, float]] = field(default_factory=list)
    """Of the server's memory what was resident, by seconds."""

    @property
    def rate(self) -> float:
        """Requests a second."""
        return len(self.took) / self.seconds

    def ms(self, at_percent: int) -> float:
        """Return a percentile of how long they took."""
        return float(np.percentile(self.took, at_percent) * 1e3)


def at(bank: str, verb: str) -> str:
    """Return the address of a verb."""
    return f"/v1/banks/{quote(bank, safe='')}/{verb}"


type_ = tuple[str, str, "dict[str, object] | None"]


def mixed(seed: int) -> Callable[[], type_]:
    """Return what makes the requests of a mixed load, no question twice."""
    rng = np.random.default_rng(seed)
    asked, texts = questions(2000), [turn.text for turn in turns(2000)]
    count = 0

    def next_() -> type_:
        nonlocal count
        count += 1
        bank = BANKS[int(rng.integers(len(BANKS)))]
        one, draw = asked[count % len(asked)], rng.random()
        fresh = f"{one} ({seed}-{count})"
        if draw < 0.5:
            return "POST", at(bank, "recall"), {"query": fresh}
        if draw < 0.6:
            return "POST", at(bank, "context"), {"query": fresh, "budget_tokens": 1000}
        if draw < 0.75:
            said = f"{texts[count % len(texts)]} again, {seed} {count}"
            return "POST", at(bank, "remember"), {"text": said, "speaker": "Ada"}
        if draw < 0.85:
            return (
                "GET",
                at(bank, f"episodes?limit=20&newest=true&session=session-{count % 500}"),
                None,
            )
        if draw < 0.95:
            return "POST", at(bank, "count"), {"term": one.split()[-1].strip("?")}
        return "GET", at(bank, "journal?limit=20"), None

    return next_


def repeated() -> Callable[[], type_]:
    """Return what makes the requests of a load of few questions."""
    asked = questions(100)
    count = 0

    def next_() -> type_:
        nonlocal count
        count += 1
        bank = BANKS[count % len(BANKS)]
        return "POST", at(bank, "recall"), {"query": asked[count // len(BANKS) % len(asked)]}

    return next_


async def load(
    url: str, next_: Callable[[], type_], *, seconds: float, server: psutil.Process | None = None
) -> Done:
    """Keep a load up for so long, and look at a server's memory meanwhile."""
    done = Done()
    began = time.perf_counter()

    async def ask() -> None:
        client = await Client.open(url)
        while time.perf_counter() - began < seconds:
            request = next_()
            start = time.perf_counter()
            status = await client.ask(*request)
            done.took.append(time.perf_counter() - start)
            done.errors += status != 200
            done.kept += status == 200 and request[1].endswith("/remember")
        client.close()

    async def look() -> None:
        while server is not None and (passed := time.perf_counter() - began) < seconds:
            done.resident_mb.append((passed, resident_bytes(server) / 2**20))
            await asyncio.sleep(max(0.0, min(1.0, seconds - passed)))

    await asyncio.gather(look(), *(ask() for _ in range(CLIENTS)))
    done.seconds = time.perf_counter() - began
    return done


class Client:
    """One connection, as little as can be, for what is measured is the server."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, token: str
    ) -> None:
        self._reader, self._writer = reader, writer
        self._as = f"Authorization: Bearer {token}\r\n" if token else ""

    @classmethod
    async def open(cls, url: str, *, token: str = "") -> Client:
        """Connect, with the token of a key if there are keys."""
        host, _, port = url.removeprefix("http://").partition(":")
        return cls(*await asyncio.open_connection(host, int(port)), token)

    async def ask(
        self, method: str, path: str, body: object = None, *, key: str = "", lines: bool = False
    ) -> int:
        """Send a request and read all of its answer; return the status."""
        return (await self.answer(method, path, body, key=key, lines=lines))[0]

    async def answer(
        self, method: str, path: str, body: object = None, *, key: str = "", lines: bool = False
    ) -> tuple[int, bytes]:
        """
        Send a request, which is done once with a ``key``; return the status and the answer.

        ``lines``: the body is text, with a document on each line.
        """
        sent = b"" if body is None else str(body).encode() if lines else json.dumps(body).encode()
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{self._as}"
            f"Content-Type: application/{'x-ndjson' if lines else 'json'}\r\n"
            f"Content-Length: {len(sent)}\r\n"
            f"{f'Idempotency-Key: {key}' + chr(13) + chr(10) if key else ''}\r\n"
        )
        self._writer.write(head.encode() + sent)
        answer = await self._reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", answer)
        assert length is not None, answer
        return int(answer[9:12]), await self._reader.readexactly(int(length[1]))

    def close(self) -> None:
        """Hang up."""
        self._writer.close()
