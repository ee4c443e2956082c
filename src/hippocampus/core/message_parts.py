"""Parts of chat messages that are of tools, as the protocols of several vendors name them."""

from __future__ import annotations

from collections.abc import Mapping


def is_tool_call(part: object) -> bool:
    """Return whether a part of a message, or an item of a response, calls a tool."""
    kind = _kind(part)
    return kind in ("function_call", "custom_tool_call") or kind.endswith("tool_use")


def is_tool_result(part: object) -> bool:
    """
    Return whether a part or an item is what a tool gave back, whatever role its message has.

    Anthropic's protocol has results in messages of the user, where words of anybody would pass for
    the user's.
    """
    return _kind(part).endswith(("tool_result", "call_output"))


def _kind(part: object) -> str:
    kind = part.get("type") if isinstance(part, Mapping) else None
    return kind if isinstance(kind, str) else ""
