"""Long work ends when whoever asked for it hangs up; what was acknowledged stays, others go on."""

import json
import socket
import time

import httpx
import pytest
from loopback import served

from hippocampus import Config, Ingest, Memory, Turn
from hippocampus.journal import transfer
from hippocampus.store import upkeep as store_upkeep
from hippocampus.testing import ScriptedEmbedder
from hippocampus.upkeep import verify

AT = "/v1/banks/ada"
STEP_S = 0.04
TURNS = 240
"""So many steps take ten seconds: far longer than a hang-up may take to be noticed."""
LINES = "application/x-ndjson"
FILE = "".join(
    f"# Day {n}\n\nThe harbour was quiet on day {n}{', and so it went' * 5}.\n\n"
    for n in range(TURNS)
)
SENT = "".join(json.dumps({"text": f"The ferry left on day {n}."}) + "\n" for n in range(TURNS))
LONG = {
    "sleep": ("POST", f"{AT}/sleep", "application/json", b"{}"),
    "rebuild": ("POST", "/v1/rebuild", "application/json", b"{}"),
    "import of turns": ("POST", f"{AT}/import", LINES, SENT.encode()),
    "import of a file": (
        "POST", f"{AT}/import?name=log.md", "application/octet-stream", FILE.encode(),
    ),
    "export": ("GET", f"{AT}/export", "application/json", b""),
    "backup": ("GET", "/v1/backup", "application/json", b""),
}  # fmt: skip


def slowly(made, steps=1):
    def step(*given, **named):
        time.sleep(steps * STEP_S)
        return made(*given, **named)

    return step


@pytest.fixture
def slow(tmp_path, monkeypatch):
    """Return a memory in which every step of long work takes a while."""
    path = tmp_path / "memory.db"
    with Memory(path, embedder="none") as memory:
        memory.bank("ada").remember_many(Turn(text=f"It rained on day {n}.") for n in range(TURNS))
    monkeypatch.setattr(transfer, "_episode", slowly(transfer._episode))
    monkeypatch.setattr(transfer, "_TEXTS_AT_ONCE", 1)
    monkeypatch.setattr(store_upkeep, "check_budget", slowly(store_upkeep.check_budget, 5))
    monkeypatch.setattr(store_upkeep, "_BACKUP_PAGES", 1)
    embedder = ScriptedEmbedder(on_passages=lambda _: time.sleep(STEP_S))
    with Memory(
        path, embedder=embedder, config=Config(ingest=Ingest(batch=1, chunk_tokens=32))
    ) as memory:
        yield memory


def begin(url, method, path, kind, body, *, told):
    """Send a request, and return the connection on which nobody reads its answer."""
    host, _, port = url.removeprefix("http://").partition(":")
    accept = LINES if told else "*/*"
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nAccept: {accept}\r\nContent-Type: {kind}\r\n"
    )
    connection = socket.create_connection((host, int(port)))
    connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    return connection


def busy(http):
    """Return whether long work is under way."""
    kinds = ("upkeep", "bulk")
    figures = [f'hippocampus_calls{{kind="{kind}"}} 0.0' for kind in kinds]
    told = http.get("/metrics").text.splitlines()
    return not all(figure in told for figure in figures)


def wait_until(come, otherwise):
    until = time.monotonic() + 30
    while not come():
        assert time.monotonic() < until, otherwise
        time.sleep(0.02)


@pytest.mark.slow
@pytest.mark.parametrize("told", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("verb", LONG)
def test_long_work_ends_within_a_second_of_the_hang_up(slow, verb, told):
    bank = slow.bank("ada")
    before = {episode.text for episode in bank.episodes()}
    with served(slow) as url, httpx.Client(base_url=url, timeout=30) as others:
        connection = begin(url, *LONG[verb], told=told)
        wait_until(lambda: busy(others), "it has not begun")
        time.sleep(15 * STEP_S)
        if "import" in verb:
            wait_until(lambda: len(bank.episodes()) > len(before) + 5, "it keeps nothing")
        assert busy(others), "it has to be under way"
        assert 200 == others.post(f"{AT}/recall", json={"query": "rain"}).status_code
        connection.close()
        gone = time.monotonic()
        wait_until(lambda: not busy(others), "it goes on")
        assert time.monotonic() - gone < 1.0
        assert 200 == others.post(f"{AT}/remember", json={"text": "I am back."}).status_code

    there = {episode.text for episode in bank.episodes()}
    assert before | {"I am back."} <= there
    if "import" in verb:
        assert len(before) + 5 < len(there) < len(before) + TURNS, "what was done by then stays"
    assert () == verify(slow).problems


@pytest.mark.slow
def test_an_import_that_was_cut_off_goes_on_when_it_is_sent_again(slow):
    with served(slow) as url, httpx.Client(base_url=url, timeout=60) as others:
        connection = begin(url, *LONG["import of a file"], told=False)
        wait_until(lambda: slow.bank("ada").find("harbour"), "it has not begun")
        connection.close()
        wait_until(lambda: not busy(others), "it goes on")
        method, path, kind, body = LONG["import of a file"]
        done = others.request(method, path, content=body, headers={"Content-Type": kind}).json()

    assert done["unchanged"] > 0
    assert done["added"] > 0
    assert TURNS == slow.bank("ada").count("harbour")
