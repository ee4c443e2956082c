"""
Promoting: another bank keeps a copy of a memory, or has it instead of this one.

Both banks say so in their journals, and the one that gave it says so first: whatever stops the
rest, an erasure there finds every copy, and doing it again finishes it and makes no second one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from hippocampus.bank.commit import Committer, as_turn
from hippocampus.bank.forgetting import Forgetting
from hippocampus.bank.inclusion import is_open
from hippocampus.bank.lookup import Lookup
from hippocampus.bank.part import BankPart, ids_of, staying
from hippocampus.core.events import CameFrom, Promoted
from hippocampus.core.idempotency import Request, current_request, doing
from hippocampus.core.records import Episode, EpisodeRow
from hippocampus.core.rights import rights
from hippocampus.engine.bank_state import BankState, state_of
from hippocampus.engine.context import check_name
from hippocampus.errors import AccessError, InputError, UnknownEpisode
from hippocampus.journal.ledger import Ledger
from hippocampus.journal.requests import find_done, once
from hippocampus.write.check import Group


class _Original(NamedTuple):
    """A memory that goes into another bank: its rows, the first one's id, and what it says."""

    rows: Sequence[int]
    id: str
    group: Group


class _ToMove(NamedTuple):
    """A memory that is to be moved, by the id that was given."""

    id: str
    there: Episode | None
    """Its copy, if this very request has moved it before."""


class _Moved(NamedTuple):
    """A memory, and its copy in another bank."""

    original: _Original
    there: Episode
    place: tuple[int, int]
    """Number of that bank, and row in it."""

    def note_done(self, ledger: Ledger, request: Request | None) -> None:
        """Write down that a request has moved it, inside ``store.write()``."""
        if request is None:
            return
        once(ledger, lambda: 0, int, request)  # so that another request of its key is known
        once(ledger, lambda: self.place, tuple[int, int], request.part(self.original.rows[0]))


