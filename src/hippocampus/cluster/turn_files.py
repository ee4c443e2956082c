"""Turns in files: Parquet through pyarrow, or a line of JSON each."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, NamedTuple, Self, cast

from hippocampus.core.files import reading
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.optional import require
from hippocampus.core.origin import Origin
from hippocampus.core.records import Episode, Turn
from hippocampus.errors import InputError, SourceError

COLUMNS: Final = (
    "bank", "text", "at", "speaker", "role", "session", "source", "address", "metadata", "origin",
)  # fmt: skip
"""Columns of a turn in a file; ``metadata`` is an object, in Parquet as JSON."""
PARQUET: Final = ".parquet"
JSON_LINES: Final = (".jsonl", ".ndjson")
_AT_ONCE: Final = 4096
"""Rows of Parquet in memory at once. Chosen by hand."""
_PORTION_BYTES: Final = 1 << 24
"""Bytes of lines that one worker reads, so that a large file is shared among several. Chosen by
hand."""


class GivenTurn(NamedTuple):
    """A turn as a file has it."""

    place: str
    """Place of the turn: the file, and the row in it or the byte at which its line begins."""
    bank: str
    fields: Mapping[str, Any]

    def turn(self) -> Turn:
        """
        Return the turn.

        Raises:
            InputError: it lacks its text, its time, or its bank.

        """
        told, text, at = self.fields, self.fields.get("text"), self.fields.get("at")
        if not isinstance(text, str):
            raise InputError("there is no text; each row has one, a string")
        if at is None:
            raise InputError("there is no time (at), and to import it again would keep it twice")
        metadata = told.get("metadata") or {}
        if isinstance(metadata, str):
            try:
                metadata = json.loads(metadata)
            except (ValueError, RecursionError) as exc:
                raise InputError(f"metadata={metadata!r:.80}: is no JSON: {exc}") from exc
        return Turn(
            text=text, at=at, speaker=told.get("speaker"), role=told.get("role"),
            session=told.get("session"), source=told.get("source"), address=told.get("address"),
            metadata=metadata, origin=cast("Origin | None", told.get("origin")),
        )  # fmt: skip


@immutable(kw_only=False)
class FilePortion:
    """A part of a file: groups of rows of Parquet, or bytes of lines."""

    path: str
    start: int
    stop: int


def find_files(paths: Sequence[str | Path]) -> list[Path]:
    """
    Return the files of turns that are meant: files, and those in folders.

    Raises:
        SourceError: there is no such file, or it is of another kind.

    """
    found: list[Path] = []
    for path in map(Path, paths):
        if path.is_dir():
            named = (p for p in path.rglob("*") if p.suffix in (PARQUET, *JSON_LINES))
            inside = sorted(p for p in named if p.is_file())  # Spark has folders called so, too
            if not inside:
                raise SourceError("has no .parquet, .jsonl or .ndjson file in it", path=path)
            found += inside
        elif not path.is_file():
            raise SourceError("there is no such file", path=path)
        elif path.suffix not in (PARQUET, *JSON_LINES):
            raise SourceError("is no .parquet, .jsonl or .ndjson file", path=path)
        else:
            found.append(path)
    return [path.resolve() for path in found]


def portions(path: Path) -> Iterator[FilePortion]:
    """Yield the parts in which a file is read."""
    if path.suffix == PARQUET:
        with _parquet(path) as table:
            groups = table.num_row_groups
        for group in range(groups):
            yield FilePortion(str(path), group, group + 1)
        return
    size = path.stat().st_size
    for start in range(0, size, _PORTION_BYTES):
        yield FilePortion(str(path), start, min(start + _PORTION_BYTES, size))


@contextmanager
def _parquet(path: Path) -> Iterator[Any]:
    pyarrow = require("pyarrow", extra="ray", feature="Parquet")
    parquet = require("pyarrow.parquet", extra="ray", feature="Parquet")
    try:
        with reading(path) as file:
            yield parquet.ParquetFile(file)
    except SourceError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as exc:
        raise SourceError(f"cannot be read as Parquet: {exc}", path=path) from exc


def read_portion(portion: FilePortion, *, bank: str | None) -> Iterator[GivenTurn]:
    """Yield the turns of a part of a file; ``bank``: of those that name none."""
    path = Path(portion.path)
    rows = _parquet_rows if path.suffix == PARQUET else _json_rows
    for place, fields in rows(path, portion):
        named = fields.get("bank") or bank
        yield GivenTurn(f"{path}:{place}", str(named or ""), fields)


def _parquet_rows(path: Path, portion: FilePortion) -> Iterator[tuple[int, Mapping[str, Any]]]:
    with _parquet(path) as table:
        there = [name for name in COLUMNS if name in table.schema_arrow.names]
        place = sum(table.metadata.row_group(group).num_rows for group in range(portion.start))
        groups = list(range(portion.start, portion.stop))
        for batch in table.iter_batches(_AT_ONCE, row_groups=groups, columns=there):
            for row in batch.to_pylist():
                place += 1
                yield place, row


def _json_rows(path: Path, portion: FilePortion) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the lines that begin in a part of a file."""
    with reading(path) as file:
        if portion.start:  # the line that is there began before
            # One byte before: if that is the line break, the line that begins here is ours.
            file.seek(portion.start - 1)
            file.readline()
        while (place := file.tell()) < portion.stop:
            line = file.readline()
            if line.strip():
                yield place, _fields(line)


