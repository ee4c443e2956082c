"""Read Claude's export: conversations as lists of messages with blocks and attachments."""

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
from hippocampus.sources.messages import ROLES, text_of
from hippocampus.sources.timestamps import read_moment


def read_claude(raw: Raw) -> Iterator[Item]:
    """Yield the messages of each conversation, and the text of attachments as turns after them."""
    text, _ = decode(raw)
    value = load_json(text, path=raw.path)
    for number, conversation in enumerate(value if isinstance(value, list) else [value], 1):
        place = f"{raw.path}#conversation-{number}"
        messages = conversation.get("chat_messages") if isinstance(conversation, Mapping) else None
        if not isinstance(conversation, Mapping) or not isinstance(messages, list):
            yield SourceProblem(path=place, reason="no list of 'chat_messages'")
            continue
        yield from _conversation(raw, conversation, messages, place)


def _conversation(
    raw: Raw, conversation: Mapping[str, Any], messages: list[Any], place: str
) -> Iterator[Item]:
    session = label(conversation.get("uuid"))
    place = f"{raw.path}#{session}" if session else place
    about = metadata(title=label(conversation.get("name")))
    at: datetime = read_moment(conversation.get("created_at")) or raw.modified
    for position, message in enumerate(messages, 1):
        address = f"{place}.message-{position}"
        if not isinstance(message, Mapping):
            yield SourceProblem(path=address, reason="not a message object")
            continue
        at = read_moment(message.get("created_at")) or at
        sender = label(message.get("sender"))
        files = [f for key in ("attachments", "files") for f in _list(message.get(key))]
        named = [(label(f.get("file_name")), f) for f in files if isinstance(f, Mapping)]
        turn = Turn(
            text=_words(message),
            at=at,
            role=ROLES.get(sender.lower(), sender) if sender else None,
            session=session or place,
            source=raw.path,
            address=address,
            metadata=about | metadata(files=[name for name, _ in named if name]),
        )
        if turn.text:
            yield turn
        for nth, (name, file) in enumerate(named, 1):
            extracted = text_of(file.get("extracted_content"))
            if extracted:
                yield Turn(
                    text=f"{name}:\n{extracted}" if name else extracted,
                    at=at,
                    role=turn.role,
                    session=turn.session,
                    source=raw.path,
                    address=f"{address}.attachment-{nth}",
                    metadata=about | metadata(file=name),
                )


def _words(message: Mapping[str, Any]) -> str:
    """Return the text blocks of a message: not its thinking, not its use of tools."""
    blocks = _list(message.get("content"))
    texts = [b for b in blocks if isinstance(b, Mapping) and b.get("type", "text") == "text"]
    return text_of(texts) or text_of(message.get("text"))


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
