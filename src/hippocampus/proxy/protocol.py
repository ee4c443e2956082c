"""Requests and answers of the OpenAI protocol, and the place of memories in a request."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final, Literal, NamedTuple, Self, TypeAlias

from hippocampus.core.lazy_dataclass import immutable

RequestKind: TypeAlias = Literal["chat", "responses"]

PATHS: Final[dict[str, RequestKind]] = {"/chat/completions": "chat", "/responses": "responses"}
"""Ends of the paths that memory is for; every other path is passed on and no more."""

MOST_UNPACKED: Final = 16 << 20
"""Bytes of a packed answer that are read, as many as of one that is not (``MOST_ANSWERED``): a few
packed ones may come to any number."""

_GZIP = zlib.MAX_WBITS | 16  # zlib's way to say: with a gzip header and trailer, and no other
_DECODER = json.JSONDecoder()
_BLANK = re.compile(r"[ \t\n\r]*")
_THOUGHT = re.compile(r"\s*<think>.*?(?:</think>\s*|\Z)", re.DOTALL)
# Looked through and not hashed, for what stands in their place may be anything.
_TEXTS = ("text", "input_text", "output_text")
_ENDS = ("response.completed", "response.incomplete", "response.failed")


class ChatMessage(NamedTuple):
    """One thing that was said: by whom, in which words."""

    role: str
    text: str
    name: str | None = None


@immutable
class ChatRequest:
    """
    One request, as far as a memory cares.

    The body is kept as the client wrote it: memory is put between two of its characters, so that
    every other byte, known to us or not, arrives as it was sent.
    """

    said: tuple[ChatMessage, ...]
    """Messages of the user and the model so far, in order; steps of tools left out."""
    fresh: int
    """First place in ``said`` that is not answered for good yet."""
    query: str
    """Last message of the user; empty if there is none."""
    called: tuple[str, ...]
    """The tools that the model has called since."""
    user: str | None
    """As it was given: two that are no names must not become the same one. What is no text is
    nobody's name, ""; None where nobody is named."""
    model: str | None
    session: str | None
    """The conversation, where the protocol names one."""
    body: str
    place: tuple[int, int]
    """Bounds of the user's last message in ``body``."""
    whole: bool
    """Whether that message is all there is, as a bare text."""
    role: str
    """Role that instructs the model, in this client's words."""

    @classmethod
    def read(cls, kind: RequestKind, raw: bytes) -> Self | None:
        """Read a request's body; None if it is not one of the protocol, which upstream will say."""
        try:
            body = raw.decode()
            # All of it first: the scan for places takes for granted that it is JSON.
            asked = json.loads(body)
            fields = {k: (v, a, b) for k, v, a, b in _members(body, _skip(body, 0))}
            given, start, end = fields["messages" if kind == "chat" else "input"]
        except (ValueError, RecursionError, LookupError):
            return None
        whole = kind == "responses" and isinstance(given, str)
        if whole:
            items = [({"role": "user", "content": given}, start, end)]
        elif isinstance(given, list):
            items = [(item, a, b) for _, item, a, b in _members(body, start)]
        else:
            return None
        said, fresh, called, place = _listen(items)
        before = asked.get("previous_response_id")
        if isinstance(before, str):  # the server has the rest of the conversation
            said, fresh = [ChatMessage("response", _clean(before)), *said], fresh + 1
        query = next((one.text for one in reversed(said) if one.role == "user"), "")
        roles = [item.get("role") for item, _, _ in items if isinstance(item, dict)]
        return cls(
            said=tuple(said), fresh=fresh, query=query, called=tuple(called),
            user=_user(asked.get("user")), model=_name(asked.get("model")),
            session=_conversation(asked.get("conversation")), body=body, place=place, whole=whole,
            role="developer" if "developer" in roles else "system",
        )  # fmt: skip

    def remembering(self, memory: str) -> bytes:
        """Return the body with what is remembered as a message before the user's last one."""
        start, end = self.place
        told = json.dumps({"role": self.role, "content": memory})
        said = self.body[start:end]
        if self.whole:
            said = f'[{told}, {{"role": "user", "content": {said}}}]'
        else:
            said = f"{told}, {said}"
        return (self.body[:start] + said + self.body[end:]).encode()


@immutable(kw_only=False)
class ChatAnswer:
    """A model's answer, as far as it came."""

    text: str = ""
    called: tuple[str, ...] = ()
    complete: bool = False
    id: str | None = None

    @classmethod
    def read(cls, kind: RequestKind, raw: bytes) -> Self:
        """Read an answer's body: whole, or a stream of events whose end may be missing."""
        events, ended = _events(raw)
        text, called, complete, id_ = (_chat if kind == "chat" else _response)(events, ended=ended)
        return cls(heard(text), tuple(called), complete, id_)


def heard(text: str) -> str:
    """Return a model's answer, without its thoughts before it, even where they have no end."""
    text = _clean(text)
    thought = _THOUGHT.match(text)
    return text[thought.end() :] if thought else text


