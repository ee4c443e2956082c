"""Read the file of the MCP memory server: lines of entities and relations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hippocampus.core.records import Turn
from hippocampus.errors import SourceError
from hippocampus.sources.base import (
    Item,
    Raw,
    SourceProblem,
    decode,
    label,
    load_json,
    metadata,
)
from hippocampus.sources.messages import json_lines, text_of


def read_mcp_memory(raw: Raw) -> Iterator[Item]:
    """Yield one turn per observation and per relation; a bad line is a problem of that line."""
    if raw.path.lower().endswith((".jsonl", ".ndjson")):
        for number, value in json_lines(raw):
            yield from _record(raw, value, f"{raw.path}#line-{number}")
        return
    text, _ = decode(raw)
    graph = load_json(text, path=raw.path)
    if not isinstance(graph, Mapping):
        raise SourceError("not a graph of 'entities' and 'relations'", path=raw.path)
    for plural, kind in (("entities", "entity"), ("relations", "relation")):
        records = graph.get(plural)
        for number, record in enumerate(records if isinstance(records, list) else (), 1):
            value = record | {"type": kind} if isinstance(record, dict) else record
            yield from _record(raw, value, f"{raw.path}#{kind}-{number}")


def _record(raw: Raw, record: object, place: str) -> Iterator[Item]:
    if isinstance(record, SourceProblem):
        yield record
    elif isinstance(record, Mapping) and record.get("type") == "entity":
        yield from _entity(raw, record, place)
    elif isinstance(record, Mapping) and record.get("type") == "relation":
        yield from _relation(raw, record, place)
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
        words = text_of(observation)
        if words:
            about = metadata(entity=name, entity_type=kind)
            yield _turn(raw, f"{head}: {words}", address, about)
        else:
            yield SourceProblem(path=address, reason="an observation is not text")


def _relation(raw: Raw, record: Mapping[str, Any], place: str) -> Iterator[Item]:
    start, kind, end = (label(record.get(key)) for key in ("from", "relationType", "to"))
    if start is None or kind is None or end is None:
        reason = "a relation needs 'from', 'relationType' and 'to'"
        yield SourceProblem(path=place, reason=reason)
        return
    about = metadata(entity=start, relation=kind, to=end)
    yield _turn(raw, f"{start} {kind} {end}", place, about)


def _turn(raw: Raw, text: str, address: str, about: dict[str, Any]) -> Turn:
    return Turn(text=text, at=raw.modified, source=raw.path, address=address, metadata=about)
