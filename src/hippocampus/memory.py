"""Memory opens a store; Bank has the verbs. They wire the parts to flows and hold no algorithm."""

from __future__ import annotations

import json
import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from hippocampus._clock import Clock, SystemClock, from_micros, to_micros
from hippocampus.config import Config
from hippocampus.context.compose import (
    CLOSE,
    INDENT,
    OPEN,
    RECENT_CLOSE,
    RECENT_OPEN,
    compose,
    unquote,
)
from hippocampus.encode import tokens as tokenizer
from hippocampus.encode.embed import load_embedder
from hippocampus.encode.signature import Rotation, rotation_for
from hippocampus.errors import (
    EmbedderMismatch,
    EncoderError,
    InputError,
    InvalidScope,
    ModelNotInstalled,
    SourceError,
    UnknownBank,
    UnknownEpisode,
)
from hippocampus.index.allowed import make_filter
from hippocampus.index.base import Cue
from hippocampus.index.lexical import LexicalCue
from hippocampus.index.live import STATE_CHANGES, LiveIndex, detail, read_payloads
from hippocampus.index.moments import to_moment
from hippocampus.index.tokens import TokensCue
from hippocampus.index.vector import VectorCue
from hippocampus.ingest.prepare import (
    CONTEXT_CHARACTERS,
    CONTEXT_TURNS,
    Draft,
    check_text,
    context_before,
    digest,
    draft,
    dump_metadata,
    encode_drafts,
    lexical_payload,
)
from hippocampus.ingest.transfer import export_bank, import_path
from hippocampus.model import (
    Block,
    Change,
    Context,
    Cost,
    Degradation,
    Embedded,
    Embedder,
    Episode,
    EpisodeRow,
    Fingerprint,
    Hit,
    Imported,
    JournalRow,
    Kind,
    OneOrMany,
    Payloads,
    Progress,
    Recall,
    Reranker,
    State,
    Stats,
    Store,
    Turn,
    When,
    Where,
)
from hippocampus.recall.confidence import DEPTH, confidence, is_found, settle
from hippocampus.recall.search import Ranking, search
from hippocampus.recall.understand import understand
from hippocampus.store import open_store

CUES: Final = ("tokens", "vector", "lexical", "time")
"""Every cue by name, the strongest first."""

SEALED: Final[tuple[Kind, ...]] = ("vector", "tokens", "lexical")
"""Payloads that are sealed into blocks. Content stays in rows, which are read one by one."""

NEXT: Final[tuple[Kind, ...]] = ("vector.next", "tokens.next", "lexical.next")
_NEXT_OF: Final[Mapping[Kind, Kind]] = dict(zip(SEALED, NEXT, strict=True))

_NAME = re.compile(r"[^\x00-\x1f\x7f]{1,200}")
_ECHO_MEMORY = 4096
_ECHO_AGE = timedelta(minutes=10)
_LINE = re.compile(r"\[(\d{4}-\d\d-\d\d \d\d:\d\d)\] (.*)", re.DOTALL)
_RENDERED = re.compile(rf"\n(?!{INDENT})")
"""Between two lines of a context: text of several lines is indented in it."""
_COLONS = 4


