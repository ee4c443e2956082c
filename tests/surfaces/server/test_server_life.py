"""Starting, stopping and bad days: nothing that was acknowledged is lost."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, nullcontext

import httpx
import pytest
from served_process import Process

from hippocampus import Memory, wire
from hippocampus.errors import AccessError, Overloaded, StoreFull, StoreLocked
from hippocampus.kernel import ENDS_IN_TIME
from hippocampus.server import Limits
from hippocampus.server.keys import Keys
from hippocampus.server.run import make_server
from hippocampus.sleep.schedule import Schedule
from hippocampus.upkeep import verify

AT = "/v1/banks/ada"


@pytest.fixture
def path(tmp_path):
    """A store of each test's own."""
    return tmp_path / "memory.db"


@pytest.fixture
def memory(open_memory):
    return open_memory()


@pytest.fixture
def start(path):
    running = []

    def start(*options):
        running.append(Process(path, *options))
        return running[-1]

    yield start
    for one in running:
        if one.process.poll() is None:
            one.process.kill()
            one.process.communicate()


@pytest.mark.slow
def test_a_server_that_is_told_to_stop_under_load_loses_nothing_it_acknowledged(start, path):
    server = start()
    kept, ended = [], threading.Event()

    def write(who):
        with httpx.Client(base_url=server.url, timeout=30) as http:
            for number in range(10_000):
                try:
                    said = {"text": f"Number {number} of {who}."}
                    answer = http.post(f"{AT}/remember", json=said)
                except httpx.TransportError:
                    return
                if answer.status_code == 200:
                    kept.append(answer.json()["id"])
                if len(kept) > 60:
                    ended.set()

    with ThreadPoolExecutor(6) as threads:
        writing = [threads.submit(write, who) for who in range(6)]
        assert ended.wait(60)
        code, out = server.stop()
        for one in writing:
            one.result()

    assert (0, "") == (code, out)
    with Memory(path, embedder="hash") as memory:
        there = {episode.id for episode in memory.bank("ada").episodes()}
    assert set(kept) <= there
    lines = [json.loads(line) for text in server.log for line in text.splitlines() if "{" in line]
    assert [line["event"] for line in lines if line["event"] != "request"] == [
        "ready", "stopping", "stopped",
    ]  # fmt: skip


@pytest.mark.slow
def test_a_server_that_stops_tells_whoever_it_did_not_wait_for(start):
    server = start("--drain", "1")
    head = (
        "POST /v1/banks/ada/import?name=a.md HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {}\r\n"
        "Accept: {}\r\nContent-Length: 100000\r\nExpect: 100-continue\r\n\r\n"
    )
    line = '{"text": "The safe opens with marzipan."}\n'
    lines, octets = "application/x-ndjson", "application/octet-stream"
    host, _, port = server.url.removeprefix("http://").partition(":")
    answers = []
    with ExitStack() as open_:
        for kind, accept in ((octets, "application/json"), (lines, lines)):
            made = socket.create_connection((host, int(port)), timeout=20)
            connection = open_.enter_context(made)
            connection.sendall(head.format(kind, accept).encode())
            assert connection.recv(1000).startswith(b"HTTP/1.1 ")  # it has begun
            connection.sendall(line.encode())
            answers.append(connection)
        code, out = server.stop()
        told, cut = (connection.makefile("rb").read() for connection in answers)

    assert (0, "") == (code, out)
    assert told.startswith(b"HTTP/1.1 503")
    assert b"StoreClosed" in told
    assert b'"result"' not in cut
    for one in "".join(server.log).splitlines():
        assert "answers at" in one or json.loads(one)["event"]
    assert "marzipan" not in "".join(server.log)