def _fields(line: bytes) -> Mapping[str, Any]:
    try:
        fields = json.loads(line)
    # Without fields the row has no text, and is reported with its place by whoever keeps it.
    except (ValueError, RecursionError):
        return {}
    return fields if isinstance(fields, dict) else {}


def bucket_of(bank: str, buckets: int) -> int:
    """Return the number of a bank's part, of so many, the same in every process."""
    # Python's own hash differs from process to process.
    made = blake2b(bank.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(made, "big") % buckets


class TurnWriter:
    """Writes episodes as turns into a file, of one kind or the other."""

    def __init__(self, unfinished: Path, suffix: str) -> None:
        self._unfinished, self._parquet = unfinished, suffix == PARQUET
        self._lines: IO[str] | None = None
        self._table: Any = None

    def __enter__(self) -> Self:
        if self._parquet:
            pyarrow = require("pyarrow", extra="ray", feature="Parquet")
            parquet = require("pyarrow.parquet", extra="ray", feature="Parquet")
            kinds = dict.fromkeys(COLUMNS, pyarrow.string())
            # As exact as the store: a turn with another time would be kept a second time.
            kinds["at"] = pyarrow.timestamp("us", tz="UTC")
            self._schema = pyarrow.schema(kinds)
            self._arrow = pyarrow
            self._table = parquet.ParquetWriter(self._unfinished, self._schema, compression="zstd")
        else:
            self._lines = self._unfinished.open("w", encoding="utf-8", newline="\n")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for out in (self._table, self._lines):
            if out is not None:
                out.close()

    def write(
        self,
        episodes: Iterable[Episode],
        gate: Callable[[Mapping[str, Any]], dict[str, Any]] = dict,
    ) -> None:
        """Write the turns of one bank; ``gate`` returns the fields of each as they may go out."""
        rows = [gate(_told(episode)) for episode in episodes]
        if self._lines is not None:
            for row in rows:
                kept = {key: value for key, value in row.items() if value not in (None, {})}
                kept["at"] = row["at"].isoformat()
                self._lines.write(json.dumps(kept, ensure_ascii=False) + "\n")
        elif rows:
            for row in rows:
                row["metadata"] = json.dumps(row["metadata"], ensure_ascii=False)
            self._table.write_table(self._arrow.Table.from_pylist(rows, schema=self._schema))


def _told(episode: Episode) -> dict[str, Any]:
    at: datetime = episode.occurred_at
    return {
        "bank": episode.bank, "text": episode.text, "at": at, "speaker": episode.speaker,
        "role": episode.role, "session": episode.session, "source": episode.source,
        "address": episode.address or None, "metadata": dict(episode.metadata),
        "origin": episode.origin,
    }  # fmt: skip
