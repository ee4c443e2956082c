"""Read messages as programs write them: lists or lines of role, content and time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, Final

from hippocampus.core.message_parts import is_tool_result
from hippocampus.core.records import Turn
from hippocampus.core.validation import clean
from hippocampus.errors import SourceError
from hippocampus.sources.base import (
    Item,
    Raw,
    SourceProblem,
    decode,
    label,
    load_json,
    metadata,
)
from hippocampus.sources.timestamps import read_moment

TEXT = ("content", "text", "message", "value", "body")
TIME = ("timestamp", "at", "date", "created_at", "time", "create_time", "datetime", "ts", "sent_at")
WHO = ("speaker", "name", "from", "author", "sender", "user", "username", "role")
SESSION = ("session", "session_id", "conversation_id", "conversation", "thread_id", "thread")
LIST = ("messages", "turns", "conversation", "conversations", "dialogue", "history", "items")

ROLES = {
    name: role
    for role, names in (
        ("user", "user human"),
        ("assistant", "assistant ai gpt bot model"),
        ("system", "system developer"),
        ("tool", "tool function"),
    )
    for name in names.split()
}
"""Names of speakers that are roles -> the role."""
_OPENING: Final = tuple("([{\"'“‘«„@#/-")
"""Characters that stand right before a word."""
_CLOSING: Final = tuple(".,;:!?)]}\"'”’»…/")
"""Characters that stand right behind one."""
_BAD_LINES = 100
"""Lines that may be damaged: with more the file is of another kind, and nobody reads a message for
each line of it, nor for more parts that are no messages. Chosen by hand."""
_NO_MESSAGES = (
    "no messages found; expected objects with 'role' or 'speaker', and 'content' or 'text'"
)


def spellings(*names: str) -> Mapping[str, str]:
    """Return names of fields by the letters that they have, for ``as_spelled``."""
    return {_folded(name): name for name in names}


def as_spelled(record: Mapping[str, Any], known: Mapping[str, str]) -> Mapping[str, Any]:
    """Return a record by the known names of its fields, however it spells them (``createdAt``)."""
    names = {name: known.get(_folded(str(name)), name) for name in record}
    return {name if names[name] in record else names[name]: value for name, value in record.items()}


def _folded(name: str) -> str:
    return name.replace("_", "").replace("-", "").casefold()


_FIELDS: Final = spellings(
    *TEXT, *TIME, *WHO, *SESSION, *LIST, "id", "uuid", "title", "subject", "metadata", "tool_calls"
)


def read_messages(raw: Raw) -> Iterator[Item]:
    """
    Yield messages from JSON or JSON lines: a list of them, a wrapper, or a list of conversations.

    A message without a time has the time of the one before it, its conversation or the file;
    without a session, that of its conversation or file.
    """
    if raw.has_lines:
        yield from _of_lines(raw)
        return
    reading = _Reading(raw)
    items = list(reading.messages(raw.json()))
    if not reading.seen:  # another kind of file: one problem, not one for each of its parts
        raise SourceError(_NO_MESSAGES, path=raw.path)
    yield from items
    yield from reading.rest()


def _of_lines(raw: Raw) -> Iterator[Item]:
    reading = _Reading(raw)
    at: datetime | None = None
    for number, line in json_lines(raw):
        if isinstance(line, SourceProblem):
            yield line
        elif isinstance(line, Mapping | list):
            found = list(reading.messages(line, at=at))
            yield from found
            at = _last_time(found) or at
        else:
            yield from reading.bad(f"{raw.path}#line-{number}", "not a message object")
    if reading.seen == 0 < reading.untold:
        raise SourceError(_NO_MESSAGES, path=raw.path)
    yield from reading.rest()


def json_lines(raw: Raw) -> Iterator[tuple[int, Any]]:
    """
    Yield (line number from 1, value) of JSON lines; a bad line's value is a ``SourceProblem``.

    Raises:
        SourceError: more than a hundred lines are bad: it is another kind of file.
    """
    text, _ = decode(raw)
    bad = 0
    # Not splitlines(), which also breaks at characters that JSON may have in a text.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield number, load_json(line, path=raw.path)
        except SourceError as exc:
            bad += 1
            if bad > _BAD_LINES:
                msg = f"more than {_BAD_LINES} lines are not JSON; the rest was not read"
                raise SourceError(msg, path=raw.path) from exc
            reason = str(exc).removeprefix(f"{raw.path}: ")
            yield number, SourceProblem(path=f"{raw.path}#line-{number}", reason=reason)


def text_of(content: object) -> str:
    """Return the words of a message's content: text, a list of parts, or an object around them."""
    if isinstance(content, str):
        return clean(content).strip()
    if isinstance(content, Mapping):
        inner = content.get("parts", content.get("text", content.get("content")))
        return text_of(inner) if isinstance(inner, str | list | Mapping) else ""
    if not isinstance(content, list):
        return ""
    if any(isinstance(part, str) for part in content) and any(map(_is_run, content)):
        return _in_line(content)
    return "\n".join(filter(None, map(text_of, content)))


