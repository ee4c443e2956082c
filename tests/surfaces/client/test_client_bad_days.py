"""A server that is not there, not ours, slow or broken: clear errors, and nothing done twice."""

import asyncio
import json
import math
import os
import socket
import sys
import threading
import time
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted import hangs_up, says, stops_midway

from hippocampus import AsyncClient, Client, Schedule, Turn
from hippocampus.calibrate.calibration import BUILT_IN, CONVERSATIONS
from hippocampus.client.transport import Line
from hippocampus.core.records import Episode
from hippocampus.core.threads import Cancellation
from hippocampus.errors import (
    HippocampusError,
    InputError,
    InvalidFilter,
    InvalidScope,
    Overloaded,
    ServerError,
    ServerMismatch,
    ServerTimeout,
    ServerUnavailable,
    StoreClosed,
    TextTooLong,
    Unauthorized,
    UnknownEpisode,
)
from hippocampus.server import Limits
from hippocampus.wire import Fault, dump_fault

SAID = Episode(
    id="a1", bank="ada", text="So it is.", occurred_at=datetime(2025, 1, 1, tzinfo=UTC),
    recorded_at=datetime(2025, 1, 1, tzinfo=UTC),
)  # fmt: skip
FULL = says(
    dump_fault(Fault(type="Overloaded", message="full", detail={"retry_after_s": 0.01})), 429
)


def fault(kind, message="no", status=422, **detail):
    return says(dump_fault(Fault(type=kind, message=message, detail=detail)), status)


@pytest.fixture
def bank(scripted, monkeypatch):
    """Return a bank on a server that answers as it is told, and the server."""
    monkeypatch.setattr("hippocampus.client.transport._FIRST_PAUSE_S", 0.01)
    clients = []

    def on(*answers, **options):
        server = scripted(*answers)
        clients.append(Client(server.url, **{"timeout_s": 10.0} | options))
        return clients[-1].bank("ada"), server

    yield on
    for client in clients:
        client.close()


# ---------------------------------------------------------------- once, or again


READS = {
    "recall": lambda bank: bank.recall("so"),
    "get": lambda bank: bank.get("a1"),
    "episodes": lambda bank: bank.episodes(),
    "count": lambda bank: bank.count("so"),
}
WRITES = {
    "remember": lambda bank: bank.remember("So it is."),
    "forget": lambda bank: bank.forget("a1"),
    "sleep": lambda bank: bank.sleep(progress=print),
    "curate": lambda bank: bank.curate(add=["so"]),
}
KEYED = {verb: WRITES[verb] for verb in ("remember", "curate")}


@pytest.mark.parametrize("broken", [hangs_up, stops_midway, says(b"<html>", 502)])
def test_what_only_reads_is_asked_again_when_the_connection_breaks(bank, broken):
    here, server = bank(broken, broken, says(SAID))

    assert here.get("a1") == SAID
    assert 3 == len(server.asked)


@pytest.mark.parametrize("broken", [hangs_up, stops_midway, says(b"<html>", 502)])
@pytest.mark.parametrize("verb", KEYED)
def test_what_changes_something_is_asked_again_under_one_key(bank, verb, broken):
    here, server = bank(broken, broken, says(SAID if verb == "remember" else None))

    KEYED[verb](here)
    KEYED[verb](here)
    first, second = server.asked[:3], server.asked[3:]
    assert (3, 1) == (len(first), len(second))
    keys = {headers["Idempotency-Key"] for _, _, headers, _ in first}
    assert 1 == len(keys), "all attempts at one call are one request"
    assert second[0][2]["Idempotency-Key"] not in keys


@pytest.mark.parametrize("kind", ["StoreLocked", "StoreUnreachable", "StoreBehind"])
@pytest.mark.parametrize("verb", ["remember", "get"])
def test_a_store_that_is_not_to_be_had_for_now_is_asked_again(bank, verb, kind):
    here, server = bank(fault(kind, status=503, path="m.db"), says(SAID))

    assert SAID == (READS | WRITES)[verb](here)
    assert 2 == len(server.asked)


