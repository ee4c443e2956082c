"""
Readers of bytes that others may have made, each as a function of bytes: what fuzzing feeds.

A target returns, or raises ``HippocampusError``: anything else that leaves it is a defect. Where a
checksum or a compression would turn every change away at the door, the target makes them anew, so
that what is changed is what is behind it: whoever can write the file can make its checksums fit.
"""

from __future__ import annotations

import io
import json
import sqlite3
import struct
import tomllib
import zipfile
import zlib
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Final

import fuzz_peers
import numpy as np
from fuzz_banks import stores, tools, verbs

from hippocampus import wire
from hippocampus.calibrate.calibration import Calibration
from hippocampus.cli.agent_events import read_event, shown_as
from hippocampus.cli.hook_events import AGENTS, LONGEST_REPLY
from hippocampus.client.transport import Line
from hippocampus.connect.entries import ConfigEntry, Conflict, Format, put, take
from hippocampus.connect.jsonc import SyntaxFault
from hippocampus.connect.jsonc import parse as parse_json
from hippocampus.core import events
from hippocampus.core.config import Ingest, Maturation, Policy
from hippocampus.core.events import JournalRow
from hippocampus.core.records import Block, Payloads, Turn
from hippocampus.encode import random_indexing
from hippocampus.index import gists, graph, topic
from hippocampus.index.anchors import Anchors
from hippocampus.index.partition_search import order_of
from hippocampus.index.partitions import Partitions
from hippocampus.index.phrase_codec import unpack_phrases
from hippocampus.journal.content import Segment
from hippocampus.journal.transfer import read_export
from hippocampus.language.worth_keeping import of_prompt, of_reply
from hippocampus.llm.cassette import Cassette
from hippocampus.llm.client import LanguageModel
from hippocampus.proxy.protocol import ChatAnswer, ChatRequest
from hippocampus.server import pagination
from hippocampus.sleep import summary
from hippocampus.sleep.concept_document import from_json, parse
from hippocampus.sources import SessionLog, SourceFile
from hippocampus.sources.walk import read_source
from hippocampus.verbs import BANK_VERBS, STORE_VERBS
from hippocampus.write.check import draft
from hippocampus.write.file_import import as_turns

NOW: Final = datetime(2025, 6, 1, 12, tzinfo=UTC)
LIMITS: Final = Ingest()


def _file(name: str, data: bytes) -> Path:
    path = fuzz_peers.folder("files") / name
    path.write_bytes(data)
    return path


def _halves(data: bytes) -> tuple[int, bytes]:
    """Return a choice, the first byte, and the rest."""
    return (data[0], data[1:]) if data else (0, b"")


# ---------------------------------------------------------------- sources


def _import(path: Path, chosen: str | None) -> None:
    for item in read_source(path, format=chosen):
        turns: Iterable[Turn] = ()
        if isinstance(item, SourceFile):
            turns = as_turns(item, LIMITS.chunk_tokens)
        elif isinstance(item, SessionLog):
            turns = (one for one in item.items() if isinstance(one, Turn))
        for turn in turns:
            draft("ada", turn, now=NOW, zone=UTC, limits=LIMITS, salt=b"salt")


def _of_formats(names: tuple[str, ...], suffix: str) -> Callable[[bytes], None]:
    def read(data: bytes) -> None:
        which, rest = _halves(data)
        _import(_file(f"read{suffix}", rest), names[which % len(names)])

    return read


def _json_files(data: bytes) -> None:
    which, rest = _halves(data)
    _import(_file(f"read{('.json', '.jsonl')[which % 2]}", rest), None)


_LOGS: Final = (
    ("claude-code", "read.jsonl"), ("codex", "read.jsonl"), ("gemini", "read.jsonl"),
    ("gemini", "read.json"), ("aider", "read.md"), ("claude-code", "history.jsonl"),
    ("codex", "history.jsonl"), ("gemini", "logs.json"), (None, "read.jsonl"),
)  # fmt: skip


