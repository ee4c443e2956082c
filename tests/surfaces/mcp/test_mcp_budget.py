"""A call of a tool has a budget, and ends when the client calls it off."""

import time

import pytest

from hippocampus import Memory
from hippocampus.mcp import create_server
from hippocampus.testing import Gate, ScriptedEmbedder


@pytest.fixture
def gate():
    return Gate()


@pytest.fixture
def slow(path, gate):
    with Memory(path, embedder=ScriptedEmbedder(on_passages=gate)) as memory:
        yield memory


def test_a_call_that_is_called_off_ends_without_harm_to_the_next_one(slow, gate, connect):
    agent = connect(create_server(lambda: slow, bank="ada"))
    said = {"text": "The word is sunflower."}
    under_way = agent._portal.start_task_soon(agent.client.call_tool, "remember", said)
    assert gate.asked.wait(30)
    under_way.cancel()  # of which the client tells the server: notifications/cancelled
    assert agent("status"), "others are answered meanwhile"
    gate.go.set()
    kept = agent("remember", text="I am back.")

    assert [kept["id"]] == [episode.id for episode in slow.bank("ada").episodes()]


@pytest.mark.slow
def test_a_call_that_takes_too_long_is_an_answer_that_says_so(slow, gate, connect, monkeypatch):
    monkeypatch.setattr("hippocampus.mcp.server.LONGEST_S", 0.05)
    gate.go.set()
    slow.engine.embedder.on_passages = lambda _: time.sleep(0.2)
    agent = connect(create_server(lambda: slow, bank="ada"))

    assert "0.05 s allowed for it" in agent.refused("remember", text="A long story.")
    assert [] == slow.bank("ada").episodes()
