"""Preview of an import, counted by reading it, without a bank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from hippocampus.core.records import Turn
from hippocampus.core.turn_choice import chosen_turns
from hippocampus.errors import SourceError
from hippocampus.sources.agents.log import SessionLog
from hippocampus.sources.base import Item, SourceFile, SourceProblem
from hippocampus.sources.walk import read_source


@dataclass(slots=True, kw_only=True)
class FilePreview:
    """Preview of one file: how many turns, of whom and when, and what of it stays out."""

    file: str
    format: str
    turns: int = 0
    sessions: int = 0
    by_role: dict[str, int] = field(default_factory=dict)
    characters: int = 0
    first: datetime | None = None
    last: datetime | None = None
    left_out: dict[str, int] = field(default_factory=dict)
    unreadable: list[tuple[str, str]] = field(default_factory=list)


def preview(path: Path, *, format: str | None = None) -> Iterator[FilePreview | SourceProblem]:  # noqa: A002
    """Yield a preview of each file, in the order in which an import reads them."""
    for item in read_source(path, format=format):
        if isinstance(item, SourceProblem):
            yield item
        elif isinstance(item, SourceFile):
            yield counted(FilePreview(file=item.path, format=item.format), iter(item.turns))
        else:
            yield _log(item)


def _log(log: SessionLog) -> FilePreview:
    seen = FilePreview(file=log.path, format=log.format)
    try:
        counted(seen, log.items())
    except (SourceError, OSError) as exc:
        seen.unreadable.append((log.path, str(exc).removeprefix(f"{log.path}: ")))
    seen.left_out = dict(log.left_out.most_common())
    return seen


def _taken(seen: FilePreview, items: Iterator[Item]) -> Iterator[Turn]:
    """Yield the turns of a file that an import would take, and note what cannot be read."""
    for item in items:
        if isinstance(item, Turn):
            yield from chosen_turns([item])
        else:
            seen.unreadable.append((item.path, item.reason))


def counted(seen: FilePreview, items: Iterator[Item]) -> FilePreview:
    """Return a preview after counting in it what an import would take of a file."""
    roles: Counter[str] = Counter()
    sessions: set[str] = set()
    for item in _taken(seen, items):
        seen.turns += 1
        seen.characters += len(item.text)
        roles[item.role or item.speaker or "-"] += 1
        if item.session is not None:
            sessions.add(item.session)
        if isinstance(item.at, datetime):
            # Only to be compared: which zone is meant the bank would say.
            at = item.at if item.at.tzinfo else item.at.replace(tzinfo=UTC)
            seen.first = at if seen.first is None else min(seen.first, at)
            seen.last = at if seen.last is None else max(seen.last, at)
    seen.by_role, seen.sessions = dict(roles.most_common()), len(sessions)
    return seen
