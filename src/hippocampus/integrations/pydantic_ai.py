"""Histories, tools and instructions for agents of Pydantic AI, from a bank."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from hippocampus.bank import Bank
from hippocampus.core.optional import require
from hippocampus.errors import InputError
from hippocampus.integrations._banks import as_bank
from hippocampus.integrations._recall import context_text
from hippocampus.integrations._records import FrameworkHistory, RecordEntry, call, checked_messages

require("pydantic_ai", extra="pydantic-ai", feature="the Pydantic AI history")
from pydantic_ai import FunctionToolset, ModelRetry, RunContext  # noqa: E402 - now that it is there
from pydantic_ai.messages import (  # noqa: E402
    BaseToolCallPart,
    BaseToolReturnPart,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    UserPromptPart,
)
from pydantic_core import PydanticSerializationError  # noqa: E402


class HippocampusHistory(FrameworkHistory):
    """
    The messages of one conversation of Pydantic AI, of every kind, in a bank that recalls them.

    ``agent.run(…, message_history=history.messages())``, then ``history.add(run.new_messages())``.
    """

    kind = "pydantic_ai"

    def messages(self, limit: int | None = None) -> list[ModelMessage]:
        """Return the messages in order; the last ``limit``, if that is given."""
        return ModelMessagesTypeAdapter.validate_python(self._history.values(limit))

    def add(self, messages: Sequence[ModelMessage]) -> None:
        """
        Append messages, all or none.

        Raises:
            InputError: one is no message, or not JSON.

        """
        several = checked_messages(messages, ModelRequest, ModelResponse)
        try:
            dumped = ModelMessagesTypeAdapter.dump_python(several, mode="json")
        except PydanticSerializationError as exc:
            raise InputError(
                f"a message cannot be kept as JSON ({exc}); nothing was stored"
            ) from exc
        self._history.add([_entry(*both) for both in zip(several, dumped, strict=True)])

    async def amessages(self, limit: int | None = None) -> list[ModelMessage]:
        """Return the messages, on a thread."""
        return await asyncio.to_thread(self.messages, limit)

    async def aadd(self, messages: Sequence[ModelMessage]) -> None:
        """Append messages, on a thread."""
        await asyncio.to_thread(self.add, messages)


def recalled(
    bank: Bank,
    *,
    budget_tokens: int = 1500,
    **filters: Any,  # noqa: ANN401 - those of recall
) -> Callable[[RunContext[Any]], Awaitable[str | None]]:
    """
    Return instructions for ``Agent(…, instructions=…)``: the memories that bear on the prompt.

    What the run's messages say already is left out.

    Args:
        bank: what to recall from.
        budget_tokens: most tokens of it.
        **filters: as ``Bank.recall`` takes them.

    """
    bank = as_bank(bank)

    async def instructions(ctx: RunContext[Any]) -> str | None:
        said = "\n".join(_texts(ctx.prompt))
        if not said.strip():
            return None
        shown = [text for message in ctx.messages if (text := _spoken(message))]
        left_out = {"without": [*filters.get("without", ()), *shown]}
        return (
            await asyncio.to_thread(context_text, bank, said, budget_tokens, **(filters | left_out))
            or None
        )

    return instructions


def memory_toolset(bank: Bank, *, budget_tokens: int = 1500) -> FunctionToolset[Any]:
    """Return two tools for an agent: to remember something, and to recall what was remembered."""
    bank = as_bank(bank)

    async def remember(text: str) -> str:
        """
        Keep something worth knowing later, in words that are clear by themselves.

        Args:
            text: what to remember, with names and dates spelled out.

        """
        with _for_the_model():
            # Its own words: what a page has had it keep must not pass for the user's.
            kept = await asyncio.to_thread(bank.remember, text, origin="assistant")
            return f"Remembered as {kept.id}."

    async def recall(question: str) -> str:
        """
        Look up what is remembered from earlier conversations and files.

        Args:
            question: what to look for, as a question or a few words.

        """
        with _for_the_model():
            known = await asyncio.to_thread(context_text, bank, question, budget_tokens)
        return known or "Nothing is remembered about that."

    return FunctionToolset([remember, recall])


@contextmanager
def _for_the_model() -> Iterator[None]:
    """Tell the model the fault of its call, so that it can call otherwise."""
    try:
        yield
    except InputError as exc:
        raise ModelRetry(str(exc)) from exc


def _entry(message: ModelMessage, dumped: Any) -> RecordEntry:  # noqa: ANN401 - JSON
    if isinstance(message, ModelResponse):
        role = "assistant"
    else:
        role = "user" if any(isinstance(p, UserPromptPart) for p in message.parts) else "tool"
    # Results of tools stand beside other parts as well, whose author must not vouch for them.
    told = any(isinstance(part, BaseToolReturnPart) for part in message.parts)
    return RecordEntry(
        value=dumped, text=_spoken(message), label=f"({message.kind})", role=role,
        origin="tool" if told else None,
    )  # fmt: skip


def _spoken(message: ModelMessage) -> str:
    """Return the texts of a message."""
    return "\n".join(line for part in message.parts for line in _said(part))


def _said(part: object) -> Iterator[str]:
    """Yield the texts of a part for later readers: instructions and thoughts are left out."""
    match part:
        case UserPromptPart():
            yield from _texts(part.content)
        case TextPart():
            yield part.content
        case BaseToolCallPart():
            yield call(part.tool_name, part.args or "")
        case BaseToolReturnPart():
            yield from _texts(part.content)


def _texts(content: object) -> Iterator[str]:
    """Yield the texts of what a prompt or a tool hands over."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, Sequence) and not isinstance(content, bytes):
        for item in content:
            yield from _texts(getattr(item, "content", item))
    elif content is not None and not hasattr(content, "media_type"):  # no picture, no file
        yield call("", content)
