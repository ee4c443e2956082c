"""What is passed on: everything, byte for byte, at once, whatever happens on either side."""

import asyncio
import gzip
import json
import socket
import threading

import httpx
import pytest
from upstream import chunks, completion

from hippocampus import Memory
from hippocampus.errors import InputError
from hippocampus.proxy.app import create_app

KEY = "sk-verysecret-0123456789"
HI = {"model": "small", "messages": [{"role": "user", "content": "Hi there."}]}


def take(pieces, came):
    for piece in pieces:
        came += piece


def error(answer):
    told = answer.json()["error"]
    assert set(told) == {"message", "type", "param", "code"}
    return told


# ---------------------------------------------------------------- every other path


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/v1/models?limit=3&x=%2F%20a+b", None),
        ("GET", "/v1/files/a%2Fb%C3%A4//c.txt", None),
        ("POST", "/v1/embeddings", b'{"input": "x",  "n": 1e0}'),
        ("POST", "/v1/files", bytes(range(256)) * 900),
        ("PUT", "/v1/x", b""),
        ("DELETE", "/v1/files/1", None),
        ("OPTIONS", "/v1/chat/completions", None),
        ("GET", "/v1", None),
    ],
)
def test_every_other_path_is_passed_on_byte_for_byte(proxy, upstream, method, path, body):
    raw = bytes(range(256))
    headers = {"Content-Type": "x/y", "X-Answer": "a", "Set-Cookie": "b=c", "Server": "theirs"}
    upstream.script = [(201, headers, raw)]
    answer = httpx.request(
        method, proxy.origin + path, content=body,
        headers={"Authorization": f"Bearer {KEY}", "X-Mine": "1", "X-Bank": "me"},
    )  # fmt: skip
    seen = upstream.seen[0]

    assert (seen.method, seen.path, seen.raw) == (method, path, body or b"")
    assert (seen.header("authorization"), seen.header("x-mine")) == (f"Bearer {KEY}", "1")
    assert seen.header("x-bank") is None
    assert seen.header("accept-encoding") == answer.request.headers["accept-encoding"]
    assert (answer.status_code, answer.content) == (201, raw)
    assert all(answer.headers[name] == value for name, value in headers.items() if name != "Server")
    assert "x-memory" not in answer.headers


@pytest.mark.parametrize("path", ["/v1/a/../b/./c?x={y}|\"'[]", "/v1//models", "/v1/%7e?%2f%2F"])
def test_a_path_is_passed_on_as_it_was_written(proxy, upstream, path):
    assert proxy.http.get("/", extensions={"target": path.encode()}).status_code == 200
    assert upstream.seen[0].path == path


def test_headers_that_a_connection_names_are_not_passed_on_either_way(proxy, upstream):
    told = {"Connection": "X-Hop", "X-Hop": "1", "X-Kept": "2"}
    upstream.script = [(200, told, b"")]
    answer = proxy.http.get("/models", headers=told)

    assert (upstream.seen[0].header("x-hop"), upstream.seen[0].header("x-kept")) == (None, "2")
    assert ("x-hop" in answer.headers, answer.headers["x-kept"]) == (False, "2")


def test_what_upstream_lets_one_client_keep_is_sent_by_no_other(proxy, upstream):
    upstream.script = [(200, {"Set-Cookie": "session=ada; Path=/"}, b"")]
    for _ in range(2):
        httpx.get(f"{proxy.url}/models")

    assert upstream.seen[1].header("cookie") is None


def test_a_body_without_a_length_is_passed_on_as_it_comes(proxy, upstream):
    proxy.http.post("/files", content=(piece for piece in (b"one ", b"two")))

    assert upstream.seen[0].raw == b"one two"


def test_a_compressed_answer_stays_as_it_is(proxy, upstream):
    packed = gzip.compress(b'{"data": []}', mtime=0)
    upstream.script = [(200, {"Content-Encoding": "gzip"}, packed)]
    with proxy.http.stream("GET", "/models") as answer:
        raw = b"".join(answer.iter_raw())

    assert packed == raw