def _agent_logs(data: bytes) -> None:
    which, rest = _halves(data)
    tool, name = _LOGS[which % len(_LOGS)]
    _import(_file(name, rest), tool)


def _agent_databases(data: bytes) -> None:
    """Give a program's database with rows of its own, or bytes in the place of one."""
    which, rest = _halves(data)
    if which % 3 == 2:
        _import(_file("opencode.db", rest), "opencode")
        return
    path = _file("read.vscdb" if which % 3 else "read.db", b"")
    text = rest.decode(errors="replace")
    with closing(sqlite3.connect(path)) as db:
        if which % 3:
            db.execute("CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB)")
            rows = [("composerData:c", text), ("bubbleId:c:b", text)]
            db.executemany("INSERT INTO cursorDiskKV VALUES (?, ?)", rows)
        else:
            db.executescript(
                "CREATE TABLE session (id, parent_id, directory);"
                "CREATE TABLE message (id, session_id, time_created, data);"
                "CREATE TABLE part (id, message_id, data); INSERT INTO session VALUES (1, NULL, 2);"
            )
            db.execute("INSERT INTO message VALUES (1, 1, 1, ?)", (text,))
            db.execute("INSERT INTO part VALUES (1, 1, ?)", (text,))
        db.commit()
    _import(path, "cursor" if which % 3 else "opencode")


def _exports(data: bytes) -> None:
    read_export(_file("export.jsonl", data), salt=b"salt")


# ---------------------------------------------------------------- journal and payloads


_KINDS: Final = (*sorted(events._CLASSES), "of a later version")


def _journal(data: bytes) -> None:
    which, rest = _halves(data)
    row = JournalRow(1, 0, _KINDS[which % len(_KINDS)], 0, rest.decode(errors="replace"))
    event = events.decode(row, bank="ada", path="a store")
    events.fields_of(row, bank="ada", path="a store")
    kind, detail = events.encode(event)
    again = events.decode(row._replace(kind=kind, detail=detail), bank="ada", path="a store")
    assert event == again, "what is written is what was read"


def _segments(data: bytes) -> None:
    count, rest = _halves(data)
    segment = Segment.load(Block(0, count, rest), path="a store")
    rows = range(count)
    segment.ids(rows)
    again = segment.to_block()
    assert [one.tolist() for one in segment.ids(rows)] == [
        one.tolist() for one in Segment.load(again, path="a store").ids(rows)
    ]


def _blocks(data: bytes) -> None:
    count, rest = _halves(data)
    try:
        payloads = Payloads.from_block(Block(0, count, rest))
    except ValueError:
        return  # which readers of blocks expect
    unpack_phrases(payloads)


def _settings(data: bytes) -> None:
    which, rest = _halves(data)
    text = rest.decode(errors="replace")
    if which % 4 == 0:
        found = Calibration.load(text, path="a store")
        assert found == Calibration.load(found.dump(), path="a store")
        found.explain()
    elif which % 4 == 1:
        random_indexing.load(text)
    elif which % 4 == 2:
        told = wire.load(dict[str, object], text)
        with suppress(TypeError):  # which its reader expects
            Policy.from_stored(told)
    else:
        Cassette(_file("cassette.jsonl", rest))


# ---------------------------------------------------------------- what sleep makes


def _gists(data: bytes) -> None:
    made = gists.unpack(zlib.compress(data))
    cue = gists.Priming(made, Maturation(), 0.5)
    shown = np.ones(min(made.length, 1 << 16), np.bool_)
    if made.length <= len(shown):
        cue.lent(np.ones(made.vectors.shape[1], np.float32), np.arange(len(shown)), shown, 1 << 50)
    assert made.traces == gists.unpack(gists.pack(made)).traces