class Memory:
    """
    One store: a SQLite file, made if missing. Holds banks.

    Args:
        path: the file, or ``":memory:"``.
        embedder: ``"default"`` (MiniLM on this machine; without its weights recall goes on by
            words and says so), ``"none"``, a specification such as
            ``"openai:text-embedding-3-small@http://localhost:11434/v1"``, or an ``Embedder``.
        cues: which cues recall may use, of ``CUES``; all by default.
        config: sizes, weights, time zone.
        clock: where the present moment comes from.
        reranker: an optional cross-encoder for the first hits.
        read_only: open an existing store without the right to change it.
        create: make the store if it is missing.

    Raises:
        StoreError: the store cannot be opened; nothing was changed.
        EmbedderMismatch: the store's vectors come from another embedder.

    """

    def __init__(
        self,
        path: str | Path,
        *,
        embedder: str | Embedder = "default",
        cues: Sequence[str] | None = None,
        config: Config | None = None,
        clock: Clock | None = None,
        reranker: Reranker | None = None,
        read_only: bool = False,
        create: bool = True,
    ) -> None:
        self.config = config or Config()
        self.clock: Clock = clock or SystemClock()
        self.read_only = read_only
        self.reranker = reranker
        self.cues = check_cues(cues)
        try:
            self.zone = ZoneInfo(self.config.timezone)
        except (ZoneInfoNotFoundError, ValueError) as exc:
            msg = (
                f"timezone={self.config.timezone!r}: not an IANA time zone, such as"
                " 'Europe/Berlin' or 'UTC'"
            )
            raise InputError(msg) from exc
        self.store: Store = open_store(
            path,
            busy_timeout_s=self.config.busy_timeout_s,
            read_only=read_only,
            create=create,
        )
        self._banks: dict[str, Bank] = {}
        self._gate = threading.RLock()
        self.embedder: Embedder | None = None
        self.no_embedder: Degradation | None = None
        try:
            self._open_embedder(embedder)
            self.salt = self._salt()
        except BaseException:
            self.store.close()
            raise

    def _open_embedder(self, embedder: str | Embedder) -> None:
        if not isinstance(embedder, str):
            self.embedder = embedder
        else:
            try:
                self.embedder = load_embedder(embedder)
            except ModelNotInstalled as exc:
                if embedder != "default":
                    raise
                self.no_embedder = Degradation(part="embedder", reason=str(exc))
            if embedder == "none":
                self.no_embedder = Degradation(
                    part="embedder", reason="switched off; recall goes by words and time"
                )
        self.check_embedder()

    def check_embedder(self) -> None:
        """Refuse to mix vectors: another process may have moved the store to another embedder."""
        stored = self.stored_fingerprint()
        if self.embedder is not None and stored not in (None, self.embedder.fingerprint):
            raise EmbedderMismatch(stored=str(stored), configured=str(self.embedder.fingerprint))

    def stored_fingerprint(self) -> Fingerprint | None:
        """Return which embedder the store's vectors come from; None before the first."""
        text = self.store.setting("embedder")
        return None if text is None else Fingerprint(**json.loads(text))

    def _salt(self) -> bytes:
        stored = self.store.setting("salt")
        if stored is None and self.read_only:
            return bytes(16)
        if stored is None:
            with self.store.write():
                stored = self.store.setting("salt")
                if stored is None:
                    stored = secrets.token_hex(16)
                    self.store.set_setting("salt", stored)
        return bytes.fromhex(stored)

    def bank(self, name: str) -> Bank:
        """
        Return the bank called ``name``; it comes to be with its first episode.

        Raises:
            InvalidScope: the name is missing, blank, too long or holds control characters.

        """
        if not isinstance(name, str) or not _NAME.fullmatch(name) or not name.strip():
            msg = (
                f"bank={name!r}: a bank's name is required, 1 to 200 characters without control"
                " characters; there is no default bank"
            )
            raise InvalidScope(msg)
        tokenizer.encode(name)
        with self._gate:
            if name not in self._banks:
                self._banks[name] = Bank(self, name)
            return self._banks[name]

    def banks(self) -> list[str]:
        """Return the names of the banks in the store."""
        return self.store.bank_names()

    def delete_bank(self, name: str) -> None:
        """Erase a whole bank: episodes, journal, vectors; nothing of it stays in the file."""
        number = self.store.bank_number(self.bank(name).name)
        if number is None:
            raise unknown_bank(name, self.banks())
        with self.store.write():
            self.store.drop_bank(number)
        self.store.scrub()
        with self._gate:
            self._banks.pop(name, None)

    def now(self) -> datetime:
        """Return the clock's present moment in the memory's time zone."""
        return self.clock.now().astimezone(self.zone)

    def fingerprint(self) -> Fingerprint | None:
        """Return the embedder in use, or the one the store's vectors come from."""
        return self.embedder.fingerprint if self.embedder else self.stored_fingerprint()

    def backup(self, target: str | Path, *, progress: Progress | None = None) -> None:
        """Write a complete copy of the store while others go on reading and writing."""
        self.store.backup(Path(target), progress=progress)

    def rebuild(
        self,
        *,
        banks: Sequence[str] | None = None,
        embedder: Embedder | None = None,
        progress: Progress | None = None,
    ) -> dict[str, int]:
        """
        Make every derived payload anew from the texts; returns episodes by bank.

        What is there stays in use until all of it is ready, then changes in one transaction.
        Stopped half-way, it goes on where it was. With ``embedder`` the vectors become that one's.
        """
        maker = embedder or self.embedder
        names = self.banks() if banks is None else list(banks)
        if embedder is not None and set(self.banks()) - set(names):
            msg = f"banks={names!r}: a store has one embedder, so all its banks move; leave it out"
            raise InputError(msg)
        mark = "" if maker is None else dump_fingerprint(maker.fingerprint)
        if self.store.setting("rebuilding") != mark:
            with self.store.write():
                for name in self.banks():
                    self.bank(name).drop_next()
                self.store.set_setting("rebuilding", mark)
        for name in names:
            self.bank(name).stage(maker, progress=progress)
        done: dict[str, int] = {}
        with self.store.write():
            if banks is None:
                names = self.banks()
            for name in names:
                # Once more, for what others have written meanwhile.
                done[name] = self.bank(name).stage(maker)
                self.bank(name).promote(vectors=maker is not None)
            if maker is not None:
                self.store.set_setting("embedder", mark)
            self.store.set_setting("rebuilding", None)
        if self.embedder is not None:
            self.embedder = maker
        for name in names:
            self.bank(name).reload()
        return done

    def close(self) -> None:
        """Release the store. May be called twice."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Memory({self.store.path!r})"


class Bank:
    """One memory: the unit of isolation. Get one from ``Memory.bank``; safe to use from threads."""

    def __init__(self, memory: Memory, name: str) -> None:
        self._memory = memory
        self.name = name
        self._store = memory.store
        self._lock = threading.RLock()
        self._writing = threading.RLock()
        self._number: int | None = None
        self._live: LiveIndex | None = None
        self._seen = -1
        self._shown: OrderedDict[bytes, datetime] = OrderedDict()

    def __repr__(self) -> str:
        return f"Bank({self.name!r})"

    # ------------------------------------------------------------ writing

    def remember(
        self,
        text: str,
        *,
        at: When | None = None,
        speaker: str | None = None,
        role: str | None = None,
        session: str | None = None,
        source: str | None = None,
        address: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Episode:
        """
        Keep one thing that happened, durably, and return it.

        The same text by the same speaker at the same event time is the same episode: remembering
        it again changes nothing. Text that came out of ``recall`` or ``context`` is recognised and
        answered with the episode it came from. A text longer than ``Ingest.chunk_tokens`` is kept
        in parts; the first is returned.

        Args:
            text: any valid string that is not blank; it comes back byte for byte.
            at: when it happened; now by default. Naive times are in ``Config.timezone``.
            speaker: who said it.
            role: ``user``, ``assistant``, ``tool``, …
            session: the conversation it belongs to; turns of one are read in each other's light.
            source: the file or system it came from.
            address: where in the source; made from session and turn when left out.
            metadata: a JSON object to filter by.

        Raises:
            InputError: something in the arguments; nothing was stored.
            StoreError: the store could not take it; nothing was stored.

        """
        turn = Turn(
            text=text, at=at, speaker=speaker, role=role, session=session,
            source=source, address=address, metadata={} if metadata is None else metadata,
        )  # fmt: skip
        return self.remember_many([turn])[0]

    def remember_many(
        self, turns: Iterable[Turn], *, progress: Progress | None = None
    ) -> list[Episode]:
        """
        Keep many turns; return their episodes in order, the parts of long ones apart.

        All turns are checked before the first is stored. They are stored in batches, one
        transaction each: after a crash whole batches are there, and doing it again adds the rest.
        """
        memory = self._memory
        now = memory.now()
        groups: list[list[Draft]] = []
        dated: list[bool] = []
        for place, turn in enumerate(turns):
            try:
                groups.append(self._draft(turn, now))
            except InputError as exc:
                exc.add_note(f"in turn {place} of this call; nothing of the call was stored")
                raise
            dated.append(turn.at is not None)
        batch = memory.config.ingest.batch
        kept: list[Episode] = []
        if progress:
            progress(0, len(groups))
        for start in range(0, len(groups), batch):
            chosen = slice(start, start + batch)
            kept += self._store_groups(groups[chosen], dated[chosen], now)
            if progress:
                progress(min(start + batch, len(groups)), len(groups))
        return kept

    def _draft(self, turn: Turn, now: datetime) -> list[Draft]:
        if not isinstance(turn, Turn):
            msg = f"{turn!r:.100} is not a Turn; wrap the text, as in Turn(text=…)"
            raise InputError(msg)
        memory = self._memory
        check_text(turn.text, limits=memory.config.ingest)
        if OPEN in turn.text or RECENT_OPEN in turn.text:
            fresh = _without_quotes(turn.text).strip()
            if fresh:
                turn = Turn(
                    text=fresh, at=turn.at, speaker=turn.speaker, role=turn.role,
                    session=turn.session, source=turn.source, address=turn.address,
                    metadata=turn.metadata,
                )  # fmt: skip
        return draft(
            self.name, turn, now=now, zone=memory.zone,
            limits=memory.config.ingest, salt=memory.salt,
        )  # fmt: skip

    def _store_groups(
        self, groups: list[list[Draft]], dated: list[bool], now: datetime
    ) -> list[Episode]:
        # Writers of this process take turns; encoding, the slow part, keeps no reader waiting.
        with self._writing:
            with self._lock:
                number, fresh, answer = self._sift(groups, dated, now)
            if fresh:
                answer |= self._add(number, fresh)
            rows = [answer[d.id] for group in groups for d in group if d.id in answer]
            with self._lock:
                return self._episodes(number, rows)

    def _sift(
        self, groups: list[list[Draft]], dated: list[bool], now: datetime
    ) -> tuple[int, list[list[Draft]], dict[str, int]]:
        """Return the bank's number, what is new, and the rows of what is not, by id."""
        number = self._ready(create=True)
        assert number is not None, "created when missing"
        known = self._store.rows_of(number, [d.id for group in groups for d in group])
        answer: dict[str, int] = dict(known)
        fresh: list[list[Draft]] = []
        taken: set[str] = set(known)
        for group, has_time in zip(groups, dated, strict=True):
            first = group[0]
            if first.id in taken:
                continue
            echo = self._echo(number, group, has_time=has_time, now=now)
            if echo is not None:
                answer[first.id] = echo
                continue
            taken.add(first.id)
            fresh.append(group)
        return number, fresh, answer

    def _add(
        self, number: int, groups: list[list[Draft]], *, supersedes: EpisodeRow | None = None
    ) -> dict[str, int]:
        """Encode, then store in one transaction. Returns the rows by id."""
        memory = self._memory
        drafts = [d for group in groups for d in group]
        sessions = {d.session for d in drafts if d.session is not None}
        said: dict[str, list[str]] = {}
        for session in sessions:
            rows = self._store.last_of_session(number, session, CONTEXT_TURNS)
            texts = self._texts(number, [row.row for row in rows])
            said[session] = [
                f"{row.speaker}: {texts[row.row]}" if row.speaker else texts[row.row]
                for row in rows
                if row.row in texts
            ]
        payloads = encode_drafts(
            drafts,
            context_before(drafts, said),
            embedder=memory.embedder,
            rotation=self._rotation(),
        )
        places: dict[str, int] = {}
        with self._lock, self._store.write():
            self._catch_up()
            memory.check_embedder()
            if supersedes is not None:
                self._check_in_force(number, supersedes)
            live = self._index()
            already = self._store.rows_of(number, [d.id for d in drafts])
            start = row = self._store.episode_count(number)
            seq = self._store.last_seq(number)
            at = max(to_micros(memory.now()), live.columns.latest())
            turns: dict[str, int] = {}
            records: list[EpisodeRow] = []
            journal: list[JournalRow] = []
            keep: list[int] = []
            place = -1
            for group in groups:
                turn = self._next_turn(number, group[0], turns, supersedes)
                for d in group:
                    place += 1
                    if d.id in already:
                        places[d.id] = already[d.id]
                        continue
                    records.append(_record(d, row=row, at=at, turn=turn, supersedes=supersedes))
                    seq += 1
                    fields = {} if supersedes is None else {"supersedes": supersedes.id}
                    journal.append(JournalRow(seq, at, "remember", row, detail(id=d.id, **fields)))
                    places[d.id] = row
                    keep.append(place)
                    row += 1
            if supersedes is not None:
                by = places[drafts[0].id]
                seq += 1
                journal.append(
                    JournalRow(seq, at, "correct", supersedes.row, detail(by=drafts[0].id))
                )
            self._store.add_episodes(number, records)
            if supersedes is not None:
                self._store.set_state(number, [supersedes.row], "superseded", superseded_by=by)
            self._store.append(number, journal)
            for kind, values in payloads.items():
                self._store.put_payloads(
                    number,
                    kind,
                    [(start + i, values[place]) for i, place in enumerate(keep) if values[place]],
                )
            if memory.embedder is not None and self._store.setting("embedder") is None:
                self._store.set_setting("embedder", dump_fingerprint(memory.embedder.fingerprint))
            self._seal(number, row)
        with self._lock:
            self._catch_up()
        return places

    def _check_in_force(self, number: int, seen: EpisodeRow) -> None:
        """Refuse to correct what another process has changed since we looked."""
        now = self._store.episodes(number, [seen.row])[0]
        if now.state != "active":
            msg = f"episode {seen.id} is {now.state}; correct the version in force instead"
            raise InputError(msg)

    def _next_turn(
        self, number: int, first: Draft, turns: dict[str, int], supersedes: EpisodeRow | None
    ) -> int | None:
        if supersedes is not None:
            return supersedes.turn
        if first.session is None:
            return None
        if first.session not in turns:
            last = self._store.last_of_session(number, first.session, 1)
            turns[first.session] = -1 if not last or last[0].turn is None else last[0].turn
        turns[first.session] += 1
        return turns[first.session]

    def _seal(self, number: int, stop: int) -> None:
        """Turn full runs of tail rows into blocks, inside the transaction that filled them."""
        run = self._memory.config.ingest.seal_rows
        for kind in SEALED:
            spans = self._store.block_spans(number, kind)
            first = spans[-1][0] + spans[-1][1] if spans else 0
            while stop - first >= run:
                tail = self._store.tail(number, kind, start=first)
                present = dict(tail)
                if not present:
                    break
                block = Payloads.of([present.get(r, b"") for r in range(first, first + run)])
                self._store.put_block(number, kind, Block(first, run, block.to_bytes()))
                first += run

    def correct(self, id: str, text: str) -> Episode:  # noqa: A002  (the verb's natural word)
        """
        Replace what an episode says; the old text stays in its history and in ``as_of`` reads.

        Returns the new episode, which keeps the old one's time, session, speaker and metadata.
        """
        with self._lock:
            number, old = self._find(id)
            if old.state != "active":
                msg = f"episode {id} is {old.state}; correct the version in force instead"
                raise InputError(msg)
            turn = Turn(
                text=text, at=from_micros(old.said_at), speaker=old.speaker, role=old.role,
                session=old.session, source=old.source, address=old.address or None,
                metadata=json.loads(old.metadata),
            )  # fmt: skip
            group = self._draft(turn, self._memory.now())
            if group[0].id == old.id:
                return self._episodes(number, [old.row])[0]
            known = self._store.rows_of(number, [group[0].id])
            if known:  # back to an earlier wording: that version is in force again
                row = known[group[0].id]
                with self._store.write():
                    self._check_in_force(number, old)
                    if self._store.episodes(number, [row])[0].state == "erased":
                        msg = f"this wording of episode {id} was erased for good; word it otherwise"
                        raise InputError(msg)
                    self._change(number, [row], "restore", "active", {"supersedes": old.id})
                    self._change(
                        number, [old.row], "correct", "superseded", {"by": group[0].id}, by=row
                    )
                self._catch_up()
                return self._episodes(number, [row])[0]
            places = self._add(number, [group], supersedes=old)
            return self._episodes(number, [places[group[0].id]])[0]

    def forget(self, id: str | Collection[str], *, erase: bool = False) -> int:  # noqa: A002
        """
        Hide episodes at once, from every read; ``restore`` brings them back.

        A long text is forgotten whole, whichever of its parts is named. With ``erase`` the words
        leave the store for good: every table, index, journal row, free page and log, in every
        version of the episode. What stays is that something was erased.

        Returns how many episodes changed.
        """
        ids = _ids(id)
        if not ids:
            return 0
        with self._lock:
            if erase:
                return self._erase(ids)
            with self._store.write():
                found = [self._find(one) for one in ids]
                whole = self._whole(found[0][0], [row for _, row in found])
                rows = [row.row for row in whole if row.state == "active"]
                if rows:
                    self._change(found[0][0], rows, "forget", "forgotten", {})
            self._catch_up()
            return len(rows)

    def restore(self, id: str | Collection[str]) -> int:  # noqa: A002
        """Bring forgotten episodes back. Returns how many changed; erased ones are gone."""
        ids = _ids(id)
        if not ids:
            return 0
        with self._lock:
            with self._store.write():
                found = [self._find(one) for one in ids]
                whole = self._whole(found[0][0], [row for _, row in found])
                rows = [row.row for row in whole if row.state == "forgotten"]
                if rows:
                    self._change(found[0][0], rows, "restore", "active", {})
            self._catch_up()
            return len(rows)

    def _change(
        self, number: int, rows: Sequence[int], kind: str, state: State,
        fields: Mapping[str, object], *, by: int | None = None,
    ) -> None:  # fmt: skip
        """Change the state of episodes and say so in the journal; inside a transaction."""
        self._catch_up()
        seq = self._store.last_seq(number)
        at = max(to_micros(self._memory.now()), self._index().columns.latest())
        self._store.set_state(number, rows, state, superseded_by=by)
        self._store.append(
            number,
            [
                JournalRow(seq + 1 + i, at, kind, row, detail(**fields))
                for i, row in enumerate(rows)
            ],
        )

    def _whole(self, number: int, records: Iterable[EpisodeRow]) -> list[EpisodeRow]:
        """Return episodes together with the other parts of the long texts they are parts of."""
        whole: dict[int, EpisodeRow] = {}
        for record in records:
            whole[record.row] = record
            first = record.row - record.part
            beside = range(max(first, 0), first + record.parts) if record.parts > 1 else ()
            for other in self._store.episodes(number, beside):
                same = (other.said_at, other.session, other.speaker, other.parts)
                if same == (record.said_at, record.session, record.speaker, record.parts) and (
                    other.part == other.row - first
                ):
                    whole[other.row] = other
        return [whole[row] for row in sorted(whole)]

    def _versions(self, number: int, rows: Iterable[int]) -> list[int]:
        """Return rows with every earlier and later version of theirs."""
        chain: set[int] = set()
        queue = list(rows)
        while queue:
            row = queue.pop()
            if row in chain:
                continue
            chain.add(row)
            for record in self._store.episodes(number, [row]):
                queue += [r for r in (record.supersedes, record.superseded_by) if r is not None]
                if record.supersedes is not None:  # a long correction has parts beside this one
                    first = record.row - record.part
                    queue += range(first, first + record.parts)
            # A version that went back to an older wording is linked by its journal alone.
            for change in self._store.journal(number, row=row):
                fields = json.loads(change.detail)
                linked = [fields[name] for name in ("by", "supersedes") if name in fields]
                queue += self._store.rows_of(number, linked).values()
        return sorted(chain)

    def _erase(self, ids: Sequence[str]) -> int:
        with self._store.write():
            found = [self._find(one) for one in ids]
            number = found[0][0]
            whole = self._whole(number, [row for _, row in found])
            rows = self._versions(number, [row.row for row in whole])
            records = self._store.episodes(number, rows)
            live = [record.row for record in records if record.state != "erased"]
            if live:
                self._store.redact(number, live)
                self._change(number, live, "erase", "erased", {})
                for kind in ("content", *SEALED):
                    self._blank(number, kind, live)
                for kind in NEXT:  # what an unfinished rebuild has made of them
                    made = self._store.payloads(number, kind, live)
                    self._store.put_payloads(number, kind, [(row, b"") for row in made])
                self._store.erase_episodes(number, live)
        self._live = None
        self._shown.clear()
        self._store.scrub()
        return len(live)

    def _blank(self, number: int, kind: Kind, rows: Sequence[int]) -> None:
        self._store.put_payloads(number, kind, [(row, b"") for row in rows])
        gone = set(rows)
        for first, count in self._store.block_spans(number, kind):
            inside = [row - first for row in gone if first <= row < first + count]
            if inside:
                payloads = list(Payloads.from_block(self._store.block(number, kind, first)))
                for place in inside:
                    payloads[place] = b""
                self._store.put_block(
                    number, kind, Block(first, count, Payloads.of(payloads).to_bytes())
                )

    # ------------------------------------------------------------ reading

    def recall(
        self,
        query: str,
        k: int = 10,
        *,
        now: datetime | None = None,
        cues: Sequence[str] | None = None,
        since: When | None = None,
        until: When | None = None,
        session: OneOrMany | None = None,
        speaker: OneOrMany | None = None,
        role: OneOrMany | None = None,
        source: OneOrMany | None = None,
        where: Where | None = None,
        as_of: When | None = None,
    ) -> Recall:
        """
        Find what bears on ``query``: at most ``k`` hits, best first, each saying why.

        Args:
            query: a question or a few words, in any wording.
            k: most hits to return, 0 or more.
            now: the present, for "yesterday" and its like; the clock's by default.
            cues: only these cues, of ``CUES``.
            since: only what happened at this time or later.
            until: only what happened before this time.
            session: only this session, or one of these.
            speaker: only this speaker, or one of these; upper and lower case are the same.
            role: only this role, or one of these.
            source: only this file or system, or one of these.
            where: a condition on metadata, such as ``{"year": {"$gte": 2024}}``.
            as_of: answer from what the bank knew at that moment.

        Raises:
            InputError: a filter or argument that makes no sense.

        """
        started = time.perf_counter()
        memory = self._memory
        query = self._check_query(query, k)
        wanted = frozenset(memory.cues if cues is None else check_cues(cues))
        chosen = make_filter(
            since=since, until=until, session=session, speaker=speaker, role=role,
            source=source, where=where, as_of=as_of, timezone=memory.zone,
        )  # fmt: skip
        moment = memory.now() if now is None else to_moment(now, memory.zone)
        degraded: list[Degradation] = []
        embedded, embed_s = self._embed_query(query, wanted, degraded)
        with self._lock:
            number = self._ready(create=False)
            read = time.perf_counter()
            index = self._index()
            question = understand(
                query, now=moment, embedded=embedded, rotation=self._rotation(),
                speakers=index.columns.speakers(),
            )  # fmt: skip
            if "time" not in wanted:
                question = replace(question, intervals=())
            understood = time.perf_counter()
            allowed = index.columns.mask(chosen)
            filtered = time.perf_counter()
            ranking = search(index, question, allowed, memory.config.fusion, wanted)
            searched = time.perf_counter()
            hits, sure = self._hits(number, ranking, k)
            count = len(index) if allowed is None else int(np.count_nonzero(allowed))
            if embedded is not None and index.without_vectors:
                degraded.append(
                    Degradation(
                        part="vectors",
                        reason=f"{index.without_vectors} of {len(index)} episodes have none, and"
                        " are found by words alone; run 'hippocampus reindex'",
                    )
                )
        if memory.reranker is not None and hits:
            hits = _rerank(memory.reranker, query, hits, degraded)
        ended = time.perf_counter()
        return Recall(
            query=query,
            hits=tuple(hits),
            found=is_found(ranking.evidence, sure),
            confidence=sure,
            intervals=question.intervals,
            cost=Cost(
                elapsed_s=ended - started,
                embed_s=embed_s,
                steps_s={
                    "embed": embed_s,
                    "understand": understood - read,
                    "filter": filtered - understood,
                    "search": searched - filtered,
                    "read": ended - searched,
                },
                allowed=count,
                candidates=len(ranking.rows),
            ),
            degraded=tuple(degraded),
        )

    def _check_query(self, query: str, k: int) -> str:
        if isinstance(k, bool) or not isinstance(k, int) or k < 0:
            msg = f"k={k!r}: how many hits to return must be a whole number, 0 or more"
            raise InputError(msg)
        return check_text(query, limits=self._memory.config.ingest)

    def _embed_query(
        self, query: str, wanted: frozenset[str], degraded: list[Degradation]
    ) -> tuple[Embedded | None, float]:
        memory = self._memory
        if not wanted & {"vector", "tokens"}:
            return None, 0.0
        if memory.embedder is None:
            if memory.no_embedder is not None:
                degraded.append(memory.no_embedder)
            return None, 0.0
        started = time.perf_counter()
        try:
            embedded = memory.embedder.embed_query(query)
        except EncoderError as exc:
            degraded.append(Degradation(part="embedder", reason=str(exc)))
            embedded = None
        return embedded, time.perf_counter() - started

    def _hits(self, number: int | None, ranking: Ranking, k: int) -> tuple[list[Hit], float]:
        if number is None or not len(ranking.rows):
            return [], 0.0
        sure = settle(confidence(ranking.evidence, min(len(ranking.rows), max(k, DEPTH))))
        rows = ranking.rows[:k].tolist()
        read = self._read(number, rows)
        parts = {name: np.maximum(part[:k], 0).tolist() for name, part in ranking.parts.items()}
        hits: list[Hit] = []
        for place, (episode, tokens, _) in enumerate(read):
            given = {name: part[place] for name, part in parts.items()}
            total = sum(given.values())
            hits.append(
                Hit(
                    episode=episode,
                    score=float(sure[place]),
                    shares={n: g / total for n, g in given.items() if g > 0} if total else {},
                    tokens=tokens,
                )
            )
        self._note_shown(read)
        return hits, float(sure[0])

    def context(
        self,
        query: str,
        budget_tokens: int = 3500,
        *,
        k: int = 50,
        system: str = "",
        persona: str = "",
        summary: str = "",
        recent: int = 0,
        now: datetime | None = None,
        cues: Sequence[str] | None = None,
        since: When | None = None,
        until: When | None = None,
        session: OneOrMany | None = None,
        speaker: OneOrMany | None = None,
        role: OneOrMany | None = None,
        source: OneOrMany | None = None,
        where: Where | None = None,
        as_of: When | None = None,
    ) -> Context:
        """
        Compose a prompt-ready text of what bears on ``query``, within ``budget_tokens``.

        In order: ``system``, ``persona``, ``summary``, the memories in order of time, each with
        date and speaker and quoted as data, then the ``recent`` last turns. Tokens are counted in
        ``encode.tokens.VOCABULARY``. Filters are those of ``recall``.

        Raises:
            BudgetTooSmall: the system, persona and summary alone do not fit.

        """
        memory = self._memory
        if isinstance(budget_tokens, bool) or not isinstance(budget_tokens, int):
            msg = f"budget_tokens={budget_tokens!r}: must be a whole number of tokens"
            raise InputError(msg)
        if isinstance(recent, bool) or not isinstance(recent, int) or recent < 0:
            msg = f"recent={recent!r}: how many last turns to add must be 0 or more"
            raise InputError(msg)
        found = self.recall(
            query, k, now=now, cues=cues, since=since, until=until, session=session,
            speaker=speaker, role=role, source=source, where=where, as_of=as_of,
        )  # fmt: skip
        last = self.episodes(
            since=since, until=until, session=session, speaker=speaker, role=role,
            source=source, where=where, as_of=as_of, limit=recent, newest=True,
        ) if recent else []  # fmt: skip
        return compose(
            found, budget_tokens=budget_tokens, zone=memory.zone,
            system=system, persona=persona, summary=summary, recent=last,
        )  # fmt: skip

    def get(self, id: str) -> Episode:  # noqa: A002
        """
        Return one episode by id, in whatever state it is.

        Raises:
            UnknownEpisode: the bank has no such id, or it was erased.

        """
        with self._lock:
            number, row = self._find(id)
            return self._episodes(number, [row.row])[0]

    def episodes(
        self,
        *,
        since: When | None = None,
        until: When | None = None,
        session: OneOrMany | None = None,
        speaker: OneOrMany | None = None,
        role: OneOrMany | None = None,
        source: OneOrMany | None = None,
        where: Where | None = None,
        as_of: When | None = None,
        limit: int | None = None,
        offset: int = 0,
        newest: bool = False,
    ) -> list[Episode]:
        """Return episodes in order of event time (``newest``: latest first), filtered, paged."""
        for name, value in (("limit", limit), ("offset", offset)):
            if value is not None and (
                isinstance(value, bool) or not isinstance(value, int) or value < 0
            ):
                msg = f"{name}={value!r}: must be a whole number, 0 or more"
                raise InputError(msg)
        chosen = make_filter(
            since=since, until=until, session=session, speaker=speaker, role=role,
            source=source, where=where, as_of=as_of, timezone=self._memory.zone,
        )  # fmt: skip
        with self._lock:
            number = self._ready(create=False)
            if number is None:
                return []
            columns = self._index().columns
            allowed = columns.mask(chosen)
            order = columns.in_order()
            rows = order if allowed is None else order[allowed[order]]
            if newest:
                rows = rows[::-1]
            rows = rows[offset : None if limit is None else offset + limit]
            return self._episodes(number, rows.tolist())

    def history(self, id: str) -> list[Change]:  # noqa: A002
        """Return every change to an episode and to its earlier and later versions, in order."""
        with self._lock:
            number, row = self._find(id, erased=True)
            rows = self._versions(number, [row.row])
            ids = {r.row: r.id for r in self._store.episodes(number, rows)}
            changes = [c for r in rows for c in self._store.journal(number, row=r)]
        return [_change(c, ids) for c in sorted(changes)]

    def journal(self, *, after: int = 0, limit: int | None = None) -> list[Change]:
        """Return the bank's changes in order, from ``after`` on: the audit trail."""
        with self._lock:
            number = self._ready(create=False)
            if number is None:
                return []
            rows = self._store.journal(number, after=after, limit=limit)
            known = self._store.episodes(number, [c.row for c in rows if c.row is not None])
        ids = {r.row: r.id for r in known}
        return [_change(c, ids) for c in rows]

    def stats(self) -> Stats:
        """Return what the bank holds, and how many bytes by kind of data."""
        with self._lock, self._store.read():
            number = self._ready(create=False)
            if number is None:
                raise unknown_bank(self.name, self._memory.banks())
            columns = self._index().columns
            states = {"active": 0, "superseded": 0, "forgotten": 0, "erased": 0}
            sessions: set[str] = set()
            sources: set[str] = set()
            speakers: set[str] = set()
            first: int | None = None
            last: int | None = None
            for row in self._store.scan_episodes(number):
                states[row.state] += 1
                if row.state == "active":
                    first = row.said_at if first is None else min(first, row.said_at)
                    last = row.said_at if last is None else max(last, row.said_at)
                    sessions.update([row.session] if row.session else [])
                    sources.update([row.source] if row.source else [])
                    speakers.update([row.speaker] if row.speaker else [])
            assert len(columns) == sum(states.values()), "the index follows the store"
            stored = self._store.stored_bytes(number)
        fingerprint = self._memory.fingerprint()
        return Stats(
            bank=self.name,
            episodes=states["active"],
            superseded=states["superseded"],
            forgotten=states["forgotten"],
            sessions=len(sessions),
            speakers=tuple(sorted(speakers)),
            sources=tuple(sorted(sources)),
            first=None if first is None else from_micros(first),
            last=None if last is None else from_micros(last),
            text_bytes=stored.get("content", 0),
            stored_bytes=stored,
            embedder=None if fingerprint is None else str(fingerprint),
        )

    # ------------------------------------------------------------ moving

    def export(self, path: str | Path) -> int:
        """Write everything in the bank to a JSONL file that ``import_`` reads back whole."""
        return export_bank(self, Path(path))

    def import_(
        self,
        path: str | Path,
        *,
        format: str | None = None,  # noqa: A002
        progress: Progress | None = None,
    ) -> Imported:
        """
        Remember a file or a folder: our own export, notes, chats, mail, other memories' exports.

        Importing again changes only what changed: new parts are added, parts that are gone from
        a file are forgotten (``restore`` brings them back). What cannot be read is reported and
        skipped; the rest goes on.
        """
        return import_path(self, Path(path), format=format, progress=progress)

    @property
    def chunk_tokens(self) -> int:
        """Longest episode in tokens."""
        return self._memory.config.ingest.chunk_tokens

    def records(self) -> Iterator[dict[str, dict[str, Any]]]:
        """Yield every episode in any state, then every change: the bank at one moment."""
        with self._lock, self._store.read():
            number = self._ready(create=False)
            if number is None:
                raise unknown_bank(self.name, self._memory.banks())
            rows = list(self._store.scan_episodes(number))
            changes = self._store.journal(number)
        ids = {row.row: row.id for row in rows}
        for start in range(0, len(rows), 1000):
            some = rows[start : start + 1000]
            with self._lock:
                texts = self._texts(number, [row.row for row in some])
            for row in some:
                older, newer = row.supersedes, row.superseded_by
                yield {
                    "episode": {
                        "id": row.id,
                        "text": texts.get(row.row, ""),
                        "said_at": row.said_at,
                        "noted_at": row.noted_at,
                        "session": row.session,
                        "turn": row.turn,
                        "part": row.part,
                        "parts": row.parts,
                        "speaker": row.speaker,
                        "role": row.role,
                        "source": row.source,
                        "address": row.address,
                        "metadata": json.loads(row.metadata),
                        "state": row.state,
                        "supersedes": None if older is None else ids[older],
                        "superseded_by": None if newer is None else ids[newer],
                    }
                }
        for change in changes:
            yield {
                "change": {
                    "seq": change.seq,
                    "at": change.at,
                    "kind": change.kind,
                    "episode": None if change.row is None else ids[change.row],
                    "detail": json.loads(change.detail),
                }
            }

    def load_records(
        self,
        episodes: Sequence[Mapping[str, Any]],
        changes: Sequence[Mapping[str, Any]],
        *,
        path: Path,
        progress: Progress | None = None,
    ) -> Imported:
        """
        Take in what ``records`` gave, checked by ``read_export``: whole into an empty bank.

        A bank that holds something already gets the active episodes it lacks, with their ids,
        noted now. One transaction: all or nothing.
        """
        memory = self._memory
        with self._lock:
            number = self._ready(create=True)
            assert number is not None, "created when missing"
            empty = self._store.episode_count(number) == 0
            try:
                drafts = [_loaded(e, memory.salt) for e in episodes]
                rows = {d.id: place for place, d in enumerate(drafts)}
                if len(rows) != len(drafts):
                    raise SourceError("two episodes of the export have the same id", path=path)
                states = [_state(e["state"]) for e in episodes]
                journal = [
                    JournalRow(
                        int(c["seq"]), int(c["at"]), str(c["kind"]),
                        None if c["episode"] is None else rows[c["episode"]],
                        json.dumps(c["detail"]),
                    )
                    for c in changes
                ]  # fmt: skip
                records = [
                    _record(
                        d, row=row, at=int(e["noted_at"]), turn=e["turn"], supersedes=None
                    )._replace(
                        state=states[row],
                        address=str(e["address"]),
                        supersedes=rows[e["supersedes"]] if e["supersedes"] else None,
                        superseded_by=rows[e["superseded_by"]] if e["superseded_by"] else None,
                    )
                    for row, (d, e) in enumerate(zip(drafts, episodes, strict=True))
                ]
            except (KeyError, TypeError, ValueError, AttributeError) as exc:
                if isinstance(exc, SourceError):
                    raise
                msg = f"the export is damaged ({type(exc).__name__}: {exc}); nothing was imported"
                raise SourceError(msg, path=path) from exc
            if not empty:
                known = self._store.rows_of(number, list(rows))
                missing: list[list[Draft]] = []
                for d, state in zip(drafts, states, strict=True):
                    if state != "active" or d.id in known:
                        continue
                    if d.parts > 1:  # as it was before it was told apart
                        d = replace(d, address=d.address.removesuffix(f"#part-{d.part}"))  # noqa: PLW2901
                    if d.part and missing and missing[-1][-1].part + 1 == d.part:
                        missing[-1].append(d)
                    else:
                        missing.append([d])
                if missing:
                    self._add(number, missing)
                added = sum(map(len, missing))
                return Imported(added=added, unchanged=len(drafts) - added, removed=0)
            alive = [d for d, s in zip(drafts, states, strict=True) if s != "erased"]
            payloads: dict[Kind, dict[str, bytes]] = {}
            batch = memory.config.ingest.batch
            before = context_before(alive, {})
            for start in range(0, len(alive), batch):
                some = alive[start : start + batch]
                encoded = encode_drafts(
                    some, before[start : start + batch],
                    embedder=memory.embedder, rotation=self._rotation(),
                )  # fmt: skip
                for kind, values in encoded.items():
                    ids = [d.id for d in some]
                    payloads.setdefault(kind, {}).update(zip(ids, values, strict=True))
                if progress:
                    progress(start + len(some), len(alive))
            with self._store.write():
                memory.check_embedder()
                self._store.add_episodes(number, records)
                self._store.append(number, journal)
                for kind, by_id in payloads.items():
                    self._store.put_payloads(
                        number, kind, [(rows[id_], p) for id_, p in by_id.items() if p]
                    )
                if memory.embedder is not None and self._store.setting("embedder") is None:
                    self._store.set_setting(
                        "embedder", dump_fingerprint(memory.embedder.fingerprint)
                    )
                self._seal(number, len(records))
            self._live = None
            self._catch_up()
            return Imported(added=len(alive), unchanged=0, removed=0)

    def replace_source(
        self, source: str, turns: Sequence[Turn], *, progress: Progress | None = None
    ) -> Imported:
        """
        Make a source's episodes equal ``turns``: add what is new, forget what is gone.

        A turn that is there already stays as it is, even if the file's date moved. What a user
        forgot stays forgotten; what only vanished from the file comes back when the file's does.
        """
        now = self._memory.now()
        with self._lock:
            number = self._ready(create=True)
            assert number is not None, "created when missing"
            there = self._store.rows_from_source(number, source)
            by_id = {row.id: row for row in there}
            by_row = {row.row: row for row in there}
            by_digest: dict[bytes, list[EpisodeRow]] = {}
            for row in there:
                by_digest.setdefault(row.digest, []).append(row)
            kept: set[int] = set()
            fresh: list[Turn] = []
            unchanged = 0
            for turn in turns:
                group = self._draft(turn, now)
                same = [by_id[d.id] for d in group if d.id in by_id]
                if not same:
                    for twin in by_digest.get(group[0].digest, []):
                        run = [
                            by_row[r] for r in range(twin.row, twin.row + len(group)) if r in by_row
                        ]
                        if twin.row not in kept and [r.digest for r in run] == [
                            d.digest for d in group
                        ]:
                            same = run
                            break
                if same:
                    kept.update(row.row for row in same)
                    unchanged += 1
                else:
                    fresh.append(turn)
            for row in there:  # what a user corrected is what the file says, in better words
                if row.row in kept and row.superseded_by is not None:
                    kept.update(self._versions(number, [row.row]))
            gone = [row.row for row in there if row.state == "active" and row.row not in kept]
            back = [
                row.row
                for row in there
                if row.row in kept
                and row.state == "forgotten"
                and self._store.journal(number, row=row.row)[-1].kind == "withdraw"
            ]
            if gone or back:
                with self._store.write():
                    if gone:
                        self._change(number, gone, "withdraw", "forgotten", {"source": source})
                    if back:
                        self._change(number, back, "restore", "active", {"source": source})
                self._catch_up()
            episodes = self.remember_many(fresh, progress=progress) if fresh else []
        return Imported(
            added=len(episodes) + len(back), unchanged=unchanged - len(back), removed=len(gone)
        )

    # ------------------------------------------------------------ rebuilding, verifying

    def drop_next(self) -> None:
        """Throw away what an unfinished rebuild has made; inside a transaction."""
        number = self._store.bank_number(self.name)
        if number is not None:
            for kind in NEXT:
                self._store.drop_payloads(number, kind)

    def stage(self, embedder: Embedder | None, *, progress: Progress | None = None) -> int:
        """Make the derived payloads anew beside the present ones; goes on where it was stopped."""
        # Not by way of the index: a damaged one is what a rebuild is to repair.
        number = self._store.bank_number(self.name)
        if number is None:
            raise unknown_bank(self.name, self._memory.banks())
        staged = self._store.tail(number, "lexical.next")
        start = staged[-1][0] + 1 if staged else 0
        rotation = None if embedder is None else rotation_for(embedder.fingerprint)
        stop = self._store.episode_count(number)
        records = list(self._store.scan_episodes(number))
        if start >= stop:
            return sum(r.state == "active" for r in records)
        batch = self._memory.config.ingest.batch
        said: dict[str, list[str]] = {}
        for first in range(0, stop, batch):
            some = [r for r in records[first : first + batch] if r.state != "erased"]
            texts = self._texts(number, [r.row for r in some])
            drafts = [_stored(r, texts[r.row]) for r in some]
            before = context_before(drafts, said)
            for d in drafts:
                if d.session is not None:
                    line = said.setdefault(d.session, [])
                    line.append(d.spoken[-CONTEXT_CHARACTERS:])
                    del line[:-CONTEXT_TURNS]
            if first + batch > start:
                payloads = encode_drafts(drafts, before, embedder=embedder, rotation=rotation)
                with self._store.write():
                    for kind, values in payloads.items():
                        if kind != "content":
                            pairs = zip((r.row for r in some), values, strict=True)
                            self._store.put_payloads(
                                number, _NEXT_OF[kind], [(row, p) for row, p in pairs if p]
                            )
            if progress:
                progress(min(first + batch, stop), stop)
        return sum(r.state == "active" for r in records)

    def promote(self, *, vectors: bool) -> None:
        """Put what ``stage`` made in the place of what was; inside a transaction."""
        number = self._store.bank_number(self.name)
        assert number is not None, "staged before"
        for kind in SEALED:
            if vectors or kind == "lexical":
                self._store.move_payloads(number, _NEXT_OF[kind], kind)
        self._seal(number, self._store.episode_count(number))
        seq = self._store.last_seq(number)
        last = self._store.journal(number, after=seq - 1)
        at = max(to_micros(self._memory.now()), *(change.at for change in last))
        self._store.append(number, [JournalRow(seq + 1, at, "rebuild", None, detail())])

    def reload(self) -> None:
        """Build the index in memory anew from the store."""
        with self._lock:
            self._live = None
            self._ready(create=False)

    def verify(self) -> tuple[list[str], dict[str, int]]:
        """Check texts, states and derived payloads against each other: (problems, counts)."""
        problems: list[str] = []
        with self._lock, self._store.read():
            number = self._ready(create=False)
            if number is None:
                raise unknown_bank(self.name, self._memory.banks())
            records = list(self._store.scan_episodes(number))
            changes = self._store.journal(number)
            replayed: dict[int, State] = {}
            for change in changes:
                if change.row is not None:
                    replayed[change.row] = STATE_CHANGES.get(change.kind, "active")
            texts: dict[int, str] = {}
            for start in range(0, len(records), 1000):
                rows = [r.row for r in records[start : start + 1000]]
                stored = self._store.payloads(number, "content", rows)
                for row, payload in stored.items():
                    try:
                        texts[row] = tokenizer.decode(tokenizer.unpack(payload))
                    except ValueError as exc:
                        problems.append(f"episode in row {row}: its text cannot be read: {exc}")
            stop = len(records)
            terms = [
                payload
                for part in read_payloads(self._store, number, "lexical", 0, stop)
                for payload in part
            ]
        for record in records:
            if record.state == "erased":
                continue
            if not texts.get(record.row):
                problems.append(f"episode {record.id}: its text is missing")
                continue
            if replayed.get(record.row) != record.state:
                problems.append(
                    f"episode {record.id}: is {record.state}, but its journal says"
                    f" {replayed.get(record.row)}"
                )
            d = _stored(record, texts[record.row])
            if lexical_payload(d) != terms[record.row]:
                problems.append(f"episode {record.id}: its words are indexed wrongly; run reindex")
            whole = digest(self._memory.salt, d.text)
            if record.digest != whole:
                problems.append(f"episode {record.id}: its text is not what was remembered")
        return problems, {"episodes": len(records), "changes": len(changes)}

    # ------------------------------------------------------------ inside

    def _ready(self, *, create: bool) -> int | None:
        """Catch up with other processes; return the bank's number, or None when it has none."""
        seen = self._store.changes()
        if seen != self._seen or self._live is None or self._number is None:
            number = self._store.bank_number(self.name)
            if number is None and create:
                with self._store.write():
                    number = self._store.add_bank(self.name, to_micros(self._memory.now()))
            if number != self._number:  # new, or deleted and perhaps made anew
                self._number, self._live = number, None
                self._shown.clear()
            self._catch_up()
            self._seen = seen
        return self._number

    def _index(self) -> LiveIndex:
        if self._live is None:
            self._memory.check_embedder()
            self._live = LiveIndex(self._store, self._number or 0, self._make_cues())
        return self._live

    def _make_cues(self) -> list[Cue]:
        cues: list[Cue] = [LexicalCue()]
        fingerprint = self._memory.fingerprint()
        if fingerprint is not None:
            cues.append(VectorCue(fingerprint.dimension))
            rotation = rotation_for(fingerprint)
            if rotation is not None:
                cues.append(TokensCue(rotation.bits))
        return cues

    def _catch_up(self) -> None:
        index = self._index()
        if self._number is None:
            return
        before = index.seq
        if index.catch_up() and before:
            erased = self._store.journal(self._number, after=before, kinds=("erase", "rebuild"))
            if erased:  # what is gone must leave memory too: build anew
                self._live = None
                self._index().catch_up()

    def _rotation(self) -> Rotation | None:
        fingerprint = self._memory.fingerprint()
        return None if fingerprint is None else rotation_for(fingerprint)

    def _find(self, id: str, *, erased: bool = False) -> tuple[int, EpisodeRow]:  # noqa: A002
        number = self._ready(create=False)
        if number is None:
            raise unknown_bank(self.name, self._memory.banks())
        if not isinstance(id, str) or not id:
            msg = f"id={id!r}: an episode's id is a non-empty text"
            raise InputError(msg)
        tokenizer.encode(id)  # refuses what no store can look up
        rows = self._store.rows_of(number, [id])
        records = self._store.episodes(number, list(rows.values()))
        if not records or (records[0].state == "erased" and not erased):
            gone = "was erased" if records else "is not in it"
            msg = f"episode {id!r} of bank {self.name!r} {gone}; list what is with episodes()"
            raise UnknownEpisode(msg)
        return number, records[0]

    def _texts(self, number: int, rows: Collection[int]) -> dict[int, str]:
        stored = self._store.payloads(number, "content", rows)
        return {row: text for row, (text, _) in read_texts(stored).items()}

    def _episodes(self, number: int, rows: Sequence[int]) -> list[Episode]:
        return [episode for episode, _, _ in self._read(number, rows)]

    def _read(self, number: int, rows: Sequence[int]) -> list[tuple[Episode, int, bytes]]:
        """Return episodes with their length in tokens and the digest they are recognised by."""
        records = self._store.episodes(number, rows)
        texts = read_texts(self._store.payloads(number, "content", rows))
        linked = {r for e in records for r in (e.supersedes, e.superseded_by) if r is not None}
        ids = {e.row: e.id for e in self._store.episodes(number, sorted(linked))} if linked else {}
        found: list[tuple[Episode, int, bytes]] = []
        for e in records:
            text, tokens = texts.get(e.row, ("", 0))
            found.append((self._episode(e, text, ids), tokens, e.digest))
        return found

    def _episode(self, e: EpisodeRow, text: str, ids: Mapping[int, str]) -> Episode:
        return Episode(
            id=e.id,
            bank=self.name,
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
            metadata=json.loads(e.metadata),
            state=e.state,
            supersedes=None if e.supersedes is None else ids.get(e.supersedes),
            superseded_by=None if e.superseded_by is None else ids.get(e.superseded_by),
        )

    # ------------------------------------------------------------ recognising what we said

    def _note_shown(self, shown: Iterable[tuple[Episode, int, bytes]]) -> None:
        shown_at = self._memory.now()
        with self._lock:
            for episode, _, key in shown:
                if len(episode.text.split()) >= self._memory.config.ingest.echo_words:
                    self._shown[key] = shown_at
                    self._shown.move_to_end(key)
            while len(self._shown) > _ECHO_MEMORY:
                self._shown.popitem(last=False)

    def _echo(
        self, number: int, group: Sequence[Draft], *, has_time: bool, now: datetime
    ) -> int | None:
        """Return the row a text was recalled from, when it comes back to us as if it were new."""
        first = group[0]
        text = "".join(d.text for d in group)
        if OPEN in text or RECENT_OPEN in text or _LINE.match(text):
            row = self._echo_of_lines(number, text)
            if row is not None:
                return row
        if first.parts == 1 and len(first.text.split()) < self._memory.config.ingest.echo_words:
            return None
        shown = self._shown.get(first.digest)
        if shown is not None and has_time:
            fresh = now - shown <= _ECHO_AGE
            after = first.said_at >= to_micros(shown - timedelta(seconds=1))
            if not (fresh and after):
                shown = None
        if shown is None and has_time:
            return None
        # Word for word what is stored, and with no time of its own: it tells us nothing new,
        # unless it was not shown and now somebody else says it.
        rows = self._store.rows_with_digest(number, first.digest)
        for record in self._store.episodes(number, rows):
            if record.state != "active":
                continue
            if shown is None and first.speaker not in (None, record.speaker):
                continue
            said = range(record.row, record.row + len(group))
            parts = self._store.episodes(number, said) if len(group) > 1 else [record]
            if [(r.digest, r.state) for r in parts] == [(d.digest, "active") for d in group]:
                return record.row
        return None

    def _echo_of_lines(self, number: int, text: str) -> int | None:
        """Return the first row quoted, when a text is nothing but lines that we rendered."""
        first: int | None = None
        for rendered in _RENDERED.split(text):
            if not rendered.strip() or rendered in {OPEN, CLOSE, RECENT_OPEN, RECENT_CLOSE}:
                continue
            match = _LINE.match(rendered)
            if match is None:
                return None
            words = unquote(match.group(2)).split(": ")
            # Who speaks may hold a colon as well, so the words may begin after any of the first.
            rows = [
                row
                for start in range(min(len(words), _COLONS))
                for row in self._store.rows_with_digest(
                    number, digest(self._memory.salt, ": ".join(words[start:]))
                )
            ]
            if not rows:
                return None
            first = rows[0] if first is None else first
        return first


