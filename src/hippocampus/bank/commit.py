"""
Committing: turns are checked, the new ones are encoded, and then written in one transaction.

From top to bottom: ``group`` checks a turn (``write/check.py``). ``keep`` takes it together with
turns that others bring, and ``_sift`` looks whether it is there already (``write/echo_filter.py``).
``store_encoded`` has ``_encode`` analyse it and make its payloads (``write/analyse.py``,
``write/encode.py``), and only then opens the transaction in which ``journal/writer.py`` stores it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from hippocampus.bank.part import BankPart
from hippocampus.core.budget import check_budget, puts_off
from hippocampus.core.clock import from_micros
from hippocampus.core.group_commit import GroupCommit
from hippocampus.core.idempotency import Request, current_request
from hippocampus.core.quotes import without_quotes
from hippocampus.core.records import (
    Asks,
    Embedder,
    Episode,
    EpisodeRow,
    Kind,
    Progress,
    Turn,
    given_origin,
)
from hippocampus.core.validation import check_text
from hippocampus.engine.bank_state import NO_BANK, BankState, Encoding
from hippocampus.errors import InputError
from hippocampus.journal.draft import Draft, Encoded
from hippocampus.journal.ledger import Ledger
from hippocampus.journal.reader import Told
from hippocampus.journal.requests import find_done, note_done
from hippocampus.journal.writer import AddedRows

if TYPE_CHECKING:
    from hippocampus.write.check import Group

_Stored = TypeVar("_Stored")

_NAMED_AT_ONCE: Final = 256
"""Turns of a request that names itself that are kept in one transaction. The same number for every
server, whatever its ``Ingest.batch``, for its parts are known by where they begin. By hand."""


class _ToKeep(NamedTuple):
    """Turns of one call, to be kept, when, and for which request, if that has named itself."""

    groups: Sequence[Group]
    now: datetime
    request: Request | None
    resent: Mapping[str, int]
    """Rows of those of its turns with which it hands a session in again, by their ids."""
    before: int = 0
    """Number of the turns of the call that were kept before these."""

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


class Committer(BankPart):
    """Puts turns into a bank, for whichever verb brings them."""

    def __init__(self, state: BankState) -> None:
        super().__init__(state)
        most = state.engine.config.ingest.batch
        self.together: GroupCommit[_ToKeep, list[Episode]] = GroupCommit(
            lambda others, one: one.beside(others, most=most)
        )

    def group(
        self, turn: Turn, now: datetime, *, by_metadata: bool = False, stored: Turn | None = None
    ) -> Group:
        """Check a turn and make it ready to store; ``stored``: the turn that is there already."""
        from hippocampus.write.check import draft  # noqa: PLC0415 - not for a recall

        if not isinstance(turn, Turn):
            raise InputError(f"{turn!r:.100} is not a Turn; wrap the text, as in Turn(text=…)")
        engine = self._engine
        text = check_text(turn.text, limits=engine.config.ingest)
        fresh = without_quotes(text)
        # A text of nothing else stays, to be known by its lines for an echo (docs/adr/0006).
        if fresh != text and fresh.strip():
            turn = replace(turn, text=fresh.strip())
        return draft(
            self.name, engine.secret_gate.turn(turn, stored=stored), now=now, zone=engine.zone,
            limits=engine.config.ingest, salt=engine.salt, by_metadata=by_metadata,
        )  # fmt: skip

    def keep(
        self, groups: Sequence[Group], now: datetime, progress: Progress | None
    ) -> list[Episode]:
        """Keep checked turns in batches, a transaction each; return the episodes of all of them."""
        kept: list[Episode] = []
        request = current_request()
        # Parts of a request are known by where they begin, to servers of another batch as well.
        batch = self._engine.config.ingest.batch if request is None else _NAMED_AT_ONCE
        # What comes again was counted when it came first, and is not refused for having been kept.
        if request is None or not self._is_done(request.part(0)):
            self.check_flood((d for group in groups for d in group.drafts), now)
        if progress:
            progress(0, len(groups))
        resent = self._resent(groups)
        for start in range(0, len(groups), batch):
            check_budget()
            part = request and request.part(start)
            some = _ToKeep(groups[start : start + batch], now, part, resent, start)
            kept += self.together.call(some, self._keep_together, inside=self._state.holding)
            if progress:
                progress(min(start + batch, len(groups)), len(groups))
        return kept

    def _resent(self, groups: Sequence[Group]) -> Mapping[str, int]:
        """Return the rows of the turns with which a session is handed in again, by their ids."""
        if len(groups) < 2:  # one equal turn may be said once more, or be equal by chance
            return {}
        with self._store.read():
            return self._state.echo_filter.resent(self._state.ledger(), groups)

    def _is_done(self, request: Request) -> bool:
        with self._store.read():
            return find_done(self._state.ledger(), request, list[int]) is not None

    def check_flood(
        self, drafts: Iterable[Draft], now: datetime, *, hint: str = "", stored: int = 0
    ) -> None:
        """
        Refuse more from one origin within an hour than ``Config.flood`` lets in.

        What is there already is not counted again. Others may bring as much until it is kept, so it
        is asked once more in the transaction.

        Args:
            drafts: of what comes in.
            now: as of when.
            hint: what else can be done about it.
            stored: how many turns of the same call are there by now.

        """
        from hippocampus.write.flood_gate import check_flood  # noqa: PLC0415 - not for a recall

        most = self._engine.config.flood
        if most.episodes is not None or most.characters is not None:
            coming = list(drafts)
            with self._store.read():
                ledger = self._state.ledger()
                there = self._store.episodes.rows_of(ledger.bank, [d.id for d in coming])
                fresh = (d for d in coming if d.id not in there)
                check_flood(ledger, fresh, now, most, hint=hint, stored=stored)

    def _keep_together(self, calls: Sequence[_ToKeep]) -> list[list[Episode]]:
        """Keep the turns of several calls, and return the episodes of each, holding ``writing``."""
        with self._state.changing():
            while True:  # each time round somebody else has done one of the requests
                ledger = self._state.take().ledger  # what is wrong with the bank is said first
                with suppress(_DoneElsewhere):
                    return self._keep_once(ledger, calls)

    def _keep_once(self, ledger: Ledger, calls: Sequence[_ToKeep]) -> list[list[Episode]]:
        fresh: dict[str, Group] = {}
        answer: dict[str, int] = {}
        with self._store.expecting(self._sifted_by(ledger, calls)), self._store.read():
            done = [find_done(ledger, call.request, list[int]) for call in calls]
            due = [call for call, before in zip(calls, done, strict=True) if before is None]
            for call in due:
                answer |= call.resent
                self._sift(ledger, call.groups, call.now, fresh, answer)

        def rows_of(call: _ToKeep) -> list[int]:
            ids = (d.id for group in call.groups for d in group.drafts)
            return [answer[id_] for id_ in ids if id_ in answer]

        def store(books: Ledger, encoded: Encoded) -> AddedRows:
            if any(find_done(books, call.request, list[int]) for call in due):
                raise _DoneElsewhere
            for call in due:
                own = (d for g in call.groups if g.first.id in fresh for d in g.drafts)
                self.check_flood(own, call.now, stored=call.before)
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
            asks: list[Callable[[], object]] = [
                partial(find_done, ledger, call.request, list[int]) for call in due
            ]
            if any(call.request for call in due):
                asks.append(partial(self._store.requests.now, ledger.bank))
            stored = self.store_encoded(ledger, drafts, store, asks=asks)
            if ledger.bank == NO_BANK:  # it has begun meanwhile
                ledger = self._engine.ledger(self.name)
            made = self._written(ledger, stored.records, fresh)
        return [
            self._episodes(ledger, rows_of(call) if before is None else before.result, made)
            for call, before in zip(calls, done, strict=True)
        ]

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
        of: int | None = None,
        asks: Asks = (),
    ) -> _Stored:
        """
        Encode drafts, and only then open the transaction in which they are stored.

        A bank that is not there yet begins in it, so that what is called off leaves none.

        ``of``: see ``BankState.transaction``.
        ``asks``: what ``store`` is going to ask beside what adding drafts asks.
        """
        engine = self._engine
        embedder, how = engine.embedder, self._state.encoding()
        asks = [*ledger.writer.asks(drafts), *asks]
        while True:
            encoded = self._encode(ledger, drafts, embedder, how, progress)
            do = partial(self._stored, encoded=encoded, embedder=embedder, how=how, store=store)
            begins = ledger.bank == NO_BANK
            stored = self._state.transact(
                do, indexed=indexed, settles=True, begins=begins, of=of, asks=asks
            )
            if stored is not None:
                return stored[0]
            embedder, how = engine.embedder, Encoding(engine.signs(), engine.spans())

    def _stored(
        self,
        books: Ledger,
        *,
        encoded: Encoded,
        embedder: Embedder | None,
        how: Encoding,
        store: Callable[[Ledger, Encoded], _Stored],
    ) -> tuple[_Stored] | None:
        """Store drafts; None if a rebuild has moved the store to others than encoded them."""
        engine = self._engine
        if engine.embedder is not embedder or engine.signs() != how.signed:
            return None
        if encoded:
            engine.warn_if_unembedded()
            engine.settle_embedder(embedder, books.bank)
            engine.settle_signatures(record=True)
            engine.settle_spans()
        self._state.write_recalls(books)
        return (store(books, encoded),)

    def _encode(
        self,
        ledger: Ledger,
        drafts: Sequence[Draft],
        embedder: Embedder | None,
        how: Encoding,
        progress: Progress | None,
    ) -> Encoded:
        """
        Make the payloads of drafts, each read in the light of what its session said before.

        A call that has a time for all of it embeds for half of that at most, but for a short text
        alone: better what is kept has its vectors after the next sleep than that it is not kept.
        """
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
            # One text takes no time, whatever went by in waiting to write it.
            if embedder is not None and len(drafts) > 1 and puts_off(len(drafts[some])):
                embedder = None
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


def as_turn(old: EpisodeRow, text: str) -> Turn:
    """Return a turn that says something else in the place of an episode."""
    return Turn(
        text=text, at=from_micros(old.occurred_at), speaker=old.speaker, role=old.role,
        session=old.session, source=old.source, address=old.address or None,
        metadata=json.loads(old.metadata), origin=given_origin(old.marks),
    )  # fmt: skip
