"""Files of each format, requests and events of others, around a text of any shape."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from hippocampus import Turn
from hippocampus.cli.agent_events import EVENTS, read_event, shown_as
from hippocampus.cli.hook_events import AGENTS, LONGEST_REPLY
from hippocampus.core.config import Ingest
from hippocampus.journal.transfer import read_export
from hippocampus.language.session_words import kept_words, own_words
from hippocampus.language.worth_keeping import of_prompt, of_reply
from hippocampus.proxy.protocol import ChatAnswer, ChatRequest
from hippocampus.sleep.concept_document import parse
from hippocampus.sources import SessionLog, SourceFile
from hippocampus.sources.walk import read_source
from hippocampus.verbs import BANK_VERBS
from hippocampus.write.check import draft
from hippocampus.write.file_import import as_turns

NOW = datetime(2025, 6, 1, 12, tzinfo=UTC)
LIMITS = Ingest()
AT = "2026-03-02T09:00:01Z"
HERE = "@@"
"""Where the text goes."""
ASKED = ["pump valve ", "where did this stall? ", "The old pump was checked by Tom Silva. "]
"""Words that repeat, sentences with names: each meets what a bank knows."""
SHAPES = [
    "a", " ", "\n", "\t", "\r\n", "1", ".", ",", '"', "(", "[[", "{", "<a ", "<a", '<a "', "<!--",
    "<recent>\n[x\n</recent>", '<memory note="', "</", "<script>", "&#1", "&amp", "-", "# ", "=?",
    "1:", "1:11 ", "A.B.", "a@b.", "a_", "a-", "AbCd", "it's'", "http://a.b/", "```\n", "|a", "? ",
    "Mr. ", "Ada: hi\n", "I am ", "3 days ago ", "2024-01-01 ", "Ada Lovelace and ", "and not ",
    "漢", "かな", "สวัสดี", "한국", "שלום ", "😀", "👩\u200d👧", "\U0001d54f", "a\u0301\u0302",
    "\u200b", "\ufeff", "\x1b[0m",
    "<command-args>", "<a>", "~", "#", " #", "a: ", "of A1 ", "I moved from a of ", "how far i ",
    "tell when ", "the day after ", "last\t", "“", "A'", "\nExit Code: 1\n", "@a/", "- [ ] ",
    *ASKED,
]  # fmt: skip

Made = Callable[[str], bytes]


# ---------------------------------------------------------------- files


def plain(around: str) -> Made:
    """Return a maker of files in which the text stands as it is."""
    return lambda text: around.replace(HERE, text).encode()


def lines(*records: object) -> Made:
    """Return a maker of files of JSON, a record a line, in which the text is said."""
    whole = "\n".join(map(json.dumps, records))
    return lambda text: whole.replace(HERE, json.dumps(text)[1:-1]).encode()


def database(script: str, *rows: tuple[str, tuple[str, ...]]) -> Callable[[str, Path], None]:
    """Return a maker of a program's database with rows in which the text is said."""

    def make(text: str, path: Path) -> None:
        path.unlink(missing_ok=True)
        with closing(sqlite3.connect(path)) as db:
            db.executescript(script)
            said = json.dumps(text)[1:-1]
            for statement, values in rows:
                db.execute(statement, [value.replace(HERE, said) for value in values])
            db.commit()

    return make


