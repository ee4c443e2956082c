"""A client that waits, tries again, gives up and says why, against a server that misbehaves."""

import json
import logging
import shutil
import ssl
import subprocess
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

import pytest
from chat_server import KEY, completion
from hypothesis import given
from hypothesis import strategies as st

from hippocampus import LanguageModel, Usage
from hippocampus.core.http import FIRST_PAUSE_S, LONGEST_PAUSE_S
from hippocampus.errors import (
    InputError,
    ModelAnswer,
    ModelError,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
)
from hippocampus.llm.client import FORMATS, load_model

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}


def test_a_model_is_a_function_from_a_prompt_to_an_answer(server, model):
    assert "You said: Olá, ‘世界’ 🦛" == model("Olá, ‘世界’ 🦛")
    path, key, asked = server.seen[0]
    assert ("/v1/chat/completions", f"Bearer {KEY}") == (path, key)
    assert {"model": "small", "messages": [{"role": "user", "content": "Olá, ‘世界’ 🦛"}]} == asked


def test_nothing_is_sent_before_it_is_asked(server, open_model):
    with open_model() as model:
        assert model.url == server.url
    assert [] == server.seen


def test_instructions_and_options_go_along(server, open_model):
    open_model(options={"temperature": 0}).complete("Hello", system="Be brief.")
    asked = server.seen[0].asked

    assert 0 == asked["temperature"]
    assert ["system", "user"] == [message["role"] for message in asked["messages"]]


def test_one_connection_serves_many_calls_until_it_is_replaced_as_stale(server, model, pauses):
    for _ in range(3):
        model("one")
    assert 1 == len(server.lines)
    server.script = [lambda handler: handler.reset(), "back"]

    assert "back" == model("two")
    assert [] == pauses, "that a line was closed while idle is no failure"


def test_without_a_key_none_is_sent(server, open_model):
    open_model(key=None)("Hello")

    assert server.seen[0].key is None


# ---------------------------------------------------------------- trying again


def truncated(handler):
    handler.say(200, {"Content-Length": 9999}, b'{"choices": [')
    handler.close_connection = True


def truncated_chunks(handler):
    handler.say(200, {"Content-Length": None, "Transfer-Encoding": "chunked"}, b'ff\r\n{"ch')
    handler.close_connection = True


def gibberish(handler):
    handler.wfile.write(b"\x16\x03\x01 this is no HTTP\r\n\r\n")
    handler.close_connection = True


@pytest.mark.parametrize(
    "failure",
    [
        (500, {}, {"error": {"message": "oops"}}),
        (503, {}, b"<html>busy</html>"),
        (429, {}, {"error": {"message": "slow down"}}),
        (408, {}, b""),
        lambda handler: handler.reset(),
        truncated,
        truncated_chunks,
        gibberish,
    ],
    ids=["500", "503", "429", "408", "reset", "truncated", "truncated chunks", "gibberish"],
)
def test_a_passing_failure_is_tried_again_after_a_pause(server, model, pauses, failure):
    server.script = [failure, failure, "at last"]

    assert "at last" == model("Hello")
    assert 3 == len(server.seen)
    assert 2 == len(pauses)
    assert FIRST_PAUSE_S / 2 <= pauses[0] <= FIRST_PAUSE_S <= pauses[1] <= 2 * FIRST_PAUSE_S


def test_pauses_double_up_to_the_longest_without_repeating(server, open_model, pauses):
    server.answer = lambda _: (500, {}, {"error": {"message": "still unwell"}})
    model = open_model(retries=7, timeout_s=600)

    with pytest.raises(ModelUnavailable, match=r"8 attempts.*500: still unwell"):
        model("Hello")
    assert 7 == len(pauses)
    assert all(LONGEST_PAUSE_S / 2 <= pause <= LONGEST_PAUSE_S for pause in pauses[4:])
    assert len(pauses) == len(set(pauses))


