"""The books of one bank: episodes, texts, journal and payloads, kept in step with each other."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from hippocampus.core.background_yield import pausing
from hippocampus.core.clock import from_micros, to_micros
from hippocampus.core.config import Ingest
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
    JournalRow,
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

DEEDS: Final = ("merge", "fade", "lapse", "doubt", "clear", "annotate")
"""The journal's kinds of what sleep does to single episodes."""

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


SHORTENED: Final = "shorten"
"""The journal's kind of what ``compact`` has shortened: ``{"rows": [[old, new], ...]}``."""
_JUDGED: Final = ("feedback", "annotate", "withdrawn")
"""The journal's kinds of what was said of an episode; ``at`` is when, if it is noted later."""
_LINKS: Final = ("remember", "correct", "restore", "absorb")
"""The journal's kinds that link an episode to another wording of it."""

_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)


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
        rows = self.store.rows_of(self.bank, [id])
        records = self.store.episodes(self.bank, list(rows.values()))
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
            records = self.store.episodes(self.bank, rows)
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
                (record,) = self.store.episodes(self.bank, [row])
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
            said = self.store.rows_of(self.bank, [by]).values()
            for other in (*said, *self.standing(said)):
                # Others may have put something in its place since the index was caught up.
                seen = allowed is None or (other < len(allowed) and allowed[other])
                if seen and other != row:  # with which it may have been merged
                    return other
        return None

    def beside(self, row: int) -> dict[int, Beside]:
        """Return the rows that sleep has found to stand beside one, and how."""
        found: dict[int, Beside] = {}
        (own,) = self.store.episodes(self.bank, [row])
        if own.state == "superseded":
            found |= dict.fromkeys(self.standing([row]), "canonical")
        for change in self.store.journal(self.bank, row=row):
            detail = json.loads(change.detail)
            name = {"absorb": "supersedes", "annotate": "by", "withdrawn": "by"}.get(change.kind)
            if name is None or name not in detail:
                continue
            for other in self.store.rows_of(self.bank, [detail[name]]).values():
                (record,) = self.store.episodes(self.bank, [other])
                if change.kind == "withdrawn":
                    found.pop(other, None)
                elif change.kind == "absorb" and record.superseded_by == row:
                    found[other] = "alias"
                elif change.kind == "annotate" and record.state == "active":
                    found[other] = detail["why"]
        return found

    def drafts(self, records: Iterable[EpisodeRow]) -> list[Draft]:
        """Return what stored episodes were made from; erased ones are left out."""
        by_row = {record.row: record for record in records}
        texts = self.texts(by_row)  # of what was erased just now, there is none either
        return [Draft.of(by_row[row], texts[row]) for row in by_row if row in texts]

    def names(self, rows: Collection[int]) -> dict[int, list[Phrase]]:
        """Return the phrases of rows, spelled, and the names of who speaks there."""
        texts = self.texts(rows)
        records = self.store.episodes(self.bank, list(texts))
        return {e.row: find_phrases(texts[e.row]) + names_of(e.speaker) for e in pausing(records)}

    def last_said(self, sessions: Iterable[str]) -> dict[str, list[str]]:
        """Return the last few lines of sessions, in the light of which the next is read."""
        said: dict[str, list[str]] = {}
        for session in sessions:
            last = self.store.last_of_session(self.bank, session, CONTEXT_TURNS)
            texts = self.texts([e.row for e in last])
            said[session] = [spoken(e.speaker, texts[e.row]) for e in last if e.row in texts]
        return said

    def history(self, row: int) -> list[Change]:
        """Return every change to an episode and to its earlier and later versions, in order."""
        rows = self.versions([row])
        changes = [c for r in rows for c in self.store.journal(self.bank, row=r)]
        return self._changes(sorted(changes))

    def journal(self, *, after: int, limit: int | None) -> list[Change]:
        """Return the bank's changes in order, from ``after`` on."""
        return self._changes(self.store.journal(self.bank, after=after, limit=limit))

    def stats(
        self, *, embedder: str | None, uncalibrated: str | None, resident_bytes: int
    ) -> Stats:
        """Return what the bank holds, and how many bytes by kind of data."""
        states: dict[State, int] = {"active": 0, "superseded": 0, "forgotten": 0, "erased": 0}
        active: list[EpisodeRow] = []
        for record in self.store.scan_episodes(self.bank):
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
            stored_bytes=self.store.stored_bytes(self.bank),
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
            for other in self.store.episodes(self.bank, beside):
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
            for record in self.store.episodes(self.bank, [row]):
                queue += [] if record.supersedes is None else [record.supersedes]
                if record.superseded_by is not None and (merged or not self._is_alias(row)):
                    queue.append(record.superseded_by)
                if record.supersedes is not None:  # a long correction has parts beside this one
                    first = max(record.row - record.part, 0)
                    beside = self.store.episodes(self.bank, range(first, first + record.parts))
                    queue += [e.row for e in beside if e.supersedes == record.supersedes]
            # A version that went back to an older wording is linked by its journal alone.
            for change in self.store.journal(self.bank, row=row):
                fields = json.loads(change.detail)
                names = ["by", "supersedes"] if change.kind in _LINKS else []
                if change.kind == "absorb" and not merged:
                    names = ["by"]  # an earlier wording of what compact has shortened
                linked = [fields[name] for name in names if name in fields]
                there = list(self.store.rows_of(self.bank, linked).values())
                if change.kind == "absorb":  # unless a sleep that merged them was undone
                    known = self.store.episodes(self.bank, there)
                    there = [e.row for e in known if e.superseded_by == row]
                queue += there
        return sorted(chain)

    def _ids(self, rows: Collection[int]) -> dict[int, str]:
        return {e.row: e.id for e in self.store.episodes(self.bank, sorted(rows))} if rows else {}

    def _changes(self, rows: Sequence[JournalRow]) -> list[Change]:
        ids = self._ids({change.row for change in rows if change.row is not None})
        return [
            Change(
                seq=change.seq,
                at=from_micros(change.at),
                kind=change.kind,
                episode=None if change.row is None else ids.get(change.row),
                detail=json.loads(change.detail),
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
        known = self.store.rows_of(self.bank, [new])
        if known:
            row = known[new]
            if self.store.episodes(self.bank, [row])[0].state == "erased":
                msg = f"this wording of episode {old.id} was erased for good; word it otherwise"
                raise InputError(msg)
            self._change(at, [row], "restore", {"supersedes": old.id})
        else:
            row = self._add([drafts], encoded, at=at, old=old)[new]
        self._change(at, [old.row], "correct", {"by": new}, by=row)
        return row

    def settle(self, faded: Iterable[tuple[EpisodeRow, Sequence[Draft]]], encoded: Encoded) -> int:
        """
        Put what is shown of faded episodes in the place of their texts, which are erased.

        What others have changed since it was seen, or say in the same words, stays; returns of how
        many it was done.
        """
        shortened: list[tuple[int, int]] = []
        for old, drafts in faded:
            (now,) = self.store.episodes(self.bank, [old.row])
            if now != old or self.store.rows_of(self.bank, [drafts[0].id]):
                continue
            before = self.versions([old.row])
            row = self.correct(old, drafts, encoded)
            self.store.set_level(self.bank, [row], old.level)
            self.store.set_marks(self.bank, [row], old.level * SETTLED, on=True)
            faded_to = {"level": old.level, "was": 0, "why": "compact"}
            self._note(self._at(), [("fade", row, faded_to)])
            self._note(self._at(), [(kind, row, said) for kind, said in self._judged(old.row)])
            self._relink(before, old.row, row)
            shortened.append((old.row, row))
        if shortened:
            self.note(SHORTENED, rows=shortened)
        self._erase([row for row, _ in shortened], by="compact")
        return len(shortened)

    def _judged(self, row: int) -> list[tuple[str, dict[str, Any]]]:
        """Return what was said of an episode's worth, and when: erasing it blanks its journal."""
        judged: list[tuple[str, dict[str, Any]]] = []
        for change in self.store.journal(self.bank, row=row, kinds=_JUDGED):
            said = {"at": change.at, **json.loads(change.detail)}
            for name in ("sleep", "undoes"):  # no sleep did that to what takes its place
                said.pop(name, None)
            judged.append((change.kind, said))
        return judged

    def _relink(self, rows: Sequence[int], old: int, new: int) -> None:
        """Let those of some rows that one superseded be superseded by another, or none finds it."""
        linked = [e for e in self.store.episodes(self.bank, rows) if e.superseded_by == old]
        self.store.set_state(self.bank, [e.row for e in linked], "superseded", superseded_by=new)
        for e in linked:
            why = self.store.journal(self.bank, row=e.row, kinds=tuple(STATE_CHANGES))[-1].kind
            link = "supersedes" if why == "merge" else "by"  # an earlier wording is no alias
            self._note(self._at(), [("absorb", new, {link: e.id})])

    def check_in_force(self, seen: EpisodeRow) -> None:
        """Refuse to correct what is hidden, or was changed by others since it was ``seen``."""
        (now,) = self.store.episodes(self.bank, [seen.row])
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
        return self._move(ids, "forget", start="active")

    def restore(self, ids: Iterable[str]) -> int:
        """Bring forgotten episodes back; returns how many changed."""
        return self._move(ids, "restore", start="forgotten")

    def erase(self, ids: Iterable[str]) -> int:
        """
        Blank every word of episodes, of all their parts and versions; returns how many changed.

        So are what was merged with them and has the same words, and what they stand for; but where
        its details are others, that is in force again. The words are then in no table;
        ``store.scrub`` takes them out of what tables left behind.
        """
        rows, freed = self._meant(e.row for e in self.whole(map(self.find, ids)))
        self.check_free(self.store.episodes(self.bank, rows))
        if freed:
            self.change(freed, "restore", why="what stood for it was erased")
        return self._erase(rows)

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
                (own,) = self.store.episodes(self.bank, [row])
                for alias in self._aliases(row, "superseded"):
                    if self._says_the_same(own, alias):
                        queue.append(alias)
                    else:
                        freed.add(alias)
                stand = own.superseded_by if self._is_alias(row) else None
                beside = [] if stand is None else [stand, *self._aliases(stand, "superseded")]
                there = self.store.episodes(self.bank, beside)
                queue += [e.row for e in there if e.digest == own.digest]
        return sorted(gone), sorted(freed - gone)

    def _says_the_same(self, own: EpisodeRow, alias: int) -> bool:
        """Return whether what an episode stands for has no detail that it has not itself."""
        (other,) = self.store.episodes(self.bank, [alias])
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
        told = self.store.journal(self.bank, row=row, kinds=tuple(STATE_CHANGES))
        return bool(told) and told[-1].kind == "merge"

    def compact(self, states: Collection[State], rows: range) -> Counter[State]:
        """
        Erase those of some rows that are in one of these states; returns how many of each.

        What is held stays, as hidden as it is.
        """
        found = [e for e in self.store.episodes(self.bank, rows) if _may_go(e, states)]
        self._erase([e.row for e in found], by="compact")
        return Counter(e.state for e in found)

    def _erase(self, rows: Sequence[int], **fields: object) -> int:
        records = self.store.episodes(self.bank, rows)
        live = [record.row for record in records if record.state != "erased"]
        if live:
            self.store.redact(self.bank, live)
            self.change(live, "erase", **fields)
            self.content.blank(live)
            for kind in (*DERIVED, *NEXT.values()):
                self._blank(kind, live)
            self.forget_slept()  # it spells what was said
            self.store.erase_episodes(self.bank, live)
        return len(live)

    def change(self, rows: Sequence[int], kind: str, **fields: object) -> None:
        """Change the state of episodes to what a journal kind makes it, and say so there."""
        self._change(self._at(), rows, kind, fields)

    def mark(self, ids: Iterable[str], marks: int, kind: str, *, on: bool, **fields: object) -> int:
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
            self.store.set_marks(self.bank, rows, marks, on=on)
            self._note(self._at(), ((kind, row, fields) for row in rows))
        return len(rows)

    def tell(self, ids: Iterable[str], kind: str, **fields: object) -> int:
        """Note something of episodes in any state but erased; return of how many."""
        rows = [self.find(id_).row for id_ in ids]
        self._note(self._at(), ((kind, row, fields) for row in rows))
        return len(rows)

    def do(self, acts: Sequence[Act], sleep: int) -> list[Act]:
        """
        Do what a step of sleep proposes, but to what others have changed; return what is done.

        Every change says by which sleep, and how it was before, so that ``undo`` finds its way.
        """
        there = {e.row: e for e in self.store.episodes(self.bank, sorted({a.row for a in acts}))}
        stand = {a.by for a in acts if a.by is not None}
        firm = {e.row: e for e in self.store.episodes(self.bank, sorted(stand))}
        done = [
            act
            for act in acts
            if _may(act, there.get(act.row), stands := firm.get(-1 if act.by is None else act.by))
            and not (act.deed == "annotate" and stands and self._told(act.row, stands.id))
        ]
        at = self._at()
        for act in done:
            was = there[act.row]
            fields: dict[str, object] = {"sleep": sleep, "why": act.why}
            if act.by is not None:
                fields["by"] = firm[act.by].id
            match act.deed:
                case "merge" | "lapse":
                    self._change(at, [act.row], act.deed, fields, by=act.by)
                case "fade":
                    self.store.set_level(self.bank, [act.row], act.level or 0)
                    change = {"level": act.level, "was": was.level}
                    self._note(at, [("fade", act.row, fields | change)])
                case "doubt" | "clear":
                    self.store.set_marks(self.bank, [act.row], DOUBTED, on=act.deed == "doubt")
                    self._note(at, [(act.deed, act.row, fields)])
                case "annotate":
                    self._note(at, [("annotate", act.row, fields)])
            if act.deed == "merge":
                self._note(at, [("absorb", act.by, {"sleep": sleep, "supersedes": was.id})])
        return done

    def _told(self, row: int, by: str) -> bool:
        """Return whether another sleep has noted the same."""
        noted = self.store.journal(self.bank, row=row, kinds=("annotate",))
        return any(json.loads(change.detail).get("by") == by for change in noted)

    def undo(self, sleep: int) -> Counter[str]:
        """
        Take back what a sleep did to episodes, the last first; return how often what was undone.

        What has been changed since by others stays as they made it.
        """
        counts: Counter[str] = Counter()
        at = self._at()
        since: set[tuple[object, ...]] = set()
        undone: Counter[tuple[object, ...]] = Counter()
        kinds = (*STATE_CHANGES, *DEEDS, "withdrawn")
        for change in reversed(self.store.journal(self.bank, kinds=kinds)):
            detail = json.loads(change.detail)
            touched = (change.row, *_touched(change, detail))
            if change.row is None or touched in since:
                continue
            if "undoes" in detail:  # it and what it undid come to nothing
                undone[*touched, detail["undoes"]] += 1
                continue
            if undone[*touched, detail.get("sleep")]:
                undone[*touched, detail.get("sleep")] -= 1
                continue
            if change.kind not in DEEDS or detail.get("sleep") != sleep:
                since.add(touched)
                continue
            fields = {"undoes": sleep}
            match change.kind:
                case "merge" | "lapse":
                    self._change(at, [change.row], "restore", fields)
                case "fade":
                    self.store.set_level(self.bank, [change.row], detail["was"])
                    back = {"level": detail["was"], "was": detail["level"]}
                    self._note(at, [("fade", change.row, fields | back)])
                case "doubt" | "clear":
                    back_on = change.kind == "clear"
                    self.store.set_marks(self.bank, [change.row], DOUBTED, on=back_on)
                    self._note(at, [("doubt" if back_on else "clear", change.row, fields)])
                case "annotate":
                    told = {"by": detail["by"], "why": detail["why"]}
                    self._note(at, [("withdrawn", change.row, told | fields)])
            counts[change.kind] += 1
        return counts

    def load(
        self, records: Sequence[EpisodeRow], journal: Iterable[JournalRow], encoded: Encoded
    ) -> None:
        """Fill an empty bank with what another one held."""
        if self.store.episode_count(self.bank):
            msg = f"bank {self.name!r} was written to meanwhile; import once more"
            raise InputError(msg)
        self.store.add_episodes(self.bank, records)
        last = self.store.last_seq(self.bank)  # such as of a policy chosen for it
        self.store.append(self.bank, (c._replace(seq=last + c.seq) for c in journal))
        self.put(encoded, {record.id: record.row for record in records})
        self.seal()

    def note(self, kind: str, **fields: object) -> None:
        """Note a change of the whole bank."""
        self._note(self._at(), [(kind, None, fields)])

    def forget_slept(self) -> None:
        """Drop what sleep has made of the whole bank, until it makes it anew."""
        for kind in SLEPT:
            self.store.drop_payloads(self.bank, kind)

    def put(self, encoded: Encoded, rows: Mapping[str, int]) -> None:
        """Write the payloads of those ids that have a row here."""
        for kind, made in encoded.items():
            self.store.put_payloads(
                self.bank, kind, [(rows[id_], made[id_]) for id_ in rows if id_ in made]
            )

    def fill(self, kind: Kind, made: Mapping[int, bytes]) -> None:
        """Write payloads of rows that had none, in blocks as in the tail."""
        there = {e.row for e in self.store.episodes(self.bank, list(made)) if e.state != "erased"}
        left = {row: payload for row, payload in made.items() if row in there}
        for first, count in self.store.block_spans(self.bank, kind):
            inside = [row for row in left if first <= row < first + count]
            if inside:
                payloads = list(Payloads.from_block(self.store.block(self.bank, kind, first)))
                for row in inside:
                    payloads[row - first] = left.pop(row)
                self.store.put_block(self.bank, kind, self._sealed(kind, first, payloads))
        self.store.put_payloads(self.bank, kind, left.items())

    def seal(self) -> None:
        """Turn full runs of tail rows into blocks."""
        run, stop = self.limits.seal_rows, self.store.episode_count(self.bank)
        for kind in ("content", *DERIVED):
            spans = self.store.block_spans(self.bank, kind)
            first = spans[-1][0] + spans[-1][1] if spans else 0
            if stop - first < run:
                continue
            present = dict(self.store.tail(self.bank, kind, start=first))
            last = next(reversed(present), -1)
            while stop - first >= run and first <= last:
                payloads = [present.get(r, b"") for r in range(first, first + run)]
                self.store.put_block(self.bank, kind, self._sealed(kind, first, payloads))
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
        start = self.store.episode_count(self.bank)
        # Another process may have been first with some of them.
        places = self.store.rows_of(self.bank, [d.id for group in groups for d in group])
        turns = _Turns(self, old)
        records: list[EpisodeRow] = []
        for group in groups:
            fresh = [d for d in group if d.id not in places]
            turn = turns.next(group[0].session) if fresh else None
            for d in fresh:
                row = places[d.id] = start + len(records)
                records.append(_record(d, row=row, at=at, turn=turn, old=old))
        link = {} if old is None else {"supersedes": old.id}
        self.store.add_episodes(self.bank, records)
        self._note(at, (("remember", e.row, {"id": e.id, **link}) for e in records))
        self.put(encoded, {e.id: e.row for e in records})
        self.seal()
        return places

    def _move(self, ids: Iterable[str], kind: str, *, start: State) -> int:
        whole = self.whole(map(self.find, ids))
        self.check_free(whole)
        rows = [record.row for record in whole if record.state == start]
        for row in rows if start == "active" else ():
            self.check_free(self.store.episodes(self.bank, self._aliases(row, "superseded")))
        if rows:
            self.change(rows, kind)
        for row in rows:  # what it stands for goes with it, and comes back as it was
            aliases = self._aliases(row, "superseded" if kind == "forget" else "forgotten")
            if aliases and kind == "forget":
                self.change(aliases, kind)
            elif aliases:
                (own,) = self.store.episodes(self.bank, [row])
                self._change(self._at(), aliases, "merge", {"by": own.id}, by=row)
        return len(rows)

    def _aliases(self, row: int, state: State) -> list[int]:
        """Return the rows in some state that say what a row says, and for which it stands."""
        named = [
            json.loads(change.detail).get("supersedes")
            for change in self.store.journal(self.bank, row=row, kinds=("absorb",))
        ]
        there = self.store.rows_of(self.bank, [name for name in named if name]).values()
        found = self.store.episodes(self.bank, sorted(there))
        return [e.row for e in found if e.superseded_by == row and e.state == state]

    def _change(
        self,
        at: int,
        rows: Sequence[int],
        kind: str,
        fields: Mapping[str, object],
        *,
        by: int | None = None,
    ) -> None:
        self.store.set_state(self.bank, rows, STATE_CHANGES[kind], superseded_by=by)
        self._note(at, ((kind, row, fields) for row in rows))

    def _note(
        self, at: int, changes: Iterable[tuple[str, int | None, Mapping[str, object]]]
    ) -> None:
        start = self.store.last_seq(self.bank) + 1
        self.store.append(
            self.bank,
            [
                JournalRow(seq, at, kind, row, _JSON.encode(fields))
                for seq, (kind, row, fields) in enumerate(changes, start)
            ],
        )

    def _at(self) -> int:
        """Return the present; never before the last change, for a clock may be set back."""
        last = self.store.journal(self.bank, after=self.store.last_seq(self.bank) - 1)
        return max([to_micros(self._now()), *(change.at for change in last)])

    def _blank(self, kind: Kind, rows: Sequence[int]) -> None:
        """Empty the payloads of rows, in the tail and in blocks; where there are none, add none."""
        made = self.store.payloads(self.bank, kind, rows)
        self.store.put_payloads(self.bank, kind, [(row, b"") for row in made])
        for first, count in self.store.block_spans(self.bank, kind):
            inside = [row - first for row in rows if first <= row < first + count]
            if inside:
                payloads = list(Payloads.from_block(self.store.block(self.bank, kind, first)))
                for place in inside:
                    payloads[place] = b""
                self.store.put_block(self.bank, kind, self._sealed(kind, first, payloads))

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


def _touched(change: JournalRow, detail: Mapping[str, Any]) -> tuple[object, ...]:
    """Return what of an episode a change is of: of what is no more the last, nothing is undone."""
    match change.kind:
        case "fade":
            return ("level",)
        case "doubt" | "clear":
            return ("doubt",)
        case "annotate" | "withdrawn":
            return ("told", detail.get("by"))
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
            last = self._ledger.store.last_of_session(self._ledger.bank, session, 1)
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
