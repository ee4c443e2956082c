"""Two ways to wait for a server: one that blocks, one on an event loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from hippocampus.core.files import reading
from hippocampus.core.optional import require

T = TypeVar("T")

_CHUNK: Final = 1 << 18


class World(Protocol):
    """How requests are sent, and how one waits."""

    async def send(self, request: Any) -> Any: ...  # noqa: ANN401 - httpx is optional
    async def more(self, chunks: Any) -> bytes: ...  # noqa: ANN401
    def chunks(self, response: Any) -> Any: ...  # noqa: ANN401
    def build(self, *args: Any, **options: Any) -> Any: ...  # noqa: ANN401
    def upload(self, path: Path) -> Any: ...  # noqa: ANN401
    async def end(self, response: Any) -> None: ...  # noqa: ANN401
    async def do(self, call: Callable[[], T]) -> T: ...
    async def pause(self, seconds: float) -> None: ...
    async def close(self) -> None: ...


class Blocking:
    """Where everything blocks, and no coroutine ever waits."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401
        self._http = httpx_().Client(**options)
        self.build = self._http.build_request

    async def send(self, request: Any) -> Any:  # noqa: ANN401
        return self._http.send(request, stream=True)

    def chunks(self, response: Any) -> Any:  # noqa: ANN401
        return response.iter_bytes()

    async def more(self, chunks: Any) -> bytes:  # noqa: ANN401
        return next(chunks, b"")

    def upload(self, path: Path) -> Iterator[bytes]:
        with reading(path) as file:
            while data := file.read(_CHUNK):
                yield data

    async def end(self, response: Any) -> None:  # noqa: ANN401
        response.close()

    async def do(self, call: Callable[[], T]) -> T:
        return call()

    async def pause(self, seconds: float) -> None:
        time.sleep(seconds)  # noqa: ASYNC251 - no loop runs it

    async def close(self) -> None:
        self._http.close()


class Waiting:
    """Where an event loop goes on with something else meanwhile."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401
        self._http = httpx_().AsyncClient(**options)
        self.build = self._http.build_request

    async def send(self, request: Any) -> Any:  # noqa: ANN401
        return await self._http.send(request, stream=True)

    def chunks(self, response: Any) -> Any:  # noqa: ANN401
        return response.aiter_bytes()

    async def more(self, chunks: Any) -> bytes:  # noqa: ANN401
        return await anext(chunks, b"")

    async def upload(self, path: Path) -> AsyncIterator[bytes]:
        with reading(path) as file:
            while data := await self.do(lambda: file.read(_CHUNK)):
                yield data

    async def end(self, response: Any) -> None:  # noqa: ANN401
        await response.aclose()

    async def do(self, call: Callable[[], T]) -> T:
        return await asyncio.to_thread(call)

    async def pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def close(self) -> None:
        await self._http.aclose()


def finish(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return what a coroutine comes to that never waits."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        value: T = done.value
        return value
    coroutine.close()
    raise AssertionError("where everything blocks, nothing waits")


def httpx_() -> Any:  # noqa: ANN401 - a module
    """Return httpx, or say which extra would have brought it."""
    return require("httpx", extra="client", feature="a client of a server")
