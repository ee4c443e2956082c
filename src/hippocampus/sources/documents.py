"""Read notes and other documents: one turn each, with their front matter as metadata."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from textwrap import dedent
from typing import Any

from hippocampus.core.records import Turn
from hippocampus.core.validation import clean
from hippocampus.errors import SourceError
from hippocampus.sources.base import Item, Raw, decode, metadata
from hippocampus.sources.diary import by_day, heading_words
from hippocampus.sources.timestamps import moment_in_name, read_moment

_FRONT = re.compile(
    r"---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE
)
_KEY = re.compile(r"([A-Za-z_][\w .-]{0,60}?)\s*:(?:\s+(.*))?$")
_REMARK = re.compile(r"(?<!\s)\s++#.*")
# Possessive, or the title would be looked for at each of a long run of blanks.
_TITLE = re.compile(r"\s*+(?:#{1,6}[ \t]+([^\n]+)|([^\n]+)\n(?:=|-){3,}[ \t]*$)", re.MULTILINE)
_QUOTED = re.compile(r""""(?:[^"\\]|\\.)*+"|'(?:[^']|'')*+'""")
_ESCAPED = re.compile(r"""\\(["\\/])""")
_IN_LIST = re.compile(rf"\s*+(?:{_QUOTED.pattern}|[^,\s])(?:[^,]*+)")
_BLOCK = re.compile(r"[|>][+-]?\d?[+-]?(?:\s+#.*)?")
"""Mark in the place of a text that is set in on the next lines."""
_DATES = ("date", "created", "created_at", "published")
_FRONT_CHARS = 65_536
"""Characters within which front matter ends; people write some lines of it. Chosen by hand."""


def read_document(raw: Raw) -> Iterator[Item]:
    """
    Yield a document as one turn, or a diary as one of each moment that it dates.

    Its time is the front matter's, or else a date in its path, or else the file's; an entry's is
    its own. A title that is only in the front matter is put in front of the text, so that it can
    be found.
    """
    text, encoding = decode(raw)
    text = text.replace("\r\n", "\n")
    fields, body = split_front_matter(text)
    outside, days = by_day(body, raw.modified)
    rest = outside.text if days else body
    body = rest
    heading = _TITLE.match(body)
    named = heading_words(heading[1] or heading[2]) if heading else None
    title = fields.pop("title", None)
    if isinstance(title, str) and title.strip():
        title = " ".join(title.split())
        first = next((line for line in body.splitlines() if line.strip()), "")
        if title.casefold() not in first.casefold():
            body = f"# {title}\n\n{body}"
    elif heading:
        title = named
    if not days and not body.strip():
        raise SourceError("holds no text", path=raw.path)
    # As text: a year alone is no moment, and as a number it would be one of 1970.
    moments = (read_moment(str(fields[key])) for key in _DATES if key in fields)
    whole = Turn(
        text=clean(body),
        at=next(filter(None, moments), None) or moment_in_name(raw.path) or raw.modified,
        source=raw.path,
        address=raw.path,
        metadata=metadata(**{"title": title, "encoding": encoding} | fields),
    )
    # A title alone is no memory of its own where every day has it.
    is_title = heading is not None and title == named and not rest[heading.end() :].strip()
    if not days or (rest.strip() and not is_title):
        yield whole
    for one in days:
        address = f"{raw.path}#{one.name}"
        yield replace(whole, text=clean(one.text), at=one.at, address=address)


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """
    Return the front matter's fields and the text after it.

    The part of YAML that people write between ``---`` lines: ``key: value``, ``[a, b]``, lists of
    ``- item``, and texts set in behind ``|`` or ``>``. Anything deeper is left out.
    """
    # What has not ended by then is none, and no large file is searched to its end for it.
    match = _FRONT.match(text, 0, _FRONT_CHARS) if text.startswith("---") else None
    if match is None:
        return {}, text
    fields: dict[str, Any] = {}
    key = None
    lines = match[1].splitlines()
    for number, line in enumerate(lines):
        bare = line.strip()
        if bare.startswith("- ") and key is not None:
            if not fields.get(key):
                fields[key] = []
            if isinstance(fields[key], list):
                fields[key].append(_scalar(bare[2:]))
        elif found := _KEY.match(line):
            key = found[1].lower()
            said = (found[2] or "").strip()
            if _BLOCK.fullmatch(said):
                fields[key] = _block(lines, number + 1, folded=said[0] == ">")
                key = None  # what is set in may begin as a list does
            else:
                fields[key] = _value(said)
        elif bare and not bare.startswith("#"):
            key = None
    return fields, text[match.end() :].lstrip("\n")


def _block(lines: Sequence[str], first: int, *, folded: bool) -> str:
    """Return the text that is set in below a key: of one line, or as it is broken."""
    below = (lines[number] for number in range(first, len(lines)))
    inside = takewhile(lambda line: not line.strip() or line[0] in " \t", below)
    text = dedent("\n".join(inside)).strip()
    return " ".join(text.split()) if folded else text


def _value(text: str) -> Any:  # noqa: ANN401 (what YAML says)
    for one in (text, _REMARK.sub("", text)):
        if one.startswith("[") and one.endswith("]"):
            items = (found[0].strip() for found in _IN_LIST.finditer(one, 1, len(one) - 1))
            return [_scalar(item) for item in items if item]
    return _scalar(text)


def _scalar(text: str) -> Any:  # noqa: ANN401 (what YAML says)
    text = text.strip()
    quoted = _QUOTED.match(text)
    if quoted is not None and not _REMARK.sub("", text[quoted.end() :]).strip():
        inside = quoted[0][1:-1]
        return _ESCAPED.sub(r"\1", inside) if quoted[0][0] == '"' else inside.replace("''", "'")
    text = _REMARK.sub("", text)
    if text in {"", "null", "~"}:
        return None
    if text in {"true", "false"}:
        return text == "true"
    if re.fullmatch(r"-?(?:0|[1-9]\d{0,15})", text):
        return int(text)
    if re.fullmatch(r"-?\d{1,15}\.\d{1,15}", text):
        return float(text)
    return text