@pytest.mark.parametrize("broken", [hangs_up, stops_midway, says(b"<html>", 504)])
@pytest.mark.parametrize("verb", ["sleep", "compact"])
def test_what_takes_long_is_asked_once_with_an_error_that_says_nobody_knows(bank, verb, broken):
    here, server = bank(broken, says(SAID))

    with pytest.raises(ServerUnavailable) as told:
        getattr(here, verb)(progress=print)
    assert told.value.begun
    assert isinstance(told.value, ConnectionError)
    assert 1 == len(server.asked)


@pytest.mark.parametrize("verb", READS | WRITES)
def test_a_server_that_is_full_is_asked_again_for_it_has_not_begun(bank, verb):
    here, server = bank(FULL, attempts=3)

    with pytest.raises(Overloaded, match="full") as told:
        (READS | WRITES)[verb](here)
    assert 0.01 == told.value.retry_after_s
    assert 3 == len(server.asked)


@pytest.mark.parametrize("wait", ["soon", None, -1, {}])
def test_a_server_that_says_no_time_to_wait_for_is_asked_again_after_a_second(bank, wait):
    here, server = bank(fault("Overloaded", "full", 429, retry_after_s=wait), timeout_s=0.5)

    with pytest.raises(Overloaded, match="full") as told:
        here.get("a1")
    assert 1.0 == told.value.retry_after_s
    assert 1 == len(server.asked)


def test_one_attempt_is_one(bank):
    here, server = bank(hangs_up, attempts=1)

    with pytest.raises(ServerUnavailable):
        here.get("a1")
    assert 1 == len(server.asked)


def test_what_the_server_refuses_is_not_asked_again(bank):
    for kind, status, error in (
        ("UnknownEpisode", 404, UnknownEpisode),
        ("InvalidFilter", 422, InvalidFilter),
        ("Unauthorized", 401, Unauthorized),
        ("ALaterOne", 500, HippocampusError),
    ):
        here, server = bank(fault(kind, "not so", status))
        with pytest.raises(error, match="not so"):
            here.get("a1")
        assert 1 == len(server.asked)


# ---------------------------------------------------------------- not there, not ours


def test_where_nobody_answers_the_error_says_so_and_what_to_start():
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
    with Client(url, attempts=2) as client:
        with pytest.raises(ServerUnavailable, match=f"{url}.*hippocampus serve") as told:
            client.bank("ada").remember("So it is.")
        assert not told.value.begun


def test_a_server_that_does_not_answer_in_time_is_given_up(bank):
    go = threading.Event()
    here, server = bank(lambda _: go.wait(10), timeout_s=0.2)

    with pytest.raises(ServerTimeout, match=r"timeout_s=0\.2") as told:
        here.remember("So it is.")
    go.set()
    assert isinstance(told.value, TimeoutError)
    assert "not known" in str(told.value)
    until = time.monotonic() + 30
    while not server.asked and time.monotonic() < until:  # it has the request, and may be slow
        time.sleep(0.01)
    assert 1 == len(server.asked)


@pytest.mark.slow
def test_an_answer_that_comes_a_byte_at_a_time_is_given_up_as_well(bank):
    go = threading.Event()

    def trickles(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "100000")
        handler.end_headers()
        while not go.wait(0.02):
            handler.wfile.write(b" ")
        handler.close_connection = True

    here, server = bank(trickles, timeout_s=0.3)
    with pytest.raises(ServerTimeout):
        here.get("a1")
    go.set()
    assert 1 == len(server.asked)


@pytest.mark.slow
def test_a_head_that_comes_a_byte_at_a_time_is_given_up_too(bank):
    go = threading.Event()

    def trickles(handler):
        for byte in b"HTTP/1.1 200 OK\r\nX: " + b"a" * 1000:
            handler.wfile.write(bytes([byte]))
            if go.wait(0.02):
                break
        handler.close_connection = True

    here, server = bank(trickles, timeout_s=0.3)
    with pytest.raises(ServerTimeout):
        here.get("a1")
    go.set()
    assert 1 == len(server.asked)