def _clean(text: str) -> str:
    """Return a text with each character one that exists; halves may have come in two events."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


# ---------------------------------------------------------------- requests


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    assert found is not None
    return found.end()


def _members(text: str, at: int) -> Iterator[tuple[str, Any, int, int]]:
    """Yield key, value, start and end of what is in the object or array that begins there."""
    keyed = text[at] == "{"
    at = _skip(text, at + 1)
    while text[at] not in "}]":
        key = ""
        if keyed:
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)  # over the colon
        value, end = _DECODER.raw_decode(text, at)
        yield key, value, at, end
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)


_Item: TypeAlias = tuple[Any, int, int]


def _listen(items: list[_Item]) -> tuple[list[ChatMessage], int, list[str], tuple[int, int]]:
    """Return the messages, where the new ones begin, the tools called since, and the question."""
    said: list[ChatMessage] = []
    fresh, place = 0, (0, 0)
    called: list[str] = []
    for item, start, end in items:
        if not isinstance(item, dict):
            continue
        role, text, tools = item.get("role"), _words(item.get("content")), _calls(item)
        text = heard(text) if role == "assistant" else _clean(text)
        called += tools
        if role == "user":
            place = (start, end)
        if role in ("user", "assistant") and text.strip():
            said.append(ChatMessage(role, text, _name(item.get("name"))))
        # A message that calls tools is a step on the way, not the answer.
        if role == "assistant" and not tools and item.get("content"):
            fresh = len(said)
            called = []
    return said, fresh, called, place


def _words(content: object) -> str:
    """Return the words of a message's content; pictures and sounds have none."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = (part for part in content if isinstance(part, dict) and part.get("type") in _TEXTS)
    return "\n".join(text for part in parts if isinstance(text := part.get("text"), str))


def _calls(item: dict[str, Any]) -> list[str]:
    """Return the names of the tools that a message, or an item of a response, calls."""
    if item.get("type") in ("function_call", "custom_tool_call"):
        return [_clean(str(item.get("name")))]
    calls = item.get("tool_calls")
    found = [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    made = [call.get("function") or call.get("custom") for call in found]
    made.append(item.get("function_call"))
    return [_clean(str(one["name"])) for one in made if isinstance(one, dict) and one.get("name")]


def _given(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _user(value: object) -> str | None:
    return value if isinstance(value, str) or value is None else ""


def _name(value: object) -> str | None:
    given = _given(value)
    return None if given is None else _clean(given)


def _conversation(value: object) -> str | None:
    return _name(value.get("id") if isinstance(value, dict) else value)


# ---------------------------------------------------------------- answers


def _events(raw: bytes) -> tuple[list[dict[str, Any]], bool]:
    """Return the events of a stream, and whether it says that it has ended; or the one body."""
    if raw.startswith(b"\x1f\x8b"):  # packed, though it was asked not to be
        with suppress(zlib.error):
            raw = zlib.decompressobj(_GZIP).decompress(raw, MOST_UNPACKED)
    text = raw.decode(errors="replace")
    if not text.lstrip().startswith(("data:", "event:", "id:", "retry:", ":")):
        whole = _object(text)
        return ([whole] if whole is not None else []), whole is not None
    events: list[dict[str, Any]] = []
    # Not splitlines(), which also breaks at characters that JSON may have in a text.
    for line in text.split("\n"):
        name, _, data = line.partition(":")
        if name != "data":
            continue
        if data.strip() == "[DONE]":
            return events, True
        event = _object(data)
        if event is not None:
            events.append(event)
    return events, False


def _object(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


_Answered: TypeAlias = tuple[str, list[str], bool, str | None]


def _chat(events: list[dict[str, Any]], *, ended: bool) -> _Answered:
    """Return the first choice of a chat completion, whole or in pieces."""
    text, called = "", list[str]()
    for event in events:
        if "error" in event:
            return text, called, False, None
        choices = event.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if not isinstance(choice, dict) or choice.get("index", 0) != 0:
                continue
            part = choice.get("message") or choice.get("delta")
            if isinstance(part, dict):
                text += _words(part.get("content")) or _words(part.get("refusal"))
                called += _calls(part)
            ended = ended or choice.get("finish_reason") is not None
    return text, called, ended and bool(events), None


def _response(events: list[dict[str, Any]], *, ended: bool) -> _Answered:
    """Return the text of a response; of a stream without its end, as far as it came."""
    last = next((event for event in reversed(events) if event.get("type") in _ENDS), None)
    whole = events[0] if ended and len(events) == 1 else (last or {}).get("response")
    if not isinstance(whole, dict):
        deltas = (e.get("delta") for e in events if e.get("type") == "response.output_text.delta")
        return "".join(delta for delta in deltas if isinstance(delta, str)), [], False, None
    output = whole.get("output")
    items = [i for i in output if isinstance(i, dict)] if isinstance(output, list) else []
    text = "\n".join(words for item in items if (words := _words(item.get("content"))))
    called = [name for item in items for name in _calls(item)]
    done = whole.get("status", "completed") in ("completed", "incomplete")
    return text, called, done, _name(whole.get("id"))