@pytest.mark.parametrize(
    ("headers", "expected_s"),
    [
        ({"Retry-After": "3"}, 3.0),
        ({"Retry-After": "2.5"}, 2.5),
        (
            {
                "Retry-After": "Sat, 01 Nov 2025 10:00:04 GMT",
                "Date": "Sat, 01 Nov 2025 10:00:00 GMT",
            },
            4.0,
        ),
        ({"Retry-After": "0"}, None),
        ({"Retry-After": "-5"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "Sat, 01 Nov 2025 10:00:04"}, None),
        ({"Retry-After": "Sat, 01 Nov 2020 10:00:04 GMT"}, None),
    ],
)
def test_a_server_is_left_alone_for_as_long_as_it_asks(server, model, pauses, headers, expected_s):
    def busy(handler):
        handler.date_time_string = lambda: headers.get("Date", "Sat, 01 Nov 2025 10:00:00 GMT")
        handler.say(429, {"Retry-After": headers["Retry-After"]}, b"")

    server.script = [busy, "here"]

    assert "here" == model("Hello")
    assert expected_s == pauses[0] if expected_s else pauses[0] <= FIRST_PAUSE_S


def test_a_server_that_asks_for_more_time_than_there_is_is_not_waited_for(server, model, pauses):
    server.script = [(429, {"Retry-After": "3600"}, b"")]

    with pytest.raises(ModelUnavailable, match="would have to wait 3600"):
        model("Hello")
    assert [] == pauses


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 301, 307])
def test_what_the_server_does_not_take_is_not_sent_again(server, model, status):
    server.script = [(status, {"Location": "/v2"}, {"error": {"message": "no such thing"}})]

    with pytest.raises(ModelRefused, match=rf"{status}: no such thing") as caught:
        model("Hello")
    assert status == caught.value.status
    assert 1 == len(server.seen)


def test_a_server_that_is_not_there_is_unavailable(open_model):
    model = open_model(url="http://127.0.0.1:9/v1", retries=1)

    with pytest.raises(ModelUnavailable, match=r"127\.0\.0\.1:9/v1.*2 attempts.*refused") as caught:
        model("Hello")
    assert isinstance(caught.value, ConnectionError)


# ---------------------------------------------------------------- time


def silent(handler):
    handler.server.done.wait(5)


def dripping(handler):
    """Send a header a little at a time: no single read is slow."""
    handler.send_response(200)
    handler.flush_headers()
    for _ in range(200):
        handler.wfile.write(b"X")
        if handler.server.done.wait(0.02):
            return


def dripping_body(handler):
    handler.send_response(200)
    handler.send_header("Content-Length", "4000")
    handler.end_headers()
    for _ in range(200):
        handler.wfile.write(b" ")
        if handler.server.done.wait(0.02):
            return


@pytest.mark.parametrize("slow", [silent, dripping, dripping_body])
def test_an_answer_that_does_not_come_in_time_is_a_timeout_however_it_is_late(
    server, open_model, slow
):
    server.script = [slow]
    model = open_model(timeout_s=0.15)
    started = time.monotonic()

    with pytest.raises(ModelTimeout, match=r"within 0\.15 s") as caught:
        model("Hello")
    assert time.monotonic() - started < 2
    assert isinstance(caught.value, TimeoutError)
    assert 1 == len(server.seen), "there was no time left to ask again"


def test_the_time_is_for_all_attempts_together(server, open_model):
    server.answer = lambda _: (500, {}, b"")
    model = open_model(timeout_s=0.1, retries=100, pause=lambda _: time.sleep(0.01))

    with pytest.raises(ModelError):
        model("Hello")
    assert len(server.seen) < 20


# ---------------------------------------------------------------- answers that are none


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b'{"choices": [', "not JSON"),
        (b"", "not JSON.*nothing"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"null", "not one of the protocol"),
        ({"choices": []}, "not one of the protocol"),
        ({"choices": [{"message": "hi"}]}, "not one of the protocol"),
        ({"error": {"message": "with status 200"}}, "not one of the protocol"),
        (completion(None), "has no text"),
        (completion(7), "has no text"),
        (completion([1, 2]), "not one of the protocol"),
        (completion("Once upon", finish_reason="length"), "cut off"),
        (completion("Once upon", finish_reason="content_filter"), "filtered"),
        (completion(None, message={"content": None, "refusal": "I can't."}), "declined"),
    ],
)
def test_what_is_no_answer_is_said_to_be_none_without_asking_again(server, model, body, why):
    server.script = [(200, {}, body)]

    with pytest.raises(ModelAnswer, match=why):
        model("Hello")
    assert 1 == len(server.seen)


def test_an_answer_of_another_content_type_is_read_if_it_is_json(server, model):
    server.script = [
        lambda handler: handler.say(200, {}, completion("fine"), kind="text/plain"),
        lambda handler: handler.say(200, {}, b"<html>Sign in</html>", kind="text/html"),
    ]

    assert "fine" == model("Hello")
    with pytest.raises(ModelAnswer, match=r"text/html content type: <html>Sign in"):
        model("Hello")


