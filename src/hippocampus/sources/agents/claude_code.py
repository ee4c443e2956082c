"""Logs of Claude Code: a file of lines for each session, and one of typed prompts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from hippocampus.sources.agents.log import LogRecords, SessionLog
from hippocampus.sources.agents.talk import Talk, Utterance
from hippocampus.sources.base import Item, SourceProblem, label, metadata
from hippocampus.sources.timestamps import read_moment

OWN_BOOKS: Final = frozenset({
    "summary", "system", "progress", "queue-operation", "file-history-snapshot",
    "file-history-delta", "custom-title", "ai-title", "agent-name", "last-prompt", "mode",
    "permission-mode", "cost-state", "bridge-session", "atis-latch", "tag", "relocated",
    "content-replacement", "history-suppression", "attribution-snapshot", "agent_metadata",
    "pr-link", "result",
})  # fmt: skip
"""Types of lines that are the tool's own books."""
_MOST_SESSIONS: Final = 64
"""Sessions of one log that are followed at once; the first of more ends where it is."""


class _ClaudeBlock(msgspec.Struct):
    type: str = ""
    text: str | None = None


_ClaudeContent = str | list[str | _ClaudeBlock] | None


class _ClaudeMessage(msgspec.Struct):
    role: str | None = None
    content: _ClaudeContent = None
    stop_reason: str | None = None


class _ClaudeAttachment(msgspec.Struct, rename="camel"):
    type: str = ""
    prompt: _ClaudeContent = None
    command_mode: str | None = None
    origin: object = None


class _ClaudeLine(msgspec.Struct, rename="camel"):
    """Fields that are read of a line; of the rest nothing is kept, however long it is."""

    type: str = ""
    message: _ClaudeMessage | None = None
    attachment: _ClaudeAttachment | None = None
    timestamp: str | float | None = None
    uuid: str | None = None
    session_id: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    is_meta: bool | None = None
    is_sidechain: bool | None = None
    is_compact_summary: bool | None = None
    is_api_error_message: bool | None = None
    origin: object = None


def read_claude_code(log: SessionLog) -> Iterator[Item]:
    """
    Yield the user's words in a session of Claude Code, and the agent's answers.

    Sidechains, in which agents talk to each other, summaries made to save room, thoughts, uses of
    tools and their output are no memories.
    """
    records = LogRecords(log, _ClaudeLine)
    talks: dict[str | None, Talk] = {}
    for number, line in records:
        if isinstance(line, SourceProblem):
            yield line
        elif isinstance(line, _ClaudeLine):
            session = label(line.session_id)
            talk = talks.setdefault(session, Talk(log, session))
            if len(talks) > _MOST_SESSIONS:
                yield from talks.pop(next(iter(talks))).end()
            yield from _line(log, records, talk, line, number)
    for talk in talks.values():
        yield from talk.end()
    yield from records.end()


def _line(
    log: SessionLog, records: LogRecords, talk: Talk, line: _ClaudeLine, number: int
) -> Iterator[Item]:
    if line.type in OWN_BOOKS:
        log.left_out["the tool's own books"] += 1
    elif line.is_sidechain:
        log.left_out["what agents said among themselves"] += 1
    elif line.is_compact_summary:
        log.left_out["summaries"] += 1
    elif line.is_meta or line.is_api_error_message or _is_injected(line.origin):
        log.left_out["notes of the tool"] += 1
    elif line.type == "user" and line.message is not None:
        yield from _user(log, talk, line, line.message.content, number)
    elif line.type == "assistant" and line.message is not None:
        _assistant(log, talk, line, line.message, number)
    elif line.type == "attachment":
        added = line.attachment
        # Prompts that were typed while the agent was at work are attachments.
        if added is None or added.type != "queued_command" or added.command_mode not in _TYPED:
            log.left_out["notes of the tool"] += 1
        elif not _is_injected(added.origin):
            yield from _user(log, talk, line, added.prompt, number)
    else:
        records.unknown(line.type)


_TYPED: Final = (None, "prompt")


def _is_injected(origin: object) -> bool:
    """Return whether a line says itself that no person wrote it."""
    return isinstance(origin, dict) and origin.get("kind") not in (None, "human")


def _user(
    log: SessionLog, talk: Talk, line: _ClaudeLine, content: _ClaudeContent, number: int
) -> Iterator[Item]:
    texts = _texts(content)
    kinds = {one.type for one in content or () if isinstance(one, _ClaudeBlock)}
    if "tool_result" in kinds:
        log.left_out["output of tools"] += 1
    if texts:
        yield from talk.user(_said(line, "\n".join(texts), number))


def _assistant(
    log: SessionLog, talk: Talk, line: _ClaudeLine, message: _ClaudeMessage, number: int
) -> None:
    blocks = message.content if isinstance(message.content, list) else []
    texts = _texts(message.content)
    if texts:
        talk.assistant(_said(line, "\n\n".join(texts), number))
    kinds = [one.type for one in blocks if isinstance(one, _ClaudeBlock)]
    if any(kind.endswith("thinking") for kind in kinds):
        log.left_out["thoughts"] += 1
    if any(kind.endswith("tool_use") for kind in kinds) or message.stop_reason == "tool_use":
        talk.tool()


def _texts(content: _ClaudeContent) -> list[str]:
    if isinstance(content, str):
        return [content]
    texts = [
        one if isinstance(one, str) else one.text if one.type == "text" else None
        for one in content or ()
    ]
    return [text for text in texts if text]


def _said(line: _ClaudeLine, text: str, number: int) -> Utterance:
    about = metadata(tool="claude-code", project=line.cwd, branch=line.git_branch)
    return Utterance(text, read_moment(line.timestamp), label(line.uuid) or f"line-{number}", about)


# ---------------------------------------------------------------- what was typed


class _ClaudePrompt(msgspec.Struct, rename="camel"):
    display: str = ""
    timestamp: str | float | None = None
    project: str | None = None
    session_id: str | None = None


def read_claude_code_history(log: SessionLog) -> Iterator[Item]:
    """Yield typed prompts, of sessions as well whose logs are gone; commands are left out."""
    records = LogRecords(log, _ClaudePrompt)
    for number, line in records:
        if isinstance(line, SourceProblem):
            yield line
        elif isinstance(line, _ClaudePrompt):
            if line.display.startswith(("/", "!")):
                log.left_out["commands"] += 1
                continue
            about: dict[str, Any] = metadata(tool="claude-code", project=line.project)
            said = Utterance(line.display, read_moment(line.timestamp), f"line-{number}", about)
            yield from Talk(log, label(line.session_id)).user(said)
    yield from records.end()