@pytest.mark.slow
def test_the_body_of_an_answer_has_what_its_head_has_left_of_the_time(bank):
    def dawdles(handler):
        time.sleep(0.3)
        handler.send_response(200)
        handler.send_header("Content-Length", "1")
        handler.end_headers()
        time.sleep(0.3)
        handler.wfile.write(b"7")

    here, _ = bank(dawdles, timeout_s=0.5)
    with pytest.raises(ServerTimeout):
        here.count("so")

    here, _ = bank(dawdles, timeout_s=0.2)
    with pytest.raises(ServerMismatch):  # what takes long has the time it takes
        here.sleep()


@pytest.mark.parametrize(
    "nonsense",
    [
        says(b"<html>Welcome to nginx</html>"),
        says(b""),
        says(b"{}"),
        says(b"[1, 2, 3]"),
        says(b"\xff\xfe"),
        says(b'{"id": "a1"}'),
        says(b"not found", 404),
        says(b'{"error": "no"}', 500),
        says(b"", 301, Location="https://elsewhere.example/"),
        says(b"\x00\x01", 200, Content_Encoding="gzip"),
        fault("InputError", "no such route; see /openapi.json", 404),
        fault("InputError", "no such method here", 405),
    ],
)
@pytest.mark.parametrize("verb", [READS["get"], WRITES["remember"]])
def test_what_is_no_server_of_ours_or_of_another_version_is_named_so(bank, nonsense, verb):
    here, server = bank(nonsense)

    with pytest.raises(ServerMismatch, match=server.url):
        verb(here)
    assert 1 == len(server.asked)


def test_what_does_not_speak_http_is_named_so(bank):
    def babble(handler):
        handler.wfile.write(b"220 smtp.example ESMTP\r\n")
        handler.close_connection = True

    here, _ = bank(babble)
    with pytest.raises(ServerError):
        here.remember("So it is.")


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [{"progress": {"done": 1, "total": 2}}],
        [{"progress": {"done": 1, "total": 2}}, {"error": {"type": "StoreFull", "message": "no"}}],
        [{"progress": "much"}],
        ["what"],
        [{"result": 3}],
    ],
)
def test_progress_that_breaks_off_or_makes_no_sense_is_an_error(bank, lines):
    told = []
    here, server = bank(says(b"".join(json.dumps(line).encode() + b"\n" for line in lines)))

    with pytest.raises(HippocampusError):
        here.sleep(progress=lambda *at: told.append(at))
    assert 1 == len(server.asked)
    assert told in ([], [(1, 2)])


@given(cuts=st.sets(st.integers(1, 200), max_size=8))
def test_lines_are_lines_however_they_are_cut_on_the_way(cuts):
    told = [{"progress": {"done": n, "total": 3}} for n in range(4)] + [{"result": 7}]
    sent = b"".join(json.dumps(line).encode() + b"\n" for line in told)
    at = [0, *sorted(cut for cut in cuts if cut < len(sent)), len(sent)]
    pieces, steps = [sent[a:b] for a, b in pairwise(at)], []

    here = Line("http://localhost:1", key=None, timeout_s=9, attempts=1)

    assert 7 == here.read_progress(iter(pieces), lambda *step: steps.append(step), int)
    assert [(n, 3) for n in range(4)] == steps


def test_an_export_that_is_not_whole_leaves_no_file(bank, tmp_path):
    head = b'{"hippocampus-export":1,"bank":"ada"}\n'
    for answer, error in ((stops_midway, ServerUnavailable), (says(head), ServerMismatch)):
        here, _ = bank(answer, attempts=2)
        with pytest.raises(error):
            here.export(tmp_path / "out.jsonl")
        assert [] == list(tmp_path.iterdir())


# ---------------------------------------------------------------- what is sent


@pytest.mark.slow
def test_a_connection_that_served_many_requests_is_made_anew_once_closed(bank):
    def closes(handler):
        says(SAID)(handler)
        handler.close_connection = True

    here, server = bank(*[says(SAID)] * 9, closes, says(SAID))
    for _ in range(10):
        here.remember("So it is.")
    assert 1 == server.lines
    assert server.left.wait(10)
    here.remember("So it is.")
    assert 2 == server.lines


