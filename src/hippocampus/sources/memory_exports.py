"""Exports of other memories: mem0's memories, and the graph of the MCP memory server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hippocampus.core.records import Turn
from hippocampus.errors import SourceError
from hippocampus.sources.base import Item, Raw, SourceProblem, label, metadata
from hippocampus.sources.messages import as_spelled, first, json_lines, spellings, text_of
from hippocampus.sources.timestamps import read_moment

# ---------------------------------------------------------------- mem0


_MEM0: Final = spellings("user_id", "agent_id", "run_id", "updated_at", "created_at")


def read_mem0(raw: Raw) -> Iterator[Item]:
    """Yield one turn per memory, at the time it was last given its present words."""
    if raw.has_lines:
        records = [value for _, value in json_lines(raw)]
    else:
        value = raw.json()
        if isinstance(value, Mapping) and "memory" not in value:
            value = first(value, ("results", "memories", "data"))
        records = value if isinstance(value, list) else [value]
    for number, record in enumerate(records, 1):
        place = f"{raw.path}#memory-{number}"
        memory = text_of(record.get("memory")) if isinstance(record, Mapping) else ""
        if isinstance(record, SourceProblem):
            yield record
        elif not isinstance(record, Mapping) or not memory:
            yield SourceProblem(path=place, reason="no 'memory' text")
        else:
            yield _memory(raw, record, memory, place)


def _memory(raw: Raw, record: Mapping[str, Any], memory: str, place: str) -> Turn:
    record = as_spelled(record, _MEM0)  # its two SDKs spell them in two ways
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
        # Its number may be another one in the next export.
        address=f"{raw.path}#{name}" if name else place,
        metadata=metadata(**extra | known | {"mem0_id": name}),
    )


# ---------------------------------------------------------------- the MCP memory server


def read_mcp_memory(raw: Raw) -> Iterator[Item]:
    """Yield one turn per observation and per relation; a bad line is a problem of that line."""
    if raw.has_lines:
        for number, value in json_lines(raw):
            yield from _record(raw, value, f"{raw.path}#line-{number}")
        return
    graph = raw.json()
    if not isinstance(graph, Mapping):
        raise SourceError("not a graph of 'entities' and 'relations'", path=raw.path)
    for plural, kind in (("entities", "entity"), ("relations", "relation")):
        records = graph.get(plural)
        for number, record in enumerate(records if isinstance(records, list) else (), 1):
            value = record | {"type": kind} if isinstance(record, dict) else record
            yield from _record(raw, value, f"{raw.path}#{kind}-{number}")


def _record(raw: Raw, record: object, place: str) -> Iterator[Item]:
    kind = record.get("type") if isinstance(record, Mapping) else None
    if isinstance(record, SourceProblem):
        yield record
    elif isinstance(record, Mapping) and kind == "entity":
        yield from _entity(raw, record, place)
    elif isinstance(record, Mapping) and kind == "relation":
        start, way, end = (label(record.get(key)) for key in ("from", "relationType", "to"))
        if start is None or way is None or end is None:
            reason = "a relation needs 'from', 'relationType' and 'to'"
            yield SourceProblem(path=place, reason=reason)
        else:
            yield _turn(raw, f"{start} {way} {end}", place, entity=start, relation=way, to=end)
    else:
        yield SourceProblem(path=place, reason="neither an entity nor a relation")


def _entity(raw: Raw, record: Mapping[str, Any], place: str) -> Iterator[Item]:
    name, kind = label(record.get("name")), label(record.get("entityType"))
    observations = record.get("observations")
    if name is None or not isinstance(observations, list):
        yield SourceProblem(path=place, reason="an entity needs a 'name' and 'observations'")
        return
    head = f"{name} ({kind})" if kind else name
    for number, observation in enumerate(observations, 1):
        address = f"{place}.observation-{number}"
        if words := text_of(observation):
            yield _turn(raw, f"{head}: {words}", address, entity=name, entity_type=kind)
        else:
            yield SourceProblem(path=address, reason="an observation is not text")


def _turn(raw: Raw, text: str, address: str, **about: str | None) -> Turn:
    return Turn(
        text=text, at=raw.modified, source=raw.path, address=address, metadata=metadata(**about)
    )