def _is_run(part: object) -> bool:
    """Return whether a part may be some words of a sentence: a link, a name, what is in bold."""
    return isinstance(part, Mapping) and isinstance(part.get("text"), str)


def _in_line(parts: Sequence[object]) -> str:
    """Return the words of a list of which parts may be within one sentence."""
    whole = ""
    for part in parts:
        inner = part["text"] if isinstance(part, Mapping) and _is_run(part) else part
        text = clean(inner) if isinstance(inner, str) else text_of(inner)
        begins, ends = text[:1], whole[-1:]
        apart = not (begins.isspace() or ends.isspace() or begins in _CLOSING or ends in _OPENING)
        whole += f"\n{text}" if begins and ends and apart else text
    return whole.strip()


def first(record: Mapping[str, Any], names: Iterable[str]) -> Any:  # noqa: ANN401 (JSON is any)
    """Return the first of these fields that is there and not null."""
    return next((record[name] for name in names if record.get(name) is not None), None)


class _Reading:
    """One file being read: the state that later messages take from earlier ones."""

    def __init__(self, raw: Raw) -> None:
        self.raw = raw
        self.seen = 0
        self.told = self.untold = 0
        """Parts that are no messages: those that a problem of their own tells of, and more."""
        self.conversations = 0
        self.counts: dict[str, int] = {}

    def messages(
        self,
        value: object,
        *,
        session: str | None = None,
        at: datetime | None = None,
        about: Mapping[str, Any] | None = None,
    ) -> Iterator[Item]:
        """Yield the turns of a message, a conversation, or a list of either."""
        if isinstance(value, list):
            if value and all(isinstance(item, list) for item in value):
                value = [{"messages": item} for item in value]  # each its own conversation
            for item in value:
                found = list(self.messages(item, session=session, at=at, about=about))
                yield from found
                at = _last_time(found) or at
            return
        if not isinstance(value, Mapping):
            yield from self._bad(session, f"a {type(value).__name__} is not a message object")
            return
        value = as_spelled(value, _FIELDS)
        if inner := next((value[n] for n in LIST if _is_talk(value, n)), None):
            self.conversations += 1
            # The list itself may be called as its session would be.
            names = (label(value.get(n)) for n in (*SESSION, "id", "uuid"))
            name = next(filter(None, names), None)
            if name is None:
                # A lone wrapper is the file itself; further ones need names of their own.
                nth = self.conversations
                name = session or (f"{self.raw.path}#conversation-{nth}" if nth > 1 else None)
            title = label(first(value, ("title", "name", "subject")))
            yield from self.messages(
                inner,
                session=name,
                at=read_moment(first(value, TIME)) or at,
                about=metadata(title=title),
            )
        else:
            yield from self._message(value, session, at, about or {})

    def _message(
        self,
        record: Mapping[str, Any],
        session: str | None,
        at: datetime | None,
        about: Mapping[str, Any],
    ) -> Iterator[Item]:
        content = first(record, TEXT)
        if content is None and not ({*TEXT, "tool_calls"} & record.keys()):
            yield from self._bad(session, f"no text: expected one of {', '.join(TEXT[:3])}")
            return
        said = _apart(content)
        session = label(first(record, SESSION)) or session or self.raw.path
        number = self._number(session)
        # Before it is known whether it has text: numbers are those of all messages.
        self.seen += 1
        if not said:  # a call of a tool, a picture
            return
        speaker, role = _who(record)
        if isinstance(content, Mapping) and speaker is None and role is None:
            speaker, role = _who(content)
        used = {*TEXT, *TIME, *WHO, *SESSION, "metadata"}
        extra = {k: v for k, v in record.items() if k not in used and _is_small(v)}
        inner = record.get("metadata")
        extra |= inner if isinstance(inner, Mapping) else {}
        place = "" if session == self.raw.path else session.removeprefix(f"{self.raw.path}#") + "."
        for nth, (text, of_tool) in enumerate(said, 1):
            part = f".part-{nth}" if nth > 1 else ""
            yield Turn(
                text=text,
                at=read_moment(first(record, TIME)) or at or self.raw.modified,
                speaker=None if of_tool else speaker,
                role="tool" if of_tool else role,
                session=session,
                source=self.raw.path,
                address=f"{self.raw.path}#{place}message-{number}{part}",
                metadata=dict(about) | metadata(**{str(key): extra[key] for key in extra}),
            )

    def _number(self, session: str) -> int:
        self.counts[session] = self.counts.get(session, 0) + 1
        return self.counts[session]

    def _bad(self, session: str | None, reason: str) -> Iterator[SourceProblem]:
        number = self._number(session or self.raw.path)
        yield from self.bad(f"{self.raw.path}#message-{number}", reason)

    def bad(self, path: str, reason: str) -> Iterator[SourceProblem]:
        """Yield the problem with a part that is no message, unless too many were told of."""
        if self.told < _BAD_LINES:
            self.told += 1
            yield SourceProblem(path=path, reason=reason)
        else:
            self.untold += 1

    def rest(self) -> Iterator[SourceProblem]:
        """Yield the number of further parts that are no messages."""
        if self.untold:
            yield SourceProblem(path=self.raw.path, reason=f"{self.untold:,} more are no messages")


