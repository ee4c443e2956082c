"""Read the memories that mem0 exports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hippocampus.core.records import Turn
from hippocampus.sources.base import (
    Item,
    Raw,
    SourceProblem,
    decode,
    label,
    load_json,
    metadata,
)
from hippocampus.sources.messages import first, json_lines, text_of
from hippocampus.sources.timestamps import read_moment

_WRAPPERS = ("results", "memories", "data")


def read_mem0(raw: Raw) -> Iterator[Item]:
    """Yield one turn per memory, at the time it was last given its present words."""
    if raw.path.lower().endswith((".jsonl", ".ndjson")):
        records = [value for _, value in json_lines(raw)]
    else:
        text, _ = decode(raw)
        value = load_json(text, path=raw.path)
        if isinstance(value, Mapping) and "memory" not in value:
            value = first(value, _WRAPPERS)
        records = value if isinstance(value, list) else [value]
    for number, record in enumerate(records, 1):
        place = f"{raw.path}#memory-{number}"
        memory = text_of(record.get("memory")) if isinstance(record, Mapping) else ""
        if isinstance(record, SourceProblem):
            yield record
        elif not isinstance(record, Mapping) or not memory:
            yield SourceProblem(path=place, reason="no 'memory' text")
        else:
            yield _turn(raw, record, memory, place)


def _turn(raw: Raw, record: Mapping[str, Any], memory: str, place: str) -> Turn:
    name = label(record.get("id"))
    about = record.get("metadata")
    known = {key: record.get(key) for key in ("user_id", "agent_id", "run_id", "categories")}
    extra = {str(key): value for key, value in about.items()} if isinstance(about, Mapping) else {}
    moments = (read_moment(record.get(key)) for key in ("updated_at", "created_at"))
    return Turn(
        text=memory,
        at=next(filter(None, moments), None) or raw.modified,
        speaker=label(record.get("user_id")),
        session=label(record.get("run_id")),
        source=raw.path,
        address=f"{raw.path}#{name}" if name else place,
        metadata=metadata(**extra | known | {"mem0_id": name}),
    )
