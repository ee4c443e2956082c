"""Memory for agents and chat engines of LlamaIndex, kept in a bank."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any, Final

from hippocampus.bank import Bank
from hippocampus.core.optional import require
from hippocampus.errors import InputError
from hippocampus.integrations._banks import as_bank
from hippocampus.integrations._recall import context_text
from hippocampus.integrations._records import (
    RecordEntry,
    RecordHistory,
    call,
    checked_messages,
    entries_of,
)

require("llama_index.core", extra="llamaindex", feature="the LlamaIndex memory")
from llama_index.core.base.llms.types import (  # noqa: E402 - now that it is known to be there
    ChatMessage,
    MessageRole,
    ToolCallBlock,
)
from llama_index.core.memory import BaseMemory, BaseMemoryBlock  # noqa: E402
from llama_index.core.utils import get_tokenizer  # noqa: E402
from pydantic import ConfigDict, Field, PlainValidator  # noqa: E402

_KIND: Final = "llamaindex"
_LOOK: Final = 32
"""Messages that are read at first to see how many fit; if all do, four times as many are. Chosen by
hand."""
_ROLES: Final = {"chatbot": "assistant", "model": "assistant", "function": "tool"}


_NO_COPY: Final = (
    "a HippocampusMemory is a way to its bank and cannot be serialised; make another one with its"
    " bank and session where it is needed, and hand it to the run: agent.run(…, memory=…)"
)
_MEDIA: Final = frozenset({"image", "audio", "video", "document"})
_MEDIA_TOKENS: Final = 256
"""Tokens that one of them counts for, as LlamaIndex's own memory estimates by default."""


class HippocampusMemory(BaseMemory):
    """
    The memory of an agent or a chat engine: one conversation of a bank, and what else it knows.

    ``get`` returns the last messages as they were and, before them, what the bank recalls of what
    is asked: older messages of this conversation, other conversations, files.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    bank: Annotated[Bank, PlainValidator(as_bank)] = Field(exclude=True)
    session: str
    """Name of the conversation."""
    recent_tokens: int = 3000
    """Tokens of last messages that are returned, at most; they begin with one of the user."""
    budget_tokens: int = 1500
    """Tokens of memories that are put before them, at most; 0 for none."""
    filters: dict[str, Any] = Field(default_factory=dict)
    """Filters of a recall, as ``Bank.recall`` takes them."""
    erase: bool = False
    """Whether a reset leaves the file at once, which is slower; else its memories are forgotten."""

    @classmethod
    def class_name(cls) -> str:
        """Return the name by which LlamaIndex knows it."""
        return "HippocampusMemory"

    @classmethod
    def from_defaults(cls, **kwargs: Any) -> HippocampusMemory:  # noqa: ANN401 - the fields
        """Return a memory; the arguments are its fields."""
        return cls(**kwargs)

    def to_dict(self, **_: object) -> dict[str, Any]:
        """
        Refuse to be a dict, so that a ``Context`` which is saved leaves the memory out.

        Raises:
            InputError: always: what is read of it would have no bank.

        """
        raise InputError(_NO_COPY)

    def __getstate__(self) -> dict[Any, Any]:
        """Refuse to be pickled likewise; LlamaIndex's own would take the bank out of this one."""
        raise InputError(_NO_COPY)

    @property
    def _history(self) -> RecordHistory:
        return RecordHistory(self.bank, _KIND, self.session, erase=self.erase)

    def get(
        self,
        input: str | None = None,  # noqa: A002 - the contract's
        *,
        initial_token_count: int = 0,
        **_: object,
    ) -> list[ChatMessage]:
        """Return memories of ``input``, or of what the user said last, and the last messages."""
        recent = self._recent(self.recent_tokens - initial_token_count)
        messages = [message for _, message in recent]
        asked = input or _asked(messages)
        if not asked or not self.budget_tokens:
            return messages
        known = _recalled(
            self.bank, asked, self.budget_tokens, self.filters, [id_ for id_, _ in recent]
        )
        return [*([ChatMessage(known, role=MessageRole.SYSTEM)] if known else []), *messages]

    def _recent(self, tokens: int) -> list[tuple[str, ChatMessage]]:
        """Return the last messages that have so many tokens, and at least the very last."""
        look = _LOOK
        while True:
            found = [(id_, ChatMessage.model_validate(v)) for id_, v in self._history.last(look)]
            start = _start([message for _, message in found], tokens)
            # Where all that was read fits, more of them may; and the question of a long run of
            # calls may lie before all that was read.
            asked = start and found[start][1].role == MessageRole.USER
            if asked or len(found) < look:
                return found[start:]
            look *= 4

    def get_all(self) -> list[ChatMessage]:
        """Return all messages of the conversation."""
        return [ChatMessage.model_validate(value) for value in self._history.values()]

    def put(self, message: ChatMessage) -> None:
        """Append a message."""
        self.put_messages([message])

    def put_messages(self, messages: Sequence[ChatMessage]) -> None:
        """Append messages, all or none."""
        self._history.add(entries_of(checked_messages(messages, ChatMessage), _entry))

    def set(self, messages: Sequence[ChatMessage]) -> None:
        """Put messages in the place of those there are."""
        self._history.replace(entries_of(checked_messages(messages, ChatMessage), _entry))

    def reset(self) -> None:
        """Remove the messages of the conversation."""
        self._history.clear()


