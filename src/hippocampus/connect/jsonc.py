"""
JSON with comments and trailing commas, read with the places at which its parts stand.

It is changed by cutting and inserting text, so that what is not ours stays byte for byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, NoReturn

_BLANK: Final = re.compile(r"[ \t\r\n\ufeff]+|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_WORD: Final = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_REST_OF_LINE: Final = re.compile(
    r"(?:[ \t]|/\*(?:(?!\*/)[^\r\n])*\*/)*(?://[^\r\n]*)?(?=[\r\n]|$)"
)


class SyntaxFault(ValueError):
    """A text that is no valid JSON with comments, and the place of its first fault."""

    def __init__(self, what: str, line: int, column: int) -> None:
        self.line, self.column = line, column
        super().__init__(f"line {line}, column {column}: {what}")


class JsonItem(NamedTuple):
    """A member of an object, or an element of an array, which has no key."""

    start: int
    key: str | None
    node: Node
    comma: int | None
    """Place of the comma after it, if there is one."""


class Node(NamedTuple):
    """A value, its bounds in the text, and its items."""

    start: int
    end: int
    value: Any
    items: Sequence[JsonItem] = ()

    def member(self, key: str) -> JsonItem | None:
        """Return the member of this name: of several the last, as every reader has it."""
        return next((item for item in reversed(self.items) if item.key == key), None)


def parse(text: str) -> Node:
    """
    Read a whole text.

    Raises:
        SyntaxFault: it is not JSON with comments.

    """
    try:
        return _Reader(text).whole()
    except RecursionError:
        raise SyntaxFault("nested too deeply", 1, 1) from None


class _Reader:
    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0

    def whole(self) -> Node:
        self._skip()
        node = self._value()
        self._skip()
        if self._at < len(self._text):
            self._fail("something follows the end")
        return node

    def _value(self) -> Node:
        start, text = self._at, self._text
        if text[start : start + 1] in {"{", "["}:
            return self._container("}" if text[start] == "{" else "]")
        found = (_STRING if text[start : start + 1] == '"' else _WORD).match(text, start)
        if found is None:
            self._fail("a value is expected here" if start < len(text) else "it ends too early")
        try:
            value = json.loads(found[0])
        except ValueError:  # of an integer of thousands of digits
            self._fail("a number is too long to read")
        self._at = found.end()
        return Node(start, self._at, value)

    def _container(self, closing: str) -> Node:
        start, items = self._at, list[JsonItem]()
        self._at += 1
        self._skip()
        while not self._text.startswith(closing, self._at):
            if items and items[-1].comma is None:
                self._fail(f"a comma or {closing} is expected here")
            items.append(self._item(named=closing == "}"))
        self._at += 1
        if closing == "]":
            return Node(start, self._at, [item.node.value for item in items], items)
        return Node(start, self._at, {item.key: item.node.value for item in items}, items)

    def _item(self, *, named: bool) -> JsonItem:
        start, key = self._at, None
        if named:
            found = _STRING.match(self._text, start)
            if found is None:
                self._fail("a name in double quotes is expected here")
            key = json.loads(found[0])
            self._at = found.end()
            self._skip()
            if not self._text.startswith(":", self._at):
                self._fail("a colon is expected here")
            self._at += 1
            self._skip()
        node = self._value()
        self._skip()
        comma = self._at if self._text.startswith(",", self._at) else None
        if comma is not None:
            self._at += 1
            self._skip()
        return JsonItem(start, key, node, comma)

    def _skip(self) -> None:
        while found := _BLANK.match(self._text, self._at):
            self._at = found.end()

    def _fail(self, what: str) -> NoReturn:
        before = self._text[: self._at]
        line = before.count("\n") + 1
        column = self._at - (before.rfind("\n") + 1) + 1
        if self._at >= len(self._text):
            what = "it ends too early"
        raise SyntaxFault(what, line, column)


# ---------------------------------------------------------------- change


def insert(text: str, node: Node, key: str | None, value: object) -> str:
    """Return the text with one more member, or element, at the end of a container."""
    eol = "\r\n" if "\r\n" in text else "\n"
    unit = _unit(text)
    flat = bool(node.items) and "\n" not in text[node.start : node.end]
    outer = _indent_of_line(text, node.start)
    inner = outer + unit if not node.items else _indent_of_line(text, node.items[-1].start)
    written = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    if flat:
        written += json.dumps(value, ensure_ascii=False)
    else:
        body = json.dumps(value, ensure_ascii=False, indent=unit)
        written += f"{eol}{inner}".join(body.split("\n"))
    if not node.items:
        return _into_empty(text, node, f"{eol}{inner}{written}", f"{eol}{outer}")
    last = node.items[-1]
    if flat:
        at = last.node.end if last.comma is None else last.comma + 1
        beside = f", {written}" if last.comma is None else f" {written},"
        return text[:at] + beside + text[at:]
    whole = last.node.end if last.comma is None else last.comma + 1
    at = _line_end(text, whole)
    # A file whose last member has a comma behind it gets one behind ours, too.
    between, own = (",", "") if last.comma is None else ("", ",")
    return f"{text[:whole]}{between}{text[whole:at]}{eol}{inner}{written}{own}{text[at:]}"


def remove(text: str, node: Node, item: JsonItem) -> str:
    """Return the text without a member or an element; comments around it stay."""
    place = node.items.index(item)
    before = node.items[place - 1] if place else None
    start = _end_of_matter(text, node, before, item.start)
    end = item.node.end if item.comma is None else item.comma + 1
    rest = text[:start], text[end:]
    # It was the last: the comma before it would now be a trailing one, which JSON does not have.
    if before is not None and item.comma is None and before.comma is not None:
        return f"{text[: before.comma]}{text[before.comma + 1 : start]}{rest[1]}"
    if (
        len(node.items) == 1
        and not (text[node.start + 1 : start] + text[end : node.end - 1]).strip()
    ):
        return f"{text[: node.start + 1]}{text[node.end - 1 :]}"
    return "".join(rest)


def is_bare(text: str, node: Node) -> bool:
    """Return whether a container has nothing in it, not even a comment."""
    return not text[node.start + 1 : node.end - 1].strip()


def _into_empty(text: str, node: Node, written: str, closing: str) -> str:
    inside = text[node.start + 1 : node.end - 1]
    # A comment inside stays, and what is new goes behind it.
    at = node.start + 1 + len(inside.rstrip())
    tail = text[at : node.end - 1]
    return f"{text[:at]}{written}{tail if chr(10) in tail else closing}{text[node.end - 1 :]}"


def _unit(text: str) -> str:
    """Return by what this text indents."""
    found = re.search(r"[{\[][ \t]*(?://[^\r\n]*)?\r?\n([ \t]+)\S", text)
    return found[1] if found else "  "


def _indent_of_line(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _line_end(text: str, at: int) -> int:
    """Return the end of a comment on the same line, which belongs to the matter before ``at``."""
    found = _REST_OF_LINE.match(text, at)
    return found.end() if found else at


def _end_of_matter(text: str, node: Node, before: JsonItem | None, until: int) -> int:
    """Return the end of the last comma, brace or comment before a place."""
    at = node.start + 1
    if before is not None:
        at = before.node.end if before.comma is None else before.comma + 1
    end = at
    while at < until and (found := _BLANK.match(text, at)):
        at = found.end()
        if found[0].strip():
            end = at
    return end
