"""Read ChatGPT's export: conversations as trees, of which the branch last looked at counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from hippocampus.core.records import Turn
from hippocampus.sources.base import (
    Item,
    Raw,
    SourceProblem,
    decode,
    label,
    load_json,
    metadata,
)
from hippocampus.sources.messages import text_of
from hippocampus.sources.timestamps import read_moment

_ROLES = {"user", "assistant", "tool"}
_WORDS = {"text", "multimodal_text", "code", "execution_output"}  # not thoughts, not settings


def read_chatgpt(raw: Raw) -> Iterator[Item]:
    """Yield the messages of each conversation; system and hidden ones are left out."""
    text, _ = decode(raw)
    value = load_json(text, path=raw.path)
    for number, conversation in enumerate(value if isinstance(value, list) else [value], 1):
        mapping = conversation.get("mapping") if isinstance(conversation, Mapping) else None
        if not isinstance(conversation, Mapping) or not isinstance(mapping, Mapping):
            place = f"{raw.path}#conversation-{number}"
            yield SourceProblem(path=place, reason="no 'mapping' of messages")
            continue
        yield from _conversation(raw, conversation, mapping, number)


def _conversation(
    raw: Raw, conversation: Mapping[str, Any], mapping: Mapping[str, Any], number: int
) -> Iterator[Turn]:
    session = label(conversation.get("conversation_id")) or label(conversation.get("id"))
    # An export lists the newest conversation first: only its id makes a lasting address.
    session = session or f"{raw.path}#conversation-{number}"
    place = session.removeprefix(f"{raw.path}#")
    at: datetime = read_moment(conversation.get("create_time")) or raw.modified
    messages = filter(_is_shown, _branch(mapping, conversation.get("current_node")))
    for position, message in enumerate(messages, 1):
        at = read_moment(message.get("create_time")) or at
        text = text_of(message.get("content"))
        if not text:
            continue
        author, details = message["author"], message.get("metadata")
        model = details.get("model_slug") if isinstance(details, Mapping) else None
        yield Turn(
            text=text,
            at=at,
            speaker=label(author.get("name")),
            role=author["role"],
            session=session,
            source=raw.path,
            address=f"{raw.path}#{place}.message-{position}",
            metadata=metadata(title=label(conversation.get("title")), model=label(model)),
        )


def _branch(mapping: Mapping[str, Any], current: object) -> list[Mapping[str, Any]]:
    """Return the messages from the root to the current node; a circle ends the walk."""
    if not isinstance(current, str) or current not in mapping:
        current = _newest(mapping)
    messages: list[Mapping[str, Any]] = []
    seen: set[str] = set()
    while isinstance(current, str) and current not in seen:
        seen.add(current)
        node = mapping.get(current)
        if not isinstance(node, Mapping):
            break
        message = node.get("message")
        if isinstance(message, Mapping):
            messages.append(message)
        current = node.get("parent")
    return messages[::-1]


def _newest(mapping: Mapping[str, Any]) -> str | None:
    """Return the node whose message was written last."""
    newest: tuple[float, str] | None = None
    for name, node in mapping.items():
        message = node.get("message") if isinstance(node, Mapping) else None
        time = message.get("create_time") if isinstance(message, Mapping) else None
        if isinstance(time, int | float) and (newest is None or (time, name) > newest):
            newest = (time, name)
    return newest[1] if newest else next(reversed(list(mapping)), None)


def _is_shown(message: Mapping[str, Any]) -> bool:
    author, content, details = (message.get(key) for key in ("author", "content", "metadata"))
    if not isinstance(author, Mapping) or not isinstance(content, Mapping):
        return False
    if isinstance(details, Mapping) and details.get("is_visually_hidden_from_conversation"):
        return False
    kind = content.get("content_type", "text")
    return (
        isinstance(author.get("role"), str)
        and author["role"] in _ROLES
        and isinstance(kind, str)
        and kind in _WORDS
    )
