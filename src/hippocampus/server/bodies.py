"""Request bodies: within limits, in time, in memory or in a file."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from pathlib import Path
from typing import Any, Final, TypeVar

from starlette.requests import Request

from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.errors import Cancelled, TextTooLong
from hippocampus.server.error_responses import Refused
from hippocampus.server.thread_pools import Pool

JSON: Final = "application/json"
LINES: Final = "application/x-ndjson"
BYTES: Final = "application/octet-stream"
_CHARSET: Final = lazy_pattern(r"(?i);\s*charset\s*=\s*\"?([^\s;\"]+)")
_UTF_8: Final = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})
"""Names of UTF-8, and of a part of it."""
_AT_ONCE: Final = 1 << 20
"""Bytes that are gathered before a thread writes them: a hand-over for each piece that comes off
the network would cost more than the writing. Chosen by hand."""
_LOOK_S: Final = 0.25
"""Seconds between two looks whether anybody still waits for an answer."""
_Result = TypeVar("_Result")


def media_type(request: Request) -> str:
    """Return the media type that a request declares."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def check_media_type(request: Request, *known: str) -> str:
    """
    Refuse a body of another kind than expected, compressed, or in letters other than UTF-8.

    A browser sends none of these from a page of somebody else's without asking first.
    """
    given = media_type(request)
    if given not in known:
        msg = f"Content-Type {given!r:.100}: must be {' or '.join(known)}"
        raise Refused(415, msg)
    packed = request.headers.get("content-encoding", "identity").strip()
    if packed.lower() not in ("", "identity"):
        raise Refused(415, f"Content-Encoding {packed!r:.100}: send it uncompressed")
    letters = _CHARSET.search(request.headers.get("content-type", ""))
    if letters and letters[1].lower() not in _UTF_8:
        raise Refused(415, f"charset={letters[1]!r:.100}: send it in UTF-8")
    return given


def wants_lines(request: Request) -> bool:
    """Return whether progress is wanted, line by line."""
    return LINES in request.headers.get("accept", "")


async def chunks(request: Request, *, most: int, idle_s: float) -> AsyncIterator[bytes]:
    """Yield the body as it comes; refuse it once it is too large, or does not come."""
    declared = request.headers.get("content-length", "0")
    if declared.isdecimal() and int(declared) > most:
        raise _too_large(most)
    received = 0
    stream = request.stream().__aiter__()
    while True:
        try:
            async with asyncio.timeout(idle_s):
                chunk = await anext(stream)
        except StopAsyncIteration:
            return
        except TimeoutError as exc:
            msg = f"nothing of the body came for {idle_s:g} s; send it at once"
            raise Refused(408, msg) from exc
        received += len(chunk)
        if received > most:
            raise _too_large(most)
        if chunk:
            yield chunk


def _too_large(most: int) -> TextTooLong:
    return TextTooLong(
        f"the body has more than {most:,} bytes; split it, or stream turns to /import"
    )


async def while_connected(request: Request, work: Coroutine[Any, Any, _Result]) -> _Result:
    """
    Return the result of some work; it is cancelled once nobody waits for the answer.

    Raises:
        Cancelled: whoever asked has hung up.

    """
    task = asyncio.ensure_future(work)
    try:
        while not (await asyncio.wait({task}, timeout=_LOOK_S))[0]:
            if await request.is_disconnected():
                raise Cancelled("whoever asked has hung up")
        return task.result()
    finally:
        task.cancel()


class ReadAhead:
    """
    Parts of a body, each asked for while the one before is used.

    So it is known while the last one is used that it is the last, and a hang-up is looked for.
    """

    def __init__(self, request: Request, parts: AsyncIterator[bytes]) -> None:
        self._request = request
        self._parts = parts
        self._coming: asyncio.Future[bytes | None] | None = None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the parts."""
        self._coming = self._ask()
        try:
            while (part := await self._coming) is not None:
                self._coming = self._ask()
                yield part
        finally:
            if not self._coming.cancel() and not self._coming.cancelled():
                self._coming.exception()  # or asyncio would say that nobody asked for it

    def _ask(self) -> asyncio.Future[bytes | None]:
        return asyncio.ensure_future(self._next())

    async def _next(self) -> bytes | None:
        return await anext(self._parts, None)

    async def use(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        """Return the result of some work; see ``while_connected`` once the body has come whole."""
        await asyncio.sleep(0)  # in which the next part comes, if it is there
        coming = self._coming
        over = coming is not None and coming.done() and coming.exception() is None
        if not (over and coming is not None and coming.result() is None):
            return await work
        made = await while_connected(self._request, work)
        if await self._request.is_disconnected():  # which is not looked for in short work
            raise Cancelled("whoever asked has hung up")
        return made


async def whole(request: Request, *, most: int, idle_s: float) -> bytes:
    """Return the body."""
    # A body in chunks does not say how long it is.
    length = None if "transfer-encoding" in request.headers else "0"
    if request.headers.get("content-length", length) == "0":
        return b""  # nothing to wait for
    return b"".join([chunk async for chunk in chunks(request, most=most, idle_s=idle_s)])


async def into_file(parts: AsyncIterator[bytes], path: Path, pool: Pool) -> None:
    """Write a body to a file as it comes, a megabyte at a time, off the event loop."""
    with path.open("wb") as file:
        held: list[bytes] = []
        size = 0
        async for part in parts:
            held.append(part)
            size += len(part)
            if size >= _AT_ONCE:
                data, held, size = b"".join(held), [], 0
                await pool.run(lambda data=data: file.write(data))  # type: ignore[misc]
        data = b"".join(held)
        await pool.run(lambda: file.write(data))


async def lines(parts: AsyncIterator[bytes], *, most: int) -> AsyncIterator[bytes]:
    """Yield the lines of what comes, blank ones too, without their ends."""
    rest: list[bytes] = []
    size = 0
    async for part in parts:
        first, *others = part.split(b"\n")
        for line in others:
            rest.append(first)
            yield b"".join(rest)
            rest, first, size = [], line, 0
        rest.append(first)
        size += len(first)
        if size > most:
            raise TextTooLong(f"a line has more than {most:,} bytes; a turn is a line of its own")
    last = b"".join(rest)
    if last:
        yield last
