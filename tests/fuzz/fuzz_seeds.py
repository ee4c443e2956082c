"""
The beginnings of the corpus: sound bytes of every target, which fuzzing then changes.

    python tests/fuzz/fuzz_seeds.py FOLDER   # writes them into a folder for each target
"""

from __future__ import annotations

import io
import json
import sys
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from hashlib import sha1
from pathlib import Path

import msgspec
import numpy as np
import pyarrow as pa
from fuzz_banks import _VERBS
from fuzz_targets import SPECS, TARGETS, as_members
from pyarrow import parquet

from hippocampus import Config, Memory, Turn, Vectors
from hippocampus.calibrate.calibration import BUILT_IN
from hippocampus.core import events
from hippocampus.core.config import Policy, Signatures
from hippocampus.core.key import Slot, as_header
from hippocampus.encode import random_indexing, tokens
from hippocampus.index.gists import Trace, Traces, pack
from hippocampus.journal.content import Segment
from hippocampus.testing import HashEmbedder, ManualClock

_NOW = datetime(2025, 6, 1, 12, tzinfo=UTC)
_EXAMPLES = Path(__file__).parents[2] / "examples"
_DATA = Path(__file__).parents[1] / "data"
_MOST = 3000
_SAID = [
    "I live in Graz with my brother Paul.", "My dentist Doctor Weber is in the Annenstrasse.",
    "We painted the old sailing boat blue.", "I am allergic to peanuts.",
    "My dentist Doctor Weber has moved to Linz.", "Our ferry to Rovinj leaves at nine.",
]  # fmt: skip


