"""Walk a file or folder, tell the formats apart, and read each file or say why not."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import stat
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePath, PurePosixPath
from typing import Any, NamedTuple

from hippocampus.core.files import reading
from hippocampus.core.path_text import path_of_text, path_text
from hippocampus.core.records import FileLocation, Turn
from hippocampus.errors import InputError, SourceError
from hippocampus.sources.agents.aider import read_found_aider
from hippocampus.sources.agents.log import LONGEST_LINE, LogReader, SessionLog
from hippocampus.sources.agents.memory_files import read_agent_memory, read_project_memory
from hippocampus.sources.agents.tools import (
    MEMORY,
    MEMORY_SUFFIXES,
    PROJECT_CHAT,
    PROJECT_MEMORY,
    TOOLS,
    kind_of,
    log_of_head,
    log_of_record,
)
from hippocampus.sources.base import (
    Raw,
    Reader,
    SourceFile,
    SourceProblem,
    decode,
    load_json,
)
from hippocampus.sources.chat_exports import read_chatgpt, read_claude
from hippocampus.sources.documents import read_document
from hippocampus.sources.mail import read_eml, read_mbox
from hippocampus.sources.memory_exports import read_mcp_memory, read_mem0
from hippocampus.sources.messages import read_messages

FORMATS: Mapping[str, Reader] = {
    "document": read_document,
    "messages": read_messages,
    "chatgpt": read_chatgpt,
    "claude": read_claude,
    "mbox": read_mbox,
    "eml": read_eml,
    "mem0": read_mem0,
    "mcp-memory": read_mcp_memory,
    MEMORY: read_agent_memory,
    PROJECT_MEMORY: read_project_memory,
}
"""The formats of files that are read whole, by name, and what reads them."""
ALL_FORMATS: tuple[str, ...] = (*FORMATS, *TOOLS, PROJECT_CHAT)
"""Every format that can be named; logs of coding agents are read as streams."""

_BY_SUFFIX = dict.fromkeys((".md", ".markdown", ".txt", ".rst"), "document") | {
    ".mbox": "mbox",
    ".eml": "eml",
}
_JSON = {".json", ".jsonl", ".ndjson"}
_SKIPPED_FOLDERS = {"node_modules", "__pycache__"}
_MAX_BYTES = 64 * 1024 * 1024
"""Bytes of a file that is read whole; of a log, read in lines, one line (docs/sources.md). Chosen
by hand."""
_MAY_BE_LOGS = {".json", ".jsonl", ".ndjson", ".md", ".vscdb"}
_HEAD_BYTES = 4096
"""Bytes of a file that is no log of lines, by whose beginning its tool is known. By hand."""
_HEAD_LINES = 20
"""Lines of which one tells whose log they are: the first may be damaged."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def read_source(
    path: Path,
    *,
    format: str | None = None,  # noqa: A002 (what the command line calls it)
    location: FileLocation | None = None,
    max_bytes: int = _MAX_BYTES,
) -> Iterator[SourceFile | SessionLog | SourceProblem]:
    """
    Read a file, or every file of a folder in order of name.

    A session's log is not read here: whoever gets it reads it as a stream, and as long as the
    iteration stands at it.

    What cannot be read is yielded as a problem, and the rest goes on. Hidden files and folders,
    ``node_modules`` and ``__pycache__`` are passed over in silence. Links inside the folder are
    not followed: what a folder holds cannot point at what it does not.

    Args:
        path: the file or folder; its files' paths are relative to it, a single file's is its name.
        format: one of ``ALL_FORMATS``, to read every file as it; by default each file's own. Of a
            coding agent's folder what is neither a log nor a memory is passed over in silence.
        location: where a file is and what it is called, if ``path`` is a copy of it.
        max_bytes: largest file that is read whole; a log of lines may be of any size.

    Raises:
        SourceError: there is no such file or folder.
        InputError: there is no such format.
    """
    check_format(format)
    if not path.exists():
        raise SourceError("no such file or folder", path=path)
    called = None if location is None or path.is_dir() else location.name
    for name, file in files_of(path) if called is None else [(called, path)]:
        if isinstance(file, SourceProblem):
            yield file
            continue
        try:
            read_as = _choose(format, name, file, alone=file == path and "/" not in name)
            if isinstance(read_as, _Log):
                yield _open_log(name, file, read_as, location)
            elif read_as is not _PASSED_OVER:
                yield from _read(name, file, read_as, max_bytes)
        except SourceError as exc:
            yield SourceProblem(path=name, reason=str(exc).removeprefix(f"{file}: "))
        except OSError as exc:
            yield SourceProblem(path=name, reason=exc.strerror or str(exc))


