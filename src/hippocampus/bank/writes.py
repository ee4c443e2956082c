"""Writing: to keep what is said, correct it, and forget it."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Sized
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeVar

from hippocampus.bank.copies import Copies, CopyTrail
from hippocampus.bank.lookup import Lookup
from hippocampus.bank.part import BankPart, Outdated, ids_of, staying
from hippocampus.core.background_yield import pausing
from hippocampus.core.budget import check_budget
from hippocampus.core.clock import from_micros
from hippocampus.core.events import UnclaimedBySource
from hippocampus.core.group_commit import GroupCommit
from hippocampus.core.idempotency import Request, current_request, doing
from hippocampus.core.origin import Origin
from hippocampus.core.quotes import without_quotes
from hippocampus.core.records import (
    HELD,
    PINNED,
    Asks,
    Compacted,
    Embedder,
    Episode,
    EpisodeRow,
    Kind,
    Message,
    OneOrMany,
    Progress,
    State,
    Turn,
    When,
    given_origin,
    settled_level,
)
from hippocampus.core.validation import check_text
from hippocampus.engine.bank_state import NO_BANK, BankState, Encoding
from hippocampus.errors import InputError, StoreCorrupt, StoreLocked
from hippocampus.journal.draft import Draft, Encoded
from hippocampus.journal.erasure import earliest_first, may_go
from hippocampus.journal.ledger import Ledger
from hippocampus.journal.reader import Told
from hippocampus.journal.requests import find_done, note_done, once
from hippocampus.journal.writer import AddedRows
from hippocampus.language.time.given import moment_of

if TYPE_CHECKING:
    from hippocampus.write.check import Group

_Stored = TypeVar("_Stored")
_Change: TypeAlias = Callable[[Ledger, Sequence[_Stored]], int]
"""A change of some things in one transaction, which returns how many episodes changed."""

_CHANGED_AT_ONCE: Final = 192
"""Episodes that are erased, or of a source forgotten or restored, in one transaction, for which all
banks wait; with ``_A_SEGMENT`` for each segment that they are in."""
_COMPACTED_AT_ONCE: Final = 384
"""The same of ``compact``, which knows what goes, and has no ties to look for."""
_A_SEGMENT: Final = 48
"""Episodes whose erasure takes as long as making the segment anew that they were in."""
_NAMED_AT_ONCE: Final = 256
"""Turns of a request that names itself that are kept in one transaction."""
_GAP_S: Final = 0.01
"""Pause between two transactions of a long change, in which who waits to write gets its turn.
Another process does not queue: it asks again every few milliseconds."""
_TRIES: Final = 8
"""How often an erasure begins anew because what it erases was promoted meanwhile."""


class _ToKeep(NamedTuple):
    """Turns of one call, to be kept, when, and for which request, if that has named itself."""

    groups: Sequence[Group]
    now: datetime
    request: Request | None

    def beside(self, others: Sequence[_ToKeep], *, most: int) -> bool:
        """
        Return whether it can be kept in one go with others.

        Not if any says the same: whichever is kept first, the other may be its echo.
        """
        drafts = sum(len(call.groups) for call in (*others, self))
        said = {group.first.digest for call in others for group in call.groups}
        return drafts <= most and said.isdisjoint(group.first.digest for group in self.groups)


class _DoneElsewhere(Exception):
    """A request that was about to be done has been done by another process meanwhile."""


class Writes(BankPart):
    """The verbs that change what a bank holds."""

    def __init__(self, state: BankState, lookup: Lookup) -> None:
        super().__init__(state)
        self._lookup = lookup
        most = state.engine.config.ingest.batch
        self.together: GroupCommit[_ToKeep, list[Episode]] = GroupCommit(
            lambda others, one: one.beside(others, most=most)
        )

    def remember(  # noqa: PLR0913 - a public verb
        self,
        text: str | Message,
        *,
        at: When | None = None,
        speaker: str | None = None,
        role: str | None = None,
        session: str | None = None,
        source: str | None = None,
        address: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        origin: Origin | None = None,
        again: bool = False,
    ) -> Episode:
        """
        Keep one thing that happened, durably, and return it.

        The same text by the same speaker at the same event time is the same episode: remembering
        it again changes nothing. Text that came out of ``recall`` or ``context`` is recognised and
        answered with the episode it came from. A text longer than ``Ingest.chunk_tokens`` is kept
        in parts; the first is returned.

        Args:
            text: any valid string that is not blank; it comes back byte for byte. Or a chat
                message, ``{"role": "user", "content": …}``; of its parts the words are kept, and
                each call of a tool as a line. What the other arguments say goes before what it has.
            at: when it happened; now by default. Naive times are in ``Config.timezone``, and words
                ("yesterday", "last Monday at six") are as of now.
            speaker: who said it.
            role: ``user``, ``assistant``, ``tool``, …
            session: the conversation it belongs to; turns of one are read in each other's light.
            source: the file or system it came from.
            address: where in the source; made from session and turn when left out.
            metadata: a JSON object to filter by.
            origin: whose words they are, one of ``ORIGINS``; read off role and source by default.
            again: keep it though it says what was just recalled, or is there already; then only
                what has the same metadata as well is the same episode.

        Raises:
            InputError: something in the arguments; nothing was stored.
            StoreError: the store could not take it; nothing was stored.

        """
        from hippocampus.write.messages import turn_of  # noqa: PLC0415 - not for a recall

        turn = turn_of(
            text if isinstance(text, Mapping) else Turn(text=text),
            at=at, speaker=speaker, role=role, session=session, source=source, address=address,
            metadata=metadata, origin=origin,
        )  # fmt: skip
        kept = self.remember_many([turn], again=again)
        if not kept:
            msg = "it is there already, but its row is damaged; 'hippocampus verify' tells more"
            raise StoreCorrupt(msg, path=self._store.path)
        return kept[0]

    @staying
    def remember_many(
        self,
        turns: Iterable[Turn | Message],
        *,
        session: str | None = None,
        again: bool = False,
        progress: Progress | None = None,
    ) -> list[Episode]:
        """
        Keep many turns; return their episodes in order, the parts of long ones apart.

        A turn may be a chat message, as ``{"role": "user", "content": …}``, so that the
        conversation that a program sends to a model can be given as it is. ``session`` is that of
        turns that name none.

        All turns are checked before the first is stored. They are stored in batches, one
        transaction each: after a crash whole batches are there, and doing it again adds the rest.
        ``again`` is that of ``remember``.
        """
        groups: list[Group] = []
        now = self._engine.now()
        for place, turn in enumerate(pausing(turns)):
            try:
                group = self.group(_dated(_of(turn, session), now), now, by_metadata=again)
                groups.append(group._replace(again=again))
            except InputError as exc:
                if not (isinstance(turns, Sized) and len(turns) == 1):
                    exc.add_note(f"in turn {place} of this call; nothing of the call was stored")
                raise
        return self.keep(groups, now, progress)

    def correct(
        self,
        id: str,  # noqa: A002  (the verb's natural word)
        text: str | None = None,
        *,
        metadata: Mapping[str, Any] | None = None,
    ) -> Episode:
        """
        Replace the text of an episode; the old one stays in its history and in ``as_of`` reads.

        Returns the new episode, which keeps the old one's time, session and speaker.

        Args:
            id: the episode, in force.
            text: what it should say; what it says by default.
            metadata: all that it should have; what it has by default.

        """
        if text is None and metadata is None:
            msg = f"correct: say what to correct of episode {id!r}: its text, its metadata or both"
            raise InputError(msg)
        with self._state.changing():
            ledger = self._engine.ledger(self.name)
            with self._store.read():
                done = find_done(ledger, current_request(), int)
                if done is None:
                    old = ledger.reader.find(id)
                    ledger.writer.check_in_force(old)
            if done is not None:
                self._state.take()
                return ledger.reader.at(done.result, self._told())
            before = as_turn(old, self._lookup.get(id).text)
            turn = before if text is None else replace(before, text=text)
            turn = turn if metadata is None else replace(turn, metadata=metadata)
            new = self.group(turn, self._engine.now(), stored=before)
            if self._says_otherwise(ledger, new):
                new = self.group(turn, self._engine.now(), by_metadata=True, stored=before)
            if new.first.id == old.id:
                return ledger.reader.one(id, self._told())
            known = self._store.episodes.rows_of(ledger.bank, [new.first.id])
            drafts = [] if known else new.drafts
            self.check_flood(drafts, self._engine.now())

            def store(books: Ledger, encoded: Encoded) -> int:
                return once(books, lambda: books.writer.correct(old, new.drafts, encoded), int)

            row = self.store_encoded(ledger, drafts, store)
            return ledger.reader.at(row, self._told())

    def _says_otherwise(self, ledger: Ledger, new: Group) -> bool:
        """Return whether there is the same wording already, with other metadata."""
        rows = self._store.episodes.rows_of(ledger.bank, [new.first.id])
        known = self._store.episodes.read(ledger.bank, list(rows.values()))
        return any(e.state != "erased" and e.metadata != new.first.metadata for e in known)

    def forget(
        self,
        id: str | Collection[str] | None = None,  # noqa: A002
        *,
        source: OneOrMany | None = None,
        erase: bool = False,
        progress: Progress | None = None,
    ) -> int:
        """
        Hide episodes at once, from every read; until ``compact``, ``restore`` brings them back.

        A long text is forgotten whole, whichever of its parts is named. With ``erase`` the words
        leave the store for good: every table, index, journal row, free page and log, in every
        version of the episode, in every copy of the same words that was merged with it, and in
        every bank that it was promoted to. What stays is that something was erased.

        Returns how many episodes changed. Of several that are to be erased, those that are so
        already are passed over.

        Args:
            id: an episode, or several.
            source: instead, all that a source has, or several have, and no other one.
            erase: leave nothing to restore.
            progress: called as several are erased, or a source is forgotten, in episodes. It is
                done piece by piece, and others write in between; cut off, some is hidden or gone,
                the rest as it was, and doing it again finishes.

        Raises:
            UnknownSource: the bank has nothing from there.
            AccessError: with ``erase``; a bank that has a copy is not open to whoever asks, and
                nothing was erased.
            ErasurePending: with ``erase``; it is done, but the file may still hold the bytes.

        """
        given = _either("forget", id, source)
        names = [one for name in given for one in self._sources_here(name)]
        if erase:
            return self._erase_with_copies(() if id is None else ids_of(id), names, progress)
        with self._state.changing():
            if names:
                return self._forget_sources(names, erase=None, progress=progress)
            return self._change(
                () if id is None else id, lambda ledger, ids: ledger.writer.forget(ids)
            )

    def _erase_with_copies(
        self, ids: Sequence[str], names: Sequence[str], progress: Progress | None
    ) -> int:
        """Erase episodes, or what sources have, and first their copies."""
        copies = Copies(self._state)
        for _ in range(_TRIES):  # each time round somebody has promoted some of it meanwhile
            trail = copies.of(ids, names)
            with suppress(Outdated):
                with doing(None):  # the request is what is asked of this bank
                    self._erase_copies(trail)
                    back = trail.here(self.name)
                    if back and names:
                        self.erase_here(back, (), trail)
                changed = self.erase_here([] if names else [*ids, *back], names, trail, progress)
                with doing(None):
                    late = copies.late(trail)
                    self._erase_copies(late)
                    self.erase_here(late.here(self.name), (), late)
                return changed
        msg = "what is to be erased is promoted again and again meanwhile; some is left; try again"
        raise StoreLocked(msg, path=self._store.path)

    def _erase_copies(self, trail: CopyTrail) -> None:
        for copies in trail.elsewhere(self.name):
            Writes(copies.state, Lookup(copies.state)).erase_here(copies.ids, (), trail)

    def erase_here(
        self,
        ids: Sequence[str],
        names: Sequence[str],
        trail: CopyTrail,
        progress: Progress | None = None,
    ) -> int:
        """
        Erase episodes, or what sources have, in this bank alone.

        Raises:
            Outdated: some were promoted since the trail was followed; these are not erased.

        """

        def erase(ledger: Ledger, there: Sequence[EpisodeRow]) -> int:
            left = (e for e in there if e.state != "erased")
            return ledger.erasure.erase(left, partial(trail.check, ledger))

        with self._state.changing():
            try:
                if names:
                    return self._forget_sources(names, erase=erase, progress=progress)
                return self._erase_ids(ids, erase, progress) if ids else 0
            finally:
                self._finish_erasure()

    def _finish_erasure(self) -> None:
        if self._store.upkeep.owes_scrub():  # to this erasure, or to one that was cut off
            self._store.upkeep.scrub()

    def _erase_ids(
        self, ids: Sequence[str], erase: _Change[EpisodeRow], progress: Progress | None
    ) -> int:
        done = self._done_before()
        if done is not None:
            return done
        with self._store.read():
            ledger = self._engine.ledger(self.name)
            every = ledger.erasure.going(ids)
        pieces, change = self._by_segment(every), self._of_rows(erase)

        def change_some(ledger: Ledger, some: Sequence[EpisodeRow]) -> int:
            changed = change(ledger, some)
            if not changed and len(pieces) == 1:
                ledger.erasure.going(ids)  # says that somebody has erased them meanwhile
            return changed

        return self._piecemeal(pieces, change_some, progress)

    def _done_before(self) -> int | None:
        """Return the result of the current request if it was done, and came again."""
        with self._store.read():
            done = find_done(self._engine.ledger(self.name), current_request(), int)
        return None if done is None else done.result

    def _of_rows(self, change: _Change[EpisodeRow]) -> _Change[EpisodeRow]:
        """Return a change of episodes as they are by then, whatever they were when looked up."""
        read = self._store.episodes.read
        return lambda ledger, some: change(ledger, read(ledger.bank, [e.row for e in some]))

    def restore(
        self,
        id: str | Collection[str] | None = None,  # noqa: A002
        *,
        source: OneOrMany | None = None,
    ) -> int:
        """
        Bring forgotten episodes back, until ``compact``. Returns how many changed.

        Args:
            id: an episode, or several.
            source: instead, what was forgotten of a source by hand; where nothing was, what its
                file has no more.

        Raises:
            UnknownSource: the bank has nothing from there.

        """
        given = _either("restore", id, source)
        names = [one for name in given for one in self._sources_here(name)]
        if not names:
            return self._change(
                () if id is None else id, lambda ledger, ids: ledger.writer.restore(ids)
            )
        with self._state.changing():
            return self._restore_sources(names)

    def _forget_sources(
        self,
        names: Sequence[str],
        *,
        erase: _Change[EpisodeRow] | None,
        progress: Progress | None,
    ) -> int:
        """Do it piece by piece: no transaction is long, and what is done is done."""
        from hippocampus.journal.source_register import held_by  # noqa: PLC0415 - not for a recall

        done = self._done_before()
        if done is not None:
            return done
        with self._store.read():
            ledger = self._engine.ledger(self.name)
            held = held_by(ledger, names)
        ledger.writer.check_free(held.alone)
        if held.shared and not erase:
            with self._state.transaction() as ledger:
                ledger.writer.note_at(
                    ledger.writer.now(),
                    ((e.row, UnclaimedBySource(source=name)) for e, name in held.shared),
                )

        def hide(ledger: Ledger, there: Sequence[EpisodeRow]) -> int:
            return ledger.writer.forget(e.id for e in there if e.state == "active")

        change = self._of_rows(erase or hide)
        return self._piecemeal(self._by_segment(held.alone), change, progress)

    def _restore_sources(self, names: Sequence[str]) -> int:
        from hippocampus.journal.source_register import (  # noqa: PLC0415 - not for a recall
            restorable,
        )

        done = self._done_before()
        if done is not None:
            return done
        with self._store.read():
            ledger = self._engine.ledger(self.name)
            ids = restorable(ledger, names)
        pieces = _in_pieces(ids, lambda _: 0)  # no segment is made anew
        return self._piecemeal(pieces, lambda ledger, some: ledger.writer.restore(some), None)

    def _by_segment(
        self, every: Sequence[EpisodeRow], *, most: int = _CHANGED_AT_ONCE
    ) -> list[Sequence[EpisodeRow]]:
        run = self._engine.config.ingest.seal_rows
        return _in_pieces(every, lambda e: e.row // run, most=most)

    def _piecemeal(
        self,
        pieces: Sequence[Sequence[_Stored]],
        change: _Change[_Stored],
        progress: Progress | None,
        *,
        noted: bool = True,
    ) -> int:
        """
        Change many things, a piece in a transaction; the index follows once all are.

        That the current request was done is noted with the last, if it is ``noted`` here: cut off,
        it goes on if it comes again.
        """
        changed, request = 0, current_request() if noted else None
        ahead, every = 0, sum(map(len, pieces))
        for piece in pieces:
            check_budget()
            ahead += len(piece)
            with self._state.transaction(indexed=False) as ledger:
                last = ahead == every
                done = find_done(ledger, request, int) if last else None
                if done is not None:  # by another server meanwhile
                    return done.result
                changed += change(ledger, piece)
                if last:
                    note_done(ledger, request, changed)
            if progress:
                progress(ahead, every)
            if not last:
                time.sleep(_GAP_S)
        self._state.take()
        return changed

    def compact(
        self,
        *,
        superseded: bool = False,
        faded: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Compacted:
        """
        Make forgetting final: take what is forgotten out of the store, as ``erase`` would.

        Its words leave the stream, whose segments are made anew, and everything else, free pages
        and logs included; ``restore`` finds nothing any more. Others read and write meanwhile: the
        file does not get smaller, but what comes next takes the room that was freed. Killed
        half-way, some is gone and the rest is forgotten as before; doing it again finishes.
        What is held stays.

        Args:
            superseded: also the earlier wordings of what was corrected, and what was merged.
            faded: also what is no longer shown of what has faded; it gets other ids.
            dry_run: only say what would go.
            progress: called as it advances, in episodes that go.

        Raises:
            ErasurePending: somebody read an older state for too long, or the disk is full, so that
                the file may still hold what was removed.

        """
        states: tuple[State, ...] = ("forgotten", "superseded") if superseded else ("forgotten",)
        removed: Counter[State] = Counter()
        with self._state.changing():
            ledger = self._engine.ledger(self.name)
            before = after = sum(self._store.upkeep.stored_bytes(ledger.bank).values())
            settled = self._settle(ledger, dry_run=dry_run) if faded else 0
            if dry_run:
                every = self._store.episodes.scan(ledger.bank)
                removed.update(e.state for e in every if not e.marks & HELD)
            else:
                removed = self._compact(states, progress)
                after = sum(self._store.upkeep.stored_bytes(ledger.bank).values())
        return Compacted(
            forgotten=removed["forgotten"], superseded=removed["superseded"] if superseded else 0,
            faded=settled, bytes_before=before, bytes_after=after, dry_run=dry_run,
        )  # fmt: skip

    def _compact(self, states: Collection[State], progress: Progress | None) -> Counter[State]:
        """Erase episodes in some states; returns how many of each. The caller holds ``writing``."""
        removed: Counter[State] = Counter()

        def erase(ledger: Ledger, there: Sequence[EpisodeRow]) -> int:
            gone = ledger.erasure.compact(states, [e.row for e in there])
            removed.update(gone)
            return gone.total()

        with self._store.read():
            there = self._store.episodes.scan(self._engine.ledger(self.name).bank)
            every = earliest_first(e for e in there if may_go(e, states))
        if progress:
            progress(0, len(every))
        try:
            pieces = self._by_segment(every, most=_COMPACTED_AT_ONCE)
            self._piecemeal(pieces, erase, progress, noted=False)
        finally:
            self._finish_erasure()
        return removed

    def _settle(self, ledger: Ledger, *, dry_run: bool) -> int:
        """Make texts what is shown of them; returns how many. The caller holds ``writing``."""
        from hippocampus.language.extractive_compression import (  # noqa: PLC0415 - not for a recall
            shown,
        )

        now = self._engine.now()
        faded: list[tuple[EpisodeRow, Sequence[Draft]]] = []
        batch = self._engine.config.ingest.batch
        due = [
            e
            for e in self._store.episodes.scan(ledger.bank)
            if e.state == "active" and e.level > settled_level(e.marks)
            if not e.marks & (PINNED | HELD)
        ]
        for start in range(0, len(due), batch):
            at_once = due[start : start + batch]
            texts = ledger.reader.texts([e.row for e in at_once])  # without what was just erased
            for old in at_once:
                text = texts.get(old.row, "")
                less = shown(text, old.level, settled=settled_level(old.marks))
                if less != text:
                    turn = as_turn(old, less)
                    faded.append((old, self.group(turn, now, stored=turn).drafts))
        if dry_run:
            return len(faded)
        done, run = 0, self._engine.config.ingest.seal_rows
        for some in _in_pieces(faded, lambda one: one[0].row // run):
            drafts = [d for _, made in some for d in made]
            done += self.store_encoded(ledger, drafts, partial(_settled, some), indexed=False)
        return done

    def group(
        self, turn: Turn, now: datetime, *, by_metadata: bool = False, stored: Turn | None = None
    ) -> Group:
        """Check a turn and make it ready to be stored; ``stored``: what is there of it already."""
        from hippocampus.write.check import draft  # noqa: PLC0415 - not for a recall

        if not isinstance(turn, Turn):
            raise InputError(f"{turn!r:.100} is not a Turn; wrap the text, as in Turn(text=…)")
        engine = self._engine
        text = check_text(turn.text, limits=engine.config.ingest)
        fresh = without_quotes(text)
        if fresh != text and fresh.strip():
            turn = replace(turn, text=fresh.strip())
        return draft(
            self.name, engine.secret_gate.turn(turn, stored=stored), now=now, zone=engine.zone,
            limits=engine.config.ingest, salt=engine.salt, by_metadata=by_metadata,
        )  # fmt: skip

    def keep(
        self, groups: Sequence[Group], now: datetime, progress: Progress | None
    ) -> list[Episode]:
        kept: list[Episode] = []
        request = current_request()
        # Parts of a request are known by where they begin, to servers of another batch as well.
        batch = self._engine.config.ingest.batch if request is None else _NAMED_AT_ONCE
        if request is None or not self._is_done(request.part(0)):
            self.check_flood((d for group in groups for d in group.drafts), now)
        if progress:
            progress(0, len(groups))
        for start in range(0, len(groups), batch):
            check_budget()
            part = request and request.part(start)
            some = _ToKeep(groups[start : start + batch], now, part)
            kept += self.together.call(some, self._keep_together, inside=self._state.holding)
            if progress:
                progress(min(start + batch, len(groups)), len(groups))
        return kept

    def _is_done(self, request: Request) -> bool:
        with self._store.read():
            return find_done(self._state.ledger(), request, list[int]) is not None

    def check_flood(self, drafts: Iterable[Draft], now: datetime, *, hint: str = "") -> None:
        """
        Refuse more from one origin within an hour than ``Config.flood`` lets in.

        ``hint``: what else can be done about it.
        """
        from hippocampus.write.flood_gate import check_flood  # noqa: PLC0415 - not for a recall

        most = self._engine.config.flood
        if most.episodes is not None or most.characters is not None:
            with self._store.read():
                check_flood(self._state.ledger(), drafts, now, most, hint=hint)

    def _keep_together(self, calls: Sequence[_ToKeep]) -> list[list[Episode]]:
        """Keep the turns of several calls, and return the episodes of each, holding ``writing``."""
        with self._state.changing():
            ledger = self._begun()
            while True:  # each time round somebody else has done one of the requests
                with suppress(_DoneElsewhere):
                    return self._keep_once(ledger, calls)

    def _begun(self) -> Ledger:
        """Return the bank's books, which begin here; what is wrong with the bank is said first."""
        state = self._state
        here = state.take().ledger if state.is_there() else None
        if here is None or here.bank == NO_BANK:
            here = self._engine.ledger(self.name, create=True)
            state.take()
        return here

    def _keep_once(self, ledger: Ledger, calls: Sequence[_ToKeep]) -> list[list[Episode]]:
        fresh: dict[str, Group] = {}
        answer: dict[str, int] = {}
        with self._store.expecting(self._sifted_by(ledger, calls)), self._store.read():
            done = [find_done(ledger, call.request, list[int]) for call in calls]
            due = [call for call, before in zip(calls, done, strict=True) if before is None]
            for call in due:
                self._sift(ledger, call.groups, call.now, fresh, answer)

        def rows_of(call: _ToKeep) -> list[int]:
            ids = (d.id for group in call.groups for d in group.drafts)
            return [answer[id_] for id_ in ids if id_ in answer]

        def store(books: Ledger, encoded: Encoded) -> AddedRows:
            if any(find_done(books, call.request, list[int]) for call in due):
                raise _DoneElsewhere
            added = books.writer.add_records([group.drafts for group in fresh.values()], encoded)
            answer.update(added.rows)
            new = {e.id: e.row for e in added.records}
            came = [(new.get(g.first.id), g.came) for g in fresh.values() if g.came is not None]
            # What was there before is the bank's own, whoever brings it again.
            here = [(row, event) for row, event in came if row is not None]
            if here:
                books.writer.note_at(books.writer.now(), here)
            for call in due:
                note_done(books, call.request, rows_of(call))
            return added

        made: dict[int, Episode] = {}
        if fresh:
            drafts = [d for group in fresh.values() for d in group.drafts]
            asks = [partial(find_done, ledger, call.request, list[int]) for call in due]
            stored = self.store_encoded(ledger, drafts, store, asks=asks)
            made = self._written(ledger, stored.records, fresh)
        return [
            self._episodes(ledger, rows_of(call) if before is None else before.result, made)
            for call, before in zip(calls, done, strict=True)
        ]

    def _written(
        self, ledger: Ledger, records: Sequence[EpisodeRow], fresh: Mapping[str, Group]
    ) -> dict[int, Episode]:
        """Return the rows just written, as they were given, for reading them takes as long."""
        told = self._told_here()
        said = {d.id: d.text for group in fresh.values() for d in group.drafts}
        return {e.row: ledger.reader.written(e, said[e.id], told) for e in records}

    def _episodes(
        self, ledger: Ledger, rows: Sequence[int], made: Mapping[int, Episode]
    ) -> list[Episode]:
        """Return the episodes of rows, in their order, of which some were just made."""
        others = [row for row in rows if row not in made]
        if not others:
            return [made[row] for row in rows]
        told = self._told_here()
        known = {one.row: one.dated(told) for one in ledger.reader.read(others)}
        every = {**known, **made}
        return [every[row] for row in rows if row in every]

    def _told_here(self) -> Told:
        """Return a source of the times that texts tell, by the last snapshot if there is one."""
        last = self._state.snapshot
        return self._told(None if last is None else last.index)

    def _sifted_by(self, ledger: Ledger, calls: Sequence[_ToKeep]) -> Asks:
        """Return the calls that find which of the turns that some calls bring are there already."""
        asks: list[Callable[[], object]] = [
            partial(find_done, ledger, call.request, list[int]) for call in calls
        ]
        for call in calls:
            ids = [d.id for group in call.groups for d in group.drafts]
            asks.append(partial(self._store.episodes.rows_of, ledger.bank, ids))
            for group in call.groups:
                asks += self._state.echo_filter.asks(ledger, group)
        return asks

    def _sift(
        self,
        ledger: Ledger,
        groups: Sequence[Group],
        now: datetime,
        fresh: dict[str, Group],
        answer: dict[str, int],
    ) -> None:
        """Add new turns to ``fresh``, and the rows of known ones to ``answer``, by id."""
        answer |= self._store.episodes.rows_of(
            ledger.bank, [d.id for g in groups for d in g.drafts]
        )
        for group in groups:
            id_ = group.first.id
            if id_ in answer or id_ in fresh:
                continue
            echo = None if group.again else self._state.echo_filter.echo(ledger, group, now)
            if echo is None:
                fresh[id_] = group
            else:
                answer[id_] = echo

    def add(
        self, ledger: Ledger, groups: Sequence[Sequence[Draft]], progress: Progress | None = None
    ) -> dict[str, int]:
        """Encode and store; returns the rows by id."""
        drafts = [d for group in groups for d in group]
        return self.store_encoded(
            ledger, drafts, lambda books, it: books.writer.add(groups, it), progress
        )

    def store_encoded(
        self,
        ledger: Ledger,
        drafts: Sequence[Draft],
        store: Callable[[Ledger, Encoded], _Stored],
        progress: Progress | None = None,
        *,
        indexed: bool = True,
        asks: Asks = (),
    ) -> _Stored:
        """
        Encode drafts, and only then open the transaction in which they are stored.

        ``asks``: what ``store`` is going to ask beside what adding drafts asks.
        """
        engine = self._engine
        embedder, how = engine.embedder, self._state.encoding()
        asks = [*ledger.writer.asks(drafts), *asks]
        while True:
            encoded = self._encode(ledger, drafts, embedder, how, progress)
            with self._state.transaction(indexed=indexed, settles=True, asks=asks) as books:
                if engine.embedder is not embedder or engine.signs() != how.signed:
                    embedder, how = engine.embedder, Encoding(engine.signs(), engine.spans())
                    continue  # a rebuild has moved the store to others: encode once more
                if encoded:
                    engine.warn_if_unembedded()
                    engine.settle_embedder(embedder)
                    engine.settle_signatures(record=True)
                    engine.settle_spans()
                self._state.write_recalls(books)
                return store(books, encoded)

    def _encode(
        self,
        ledger: Ledger,
        drafts: Sequence[Draft],
        embedder: Embedder | None,
        how: Encoding,
        progress: Progress | None,
    ) -> Encoded:
        """Make the payloads of drafts, each read in the light of what its session said before."""
        from hippocampus.write.encode import (  # noqa: PLC0415 - not for a recall
            context_before,
            encode_drafts,
        )

        batch = self._engine.config.ingest.batch
        sessions = {d.session for d in drafts if d.session is not None}
        said: dict[str, list[str]] = {}
        if sessions:
            with self._store.expecting(ledger.reader.last_said_by(sessions)), self._store.read():
                said = ledger.reader.last_said(sessions)
        before = context_before(drafts, said)
        encoded: dict[Kind, dict[str, bytes]] = {}
        for start in range(0, len(drafts), batch):
            check_budget()
            some = slice(start, start + batch)
            made = encode_drafts(
                drafts[some], before[some], zone=self._engine.zone, embedder=embedder,
                signed=how.signed, phrases=self._state.has_anchors, spans=how.spans,
                form=self._engine.config.vectors,
            )  # fmt: skip
            for kind, payloads in made.items():
                encoded.setdefault(kind, {}).update(payloads)
            if progress:
                progress(min(start + batch, len(drafts)), len(drafts))
        return encoded


