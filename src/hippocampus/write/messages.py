"""Chat messages as programs have them, and turns as JSON has them, made into turns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any, Final

from hippocampus.core.argument_names import refuse_unknown
from hippocampus.core.records import Message, Turn
from hippocampus.core.validation import dump_metadata
from hippocampus.errors import InputError

_OURS: Final = tuple(one.name for one in fields(Turn))
"""The fields of a turn, which a mapping may have by their names."""
_OF_PROTOCOL: Final = (
    "role", "content", "name", "refusal", "tool_calls", "function_call", "tool_call_id", "audio",
    "annotations", "reasoning_content", "id", "type", "status",
)  # fmt: skip
"""The fields of a message in the protocols of chats."""
_CALL_TYPES: Final = ("tool_use", "function_call", "custom_tool_call")
_RESULT_TYPES: Final = ("tool_result", "function_call_output", "custom_tool_call_output")
_SHORT: Final = 100
"""Characters of a value that a message shows."""


def turn_of(given: Turn | Message, **said: Any) -> Turn:  # noqa: ANN401 - fields of a turn
    """
    Return the turn that a turn, or a mapping, means.

    A mapping with ``text`` has the fields of a ``Turn``; one with ``content`` or ``tool_calls`` is
    a chat message. Its words are those of its content, of its parts that have any, or of what it
    refuses, and a line for each call of a tool: ``name(arguments)``.

    Args:
        given: which.
        **said: fields of the turn that are known otherwise; None where they are not. They win.

    Raises:
        InputError: it is neither, has fields that neither has, or says nothing.

    """
    if isinstance(given, Turn):
        turn = given
    elif not isinstance(given, Mapping):
        msg = (
            f"{given!r:.{_SHORT}} is neither a Turn nor a message; give Turn(text=…), or"
            ' {"role": "user", "content": …}'
        )
        raise InputError(msg)
    elif "text" in given:
        refuse_unknown("a turn", given, _OURS, what="field")
        turn = Turn(**given)
    else:
        turn = _turn_of_message(given)
    known = {name: value for name, value in said.items() if value is not None}
    return replace(turn, **known) if known else turn


def _turn_of_message(message: Message) -> Turn:
    if not {"content", "tool_calls", "function_call", "refusal"} & message.keys():
        has = ", ".join(map(str, message)) or "nothing"
        msg = (
            f"a message without content (it has {has}); give"
            ' {"role": "user", "content": "what was said"}'
        )
        raise InputError(msg)
    own = [name for name in _OURS if name not in ("text", "role")]
    refuse_unknown("a message", message, [*_OF_PROTOCOL, *own], what="field")
    role = message.get("role")
    if not isinstance(role, str) or not role.strip():
        msg = f"role={role!r}: a message has one, such as 'user', 'assistant' or 'tool'"
        raise InputError(msg)
    words = "\n".join(filter(str.strip, _words_of_message(message)))
    if not words:
        msg = (
            f"a message of the role {role!r} has no words ({_what_it_has(message)}); leave out"
            " what has none, such as pictures alone"
        )
        raise InputError(msg)
    said = {name: message[name] for name in own if message.get(name) is not None}
    name, call = message.get("name"), message.get("tool_call_id")
    if name is not None:
        said.setdefault("speaker", name)
    if call is not None:
        dump_metadata(said.get("metadata", {}))  # refuses what is no mapping
        said["metadata"] = {"tool_call_id": call, **said.get("metadata", {})}
    return Turn(text=words, role=role, **said)


def _words_of_message(message: Message) -> Iterator[str]:
    yield from _words(message.get("content"))
    yield from _words(message.get("refusal"))
    audio = message.get("audio")
    if isinstance(audio, Mapping):
        yield from _words(audio.get("transcript"))
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list | tuple) else ():
        yield from _call(call)
    if message.get("function_call") is not None:
        yield from _call(message["function_call"])


def _words(content: object) -> Iterator[str]:
    """Yield the words of a content, a part of one, or a list of them; pictures have none."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list | tuple):
        for part in content:
            yield from _words(part)
    elif isinstance(content, Mapping):
        kind = content.get("type")
        if kind in _CALL_TYPES:
            yield from _call(content)
        elif kind in _RESULT_TYPES:
            yield from _words(content.get("content", content.get("output")))
        else:
            yield from _words(content.get("text", content.get("refusal")))
    elif content is not None:
        kind = type(content).__name__
        msg = f"content={content!r:.{_SHORT}}: must be text or a list of parts, not a {kind}"
        raise InputError(msg)


def _call(call: object) -> Iterator[str]:
    """Yield a call of a tool as a line."""
    if not isinstance(call, Mapping):
        msg = f'tool_calls: {call!r:.{_SHORT}} is no call; give {{"function": {{"name": …}}}}'
        raise InputError(msg)
    made = call.get("function") or call.get("custom") or call
    name = made.get("name") if isinstance(made, Mapping) else None
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"tool_calls: {call!r:.{_SHORT}} calls nothing; its function has a name")
    given = made.get("arguments", made.get("input", ""))
    told = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, default=str)
    yield f"{name}({told})"


def _what_it_has(message: Message) -> str:
    """Return the description of a message without words."""
    content = message.get("content")
    parts = content if isinstance(content, list | tuple) else ()
    kinds = sorted({str(p.get("type")) for p in parts if isinstance(p, Mapping)})
    return f"parts of type {', '.join(kinds)}" if kinds else f"content={content!r:.{_SHORT}}"