def check_format(format: str | None) -> None:  # noqa: A002 (what the command line calls it)
    """
    Refuse a format that no file is read as; None is each file's own.

    Raises:
        InputError: there is no such format.

    """
    if format is not None and format not in ALL_FORMATS:
        msg = f"format={format!r}: must be one of {', '.join(ALL_FORMATS)}"
        raise InputError(msg)


def without_reader(name: str) -> SourceProblem | None:
    """Return the problem with a file that nothing reads, whatever it holds, by its name."""
    suffix = _suffix(name)
    if suffix in _BY_SUFFIX or suffix in _JSON:
        return None
    kind = suffix or "files without a suffix"
    reason = f"no reader for {kind}; name a format to read it: {', '.join(FORMATS)}"
    return SourceProblem(path=name, reason=reason, skipped=True)


def may_be_log(name: str) -> bool:
    """Return whether a file may be the log of a coding agent, by its name."""
    return _suffix(name) in _MAY_BE_LOGS or PurePosixPath(name).name == "opencode.db"


def _suffix(name: str) -> str:
    return PurePosixPath(name).suffix.lower()


def files_of(root: Path) -> Iterator[tuple[str, Path | SourceProblem]]:
    """Yield (path relative to the root, file) in order of name, or why one is not read."""
    if not root.is_dir():
        yield path_text(Path(root.name)), root
        return
    failures: list[OSError] = []
    for folder, folders, names in os.walk(root, onerror=failures.append):
        here = Path(folder)
        kept = sorted(n for n in folders if not n.startswith(".") and n not in _SKIPPED_FOLDERS)
        # In place, since os.walk() goes into what is left in this list.
        folders[:] = [name for name in kept if not (here / name).is_symlink()]
        links = [name for name in kept if name not in folders]
        for name in sorted([*links, *(n for n in names if not n.startswith("."))]):
            place = path_text((here / name).relative_to(root))
            if (here / name).is_symlink():
                reason = "is a link, and links in a folder are not followed"
                yield place, SourceProblem(path=place, reason=reason, skipped=True)
            else:
                yield place, here / name
    for failure in failures:
        place = path_text(Path(os.fsdecode(failure.filename)).relative_to(root))
        yield place, SourceProblem(path=place, reason=failure.strerror or str(failure))


def this_host() -> str:
    """Return the name of this machine, which tells its files from another's of the same path."""
    return platform.node() or "localhost"


def is_missing(place: str) -> bool:
    """Return whether there is surely nothing at a path; what cannot be looked at may be there."""
    try:
        os.lstat(path_of_text(place))
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False
    return False


def _read(
    name: str, file: Path, chosen: str | None, max_bytes: int
) -> Iterator[SourceFile | SourceProblem]:
    suffix = _suffix(name)
    if chosen is None and (problem := without_reader(name)) is not None:
        yield problem
        return
    turns: list[Turn] = []
    problems = 0
    try:
        raw = _load(name, file, max_bytes)
        known = chosen or _BY_SUFFIX.get(suffix) or _json_format(raw, suffix)
        for item in FORMATS[known](raw):
            if isinstance(item, Turn):
                turns.append(item)
            else:
                problems += 1
                yield item
    except SourceError as exc:
        yield SourceProblem(path=name, reason=str(exc).removeprefix(f"{name}: "))
    except RecursionError:
        yield SourceProblem(path=name, reason="is nested too deeply to read")
    except OSError as exc:
        yield SourceProblem(path=name, reason=exc.strerror or str(exc))
    else:
        if not turns and not problems:
            yield SourceProblem(path=name, reason="holds no text to remember")
            return
        digest = hashlib.sha256(raw.data).hexdigest()
        yield SourceFile(
            path=name, digest=digest, turns=tuple(turns),
            format=MEMORY if known == PROJECT_MEMORY else known, modified=raw.modified,
        )  # fmt: skip


