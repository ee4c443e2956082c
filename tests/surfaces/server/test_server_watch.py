"""What a server tells of itself: logs, figures, traces; and never what was said, or to whom."""

import io
import json
import logging
import random
import re
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from hippocampus.server import Limits
from hippocampus.server.observability import JsonLines, log, log_to_stderr

AT = "/v1/banks/acme%2Flena"
SAID = "The safe opens with 4711-quorn"


@pytest.fixture
def lines():
    """What the server logs, as it would write it."""
    written = []

    class Keep(logging.Handler):
        def emit(self, record):
            written.append(JsonLines().format(record))

    handler = Keep()
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    yield written
    log.removeHandler(handler)
    log.setLevel(logging.NOTSET)


def ask_of_everything(http):
    kept = http.post(f"{AT}/remember", json={"text": SAID, "speaker": "Lena"}).json()
    http.post(f"{AT}/recall", json={"query": "Which code opens the safe?"})
    http.get(f"{AT}/episodes", params={"speaker": "Lena"})
    http.get(f"{AT}/get", params={"id": kept["id"]})
    http.post(f"{AT}/recall", json={"query": 4711})
    http.post(f"{AT}/remember", json={"text": SAID, "at": "Lena's birthday"})
    http.get(f"/nowhere/{SAID}")
    http.request("PROPFIND", f"{AT}/recall")


def told_of_requests(lines, count):
    """The last line is written once its answer is on its way, so it may be a moment late."""
    until = time.monotonic() + 10
    while True:
        found = [json.loads(line) for line in list(lines)]
        requests = [line for line in found if line["event"] == "request"]
        if len(requests) >= count or time.monotonic() > until:
            return requests
        time.sleep(0.01)


def test_every_request_is_a_line_of_json_without_what_was_said(http, lines):
    ask_of_everything(http)
    requests = told_of_requests(lines, 8)

    assert len(requests) == 8
    assert {"at", "level", "request_id", "method", "route", "status", "ms"} <= set(requests[0])
    assert [200, 200, 200, 200, 422, 422, 404, 405] == [line["status"] for line in requests]
    assert len({line["bank"] for line in requests[:6]}) == 1
    made = {"at", "request_id", "bank", "ms"}  # any digits may be in them
    said = [{k: v for k, v in json.loads(line).items() if k not in made} for line in lines]
    for word in ("4711-quorn", "safe", "Lena", "lena", "acme", "code"):
        assert word not in str(said), word
    assert all(re.fullmatch("[0-9a-f]*", one["request_id"] + one["bank"]) for one in requests)


def test_whoever_has_seen_many_request_ids_cannot_tell_those_of_others(http):
    def next_id():
        return int(http.get("/healthz").headers["x-request-id"], 16)

    seen = [next_id() for _ in range(312)]
    words = [word for one in seen for word in (one & 0xFFFFFFFF, one >> 32)]
    twister = random.Random()  # noqa: S311 - as the ids would be if Python's generator made them
    twister.setstate((3, (*map(untempered, words), 624), None))
    assert twister.getrandbits(64) != next_id()


def untempered(word):
    """Undo what the Mersenne Twister does to a word of its state before it gives it away."""
    word ^= word >> 18
    word ^= word << 15 & 0xEFC60000
    known = word
    for _ in range(4):
        known = word ^ (known << 7 & 0x9D2C5680)
    word = known
    for _ in range(2):
        known = word ^ known >> 11
    return known & 0xFFFFFFFF


def test_ids_of_pythons_generator_could_be_told_from_others():
    made = random.Random(5)  # noqa: S311 - it is the one to be found out
    words = [made.getrandbits(32) for _ in range(624)]
    twister = random.Random()  # noqa: S311
    twister.setstate((3, (*map(untempered, words), 624), None))
    assert twister.getrandbits(64) == made.getrandbits(64)


