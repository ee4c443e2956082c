"""The application: a route for each verb, made from its signature, and a few for the store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any, Final, TypeAlias

from fastapi import FastAPI, Request
from fastapi.routing import APIRoute
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import request_response

from hippocampus import wire
from hippocampus.bank import Bank
from hippocampus.core.records import Context, Recall
from hippocampus.dashboard import add_dashboard
from hippocampus.errors import HippocampusError
from hippocampus.memory import Memory
from hippocampus.server import bodies, pagination
from hippocampus.server.arguments import Arguments, Given
from hippocampus.server.auth import Gatekeeper
from hippocampus.server.bulk import add_moving
from hippocampus.server.error_responses import Refused, answer
from hippocampus.server.keys import Caller, Keys
from hippocampus.server.observability import Figures, Watch, log_failure
from hippocampus.server.openapi import describe, describe_state, document
from hippocampus.server.progress import told
from hippocampus.server.response_cache import Asked, ResponseCache
from hippocampus.server.settings import Limits
from hippocampus.server.thread_pools import Pool
from hippocampus.server.upkeep import add_upkeep
from hippocampus.sleep.schedule import Schedule
from hippocampus.wire import VERBS, Verb

_Method: TypeAlias = Callable[..., Any]
_Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]
_PAGE: Final = (("limit", int | None, None), ("cursor", str | None, None))
"""What a verb that gives a list takes beside its own arguments."""
_MAY_FAIL: Final = frozenset({"embedder", "keywords", "reranker"})
"""Parts that recall goes on without if they fail, and that may be there again with the next."""
_READ_AT_ONCE: Final = 1 << 14
"""Bytes of a request that are read where everybody waits, in half a millisecond at most."""


class VerbServer:
    """What the routes of one application share."""

    def __init__(self, memory: Memory, limits: Limits) -> None:
        self.memory = memory
        self.limits = limits
        self.figures = Figures()
        self.keys = Keys(memory)
        self.readers = Pool("read", threads=limits.readers, waiting=limits.waiting)
        self.writers = Pool("write", threads=limits.writers, waiting=limits.waiting)
        self.upkeep = Pool("upkeep", threads=limits.upkeep, waiting=limits.waiting)
        self.door = Gatekeeper(self.keys, limits)
        self.answers = ResponseCache(limits.answers_bytes)
        self.ready = False
        self.figures.banks_bytes.set_function(lambda: memory.resident_bytes)
        self.figures.answers_bytes.set_function(lambda: self.answers.nbytes)
        for pool in self.pools:
            self.figures.calls.labels(pool.name).set_function(partial(getattr, pool, "busy"))

    @property
    def pools(self) -> tuple[Pool, Pool, Pool]:
        """The threads, by kind of work."""
        return self.readers, self.writers, self.upkeep

    def pool(self, verb: Verb) -> Pool:
        """Return the threads that a verb runs on."""
        if verb.long:
            return self.upkeep
        return self.readers if verb.role == "read" else self.writers

    def known(self, asked: Asked) -> bytes | None:
        """Return the answer to a question if nobody has changed anything since it was given."""
        body = self.answers.known(asked, self.memory.engine.store.changes())
        if body is not None:
            self.figures.given_again.inc()
        return body

    def answer(self, asked: Asked, call: Callable[[], Recall | Context]) -> bytes:
        """Return the answer to a question: the one given before, if its bank has not changed."""
        changes, position = self.memory.bank(asked[0]).position()
        body = self.answers.get(asked, position, changes)
        if body is not None:
            self.figures.given_again.inc()
            return body
        self.figures.made.inc()
        made = call()
        body = wire.dump(made)
        if not self._may_do_better(made):
            self.answers.put(asked, position, changes, body)
        return body

    def _may_do_better(self, made: Recall | Context) -> bool:
        """Return whether a part failed that may not fail the next time."""
        found = made.recall if isinstance(made, Context) else made
        lacks = (lack for lack in found.degraded if lack != self.memory.engine.no_embedder)
        return any(lack.part in _MAY_FAIL for lack in lacks)

    async def body(self, request: Request) -> bytes:
        """Return the JSON that a request sends."""
        body = await bodies.whole(request, most=self.limits.body_bytes, idle_s=self.limits.body_s)
        if body:
            bodies.check_media_type(request, bodies.JSON)
        return body


def create_app(
    memory: Memory, *, limits: Limits | None = None, schedule: Schedule | None = None
) -> FastAPI:
    """
    Return an application that serves a memory; whoever opened it closes it.

    Args:
        memory: what is served.
        limits: what is taken at once.
        schedule: when banks sleep while the application runs; None: only when they are told to.

    """
    server = VerbServer(memory, limits or Limits())

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            if schedule is not None:
                stack.enter_context(memory.sleeping(schedule, failed=log_failure))
            server.ready = True
            yield
            server.ready = False
            for pool in server.pools:
                pool.close()

    app = FastAPI(
        title="Hippocampus", lifespan=life, redirect_slashes=False,
        docs_url=None, redoc_url=None, openapi_url="/openapi.json",
        # FastAPI's own traces have addresses in them, and so names of banks; ours do not.
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )  # fmt: skip
    app.state.server = server
    app.add_middleware(Watch, figures=server.figures, salt=memory.engine.salt)
    app.add_exception_handler(HippocampusError, _refuse)
    app.add_exception_handler(HTTPException, _refuse_route)
    for name, verb in VERBS.items():
        _add_verb(app, server, name, verb)
    add_moving(app, server)
    add_upkeep(app, server)
    _add_state(app, server)
    add_dashboard(app)
    for route in app.routes:
        if isinstance(route, APIRoute):  # they read their requests themselves: nothing to inject
            route.app = request_response(route.endpoint)
    app.openapi = partial(document, app)  # type: ignore[method-assign]
    return app


def _add_verb(app: FastAPI, server: VerbServer, name: str, verb: Verb) -> None:
    """Add the route of one verb of ``Bank``."""
    method = getattr(Bank, name)
    if isinstance(method, property):
        assert method.fget is not None, "a verb that is a property is read"
        method = method.fget
    own = [extra for extra in _PAGE if extra[0] not in method.__annotations__]
    takes = Arguments(name, method, also=own if verb.pages else ())
    make = _asking if verb.again else _paging if verb.pages else _calling
    app.add_api_route(
        f"/v1/banks/{{bank}}/{name}", make(server, name, verb, method, takes),
        methods=[verb.method], name=name, response_class=Response, response_model=None,
        **describe(name, verb, method, takes),
    )  # fmt: skip


def _calling(
    server: VerbServer, _: str, verb: Verb, method: _Method, takes: Arguments
) -> _Endpoint:
    """Return the endpoint of a verb that is simply called."""
    pool = server.pool(verb)

    async def endpoint(request: Request) -> Response:
        _, bank = await server.door.admit(request, verb.role)
        given = await _given(server, request, takes, pool)
        call = partial(_call, server.memory, method, bank, *given.positional, **given.named)
        if takes.reports and bodies.wants_lines(request):
            return await told(request, pool, call)
        return _json(await pool.run(lambda: wire.dump(call())))

    return endpoint


def _asking(
    server: VerbServer, name: str, verb: Verb, method: _Method, takes: Arguments
) -> _Endpoint:
    """Return the endpoint of a verb whose answer may be given again."""

    async def endpoint(request: Request) -> Response:
        _, bank = await server.door.admit(request, verb.role)
        asked = bank, name, await server.body(request)
        body = server.known(asked)
        if body is None:
            given = await _read(asked[2], takes, server.readers)
            call = partial(_call, server.memory, method, bank, *given.positional, **given.named)
            body = await server.readers.run(lambda: server.answer(asked, call))
        return _json(body)

    return endpoint


def _paging(server: VerbServer, _: str, verb: Verb, method: _Method, takes: Arguments) -> _Endpoint:
    """Return the endpoint of a verb that gives a list."""

    def page(bank: str, given: Given) -> tuple[bytes, str | None]:
        named = dict(given.named)
        limit, cursor = named.pop("limit"), named.pop("cursor")
        read = partial(_call, server.memory, method, bank, *given.positional)
        found = pagination.turn_to(verb.pages, read, named, limit=limit, cursor=cursor)
        return wire.dump(found.entries), found.cursor

    async def endpoint(request: Request) -> Response:
        _, bank = await server.door.admit(request, verb.role)
        given = await _given(server, request, takes, server.readers)
        body, cursor = await server.readers.run(lambda: page(bank, given))
        return _json(body, {} if cursor is None else {"Next-Cursor": cursor})

    return endpoint


async def _given(server: VerbServer, request: Request, takes: Arguments, pool: Pool) -> Given:
    """Return the arguments that a request brings."""
    if request.method == "GET":
        return takes.from_query(request.query_params.multi_items())
    return await _read(await server.body(request), takes, pool)


async def _read(body: bytes, takes: Arguments, pool: Pool) -> Given:
    """Return the arguments that JSON tells of; much of it takes seconds, so it has a thread."""
    if len(body) <= _READ_AT_ONCE:
        return takes.from_json(body)
    return await pool.run(lambda: takes.from_json(body))


def _call(memory: Memory, method: _Method, bank: str, *given: object, **named: object) -> Any:  # noqa: ANN401
    return method(memory.bank(bank), *given, **named)


def _json(body: bytes, headers: dict[str, str] | None = None) -> Response:
    return Response(body, 200, headers, bodies.JSON)


async def _refuse(request: Request, exc: Exception) -> Response:
    assert isinstance(exc, HippocampusError), "it is registered for these alone"
    return answer(exc, request.state.request_id)


async def _refuse_route(request: Request, exc: Exception) -> Response:
    assert isinstance(exc, HTTPException), "it is registered for these alone"
    told_ = {404: "no such route; see /openapi.json", 405: "no such method here"}
    wrong = Refused(exc.status_code, told_.get(exc.status_code, "this cannot be answered"))
    made = answer(wrong, request.state.request_id)
    made.headers.update(exc.headers or {})
    return made


# ---------------------------------------------------------------- the server itself


def _add_state(app: FastAPI, server: VerbServer) -> None:
    async def healthz(_: Request) -> Response:
        """Say that the process answers."""
        return _json(b'{"status":"alive"}')

    async def readyz(_: Request) -> Response:
        """Say whether the store answers and requests are taken."""
        if not server.ready:
            raise Refused(503, "starting or stopping")
        await server.readers.run(server.memory.engine.store.changes)
        return _json(b'{"status":"ready"}')

    async def metrics(request: Request) -> Response:
        """Return the server's figures for Prometheus; with keys, for an admin of all banks."""
        await server.door.admit_keeper(request)
        # Weighing banks may take a while; and figures are wanted most when no reader is free.
        told_ = await asyncio.to_thread(generate_latest, server.figures.registry)
        return Response(told_, media_type=CONTENT_TYPE_LATEST)

    async def whoami(request: Request) -> Response:
        """Say what the key may do, and to which banks."""
        caller = await server.door.caller(request)
        return _json(wire.dump(caller))

    routes: tuple[tuple[str, _Endpoint, type[Any]], ...] = (
        ("/healthz", healthz, dict[str, str]), ("/readyz", readyz, dict[str, str]),
        ("/metrics", metrics, str), ("/v1/whoami", whoami, Caller),
    )  # fmt: skip
    for path, endpoint, gives in routes:
        app.add_api_route(
            path, endpoint, methods=["GET"], response_class=Response, response_model=None,
            **describe_state(endpoint, gives),
        )  # fmt: skip
