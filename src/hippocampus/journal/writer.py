"""Writing one bank's books: episodes, their states and marks, and a change for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple

from hippocampus.core.clock import MOST_AHEAD, to_micros
from hippocampus.core.events import (
    Accepted,
    Corrected,
    Event,
    Forgotten,
    JournalRow,
    Merged,
    Pinned,
    Remembered,
    Restored,
    Suspected,
    Unpinned,
    encode,
)
from hippocampus.core.records import (
    HELD,
    PINNED,
    STATE_CHANGES,
    SUSPECT,
    Asks,
    EpisodeRow,
    State,
    Store,
)
from hippocampus.errors import InputError, UnknownEpisode
from hippocampus.journal.draft import Draft, Encoded
from hippocampus.journal.lineage import Lineage
from hippocampus.journal.payloads import LedgerPayloads
from hippocampus.journal.reader import LedgerPart, LedgerReader


class AddedRows(NamedTuple):
    """The rows of drafts by id, and the records of those that were not there before."""

    rows: dict[str, int]
    records: Sequence[EpisodeRow]


class LedgerWriter(LedgerPart):
    """
    Writer of one bank, inside ``store.write()``, which it never opens itself.

    Whoever owns the locks also begins the transaction, in one visible place.
    """

    def __init__(
        self,
        reader: LedgerReader,
        lineage: Lineage,
        payloads: LedgerPayloads,
        *,
        clock: Callable[[], datetime],
    ) -> None:
        super().__init__(reader)
        self._lineage = lineage
        self._payloads = payloads
        self._clock = clock

    def asks(self, drafts: Sequence[Draft]) -> Asks:
        """Return the calls that ``add`` makes for some drafts; see ``Store.expecting``."""
        episodes = self._store.episodes
        sessions = {d.session for d in drafts if d.session is not None}
        return [
            partial(episodes.rows_of, self._bank, [d.id for d in drafts]),
            *(partial(episodes.last_of_session, self._bank, one, 1) for one in sessions),
            self._payloads.ends,
            partial(episodes.count, self._bank),
        ]

    def add(
        self,
        groups: Iterable[Sequence[Draft]],
        encoded: Encoded,
        *,
        at: int | None = None,
        old: EpisodeRow | None = None,
    ) -> dict[str, int]:
        """Do as ``add_records`` does; returns the rows by id."""
        return self.add_records(groups, encoded, at=at, old=old).rows

    def add_records(
        self,
        groups: Iterable[Sequence[Draft]],
        encoded: Encoded,
        *,
        at: int | None = None,
        old: EpisodeRow | None = None,
    ) -> AddedRows:
        """
        Add drafts, turn by turn, with their payloads.

        ``at``: now by default. ``old``: what they are a new wording of.
        """
        at = self.now() if at is None else at
        groups = list(groups)
        start = self._store.episodes.count(self._bank)
        # Another process may have been first with some of them.
        places = self._store.episodes.rows_of(self._bank, [d.id for group in groups for d in group])
        turns = _SessionTurns(self._store, self._bank, old)
        records: list[EpisodeRow] = []
        for group in groups:
            fresh = [d for d in group if d.id not in places]
            turn = turns.next(group[0].session) if fresh else None
            for d in fresh:
                row = places[d.id] = start + len(records)
                records.append(_record(d, row=row, at=at, turn=turn, old=old))
        link = None if old is None else old.id
        self._store.episodes.add(self._bank, records)
        self.note_at(at, ((e.row, Remembered(id=e.id, supersedes=link)) for e in records))
        rows = {e.id: e.row for e in records}
        self._payloads.add(encoded, rows, start + len(records))
        return AddedRows(places, records)

    def correct(self, old: EpisodeRow, drafts: Sequence[Draft], encoded: Encoded) -> int:
        """
        Put a new wording in the place of an episode in force; returns its (first) row.

        When it is an earlier wording, that version is in force again, and nothing is added. It is
        pinned as the old one is, and accepted or suspect like that if it says the same.
        """
        now = self.check_in_force(old)
        at, new, decided = self.now(), drafts[0].id, now.marks
        same = drafts[0].digest == now.digest
        known = self._store.episodes.rows_of(self._bank, [new])
        if known:
            (there,) = self._store.episodes.read(self._bank, [known[new]])
            if there.state == "erased":
                msg = f"this wording of episode {old.id} was erased for good; word it otherwise"
                raise InputError(msg)
            row, marks = there.row, {there.row: there.marks}
            if there.state == "active":  # no earlier wording, but a memory of its own
                decided, same = decided | there.marks, False
            else:
                self.check_free([there])
            self.change_at(at, [row], Restored(supersedes=old.id))
        else:
            rows = self.add([drafts], encoded, at=at, old=old)
            row, marks = rows[new], {rows[d.id]: d.marks for d in drafts}
        self.change_at(at, [old.row], Corrected(by=new), by=row)
        self._inherit(at, decided, marks, same=same)
        return row

    def _inherit(self, at: int, old: int, rows: Mapping[int, int], *, same: bool) -> None:
        """Let rows, which have some marks, take over what others decided of what they replace."""
        decided: tuple[tuple[int, Event, Event], ...] = (
            (PINNED, Pinned(), Unpinned()),
            *([(SUSPECT, Suspected(), Accepted())] if same else ()),
        )
        for mark, put_on, taken_off in decided:
            on = bool(old & mark)
            others = [row for row, marks in rows.items() if bool(marks & mark) != on]
            if others:
                self._store.episodes.set_marks(self._bank, others, mark, on=on)
                event = put_on if on else taken_off
                self.note_at(at, ((row, event) for row in others))

    def check_in_force(self, seen: EpisodeRow) -> EpisodeRow:
        """
        Return an episode that is to be corrected as it is now.

        Refuse what is hidden, or was changed by others since it was ``seen``.
        """
        now = next(iter(self._store.episodes.read(self._bank, [seen.row])), None)
        if now is None or now.id != seen.id:
            msg = f"episode {seen.id!r} is not in its place any more; recall and episodes give ids"
            raise UnknownEpisode(msg)
        if now.state != "active":
            last = self._lineage.last(now)
            meant = "it" if last.id == now.id else f"{last.id}, its last version,"
            fix = f"correct {meant} instead" if last.state == "active" else f"restore {meant} first"
            raise InputError(f"episode {seen.id} is {now.state}; {fix}")
        self.check_free([now])
        return now

    def check_free(self, records: Iterable[EpisodeRow]) -> None:
        """Refuse to change what is held."""
        for record in records:
            if record.marks & HELD and record.state != "erased":
                msg = f"episode {record.id} is held, so nothing may change it; release it first"
                raise InputError(msg)

    def check_all_free(self, *, after: int = 0) -> int:
        """
        Refuse to change a bank in which something is held; returns its last change.

        ``after``: the change up to which that is known.
        """
        if after:
            told = self._store.journal.read(self._bank, after=after)
            rows = sorted({change.row for change in told if change.row is not None})
            self.check_free(self._store.episodes.read(self._bank, rows))
        else:
            self.check_free(self._store.episodes.scan(self._bank))
        return self._store.journal.last_seq(self._bank)

    def forget(self, ids: Iterable[str]) -> int:
        """Hide episodes, long texts whole; returns how many changed."""
        return self._move(ids, Forgotten(), start="active")

    def restore(self, ids: Iterable[str]) -> int:
        """Bring forgotten episodes back; returns how many changed."""
        return self._move(ids, Restored(), start="forgotten")

    def change(self, rows: Sequence[int], event: Event) -> None:
        """Change the state of episodes to what an event makes it, and note it of each."""
        self.change_at(self.now(), rows, event)

    def mark(self, ids: Iterable[str], marks: int, event: Event, *, on: bool) -> int:
        """
        Put marks on episodes in force, long texts whole, or take them off; return how many.

        What is hidden can be held, too: it is still there, and ``compact`` would end that.
        """
        states = ("active",) if marks != HELD else ("active", "forgotten", "superseded")
        rows = [
            record.row
            for record in self._reader.whole(map(self._reader.find, ids))
            if record.state in states and bool(record.marks & marks) != on
        ]
        if rows:
            self._store.episodes.set_marks(self._bank, rows, marks, on=on)
            self.note_at(self.now(), ((row, event) for row in rows))
        return len(rows)

    def tell(self, ids: Iterable[str], event: Event) -> int:
        """Note an event of episodes in any state but erased; return of how many."""
        rows = [self._reader.find(id_).row for id_ in ids]
        self.note_at(self.now(), ((row, event) for row in rows))
        return len(rows)

    def note(self, event: Event) -> None:
        """Note an event of the whole bank."""
        self.note_at(self.now(), [(None, event)])

    def load(
        self, records: Sequence[EpisodeRow], journal: Iterable[JournalRow], encoded: Encoded
    ) -> None:
        """Fill an empty bank with what another one held."""
        if self._store.episodes.count(self._bank):
            msg = f"bank {self._reader.name!r} was written to meanwhile; import once more"
            raise InputError(msg)
        self._store.episodes.add(self._bank, records)
        last = self._store.journal.last_seq(self._bank)  # such as of a policy chosen for it
        self._store.journal.append(self._bank, (c._replace(seq=last + c.seq) for c in journal))
        self._payloads.add(encoded, {record.id: record.row for record in records}, len(records))

    def _move(self, ids: Iterable[str], event: Forgotten | Restored, *, start: State) -> int:
        whole = self._reader.whole(map(self._reader.find, ids))
        self.check_free(whole)
        rows = [record.row for record in whole if record.state == start]
        for row in rows if start == "active" else ():
            self.check_free(
                self._store.episodes.read(self._bank, self._lineage.aliases(row, "superseded"))
            )
        if rows:
            self.change(rows, event)
        hidden = isinstance(event, Forgotten)
        for row in rows:  # what it stands for goes with it, and comes back as it was
            aliases = self._lineage.aliases(row, "superseded" if hidden else "forgotten")
            if aliases and hidden:
                self.change(aliases, event)
            elif aliases:
                (own,) = self._store.episodes.read(self._bank, [row])
                self.change_at(self.now(), aliases, Merged(by=own.id), by=row)
        return len(rows)

    def change_at(
        self, at: int, rows: Sequence[int], event: Event, *, by: int | None = None
    ) -> None:
        """Change the state of episodes at a moment; ``by``: the row that takes their place."""
        self._store.episodes.set_state(
            self._bank, rows, STATE_CHANGES[type(event)], superseded_by=by
        )
        self.note_at(at, ((row, event) for row in rows))

    def note_at(self, at: int, changes: Iterable[tuple[int | None, Event]]) -> None:
        """Note events at a moment, each of a row, or of the whole bank for None."""
        rows: list[JournalRow] = []
        for seq, (row, event) in enumerate(changes, self._store.journal.last_seq(self._bank) + 1):
            kind, detail = encode(event)
            rows.append(JournalRow(seq, at, kind, row, detail))
        self._store.journal.append(self._bank, rows)

    def now(self) -> int:
        """
        Return the present; not before the last change, for a clock may be set back.

        But a last change of more than a month ahead was dated by a clock that was wrong, or this
        one is: taking it over would date everything after it wrongly as well.
        """
        before = self._store.journal.last_seq(self._bank) - 1
        last = self._store.journal.read(self._bank, after=before, limit=1)
        present = to_micros(self._clock())
        believed = (change.at for change in last if change.at <= present + MOST_AHEAD)
        return max([present, *believed])


class _SessionTurns:
    """Counts the turns of sessions on from what is stored."""

    def __init__(self, store: Store, bank: int, old: EpisodeRow | None) -> None:
        self._store = store
        self._bank = bank
        self._old = old
        self._last: dict[str, int] = {}

    def next(self, session: str | None) -> int | None:
        """Return the next turn's number; a new wording has that of the old one."""
        if self._old is not None:
            return self._old.turn
        if session is None:
            return None
        if session not in self._last:
            last = self._store.episodes.last_of_session(self._bank, session, 1)
            self._last[session] = -1 if not last or last[0].turn is None else last[0].turn
        self._last[session] += 1
        return self._last[session]


def _record(d: Draft, *, row: int, at: int, turn: int | None, old: EpisodeRow | None) -> EpisodeRow:
    place = f"{d.session}#turn-{turn}" if d.session is not None else d.source or d.id
    address = d.address or place
    if d.parts > 1:
        address = f"{address}#part-{d.part}"
    part, parts = d.part, d.parts
    if old is not None and d.parts == 1:  # a new wording stands where the old one stood
        part, parts = old.part, old.parts
    return EpisodeRow(
        row=row, id=d.id, occurred_at=d.occurred_at, recorded_at=at, session=d.session, turn=turn,
        part=part, parts=parts, speaker=d.speaker, role=d.role, source=d.source,
        address=address, metadata=d.metadata, digest=d.digest, state="active",
        supersedes=None if old is None else old.row, superseded_by=None, marks=d.marks,
    )  # fmt: skip
