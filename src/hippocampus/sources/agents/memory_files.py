"""Read files of instructions and notes that coding agents take for memory, as statements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final

from hippocampus.core.origin import Origin
from hippocampus.core.records import Turn
from hippocampus.core.validation import clean
from hippocampus.errors import SourceError
from hippocampus.sources.base import Item, Raw, SourceProblem, decode, metadata
from hippocampus.sources.documents import split_front_matter

_HEADING: Final = re.compile(r" {0,3}(#{1,6})[ \t]+")
_ITEM: Final = re.compile(r"([ \t]*)(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(.*)$")
_FENCE: Final = re.compile(r"[ \t]*(`{3,}|~{3,})")
_OPENED: Final = "<!--"
_CODE_OR_COMMENT: Final = re.compile(
    r"(?<!`)(?P<code>`{1,8})(?!`)[^`\n]{1,500}+(?P=code)(?!`)|(?P<first>^[ \t]*+)?<!--",
    re.MULTILINE,
)
"""Code within a line, in which a comment is an example of one, or the beginning of a comment."""
_IMPORT: Final = re.compile(r"(?<![\w`@/.])@((?:~?/|\.{1,2}/)?[\w.-]+(?:/[\w.-]+)*)(?![\w`@])")
_RULE: Final = re.compile(r"[ \t]*([-*_=])[ \t]*(?:\1[ \t]*){2,}$")
_MOST_CODE: Final = 12
"""Lines of an example that stay with what it is an example of. Chosen by hand."""
_DEEPEST: Final = 12
"""Items within items that stand before a statement; without a bound a list that steps in line by
line would be written out as often as it is long. Chosen by hand."""
_LONGEST_NAME: Final = 200
"""Characters of headings in an address; those of several are told apart by a number behind."""


class _Statement:
    """One thing that is said: an item of a list, or a paragraph, with the code that follows it."""

    def __init__(self, path: tuple[str, ...], indent: int) -> None:
        self.path = path
        self.indent = indent
        """How far an item is set in."""
        self.lines: list[str] = []

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip()


def read_agent_memory(raw: Raw) -> Iterator[Item]:
    """
    Yield the statements of a file, each with the headings that it stands under.

    They are the user's, who tells an agent what holds; what an agent has noted by itself, in a
    folder called ``memory``, is the agent's. Comments are left out, and files that are imported
    with ``@`` are told of, and not followed.
    """
    text, _ = decode(raw)
    fields, body = split_front_matter(text.replace("\r\n", "\n"))
    body = _without_comments(body)
    origin: Origin = "assistant" if _is_agents(raw) else "user"
    title = fields.get("description") or fields.get("name")
    about = metadata(file=raw.path, applies_to=fields.get("globs") or fields.get("paths"))
    seen: dict[str, int] = {}
    for one in _statements(body):
        if imported := _only_imports(one.text):
            for name in imported:
                yield SourceProblem(
                    path=f"{raw.path}#{name}",
                    reason=f"{raw.path} takes in @{name}, which is not followed; import it as well",
                    skipped=True,
                )
            continue
        head = [" ".join(str(title).split())] if title and not one.path else []
        said = clean(": ".join([" > ".join([*head, *one.path]), one.text]) if head or one.path
                     else one.text)  # fmt: skip
        place = "/".join(one.path)[:_LONGEST_NAME] or "top"
        seen[place] = seen.get(place, 0) + 1
        yield Turn(
            text=said,
            at=raw.modified,
            session=raw.path,
            source=raw.path,
            address=f"{raw.path}#{clean(place)}.{seen[place]}",
            origin=origin,
            metadata=about | metadata(headings=list(one.path)),
        )
    if not seen and not body.strip():
        raise SourceError("holds no text", path=raw.path)


def read_project_memory(raw: Raw) -> Iterator[Item]:
    """Yield likewise the statements of a file that came with a project: a document's words."""
    for item in read_agent_memory(raw):
        yield replace(item, origin="document") if isinstance(item, Turn) else item


