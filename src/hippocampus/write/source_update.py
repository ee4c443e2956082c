"""Update of a changed source: which episodes to add, hide, show again, or rename."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from hippocampus.core.events import RemovedFromSource
from hippocampus.core.records import HELD, EpisodeRow, settled_level
from hippocampus.journal.draft import Draft
from hippocampus.journal.ledger import Ledger
from hippocampus.journal.source_register import SourceRegister
from hippocampus.write.check import Group


@dataclass(slots=True)
class Update:
    """
    Changes that a source's new turns make.

    ``fresh``: what to add. ``gone``, ``back``: rows to hide, and to show again. ``freed``: rows of
    other sources for which one that is hidden stood. ``claimed``, ``left``: rows that others have,
    which the source has from now on, and no longer. ``moved``: rows of a file that was renamed,
    each with what takes its place. ``lost``, ``let_go``: of what that has no more, ``gone`` and
    ``left``.
    """

    fresh: list[Group] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)
    back: list[int] = field(default_factory=list)
    freed: list[int] = field(default_factory=list)
    claimed: list[int] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    moved: list[tuple[EpisodeRow, Group]] = field(default_factory=list)
    lost: list[int] = field(default_factory=list)
    let_go: list[int] = field(default_factory=list)
    unchanged: int = 0

    @property
    def drafts(self) -> Iterator[Draft]:
        """The drafts of what is to be added."""
        return (draft for group in self.fresh for draft in group.drafts)


def compare(
    ledger: Ledger,
    register: SourceRegister,
    source: str,
    groups: Sequence[Group],
    was: str | None = None,
    *,
    grows: bool = False,
) -> Update:
    """
    Return the update that makes the rows of a source equal to these turns.

    A turn that is there already stays as it is, even if the file's date moved. What a user
    forgot stays forgotten; what only vanished from the file comes back when the file's does. What
    is held stays whatever the file says, and so does what another source has as well.

    Args:
        ledger: the books of the bank.
        register: who has what there.
        source: the name of the source.
        groups: what it says now.
        was: its name before, if its file was renamed.
        grows: whether these are only a part of what it says, and what it had stays.

    """
    return _Comparison(ledger, register, source, grows=grows).update(groups, was)


class _Comparison:
    def __init__(
        self, ledger: Ledger, register: SourceRegister, source: str, *, grows: bool
    ) -> None:
        self._ledger = ledger
        self._register = register
        self._grows = grows
        self._source = source
        self._there = _Rows([e for e in register.rows(source) if not self._has_moved(e)])
        self._there.name_settled(ledger)
        self._names = {source}
        self._kept: set[int] = set()
        self._update = Update()

    def update(self, groups: Sequence[Group], was: str | None) -> Update:
        made, there = self._update, self._there
        waiting: list[Group] = []
        rest = groups if was is None else self._move(groups, was)
        for group in rest:
            same = there.find(group.drafts, self._kept)
            self._kept.update(same)
            if not same:
                waiting.append(group)
        self._look_elsewhere(self._unsaid(waiting) if self._grows else waiting)
        found = [e for e in there.rows if e.row in self._kept]
        for e in found:  # what a user corrected is what the file says, in better words
            if e.superseded_by is not None:
                self._kept.update(self._ledger.lineage.versions([e.row]))
        if not self._grows:
            self._leave(there.rows)
        made.back = [e.row for e in found if self._comes_back(e)]
        back = set(made.back)
        made.claimed = [
            e.row
            for e in found
            if self._source not in self._register.holders(e)
            and not (e.source == self._source and e.row in back)
        ]
        made.freed = self._freed([*made.gone, *made.lost])
        made.unchanged = len(groups) - len(made.fresh) - len(made.back)
        return made

    def _leave(self, rows: Sequence[EpisodeRow]) -> None:
        """Take out what the source has no more: hide it, unless somebody else has it."""
        for e in rows:
            if e.row in self._kept or e.marks & HELD:
                continue
            holders = self._register.holders(e)
            if self._source not in holders:
                continue
            if e.state == "active" and len(holders) == 1:
                self._update.gone.append(e.row)
            elif e.state == "active" or e.source != self._source:
                self._update.left.append(e.row)

    def _unsaid(self, waiting: Sequence[Group]) -> list[Group]:
        """Return the turns that the bank lacks from the same session at another moment."""
        table, bank = self._ledger.store.episodes, self._ledger.bank
        unsaid: list[Group] = []
        for group in waiting:
            first = group.first
            there = table.read(bank, table.rows_with_digest(bank, first.digest))
            same = [e for e in there if (e.session, e.role) == (first.session, first.role)]
            if not same or any(e.id == first.id for e in same):
                unsaid.append(group)
        return unsaid

    def _look_elsewhere(self, waiting: Sequence[Group]) -> None:
        """Find the turns that other sources have; the rest is new."""
        ids = [d.id for group in waiting for d in group.drafts]
        store, bank = self._ledger.store, self._ledger.bank
        rows = store.episodes.rows_of(bank, ids) if ids else {}
        records = {e.id: e for e in store.episodes.read(bank, list(rows.values()))}
        for group in waiting:
            found = [records[d.id] for d in group.drafts if d.id in records]
            if not found:
                self._update.fresh.append(group)
                continue
            for e in map(self._end_of_moves, found):
                if e.state == "erased" or e.row in self._kept:
                    continue
                self._kept.add(e.row)
                if e.row not in self._there:
                    self._there.add(e)

    def _has_moved(self, e: EpisodeRow) -> bool:
        """Return whether another row took an episode's place because its file was renamed."""
        if e.state != "superseded" or e.superseded_by is None:
            return False
        (by,) = self._read(e.superseded_by)
        same = by.digest == e.digest and by.source != e.source
        return same and not self._ledger.lineage.is_alias(e.row)

    def _end_of_moves(self, e: EpisodeRow) -> EpisodeRow:
        """Return the row that has a turn by the last name of its file."""
        passed: set[int] = set()
        while e.row not in passed and self._has_moved(e) and e.superseded_by is not None:
            passed.add(e.row)
            (e,) = self._read(e.superseded_by)
        return e

    def _read(self, row: int) -> list[EpisodeRow]:
        return self._ledger.store.episodes.read(self._ledger.bank, [row])

    def _comes_back(self, e: EpisodeRow) -> bool:
        """Return whether the file has again what it, or another one, had hidden."""
        hidden = e.state == "forgotten" and not e.marks & HELD
        return hidden and self._ledger.reader.hidden_by(e.row) is RemovedFromSource

    def _freed(self, gone: Sequence[int]) -> list[int]:
        """Return rows that sleep has merged into rows that go, and others still say."""
        queue, freed = list(gone), list[int]()
        ledger = self._ledger
        while queue:
            beside = ledger.lineage.beside(queue.pop())
            merged = [row for row, how in beside.items() if how == "alias"]
            for e in ledger.store.episodes.read(ledger.bank, merged):
                others = self._register.holders(e) - self._names
                (freed if others else queue).append(e.row)
        return freed

    def _move(self, groups: Sequence[Group], was: str) -> list[Group]:
        """Pair the rows of a file's earlier name with its turns; return the turns that are left."""
        self._names.add(was)
        old = _Rows(self._register.rows(was))
        taken: set[int] = set()
        moved: set[int] = set()
        rest: list[Group] = []
        for group in groups:
            same = old.find(group.drafts, taken)
            if same and taken.issuperset(same):  # it says this twice, at one time
                continue
            taken.update(same)
            if not same:
                rest.append(group)
            elif len(same) == 1 == len(group.drafts) and self._may_move(old[same[0]], was):
                moved.update(same)
                self._update.moved.append((old[same[0]], group))
            else:
                self._take_over(old, same)
        for e in old.rows:
            if e.row in moved or was not in self._register.holders(e):
                continue
            if e.row in self._kept:
                self._update.let_go.append(e.row)
            elif e.state == "active" and not e.marks & HELD:
                alone = self._register.holders(e) == {was}
                (self._update.lost if alone else self._update.let_go).append(e.row)
        return rest

    def _may_move(self, e: EpisodeRow, was: str) -> bool:
        """Return whether an episode can get the new name: nobody hid or holds it, or shares it."""
        return e.state == "active" and not e.marks & HELD and self._register.holders(e) == {was}

    def _take_over(self, old: _Rows, rows: Sequence[int]) -> None:
        """Keep rows as they are, with what a user made of them, for the file under its new name."""
        for row in self._ledger.lineage.versions(rows):
            if row in old and row not in self._kept:
                self._kept.add(row)
                self._there.add(old[row])


