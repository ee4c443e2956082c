"""Reading requests and answers, and putting memory between two characters of a request."""

import gzip
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from upstream import chunks, completion

from hippocampus.proxy.protocol import ChatAnswer, ChatMessage, ChatRequest

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
messages = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["system", "user", "assistant", "tool"]), "content": st.text()},
        optional={"x_unknown": values},
    ),
    max_size=6,
)
unknown = st.dictionaries(st.text(), values, max_size=4)


@given(unknown, messages, unknown, st.text(), st.sampled_from([None, 1]), st.booleans())
def test_memory_is_one_more_message_without_changing_any_other_byte(
    before, said, after, memory, indent, ascii_
):
    request = {**before, "messages": [*said, {"role": "user", "content": "?"}], **after}
    request["messages"] = [*said, {"role": "user", "content": "?"}]
    raw = json.dumps(request, indent=indent, ensure_ascii=ascii_).encode(errors="surrogatepass")
    asked = ChatRequest.read("chat", raw)
    if asked is None:  # what is not UTF-8 is not read
        assert not ascii_
        return

    made = asked.remembering(memory)
    told = json.dumps({"role": "system", "content": memory}).encode() + b", "
    place = len(asked.body[: asked.place[0]].encode())
    whole = json.loads(made)

    assert raw == made[:place] + made[place + len(told) :]
    assert told == made[place : place + len(told)]
    assert whole["messages"].pop(-2) == {"role": "system", "content": memory}
    assert request == whole


def test_numbers_doubled_keys_and_blanks_arrive_as_they_were_written():
    raw = (
        b'{ "temperature" : 1e-0 ,"seed":1,"seed":2 , "messages":\r\n'
        b'[ {"content":"\\u0068i",\t"role":"user"} ] }'
    )
    made = ChatRequest.read("chat", raw).remembering("M")

    assert raw == made.replace(b'{"role": "system", "content": "M"}, ', b"")


@pytest.mark.parametrize(
    "raw",
    [
        b"", b"[]", b"null", b"{}", b'{"messages": 3}', b'{"messages": "hi"}', b'{"messages": [',
        b'{"messages": []} trailing', b"\xff\xfe", b'{"messages": [' + b"[" * 200_000,
    ],
)  # fmt: skip
def test_what_is_no_request_of_the_protocol_is_not_read(raw):
    assert ChatRequest.read("chat", raw) is None


WORDS = """role content type text name user model tool_calls function function_call custom index
 choices message delta refusal output status id response conversation previous_response_id
 output_text developer assistant response.completed response.output_text.delta \ud800 5""".split(
    " "
)
nearly = st.recursive(
    st.sampled_from(WORDS) | st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(WORDS), inner, max_size=5)
        | st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant"]), "content": inner})
    ),
    max_leaves=12,
)
"""What is made of the protocol's words, and not put together as it says."""


@example([{"role": []}], {})
@example([{"role": "user", "content": [{"type": []}]}], {})
@given(st.lists(nearly, max_size=4) | nearly, st.dictionaries(st.sampled_from(WORDS), nearly))
def test_reading_a_request_never_fails_whatever_stands_in_its_places(value, more):
    for kind, key in (("chat", "messages"), ("responses", "input")):
        asked = ChatRequest.read(kind, json.dumps({**more, key: value}).encode())
        for one in asked.said if asked else ():
            one.text.encode()


@given(st.lists(nearly, max_size=3), st.dictionaries(st.sampled_from(WORDS), nearly))
def test_reading_an_answer_never_fails_whatever_stands_in_its_places(pieces, whole):
    streamed = "".join(f"data: {json.dumps(one)}\n\n" for one in pieces)
    for raw in (streamed, json.dumps(whole)):
        for kind in ("chat", "responses"):
            ChatAnswer.read(kind, raw.encode()).text.encode()