def _load(name: str, file: Path, max_bytes: int) -> Raw:
    status = file.stat()
    if not stat.S_ISREG(status.st_mode):
        raise SourceError("is not a regular file", path=name)  # a pipe would wait for ever
    with reading(file) as stream:
        # Read, and not asked how large it is: it may grow meanwhile.
        data = stream.read(max_bytes + 1)
    if len(data) > max_bytes:
        size = max(status.st_size, len(data))
        msg = f"has {size} bytes, more than max_bytes={max_bytes}; split it, or raise the cap"
        raise SourceError(msg, path=name)
    return Raw(path=name, data=data, modified=modified_at(status))


def modified_at(status: os.stat_result) -> datetime:
    """Return the moment at which a file was changed; that of none if no calendar has it."""
    try:  # seconds as an integer: a file's time may be any 64-bit number
        return _EPOCH + timedelta(microseconds=status.st_mtime_ns // 1000)
    except OverflowError:
        return _EPOCH


class _Log(NamedTuple):
    """Log of a coding agent: the tool that wrote it, and its reader."""

    tool: str
    reader: LogReader


_PASSED_OVER = ""
"""Stands for the format of what is not read, and not told of."""


def _choose(chosen: str | None, name: str, file: Path, *, alone: bool) -> _Log | str | None:
    """Return the reader of a file: of a log, or of a format, or None where the file tells."""
    if chosen in TOOLS and chosen is not None:
        reader = kind_of(chosen, name, alone=alone)
        if reader is None:
            return _PASSED_OVER
        return reader if isinstance(reader, str) else _Log(chosen, reader)
    if chosen == PROJECT_CHAT:
        return _Log("aider", read_found_aider)
    if chosen == PROJECT_MEMORY and not alone and _suffix(name) not in MEMORY_SUFFIXES:
        return _PASSED_OVER
    # Looking into a pipe would wait for ever.
    if chosen is None and may_be_log(name) and file.is_file():
        found = _log_of(name, file)
        return None if found is None else _Log(*found)
    return chosen


def _open_log(
    name: str, file: Path, log: _Log, location: FileLocation | None
) -> SessionLog | SourceProblem:
    status = file.stat()
    if not stat.S_ISREG(status.st_mode):
        return SourceProblem(path=name, reason="is not a regular file")
    return SessionLog(
        path=name, file=file, format=log.tool, modified=modified_at(status), size=status.st_size,
        reader=log.reader,
        folder=_folder_of(path_text(file) if location is None else location.place),
    )  # fmt: skip


def _folder_of(place: str | None) -> str | None:
    return None if place is None else str(PurePath(place).parent)


def _log_of(name: str, file: Path) -> tuple[str, LogReader] | None:
    """Return the tool of a log, if its first lines tell, and the reader of it."""
    with reading(file) as stream:
        if _suffix(name) not in {".jsonl", ".ndjson"}:
            return log_of_head(PurePosixPath(name).name, stream.read(_HEAD_BYTES))
        for _ in range(_HEAD_LINES):
            line = stream.readline(LONGEST_LINE)
            if not line:
                break
            try:
                # A crash of the machine may have left NULs in it.
                record = json.loads(line.replace(b"\0", b"").decode("utf-8", "replace"))
            except (ValueError, RecursionError):
                continue
            if isinstance(record, Mapping) and (found := log_of_record(record)) is not None:
                return found
    return None


def _json_format(raw: Raw, suffix: str) -> str:
    """Tell JSON formats apart by the shape of their first record."""
    if suffix == ".json":
        return _shape(raw.json())
    # As json_lines() parts them.
    for line in decode(raw)[0].split("\n"):
        if line.strip():
            try:
                return _shape(load_json(line, path=raw.path))
            except SourceError:
                continue
    return "messages"


def _shape(value: Any) -> str:  # noqa: ANN401 (JSON is any)
    wrapped = isinstance(value, Mapping) and isinstance(value.get("results"), list)
    records = value["results"] if wrapped else value if isinstance(value, list) else [value]
    record = next((item for item in records if isinstance(item, Mapping)), {})
    if isinstance(record.get("mapping"), Mapping):
        return "chatgpt"
    if isinstance(record.get("chat_messages"), list):
        return "claude"
    if isinstance(record.get("memory"), str):
        return "mem0"
    graph = isinstance(record.get("entities"), list) and isinstance(record.get("relations"), list)
    if graph or (record.get("type") == "entity" and "name" in record):
        return "mcp-memory"
    if record.get("type") == "relation" and "relationType" in record:
        return "mcp-memory"
    return "messages"
