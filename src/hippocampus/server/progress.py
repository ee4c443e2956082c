"""Streamed answers: a line of JSON for each step of progress, then one with the result."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import Final, NamedTuple, TypeAlias

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from hippocampus import wire
from hippocampus.core.records import Progress
from hippocampus.errors import HippocampusError
from hippocampus.server.bodies import LINES, wants_lines, while_connected
from hippocampus.server.error_responses import fault_of
from hippocampus.server.state import json_answer
from hippocampus.server.thread_pools import Pool


class LongAnswer(NamedTuple):
    """The result of a long call, and what other answers say in headers, sent long before it."""

    body: bytes
    """JSON."""
    seq: str = ""
    """A token of how much of the bank it knows."""
    degraded: str = ""
    """The part that it lacks, and why."""


Job: TypeAlias = Callable[[Progress], Awaitable[LongAnswer]]
"""A long call: it is given a function that reports progress."""

_EVERY_S: Final = 0.2
"""Progress is told no more often, so that the lines of hours fit any buffer."""


async def told(request: Request, pool: Pool, call: Callable[..., LongAnswer]) -> Response:
    """Return an answer that tells how far a verb is that takes ``progress``."""

    async def job(progress: Progress) -> LongAnswer:
        return await while_connected(request, pool.run(lambda: call(progress=progress)))

    return await reported(request, job)


async def reported(request: Request, job: Job) -> Response:
    """Return an answer that tells how far a job is, if that is wanted, or its result."""
    if wants_lines(request):
        lines = _lines(job, request.state.request_id)
        # Without the second header nginx holds lines back until a buffer is full.
        return Streamed(lines, LINES, {"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
    made = await job(lambda _done, _total: None)
    return json_answer(made.body, made.seq, degraded=made.degraded)


async def _lines(job: Job, request_id: str) -> AsyncGenerator[bytes]:
    loop, changed = asyncio.get_running_loop(), asyncio.Event()
    latest: list[tuple[int, int]] = []

    def note(done: int, total: int) -> None:
        latest[:] = [(done, total)]
        changed.set()

    def progress(done: int, total: int) -> None:
        loop.call_soon_threadsafe(note, done, total)

    # The job does not wait until somebody reads what it tells: who sends a body and reads no answer
    # meanwhile would wait for it, and it for them.
    work = asyncio.ensure_future(job(progress))
    work.add_done_callback(lambda _: changed.set())
    try:
        while True:
            await changed.wait()
            changed.clear()
            for done, total in latest:
                yield wire.dump({"progress": {"done": done, "total": total}}) + b"\n"
            latest.clear()
            if work.done() and not changed.is_set():
                break
            await asyncio.wait({work}, timeout=_EVERY_S)
        yield _last_line(work.result())
    except HippocampusError as exc:
        yield wire.dump_fault(fault_of(exc, request_id)) + b"\n"
    finally:
        work.cancel()  # where the server did not wait for its end


def _last_line(made: LongAnswer) -> bytes:
    """Return the line of a result."""
    more = {"seq": made.seq, "degraded": made.degraded}
    said = {name: word for name, word in more.items() if word}
    return wire.dump({"result": msgspec.Raw(made.body), **said}) + b"\n"


class Streamed(StreamingResponse):
    """
    A body that is sent as it comes to be, while that of the request may still be read.

    ``done`` is called once that is over, however it ended.
    """

    def __init__(
        self,
        parts: AsyncGenerator[bytes],
        media_type: str,
        headers: Mapping[str, str],
        done: Callable[[], object] = bool,
    ) -> None:
        super().__init__(parts, headers=headers, media_type=media_type)
        self._parts = parts
        self._done = done

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        """Send it."""
        try:
            # Not as Starlette does it: looking for a hang-up, it reads the body that is the job's.
            async with aclosing(self._parts):
                await self.stream_response(send)
        finally:
            self._done()