# ---------------------------------------------------------------- small helpers


def read_texts(payloads: Mapping[int, bytes]) -> dict[int, tuple[str, int]]:
    """Return the texts of content payloads by row, each with its length in tokens."""
    rows = [row for row, payload in payloads.items() if payload]
    tokens = tokenizer.unpack(b"".join(payloads[row] for row in rows))  # one call, not one a text
    texts: dict[int, tuple[str, int]] = {}
    start = 0
    for row in rows:
        stop = start + len(payloads[row]) // tokenizer.ID_BYTES
        texts[row] = tokenizer.decode(tokens[start:stop]), stop - start
        start = stop
    return texts


def check_cues(cues: Sequence[str] | None) -> tuple[str, ...]:
    """Return cue names after checking them; all of them for None."""
    if cues is None:
        return CUES
    if isinstance(cues, str) or not cues or set(cues) - set(CUES):
        msg = f"cues={cues!r}: must be one or more of {', '.join(CUES)}"
        raise InputError(msg)
    return tuple(cues)


def _without_quotes(text: str) -> str:
    """Take our own quoted memories out of a text: they are stored already."""
    for begin, end in ((OPEN, CLOSE), (f"{RECENT_OPEN}\n[", f"\n{RECENT_CLOSE}")):
        kept, rest = "", text
        while begin in rest and end in rest[rest.index(begin) :]:
            head, _, tail = rest.partition(begin)
            kept += head
            rest = tail.partition(end)[2]
        text = kept + rest
    return text


