"""A log as it is read: a line at a time, however long it is, and while its tool writes on."""

from __future__ import annotations

import codecs
import io
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias, TypeVar

import msgspec

from hippocampus.core.files import reading
from hippocampus.errors import SourceError
from hippocampus.sources.base import Item, SourceProblem

LogReader: TypeAlias = Callable[["SessionLog"], Iterator[Item]]
T = TypeVar("T")

LONGEST_LINE: Final = 64 * 1024 * 1024
"""Bytes of a line that is read; what is longer holds a picture or a file, and is passed over."""
_PIECE: Final = 1024 * 1024
"""Bytes read at once of a line that is passed over, which is never in memory whole. By hand."""
_TOLD: Final = 20
"""Lines of a log that are told of one by one because they cannot be read."""
_KINDS_TOLD: Final = 12
"""Types that a message names, each with 40 characters at most, so that it stays short. By hand."""
_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(slots=True, kw_only=True)
class SessionLog:
    """
    A log that is read as a stream: of what it says only the turns of the moment are in memory.

    ``left_out`` counts what was read and is no memory, by kind; ``done`` is the number of bytes
    that were read, of ``size``. Both grow with reading.
    """

    path: str
    """Relative to the folder that was asked for, with forward slashes."""
    file: Path
    format: str
    modified: datetime
    size: int
    reader: LogReader
    folder: str | None = None
    """Path of the folder that it is in, on whatever machine, if anybody knows."""
    left_out: Counter[str] = field(default_factory=Counter)
    done: int = 0

    def items(self) -> Iterator[Item]:
        """Yield the turns in their order, and what could not be read; an ``OSError`` ends it."""
        return self.reader(self)


def lines(log: SessionLog) -> Iterator[tuple[int, bytes, bool]]:
    """
    Yield (number from 1, bytes without the break, whether it is whole) of the lines of a log.

    What was there when the log was opened is read, and not what its tool adds meanwhile. NULs, of
    which a crash of the machine leaves runs, are left out.
    """
    with reading(log.file) as file:
        for number, line in enumerate(_lines(log, file), 1):
            if len(line) > LONGEST_LINE:
                log.left_out["lines that are too long"] += 1
                continue
            whole = line.endswith(b"\n")
            bare = line.replace(b"\0", b"") if b"\0" in line else line
            yield number, bare.rstrip(b"\r\n"), whole


def whole_text(log: SessionLog) -> bytes:
    """
    Return all of a log that is one text and no lines.

    Raises:
        SourceError: it is too long for that.

    """
    if log.size > LONGEST_LINE:
        most = LONGEST_LINE // 1024**2
        msg = f"is one JSON text of {log.size // 1024**2:,} MB; more than {most} MB is not read"
        raise SourceError(msg, path=log.path)
    return b"\n".join(line for _, line, _ in lines(log))


def _lines(log: SessionLog, file: BinaryIO) -> Iterator[bytes]:
    head = file.read(4)
    if head.startswith(_UTF_16):
        file.seek(0)
        text = io.TextIOWrapper(file, encoding="utf-16", errors="replace", newline="\n")
        try:
            while said := text.readline(LONGEST_LINE + 1):
                # Most characters have two bytes, which is near enough to tell how far it is.
                log.done = min(log.size, log.done + 2 * len(said))
                yield said.encode("utf-8", "replace")
        finally:
            text.detach()  # or the wrapper would close the file
        return
    file.seek(3 if head.startswith(codecs.BOM_UTF8) else 0)
    log.done = file.tell()
    while log.done < log.size:
        line = file.readline(min(LONGEST_LINE + 1, log.size - log.done))
        if not line:
            return
        log.done += len(line)
        yield line
        if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            # Its 64 MB are let go of while the rest is passed over.
            del line
            _pass_line(log, file)


def _pass_line(log: SessionLog, file: BinaryIO) -> None:
    """Go to the end of a line without keeping it."""
    while log.done < log.size:
        piece = file.readline(min(_PIECE, log.size - log.done))
        log.done += len(piece)
        if not piece or piece.endswith(b"\n"):
            return


class LogRecords:
    """
    The lines of a log as records of one type; what is not one is told, and the rest goes on.

    A line that is not finished is that of a tool that writes, and comes with the next import.
    """

    def __init__(self, log: SessionLog, kind: type[T]) -> None:
        self._log = log
        self._decoder = msgspec.json.Decoder(kind)
        self._bad = 0
        self._unknown: Counter[str] = Counter()

    def __iter__(self) -> Iterator[tuple[int, object]]:
        """Yield (number of the line, record), and (number, ``SourceProblem``)."""
        for number, line, whole in lines(self._log):
            if not line.strip():
                continue
            try:
                yield number, self._decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
                again = self._mended(line)
                if again is not None:
                    yield number, again
                elif not whole and self._log.done >= self._log.size:
                    reason = "is not finished; the next import reads it"
                    yield number, self._problem(number, reason, skipped=True)
                else:
                    self._bad += 1
                    if self._bad <= _TOLD:
                        yield number, self._problem(number, _reason(exc))

    def unknown(self, kind: str) -> None:
        """Note a line of a type that this version does not know."""
        self._unknown[kind[:40] or "(none)"] += 1

    def end(self) -> Iterator[SourceProblem]:
        """Yield turns that the log as a whole tells."""
        path = self._log.path
        if self._bad > _TOLD:
            reason = f"{self._bad - _TOLD:,} more lines cannot be read"
            yield SourceProblem(path=path, reason=reason)
        if long := self._log.left_out["lines that are too long"]:
            lines = "a line" if long == 1 else f"{long:,} lines"
            reason = f"{lines} of more than {LONGEST_LINE // 1024**2} MB passed over"
            yield SourceProblem(path=path, reason=reason)
        if self._unknown:
            names = ", ".join(sorted(self._unknown)[:_KINDS_TOLD])
            count = self._unknown.total()
            lines = "a line" if count == 1 else f"{count:,} lines"
            reason = f"{lines} of a kind that this version does not know passed over ({names})"
            yield SourceProblem(path=path, reason=reason, skipped=True)

    def _mended(self, line: bytes) -> object | None:
        """Read a line that is not UTF-8 throughout; None if that is not what is wrong."""
        try:
            line.decode()
        except UnicodeDecodeError:
            with_marks = line.decode("utf-8", "replace").encode()
        else:
            return None
        try:
            return self._decoder.decode(with_marks)
        except (msgspec.DecodeError, RecursionError):
            return None

    def _problem(self, number: int, reason: str, *, skipped: bool = False) -> SourceProblem:
        return SourceProblem(path=f"{self._log.path}#line-{number}", reason=reason, skipped=skipped)


def _reason(exc: Exception) -> str:
    if isinstance(exc, RecursionError):
        return "is nested too deeply to read"
    if isinstance(exc, msgspec.ValidationError):
        return f"is not of the form this version knows: {exc}"
    return f"not JSON: {exc}"
