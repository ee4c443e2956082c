"""A request has a budget, and ends when whoever sent it has hung up."""

import json
import socket
import time

import httpx
import pytest
from loopback import served

from hippocampus import Client, Config, Ingest, Memory
from hippocampus.errors import OverBudget
from hippocampus.server import Limits
from hippocampus.testing import Gate, ScriptedEmbedder

AT = "/v1/banks/ada"


def test_a_request_for_more_results_than_a_server_gives_is_refused(http):
    http.post(f"{AT}/remember", json={"text": "It is Tuesday."})
    refused = http.post(f"{AT}/recall", json={"query": "day", "k": 1001})

    assert 422 == refused.status_code
    assert "k=1001: this server gives at most 1,000" in refused.json()["error"]["message"]
    assert 200 == http.post(f"{AT}/recall", json={"query": "day", "k": 1000}).status_code


@pytest.mark.slow
def test_what_takes_or_writes_more_than_a_server_allows_ends(path):
    limits = Limits(request_s=1.5, written_bytes=20_000)
    waits = [2.0]
    embedder = ScriptedEmbedder(on_query=lambda _: time.sleep(waits.pop() if waits else 0))
    with Memory(path.with_name("slow.db"), embedder=embedder) as memory:
        memory.bank("ada").remember("It is Tuesday.")
        with served(memory, limits=limits) as url, Client(url) as client:
            bank = client.bank("ada")
            with pytest.raises(OverBudget, match="20,000 bytes"):
                bank.remember("It was a long day by the sea. " * 1500)
            with pytest.raises(OverBudget, match=r"1\.5 s .*--longest.* import"):
                bank.recall("What day is it?")
            assert ["It is Tuesday."] == [hit.text for hit in bank.recall("What day is it?").hits]


@pytest.mark.slow
def test_a_text_that_takes_long_to_embed_is_kept_and_the_answer_says_so(path):
    limits = Limits(request_s=2)
    embedder = ScriptedEmbedder(on_passages=lambda _: time.sleep(0.3))
    config = Config(ingest=Ingest(batch=8, chunk_tokens=16))
    with (
        Memory(path.with_name("long.db"), embedder=embedder, config=config) as memory,
        served(memory, limits=limits) as url,
        httpx.Client(base_url=url) as http,
    ):
        text = " ".join(f"The {n}th tree of the old garden is an oak." for n in range(200))
        kept = http.post(f"{AT}/remember", json={"text": text})
        assert (200, True) == (kept.status_code, "until the next sleep" in kept.headers["Degraded"])


def busy(line):
    return line.startswith('hippocampus_calls{kind="write"}') and not line.endswith(" 0.0")


@pytest.mark.slow
def test_a_request_ends_when_whoever_sent_it_has_hung_up(path):
    gate = Gate()
    embedder = ScriptedEmbedder(on_passages=gate)
    with Memory(path.with_name("left.db"), embedder=embedder) as memory, served(memory) as url:
        host, _, port = url.removeprefix("http://").partition(":")
        body = json.dumps({"text": "The word is sunflower."})
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(
                f"POST {AT}/remember HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
            )
            assert gate.asked.wait(20)
        time.sleep(1)  # it is noticed within a quarter of that
        gate.go.set()
        with httpx.Client(base_url=url) as http:
            while any(busy(line) for line in http.get("/metrics").text.splitlines()):
                time.sleep(0.05)
            assert 200 == http.post(f"{AT}/remember", json={"text": "I am back."}).status_code
        assert ["I am back."] == [episode.text for episode in memory.bank("ada").episodes()]
