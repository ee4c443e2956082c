"""Logs of Codex CLI: a "rollout" of lines for each session, and one of typed prompts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from hippocampus.sources.agents.log import LogRecords, SessionLog
from hippocampus.sources.agents.talk import Talk, Utterance
from hippocampus.sources.base import Item, SourceProblem, label, metadata
from hippocampus.sources.timestamps import read_moment

_BOOKS: Final = frozenset({
    "compacted", "world_state", "retained_context", "state", "token_usage_record",
    "inter_agent_communication", "inter_agent_communication_metadata", "security_risk_score",
    "realtime_item",
})  # fmt: skip
_MOST_WAITING: Final = 16
"""Messages that wait until an event, or the agent's next answer, tells whether somebody typed them:
a log without either makes no endless list. Chosen by hand."""


class _CodexPart(msgspec.Struct):
    type: str = ""
    text: str | None = None


class _CodexGit(msgspec.Struct):
    branch: str | None = None


class _CodexPayload(msgspec.Struct):
    """Fields of an item, an event or the head of a session, whichever a line has."""

    type: str = ""
    role: str | None = None
    content: str | list[_CodexPart] | None = None
    phase: str | None = None
    message: object = None
    id: str | None = None
    cwd: str | None = None
    git: _CodexGit | None = None
    source: object = None
    thread_source: object = None


class _CodexLine(_CodexPayload):
    timestamp: str | float | None = None
    payload: _CodexPayload | None = None
    record_type: str | None = None


class _CodexSession:
    """Session, as far as it is known while it is read."""

    def __init__(self, log: SessionLog) -> None:
        self.log = log
        self.talk = Talk(log, None)
        self.about: dict[str, Any] = metadata(tool="codex")
        self.is_agents = False
        """Whether another agent is whom the agent talks to."""
        self.told_apart = False
        """Whether events tell what the user wrote from what the tool added in the user's name."""
        self.waiting: list[Utterance] = []
        """Messages in the user's name of which no event has said yet whether they are."""

    def head(self, head: _CodexPayload) -> None:
        if self.talk.session is not None:  # copied from the session that this one goes on with
            return
        self.talk.session = label(head.id)
        self.is_agents = isinstance(head.source, dict) or head.thread_source == "subagent"
        self.place(head.cwd, head.git.branch if head.git else None)

    def place(self, cwd: str | None, branch: str | None = None) -> None:
        self.about |= metadata(project=cwd, branch=branch)

    def said(self, text: str, line: _CodexLine, number: int) -> Utterance:
        # A copy, since the folder and the branch may change within a session.
        return Utterance(text, read_moment(line.timestamp), f"line-{number}", dict(self.about))

    def decide(self) -> Iterator[Item]:
        """Yield the user's words, in files in which no event says so."""
        waiting, self.waiting = self.waiting, []
        if not self.told_apart:
            for said in waiting:
                yield from self.talk.user(said)


def read_codex(log: SessionLog) -> Iterator[Item]:
    """
    Yield the user's words in a session of Codex, and the agent's answers.

    Sessions in which agents talk to each other, reasoning, calls of tools and their output, and
    what the tool says in the user's name are no memories.
    """
    records = LogRecords(log, _CodexLine)
    session = _CodexSession(log)
    for number, line in records:
        if isinstance(line, SourceProblem):
            yield line
        elif isinstance(line, _CodexLine):
            yield from _line(records, session, line, number)
    yield from session.decide()
    yield from session.talk.end()
    yield from records.end()


def _line(
    records: LogRecords, session: _CodexSession, line: _CodexLine, number: int
) -> Iterator[Item]:
    payload = line.payload or line
    if line.type == "session_meta" or (not line.type and line.id is not None):
        session.head(payload)
    elif line.type == "turn_context":
        session.place(payload.cwd)
    elif session.is_agents:
        session.log.left_out["what agents said among themselves"] += 1
    elif line.type == "event_msg":
        yield from _event(session, line, payload, number)
    elif line.type in _BOOKS or line.record_type is not None:
        session.log.left_out["the tool's own books"] += 1
    elif line.type == "response_item" or line.payload is None:
        yield from _item(records, session, line, payload, number)
    else:
        records.unknown(line.type)


def _event(
    session: _CodexSession, line: _CodexLine, event: _CodexPayload, number: int
) -> Iterator[Item]:
    if event.type == "user_message" and isinstance(event.message, str):
        session.told_apart = True
        # What waited is this message once more, or what the tool added to it.
        session.waiting.clear()
        yield from session.talk.user(session.said(event.message, line, number))
    else:
        session.log.left_out["events"] += 1


def _item(
    records: LogRecords, session: _CodexSession, line: _CodexLine, item: _CodexPayload, number: int
) -> Iterator[Item]:
    kind = item.type
    if kind == "message" and item.role == "user":
        if len(session.waiting) < _MOST_WAITING:
            session.waiting.append(session.said(_text(item), line, number))
    elif kind == "message" and item.role == "assistant":
        yield from session.decide()
        if item.phase == "commentary":
            session.log.left_out["what the agent said between tools"] += 1
        else:
            session.talk.assistant(session.said(_text(item), line, number))
    elif kind == "reasoning":
        session.log.left_out["thoughts"] += 1
    elif kind.endswith("_call"):
        yield from session.decide()
        session.talk.tool()
    elif kind.endswith("_output"):
        session.log.left_out["output of tools"] += 1
    elif kind == "message" or line.payload is not None:  # of a developer; a checkpoint
        session.log.left_out["notes of the tool"] += 1
    else:
        records.unknown(kind)


def _text(item: _CodexPayload) -> str:
    if isinstance(item.content, str):
        return item.content
    return "\n".join(one.text for one in item.content or () if one.text)


def read_compressed_codex(log: SessionLog) -> Iterator[Item]:
    """Tell the way to bring in a session that Codex has compressed, unless it is there unpacked."""
    if not log.file.with_suffix("").exists():
        reason = "is compressed; 'zstd -d' unpacks it, and the next import reads it"
        yield SourceProblem(path=log.path, reason=reason, skipped=True)


# ---------------------------------------------------------------- what was typed


class _CodexPrompt(msgspec.Struct):
    text: str = ""
    ts: str | float | None = None
    session_id: str | None = None


def read_codex_history(log: SessionLog) -> Iterator[Item]:
    """Yield typed prompts, of sessions as well whose logs are gone; commands are left out."""
    records = LogRecords(log, _CodexPrompt)
    for number, line in records:
        if isinstance(line, SourceProblem):
            yield line
        elif isinstance(line, _CodexPrompt):
            if line.text.startswith(("/", "!")):
                log.left_out["commands"] += 1
                continue
            about: dict[str, Any] = metadata(tool="codex")
            said = Utterance(line.text, read_moment(line.ts), f"line-{number}", about)
            yield from Talk(log, label(line.session_id)).user(said)
    yield from records.end()
