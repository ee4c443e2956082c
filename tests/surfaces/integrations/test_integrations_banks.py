"""The banks and messages that adapters take: every kind of them, and nothing else."""

import asyncio
import copy
from datetime import UTC, datetime

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from llama_index.core.base.llms.types import ToolCallBlock
from llama_index.core.llms import ChatMessage
from pydantic_ai.messages import ModelRequest, UserPromptPart

from hippocampus import AsyncMemory
from hippocampus.errors import InputError, InvalidFilter
from hippocampus.integrations.langchain import HippocampusChatMessageHistory, HippocampusRetriever
from hippocampus.integrations.langgraph import HippocampusStore
from hippocampus.integrations.llamaindex import HippocampusMemory, HippocampusMemoryBlock
from hippocampus.integrations.openai_agents import HippocampusSession
from hippocampus.integrations.pydantic_ai import HippocampusHistory, memory_toolset, recalled

ADAPTERS = {
    "store": HippocampusStore,
    "chat history": lambda bank: HippocampusChatMessageHistory(bank, "s"),
    "retriever": lambda bank: HippocampusRetriever(bank=bank),
    "memory": lambda bank: HippocampusMemory(bank=bank, session="s"),
    "block": lambda bank: HippocampusMemoryBlock(bank=bank),
    "session": lambda bank: HippocampusSession("s", bank),
    "history": lambda bank: HippocampusHistory(bank, "s"),
    "instructions": recalled,
    "toolset": memory_toolset,
}


@pytest.mark.parametrize("adapter", ADAPTERS)
@pytest.mark.parametrize("given", ["ada", None, "memory"])
def test_what_is_no_bank_is_refused_at_once(adapter, given, memory):
    with pytest.raises((InputError, ValueError), match="give a bank, such as"):
        ADAPTERS[adapter](memory if given == "memory" else given)


def test_the_bank_of_an_asynchronous_memory_will_do():
    async def main():
        async with AsyncMemory(":memory:", embedder="none") as memory:
            bank = memory.bank("ada")
            session = HippocampusSession("s", bank)
            await session.add_items([{"role": "user", "content": "I like tea."}])
            await HippocampusStore(bank).aput(("u",), "k", {"text": "tea"})
            history = HippocampusChatMessageHistory(bank, "t")
            await history.aadd_messages([HumanMessage("Hello.")])
            found = await HippocampusRetriever(bank=bank).ainvoke("tea")
            return len(await session.get_items()), len(found) > 0

    assert (1, True) == asyncio.run(main())


def nested(depth):
    value = "Hello."
    for _ in range(depth):
        value = [value]
    return value


def test_a_message_that_cannot_be_json_is_refused_as_one(bank):
    deep = {"name": "find", "args": {"in": nested(5000)}, "id": "1"}
    block = ToolCallBlock(tool_call_id="1", tool_name="find", tool_kwargs=deep["args"])
    session = HippocampusSession("s", bank)
    history, talk = (
        HippocampusChatMessageHistory(bank, "t"),
        HippocampusMemory(bank=bank, session="m"),
    )
    for add in (
        lambda: asyncio.run(session.add_items([{"role": "user", "content": nested(5000)}])),
        lambda: history.add_messages([AIMessage("Hello.", tool_calls=[deep])]),
        lambda: talk.put(ChatMessage(role="assistant", blocks=[block])),
        lambda: talk.put(ChatMessage("Hello.", additional_kwargs={"of": object()})),
        lambda: asyncio.run(
            HippocampusMemoryBlock(bank=bank).aput(
                [ChatMessage("Hello.", additional_kwargs={"of": object()})]
            )
        ),
    ):
        with pytest.raises(InputError, match="nothing was stored"):
            add()
    assert [] == bank.episodes()


@pytest.mark.parametrize(
    "given",
    ["Hello.", ["Hello."], None, [("human", "Hello.")], [5], HumanMessage("Hello."),
     ChatMessage("Hello."), ModelRequest(parts=[UserPromptPart("Hello.")]), {"role": "user"}],
    ids=lambda given: f"{given!r:.20}",
)  # fmt: skip
def test_what_is_no_list_of_messages_is_refused_by_what_it_is(bank, given):
    adds = [
        HippocampusChatMessageHistory(bank, "s").add_messages,
        HippocampusMemory(bank=bank, session="s").put_messages,
        lambda items: asyncio.run(HippocampusSession("s", bank).add_items(items)),
        HippocampusHistory(bank, "s").add,
    ]
    for add in adds:
        with pytest.raises(InputError, match="give a"):
            add(given)
    assert [] == bank.episodes()


def test_an_item_of_an_odd_role_is_kept(bank):
    session = HippocampusSession("s", bank)
    asyncio.run(session.add_items([{"role": 5, "content": 7}]))
    assert [{"role": 5, "content": 7}] == asyncio.run(session.get_items())


@pytest.mark.parametrize("ttl", [{"default": 60}, 60, "60"])
def test_a_time_to_live_that_is_misspelled_is_refused(bank, ttl):
    with pytest.raises(InputError, match="ttl"):
        HippocampusStore(bank, ttl=ttl)


@pytest.mark.parametrize("adapter", ["store", "retriever", "memory"])
def test_a_copy_is_about_the_same_memories(adapter, bank):
    bank.remember("Ada moved to Lisbon.")
    adapted = ADAPTERS[adapter](bank)
    assert copy.deepcopy(bank) is bank
    copied = copy.deepcopy(adapted)
    assert bank is (copied._bank if adapter == "store" else copied.bank)


@pytest.mark.parametrize("odd", [datetime(2026, 1, 1, tzinfo=UTC), {1}, b"x", float("nan")])
def test_a_value_that_is_no_json_is_refused_by_its_key(bank, odd):
    with pytest.raises(InputError, match=r"value\['d'\] cannot be kept as JSON"):
        HippocampusStore(bank).put(("u",), "k", {"a": 1, "d": {"e": odd}})
    assert [] == bank.episodes()


@pytest.mark.parametrize("given", [{"i": {"$foo": 1}}, {"$or": [{"i": {"$foo": 1}}]}])
def test_a_filter_is_refused_by_the_name_that_it_was_given(bank, given):
    store = HippocampusStore(bank)
    for query in (None, "tea"):
        with pytest.raises(InvalidFilter, match=r"^filter\['i'\]\['\$foo'\]: no such operator"):
            store.search(("u",), query=query, filter=given)
