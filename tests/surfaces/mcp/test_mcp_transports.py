"""The server as a client starts it: over stdio and HTTP, on bad days too."""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from mcp.client.stdio import StdioServerParameters

from hippocampus import Memory
from hippocampus.encode.model_files import installed

MCP = [sys.executable, "-m", "hippocampus", "mcp"]


def environment(folder):
    return os.environ | {
        "HIPPOCAMPUS_STORE": str(folder / "memory.db"),
        "HIPPOCAMPUS_EMBEDDER": "hash",
        "HIPPOCAMPUS_BANK": "ada",
        "HIPPOCAMPUS_TIMEZONE": "UTC",
    }


@pytest.fixture
def env(tmp_path):
    return environment(tmp_path)


class Wire:
    """A server's process, spoken to line by line; it keeps every byte that comes back."""

    def __init__(self, env, *options):
        self.started = time.perf_counter()
        self.raw = b""
        self.process = subprocess.Popen(
            [*MCP, *options],
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def send(self, message):
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def ask(self, method, number, **params):
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        line = self.process.stdout.readline()
        self.raw += line
        answer = json.loads(line)
        assert number == answer["id"]
        return answer

    def hello(self):
        answer = self.ask(
            "initialize", 0, protocolVersion="2025-06-18", capabilities={},
            clientInfo={"name": "test", "version": "1"},
        )  # fmt: skip
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer["result"]

    def call(self, tool, number=1, **arguments):
        answer = self.ask("tools/call", number, name=tool, arguments=arguments)
        return answer["result"]

    def hang_up(self):
        """End the conversation as a client does; return what was logged and the exit code."""
        out, err = self.process.communicate(timeout=20)
        self.raw += out
        return err.decode(), self.process.returncode


@contextmanager
def wire(env, *options):
    spoken = Wire(env, *options)
    try:
        yield spoken
    finally:
        spoken.process.kill()
        spoken.process.wait()
        for stream in (spoken.process.stdin, spoken.process.stdout, spoken.process.stderr):
            with suppress(BrokenPipeError):
                stream.close()


# ---------------------------------------------------------------- stdio


@pytest.mark.slow
@pytest.mark.parametrize("legacy", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_an_agent_over_stdio_shares_a_memory_with_another_process(env, connect, legacy):
    server = StdioServerParameters(command=MCP[0], args=MCP[1:], env=env)
    agent = connect(server, mode="legacy") if legacy else connect(server)
    with Memory(env["HIPPOCAMPUS_STORE"], embedder="hash") as memory:
        bank = memory.bank("ada")
        before = bank.remember("I am allergic to peanuts.", speaker="Ada")
        found = agent("recall", query="who has an allergy to peanuts?")["memories"]
        kept = agent("remember", text="The cat is called Mog.")
        assert [kept["id"]] == [episode.id for episode in bank.find("mog")]

    assert before.id == found[0]["id"]
    assert [kept["id"]] == [m["id"] for m in agent("timeline", words="mog")["memories"]]
    assert "hippocampus" == agent.client.server_info.name
    assert "recall" in {tool.name for tool in agent.ask("list_tools").tools}


@pytest.mark.slow
def test_agents_over_stdio_remember_across_processes(env, connect):
    server = StdioServerParameters(command=MCP[0], args=MCP[1:], env=env)
    first, agent = connect(server, mode="legacy"), connect(server)
    kept = first("remember", text="I am allergic to peanuts.", speaker="Ada")
    more = agent("remember", text="The cat is called Mog.")

    for one in (first, agent):
        assert (
            kept["id"] == one("recall", query="who has an allergy to peanuts?")["memories"][0]["id"]
        )
        assert [more["id"]] == [m["id"] for m in one("timeline", words="mog")["memories"]]


@pytest.mark.slow
def test_nothing_but_the_protocol_is_on_stdout(env, tmp_path):
    homeless = env | {
        "HIPPOCAMPUS_EMBEDDER": "default",
        "XDG_DATA_HOME": str(tmp_path / "no models here"),
        "HOME": str(tmp_path),
        "PYTHONDEVMODE": "1",
    }
    with wire(homeless, "--log-level", "debug") as spoken:
        spoken.hello()
        spoken.send(b"this is no JSON")
        spoken.send(b'{"jsonrpc": "2.0", "id": 1, "method"')
        spoken.send(b"\xff\xfe\x00")
        spoken.send(b"[]")
        spoken.send({"jsonrpc": "1.0", "id": 2, "method": "tools/list"})
        answers = [
            spoken.call("remember", 3, text="I am allergic to peanuts."),
            spoken.call("recall", 4, query="peanuts"),
            spoken.call("recall", 5, query="peanuts", k="many"),
            spoken.call("recall", 6, query="peanuts", bank="nobody"),
            spoken.call("timeline", 7, id="nobody"),
            spoken.call("no such tool", 8),
        ]
        unknown = spoken.ask("no/such/method", 9)
        missing = spoken.ask("resources/read", 10, uri="hippocampus://banks/nobody")
        logged, code = spoken.hang_up()

    messages = [json.loads(line) for line in spoken.raw.decode().splitlines()]
    assert [0, *range(3, 11)] == [message["id"] for message in messages if "id" in message]
    assert all("2.0" == message["jsonrpc"] for message in messages)
    assert [False, False, True, True, True, True] == [answer["isError"] for answer in answers]
    assert "hippocampus models install" in answers[1]["structuredContent"]["degraded"][0]
    assert (-32601, -32602) == (unknown["error"]["code"], missing["error"]["code"])
    assert 0 == code
    assert "DEBUG" in logged
    assert "peanuts" not in logged, "what is remembered is in no log"


@pytest.mark.slow
@pytest.mark.parametrize("package", ["mcp", "mcp.server.mcpserver"])
def test_without_the_package_or_with_an_old_one_the_command_says_what_to_install(package):
    code = f"import sys; sys.modules[{package!r}] = None; from hippocampus.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "mcp"], capture_output=True, check=False, input=b""
    )

    assert (5, b"") == (done.returncode, done.stdout)
    assert b"pip install 'hippocampus-memory[mcp]'" in done.stderr.replace(b"\n", b" ")


@pytest.mark.slow
def test_the_server_goes_on_after_refusing_a_huge_argument_in_a_few_words(env):
    with wire(env) as spoken:
        spoken.hello()
        refused = spoken.call("remember", 1, text="é" * (9 << 20))
        kept = spoken.call("remember", 2, text="I am allergic to peanuts.")

    assert refused["isError"]
    assert "at most 16,777,216" in refused["content"][0]["text"]
    assert len(refused["content"][0]["text"]) < 500
    assert kept["structuredContent"]["new"]


@pytest.mark.slow
def test_what_was_acknowledged_survives_a_client_and_a_server_that_are_killed(env):
    with wire(env) as spoken:
        spoken.hello()
        kept = spoken.call("remember", 1, text="I am allergic to peanuts.")["structuredContent"]
        spoken.send(
            {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
             "params": {"name": "recall", "arguments": {"query": "peanuts"}}}
        )  # fmt: skip
        spoken.process.send_signal(signal.SIGKILL)

    with Memory(env["HIPPOCAMPUS_STORE"], embedder="none") as memory:
        assert [kept["id"]] == [episode.id for episode in memory.bank("ada").episodes()]


@pytest.mark.slow
def test_the_server_ends_when_its_client_is_gone(env):
    with wire(env) as spoken:
        spoken.hello()
        spoken.process.stdout.close()  # nobody reads any more
        spoken.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        spoken.process.stdin.close()

        assert 0 == spoken.process.wait(timeout=20)
        assert b"" == spoken.process.stderr.read()


@pytest.mark.slow
def test_the_server_ends_when_it_is_interrupted(env):
    with wire(env) as spoken:
        spoken.hello()
        spoken.call("status")
        spoken.process.send_signal(signal.SIGINT)

        assert spoken.process.wait(timeout=20) is not None


@pytest.mark.slow
@pytest.mark.skipif(installed() is None, reason="the default model is not installed")
def test_the_server_is_ready_in_a_second_and_a_half(env):
    """On a machine with nothing else to do; the first recall may wait for the model."""
    ready = []
    for _ in range(5):
        with wire(env | {"HIPPOCAMPUS_EMBEDDER": "default"}) as spoken:
            spoken.hello()
            ready.append(time.perf_counter() - spoken.started)

    assert min(ready) <= 1.5


@pytest.mark.slow
def test_greeting_a_client_needs_no_engine():
    """What keeps the server quick on any machine: no NumPy, no model, no store."""
    code = """
import sys
from hippocampus.mcp import create_server
create_server(lambda: None, bank="ada")
sys.exit(" ".join({"numpy", "onnxruntime", "hippocampus.memory", "hippocampus.bank"}
    & set(sys.modules)) or 0)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)

    assert (0, b"") == (done.returncode, done.stderr)


# ---------------------------------------------------------------- HTTP


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Serve over HTTP on a port that is free, and at the end stop as told to."""
    env = environment(tmp_path_factory.mktemp("http"))
    with wire(env, "--http", "--port", "0") as spoken:
        line = spoken.process.stderr.readline().decode()
        assert "serving on http://127.0.0.1:" in line
        yield line.split()[-1]
        spoken.process.terminate()
        assert 0 == spoken.process.wait(timeout=20)
        assert b"" == spoken.process.stdout.read()


def post(address, message, **headers):
    """Post a message as a browser or anybody else might; return the status and the text."""
    standard = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    request = Request(address, body, standard | headers)  # noqa: S310 - to ourselves
    try:
        with urlopen(request, timeout=20) as answer:  # noqa: S310
            return answer.status, answer.read().decode()
    except HTTPError as refused:
        with refused:
            return refused.code, refused.read().decode()


LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


@pytest.mark.slow
def test_agents_over_http_share_a_memory(address, connect):
    kept = connect(address)("remember", text="I am allergic to peanuts.", speaker="Ada")
    agents = [
        connect(address, mode=mode) for mode in ("legacy", "auto")
    ]  # with and without handshake

    with ThreadPoolExecutor(4) as pool:
        queries = ["who is allergic to peanuts?"] * 8
        found = list(pool.map(lambda q: agents[0]("recall", query=q), queries))
    more = [agent("remember", text=f"Note {n}")["id"] for n, agent in enumerate(agents)]

    assert {kept["id"]} == {answer["memories"][0]["id"] for answer in found}
    assert 3 == len({kept["id"], *more}) == agents[1]("status")["memories"]


@pytest.mark.slow
def test_only_this_machine_and_its_own_pages_are_served(address):
    assert 200 == post(address, LIST)[0]
    assert 200 == post(address, LIST, Origin="http://localhost:3000")[0]
    assert 403 == post(address, LIST, Origin="https://evil.example")[0]
    assert 421 == post(address, LIST, Host="evil.example:8766")[0]
    assert 400 == post(address, LIST, **{"Content-Type": "text/plain"})[0]


@pytest.mark.slow
def test_the_server_goes_on_over_http_after_refusing_what_is_no_message(address):
    for body in (b"this is no JSON", b"", b"\xff", b"[]", b'{"jsonrpc": "2.0"}'):
        status, text = post(address, body)
        assert 400 == status, body
        assert "error" in json.loads(text)
    assert 413 == post(address, b"", **{"Content-Length": f"{5 << 20}"})[0]
    assert 404 == post(address.replace("/mcp", "/nowhere"), LIST)[0]
    assert 200 == post(address, LIST)[0]


def test_blanks_around_the_value_of_a_header_are_none_of_it(address):
    version, of = "2026-07-28", "io.modelcontextprotocol"
    meta = {f"{of}/protocolVersion": version, f"{of}/clientCapabilities": {}}
    params = {"name": "status", "arguments": {}, "_meta": meta}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {"Mcp-Method": "tools/call", "MCP-Protocol-Version": version}

    names = ("status", " status \t", "recall")
    answers = [post(address, call, **headers, **{"Mcp-Name": name}) for name in names]

    assert [200, 200, 400] == [status for status, _ in answers]


@pytest.mark.slow
def test_a_port_that_is_taken_is_told(address, env):
    port = address.split(":")[-1].split("/")[0]

    with wire(env, "--http", "--port", port) as spoken:
        told, code = spoken.hang_up()

    assert 2 == code
    assert port in told
    assert b"" == spoken.raw


BLOCKED = """
import sys, time
from hippocampus import Memory
from hippocampus.mcp import BackgroundOpener, create_server, serve_http
from hippocampus.testing import HashEmbedder

class Stuck(HashEmbedder):
    def embed(self, passages):
        print("stuck", flush=True)
        time.sleep(60)
        return super().embed(passages)

opener = BackgroundOpener(lambda: Memory(sys.argv[1], embedder=Stuck()))
try:
    serve_http(create_server(opener, bank="ada"), 0, ready=lambda url: print(url, flush=True))
finally:
    opener.close()
"""


@pytest.mark.slow
def test_the_server_over_http_ends_in_time_whatever_a_call_does(tmp_path):
    command = [sys.executable, "-c", BLOCKED, str(tmp_path / "m.db")]
    said = {"name": "remember", "arguments": {"text": "Tea at five."}}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": said}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        address = process.stdout.readline().strip()
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(post, address, call)
            assert "stuck" == process.stdout.readline().strip()
            process.terminate()

            assert 1 == process.wait(timeout=15)
            assert asked.exception() is not None or asked.result()[0] >= 500
