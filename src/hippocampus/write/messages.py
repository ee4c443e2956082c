"""Chat messages as programs have them, and turns as JSON has them, made into turns."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from itertools import groupby
from typing import Any, Final, NamedTuple

from hippocampus.core.argument_names import refuse_unknown
from hippocampus.core.message_parts import is_tool_call, is_tool_result
from hippocampus.core.origin import OWN
from hippocampus.core.records import Message, Turn
from hippocampus.core.validation import dump_metadata
from hippocampus.errors import InputError

_OURS: Final = tuple(one.name for one in fields(Turn))
"""The fields of a turn, which a mapping may have by their names."""
_BESIDES: Final = tuple(name for name in _OURS if name not in ("text", "role"))
"""Those that a message may have as well."""
_OF_PROTOCOL: Final = (
    "role", "content", "name", "refusal", "tool_calls", "function_call", "tool_call_id", "audio",
    "annotations", "reasoning_content", "id", "type", "status",
)  # fmt: skip
"""The fields of a message in the protocols of chats."""
_OF_ITEM: Final = (
    "type", "id", "status", "call_id", "name", "arguments", "input", "output", "namespace",
)  # fmt: skip
"""The fields of a call of a tool, or of its result, that is an item beside messages."""
_SHORT: Final = 100
"""Characters of a value that a message shows. Chosen by hand."""


class _Piece(NamedTuple):
    """Words of a message, of whoever sends it or of a tool."""

    words: str
    of_tool: bool = False
    call: str | None = None
    """The id of the call that a tool answers."""


def turns_of(given: Turn | Message, **said: Any) -> list[Turn]:  # noqa: ANN401 - fields of a turn
    """
    Return the turns that a turn, or a mapping, means: one, and one for each result of a tool.

    A mapping with ``text`` has the fields of a ``Turn``; one with ``content`` or ``tool_calls`` is
    a chat message. Its words are those of its content, of its parts that have any, or of what it
    refuses, and a line for each call of a tool: ``name(arguments)``. What a tool gave back is a
    turn of the role ``tool``, whoever sends the message, and what is said before and after it are
    turns of their own. A call or a result may also be an item beside messages.

    Args:
        given: which.
        **said: fields of the turn that are known otherwise; None where they are not. They win, but
            for who says what a tool gave back.

    Raises:
        InputError: it is neither, or has fields that neither has.

    Of a message without words there are none: pictures alone, an empty content, an item of a
    response that neither calls a tool nor is its result.
    """
    known = {name: value for name, value in said.items() if value is not None}
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
        return _turns_of_message(given, known)
    return [replace(turn, **known) if known else turn]


def turns_of_all(given: Iterable[Turn | Message], **said: Any) -> list[Turn]:  # noqa: ANN401
    """Return the turns that several mean; see ``turns_of`` and ``pass_over``."""
    turns, wordless = list[Turn](), dict[int, Message]()
    for place, one in enumerate(given):
        found = turns_of(one, **said)
        turns += found
        if not found and isinstance(one, Mapping):
            wordless[place] = one
    pass_over(wordless, some=bool(turns))
    return turns


def pass_over(wordless: Mapping[int, Message], *, some: bool) -> None:
    """
    Warn of messages without words, by their places, where others are kept (``some``).

    Raises:
        InputError: there are no others.

    """
    for place, message in wordless.items():
        who = f"a message of the role {message['role']!r}" if "role" in message else "an item"
        msg = f"{who} has no words ({_what_it_has(message)})"
        if not some:
            raise InputError(f"{msg}; leave out what has none, such as pictures alone")
        warnings.warn(f"turn {place} was passed over: {msg}", RuntimeWarning, stacklevel=3)


def _turns_of_message(message: Message, known: dict[str, Any]) -> list[Turn]:
    pieces, role, said = _read_item(message) or _read_message(message)
    turns = []
    for (of_tool, call), some in groupby(pieces, key=lambda piece: (piece.of_tool, piece.call)):
        words = "\n".join(piece.words for piece in some if piece.words.strip())
        if words:
            fields_of_it = {"role": role} | said | known
            turns.append(
                _of_tool(words, call, fields_of_it) if of_tool else Turn(text=words, **fields_of_it)
            )
    return turns


def _of_tool(words: str, call: str | None, said: dict[str, Any]) -> Turn:
    """Return the turn of what a tool gave back: nobody who sends it on has said it."""
    own = {name: value for name, value in said.items() if name not in ("role", "speaker")}
    if own.get("origin") in OWN:
        del own["origin"]
    return Turn(text=words, role="tool", **_with_call(own, call))


def _with_call(said: dict[str, Any], call: object) -> dict[str, Any]:
    """Return fields of a turn, the call that it answers among its metadata."""
    if call is None:
        return said
    dump_metadata(said.get("metadata", {}))  # refuses what is no mapping
    return said | {"metadata": {"tool_call_id": call, **said.get("metadata", {})}}


def _read_item(item: Message) -> tuple[list[_Piece], str, dict[str, Any]] | None:
    """Return the pieces, role and fields of a call or a result beside messages; None of others."""
    kind = item.get("type")
    if not (is_tool_call(item) or is_tool_result(item)):
        # Thoughts, searches and the like.
        return (
            ([], "assistant", {})
            if kind not in (None, "message") and "role" not in item and not _has_words(item)
            else None
        )
    if "content" in item:
        return None
    refuse_unknown("an item", item, [*_OF_ITEM, "role", *_BESIDES], what="field")
    return list(_pieces(item)), "assistant", _besides(item)


def _has_words(item: Message) -> bool:
    """Return whether an item of an unknown kind says something, so that it is not passed over."""
    return any(item.get(name) for name in ("content", "text", "output"))


def _read_message(message: Message) -> tuple[list[_Piece], str, dict[str, Any]]:
    """Return the pieces, the role and further fields of a message."""
    if not {"content", "tool_calls", "function_call", "refusal"} & message.keys():
        has = ", ".join(map(str, message)) or "nothing"
        msg = (
            f"a message without content (it has {has}); give"
            ' {"role": "user", "content": "what was said"}'
        )
        raise InputError(msg)
    refuse_unknown("a message", message, [*_OF_PROTOCOL, *_BESIDES], what="field")
    role = message.get("role")
    if not isinstance(role, str) or not role.strip():
        msg = f"role={role!r}: a message has one, such as 'user', 'assistant' or 'tool'"
        raise InputError(msg)
    pieces = list(_pieces_of_message(message))
    said = _besides(message)
    if message.get("name") is not None:
        said.setdefault("speaker", message["name"])
    return pieces, role, _with_call(said, message.get("tool_call_id"))


def _besides(message: Message) -> dict[str, Any]:
    return {name: message[name] for name in _BESIDES if message.get(name) is not None}


def _pieces_of_message(message: Message) -> Iterator[_Piece]:
    yield from _pieces(message.get("content"))
    yield from _pieces(message.get("refusal"))
    audio = message.get("audio")
    if isinstance(audio, Mapping):
        yield from _pieces(audio.get("transcript"))
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list | tuple) else ():
        yield _call(call)
    if message.get("function_call") is not None:
        yield _call(message["function_call"])


def _pieces(content: object) -> Iterator[_Piece]:
    """Yield the words of a content, a part of one, or a list of them; pictures have none."""
    if isinstance(content, str):
        yield _Piece(content)
    elif isinstance(content, list | tuple):
        for part in content:
            yield from _pieces(part)
    elif isinstance(content, Mapping):
        if is_tool_call(content):
            yield _call(content)
        elif is_tool_result(content):
            words = _pieces(content.get("content", content.get("output")))
            call = content.get("tool_use_id", content.get("call_id"))
            yield from (_Piece(piece.words, of_tool=True, call=call) for piece in words)
        else:
            yield from _pieces(content.get("text", content.get("refusal")))
    elif content is not None:
        kind = type(content).__name__
        msg = f"content={content!r:.{_SHORT}}: must be text or a list of parts, not a {kind}"
        raise InputError(msg)


def _call(call: object) -> _Piece:
    """Return a call of a tool as a line."""
    if not isinstance(call, Mapping):
        msg = f'tool_calls: {call!r:.{_SHORT}} is no call; give {{"function": {{"name": …}}}}'
        raise InputError(msg)
    made = call.get("function") or call.get("custom") or call
    name = made.get("name") if isinstance(made, Mapping) else None
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"tool_calls: {call!r:.{_SHORT}} calls nothing; its function has a name")
    given = made.get("arguments", made.get("input", ""))
    told = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, default=str)
    return _Piece(f"{name}({told})")


def _what_it_has(message: Message) -> str:
    """Return the description of a message without words."""
    if "role" not in message:
        return f"type {message.get('type')}"
    content = message.get("content")
    parts = content if isinstance(content, list | tuple) else ()
    kinds = sorted({str(p.get("type")) for p in parts if isinstance(p, Mapping)})
    return f"parts of type {', '.join(kinds)}" if kinds else f"content={content!r:.{_SHORT}}"
