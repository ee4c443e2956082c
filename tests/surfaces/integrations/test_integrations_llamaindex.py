"""The memory and the memory block for LlamaIndex, with its own agents and memory."""

import asyncio
import json
import pickle

import pytest
from llama_index.core.agent.workflow import FunctionAgent, ReActAgent
from llama_index.core.base.llms.types import (
    AudioBlock,
    CachePoint,
    ChatMessage,
    ChatResponse,
    CitableBlock,
    CitationBlock,
    DocumentBlock,
    ImageBlock,
    MessageRole,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)
from llama_index.core.llms import MockLLM
from llama_index.core.memory import Memory as LlamaMemory
from llama_index.core.workflow import Context, JsonPickleSerializer, JsonSerializer
from pydantic import Field
from workflows.context.state_store import UnserializableKeyWarning

from hippocampus.errors import InputError
from hippocampus.integrations.llamaindex import HippocampusMemory, HippocampusMemoryBlock
from hippocampus.upkeep import find_residue

KINDS = [
    ChatMessage("You are terse.", role="system"),
    ChatMessage("Hello, I am Ada.", role="user", additional_kwargs={"a": {"b": [1, None]}}),
    ChatMessage(
        role="user",
        blocks=[
            TextBlock(text="What is this?"),
            ImageBlock(image=b"hi", image_mimetype="image/png"),
            AudioBlock(url="https://example.org/a.mp3"),
            DocumentBlock(data=b"%PDF", document_mimetype="application/pdf", title="A"),
            CachePoint(cache_control={"type": "ephemeral"}),
        ],
    ),
    ChatMessage(
        role="assistant",
        blocks=[
            ThinkingBlock(content="Łódź?"),
            ToolCallBlock(tool_call_id="c", tool_name="weather", tool_kwargs={"city": "Łódź"}),
        ],
    ),
    ChatMessage("12 °C", role="tool", additional_kwargs={"tool_call_id": "c"}),
    ChatMessage(
        role="assistant",
        blocks=[
            CitableBlock(title="t", source="s", content=[TextBlock(text="It is 12 °C.")]),
            CitationBlock(
                title="t",
                source="s",
                cited_content=TextBlock(text="12"),
                additional_location_info={},
            ),
        ],
    ),
    ChatMessage("", role="user"),
    ChatMessage(role="chatbot"),
    ChatMessage("nul \x00 and <memory>", role="function"),
]


@pytest.fixture
def talk(bank):
    return HippocampusMemory(bank=bank, session="talk")


def texts(messages):
    return [message.content for message in messages]


def test_messages_of_every_kind_come_back_as_they_were_also_after_a_restart(open_memory):
    with open_memory() as memory:
        HippocampusMemory(bank=memory.bank("ada"), session="talk").put_messages(KINDS)
    with open_memory() as memory:
        back = HippocampusMemory.from_defaults(bank=memory.bank("ada"), session="talk").get_all()

    assert KINDS == back


def test_messages_are_memories_of_their_bank(talk, bank):
    talk.put_messages(KINDS)

    episodes = bank.episodes(session="talk")
    roles = "system user user assistant tool assistant user assistant tool".split()
    assert roles == [episode.role for episode in episodes]
    assert 'weather({"city": "Łódź"})' == episodes[3].text


def test_the_last_messages_are_returned_as_they_were_after_what_is_recalled(talk, bank):
    bank.remember("Ada moved to Lisbon.", session="last week")
    talk.put_messages(
        [ChatMessage("Good morning", role="user"), ChatMessage("Hi", role="assistant")]
    )
    talk.put(ChatMessage("Where does Ada live?", role="user"))

    known, *last = talk.get()
    assert MessageRole.SYSTEM == known.role
    assert "Ada moved to Lisbon." in known.content
    assert "Good morning" not in known.content, "it is there as it was"
    assert ["Good morning", "Hi", "Where does Ada live?"] == texts(last)
    assert "flat" not in talk.get(input="The flat tyre?")[0].content
    assert last == HippocampusMemory(bank=bank, session="talk", budget_tokens=0).get()
    hidden = HippocampusMemory(bank=bank, session="talk", filters={"where": {"kind": "note"}})
    assert last == hidden.get()


