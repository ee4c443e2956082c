"""Acts of sleep on single episodes: done as a step proposes them, and undone by their inverse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from hippocampus.core.events import (
    Absorbed,
    Annotated,
    AnnotationWithdrawn,
    Faded,
    InvertibleEvent,
    JournalEvent,
    Lapsed,
    Merged,
    Quarantined,
    Restored,
    SleepEvent,
    Unquarantined,
    kind_of,
)
from hippocampus.core.records import DEEPEST, DOUBTED, HELD, PINNED, STATE_CHANGES, Act, EpisodeRow
from hippocampus.journal.reader import LedgerPart, LedgerReader
from hippocampus.journal.writer import LedgerWriter

ACTS: Final = (Merged, Faded, Lapsed, Quarantined, Unquarantined, Annotated)
"""Acts of sleep on single episodes."""


class SleepActs(LedgerPart):
    """Acts of sleep on episodes, inside ``store.write()``."""

    def __init__(self, reader: LedgerReader, writer: LedgerWriter) -> None:
        super().__init__(reader)
        self._writer = writer

    def do(self, acts: Sequence[Act], sleep: int) -> list[Act]:
        """
        Do the acts that a step of sleep proposes, but for rows that others changed; return them.

        Every change says by which sleep, and how it was before, so that ``undo`` finds its way.
        """
        there = {
            e.row: e for e in self._store.episodes.read(self._bank, sorted({a.row for a in acts}))
        }
        stand = {a.by for a in acts if a.by is not None}
        firm = {e.row: e for e in self._store.episodes.read(self._bank, sorted(stand))}
        done = [
            act
            for act in acts
            if _may(act, there.get(act.row), stands := firm.get(-1 if act.by is None else act.by))
            and not (act.kind == "annotate" and stands and self._told(act.row, stands.id))
        ]
        at = self._writer.now()
        for act in done:
            self._do(at, act, sleep, there[act.row], None if act.by is None else firm[act.by].id)
        return done

    def _do(self, at: int, act: Act, sleep: int, was: EpisodeRow, by: str | None) -> None:
        """Do one act; ``was``: its episode before, ``by``: the id of what its ``by`` names."""
        match act.kind:
            case "merge":
                self._writer.change_at(
                    at, [act.row], Merged(sleep=sleep, why=act.why, by=by), by=act.by
                )
                self._writer.note_at(at, [(act.by, Absorbed(sleep=sleep, supersedes=was.id))])
            case "lapse":
                self._writer.change_at(at, [act.row], Lapsed(sleep=sleep, why=act.why))
            case "fade":
                level = act.level or 0
                self._store.episodes.set_level(self._bank, [act.row], level)
                faded = Faded(sleep=sleep, why=act.why, level=level, was=was.level)
                self._writer.note_at(at, [(act.row, faded)])
            case "doubt":
                self._store.episodes.set_marks(self._bank, [act.row], DOUBTED, on=True)
                self._writer.note_at(at, [(act.row, Quarantined(sleep=sleep, why=act.why))])
            case "clear":
                self._store.episodes.set_marks(self._bank, [act.row], DOUBTED, on=False)
                self._writer.note_at(at, [(act.row, Unquarantined(sleep=sleep, why=act.why))])
            case "annotate":
                self._writer.note_at(at, [(act.row, Annotated(sleep=sleep, why=act.why, by=by))])

    def _told(self, row: int, by: str) -> bool:
        """Return whether another sleep has noted the same."""
        return any(change.event.by == by for change in self._reader.events(Annotated, row=row))

    def undo(self, sleep: int) -> Counter[str]:
        """
        Take back what a sleep did to episodes, the last first; return how often what was undone.

        What has been changed since by others stays as they made it, and what is held as it is.
        """
        counts: Counter[str] = Counter()
        at = self._writer.now()
        since: set[tuple[object, ...]] = set()
        undone: Counter[tuple[object, ...]] = Counter()
        classes: set[type[JournalEvent]] = {*STATE_CHANGES, *ACTS, AnnotationWithdrawn}
        for _, _, row, event in reversed(self._reader.events(*classes)):
            touched = (row, *_touched(event))
            if row is None or touched in since:
                continue
            inverse = event.undoes if isinstance(event, InvertibleEvent | Restored) else None
            if inverse is not None:  # it and what it undid come to nothing
                undone[*touched, inverse] += 1
                continue
            by = event.sleep if isinstance(event, SleepEvent) else None
            if undone[*touched, by]:
                undone[*touched, by] -= 1
                continue
            if not isinstance(event, ACTS) or by != sleep or self._is_held(row):
                since.add(touched)
                continue
            self._undo(at, row, event, sleep)
            counts[kind_of(type(event))] += 1
        return counts

    def _is_held(self, row: int) -> bool:
        return any(e.marks & HELD for e in self._store.episodes.read(self._bank, [row]))

    def _undo(self, at: int, row: int, event: SleepEvent, sleep: int) -> None:
        """Take back what a sleep did to one episode."""
        match event:
            case Merged() | Lapsed():
                self._writer.change_at(at, [row], Restored(undoes=sleep))
            case Faded(level=level, was=was):
                self._store.episodes.set_level(self._bank, [row], was or 0)
                self._writer.note_at(at, [(row, Faded(undoes=sleep, level=was, was=level))])
            case Quarantined():
                self._store.episodes.set_marks(self._bank, [row], DOUBTED, on=False)
                self._writer.note_at(at, [(row, Unquarantined(undoes=sleep))])
            case Unquarantined():
                self._store.episodes.set_marks(self._bank, [row], DOUBTED, on=True)
                self._writer.note_at(at, [(row, Quarantined(undoes=sleep))])
            case Annotated(by=by, why=why):
                self._writer.note_at(at, [(row, AnnotationWithdrawn(undoes=sleep, by=by, why=why))])


def _may(act: Act, was: EpisodeRow | None, stand: EpisodeRow | None) -> bool:
    """Return whether an act still makes sense: nobody has hidden, kept or erased what it is of."""
    if was is None or (act.by is not None and stand is None):
        return False
    if act.kind == "clear":
        return bool(was.marks & DOUBTED)
    if was.state != "active":
        return False
    if act.kind == "merge":
        return not was.marks & (HELD | PINNED) and stand is not None and stand.state == "active"
    if act.kind in ("fade", "lapse"):
        # A lapse has no level: it goes below the deepest.
        return not was.marks & (HELD | PINNED) and was.level < (act.level or DEEPEST + 1)
    return act.kind != "doubt" or not was.marks & DOUBTED


def _touched(event: JournalEvent) -> tuple[object, ...]:
    """Return the aspect of an episode that an event is of: only its last event can be undone."""
    match event:
        case Faded():
            return ("level",)
        case Quarantined() | Unquarantined():
            return ("doubt",)
        case Annotated(by=by) | AnnotationWithdrawn(by=by):
            return ("told", by)
    return ("state",)