def test_a_process_that_was_forked_leaves_its_parents_connections_alone(bank, monkeypatch):
    here, server = bank(says(SAID))
    here.remember("So it is.")
    here.remember("So it is.")
    assert 1 == server.lines
    child = os.getpid() + 1
    monkeypatch.setattr(os, "getpid", lambda: child)

    here.remember("So it is.")
    here.remember("So it is.")

    assert 2 == server.lines


@pytest.mark.slow
def test_connections_of_a_burst_are_closed_though_others_are_in_use(bank, monkeypatch):
    monkeypatch.setattr("hippocampus.core.connections._KEPT_S", 0.1)
    here, server = bank(says(b"3"))
    begin = threading.Barrier(8)

    def ask():
        begin.wait(20)
        here.count("so")

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert server.lines > 1
    until = time.monotonic() + 10
    while server.lines - server.closed > 1 and time.monotonic() < until:
        here.count("so")
        time.sleep(0.02)

    assert 1 == server.lines - server.closed


@pytest.mark.slow
def test_many_threads_keep_a_connection_each(bank):
    here, server = bank(says(b"3"))
    begin = threading.Barrier(30)

    def ask():
        begin.wait(20)
        for _ in range(5):
            here.count("so")

    threads = [threading.Thread(target=ask) for _ in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 150 == len(server.asked)
    assert server.lines <= 30


@pytest.mark.slow
def test_where_all_connections_are_in_use_nothing_was_begun(scripted):
    go, begun = threading.Event(), threading.Semaphore(0)

    def holds(handler):
        begun.release()
        go.wait(20)
        handler.close_connection = True

    server = scripted(*[holds] * 100, says(SAID))

    async def crowd():
        async with AsyncClient(server.url, timeout_s=1.0, attempts=1) as client:
            bank = client.bank("ada")
            held = [asyncio.create_task(bank.sleep()) for _ in range(100)]
            for _ in held:
                assert await asyncio.to_thread(begun.acquire, timeout=20)
            try:
                with pytest.raises(ServerTimeout, match="connections") as told:
                    await bank.remember("So it is.")
            finally:
                go.set()
                await asyncio.gather(*held, return_exceptions=True)
            assert not told.value.begun

    asyncio.run(crowd())
    assert 100 == len(server.asked)


def test_the_key_is_sent_without_ever_being_shown(bank):
    here, server = bank(says(SAID), key="hpc_secret")
    here.get("a1")

    assert "Bearer hpc_secret" == server.asked[0][2]["Authorization"]
    with Client(server.url, key="hpc_secret") as client:
        assert "secret" not in repr(here) + repr(client)


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("a/b", "a%2Fb"), ("Łódź", "%C5%81%C3%B3d%C5%BA"), ("..", "%2E%2E"), (".", "%2E"),
        ("a?b#c", "a%3Fb%23c"), ("a b+c%", "a%20b%2Bc%25"),
    ],
)  # fmt: skip
def test_a_banks_name_stays_one_part_of_the_address(scripted, name, sent):
    server = scripted(says(SAID))
    for url in (f"{server.url}/base/", server.url):
        with Client(url) as client:
            client.bank(name).get("a1")

    assert f"/base/v1/banks/{sent}/get?id=a1" == server.asked[0][1]
    assert f"/v1/banks/{sent}/get?id=a1" == server.asked[1][1]


def test_nothing_is_asked_where_the_arguments_make_no_sense(bank):
    here, server = bank(says(SAID))
    for wrong in (
        lambda: here.recall("so", speakr="Ada"),
        lambda: here.recall("so", where={"n": {"$near": 1}}),
        lambda: here.remember(b"bytes"),
        lambda: here.remember("so", metadata={"a": {1, 2}}),
        lambda: here.remember_many([Turn(text="so", metadata={"a": float("inf")})]),
        lambda: here.remember("so", at=object()),
    ):
        with pytest.raises(InputError):
            wrong()
    for wrong in (here.remember, lambda: here.remember("so", txt="so")):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(InvalidScope), Client(server.url) as client:
        client.bank(" ")
    assert [] == server.asked


def test_what_a_server_decides_itself_cannot_be_chosen_from_afar(scripted):
    server = scripted(says({}))
    with Client(server.url) as client, pytest.raises(InputError, match="embedder"):
        client.rebuild(embedder=object())

    assert [] == server.asked


