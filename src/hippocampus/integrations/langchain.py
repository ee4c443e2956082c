"""A LangChain retriever over a bank, and a chat history that is kept in one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from hippocampus.bank import Bank
from hippocampus.core.optional import require
from hippocampus.core.records import Hit
from hippocampus.integrations._banks import as_bank
from hippocampus.integrations._recall import told
from hippocampus.integrations._records import (
    FrameworkHistory,
    RecordEntry,
    call,
    checked_messages,
    entries_of,
)

require("langchain_core", extra="langchain", feature="the LangChain retriever and chat history")
from langchain_core.callbacks import (  # noqa: E402 - now that it is known to be there
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.chat_history import BaseChatMessageHistory  # noqa: E402
from langchain_core.documents import Document  # noqa: E402
from langchain_core.messages import (  # noqa: E402
    AIMessage,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    message_to_dict,
    messages_from_dict,
)
from langchain_core.retrievers import BaseRetriever  # noqa: E402
from pydantic import Field, PlainValidator  # noqa: E402

_ROLES: Final = {"human": "user", "ai": "assistant", "function": "tool"}


class HippocampusRetriever(BaseRetriever):
    """
    Recalls from a bank: a document for each hit, best first.

    A document's ``page_content`` is the memory's text, its ``id`` the episode's, and its metadata
    say how sure the bank is (``score``), when it was said and by whom, and where it comes from.
    """

    bank: Annotated[Bank, PlainValidator(as_bank)] = Field(exclude=True)
    k: int = 10
    """Most documents to return; ``invoke(query, k=…)`` has its own."""
    least_score: float = 0.0
    """Leave out hits that score less, in [0, 1]."""
    filters: Mapping[str, Any] = Field(default_factory=dict)
    """
    Filters of every recall, as ``Bank.recall`` takes them: ``{"session": "trip"}``.

    What reads like an order to a model is left out, unless ``suspects`` says otherwise.
    """

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 - the contract's
        k: int | None = None,
    ) -> list[Document]:
        filters = dict(self.filters)
        if filters.get("suspects") is None:  # documents are read by a model, and bear no mark
            filters["suspects"] = "hide"
        found = told(self.bank.recall(query, self.k if k is None else k, **filters))
        return [_document(hit) for hit in found if hit.score >= self.least_score]

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        k: int | None = None,
    ) -> list[Document]:
        return await asyncio.to_thread(
            self._get_relevant_documents, query, run_manager=run_manager.get_sync(), k=k
        )


def _document(hit: Hit) -> Document:
    episode = hit.episode
    return Document(
        id=hit.id,
        page_content=hit.text,
        metadata={
            "score": hit.score, "occurred_at": episode.occurred_at.isoformat(),
            "speaker": episode.speaker,
            "role": episode.role, "session": episode.session, "source": episode.source,
            "address": hit.address, "metadata": dict(episode.metadata),
        },
    )  # fmt: skip


class HippocampusChatMessageHistory(FrameworkHistory, BaseChatMessageHistory):
    """The messages of one LangChain conversation, of every kind, in a bank that recalls them."""

    kind = "langchain"

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # read from the bank
        """The messages, in order."""
        return messages_from_dict(self._history.values())

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """
        Append messages, all or none.

        Raises:
            InputError: one is no message, or holds what JSON does not, such as an artifact that is
                an object of no model.

        """
        self._history.add(entries_of(checked_messages(messages, BaseMessage), _entry))


def _entry(message: BaseMessage) -> RecordEntry:
    said = [str(message.text)]
    if isinstance(message, AIMessage):
        said += [call(one["name"], one["args"]) for one in message.tool_calls]
    role = message.role if isinstance(message, ChatMessage) else message.type
    # Parts of a streamed message have types of their own, such as "AIMessageChunk".
    role = role.removesuffix("MessageChunk").lower()
    # The name of a function is nobody who speaks.
    name = None if isinstance(message, FunctionMessage) else message.name
    return RecordEntry(
        value=message_to_dict(message), text="\n".join(filter(None, said)),
        role=_ROLES.get(role, role), speaker=name or None,
    )  # fmt: skip
