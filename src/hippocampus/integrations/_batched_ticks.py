"""Batches of the requests that the tasks of an event loop make within one tick."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

from hippocampus.errors import Overloaded, ServerError, StoreError

_OF_ALL: Final = (StoreError, ServerError, Overloaded)
"""Errors for which no single operation is at fault."""
Op = TypeVar("Op")
Answer = TypeVar("Answer")


class _AskedOps(NamedTuple, Generic[Op, Answer]):
    """Operations that one task asks for, and where it waits for the answers."""

    ops: Sequence[Op]
    answers: asyncio.Future[list[Answer]]


_Tick: TypeAlias = list[_AskedOps[Op, Answer]]


class BatchedTicks(Generic[Op, Answer]):
    """
    A way to ask for batches that puts those of one tick of a loop together.

    A hundred writes that are gathered take a hundred transactions one by one, and one together.
    Who asks alone waits no longer than before.

    Args:
        batch: carries out operations; the answers are in their order. It may be called from
            several threads, and if one of them is at fault, once more with the operations of each
            task alone.
        check: refuses an operation, before others wait for it.

    """

    def __init__(
        self, batch: Callable[[Sequence[Op]], list[Answer]], *, check: Callable[[Op], None]
    ) -> None:
        self._batch = batch
        self._check = check
        self._waiting: WeakKeyDictionary[asyncio.AbstractEventLoop, _Tick[Op, Answer]]
        self._waiting = WeakKeyDictionary()  # a loop that was closed is let go of
        self._under_way: set[asyncio.Task[None]] = set()

    async def ask(self, ops: Sequence[Op]) -> list[Answer]:
        """Return the answers to some operations."""
        for op in ops:
            self._check(op)
        loop = asyncio.get_running_loop()
        asked: _AskedOps[Op, Answer] = _AskedOps(ops, loop.create_future())
        tick = self._waiting.setdefault(loop, [])
        tick.append(asked)
        if len(tick) == 1:
            # After the tasks that are ready now, which add what they ask for.
            loop.call_soon(self._begin, loop)
        return await asked.answers

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        task = loop.create_task(self._answer(self._waiting.pop(loop)))
        self._under_way.add(task)  # or nobody would hold it
        task.add_done_callback(self._under_way.discard)

    async def _answer(self, tick: _Tick[Op, Answer]) -> None:
        told = await asyncio.to_thread(self._answers, [asked.ops for asked in tick])
        for asked, answers in zip(tick, told, strict=True):
            if asked.answers.done():  # whoever asked was cancelled meanwhile
                continue
            if isinstance(answers, BaseException):
                asked.answers.set_exception(answers)
            else:
                asked.answers.set_result(answers)

    def _answers(self, asked: Sequence[Sequence[Op]]) -> list[list[Answer] | BaseException]:
        """Return the answers to each, or why there are none."""
        try:
            found = iter(self._batch([op for ops in asked for op in ops]))
        except BaseException as exc:  # noqa: BLE001 - it is raised where it was asked for
            # A store that is locked or away is so for all: each would only wait as long once more.
            if isinstance(exc, _OF_ALL):
                return [exc] * len(asked)
            # Each alone then, so that what is wrong with one fails no other.
            return [exc] if len(asked) == 1 else [self._answers([ops])[0] for ops in asked]
        return [[next(found) for _ in ops] for ops in asked]
