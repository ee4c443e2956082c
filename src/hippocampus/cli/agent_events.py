"""
Events of coding agents' hooks: where they have what was said, and how to answer them.

Each agent has events of its own, and fields; what is to be done about them is the same. A line of a
table is all that another agent needs, or a new name of a field.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

Act: TypeAlias = Literal["begin", "prompt", "reply", "failed", "compact", "end"]
"""Kinds of events: a session begins, the user says something, the agent does, a tool failed, the
window is about to be compacted, the session ends."""
Form: TypeAlias = Literal["text", "context", "additional_context", "continue"]
"""Form in which an agent reads an answer: as it is; as ``hookSpecificOutput`` in JSON; as a field
of JSON; or not at all, only that it may go on."""


class EventKind(NamedTuple):
    """An event of some agent."""

    act: Act
    said: tuple[str, ...] = ()
    """Fields that may hold the words; the first that is there counts; "a.b" lies inside "a"."""
    form: Form = "text"
    output: str = ""
    """Field that holds, without those, the output of a command, with its exit code."""


EVENTS: Final[Mapping[str, EventKind]] = {
    # Claude Code, Codex; opencode by our plug-in, which speaks as they do
    "SessionStart": EventKind("begin"),
    "UserPromptSubmit": EventKind("prompt", ("prompt", "user_prompt")),
    "Stop": EventKind("reply", ("last_assistant_message",)),
    "PostToolUseFailure": EventKind("failed", ("error",)),
    "PreCompact": EventKind("compact"),
    "SessionEnd": EventKind("end"),
    # Gemini CLI; its SessionStart and SessionEnd are those above
    "BeforeAgent": EventKind("prompt", ("prompt",), "context"),
    "AfterAgent": EventKind("reply", ("prompt_response",)),
    "AfterTool": EventKind(
        "failed", ("tool_response.error.message", "tool_response.error"),
        output="tool_response.llmContent",
    ),
    "PreCompress": EventKind("compact"),
    # Cursor
    "sessionStart": EventKind("begin", form="additional_context"),
    "beforeSubmitPrompt": EventKind("prompt", ("prompt",), "continue"),
    "afterAgentResponse": EventKind("reply", ("text",)),
    "postToolUseFailure": EventKind("failed", ("error_message", "error", "message")),
    "preCompact": EventKind("compact"),
    "sessionEnd": EventKind("end"),
}  # fmt: skip
"""Events by their names, which no two agents use for what differs."""
_SESSIONS: Final = ("session_id", "conversation_id", "sessionID")
_LONGEST_SESSION: Final = 200
"""Characters of a session's name; none that is known has more than 40."""
_BESIDES: Final = frozenset({"is_background_agent", "agent_id"})
"""Fields that say, where they are not empty, that nobody sits before it: another agent gave the
prompt, and reads the answer."""
_ENDED: Final = re.compile(
    r"\nExit Code: (-?[0-9]{1,10})"
    r"(?:\n(?:Signal|Background PIDs|Process Group PGID): [^\n]*+){0,3}\s*+\Z"
)
"""Lines of Gemini CLI after the output of a command: its code, and its processes."""
_DRIVE: Final = re.compile(r"/[A-Za-z]:(?:[/\\]|\Z)")
"""Begins a folder of Windows that is written as in an address, which Cursor does."""
_WIPED: Final = frozenset({"clear", "compact"})
"""Beginnings of a session whose window no longer has its earlier contents."""


class HookEvent(NamedTuple):
    """Event that an agent told a hook."""

    name: str
    kind: EventKind | None
    """None for an event that is of no interest here, as those of a later version."""
    said: str = ""
    session: str = ""
    folder: str = ""
    source: str = ""
    """Beginning of a session: "startup", "resume", "clear", "compact"."""
    tool: str = ""
    lacks: str = ""
    """The fields of which it should have had one; "" if it has, or may have none."""

    @property
    def is_fresh(self) -> bool:
        """Return whether a session begins without what was said before in it."""
        return self.source in _WIPED


def read_event(payload: Mapping[str, Any], agent: str = "") -> HookEvent:
    """Return the event that a hook reads; ``agent`` names its sender, where its name does not."""
    name = _text(payload, "hook_event_name") or _text(payload, "hookEventName")
    kind = EVENTS.get(name)
    if kind is None or any(payload.get(field) for field in _BESIDES):
        return HookEvent(name, None)
    if kind.act == "begin" and agent == "gemini":
        kind = kind._replace(form="context")
    if payload.get("is_interrupt"):  # the user stopped the tool: nothing went wrong
        return HookEvent(name, None)
    said = next(filter(None, (_text(payload, field) for field in kind.said)), "")
    if kind.output and not said:
        said = _failed_output(_text(payload, kind.output))
    absent = kind.act == "prompt" and not any(field in payload for field in kind.said)
    return HookEvent(
        name, kind, said,
        session=_named(next(filter(None, (_text(payload, field) for field in _SESSIONS)), ""))[
            :_LONGEST_SESSION
        ],
        folder=_named(_text(payload, "cwd") or _first_root(payload)),
        source=_text(payload, "source"),
        tool=_text(payload, "tool_name"),
        lacks=" or ".join(kind.said) if absent else "",
    )  # fmt: skip


def shown_as(form: Form, name: str, text: str) -> str:
    """Return a text as an agent takes it from a hook of an event; "" where there is none."""
    if form == "continue":
        return json.dumps({"continue": True})
    if not text or form == "text":
        return text
    if form == "additional_context":
        return json.dumps({"additional_context": text})
    return json.dumps({"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}})


def _text(payload: Mapping[str, Any], field: str) -> str:
    """Return the text at a field; "" where there is none, or something else."""
    value: object = payload
    for part in field.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value if isinstance(value, str) and value.strip() else ""


def _named(name: str) -> str:
    """Return a name without what no system has in one."""
    return name.replace("\0", "").encode(errors="replace").decode()


def _first_root(payload: Mapping[str, Any]) -> str:
    roots = payload.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots else ""
    if not isinstance(first, str):
        return ""
    return first[1:] if _DRIVE.match(first) else first


def _failed_output(told: str) -> str:
    """Return the output of a command that failed; "" of one that did not."""
    ended = _ENDED.search(told)
    if ended is None or not int(ended[1]):
        return ""
    return told[: ended.start()].removeprefix("Output: ").strip()