def _topics(data: bytes) -> None:
    packed = zlib.compress(data)
    head = topic._HEAD.pack(b"HTOPIC", topic.FORMAT, zlib.crc32(packed), len(data))
    made = topic.unpack(head + packed)
    topic.TopicCue(made.graph, made.length)
    topic.unpack(topic.pack(made))


def _facts(data: bytes) -> None:
    made = graph.unpack(zlib.compress(data))
    assert made == graph.unpack(graph.pack(made))
    made.telling  # noqa: B018 - made when it is asked for


def _summary(data: bytes) -> None:
    made = summary.unpack(zlib.compress(data))
    assert made == summary.unpack(summary.pack(made))


def as_archive(data: bytes) -> bytes:
    """Return the ``.npz`` of arrays that follow each other: length and name, length and bytes."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        at = 0
        while at < len(data):
            name, at = data[at + 1 : at + 1 + data[at]], at + 1 + data[at]
            size = int.from_bytes(data[at : at + 2], "little")
            called = name.decode("latin-1").replace("\0", "_") + ".npy"
            archive.writestr(called, data[at + 2 : at + 2 + size])
            at += 2 + size
    return written.getvalue()


def as_members(packed: bytes) -> bytes:
    """Return what ``as_archive`` reads of an ``.npz``."""
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        parts = [
            (one.filename.removesuffix(".npy").encode(), archive.read(one))
            for one in archive.infolist()
        ]
    return b"".join(
        bytes([len(name)]) + name + struct.pack("<H", len(array)) + array for name, array in parts
    )


def _anchors(data: bytes) -> None:
    which, rest = _halves(data)
    made = Anchors.load(rest if which % 2 else as_archive(rest))
    made.check()


def _partitions(data: bytes) -> None:
    which, rest = _halves(data)
    made = Partitions.load(rest if which % 2 else as_archive(rest))
    assert sorted(order_of(made).tolist()) == list(range(len(made)))


def _concepts(data: bytes) -> None:
    try:
        document = parse(data)
    except (ValueError, RecursionError):
        return  # which the verb expects
    known = {f"id{n}": n for n in range(9)}

    def naming(_names: object) -> object:
        raise _Enough

    with suppress(_Enough):
        from_json(
            document, model="m", rows_of=lambda ids: {i: known[i] for i in ids if i in known},
            embed=lambda names: np.ones((len(names), 8), np.float32), naming=naming,
            how=None, now=0,
        )  # fmt: skip


class _Enough(Exception):
    """What a document says was read, and from here on it is the bank that answers."""


# ---------------------------------------------------------------- the wire


SPECS: Final = (*BANK_VERBS.values(), *STORE_VERBS.values())


def _requests(data: bytes) -> None:
    which, rest = _halves(data)
    spec = SPECS[which % len(SPECS)]
    if spec.method == "GET":
        pairs = [part.partition("=") for part in rest.decode(errors="replace").split("&")]
        spec.from_query([(name, value) for name, _, value in pairs])
    else:
        spec.from_json(rest)


def _cursors(data: bytes) -> None:
    which, rest = _halves(data)
    cursor = rest.decode(errors="replace")
    if which % 4 == 3:
        pagination.names_after(cursor)
    else:
        by = ("time", "seq", "place")[which % 4]
        pagination.turn_to(by, lambda **_: [], {}, limit=None, cursor=cursor)


@cache
def _line() -> Line:
    return Line("http://localhost:1", key=None, timeout_s=1.0, attempts=1)


def _answers(data: bytes) -> None:
    which, rest = _halves(data)
    spec = SPECS[which % len(SPECS)]
    line = _line()
    if which >= 128:
        line.read_progress(iter([rest[:40], rest[40:]]), lambda _done, _total: None, spec.returns)
    fault = wire.load_fault(rest)
    if fault is not None:
        raise line._error(fault)
    wire.dump(line._read(spec.returns, rest))


def _models(data: bytes) -> None:
    which, rest = _halves(data)
    kind = ("chat", "responses")[which % 2]
    if which % 4 < 2:
        asked = ChatRequest.read(kind, rest)
        if asked is not None and asked.query:
            json.loads(asked.remembering("what is remembered"))
        return
    answer = ChatAnswer.read(kind, rest)
    answer.text.encode()
    model = _model()
    try:
        told = json.loads(rest)
    except (ValueError, RecursionError):
        return
    model._completion(told, "other", "asked")


@cache
def _model() -> LanguageModel:
    return LanguageModel("m", url="http://localhost:1/v1")


# ---------------------------------------------------------------- other programs

_ENTRIES: Final[tuple[tuple[Format, ConfigEntry], ...]] = (
    ("json", ConfigEntry(("mcpServers", "hippocampus"), {"command": "/opt/h", "args": ["mcp"]})),
    ("json", ConfigEntry(("hooks", "Stop"), {"hooks": [{"command": "/opt/h hook"}]}, True)),
    ("toml", ConfigEntry(("mcp_servers", "hippocampus"), {"command": "/opt/h", "args": ["mcp"]})),
)


def _configurations(data: bytes) -> None:
    """Put an entry into a configuration of somebody else; taken out, the rest says what it did."""
    which, rest = _halves(data)
    kind, entry = _ENTRIES[which % len(_ENTRIES)]
    text = rest.decode(errors="replace")
    with suppress(SyntaxFault, Conflict):
        placed = put(text, kind, entry)
        if placed.text == text:
            return
        assert put(placed.text, kind, entry).text == placed.text, "put twice"
        left = take(placed.text, kind, entry, placed.made)
        assert left is not None, "put, and not found again"
        assert _said(left, kind) == _said(text, kind), "more was taken than was put"


def _said(text: str, kind: Format) -> object:
    if kind == "toml":
        return tomllib.loads(text.removeprefix("\ufeff"))
    return parse_json(text).value if text.strip("\ufeff \t\r\n") else {}


def _agent_events(data: bytes) -> None:
    """Read an event of a coding agent, and what of it is kept."""
    which, rest = _halves(data)
    payload: object = None
    with suppress(ValueError, RecursionError):
        payload = json.loads(rest)
    if isinstance(payload, dict):
        event = read_event(payload, ("", *AGENTS)[which % (len(AGENTS) + 1)])
        of_prompt(event.said)
        of_reply(event.said, longest=LONGEST_REPLY)
        if event.kind is not None:
            shown_as(event.kind.form, event.name, event.said)


TARGETS: Final[dict[str, Callable[[bytes], None]]] = {
    "json_files": _json_files,
    "messages": _of_formats(("messages", "mem0", "mcp-memory"), ".json"),
    "chats": _of_formats(("chatgpt", "claude"), ".json"),
    "mail": _of_formats(("mbox", "eml"), ".eml"),
    "documents": _of_formats(("document",), ".md"),
    "agent_memory": _of_formats(("agent-memory",), ".md"),
    "agent_logs": _agent_logs,
    "agent_databases": _agent_databases,
    "agent_events": _agent_events,
    "configurations": _configurations,
    "exports": _exports,
    "journal": _journal,
    "segments": _segments,
    "blocks": _blocks,
    "settings": _settings,
    "gists": _gists,
    "topics": _topics,
    "facts": _facts,
    "summary": _summary,
    "anchors": _anchors,
    "partitions": _partitions,
    "concepts": _concepts,
    "requests": _requests,
    "cursors": _cursors,
    "answers": _answers,
    "models": _models,
    "stores": stores,
    "verbs": verbs,
    "tools": tools,
    "index_files": fuzz_peers.index_files,
    "done_requests": fuzz_peers.done_requests,
    "headers": fuzz_peers.headers,
    "notes": fuzz_peers.notes,
    "resident": fuzz_peers.resident,
    "projects": fuzz_peers.projects,
    "turn_files": fuzz_peers.turn_files,
    "streams": fuzz_peers.streams,
    "vectors": fuzz_peers.vectors,
}
