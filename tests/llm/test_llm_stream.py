"""An answer that is told as it comes: piece by piece, whole in the end, and never twice."""

import json
import threading

import pytest
from chat_server import KEY, completion

from hippocampus.errors import ModelAnswer, ModelError, ModelRefused
from hippocampus.llm.cassette import Cassette

DONE = b"data: [DONE]\n\n"


def event(content, finish=None, **more):
    delta = {} if content is None else {"content": content}
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return f"data: {json.dumps({'choices': [choice], **more})}\n\n".encode()


def streams(*pieces, after=lambda _: None, ended=True):
    """Return an item of the script that sends pieces in chunks; a piece may be waited for."""

    def item(handler):
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream; charset=utf-8")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for piece in pieces:
            if callable(piece):
                piece()
            else:
                handler.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        if ended:
            handler.wfile.write(b"0\r\n\r\n")
        after(handler)

    return item


def test_a_piece_is_told_before_the_next_is_there(model, server):
    go, said, told = threading.Event(), [], []

    def say(piece):
        said.append(piece)
        go.set()

    server.script = [streams(event("In "), lambda: told.append(go.wait(4)), event("Lisbon."), DONE)]
    made = model.complete("Where?", system="Be brief.", kind="chat", say=say)

    assert [True] == told
    assert ["In ", "Lisbon."] == said
    assert "In Lisbon." == made.text
    assert server.seen[0].asked["stream"]
    assert {"chat"} == set(model.usage)


def test_the_line_is_used_again_after_a_stream_whose_usage_is_counted(model, server):
    usage = {"usage": {"prompt_tokens": 9, "completion_tokens": 2}}
    server.script = [streams(event("Yes."), event(None, "stop"), event(None, **usage), DONE)] * 2
    took = [model.complete("Well?", say=[].append).usage for _ in range(2)]

    assert [(9, 2)] * 2 == [(one.prompt_tokens, one.completion_tokens) for one in took]
    assert 1 == len(server.lines)


def test_a_server_that_does_not_stream_is_told_whole(model, server):
    said = []
    server.script = [(503, {}, {}), "In Lisbon."]

    assert "In Lisbon." == model.complete("Where?", say=said.append).text
    assert ["In Lisbon."] == said
    assert 2 == len(server.seen)


def test_a_server_that_refuses_to_stream_is_asked_for_all_at_once_from_then_on(model, server):
    said = []
    no = (400, {}, {"error": {"message": "your organization must be verified to stream"}})
    server.script = [no, "In Lisbon.", "In Rome."]

    for answer in ("In Lisbon.", "In Rome."):
        assert answer == model.complete("Where?", say=said.append).text
    assert ["In Lisbon.", "In Rome."] == said
    assert [True, None, None] == [one.asked.get("stream") for one in server.seen]


def test_what_is_refused_without_a_stream_as_well_is_told_as_it_was_first(model, server):
    server.script = [(400, {}, {"error": {"message": said}}) for said in ("too long", "again")] * 2

    for _ in range(2):
        with pytest.raises(ModelRefused, match="too long"):
            model.complete("Where?", say=[].append)
    assert [True, None] * 2 == [one.asked.get("stream") for one in server.seen]


@pytest.mark.parametrize(
    "broken",
    [
        streams(event("In "), ended=False, after=lambda handler: handler.reset()),
        streams(event("In ")),
        streams(event("In "), b'data: {"error": {"message": "overloaded"}}\n\n'),
        streams(event("In "), b'data: {"error": {"message": "out of memory"}}\n\n', DONE),
        streams(event("In "), event("", "stop", error="out of memory"), DONE),
        streams(event("In "), event("", "error"), DONE),
        streams(event("In "), event(None, "length"), DONE),
        streams(event("In "), event("x" * (5 << 20)), DONE),
    ],
)
def test_an_answer_that_breaks_off_fails_without_being_asked_for_again(model, server, broken):
    server.script = [broken]

    with pytest.raises(ModelAnswer):
        model.complete("Where?", say=[].append)
    assert 1 == len(server.seen)
    assert "You said: ?" == model.complete("?", say=[].append).text


def test_an_error_in_a_stream_is_told_in_the_words_of_the_server(model, server):
    wrong = json.dumps({"error": {"message": f"out\nof memory at {KEY}"}})
    server.script = [streams(f"data: {wrong}\n\n".encode(), DONE)]

    with pytest.raises(ModelAnswer, match=r"the server failed: out of memory at \[key\]"):
        model.complete("Where?", say=[].append)


@pytest.mark.slow
def test_a_stream_that_stops_is_given_up_in_time(open_model, server):
    go, said = threading.Event(), []
    server.script = [streams(event("In "), lambda: go.wait(20), ended=False)]

    with pytest.raises(ModelError, match="middle"):
        open_model(timeout_s=0.3).complete("Where?", say=said.append)
    go.set()
    assert ["In "] == said
    assert 1 == len(server.seen)


def test_what_is_no_piece_of_an_answer_passes(model, server):
    said = []
    strange = [
        b": ping\n\n", b"event: x\nid: 3\n\n", b"data: what\n\n", b"data: []\n\n", b"data\n",
        b'data: {"choices": []}\n\n', b'data: {"choices": [{"delta": null}]}\n\n', b"\xff\n",
        b'data: {"choices": [{"delta": {"content": 7}}]}\n\n',
        b'data: {"error": null}\n\n', b'data: {"error": {"code": null, "message": ""}}\n\n',
    ]  # fmt: skip
    server.script = [streams(*strange, event("Yes."), *strange, DONE)]

    assert "Yes." == model.complete("Well?", say=said.append).text
    assert ["Yes."] == said


def test_a_character_that_comes_in_halves_is_told_whole(model, server):
    said = []
    halves = [event("Hi \ud83d"), event("\ude00 you \ud83d"), event("!\udc00 \ud83d")]
    server.script = [streams(*halves, DONE), "Bye \ud83d"]

    whole = "Hi 😀 you \ufffd!\ufffd \ufffd"
    assert whole == model.complete("Well?", say=said.append).text == "".join(said)
    assert "Hi " == said[0]
    assert "Bye \ufffd" == model.complete("Well?").text


def test_a_refusal_in_pieces_is_one(model, server):
    no = json.dumps({"choices": [{"delta": {"refusal": "No."}, "finish_reason": "stop"}]})
    server.script = [streams(f"data: {no}\n\n".encode(), DONE)]

    with pytest.raises(ModelAnswer, match="declined"):
        model.complete("Well?", say=[].append)


def test_a_recorded_stream_is_told_again(open_model, server, tmp_path):
    server.script = [streams(event("In "), event("Lisbon."), DONE)]
    path, heard = tmp_path / "tape.jsonl", {}
    for mode in ("record", "replay"):
        heard[mode] = []
        model = open_model(cassette=Cassette(path, mode=mode))
        assert "In Lisbon." == model.complete("Where?", say=heard[mode].append).text

    assert {"record": ["In ", "Lisbon."], "replay": ["In ", "Lisbon."]} == heard
    assert 1 == len(server.seen)


def test_a_key_that_a_server_gives_back_is_told_nobody(model, server):
    said = []
    server.script = [streams(event(f"It is {KEY}."), DONE)]
    made = model.complete("What is the key?", say=said.append)

    assert KEY not in made.text + "".join(said)


def test_a_schema_is_answered_whole(model, server):
    said = []
    server.script = [completion('{"a": 1}')]
    model.complete("Well?", schema={"type": "object"}, say=said.append)

    assert "stream" not in server.seen[0].asked
    assert [] == said
