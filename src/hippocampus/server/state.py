"""The state of one running server, and the ways in which its routes answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final, TypeAlias

from fastapi import FastAPI, Request
from prometheus_client import generate_latest
from starlette.responses import Response

from hippocampus import wire
from hippocampus.core.budget import Budget
from hippocampus.core.records import Context, Recall
from hippocampus.memory import Memory
from hippocampus.server import bodies
from hippocampus.server.auth import Gatekeeper
from hippocampus.server.bank_requests import SEQ
from hippocampus.server.keys import Keys
from hippocampus.server.observability import Figures
from hippocampus.server.rates import Rate
from hippocampus.server.response_cache import Asked, ResponseCache, SentAnswer
from hippocampus.server.settings import Limits
from hippocampus.server.shared_figures import SharedFigures
from hippocampus.server.thread_pools import Pool, Shares
from hippocampus.server.workers import Worker
from hippocampus.verbs import VerbSpec

Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]
_MAY_FAIL: Final = frozenset({"embedder", "keywords", "reranker"})
"""Parts that recall goes on without if they fail, and that may be there again with the next."""


class ServerState:
    """The state that the routes of one application share: memory, keys, threads, figures."""

    def __init__(self, memory: Memory, limits: Limits, worker: Worker | None = None) -> None:
        self.memory = memory
        self.limits = limits
        self.figures = Figures()
        self.keys = Keys(memory)
        budget = partial(Budget, seconds=limits.request_s, written_bytes=limits.written_bytes)
        make = partial(Pool, waiting=limits.waiting, shares=Shares())
        self.readers = make("read", threads=limits.readers, budget=budget)
        self.writers = make("write", threads=limits.writers, budget=budget)
        budget = partial(Budget, seconds=limits.upkeep_s)
        self.upkeep = make("upkeep", threads=limits.upkeep, budget=budget)
        self.bulk = make("bulk", threads=limits.upkeep, budget=budget)
        shared, salt = memory.engine.store.rates, memory.engine.salt
        rate = Rate(limits.requests_per_s, limits.burst, shared=shared, salt=salt)
        self.gatekeeper = Gatekeeper(self.keys, rate)
        self.answers = ResponseCache(limits.answers_bytes)
        self.ready = False
        self.figures.banks_bytes.set_function(lambda: memory.resident_bytes)
        self.figures.answers_bytes.set_function(lambda: self.answers.nbytes)
        self.shared = None if worker is None else SharedFigures(
            self.figures.registry, worker.figures, worker.number
        )  # fmt: skip
        for pool in self.pools:
            self.figures.calls.labels(pool.name).set_function(partial(getattr, pool, "busy"))

    @property
    def pools(self) -> tuple[Pool, ...]:
        """The threads, by kind of work."""
        return self.readers, self.writers, self.upkeep, self.bulk

    def told_figures(self) -> bytes:
        """Return the figures as Prometheus reads them, those of other workers as well."""
        shared = self.shared
        return generate_latest(self.figures.registry) if shared is None else shared.told()

    def pool(self, verb: VerbSpec) -> Pool:
        """Return the threads that a verb runs on."""
        if verb.long:
            return self.upkeep
        return self.readers if verb.reads else self.writers

    def known(self, asked: Asked) -> SentAnswer | None:
        """Return the answer to a question if nobody has changed anything since it was given."""
        known = self.answers.get(asked, self.memory.engine.store.changes())
        if known is not None:
            self.figures.given_again.inc()
        return known

    def answer(
        self, asked: Asked, call: Callable[[], Recall | Context], *, alone: bool
    ) -> SentAnswer:
        """
        Return the answer to a question: the one given before, if its bank has not changed.

        ``alone``: the request names no other bank. An answer from several is of several positions,
        and of what its caller may read, so it is made each time.
        """
        state = self.memory.bank(asked[0]).state
        changes, position = state.position()
        known = self.answers.get(asked, changes, position)
        if known is not None:
            self.figures.given_again.inc()
            return known
        self.figures.made.inc()
        made = call()
        answer = SentAnswer(wire.dump(made), state.seen.token)
        here = state.snapshot
        # What a bank includes changes without the bank's position.
        alone = alone and here is not None and not here.index.included
        if alone and not self._may_do_better(made):
            self.answers.put(asked, changes, position, answer)
        return answer

    def _may_do_better(self, made: Recall | Context) -> bool:
        """Return whether a part failed that may not fail the next time."""
        found = made.recall if isinstance(made, Context) else made
        # A server that has no embedder will have none the next time either.
        lacks = (lack for lack in found.degraded if lack != self.memory.engine.no_embedder)
        return any(lack.part in _MAY_FAIL for lack in lacks)

    async def body(self, request: Request) -> bytes:
        """Return the JSON that a request sends."""
        body = await bodies.whole(request, most=self.limits.body_bytes, idle_s=self.limits.body_s)
        if body:
            bodies.check_media_type(request, bodies.JSON)
        return body


def add_route(
    app: FastAPI, method: str, path: str, endpoint: Endpoint, told: dict[str, Any]
) -> None:
    """Add a route that reads its request itself; ``told`` is its part of the OpenAPI document."""
    app.add_api_route(
        path, endpoint, methods=[method], response_class=Response, response_model=None, **told
    )


def json_answer(
    body: bytes, seq: str = "", *, cursor: str | None = None, degraded: str = ""
) -> Response:
    """
    Return JSON, with headers for the rest: position, cursor and lacking parts.

    That is how much of the bank it knows, where its next page begins, and what was missing and why.
    """
    headers = {SEQ: seq} if seq else {}
    if cursor is not None:
        headers["Next-Cursor"] = cursor
    if degraded:  # a header has one line, and no letters but those of ASCII for sure
        headers["Degraded"] = " ".join(degraded.split()).encode("ascii", "replace").decode()
    return Response(body, 200, headers, bodies.JSON)
