"""
What stands in files beside a store, in folders of other people, and in the answers of servers.

As in ``fuzz_targets``, a target returns or raises ``HippocampusError``; checksums are made anew.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple
from unittest import mock

import numpy as np
from msgspec import convert
from msgspec.json import encode

from hippocampus import Config, Memory, Turn
from hippocampus.cli import resident_line
from hippocampus.cli.agent_session import AgentSession
from hippocampus.cli.checkouts import KnownCheckouts
from hippocampus.cli.project import SETTINGS, find_project
from hippocampus.cluster.turn_files import find_files, portions, read_portion
from hippocampus.connect.receipts import Receipts
from hippocampus.core.idempotency import Request, doing
from hippocampus.core.key import Key, KeyRefused, open_slots, slots_of
from hippocampus.core.records import DoneRequest, Passage
from hippocampus.encode.embedders.openai import OpenAIEmbedder
from hippocampus.errors import HippocampusError
from hippocampus.index import index_file
from hippocampus.llm.cassette import Cassette, Exchange
from hippocampus.llm.client import LanguageModel
from hippocampus.llm.http import EVENTS, RequestLimits, Server
from hippocampus.recall.rerankers import HttpReranker
from hippocampus.testing import HashEmbedder, ManualClock

_NOW: Final = datetime(2025, 6, 1, 12, tzinfo=UTC)
_KEPT: Final[list[tempfile.TemporaryDirectory[str]]] = []


@cache
def folder(name: str) -> Path:
    """Return a folder of this process for a target, in memory where there is one."""
    memory = Path("/dev/shm")  # noqa: S108 - the folder in it has a name of its own
    _KEPT.append(tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None))
    made = Path(_KEPT[-1].name) / name
    made.mkdir()
    return made


# ---------------------------------------------------------------- an index at rest


class _AtRest(NamedTuple):
    """A store, and the file of a bank's index beside it, taken apart."""

    store: Path
    path: Path
    contents: bytes
    arrays: bytes


@cache
def _at_rest() -> _AtRest:
    store = folder("index") / "memory.db"
    with _opened(store) as memory:
        bank = memory.bank("ada")
        said = ("I live in Graz with Paul.", "My dentist is Doctor Weber.", "The boat is blue.")
        bank.remember_many([Turn(text=f"{said[n % 3]} {n}", at=_NOW) for n in range(12)])
        bank.sleep()
        (file,) = memory.engine.store.index_files.find(1)
    with file.path.open("rb") as raw:
        contents, start = index_file._table(raw, file.path.stat().st_size)
        raw.seek(start)
        return _AtRest(store, file.path, encode(contents), raw.read())


def _opened(store: Path) -> Memory:
    config = Config(index_file_rows=1)
    return Memory(store, embedder=HashEmbedder(16), clock=ManualClock(_NOW), config=config)


def index_files(data: bytes) -> None:
    """Read a bank by an index into whose file somebody has written."""
    try:
        edits = json.loads(data)
    except (ValueError, RecursionError):
        return
    kept = _at_rest()
    table, arrays = json.loads(kept.contents), bytearray(kept.arrays)
    for edit in edits if isinstance(edits, list) else ():
        with suppress(ValueError, OverflowError):  # which is no edit
            _edit(table, arrays, edit)
    for section in table["sections"]:
        with suppress(Exception):  # its bounds are not bounds, and so are its checksums
            at, size = section["offset"], convert(section, index_file.Section).nbytes
            raw = np.frombuffer(arrays, np.uint8)[at : at + size]
            section["checksums"] = list(index_file._checksums(raw))
    _write_index(kept.path, json.dumps(table).encode(), arrays)
    with _opened(kept.store) as memory:
        bank = memory.bank("ada")
        bank.recall("Where is the dentist?")
        bank.find("dentist")
        bank.remember("It rains in Linz.", at=_NOW)


def _edit(table: dict[str, Any], arrays: bytearray, edit: Any) -> None:
    match edit:
        case ["plain", str(key), value]:
            names = sorted(table["plain"])
            table["plain"][names[int(key) % len(names)] if key.isdigit() else key] = value
        case ["section", int(n), dict(fields)]:
            table["sections"][n % len(table["sections"])].update(fields)
        case ["without", int(n)]:
            table["sections"].pop(n % len(table["sections"]))
        case ["bytes", int(at), str(written)]:
            told = bytes.fromhex(written)
            at %= len(arrays)
            arrays[at : at + len(told)] = told[: len(arrays) - at]


def _write_index(path: Path, table: bytes, arrays: bytearray) -> None:
    checksum = index_file.checksum(np.frombuffer(table, np.uint8))
    head = index_file._HEAD.pack(b"HippoIdx", index_file.VERSION, len(table), checksum)
    with path.open("wb") as file:
        file.write(head + table)
        file.seek(index_file._first_page(len(table)))
        file.write(arrays)


# ---------------------------------------------------------------- requests that were done


def done_requests(data: bytes) -> None:
    """Ask again for what was done, where somebody has written what came of it."""
    which, told = (data[0] if data else 0), data[1:].decode(errors="replace")
    with _opened(Path(":memory:")) as memory:
        bank = memory.bank("ada")
        first = bank.remember("I live in Graz with Paul.", at=_NOW)
        sleep = bank.sleep().number if which % 4 == 3 else 0
        request = Request(bytes(16), bytes(16))
        with memory.engine.store.write():
            done = DoneRequest(request.asked, 0, told)
            for one in (request, request.part(0)):
                memory.engine.store.requests.add(1, one.key, done)
        with doing(request):
            (
                lambda: bank.remember("It rains in Linz.", at=_NOW),
                lambda: bank.correct(first, "I live in Linz with Paul."),
                lambda: bank.pin(first),
                lambda: bank.undo(sleep),
            )[which % 4]()


