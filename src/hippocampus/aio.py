"""
The same memory for asynchronous callers: every verb runs on a thread, no logic is written twice.

``AsyncBank`` has each verb of ``Bank`` with the same arguments, to be awaited.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from hippocampus.bank import Bank
from hippocampus.core.budget import Budget
from hippocampus.memory import Memory

P = ParamSpec("P")
R = TypeVar("R")


class OnThreads:
    """Base of classes with awaited twins of the blocking methods of ``sync``."""

    sync: Any

    async def _run(self, call: Callable[[], R]) -> R:
        """Return the result of a call that blocks, made on a thread; cancelled, it ends as well."""
        budget = Budget()
        try:
            return await asyncio.to_thread(budget.around(call))
        except asyncio.CancelledError:
            # A thread cannot be stopped from outside: the call looks at its budget and ends itself.
            budget.cancel()
            raise


def on_a_thread(
    method: Callable[Concatenate[Any, P], R],
) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]:
    """Return the awaitable twin of a ``Bank`` or ``Memory`` method."""

    @wraps(method)
    async def twin(self: OnThreads, /, *args: P.args, **kwargs: P.kwargs) -> R:
        sync = self.sync  # opened here, where no other call can open it as well

        def call() -> R:
            member = getattr(sync, method.__name__)
            made: R = (
                member if method.__name__ == "policy" else member(*args, **kwargs)
            )  # a property
            return made

        return await self._run(call)

    return twin


class AsyncBank(OnThreads):
    """A bank whose verbs are awaited. ``sync`` is the bank itself."""

    sync: Bank

    def __init__(self, bank: Bank) -> None:
        self.sync = bank

    @property
    def name(self) -> str:
        """The bank's name."""
        return self.sync.name

    remember = on_a_thread(Bank.remember)
    remember_many = on_a_thread(Bank.remember_many)
    recall = on_a_thread(Bank.recall)
    context = on_a_thread(Bank.context)
    explain = on_a_thread(Bank.explain)
    get = on_a_thread(Bank.get)
    reveal = on_a_thread(Bank.reveal)
    episodes = on_a_thread(Bank.episodes)
    find = on_a_thread(Bank.find)
    count = on_a_thread(Bank.count)
    trend = on_a_thread(Bank.trend)
    count_events = on_a_thread(Bank.count_events)
    correct = on_a_thread(Bank.correct)
    forget = on_a_thread(Bank.forget)
    restore = on_a_thread(Bank.restore)
    withdraw = on_a_thread(Bank.withdraw)
    sources = on_a_thread(Bank.sources)
    sessions = on_a_thread(Bank.sessions)
    compact = on_a_thread(Bank.compact)
    expand = on_a_thread(Bank.expand)
    sleep = on_a_thread(Bank.sleep)
    sleep_if_due = on_a_thread(Bank.sleep_if_due)
    sleeps = on_a_thread(Bank.sleeps)
    undo = on_a_thread(Bank.undo)
    policy = property(on_a_thread(vars(Bank)["policy"].fget))
    set_policy = on_a_thread(Bank.set_policy)
    pin = on_a_thread(Bank.pin)
    unpin = on_a_thread(Bank.unpin)
    hold = on_a_thread(Bank.hold)
    release = on_a_thread(Bank.release)
    quarantine = on_a_thread(Bank.quarantine)
    review = on_a_thread(Bank.review)
    accept = on_a_thread(Bank.accept)
    feedback = on_a_thread(Bank.feedback)
    note_recalls = on_a_thread(Bank.note_recalls)
    summary = on_a_thread(Bank.summary)
    facts = on_a_thread(Bank.facts)
    entities = on_a_thread(Bank.entities)
    people = on_a_thread(Bank.people)
    gists = on_a_thread(Bank.gists)
    topics = on_a_thread(Bank.topics)
    communities = on_a_thread(Bank.communities)
    topic_outline = on_a_thread(Bank.topic_outline)
    plot_topics = on_a_thread(Bank.plot_topics)
    related = on_a_thread(Bank.related)
    anchors = on_a_thread(Bank.anchors)
    curate = on_a_thread(Bank.curate)
    curated = on_a_thread(Bank.curated)
    include = on_a_thread(Bank.include)
    exclude = on_a_thread(Bank.exclude)
    included = on_a_thread(Bank.included)
    promote = on_a_thread(Bank.promote)
    demote = on_a_thread(Bank.demote)
    compact_session = on_a_thread(Bank.compact_session)
    profile = on_a_thread(Bank.profile)
    set_profile = on_a_thread(Bank.set_profile)
    export_concepts = on_a_thread(Bank.export_concepts)
    import_concepts = on_a_thread(Bank.import_concepts)
    history = on_a_thread(Bank.history)
    uses = on_a_thread(Bank.uses)
    journal = on_a_thread(Bank.journal)
    stats = on_a_thread(Bank.stats)
    export = on_a_thread(Bank.export)
    import_ = on_a_thread(Bank.import_)


class _Opening:
    """
    The opening of a memory on a thread, which nobody can stop.

    If nobody waits for it any more, whichever of the two is last closes it.
    """

    def __init__(self, memory: Callable[[], Memory]) -> None:
        self._memory = memory
        self._mutex = threading.Lock()
        self._opened: Memory | None = None
        self._left = False

    def open(self) -> None:
        """Open the memory, and close it if it was left meanwhile."""
        memory = self._memory()
        with self._mutex:
            self._opened, left = memory, self._left
        if left:
            memory.close()

    def leave(self) -> Memory | None:
        """Wait no longer; return the memory if it is open, to be closed."""
        with self._mutex:
            self._left = True
            return self._opened


class AsyncMemory(OnThreads):
    """
    A memory whose slow verbs are awaited; the arguments are those of ``Memory``.

    ``async with AsyncMemory(path) as memory`` opens and closes it off the event loop.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  (those of Memory)
        # Opening may take seconds, for which the event loop would stand still.
        self._arguments = (args, kwargs)
        self._memory: Memory | None = None
        self._opening = threading.Lock()

    @property
    def sync(self) -> Memory:
        """The memory itself; opened when first needed."""
        with self._opening:  # several threads may need it first
            if self._memory is None:
                args, kwargs = self._arguments
                self._memory = Memory(*args, **kwargs)
            return self._memory

    def bank(self, name: str) -> AsyncBank:
        """Return the bank called ``name``."""
        return AsyncBank(self.sync.bank(name))

    banks = on_a_thread(Memory.banks)
    delete_bank = on_a_thread(Memory.delete_bank)
    backup = on_a_thread(Memory.backup)
    rebuild = on_a_thread(Memory.rebuild)
    calibrate = on_a_thread(Memory.calibrate)
    sleep_if_due = on_a_thread(Memory.sleep_if_due)

    async def close(self) -> None:
        """Release the store, if it was ever opened. May be called twice."""
        if self._memory is not None:
            await asyncio.to_thread(self._memory.close)

    async def __aenter__(self) -> Self:
        opening = _Opening(lambda: self.sync)
        try:
            await asyncio.to_thread(opening.open)
        except asyncio.CancelledError:
            opened = opening.leave()
            if opened is not None:
                asyncio.get_running_loop().run_in_executor(None, opened.close)
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
