"""Whole banks and whole folders in and out: export, import, and importing again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from hippocampus._clock import to_micros
from hippocampus.encode.tokens import count
from hippocampus.errors import SourceError
from hippocampus.ingest.chunk import split_text
from hippocampus.ingest.sources import SourceFile, read_source
from hippocampus.model import Change, Imported, Progress, Turn

EXPORT_FORMAT = 1


class Portable(Protocol):
    """The part of a bank that comes and goes whole."""

    @property
    def name(self) -> str:
        """What the bank is called."""
        ...

    @property
    def chunk_tokens(self) -> int:
        """Longest episode in tokens."""
        ...

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield every episode in any state, in the order of noting."""
        ...

    def journal(self) -> list[Change]:
        """Return every change, in order."""
        ...

    def load_records(
        self,
        episodes: Sequence[Mapping[str, Any]],
        changes: Sequence[Mapping[str, Any]],
        *,
        path: Path,
        progress: Progress | None = None,
    ) -> Imported:
        """Take in what ``records`` and the journal gave, all or nothing."""
        ...

    def replace_source(
        self, source: str, turns: Sequence[Turn], *, progress: Progress | None = None
    ) -> Imported:
        """Make a source's episodes equal ``turns``."""
        ...


def export_bank(bank: Portable, path: Path) -> int:
    """Write a bank as JSONL: a head, every episode in any state, every journal row."""
    records = bank.records()
    partial = path.with_name(path.name + ".partial")
    with partial.open("w", encoding="utf-8", newline="\n") as out:
        _line(out, {"hippocampus-export": EXPORT_FORMAT, "bank": bank.name})
        written = 0
        for record in records:
            _line(out, {"episode": record})
            written += 1
        for change in bank.journal():
            _line(
                out,
                {
                    "change": {
                        "seq": change.seq,
                        "at": to_micros(change.at),
                        "kind": change.kind,
                        "episode": change.episode,
                        "detail": dict(change.detail),
                    }
                },
            )
    partial.replace(path)
    return written


def _line(out: Any, record: dict[str, Any]) -> None:  # noqa: ANN401
    out.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")


def read_export(path: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]] | None:
    """Return the episodes and changes of one of our exports; None when the file is not one."""
    if not path.is_file():
        return None
    episodes: list[dict[str, Any]] = []
    changes: list[dict[str, Any]] = []
    number = 0
    try:
        with path.open(encoding="utf-8") as lines:
            head = lines.readline(4096)
            if '"hippocampus-export"' not in head:
                return None
            version = json.loads(head)["hippocampus-export"]
            if version != EXPORT_FORMAT:
                msg = f"export format {version!r} is not {EXPORT_FORMAT}; upgrade to read it"
                raise SourceError(msg, path=path)
            for number, text in enumerate(lines, 2):  # noqa: B007 (the messages below name it)
                record = json.loads(text)
                if "episode" in record:
                    episodes.append(record["episode"])
                elif "change" in record:
                    changes.append(record["change"])
    except UnicodeDecodeError:
        if number == 0:
            return None
        msg = f"line {number} is not UTF-8"
        raise SourceError(msg, path=path) from None
    except (ValueError, KeyError, TypeError, RecursionError) as exc:
        msg = f"line {number} of the export is damaged ({exc}); nothing was imported"
        raise SourceError(msg, path=path) from exc
    return episodes, changes


def import_path(
    bank: Portable,
    path: Path,
    *,
    format: str | None,  # noqa: A002
    progress: Progress | None,
) -> Imported:
    """Bring a file or a folder into a bank; see ``Bank.import_``."""
    if format in (None, "hippocampus"):
        whole = read_export(path)
        if whole is not None:
            return bank.load_records(*whole, path=path, progress=progress)
        if format == "hippocampus":
            raise SourceError("is not an export of hippocampus", path=path)
    added = unchanged = removed = 0
    skipped: list[tuple[str, str]] = []
    found = list(read_source(path, format=format))
    files = [item for item in found if isinstance(item, SourceFile)]
    skipped += [(p.path, p.reason) for p in found if not isinstance(p, SourceFile)]
    total = sum(len(f.turns) for f in files)
    done = 0
    for file in files:
        turns = list(as_turns(file, bank.chunk_tokens))

        def step(part: int, of: int, *, base: int = done, weight: int = len(file.turns)) -> None:
            if progress:
                progress(base + (part * weight // of if of else 0), total)

        result = bank.replace_source(file.path, turns, progress=step)
        added += result.added
        unchanged += result.unchanged
        removed += result.removed
        done += len(file.turns)
        if progress:
            progress(done, total)
    return Imported(added=added, unchanged=unchanged, removed=removed, skipped=tuple(skipped))


def as_turns(file: SourceFile, chunk_tokens: int) -> Iterator[Turn]:
    """
    Yield the turns of a file; a document's text comes as chunks that are turns of their own.

    A document is its own session: what stands around a chunk helps to find it, as in dialogue.
    """
    for turn in file.turns:
        if turn.session is not None or not turn.text.strip():
            if turn.text.strip():
                yield turn
            continue
        pieces = split_text(turn.text, chunk_tokens, count)
        whole = turn.address or file.path
        place = 0
        for piece in pieces:
            if not piece.strip():
                continue
            yield Turn(
                text=piece,
                at=turn.at,
                speaker=turn.speaker,
                role=turn.role,
                session=whole,
                source=turn.source or file.path,
                address=f"{whole}#chunk-{place}" if len(pieces) > 1 else whole,
                metadata=turn.metadata,
            )
            place += 1
