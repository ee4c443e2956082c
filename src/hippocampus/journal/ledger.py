"""The books of one bank: episodes, texts, journal and payloads, kept in step with each other."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple, cast

from msgspec.structs import replace

from hippocampus.core.background_yield import pausing
from hippocampus.core.clock import from_micros, to_micros
from hippocampus.core.config import Ingest
from hippocampus.core.events import (
    Absorbed,
    Annotated,
    AnnotationWithdrawn,
    Corrected,
    E,
    Erased,
    Event,
    Faded,
    FeedbackGiven,
    Forgotten,
    JournalEvent,
    JournalRow,
    Lapsed,
    Merged,
    Quarantined,
    Record,
    Remembered,
    Restored,
    SleepEvent,
    TextsShortened,
    Unquarantined,
    class_of,
    decode,
    encode,
    fields_of,
    kind_of,
)
from hippocampus.core.records import (
    DEEPEST,
    DOUBTED,
    HELD,
    PINNED,
    SETTLED,
    STATE_CHANGES,
    Act,
    Beside,
    Block,
    Change,
    Episode,
    EpisodeRow,
    Kind,
    Payloads,
    State,
    Stats,
    Store,
)
from hippocampus.encode import tokens as tokenizer
from hippocampus.errors import InputError, UnknownEpisode
from hippocampus.index.cue import Mask
from hippocampus.journal.content import Content, Segment, Segments
from hippocampus.journal.draft import CONTEXT_TURNS, Draft, Encoded, spoken
from hippocampus.language.details import digest_details
from hippocampus.language.extractive_compression import shown
from hippocampus.language.noun_phrases import Phrase, find_phrases, names_of, proper_keys

DEEDS: Final = (Merged, Faded, Lapsed, Quarantined, Unquarantined, Annotated)
"""What sleep does to single episodes."""

DERIVED: Final[tuple[Kind, ...]] = ("vector", "tokens", "lexical", "signature", "phrase")
"""Payloads that are made from texts, and can be made anew."""

SLEPT: Final[tuple[Kind, ...]] = ("gist", "concept", "topic", "summary", "graph")
"""What sleep makes of a whole bank, in one block each."""

NEXT: Final[Mapping[Kind, Kind]] = {
    "vector": "vector.next",
    "tokens": "tokens.next",
    "lexical": "lexical.next",
    "signature": "signature.next",
    "phrase": "phrase.next",
}
"""Where an unfinished rebuild keeps what it has made of each."""


class LedgerEntry(NamedTuple):
    """
    An episode with its length in tokens and the digest its text is recognised by.

    ``settled``: the level at which its text is what is shown of it.
    """

    episode: Episode
    tokens: int
    digest: bytes
    settled: int

    @property
    def shown(self) -> str:
        """The text as far as it is still shown."""
        return shown(self.episode.text, self.episode.level, settled=self.settled)


class Ledger:
    """
    The books of one bank, over a store and nothing else: no index, no lock, no embedder.

    It keeps no state, so it may be made anew at any time. What reads may be called anywhere, and
    sees one moment inside ``store.read()``. What writes is called inside ``store.write()``, which
    it never opens itself: whoever owns the locks also begins the transaction, in one visible place.
    """

    def __init__(
        self,
        store: Store,
        bank: int,
        *,
        name: str,
        salt: bytes,
        limits: Ingest,
        now: Callable[[], datetime],
        segments: Segments,
    ) -> None:
        self.store = store
        self.bank = bank
        self.content = Content(store, bank, segments)
        self.name = name
        self.salt = salt
        self.limits = limits
        self._now = now

    def __repr__(self) -> str:
        return f"Ledger({self.name!r})"

    # ------------------------------------------------------------ reading

    def find(self, id: str, *, erased: bool = False) -> EpisodeRow:  # noqa: A002
        """Return an episode by id; an erased one only when asked for."""
        if not isinstance(id, str) or not id:
            msg = f"id={id!r}: an episode's id is a non-empty text"
            raise InputError(msg)
        tokenizer.encode(id)  # refuses what no store can look up
        rows = self.store.episodes.rows_of(self.bank, [id])
        records = self.store.episodes.read(self.bank, list(rows.values()))
        if not records or (records[0].state == "erased" and not erased):
            gone = "was erased" if records else "is not in it"
            msg = f"episode {id!r} of bank {self.name!r} {gone}; list what is with episodes()"
            raise UnknownEpisode(msg)
        return records[0]

    def texts(self, rows: Collection[int]) -> dict[int, str]:
        """Return the texts of rows; erased ones are left out."""
        return {row: text for row, (text, _) in self.content.texts(rows).items()}

    def tokens(self, rows: Collection[int]) -> dict[int, int]:
        """Return how many tokens the texts of rows have; erased ones are left out."""
        return {row: len(ids) for row, ids in self.content.ids(rows).items()}

    def read(self, rows: Sequence[int]) -> list[LedgerEntry]:
        """Return episodes by row, in the order asked."""
        with self.store.read():
            records = self.store.episodes.read(self.bank, rows)
            texts = self.content.texts(rows)
            linked = {r for e in records for r in (e.supersedes, e.superseded_by) if r is not None}
            ids = self._ids(linked)
        read: list[LedgerEntry] = []
        for e in records:
            text, tokens = texts.get(e.row, ("", 0))
            read.append(
                LedgerEntry(_episode(self.name, e, text, ids), tokens, e.digest, e.marks // SETTLED)
            )
        return read

    def episodes(self, rows: Sequence[int]) -> list[Episode]:
        """Return episodes by row, in the order asked."""
        return [entry.episode for entry in self.read(rows)]

    def standing(self, rows: Iterable[int]) -> list[int]:
        """Return what is in force in the place of rows: a row itself, or what superseded it."""
        found: dict[int, None] = {}
        for start in rows:
            row: int | None = start
            passed: set[int] = set()
            while row is not None and row not in passed:
                passed.add(row)
                (record,) = self.store.episodes.read(self.bank, [row])
                if record.state == "active":
                    found[row] = None
                row = record.superseded_by if record.state == "superseded" else None
        return list(found)

    def correction(self, row: int, told: Sequence[str], allowed: Mask | None) -> int | None:
        """
        Return the last of what corrects a row, or what stands for that, of the rows allowed.

        ``told``: ids of what was said to correct it. ``allowed``: None where everything is.
        """
        for by in reversed(told):
            said = self.store.episodes.rows_of(self.bank, [by]).values()
            for other in (*said, *self.standing(said)):
                # Others may have put something in its place since the index was caught up.
                seen = allowed is None or (other < len(allowed) and allowed[other])
                if seen and other != row:  # with which it may have been merged
                    return other
        return None

    def beside(self, row: int) -> dict[int, Beside]:
        """Return the rows that sleep has found to stand beside one, and how."""
        found: dict[int, Beside] = {}
        (own,) = self.store.episodes.read(self.bank, [row])
        if own.state == "superseded":
            found |= dict.fromkeys(self.standing([row]), "canonical")
        for change in self.events(Absorbed, Annotated, AnnotationWithdrawn, row=row):
            for other in self.store.episodes.rows_of(self.bank, _beside(change.event)).values():
                (record,) = self.store.episodes.read(self.bank, [other])
                match change.event:
                    case AnnotationWithdrawn():
                        found.pop(other, None)
                    case Absorbed() if record.superseded_by == row:
                        found[other] = "alias"
                    case Annotated(why=str(why)) if record.state == "active":
                        found[other] = cast("Beside", why)
        return found

    def drafts(self, records: Iterable[EpisodeRow]) -> list[Draft]:
        """Return what stored episodes were made from; erased ones are left out."""
        by_row = {record.row: record for record in records}
        texts = self.texts(by_row)  # of what was erased just now, there is none either
        return [Draft.of(by_row[row], texts[row]) for row in by_row if row in texts]

    def names(self, rows: Collection[int]) -> dict[int, list[Phrase]]:
        """Return the phrases of rows, spelled, and the names of who speaks there."""
        texts = self.texts(rows)
        records = self.store.episodes.read(self.bank, list(texts))
        return {e.row: find_phrases(texts[e.row]) + names_of(e.speaker) for e in pausing(records)}

    def last_said(self, sessions: Iterable[str]) -> dict[str, list[str]]:
        """Return the last few lines of sessions, in the light of which the next is read."""
        said: dict[str, list[str]] = {}
        for session in sessions:
            last = self.store.episodes.last_of_session(self.bank, session, CONTEXT_TURNS)
            texts = self.texts([e.row for e in last])
            said[session] = [spoken(e.speaker, texts[e.row]) for e in last if e.row in texts]
        return said

    def history(self, row: int) -> list[Change]:
        """Return every change to an episode and to its earlier and later versions, in order."""
        rows = self.versions([row])
        changes = [c for r in rows for c in self.store.journal.read(self.bank, row=r)]
        return self._changes(sorted(changes))

    def events(self, *classes: type[E], after: int = 0, row: int | None = None) -> list[Record[E]]:
        """Return the events of some classes, in order: after a change, of one episode."""
        found = self.store.journal.read(self.bank, after=after, row=row, kinds=classes)
        path = self.store.path
        return [
            Record(c.seq, c.at, c.row, cast("E", decode(c, bank=self.name, path=path)))
            for c in found
        ]

    def journal(self, *, after: int, limit: int | None) -> list[Change]:
        """Return the bank's changes in order, from ``after`` on."""
        return self._changes(self.store.journal.read(self.bank, after=after, limit=limit))

    def stats(
        self, *, embedder: str | None, uncalibrated: str | None, resident_bytes: int
    ) -> Stats:
        """Return what the bank holds, and how many bytes by kind of data."""
        states: dict[State, int] = {"active": 0, "superseded": 0, "forgotten": 0, "erased": 0}
        active: list[EpisodeRow] = []
        for record in self.store.episodes.scan(self.bank):
            states[record.state] += 1
            if record.state == "active":
                active.append(record)
        return Stats(
            bank=self.name,
            episodes=states["active"],
            superseded=states["superseded"],
            forgotten=states["forgotten"],
            sessions=len({e.session for e in active if e.session}),
            speakers=tuple(sorted({e.speaker for e in active if e.speaker})),
            sources=tuple(sorted({e.source for e in active if e.source})),
            first=from_micros(min(e.said_at for e in active)) if active else None,
            last=from_micros(max(e.said_at for e in active)) if active else None,
            stored_bytes=self.store.upkeep.stored_bytes(self.bank),
            embedder=embedder,
            uncalibrated=uncalibrated,
            resident_bytes=resident_bytes,
        )

    def whole(self, records: Iterable[EpisodeRow]) -> list[EpisodeRow]:
        """Return episodes together with the other parts of the long texts they are parts of."""
        whole: dict[int, EpisodeRow] = {}
        for record in records:
            whole[record.row] = record
            first = record.row - record.part
            beside = range(max(first, 0), first + record.parts) if record.parts > 1 else ()
            for other in self.store.episodes.read(self.bank, beside):
                same = (other.said_at, other.session, other.speaker, other.parts)
                if same == (record.said_at, record.session, record.speaker, record.parts) and (
                    other.part == other.row - first
                ):
                    whole[other.row] = other
        return [whole[row] for row in sorted(whole)]

    def versions(self, rows: Iterable[int], *, merged: bool = True) -> list[int]:
        """
        Return rows with every earlier and later version of theirs.

        ``merged``: also what sleep has merged with them.
        """
        chain: set[int] = set()
        queue = list(rows)
        while queue:
            row = queue.pop()
            if row in chain:
                continue
            chain.add(row)
            for record in self.store.episodes.read(self.bank, [row]):
                queue += [] if record.supersedes is None else [record.supersedes]
                if record.superseded_by is not None and (merged or not self._is_alias(row)):
                    queue.append(record.superseded_by)
                if record.supersedes is not None:  # a long correction has parts beside this one
                    first = max(record.row - record.part, 0)
                    beside = self.store.episodes.read(self.bank, range(first, first + record.parts))
                    queue += [e.row for e in beside if e.supersedes == record.supersedes]
            # A version that went back to an older wording is linked by its journal alone.
            for change in self.events(Remembered, Corrected, Restored, Absorbed, row=row):
                there = list(
                    self.store.episodes.rows_of(self.bank, _linked(change.event, merged)).values()
                )
                if isinstance(change.event, Absorbed):  # unless a sleep that merged them was undone
                    known = self.store.episodes.read(self.bank, there)
                    there = [e.row for e in known if e.superseded_by == row]
                queue += there
        return sorted(chain)

    def _ids(self, rows: Collection[int]) -> dict[int, str]:
        return (
            {e.row: e.id for e in self.store.episodes.read(self.bank, sorted(rows))} if rows else {}
        )

    def _changes(self, rows: Sequence[JournalRow]) -> list[Change]:
        ids = self._ids({change.row for change in rows if change.row is not None})
        return [
            Change(
                seq=change.seq,
                at=from_micros(change.at),
                kind=change.kind,
                episode=None if change.row is None else ids.get(change.row),
                detail=fields_of(change, bank=self.name, path=self.store.path),
            )
            for change in rows
        ]

    # ------------------------------------------------------------ writing, inside a transaction

    def add(self, groups: Iterable[Sequence[Draft]], encoded: Encoded) -> dict[str, int]:
        """Add drafts, turn by turn, with their payloads; returns the rows by id."""
        return self._add(groups, encoded, at=self._at())

    def correct(self, old: EpisodeRow, drafts: Sequence[Draft], encoded: Encoded) -> int:
        """
        Put a new wording in the place of an episode in force; returns its (first) row.

        When it is an earlier wording, that version is in force again, and nothing is added.
        """
        self.check_in_force(old)
        at, new = self._at(), drafts[0].id
        known = self.store.episodes.rows_of(self.bank, [new])
        if known:
            row = known[new]
            if self.store.episodes.read(self.bank, [row])[0].state == "erased":
                msg = f"this wording of episode {old.id} was erased for good; word it otherwise"
                raise InputError(msg)
            self._change(at, [row], Restored(supersedes=old.id))
        else:
            row = self._add([drafts], encoded, at=at, old=old)[new]
        self._change(at, [old.row], Corrected(by=new), by=row)
        return row

    def settle(self, faded: Iterable[tuple[EpisodeRow, Sequence[Draft]]], encoded: Encoded) -> int:
        """
        Put what is shown of faded episodes in the place of their texts, which are erased.

        What others have changed since it was seen, or say in the same words, stays; returns of how
        many it was done.
        """
        shortened: list[tuple[int, int]] = []
        for old, drafts in faded:
            (now,) = self.store.episodes.read(self.bank, [old.row])
            if now != old or self.store.episodes.rows_of(self.bank, [drafts[0].id]):
                continue
            before = self.versions([old.row])
            row = self.correct(old, drafts, encoded)
            self.store.episodes.set_level(self.bank, [row], old.level)
            self.store.episodes.set_marks(self.bank, [row], old.level * SETTLED, on=True)
            self._note(self._at(), [(row, Faded(level=old.level, was=0, why="compact"))])
            self._note(self._at(), [(row, event) for event in self._judged(old.row)])
            self._relink(before, old.row, row)
            shortened.append((old.row, row))
        if shortened:
            self.note(TextsShortened(rows=shortened))
        self._erase([row for row, _ in shortened], Erased(by="compact"))
        return len(shortened)

    def _judged(self, row: int) -> list[Event]:
        """Return what was said of an episode's worth, and when: erasing it blanks its journal."""
        judged: list[Event] = []
        for change in self.events(FeedbackGiven, Annotated, AnnotationWithdrawn, row=row):
            match change.event:
                case FeedbackGiven(at=at) as told:
                    judged.append(replace(told, at=change.at if at is None else at))
                case Annotated(at=at) | AnnotationWithdrawn(at=at) as told:
                    at = change.at if at is None else at
                    # No sleep did that to what takes its place.
                    judged.append(replace(told, at=at, sleep=None, undoes=None))
        return judged

    def _relink(self, rows: Sequence[int], old: int, new: int) -> None:
        """Let those of some rows that one superseded be superseded by another, or none finds it."""
        linked = [e for e in self.store.episodes.read(self.bank, rows) if e.superseded_by == old]
        self.store.episodes.set_state(
            self.bank, [e.row for e in linked], "superseded", superseded_by=new
        )
        for e in linked:
            alias = self._is_alias(e.row)  # which an earlier wording is not
            link = Absorbed(supersedes=e.id) if alias else Absorbed(by=e.id)
            self._note(self._at(), [(new, link)])

    def check_in_force(self, seen: EpisodeRow) -> None:
        """Refuse to correct what is hidden, or was changed by others since it was ``seen``."""
        (now,) = self.store.episodes.read(self.bank, [seen.row])
        if now.state != "active":
            msg = f"episode {seen.id} is {now.state}; correct the version in force instead"
            raise InputError(msg)
        self.check_free([now])

    def check_free(self, records: Iterable[EpisodeRow]) -> None:
        """Refuse to change what is held."""
        for record in records:
            if record.marks & HELD and record.state != "erased":
                msg = f"episode {record.id} is held, so nothing may change it; release it first"
                raise InputError(msg)

    def forget(self, ids: Iterable[str]) -> int:
        """Hide episodes, long texts whole; returns how many changed."""
        return self._move(ids, Forgotten(), start="active")

    def restore(self, ids: Iterable[str]) -> int:
        """Bring forgotten episodes back; returns how many changed."""
        return self._move(ids, Restored(), start="forgotten")

    def erase(self, ids: Iterable[str]) -> int:
        """
        Blank every word of episodes, of all their parts and versions; returns how many changed.

        So are what was merged with them and has the same words, and what they stand for; but where
        its details are others, that is in force again. The words are then in no table;
        ``store.upkeep.scrub`` takes them out of what tables left behind.
        """
        rows, freed = self._meant(e.row for e in self.whole(map(self.find, ids)))
        self.check_free(self.store.episodes.read(self.bank, rows))
        if freed:
            self.change(freed, Restored(why="what stood for it was erased"))
        return self._erase(rows, Erased())

    def _meant(self, rows: Iterable[int]) -> tuple[list[int], list[int]]:
        """Return what goes with rows that somebody wants gone, and what they no longer hide."""
        gone: set[int] = set()
        freed: set[int] = set()
        queue = list(rows)
        while queue:
            fresh = set(self.versions(queue, merged=False)) - gone
            gone |= fresh
            queue = []
            for row in sorted(fresh):
                (own,) = self.store.episodes.read(self.bank, [row])
                for alias in self._aliases(row, "superseded"):
                    if self._says_the_same(own, alias):
                        queue.append(alias)
                    else:
                        freed.add(alias)
                stand = own.superseded_by if self._is_alias(row) else None
                beside = [] if stand is None else [stand, *self._aliases(stand, "superseded")]
                there = self.store.episodes.read(self.bank, beside)
                queue += [e.row for e in there if e.digest == own.digest]
        return sorted(gone), sorted(freed - gone)

    def _says_the_same(self, own: EpisodeRow, alias: int) -> bool:
        """Return whether what an episode stands for has no detail that it has not itself."""
        (other,) = self.store.episodes.read(self.bank, [alias])
        if (
            other.digest == own.digest or own.marks // SETTLED
        ):  # whose own words are no longer there
            return True
        texts = self.texts([own.row, alias])
        details = {
            digest_details(texts[e.row], proper_keys(texts[e.row], e.speaker))
            for e in (own, other) if e.row in texts
        }  # fmt: skip
        return len(details) == 1

    def _is_alias(self, row: int) -> bool:
        """Return whether another stands for an episode that sleep has merged with it."""
        told = self.store.journal.read(self.bank, row=row, kinds=tuple(STATE_CHANGES))
        return bool(told) and class_of(told[-1].kind) is Merged

    def compact(self, states: Collection[State], rows: range) -> Counter[State]:
        """
        Erase those of some rows that are in one of these states; returns how many of each.

        What is held stays, as hidden as it is.
        """
        found = [e for e in self.store.episodes.read(self.bank, rows) if _may_go(e, states)]
        self._erase([e.row for e in found], Erased(by="compact"))
        return Counter(e.state for e in found)

    def _erase(self, rows: Sequence[int], event: Erased) -> int:
        records = self.store.episodes.read(self.bank, rows)
        live = [record.row for record in records if record.state != "erased"]
        if live:
            self.store.journal.redact(self.bank, live)
            self.change(live, event)
            self.content.blank(live)
            for kind in (*DERIVED, *NEXT.values()):
                self._blank(kind, live)
            self.forget_slept()  # it spells what was said
            self.store.episodes.erase(self.bank, live)
        return len(live)

    def change(self, rows: Sequence[int], event: Event) -> None:
        """Change the state of episodes to what an event makes it, and note it of each."""
        self._change(self._at(), rows, event)

    def mark(self, ids: Iterable[str], marks: int, event: Event, *, on: bool) -> int:
        """
        Put marks on episodes in force, long texts whole, or take them off; return how many.

        What is hidden can be held, too: it is still there, and ``compact`` would end that.
        """
        states = ("active",) if marks != HELD else ("active", "forgotten", "superseded")
        rows = [
            record.row
            for record in self.whole(map(self.find, ids))
            if record.state in states and bool(record.marks & marks) != on
        ]
        if rows:
            self.store.episodes.set_marks(self.bank, rows, marks, on=on)
            self._note(self._at(), ((row, event) for row in rows))
        return len(rows)

    def tell(self, ids: Iterable[str], event: Event) -> int:
        """Note an event of episodes in any state but erased; return of how many."""
        rows = [self.find(id_).row for id_ in ids]
        self._note(self._at(), ((row, event) for row in rows))
        return len(rows)

    def do(self, acts: Sequence[Act], sleep: int) -> list[Act]:
        """
        Do what a step of sleep proposes, but to what others have changed; return what is done.

        Every change says by which sleep, and how it was before, so that ``undo`` finds its way.
        """
        there = {
            e.row: e for e in self.store.episodes.read(self.bank, sorted({a.row for a in acts}))
        }
        stand = {a.by for a in acts if a.by is not None}
        firm = {e.row: e for e in self.store.episodes.read(self.bank, sorted(stand))}
        done = [
            act
            for act in acts
            if _may(act, there.get(act.row), stands := firm.get(-1 if act.by is None else act.by))
            and not (act.deed == "annotate" and stands and self._told(act.row, stands.id))
        ]
        at = self._at()
        for act in done:
            self._do(at, act, sleep, there[act.row], None if act.by is None else firm[act.by].id)
        return done

    def _do(self, at: int, act: Act, sleep: int, was: EpisodeRow, by: str | None) -> None:
        """Do one act; ``was``: its episode before, ``by``: the id of what its ``by`` names."""
        match act.deed:
            case "merge":
                self._change(at, [act.row], Merged(sleep=sleep, why=act.why, by=by), by=act.by)
                self._note(at, [(act.by, Absorbed(sleep=sleep, supersedes=was.id))])
            case "lapse":
                self._change(at, [act.row], Lapsed(sleep=sleep, why=act.why))
            case "fade":
                level = act.level or 0
                self.store.episodes.set_level(self.bank, [act.row], level)
                faded = Faded(sleep=sleep, why=act.why, level=level, was=was.level)
                self._note(at, [(act.row, faded)])
            case "doubt":
                self.store.episodes.set_marks(self.bank, [act.row], DOUBTED, on=True)
                self._note(at, [(act.row, Quarantined(sleep=sleep, why=act.why))])
            case "clear":
                self.store.episodes.set_marks(self.bank, [act.row], DOUBTED, on=False)
                self._note(at, [(act.row, Unquarantined(sleep=sleep, why=act.why))])
            case "annotate":
                self._note(at, [(act.row, Annotated(sleep=sleep, why=act.why, by=by))])

    def _told(self, row: int, by: str) -> bool:
        """Return whether another sleep has noted the same."""
        return any(change.event.by == by for change in self.events(Annotated, row=row))

    def undo(self, sleep: int) -> Counter[str]:
        """
        Take back what a sleep did to episodes, the last first; return how often what was undone.

        What has been changed since by others stays as they made it.
        """
        counts: Counter[str] = Counter()
        at = self._at()
        since: set[tuple[object, ...]] = set()
        undone: Counter[tuple[object, ...]] = Counter()
        classes: set[type[JournalEvent]] = {*STATE_CHANGES, *DEEDS, AnnotationWithdrawn}
        for _, _, row, event in reversed(self.events(*classes)):
            touched = (row, *_touched(event))
            if row is None or touched in since:
                continue
            inverse = event.undoes if isinstance(event, SleepEvent | Restored) else None
            if inverse is not None:  # it and what it undid come to nothing
                undone[*touched, inverse] += 1
                continue
            by = event.sleep if isinstance(event, SleepEvent) else None
            if undone[*touched, by]:
                undone[*touched, by] -= 1
                continue
            if not isinstance(event, DEEDS) or by != sleep:
                since.add(touched)
                continue
            self._undo(at, row, event, sleep)
            counts[kind_of(type(event))] += 1
        return counts

    def _undo(self, at: int, row: int, event: SleepEvent, sleep: int) -> None:
        """Take back what a sleep did to one episode."""
        match event:
            case Merged() | Lapsed():
                self._change(at, [row], Restored(undoes=sleep))
            case Faded(level=level, was=was):
                self.store.episodes.set_level(self.bank, [row], was or 0)
                self._note(at, [(row, Faded(undoes=sleep, level=was, was=level))])
            case Quarantined():
                self.store.episodes.set_marks(self.bank, [row], DOUBTED, on=False)
                self._note(at, [(row, Unquarantined(undoes=sleep))])
            case Unquarantined():
                self.store.episodes.set_marks(self.bank, [row], DOUBTED, on=True)
                self._note(at, [(row, Quarantined(undoes=sleep))])
            case Annotated(by=by, why=why):
                self._note(at, [(row, AnnotationWithdrawn(undoes=sleep, by=by, why=why))])

    def load(
        self, records: Sequence[EpisodeRow], journal: Iterable[JournalRow], encoded: Encoded
    ) -> None:
        """Fill an empty bank with what another one held."""
        if self.store.episodes.count(self.bank):
            msg = f"bank {self.name!r} was written to meanwhile; import once more"
            raise InputError(msg)
        self.store.episodes.add(self.bank, records)
        last = self.store.journal.last_seq(self.bank)  # such as of a policy chosen for it
        self.store.journal.append(self.bank, (c._replace(seq=last + c.seq) for c in journal))
        self.put(encoded, {record.id: record.row for record in records})
        self.seal()

    def note(self, event: Event) -> None:
        """Note an event of the whole bank."""
        self._note(self._at(), [(None, event)])

    def forget_slept(self) -> None:
        """Drop what sleep has made of the whole bank, until it makes it anew."""
        for kind in SLEPT:
            self.store.payloads.drop(self.bank, kind)

    def put(self, encoded: Encoded, rows: Mapping[str, int]) -> None:
        """Write the payloads of those ids that have a row here."""
        for kind, made in encoded.items():
            self.store.payloads.put(
                self.bank, kind, [(rows[id_], made[id_]) for id_ in rows if id_ in made]
            )

    def fill(self, kind: Kind, made: Mapping[int, bytes]) -> None:
        """Write payloads of rows that had none, in blocks as in the tail."""
        there = {
            e.row for e in self.store.episodes.read(self.bank, list(made)) if e.state != "erased"
        }
        left = {row: payload for row, payload in made.items() if row in there}
        for first, count in self.store.payloads.block_spans(self.bank, kind):
            inside = [row for row in left if first <= row < first + count]
            if inside:
                payloads = list(
                    Payloads.from_block(self.store.payloads.block(self.bank, kind, first))
                )
                for row in inside:
                    payloads[row - first] = left.pop(row)
                self.store.payloads.put_block(self.bank, kind, self._sealed(kind, first, payloads))
        self.store.payloads.put(self.bank, kind, left.items())

    def seal(self) -> None:
        """Turn full runs of tail rows into blocks."""
        run, stop = self.limits.seal_rows, self.store.episodes.count(self.bank)
        for kind in ("content", *DERIVED):
            spans = self.store.payloads.block_spans(self.bank, kind)
            first = spans[-1][0] + spans[-1][1] if spans else 0
            if stop - first < run:
                continue
            present = dict(self.store.payloads.tail(self.bank, kind, start=first))
            last = next(reversed(present), -1)
            while stop - first >= run and first <= last:
                payloads = [present.get(r, b"") for r in range(first, first + run)]
                self.store.payloads.put_block(self.bank, kind, self._sealed(kind, first, payloads))
                first += run

    def _add(
        self,
        groups: Iterable[Sequence[Draft]],
        encoded: Encoded,
        *,
        at: int,
        old: EpisodeRow | None = None,
    ) -> dict[str, int]:
        groups = list(groups)
        start = self.store.episodes.count(self.bank)
        # Another process may have been first with some of them.
        places = self.store.episodes.rows_of(self.bank, [d.id for group in groups for d in group])
        turns = _Turns(self, old)
        records: list[EpisodeRow] = []
        for group in groups:
            fresh = [d for d in group if d.id not in places]
            turn = turns.next(group[0].session) if fresh else None
            for d in fresh:
                row = places[d.id] = start + len(records)
                records.append(_record(d, row=row, at=at, turn=turn, old=old))
        link = None if old is None else old.id
        self.store.episodes.add(self.bank, records)
        self._note(at, ((e.row, Remembered(id=e.id, supersedes=link)) for e in records))
        self.put(encoded, {e.id: e.row for e in records})
        self.seal()
        return places

    def _move(self, ids: Iterable[str], event: Forgotten | Restored, *, start: State) -> int:
        whole = self.whole(map(self.find, ids))
        self.check_free(whole)
        rows = [record.row for record in whole if record.state == start]
        for row in rows if start == "active" else ():
            self.check_free(self.store.episodes.read(self.bank, self._aliases(row, "superseded")))
        if rows:
            self.change(rows, event)
        hidden = isinstance(event, Forgotten)
        for row in rows:  # what it stands for goes with it, and comes back as it was
            aliases = self._aliases(row, "superseded" if hidden else "forgotten")
            if aliases and hidden:
                self.change(aliases, event)
            elif aliases:
                (own,) = self.store.episodes.read(self.bank, [row])
                self._change(self._at(), aliases, Merged(by=own.id), by=row)
        return len(rows)

    def _aliases(self, row: int, state: State) -> list[int]:
        """Return the rows in some state that say what a row says, and for which it stands."""
        named = [change.event.supersedes for change in self.events(Absorbed, row=row)]
        there = self.store.episodes.rows_of(self.bank, [name for name in named if name]).values()
        found = self.store.episodes.read(self.bank, sorted(there))
        return [e.row for e in found if e.superseded_by == row and e.state == state]

    def _change(self, at: int, rows: Sequence[int], event: Event, *, by: int | None = None) -> None:
        self.store.episodes.set_state(self.bank, rows, STATE_CHANGES[type(event)], superseded_by=by)
        self._note(at, ((row, event) for row in rows))

    def _note(self, at: int, changes: Iterable[tuple[int | None, Event]]) -> None:
        rows: list[JournalRow] = []
        for seq, (row, event) in enumerate(changes, self.store.journal.last_seq(self.bank) + 1):
            kind, detail = encode(event)
            rows.append(JournalRow(seq, at, kind, row, detail))
        self.store.journal.append(self.bank, rows)

    def _at(self) -> int:
        """Return the present; never before the last change, for a clock may be set back."""
        last = self.store.journal.read(self.bank, after=self.store.journal.last_seq(self.bank) - 1)
        return max([to_micros(self._now()), *(change.at for change in last)])

    def _blank(self, kind: Kind, rows: Sequence[int]) -> None:
        """Empty the payloads of rows, in the tail and in blocks; where there are none, add none."""
        made = self.store.payloads.read(self.bank, kind, rows)
        self.store.payloads.put(self.bank, kind, [(row, b"") for row in made])
        for first, count in self.store.payloads.block_spans(self.bank, kind):
            inside = [row - first for row in rows if first <= row < first + count]
            if inside:
                payloads = list(
                    Payloads.from_block(self.store.payloads.block(self.bank, kind, first))
                )
                for place in inside:
                    payloads[place] = b""
                self.store.payloads.put_block(self.bank, kind, self._sealed(kind, first, payloads))

    def _sealed(self, kind: Kind, first: int, payloads: Sequence[bytes]) -> Block:
        if kind == "content":
            ids = self.content.unpacked(dict(enumerate(payloads, first)))
            return Segment.of(first, list(ids.values())).to_block()
        return Block(first, len(payloads), Payloads.of(payloads).to_bytes())


