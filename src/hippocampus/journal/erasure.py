"""Erasure: every word of an episode blanked, in every table and in all of its versions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from msgspec.structs import replace

from hippocampus.core.events import (
    Absorbed,
    Annotated,
    AnnotationWithdrawn,
    CameFrom,
    Erased,
    Event,
    Faded,
    FeedbackGiven,
    Promoted,
    Restored,
    TextsShortened,
)
from hippocampus.core.records import HELD, SETTLED, SUSPECT, EpisodeRow, State
from hippocampus.journal.draft import Draft, Encoded
from hippocampus.journal.lineage import Lineage
from hippocampus.journal.payloads import DERIVED, NEXT, LedgerPayloads
from hippocampus.journal.reader import LedgerPart, LedgerReader
from hippocampus.journal.writer import LedgerWriter


class Erasure(LedgerPart):
    """Erasure of words from a bank for good, inside ``store.write()``."""

    def __init__(
        self, reader: LedgerReader, lineage: Lineage, payloads: LedgerPayloads, writer: LedgerWriter
    ) -> None:
        super().__init__(reader)
        self._lineage = lineage
        self._payloads = payloads
        self._writer = writer

    def erase(self, ids: Iterable[str]) -> int:
        """
        Blank every word of episodes, of all their parts and versions; returns how many changed.

        So are what was merged with them and has the same words, and what they stand for; but where
        its details are others, that is in force again. The words are then in no table;
        ``store.upkeep.scrub`` takes them out of what tables left behind.
        """
        rows, freed = self._lineage.bound_to(
            e.row for e in self._reader.whole(map(self._reader.find, ids))
        )
        self._writer.check_free(self._store.episodes.read(self._bank, rows))
        if freed:
            self._writer.change(freed, Restored(why="what stood for it was erased"))
        return self._erase(rows, Erased())

    def compact(self, states: Collection[State], rows: range) -> Counter[State]:
        """
        Erase those of some rows that are in one of these states; returns how many of each.

        What is held stays, as hidden as it is.
        """
        found = [e for e in self._store.episodes.read(self._bank, rows) if _may_go(e, states)]
        self._hand_on([e for e in found if e.state == "superseded"])
        self._erase([e.row for e in found], Erased(by="compact"))
        return Counter(e.state for e in found)

    def settle(self, faded: Iterable[tuple[EpisodeRow, Sequence[Draft]]], encoded: Encoded) -> int:
        """
        Put the shown words of faded episodes in the place of their texts, which are erased.

        What others have changed since it was seen, or say in the same words, stays; returns of how
        many it was done.
        """
        shortened: list[tuple[int, int]] = []
        for old, drafts in faded:
            (now,) = self._store.episodes.read(self._bank, [old.row])
            if now != old or self._store.episodes.rows_of(self._bank, [drafts[0].id]):
                continue
            before = self._lineage.versions([old.row])
            row = self._writer.correct(old, drafts, encoded)
            self._store.episodes.set_level(self._bank, [row], old.level)
            self._store.episodes.set_marks(self._bank, [row], old.level * SETTLED, on=True)
            suspect = bool(old.marks & SUSPECT)  # whatever the fewer words read like
            self._store.episodes.set_marks(self._bank, [row], SUSPECT, on=suspect)
            self._writer.note_at(
                self._writer.now(), [(row, Faded(level=old.level, was=0, why="compact"))]
            )
            self._writer.note_at(
                self._writer.now(),
                [(row, event) for event in (*self._judged(old.row), *self._ties(old))],
            )
            self._relink(before, old.row, row)
            shortened.append((old.row, row))
        if shortened:
            self._writer.note(TextsShortened(rows=shortened))
        self._erase([row for row, _ in shortened], Erased(by="compact"))
        return len(shortened)

    def _judged(self, row: int) -> list[Event]:
        """Return the outcomes noted of an episode, and when: erasing it blanks its journal."""
        judged: list[Event] = []
        for change in self._reader.events(FeedbackGiven, Annotated, AnnotationWithdrawn, row=row):
            match change.event:
                case FeedbackGiven(at=at) as told:
                    judged.append(replace(told, at=change.at if at is None else at))
                # No sleep did that to what takes its place.
                case Annotated(at=at) as told:
                    judged.append(replace(told, at=change.at if at is None else at, sleep=None))
                case AnnotationWithdrawn(at=at) as told:
                    at = change.at if at is None else at
                    judged.append(replace(told, at=at, sleep=None, undoes=None))
        return judged

    def _hand_on(self, records: Iterable[EpisodeRow]) -> None:
        """Note with what stands for them where earlier wordings went, or came from."""
        tied = {change.row for change in self._reader.events(Promoted, CameFrom)}
        for record in records:
            row = self._last(record) if record.row in tied else record.row
            # What stands for it without saying the same does not take it along.
            if row != record.row and record.row in self._lineage.bound_to([row])[0]:
                ties = [(row, event) for event in self._ties(record)]
                self._writer.note_at(self._writer.now(), ties)

    def _last(self, record: EpisodeRow) -> int:
        """Return the last successor of an episode, in force or not."""
        passed: set[int] = set()
        while record.superseded_by is not None and record.row not in passed:
            passed.add(record.row)
            (record,) = self._store.episodes.read(self._bank, [record.superseded_by])
        return record.row

    def _ties(self, record: EpisodeRow) -> list[Event]:
        """Return where an episode went or came from, and by which ids that is known elsewhere."""
        row = record.row
        went = [e.event for e in self._reader.events(Promoted, row=row) if e.event.bank]
        came = [e.event for e in self._reader.events(CameFrom, row=row) if e.event.bank]
        earlier = [e.event for e in self._reader.events(Absorbed, row=row) if e.event.by]
        return [*came, *went, *([*earlier, Absorbed(by=record.id)] if went else ())]

    def _relink(self, rows: Sequence[int], old: int, new: int) -> None:
        """Let those of some rows that one superseded be superseded by another, or none finds it."""
        linked = [e for e in self._store.episodes.read(self._bank, rows) if e.superseded_by == old]
        self._store.episodes.set_state(
            self._bank, [e.row for e in linked], "superseded", superseded_by=new
        )
        for e in linked:
            alias = self._lineage.is_alias(e.row)  # which an earlier wording is not
            link = Absorbed(supersedes=e.id) if alias else Absorbed(by=e.id)
            self._writer.note_at(self._writer.now(), [(new, link)])

    def _erase(self, rows: Sequence[int], event: Erased) -> int:
        records = self._store.episodes.read(self._bank, rows)
        live = [record.row for record in records if record.state != "erased"]
        if live:
            self._store.upkeep.owe_scrub(self._bank)
            self._store.journal.redact(self._bank, live)
            self._writer.change(live, event)
            self._reader.content.blank(live)
            for kind in (*DERIVED, *NEXT.values()):
                self._payloads.blank(kind, live)
            self._payloads.forget_slept()  # it spells what was said
            self._store.episodes.erase(self._bank, live)
        return len(live)


def _may_go(record: EpisodeRow, states: Collection[State]) -> bool:
    """Return whether ``compact`` may take an episode out of the store."""
    return record.state in states and not record.marks & HELD
