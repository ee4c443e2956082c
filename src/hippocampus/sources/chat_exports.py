"""Read the chats that ChatGPT and Claude export: conversations, each of which is a session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple

from hippocampus.core.records import Turn
from hippocampus.sources.base import Item, Raw, SourceProblem, label, metadata
from hippocampus.sources.messages import ROLES, text_of
from hippocampus.sources.timestamps import read_moment

_SHOWN_ROLES: Final = ("user", "assistant", "tool")
_SHOWN_TYPES: Final = ("text", "multimodal_text", "code", "execution_output")
"""Content of ChatGPT's: not thoughts, not settings."""


class _Export(NamedTuple):
    """The fields by which an export has what every one has."""

    messages: str
    holds: type
    """The type of the messages: a list, or a mapping of nodes."""
    missing: str
    ids: tuple[str, ...]
    title: str
    created: str


_CHATGPT: Final = _Export(
    "mapping", Mapping, "no 'mapping' of messages", ("conversation_id", "id"), "title",
    "create_time",
)  # fmt: skip
_CLAUDE: Final = _Export(
    "chat_messages", list, "no list of 'chat_messages'", ("uuid",), "name", "created_at"
)


class _Chat(NamedTuple):
    session: str
    place: str
    """The address of the conversation, which those of its messages begin with."""
    about: dict[str, Any]
    at: datetime
    fields: Mapping[str, Any]
    messages: Any


def _conversations(raw: Raw, export: _Export) -> Iterator[_Chat | SourceProblem]:
    value = raw.json()
    for number, fields in enumerate(value if isinstance(value, list) else [value], 1):
        place = f"{raw.path}#conversation-{number}"
        messages = fields.get(export.messages) if isinstance(fields, Mapping) else None
        if not isinstance(messages, export.holds):
            yield SourceProblem(path=place, reason=export.missing)
            continue
        # An export lists the newest conversation first: only its id makes a lasting address.
        name = next(filter(None, (label(fields.get(key)) for key in export.ids)), None)
        yield _Chat(
            session=name or place,
            place=f"{raw.path}#{name}" if name else place,
            about=metadata(title=label(fields.get(export.title))),
            at=read_moment(fields.get(export.created)) or raw.modified,
            fields=fields,
            messages=messages,
        )


# ---------------------------------------------------------------- ChatGPT


def read_chatgpt(raw: Raw) -> Iterator[Item]:
    """
    Yield the messages of ChatGPT's conversations; system and hidden ones are left out.

    A conversation is a tree, of which the branch counts that was last looked at.
    """
    for one in _conversations(raw, _CHATGPT):
        if isinstance(one, SourceProblem):
            yield one
            continue
        at = one.at
        messages = filter(_is_shown, _branch(one.messages, one.fields.get("current_node")))
        for position, message in enumerate(messages, 1):
            at = read_moment(message.get("create_time")) or at
            if text := text_of(message.get("content")):
                details = message.get("metadata")
                model = details.get("model_slug") if isinstance(details, Mapping) else None
                yield Turn(
                    text=text,
                    at=at,
                    speaker=label(message["author"].get("name")),
                    role=message["author"]["role"],
                    session=one.session,
                    source=raw.path,
                    address=f"{one.place}.message-{position}",
                    metadata=one.about | metadata(model=label(model)),
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
    return (
        author.get("role") in _SHOWN_ROLES and content.get("content_type", "text") in _SHOWN_TYPES
    )


# ---------------------------------------------------------------- Claude


def read_claude(raw: Raw) -> Iterator[Item]:
    """Yield the messages of Claude's conversations, and the text of attachments after them."""
    for one in _conversations(raw, _CLAUDE):
        if isinstance(one, SourceProblem):
            yield one
            continue
        at = one.at
        for position, message in enumerate(one.messages, 1):
            address = f"{one.place}.message-{position}"
            if not isinstance(message, Mapping):
                yield SourceProblem(path=address, reason="not a message object")
                continue
            at = read_moment(message.get("created_at")) or at
            sender = label(message.get("sender"))
            role = ROLES.get(sender.lower(), sender) if sender else None
            parts = _parts(message)
            names = [name for _, name, _ in parts if name]
            for place, name, text in [("", None, _words(message)), *parts]:
                if text:
                    yield Turn(
                        text=f"{name}:\n{text}" if name else text,
                        at=at,
                        role=role,
                        session=one.session,
                        source=raw.path,
                        address=f"{address}{place}",
                        # A message lists its files; the text of each names itself.
                        metadata=one.about | metadata(file=name, files=None if place else names),
                    )


def _parts(message: Mapping[str, Any]) -> list[tuple[str, str | None, str]]:
    """Return the place, the name and the text of each attachment of a message."""
    given = [file for key in ("attachments", "files") for file in _list(message.get(key))]
    found = [file for file in given if isinstance(file, Mapping)]
    return [
        (f".attachment-{nth}", label(file.get("file_name")), text_of(file.get("extracted_content")))
        for nth, file in enumerate(found, 1)
    ]


def _words(message: Mapping[str, Any]) -> str:
    """Return the text blocks of a message: not its thinking, not its use of tools."""
    blocks = _list(message.get("content"))
    texts = [b for b in blocks if isinstance(b, Mapping) and b.get("type", "text") == "text"]
    return text_of(texts) or text_of(message.get("text"))


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
