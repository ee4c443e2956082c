"""A session of the OpenAI Agents SDK, kept in a bank."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields
from typing import Any, Final, ParamSpec, TypeVar, cast

from hippocampus.bank import Bank
from hippocampus.core.argument_names import refuse_unknown
from hippocampus.core.clock import Clock
from hippocampus.core.optional import require
from hippocampus.integrations._records import (
    RecordEntry,
    RecordHistory,
    call,
    checked_messages,
    entries_of,
)

require("agents", extra="openai-agents", feature="the OpenAI Agents session")
from agents import SessionSettings, TResponseInputItem  # noqa: E402 - now that it is there

P = ParamSpec("P")
R = TypeVar("R")

_SAID: Final = ("content", "output", "text", "refusal", "transcript")
"""Fields in which an item, or a part of one, has its words; thoughts are not said."""


class HippocampusSession:
    """
    The ``Session`` of one conversation: its items, of every kind, as they were.

    What was said in it is remembered: ``bank.recall`` finds it, in this session or from another.

    Args:
        session_id: which conversation it is.
        bank: where it is kept.
        session_settings: how many items the runner asks for, unless it says.
        erase: have what is cleared leave the file at once, which is slower; else it is forgotten.
        clock: where the present moment comes from.

    """

    def __init__(
        self,
        session_id: str,
        bank: Bank,
        *,
        session_settings: SessionSettings | Mapping[str, Any] | None = None,
        erase: bool = False,
        clock: Clock | None = None,
    ) -> None:
        self.session_id = session_id
        if isinstance(session_settings, Mapping):  # as the SDK's own sessions take it
            known = [field.name for field in fields(SessionSettings)]
            refuse_unknown("session_settings", session_settings, known, what="setting")
            session_settings = SessionSettings(**session_settings)
        self.session_settings = session_settings
        self._history = RecordHistory(bank, "openai_agents", session_id, clock=clock, erase=erase)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the items in order; the last ``limit``, all for None or below 0."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        most = None if limit is None or limit < 0 else limit
        return await asyncio.to_thread(self._history.values, most)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """
        Append items, all or none.

        Raises:
            InputError: one is no dict, or not JSON.

        """
        await _done(self._history.add, entries_of(checked_messages(items, dict), _entry))

    async def pop_item(self) -> TResponseInputItem | None:
        """Remove the last item and return it; None if there is none."""
        return cast("TResponseInputItem | None", await _done(self._history.pop))

    async def clear_session(self) -> None:
        """Remove the items."""
        await _done(self._history.clear)


async def _done(change: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """
    Make a change on a thread; who is cancelled meanwhile learns of it when the change is made.

    As in the SDK's own sessions: else what a cancelled run has said could come after the next run.
    """
    making = asyncio.create_task(asyncio.to_thread(change, *args, **kwargs))
    try:
        return await asyncio.shield(making)
    except asyncio.CancelledError:
        while not making.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait({making})
        making.exception()  # told to nobody: the caller is gone
        raise


def _entry(item: Mapping[str, Any]) -> RecordEntry:
    kind = str(item.get("type") or "message")
    # A call that a server has made for the model has its result in it: words of the tool's.
    answered = kind.endswith("_output") or item.get("output") is not None
    role = str(item.get("role") or "") or ("tool" if answered else "assistant")
    # The name of a message is its speaker's; a call of a tool of one's own has its words as input.
    called = kind != "message" and "name" in item
    said = [call(item["name"], item.get("arguments", item.get("input", "")))] if called else []
    if kind != "reasoning":
        said += _texts(item)
    return RecordEntry(value=item, text="\n".join(said), label=f"({kind})", role=role)


def _texts(said: object) -> Iterator[str]:
    """Yield the texts of an item, in whichever of its parts."""
    if isinstance(said, str):
        yield said
    elif isinstance(said, Mapping):
        for name in _SAID:
            yield from _texts(said.get(name))
    elif isinstance(said, Iterable):
        for part in said:
            yield from _texts(part)