def _without_comments(body: str) -> str:
    """Return a text without its comments; one that nothing ends is one if it begins a line."""
    kept: list[str] = []
    at, ended = 0, True
    while found := _CODE_OR_COMMENT.search(body, at):
        end = found.end()
        if found["code"] is None:
            kept.append(body[at : end - len(_OPENED)])
            stop = body.find("-->", end) if ended else -1
            ended = stop >= 0  # none behind this one, so none behind the next
            if not ended and found["first"] is not None:
                return "".join(kept)
            at, end = (stop + 3, stop + 3) if ended else (end - len(_OPENED), end)
        kept.append(body[at:end])
        at = end
    return "".join([*kept, body[at:]])


def _is_agents(raw: Raw) -> bool:
    return "memory" in (raw.root, *PurePosixPath(raw.path).parts[:-1])


def _only_imports(text: str) -> list[str]:
    """Return the files that a statement names, if that is all it does."""
    names = _IMPORT.findall(text)
    rest = _IMPORT.sub("", text)
    return names if names and not any(one.isalnum() for one in rest) else []


class _Outline:
    """A file as it is read line by line: under which headings and items of lists we are."""

    def __init__(self) -> None:
        self.found: list[_Statement] = []
        self._headings: list[tuple[int, str]] = []
        self._items: list[_Statement] = []
        self._now: _Statement | None = None
        """The statement that the next line may go on with."""
        self._latest: _Statement | None = None
        """The last statement under this heading, which an example after it belongs to."""
        self._fence = ""
        self._code: list[str] = []
        self._has_fences = True

    def line(self, line: str) -> None:
        """Take in the next line."""
        if self._fence:
            self._in_code(line)
        elif self._has_fences and (fence := _FENCE.match(line)):
            self._fence, self._code = fence[1], [line.strip()]
        elif heading := _HEADING.match(line):
            depth = len(heading[1])
            self._headings = [one for one in self._headings if one[0] < depth]
            self._headings.append((depth, line[heading.end() :].rstrip(" \t#").strip()))
            self._items, self._now, self._latest = [], None, None
        elif not line.strip() or _RULE.match(line):
            self._now = None
        elif item := _ITEM.match(line):
            self._item(len(item[1].expandtabs(4)), item[2])
        else:
            self._text(line)

    def end(self) -> None:
        """Take the lines behind a fence that nothing closes for what they would be without it."""
        left, self._fence, self._has_fences = self._code[1:], "", False
        for line in left:
            self.line(line)

    def _item(self, indent: int, text: str) -> None:
        self._items = [one for one in self._items if one.indent < indent][-_DEEPEST:]
        self._begin(_Statement((*self._above(), *map(_first, self._items)), indent))
        self._items.append(self.found[-1])
        self.found[-1].lines.append(text)

    def _text(self, line: str) -> None:
        if self._now is None:
            inside = [one for one in self._items if _indent(line) > one.indent]
            if inside:
                self._now = inside[-1]
            else:
                self._items = []
                self._begin(_Statement(self._above(), 0))
        if self._now is not None:
            self._now.lines.append(line.strip())

    def _in_code(self, line: str) -> None:
        self._code.append(line)
        bare = line.strip()
        # As in CommonMark: what ends a fence is of its kind, as long, and has nothing behind it.
        if not bare.startswith(self._fence) or bare.strip(self._fence[0]):
            return
        if len(self._code) <= _MOST_CODE + 2:  # with its two fences
            about = self._now or self._latest
            if about is None:
                self._begin(about := _Statement(self._above(), 0))
            about.lines += self._code
        self._fence, self._code = "", []

    def _begin(self, one: _Statement) -> None:
        self.found.append(one)
        self._now = self._latest = one

    def _above(self) -> tuple[str, ...]:
        return tuple(name for _, name in self._headings)


def _statements(body: str) -> Iterator[_Statement]:
    outline = _Outline()
    for line in body.splitlines():
        outline.line(line)
    outline.end()
    return (one for one in outline.found if one.text)


def _indent(line: str) -> int:
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip())


def _first(item: _Statement) -> str:
    """Return the first line of an item, which what is set in under it is about."""
    return item.lines[0].strip().rstrip(":")