def test_a_huge_answer_is_not_read_to_its_end(server, model):
    sent = []

    def endless(handler):
        handler.say(200, {"Content-Length": 1 << 40}, b"[" * (1 << 20))
        while not handler.server.done.is_set():
            sent.append(handler.wfile.write(b"[" * (1 << 20)))

    server.script = [endless]

    with pytest.raises(ModelAnswer, match=r"more than 4,194,304 bytes"):
        model("Hello")
    assert sum(sent) < 64 << 20
    assert "You said: again" == model("again")


def test_text_may_come_in_parts(server, model):
    server.script = [
        completion([{"type": "text", "text": "one "}, {"type": "text", "text": "two"}])
    ]

    assert "one two" == model("Hello")


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda x: (
    st.lists(x, max_size=3)
    | st.dictionaries(st.sampled_from(
        ["choices", "message", "content", "usage", "prompt_tokens", "completion_tokens"]
    ), x, max_size=4)
)))  # fmt: skip
def test_whatever_json_a_server_sends_is_an_answer_or_a_model_error(body):
    model = LanguageModel("small", url="http://localhost:9", cassette=Says(body))
    try:
        made = model.complete("Hello")
    except ModelAnswer:
        return
    assert isinstance(made.text, str)
    assert made.usage.calls == 1


class Says:
    """A cassette on which there is only this."""

    def __init__(self, body):
        self.body = body

    def play(self, *_, **__):
        from hippocampus.llm.cassette import Exchange

        return Exchange(200, "application/json", json.dumps(self.body).encode())


# ---------------------------------------------------------------- JSON by schema


def test_a_schema_is_asked_for_in_the_strictest_way(server, model):
    server.script = ['{"a": 1}']

    assert '{"a": 1}' == model.complete("Hello", schema=SCHEMA, kind="sums").text
    asked = server.seen[0].asked["response_format"]
    assert "json_schema" == asked["type"]
    assert {"name": "sums", "schema": SCHEMA, "strict": True} == asked["json_schema"]


@pytest.mark.parametrize(("known", "tries"), [("json_object", 2), ("text", 3)])
def test_that_a_server_knows_no_schemas_is_remembered(server, model, known, tries):
    def answer(asked):
        kind = asked.get("response_format", {}).get("type", "text")
        if FORMATS.index(kind) < FORMATS.index(known):
            return 400, {}, {"error": {"message": f"{kind} is not supported"}}
        return '{"a": 1}'

    server.answer = answer

    assert '{"a": 1}' == model.complete("Hello", schema=SCHEMA).text
    assert tries == len(server.seen)
    assert '"integer"' in server.seen[-1].asked["messages"][0]["content"], "told by words instead"
    model.complete("Hello", schema=SCHEMA)
    assert tries + 1 == len(server.seen)


def test_a_request_that_is_refused_in_every_form_was_not_refused_for_it(server, model):
    server.script = [
        (400, {}, {"error": {"message": "the prompt is too long"}}),
        (400, {}, b""),
        (400, {}, b""),
    ]

    with pytest.raises(ModelRefused, match="too long"):
        model.complete("Hello", schema=SCHEMA)
    model.complete("Hello", schema=SCHEMA)
    assert "json_schema" == server.seen[-1].asked["response_format"]["type"]


def test_a_refused_key_is_not_tried_in_other_forms(server, model):
    server.script = [(401, {}, b"")]

    with pytest.raises(ModelRefused):
        model.complete("Hello", schema=SCHEMA)
    assert 1 == len(server.seen)


# ---------------------------------------------------------------- many at once


def test_many_are_answered_in_their_order_with_no_more_at_once_than_allowed(server, open_model):
    now, most = [], []

    def slowly(asked):
        def say(handler):
            now.append(handler)
            most.append(len(now))
            time.sleep(0.01)
            now.remove(handler)
            handler.say(200, {}, completion(asked["messages"][-1]["content"]))

        return say

    server.answer = slowly
    model = open_model(concurrency=3)
    prompts = [f"prompt {n}" for n in range(20)]

    assert prompts == [made.text for made in model.complete_many(prompts)]
    assert 3 == max(most)
    with ThreadPoolExecutor(10) as pool:  # whoever asks, from wherever
        assert prompts == list(pool.map(model, prompts))
    assert 3 == max(most)


