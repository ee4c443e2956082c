"""The protocol's own client, pointed at the proxy instead of its server."""

import openai
import pytest
from upstream import chunks, completion

CALL = {"index": 0, "id": "1", "type": "function", "function": {"name": "weather", "arguments": ""}}
TOOLS = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}]


@pytest.fixture
def ask(proxy):
    """Return the client, which waits for nothing and tries nothing twice."""
    with openai.OpenAI(
        base_url=proxy.url, api_key="sk-theirs", max_retries=0, timeout=20
    ) as client:
        yield client


def hi(text="Hi there."):
    return {"model": "small", "messages": [{"role": "user", "content": text}]}


def test_a_chat_is_remembered_with_its_answer(proxy, ask, upstream, remembered):
    made = ask.chat.completions.create(**hi("I moved to Lisbon in March."))
    proxy.settle()
    ask.chat.completions.create(**hi("Which city did I move to?"), user="me")
    proxy.stop()

    assert made.choices[0].message.content == "Noted."
    assert "I moved to Lisbon in March." in upstream.seen[1].asked["messages"][0]["content"]
    assert upstream.seen[0].header("authorization") == "Bearer sk-theirs"
    assert len(remembered()) == 4


def test_a_stream_comes_in_its_pieces(proxy, ask, upstream, remembered):
    upstream.script = [chunks({"role": "assistant"}, "One ", "two.")]
    came = [c.choices[0].delta.content for c in ask.chat.completions.create(**hi(), stream=True)]
    proxy.stop()

    assert came == [None, "One ", "two.", None]
    assert remembered()[1] == ("assistant", "One two.")


def test_a_stream_that_is_left_is_left_at_upstream_too(proxy, ask, upstream, remembered):
    def endless(handler):
        handler.begin()
        handler.piece(chunks("One ", done=False)[0])
        handler.until_gone()

    upstream.script = [endless]
    with ask.chat.completions.create(**hi(), stream=True) as stream:
        next(iter(stream))
    assert upstream.hung_up.get(timeout=10) == "gone"
    proxy.settle()
    proxy.stop()

    assert remembered()[1] == ("assistant", "One ")


def test_tools_are_called_streamed_or_not(proxy, ask, upstream):
    more = {"index": 0, "function": {"arguments": '{"at": "Lisbon"}'}}
    upstream.script = [
        completion(None, tool_calls=[CALL]),
        chunks({"tool_calls": [CALL]}, {"tool_calls": [more]}),
    ]
    whole = ask.chat.completions.create(**hi(), tools=TOOLS)
    with ask.chat.completions.stream(**hi(), tools=TOOLS) as stream:
        streamed = stream.get_final_completion()

    assert whole.choices[0].message.tool_calls[0].function.name == "weather"
    assert streamed.choices[0].message.tool_calls[0].function.arguments == '{"at": "Lisbon"}'
    assert upstream.seen[0].asked["tools"] == TOOLS
    proxy.settle()


def test_errors_are_those_of_the_protocol(upstream, ask):
    body = {"error": {"message": "no", "type": "t", "param": "model", "code": "model_not_found"}}
    upstream.script = [(404, {}, body), (429, {}, body), lambda handler: handler.reset()]

    with pytest.raises(openai.NotFoundError) as caught:
        ask.chat.completions.create(**hi())
    assert (caught.value.code, caught.value.param) == ("model_not_found", "model")
    with pytest.raises(openai.RateLimitError):
        ask.chat.completions.create(**hi())
    with pytest.raises(openai.InternalServerError) as caught:
        ask.chat.completions.create(**hi())
    assert caught.value.code == "upstream_unreachable"


def test_models_and_embeddings_are_passed_on(ask, upstream):
    upstream.script = [
        {"object": "list", "data": [{"id": "small", "object": "model"}]},
        {"object": "list", "model": "e", "data": [
            {"object": "embedding", "index": 0, "embedding": [0.5]}
        ], "usage": {"prompt_tokens": 1, "total_tokens": 1}},
    ]  # fmt: skip

    assert [model.id for model in ask.models.list()] == ["small"]
    made = ask.embeddings.create(model="e", input="x", encoding_format="float")
    assert made.data[0].embedding == [0.5]


def test_a_request_for_responses_is_remembered_with_its_answer(proxy, ask, upstream, remembered):
    content = [{"type": "output_text", "text": "Noted.", "annotations": []}]
    message = {"type": "message", "id": "m", "role": "assistant", "content": content}
    upstream.script = [{"id": "r1", "object": "response", "output": [message]}]
    made = ask.responses.create(model="small", input="I moved to Lisbon.")
    proxy.stop()

    assert made.output_text == "Noted."
    assert remembered() == [("user", "I moved to Lisbon."), ("assistant", "Noted.")]
