"""Validation of text and metadata, which must be read again as they were stored."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from hippocampus.core.config import Ingest
from hippocampus.errors import InputError, InvalidText, TextTooLong

_JSON: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_METADATA_LEVELS: Final = 64
"""Deepest nesting of metadata. Reading JSON recurses, so what is too deep could be written from a
shallow stack and never be read from a deep one."""


def clean(text: str) -> str:
    """Return text that can be stored: JSON's halved characters joined, or replaced if alone."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def plain_kind(value: object) -> object:
    """
    Return a text or number of a kind of its own, such as one of numpy, as the plain one it is.

    Raises:
        TypeError: it is neither.

    """
    # Not by str() and the like, which such a kind may answer with something else.
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float):
        return float.__float__(value)
    raise TypeError(f"a {type(value).__name__}")


def _instead(given: object) -> str:
    """Return the advice about something that is no text."""
    if isinstance(given, list | tuple):
        return "give one at a time, or several turns or messages to remember_many"
    return "decode bytes first" if isinstance(given, bytes | bytearray) else "give a str"


def check_text(
    text: object,
    *,
    limits: Ingest,
    name: str = "text",
    blank: str = "there is nothing to remember",
) -> str:
    """
    Return ``text`` if it can be remembered or asked; ``InvalidText`` or ``TextTooLong`` if not.

    Args:
        text: what is looked at.
        limits: how long it may be.
        name: what to call it in messages.
        blank: what it means that it is blank, or what to do about it.

    """
    if not isinstance(text, str):
        raise InvalidText(f"{name} must be text, not {type(text).__name__}; {_instead(text)}")
    if not text.strip():
        raise InvalidText(f"{name} is blank; {blank}")
    try:
        # Most texts are ASCII, of which the bytes can be counted without a copy.
        size = len(text) if text.isascii() else len(text.encode())
    except UnicodeEncodeError as exc:
        raise InvalidText(
            f"{name} holds the lone surrogate U+{ord(text[exc.start]):04X} at character"
            f" {exc.start}, which cannot be stored byte for byte; decode the source with"
            " errors='replace' first"
        ) from exc
    if size > limits.max_text_bytes:
        raise TextTooLong(
            f"{name} has {size:,} bytes; one call takes at most {limits.max_text_bytes:,}"
            " (Ingest.max_text_bytes); split it, or write it to a file and import that"
        )
    return text


def dump_metadata(metadata: Mapping[str, Any]) -> str:
    """Return metadata as JSON; refuse what JSON cannot give back as it was."""
    if not metadata and isinstance(metadata, Mapping):
        return "{}"
    if not isinstance(metadata, Mapping):
        msg = f"metadata must be a mapping with text keys, not {type(metadata).__name__}"
        raise InputError(msg)
    try:
        text = _JSON.encode(dict(metadata))
    except (TypeError, ValueError, RecursionError) as exc:
        msg = f"metadata must be a JSON object (text keys; text, numbers, lists, objects): {exc}"
        raise InputError(msg) from exc
    _check_shape(metadata, _METADATA_LEVELS)
    try:
        text.encode()
    except UnicodeEncodeError as exc:
        msg = f"metadata holds the lone surrogate {text[exc.start]!r}, which cannot be stored"
        raise InvalidText(msg) from exc
    return text


def _check_shape(value: object, levels: int) -> None:
    """Refuse keys that JSON would turn into text, and nesting that could not be read again."""
    if not levels:
        raise InputError(f"metadata is nested more than {_METADATA_LEVELS} levels deep; flatten it")
    if isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                msg = f"metadata key {key!r}: must be text, since JSON has no other keys"
                raise InputError(msg)
            _check_shape(item, levels - 1)
    elif isinstance(value, list | tuple):
        for item in value:
            _check_shape(item, levels - 1)