@pytest.mark.parametrize(
    ("given", "called", "reached"),
    [
        ("/v1", "/v1/models", "/v1/models"),
        ("/v1/", "/api/tags", "/api/tags"),
        ("", "/v1/models", "/v1/models"),
        ("/openai/v1", "/v1/models", "/openai/v1/models"),
        ("/openai/v1", "/health", "/openai/health"),
        ("/api", "/v1/models", "/api/models"),
    ],
)
def test_paths_below_v1_are_below_the_address_of_upstream(start, upstream, given, called, reached):
    proxy = start(url=upstream.url.removesuffix("/v1") + given)
    httpx.get(proxy.origin + called)

    assert upstream.seen[0].path == reached


@pytest.mark.parametrize(
    "url", ["", "localhost:1234", "ftp://x/v1", "http://", "http://me:pw@x/v1", "http://x/v1?k=1"]
)
def test_what_is_no_address_of_a_server_is_refused_without_repeating_it(url):
    with pytest.raises(InputError, match="such as http://localhost:11434/v1") as caught:
        create_app(lambda: None, url)
    assert "pw" not in str(caught.value)


@pytest.mark.parametrize("wrong", [{"deadline_s": 0}, {"timeout_s": -1}, {"budget_tokens": 0}])
def test_numbers_that_cannot_be_meant_are_refused(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        create_app(lambda: None, "http://x/v1", **wrong)


# ---------------------------------------------------------------- chats


def test_a_chat_without_memories_is_passed_on_byte_for_byte(proxy, upstream):
    raw = b'{ "messages":[{"role":"user","content":"Hi"}],"temperature":1e0, "x":{"y":[]} }'
    body = json.dumps(completion("Hello."), indent=3).encode()
    upstream.script = [(200, {"X-Request-Id": "7"}, body)]
    answer = proxy.http.post(
        "/chat/completions?a=b", content=raw, headers={"Content-Type": "application/json"}
    )

    assert (upstream.seen[0].path, upstream.seen[0].raw) == ("/v1/chat/completions?a=b", raw)
    assert (answer.content, answer.headers["x-request-id"]) == (body, "7")


def test_each_piece_reaches_the_client_before_the_next_is_sent(proxy, upstream):
    pieces, received = chunks("One ", "two ", "three."), threading.Semaphore(0)

    def slowly(handler):
        handler.begin()
        for piece in pieces:
            handler.piece(piece)
            assert received.acquire(timeout=10)
        handler.wfile.write(b"0\r\n\r\n")

    upstream.script = [slowly]
    came = []
    with proxy.http.stream("POST", "/chat/completions", json=HI | {"stream": True}) as answer:
        for piece in answer.iter_raw():
            came.append(piece)
            received.release()

    assert pieces == came


@pytest.mark.parametrize("status", [401, 403, 404, 429, 500, 503])
def test_an_error_of_upstream_reaches_the_client_without_being_remembered(
    proxy, upstream, remembered, status
):
    body = b'{"error": {"message":"no", "type":"t", "param":null, "code":"c"}}'
    upstream.script = [(status, {"Retry-After": "9"}, body)]
    answer = proxy.http.post("/chat/completions", json=HI)
    proxy.stop()

    assert (answer.status_code, answer.content) == (status, body)
    assert answer.headers["retry-after"] == "9"
    assert len(upstream.seen) == 1
    assert remembered() == []


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_prompt_that_memory_made_too_much_is_sent_again_without(proxy, upstream, status):
    proxy.chat("I moved to Lisbon in March.")
    upstream.script = [(status, {}, b'{"error": {"message": "too long"}}'), completion("Lisbon.")]
    answer = proxy.chat("Which city did I move to?")
    body = answer.request.content

    assert (answer.status_code, upstream.seen[-1].raw) == (200, body)
    assert "without=refused" in answer.headers["x-memory"]


def test_a_request_that_upstream_refuses_anyway_is_refused_in_its_words(proxy, upstream):
    proxy.chat("I moved to Lisbon in March.")
    refusal = (400, {}, b'{"error": {"message": "messages[0]: no"}}')
    upstream.script = [refusal, refusal]

    assert proxy.chat("Which city did I move to?").content == refusal[2]


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (b'{"messages": 3}', "application/json"),
        (b"\xff", "application/json"),
        (json.dumps(HI).encode(), "text/plain"),  # as any page may send anywhere
    ],
)
def test_what_is_no_chat_is_passed_on_without_memory(proxy, upstream, remembered, raw, kind):
    answer = proxy.http.post("/chat/completions", content=raw, headers={"Content-Type": kind})
    proxy.stop()

    assert upstream.seen[0].raw == raw
    assert answer.headers["x-memory"].startswith("bank=me; without=not-read")
    assert remembered() == []


