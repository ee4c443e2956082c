"""What was answered once is answered again without a server, from a file a person can read."""

import json

import pytest
from chat_server import KEY

from hippocampus.errors import InputError, ModelRefused, NotRecorded, SourceError
from hippocampus.llm.cassette import Cassette


@pytest.fixture
def path(tmp_path):
    return tmp_path / "talk.jsonl"


NOWHERE = "http://127.0.0.1:9/v1"


def test_what_was_recorded_is_played_again_wherever_the_server_was(server, open_model, path):
    recorder = open_model(cassette=Cassette(path, mode="record"))
    said = [recorder("One, ‘dois’ 🦛"), recorder("two")]
    player = open_model(url=NOWHERE, key=None, cassette=Cassette(path))

    assert said == [player("One, ‘dois’ 🦛"), player("two")]
    assert 2 == len(server.seen)
    assert recorder.usage == player.usage


def test_the_file_is_lines_that_a_person_can_read_without_the_key(server, open_model, path):
    server.answer = lambda _: (
        f"The key is {KEY}, or Bearer abcdefghijkl, or sk-proj-abcdefghijklmnopq"
    )
    model = open_model(cassette=Cassette(path, mode="record"))
    model(f"Olá! My key is {KEY}.")
    (line,) = path.read_text("utf-8").splitlines()
    kept = json.loads(line)

    assert KEY not in line
    assert "abcdefghijkl" not in line
    assert "Authorization" not in line
    assert "127.0.0.1" not in line
    assert "Olá! My key is [key]." == kept["request"]["body"]["messages"][0]["content"]
    assert ("POST", "/v1/chat/completions") == (kept["request"]["method"], kept["request"]["path"])
    assert 200 == kept["response"]["status"]


def test_a_request_that_a_recording_lacks_is_an_error_that_says_what_to_do(
    server, open_model, path
):
    open_model(cassette=Cassette(path, mode="record"))("one")
    model = open_model(cassette=Cassette(path))

    with pytest.raises(NotRecorded, match=r"talk\.jsonl: POST /v1/chat/completions.*two.*extend"):
        model("two")
    with pytest.raises(NotRecorded):
        open_model("other", cassette=Cassette(path))("one")
    assert 1 == len(server.seen)
    assert issubclass(NotRecorded, LookupError)


def test_extending_asks_for_what_is_not_there_only(server, open_model, path):
    open_model(cassette=Cassette(path, mode="record"))("one")
    model = open_model(cassette=Cassette(path, mode="extend"))
    model("one")
    model("two")
    model("two")

    assert ["one", "two"] == [seen.asked["messages"][0]["content"] for seen in server.seen]
    assert 2 == len(path.read_text("utf-8").splitlines())
    open_model(cassette=Cassette(path, mode="record"))
    assert "" == path.read_text("utf-8"), "recording begins anew"


def test_a_question_asked_again_gets_its_recorded_answers_up_to_the_last(server, open_model, path):
    server.script = ["first", "second"]
    recorder = open_model(cassette=Cassette(path, mode="record"))
    recorder("again?")
    recorder("again?")
    player = open_model(cassette=Cassette(path))

    assert ["first", "second", "second"] == [player("again?") for _ in range(3)]


def test_a_refusal_is_recorded_unlike_a_passing_failure(server, open_model, path, pauses):
    server.script = [(500, {}, b""), (400, {}, b"no schemas here"), "{}"]
    schema = {"type": "object"}
    open_model(cassette=Cassette(path, mode="record")).complete("one", schema=schema)
    waited = len(pauses)
    player = open_model(url=NOWHERE, cassette=Cassette(path))

    assert "{}" == player.complete("one", schema=schema).text
    assert [400, 200] == [
        json.loads(line)["response"]["status"] for line in path.read_text("utf-8").splitlines()
    ]
    assert waited == len(pauses)
    server.script = [(404, {}, {"error": {"message": "no such model"}})]
    with pytest.raises(ModelRefused, match="no such model"):
        open_model(cassette=Cassette(path, mode="extend"))("two")
    with pytest.raises(ModelRefused, match="no such model"):
        open_model(cassette=Cassette(path))("two")


@pytest.mark.parametrize(
    "line",
    ["{", "null", "[]", '{"key": "k"}', '{"key": "k", "response": {"status": "x"}}', "[" * 9999,
     '{"key": "k", "response": {"status": 200, "content_type": "", "body": 7}}'],
)  # fmt: skip
def test_what_is_no_cassette_is_refused_with_its_line(path, line):
    path.write_text(f"\n{line}\n")

    with pytest.raises(SourceError, match="line 2 is not what a cassette has recorded"):
        Cassette(path)


def test_a_cassette_that_is_not_there_or_not_text_is_refused(path):
    with pytest.raises(SourceError, match=r"talk\.jsonl"):
        Cassette(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(SourceError, match=r"talk\.jsonl"):
        Cassette(path, mode="extend")
    with pytest.raises(InputError, match="mode='play'"):
        Cassette(path, mode="play")
