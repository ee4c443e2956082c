"""
How much longer does one key wait for an answer while another key takes all that it can get?

A server of its own process, as ``hippocampus serve`` starts it, with two banks of 10 k episodes
that have slept, and a key for each. One key asks questions that nobody has asked before, one after
the other with a pause, as somebody who works does. Meanwhile the other saturates one verb, from as
many connections as a program would open that wants it done: searches of many words, erasures,
sleeps, or imports, one after the other without a pause. The baseline is the same questions without
it; the two take turns, and count by the median of the rounds. What gives way to the questions,
sleep, must come to its end all the same: how long it takes beside them is told as well.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import numpy as np

from bench.banks import Workshop, questions, turns
from bench.measure import Row
from bench.server import BANKS, Client, at, build, served
from hippocampus import Memory
from hippocampus.server.keys import Keys

VERBS = ("find", "erase", "import", "sleep")
CONNECTIONS = 8
"""Over which the busy key sends its requests."""
ASKED = 400
"""Questions of the quiet key in each round, alone and beside the other."""
PAUSE_S = 0.03
"""Between an answer and the next question."""
ROUNDS = 3
WORDS = 32
"""Words that one search of the busy key looks for."""
IMPORTED = 200
"""Turns of one import."""
STARTED_S = 1.0
"""For how long the busy key has been at it before anybody else asks."""


def run(workshop: Workshop, *, quick: bool) -> Iterator[Row]:
    """Yield how long the quiet key waits, beside each verb of the busy one."""
    store = build(workshop)
    busy, quiet = _keys(store)
    asked = 40 if quick else ASKED
    with served(store) as (url, _):
        neighbours = Neighbours(url, busy, quiet)
        asyncio.run(neighbours.answered(asked))  # what is loaded when first needed
        for verb in VERBS:
            alone, beside = [], []
            for _ in range(1 if quick else ROUNDS):
                alone.append(asyncio.run(neighbours.answered(asked)))
                beside.append(asyncio.run(neighbours.answered(asked, beside=verb)))
            sent, done = (of.get(verb, 0) for of in (neighbours.sent, neighbours.done))
            note = f"{CONNECTIONS} connections, {sent} requests of the other, {done} of them done"
            for percent in (50, 99):
                here, there = (
                    [float(np.percentile(one, percent) * 1e3) for one in rounds]
                    for rounds in (beside, alone)
                )
                yield Row(
                    name=f"a key's recall, p{percent}, while another saturates {verb}",
                    value=float(np.median(here)), unit="ms", baseline=float(np.median(there)),
                    note=f"baseline alone; {note}", low=min(here), high=max(here), runs=len(here),
                )  # fmt: skip
        alone, beside = (
            [asyncio.run(neighbours.slept(asked=asked)) for _ in range(1 if quick else ROUNDS)]
            for asked in (False, True)
        )
        yield Row(
            name=f"a sleep over {IMPORTED} new turns, while another key asks",
            value=float(np.median(beside)), unit="s", baseline=float(np.median(alone)),
            note="baseline while nobody asks", low=min(beside), high=max(beside), runs=len(beside),
        )  # fmt: skip
        yield Row(
            name="a key's recall beside a busy one, errors", value=float(neighbours.errors),
            unit="requests",
        )  # fmt: skip


def _keys(store: Path) -> tuple[str, str]:
    """Make a key for each bank; return their tokens."""
    with Memory(store, embedder="none") as memory:
        keys = Keys(memory)
        busy, quiet = (keys.create(bank, "admin", [bank]).token for bank in BANKS)
    return busy, quiet


class Neighbours:
    """Two keys of one server: one that is always at it, and one that asks now and then."""

    def __init__(self, url: str, busy: str, quiet: str) -> None:
        self.sent: dict[str, int] = {}
        self.done: dict[str, int] = {}
        """Requests of the busy key by verb, and those that were done; what is long is cut off."""
        self.errors = 0
        """Requests of the quiet key that were not."""
        self._url, self._busy, self._quiet = url, busy, quiet
        self._asked, self._texts = questions(2000), [turn.text for turn in turns(2000)]
        self._number = count()

    async def answered(self, asked: int, *, beside: str | None = None) -> list[float]:
        """Return how long each question of the quiet key takes, in seconds."""
        verb = {
            "find": self._find, "erase": self._erase, "import": self._import, "sleep": self._sleep,
        }  # fmt: skip
        others = [
            asyncio.ensure_future(self._again(beside, verb[beside]))
            for _ in range(CONNECTIONS)
            if beside is not None
        ]
        if others:
            await asyncio.sleep(STARTED_S)
        took, client = [], await Client.open(self._url, token=self._quiet)
        for _ in range(asked):
            number = next(self._number)
            body = {"query": f"{self._asked[number % len(self._asked)]} ({number})"}
            began = time.perf_counter()
            status = await client.ask("POST", at(BANKS[1], "recall"), body)
            took.append(time.perf_counter() - began)
            self.errors += status != 200
            await asyncio.sleep(PAUSE_S)
        client.close()
        for other in others:
            other.cancel()
            with suppress(asyncio.CancelledError):
                await other
        return took

    async def slept(self, *, asked: bool) -> float:
        """Return how long a sleep of the busy key takes, in seconds; if asked, beside questions."""
        client = await Client.open(self._url, token=self._busy)
        await self._import(client)
        began = time.perf_counter()

        async def until_done() -> float:
            assert await self._sleep(client) == 200, "nothing refuses it"
            return time.perf_counter() - began

        sleeping = asyncio.ensure_future(until_done())
        while asked and not sleeping.done():
            await self.answered(10)
        took = await sleeping
        client.close()
        return took

    async def _again(self, verb: str, call: Callable[[Client], Awaitable[int]]) -> None:
        client = await Client.open(self._url, token=self._busy)
        try:
            while True:
                self.sent[verb] = self.sent.get(verb, 0) + 1
                status = await call(client)
                self.done[verb] = self.done.get(verb, 0) + (status == 200)
        finally:
            client.close()

    async def _find(self, client: Client) -> int:
        words = self._texts[next(self._number) % len(self._texts)].split()[:WORDS]
        return await client.ask("POST", at(BANKS[0], "find"), {"terms": words, "limit": 100})

    async def _erase(self, client: Client) -> int:
        text = f"The tram stops here, {next(self._number)}."
        _, told = await client.answer("POST", at(BANKS[0], "remember"), {"text": text})
        body = {"id": json.loads(told)["id"], "erase": True}
        return await client.ask("POST", at(BANKS[0], "forget"), body)

    async def _sleep(self, client: Client) -> int:
        return await client.ask("POST", at(BANKS[0], "sleep"), {})

    async def _import(self, client: Client) -> int:
        start = next(self._number)
        lines = (
            json.dumps({"text": f"{self._texts[n % len(self._texts)]} ({start}, {n})"})
            for n in range(start, start + IMPORTED)
        )
        return await client.ask("POST", at(BANKS[0], "import"), "\n".join(lines), lines=True)
