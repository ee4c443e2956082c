"""Routes for the whole store: its banks, its keys, and the verbs of a memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from fastapi import FastAPI, Request
from starlette.responses import Response

from hippocampus import wire
from hippocampus.memory import Memory
from hippocampus.server import pagination
from hippocampus.server.keys import Caller, KeyInfo, Keys, NewKey
from hippocampus.server.openapi import describe_call
from hippocampus.server.progress import told
from hippocampus.server.state import Endpoint, ServerState, add_route, json_answer
from hippocampus.verbs import MOST_LISTED, STORE_VERBS, VerbSpec

_NEW_KEY: Final = VerbSpec("create_key", Keys.create)
_ROTATION: Final = VerbSpec("rotate_key", Keys.rotate, leave_out=("id",))


def add_upkeep(app: FastAPI, server: ServerState) -> None:
    """Add the routes."""
    routes = StoreRoutes(server)
    given: tuple[tuple[str, str, Endpoint, VerbSpec | None, Any], ...] = (
        ("GET", "/v1/banks", routes.banks, STORE_VERBS["banks"], list[str]),
        ("DELETE", "/v1/banks/{bank}", routes.delete_bank, None, None),
        ("GET", "/v1/keys", routes.keys, None, list[KeyInfo]),
        ("POST", "/v1/keys", routes.create_key, _NEW_KEY, NewKey),
        ("POST", "/v1/keys/{id}/rotate", routes.rotate_key, _ROTATION, NewKey),
        ("DELETE", "/v1/keys/{id}", routes.revoke_key, None, KeyInfo),
        *(
            ("POST", f"/v1/{name}", routes.long(spec), spec, Any)
            for name, spec in STORE_VERBS.items()
            if spec.long
        ),
    )
    for method, path, endpoint, spec, gives in given:
        add_route(app, method, path, endpoint, describe_call(method, path, endpoint, spec, gives))


class StoreRoutes:
    """The endpoints; their docstrings are for callers."""

    def __init__(self, server: ServerState) -> None:
        self._server = server

    async def banks(self, request: Request) -> Response:
        """Return the names of the banks that the key opens, in order, in pages."""
        caller = await self._server.door.caller(request)
        given = STORE_VERBS["banks"].from_query(request.query_params.multi_items()).named
        page = partial(_banks, self._server.memory, caller, **given)
        return json_answer(*await self._server.readers.run(page))

    async def delete_bank(self, request: Request) -> Response:
        """Erase a whole bank: episodes, journal, vectors; nothing of it stays in the file."""
        _, bank = await self._server.door.admit(request, "admin")
        return await self._change(self._server.memory.delete_bank, bank)

    async def keys(self, request: Request) -> Response:
        """Return every key, without what could help to guess it."""
        await self._server.door.admit_keeper(request)
        return await self._change(self._server.keys.listed)

    async def create_key(self, request: Request) -> Response:
        """Make a key; its token is in the answer, and nowhere else ever again."""
        await self._server.door.admit_keeper(request)
        given = _NEW_KEY.from_json(await self._server.body(request)).named
        return await self._change(self._server.keys.create, **given)

    async def rotate_key(self, request: Request) -> Response:
        """Give a key another secret; the former is taken for ``keep_s`` seconds more."""
        await self._server.door.admit_keeper(request)
        given = _ROTATION.from_json(await self._server.body(request)).named
        return await self._change(self._server.keys.rotate, request.path_params["id"], **given)

    async def revoke_key(self, request: Request) -> Response:
        """Take a key back; every server of the store knows within a second."""
        await self._server.door.admit_keeper(request)
        return await self._change(self._server.keys.revoke, request.path_params["id"])

    def long(self, spec: VerbSpec) -> Endpoint:
        """Return the endpoint of a verb of the memory that takes long."""
        server = self._server

        async def endpoint(request: Request) -> Response:
            await server.door.admit_keeper(request)
            given = spec.from_json(await server.body(request)).named
            call = partial(spec.function, server.memory, **given)
            if spec.reports:
                return await told(request, server.upkeep, call)
            return json_answer(await server.upkeep.run(lambda: wire.dump(call())))

        endpoint.__doc__ = spec.function.__doc__
        return endpoint

    async def _change(self, call: Callable[..., Any], *args: Any, **named: Any) -> Response:  # noqa: ANN401
        return json_answer(await self._server.writers.run(lambda: wire.dump(call(*args, **named))))


def _banks(
    memory: Memory, caller: Caller, *, prefix: str, limit: int | None, cursor: str | None
) -> tuple[bytes, str | None]:
    """Return a page of the banks that a caller has; others are not even looked at."""
    most = MOST_LISTED if limit is None else max(0, min(limit, MOST_LISTED))
    if not most:
        return wire.dump([]), None
    after = pagination.names_after(cursor)
    found: set[str] = set()
    for one in caller.banks:
        begins = one.removesuffix("*")
        if begins != one and (begins.startswith(prefix) or prefix.startswith(begins)):
            wanted = max(begins, prefix, key=len)
            found.update(memory.banks(prefix=wanted, after=after, limit=most + 1))
        elif begins == one and one.startswith(prefix) and one > after:
            found.update([one] if memory.engine.store.banks.number(one) is not None else [])
    page = pagination.page_of_names(sorted(found)[: most + 1], most)
    return wire.dump(page.entries), page.cursor