# ---------------------------------------------------------------- headers of encrypted stores


def headers(data: bytes) -> None:
    """Open the slots of a header; deriving a key from a passphrase is not what is looked for."""
    try:
        slots = slots_of(data.decode(errors="replace"))
    except ValueError:
        return  # which the store tells as damage
    key = Key.phrase("AAAA-AAAA-AAAA-AAAA-AAAA-AAAA-AAAA-AAAA")
    with suppress(KeyRefused):  # which the store tells as a wrong key
        open_slots(key, slots)


# ---------------------------------------------------------------- notes of ours


def notes(data: bytes) -> None:
    """Read what commands have noted for later ones: checkouts, sessions, what was connected."""
    which, rest = (data[0] if data else 0), data[1:]
    home = folder("notes")
    with mock.patch.dict(os.environ, XDG_DATA_HOME=str(home), XDG_RUNTIME_DIR=str(home)):
        if which % 3 == 0:
            known = KnownCheckouts("example.org/a")
            known._make_folder()
            known._note.write_bytes(rest)
            known.places()
        elif which % 3 == 1:
            session = AgentSession("memory.db", "s")
            assert session._path is not None
            session._path.parent.mkdir(parents=True, exist_ok=True)
            session._path.write_bytes(rest)
            session.shown(), session.unsolved(), session.was_told("x"), session.has_begun_with("y")
        else:
            (home / "cursor.json").write_bytes(rest)
            Receipts(home).of("cursor")


def resident(data: bytes) -> None:
    """Receive messages of a resident process, and read where it is."""
    which, rest = (data[0] if data else 0), data[1:]
    if which % 2:
        note = folder("resident") / "note"
        note.write_bytes(rest)
        with suppress(ConnectionRefusedError):  # which a command does without
            resident_line._noted(str(note))
        return
    here, there = socket.socketpair()
    with here, there:
        here.settimeout(1)
        there.sendall(rest[:4096])
        there.shutdown(socket.SHUT_WR)
        resident_line.receive(here)


# ---------------------------------------------------------------- folders of other people


def projects(data: bytes) -> None:
    """Ask whose a folder is that somebody has packed; the parts are apart by a byte of 0."""
    git, settings, dot_git, _ = [*data.split(b"\0", 3), b"", b"", b""][:4]
    home = folder("projects")
    top = home / "work"
    shutil.rmtree(top, ignore_errors=True)
    top.mkdir()
    if dot_git:
        (top / ".git").write_bytes(dot_git)
    else:
        (top / ".git").mkdir()
        (top / ".git" / "config").write_bytes(git)
    (top / SETTINGS).write_bytes(settings)
    with mock.patch.dict(os.environ, XDG_DATA_HOME=str(home / "data"), HOME=str(home / "home")):
        found = find_project(top, note=True)
        if found is not None:
            found.claim_told(), found.shared_bank, found.shared_store, found.is_on_server


def turn_files(data: bytes) -> None:
    """Read turns for the import on a cluster, from lines or Parquet."""
    which, rest = (data[0] if data else 0), data[1:]
    path = folder("turns") / ("turns.parquet" if which % 2 else "turns.jsonl")
    path.write_bytes(rest)
    for file in find_files([path]):
        for portion in portions(file):
            for given in read_portion(portion, bank="ada"):
                with suppress(HippocampusError):
                    given.turn()


# ---------------------------------------------------------------- answers of servers


class _Answered(Cassette):
    """A cassette that has one answer, whatever is asked."""

    def __init__(self, body: bytes, content_type: str) -> None:
        self._body, self._content_type = body, content_type

    def play(self, *_: object, **__: object) -> Exchange:
        return Exchange(200, self._content_type, self._body)


_LIMITS: Final = RequestLimits(1.0, 1.0, 0, 1, 1 << 20)


def _server(body: bytes) -> Server:
    answered = _Answered(body, "application/json")
    return Server("http://localhost:1", key=None, limits=_LIMITS, cassette=answered)


def streams(data: bytes) -> None:
    """Hear the answer of a language model, whole or piece by piece."""
    which, rest = (data[0] if data else 0), data[1:]
    answered = _Answered(rest, EVENTS if which % 2 else "application/json")
    model = LanguageModel("m", url="http://localhost:1/v1", cassette=answered)
    said: list[str] = []
    made = model.complete("Where is the dentist?", say=said.append)
    assert "".join(said) == made.text, "what was heard is what was answered"


def vectors(data: bytes) -> None:
    """Take the vectors and scores that servers answer."""
    which, rest = (data[0] if data else 0), data[1:]
    texts = ["I live in Graz.", "My dentist is in Linz."]
    if which % 2:
        reranker = HttpReranker("http://localhost:1", model="m" if which % 4 == 1 else None)
        reranker._server = _server(rest)
        scores = reranker.rerank("Where?", texts)
        assert scores.shape == (2,)
        assert np.isfinite(scores).all()
    else:
        embedder = OpenAIEmbedder("m", base_url="http://localhost:1/v1")
        embedder._server = _server(rest)
        made = embedder.embed([Passage(text=text) for text in texts])
        assert all(np.isfinite(one.vector).all() for one in made)
