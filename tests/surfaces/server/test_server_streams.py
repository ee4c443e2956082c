"""Imports, exports and backups as streams: whole, in order, and durable as far as they said."""

import json
import socket
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hippocampus import Memory, Turn, wire
from hippocampus.core.records import Imported

AT = "/v1/banks/ada"
LINES = "application/x-ndjson"
BYTES = "application/octet-stream"


def sent(http, content, kind=LINES, *, accept=LINES, **query):
    headers = {"Content-Type": kind, "Accept": accept}
    return http.post(f"{AT}/import", content=content, headers=headers, params=query)


def told(answer):
    """The lines of an answer: progress, and what came of it."""
    *progress, last = [json.loads(line) for line in answer.text.splitlines()]
    return [line["progress"] for line in progress], last


@pytest.fixture(autouse=True)
def leaves_no_files(tmp_path, monkeypatch):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield
    until = time.monotonic() + 10  # a file that was sent goes once its last part has arrived
    while list(folder.iterdir()) and time.monotonic() < until:
        time.sleep(0.01)
    assert [] == list(folder.iterdir())


@pytest.mark.slow
def test_turns_are_remembered_as_they_come_with_word_of_how_many(http, bank, clock):
    lines = [json.dumps({"text": f"Number {n}.", "at": "2024-01-01"}) for n in range(700)]
    progress, last = told(sent(http, "\n".join(lines).encode()))

    done = wire.convert(Imported, last["result"])
    assert Imported(added=700, unchanged=0, removed=0) == done
    assert progress[-1]["done"] == 700
    assert [f"Number {n}." for n in range(700)] == [e.text for e in bank.episodes()]
    clock.advance(timedelta(seconds=1))
    again = sent(http, "\n".join(lines[:10]).encode(), accept="application/json")
    assert Imported(added=0, unchanged=10, removed=0) == wire.load(Imported, again.content)


@pytest.mark.slow
def test_a_line_that_is_no_turn_is_named_without_stopping_the_rest(http, bank):
    body = b'{"text": "one"}\nnonsense\n\n{"text": " "}\n{"txt": "x"}\n{"text": "two"}'
    _, last = told(sent(http, body))

    done = wire.convert(Imported, last["result"])
    assert ["line 2", "line 4", "line 5"] == [where for where, _ in done.unreadable]
    assert {"one", "two"} == {episode.text for episode in bank.episodes()}


def test_what_is_no_stream_of_turns_at_all_is_refused(http):
    _, last = told(sent(http, b"nonsense\n" * 1500))

    assert "no turns" in last["error"]["message"]
    assert last["error"]["type"] == "InputError"


def test_a_bank_goes_out_and_in_again_whole(http, memory, bank):
    bank.remember("Lena moved to Porto.", speaker="Lena", at="2024-01-01")
    gone = bank.remember("It rains.", at="2024-01-02")
    bank.forget(gone.id)
    out = http.get(f"{AT}/export")

    assert out.headers["content-type"] == LINES
    assert int(out.headers["content-length"]) == len(out.content)
    headers = {"Content-Type": LINES, "Accept": "application/json"}
    back = http.post("/v1/banks/copy/import", content=out.content, headers=headers)
    assert Imported(added=2, unchanged=0, removed=0) == wire.load(Imported, back.content)
    copy = memory.bank("copy")
    assert [e.text for e in bank.episodes()] == [e.text for e in copy.episodes()]
    assert "forgotten" == copy.get(gone.id).state
    assert [c.kind for c in bank.journal()] == [c.kind for c in copy.journal()]


def test_a_file_sent_again_under_its_name_is_read_only_where_it_changed(http, bank):
    note = b"# Porto\n\nThe tram is old.\n"
    first = sent(http, note, BYTES, name="notes/porto.md", modified="2024-05-01T10:00:00Z")
    _, last = told(first)

    assert last["result"]["added"] == 1
    (episode,) = bank.episodes()
    assert episode.source == "notes/porto.md"
    assert datetime(2024, 5, 1, 10, tzinfo=UTC) == episode.occurred_at
    _, last = told(sent(http, b"Only new.", BYTES, name="notes/porto.md"))
    assert (1, 1) == (last["result"]["added"], last["result"]["removed"])


@pytest.mark.parametrize("name", ["../evil.md", "/etc/passwd", "a/../../b.md", "", ".", "a\0"])
def test_a_file_stays_in_its_folder(http, name):
    answer = sent(http, b"evil", BYTES, accept="application/json", name=name)

    assert answer.status_code == 422
    assert "name=" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "name",
    [
        "Screenshot 9.41.00\u202fAM.md", "a\u00a0b.md", "a\\b.md", "tab\there.md", ".notes.md",
        "a/.b/c.md", "node_modules/a.md", "long/" * 60 + "x.md", "x" * 300 + ".md",
    ],
)  # fmt: skip
def test_a_file_keeps_whatever_name_files_have(http, bank, name):
    answer = sent(http, b"# Porto", BYTES, accept="application/json", name=name)

    assert 1 == wire.load(Imported, answer.content).added, answer.text
    assert [name] == [episode.source for episode in bank.episodes()]