def unknown_bank(name: str, there: Sequence[str]) -> UnknownBank:
    """Make the error for a bank that is not in the store."""
    known = ", ".join(repr(n) for n in there[:5]) + (", …" if len(there) > 5 else "")
    msg = f"no bank {name!r} in the store; there {'is ' + known if there else 'are none'}"
    return UnknownBank(msg)


def dump_fingerprint(fingerprint: Fingerprint) -> str:
    """Return a fingerprint as the store keeps it."""
    return json.dumps(
        {
            "name": fingerprint.name,
            "weights": fingerprint.weights,
            "dimension": fingerprint.dimension,
            "token_dimension": fingerprint.token_dimension,
        }
    )


def _record(
    d: Draft, *, row: int, at: int, turn: int | None, supersedes: EpisodeRow | None
) -> EpisodeRow:
    place = f"{d.session}#turn-{turn}" if d.session is not None else d.source or d.id
    address = d.address or place
    if d.parts > 1:
        address = f"{address}#part-{d.part}"
    part, parts = d.part, d.parts
    if supersedes is not None and d.parts == 1:  # a new wording stands where the old one stood
        part, parts = supersedes.part, supersedes.parts
    return EpisodeRow(
        row=row, id=d.id, said_at=d.said_at, noted_at=at, session=d.session, turn=turn,
        part=part, parts=parts, speaker=d.speaker, role=d.role, source=d.source,
        address=address, metadata=d.metadata, digest=d.digest, state="active",
        supersedes=None if supersedes is None else supersedes.row, superseded_by=None,
    )  # fmt: skip


