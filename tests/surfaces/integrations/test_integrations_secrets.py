"""Secrets in what frameworks hand over: hidden in every text, with messages and names intact."""

import asyncio
import json

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from llama_index.core.llms import ChatMessage
from pydantic_ai.messages import ModelRequest, ModelResponse, ToolCallPart, UserPromptPart

from hippocampus import Config, Memory, Secrets
from hippocampus.encryption import Key
from hippocampus.errors import SecretRefused
from hippocampus.integrations.langchain import HippocampusChatMessageHistory
from hippocampus.integrations.langgraph import HippocampusStore
from hippocampus.integrations.llamaindex import HippocampusMemory
from hippocampus.integrations.mem0 import Memory as LikeMem0
from hippocampus.integrations.openai_agents import HippocampusSession
from hippocampus.integrations.pydantic_ai import HippocampusHistory

QUOTED = 'She said "my password: hunter2!X"\nnext line'
ARGUMENTS = {"user": "ada", "password": "Sommer!2024"}
TEXT = json.dumps(ARGUMENTS)


def opened(write):
    vault = {"vault": Key.passphrase("seven quiet llamas at dawn")} if write == "vault" else {}
    config = Config(secrets=Secrets(write=write))
    return Memory(":memory:", embedder="none", config=config, **vault)


def langchain(bank):
    history = HippocampusChatMessageHistory(bank, "s")
    calls = [{"name": "login", "args": ARGUMENTS, "id": "call_4111111111111111"}]
    return history.add_messages, [HumanMessage(QUOTED), AIMessage("", tool_calls=calls)], (
        lambda: [(m.content, getattr(m, "tool_calls", [])) for m in history.messages]
    )  # fmt: skip


def llamaindex(bank):
    memory = HippocampusMemory(bank=bank, session="s")
    calls = [{"id": "call_4111111111111111", "function": {"name": "login", "arguments": TEXT}}]
    said = [
        ChatMessage(QUOTED, role="user"),
        ChatMessage(role="assistant", content="", additional_kwargs={"tool_calls": calls}),
    ]
    return memory.put_messages, said, lambda: [m.model_dump() for m in memory.get_all()]


def openai_agents(bank):
    session = HippocampusSession("s", bank)
    called = {"type": "function_call", "call_id": "call_4111111111111111", "name": "login"}
    said = [{"role": "user", "content": QUOTED}, called | {"arguments": TEXT}]
    return (
        lambda items: asyncio.run(session.add_items(items)),
        said,
        lambda: asyncio.run(session.get_items()),
    )


def pydantic_ai(bank):
    history = HippocampusHistory(bank, "s")
    said = [
        ModelRequest(parts=[UserPromptPart(QUOTED)]),
        ModelResponse(parts=[ToolCallPart("login", TEXT, "call_4111111111111111")]),
    ]
    return history.add, said, history.messages


DOORS = [langchain, llamaindex, openai_agents, pydantic_ai]


@pytest.mark.parametrize("door", DOORS)
def test_every_message_comes_back_without_its_secrets(door):
    with opened("redact") as memory:
        bank = memory.bank("ada")
        add, said, read = door(bank)
        add(said)
        told = repr(read())
        kept = repr([(episode.text, episode.metadata) for episode in bank.episodes()])
    assert "hunter2" not in told + kept
    assert "Sommer" not in told + kept
    assert 'my password: [password]"\\nnext line' in told.replace('\\\\"', '"').replace("\\'", "'")
    assert "call_4111111111111111" in told
    assert "ada" in told


@pytest.mark.parametrize("door", DOORS)
def test_a_call_with_a_secret_is_refused_where_secrets_are(door):
    with opened("refuse") as memory:
        bank = memory.bank("ada")
        add, said, _ = door(bank)
        with pytest.raises(SecretRefused):
            add(said[1:])
        assert [] == bank.episodes()


@pytest.mark.parametrize("write", ["redact", "vault"])
def test_items_whose_keys_look_like_secrets_stay_apart(write):
    keys = ["lena@example.com", "paul@example.com", "4111111111111111", "5500005555555559"]
    with opened(write) as memory:
        store = HippocampusStore(memory.bank("ada"))
        for place, key in enumerate(keys):
            store.put(("u", key.replace(".", "-")), key, {"n": place})
        for place, key in enumerate(keys):
            assert {"n": place} == store.get(("u", key.replace(".", "-")), key).value
        store.delete(("u", "lena@example-com"), "lena@example.com")
        assert sorted(keys[1:]) == sorted(item.key for item in store.search(("u",)))


def test_users_whose_ids_are_addresses_stay_apart_in_mem0():
    options = {"path": ":memory:", "embedder": "none"}
    options["config"] = Config(secrets=Secrets(write="redact"))
    owner = {"agent_id": "bot@example.com", "run_id": "r@example.com"}
    with LikeMem0({"hippocampus": options}) as memory:
        memory.add("I like tea.", user_id="lena@example.com", **owner)
        memory.add("My password is Sommer!2024.", user_id="paul@example.com")
        (lenas,) = memory.get_all(user_id="lena@example.com", run_id="r@example.com")["results"]
        (pauls,) = memory.get_all(user_id="paul@example.com")["results"]
    assert ("I like tea.", "lena@example.com") == (lenas["memory"], lenas["user_id"])
    assert owner == {key: lenas[key] for key in owner}
    assert "My password is [password]." == pauls["memory"]
