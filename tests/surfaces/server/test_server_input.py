"""What comes in wrong gets a clear answer in one shape, and changes nothing."""

import asyncio
import gzip
import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from hippocampus import wire
from hippocampus.errors import BudgetTooSmall, InvalidFilter
from hippocampus.server import Limits, create_app
from hippocampus.server.run import make_server

AT = "/v1/banks/ada"


def fault(answer):
    found = wire.load_fault(answer.content)
    assert found is not None, answer.text
    assert answer.headers["x-request-id"] == found.request_id
    assert answer.headers["content-type"] == "application/json"
    return found


@pytest.mark.parametrize(
    ("body", "part"),
    [
        (b"", "missing required field `query`"),
        (b"{", "truncated"),
        (b'{"query": "x"', "truncated"),
        (b"[]", "Expected `object`"),
        (b"null", "Expected `object`"),
        (b'{"query": 5}', "Expected `str`"),
        (b'{"query": "x", "k": "many"}', "Expected `int`"),
        (b'{"query": "x", "k": -1}', "k=-1"),
        (b'{"query": "x", "k": 1.5}', "Expected `int`"),
        (b'{"query": "x", "kk": 1}', "kk=1: recall has no such argument; there are query, k,"),
        (b'{"query": "x", "cues": ["nose"]}', "nose"),
        (b'{"query": "x", "since": "soon"}', "since='soon'"),
        (b'{"query": "x", "where": {"a": {"$like": 1}}}', "$like"),
        (b'{"query": "\\ud83d"}', "\\ud83d is half of a character"),
        (b'{"query": "so \\uD83D it is"}', "\\uD83D is half of a character"),
        (b'{"query": "\\ud83d\\ude00 \\ude00"}', "\\ude00 is half of a character"),
        (b'{"query": "\\\\ud83d", "k": }', "malformed"),
        (b'{"query": "\\ud83d\\ude00", "k": }', "malformed"),
        (b'{"query": "\xff"}', ""),
        (b'{"query": "' + b"[" * 10 + b'"}', None),
        (b'{"where": ' + b'{"a":' * 5000 + b"1" + b"}" * 5000 + b', "query": "x"}', "nested"),
    ],
)
def test_a_question_that_makes_no_sense_is_told_what_is_wrong_with_it(http, body, part):
    answer = http.post(f"{AT}/recall", content=body, headers={"Content-Type": "application/json"})

    if part is None:
        assert answer.status_code == 200
    else:
        assert answer.status_code == 422
        assert part in fault(answer).message
    assert http.get("/v1/banks").json() == []


def test_an_error_is_the_one_that_the_call_in_this_process_raises(http, bank):
    bank.remember("Something.")
    small = http.post(f"{AT}/context", json={"query": "x", "budget_tokens": 1, "system": "a b c d"})
    made = wire.as_error(fault(small))

    assert isinstance(made, BudgetTooSmall)
    with pytest.raises(BudgetTooSmall) as here:
        bank.context("x", 1, system="a b c d")
    assert str(here.value) == str(made)
    assert here.value.needed_tokens == made.needed_tokens
    wrong = http.get(f"{AT}/episodes", params={"where": '{"a": {"$x": 1}}'})
    assert isinstance(wire.as_error(fault(wrong)), InvalidFilter)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "*/*"])
def test_a_body_of_another_kind_is_refused_for_pages_of_others_can_send_it(http, kind):
    headers = {"Content-Type": kind}
    answer = http.post(f"{AT}/remember", content=b'{"text": "planted"}', headers=headers)
    streamed = http.post(f"{AT}/import", content=b'{"text": "planted"}', headers=headers)

    assert (415, 415) == (answer.status_code, streamed.status_code)
    assert "application/json" in fault(answer).message
    assert http.get("/v1/banks").json() == []


@pytest.mark.parametrize(
    ("headers", "fix"),
    [
        ({"Content-Encoding": "gzip"}, "send it uncompressed"),
        ({"Content-Type": "application/json; charset=latin-1"}, "send it in UTF-8"),
    ],
)
def test_a_body_in_another_coding_is_refused_and_told_how_to_send_it(http, headers, fix):
    headers = {"Content-Type": "application/json", **headers}
    answer = http.post(f"{AT}/remember", content=gzip.compress(b"{}"), headers=headers)

    assert 415 == answer.status_code
    assert fix in fault(answer).message
    plain = {"Content-Type": 'application/json; charset="UTF-8"', "Content-Encoding": "identity"}
    sound = http.post(f"{AT}/remember", content=b'{"text": "x"}', headers=plain)
    assert 200 == sound.status_code