def _stored(record: EpisodeRow, text: str) -> Draft:
    return Draft(
        id=record.id, text=text, said_at=record.said_at, session=record.session,
        part=record.part, parts=record.parts, speaker=record.speaker, role=record.role,
        source=record.source, address=record.address, metadata=record.metadata,
        digest=record.digest,
    )  # fmt: skip


def _loaded(e: Mapping[str, Any], salt: bytes) -> Draft:
    text = str(e["text"])
    return Draft(
        id=str(e["id"]),
        text=text,
        said_at=int(e["said_at"]),
        session=_text_or_none(e["session"]),
        part=int(e["part"]),
        parts=int(e["parts"]),
        speaker=_text_or_none(e["speaker"]),
        role=_text_or_none(e["role"]),
        source=_text_or_none(e["source"]),
        address=str(e["address"]),
        metadata=dump_metadata(e["metadata"]),
        digest=digest(salt, text),
    )


def _text_or_none(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    msg = f"{value!r} is not text"
    raise TypeError(msg)


def _ids(given: object) -> list[str]:
    """Return one id or several as a list, each once."""
    if isinstance(given, str):
        return [given]
    if isinstance(given, Mapping | bytes) or not isinstance(given, Collection):
        msg = f"id={given!r}: give one episode's id, or a collection of ids"
        raise InputError(msg)
    return list(dict.fromkeys(given))


def _state(value: object) -> State:
    if value in ("active", "superseded", "forgotten", "erased"):
        return value
    msg = f"{value!r} is not a state"
    raise ValueError(msg)


def _change(row: JournalRow, ids: Mapping[int, str]) -> Change:
    return Change(
        seq=row.seq,
        at=from_micros(row.at),
        kind=row.kind,
        episode=None if row.row is None else ids.get(row.row),
        detail=json.loads(row.detail),
    )


def _rerank(
    reranker: Reranker, query: str, hits: list[Hit], degraded: list[Degradation]
) -> list[Hit]:
    try:
        scores = reranker.rerank(query, [hit.text for hit in hits])
    except EncoderError as exc:
        degraded.append(Degradation(part="reranker", reason=str(exc)))
        return hits
    order = np.argsort(-scores, kind="stable").tolist()
    best = sorted((hit.score for hit in hits), reverse=True)
    return [replace(hits[i], score=best[place]) for place, i in enumerate(order)]
