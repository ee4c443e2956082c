"""Whole banks and whole folders in and out: export, import, and importing again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from hippocampus._clock import from_micros
from hippocampus.encode.tokens import count
from hippocampus.errors import SourceError
from hippocampus.index.live import STATE_CHANGES
from hippocampus.ingest.chunk import split_text
from hippocampus.ingest.prepare import dump_metadata
from hippocampus.ingest.sources import SourceFile, read_source
from hippocampus.model import Imported, Progress, Turn

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

    def records(self) -> Iterator[dict[str, dict[str, Any]]]:
        """Yield every episode in any state, then every change: the bank at one moment."""
        ...

    def load_records(
        self,
        episodes: Sequence[Mapping[str, Any]],
        changes: Sequence[Mapping[str, Any]],
        *,
        path: Path,
        progress: Progress | None = None,
    ) -> Imported:
        """Take in what ``records`` gave, all or nothing."""
        ...

    def replace_source(
        self, source: str, turns: Sequence[Turn], *, progress: Progress | None = None
    ) -> Imported:
        """Make a source's episodes equal ``turns``."""
        ...


def export_bank(bank: Portable, path: Path) -> int:
    """Write a bank as JSONL: a head, every episode in any state, every journal row, an end."""
    partial = path.with_name(path.name + ".partial")
    written: Counter[str] = Counter(episode=0, change=0)
    try:
        with partial.open("w", encoding="utf-8", newline="\n") as out:
            _line(out, {"hippocampus-export": EXPORT_FORMAT, "bank": bank.name})
            for record in bank.records():
                _line(out, record)
                written.update(record.keys())
            _line(out, {"end": {"episodes": written["episode"], "changes": written["change"]}})
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return written["episode"]


def _line(out: Any, record: dict[str, Any]) -> None:  # noqa: ANN401
    out.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")


def read_export(path: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]] | None:
    """
    Return the episodes and changes of one of our exports; None when the file is not one.

    Raises:
        SourceError: the export is damaged, or of another format.

    """
    if not path.is_file():
        return None
    found: dict[str, list[Any]] = {"episode": [], "change": [], "end": []}
    number = 0
    version: object = None
    try:
        with path.open(encoding="utf-8") as lines:
            head = lines.readline(4096)
            if '"hippocampus-export"' not in head:
                return None
            number = 1
            version = json.loads(head)["hippocampus-export"]
            if version == EXPORT_FORMAT:
                for number, text in enumerate(lines, 2):  # noqa: B007 (the message names it)
                    ((kind, record),) = json.loads(text).items()
                    found[kind].append(record)
                _check_whole(found["episode"], found["change"], found["end"])
    except UnicodeDecodeError as exc:
        if number == 0:
            return None
        raise _damaged(path, f"after line {number} it is not UTF-8") from exc
    except _NOT_OURS as exc:
        raise _damaged(path, f"line {number}: {type(exc).__name__}: {exc}") from exc
    if version != EXPORT_FORMAT:
        msg = f"export format {version!r} is not {EXPORT_FORMAT}, which this version reads"
        raise SourceError(msg, path=path)
    return found["episode"], found["change"]


def _damaged(path: Path, what: str) -> SourceError:
    return SourceError(f"the export is damaged, nothing was imported ({what})", path=path)


_NOT_OURS = (
    ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError
)  # fmt: skip
"""What reading a record of the wrong shape raises."""

_TEXTS = ("session", "speaker", "role", "source")


def _check_whole(episodes: list[Any], changes: list[Any], ends: list[Any]) -> None:
    """Raise ``ValueError`` unless these are all the records of one bank, and fit together."""
    if ends != [{"episodes": len(episodes), "changes": len(changes)}]:
        msg = f"{len(episodes)} episodes and {len(changes)} changes, but it ends with {ends}"
        raise ValueError(msg)
    ids = {e["id"] for e in episodes}
    _require(len(ids) == len(episodes), "two episodes have the same id")
    for e in episodes:
        _check_episode(e, ids)
    states: dict[str | None, str] = {}
    for seq, c in enumerate(changes, 1):
        _require(c["seq"] == seq, f"change {c['seq']!r} stands where {seq} belongs")
        _require(c["episode"] is None or c["episode"] in ids, f"change {seq} is of no episode")
        _require(isinstance(c["detail"], dict), f"change {seq} has no detail")
        _require(isinstance(c["kind"], str), f"change {seq} has no kind")
        _check_moment(c["at"])
        states[c["episode"]] = STATE_CHANGES.get(c["kind"], "active")
    for e in episodes:
        told = states.get(e["id"])
        _require(told == e["state"], f"episode {e['id']} is {e['state']}, its changes say {told}")


def _check_episode(e: dict[str, Any], ids: set[str]) -> None:
    name = f"episode {e['id']!r}"
    _require(isinstance(e["id"], str) and bool(e["id"]), f"{name}: its id is not text")
    for key in ("text", "address", "id", *_TEXTS):
        _require(isinstance(e[key], str) or (key in _TEXTS and e[key] is None), f"{name}: {key}")
        (e[key] or "").encode()
    _require(bool(e["text"].strip()) or e["state"] == "erased" or e["part"] > 0, f"{name}: text")
    for key in ("said_at", "noted_at"):
        _check_moment(e[key])
    for key in ("turn", "part", "parts"):
        known = type(e[key]) is int and 0 <= e[key] < 1 << 31
        _require(known or (key == "turn" and e[key] is None), f"{name}: {key}={e[key]!r}")
    _require(e["part"] < e["parts"], f"{name}: part {e['part']} of {e['parts']}")
    dump_metadata(e["metadata"])  # refuses what is no object
    for key in ("supersedes", "superseded_by"):
        _require(e[key] is None or e[key] in ids, f"{name}: {key} {e[key]!r}, which is not there")


def _check_moment(micros: object) -> None:
    if not isinstance(micros, int) or isinstance(micros, bool):
        msg = f"{micros!r} is not a time"
        raise TypeError(msg)
    from_micros(micros)


def _require(fact: bool, otherwise: str) -> None:  # noqa: FBT001
    if not fact:
        raise ValueError(otherwise)


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