class _Rows:
    """The episodes of one source, found by id and by text."""

    def __init__(self, rows: Sequence[EpisodeRow]) -> None:
        self.rows = list(rows)
        self._by_id = {row.id: row for row in rows}
        self._by_row = {row.row: row for row in rows}
        self._by_digest: dict[bytes, list[int]] = {}
        for row in rows:
            self._by_digest.setdefault(row.digest, []).append(row.row)

    def __contains__(self, row: int) -> bool:
        return row in self._by_row

    def __getitem__(self, row: int) -> EpisodeRow:
        return self._by_row[row]

    def add(self, row: EpisodeRow) -> None:
        """Take in one more, which is not looked for any more."""
        self.rows.append(row)
        self._by_row[row.row] = row

    def name_settled(self, ledger: Ledger) -> None:
        """Find texts that ``compact`` has shortened by their id, too: the file has their words."""
        for row in self.rows:
            if settled_level(row.marks) and row.supersedes is not None:
                for old in ledger.store.episodes.read(ledger.bank, [row.supersedes]):
                    self._by_id.setdefault(old.id, row)

    def find(self, drafts: Sequence[Draft], taken: set[int]) -> list[int]:
        """Return the rows of a turn that is there: by id, or word for word at another time."""
        same = [self._by_id[d.id].row for d in drafts if d.id in self._by_id]
        if same:
            return same
        wanted = [d.digest for d in drafts]
        for first in self._by_digest.get(wanted[0], []):
            run = [row for row in range(first, first + len(drafts)) if row in self._by_row]
            if first not in taken and [self._by_row[row].digest for row in run] == wanted:
                return run
        return []


def named(group: Group, file: str, source: str) -> Group:
    """Return the turns of a file as said by a source that is called otherwise than the file."""
    if file == source:
        return group

    def other(name: str | None) -> str | None:
        if name is None or not (name == file or name.startswith(f"{file}#")):
            return name
        return source + name[len(file) :]

    return group._replace(
        drafts=[
            replace(
                d, source=source, session=other(d.session), address=other(d.address) or d.address
            )
            for d in group.drafts
        ]
    )