@pytest.mark.slow
@pytest.mark.parametrize("waits", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_server_ends_in_time_with_nothing_half_done_by_a_verb_under_way(
    start, path, open_memory, waits
):
    """A verb that waits for another process that writes, or one that has much to do."""
    server = start("--drain", "1")
    text = "The tide was high at the pier, they said. " * (1 if waits else 150_000)
    with httpx.Client(base_url=server.url, timeout=30) as http, ThreadPoolExecutor(1) as thread:
        kept = http.post(f"{AT}/remember", json={"text": "It is Tuesday."}).json()["id"]
        with open_memory().engine.store.write() if waits else nullcontext():
            under_way = thread.submit(http.post, f"{AT}/remember", json={"text": text})
            while not under_way.running():
                time.sleep(0.01)
            time.sleep(0.3 if waits else 1)
            began = time.monotonic()
            code, _ = server.stop()
            took = time.monotonic() - began
        assert 503 == under_way.result().status_code

    assert 1 == code
    assert took < 3
    with Memory(path, embedder="hash") as memory:
        assert [kept] == [episode.id for episode in memory.bank("ada").episodes()]


HOLDING = """
import os, re, sys
from hippocampus import Memory
from hippocampus.server import Limits, serve
from hippocampus.testing import ScriptedEmbedder

def hold(texts):
    if any("hold on" in text for text in texts):
        print("held", flush=True)
        re.match("(a|a)*b", 60 * "a")  # takes years, and no other thread gets a moment

with Memory(sys.argv[1], embedder=ScriptedEmbedder(on_passages=hold)) as memory:
    serve(
        memory, port=0, limits=Limits(drain_s=1), ready=lambda url: print(url, flush=True),
        overdue=lambda: os._exit(1),
    )
"""
"""A server whose requests can keep hold of the interpreter: no handler of Python's runs then."""


@pytest.mark.slow
@pytest.mark.skipif(not ENDS_IN_TIME, reason="no signal that another sends can be handled here")
def test_a_server_ends_in_time_though_a_request_keeps_hold_of_the_interpreter(path):
    server = subprocess.Popen(
        [sys.executable, "-c", HOLDING, str(path)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with server, ThreadPoolExecutor(1) as thread:
        try:
            at = f"{server.stdout.readline().strip()}{AT}/remember"
            kept = httpx.post(at, json={"text": "It is Tuesday."}, timeout=30).json()["id"]
            under_way = thread.submit(httpx.post, at, json={"text": "Please hold on."}, timeout=30)
            assert "held\n" == server.stdout.readline()
            began = time.monotonic()
            server.send_signal(signal.SIGTERM)
            time.sleep(0.5)
            server.send_signal(signal.SIGTERM)  # a second one puts nothing off
            _, said = server.communicate(timeout=20)
            took = time.monotonic() - began
        finally:
            server.kill()
        assert isinstance(under_way.exception(), httpx.TransportError)

    assert 1 == server.returncode
    assert took < 3
    assert "ended, for a call kept the interpreter" == json.loads(said)["event"]
    with Memory(path, embedder="hash") as memory:
        assert [kept] == [episode.id for episode in memory.bank("ada").episodes()]
        assert verify(memory).sound


@pytest.mark.slow
def test_a_server_that_is_killed_loses_nothing_it_acknowledged(start, path):
    server = start()
    with httpx.Client(base_url=server.url) as http:
        kept = [http.post(f"{AT}/remember", json={"text": f"No. {n}."}).json() for n in range(5)]
    server.process.kill()
    server.process.communicate()

    with Memory(path, embedder="hash") as memory:
        assert {e["id"] for e in kept} == {e.id for e in memory.bank("ada").episodes()}


@pytest.mark.slow
def test_two_servers_on_one_store_see_what_each_other_wrote(start, serve, memory):
    one, other = start().url, serve(memory)
    with httpx.Client(base_url=one) as first, httpx.Client(base_url=other) as second:
        asked = {"query": "Where does Lena live?"}
        assert second.post(f"{AT}/recall", json=asked).json()["hits"] == []
        kept = first.post(f"{AT}/remember", json={"text": "Lena lives in Porto."}).json()
        hits = second.post(f"{AT}/recall", json=asked).json()["hits"]
        assert [kept["id"]] == [hit["episode"]["id"] for hit in hits]
        assert second.post(f"{AT}/forget", json={"id": kept["id"]}).json() == 1
        assert first.post(f"{AT}/recall", json=asked).json()["hits"] == []
        with ThreadPoolExecutor(8) as threads:
            made = list(
                threads.map(
                    lambda n: (first, second)[n % 2].post(
                        f"{AT}/remember", json={"text": f"Both at once, {n}."}
                    ),
                    range(24),
                )
            )
        assert {200} == {answer.status_code for answer in made}
        assert first.get(f"{AT}/episodes").json() == second.get(f"{AT}/episodes").json()
        assert first.get(f"{AT}/stats").json()["episodes"] == 24


@pytest.mark.slow
def test_a_key_made_on_the_command_line_closes_a_server_that_runs(serve, memory, path):
    with httpx.Client(base_url=serve(memory)) as http:
        assert http.get("/v1/banks").status_code == 200
        made = subprocess.run(
            [sys.executable, "-m", "hippocampus", "keys", "create", "me", "--bank", "*",
             "--role", "admin", "--store", str(path), "--json"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        token = json.loads(made.stdout)["token"]
        while http.get("/v1/banks").status_code != 401:
            time.sleep(0.02)
        good = http.get("/v1/banks", headers={"Authorization": f"Bearer {token}"})
        assert good.status_code == 200


def test_without_keys_only_this_machine_is_let_in(memory):
    for host in ("0.0.0.0", "::", "192.168.1.5", "example.org"):  # noqa: S104 - it is refused
        with pytest.raises(AccessError, match="keys create"):
            make_server(memory, host=host)
    Keys(memory).create("x", "read", ["*"])
    assert make_server(memory, host="0.0.0.0") is not None  # noqa: S104


def test_readiness_is_that_of_the_store(serve, open_memory):
    memory = open_memory("other.db")
    with httpx.Client(base_url=serve(memory)) as http:
        assert http.get("/readyz").json() == {"status": "ready"}
        memory.close()
        answer = http.get("/readyz")
        assert (503, "StoreClosed") == (answer.status_code, answer.json()["error"]["type"])
        assert "other.db" not in answer.text
        assert answer.headers["retry-after"] == "1"
        assert http.get("/healthz").status_code == 200


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be moved there")
def test_a_server_whose_file_was_moved_is_not_ready_and_logs_its_failures(
    serve, open_memory, tmp_path, caplog
):
    memory = open_memory("moved.db")
    memory.bank("ada").remember("It rains.")
    with httpx.Client(base_url=serve(memory)) as http:
        (tmp_path / "moved.db").rename(tmp_path / "elsewhere.db")
        answer = http.get("/readyz")
        assert answer.status_code == 503
        assert "moved or replaced" in answer.json()["error"]["message"]
        assert "moved.db" not in answer.text
        failed = http.post("/v1/banks/ada/remember", json={"text": "It pours."})
        assert (500, "StoreReplaced") == (failed.status_code, failed.json()["error"]["type"])
        failures = [one for one in caplog.records if one.levelname == "ERROR"]
        assert "StoreReplaced" in {one.seen["error"] for one in failures}
        (tmp_path / "elsewhere.db").rename(tmp_path / "moved.db")
        assert http.get("/readyz").status_code == 200


def test_monitors_may_ask_for_health_without_a_body(serve, open_memory):
    with httpx.Client(base_url=serve(open_memory("head.db"))) as http:
        for path in ("/healthz", "/readyz"):
            answer = http.head(path)
            assert (200, b"") == (answer.status_code, answer.content)


@pytest.mark.slow
def test_what_was_stored_can_still_be_read_once_a_full_disk_is_told(serve, memory):
    bank = memory.bank("ada")
    kept = bank.remember("It was here before.")
    writer = memory.engine.store.connections.writer
    pages = writer.execute("PRAGMA page_count").fetchone()[0]
    writer.execute(f"PRAGMA max_page_count = {pages}")
    with httpx.Client(base_url=serve(memory), timeout=30) as http:
        turns = [{"text": f"{n} " + os.urandom(100).hex()} for n in range(200)]
        full = http.post(f"{AT}/remember_many", json={"turns": turns})

        assert full.status_code == 507
        assert isinstance(wire.as_error(wire.load_fault(full.content)), StoreFull)
        assert "memory.db" not in full.text
        there = http.get(f"{AT}/get", params={"id": kept.id})
        assert there.json()["text"] == "It was here before."
        writer.execute(f"PRAGMA max_page_count = {pages + 100_000}")
        again = http.post(f"{AT}/remember_many", json={"turns": turns})
        assert (200, True) == (again.status_code, len(again.json()) >= 200)


def test_a_store_that_is_locked_by_another_process_says_when_to_try_again(serve, open_memory, path):
    from hippocampus import Config

    memory = open_memory("locked.db", config=Config(busy_timeout_s=0.05))
    memory.bank("ada").remember("Something.")
    other = open_memory("locked.db")
    with httpx.Client(base_url=serve(memory), timeout=30) as http, other.engine.store.write():
        answer = http.post(f"{AT}/remember", json={"text": "More."})

        assert (503, "1") == (answer.status_code, answer.headers["retry-after"])
        assert isinstance(wire.as_error(wire.load_fault(answer.content)), StoreLocked)
        assert http.post(f"{AT}/recall", json={"query": "Something"}).status_code == 200
    assert path.with_name("locked.db").exists()


@pytest.mark.slow
def test_only_the_requests_there_is_no_room_for_are_sent_away(serve, memory, kept_waiting):
    bank = memory.bank("ada")
    bank.remember("Something.")
    limits = Limits(readers=1, waiting=2, answers_bytes=0)
    with httpx.Client(base_url=serve(memory, limits=limits), timeout=30) as http:
        http.get("/v1/banks")
        with ThreadPoolExecutor(8) as threads:
            with kept_waiting(bank):
                asked = [
                    threads.submit(http.post, f"{AT}/recall", json={"query": f"some {n}"})
                    for n in range(8)
                ]
                while sum(one.done() for one in asked) < 5:
                    time.sleep(0.01)
                away = [one.result() for one in asked if one.done()]
            served = [one.result() for one in asked if one.result() not in away]

        assert {503} == {answer.status_code for answer in away}
        assert isinstance(wire.as_error(wire.load_fault(away[0].content)), Overloaded)
        assert [200, 200, 200] == [answer.status_code for answer in served]
        assert 'hippocampus_calls{kind="read"} 0.0' in http.get("/metrics").text


def test_banks_sleep_while_the_server_runs_if_they_are_to(serve, memory):
    assert isinstance(serve(memory, schedule=Schedule()), str)
    names = {thread.name for thread in threading.enumerate()}

    assert "hippocampus-sleep" in names


@pytest.mark.slow
def test_a_server_that_only_reads_is_ready_answers_and_refuses_to_write(tmp_path):
    path = tmp_path / "kept.db"
    with Memory(path, embedder="hash") as memory:
        memory.bank("ada").remember("The boiler was serviced by Ivo.")
    server = Process(path, "--read-only")
    try:
        with httpx.Client(base_url=server.url) as http:
            assert http.get("/readyz").status_code == 200
            found = http.post("/v1/banks/ada/recall", json={"query": "boiler"})
            assert "Ivo" in found.text
            refused = http.post("/v1/banks/ada/remember", json={"text": "It rains."})
            assert (409, "StoreReadOnly") == (
                refused.status_code, refused.json()["error"]["type"]
            )  # fmt: skip
    finally:
        server.stop()
    with Memory(path, embedder="hash") as memory:
        assert memory.bank("ada").stats().episodes == 1
