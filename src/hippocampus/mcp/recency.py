"""
Recency of answers: who changes memories is told how far they are, and may read no less elsewhere.

The argument ``min_seq`` is in no schema, for every word there costs in every conversation: it is
for programs that call several servers, and ``seq`` in the answers of what changes tells them of it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Final

from hippocampus.mcp.schemas import ToolAnswer
from hippocampus.mcp.tools import Toolbox

MIN_SEQ: Final = "min_seq"
"""The argument that says how much of a bank has to be known."""
PATIENCE_S: Final = 2.0
"""Seconds that a copy which is behind is waited for."""

_Tool = Callable[..., ToolAnswer]


def answering_no_less(toolbox: Toolbox, verb: _Tool) -> _Tool:
    """Return a verb that reads, which takes how much of its bank has to be known."""

    @wraps(verb)
    def called(*, min_seq: str | None = None, **arguments: object) -> ToolAnswer:
        if min_seq is not None:
            from hippocampus.engine.position import Position  # noqa: PLC0415 - of the engine

            state = toolbox.bank(_named(arguments)).state
            state.wait_for(Position.of(min_seq), PATIENCE_S)
        return verb(**arguments)

    own = inspect.Parameter(
        MIN_SEQ, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=str | None
    )
    signature = inspect.signature(verb)
    called.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*signature.parameters.values(), own]
    )
    return called


def telling_how_far(toolbox: Toolbox, verb: _Tool) -> _Tool:
    """Return a verb that changes something, whose answer has how far its bank is then."""

    @wraps(verb)
    def called(**arguments: object) -> ToolAnswer:
        data, text = verb(**arguments)
        state = toolbox.bank(_named(arguments), new=True).state
        return ToolAnswer({**data, "seq": state.seen.token}, text)

    return called


def _named(arguments: dict[str, object]) -> str | None:
    name = arguments.get("bank")
    return name if isinstance(name, str) else None
