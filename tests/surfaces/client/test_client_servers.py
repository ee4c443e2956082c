"""One client, several servers: what it has seen it goes on to see, and nothing is done twice."""

import asyncio
import threading
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest
from loopback import served

from hippocampus import AsyncClient, Client, Memory
from hippocampus.core.clock import ManualClock
from hippocampus.engine.position import Position
from hippocampus.errors import InputError, StoreBehind

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
CLOCK = ManualClock(NOON)


@pytest.fixture
def memory(tmp_path):
    with Memory(tmp_path / "m.db", embedder=None, clock=CLOCK) as memory:
        yield memory


class Losing(ThreadingHTTPServer):
    """Stands before a server, and loses every other answer once the server has given it."""

    daemon_threads = True

    def __init__(self, to):
        super().__init__(("127.0.0.1", 0), _Passing)
        self.to = to
        self.asked = self.lost = 0
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request, client_address):
        """Say nothing of a client that has left."""


class _Passing(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        made = httpx.post(self.server.to + self.path, content=body, headers=dict(self.headers))
        CLOCK.advance(timedelta(minutes=1))
        self.server.asked += 1
        if self.server.asked % 2:
            self.server.lost += 1
            return
        self.send_response(made.status_code)
        self.send_header("Content-Length", str(len(made.content)))
        self.end_headers()
        self.wfile.write(made.content)

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def losing(memory):
    with served(memory) as url:
        before = Losing(url)
        threading.Thread(target=before.serve_forever, args=(0.01,)).start()
        with Client(before.url, timeout_s=20) as client:
            yield client.bank("ada"), before
        before.shutdown()
        before.server_close()


@pytest.mark.slow
def test_a_change_that_is_asked_again_after_a_lost_answer_is_done_once(losing, memory):
    bank, way = losing

    kept = bank.remember("It rains.")
    bank.pin(kept.id)
    bank.feedback(kept.id, helpful=True)
    bank.correct(kept.id, "It pours.")

    assert 4 == way.lost
    assert 8 == way.asked
    kinds = [change.kind for change in memory.bank("ada").journal()]
    assert ["remember", "pin", "feedback", "remember", "correct", "pin"] == kinds


@pytest.mark.slow
def test_every_answer_says_how_much_of_the_bank_it_knows(memory):
    with served(memory) as url:
        said = []
        for text in ("One.", "Two."):
            made = httpx.post(f"{url}/v1/banks/ada/remember", json={"text": text})
            said.append(Position.of(made.headers["Seq"]))
            for verb in ("recall", "recall", "count"):
                body = {"query": "one"} if verb == "recall" else {"term": "One"}
                made = httpx.post(f"{url}/v1/banks/ada/{verb}", json=body)
                assert said[-1] == Position.of(made.headers["Seq"])
    assert said[0] < said[1]


@pytest.fixture
def copy(memory, tmp_path):
    """A store that is behind: a copy of what the bank was after its first episode."""
    memory.bank("ada").remember("One.")
    memory.backup(tmp_path / "copy.db")
    memory.bank("ada").remember("Two.")
    with Memory(tmp_path / "copy.db", embedder=None, read_only=True) as copied:
        yield copied


@pytest.mark.slow
def test_a_server_that_is_behind_refuses_who_has_seen_more(memory, copy):
    with served(memory) as first, served(copy) as second, Client(first) as client:
        bank = client.bank("ada")
        assert bank.seen is None
        assert 2 == bank.count("One") + bank.count("Two")
        with Client(second, timeout_s=30) as other:
            there = other.bank("ada", min_seq=bank.seen)
            with pytest.raises(StoreBehind, match="restored from an older one"):
                there.recall("one")
            assert 1 == there.count("One"), "that was said, and the copy may be all there is"
        made = httpx.get(f"{second}/v1/banks/ada/stats", headers={"Min-Seq": bank.seen})
        assert (503, "1") == (made.status_code, made.headers["Retry-After"])


@pytest.mark.slow
def test_a_file_of_a_bank_is_as_recent_as_any_answer(memory, copy, tmp_path):
    with served(memory) as first, served(copy) as second, Client(first) as client:
        assert 2 == client.bank("ada").export(tmp_path / "one.jsonl")
        seen = client.bank("ada").seen
        assert seen is not None
        with Client(second, attempts=1) as other:
            with pytest.raises(StoreBehind):
                other.bank("ada", min_seq=seen).export(tmp_path / "two.jsonl")
            assert not (tmp_path / "two.jsonl").exists()


def test_what_is_written_in_one_long_request_is_seen_from_then_on(memory, tmp_path):
    note = tmp_path / "porto.md"
    note.write_text("The tram is old.")
    writes = (
        lambda bank: bank.remember_many([{"text": "One."}], progress=lambda *_: None),
        lambda bank: bank.sleep(progress=lambda *_: None),
        lambda bank: bank.import_(note),
        lambda bank: bank.import_(note.rename(tmp_path / "old.md"), progress=lambda *_: None),
    )
    with served(memory) as url, Client(url) as client:
        bank = client.bank("ada")
        for write in writes:
            write(bank)
            assert memory.bank("ada").state.seen.token == bank.seen


@pytest.mark.slow
def test_an_asynchronous_client_hands_on_what_it_has_seen(memory, copy):
    async def both(first, second):
        async with AsyncClient(first) as one, AsyncClient(second, attempts=1) as other:
            bank = one.bank("ada")
            assert bank.seen is None
            await bank.count("One")
            with pytest.raises(StoreBehind):
                await other.bank("ada", min_seq=bank.seen).count("One")

    with served(memory) as first, served(copy) as second:
        asyncio.run(both(first, second))


def test_a_bank_that_was_made_anew_is_not_behind(memory):
    with served(memory) as url, Client(url) as one, Client(url) as two:
        for text in ("One.", "Two.", "Three."):
            one.bank("ada").remember(text)
        two.delete_bank("ada")
        two.bank("ada").remember("Another.")

        assert ["Another."] == [episode.text for episode in one.bank("ada").episodes()]


def test_a_token_that_is_none_is_refused(memory):
    with served(memory) as url, Client(url) as client:
        memory.bank("ada").remember("One.")
        made = httpx.get(f"{url}/v1/banks/ada/stats", headers={"Min-Seq": "soon"})

        assert 422 == made.status_code
        with pytest.raises(InputError, match=r"17\.42"):
            client.bank("ada", min_seq="soon")