def _may_go(record: EpisodeRow, states: Collection[State]) -> bool:
    """Return whether ``compact`` may take an episode out of the store."""
    return record.state in states and not record.marks & HELD


def _may(act: Act, was: EpisodeRow | None, stand: EpisodeRow | None) -> bool:
    """Return whether an act still makes sense: nobody has hidden, kept or erased what it is of."""
    if was is None or (act.by is not None and stand is None):
        return False
    if act.deed == "clear":
        return bool(was.marks & DOUBTED)
    if was.state != "active":
        return False
    if act.deed == "merge":
        return not was.marks & (HELD | PINNED) and stand is not None and stand.state == "active"
    if act.deed in ("fade", "lapse"):
        return not was.marks & (HELD | PINNED) and was.level < (act.level or DEEPEST + 1)
    return act.deed != "doubt" or not was.marks & DOUBTED


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


def _touched(event: JournalEvent) -> tuple[object, ...]:
    """Return what of an episode an event is of: of what is no more the last, nothing is undone."""
    match event:
        case Faded():
            return ("level",)
        case Quarantined() | Unquarantined():
            return ("doubt",)
        case Annotated(by=by) | AnnotationWithdrawn(by=by):
            return ("told", by)
    return ("state",)


class _Turns:
    """Counts the turns of sessions on from what is stored."""

    def __init__(self, ledger: Ledger, old: EpisodeRow | None) -> None:
        self._ledger = ledger
        self._old = old
        self._last: dict[str, int] = {}

    def next(self, session: str | None) -> int | None:
        """Return the next turn's number; a new wording has that of the old one."""
        if self._old is not None:
            return self._old.turn
        if session is None:
            return None
        if session not in self._last:
            last = self._ledger.store.episodes.last_of_session(self._ledger.bank, session, 1)
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
        row=row, id=d.id, said_at=d.said_at, noted_at=at, session=d.session, turn=turn,
        part=part, parts=parts, speaker=d.speaker, role=d.role, source=d.source,
        address=address, metadata=d.metadata, digest=d.digest, state="active",
        supersedes=None if old is None else old.row, superseded_by=None,
    )  # fmt: skip


def _episode(bank: str, e: EpisodeRow, text: str, ids: Mapping[int, str]) -> Episode:
    return Episode(
        id=e.id,
        bank=bank,
        text=text,
        said_at=from_micros(e.said_at),
        noted_at=from_micros(e.noted_at),
        session=e.session,
        turn=e.turn,
        part=e.part,
        parts=e.parts,
        speaker=e.speaker,
        role=e.role,
        source=e.source,
        address=e.address,
        metadata={} if e.metadata == "{}" else json.loads(e.metadata),
        state=e.state,
        supersedes=None if e.supersedes is None else ids.get(e.supersedes),
        superseded_by=None if e.superseded_by is None else ids.get(e.superseded_by),
        level=e.level,
        pinned=bool(e.marks & PINNED),
        held=bool(e.marks & HELD),
    )
