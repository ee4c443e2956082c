"""Span attributes of a bank's verbs: how many memories, which one, and of what."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Any, Final, ParamSpec, TypeVar

from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.core.records import Context, Episode, Hit, Imported, Recall
from hippocampus.core.telemetry import OPERATIONS, MemorySpan, operation
from hippocampus.engine.bank_state import BankState

P = ParamSpec("P")
R = TypeVar("R")

_BY_ID: Final = frozenset({"correct", "restore", "forget"})
_ID: Final = lazy_pattern(r"[0-9a-f]{24}")
"""A whole id (``write/check.py``): shorter ones may be words ("decade") or somebody's number."""


def recorded(
    state: BankState,
    verb: str,
    call: Callable[P, R],
    *args: P.args,
    **kwargs: P.kwargs,
) -> R:
    """Wrap a verb so that each call of it is recorded."""
    with operation(OPERATIONS[verb], store_id(state)) as span:
        if verb in _BY_ID:
            _name(span, args[0] if args else kwargs.get("id"))
        elif OPERATIONS[verb] == "search_memory" and span.captures:
            asked = args or (kwargs.get("query"),)
            span.note(query_text=" ".join(one for one in asked if isinstance(one, str)))
        result = call(*args, **kwargs)
        _tell(span, result)
        return result


def store_id(state: BankState) -> str:
    """Return the name of a bank in traces and logs: a hash, for its name is often somebody's."""
    named = state.name.encode("utf-8", "replace")
    # 48 bits tell banks apart well enough; under the salt nobody finds a name by trying some.
    return blake2b(named, key=state.engine.salt, digest_size=6).hexdigest()


def _name(span: MemorySpan, named: object) -> None:
    """Note the id of the memory that is meant; anything that is no id may be words."""
    given = named.id if isinstance(named, Episode | Hit) else named
    if isinstance(given, str) and _ID.fullmatch(given):
        span.note(record_id=given)


def _tell(span: MemorySpan, result: object) -> None:
    """Note the number of memories in a result, and the memories where that is allowed."""
    found = result.recall if isinstance(result, Context) else result
    if isinstance(found, Recall):
        span.note(record_count=len(found))
        span.tell_records([_record(hit.episode, hit.score) for hit in found])
    elif isinstance(found, list):
        span.note(record_count=len(found))
        span.tell_records([_record(one) for one in found if isinstance(one, Episode)])
    elif isinstance(found, Episode):
        span.note(record_count=1, record_id=found.id)
        span.tell_records([_record(found)])
    elif isinstance(found, Imported):
        span.note(record_count=found.added)
    elif isinstance(found, int):
        span.note(record_count=found)


def _record(episode: Episode, score: float | None = None) -> dict[str, Any]:
    """Return a memory as the conventions have it."""
    told = {"id": episode.id, "content": episode.text}
    return told if score is None else told | {"score": round(score, 4)}