_MBOX = "From a@b Mon Jan 1 10:00:00 2024\nFrom: a\n\n"
_MAIL = "From: a <a@b>\nDate: Mon, 1 Jan 2024 10:00:00 +0000\n"
_SAID = {"role": "user", "content": HERE, "timestamp": AT, "name": HERE, "id": HERE}
_NOTES = {
    "CLAUDE.md": plain(HERE), "GEMINI.md": plain(f"# {HERE}\n- a"),
    "AGENTS.md": plain(f"---\ndescription: {HERE}\n---\n- a"),
}  # fmt: skip
_CHATGPT = [{"title": HERE, "create_time": 1714730400.5, "current_node": "b", "mapping": {
    "a": {"id": "a", "parent": None, "children": ["b"], "message": None},
    "b": {"id": "b", "parent": "a", "children": [], "message": {"author": {"role": "user"},
          "create_time": 1714730401, "content": {"content_type": "text", "parts": [HERE]}}}},
}]  # fmt: skip
_CLAUDE = [{"uuid": "u", "name": HERE, "created_at": AT, "chat_messages": [
    {"uuid": "m", "sender": "human", "text": HERE, "content": [{"type": "text", "text": HERE}],
     "created_at": AT, "attachments": [{"file_name": HERE, "extracted_content": HERE}]},
]}]  # fmt: skip
_MCP = {"entities": [{"name": "Tom", "entityType": HERE, "observations": [HERE]}],
        "relations": [{"from": "Tom", "to": HERE, "relationType": HERE}]}  # fmt: skip
_PARTS = [{"type": "text", "text": HERE}]
_AIDER = f"# aider chat started at 2026-03-02 09:00:01\n\n#### {HERE}\n\n{HERE}\n\n> a\n"
_OPENCODE = (
    "CREATE TABLE session (id, parent_id, directory);"
    "CREATE TABLE message (id, session_id, time_created, data);"
    "CREATE TABLE part (id, message_id, data); INSERT INTO session VALUES (1, NULL, '/a')"
)

FILES = {
    "document": {
        "key.md": plain(f"---\na: {HERE}\n---\nx"), "open.md": plain(f"---\na: {HERE}"),
        "a.txt": plain(HERE), "title.md": plain(f"# {HERE}\nx"),
    },
    "messages": {
        "a.json": lines([_SAID]), "b.jsonl": lines(_SAID), "cut.jsonl": plain(f'{{"text":"{HERE}'),
        "raw.json": plain(f"[{HERE}"),
    },
    "chatgpt": {"a.json": lines(_CHATGPT)},
    "claude": {"a.json": lines(_CLAUDE)},
    "mbox": {"a.mbox": plain(f"{_MBOX}hi\n\nFrom {HERE}"), "b.mbox": plain(_MBOX + HERE)},
    "eml": {
        "html.eml": plain(f"{_MAIL}Content-Type: text/html; charset=utf-8\n\n{HERE}"),
        "subject.eml": plain(f"{_MAIL}Subject: {HERE}"),
        "to.eml": plain(f"{_MAIL}To: {HERE}"),
        "references.eml": plain(f"{_MAIL}References: {HERE}"),
        "type.eml": plain(f"{_MAIL}Content-Type: {HERE}"),
        "quoted.eml": plain(f"{_MAIL}Content-Transfer-Encoding: quoted-printable\n\n{HERE}"),
        "parts.eml": plain(f"{_MAIL}Content-Type: multipart/mixed; boundary=a\n\n--a\n\n{HERE}"),
    },
    "mem0": {"a.json": lines({"results": [{"memory": HERE, "user_id": HERE, "id": HERE,
                                           "metadata": {"a": HERE}, "created_at": AT}]})},
    "mcp-memory": {"a.json": lines(_MCP), "b.jsonl": lines({"type": "entity", "name": HERE,
                   "entityType": "p", "observations": [HERE]})},
    "agent-memory": _NOTES,
    "project-memory": _NOTES,
    "claude-code": {
        "a.jsonl": lines(
            {"type": "user", "uuid": "u", "sessionId": "s", "cwd": HERE, "timestamp": AT,
             "gitBranch": HERE, "message": {"role": "user", "content": HERE}},
            {"type": "assistant", "sessionId": "s", "timestamp": AT, "message": {
             "content": _PARTS}}),
        "history.jsonl": lines({"display": HERE, "pastedContents": {}, "project": "/a",
                                "timestamp": 1772442001000, "sessionId": "s"}),
    },
    "codex": {
        "a.jsonl": lines(
            {"timestamp": AT, "type": "session_meta", "payload": {"id": "i", "cwd": HERE,
             "git": {"branch": HERE}, "source": "cli"}},
            {"timestamp": AT, "type": "event_msg", "payload": {"type": "user_message",
             "message": HERE}},
            {"timestamp": AT, "type": "response_item", "payload": {"type": "message", "role":
             "assistant", "content": [{"type": "output_text", "text": HERE}]}}),
        "history.jsonl": lines({"session_id": "s", "ts": 1772442001, "text": HERE}),
    },
    "gemini": {
        "a.jsonl": lines(
            {"sessionId": "s", "projectHash": "p"},
            {"id": "1", "type": "user", "timestamp": AT, "content": [{"text": HERE}]},
            {"id": "2", "type": "gemini", "content": HERE, "timestamp": AT}),
        "a.json": lines({"sessionId": "s", "projectHash": "p", "messages": [
            {"id": "1", "type": "user", "timestamp": AT, "content": HERE}]}),
        "logs.json": lines([{"sessionId": "s", "messageId": 0, "type": "user", "message": HERE,
                             "timestamp": AT}]),
    },
    "opencode": {"a.db": database(
        _OPENCODE,
        ("INSERT INTO message VALUES (1, 1, 1, ?)",
         (json.dumps({"role": "user", "time": {"created": 1772442001000}}),)),
        ("INSERT INTO part VALUES (1, 1, ?)", (json.dumps(_PARTS[0]),)),
    )},
    "cursor": {"a.vscdb": database(
        "CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB)",
        ("INSERT INTO cursorDiskKV VALUES ('composerData:c', ?)",
         (json.dumps({"name": HERE, "fullConversationHeadersOnly": [{"bubbleId": "b", "type": 1}],
                      "createdAt": 1772442001000}),)),
        ("INSERT INTO cursorDiskKV VALUES ('bubbleId:c:b', ?)",
         (json.dumps({"type": 1, "text": HERE, "createdAt": 1772442001000}),)),
    )},
    "aider": {".aider.chat.history.md": plain(_AIDER)},
    "project-chat": {".aider.chat.history.md": plain(_AIDER)},
}  # fmt: skip
"""By format, files of it by name, each by what makes it around a text."""


