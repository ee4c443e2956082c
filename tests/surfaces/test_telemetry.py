"""Spans and figures by OpenTelemetry's conventions for generative AI; no words in them."""

import json
import subprocess
import sys

import anyio
import pytest
from mcp import Client as McpClient

from hippocampus import Client, Memory, Turn
from hippocampus.core.telemetry import CAPTURE
from hippocampus.errors import UnknownEpisode
from hippocampus.mcp import create_server

SAID = "Lena keeps the quorn in the larder"


@pytest.fixture
def bank(memory, spans):
    bank = memory.bank("acme/lena")
    bank.remember("Something to begin with")
    spans.clear()
    return bank


@pytest.fixture
def memory():
    with Memory(":memory:", embedder="none") as memory:
        yield memory


def told(spans):
    return [(span.name, dict(span.attributes)) for span in spans.get_finished_spans()]


def test_each_verb_is_the_operation_that_the_conventions_call_it(bank, memory, spans):
    kept = bank.remember(SAID)
    bank.remember_many([Turn(text="It rains"), Turn(text="It pours")])
    found = bank.recall("quorn")
    bank.context("quorn")
    bank.find("quorn")
    new = bank.correct(kept.id, "Lena keeps the quorn in the fridge")
    bank.forget(new.id)
    bank.restore(new.id)
    memory.delete_bank("acme/lena")

    names = [name for name, _ in told(spans)]
    assert names == [
        "create_memory", "create_memory", "search_memory", "search_memory", "search_memory",
        "update_memory", "delete_memory", "update_memory", "delete_memory_store",
    ]  # fmt: skip
    about = [attributes for _, attributes in told(spans)]
    assert names == [one["gen_ai.operation.name"] for one in about]
    assert {"hippocampus"} == {one["gen_ai.provider.name"] for one in about}
    assert 1 == len({one["gen_ai.memory.store.id"] for one in about})
    assert [1, 2, len(found)] == [one["gen_ai.memory.record.count"] for one in about[:3]]
    assert kept.id == about[0]["gen_ai.memory.record.id"]
    assert new.id == about[6]["gen_ai.memory.record.id"]


def test_what_is_only_looked_up_is_no_span(bank, spans):
    bank.stats()
    bank.episodes()
    assert [] == told(spans)


def test_nothing_that_was_said_or_named_is_in_a_span(bank, spans):
    bank.remember(SAID, speaker="Lena", session="larder")
    bank.recall("Where is the quorn?", speaker="Lena")
    with pytest.raises(UnknownEpisode):
        bank.forget("quorn")

    whole = "".join(span.to_json() for span in spans.get_finished_spans()).casefold()
    assert [] == [word for word in ("quorn", "lena", "larder", "acme") if word in whole]


@pytest.mark.parametrize("given", ["decade", "facade", "2024", "017612345678", "ab" * 16])
def test_a_word_or_number_in_the_place_of_an_id_is_in_no_span(bank, spans, given):
    kept = bank.remember(SAID)
    with pytest.raises(UnknownEpisode):
        bank.forget(given)
    bank.forget(kept.id)

    _, (_, unknown), (_, known) = told(spans)
    assert "gen_ai.memory.record.id" not in unknown
    assert kept.id == known["gen_ai.memory.record.id"]


@pytest.mark.parametrize("value", ["true", "TRUE", "SPAN_ONLY", "span_and_event"])
def test_who_asks_for_it_has_what_was_said(bank, spans, monkeypatch, value):
    monkeypatch.setenv(CAPTURE, value)
    kept = bank.remember(SAID)
    bank.recall("Where is the quorn?")

    (_, writing), (_, reading) = told(spans)
    assert [{"id": kept.id, "content": SAID}] == json.loads(writing["gen_ai.memory.records"])
    assert "Where is the quorn?" == reading["gen_ai.memory.query.text"]
    best = json.loads(reading["gen_ai.memory.records"])[0]
    assert (kept.id, SAID) == (best["id"], best["content"])
    assert 0 < best["score"] <= 1


@pytest.mark.parametrize("value", ["false", "no_content", "event_only", ""])
def test_whoever_does_not_has_none_of_it(bank, spans, monkeypatch, value):
    monkeypatch.setenv(CAPTURE, value)
    bank.recall("Where is the quorn?")
    ((_, reading),) = told(spans)
    assert not {"gen_ai.memory.query.text", "gen_ai.memory.records"} & reading.keys()


def test_an_error_is_told_by_its_class_alone(bank, spans):
    with pytest.raises(UnknownEpisode):
        bank.correct("feed" * 6, SAID)

    (span,) = spans.get_finished_spans()
    assert ("ERROR", None) == (span.status.status_code.name, span.status.description)
    assert "UnknownEpisode" == span.attributes["error.type"]
    assert () == tuple(span.events)


def test_durations_are_in_the_histogram_of_the_conventions(bank, figures):
    bank.recall("quorn")
    with pytest.raises(UnknownEpisode):
        bank.forget("feed" * 6)

    metric, points = figures()["gen_ai.client.operation.duration"]
    assert "s" == metric.unit
    about = [dict(point.attributes) for point in points]
    common = {"gen_ai.provider.name": "hippocampus"}
    assert common | {"gen_ai.operation.name": "search_memory"} in about
    wrong = {"gen_ai.operation.name": "delete_memory", "error.type": "UnknownEpisode"}
    assert common | wrong in about
    assert (0.01, 0.02, 0.04) == tuple(points[0].explicit_bounds)[:3]


def test_one_trace_goes_from_a_client_through_the_server_to_the_bank(memory, serve, spans):
    url = serve(memory)
    with Client(url) as client:
        client.bank("acme/lena").remember(SAID)
        spans.clear()
        client.bank("acme/lena").recall("quorn")

    by_kind = {span.kind.name: span for span in spans.get_finished_spans()}
    asked, answered, searched = (by_kind[kind] for kind in ("CLIENT", "SERVER", "INTERNAL"))
    assert "search_memory" == asked.name == searched.name
    assert "POST /v1/banks/{bank}/recall" == answered.name
    assert asked.context.span_id == answered.parent.span_id
    assert answered.context.span_id == searched.parent.span_id
    assert url.endswith(f"{asked.attributes['server.address']}:{asked.attributes['server.port']}")


def test_over_mcp_it_stands_within_the_span_of_the_tool(memory, spans):
    async def talk():
        async with McpClient(create_server(lambda: memory, bank="acme/lena")) as agent:
            await agent.call_tool("remember", {"text": SAID})
            await agent.call_tool("recall", {"query": "quorn"})

    anyio.run(talk)
    ended = spans.get_finished_spans()
    by_name = {span.name: span for span in ended if span.kind.name != "CLIENT"}
    for tool, operation in (("remember", "create_memory"), ("recall", "search_memory")):
        called = by_name[f"tools/call {tool}"].context.span_id
        assert called == by_name[operation].parent.span_id


@pytest.mark.slow
def test_who_has_not_set_it_up_does_not_even_import_it():
    program = """
import sys
from hippocampus import Memory
bank = Memory(":memory:", embedder="none").bank("ada")
bank.remember("It rains")
bank.recall("rain")
assert not [name for name in sys.modules if name.startswith("opentelemetry")]
"""
    subprocess.run([sys.executable, "-c", program], check=True)
