"""
The same memory for asynchronous callers: every verb runs on a thread, no logic is written twice.

``AsyncBank`` has each verb of ``Bank`` with the same arguments, to be awaited.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from hippocampus.bank import Bank
from hippocampus.config import Policy
from hippocampus.memory import Memory

P = ParamSpec("P")
R = TypeVar("R")


def _on_a_thread(
    method: Callable[Concatenate[Any, P], R],
) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]:
    """Return the awaitable twin of a ``Bank`` or ``Memory`` method."""

    @wraps(method)
    async def twin(this: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:  # noqa: ANN401  (a twin)
        return await asyncio.to_thread(method, this.sync, *args, **kwargs)

    return twin


def _policy(bank: Bank) -> Policy:
    """Return what sleep does with this bank."""
    return bank.policy


class AsyncBank:
    """A bank whose verbs are awaited. ``sync`` is the bank itself."""

    def __init__(self, bank: Bank) -> None:
        self.sync = bank

    @property
    def name(self) -> str:
        """The bank's name."""
        return self.sync.name

    remember = _on_a_thread(Bank.remember)
    remember_many = _on_a_thread(Bank.remember_many)
    recall = _on_a_thread(Bank.recall)
    context = _on_a_thread(Bank.context)
    get = _on_a_thread(Bank.get)
    episodes = _on_a_thread(Bank.episodes)
    find = _on_a_thread(Bank.find)
    count = _on_a_thread(Bank.count)
    trend = _on_a_thread(Bank.trend)
    correct = _on_a_thread(Bank.correct)
    forget = _on_a_thread(Bank.forget)
    restore = _on_a_thread(Bank.restore)
    compact = _on_a_thread(Bank.compact)
    expand = _on_a_thread(Bank.expand)
    sleep = _on_a_thread(Bank.sleep)
    sleep_if_due = _on_a_thread(Bank.sleep_if_due)
    sleeps = _on_a_thread(Bank.sleeps)
    undo = _on_a_thread(Bank.undo)
    policy = property(_on_a_thread(_policy))
    set_policy = _on_a_thread(Bank.set_policy)
    pin = _on_a_thread(Bank.pin)
    unpin = _on_a_thread(Bank.unpin)
    hold = _on_a_thread(Bank.hold)
    release = _on_a_thread(Bank.release)
    quarantine = _on_a_thread(Bank.quarantine)
    feedback = _on_a_thread(Bank.feedback)
    note_recalls = _on_a_thread(Bank.note_recalls)
    summary = _on_a_thread(Bank.summary)
    facts = _on_a_thread(Bank.facts)
    entities = _on_a_thread(Bank.entities)
    gists = _on_a_thread(Bank.gists)
    topics = _on_a_thread(Bank.topics)
    topic_outline = _on_a_thread(Bank.topic_outline)
    plot_topics = _on_a_thread(Bank.plot_topics)
    related = _on_a_thread(Bank.related)
    anchors = _on_a_thread(Bank.anchors)
    curate = _on_a_thread(Bank.curate)
    export_concepts = _on_a_thread(Bank.export_concepts)
    import_concepts = _on_a_thread(Bank.import_concepts)
    history = _on_a_thread(Bank.history)
    journal = _on_a_thread(Bank.journal)
    stats = _on_a_thread(Bank.stats)
    export = _on_a_thread(Bank.export)
    import_ = _on_a_thread(Bank.import_)


class AsyncMemory:
    """
    A memory whose slow verbs are awaited; the arguments are those of ``Memory``.

    ``async with AsyncMemory(path) as memory`` opens and closes it off the event loop.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  (those of Memory)
        self._arguments = (args, kwargs)
        self._memory: Memory | None = None

    @property
    def sync(self) -> Memory:
        """The memory itself; opened when first needed."""
        if self._memory is None:
            args, kwargs = self._arguments
            self._memory = Memory(*args, **kwargs)
        return self._memory

    def bank(self, name: str) -> AsyncBank:
        """Return the bank called ``name``."""
        return AsyncBank(self.sync.bank(name))

    banks = _on_a_thread(Memory.banks)
    delete_bank = _on_a_thread(Memory.delete_bank)
    backup = _on_a_thread(Memory.backup)
    rebuild = _on_a_thread(Memory.rebuild)
    calibrate = _on_a_thread(Memory.calibrate)
    sleep_if_due = _on_a_thread(Memory.sleep_if_due)

    async def close(self) -> None:
        """Release the store, if it was ever opened. May be called twice."""
        if self._memory is not None:
            await asyncio.to_thread(self._memory.close)

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(lambda: self.sync)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
