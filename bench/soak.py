"""
Does a server's memory grow while what it keeps does not?

A server of its own process over two banks of 10 k episodes, half an hour of eight clients: they
ask, compose contexts, list, and say again what is known; every minute each bank gets twenty new
episodes that are hidden, brought back and erased for good, and sleeps. What counts is the memory of
minute 30 beside that of minute 3: the first minutes load what is loaded when first needed.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Iterator
from itertools import count

import numpy as np
import psutil

from bench.banks import Workshop, questions, turns
from bench.measure import Row
from bench.server import BANKS, Client, at, build, served

MINUTES = float(os.environ.get("HIPPOCAMPUS_BENCH_SOAK_MIN", "30"))
"""How long it is kept up."""
CLIENTS = 8
PAUSE_S = 0.1
"""How long a client thinks between two requests."""


def run(workshop: Workshop, *, quick: bool) -> Iterator[Row]:
    """Yield the rows."""
    minutes = min(MINUTES, 2.0) if quick else MINUTES
    with served(build(workshop)) as (url, process):
        soak = Soak(url, psutil.Process(process.pid), minutes * 60)
        asyncio.run(soak.run())
    note = f"{CLIENTS} clients, {soak.done} requests, {soak.rounds} rounds of writing and sleep"
    early, late = soak.resident_mb[len(soak.resident_mb) // 10], soak.resident_mb[-1]
    yield Row(
        name=f"soak, resident memory after {minutes:g} minutes", value=late, unit="MB",
        baseline=early, note=f"baseline after a tenth of that; {note}",
    )  # fmt: skip
    yield Row(name="soak, most of resident memory", value=max(soak.resident_mb), unit="MB")
    yield Row(name="soak, errors", value=float(soak.errors), unit="requests")


class Soak:
    """A load that leaves the banks as they were."""

    def __init__(self, url: str, server: psutil.Process, seconds: float) -> None:
        self.resident_mb: list[float] = []
        self.done = self.errors = self.rounds = 0
        self._url, self._server = url, server
        self._seconds, self._began = seconds, time.monotonic()
        self._asked, self._texts = questions(2000), [turn.text for turn in turns(2000)]
        self._count = count()

    def _going(self) -> bool:
        return time.monotonic() - self._began < self._seconds

    async def run(self) -> None:
        """Keep it up to its end."""
        self._began = time.monotonic()
        await asyncio.gather(
            self._watch(), self._write(), *(self._ask(seed) for seed in range(CLIENTS))
        )

    async def _watch(self) -> None:
        for moment in np.linspace(0, self._seconds, 61)[1:]:
            await asyncio.sleep(max(0.0, self._began + moment - time.monotonic()))
            self.resident_mb.append(self._server.memory_info().rss / 2**20)

    async def _told(self, client: Client, method: str, path: str, body: object = None) -> bytes:
        status, answer = await client.answer(method, path, body)
        self.done += 1
        self.errors += status != 200
        return answer

    async def _ask(self, seed: int) -> None:
        client = await Client.open(self._url)
        rng = np.random.default_rng(seed)
        while self._going():
            bank, draw = BANKS[int(rng.integers(len(BANKS)))], rng.random()
            number = next(self._count)
            asked = {"query": f"{self._asked[number % len(self._asked)]} ({number})"}
            if draw < 0.6:
                await self._told(client, "POST", at(bank, "recall"), asked)
            elif draw < 0.75:
                await self._told(client, "POST", at(bank, "context"), asked)
            elif draw < 0.85:
                said = {"text": self._texts[number % 20], "at": "2024-01-01", "speaker": "Ada"}
                await self._told(client, "POST", at(bank, "remember"), said)
            else:
                await self._told(client, "GET", at(bank, "episodes?limit=20&newest=true"))
            await asyncio.sleep(PAUSE_S)
        client.close()

    async def _write(self) -> None:
        """Once a minute: remember, hide, bring back, erase, sleep."""
        client = await Client.open(self._url)
        while self._going():
            for bank in BANKS:
                ids = []
                for number in range(20):
                    text = f"The tram stops {number} times, {next(self._count)}."
                    told = await self._told(client, "POST", at(bank, "remember"), {"text": text})
                    ids.append(json.loads(told)["id"])
                await self._told(client, "POST", at(bank, "forget"), {"id": ids})
                await self._told(client, "POST", at(bank, "restore"), {"id": ids})
                await self._told(client, "POST", at(bank, "forget"), {"id": ids, "erase": True})
                await self._told(client, "POST", at(bank, "sleep"), {})
            self.rounds += 1
            rest = self._began + 60 * self.rounds - time.monotonic()
            await asyncio.sleep(min(max(rest, 0.0), self._seconds))
        client.close()