@pytest.mark.slow
def test_older_messages_that_make_room_are_recalled(bank):
    talk = HippocampusMemory(bank=bank, session="talk", recent_tokens=60)
    talk.put(ChatMessage("The key is under the flowerpot.", role="user"))
    for n in range(40):
        talk.put(ChatMessage(f"Something else, number {n}", role="user"))
        talk.put(ChatMessage(f"Interesting, number {n}", role="assistant"))
    talk.put(ChatMessage("Where is the key?", role="user"))

    known, *last = talk.get()
    assert "The key is under the flowerpot." in known.content
    assert 2 < len(last) < 12
    assert MessageRole.USER == last[0].role
    assert last == talk.get_all()[-len(last) :]


def test_a_message_longer_than_the_room_is_returned_nevertheless(bank):
    talk = HippocampusMemory(bank=bank, session="talk", recent_tokens=10, budget_tokens=0)
    talk.put_messages([ChatMessage("Hello", role="user"), ChatMessage("long " * 900, role="user")])

    assert ["long " * 900] == texts(talk.get())


def test_a_result_of_a_tool_is_never_returned_without_its_question(bank):
    talk = HippocampusMemory(bank=bank, session="talk", recent_tokens=10, budget_tokens=0)
    turn = [
        ChatMessage("How warm is it?", role="user"),
        KINDS[3],
        ChatMessage("12 °C " * 20, role="tool"),
    ]
    talk.put_messages([ChatMessage("Hello", role="user"), *turn])

    assert turn == talk.get()


@pytest.mark.parametrize("calls", [3, 16, 40, 150])
def test_a_run_of_calls_however_long_begins_with_its_question(bank, calls):
    talk = HippocampusMemory(bank=bank, session="talk", recent_tokens=60, budget_tokens=0)
    talk.put_messages([ChatMessage("Hello.", role="user"), ChatMessage("Hi.", role="assistant")])
    made = [ChatMessage("Plan my trip.", role="user")]
    for number in range(calls):
        call = ToolCallBlock(tool_call_id=str(number), tool_name="find", tool_kwargs={})
        result = {"tool_call_id": str(number)}
        made += [
            ChatMessage(role="assistant", blocks=[call]),
            ChatMessage("word " * 20, role="tool", additional_kwargs=result),
        ]
    talk.put_messages(made)

    assert made == talk.get()


def test_messages_that_were_set_can_be_reset(talk, bank):
    talk.put(ChatMessage("old", role="user"))
    talk.set([ChatMessage("new", role="user"), ChatMessage("newer", role="user")])
    assert ["new", "newer"] == texts(talk.get_all())
    talk.reset()
    assert [] == talk.get() == talk.get_all()
    assert [] == bank.episodes()


@pytest.mark.parametrize("erase", [False, True])
def test_what_is_reset_leaves_the_file_if_that_is_wanted(bank, path, erase):
    talk = HippocampusMemory(bank=bank, session="talk", erase=erase)
    talk.put(ChatMessage("The password is xylophone.", role="user"))
    talk.reset()

    files = [path, path.with_name(f"{path.name}-wal")]
    assert erase is not bool(find_residue(files, "xylophone"))


def test_it_is_awaited_as_well(talk):
    async def main():
        await talk.aput(ChatMessage("Hello", role="user"))
        await talk.aput_messages([ChatMessage("Hi", role="assistant")])
        return texts(await talk.aget()), texts(await talk.aget_all())

    assert (["Hello", "Hi"], ["Hello", "Hi"]) == asyncio.run(main())


class Scripted(MockLLM):
    """A model that says how many messages it was shown, and notes them."""

    shown: list = Field(default_factory=list)

    @property
    def metadata(self):
        return super().metadata.model_copy(update={"is_function_calling_model": True})

    async def astream_chat_with_tools(self, *_, chat_history=None, **__):
        self.shown.append(list(chat_history))

        async def answers():
            text = f"I see {len(chat_history)} messages."
            yield ChatResponse(message=ChatMessage(text, role="assistant"), delta=text)

        return answers()

    def get_tool_calls_from_response(self, *_, **__):
        return []


@pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecationWarning")  # their use
def test_an_agent_goes_on_where_it_was_knowing_what_it_heard_elsewhere(bank):
    bank.remember("Ada moved to Lisbon.", session="last week")
    model = Scripted()

    def ask(text):
        async def main():
            agent = FunctionAgent(llm=model, tools=[])
            return await agent.run(text, memory=HippocampusMemory(bank=bank, session="talk"))

        return str(asyncio.run(main()))

    ask("Where does Ada live?")
    ask("And since when?")

    assert "Ada moved to Lisbon." in model.shown[0][0].content
    said = [message.content for message in model.shown[-1] if message.role == MessageRole.USER]
    assert ["Where does Ada live?", "And since when?"] == said


def test_as_a_block_it_recalls_what_has_left_the_queue(bank):
    async def main():
        memory = LlamaMemory.from_defaults(
            session_id="talk",
            token_limit=200,
            token_flush_size=40,
            memory_blocks=[HippocampusMemoryBlock(bank=bank, budget_tokens=100)],
        )
        await memory.aput(ChatMessage("The key is under the flowerpot.", role="user"))
        for n in range(30):
            await memory.aput(ChatMessage(f"Something else, number {n}", role="user"))
            await memory.aput(ChatMessage(f"Interesting, number {n}", role="assistant"))
        await memory.aput(ChatMessage("Where is the key?", role="user"))
        shown = await memory.aget()
        await memory.sql_store._async_engine.dispose()
        return shown

    shown = asyncio.run(main())
    assert "The key is under the flowerpot." in shown[0].content
    assert "The key is under the flowerpot." not in texts(shown[1:])
    assert {"talk"} == {episode.session for episode in bank.episodes()}


def test_a_block_knows_nothing_before_anybody_asks(bank):
    block = HippocampusMemoryBlock(bank=bank)
    bank.remember("Ada moved to Lisbon.")

    assert "" == asyncio.run(block.aget([]))
    assert "" == asyncio.run(block.aget([ChatMessage("Hi", role="assistant")]))
    assert "Lisbon" in asyncio.run(block.aget([ChatMessage("Where is Ada?", role="user")]))


def test_a_picture_counts_as_many_tokens_as_llamaindex_counts_for_one(bank):
    talk = HippocampusMemory(bank=bank, session="talk", recent_tokens=300, budget_tokens=0)
    picture = ImageBlock(image=b"hi", image_mimetype="image/png")
    seen = [ChatMessage(role="user", blocks=[TextBlock(text=n), picture]) for n in "abc"]
    talk.put_messages(seen)

    assert [seen[-1].content] == [message.content for message in talk.get()]
    talk.recent_tokens = 600
    assert [one.content for one in seen[1:]] == [message.content for message in talk.get()]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # their use
@pytest.mark.parametrize("serializer", [JsonSerializer, JsonPickleSerializer])
def test_a_saved_workflow_goes_on_with_a_memory_that_is_handed_in_again(bank, serializer):
    async def ask():
        talk = HippocampusMemory(bank=bank, session="s")
        agent = ReActAgent(llm=MockLLM(max_tokens=20), tools=[])
        context = Context(agent)
        await agent.run("hello", ctx=context, memory=talk)
        with pytest.warns(UnserializableKeyWarning, match="memory"):
            saved = json.loads(json.dumps(context.to_dict(serializer=serializer())))
        again = Context.from_dict(agent, saved, serializer=serializer())
        await agent.run("again", ctx=again, memory=talk)
        return [m.content for m in talk.get_all() if m.role == "user"]

    assert ["hello", "again"] == asyncio.run(ask())


def test_a_pickle_is_refused_and_takes_nothing_from_the_memory(bank):
    talk = HippocampusMemory(bank=bank, session="s")
    talk.put(ChatMessage("Hello.", role="user"))
    with pytest.raises(InputError, match="cannot be serialised"):
        pickle.dumps(talk)
    assert ["Hello."] == [message.content for message in talk.get()]