def write(path: Path, format_: str, text: str) -> None:
    """Write one of ``FILES``."""
    make = FILES[format_][path.name]
    try:
        path.write_bytes(make(text))
    except TypeError:  # which writes it itself
        make(text, path)


def read(path: Path, format_: str) -> list[str]:
    """Read a file up to where its turns would be written; return the texts of its turns."""
    found = []
    for item in read_source(path, format=format_):
        turns: Iterator[Turn] = iter(())
        if isinstance(item, SourceFile):
            turns = iter(as_turns(item, LIMITS.chunk_tokens))
        elif isinstance(item, SessionLog):
            turns = (one for one in item.items() if isinstance(one, Turn))
        for turn in turns:
            draft("ada", turn, now=NOW, zone=UTC, limits=LIMITS, salt=b"salt")
            found.append(turn.text)
    return found


# ---------------------------------------------------------------- verbs, as a server calls them

SOUND = {
    "text": "Ada met Tom in Porto.", "query": "Who met Tom?", "terms": ["Tom"], "term": "Tom",
    "question": "How often did Ada meet Tom?", "reason": "why", "to": "ben", "sleep": 1,
    "budget_tokens": 500, "helpful": True, "turns": [], "add": [], "banks": ["ben"],
}  # fmt: skip
"""What else a verb must be given."""
NO_WORDS = {
    "schedule": "numbers", "trust": "a few words that are given", "suspects": "likewise",
    "origin": "likewise", "by": "likewise", "radius": "a number, or one word", "policy":
    "numbers by name, or a name", "cursor": "read by the server, and short",
    "steps": "a few words that are given", "cues": "likewise",
}  # fmt: skip
"""Arguments of type text, or with text in them, that take no text of a user's, and why."""
_FILTERED = ("episodes", "recall")
"""Verbs of which the filters are tried that others take as well."""


