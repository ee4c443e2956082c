"""Read notes and other documents: one turn each, with their front matter as metadata."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
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
        first = next((line for line in body.splitlines() if line.strip()), "")
        if title.casefold().strip() not in first.casefold():
            body = f"# {title}\n\n{body}"
    elif heading:
        title = named
    if not days and not body.strip():
        raise SourceError("holds no text", path=raw.path)
    moments = (read_moment(fields[key]) for key in _DATES if key in fields)
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

    The part of YAML that people write between ``---`` lines: ``key: value``, ``[a, b]`` and
    lists of ``- item``. Anything deeper is left out.
    """
    # What has not ended by then is none, and no large file is searched to its end for it.
    match = _FRONT.match(text, 0, _FRONT_CHARS) if text.startswith("---") else None
    if match is None:
        return {}, text
    fields: dict[str, Any] = {}
    key = None
    for line in match[1].splitlines():
        bare = line.strip()
        if bare.startswith("- ") and key is not None:
            if not fields.get(key):
                fields[key] = []
            if isinstance(fields[key], list):
                fields[key].append(_scalar(bare[2:]))
        elif found := _KEY.match(line):
            key = found[1].lower()
            fields[key] = _value((found[2] or "").strip())
        elif bare and not bare.startswith("#"):
            key = None
    return fields, text[match.end() :].lstrip("\n")


def _value(text: str) -> Any:  # noqa: ANN401 (what YAML says)
    if text.startswith("[") and text.endswith("]"):
        return [_scalar(item) for item in text[1:-1].split(",") if item.strip()]
    return _scalar(text)


def _scalar(text: str) -> Any:  # noqa: ANN401 (what YAML says)
    text = text.strip()
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
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
