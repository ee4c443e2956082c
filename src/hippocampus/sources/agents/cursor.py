"""Read the chats that Cursor keeps in a database of keys and values."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final, TypeVar
from urllib.parse import unquote, urlsplit

import msgspec

from hippocampus.sources.agents.database import (
    LongValue,
    as_bytes,
    reading_database,
    value_at,
)
from hippocampus.sources.agents.log import SessionLog
from hippocampus.sources.agents.talk import Talk, Utterance
from hippocampus.sources.base import Item, SourceProblem, label, metadata
from hippocampus.sources.timestamps import read_moment

T = TypeVar("T")

_USER: Final = 1  # as Cursor writes them: its word for whose a bubble is
_ASSISTANT: Final = 2  # likewise; of bubbles with other numbers nothing is kept


class _CursorBubble(msgspec.Struct, rename="camel"):
    bubble_id: str | None = None
    type: int | None = None
    text: str | None = None
    created_at: float | str | None = None
    tool_former_data: object = None
    is_thought: bool | None = None


class _CursorComposer(msgspec.Struct, rename="camel"):
    created_at: float | str | None = None
    full_conversation_headers_only: list[_CursorBubble] | None = None
    conversation: list[_CursorBubble] | None = None
    workspace_identifier: object = None
    subagent_info: object = None


def read_cursor(log: SessionLog) -> Iterator[Item]:
    """
    Yield the user's words in Cursor's chats, and the agent's answers.

    Thoughts, uses of tools and what they gave are no memories. A message without a time has its
    chat's.
    """
    with reading_database(log.file, ("cursorDiskKV",)) as database:
        # A range of keys, for which there is an index: ";" is what comes after ":".
        chats = database.execute(
            "SELECT key FROM cursorDiskKV"
            " WHERE key >= 'composerData:' AND key < 'composerData;' ORDER BY key"
        )
        for (key,) in chats:
            name = str(key).partition(":")[2]
            for composer in _record(log, database, key, name, _CursorComposer):
                if isinstance(composer, SourceProblem):
                    yield composer
                else:
                    yield from _chat(log, database, name, composer)
    log.done = log.size


def _record(
    log: SessionLog, database: sqlite3.Connection, key: str, name: str, kind: type[T]
) -> Iterator[T | SourceProblem]:
    """Yield the record of a key, or why it cannot be read; nothing where there is none."""
    try:
        value = value_at(database, "SELECT value FROM cursorDiskKV WHERE key = ?", key)
        if value is not None:
            yield msgspec.json.decode(as_bytes(value), type=kind)
    except (LongValue, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        yield SourceProblem(path=f"{log.path}#{name}", reason=f"cannot be read: {exc}")


def _chat(
    log: SessionLog, database: sqlite3.Connection, name: str, composer: _CursorComposer
) -> Iterator[Item]:
    if composer.subagent_info is not None:
        log.left_out["what agents said among themselves"] += 1
        return
    talk = Talk(log, label(name))
    about: dict[str, Any] = metadata(tool="cursor", project=_folder(composer.workspace_identifier))
    at = read_moment(composer.created_at)
    for bubble in _bubbles(log, database, name, composer):
        if isinstance(bubble, SourceProblem):
            yield bubble
            continue
        at = read_moment(bubble.created_at) or at
        said = Utterance(bubble.text or "", at, f"{name}.{bubble.bubble_id}", about)
        if bubble.is_thought:
            log.left_out["thoughts"] += 1
        elif bubble.tool_former_data is not None:
            talk.tool()
        elif bubble.type == _USER:
            yield from talk.user(said)
        elif bubble.type == _ASSISTANT:
            talk.assistant(said)
    yield from talk.end()


def _bubbles(
    log: SessionLog, database: sqlite3.Connection, name: str, composer: _CursorComposer
) -> Iterator[_CursorBubble | SourceProblem]:
    """Yield the messages of a chat: those that it lists, or has in it, or else that name it."""
    if composer.conversation:
        yield from composer.conversation
        return
    heads = composer.full_conversation_headers_only
    if heads:
        keys = [f"bubbleId:{name}:{one.bubble_id}" for one in heads]
    else:
        begin = f"bubbleId:{name}:"
        found = database.execute(
            "SELECT key FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY key",
            (begin, begin[:-1] + ";"),
        )
        keys = [str(key) for (key,) in found]
    read = [one for key in keys for one in _bubble(log, database, key)]
    if not heads:
        read.sort(key=_time)  # nothing else says in which order
    yield from read


def _time(bubble: _CursorBubble | SourceProblem) -> float:
    at: datetime | None = None
    if isinstance(bubble, _CursorBubble):
        at = read_moment(bubble.created_at)
    return at.timestamp() if at is not None else 0.0


def _bubble(
    log: SessionLog, database: sqlite3.Connection, key: str
) -> Iterator[_CursorBubble | SourceProblem]:
    name = key.rpartition(":")[2]
    for bubble in _record(log, database, key, name, _CursorBubble):
        if isinstance(bubble, _CursorBubble):
            if bubble.tool_former_data is not None:
                # Output of a tool may be large, and all messages of a chat are in memory at once.
                bubble.tool_former_data, bubble.text = True, None
            bubble.bubble_id = name
        yield bubble


def _folder(workspace: object) -> str | None:
    """Return the folder of a workspace, which is named by its address."""
    uri = workspace.get("uri") if isinstance(workspace, dict) else None
    if isinstance(uri, dict):
        uri = uri.get("path") or uri.get("external")
    if not isinstance(uri, str):
        return None
    try:
        return unquote(urlsplit(uri).path) or None
    except ValueError:
        return None