def seeds(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield a target's name and bytes that it reads."""
    yield from _files()
    yield from _agents()
    yield from _other_programs()
    yield from _of_a_bank(folder)
    yield from _settings()
    yield from _segments()
    yield from _wire()
    yield from _banks()
    yield from _beside_a_store()
    yield from _peers()


def _agents() -> Iterator[tuple[str, bytes]]:
    """Yield logs and notes of coding agents, each with which it is in the first byte."""
    at = "2026-03-02T09:00:01Z"
    said = "We use pnpm here, never npm."
    parts = [{"type": "text", "text": said}]
    for which, lines in (
        (0, [{"type": "user", "uuid": "u", "sessionId": "s", "cwd": "/a", "timestamp": at,
              "gitBranch": "main", "message": {"role": "user", "content": said}},
             {"type": "assistant", "sessionId": "s", "timestamp": at, "message": {
              "content": [{"type": "thinking", "thinking": "x"}, *parts]}}]),
        (1, [{"timestamp": at, "type": "session_meta", "payload": {"id": "i", "cwd": "/a",
              "git": {"branch": "main"}, "source": "cli"}},
             {"timestamp": at, "type": "event_msg", "payload": {"type": "user_message",
              "message": said}},
             {"timestamp": at, "type": "response_item", "payload": {"type": "message", "role":
              "assistant", "content": [{"type": "output_text", "text": said}]}}]),
        (2, [{"sessionId": "s", "projectHash": "p"}, {"id": "1", "type": "user", "timestamp": at,
              "content": [{"text": said}]}, {"id": "2", "type": "gemini", "content": said,
              "timestamp": at}, {"$rewindTo": "2"}, {"$set": {"lastUpdated": at}}]),
        (3, [{"sessionId": "s", "projectHash": "p", "messages": [{"id": "1", "type": "user",
              "timestamp": at, "content": said}]}]),
        (5, [{"display": said, "pastedContents": {}, "timestamp": 1772442001000,
              "project": "/a", "sessionId": "s"}]),
        (6, [{"session_id": "s", "ts": 1772442001, "text": said}]),
        (7, [[{"sessionId": "s", "messageId": 0, "type": "user", "message": said,
               "timestamp": at}]]),
        (8, [{"record_type": "state"}, {"type": "message", "role": "user", "content": parts}]),
    ):  # fmt: skip
        yield "agent_logs", bytes([which]) + "\n".join(map(json.dumps, lines)).encode()
    chat = f"# aider chat started at 2026-03-02 09:00:01\n\n#### {said}\n\nDone.\n\n> Added a.yml\n"
    yield "agent_logs", bytes([4]) + chat.encode()
    notes = f"# A\n- {said}\n  - b\n\n```sh\nls\n```\n<!-- x -->\n@docs/a.md\n"
    yield "agent_memory", bytes([0]) + notes.encode()
    for which, value in (
        (0, {"role": "user", "time": {"created": 1772442001000}, "type": "text", "text": said}),
        (1, {"type": 1, "text": said, "createdAt": 1772442001000,
             "fullConversationHeadersOnly": [{"bubbleId": "b", "type": 1}],
             "workspaceIdentifier": {"uri": {"path": "/a"}}}),
    ):  # fmt: skip
        yield "agent_databases", bytes([which]) + json.dumps(value).encode()
    yield "agent_databases", bytes([2]) + b"SQLite format 3\0" + bytes(100)


def _files() -> Iterator[tuple[str, bytes]]:
    chat = [
        {"role": "user", "content": "Hallo", "timestamp": "2024-05-03T10:00:00Z", "name": "Ada"}
    ]
    for name, value in (
        ("json_files", chat), ("messages", chat), ("messages", {"messages": chat, "id": 7}),
        ("json_files", [{"memory": "likes tea", "user_id": "ada", "created_at": 1714730400}]),
        ("messages", {"results": [{"memory": "likes tea", "metadata": {"a": [1, None]}}]}),
        ("json_files", {"entities": [{"name": "Tom", "entityType": "person", "observations":
                        ["has a boat"]}], "relations": [{"from": "Tom", "to": "Graz",
                        "relationType": "lives in"}]}),
        ("json_files", {"type": "entity", "name": "Tom", "entityType": "p", "observations": ["x"]}),
        ("json_files", [{"title": "t", "create_time": 1714730400.5, "mapping": {"a": {"id": "a",
                         "parent": None, "children": ["b"], "message": None}, "b": {"id": "b",
                         "parent": "a", "children": [], "message": {"author": {"role": "user"},
                         "create_time": 1714730401, "content": {"content_type": "text", "parts":
                         ["What is new?", {"x": 1}]}}}}, "current_node": "b"}]),
        ("json_files", [{"uuid": "u", "name": "n", "created_at": "2024-05-03T10:00:00Z",
                         "chat_messages": [{"uuid": "m", "sender": "human", "text": "Hi",
                         "content": [{"type": "text", "text": "Hi"}], "created_at":
                         "2024-05-03T10:00:00Z", "attachments": [{"file_name": "a.txt",
                         "extracted_content": "b"}]}]}]),
    ):  # fmt: skip
        said = json.dumps(value).encode()
        for first in (0, 1, 2):
            yield name, bytes([first]) + said
            if name == "json_files":
                yield "chats", bytes([first]) + said
                yield "messages", bytes([first]) + said
    mail = (
        b"From: =?utf-8?q?Ad=C3=A1?= <ada@example.org>\r\nTo: tom@example.org\r\n"
        b"Date: Fri, 3 May 2024 10:00:00 +0200\r\nSubject: =?utf-8?b?Qm9vdA==?=\r\n"
        b"Message-ID: <1@x>\r\nReferences: <0@x>\r\nMIME-Version: 1.0\r\n"
        b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\nContent-Type: text/html;'
        b" charset=latin-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
        b"<p>Hallo &amp; <b>so</b><li>eins=E4<script>x</script></p>\r\n--b\r\n"
        b"Content-Disposition: attachment; filename*=utf-8''a%20b.txt\r\n\r\nYQ==\r\n--b--\r\n"
    )
    yield "mail", b"\1" + mail
    yield "mail", b"\0From ada@x Fri May  3 10:00:00 2024\n" + mail.replace(b"\r\n", b"\n")
    page = "---\ntitle: Boat\ndate: 2024-05-03\ntags: [a, 'b']\nn: 1.5\n---\n# One\n\n- two\n"
    yield "documents", b"\0" + page.encode()
    yield "documents", b"\0\xff\xfe" + page.encode("utf-16-le")


def _other_programs() -> Iterator[tuple[str, bytes]]:
    """Yield configurations and events of other programs."""
    for which, text in (
        (0, '{\n  "a": 1, // b\n  "mcpServers": {"c": {"command": "d"}},\n}\n'),
        (0, ""),
        (1, '{"hooks": {"Stop": [{"hooks": []}], "Start": []}, "x": null}'),
        (2, '# a\nmodel = "m"\n[mcp_servers.b]\ncommand = "c"\n'),
        (2, 'a.b = {c = 1}\r\n[[d]]\r\ne = """\r\nf"""'),
    ):
        yield "configurations", bytes([which]) + text.encode()
    events = json.loads((_DATA / "agents" / "payloads.json").read_bytes())
    for which, agent in enumerate(("", "claude-code", "codex", "cursor", "gemini")):
        for event in events.get(agent, {}).values():
            text = json.dumps(event).replace("SAID", "Always use pnpm. The token is in .env.")
            yield "agent_events", bytes([which]) + text.encode()


def _of_a_bank(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield what a bank that has slept keeps, and its export."""
    config = Config(vectors=Vectors(search="partitions"))
    with Memory(
        folder / "seeds.db", embedder=HashEmbedder(16), clock=ManualClock(_NOW), config=config
    ) as memory:
        bank = memory.bank("ada")
        bank.remember_many([
            Turn(text=text, speaker="Ada", session="s", at=_NOW - timedelta(days=30 - n))
            for n, text in enumerate(_SAID * 3)
        ])  # fmt: skip
        first = bank.episodes()[0].id
        bank.pin(first)
        bank.recall("Where is the dentist?")
        bank.note_recalls()
        bank.set_policy(Policy())
        bank.curate(add=["Graz"])
        bank.sleep()
        store = memory.engine.store
        kept = {
            "gists": "gist", "topics": "topic", "facts": "graph", "summary": "summary",
            "anchors": "concept", "partitions": "partition",
        }  # fmt: skip
        for target, kind in kept.items():
            for start, _ in store.payloads.block_spans(1, kind):
                payload = store.payloads.block(1, kind, start).payload
                if target in ("anchors", "partitions"):
                    yield target, b"\0" + as_members(payload)
                    yield target, b"\1" + payload
                else:
                    yield target, zlib.decompress(payload[20 if target == "topics" else 0 :])
        kinds = (*sorted(events._CLASSES), "of a later version")
        for row in store.journal.read(1):
            yield "journal", bytes([kinds.index(row.kind)]) + row.detail.encode()
        concepts = folder / "concepts.json"
        bank.export_concepts(concepts)
        document = json.loads(concepts.read_bytes())
        yield "concepts", json.dumps(_renamed(document | {"model": "m"})).encode()
        export = folder / "export.jsonl"
        bank.export(export)
        yield "exports", export.read_bytes()[:200]
        lines = export.read_bytes().splitlines(keepends=True)
        yield "exports", b"".join([*lines[:1], *lines[-1:]])
    with Memory(folder / "small.db", embedder="none", clock=ManualClock(_NOW)) as memory:
        memory.bank("ada").remember("I am allergic to peanuts.", speaker="Ada")
        memory.bank("ada").export(folder / "small.jsonl")
        yield "exports", (folder / "small.jsonl").read_bytes()


def _settings() -> Iterator[tuple[str, bytes]]:
    yield "settings", b"\0" + BUILT_IN.dump().encode()
    yield "settings", b"\1" + random_indexing.dump(Signatures()).encode()
    yield "settings", b"\2" + json.dumps(msgspec.to_builtins(asdict(Policy()))).encode()
    yield (
        "settings",
        b'\3{"key": "k", "response": {"status": 200, "content_type": "j", "body": "{}"}}',
    )
    trace = Trace(rows=(1, 2), text="A boat.", made_at=1, days=1)
    kept_ = Traces(traces=(trace,), vectors=np.ones((1, 4), np.float32), length=9)
    yield "gists", zlib.decompress(pack(kept_))
    yield "blocks", b"\2\4\0\0\0\10\0\0\0" + bytes(12)


def _segments() -> Iterator[tuple[str, bytes]]:
    ids = [np.array(tokens.encode(text), np.uint64) for text in _SAID]
    yield "segments", bytes([len(ids)]) + Segment.of(0, ids).to_block().payload
    yield "segments", b"\0" + Segment.of(0, []).to_block().payload


def _renamed(document: dict) -> dict:
    """Return a document of concepts with ids as the target knows them."""
    said = json.dumps(document)
    ids = sorted({id_ for entry in document["entries"].values() for id_ in entry["ids"]})
    for n, id_ in enumerate(ids):
        said = said.replace(id_, f"id{n % 9}")
    return json.loads(said)


def _wire() -> Iterator[tuple[str, bytes]]:
    filters = {"since": "2024-05-03", "where": {"speaker": "Ada"}, "limit": 3, "cursor": "WzFd"}
    for at, spec in enumerate(SPECS):
        given = {n: _GIVEN[n] for n in spec.arguments if n in _GIVEN} | {
            n: v for n, v in filters.items() if n in spec.arguments
        }
        if spec.method == "GET":
            pairs = (f"{n}={v if isinstance(v, str) else json.dumps(v)}" for n, v in given.items())
            yield "requests", bytes([at]) + "&".join(pairs).encode()
        else:
            yield "requests", bytes([at]) + json.dumps(given).encode()
        yield "answers", bytes([at]) + b"[]"
        yield "answers", bytes([at]) + b"{}"
        yield (
            "answers",
            bytes([at + 128]) + b'{"progress": {"done": 1, "total": 2}}\n{"result": []}\n',
        )
    fault = {"error": {"type": "StoreCorrupt", "message": "m", "detail": {"retry_after_s": 2}}}
    for kind in ("StoreCorrupt", "BudgetTooSmall", "RateLimited", "Nonsense", "ServerTimeout"):
        fault["error"]["type"] = kind
        yield "answers", b"\0" + json.dumps(fault).encode()
    for at, cursor in enumerate(
        (b"WyIyMDI1LTA2LTAxVDEyOjAwOjAwWiIsMV0", b"WzFd", b"WzFd", b"WyJhIl0")
    ):
        yield "cursors", bytes([at]) + cursor
    asked = {"model": "m", "messages": [{"role": "system", "content": "s"}, {"role": "user",
             "content": [{"type": "text", "text": "hi"}], "name": "n"}, {"role": "assistant",
             "tool_calls": [{"function": {"name": "f"}}]}], "user": "u", "tools": []}  # fmt: skip
    yield "models", b"\0" + json.dumps(asked).encode()
    yield "models", b"\1" + json.dumps({"model": "m", "input": "hi", "conversation": "c"}).encode()
    made = {"choices": [{"index": 0, "message": {"content": "<think>x</think>y", "refusal": None},
            "finish_reason": "stop"}], "usage": {"prompt_tokens": 1}}  # fmt: skip
    yield "models", b"\2" + json.dumps(made).encode()
    yield "models", b"\2data: " + json.dumps(made).encode() + b"\n\ndata: [DONE]\n"
    answer = {"type": "response.completed", "response": {"id": "r", "status": "completed",
              "output": [{"content": [{"type": "output_text", "text": "y"}]}]}}  # fmt: skip
    yield "models", b"\3data: " + json.dumps(answer).encode() + b"\n"
    yield "models", b"\3" + json.dumps(answer["response"]).encode()


_GIVEN = {
    "text": "I am allergic to peanuts.", "query": "What am I allergic to?", "id": "0" * 24,
    "ids": ["0" * 24], "terms": ["peanuts"], "k": 5, "budget_tokens": 300, "at": "2024-05-03",
    "turns": [{"text": "Hi", "at": "2024-05-03T10:00:00Z", "metadata": {"a": [1]}}],
    "helpful": True, "steps": ["gists"], "policy": {}, "erase": False, "reason": "why",
    "notes": [], "add": ["Graz"], "deny": [], "remove": [], "metadata": {"a": 1},
}  # fmt: skip


def _banks() -> Iterator[tuple[str, bytes]]:
    """Yield what somebody writes into a store, and calls of verbs and tools."""
    details = {
        "remember": {"id": "x"}, "correct": {"by": "x"}, "forget": {}, "restore": {"source": "s"},
        "merge": {"by": "x", "sleep": 1}, "fade": {"level": 2, "was": 1, "sleep": 1},
        "doubt": {"sleep": 1, "why": "w"}, "annotate": {"by": "x", "at": 5, "sleep": 1},
        "feedback": {"helpful": True, "at": 5}, "asleep": {"sleep": 1, "steps": ["gists"]},
        "slept": {"sleep": 1, "rows": 4, "policy": {}, "steps": {"gists": {"made": 1}}},
        "policy": {"policy": {"keep": 3}}, "anchors": {"add": ["Graz"], "deny": ["Linz"]},
        "recall": {"shown": [[1748779200000000, 0, 1]]}, "shorten": {"rows": [[0, 1]]},
        "consolidate": {"promoted": [0], "traces": [[1748779200000000, 0, 1]]}, "lapse": {},
        "withdrawn": {"by": "x", "at": 5}, "absorb": {"supersedes": "x"}, "pin": {}, "hold": {},
        "erase": {}, "rebuild": {}, "sleep": {}, "of a later version": {"x": 1},
    }  # fmt: skip
    made_up = [["journal", kind, 1, 1748779200000000, told] for kind, told in details.items()]
    for start in range(0, len(made_up), 5):
        yield "stores", json.dumps(made_up[start : start + 5]).encode()
    signed = json.loads(random_indexing.dump(Signatures()))
    said = '{"format": 1, "rows": 4, "every": 100, "told": "", "versions": []}'
    edits: list[object] = [
        ["setting", "signatures", signed], ["setting", "calibration", json.loads(BUILT_IN.dump())],
        ["setting", "api-keys", []], ["setting", "salt", "00" * 16],
        ["setting", "embedder", {"name": "hash"}],
        ["episode", {"id": "y", "occurred_at": 5, "recorded_at": 6, "metadata": "{}", "parts": 1,
                     "session": "s", "turn": 1, "part": 0, "speaker": "Bo", "state": "active",
                     "level": 1, "marks": 2, "supersedes": 1, "superseded_by": 2}],
        ["payload", "vector", 1, "00" * 20], ["payload", "phrase", 1, "00" * 8],
        ["payload", "lexical", 1, "00" * 8], ["payload", "content", 1, "000000"],
        ["block", "summary", 0, 4, zlib.compress(said.encode()).hex()],
        ["block", "gist", 0, 4, "00"], ["block", "vector", 0, 2, "00" * 8],
    ]  # fmt: skip
    for start in range(0, len(edits), 3):
        yield "stores", json.dumps(edits[start : start + 3]).encode()
    for at in range(len(_VERBS)):
        spec = _VERBS[at]
        given = {n: _GIVEN[n] for n in spec.arguments if n in _GIVEN}
        yield "verbs", bytes([at]) + json.dumps(given).encode()
    for at in range(9):
        yield "tools", bytes([at]) + json.dumps({"query": "dentist", "limit": 3}).encode()
        yield "tools", bytes([at]) + json.dumps({"text": "It rains.", "at": "2024-05-03"}).encode()
        yield "tools", bytes([at]) + json.dumps({"ids": ["x"], "helpful": True}).encode()
    made = {"entities": [{"name": "Tom", "entityType": "p", "observations": ["x"]}]}
    linked = {"relations": [{"from": "Tom", "to": "Tom", "relationType": "is"}]}
    noted = {"observations": [{"entityName": "Tom", "contents": ["y"]}]}
    for at in range(128, 137):
        for said_ in (made, linked, noted, {}, {"query": "x"}, {"names": ["Tom"]}):
            yield "tools", bytes([at]) + json.dumps(said_).encode()


def _beside_a_store() -> Iterator[tuple[str, bytes]]:
    """Yield what is written into files beside a store, and what commands have noted."""
    for edits in (
        [], [["bytes", 0, "ff" * 8]], [["bytes", 70000, "ffffff7f"]], [["without", 3]],
        [["plain", "0", 7], ["plain", "x", None]], [["section", 0, {"shape": [3]}]],
        [["section", 2, {"dtype": "<f8", "offset": 0}], ["section", 5, {"any_bits": True}]],
    ):  # fmt: skip
        yield "index_files", json.dumps(edits).encode()
    for which, told in enumerate(("0", "1", "1", '{"merged": 1}')):
        yield "done_requests", bytes([which]) + told.encode()
    yield "done_requests", b"\0" + b"[0, 1]"
    slot = Slot(kind="phrase", salt=bytes(16))
    yield "headers", as_header([slot, msgspec.structs.replace(slot, kind="secret")]).encode()
    known = {"remote": "example.org/a", "known": "/a"}
    yield "notes", b"\0" + json.dumps(known).encode() + b'\n{"remote": "example.org/a"}\n'
    shown = [{"shown": ["id"]}, {"wiped": True}, {"failed": "e"}, {"answered": True}, {"told": "x"}]
    yield "notes", b"\1" + "\n".join(map(json.dumps, shown)).encode()
    noted = {"path": "/a", "created": True, "after": "00", "placed": []}
    yield "notes", b"\2" + json.dumps({"version": 1, "files": [noted]}).encode()
    message = json.dumps({"argv": ["recall", "x"]}).encode()
    yield "resident", b"\0" + len(message).to_bytes(8, "little") + message
    yield "resident", b"\1" + b"4711 " + b"00" * 32


def _peers() -> Iterator[tuple[str, bytes]]:
    """Yield folders that others have packed, and answers of servers."""
    remote = b'[core]\n\tbare = false\n[remote "origin"]\n\turl = git@example.org:a/b.git\n'
    settings = b'remember = true\nteam = "shop"\nstore = "https://example.org"\npart = "a"\n'
    yield "projects", remote + b"\0" + settings
    yield "projects", b"\0" + b"packages = true\n" + b"\0" + b"gitdir: ../other/.git/worktrees/b\n"
    turns = [{"bank": "b", "text": "Hi", "at": "2024-05-03", "metadata": '{"a": 1}'}, {"text": "x"}]
    yield "turn_files", b"\0" + "\n".join(map(json.dumps, turns)).encode()
    written = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(turns), written)
    yield "turn_files", b"\1" + written.getvalue()
    whole = {"choices": [{"message": {"content": "In Linz."}, "finish_reason": "stop"}]}
    yield "streams", b"\0" + json.dumps(whole | {"usage": {"prompt_tokens": 1}}).encode()
    piece = {"choices": [{"delta": {"content": "In Linz."}}], "usage": {"prompt_tokens": 3}}
    yield "streams", b"\1data: " + json.dumps(piece).encode() + b"\n\ndata: [DONE]\n"
    rows = [{"index": n, "embedding": [1.0, n]} for n in range(2)]
    yield "vectors", b"\0" + json.dumps({"data": rows}).encode()
    scores = [{"index": n, "relevance_score": 0.5} for n in range(2)]
    yield "vectors", b"\1" + json.dumps({"results": scores}).encode()
    yield "vectors", b"\3" + json.dumps([{"index": n, "score": 1.5} for n in range(2)]).encode()


def write(folder: Path) -> None:
    """Write the seeds into a folder for each target."""
    for target in TARGETS:
        (folder / target).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        found = list(seeds(Path(scratch)))
    for target, data in found:
        if len(data) <= _MOST or target in (
            "topics",
            "anchors",
            "facts",
            "summary",
            "gists",
            "partitions",
        ):
            (folder / target / sha1(data).hexdigest()[:16]).write_bytes(data)  # noqa: S324


if __name__ == "__main__":
    write(Path(sys.argv[1]))
