"""The gate for secrets: those of a turn are kept, redacted or refused, as is configured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from hippocampus.core.config import Secrets
from hippocampus.core.records import Turn
from hippocampus.errors import SecretRefused
from hippocampus.language.secrets import find_secrets, redact

_DEEPEST: Final = 64
"""Levels of metadata, of which deeper ones are refused later."""


def without_secrets(turn: Turn, how: Secrets) -> Turn:
    """
    Return a turn as it may be kept.

    Raises:
        SecretRefused: it holds a secret, and none may be kept.

    """
    if how.write == "keep":
        return turn
    if how.write == "refuse":
        for where, text in (("the text", turn.text), ("its metadata", _spelled(turn.metadata))):
            found = find_secrets(text)
            if found:
                kinds = ", ".join(sorted({span.kind for span in found}))
                raise SecretRefused(
                    f"{where} holds what looks like a secret ({kinds}, the first at character"
                    f" {found[0].start}), and Secrets.write is 'refuse'; leave it out, or say"
                    " 'redact'"
                )
        return turn
    return replace(turn, text=redact(turn.text), metadata=_redacted(turn.metadata))


def _redacted(value: Any, depth: int = 0) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, str):
        return redact(value)
    if depth > _DEEPEST:
        return value
    if isinstance(value, Mapping):
        return {key: _redacted(one, depth + 1) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_redacted(one, depth + 1) for one in value]
    return value


def _spelled(value: Any, depth: int = 0) -> str:  # noqa: ANN401 - JSON
    """Return the texts in metadata, a line each, with the names that they have there."""
    if isinstance(value, str):
        return value
    if depth > _DEEPEST:
        return ""
    if isinstance(value, Mapping):
        lines = (f"{key}: {_spelled(one, depth + 1)}" for key, one in value.items())
    elif isinstance(value, list | tuple):
        lines = (_spelled(one, depth + 1) for one in value)
    else:
        return ""
    return "\n".join(lines)
