"""Chat messages as programs have them are remembered as turns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus import Memory, Turn
from hippocampus.errors import InputError, UnknownArgument
from hippocampus.testing import HashEmbedder

WORDS = st.text(st.characters(codec="utf-8"), min_size=1).filter(str.strip)


@pytest.fixture
def bank(open_memory):
    return open_memory(":memory:", embedder=HashEmbedder()).bank("ada")


@given(role=st.sampled_from(["user", "assistant", "system", "my own"]), words=WORDS)
def test_a_message_says_what_a_turn_of_its_role_says(role, words):
    with Memory(":memory:", embedder="none") as memory:
        made = memory.bank("ada").remember({"role": role, "content": words}, at="2025-03-01")
        again = memory.bank("ada").remember(words, role=role, at="2025-03-01")
    assert (made.role, made.id) == (role, again.id)


def test_a_conversation_is_kept_as_a_program_sends_it(bank):
    kept = bank.remember_many(
        [
            {"role": "system", "content": "You are helpful."},
            {"role": "user", "name": "Ada", "content": "What is the weather in Porto?"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "weather", "arguments": '{"city": "Porto"}'},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "call_1", "content": "18 degrees"},
            {"role": "assistant", "content": "It is 18 degrees."},
        ],
        session="chat-1",
    )

    assert [(one.role, one.text) for one in kept] == [
        ("system", "You are helpful."),
        ("user", "What is the weather in Porto?"),
        ("assistant", 'weather({"city": "Porto"})'),
        ("tool", "18 degrees"),
        ("assistant", "It is 18 degrees."),
    ]
    assert {one.session for one in kept} == {"chat-1"}
    assert kept[1].speaker == "Ada"
    assert kept[3].metadata == {"tool_call_id": "call_1"}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ([{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}], "One.\nTwo."),
        (["One.", {"type": "input_text", "text": "Two."}], "One.\nTwo."),
        ([{"type": "image_url", "image_url": {}}, {"type": "text", "text": "A cat."}], "A cat."),
        ([{"type": "tool_use", "name": "add", "input": {"a": 1}}], 'add({"a": 1})'),
        ([{"type": "tool_result", "content": [{"type": "text", "text": "2"}]}], "2"),
    ],
)
def test_the_words_of_a_messages_parts_are_kept(bank, content, words):
    assert bank.remember({"role": "user", "content": content}).text == words


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ({"role": "user"}, r"a message without content \(it has role\)"),
        ({"content": "Hello."}, "role=None: a message has one"),
        ({"role": "user", "content": 5}, "content=5: must be text or a list of parts"),
        ({"role": "user", "content": " "}, "has no words"),
        ({"role": "user", "content": [{"type": "image_url"}]}, "parts of type image_url"),
        ({"role": "assistant", "tool_calls": [{"id": "x"}]}, "calls nothing"),
        ({"role": "assistant", "tool_calls": ["x"]}, "'x' is no call"),
        ({"role": "tool", "content": "x", "tool_call_id": "1", "metadata": 3}, "metadata must be"),
        ({}, "it has nothing"),
    ],
)
def test_a_message_that_says_nothing_is_refused_with_what_it_has(bank, message, told):
    for call in (bank.remember, lambda one: bank.remember_many([one])):
        with pytest.raises(InputError, match=told):
            call(message)
    assert bank.name not in bank.state.engine.store.banks.names()


@pytest.mark.parametrize(
    ("message", "meant"),
    [
        ({"role": "user", "content": "x", "timestamp": 5}, "at"),
        ({"text": "x", "session_id": "s"}, "session"),
    ],
)
def test_a_field_that_is_none_leads_to_the_one_that_is_meant(bank, message, meant):
    with pytest.raises(UnknownArgument, match=f"; give {meant}\\b"):
        bank.remember_many([message])


def test_what_a_call_says_goes_before_what_a_message_has(bank):
    message = {"role": "user", "content": "Hello.", "at": "2025-03-01", "session": "a"}

    kept = bank.remember(message, role="assistant", session="b")

    assert (kept.role, kept.session, kept.occurred_at.year) == ("assistant", "b", 2025)
    (many,) = bank.remember_many([message | {"content": "Bye."}], session="b")
    assert many.session == "a", "the session of a call is for those that name none"


def test_a_turn_may_be_given_by_its_fields(bank):
    (kept,) = bank.remember_many([{"text": "Hello.", "speaker": "Ada", "at": "2025-03-01"}])

    assert kept == bank.remember_many([Turn(text="Hello.", speaker="Ada", at="2025-03-01")])[0]


@pytest.mark.parametrize("several", [
    [{"role": "user", "content": "I live in Porto."}], ({"role": "user", "content": "Hello."},),
    [Turn(text="I live in Porto.")], ["I live in Porto.", "It rains."], [],
])  # fmt: skip
def test_several_at_once_lead_to_the_verb_that_takes_them(bank, several):
    with pytest.raises(InputError, match=r"not (list|tuple); .*remember_many"):
        bank.remember(several)
