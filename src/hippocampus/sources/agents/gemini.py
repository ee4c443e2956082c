"""Logs of Gemini CLI: a file for each session, as lines or one JSON text, and ``logs``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from hippocampus.core.files import read_bytes
from hippocampus.core.validation import clean
from hippocampus.language.session_words import LONGEST_READ
from hippocampus.sources.agents.log import LogRecords, SessionLog, whole_text
from hippocampus.sources.agents.talk import Talk, Utterance
from hippocampus.sources.base import Item, SourceProblem, label, metadata
from hippocampus.sources.timestamps import read_moment

_LONGEST_PATH: Final = 4096
"""Bytes of a path, the most that Linux takes (``PATH_MAX``): the file should hold nothing else."""
_NOTES: Final = frozenset({"info", "error", "warning"})


class _GeminiPart(msgspec.Struct, rename="camel"):
    text: str | None = None
    thought: bool | None = None
    function_response: object = None


_GeminiContent = str | list[str | _GeminiPart] | _GeminiPart | None


class _GeminiMessage(msgspec.Struct, rename="camel"):
    """A message, or a line of another kind, of which the fields are told apart afterwards."""

    id: str | int | None = None
    type: str = ""
    timestamp: str | float | None = None
    content: _GeminiContent = None
    display_content: _GeminiContent = None
    tool_calls: list[object] | None = None
    session_id: str | None = None
    kind: str | None = None
    directories: list[str] | None = None
    messages: list[_GeminiMessage] | None = None
    message: str | None = None
    set: object = msgspec.field(default=None, name="$set")
    rewind_to: str | None = msgspec.field(default=None, name="$rewindTo")


class _GeminiSession:
    def __init__(self) -> None:
        self.id: str | None = None
        self.is_agents = False
        self.directory: str | None = None
        self.messages: dict[str, tuple[int, _GeminiMessage]] = {}

    def head(self, head: _GeminiMessage) -> None:
        self.id = label(head.session_id) or self.id
        self.is_agents = self.is_agents or head.kind == "subagent"
        self.directory = next(iter(head.directories or ()), self.directory)

    def add(self, message: _GeminiMessage, number: int) -> None:
        """Take a message, or what it has become: a tool writes it again when there is more."""
        # All messages are kept until the end, as some may be taken back: so without what is long.
        message.tool_calls = [True] if message.tool_calls else None
        message.content = _text(message.content)[:LONGEST_READ]
        if message.display_content is not None:
            message.display_content = _text(message.display_content)[:LONGEST_READ]
        self.messages[str(message.id or f"message-{number}")] = number, message

    def rewind(self, to: str) -> None:
        """Take back a message and all after it, as the user has."""
        names = list(self.messages)
        for name in names[names.index(to) :] if to in self.messages else names:
            del self.messages[name]


def read_gemini(log: SessionLog) -> Iterator[Item]:
    """
    Yield the user's words in a session of Gemini CLI, and the agent's answers.

    Thoughts, uses of tools, notes of the tool, and sessions of agents among themselves are no
    memories; nor is what the user took back.
    """
    session = _GeminiSession()
    records = LogRecords(log, _GeminiMessage)
    for number, line in _whole(log, records):
        if isinstance(line, SourceProblem):
            yield line
        elif isinstance(line, _GeminiMessage):
            _take(log, records, session, line, number)
    yield from _told(log, records, session)
    yield from records.end()


def _whole(log: SessionLog, records: LogRecords) -> Iterator[tuple[int, object]]:
    """Yield the records of lines, or the one that a file of several lines is."""
    if log.path.lower().endswith(".jsonl"):
        yield from records
        return
    text = whole_text(log)
    try:
        yield 1, msgspec.json.decode(text, type=_GeminiMessage)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        yield 1, SourceProblem(path=log.path, reason=f"is no session of Gemini CLI: {exc}")


def _take(
    log: SessionLog, records: LogRecords, session: _GeminiSession, line: _GeminiMessage, number: int
) -> None:
    if line.rewind_to is not None:
        session.rewind(line.rewind_to)
    elif line.set is not None:  # of which the messages are those that a summary has left
        log.left_out["the tool's own books"] += 1
    elif line.session_id is not None and not line.type:
        session.head(line)
        for nth, one in enumerate(line.messages or (), 1):
            session.add(one, nth)
    elif line.type in {"user", "gemini"}:
        session.add(line, number)
    elif line.type in _NOTES:
        log.left_out["notes of the tool"] += 1
    else:
        records.unknown(line.type)


def _told(log: SessionLog, records: LogRecords, session: _GeminiSession) -> Iterator[Item]:
    if session.is_agents:
        log.left_out["what agents said among themselves"] += len(session.messages)
        return
    talk = Talk(log, session.id)
    about: dict[str, Any] = metadata(
        tool="gemini", project=session.directory or _project_of(log.file)
    )
    for name, (_, message) in session.messages.items():
        at = read_moment(message.timestamp)
        if message.type == "user":
            shown = message.content if message.display_content is None else message.display_content
            yield from talk.user(Utterance(_text(shown), at, name, about))
        elif message.type == "gemini":
            talk.assistant(Utterance(_text(message.content), at, name, about))
            if message.tool_calls:
                talk.tool()
        elif message.type in _NOTES:
            log.left_out["notes of the tool"] += 1
        else:
            records.unknown(message.type)
    yield from talk.end()


def _text(content: _GeminiContent) -> str:
    parts = content if isinstance(content, list) else [content]
    texts = [
        one.text if isinstance(one, _GeminiPart) and not one.thought else one
        for one in parts
        if not isinstance(one, _GeminiPart) or one.function_response is None
    ]
    return "\n".join(text for text in texts if isinstance(text, str) and text)


def _project_of(file: Path) -> str | None:
    """Return the folder that a session was about, where the tool has noted it."""
    for folder in file.parents[:3]:
        note = folder / ".project_root"
        if note.is_file():
            return clean(read_bytes(note)[:_LONGEST_PATH].decode("utf-8", "replace")).strip()
    return None


# ---------------------------------------------------------------- what was typed


def read_gemini_history(log: SessionLog) -> Iterator[Item]:
    """Yield typed prompts, from the list that is kept of them; commands are left out."""
    text = whole_text(log)
    try:
        typed = msgspec.json.decode(text, type=list[_GeminiMessage])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        yield SourceProblem(path=log.path, reason=f"is no list of what was typed: {exc}")
        return
    about: Mapping[str, Any] = metadata(tool="gemini", project=_project_of(log.file))
    for number, one in enumerate(typed, 1):
        words = one.message or ""
        if one.type != "user" or words.startswith(("/", "!")):
            log.left_out["commands"] += 1
            continue
        said = Utterance(words, read_moment(one.timestamp), f"message-{number}", about)
        yield from Talk(log, label(one.session_id)).user(said)