@pytest.mark.parametrize(
    ("verb", "sent", "told"),
    [
        ("trend", {"term": "Ida", "by": "quarter"}, "by='quarter': must be 'day', 'week', 'month'"),
        ("set_policy", {"policy": {"merge": "maybe"}}, "policy.merge='maybe': must be 'exact'"),
        ("recall", {"query": "x", "trust": ["user", "me"]}, "trust[1]='me': must be 'user', 'ass"),
        ("recall", {"query": "x", "k": "3"}, "Expected `int`, got `str` - at `$.k`"),
        ("find", {"terms": "Pixel"}, "Expected `array`, got `str` - at `$.terms`"),
        ("count", {}, "missing required field `term`"),
        ("count", {"query": "x"}, "count has no such argument; give term"),
        ("count_events", {"query": "x"}, "count_events has no such argument; give question"),
        ("find", {"query": "x"}, "find has no such argument; give terms"),
    ],
)
def test_an_argument_that_does_not_fit_is_named_with_what_may_be_given(http, verb, sent, told):
    assert told in fault(http.post(f"{AT}/{verb}", json=sent)).message


def test_what_is_no_json_in_a_query_is_told_with_the_name_of_its_argument(http):
    told = fault(http.get(f"{AT}/episodes", params={"where": "kind"})).message

    assert told.startswith("where='kind': JSON is malformed")


@pytest.mark.parametrize("header", ["Host", "Origin"])
@pytest.mark.parametrize("value", ["evil.example", "https://evil.example", "null", "127.0.0.1.nip"])
def test_without_keys_a_page_of_another_site_is_refused(http, header, value):
    answer = http.get("/v1/banks", headers={header: value})

    assert answer.status_code == 403
    assert "keys create" in fault(answer).message


def test_without_keys_what_another_site_has_a_browser_ask_is_refused(http):
    for path in ("/v1/banks", "/v1/backup"):  # a link or a picture, which names no origin
        answer = http.get(path, headers={"Sec-Fetch-Site": "cross-site"})
        assert (403, True) == (answer.status_code, "keys create" in fault(answer).message)
    for site in ("none", "same-origin", "same-site"):
        assert 200 == http.get("/v1/banks", headers={"Sec-Fetch-Site": site}).status_code


@pytest.mark.parametrize("value", ["http://localhost:3000", "http://127.0.0.1", "http://[::1]:80"])
def test_without_keys_a_page_of_this_machine_is_answered(http, value):
    assert http.get("/v1/banks", headers={"Origin": value}).status_code == 200


@pytest.mark.parametrize(
    ("address", "status"), [("127.0.0.1", 200), ("::1", 200), ("192.0.2.7", 403), ("::", 403)]
)
def test_without_keys_another_machine_is_refused_by_whatever_server_runs_it(
    memory, address, status
):
    async def ask():
        carrier = httpx.ASGITransport(create_app(memory), client=(address, 4711))
        async with httpx.AsyncClient(transport=carrier, base_url="http://127.0.0.1") as http:
            return await http.get("/v1/banks")

    assert asyncio.run(ask()).status_code == status


@pytest.mark.slow
def test_a_body_that_is_too_large_is_refused_before_it_is_read(serve, memory):
    limits = Limits(body_bytes=2000, import_bytes=4000)
    with httpx.Client(base_url=serve(memory, limits=limits)) as http:
        large = http.post(f"{AT}/remember", json={"text": "x" * 2000})
        pieces = http.post(
            f"{AT}/remember",
            content=(b'{"text": "x' for _ in range(400)),
            headers={"Content-Type": "application/json"},
        )
        lines = http.post(
            f"{AT}/import",
            content=(b'{"text": "a line"}\n' for _ in range(400)),
            headers={"Content-Type": "application/x-ndjson"},
        )

        for answer in (large, pieces, lines):
            assert answer.status_code == 413
            assert "more than" in fault(answer).message
        assert http.get("/v1/banks").json() == []


@pytest.mark.slow
def test_a_body_that_takes_long_to_read_keeps_nobody_else_waiting(http, url):
    turns = ",".join(['{"text": ""}'] * 150_000)  # of which none is kept: the first is blank
    body = f'{{"turns": [{turns}]}}'.encode()
    headers = {"Content-Type": "application/json"}
    shares = []
    with ThreadPoolExecutor(1) as thread, httpx.Client(base_url=url) as other:
        for _ in range(3):  # a busy machine makes somebody wait now and then
            waited = []
            asked = thread.submit(http.post, f"{AT}/remember_many", content=body, headers=headers)
            began = time.perf_counter()
            while not asked.done():
                before = time.perf_counter()
                other.get("/healthz")
                waited.append(time.perf_counter() - before)
            shares.append(max(waited) / (time.perf_counter() - began))
            assert asked.result().status_code == 422

    assert min(shares) < 0.5