def test_one_that_fails_among_many_has_its_error_in_its_place(server, model):
    server.answer = lambda asked: (
        (404, {}, b"") if "2" in asked["messages"][-1]["content"] else "fine"
    )
    made = model.complete_many([str(n) for n in range(5)])

    assert isinstance(made[2], ModelRefused)
    assert ["fine"] * 4 == [one.text for one in made if not isinstance(one, ModelError)]


def test_a_server_that_is_down_is_not_asked_everything(server, open_model):
    server.answer = lambda _: (503, {}, b"")
    model = open_model(retries=0, concurrency=2)
    made = model.complete_many([str(n) for n in range(50)])

    assert 50 == len(made)
    assert all(isinstance(one, ModelError) for one in made)
    assert "not asked, after 3 failures in a row" in str(made[-1])
    assert len(server.seen) <= 4


# ---------------------------------------------------------------- what it costs


def test_tokens_are_counted_by_kind_with_a_guess_where_nobody_says_them(server, model):
    server.script = ["one", completion("four" * 3, usage=None), completion("x", usage=(-1, 2))]
    model.complete("Hello", kind="tags")
    model.complete("eight ch", kind="gists")
    model.complete("eight ch", kind="gists")

    assert Usage(calls=1, prompt_tokens=11, completion_tokens=7) == model.usage["tags"]
    assert 18 == model.usage["tags"].total_tokens
    assert Usage(calls=2, prompt_tokens=4, completion_tokens=4, estimated=2) == model.usage["gists"]
    assert "2 calls of a model, about 4 tokens asked" in str(model.usage["gists"])


def test_an_answer_of_no_use_is_paid_for(server, model):
    server.script = [completion("Once", finish_reason="length")]

    with pytest.raises(ModelAnswer) as caught:
        model("Hello")
    assert (
        caught.value.usage
        == model.usage["other"]
        == Usage(calls=1, prompt_tokens=11, completion_tokens=7)
    )


# ---------------------------------------------------------------- the key


def every_text_of(exc):
    return "".join(traceback.format_exception(exc))


@pytest.mark.parametrize(
    "failure",
    [
        (401, {}, {"error": {"message": f"Incorrect API key provided: {KEY}"}}),
        (401, {}, f"the key {KEY} is wrong".encode()),
        (401, {}, {"error": {"message": KEY.replace("-", "\u002d")}}),
        (401, {}, json.dumps({"error": {"message": KEY}}).replace("-", "\\u002d").encode()),
        (200, {}, f"you sent {KEY}".encode()),
        (200, {}, {"choices": f"you sent {KEY}"}),
        (500, {}, f"{KEY}".encode()),
    ],
)
def test_the_key_is_in_no_error_no_log_and_no_repr(server, open_model, caplog, failure):
    caplog.set_level(logging.DEBUG)
    model = open_model(retries=0)
    server.script = [failure]

    with pytest.raises(ModelError) as caught:
        model("Hello")
    shown = every_text_of(caught.value) + caplog.text + repr(model) + str(vars(model))
    assert KEY not in shown
    assert "Bearer" in server.seen[0].key


@pytest.mark.parametrize("key", [" secret", "secret\r\nX-Injected: 1", "sécret", "secret\n"])
def test_a_key_that_cannot_be_sent_is_refused_without_being_shown(key):
    with pytest.raises(InputError, match="not shown") as caught:
        LanguageModel("small", key=key)
    assert "cret" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "localhost:11434/v1", "ftp://localhost", "http://", "", "http://a b/v1", "http://x:99999",
        "http://me:hunter2@localhost/v1", "http://h/v1#frag", "http://h/\r\nX: 1",
        f"http://{'a' * 80}/",
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused_without_showing_passwords_in_it(url):
    with pytest.raises(InputError, match="must be the address") as caught:
        LanguageModel("small", url=url)
    assert "hunter2" not in str(caught.value)


def test_what_follows_a_question_mark_is_sent_without_being_shown(server, open_model):
    model = open_model(url=server.url + "?api-version=7&code=hunter2")
    server.script = ["fine", (404, {}, b"")]

    assert "fine" == model("Hello")
    assert "/v1/chat/completions?api-version=7&code=hunter2" == server.seen[0].path
    with pytest.raises(ModelRefused) as caught:
        model("Hello")
    assert "hunter2" not in str(caught.value) + repr(model)