def words_of_verbs() -> Iterator[tuple[str, str]]:
    """Yield every verb of a bank with each of its arguments that takes a user's words."""
    filters = set(BANK_VERBS["episodes"].arguments) | {"include", "now"}
    for name, spec in BANK_VERBS.items():
        for argument, one in spec.arguments.items():
            shared = argument in filters and "where" in spec.arguments and name not in _FILTERED
            if argument not in NO_WORDS and not shared and "str" in str(one.type):
                yield name, argument


def call(bank, verb: str, argument: str, text: str) -> None:
    """Call a verb of a bank with a text as one of its arguments, as a request would."""
    spec = BANK_VERBS[verb]
    kind = spec.arguments[argument]
    said: object = text
    if argument == "turns":
        said = [{"text": text}]
    elif argument in ("metadata", "where"):
        said = {"k": text}
    elif kind.is_list:
        said = [text]
    known = SOUND | {"id": bank.episodes()[0].id, "address": "a.md#1", "source": "a.md",
                     "session": "s", "entity": "Ada", "relation": "met"}  # fmt: skip
    needed = {n: known[n] for n, one in spec.arguments.items() if one.required and n != argument}
    given = spec.from_json(json.dumps(needed | {argument: said}).encode())
    page = ("cursor", "limit") if spec.pages else ()
    named = {n: value for n, value in given.named.items() if n not in page}
    spec.function(bank, *given.positional, **named)


# ---------------------------------------------------------------- what else is read


def _event(text: str) -> None:
    """Read a text as each field of each event that a coding agent tells, and what is kept of it."""
    for name in EVENTS:
        for agent in AGENTS:
            fields = ("prompt", "last_assistant_message", "cwd", "session_id", "tool_name", "error")
            payload = dict.fromkeys(fields, text) | {
                "hook_event_name": name, "tool_response": {"llmContent": text},
            }  # fmt: skip
            event = read_event(payload, agent)
            if event.kind is not None:
                shown_as(event.kind.form, event.name, event.said)


_EXPORT = (
    {"hippocampus-export": 1, "bank": "ada"},
    {"episode": {
        "id": "e492a41670ec1ada3f2b8388", "text": HERE, "said_at": 1, "noted_at": 1,
        "session": HERE, "turn": 0, "part": 0, "parts": 1, "speaker": HERE, "role": None,
        "source": HERE, "address": HERE, "metadata": {"a": HERE}, "state": "active",
        "supersedes": None, "superseded_by": None, "level": 0, "marks": 0}},
    {"change": {"seq": 1, "at": 1, "kind": "remember", "episode": "e492a41670ec1ada3f2b8388",
                "detail": {"id": "e492a41670ec1ada3f2b8388"}}},
    {"end": {"episodes": 1, "changes": 1}},
)  # fmt: skip


def _export(text: str, path: Path) -> object:
    path.write_bytes(lines(*_EXPORT)(text) + b"\n")
    return read_export(path, salt=b"salt")


def _model(text: str) -> None:
    said = json.dumps(text)
    asked = f'{{"model": "m", "messages": [{{"role": "user", "content": {said}}}]}}'.encode()
    request = ChatRequest.read("chat", asked)
    if request is not None and request.query:
        request.remembering(text)
    ChatRequest.read("responses", f'{{"model": "m", "input": {said}}}'.encode())
    made = f'{{"choices": [{{"index": 0, "message": {{"content": {said}}}}}]}}'
    for body in (made, f"data: {made}\n\ndata: [DONE]\n", f"data: {text}"):
        ChatAnswer.read("chat", body.encode(errors="replace")).text.encode()


READERS: dict[str, Callable[[str, Path], object]] = {
    "own words": lambda text, _path: own_words(text),
    "kept words": lambda text, _path: kept_words(text),
    "worth keeping of a prompt": lambda text, _path: of_prompt(text),
    "worth keeping of a reply": lambda text, _path: of_reply(text, longest=LONGEST_REPLY),
    "hook events": lambda text, _path: _event(text),
    "an export": _export,
    "a document of concepts": lambda text, _path: parse(json.dumps({"entries": {text: text}})),
    "a request to a model, and its answer": lambda text, _path: _model(text),
}
"""What reads a text that is no file of a format and no verb's; ``path``: a file that it may use."""
