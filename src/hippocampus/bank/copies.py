"""
Copies that promotion has made in other banks, so that an erasure reaches them as well.

A link is followed only to what says in its own bank's journal that it came from here: what a bank
had already stays its own, and no journal that was taken in has a word in what others hold.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from hippocampus.bank.part import BankPart, Outdated, ids_of
from hippocampus.core.events import Absorbed, CameFrom, Erased, Promoted
from hippocampus.core.idempotency import current_request
from hippocampus.core.records import EpisodeRow
from hippocampus.core.rights import rights
from hippocampus.engine.bank_state import NO_BANK, BankState, state_of
from hippocampus.errors import AccessError, UnknownEpisode, UnknownSource
from hippocampus.journal.ledger import Ledger
from hippocampus.journal.requests import find_done

_FEW: Final = 64
"""Episodes whose journals are read one by one; for more, that of the bank is gone through first."""


class Copied(NamedTuple):
    """Copies in a bank."""

    state: BankState
    ids: list[str]


class _Origin(NamedTuple):
    """Ids of episodes of a bank and of all their versions, and the banks that may have copies."""

    bank: str
    ids: frozenset[str]
    banks: Sequence[str]


@dataclass
class CopyTrail:
    """Trail from episodes to their copies, as it was found."""

    found: dict[tuple[str, str], BankState] = field(default_factory=dict)
    """States of the banks that have copies, by bank and id; the copies that went farthest last."""
    links: set[tuple[str, Promoted]] = field(default_factory=set)
    """Notes in the journals of banks on where copies went."""
    origins: list[_Origin] = field(default_factory=list)
    seen: set[tuple[str, str]] = field(default_factory=set)

    def elsewhere(self, bank: str) -> list[Copied]:
        """Return the copies in other banks; those that went farthest first."""
        banks: dict[str, Copied] = {}
        for (name, id_), state in reversed(self.found.items()):
            if name != bank:
                banks.setdefault(name, Copied(state, [])).ids.append(id_)
        return list(banks.values())

    def here(self, bank: str) -> list[str]:
        """Return the ids of what came back to the bank itself."""
        return [id_ for name, id_ in self.found if name == bank]

    def check(self, ledger: Ledger, gone: Iterable[int]) -> None:
        """Raise ``Outdated`` if rows that go were promoted meanwhile; in what erases them."""
        if not {(ledger.name, one) for one in _promoted(ledger, gone)} <= self.links:
            raise Outdated


class Copies(BankPart):
    """Finds the copies of a bank's episodes."""

    def of(self, id: str | Collection[str], names: Sequence[str]) -> CopyTrail:  # noqa: A002
        """
        Return all copies of episodes, or of what sources have.

        Raises:
            AccessError: whoever asks may not write to one of their banks.
            InputError: one is held.

        """
        trail = CopyTrail()
        with self._store.read():
            ledger = self._state.ledger()
            if ledger.bank == NO_BANK or find_done(ledger, current_request(), int) is not None:
                return trail  # whoever erases says that there is no such bank
            rows = self._of_sources(ledger, names) if names else self._known(ledger, ids_of(id))
        self._trace(rows, trail, copies=False)
        return trail

    def late(self, trail: CopyTrail) -> CopyTrail:
        """Return copies that came to be meanwhile, for promotions that had begun before."""
        late = CopyTrail(seen=trail.seen)
        for origin in trail.origins:
            self._follow(origin, late)
        return late

    def left_behind(self) -> list[str]:
        """
        Return the ids of copies here that should have been erased with their originals.

        Of a promotion that had begun before the erasure, and was killed before it looked back. The
        other bank's journal says that it was promoted, and no longer where: that went with it. What
        was compacted there leaves its copies.
        """
        with self._store.read():
            ledger = self._state.ledger()
            came = [] if ledger.bank == NO_BANK else ledger.reader.events(CameFrom)
            origins = {one.row: one.event for one in came if one.row is not None}
            here = self._store.episodes.read(ledger.bank, sorted(origins))
            return [e.id for e in here if e.state != "erased" and self._is_erased(origins[e.row])]

    def _is_erased(self, origin: CameFrom) -> bool:
        """Return whether somebody erased what something here came from, and it was promoted."""
        if origin.bank is None or origin.id is None:
            return False
        ledger = state_of(self._engine, origin.bank).ledger()
        if ledger.bank == NO_BANK:
            return False
        with suppress(UnknownEpisode):
            record = ledger.reader.find(origin.id, erased=True)
            told = [one.event for one in ledger.reader.events(Promoted, Erased, row=record.row)]
            return Erased() in told and any(isinstance(one, Promoted) for one in told)
        return False

    def _of_sources(self, ledger: Ledger, names: Sequence[str]) -> Sequence[EpisodeRow]:
        from hippocampus.journal.source_register import held_by  # noqa: PLC0415 - not for a recall

        if not ledger.reader.events(Promoted):
            return []
        try:
            return held_by(ledger, names).alone
        except UnknownSource:  # which whoever erases says
            return []

    def _known(self, ledger: Ledger, ids: Sequence[str]) -> list[EpisodeRow]:
        """Return the rows that ids lead to, as far as any do: whoever erases says what is wrong."""
        if len(ids) > _FEW and not ledger.reader.events(Promoted):
            return []
        rows = self._store.episodes.rows_of(ledger.bank, ids)
        begun = [one for one in ids if one not in rows]
        found = self._store.episodes.read(ledger.bank, list(rows.values()))
        found += [ledger.reader.find(one, erased=True) for one in begun]
        return ledger.reader.whole(one for one in found if one.state != "erased")

    def _trace(self, rows: Sequence[EpisodeRow], trail: CopyTrail, *, copies: bool = True) -> None:
        """Follow rows to their copies, and those to theirs; ``copies``: they are some too."""
        if not rows:
            return
        with self._store.read():
            ledger = self._state.ledger()
            gone, _ = ledger.lineage.bound_to(e.row for e in ledger.reader.whole(rows))
            records = self._store.episodes.read(ledger.bank, gone)
            ledger.writer.check_free(records)
            links = _promoted(ledger, gone)
            ids = frozenset({e.id for e in records} | _compacted(ledger, gone))
        if copies:
            fresh = [(self.name, e.id) for e in records if e.state != "erased"]
            trail.found.update({at: self._state for at in fresh if at not in trail.seen})
        trail.seen.update((self.name, e.id) for e in records)
        trail.links.update((self.name, one) for one in links)
        names = dict.fromkeys(one.bank for one in links if one.bank is not None)
        origin = _Origin(self.name, ids, list(names))
        trail.origins.append(origin)
        self._follow(origin, trail)

    def _follow(self, origin: _Origin, trail: CopyTrail) -> None:
        for name in origin.banks:
            there = Copies(state_of(self._engine, name))
            copies = [e for e in there._from(origin) if (name, e.id) not in trail.seen]
            if copies and not rights().may_write(name):
                msg = (
                    "a copy of it was promoted to a bank that whoever asks may not write to; have"
                    " it erased by who may; nothing was erased here"
                )
                raise AccessError(msg)
            there._trace(copies, trail)

    def _from(self, origin: _Origin) -> list[EpisodeRow]:
        """Return the episodes here that came from there, as this bank itself has noted."""
        with self._store.read():
            ledger = self._state.ledger()
            if ledger.bank == NO_BANK:
                return []
            rows = {
                one.row
                for one in ledger.reader.events(CameFrom)
                if one.event.bank == origin.bank and one.event.id in origin.ids
                if one.row is not None
            }
            found = self._store.episodes.read(ledger.bank, sorted(rows))
        return [e for e in found if e.state != "erased"]


def _promoted(ledger: Ledger, rows: Iterable[int]) -> set[Promoted]:
    """Return the banks and ids to which rows were promoted."""
    told = (one.event for row in rows for one in ledger.reader.events(Promoted, row=row))
    return {one for one in told if one.bank is not None}


def _compacted(ledger: Ledger, rows: Iterable[int]) -> set[str]:
    """Return the ids of earlier wordings of rows, and of what they stood for, that are no more."""
    told = (one.event for row in rows for one in ledger.reader.events(Absorbed, row=row))
    return {id_ for one in told for id_ in (one.by, one.supersedes) if id_ is not None}
