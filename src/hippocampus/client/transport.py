"""One server: how it is asked, how often, for how long, and what it means when it fails."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from math import inf
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import msgspec

from hippocampus import wire
from hippocampus.client.io_backend import World, httpx_
from hippocampus.core.files import writing
from hippocampus.core.http import Attempts, check_key, check_url
from hippocampus.core.records import Progress
from hippocampus.errors import (
    HippocampusError,
    InputError,
    Overloaded,
    ServerError,
    ServerMismatch,
    ServerTimeout,
    ServerUnavailable,
    SourceError,
    StoreClosed,
    StoreError,
)

T = TypeVar("T")
Take: TypeAlias = Callable[[Any, float], Coroutine[Any, Any, T]]
"""Makes something of a response, of which all should be there by a moment."""

_MOST_BYTES: Final = 1 << 30
_CONNECTIONS: Final = 100
"""Kept, as well: requests beyond so many at once wait for one."""
_FIRST_PAUSE_S: Final = 0.2
"""Before the second attempt; a server of ours is near, and a caller waits."""
_BEHIND: Final = frozenset({502, 503, 504})
"""What stands before a server answers when the server is not there."""
LINES: Final = "application/x-ndjson"


class Call(NamedTuple):
    """A request, and how it may be treated."""

    method: str
    path: str
    query: Sequence[tuple[str, str]] = ()
    body: bytes | Path | None = None
    accept: str = "application/json"
    reads: bool = False
    """Whether it changes nothing, and so may be made again."""
    long: bool = False
    """Whether it may take minutes before anything of the answer comes."""


class Line:
    """One server: where it is, and for how long and how often it is asked."""

    def __init__(
        self, url: str, world: Callable[..., World], *, key: str | None, timeout_s: float,
        attempts: int,
    ) -> None:  # fmt: skip
        self.url = check_url(url, example="http://localhost:8765").geturl().rstrip("/")
        if not (isinstance(timeout_s, int | float) and timeout_s > 0):
            msg = f"timeout_s={timeout_s!r}: must be above 0 seconds"
            raise InputError(msg)
        if isinstance(attempts, bool) or not isinstance(attempts, int) or attempts < 1:
            msg = f"attempts={attempts!r}: must be a whole number, 1 or more"
            raise InputError(msg)
        self._timeout_s = float(timeout_s)
        self._attempts = attempts
        headers = {} if key is None else {"Authorization": f"Bearer {check_key(key)}"}
        limits = httpx_().Limits(
            max_connections=_CONNECTIONS, max_keepalive_connections=_CONNECTIONS
        )
        self.world = world(headers=headers, follow_redirects=False, limits=limits)
        self._closed = False

    async def close(self) -> None:
        """Let go of the connections; whoever asks after that is told."""
        self._closed = True
        await self.world.close()

    async def ask(self, call: Call, kind: Any) -> Any:  # noqa: ANN401 - whatever the verb gives
        """Return what a server answers, read as ``kind``."""
        return self._read(kind, await self.talk(call, self._whole))

    async def ask_page(self, call: Call, kind: Any) -> tuple[list[Any], str | None]:  # noqa: ANN401
        """Return one page of a list, and the cursor of the next."""

        async def take(response: Any, until: float) -> tuple[bytes, str | None]:  # noqa: ANN401
            return await self._whole(response, until), response.headers.get("Next-Cursor")

        body, cursor = await self.talk(call, take)
        return self._read(kind, body), cursor

    async def follow(self, call: Call, progress: Progress | None, kind: Any) -> Any:  # noqa: ANN401
        """Return what a verb comes to that takes long, and tell how far it is."""
        if progress is None:
            return await self.ask(call, kind)

        async def take(response: Any, _: float) -> bytes:  # noqa: ANN401
            line, size, result = list[bytes](), 0, None
            chunks = self.world.chunks(response)
            while chunk := await self.world.more(chunks):
                *ends, rest = chunk.split(b"\n")
                for end in ends:
                    result = self._heard(b"".join([*line, end]), progress)
                    line, size = [], 0
                line.append(rest)
                size = self._checked(size + len(rest))
            if result is None:
                msg = "it broke off before it said what came of it, which so is not known"
                raise ServerUnavailable(msg, url=self.url)
            return bytes(result)

        return self._read(kind, await self.talk(call._replace(accept=LINES), take))

    def _heard(self, line: bytes, progress: Progress) -> bytes | None:
        """Tell of progress; return the result, if this line has it."""
        fault = wire.load_fault(line)
        if fault is not None:
            raise self._error(fault)
        told = self._read(dict[str, msgspec.Raw], line)
        if "progress" in told:
            at = self._read(dict[str, int], bytes(told["progress"]))
            progress(at.get("done", 0), at.get("total", 0))
            return None
        return bytes(told["result"]) if "result" in told else None

    async def fetch(
        self,
        call: Call,
        path: Path,
        progress: Progress | None = None,
        *,
        overwrite: bool,
        check: Callable[[Path], T],
    ) -> T:
        """
        Write what a server sends to a file, which has its name only once it is whole.

        Returns what ``check`` says of it, which raises if it is not.
        """

        async def take(response: Any, _: float) -> None:  # noqa: ANN401
            total = int(response.headers.get("Content-Length", 0))
            done = 0
            chunks = self.world.chunks(response)
            with unfinished.open("wb") as file:
                while chunk := await self.world.more(chunks):
                    await self.world.do(lambda chunk=chunk: file.write(chunk))  # type: ignore[misc]
                    done += len(chunk)
                    if progress:
                        progress(done, total)

        async with self._written(path, overwrite=overwrite) as unfinished:
            await self.talk(call, take)
            return await self.world.do(lambda: check(unfinished))

    @asynccontextmanager
    async def _written(self, path: Path, *, overwrite: bool) -> AsyncIterator[Path]:
        """Give a new file to write, without blocking; see ``writing``."""
        file = writing(path, overwrite=overwrite)
        unfinished = await self.world.do(file.__enter__)
        try:
            yield unfinished
        except BaseException as exc:
            error = exc
            await self.world.do(lambda: file.__exit__(type(error), error, error.__traceback__))
            raise
        await self.world.do(lambda: file.__exit__(None, None, None))

    async def talk(self, call: Call, take: Take[T]) -> T:
        """
        Return what ``take`` makes of the answer, after as many attempts as are needed and allowed.

        What only reads is asked again whatever went wrong on the way; what changes something only
        if it surely was not begun.
        """
        if self._closed:
            raise StoreClosed("the client was closed; make another", path=self.url)
        attempts = Attempts(self._attempts, self._timeout_s, first_pause_s=_FIRST_PAUSE_S)
        while True:
            wanted_s = 0.0
            try:
                return await self._once(call, take, attempts.deadline)
            except Overloaded as exc:
                error: HippocampusError = exc
                wanted_s = exc.retry_after_s
            except ServerError as exc:
                if exc.begun and (not call.reads or isinstance(exc, ServerMismatch)):
                    raise
                error = exc
            if not attempts.again(wanted_s):
                raise error
            await self.world.pause(attempts.pause_s)

    async def _once(self, call: Call, take: Take[T], until: float) -> T:
        httpx = httpx_()
        left = max(0.001, until - time.monotonic())
        patience = httpx.Timeout(left, read=None if call.long else left)
        sent = self.world.upload(call.body) if isinstance(call.body, Path) else call.body
        headers = {"Accept": call.accept}
        if call.body is not None:
            kind = "application/octet-stream" if isinstance(call.body, Path) else "application/json"
            headers["Content-Type"] = kind
        request = self.world.build(
            call.method, self.url + call.path, params=list(call.query), content=sent,
            headers=headers, timeout=patience,
        )  # fmt: skip
        try:
            response = await self.world.send(request)
            if not call.long:  # the body has what the headers have left of the time
                request.extensions["timeout"]["read"] = max(0.001, until - time.monotonic())
            try:
                if response.status_code == httpx.codes.OK:
                    return await take(response, inf if call.long else until)
                body = await self._whole(response, until)
            finally:
                await self.world.end(response)
        except httpx.HTTPError as exc:
            raise self._broken(call, exc) from exc
        raise self._refusal(call, response, body)

    async def _whole(self, response: Any, until: float) -> bytes:  # noqa: ANN401
        """Return all that is sent, if it comes in time and is not without end."""
        chunks, read, size = self.world.chunks(response), list[bytes](), 0
        while chunk := await self.world.more(chunks):
            read.append(chunk)
            size = self._checked(size + len(chunk))
            if time.monotonic() > until:
                raise self._late()
        return b"".join(read)

    def _checked(self, size: int) -> int:
        if size > _MOST_BYTES:
            msg = f"answers more than {_MOST_BYTES:,} bytes, the most that is read"
            raise ServerMismatch(msg, url=self.url)
        return size

    # ------------------------------------------------------------ what goes wrong

    def _broken(self, call: Call, exc: Exception) -> ServerError:
        """Return what it means that a request came to no answer."""
        httpx, kind = httpx_(), type(exc).__name__
        done = "" if call.reads else "; whether it was done is not known"
        if isinstance(exc, httpx.ConnectError | httpx.ConnectTimeout):
            msg = f"nobody answers there ({exc or kind}); is 'hippocampus serve' running?"
            return ServerUnavailable(msg, url=self.url, begun=False)
        if isinstance(exc, httpx.PoolTimeout):
            msg = f"all {_CONNECTIONS} connections were in use for timeout_s={self._timeout_s:g}"
            return ServerTimeout(msg, url=self.url, begun=False)
        if isinstance(exc, httpx.TimeoutException):
            return self._late(done)
        if isinstance(exc, httpx.DecodingError | httpx.UnsupportedProtocol):
            return ServerMismatch(f"what it sends cannot be read ({exc or kind})", url=self.url)
        return ServerUnavailable(f"the connection broke off ({exc or kind}){done}", url=self.url)

    def _late(self, done: str = "") -> ServerTimeout:
        msg = f"no whole answer within timeout_s={self._timeout_s:g}{done}"
        return ServerTimeout(msg, url=self.url)

    def _refusal(self, call: Call, response: Any, body: bytes) -> HippocampusError:  # noqa: ANN401
        """Return the error that an answer tells of."""
        status, fault = response.status_code, wire.load_fault(body)
        if fault is None and status in _BEHIND:
            msg = f"something before the server says {status}, so the server is not there"
            return ServerUnavailable(msg, url=self.url)
        if fault is None:
            where = response.headers.get("Location")
            more = f", and points to {where!r:.100}" if where else ""
            msg = f"answers {status}{more}, and not as a server of hippocampus would"
            return ServerMismatch(msg, url=self.url)
        if fault.type == "InputError" and status in (404, 405):
            msg = f"has no {call.method} {call.path!r:.200}, so it is of another version"
            return ServerMismatch(msg, url=self.url)
        return self._error(fault)

    def _error(self, fault: wire.Fault) -> HippocampusError:
        made = wire.as_error(fault)
        if isinstance(made, StoreError | SourceError):
            made.path = self.url
        if isinstance(made, Overloaded):
            wait = getattr(made, "retry_after_s", None)
            made.retry_after_s = float(wait) if isinstance(wait, int | float) and wait >= 0 else 1.0
        return made

    def _read(self, kind: Any, body: bytes) -> Any:  # noqa: ANN401
        try:
            return wire.load(kind, body)
        except InputError as exc:
            msg = f"what it answers is not what this version expects: {exc}"
            raise ServerMismatch(msg, url=self.url) from exc
