"""Files in, and in again: what is read from a source, and what a changed source changes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from hippocampus.core.events import RemovedFromSource, class_of
from hippocampus.core.records import HELD, EpisodeRow, Imported, Progress, Turn, settled_level
from hippocampus.encode.tokens import count
from hippocampus.journal.draft import Draft
from hippocampus.journal.ledger import Ledger
from hippocampus.sources import SourceFile, read_source
from hippocampus.write.check import Group
from hippocampus.write.chunking import split_text


def import_files(
    path: Path,
    replace: Callable[[str, Sequence[Turn], Progress], Imported],
    *,
    format: str | None,  # noqa: A002
    chunk_tokens: int,
    progress: Progress | None,
) -> Imported:
    """Read a file or a folder and have ``replace`` make each source's episodes equal its turns."""
    added = unchanged = removed = done = 0
    found = list(read_source(path, format=format))
    files = [item for item in found if isinstance(item, SourceFile)]
    skipped = tuple((p.path, p.reason) for p in found if not isinstance(p, SourceFile))
    total = sum(len(f.turns) for f in files)
    for file in files:

        def step(part: int, of: int, *, base: int = done, weight: int = len(file.turns)) -> None:
            if progress:
                progress(base + (part * weight // of if of else 0), total)

        result = replace(file.path, list(as_turns(file, chunk_tokens)), step)
        added += result.added
        unchanged += result.unchanged
        removed += result.removed
        done += len(file.turns)
        if progress:
            progress(done, total)
    return Imported(added=added, unchanged=unchanged, removed=removed, unreadable=skipped)


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
            address = f"{whole}#chunk-{place}" if len(pieces) > 1 else whole
            source = turn.source or file.path
            yield dataclasses.replace(
                turn, text=piece, session=whole, source=source, address=address
            )
            place += 1


class Update(NamedTuple):
    """
    What a source's new turns change: what to add, rows to hide, rows to show again.

    ``freed``: rows of other sources for which one that is hidden stood.
    """

    fresh: list[Group]
    gone: list[int]
    back: list[int]
    freed: list[int]
    unchanged: int


def compare(ledger: Ledger, source: str, groups: Sequence[Group]) -> Update:
    """
    Return what would make a source's episodes equal these.

    A turn that is there already stays as it is, even if the file's date moved. What a user
    forgot stays forgotten; what only vanished from the file comes back when the file's does. What
    is held stays whatever the file says.
    """
    there = _Source(ledger.store.episodes.from_source(ledger.bank, source))
    there.name_settled(ledger)
    fresh: list[Group] = []
    kept: set[int] = set()
    for group in groups:
        same = there.find(group.drafts, kept)
        kept.update(same)
        if not same:
            fresh.append(group)
    for row in there.rows:  # what a user corrected is what the file says, in better words
        if row.row in kept and row.superseded_by is not None:
            kept.update(ledger.lineage.versions([row.row]))
    gone = [
        row.row
        for row in there.rows
        if row.state == "active" and row.row not in kept and not row.marks & HELD
    ]
    hidden = [row.row for row in there.rows if row.state == "forgotten" and row.row in kept]
    back = [row for row in hidden if _was_withdrawn(ledger, row)]
    unchanged = len(groups) - len(fresh) - len(back)
    return Update(fresh, gone, back, _freed(ledger, source, gone), unchanged)


def _freed(ledger: Ledger, source: str, gone: Sequence[int]) -> list[int]:
    """Return what sleep has merged into rows that go, and others still say."""
    queue, freed = list(gone), list[int]()
    while queue:
        merged = [row for row, how in ledger.lineage.beside(queue.pop()).items() if how == "alias"]
        for e in ledger.store.episodes.read(ledger.bank, merged):
            (queue if e.source == source else freed).append(e.row)
    return freed


def _was_withdrawn(ledger: Ledger, row: int) -> bool:
    """Whether it was its file that hid an episode last, rather than a user."""
    last = ledger.store.journal.read(ledger.bank, row=row)[-1]
    return class_of(last.kind) is RemovedFromSource


class _Source:
    """The episodes of one source, found by id and by text."""

    def __init__(self, rows: Sequence[EpisodeRow]) -> None:
        self.rows = rows
        self._by_id = {row.id: row for row in rows}
        self._by_row = {row.row: row for row in rows}
        self._by_digest: dict[bytes, list[int]] = {}
        for row in rows:
            self._by_digest.setdefault(row.digest, []).append(row.row)

    def name_settled(self, ledger: Ledger) -> None:
        """Find what ``compact`` has shortened by the id it had, too: the file has its words."""
        for row in self.rows:
            if settled_level(row.marks) and row.supersedes is not None:
                for old in ledger.store.episodes.read(ledger.bank, [row.supersedes]):
                    self._by_id.setdefault(old.id, row)

    def find(self, drafts: Sequence[Draft], taken: set[int]) -> list[int]:
        """Return the rows of a turn that is there: by id, or word for word at another time."""
        same = [self._by_id[d.id].row for d in drafts if d.id in self._by_id]
        if same:
            return same
        wanted = [d.digest for d in drafts]
        for first in self._by_digest.get(wanted[0], []):
            run = [row for row in range(first, first + len(drafts)) if row in self._by_row]
            if first not in taken and [self._by_row[row].digest for row in run] == wanted:
                return run
        return []