def test_a_request_too_long_to_read_is_passed_on_as_it_comes(proxy, upstream, monkeypatch):
    monkeypatch.setattr("hippocampus.proxy.app.MOST_ASKED", 1000)
    raw = json.dumps(HI | {"x": "y" * 500_000}).encode()
    answer = proxy.http.post(
        "/chat/completions", content=raw, headers={"Content-Type": "application/json"}
    )

    assert (answer.status_code, upstream.seen[0].raw) == (200, raw)


def test_pages_of_other_sites_may_neither_ask_nor_read(start, upstream):
    upstream.answer = lambda _: (200, {"Access-Control-Allow-Origin": "*"}, completion("Noted."))
    proxy = start(origins=["https://chat.example/"])
    strange = [
        {"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
        {"Origin": "http://localhost.evil.example"}, {"Origin": "http://[::1"},
    ]  # fmt: skip
    for headers in strange:
        refused = proxy.http.post("/chat/completions", json=HI, headers=headers)
        assert (refused.status_code, error(refused)["code"]) == (403, "forbidden_origin")
        assert "access-control-allow-origin" not in refused.headers
    assert [] == upstream.seen
    for origin in ("https://chat.example", "http://localhost:3000", "http://127.0.0.1:8766"):
        answer = proxy.http.post("/chat/completions", json=HI, headers={"Origin": origin})
        assert (200, "*") == (answer.status_code, answer.headers["access-control-allow-origin"])

    own = proxy.http.post("/chat/completions", json=HI)
    assert 200 == own.status_code
    assert "access-control-allow-origin" not in own.headers


@pytest.mark.usefixtures("upstream")
def test_pages_that_had_their_own_name_lead_here_are_refused(start):
    proxy = start()
    for host in ("evil.example", "127.0.0.1.evil.example", "", "[::1", "x@evil"):
        refused = proxy.http.post("/chat/completions", json=HI, headers={"Host": host})
        assert (refused.status_code, error(refused)["code"]) == (403, "forbidden_host")
        assert error(refused)["message"].startswith(f"host={host!r}: this proxy is for this")
    for host in ("localhost:8766", "127.0.0.1", "[::1]:8766"):
        assert proxy.http.get("/models", headers={"Host": host}).status_code == 200

    open_to_all = start(local=False)
    assert open_to_all.http.get("/models", headers={"Host": "evil.example"}).status_code == 200


# ---------------------------------------------------------------- upstream fails


def test_an_upstream_that_is_not_there_is_a_502_in_the_protocols_shape(start, remembered):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    proxy = start(url=f"http://127.0.0.1:{port}/v1")
    for path in ("/chat/completions", "/embeddings"):
        answer = proxy.http.post(path, json=HI)
        assert (answer.status_code, error(answer)["code"]) == (502, "upstream_unreachable")
    proxy.stop()

    assert remembered() == []


def test_an_upstream_that_hangs_up_without_a_word_is_a_502(proxy, upstream):
    upstream.script = [lambda handler: handler.reset()]
    answer = proxy.http.post("/chat/completions", json=HI)

    assert (answer.status_code, error(answer)["type"]) == (502, "api_error")


def test_an_upstream_that_says_nothing_is_a_504(start, upstream):
    proxy = start(timeout_s=0.1)
    upstream.script = [lambda handler: handler.until_gone()]
    answer = proxy.http.post("/chat/completions", json=HI)

    assert (answer.status_code, error(answer)["code"]) == (504, "upstream_timeout")
    assert upstream.hung_up.get(timeout=10) == "gone"


@pytest.mark.slow
@pytest.mark.parametrize("how", ["reset", "until_gone"])
def test_an_answer_that_breaks_off_for_the_client_is_marked(start, upstream, remembered, how):
    def half(handler):
        handler.begin()
        for piece in chunks("I was about ", "to say", done=False):
            handler.piece(piece)
        getattr(handler, how)()

    proxy = start(timeout_s=0.3)
    upstream.script = [half]
    came = bytearray()
    with proxy.http.stream("POST", "/chat/completions", json=HI | {"stream": True}) as answer:
        pieces = answer.iter_raw()
        with pytest.raises(httpx.RemoteProtocolError):
            take(pieces, came)
    proxy.stop()
    with remembered.bank("me") as bank:
        asked, answered = bank.episodes()

    assert came == b"".join(chunks("I was about ", "to say", done=False))
    assert (asked.text, answered.text) == ("Hi there.", "I was about to say")
    assert answered.metadata == {"model": "small", "interrupted": True}


# ---------------------------------------------------------------- the client leaves


def test_a_client_that_leaves_closes_the_request_upstream(proxy, upstream, remembered):
    def endless(handler):
        handler.begin()
        handler.piece(chunks("Once upon a time", done=False)[0])
        handler.until_gone()

    upstream.script = [endless]
    with proxy.http.stream("POST", "/chat/completions", json=HI | {"stream": True}) as answer:
        next(answer.iter_raw())

    assert upstream.hung_up.get(timeout=10) == "gone"
    proxy.settle()
    proxy.stop()
    with remembered.bank("me") as bank:
        assert [(e.text, e.metadata.get("interrupted")) for e in bank.episodes()] == [
            ("Hi there.", None),
            ("Once upon a time", True),
        ]


def test_a_client_that_leaves_before_the_answer_begins_leaves_nothing_behind(
    proxy, upstream, remembered
):
    asked = threading.Event()

    def silent(handler):
        asked.set()
        handler.until_gone()

    upstream.script = [silent]
    with socket.create_connection(("127.0.0.1", int(proxy.origin.rpartition(":")[2]))) as line:
        body = json.dumps(HI).encode()
        line.sendall(
            b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
        )
        assert asked.wait(10)

    assert upstream.hung_up.get(timeout=10) == "gone"
    proxy.settle()
    proxy.stop()
    assert remembered() == []


def test_what_is_still_said_when_the_server_ends_is_kept(upstream, path, remembered):
    def endless(handler):
        handler.begin()
        for piece in chunks("Once upon a time", " there was", " a city", done=False):
            handler.piece(piece)
        handler.until_gone()

    async def ended_in_the_middle():
        app = create_app(lambda: Memory(path, embedder="hash"), upstream.url, bank="me")
        life, client, told = asyncio.Queue(), asyncio.Queue(), asyncio.Queue()
        came = asyncio.Queue(1)  # as of a client that reads slowly
        lives = asyncio.create_task(app({"type": "lifespan"}, life.get, told.put))
        await life.put({"type": "lifespan.startup"})
        path_ = "/v1/chat/completions"
        scope = {
            "type": "http", "method": "POST", "path": path_, "raw_path": path_.encode(),
            "query_string": b"",
            "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
        }  # fmt: skip
        asks = asyncio.create_task(app(scope, client.get, came.put))
        await client.put({"type": "http.request", "body": json.dumps(HI).encode()})
        while not (await came.get()).get("body"):
            pass
        await life.put({"type": "lifespan.shutdown"})
        await lives
        await asyncio.wait_for(asks, 10)

    upstream.script = [endless]
    asyncio.run(ended_in_the_middle())
    asked, answered = remembered()
    assert ("user", "Hi there.") == asked
    assert answered[1].startswith("Once upon a time")