def test_the_roles_of_a_client_that_says_developer_are_kept():
    said = [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
    made = json.loads(
        ChatRequest.read("chat", json.dumps({"messages": said}).encode()).remembering("M")
    )

    assert [one["role"] for one in made["messages"]] == ["developer", "developer", "user"]


def test_steps_of_tools_are_no_part_of_what_was_said():
    call = {"id": "1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    asked = read(
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": [{"type": "text", "text": "Rain?"}, {"type": "image_url"}]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "It rains."},
    )

    assert asked.said == (
        ChatMessage("user", "Hi"),
        ChatMessage("assistant", "Hello."),
        ChatMessage("user", "Rain?"),
    )
    assert (asked.fresh, asked.query, asked.called) == (2, "Rain?", ("weather",))


def test_a_bare_text_of_the_responses_protocol_becomes_the_message_it_means():
    raw = json.dumps({"model": "small", "input": "Hi"}).encode()
    made = json.loads(ChatRequest.read("responses", raw).remembering("M"))

    assert made["input"] == [
        {"role": "system", "content": "M"}, {"role": "user", "content": "Hi"},
    ]  # fmt: skip


def read(*said):
    return ChatRequest.read("chat", json.dumps({"messages": said}).encode())


# ---------------------------------------------------------------- answers


@given(st.lists(st.text(), max_size=5))
def test_a_streamed_answer_is_its_pieces(pieces):
    raw = b"".join(chunks({"role": "assistant"}, *pieces))
    whole = "".join(pieces).encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    assert ChatAnswer.read("chat", raw) == ChatAnswer(whole, complete=True)


def test_an_answer_that_comes_packed_is_read_as_far_as_it_came():
    packed = gzip.compress(b"".join(chunks("I moved ", "to Lisbon.")), compresslevel=0)

    assert ChatAnswer.read("chat", packed) == ChatAnswer("I moved to Lisbon.", complete=True)
    assert ChatAnswer.read("chat", packed[:250]) == ChatAnswer("I moved ")
    assert ChatAnswer.read("chat", packed[:4] + b"\xff" * 40) == ChatAnswer()


@given(st.integers(0, 600))
def test_of_a_stream_that_broke_off_is_read_what_came(size):
    raw = b"".join(chunks("I ", "moved ", "to ", "Lisbon."))
    answer = ChatAnswer.read("chat", raw[:size])

    assert "I moved to Lisbon.".startswith(answer.text)
    assert answer.complete is (size >= raw.index(b'"stop"') + len(b'"stop"}]}'))


def test_half_characters_in_two_events_are_one_again():
    first, second = "data: " + '{"choices": [{"delta": {"content": "\\ud83d"}}]}\n\n', "data: "
    second += '{"choices": [{"delta": {"content": "\\ude00"}}]}\n\ndata: [DONE]\n\n'

    assert ChatAnswer.read("chat", (first + second).encode()).text == "\U0001f600"


def test_what_a_model_thinks_before_it_speaks_is_not_what_it_says():
    whole = json.dumps(completion("<think>\nHm, Lisbon.\n</think>\n\nLisbon.")).encode()
    streamed = b"".join(chunks("<thi", "nk>Hm", "</think>", " Lisbon."))

    assert ChatAnswer.read("chat", whole).text == "Lisbon."
    assert ChatAnswer.read("chat", streamed).text == "Lisbon."


def test_even_thoughts_without_an_end_are_taken_only_from_what_a_model_says():
    began = b"".join(chunks("<think>Hm, ", "Lisbon.", done=False))
    asked = read({"role": "user", "content": "<think>twice</think> is what I was told."})

    assert ChatAnswer.read("chat", began).text == ""
    assert asked.query == "<think>twice</think> is what I was told."


def test_thoughts_are_read_in_one_go_however_often_they_begin():
    many = "<think>" * 100_000
    asked = read({"role": "assistant", "content": many}, {"role": "user", "content": "Hi"})

    assert asked.said == (ChatMessage("user", "Hi"),)


def test_tools_are_noted_by_name_streamed_or_not():
    call = {"index": 0, "id": "1", "function": {"name": "weather", "arguments": ""}}
    more = {"index": 0, "function": {"arguments": '{"at": "Lisbon"}'}}
    streamed = b"".join(chunks({"tool_calls": [call]}, {"tool_calls": [more]}))
    whole = json.dumps(completion(None, tool_calls=[call])).encode()

    assert ChatAnswer.read("chat", streamed) == ChatAnswer("", ("weather",), complete=True)
    assert ChatAnswer.read("chat", whole) == ChatAnswer("", ("weather",), complete=True)


def test_of_several_choices_the_first_is_what_was_said():
    both = completion("One.")
    both["choices"].insert(0, {"index": 1, "message": {"content": "Two."}, "finish_reason": "stop"})

    assert ChatAnswer.read("chat", json.dumps(both).encode()).text == "One."


def test_an_error_within_a_stream_leaves_it_incomplete():
    raw = b"".join(chunks("I was ", done=False)) + b'data: {"error": {"message": "overloaded"}}\n\n'

    assert ChatAnswer.read("chat", raw) == ChatAnswer("I was ", complete=False)


@given(st.binary(max_size=80), st.sampled_from(["chat", "responses"]))
def test_no_bytes_make_reading_an_answer_fail(raw, kind):
    for prefix in (b"", b"data: ", b'{"choices": ', b'data: {"response": '):
        assert not ChatAnswer.read(kind, prefix + raw).called


RESPONSE = {
    "id": "r1", "object": "response", "status": "completed",
    "output": [
        {"type": "reasoning", "summary": []},
        {"type": "message", "role": "assistant",
         "content": [{"type": "output_text", "text": "Noted."}]},
        {"type": "function_call", "name": "weather", "arguments": "{}", "call_id": "1"},
    ],
}  # fmt: skip


def test_a_response_is_read_whole_from_its_last_event_or_from_pieces():
    def event(**of):
        return f"event: {of['type']}\ndata: {json.dumps(of)}\n\n".encode()

    pieces = [event(type="response.output_text.delta", delta=d) for d in ("No", "ted.")]
    last = event(type="response.completed", response=RESPONSE)
    read = ChatAnswer("Noted.", ("weather",), complete=True, id="r1")

    assert ChatAnswer.read("responses", json.dumps(RESPONSE).encode()) == read
    assert ChatAnswer.read("responses", b"".join([*pieces, last])) == read
    assert ChatAnswer.read("responses", pieces[0]) == ChatAnswer("No", complete=False)
