"""Erasure: every word of an episode blanked, in every table and in all of its versions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence

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

    def erase(self, records: Iterable[EpisodeRow], check: Callable[[Sequence[int]], None]) -> int:
        """
        Blank every word of episodes, of all their parts and versions; returns how many changed.

        ``check`` is asked about all rows that go, before any does.

        So are what was merged with them and has the same words, and what they stand for; but where
        its details are others, that is in force again. The words are then in no table;
        ``store.upkeep.scrub`` takes them out of what tables left behind.
        """
        rows, freed = self._lineage.bound_to(e.row for e in self._reader.whole(records))
        check(rows)
        self._writer.check_free(self._store.episodes.read(self._bank, rows))
        if freed:
            self._writer.change(freed, Restored(why="what stood for it was erased"))
        return self._erase(rows, Erased())

    def going(self, ids: Sequence[str]) -> list[EpisodeRow]:
        """
        Return all that goes with some episodes, in order; nothing of those that are erased.

        Whoever was cut off half-way asks for the same again, and goes on with the rest.

        Raises:
            UnknownEpisode: one was never here, or the only one is erased.
            InputError: something is held.

        """
        found = [self._reader.find(one, erased=True) for one in ids]
        left = [e for e in found if e.state != "erased"]
        if not left and len(ids) == 1:
            self._reader.find(ids[0])  # says that it is
        rows, _ = self._lineage.bound_to(e.row for e in self._reader.whole(left))
        records = self._store.episodes.read(self._bank, rows)
        self._writer.check_free(records)
        return [e for e in records if e.state != "erased"]

    def compact(self, states: Collection[State], rows: Sequence[int]) -> Counter[State]:
        """
        Erase those of some rows that are in one of these states; returns how many of each.

        What is held stays, as hidden as it is.
        """
        found = [e for e in self._store.episodes.read(self._bank, rows) if may_go(e, states)]
        # First, for erasing them blanks the journal that this is read from.
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
            before = self._lineage.versions([old.row])  # the new wording is none of them yet
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
        for record in records:
            tied = self._reader.events(Promoted, CameFrom, row=record.row)
            row = self._lineage.last(record).row if tied else record.row
            # What stands for it without saying the same does not take it along.
            if row != record.row and record.row in self._lineage.bound_to([row])[0]:
                ties = [(row, event) for event in self._ties(record)]
                self._writer.note_at(self._writer.now(), ties)

    def _ties(self, record: EpisodeRow) -> list[Event]:
        """Return the events that tie an episode to other banks, and to its ids there."""
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
            # In this very transaction: who is cut off after it leaves the rest to the next who
            # comes.
            self._store.upkeep.owe_scrub(self._bank)
            # Before ``Erased`` is noted, for it would blank the detail of that as well.
            self._store.journal.redact(self._bank, live)
            self._writer.change(live, event)
            self._reader.content.blank(live)
            for kind in (*DERIVED, *NEXT.values()):
                self._payloads.blank(kind, live)
            self._payloads.forget_slept()  # it spells what was said
            self._store.episodes.erase(self._bank, live)
        return len(live)


def earliest_first(records: Iterable[EpisodeRow]) -> list[EpisodeRow]:
    """
    Return episodes in an order in which they can be compacted one after the other.

    What another stands for comes before that other, which tells where its links go; those of one
    chain are beside each other, and chains in the order of their rows.
    """
    known = {e.row: e for e in records}
    ends: dict[int, tuple[int, int]] = {}  # the last of a row's chain, and the steps to it
    for row in known:
        way: dict[int, None] = {}
        after: int | None = row
        while after in known and after not in ends and after not in way:
            way[after] = None
            after = known[after].superseded_by
        last, steps = ends.get(after, (next(reversed(way), row), -1))  # type: ignore[arg-type]
        for one in reversed(way):
            steps += 1
            ends[one] = last, steps
    chains: dict[int, list[tuple[int, int]]] = {}
    for row, (last, steps) in ends.items():
        chains.setdefault(last, []).append((-steps, row))
    ordered = sorted(chains.values(), key=lambda chain: min(row for _, row in chain))
    return [known[row] for chain in ordered for _, row in sorted(chain)]


def may_go(record: EpisodeRow, states: Collection[State]) -> bool:
    """Return whether ``compact`` may take an episode out of the store."""
    return record.state in states and not record.marks & HELD