class Promotion(BankPart):
    """The verbs by which a memory goes from one bank to another."""

    @staying
    def promote(self, id: str | Collection[str], to: str) -> list[Episode]:  # noqa: A002
        """
        Have another bank keep a copy of memories, for all who read that; return the copies.

        A copy has the words, speaker, time, session, source, address, metadata and origin of its
        original, and ``history`` tells where it is from. What is there already is not copied again,
        and what was hidden there is shown again. Promoting again changes nothing; ``demote`` in the
        other bank takes it back. Erasing the original erases its copies; correcting or forgetting
        it leaves them as they are.

        Args:
            id: a memory in force, or several; a long text goes whole, whichever part is named.
            to: the name of the other bank; it comes to be with its first memory.

        Raises:
            InputError: it is this bank, or a memory is not in force; nothing was copied.
            AccessError: whoever asks may not write to the other bank; nothing was copied.

        """
        other, request = self._other(to), current_request()
        with doing(None):  # it is many changes, each of which is done once
            asked = self._asked(id, other, request)
            originals = self._originals(_due(asked), Committer(other))
            copies = [self._moved(one, other) for one in originals]
            if request is not None and copies:
                with self._state.changing():
                    self._state.transact(lambda ledger: _note_all(ledger, copies, request))
        return _in_order(asked, copies)

    @staying
    def demote(self, id: str | Collection[str], to: str) -> list[Episode]:  # noqa: A002
        """
        Move memories into another bank, for fewer to read; return them as they are there.

        What that bank has already, such as the original of what was promoted, is not copied again.
        Here they are forgotten, and ``restore`` or promoting them again brings them back.

        Args:
            id: a memory in force, or several; a long text goes whole, whichever part is named.
            to: the name of the other bank.

        Raises:
            InputError: it is this bank, or a memory is not in force or held; nothing was moved.
            AccessError: whoever asks may not write to the other bank; nothing was moved.

        """
        other, request = self._other(to), current_request()
        noting = _Noting(other)
        with doing(None):
            asked = self._asked(id, other, request)
            originals = self._originals(_due(asked), Committer(other), free=True)
            moved = [self._moved(one, other) for one in originals]
            for one in moved:
                # What is hidden here goes when what is there is erased.
                noting.note(one.there.id, Promoted(bank=self.name, id=one.original.id))
                self._hide(one, request)
        return _in_order(asked, moved)

    def _hide(self, one: _Moved, request: Request | None) -> None:
        """Forget an episode that was moved, which binds it to its copy there, and not before."""
        event = CameFrom(bank=one.there.bank, id=one.there.id)

        def hide(ledger: Ledger, ids: list[str]) -> int:
            _note_once(ledger, ids[0], event)
            one.note_done(ledger, request)
            return ledger.writer.forget(ids)

        self._change(one.original.id, hide)

    def _asked(
        self, named: str | Collection[str], other: BankState, request: Request | None
    ) -> dict[int, _ToMove]:
        """Return the memories that are named by their first rows, and which were moved before."""
        found: dict[int, _ToMove] = {}
        with self._books() as ledger:
            find_done(ledger, request, int)  # which refuses another request of that key
            there = other.ledger()
            for id_ in ids_of(named):
                row = ledger.reader.whole([ledger.reader.find(id_)])[0].row
                done = find_done(ledger, request and request.part(row), tuple[int, int])
                # Rows of a bank that was deleted, and perhaps made anew, say nothing.
                known = done is not None and done.result[0] == there.bank
                copy = there.reader.at(done.result[1], self._told()) if done and known else None
                found.setdefault(row, _ToMove(id_, copy))
        return found

    def _other(self, name: str) -> BankState:
        """Return the other bank, if the caller may write there."""
        check_name(name)
        if name == self.name:
            raise InputError(f"to={name!r}: it is in this bank already; name another one")
        if not (rights().may_write(name) and is_open(self._state, name)):
            msg = f"to={name!r}: whoever asks may not write to it, whether it is there or not"
            raise AccessError(msg)
        return state_of(self._engine, name)

    def _originals(
        self,
        named: str | Collection[str],
        other: Committer,
        *,
        free: bool = False,
    ) -> list[_Original]:
        """Return memories in force, whole, as the other bank would keep them."""
        found: dict[int, _Original] = {}
        now = self._engine.now()
        with self._books() as ledger:
            for id_ in ids_of(named):
                rows = ledger.reader.whole([ledger.reader.find(id_)])
                for row in rows:
                    _check_in_force(row)
                if free:
                    ledger.writer.check_free(rows)
                texts = ledger.reader.texts([row.row for row in rows])
                for row in rows:
                    if row.row not in texts:  # it is damaged, which is said
                        ledger.reader.content.check(row.row)
                text = "".join(texts[row.row] for row in rows)
                turn = as_turn(rows[0], text)
                if len(rows) > 1:  # whose address says which part it is
                    address = rows[0].address.removesuffix("#part-0")
                    turn = replace(turn, address=address or None)
                group = other.group(turn, now)._replace(again=True)
                found[rows[0].row] = _Original([row.row for row in rows], rows[0].id, group)
        return list(found.values())

    def _moved(self, original: _Original, other: BankState) -> _Moved:
        """Have the other bank keep a memory, and find where it has it."""
        there = self._copied(original, other)
        with self._store.read():
            ledger = other.ledger()
            row = ledger.reader.find(there.id, erased=True).row
        return _Moved(original, there, (ledger.bank, row))

    def _copied(self, original: _Original, other: BankState) -> Episode:
        """Have the other bank keep a memory; return the first part there."""
        copy = original.group.first.id
        # First what leads to it: an erasure that comes between finds nothing there, or the copy.
        _Noting(self._state).note(original.id, Promoted(bank=other.name, id=copy))
        event = CameFrom(bank=self.name, id=original.id)
        group = original.group._replace(came=event)
        there = Committer(other).keep([group], self._engine.now(), None)[0]
        if there.state == "erased":
            msg = f"episode {original.id!r} was erased in bank {other.name!r}, and stays so there"
            raise InputError(msg)
        if there.state == "forgotten":
            Forgetting(other).restore(there.id)
        state = state_of(self._engine, other.name)
        with self._books() as ledger:
            gone = ledger.reader.find(original.id, erased=True).state == "erased"
        if gone:  # while it was copied
            if _Noting(state).is_noted(there.id, event):  # and not that bank's own
                Forgetting(other).forget(there.id, erase=True)
            msg = f"episode {original.id!r} of bank {self.name!r} was erased meanwhile"
            raise UnknownEpisode(msg)
        return Lookup(state).get(there.id)


def _due(asked: Mapping[int, _ToMove]) -> list[str]:
    """Return the ids of what is yet to be moved."""
    return [one.id for one in asked.values() if one.there is None]


def _in_order(asked: Mapping[int, _ToMove], moved: Sequence[_Moved]) -> list[Episode]:
    """Return the copies of memories, in the order in which these were named."""
    made = {one.original.rows[0]: one.there for one in moved}
    return [one.there or made[row] for row, one in asked.items()]


def _note_all(ledger: Ledger, moved: Sequence[_Moved], request: Request) -> None:
    for one in moved:
        one.note_done(ledger, request)


def _check_in_force(row: EpisodeRow) -> None:
    if row.state != "active":
        msg = f"episode {row.id} is {row.state}; name the version in force, or restore it first"
        raise InputError(msg)


def _note_once(ledger: Ledger, id_: str, event: Promoted | CameFrom) -> int:
    """Note an event of an episode, unless the same was noted before; return of how many."""
    return 0 if _is_noted(ledger, id_, event) else ledger.writer.tell([id_], event)


def _is_noted(ledger: Ledger, id_: str, event: Promoted | CameFrom) -> bool:
    row = ledger.reader.find(id_, erased=True).row
    return event in [one.event for one in ledger.reader.events(type(event), row=row)]


class _Noting(BankPart):
    """Notes in the journal of a bank where a memory went, or came from."""

    def note(self, id: str, event: Promoted | CameFrom) -> None:  # noqa: A002
        """Note an event of an episode, unless the same was noted before."""
        self._change(id, lambda ledger, ids: _note_once(ledger, ids[0], event))

    def is_noted(self, id: str, event: Promoted | CameFrom) -> bool:  # noqa: A002
        """Return whether an event of an episode was noted."""
        with self._books() as ledger:
            return _is_noted(ledger, id, event)
