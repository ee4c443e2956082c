"""The tools whose logs and memory files are read, and what each file of theirs is read as."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from hippocampus.sources.agents.aider import read_aider
from hippocampus.sources.agents.claude_code import (
    OWN_BOOKS,
    read_claude_code,
    read_claude_code_history,
)
from hippocampus.sources.agents.codex import (
    read_codex,
    read_codex_history,
    read_compressed_codex,
)
from hippocampus.sources.agents.cursor import read_cursor
from hippocampus.sources.agents.gemini import read_gemini, read_gemini_history
from hippocampus.sources.agents.log import LogReader
from hippocampus.sources.agents.opencode import read_opencode

MEMORY: Final = "agent-memory"
"""The format of files of instructions and notes."""
PROJECT_MEMORY: Final = "project-memory"
"""Such files that came with a project, and are its authors' words."""
PROJECT_CHAT: Final = "project-chat"
"""A chat history of aider that was found in a project, whoever put it there."""


class Tool(NamedTuple):
    """Files of a coding agent."""

    sessions: LogReader
    suffixes: tuple[str, ...]
    """Ends of the names of session files."""
    inside: str = ""
    """A folder that files of sessions are in, where others end alike; "" for any."""
    typed: LogReader | None = None
    """Reader of the prompts typed in all sessions."""
    typed_in: str = ""
    """The name of the file that has it."""
    passed_over: frozenset[str] = frozenset()
    """Folders in which nothing is that a user said, or that is an answer to a user."""


TOOLS: Final[Mapping[str, Tool]] = MappingProxyType({
    "claude-code": Tool(
        read_claude_code, (".jsonl",), typed=read_claude_code_history, typed_in="history.jsonl",
        passed_over=frozenset({"subagents", "tool-results"}),
    ),
    "codex": Tool(read_codex, (".jsonl",), typed=read_codex_history, typed_in="history.jsonl"),
    "gemini": Tool(
        read_gemini, (".json", ".jsonl"), inside="chats", typed=read_gemini_history,
        typed_in="logs.json",
    ),
    "opencode": Tool(read_opencode, (".db", ".json"), inside="session"),
    "cursor": Tool(read_cursor, (".vscdb",)),
    "aider": Tool(read_aider, (".chat.history.md",)),
})  # fmt: skip
"""By the name of the format."""

_MEMORY_NAMES: Final = frozenset(
    {"claude.md", "claude.local.md", "agents.md", "gemini.md", "copilot-instructions.md"}
)
_MEMORY_FOLDERS: Final = frozenset({"rules", "memory", "memories"})
MEMORY_SUFFIXES: Final = (".md", ".mdc", ".txt")


def kind_of(tool: str, path: str, *, alone: bool, root: str = "") -> LogReader | str | None:
    """
    Return the reader of a tool's file, ``MEMORY`` of a file of instructions, or None.

    ``alone``: whether somebody named the file itself, and not a folder that it is in. ``root``: the
    name of the folder that the path is in.
    """
    one = TOOLS[tool]
    place = PurePosixPath(path)
    name = place.name.lower()
    if one.passed_over.intersection(place.parts[:-1]):
        return None
    if one.typed is not None and name == one.typed_in:
        return one.typed
    if tool == "codex" and name.endswith(".jsonl.zst"):
        return read_compressed_codex
    if name.endswith(one.suffixes) and (
        # Many files end in .json; other endings are the tool's own, wherever they are.
        alone or not one.inside or one.inside in place.parts[:-1] or not name.endswith(".json")
    ):
        return one.sessions
    if name.endswith(MEMORY_SUFFIXES) and (alone or is_memory(f"{root}/{path}")):
        return MEMORY
    # Who names both a file and its tool means that it is one.
    return one.sessions if alone else None


def is_memory(path: str) -> bool:
    """Return whether a file's name says that a coding agent takes it for instructions or notes."""
    place = PurePosixPath(path)
    name = place.name.lower()
    if name in _MEMORY_NAMES or name.endswith(".mdc"):
        return True
    inside = _MEMORY_FOLDERS.intersection(place.parts[:-1])
    return bool(inside) and name.endswith(MEMORY_SUFFIXES)


_TYPED: Final = tuple(
    re.compile(rb'"%b"\s*:' % name) for name in (b"messageId", b"type", b"message")
)
"""Fields of what was typed in Gemini CLI; chats of others number their messages as well."""
_ROLLOUT: Final = frozenset(
    {"session_meta", "response_item", "event_msg", "turn_context", "compacted"}
)


def log_of_record(record: Mapping[str, Any]) -> tuple[str, LogReader] | None:
    """Return the tool that a record is from, by its shape, and the reader of its log."""
    kind = record.get("type")
    named = isinstance(kind, str)  # others' records may have an object there
    rollout = named and kind in _ROLLOUT and isinstance(record.get("payload"), Mapping)
    if "sessionId" in record and "projectHash" in record:
        tool = "gemini"
    elif rollout or record.get("record_type") == "state":
        tool = "codex"
    elif _is_of_claude_code(record):
        tool = "claude-code"
    elif "display" in record and "pastedContents" in record:
        return "claude-code", read_claude_code_history
    else:
        return None
    return tool, TOOLS[tool].sessions


def _is_of_claude_code(record: Mapping[str, Any]) -> bool:
    """Return whether a record is a line of its logs; chats of others name a session as well."""
    kind = record.get("type")
    if kind == "summary" and "leafUuid" in record:
        return True
    if not isinstance(kind, str) or "sessionId" not in record:
        return False
    # Some of these words others use as well, for what somebody said.
    book = kind in OWN_BOOKS and ("-" in kind or not {"role", "content", "text"} & record.keys())
    return book or isinstance(record.get("message"), Mapping) or "parentUuid" in record


def log_of_head(name: str, head: bytes) -> tuple[str, LogReader] | None:
    """Return the tool of a file that has no lines, by its name and how it begins."""
    name = name.lower()
    if name == ".aider.chat.history.md":
        return "aider", read_aider
    if head.startswith(b"SQLite format 3\0"):
        if name.endswith(".vscdb"):
            return "cursor", read_cursor
        return ("opencode", read_opencode) if name == "opencode.db" else None
    if not name.endswith(".json") or b'"sessionId"' not in head:
        return None
    if b'"projectHash"' in head:
        return "gemini", read_gemini
    typed = head.lstrip().startswith(b"[") and all(one.search(head) for one in _TYPED)
    return ("gemini", read_gemini_history) if typed else None
