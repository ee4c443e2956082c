"""Authentication, authorization and rate limits, before every verb."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from typing import Final
from urllib.parse import unquote

from starlette.requests import Request

from hippocampus.core.listening import is_loopback, names_loopback
from hippocampus.core.rights import Rights, hold
from hippocampus.core.tenant import EVERY, act_for, tenant_of
from hippocampus.errors import AccessError, InvalidScope, Unauthorized, UnknownBank
from hippocampus.server.error_responses import NO_SUCH_BANK
from hippocampus.server.keys import ANYBODY, Caller, Keys
from hippocampus.server.rates import Rate
from hippocampus.server.thread_pools import CALLER
from hippocampus.verbs import AccessRole

_REREAD_S: Final = 1.0
"""Seconds for which keys are taken to be as they were read (docs/adr/0027): so long a revoked one
may still be let in, and so seldom the store is asked for them."""
_ANEW_S: Final = 0.05
"""Seconds after which they are read again for a key that is not known: it may have been made a
moment ago, by another process. Who tries keys has them read no more often. Chosen by hand."""


class Gatekeeper:
    """Lets a request in, or says why not."""

    def __init__(self, keys: Keys, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        """Take the counter of how often callers ask."""
        self._keys = keys
        self._rate = rate
        self._clock = clock
        self._reading = asyncio.Lock()
        self._read_at: float | None = None
        self._written = 0
        """How often keys had been changed here when they were read."""

    async def caller(self, request: Request) -> Caller:
        """
        Return the caller.

        Raises:
            Unauthorized: a key is needed, and there is none that is known.
            RateLimited: there were too many requests.
            AccessError: a page of another site asks through somebody's browser.

        """
        act_for(EVERY)  # a server may begin a request in what the last one of a connection left
        caller = await self._known(request)
        client = "" if request.client is None else request.client.host
        await self._rate.take(caller.id or client)
        if caller is ANYBODY:
            _check_is_here(request)
        hold(_rights(caller))
        request.state.key = caller.id
        CALLER.set(caller.id or "")
        return caller

    async def while_known(
        self, request: Request, parts: AsyncIterator[bytes]
    ) -> AsyncIterator[bytes]:
        """Yield the parts of a body as long as the key is known: a stream may outlast it."""
        async for part in parts:
            await self._known(request)
            yield part

    async def _known(self, request: Request) -> Caller:
        await self._reread(_REREAD_S)
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        token = given.strip() if scheme.lower() == "bearer" else None
        try:
            return self._keys.caller(token)
        except Unauthorized:
            if token is None:
                raise
            await self._reread(_ANEW_S)
            return self._keys.caller(token)

    def _are_old(self, age_s: float) -> bool:
        changed = self._keys.needed and self._written != self._keys.written
        if self._read_at is None or changed:
            return True
        return self._clock() - self._read_at >= age_s

    async def _reread(self, age_s: float) -> None:
        """
        Read the keys again if they were read so long ago, once for all who wait for it.

        Nobody goes on with old keys, and no verb's thread is waited for: otherwise whoever keeps a
        server busy could go on with a key that was revoked.
        """
        if not self._are_old(age_s):
            return
        async with self._reading:
            # Whoever was waited for may have read them.
            if self._are_old(age_s):
                # Taken first: what is revoked while they are read is seen within a second, too.
                now, written = self._clock(), self._keys.written
                await asyncio.to_thread(self._keys.refresh)
                self._read_at, self._written = now, written

    async def admit(self, request: Request, role: AccessRole) -> tuple[Caller, str]:
        """
        Return the caller and the bank, if the bank is theirs and the role allows it.

        Nothing is looked up for that, so it takes the same whether there is such a bank or not.
        """
        caller = await self.caller(request)
        bank = bank_of(request)
        if not caller.opens(bank):
            # As of a bank that is not there: whose it is, nobody else may learn.
            raise UnknownBank(NO_SUCH_BANK)
        _check_role(caller, role)
        request.state.bank = bank
        act_for(tenant_of(bank))
        return caller, bank

    async def admit_keeper(self, request: Request) -> Caller:
        """Return the caller, if that is an admin of the whole store."""
        caller = await self.caller(request)
        _check_role(caller, "admin")
        if not caller.everywhere:
            msg = "this is for the whole store; it takes an admin's key for all banks, '*'"
            raise AccessError(msg)
        return caller


def _rights(caller: Caller) -> Rights:
    """Return the banks a verb may read and write for a caller, beside the one that it is of."""
    return Rights(
        caller.opens,
        lambda bank: caller.may("write") and caller.opens(bank),
        lambda bank: caller.may("admin") and caller.opens(bank),
    )


def _check_role(caller: Caller, role: AccessRole) -> None:
    if not caller.may(role):
        raise AccessError(f"the key may {caller.role}; this takes a key with the role {role!r}")


def bank_of(request: Request) -> str:
    """Return the bank that an address names, which may hold slashes: they are percent-encoded."""
    try:
        return unquote(request.path_params["bank"], errors="strict")
    except UnicodeDecodeError as exc:
        raise InvalidScope("the bank's name is not UTF-8; percent-encode its UTF-8 bytes") from exc


def _check_is_here(request: Request) -> None:
    """
    Refuse other machines, and what a page of another site sends through a browser on this one.

    Without keys whoever is on this machine may do everything, but a page that somebody reads here
    is not on this machine, even if its name now leads here. And whoever runs the application in a
    server of their own may have it listen anywhere.
    """
    if request.client is not None and not is_loopback(request.client.host):
        msg = (
            "a server without keys answers its own machine alone; make a key with"
            " 'hippocampus keys create'"
        )
        raise AccessError(msg)
    if request.headers.get("sec-fetch-site") == "cross-site":  # a link or picture has no Origin
        msg = (
            "a page of another site sent this through a browser, and a server without keys answers"
            " its own machine alone; make a key with 'hippocampus keys create'"
        )
        raise AccessError(msg)
    for header in ("host", "origin"):
        given = request.headers.get(header)
        if given is None:
            continue
        if not names_loopback(given if header == "origin" else f"//{given}"):
            msg = (
                f"the header {header.title()} names another machine, and a server without keys"
                " answers this one alone; make a key with 'hippocampus keys create'"
            )
            raise AccessError(msg)