def test_a_client_that_leaves_in_the_middle_leaves_what_was_stored_and_nothing_else(
    url, http, memory
):
    batch = memory.engine.config.ingest.batch
    line = b'{"text": "Number %d.", "at": "2024-01-01"}\n'
    host, _, port = url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(
            b"POST /v1/banks/ada/import HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            b"Content-Type: application/x-ndjson\r\nAccept: application/x-ndjson\r\n"
            b"Content-Length: 100000000\r\n\r\n"
        )
        connection.sendall(b"".join(line % n for n in range(batch + 10)))
        said = b""
        while b'"done":%d' % batch not in said:
            said += connection.recv(65536)
    done = json.loads(said.split(b"\r\n")[-2])["progress"]["done"] if said else 0

    assert done in (0, batch) or b'"done":%d' % batch in said
    for _ in range(200):
        if http.get("/v1/banks/ada/stats").json()["episodes"] == batch:
            break
    assert batch == http.get("/v1/banks/ada/stats").json()["episodes"]
    file = tempfile.gettempdir()
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(
            b"POST /v1/banks/bo/import?name=x.md HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            b"Content-Type: application/octet-stream\r\nContent-Length: 100000000\r\n\r\n"
            + b"x"
            * 3_000_000
        )
    for _ in range(2000):
        if not list(Path(file).iterdir()):
            break
        http.get("/healthz")
    assert ["ada"] == http.get("/v1/banks").json()


def test_a_client_that_leaves_an_export_leaves_no_file(url, http, bank):
    bank.remember("Something.")
    bank.remember_many([wire.load(Turn, b'{"text": "Long. %d"}' % n) for n in range(300)])
    host, _, port = url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(b"GET /v1/banks/ada/export HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert connection.recv(10)
    assert http.get("/healthz").status_code == 200


def test_a_backup_is_a_store_that_opens(http, bank, tmp_path):
    kept = bank.remember("Something.")
    file = tmp_path / "backup.db"
    file.write_bytes(http.get("/v1/backup").content)

    with Memory(file, embedder="hash") as copy:
        assert copy.bank("ada").get(kept.id).text == "Something."


def test_what_takes_long_says_how_far_it_is(http, bank):
    bank.remember("Lena moved to Porto.")
    for verb, done in (("sleep", "steps"), ("compact", "forgotten")):
        progress, last = told(http.post(f"{AT}/{verb}", json={}, headers={"Accept": LINES}))
        assert progress
        assert progress[-1]["done"] == progress[-1]["total"]
        assert done in last["result"]
    _, last = told(http.post("/v1/banks/nobody/sleep", json={}, headers={"Accept": LINES}))
    assert last["error"]["type"] == "UnknownBank"


def test_the_concept_index_goes_out_and_in(http, bank):
    for n in range(6):
        bank.remember(f"The violin lesson in Porto was nice, number {n}.", speaker="Lena")
    bank.curate(add=["violin lesson"])
    bank.sleep()
    out = http.get(f"{AT}/export_concepts")

    assert out.status_code == 200, out.text
    back = http.post(
        f"{AT}/import_concepts", content=out.content, headers={"Content-Type": "application/json"}
    )
    assert len(out.json()["entries"]) == back.json()


def test_a_concept_index_that_is_none_is_refused_without_saying_where_files_are(http, bank):
    bank.remember("The violin lesson in Porto was nice.")
    headers = {"Content-Type": "application/json"}
    for body in (b"{", b"[]", b'{"entries": 5}'):
        answer = http.post(f"{AT}/import_concepts", content=body, headers=headers)
        assert answer.status_code == 422
        assert tempfile.gettempdir() not in answer.text


def test_a_picture_of_the_topics_is_a_picture(http, bank):
    bank.remember("The violin lesson in Porto was nice.")
    bank.sleep()

    assert http.get(f"{AT}/plot_topics").content.startswith(b"\x89PNG")
    for kind, media_type, begins in (
        ("png", "image/png", b"\x89PNG"),
        ("svg", "image/svg+xml", b"<?xml"),
        ("pdf", "application/pdf", b"%PDF"),
    ):
        answer = http.get(f"{AT}/plot_topics", params={"format": kind})
        assert answer.content.startswith(begins)
        assert media_type == answer.headers["content-type"]
        assert f'filename="topics.{kind}"' in answer.headers["content-disposition"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("plot_topics?format=txt", "must be one of png, svg, pdf"),
        ("plot_topics?format=svg&nope=1", "plot_topics has no such argument"),
        ("export?nope=1", "export has no such argument"),
    ],
)
def test_a_file_that_is_asked_for_in_words_that_mean_nothing_is_refused(http, bank, asked, said):
    bank.remember("The violin lesson in Porto was nice.")
    answer = http.get(f"{AT}/{asked}")

    assert 422 == answer.status_code
    assert said in answer.text


def test_a_file_without_a_name_and_an_unknown_parameter_are_refused(http, bank):
    unnamed = sent(http, b"# Note", BYTES, accept="application/json")
    misspelt = sent(http, b"# Note", BYTES, accept="application/json", name="a.md", snyc="true")

    assert (422, 422) == (unnamed.status_code, misspelt.status_code)
    assert "give ?name=notes/trip.md, or ?format= with one of" in unnamed.text
    assert "import has no such argument; give sync" in misspelt.text
    assert [] == bank.episodes()
    named = sent(http, b"# Note", BYTES, accept="application/json", format="document")
    assert 1 == wire.load(Imported, named.content).added
    other = wire.load(Imported, sent(http, b"x", BYTES, accept="*/*", name="n.pdf").content)
    assert "name a format to read it: " in other.unreadable[0][1]