class HippocampusMemoryBlock(BaseMemoryBlock[str]):
    """
    Long-term memory for LlamaIndex's own ``Memory``, as one of its ``memory_blocks``.

    What leaves the short-term queue is remembered; what bears on the conversation is recalled.
    """

    name: str = "hippocampus"
    bank: Annotated[Bank, PlainValidator(as_bank)] = Field(exclude=True)
    budget_tokens: int = 1500
    """Tokens of memories, at most."""
    filters: dict[str, Any] = Field(default_factory=dict)
    """Filters of a recall, as ``Bank.recall`` takes them."""

    async def _aget(self, messages: list[ChatMessage] | None = None, **_: object) -> str:
        asked = _asked(messages or [])
        if not asked:
            return ""
        return await asyncio.to_thread(
            _recalled, self.bank, asked, self.budget_tokens, self.filters
        )

    async def _aput(self, messages: list[ChatMessage]) -> None:
        of: dict[str, list[RecordEntry]] = {}
        for message, entry in zip(messages, entries_of(messages, _entry), strict=True):
            session = str(message.additional_kwargs.get("session_id") or self.name)
            of.setdefault(session, []).append(entry)
        for session, entries in of.items():
            await asyncio.to_thread(RecordHistory(self.bank, _KIND, session).add, entries)


def _recalled(
    bank: Bank, asked: str, tokens: int, filters: dict[str, Any], besides: Sequence[str] = ()
) -> str:
    """Return the context for a question, ``besides`` some messages; empty if nothing."""
    where = [filters["where"]] if filters.get("where") else []
    if besides:
        shown = [{f"{_KIND}.{name}": {"$in": [*besides]}} for name in ("id", "of")]
        where.append({"$not": {"$or": shown}})
    limits = {**filters, "where": {"$and": where} if where else None}
    return context_text(bank, asked, tokens, **limits)


def _asked(messages: Sequence[ChatMessage]) -> str:
    """Return the user's last message."""
    said = [message.content for message in messages if message.role == MessageRole.USER]
    return (said[-1] or "").strip() if said else ""


def _start(messages: Sequence[ChatMessage], tokens: int) -> int:
    """Return from which message on they have so many tokens at most; one of the user, if any is."""
    split = get_tokenizer()
    start = len(messages)
    for place in range(len(messages) - 1, -1, -1):
        tokens -= len(split(_text(messages[place]))) + _MEDIA_TOKENS * _media(messages[place])
        if tokens < 0:
            break
        start = place
    start = min(start, max(len(messages) - 1, 0))
    if start:  # an answer without its question, or a result without its call, is not understood
        turns = [place for place, one in enumerate(messages) if one.role == MessageRole.USER]
        start = next((place for place in turns if place >= start), turns[-1] if turns else start)
    return start


def _media(message: ChatMessage) -> int:
    """Return the number of pictures, sounds, films and documents that a message holds."""
    return sum(block.block_type in _MEDIA for block in message.blocks)


def _text(message: ChatMessage) -> str:
    calls = [
        call(b.tool_name, b.tool_kwargs) for b in message.blocks if isinstance(b, ToolCallBlock)
    ]
    return "\n".join([*([message.content] if message.content else []), *calls])


def _entry(message: ChatMessage) -> RecordEntry:
    role = message.role.value
    return RecordEntry(
        value=message.model_dump(mode="json"), text=_text(message), role=_ROLES.get(role, role)
    )
