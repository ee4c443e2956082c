"""Routes for the whole store: its banks, its keys, and what is made anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request
from starlette.responses import Response

from hippocampus import wire
from hippocampus.memory import Memory
from hippocampus.server import pagination
from hippocampus.server.arguments import Arguments
from hippocampus.server.bodies import JSON
from hippocampus.server.keys import Caller, KeyInfo, Keys, NewKey
from hippocampus.server.openapi import describe_call
from hippocampus.server.progress import told
from hippocampus.wire import MOST_LISTED, AccessRole

if TYPE_CHECKING:
    from hippocampus.server.app import VerbServer


def add_upkeep(app: FastAPI, server: VerbServer) -> None:
    """Add the routes."""

    async def banks(request: Request) -> Response:
        """Return the names of the banks that the key opens, in order, in pages."""
        caller = await server.door.caller(request)
        given = _BANKS.from_query(request.query_params.multi_items()).named
        body, cursor = await server.readers.run(lambda: _banks(server.memory, caller, **given))
        return _json(body, {} if cursor is None else {"Next-Cursor": cursor})

    async def delete_bank(request: Request) -> Response:
        """Erase a whole bank: episodes, journal, vectors; nothing of it stays in the file."""
        _, bank = await server.door.admit(request, "admin")
        return await _run(lambda: server.memory.delete_bank(bank))

    async def _run(call: Callable[[], Any]) -> Response:
        return _json(await server.writers.run(lambda: wire.dump(call())))

    async def keys(request: Request) -> Response:
        """Return every key, without what could help to guess it."""
        await server.door.admit_keeper(request)
        return await _run(server.keys.listed)

    async def create_key(request: Request) -> Response:
        """Make a key; its token is in the answer, and nowhere else ever again."""
        await server.door.admit_keeper(request)
        given = _NEW_KEY.from_json(await server.body(request)).named
        return await _run(lambda: server.keys.create(**given))

    async def rotate_key(request: Request) -> Response:
        """Give a key another secret; the former is taken for ``keep_s`` seconds more."""
        await server.door.admit_keeper(request)
        given = _ROTATION.from_json(await server.body(request)).named
        return await _run(lambda: server.keys.rotate(request.path_params["id"], **given))

    async def revoke_key(request: Request) -> Response:
        """Take a key back; every server of the store knows within a second."""
        await server.door.admit_keeper(request)
        return await _run(lambda: server.keys.revoke(request.path_params["id"]))

    def long(takes: Arguments, verb: Callable[..., Any]) -> Callable[..., Any]:
        async def endpoint(request: Request) -> Response:
            await server.door.admit_keeper(request)
            given = takes.from_json(await server.body(request)).named
            call = partial(verb, server.memory, **given)
            if takes.reports:
                return await told(request, server.upkeep, call)
            return _json(await server.upkeep.run(lambda: wire.dump(call())))

        endpoint.__doc__ = verb.__doc__
        return endpoint

    routes: tuple[tuple[str, str, Callable[..., Any], Arguments | None, Any], ...] = (
        ("GET", "/v1/banks", banks, _BANKS, list[str]),
        ("DELETE", "/v1/banks/{bank}", delete_bank, None, None),
        ("GET", "/v1/keys", keys, None, list[KeyInfo]),
        ("POST", "/v1/keys", create_key, _NEW_KEY, NewKey),
        ("POST", "/v1/keys/{id}/rotate", rotate_key, _ROTATION, NewKey),
        ("DELETE", "/v1/keys/{id}", revoke_key, None, KeyInfo),
        *(
            ("POST", f"/v1/{name}", long(takes, getattr(Memory, name)), takes, Any)
            for name, takes in _LONG.items()
        ),
    )
    for method, path, endpoint, takes, gives in routes:
        app.add_api_route(
            path, endpoint, methods=[method], response_class=Response, response_model=None,
            **describe_call(method, path, endpoint, takes, gives),
        )  # fmt: skip


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


def _list_banks(*, prefix: str = "", limit: int | None = None, cursor: str | None = None) -> None:
    """Say what listing banks takes; it is asked for its signature alone."""


def _rebuild(*, banks: Sequence[str] | None = None, progress: None = None) -> None:
    """Say what of a rebuild can be asked for here: the embedder is whoever's runs the server."""


def _create_key(name: str, role: AccessRole, banks: Sequence[str]) -> None:
    """Say what making a key takes."""


_BANKS = Arguments("banks", _list_banks)
_NEW_KEY = Arguments("create_key", _create_key)
_ROTATION = Arguments("rotate_key", Keys.rotate, leave_out=("id",))
_LONG = {
    "calibrate": Arguments("calibrate", Memory.calibrate),
    "rebuild": Arguments("rebuild", _rebuild),
    "sleep_if_due": Arguments("sleep_if_due", Memory.sleep_if_due),
}


def _json(body: bytes, headers: dict[str, str] | None = None) -> Response:
    return Response(body, 200, headers, JSON)
