"""Lineage: which episodes are versions of one another, and which stand for others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.events import (
    Absorbed,
    Annotated,
    AnnotationWithdrawn,
    Corrected,
    JournalEvent,
    Merged,
    Remembered,
    Restored,
    class_of,
)
from hippocampus.core.records import (
    STATE_CHANGES,
    Beside,
    Change,
    EpisodeRow,
    State,
    settled_level,
)
from hippocampus.journal.reader import LedgerPart
from hippocampus.language.noun_phrases import proper_keys


class Lineage(LedgerPart):
    """The ties between a bank's episodes: corrections, merges, and what sleep noted beside them."""

    def standing(self, rows: Iterable[int]) -> list[int]:
        """Return the row in force for each: a row itself, or its successor."""
        found: dict[int, None] = {}
        for start in rows:
            row: int | None = start
            passed: set[int] = set()
            while row is not None and row not in passed:  # an import may bring links that go round
                passed.add(row)
                (record,) = self._store.episodes.read(self._bank, [row])
                if record.state == "active":
                    found[row] = None
                row = record.superseded_by if record.state == "superseded" else None
        return list(found)

    def last(self, record: EpisodeRow) -> EpisodeRow:
        """Return the last successor of an episode, in force or not; itself if it has none."""
        passed: set[int] = set()
        while record.superseded_by is not None and record.row not in passed:
            passed.add(record.row)
            (record,) = self._store.episodes.read(self._bank, [record.superseded_by])
        return record

    def correction(
        self, row: int, told: Sequence[str], allowed: NDArray[np.bool_] | None
    ) -> int | None:
        """
        Return the last of what corrects a row, or what stands for that, of the rows allowed.

        ``told``: ids of what was said to correct it. ``allowed``: None where everything is.
        """
        for by in reversed(told):
            said = self._store.episodes.rows_of(self._bank, [by]).values()
            for other in (*said, *self.standing(said)):
                # Others may have put something in its place since the index was caught up.
                seen = allowed is None or (other < len(allowed) and allowed[other])
                if seen and other != row:  # with which it may have been merged
                    return other
        return None

    def beside(self, row: int) -> dict[int, Beside]:
        """Return the rows that sleep has found to stand beside one, and how."""
        found: dict[int, Beside] = {}
        (own,) = self._store.episodes.read(self._bank, [row])
        if own.state == "superseded":
            found |= dict.fromkeys(self.standing([row]), "canonical")
        for change in self._reader.events(Absorbed, Annotated, AnnotationWithdrawn, row=row):
            for other in self._store.episodes.rows_of(self._bank, _beside(change.event)).values():
                (record,) = self._store.episodes.read(self._bank, [other])
                match change.event:
                    case AnnotationWithdrawn():
                        found.pop(other, None)
                    case Absorbed() if record.superseded_by == row:
                        found[other] = "alias"
                    case Annotated(why=str(why)) if record.state == "active":
                        found[other] = cast("Beside", why)
        return found

    def history(self, row: int) -> list[Change]:
        """Return every change to an episode and to its earlier and later versions, in order."""
        rows = self.versions([row])
        changes = [c for r in rows for c in self._store.journal.read(self._bank, row=r)]
        return self._reader.changes(sorted(changes))

    def versions(self, rows: Iterable[int], *, merged: bool = True) -> list[int]:
        """
        Return rows with every earlier and later version of theirs.

        ``merged``: also what sleep has merged with them.
        """
        chain: set[int] = set()
        texts: set[tuple[int, int | None]] = set()
        queue = list(rows)
        while queue:
            row = queue.pop()
            if row in chain:
                continue
            chain.add(row)
            for record in self._store.episodes.read(self._bank, [row]):
                queue += [] if record.supersedes is None else [record.supersedes]
                if record.superseded_by is not None and (merged or not self.is_alias(row)):
                    queue.append(record.superseded_by)
                text = (record.row - record.part, record.supersedes)
                if record.supersedes is not None and text not in texts:
                    texts.add(text)  # a long correction has parts beside this one
                    beside = self._reader.where_parts_are(record)
                    queue += [e.row for e in beside if e.supersedes == record.supersedes]
            # A version that went back to an older wording is linked by its journal alone.
            for change in self._reader.events(Remembered, Corrected, Restored, Absorbed, row=row):
                there = list(
                    self._store.episodes.rows_of(self._bank, _linked(change.event, merged)).values()
                )
                if isinstance(change.event, Absorbed):  # unless a sleep that merged them was undone
                    known = self._store.episodes.read(self._bank, there)
                    there = [e.row for e in known if e.superseded_by == row]
                queue += there
        return sorted(chain)

    def aliases(self, row: int, state: State) -> list[int]:
        """Return the rows in some state that say what a row says, and for which it stands."""
        named = [change.event.supersedes for change in self._reader.events(Absorbed, row=row)]
        there = self._store.episodes.rows_of(self._bank, [name for name in named if name]).values()
        found = self._store.episodes.read(self._bank, sorted(there))
        return [e.row for e in found if e.superseded_by == row and e.state == state]

    def is_alias(self, row: int) -> bool:
        """Return whether another stands for an episode that sleep has merged with it."""
        told = self._store.journal.read(self._bank, row=row, kinds=tuple(STATE_CHANGES))
        return bool(told) and class_of(told[-1].kind) is Merged

    def bound_to(self, rows: Iterable[int]) -> tuple[list[int], list[int]]:
        """Return the rows bound to rows that somebody wants gone, and those they no longer hide."""
        gone: set[int] = set()
        freed: set[int] = set()
        queue = list(rows)
        while queue:
            fresh = set(self.versions(queue, merged=False)) - gone
            gone |= fresh
            queue = []
            for row in sorted(fresh):
                (own,) = self._store.episodes.read(self._bank, [row])
                for alias in self.aliases(row, "superseded"):
                    if self._has_all_details_of(own, alias):
                        queue.append(alias)
                    else:
                        freed.add(alias)
                stand = own.superseded_by if self.is_alias(row) else None
                beside = [] if stand is None else [stand, *self.aliases(stand, "superseded")]
                there = self._store.episodes.read(self._bank, beside)
                queue += [e.row for e in there if e.digest == own.digest]
        return sorted(gone), sorted(freed - gone)

    def _has_all_details_of(self, own: EpisodeRow, alias: int) -> bool:
        """Return whether what an episode stands for has no detail that it has not itself."""
        from hippocampus.language.equivalence import (  # noqa: PLC0415 - not for a recall
            digest_details,
        )

        (other,) = self._store.episodes.read(self._bank, [alias])
        if other.digest == own.digest or settled_level(
            own.marks
        ):  # whose own words are no longer there
            return True
        texts = self._reader.texts([own.row, alias])
        details = {
            digest_details(texts[e.row], proper_keys(texts[e.row], e.speaker))
            for e in (own, other) if e.row in texts
        }  # fmt: skip
        return len(details) == 1


def _beside(event: JournalEvent) -> list[str]:
    """Return the id of what stands beside an episode, if the event names it."""
    match event:
        case Absorbed(supersedes=str(name)):
            return [name]
        case Annotated(by=str(name)) | AnnotationWithdrawn(by=str(name)):
            return [name]
    return []


def _linked(event: JournalEvent, merged: bool) -> list[str]:  # noqa: FBT001
    """Return the ids of other wordings of an episode; ``merged``: also of what it stands for."""
    match event:
        case Remembered(supersedes=str(name)) | Restored(supersedes=str(name)):
            return [name]
        case Corrected(by=str(name)) | Absorbed(by=str(name)):
            return [name]  # absorbed: an earlier wording of what compact has shortened
        case Absorbed(supersedes=str(name)) if merged:
            return [name]
    return []
