"""Files as they are read for an import: their turns, where they are, and times that cannot be."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Final, NamedTuple

from hippocampus.core.budget import check_budget
from hippocampus.core.records import FileLocation, Turn
from hippocampus.core.timestamps import to_moment
from hippocampus.encode.tokens import count
from hippocampus.errors import InvalidTime, SourceError
from hippocampus.sources import SessionLog, SourceFile, read_source
from hippocampus.sources.agents.tools import TOOLS
from hippocampus.write.chunking import split_text

_RECORDS: Final = frozenset({"messages", "chatgpt", "claude", "mbox", "eml", *TOOLS})
"""Formats of talk, all of it said at some time; the time of a document may be any."""
_FIRST: Final = datetime(1970, 1, 2, tzinfo=UTC)
"""Earliest moment that a file can tell, in any zone: nothing was said before clocks begin."""
_AHEAD: Final = timedelta(days=1)
_TOLD: Final = 20
"""Most turns of a file of which it is told, one by one, that their time cannot be right."""


_PART_TURNS: Final = 4096
"""Turns of a log that are in memory at a time: of short ones the objects are larger than the words,
which the next number bounds. Chosen by hand, both."""
_PART_CHARACTERS: Final = 4_000_000
"""Characters of a log that are in memory at a time."""


class FileRead(NamedTuple):
    """A file that was read: its name within the import, its turns, and its problems."""

    name: str
    format: str
    turns: list[Turn]
    doubtful: tuple[tuple[str, str], ...]


class FilesRead(NamedTuple):
    """Contents of a file or folder, and (path, reason) of what could not be read."""

    files: list[FileRead]
    logs: list[SessionLog]
    """Logs, which are still to be read."""
    unreadable: tuple[tuple[str, str], ...]


def read_files(
    path: Path,
    *,
    format: str | None,  # noqa: A002
    location: FileLocation | None = None,
    chunk_tokens: int,
    now: datetime,
    zone: tzinfo,
) -> FilesRead:
    """
    Read a file, or those of a folder, into turns.

    ``location``: as for ``read_source``; now and zone tell which times cannot be.
    """
    files: list[FileRead] = []
    logs: list[SessionLog] = []
    unreadable: list[tuple[str, str]] = []
    for item in read_source(path, format=format, location=location):
        check_budget()
        if isinstance(item, SourceFile):
            doubtful: list[tuple[str, str]] = []
            dated = [_within_time(turn, item, zone, doubtful) for turn in item.turns]
            item = dataclasses.replace(item, turns=tuple(dated))  # noqa: PLW2901
            doubtful += _doubtful(item, now, zone)
            turns = list(as_turns(item, chunk_tokens))
            files.append(FileRead(item.path, item.format, turns, tuple(doubtful)))
        elif isinstance(item, SessionLog):
            logs.append(item)
        else:
            unreadable.append((item.path, item.reason))
    return FilesRead(files, logs, tuple(unreadable))


class LogPart(NamedTuple):
    """Some turns of a log, and what was told of since the part before."""

    read: FileRead
    unreadable: tuple[tuple[str, str], ...]


def read_log(log: SessionLog, *, now: datetime, zone: tzinfo) -> Iterator[LogPart]:
    """
    Yield the turns of a log in parts, of which one at a time is in memory; at least one part.

    What is damaged ends the log where it is, and what was read before it is kept.
    """
    turns: list[Turn] = []
    problems: list[tuple[str, str]] = []
    size = 0
    try:
        for item in log.items():
            if not isinstance(item, Turn):
                problems.append((item.path, item.reason))
                continue
            turns.append(item)
            size += len(item.text)
            if len(turns) >= _PART_TURNS or size >= _PART_CHARACTERS:
                yield _part(log, turns, problems, now, zone)
                turns, problems, size = [], [], 0
    except SourceError as exc:
        problems.append((log.path, str(exc).removeprefix(f"{log.path}: ")))
    except OSError as exc:
        problems.append((log.path, exc.strerror or str(exc)))
    yield _part(log, turns, problems, now, zone)


def _part(
    log: SessionLog,
    turns: list[Turn],
    problems: list[tuple[str, str]],
    now: datetime,
    zone: tzinfo,
) -> LogPart:
    part = SourceFile(
        path=log.path, digest="", turns=tuple(turns), format=log.format, modified=log.modified
    )
    doubtful: list[tuple[str, str]] = []
    dated = [_within_time(turn, part, zone, doubtful) for turn in turns]
    doubtful += _doubtful(dataclasses.replace(part, turns=tuple(dated)), now, zone)
    return LogPart(FileRead(log.path, log.format, dated, tuple(doubtful)), tuple(problems))


def as_turns(file: SourceFile, chunk_tokens: int) -> Iterator[Turn]:
    """
    Yield the turns of a file; a document's text comes as chunks that are turns of their own.

    A document is its own session: what stands around a chunk helps to find it, as in dialogue.
    So is a diary, with all of its days.
    """
    for turn in file.turns:
        if turn.session is not None or not turn.text.strip():
            if turn.text.strip():
                yield turn
            continue
        pieces = split_text(turn.text, chunk_tokens, count)
        whole = turn.address or file.path
        session = file.path if file.format == "document" else whole
        place = 0
        for piece in pieces:
            if not piece.strip():
                continue
            address = f"{whole}#chunk-{place}" if len(pieces) > 1 else whole
            source = turn.source or file.path
            yield dataclasses.replace(
                turn, text=piece, session=session, source=source, address=address
            )
            place += 1


def _within_time(
    turn: Turn, file: SourceFile, zone: tzinfo, doubtful: list[tuple[str, str]]
) -> Turn:
    """Return a turn with the time of its file, if its own is one that there is not."""
    try:
        if turn.at is not None:
            to_moment(turn.at, zone)
    except InvalidTime:
        reason = "is dated outside the years 1 to 9999; its file's time is taken"
        doubtful.append((turn.address or file.path, reason))
        return dataclasses.replace(turn, at=file.modified)
    return turn


def _doubtful(file: SourceFile, now: datetime, zone: tzinfo) -> Iterator[tuple[str, str]]:
    """Yield the address of what was said at a time that cannot be, or at none, and why."""
    if file.format not in _RECORDS:
        return
    undated = told = 0
    for turn in file.turns:
        if turn.at is None or turn.at == file.modified:
            undated += 1
            continue
        at = to_moment(turn.at, zone)
        if at >= _FIRST and at - now <= _AHEAD:
            continue
        told += 1
        if told <= _TOLD:
            when = "in the future" if at > now else "before there were such files"
            yield turn.address or file.path, f"is dated {at.date()}, {when}; it is kept so"
    if told > _TOLD:
        yield file.path, f"{told - _TOLD:,} more have times that cannot be right"
    if undated:
        yield file.path, _undated(undated, len(file.turns))


def _undated(undated: int, of: int) -> str:
    return f"{undated:,} of {of:,} turns have no time of their own; the file's is taken"
