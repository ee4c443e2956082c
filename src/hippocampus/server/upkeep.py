"""Routes for the whole store: its banks, its keys, and the verbs of a memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from fastapi import FastAPI, Request
from starlette.responses import Response

from hippocampus import wire
from hippocampus.core.constraints import check_whole
from hippocampus.core.records import Progress
from hippocampus.core.tenant import acting_for, tenant_of_all
from hippocampus.memory import Memory
from hippocampus.server import pagination
from hippocampus.server.bank_requests import BankRequest
from hippocampus.server.bodies import while_connected
from hippocampus.server.keys import Caller, KeyInfo, Keys, NewKey
from hippocampus.server.openapi import describe_call
from hippocampus.server.progress import LongAnswer, told
from hippocampus.server.state import Endpoint, ServerState, add_route, json_answer
from hippocampus.server.thread_pools import Pool
from hippocampus.verbs import MOST_LISTED, STORE_VERBS, VerbSpec

_NEW_KEY: Final = VerbSpec("create_key", Keys.create)
_ROTATION: Final = VerbSpec("rotate_key", Keys.rotate, leave_out=("id",))


def add_upkeep(app: FastAPI, server: ServerState) -> None:
    """Add the routes."""
    routes, keys = StoreRoutes(server), server.keys
    given: list[tuple[str, str, Endpoint, VerbSpec | None, Any]] = [
        ("GET", "/v1/banks", routes.banks, STORE_VERBS["banks"], list[str]),
        ("DELETE", "/v1/banks/{bank}", routes.delete_bank, None, None),
    ]
    for method, path, name, call, spec, gives in (
        ("GET", "/v1/keys", "keys", keys.listed, None, list[KeyInfo]),
        ("POST", "/v1/keys", "create_key", keys.create, _NEW_KEY, NewKey),
        ("POST", "/v1/keys/{id}/rotate", "rotate_key", keys.rotate, _ROTATION, NewKey),
        ("DELETE", "/v1/keys/{id}", "revoke_key", keys.revoke, None, KeyInfo),
    ):
        endpoint = routes.for_keeper(call, call.__doc__, spec, server.writers)
        endpoint.__name__ = name
        given.append((method, path, endpoint, spec, gives))
    for name, spec in STORE_VERBS.items():
        if spec.long:
            call = partial(spec.function, server.memory)
            endpoint = routes.for_keeper(call, spec.function.__doc__, spec, server.upkeep)
            given.append(("POST", f"/v1/{name}", endpoint, spec, Any))
    for method, path, endpoint, spec, gives in given:
        add_route(app, method, path, endpoint, describe_call(method, path, endpoint, spec, gives))


class StoreRoutes:
    """The endpoints; their docstrings are for callers."""

    def __init__(self, server: ServerState) -> None:
        self._server = server

    async def banks(self, request: Request) -> Response:
        """Return the names of the banks that the key opens, in order, in pages."""
        caller = await self._server.gatekeeper.caller(request)
        given = STORE_VERBS["banks"].from_query(request.query_params.multi_items()).named
        page = partial(_banks, self._server.memory, caller, **given)
        body, cursor = await self._server.readers.run(page)
        return json_answer(body, cursor=cursor)

    async def delete_bank(self, request: Request) -> Response:
        """Erase a whole bank: episodes, journal, vectors; nothing of it stays in the file."""
        server = self._server
        caller, bank = await server.gatekeeper.admit(request, "admin")
        here = BankRequest.of(
            request, server.memory, caller, (bank, "delete", b""), server.limits.upkeep_s
        )
        await server.writers.run(lambda: here.run(lambda: server.memory.delete_bank(bank)))
        return json_answer(b"null")

    def for_keeper(
        self, call: Callable[..., Any], doc: str | None, spec: VerbSpec | None, pool: Pool
    ) -> Endpoint:
        """Return the endpoint of a call that is for an admin of the whole store alone."""
        server = self._server

        async def endpoint(request: Request) -> Response:
            await server.gatekeeper.admit_keeper(request)
            given = {} if spec is None else spec.from_json(await server.body(request)).named
            made = partial(call, **request.path_params, **given)
            if spec is not None and spec.reports:
                return await told(request, pool, partial(_reporting, made))
            done = pool.run(lambda: wire.dump(made()))
            return json_answer(await while_connected(request, done))

        endpoint.__doc__ = doc
        return endpoint


def _reporting(call: Callable[..., Any], progress: Progress) -> LongAnswer:
    """Return the answer of a call, of no one bank, that reports its progress."""
    return LongAnswer(wire.dump(call(progress=progress)))


def _banks(
    memory: Memory, caller: Caller, *, prefix: str, limit: int | None, cursor: str | None
) -> tuple[bytes, str | None]:
    """Return a page of the banks that a caller has; others are not even looked at."""
    check_whole(limit=limit, optional=True)
    most = MOST_LISTED if limit is None else min(limit, MOST_LISTED)
    if not most:
        return wire.dump([]), None
    after = pagination.names_after(cursor)
    found: set[str] = set()
    for one in caller.banks:
        begins = one.removesuffix("*")
        if begins != one and (begins.startswith(prefix) or prefix.startswith(begins)):
            # One of them begins as the other does, so the longer one says both.
            wanted = max(begins, prefix, key=len)
            with acting_for(tenant_of_all(one)):
                found.update(memory.banks(prefix=wanted, after=after, limit=most + 1))
        elif begins == one and one.startswith(prefix) and one > after:
            with acting_for(tenant_of_all(one)):
                known = memory.engine.store.banks.number(one) is not None
            found.update([one] if known else [])
    page = pagination.page_of_names(sorted(found)[: most + 1], most)
    return wire.dump(page.entries), page.cursor
