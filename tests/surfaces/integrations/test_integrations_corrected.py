"""Memories that somebody corrects, and what frameworks read of them afterwards."""

import asyncio
import time

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from llama_index.core.llms import ChatMessage
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart

from hippocampus.integrations._corrected import reworded
from hippocampus.integrations.langchain import HippocampusChatMessageHistory
from hippocampus.integrations.langgraph import HippocampusStore
from hippocampus.integrations.llamaindex import HippocampusMemory
from hippocampus.integrations.openai_agents import HippocampusSession
from hippocampus.integrations.pydantic_ai import HippocampusHistory


def langchain(bank):
    history = HippocampusChatMessageHistory(bank, "s")
    return lambda *said: history.add_messages([HumanMessage(one) for one in said]), (
        lambda: [message.content for message in history.messages]
    )


def llamaindex(bank):
    memory = HippocampusMemory(bank=bank, session="s")
    return lambda *said: memory.put_messages([ChatMessage(one, role="user") for one in said]), (
        lambda: [message.content for message in memory.get_all()]
    )


def openai_agents(bank):
    session = HippocampusSession("s", bank)

    def add(*said):
        items = [{"role": "user", "content": [{"type": "input_text", "text": s}]} for s in said]
        asyncio.run(session.add_items(items))

    return add, lambda: [item["content"][0]["text"] for item in asyncio.run(session.get_items())]


def pydantic_ai(bank):
    history = HippocampusHistory(bank, "s")

    def add(*said):
        history.add([ModelRequest(parts=[UserPromptPart(one)]) for one in said])

    return add, lambda: [message.parts[0].content for message in history.messages()]


@pytest.mark.parametrize("door", [langchain, llamaindex, openai_agents, pydantic_ai])
def test_a_corrected_message_says_what_is_so(door, bank):
    add, read = door(bank)
    long = "  " + " ".join(f"I walked for {n} days." for n in range(100))
    add("my pin is 4711", "The user likes tea.", long)
    pin, tea, *walk = bank.episodes()
    bank.correct(bank.correct(pin.id, "my pin is 5555").id, "my pin is 9999")
    bank.correct(tea.id, "I never drank any.")
    bank.correct(walk[-1].id, walk[-1].text.replace("I walked", "We ran", 1))
    bank.correct(walk[0].id, walk[0].text.replace("I walked", "We sat", 1))

    pin, tea, walked = read()
    assert ("my pin is 9999", "I never drank any.") == (pin, tea)
    assert walked.startswith("  We sat for 0 days. I walked")
    assert 1 == walked.count("We ran")
    assert len(long) - 2 * len("I walked") + len("We sat") + len("We ran") == len(walked)


def test_a_corrected_call_has_the_corrected_argument(bank):
    history = HippocampusChatMessageHistory(bank, "s")
    call = {"name": "weather", "args": {"city": "Rome", "days": 3}, "id": "c"}
    history.add_messages([AIMessage("I will look.", tool_calls=[call])])
    (kept,) = bank.episodes()
    bank.correct(kept.id, kept.text.replace("Rome", "Milan").replace("I will", "Let me"))
    (message,) = history.messages
    assert "Let me look." == message.content
    assert {"city": "Milan", "days": 3} == message.tool_calls[0]["args"]


def test_a_corrected_item_has_what_is_so_in_its_value(bank):
    store = HippocampusStore(bank)
    store.put(("u",), "k", {"text": "to be corrected", "cups": 3})
    (kept,) = bank.episodes()
    bank.correct(kept.id, kept.text.replace("to be", "was"))
    assert {"text": "was corrected", "cups": 3} == store.get(("u",), "k").value
    assert {"text": "was corrected", "cups": 3} == store.search(("u",), query="corrected")[0].value
    store.put(("u",), "k", {"text": "put anew"})
    assert {"text": "put anew"} == store.get(("u",), "k").value


@pytest.mark.parametrize(
    ("value", "old", "new", "made"),
    [
        ({"text": "to be corrected"}, "text: to be corrected", "was corrected",
         {"text": "was corrected"}),
        ({"a": "x", "n": 3}, "a: x\nn: 3", "a: x\nn: 4", {"a": "x", "n": 4}),
        ({"a": "tea", "b": "milk"}, "a: tea\nb: milk", "water", {"a": "water", "b": ""}),
        ({"type": "human", "content": "the human"}, "the human", "a human",
         {"type": "human", "content": "a human"}),
        ({"content": ["tea", "milk"]}, "tea\nmilk", "tea\nmilk and honey",
         {"content": ["tea", "milk and honey"]}),
        ({"content": ""}, "(no text)", "a word", {"content": ""}),
        ({"content": [{"text": "cocoa"}, {"text": "papaya"}]}, "cocoa\npapaya", "vanilla",
         {"content": [{"text": "vanilla"}, {"text": ""}]}),
        ({"content": ["cocoa", "papaya", "fig"]}, "cocoa papaya\nfig", "lava\nfig",
         {"content": ["lava", "", "fig"]}),
        ({"a": "tea", "b": "milk"}, "a: tea\nb: milk", "a: tea\nb: milk\nand ice",
         {"a": "tea", "b": "milk\nand ice"}),
        ({"hot": True, "a": "tea"}, "hot: True\na: tea", "hot: False\na: tea",
         {"hot": False, "a": "tea"}),
        ({"hot": True, "n": 3}, "hot: True\nn: 3", "hot: a bit\nn: some", {"hot": True, "n": 3}),
        ({"n": 3, "a": "tea"}, "n: 3\na: tea", "It was milk", {"n": 3, "a": "It was milk"}),
    ],
)  # fmt: skip
def test_a_correction_is_put_where_the_old_words_were(value, old, new, made):
    assert made == reworded(value, old, new)


def test_a_correction_of_an_answer_leaves_its_other_parts(bank):
    history = HippocampusHistory(bank, "s")
    history.add([ModelResponse(parts=[TextPart("It rains."), TextPart("Take a coat.")])])
    (kept,) = bank.episodes()
    bank.correct(kept.id, "It snows.\nTake a coat.")
    assert ["It snows.", "Take a coat."] == [p.content for p in history.messages()[0].parts]


@pytest.mark.parametrize("said", ["just as before", "{} cups"])
@pytest.mark.parametrize("told", [0, 4000])
def test_many_parts_are_placed_in_one_reading(said, told):
    parts = [said.format(n) for n in range(4000)]
    text = "\n".join(parts[-told:] if told else ["no word of it"] * 4000)
    began = time.perf_counter()
    made = reworded({"content": parts}, text, f"{text}, Sam")
    assert time.perf_counter() - began < 1
    assert {"content": [*parts[:-1], parts[-1] + (", Sam" if told else "")]} == made
