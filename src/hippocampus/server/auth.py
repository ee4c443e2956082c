"""Authentication, authorization and rate limits, before every verb."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from typing import Final
from urllib.parse import unquote

from starlette.requests import Request

from hippocampus.core.listening import is_loopback, names_loopback
from hippocampus.errors import AccessError, InvalidScope, RateLimited, UnknownBank
from hippocampus.server.error_responses import NO_SUCH_BANK
from hippocampus.server.keys import ANYBODY, Caller, Keys
from hippocampus.server.settings import Limits
from hippocampus.server.thread_pools import CALLER
from hippocampus.verbs import AccessRole

_REREAD_S: Final = 1.0
"""For how long keys are taken to be as they were read."""
_MOST_RATED: Final = 10_000
"""Callers whose requests are counted at once."""


class Gatekeeper:
    """Lets a request in, or says why not."""

    def __init__(
        self, keys: Keys, limits: Limits, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._keys = keys
        self._rate = Rate(limits.requests_per_s, limits.burst, clock)
        self._clock = clock
        self._reading = asyncio.Lock()
        self._read_at: float | None = None

    async def caller(self, request: Request) -> Caller:
        """
        Return who asks.

        Raises:
            Unauthorized: a key is needed, and there is none that is known.
            RateLimited: there were too many requests.
            AccessError: a page of another site asks through somebody's browser.

        """
        caller = await self._known(request)
        client = "" if request.client is None else request.client.host
        self._rate.take(caller.id or client)
        if caller is ANYBODY:
            _check_is_here(request)
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
        if self._are_old():
            await self._reread()
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        return self._keys.caller(token.strip() if scheme.lower() == "bearer" else None)

    def _are_old(self) -> bool:
        return self._read_at is None or self._clock() - self._read_at >= _REREAD_S

    async def _reread(self) -> None:
        """
        Read the keys again, once for all who wait for it.

        Nobody goes on with old keys, and no verb's thread is waited for: otherwise whoever keeps a
        server busy could go on with a key that was revoked.
        """
        async with self._reading:
            if self._are_old():
                now = self._clock()
                await asyncio.to_thread(self._keys.refresh)
                self._read_at = now

    async def admit(self, request: Request, role: AccessRole) -> tuple[Caller, str]:
        """
        Return who asks, and for which bank, if the bank is theirs and the role as well.

        Nothing is looked up for that, so it takes the same whether there is such a bank or not.
        """
        caller = await self.caller(request)
        bank = bank_of(request)
        if not caller.opens(bank):
            raise UnknownBank(NO_SUCH_BANK)
        _check_role(caller, role)
        request.state.bank = bank
        return caller, bank

    async def admit_keeper(self, request: Request) -> Caller:
        """Return who asks, if that is an admin of the whole store."""
        caller = await self.caller(request)
        _check_role(caller, "admin")
        if not caller.everywhere:
            msg = "this is for the whole store; it takes an admin's key for all banks, '*'"
            raise AccessError(msg)
        return caller


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


class Rate:
    """Requests by caller, each with a bucket that fills evenly and holds a burst."""

    def __init__(
        self, per_s: float | None, burst: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._per_s = per_s
        self._burst = burst
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """By caller: how many requests were left, and when that was."""

    def take(self, caller: str) -> None:
        """
        Count one request.

        Raises:
            RateLimited: there were too many; it says how long to wait.

        """
        if self._per_s is None:
            return
        now = self._clock()
        left, at = self._left.pop(caller, (float(self._burst), now))
        left = min(float(self._burst), left + (now - at) * self._per_s)
        self._left[caller] = (left - 1 if left >= 1 else left), now
        while len(self._left) > _MOST_RATED:
            self._left.popitem(last=False)
        if left < 1:
            wait = (1 - left) / self._per_s
            msg = f"more than {self._per_s:g} requests a second; wait {wait:.1f} s"
            raise RateLimited(msg, retry_after_s=wait)