# ---------------------------------------------------------------- what is configured


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"timeout_s": 0}, "timeout_s=0"),
        ({"timeout_s": float("nan")}, "timeout_s=nan"),
        ({"connect_timeout_s": -1}, "connect_timeout_s=-1"),
        ({"retries": -1}, "retries=-1"),
        ({"concurrency": 0}, "concurrency=0"),
        ({"options": {"stream": True}}, "stream cannot be set"),
    ],
)
def test_limits_that_cannot_be_meant_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        LanguageModel("small", **options)


@pytest.mark.parametrize("name", ["", "  ", None])
def test_a_model_has_a_name(name):
    with pytest.raises(InputError, match="name="):
        LanguageModel(name)


def test_a_specification_names_model_and_server(monkeypatch, server):
    monkeypatch.setenv("HIPPOCAMPUS_MODEL_KEY", "mine")
    model = load_model(f"openai:owner/small:7b@{server.url}")

    assert ("owner/small:7b", server.url) == (model.name, model.url)
    assert "You said: hi" == model("hi")
    assert "Bearer mine" == server.seen[0].key
    assert load_model("none") is None
    with pytest.raises(InputError, match="use openai:NAME@URL"):
        load_model("openai:small@")
    assert "https://api.openai.com/v1" == load_model("openai:gpt").url
    model.close()


def test_openais_key_goes_to_nobody_else(monkeypatch, server):
    monkeypatch.delenv("HIPPOCAMPUS_MODEL_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    model = load_model(f"openai:small@{server.url}")
    model("hi")

    assert server.seen[0].key is None
    model.close()


@pytest.mark.parametrize("spec", ["small", "openai:", "openai:@http://localhost", "gpt:4@x", ""])
def test_any_other_specification_is_refused_with_an_example(spec):
    with pytest.raises(InputError, match="openai:NAME@URL"):
        load_model(spec)


# ---------------------------------------------------------------- proxies


def test_a_proxy_of_the_environment_is_gone_through(server, open_model, monkeypatch):
    monkeypatch.setenv("http_proxy", server.url.replace("http://", "http://me:pass@"))
    model = open_model(url="http://models.example:8080/v1")

    assert "You said: hi" == model("hi")
    assert "http://models.example:8080/v1/chat/completions" == server.seen[0].path
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert "You said: hi" == open_model()("hi")
    assert "/v1/chat/completions" == server.seen[1].path


def test_a_secure_server_behind_a_proxy_is_reached_by_a_tunnel(server, open_model, monkeypatch):
    lines = []
    monkeypatch.setenv("https_proxy", server.url)
    monkeypatch.setattr(
        server.RequestHandlerClass, "do_CONNECT",
        lambda handler: (lines.append(handler.path), handler.send_error(502)), raising=False,
    )  # fmt: skip

    with pytest.raises(ModelUnavailable, match="Tunnel connection failed: 502"):
        open_model(url="https://models.example/v1", retries=0)("hi")
    assert ["models.example:443"] == lines
    assert [] == server.seen, "nothing was sent in the clear"


# ---------------------------------------------------------------- secure lines


@pytest.fixture
def certificate(tmp_path):
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("there is no openssl to make a certificate with")
    files = [tmp_path / "certificate.pem", tmp_path / "key.pem"]
    subprocess.run(
        [openssl, *"req -x509 -nodes -days 1 -newkey ec -pkeyopt".split(),
         "ec_paramgen_curve:prime256v1", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=IP:127.0.0.1", "-out", files[0], "-keyout", files[1]],
        check=True, capture_output=True,
    )  # fmt: skip
    return files


@pytest.mark.slow
def test_a_secure_server_is_asked_as_any_other_once_its_certificate_is_trusted(
    server, open_model, certificate, monkeypatch
):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    url = server.url.replace("http:", "https:")

    with pytest.raises(ModelUnavailable, match="CERTIFICATE_VERIFY_FAILED"):
        open_model(url=url, retries=0)("hi")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    model = open_model(url=url, timeout_s=0.3)
    assert ["You said: hi", "You said: you"] == [model("hi"), model("you")]
    assert 1 == len(server.lines)
    server.script = [dripping_body]
    with pytest.raises(ModelTimeout):
        model("hi")
    assert "You said: again" == model("again")


# ---------------------------------------------------------------- threads


def test_many_threads_share_a_model(model):
    wrong = []

    def work(n):
        for turn in range(5):
            said = f"{n}/{turn}"
            if model(said) != f"You said: {said}":
                wrong.append(said)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [] == wrong
    assert 40 == model.usage["other"].calls
