"""
Promoting: another bank keeps a copy of a memory, or has it instead of this one.

Both banks say so in their journals, and the one that gave it says so first: whatever stops the
rest, an erasure there finds every copy, and doing it again finishes it and makes no second one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from hippocampus.bank.commit import Committer, as_turn
from hippocampus.bank.forgetting import Forgetting
from hippocampus.bank.inclusion import is_open
from hippocampus.bank.lookup import Lookup
from hippocampus.bank.part import BankPart, ids_of, staying
from hippocampus.core.events import CameFrom, Promoted
from hippocampus.core.idempotency import doing
from hippocampus.core.records import Episode, EpisodeRow
from hippocampus.core.rights import rights
from hippocampus.engine.bank_state import BankState, state_of
from hippocampus.engine.context import check_name
from hippocampus.errors import AccessError, InputError, UnknownEpisode
from hippocampus.journal.ledger import Ledger
from hippocampus.write.check import Group


class _Original(NamedTuple):
    """A memory that goes into another bank: its rows, the first one's id, and what it says."""

    rows: Sequence[int]
    id: str
    group: Group


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
        other = self._other(to)
        with doing(None):  # it is many changes, each of which is done once
            return [self._copied(one, other) for one in self._originals(id, Committer(other))]

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
        other = self._other(to)
        originals = self._originals(id, Committer(other), free=True)
        noting = _Noting(state_of(self._engine, to))
        with doing(None):
            moved = [self._copied(one, other) for one in originals]
            for one, there in zip(originals, moved, strict=True):
                # What is hidden here goes when what is there is erased.
                noting.note(there.id, Promoted(bank=self.name, id=one.id))
                self._hide(one, CameFrom(bank=to, id=there.id))
        return moved

    def _hide(self, one: _Original, event: CameFrom) -> None:
        """Forget an episode that was moved, which binds it to its copy there, and not before."""

        def hide(ledger: Ledger, ids: list[str]) -> int:
            _note_once(ledger, ids[0], event)
            return ledger.writer.forget(ids)

        self._change(one.id, hide)

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
                text = "".join(texts[row.row] for row in rows)
                turn = as_turn(rows[0], text)
                if len(rows) > 1:  # whose address says which part it is
                    address = rows[0].address.removesuffix("#part-0")
                    turn = replace(turn, address=address or None)
                group = other.group(turn, now)._replace(again=True)
                found[rows[0].row] = _Original([row.row for row in rows], rows[0].id, group)
        return list(found.values())

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
