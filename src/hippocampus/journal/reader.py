"""Reading one bank's books: episodes with their texts, drafts, events and counts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple, TypeAlias, cast

from hippocampus.core.altered import altered
from hippocampus.core.background_yield import pausing
from hippocampus.core.clock import from_micros
from hippocampus.core.events import (
    E,
    JournalEvent,
    JournalRow,
    Record,
    class_of,
    decode,
    fields_of,
)
from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.core.records import (
    HELD,
    PINNED,
    STATE_CHANGES,
    SUSPECT,
    Asks,
    Change,
    DamagedRow,
    Episode,
    EpisodeRow,
    Hit,
    Interval,
    State,
    Stats,
    Store,
    Tier,
    settled_level,
)
from hippocampus.encode import tokens as tokenizer
from hippocampus.errors import AmbiguousId, InputError, StoreCorrupt, UnknownEpisode
from hippocampus.journal.content import Content, Segments, in_one
from hippocampus.journal.draft import CONTEXT_TURNS, Draft, spoken
from hippocampus.journal.lately_read import Text
from hippocampus.language.noun_phrases import Phrase, find_phrases, names_of

SHORTEST_ID: Final = 4
"""Characters of an id that may stand for it, if no other begins so."""
_CANDIDATES: Final = 5
"""Ids that a message names. Chosen by hand."""
_OF_AN_ID: Final = lazy_pattern(r"[0-9a-f]+")
_NEAREST_FIRST: Final[tuple[State, ...]] = ("active", "forgotten", "superseded")
Told: TypeAlias = Callable[[int, Episode], tuple[Interval, ...]]
"""Gives the times that the text of an episode tells, by its row."""


class LedgerEntry(NamedTuple):
    """
    An episode with its row, its length in tokens and the digest its text is recognised by.

    ``settled``: the level at which its text is what is shown of it.
    """

    row: int
    episode: Episode
    tokens: int
    digest: bytes
    settled: int

    def dated(self, told: Told) -> Episode:
        """Return the episode with the times that its text tells."""
        times = told(self.row, self.episode)
        return altered(self.episode, times=times) if times else self.episode

    @property
    def shown(self) -> str:
        """The text as far as it is still shown."""
        if self.episode.level <= self.settled:
            return self.episode.text
        # Only of what has faded, and slow to import.
        from hippocampus.language.extractive_compression import shown  # noqa: PLC0415

        return shown(self.episode.text, self.episode.level, settled=self.settled)


class _Read(NamedTuple):
    """Records, their texts by row with lengths in tokens, and the ids of rows they are tied to."""

    records: Sequence[EpisodeRow]
    texts: Mapping[int, Text]
    ids: Mapping[int, str]


def _linked(records: Iterable[EpisodeRow]) -> set[int]:
    """Return the rows that some supersede, or are superseded by."""
    return {row for e in records for row in (e.supersedes, e.superseded_by) if row is not None}


class LedgerReader:
    """Reader of one bank, anywhere; inside ``store.read()`` it sees one moment."""

    def __init__(self, store: Store, bank: int, *, name: str, segments: Segments) -> None:
        self.store = store
        self.bank = bank
        self.name = name
        self.content = Content(store, bank, segments)
        self._lately = segments.lately

    def find(self, id: str, *, erased: bool = False) -> EpisodeRow:  # noqa: A002
        """Return an episode by id; an erased one only when asked for."""
        if isinstance(id, Episode | Hit):
            id = id.id  # noqa: A001 - as it was meant
        if not isinstance(id, str) or not id:
            msg = f"id={id!r:.100}: an episode's id is a non-empty text; give Episode.id"
            raise InputError(msg)
        tokenizer.encode(id)  # refuses what no store can look up
        rows = self.store.episodes.rows_of(self.bank, [id]) or self._beginning(id)
        rows = rows or self._at_address(id)
        records = self.store.episodes.read(self.bank, list(rows.values()))
        if records and isinstance(records[0], DamagedRow):
            (told,) = self.store.upkeep.damage(self.bank, "episodes", records[0].row)
            raise StoreCorrupt(told, path=self.store.path)
        if not records or (records[0].state == "erased" and not erased):
            gone = "was erased" if records else "is not in it"
            msg = f"episode {id!r} of bank {self.name!r} {gone}; recall and episodes give ids"
            raise UnknownEpisode(msg)
        return records[0]

    def _beginning(self, begun: str) -> dict[str, int]:
        """
        Return the row of the one episode whose id begins so; none if there is none.

        Raises:
            AmbiguousId: there are several.

        """
        if len(begun) < SHORTEST_ID:
            return {}
        found = self.store.episodes.ids_beginning(self.bank, begun, _CANDIDATES + 1)
        if len(found) > 1:
            more = ", …" if len(found) > _CANDIDATES else ""
            msg = (
                f"id={begun!r}: several episodes of bank {self.name!r} have ids that begin so:"
                f" {', '.join(found[:_CANDIDATES])}{more}; give more of the one that is meant"
            )
            raise AmbiguousId(msg)
        return self.store.episodes.rows_of(self.bank, found)

    def _at_address(self, address: str) -> dict[str, int]:
        """
        Return the row of the one episode at an address; none if there is none.

        Of several versions it is that in force, or that which ``restore`` would bring back.

        Raises:
            AmbiguousId: several episodes have the address.

        """
        if _OF_AN_ID.fullmatch(address):  # every address would be looked at, and none is such
            return {}
        at = self.store.episodes.rows_at(self.bank, address)
        there = self.store.episodes.read(self.bank, at)
        by_state = ([e for e in there if e.state == state] for state in _NEAREST_FIRST)
        found = next(filter(None, by_state), [])
        if len(found) > 1:
            more = ", …" if len(found) > _CANDIDATES else ""
            msg = (
                f"id={address!r}: several episodes of bank {self.name!r} have this address:"
                f" {', '.join(e.id for e in found[:_CANDIDATES])}{more}; give the id of one"
            )
            raise AmbiguousId(msg)
        return {e.id: e.row for e in found}

    def one(self, id: str, told: Told) -> Episode:  # noqa: A002
        """Return an episode by id, with its text; ``StoreCorrupt`` if that is damaged."""
        return self.at(self.find(id).row, told)

    def at(self, row: int, told: Told) -> Episode:
        """Return the episode of a row, with its text; ``StoreCorrupt`` if either is damaged."""
        found = self.episodes([row], told)
        if not found:
            self.content.check(row)
            damage = self.store.upkeep.damage(self.bank, "episodes", row)
            missing = f"row {row} of bank {self.bank} is missing"
            raise StoreCorrupt(damage[0] if damage else missing, path=self.store.path)
        return found[0]

    def damage(self, *kinds: str) -> str:
        """Return the damage met in the bank, of some kinds or any, in a line; empty if none."""
        told = (self.store.upkeep.damage(self.bank, kind) for kind in kinds or (None,))
        return in_one([message for some in told for message in some], self.store.path)

    def check(self, *kinds: str) -> None:
        """
        Refuse to count where something is damaged, for it may be of what is counted.

        Raises:
            StoreCorrupt: something of these kinds is, as far as is known.

        """
        if damage := self.damage(*kinds):
            raise StoreCorrupt(damage, path=self.store.path)

    def texts(self, rows: Collection[int]) -> dict[int, str]:
        """Return the texts of rows; erased ones are left out."""
        return {row: text for row, (text, _) in self.content.texts(rows).items()}

    def tokens(self, rows: Collection[int]) -> dict[int, int]:
        """Return the number of tokens in the texts of rows; erased ones are left out."""
        return {row: len(ids) for row, ids in self.content.ids(rows).items()}

    def read(self, rows: Sequence[int]) -> list[LedgerEntry]:
        """Return episodes by row, in the order asked; those that are damaged are left out."""
        records, texts, ids = self._lately_read(rows) or self._read(rows)
        read: list[LedgerEntry] = []
        for e in records:
            if isinstance(e, DamagedRow) or (e.state != "erased" and e.row not in texts):
                continue
            text, tokens = texts.get(e.row, ("", 0))
            episode = _episode(self.name, e, text, ids)
            read.append(LedgerEntry(e.row, episode, tokens, e.digest, settled_level(e.marks)))
        return read

    def _lately_read(self, rows: Sequence[int]) -> _Read | None:
        """Return rows that are known without reading; None if some are not."""
        known = self._lately.of(self.bank, self.store.changes())
        records = [known.records[row] for row in rows if row in known.records]
        texts = {row: known.texts[row] for row in rows if row in known.texts}
        # What is tied to others is read with their ids, which are not kept.
        whole = len(records) == len(rows) == len(texts)
        return _Read(records, texts, {}) if whole and not _linked(records) else None

    def _read(self, rows: Sequence[int]) -> _Read:
        with self.store.read():
            records = self.store.episodes.read(self.bank, rows)
            texts = self.content.texts(rows)
            ids = self.ids(_linked(records))
            sound = {e.row: e for e in records if not isinstance(e, DamagedRow)}
            lost = [row for row, e in sound.items() if e.state != "erased" and row not in texts]
            if lost:
                self.content.note_missing(lost)
            self._lately.keep_records(self.bank, self.store.changes(), sound)
        return _Read(records, texts, ids)

    def episodes(self, rows: Sequence[int], told: Told) -> list[Episode]:
        """Return episodes by row, in the order asked; those that are damaged are left out."""
        return [entry.dated(told) for entry in self.read(rows)]

    def written(self, record: EpisodeRow, text: str, told: Told) -> Episode:
        """Return an episode that was just written, of which nothing is to be read."""
        episode = _episode(self.name, record, text, {})
        times = told(record.row, episode)
        return altered(episode, times=times) if times else episode

    def drafts(self, records: Iterable[EpisodeRow]) -> list[Draft]:
        """Return the drafts that stored episodes were made from; erased ones are left out."""
        by_row = {record.row: record for record in records}
        texts = self.texts(by_row)  # of what was erased just now, there is none either
        return [Draft.of(by_row[row], texts[row]) for row in by_row if row in texts]

    def whole(self, records: Iterable[EpisodeRow]) -> list[EpisodeRow]:
        """Return episodes together with the other parts of the long texts they are parts of."""
        whole: dict[int, EpisodeRow] = {}
        for record in records:
            if record.row in whole:  # as a part of one before it, and with all of its others
                continue
            whole[record.row] = record
            first = record.row - record.part
            for other in self.where_parts_are(record):
                # Where a part was left out, the rows beside are of other texts.
                same = (other.occurred_at, other.session, other.speaker, other.parts)
                if same == (record.occurred_at, record.session, record.speaker, record.parts) and (
                    other.part == other.row - first
                ):
                    whole[other.row] = other
        return [whole[row] for row in sorted(whole)]

    def where_parts_are(self, record: EpisodeRow) -> list[EpisodeRow]:
        """Return the records in the rows of a long text's parts; none for a short one."""
        if record.parts <= 1:
            return []
        first = record.row - record.part
        # Whoever made up an export may have it say of a text that it has billions of parts.
        stop = min(first + record.parts, self.store.episodes.count(self.bank))
        return self.store.episodes.read(self.bank, range(max(first, 0), stop))

    def still_there(self, seen: Sequence[EpisodeRow]) -> list[EpisodeRow]:
        """
        Return episodes that were looked up before as they are now.

        Their rows may be another's: of a bank made anew, or of a store that lost its last changes.
        """
        ids = {e.row: e.id for e in seen}
        there = self.store.episodes.read(self.bank, list(ids))
        return [e for e in there if ids[e.row] == e.id or isinstance(e, DamagedRow)]

    def names(self, rows: Collection[int]) -> dict[int, list[Phrase]]:
        """Return the phrases of rows, spelled, and the names of who speaks there."""
        texts = self.texts(rows)
        records = self.store.episodes.read(self.bank, list(texts))
        return {e.row: find_phrases(texts[e.row]) + names_of(e.speaker) for e in pausing(records)}

    def last_said_by(self, sessions: Collection[str]) -> Asks:
        """Return the calls that ``last_said`` makes; see ``Store.expecting``."""
        if not sessions:
            return ()
        last = self.store.episodes.last_of_session
        asks = [partial(last, self.bank, session, CONTEXT_TURNS) for session in sessions]
        return [*asks, partial(self.store.payloads.block_marks, self.bank, "content")]

    def last_said(self, sessions: Iterable[str]) -> dict[str, list[str]]:
        """Return the last few lines of sessions, in the light of which the next is read."""
        said: dict[str, list[str]] = {}
        for session in sessions:
            last = self.store.episodes.last_of_session(self.bank, session, CONTEXT_TURNS)
            texts = self.texts([e.row for e in last])
            said[session] = [spoken(e.speaker, texts[e.row]) for e in last if e.row in texts]
        return said

    def hidden_by(self, row: int) -> type[JournalEvent] | None:
        """Return the class of what changed an episode's state last; None if nothing has."""
        changes = self.store.journal.read(self.bank, row=row)
        kinds = (class_of(change.kind) for change in reversed(changes))
        return next((kind for kind in kinds if kind in STATE_CHANGES), None)

    def events(self, *classes: type[E], after: int = 0, row: int | None = None) -> list[Record[E]]:
        """Return the events of some classes, in order: after a change, of one episode."""
        found = self.store.journal.read(self.bank, after=after, row=row, kinds=classes)
        path = self.store.path
        return [
            Record(c.seq, c.at, c.row, cast("E", decode(c, bank=self.name, path=path)))
            for c in found
            if class_of(c.kind) in classes  # what stands for a damaged row is none of them
        ]

    def stats(
        self,
        *,
        embedder: str | None,
        uncalibrated: str | None,
        held_bytes: tuple[int, int],
        lately: tuple[int, Collection[int]],
    ) -> Stats:
        """
        Return the size of the bank: its episodes, and its bytes by kind of data.

        Args:
            embedder: what makes its vectors.
            uncalibrated: why thresholds are another embedder's.
            held_bytes: bytes in memory, of the index and notes, and of texts.
            lately: since when something is hot, in microseconds, and rows recalled since.

        """
        every = list(self.store.episodes.scan(self.bank))
        states = Counter(e.state for e in every)
        active = [e for e in every if e.state == "active"]
        stored = self.store.upkeep.stored_bytes(self.bank)
        return Stats(
            bank=self.name, episodes=states["active"], superseded=states["superseded"],
            forgotten=states["forgotten"],
            sessions=len({e.session for e in active if e.session}),
            speakers=tuple(sorted({e.speaker for e in active if e.speaker})),
            sources=tuple(sorted({e.source for e in active if e.source})),
            first=from_micros(min(e.occurred_at for e in active)) if active else None,
            last=from_micros(max(e.occurred_at for e in active)) if active else None,
            stored_bytes=stored, embedder=embedder, uncalibrated=uncalibrated,
            resident_bytes=sum(held_bytes), tiers=self._tiers(active, stored, held_bytes, lately),
        )  # fmt: skip

    def _tiers(
        self,
        active: Sequence[EpisodeRow],
        stored: Mapping[str, int],
        held_bytes: tuple[int, int],
        lately: tuple[int, Collection[int]],
    ) -> tuple[Tier, ...]:
        """Return the tiers of all that is in force: hot, warm and cold."""
        since, used = lately
        index_bytes, text_bytes = held_bytes
        payloads = self.store.payloads
        spans = payloads.block_spans(self.bank, "content")
        stop = max((first + count for first, count in spans), default=0)
        loose = sum(len(ids) for _, ids in payloads.tail(self.bank, "content", start=stop))
        hot = sum(e.occurred_at >= since or e.row in used for e in active)
        sealed = sum(e.row < stop for e in active)
        return (
            Tier(name="hot", memories=hot, nbytes=text_bytes),
            Tier(name="warm", memories=len(active), nbytes=index_bytes),
            Tier(name="cold", memories=sealed, nbytes=max(0, stored.get("content", 0) - loose)),
        )

    def ids(self, rows: Collection[int]) -> dict[int, str]:
        """Return the ids of rows."""
        records = self.store.episodes.read(self.bank, sorted(rows)) if rows else ()
        return {e.row: e.id for e in records}

    def changes(self, rows: Sequence[JournalRow]) -> list[Change]:
        """Return rows of the journal as what they say, with the ids of their episodes."""
        ids = self.ids({change.row for change in rows if change.row is not None})
        return [
            Change(
                seq=change.seq, at=from_micros(change.at), kind=change.kind,
                episode=None if change.row is None else ids.get(change.row),
                detail=fields_of(change, bank=self.name, path=self.store.path),
            )
            for change in rows
        ]  # fmt: skip


class LedgerPart:
    """Base of the parts of a bank's books, beside its reader."""

    def __init__(self, reader: LedgerReader) -> None:
        self._reader = reader
        self._store = reader.store
        self._bank = reader.bank


def _episode(bank: str, e: EpisodeRow, text: str, ids: Mapping[int, str]) -> Episode:
    return Episode(
        id=e.id, bank=bank, text=text, occurred_at=from_micros(e.occurred_at),
        recorded_at=from_micros(e.recorded_at), session=e.session, turn=e.turn, part=e.part,
        parts=e.parts, speaker=e.speaker, role=e.role, source=e.source, address=e.address,
        metadata={} if e.metadata == "{}" else json.loads(e.metadata), state=e.state,
        supersedes=None if e.supersedes is None else ids.get(e.supersedes),
        superseded_by=None if e.superseded_by is None else ids.get(e.superseded_by),
        level=e.level, pinned=bool(e.marks & PINNED), held=bool(e.marks & HELD),
        origin=e.origin, suspect=bool(e.marks & SUSPECT),
    )  # fmt: skip