@pytest.mark.parametrize(
    "name", ["..", "../../etc/passwd", "/etc/passwd", "a/../b", ".", "%2e%2e", "a?b#c", "Ω\u202e"]
)
def test_a_banks_name_is_never_taken_for_a_path(memory, url, name):
    encoded = "".join(f"%{byte:02X}" for byte in name.encode())
    answer = raw(url, f"POST /v1/banks/{encoded}/remember", json.dumps({"text": "here"}))

    assert answer.startswith(b"HTTP/1.1 200")
    assert [name] == memory.banks()


@pytest.mark.parametrize("encoded", ["%00", "a%0Ab", "a%0D%0AX-Evil:1", "%FF", "%20", "x" * 201])
def test_a_name_that_no_bank_can_have_is_refused(url, memory, encoded):
    answer = raw(url, f"POST /v1/banks/{encoded}/remember", json.dumps({"text": "here"}))

    assert answer.startswith(b"HTTP/1.1 422")
    assert b"InvalidScope" in answer
    assert b"\nX-Evil" not in answer
    assert [] == memory.banks()


@pytest.mark.parametrize(
    "address",
    ["/v1/banks/../../etc/passwd", "/v1/banks//recall", "/v1/banks/a/b/recall", "//", "/v1/%2e%2e"],
)
def test_an_address_that_leads_nowhere_is_not_found(url, address):
    answer = raw(url, f"GET {address}")

    assert answer.split(b"\r\n")[0].split()[1] in (b"404", b"405")
    assert b'"error"' in answer


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/v1/keys", {"GET", "POST"}),
        ("/v1/keys/none", {"DELETE"}),
        ("/v1/banks/lena/recall", {"POST"}),
        ("/v1/banks/lena/stats", {"GET"}),
    ],
)
def test_a_method_that_there_is_not_is_told_all_those_there_are(http, path, methods):
    answer = http.request("PATCH", path)

    assert 405 == answer.status_code
    assert methods == set(answer.headers["allow"].split(", "))
    told = answer.json()["error"]["message"]
    assert all(method in told for method in methods)


def test_only_a_well_formed_request_id_comes_back_as_it_was_sent(http):
    assert http.get("/healthz", headers={"X-Request-Id": "a-1.b_2"}).headers["x-request-id"] == (
        "a-1.b_2"
    )
    for wrong in ("a b", "x" * 65, "é", "a\tb", '"><script>'):
        made = http.get("/healthz", headers={"X-Request-Id": wrong.encode()})
        assert wrong not in made.headers["x-request-id"]


@pytest.mark.parametrize(
    "sent",
    [
        b"GARBAGE\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nA: b\r\n" + b"X: " + b"y" * 200_000,
        b"POST /v1/banks/a/recall HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nA: b\x00c\r\n\r\n",
    ],
)
def test_what_is_no_http_is_refused_by_a_server_that_goes_on(url, http, sent):
    answer = exchange(url, sent)

    assert answer.startswith(b"HTTP/1.1 400") or answer == b""
    assert http.get("/healthz").status_code == 200


ENDLESS = b"POST /v1/banks/a/recall HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("head", "part"),
    [
        (b"GET /healthz HTTP/1.1\r\n", b"X-More: and more\r\n"),
        (ENDLESS + b"1\r\n{\r\n0\r\n", b"X-More: and more\r\n"),  # after the body
        (ENDLESS + b"1\r\n{\r\n0\r\nX-More: ", b"and more "),
        (ENDLESS + b"1;", b"and more "),
    ],
)
def test_headers_without_an_end_are_cut_off(url, http, head, part):
    host, _, port = url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(head)
        with pytest.raises(ConnectionError):
            connection.sendall(part * 1_000_000)
    assert http.get("/healthz").status_code == 200


