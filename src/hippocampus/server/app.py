"""The application: a route for each verb, made from its signature, and a few for the store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.routing import APIRoute
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match, Route, request_response

from hippocampus import wire
from hippocampus.core.records import Progress
from hippocampus.dashboard import add_dashboard, asks_for_a_page, not_found
from hippocampus.errors import HippocampusError, InputError, StoreError
from hippocampus.memory import Memory
from hippocampus.server import bodies, pagination
from hippocampus.server.bank_requests import BankRequest
from hippocampus.server.bodies import while_connected
from hippocampus.server.bulk import add_bulk
from hippocampus.server.error_responses import Refused, answer, fault_of, status_of
from hippocampus.server.keys import KnownCaller
from hippocampus.server.observability import Watch, log_failure
from hippocampus.server.openapi import describe, describe_state, document
from hippocampus.server.progress import LongAnswer, told
from hippocampus.server.settings import Limits
from hippocampus.server.shared_figures import EVERY_S, SharedFigures
from hippocampus.server.state import Endpoint, ServerState, add_route, json_answer
from hippocampus.server.thread_pools import Pool
from hippocampus.server.upkeep import add_upkeep
from hippocampus.server.workers import Worker
from hippocampus.sleep.schedule import Schedule
from hippocampus.verbs import BANK_VERBS, Given, VerbSpec

_READ_AT_ONCE: Final = 1 << 14
"""Bytes of a request that are read where everybody waits, in half a millisecond at most."""


def create_app(
    memory: Memory,
    *,
    limits: Limits | None = None,
    schedule: Schedule | None = None,
    worker: Worker | None = None,
) -> FastAPI:
    """
    Return an application that serves a memory; whoever opened it closes it.

    Args:
        memory: what is served.
        limits: what is taken at once.
        schedule: when banks sleep while the application runs; None: only when they are told to.
        worker: which of several processes this is, if it is.

    """
    server = ServerState(memory, limits or Limits(), worker)

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            if schedule is not None:
                stack.enter_context(memory.sleeping(schedule, failed=log_failure))
            if server.shared is not None:
                await stack.enter_async_context(_leaving(server.shared))
            server.ready = True
            yield
            server.ready = False
            # They wait for verbs that have begun: whoever opened the memory closes it after this.
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
    for name, spec in BANK_VERBS.items():
        path = f"/v1/banks/{{bank}}/{name}"
        add_route(app, spec.method, path, _endpoint(server, spec), describe(spec))
    add_bulk(app, server)
    add_upkeep(app, server)
    _add_state(app, server)
    add_dashboard(app)
    for route in app.routes:
        if isinstance(route, APIRoute):  # they read their requests themselves: nothing to inject
            route.app = request_response(route.endpoint)
    app.openapi = partial(document, app)  # type: ignore[method-assign]
    return app


@asynccontextmanager
async def _leaving(figures: SharedFigures) -> AsyncIterator[None]:
    """Leave figures for the other workers, again and again, while the application runs."""

    async def leave() -> None:
        while True:
            await asyncio.to_thread(figures.leave)
            await asyncio.sleep(EVERY_S)

    task = asyncio.create_task(leave())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def _endpoint(server: ServerState, spec: VerbSpec) -> Endpoint:
    """Return the endpoint of a verb of a bank."""
    pool = server.pool(spec)

    async def endpoint(request: Request) -> Response:
        caller, bank = await server.gatekeeper.admit(request, spec.role)
        asks = spec.method == "GET"
        asked = bank, spec.name, b"" if asks else await server.body(request)
        once = asked if spec.once else None
        here = BankRequest.of(request, server.memory, caller, once, server.limits.request_s)
        # Who says how new it must be has to wait until it is, and that takes a thread.
        if spec.cached and here.least is None and (known := server.known(asked)) is not None:
            return json_answer(*known)
        query = request.query_params.multi_items()
        given = spec.from_query(query) if asks else await _read(asked[2], spec, pool)
        _check_results(given, server.limits)
        verb = partial(_call, server.memory, spec, bank, *given.positional)
        if spec.pages:
            page = pool.run(lambda: here.run(lambda: _page(spec, verb, given.named, here)))
            (body, cursor, lacking), seq = await while_connected(request, page)
            return json_answer(body, seq, cursor=cursor, degraded=lacking)
        call = partial(verb, **given.named)
        if spec.cached:
            alone = not given.named.get("include")
            made = pool.run(lambda: here.run(lambda: server.answer(asked, call, alone=alone)))
            return json_answer(*(await while_connected(request, made))[0])
        if spec.reports and bodies.wants_lines(request):
            return await told(request, pool, partial(_reporting, here, spec, call))
        done = pool.run(lambda: here.run(lambda: (wire.dump(call()), _lacking(spec, here))))
        (body, lacking), seq = await while_connected(request, done)
        return json_answer(body, seq, degraded=lacking)

    return endpoint


def _check_results(given: Given, limits: Limits) -> None:
    """Refuse to find more at once than a server gives; lists come in pages."""
    wanted = given.named.get("k")
    if isinstance(wanted, int) and wanted > limits.results:
        raise InputError(f"k={wanted}: this server gives at most {limits.results:,} at once")


def _lacking(spec: VerbSpec, here: BankRequest) -> str:
    """Return the part that an answer lacks which has no place to say so, and why; or nothing."""
    return here.lacking(kept=spec.keeps) if spec.says_what_it_lacks else ""


def _page(
    spec: VerbSpec, read: Callable[..., list[Any]], given: Mapping[str, Any], here: BankRequest
) -> tuple[bytes, str | None, str]:
    """Return a page of a list, the cursor of the next, and what it lacks."""
    named = dict(given)
    limit, cursor = named.pop("limit"), named.pop("cursor")
    lacking = partial(_lacking, spec, here)
    found = pagination.turn_to(spec.pages, read, named, limit=limit, cursor=cursor, lacking=lacking)
    return wire.dump(found.entries), found.cursor, lacking()


async def _read(body: bytes, spec: VerbSpec, pool: Pool) -> Given:
    """Return the arguments that JSON tells of; much of it takes seconds, so it has a thread."""
    if len(body) <= _READ_AT_ONCE:
        return spec.from_json(body)
    return await pool.run(lambda: spec.from_json(body))


def _call(memory: Memory, spec: VerbSpec, bank: str, *given: object, **named: object) -> Any:  # noqa: ANN401
    return spec.function(memory.bank(bank), *given, **named)


def _reporting(
    here: BankRequest, spec: VerbSpec, call: Callable[..., Any], progress: Progress
) -> LongAnswer:
    """Return the answer of a verb that reports its progress."""
    (body, lacking), seq = here.run(
        lambda: (wire.dump(call(progress=progress)), _lacking(spec, here))
    )
    return LongAnswer(body, seq, lacking)


async def _refuse(request: Request, exc: Exception) -> Response:
    assert isinstance(exc, HippocampusError), "it is registered for these alone"
    if status_of(exc) == 500:
        log_failure(exc, request.state.request_id)
    return answer(exc, request.state.request_id)


async def _refuse_route(request: Request, exc: Exception) -> Response:
    assert isinstance(exc, HTTPException), "it is registered for these alone"
    if exc.status_code == 404 and asks_for_a_page(request):
        return not_found()
    allowed = ", ".join(sorted(_methods_at(request))) if exc.status_code == 405 else ""
    told_ = {
        404: "no such route; see /docs, or /openapi.json",
        405: f"{request.method} is no method here; there is {allowed}",
    }
    wrong = Refused(exc.status_code, told_.get(exc.status_code, "this cannot be answered"))
    made = answer(wrong, request.state.request_id)
    made.headers.update({**(exc.headers or {}), **({"Allow": allowed} if allowed else {})})
    return made


def _methods_at(request: Request) -> set[str]:
    """Return the methods of all routes at an address; the router tells those of the first."""
    routes = (route for route in request.app.routes if isinstance(route, APIRoute | Route))
    return {
        method
        for route in routes
        if route.matches(request.scope)[0] is not Match.NONE
        for method in route.methods or ()
    }


# ---------------------------------------------------------------- the server itself


def _add_state(app: FastAPI, server: ServerState) -> None:
    async def healthz(_: Request) -> Response:
        """Say that the process answers."""
        return json_answer(b'{"status":"alive"}')

    async def readyz(_: Request) -> Response:
        """Say whether the store answers, takes writes, and requests are taken."""
        if not server.ready:
            raise Refused(503, "starting or stopping")
        try:
            await server.readers.run(server.memory.engine.store.check_usable)
        except StoreError as exc:
            if status_of(exc) == 503:
                raise
            raise Refused(503, f"the store cannot be used: {fault_of(exc, '').message}") from exc
        return json_answer(b'{"status":"ready"}')

    async def metrics(request: Request) -> Response:
        """Return the server's figures for Prometheus; with keys, for an admin of all banks."""
        await server.gatekeeper.admit_keeper(request)
        # Weighing banks may take a while; and figures are wanted most when no reader is free.
        told_ = await asyncio.to_thread(server.told_figures)
        return Response(told_, media_type=CONTENT_TYPE_LATEST)

    async def whoami(request: Request) -> Response:
        """Return the rights of the key, the banks it opens, and the time zone of the store."""
        caller = await server.gatekeeper.caller(request)
        zone = server.memory.engine.config.timezone
        known = KnownCaller(id=caller.id, role=caller.role, banks=caller.banks, timezone=zone)
        return json_answer(wire.dump(known))

    routes: tuple[tuple[str, Endpoint, type[Any]], ...] = (
        ("/healthz", healthz, dict[str, str]), ("/readyz", readyz, dict[str, str]),
        ("/metrics", metrics, str), ("/v1/whoami", whoami, KnownCaller),
    )  # fmt: skip
    for path, endpoint, gives in routes:
        add_route(app, "GET", path, endpoint, describe_state(endpoint, gives))
    # Monitors and balancers ask without wanting a body; the server leaves it out.
    for path, endpoint in (("/healthz", healthz), ("/readyz", readyz)):
        app.add_api_route(path, endpoint, methods=["HEAD"], include_in_schema=False)