def _last_time(items: Sequence[Item]) -> datetime | None:
    """Return the time of the last turn among items."""
    last = next((turn.at for turn in reversed(items) if isinstance(turn, Turn)), None)
    return last if isinstance(last, datetime) else None


def _is_talk(value: Mapping[str, Any], name: str) -> bool:
    """Return whether a field is a list of messages, and no detail of what is a message itself."""
    items = value.get(name)
    if not isinstance(items, list):
        return False
    said = first(value, TEXT)
    return not isinstance(said, str | list) or any(
        isinstance(item, list) or (isinstance(item, Mapping) and first(item, TEXT) is not None)
        for item in items
    )


def _apart(content: object) -> list[tuple[str, bool]]:
    """Return the words of a content in order, those of tools apart; True where they are so."""
    parts = content if isinstance(content, list) else [content]
    runs = groupby(parts, key=is_tool_result)
    read = ((text_of(list(some)), of_tool) for of_tool, some in runs)
    return [(text, of_tool) for text, of_tool in read if text]


def _who(record: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Return (speaker, role); a name that is only a role's is not a speaker."""
    speaker: str | None = None
    role: str | None = None
    for name in WHO:
        value = record.get(name)
        if isinstance(value, Mapping):
            value = first(value, ("name", "role", "username", "id"))
        said = label(value)
        if said is None:
            continue
        if said.lower() in ROLES:
            role = role or ROLES[said.lower()]
        elif name == "role":
            role = role or said
        else:
            speaker = speaker or said
    return speaker, role


def _is_small(value: object) -> bool:
    """Return whether a field can be metadata: something to filter by, not something to read."""
    if isinstance(value, list):
        # Metadata are kept with every part of a long turn (``write/check.py``). Chosen by hand.
        return len(value) <= 50 and all(_is_small(item) for item in value)
    return isinstance(value, bool | int | float) or (isinstance(value, str) and len(value) <= 500)
