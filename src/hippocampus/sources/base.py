"""Input and output of the readers, and the cleaning of hostile bytes into text and values."""

from __future__ import annotations

import codecs
import json
import math
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any, TypeAlias

from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.records import Turn
from hippocampus.core.validation import clean
from hippocampus.errors import SourceError


@immutable
class SourceFile:
    """
    A file that was read: its turns, in order.

    ``path`` is relative to the folder that was asked for, with forward slashes; ``digest`` is
    the SHA-256 of its bytes, in hex: the same digest means that nothing is new. ``format``: what
    it was read as. ``modified``: when it was last changed, which dates what has no time.
    """

    path: str
    digest: str
    turns: tuple[Turn, ...]
    format: str
    modified: datetime


@immutable
class SourceProblem:
    """
    A file, or one line or message of it, that gave no memory, and why.

    ``skipped`` tells what is not ours to read (images, links) from what should have been readable.
    """

    path: str
    reason: str
    skipped: bool = False

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


@immutable
class Raw:
    """The bytes of one file, its path relative to the root, and when it was last changed."""

    path: str
    data: bytes
    modified: datetime
    root: str = ""
    """The name of the folder that the path is in, if anybody knows."""

    @property
    def has_lines(self) -> bool:
        """True if its name says that it has JSON lines."""
        return self.path.lower().endswith((".jsonl", ".ndjson"))

    def json(self) -> Any:  # noqa: ANN401 (JSON is any)
        """Return the one JSON text that it is; ``SourceError`` says where it goes wrong."""
        return load_json(decode(self)[0], path=self.path)


Item: TypeAlias = Turn | SourceProblem
Reader: TypeAlias = Callable[[Raw], Iterator[Item]]
"""Yields turns, and problems of single messages; raises ``SourceError`` for the whole file."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins with UTF-16's: asked before it
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def decode(raw: Raw) -> tuple[str, str | None]:
    """
    Return the file as text, and the encoding if it was a guess.

    UTF-8, or what a byte order mark says; otherwise Windows-1252, in which almost any bytes
    are text.

    Raises:
        SourceError: the bytes are not text.
    """
    encoding = next((name for bom, name in _BOMS if raw.data.startswith(bom)), None)
    if encoding is None and b"\0" in raw.data:
        raise SourceError("is binary (holds NUL bytes); export it as text first", path=raw.path)
    try:
        return raw.data.decode(encoding or "utf-8"), None
    except UnicodeDecodeError as exc:
        if encoding is not None:
            msg = f"begins as {encoding} and goes on as something else ({exc.reason})"
            raise SourceError(msg, path=raw.path) from exc
        return raw.data.decode("cp1252", errors="replace"), "cp1252"


def load_json(text: str, *, path: str) -> Any:  # noqa: ANN401 (JSON is any)
    """Parse one JSON text, or say where it goes wrong."""
    try:
        return json.loads(text)
    except RecursionError as exc:
        raise SourceError("JSON is nested too deeply to read", path=path) from exc
    except ValueError as exc:  # also an integer of more digits than Python converts
        msg = f"not JSON: {exc}"
        raise SourceError(msg, path=path) from exc


def plain(value: object) -> Any:  # noqa: ANN401 (JSON is any)
    """Return a value as metadata may hold it: JSON without NaN, infinities and half characters."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, Mapping):
        return {clean(str(key)): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return clean(str(value))


def metadata(**values: object) -> dict[str, Any]:
    """Return the values that say something, as metadata."""
    return {key: plain(value) for key, value in values.items() if value not in (None, "", [], {})}


def label(value: object) -> str | None:
    """Return a name or id as one line of text; None when there is none."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return clean(" ".join(str(value).split())) or None