def _either(
    verb: str,
    id: str | Collection[str] | None,  # noqa: A002
    source: OneOrMany | None,
) -> list[str]:
    """Return the names of sources that are given instead of ids."""
    from hippocampus.write.check import check_label  # noqa: PLC0415 - not for a recall

    if (id is None) == (source is None):
        msg = f"{verb}: name episodes by id, or a source; one of the two"
        raise InputError(msg)
    names = [] if source is None else [source] if isinstance(source, str) else list(source)
    for name in names:
        check_label("source", name)
    return names


def _in_pieces(
    every: Sequence[_Stored],
    segment_of: Callable[[_Stored], int],
    *,
    most: int = _CHANGED_AT_ONCE,
) -> list[Sequence[_Stored]]:
    """
    Return things in runs, each of which is changed in one transaction.

    They are few, and of few segments: however few of its episodes are erased, a segment is made
    anew whole.
    """
    pieces: list[Sequence[_Stored]] = []
    first, taken, segments = 0, 0, set[int]()
    for place, one in enumerate(every):
        segment = segment_of(one)
        taken += 1 if segment in segments else 1 + _A_SEGMENT
        if taken > most and place > first:
            pieces.append(every[first:place])
            first, taken, segments = place, 1 + _A_SEGMENT, set()
        segments.add(segment)
    return [*pieces, every[first:]] if every else []


def _of(given: Turn | Message, session: str | None) -> Turn:
    """Return the turn that is meant, in a session if it names none."""
    from hippocampus.write.messages import turn_of  # noqa: PLC0415 - not for a recall

    turn = turn_of(given)
    return turn if session is None or turn.session is not None else replace(turn, session=session)


def _dated(turn: Turn, now: datetime) -> Turn:
    """Read the words in which a turn may say when it was: "yesterday"."""
    if not isinstance(turn.at, str):
        return turn  # what else it may be is looked at with the rest
    return replace(turn, at=moment_of(turn.at, now, name="at"))


def as_turn(old: EpisodeRow, text: str) -> Turn:
    """Return a turn that says something else in the place of an episode."""
    return Turn(
        text=text, at=from_micros(old.occurred_at), speaker=old.speaker, role=old.role,
        session=old.session, source=old.source, address=old.address or None,
        metadata=json.loads(old.metadata), origin=given_origin(old.marks),
    )  # fmt: skip


def _settled(
    faded: Sequence[tuple[EpisodeRow, Sequence[Draft]]], books: Ledger, encoded: Encoded
) -> int:
    return books.erasure.settle(faded, encoded)
