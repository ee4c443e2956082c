"""Logs of opencode: a database since version 1.2, and before that a file for each part."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from hippocampus.core.files import reading
from hippocampus.sources.agents.database import (
    LongValue,
    as_bytes,
    reading_database,
    value_at,
)
from hippocampus.sources.agents.log import LONGEST_LINE, SessionLog
from hippocampus.sources.agents.talk import Talk, Utterance
from hippocampus.sources.base import Item, SourceProblem, metadata
from hippocampus.sources.timestamps import read_moment

T = TypeVar("T")


class _OpencodeTime(msgspec.Struct):
    created: float | str | None = None


class _OpencodeSession(msgspec.Struct):
    id: str | None = None
    parent: str | None = msgspec.field(default=None, name="parentID")
    directory: str | None = None


class _OpencodeMessage(msgspec.Struct):
    role: str = ""
    time: _OpencodeTime | None = None


class _OpencodePart(msgspec.Struct):
    type: str = ""
    text: str | None = None
    synthetic: bool | None = None
    ignored: bool | None = None


class _MessageRead(NamedTuple):
    """A message with its parts, as JSON, and what it is called."""

    name: str
    message: bytes | LongValue
    parts: Iterable[bytes | LongValue]


_TOOLS: Final = frozenset({"tool", "subtask"})
_ASIDE: Final = frozenset({
    "reasoning", "file", "snapshot", "patch", "agent", "retry", "compaction", "step-start",
    "step-finish",
})  # fmt: skip


class _OpencodeReading:
    """One log being read: what of it is damaged, or of a kind that is not known."""

    def __init__(self, log: SessionLog) -> None:
        self.log = log
        self.unknown: set[str] = set()

    def session(self, head: _OpencodeSession, messages: Iterable[_MessageRead]) -> Iterator[Item]:
        """Yield the turns of a session."""
        if head.parent is not None:
            self.log.left_out["what agents said among themselves"] += 1
            return
        talk = Talk(self.log, head.id)
        about: dict[str, Any] = metadata(tool="opencode", project=head.directory)
        for one in messages:
            message = self.decoded(one.message, _OpencodeMessage, one.name)
            if isinstance(message, SourceProblem):
                yield message
                continue
            at = read_moment(message.time.created) if message.time else None
            parts = [self.decoded(part, _OpencodePart, one.name) for part in one.parts]
            yield from (part for part in parts if isinstance(part, SourceProblem))
            yield from self._message(
                talk, message.role, [p for p in parts if isinstance(p, _OpencodePart)],
                Utterance("", at, one.name, about),
            )  # fmt: skip
        yield from talk.end()

    def _message(
        self, talk: Talk, role: str, parts: list[_OpencodePart], said: Utterance
    ) -> Iterator[Item]:
        for part in parts:
            if part.type not in _TOOLS | _ASIDE | {"text"}:
                self.unknown.add(part.type)
        texts = [p for p in parts if p.type == "text" and p.text]
        own = [p.text or "" for p in texts if not p.synthetic and not p.ignored]
        self.log.left_out["notes of the tool"] += len(texts) - len(own)
        self.log.left_out["thoughts"] += sum(p.type == "reasoning" for p in parts)
        if role == "user":
            if own:
                said.text = "\n".join(own)
                yield from talk.user(said)
            return
        for part in parts:  # in their order: what is said after the last tool is the answer
            if part.type in _TOOLS:
                talk.tool()
            elif part.type == "text" and part.text and not (part.synthetic or part.ignored):
                talk.assistant(Utterance(part.text, said.at, said.place, said.about))

    def decoded(self, data: bytes | LongValue, kind: type[T], name: str) -> T | SourceProblem:
        """Return a record, or why it is none."""
        # As text: an error that is kept would keep its frames, and in them the database locked.
        why = str(data) if isinstance(data, LongValue) else ""
        try:
            if not isinstance(data, LongValue):
                return msgspec.json.decode(data, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
            why = str(exc)
        return SourceProblem(path=f"{self.log.path}#{name}", reason=f"cannot be read: {why}")

    def end(self) -> Iterator[Item]:
        """Yield turns that the log as a whole tells."""
        self.log.left_out = +self.log.left_out  # without kinds of which there were none
        self.log.done = self.log.size
        if self.unknown:
            names = ", ".join(sorted(one[:40] for one in self.unknown)[:12])
            reason = f"parts of a kind that this version does not know passed over ({names})"
            yield SourceProblem(path=self.log.path, reason=reason, skipped=True)


def read_opencode(log: SessionLog) -> Iterator[Item]:
    """
    Yield the user's words in sessions of opencode, and the agent's answers.

    A log is the database, or the file of a session, with the folders of messages and parts beside
    it. What agents say among themselves, thoughts, uses of tools, and what the tool puts into
    messages are no memories.
    """
    reading_it = _OpencodeReading(log)
    if log.file.suffix == ".json":
        yield from _of_files(reading_it, log.file)
    else:
        yield from _of_database(reading_it, log.file)
    yield from reading_it.end()


def _of_database(one: _OpencodeReading, file: Path) -> Iterator[Item]:
    with reading_database(file, ("session", "message", "part")) as database:
        sessions = database.execute("SELECT id, parent_id, directory FROM session ORDER BY id")
        for id_, parent, directory in sessions:
            found = database.execute(
                "SELECT id FROM message WHERE session_id = ? ORDER BY time_created, id", (id_,)
            )
            messages = (
                _MessageRead(str(name), _data(database, _MESSAGE, name), _parts(database, name))
                for (name,) in found
            )
            head = _OpencodeSession(str(id_), _text(parent), _text(directory))
            yield from one.session(head, messages)


_MESSAGE: Final = "SELECT data FROM message WHERE id = ?"
_PART: Final = "SELECT data FROM part WHERE id = ?"


def _parts(database: sqlite3.Connection, message: object) -> Iterator[bytes | LongValue]:
    parts = database.execute("SELECT id FROM part WHERE message_id = ? ORDER BY id", (message,))
    return (_data(database, _PART, part) for (part,) in parts)


def _data(database: sqlite3.Connection, query: str, key: object) -> bytes | LongValue:
    """Return the data of a row, or that they are too long: they cost none of the others."""
    try:
        return as_bytes(value_at(database, query, key))
    except LongValue as exc:
        return exc


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _of_files(one: _OpencodeReading, file: Path) -> Iterator[Item]:
    head = one.decoded(_content(file), _OpencodeSession, file.stem)
    if isinstance(head, SourceProblem):
        yield head
        return
    head.id = file.stem
    # Messages and parts have folders beside that of sessions: session/PROJECT/ID.json.
    root = file.absolute().parents[2]
    messages = (
        _MessageRead(at.stem, _content(at), map(_content, _files(root / "part" / at.stem)))
        for at in _files(root / "message" / file.stem)
    )
    yield from one.session(head, messages)


def _files(folder: Path) -> list[Path]:
    """Return the files of a folder in order of name; links are not followed."""
    if not folder.is_dir() or folder.is_symlink():
        return []
    found = (at for at in folder.iterdir() if at.suffix == ".json" and not at.is_symlink())
    return sorted(at for at in found if at.is_file())


def _content(file: Path) -> bytes:
    with reading(file) as stream:
        return stream.read(LONGEST_LINE)  # of more this is no JSON, which is told