@pytest.mark.parametrize(
    "head",
    [
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-More: " + b"x" * 70_000,
        b"GET /healthz HTTP/1.1\r\nHost: x" + b"\r\nX-More: and more" * 5_000,
        b"GET /healthz?" + b"x" * 70_000 + b" HTTP/1.1\r\nHost: x",
    ],
)
def test_headers_that_are_too_long_are_refused_though_they_come_at_once(url, head):
    answer = exchange(url, head + b"\r\nConnection: close\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize("sent", [b"", b"GET /healthz HT"])
def test_who_says_nothing_is_hung_up_on(memory, sent):
    urls, ready = [], threading.Event()
    server = make_server(memory, port=0, ready=lambda url: (urls.append(url), ready.set()))
    server.config.timeout_keep_alive = 0.1
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        assert ready.wait(20)
        assert exchange(urls[0], sent) == b""  # which ends when the server hangs up
    finally:
        server.should_exit = True
        thread.join()


@pytest.mark.parametrize("number", [2**31, 2**63 - 1, 2**63, 10**30])
def test_numbers_that_are_too_large_never_break_anything(http, number):
    http.post(f"{AT}/remember", json={"text": "Something was said."})
    for verb, body in (
        ("recall", {"query": "said", "k": number}),
        ("context", {"query": "said", "budget_tokens": number}),
        ("context", {"query": "said", "k": number, "recent": number, "pointers": number}),
        ("find", {"terms": ["said"], "limit": number}),
        ("find", {"terms": ["said"], "offset": number}),
        ("undo", {"sleep": number}),
    ):
        assert http.post(f"{AT}/{verb}", json=body).status_code in (200, 422), (verb, body)
    for query in (
        f"episodes?limit={number}", f"episodes?offset={number}", f"journal?after={number}",
        f"journal?limit={number}", f"facts?limit={number}",
    ):  # fmt: skip
        assert http.get(f"{AT}/{query}").status_code in (200, 422), query


def test_words_dates_and_seconds_stand_for_a_time(http):
    for at in ("yesterday", "2024-05-01", 1_714_521_600):
        kept = http.post(f"{AT}/remember", json={"text": f"Noted, {at}.", "at": at})
        assert kept.status_code == 200, at
    assert kept.json()["occurred_at"].startswith("2024-05-01T00:00:00")
    week = http.post(f"{AT}/recall", json={"query": "noted", "since": "yesterday"})
    assert ["Noted, yesterday."] == [hit["episode"]["text"] for hit in week.json()["hits"]]
    assert 422 == http.post(f"{AT}/recall", json={"query": "x", "since": "soon"}).status_code


@pytest.mark.parametrize(
    "body",
    [
        {"text": "x", "speaker": ["Lena"]},
        {"text": "x", "session": ["a", "b"]},
        {"text": "x", "metadata": []},
        {"text": "x", "metadata": {"a": {"b": [1] * 3}}, "at": [5]},
        {"text": "x", "at": "9999-99-99"},
        {"text": " "},
        {"text": "x", "progress": True},
    ],
)
def test_a_turn_that_makes_no_sense_is_refused(http, body):
    assert http.post(f"{AT}/remember", json=body).status_code == 422
    assert http.get("/v1/banks").json() == []


@pytest.mark.parametrize("route", ["/v1/banks", f"{AT}/episodes"])
def test_a_list_of_less_than_nothing_is_refused(http, bank, route):
    bank.remember("The boat is blue.")

    assert 422 == http.get(route, params={"limit": -1}).status_code
    assert [] == http.get(route, params={"limit": 0}).json()


@pytest.mark.parametrize("modified", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2024", "x"])
def test_a_file_of_any_time_is_taken_or_refused(http, modified):
    answer = http.post(
        f"{AT}/import", content=b"A note.", params={"name": "a.md", "modified": modified},
        headers={"Content-Type": "application/octet-stream"},
    )  # fmt: skip

    assert answer.status_code in (200, 422)


def test_too_many_requests_are_told_when_to_come_again(serve, memory):
    limits = Limits(requests_per_s=0.5, burst=3)
    with httpx.Client(base_url=serve(memory, limits=limits)) as http:
        answers = [http.get("/v1/banks") for _ in range(4)]

        assert [200, 200, 200, 429] == [answer.status_code for answer in answers]
        assert int(answers[3].headers["retry-after"]) in (1, 2)
        assert wire.as_error(fault(answers[3])).retry_after_s > 0
        assert http.get("/healthz").status_code == 200


def raw(url, line, body=""):
    data = body.encode()
    head = (
        f"{line} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(data)}\r\nConnection: close\r\n\r\n"
    )
    return exchange(url, head.encode() + data)


def exchange(url, sent):
    """Send bytes and return all that comes back until the server hangs up."""
    host, _, port = url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        try:
            connection.sendall(sent)
            answer = b""
            while more := connection.recv(65536):
                answer += more
        except ConnectionError:
            return b""
        return answer
