"""The commands that serve, each a process of its own, on a store in PostgreSQL and a standby."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import postgres_server
import pytest
from served_process import Process

from hippocampus import Memory

psycopg = pytest.importorskip("psycopg")
pytest.importorskip("psycopg_pool")

_PAUSED = "SELECT pg_get_wal_replay_pause_state()"


@pytest.fixture
def dsn(database):
    return database()


@contextmanager
def command(dsn, *words):
    """Run a command on a store."""
    env = os.environ | {"HIPPOCAMPUS_STORE": dsn, "HIPPOCAMPUS_EMBEDDER": "hash"}
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    program = [sys.executable, "-m", "hippocampus", *words]
    with subprocess.Popen(program, env=env, text=True, **pipes) as process:
        try:
            yield process
        finally:
            process.kill()


def texts(dsn, bank):
    with Memory(dsn, embedder="hash", read_only=True) as memory:
        return [episode.text for episode in memory.bank(bank).episodes()]


@pytest.mark.slow
def test_an_agent_keeps_and_finds_memories_in_postgresql_by_mcp(dsn):
    with command(dsn, "mcp", "--bank", "ada") as process:

        def send(method, **more):
            process.stdin.write(json.dumps({"jsonrpc": "2.0", "method": method, **more}) + "\n")
            process.stdin.flush()

        def call(tool, **arguments):
            send("tools/call", id=1, params={"name": tool, "arguments": arguments})
            return json.loads(process.stdout.readline())["result"]["structuredContent"]

        me = {"name": "test", "version": "1"}
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": me}
        send("initialize", id=0, params=hello)
        process.stdout.readline()
        send("notifications/initialized")
        kept = call("remember", text="The spare key is under the blue pot.")
        found = call("recall", query="Where is the spare key?", min_seq=kept["seq"])

    assert [kept["id"]] == [one["id"] for one in found["memories"]]
    assert ["The spare key is under the blue pot."] == texts(dsn, "ada")


class Model(BaseHTTPRequestHandler):
    """A model that takes note of all it is told."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        said = {"role": "assistant", "content": "Noted."}
        body = json.dumps({"choices": [{"index": 0, "message": said, "finish_reason": "stop"}]})
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        """Say nothing."""


@pytest.mark.slow
def test_the_proxy_remembers_a_chat_in_postgresql(dsn):
    with HTTPServer(("127.0.0.1", 0), Model) as model:
        threading.Thread(target=model.serve_forever, args=(0.01,)).start()
        to = f"http://127.0.0.1:{model.server_address[1]}/v1"
        with command(dsn, "proxy", "--port", "0", "--upstream", to) as process:
            said = iter(process.stderr.readline, "")
            url = next(u[0] for one in said if (u := re.search(r"http://\S+/v1(?= passes)", one)))
            words = {"role": "user", "content": "I moved to Lisbon in March."}
            body = {"model": "small", "messages": [words]}
            answer = httpx.post(f"{url}/chat/completions", json=body, timeout=20)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=20)
        model.shutdown()

    assert "Noted." == answer.json()["choices"][0]["message"]["content"]
    assert ["I moved to Lisbon in March.", "Noted."] == texts(dsn, "me")


@pytest.mark.slow
def test_a_server_on_a_standby_that_is_behind_refuses_only_what_it_lacks(dsn):
    folder = Path(parse_qs(urlsplit(dsn).query)["host"][0])
    with Memory(dsn, embedder="hash") as primary:
        bank = primary.bank("ada")
        bank.remember("The boiler was serviced in May.")
        old = bank.state.seen.token
        postgres_server.take_copy(folder, folder / "paused", standby=True)
        with postgres_server.running_copy(folder, folder / "paused") as place:
            standby = dsn.replace(str(folder), str(place))
            server = Process(standby, "--read-only")

            def ask(least):
                address = f"{server.url}/v1/banks/ada/find"
                said = httpx.post(
                    address, json={"terms": ["boiler"]}, headers={"Min-Seq": least}, timeout=20
                )
                return said.status_code, said.json()

            try:
                with psycopg.connect(standby, autocommit=True) as db:
                    db.execute("SELECT pg_wal_replay_pause()")
                    until = time.monotonic() + 20
                    while db.execute(_PAUSED).fetchone() != ("paused",):
                        assert time.monotonic() < until
                        time.sleep(0.01)
                    bank.remember("The boiler was repaired in June.")
                    behind, new = ask(old), ask(bank.state.seen.token)
                    db.execute("SELECT pg_wal_replay_resume()")
                after = ask(bank.state.seen.token)
            finally:
                server.stop()

    assert (200, 503, "StoreBehind") == (behind[0], new[0], new[1]["error"]["type"])
    assert 200 == after[0]
    assert behind[1] != after[1]