def test_a_calibration_comes_back_as_it_was(scripted):
    server = scripted(says(BUILT_IN))
    with Client(server.url) as client:
        assert BUILT_IN == client.calibrate(dry_run=True)

    assert {"conversations": CONVERSATIONS, "dry_run": True} == json.loads(server.asked[0][3])


@pytest.mark.parametrize(
    "url",
    ["", "localhost:8765", "ftp://localhost", "http://", "http://u:p@host", "http://a b", None,
     "http://host?x=1", "http://[::1", "http://host:port"],
)  # fmt: skip
def test_what_is_no_address_is_refused_without_showing_a_password(url):
    with pytest.raises(InputError, match="url=") as told:
        Client(url)
    assert "u:p" not in str(told.value)


@pytest.mark.parametrize(
    "wrong",
    [{"key": ""}, {"key": "a\nb"}, {"timeout_s": 0}, {"timeout_s": "9"}, {"attempts": 0},
     {"attempts": True}],
)  # fmt: skip
def test_settings_that_make_no_sense_are_refused(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        Client("http://localhost:1", **wrong)


def test_what_is_inside_a_memory_is_not_a_clients():
    with Client("http://localhost:1") as client:
        for inside in ("store", "clock", "resident_bytes"):
            with pytest.raises(AttributeError, match="the server's"):
                getattr(client, inside)
        assert "Client('http://localhost:1')" == repr(client)
        assert "RemoteBank('ada')" == repr(client.bank("ada"))


def test_a_client_that_was_closed_says_so_as_a_memory_does():
    with Client("http://localhost:1") as client:
        pass
    with pytest.raises(StoreClosed, match="closed"):
        client.bank("ada").recall("so")

    async def ask():
        async with AsyncClient("http://localhost:1") as client:
            pass
        await client.banks()

    with pytest.raises(StoreClosed, match="closed"):
        asyncio.run(ask())


# ---------------------------------------------------------------- at once


@pytest.mark.slow
def test_threads_share_a_client_as_tasks_share_an_asynchronous_one(served, memory):
    with served(memory) as url:
        with Client(url) as client:
            threads = [
                threading.Thread(
                    target=lambda n=n: [
                        client.bank(f"b{n}").remember(f"Number {m}, said once.") for m in range(5)
                    ]
                )
                for n in range(6)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert [f"b{n}" for n in range(6)] == client.banks()

        async def ask():
            async with AsyncClient(url) as client:
                banks = [client.bank(f"b{n}") for n in range(6)]
                return await asyncio.gather(*(bank.episodes() for bank in banks))

        assert [5] * 6 == [len(found) for found in asyncio.run(ask())]


def test_a_task_that_is_cancelled_breaks_its_request_off(scripted):
    begun, broken = threading.Event(), threading.Event()

    def holds(handler):
        begun.set()
        if not handler.connection.recv(1):
            broken.set()
        handler.close_connection = True

    server = scripted(holds)

    async def ask():
        async with AsyncClient(server.url) as client:
            task = asyncio.create_task(client.bank("ada").sleep())
            assert await asyncio.to_thread(begun.wait, 10)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await asyncio.to_thread(broken.wait, 10)

    asyncio.run(ask())
    assert 1 == len(server.asked)


def test_a_cancellation_breaks_off_its_own_request_and_no_later_one():
    class Used:
        broken = 0

        def abort(self):
            self.broken += 1

    line, late = Used(), Used()
    waited = Cancellation()
    with waited.watching(line):
        waited.cancel()
    with waited.watching(late):
        assert 1 == late.broken, "it was cancelled already"
    waited.cancel()

    assert (1, 1) == (line.broken, late.broken), "others may have them now"


def test_one_file_of_a_folder_that_a_server_refuses_does_not_stop_the_rest(serve, memory, tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in ("a.md", "b\u202fAM.md", "d.md"):
        (folder / name).write_text(f"The boat of {name} is blue.")
    (folder / "c.md").write_bytes(b"So it is, said once.\n" * 10_000)
    (folder / "e.mp4").write_bytes(b"\0" * 200_000)
    with Client(serve(memory, limits=Limits(import_bytes=100_000))) as client:
        done = client.bank("ada").import_(folder)
        assert 3 == done.added
        (large, why), film = done.unreadable
        assert ("c.md", True) == (large, "more than 100,000 bytes" in why)
        assert memory.bank("here").import_(folder / "e.mp4").unreadable == (film,)
        with pytest.raises(TextTooLong):
            client.bank("ada").import_(folder / "c.md")
        with pytest.raises(InputError, match="format='nope': must be one of"):
            client.bank("ada").import_(folder, format="nope")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every name of a file is text")
def test_files_whose_names_are_no_utf_8_reach_a_server_one_by_one(serve, memory, tmp_path):
    folder = tmp_path / os.fsdecode(b"l\xe9ger")
    folder.mkdir()
    for name, text in ((b"caf\xe8.md", "The boat is blue."), (b"caf\xe9.md", "Nina plays chess.")):
        (folder / os.fsdecode(name)).write_text(text)
    with Client(serve(memory)) as client:
        there, here = client.bank("there"), memory.bank("here")
        assert 2 == there.import_(folder, sync=True).added == here.import_(folder, sync=True).added
        (folder / os.fsdecode(b"caf\xe9.md")).unlink()
        assert 1 == there.import_(folder).removed == here.import_(folder).removed
        assert [one.place for one in there.sources()] == [one.place for one in here.sources()]


def test_a_file_of_a_year_that_no_calendar_has_reaches_a_server(serve, memory, tmp_path):
    note = tmp_path / "note.md"
    note.write_text("The boat is blue.")
    os.utime(note, (10**14, 10**14))
    with Client(serve(memory)) as client:
        assert 1 == client.bank("there").import_(note).added
    assert 1 == memory.bank("here").import_(note).added

    (there,), (here,) = (memory.bank(name).episodes() for name in ("there", "here"))
    assert there.occurred_at == here.occurred_at


def test_a_chat_of_aider_is_of_the_folder_where_it_is_and_not_of_the_servers(
    serve, memory, tmp_path
):
    chat = tmp_path / ".aider.chat.history.md"
    chat.write_text(
        "# aider chat started at 2026-03-02 09:00:01\n\n#### The boat is blue.\n\nYes.\n"
    )
    with Client(serve(memory)) as client:
        assert client.bank("ada").import_(chat).added

    assert {str(tmp_path)} == {one.metadata["project"] for one in memory.bank("ada").episodes()}


def test_an_export_of_ours_goes_to_a_server_under_any_name(serve, memory, tmp_path):
    memory.bank("ada").remember("The boat is blue.")
    memory.bank("ada").export(tmp_path / "ada.kept")
    (tmp_path / "other.kept").write_text("The boat is blue.")

    with Client(serve(memory)) as client:
        assert 1 == client.bank("copy").import_(tmp_path / "ada.kept").added
        ((_, why),) = client.bank("copy").import_(tmp_path / "other.kept").unreadable
        assert "no reader for .kept" in why


@pytest.mark.slow
def test_an_upload_that_the_server_does_not_take_ends_in_time(tmp_path):
    large = tmp_path / "large.md"
    large.write_bytes(b"So it is, said once.\n" * 1_000_000)
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        address = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        with Client(address, timeout_s=0.3) as client, pytest.raises(ServerTimeout):
            client.bank("ada").import_(large)


@pytest.mark.slow
def test_a_client_may_wait_for_ever():
    with socket.create_server(("127.0.0.1", 0)) as gone:
        address = f"http://127.0.0.1:{gone.getsockname()[1]}"
    with Client(address, timeout_s=math.inf) as client, pytest.raises(ServerUnavailable):
        client.banks()


@pytest.mark.slow
def test_a_client_lets_its_memory_sleep_while_a_block_runs(served, open_memory, clock):
    memory = open_memory()
    memory.bank("ada").remember("So it is, said once.")
    clock.advance(Schedule().every)
    with served(memory) as url, Client(url) as client, client.sleeping(look_every_s=0.001):
        while not client.bank("ada").sleeps():
            time.sleep(0.01)