def test_a_failure_nobody_foresaw_is_told_without_its_words(http, lines, memory, monkeypatch):
    def broken():
        raise ValueError(SAID)

    with monkeypatch.context() as patch:
        patch.setattr(memory.engine.store.banks, "names", lambda **_: broken())
        answer = http.get("/v1/banks")

    assert answer.status_code == 500
    assert answer.json()["error"]["request_id"] == answer.headers["x-request-id"]
    assert "4711-quorn" not in answer.text
    assert "4711-quorn" not in "".join(lines)
    failure = next(json.loads(line) for line in lines if "failure" in line)
    assert failure["error"] == "ValueError"
    assert "broken" in failure["where"][-1]
    assert failure["request_id"] == answer.headers["x-request-id"]


def test_figures_are_by_route_without_naming_a_bank(serve, memory):
    with httpx.Client(base_url=serve(memory)) as http:  # one that has counted nothing yet
        ask_of_everything(http)
        http.post(f"{AT}/recall", json={"query": "Which code opens the safe?"})
        told = http.get("/metrics").text

    route = 'route="/v1/banks/{bank}/recall"'
    assert f'hippocampus_requests_total{{method="POST",{route},status="200"}} 2.0' in told
    assert 'method="OTHER"' in told
    assert 'hippocampus_answers_total{how="given again"} 1.0' in told
    assert "hippocampus_request_seconds_bucket" in told
    assert "process_resident_memory_bytes" in told
    for word in ("4711-quorn", "Lena", "lena", "acme", "PROPFIND"):
        assert word not in told
    figures = dict(line.split(" ") for line in told.splitlines() if line.count(" ") == 1)
    assert float(figures["hippocampus_resident_bytes"]) > 4000
    assert float(figures["hippocampus_answers_bytes"]) > 500


def test_figures_are_told_when_no_thread_is_free(serve, memory, kept_waiting):
    bank = memory.bank("acme/lena")
    bank.remember(SAID)
    limits = Limits(readers=1, waiting=1)
    with (
        httpx.Client(base_url=serve(memory, limits=limits), timeout=30) as http,
        ThreadPoolExecutor(2) as threads,
        kept_waiting(bank),
    ):
        for number in range(2):
            threads.submit(http.post, f"{AT}/recall", json={"query": f"code {number}"})
        while 'hippocampus_calls{kind="read"} 2.0' not in http.get("/metrics").text:
            time.sleep(0.01)


def test_traces_named_by_the_route_go_on_those_of_the_caller(memory, serve, spans):
    with httpx.Client(base_url=serve(memory)) as http:
        parent = f"00-{'ab' * 16}-{'cd' * 8}-01"
        http.post(f"{AT}/recall", json={"query": SAID}, headers={"traceparent": parent})
        http.get("/healthz")

    first = next(s for s in spans.get_finished_spans() if "recall" in s.name)
    assert first.name == "POST /v1/banks/{bank}/recall"
    assert first.attributes["http.response.status_code"] == 200
    assert "ab" * 16 == f"{first.context.trace_id:032x}"
    told = "".join(span.to_json() for span in spans.get_finished_spans())
    assert "lena" not in told
    assert "4711-quorn" not in told


@pytest.fixture
def to_stderr():
    """Have the server's log go where a server writes it, and back when the test is over."""
    loggers = [
        logging.getLogger(name) for name in ("hippocampus.server", "uvicorn.error", "psycopg")
    ]
    before = [(one, one.handlers[:], one.level, one.propagate) for one in loggers]
    log_to_stderr("info")
    yield
    for one, handlers, level, propagate in before:
        one.handlers[:], one.propagate = handlers, propagate
        one.setLevel(level)


@pytest.mark.usefixtures("to_stderr")
def test_a_log_that_nobody_reads_any_more_fails_no_request(http, monkeypatch):
    class Gone(io.StringIO):
        def flush(self):
            raise BrokenPipeError

    with monkeypatch.context() as patched:
        patched.setattr("sys.stderr", Gone())
        asked = [http.get("/healthz").status_code for _ in range(3)]
        log.info("request", extra={"seen": {}})

    assert [200] * 3 == asked


@pytest.mark.usefixtures("to_stderr")
def test_what_the_client_of_the_database_says_is_a_line_of_json_as_well(capsys):
    logging.getLogger("psycopg.pool").warning("error connecting:\nis it running?")
    (line,) = capsys.readouterr().err.splitlines()
    told = json.loads(line)
    assert ("warning", "error connecting:\nis it running?") == (told["level"], told["event"])
