"""Forgetting: to hide what a bank holds, bring it back, or take it out for good."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Final, TypeAlias, TypedDict, TypeVar, Unpack

import numpy as np

from hippocampus.bank.commit import Committer, as_turn
from hippocampus.bank.copies import Copies, CopyTrail
from hippocampus.bank.part import BankPart, Outdated, ids_of, staying
from hippocampus.core.budget import check_budget
from hippocampus.core.events import Forgotten, UnclaimedBySource
from hippocampus.core.given_arguments import check_flags, check_several
from hippocampus.core.idempotency import current_request, doing
from hippocampus.core.records import (
    HELD,
    PINNED,
    Compacted,
    Episode,
    EpisodeRow,
    OneOrMany,
    Progress,
    State,
    Where,
    settled_level,
)
from hippocampus.errors import InputError, StoreLocked
from hippocampus.journal.draft import Draft, Encoded
from hippocampus.journal.erasure import earliest_first, may_go
from hippocampus.journal.ledger import Ledger
from hippocampus.journal.requests import Done, find_done, note_done

_Stored = TypeVar("_Stored")
_Change: TypeAlias = Callable[[Ledger, Sequence[_Stored]], int]
"""A change of some things in one transaction, which returns how many episodes changed."""

_CHANGED_AT_ONCE: Final = 192
"""Episodes that are erased, or of a source forgotten or restored, in one transaction, for which all
banks wait; with ``_A_SEGMENT`` for each segment that they are in. So another bank's writer waits
for 82 ms at most instead of 1.5 s, for a source of 20 000 (docs/adr/0044)."""
_COMPACTED_AT_ONCE: Final = 384
"""The same of ``compact``, which knows what goes, and has no ties to look for."""
_A_SEGMENT: Final = 48
"""Episodes whose erasure takes as long as making the segment anew that they were in."""
_GAP_S: Final = 0.01
"""Pause between two transactions of a long change, in which who waits to write gets its turn.
Another process does not queue: it asks again every few milliseconds."""
_TRIES: Final = 8
"""Most beginnings of an erasure; it begins anew if what it erases was promoted meanwhile."""


class Forgettable(TypedDict, total=False):
    """A choice of episodes, as ``forget`` and ``restore`` take it."""

    id: str | Collection[str]
    source: OneOrMany
    session: OneOrMany
    speaker: OneOrMany
    where: Where


class Forgetting(BankPart):
    """The verbs that hide episodes, bring them back, or take them out for good."""

    def forget(
        self,
        id: str | Collection[str] | None = None,  # noqa: A002
        *,
        source: OneOrMany | None = None,
        session: OneOrMany | None = None,
        speaker: OneOrMany | None = None,
        where: Where | None = None,
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
            session: instead, all of a conversation or of several; with ``erase``, what is hidden
                already as well.
            speaker: likewise, all of a speaker, or of several.
            where: likewise, all whose metadata meet a condition. Of several filters, all hold.
            erase: leave nothing to restore.
            progress: called as several are erased, or a source or what meets filters is forgotten,
                in episodes. It is done piece by piece, and others write in between; cut off, some
                is hidden or gone, the rest as it was, and doing it again finishes.

        Raises:
            UnknownSource: the bank has nothing from there.
            AccessError: with ``erase``; a bank that has a copy is not open to whoever asks, and
                nothing was erased.
            ErasurePending: with ``erase``; it is done, but the file may still hold the bytes.

        """
        check_flags(erase=erase)
        by = _filters(session=session, speaker=speaker, where=where)
        given = _either("forget", id, source, by)
        if by:
            return self._forget_matching(by, erase=erase, progress=progress)
        names = [one for name in given for one in self._sources_here(name)]
        if erase:
            return self._erase_with_copies(() if id is None else ids_of(id), names, progress)
        with self._state.changing():
            if names:
                return self._forget_sources(names, erase=None, progress=progress)
            return self._change(
                () if id is None else id, lambda ledger, ids: ledger.writer.forget(ids)
            )

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
            self._state.transact(
                lambda ledger: ledger.writer.note_at(
                    ledger.writer.now(),
                    ((e.row, UnclaimedBySource(source=name)) for e, name in held.shared),
                ),
                of=ledger.bank,
            )

        change = self._of_rows(erase or _hide)
        return self._piecemeal(self._by_segment(held.alone), change, progress)

    @staying
    def _forget_matching(
        self, by: Mapping[str, object], *, erase: bool, progress: Progress | None
    ) -> int:
        """Hide or erase what meets filters, piece by piece."""
        done = self._done_before()
        if done is not None:
            return done
        if erase:
            ids = self._ids_matching(by, erase=True, undo=False)
            return self._erase_with_copies(ids, (), progress)
        with self._state.changing():
            every = self._matching(by)
            with self._store.read():
                self._engine.ledger(self.name).writer.check_free(every)
            return self._piecemeal(self._by_segment(every), self._of_rows(_hide), progress)

    def _matching(self, by: Mapping[str, object], *, hidden: bool = False) -> list[EpisodeRow]:
        """Return the episodes in force that meet filters, or those hidden and not erased."""
        chosen = self._filter(by)
        with self._state.asking() as here:
            columns = here.index.columns
            mask = columns.mask(chosen, hidden=hidden)
            rows = range(len(here.index)) if mask is None else np.flatnonzero(mask).tolist()
            found = self._store.episodes.read(here.ledger.bank, rows)
        return [e for e in found if e.state != "erased"]

    def restore(
        self,
        id: str | Collection[str] | None = None,  # noqa: A002
        *,
        source: OneOrMany | None = None,
        session: OneOrMany | None = None,
        speaker: OneOrMany | None = None,
        where: Where | None = None,
    ) -> int:
        """
        Bring forgotten episodes back, until ``compact``. Returns how many changed.

        Args:
            id: an episode, or several.
            source: instead, what was forgotten of a source by hand; where nothing was, what its
                file has no more.
            session: instead, what was forgotten of a conversation by hand.
            speaker: likewise, of a speaker.
            where: likewise, of what meets a condition.

        Raises:
            UnknownSource: the bank has nothing from there.

        """
        by = _filters(session=session, speaker=speaker, where=where)
        given = _either("restore", id, source, by)
        if by:
            return self._restore_matching(by)
        names = [one for name in given for one in self._sources_here(name)]
        if not names:
            return self._change(
                () if id is None else id, lambda ledger, ids: ledger.writer.restore(ids)
            )
        with self._state.changing():
            return self._restore_sources(names)

    def meant(
        self, *, erase: bool = False, undo: bool = False, **chosen: Unpack[Forgettable]
    ) -> list[Episode]:
        """
        Return the episodes that ``forget`` or, to ``undo`` it, ``restore`` would change.

        Raises:
            UnknownSource: the bank has nothing from there.
            AccessError, InputError: likewise, whatever they would raise.

        """
        by = {name: value for name, value in chosen.items() if name not in {"id", "source"}}
        ids, source = chosen.get("id"), chosen.get("source")
        given = _either("restore" if undo else "forget", ids, source, by)
        names = [one for name in given for one in self._sources_here(name)]
        if by:
            named = self._ids_matching(by, erase=erase, undo=undo)
        else:
            named = self._ids_of_sources(names, undo=undo) if names else ids_of(ids or ())
        back = [] if names or not erase else Copies(self._state).of(named, ()).here(self.name)
        with self._state.asking() as here, self._store.read():
            ledger = self._engine.ledger(self.name)
            if erase:
                rows = [e.row for e in ledger.erasure.going([*named, *back])]
            else:
                state = "forgotten" if undo else "active"
                whole = ledger.reader.whole(map(ledger.reader.find, named))
                ledger.writer.check_free(whole)
                rows = [e.row for e in whole if e.state == state]
            return ledger.reader.episodes(rows, self._told(here.index))

    def _ids_matching(self, by: Mapping[str, object], *, erase: bool, undo: bool) -> list[str]:
        """Return the ids of what meets filters and may be erased, brought back or hidden."""
        if undo:
            return self._restorable(by)
        every = [*self._matching(by), *(self._matching(by, hidden=True) if erase else ())]
        return [e.id for e in every]

    def _ids_of_sources(self, names: Sequence[str], *, undo: bool) -> list[str]:
        """Return the ids of what sources alone have, or of what can be brought back of them."""
        from hippocampus.journal.source_register import (  # noqa: PLC0415 - not for a recall
            held_by,
            restorable,
        )

        with self._store.read():
            ledger = self._engine.ledger(self.name)
            if undo:
                return restorable(ledger, names)
            return [e.id for e in held_by(ledger, names).alone]

    def _restorable(self, by: Mapping[str, object]) -> list[str]:
        """Return the ids of what people forgot of what meets filters."""
        hidden = [e for e in self._matching(by, hidden=True) if e.state == "forgotten"]
        with self._store.read():
            read = self._engine.ledger(self.name).reader
            return [e.id for e in hidden if read.hidden_by(e.row) is Forgotten]

    def _restore_sources(self, names: Sequence[str]) -> int:
        done = self._done_before()
        if done is not None:
            return done
        return self._restore_all(self._ids_of_sources(names, undo=True))

    def _restore_matching(self, by: Mapping[str, object]) -> int:
        done = self._done_before()
        if done is not None:
            return done
        with self._state.changing():
            return self._restore_all(self._restorable(by))

    def _restore_all(self, ids: Sequence[str]) -> int:
        pieces = _in_pieces(ids, lambda _: 0)  # no segment is made anew
        return self._piecemeal(pieces, lambda ledger, some: ledger.writer.restore(some), None)

    def _erase_with_copies(
        self, ids: Sequence[str], names: Sequence[str], progress: Progress | None
    ) -> int:
        """Erase episodes, or what sources have, and first their copies."""
        copies = Copies(self._state)
        for _ in range(_TRIES):  # each time round somebody has promoted some of it meanwhile
            trail = copies.of(ids, names)
            with suppress(Outdated):
                with doing(None):  # the request is what is asked of this bank
                    # Copies first: where they went is noted with the original, and goes with it,
                    # so who is cut off here finds the rest by asking again (docs/adr/0088).
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
            Forgetting(copies.state).erase_here(copies.ids, (), trail)

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
                # After a failure as well: what was erased until then has bytes in the file still.
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
        check_flags(superseded=superseded, faded=faded, dry_run=dry_run)
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
        removed: dict[int, Counter[State]] = {}

        def erase(ledger: Ledger, there: Sequence[EpisodeRow]) -> int:
            gone = ledger.erasure.compact(states, [e.row for e in ledger.reader.still_there(there)])
            removed[there[0].row] = gone  # which may be done again
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
        return sum(removed.values(), Counter())

    def _settle(self, ledger: Ledger, *, dry_run: bool) -> int:
        """Cut texts to the part shown; return their number. The caller holds ``writing``."""
        from hippocampus.language.extractive_compression import (  # noqa: PLC0415 - not for a recall
            shown,
        )

        now, committer = self._engine.now(), Committer(self._state)
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
                    faded.append((old, committer.group(turn, now, stored=turn).drafts))
        if dry_run:
            return len(faded)
        done, run = 0, self._engine.config.ingest.seal_rows
        for some in _in_pieces(faded, lambda one: one[0].row // run):
            drafts = [d for _, made in some for d in made]
            settle, of = partial(_settled, some), ledger.bank
            done += committer.store_encoded(ledger, drafts, settle, indexed=False, of=of)
        return done

    def _done_before(self) -> int | None:
        """Return the result of the current request if it was done, and came again."""
        with self._store.read():
            done = find_done(self._engine.ledger(self.name), current_request(), int)
        return None if done is None else done.result

    def _of_rows(self, change: _Change[EpisodeRow]) -> _Change[EpisodeRow]:
        """Return a change of episodes as they are by then, whatever they were when looked up."""
        return lambda ledger, some: change(ledger, ledger.reader.still_there(some))

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

        def change_some(ledger: Ledger, piece: Sequence[_Stored], *, last: bool) -> Done[int]:
            done = find_done(ledger, request, int) if last else None
            if done is not None:  # by another server meanwhile
                return done
            after = changed + change(ledger, piece)
            if last:
                note_done(ledger, request, after)
            return Done(after)

        for piece in pieces:
            check_budget()
            ahead += len(piece)
            last = ahead == every
            do = partial(change_some, piece=piece, last=last)
            changed = self._state.transact(do, indexed=False).result
            if progress:
                progress(ahead, every)
            if not last:
                time.sleep(_GAP_S)
        self._state.take()
        return changed


def _either(
    verb: str,
    id: str | Collection[str] | None,  # noqa: A002
    source: OneOrMany | None,
    by: Mapping[str, object],
) -> list[str]:
    """Return the names of sources that are given instead of ids and filters."""
    from hippocampus.write.check import check_label  # noqa: PLC0415 - not for a recall

    if (id is not None) + (source is not None) + bool(by) != 1:
        msg = f"{verb}: name episodes by id, or a source; one of the two, or in place of both a"
        raise InputError(f"{msg} session, speaker or condition (where) of theirs")
    names = [source] if isinstance(source, str) else source or ()
    check_several("source", names, of="sources")
    for name in names:
        check_label("source", name)
    return list(names)


def _filters(**given: object) -> dict[str, object]:
    """Return the filters that are given."""
    return {name: value for name, value in given.items() if value is not None}


def _hide(ledger: Ledger, there: Sequence[EpisodeRow]) -> int:
    return ledger.writer.forget(e.id for e in there if e.state == "active")


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


def _settled(
    faded: Sequence[tuple[EpisodeRow, Sequence[Draft]]], books: Ledger, encoded: Encoded
) -> int:
    return books.erasure.settle(faded, encoded)
