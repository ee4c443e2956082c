"""The register of sources: what a bank's journal tells of where its episodes are from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from hippocampus.core.events import (
    ClaimedBySource,
    Forgotten,
    RemovedFromSource,
    Restored,
    SourceNoted,
    UnclaimedBySource,
)
from hippocampus.core.records import EpisodeRow
from hippocampus.errors import UnknownSource
from hippocampus.journal.ledger import Ledger
from hippocampus.journal.reader import LedgerPart, LedgerReader

_TOLD: Final = (SourceNoted, ClaimedBySource, UnclaimedBySource, RemovedFromSource, Restored)


class KnownSource(NamedTuple):
    """A source as an import noted it: what ``SourceNoted`` tells, and of which row."""

    name: str
    row: int
    format: str | None
    file: str | None
    place: str | None
    host: str | None
    synced: bool

    def same_as(self, other: KnownSource) -> bool:
        """Return whether nothing but the row differs."""
        return self._replace(row=other.row) == other


class SourceRegister(LedgerPart):
    """
    Register of the sources of a bank, and of which of them has which episode.

    An episode is of the source that its row names; others may have it, too (two exports of one
    chat do), and then it is hidden when the last of them has it no more. What somebody remembered
    by hand, without a source, is no file's to hide. Stores of versions that noted no source have
    nothing but the names in their rows.
    """

    def __init__(self, reader: LedgerReader) -> None:
        super().__init__(reader)
        self.known: dict[str, KnownSource] = {}
        """By name, in the order in which they were last noted."""
        self._seq = 0
        self._says: dict[int, dict[str, bool]] = {}
        """Of rows of which something was told: whether a source has them, by its name."""
        self._claimed: dict[str, set[int]] = {}
        """Rows that a source has, or had, though another one's name is on them."""

    def catch_up(self) -> None:
        """Take in what has been noted since the last call."""
        # Before the events: what is noted in between is looked at again, and not passed over.
        last = self._store.journal.last_seq(self._bank)
        for change in self._reader.events(*_TOLD, after=self._seq):
            if change.row is None:
                continue
            row = change.row
            match change.event:  # without a source: erased since, or done by a person
                case SourceNoted(source=str()) as event:
                    self._note(row, event)
                case ClaimedBySource(source=str(name)):
                    self._says.setdefault(row, {})[name] = True
                    self._claimed.setdefault(name, set()).add(row)
                case UnclaimedBySource(source=str(name)) | RemovedFromSource(source=str(name)):
                    self._says.setdefault(row, {})[name] = False
                case Restored(source=str(name)) if name in self._says.get(row, ()):
                    self._says[row][name] = True
        self._seq = last

    def _note(self, row: int, event: SourceNoted) -> None:
        name = event.source
        if name is None:
            return
        self.known.pop(name, None)
        if event.was is not None and event.was != name:
            self.known.pop(event.was, None)
        self.known[name] = KnownSource(
            name, row, event.format, event.file, event.place, event.host, event.synced
        )

    def holders(self, e: EpisodeRow) -> set[str | None]:
        """Return the sources that have an episode; None for a person who remembered it."""
        told = self._says.get(e.row, {})
        found: set[str | None] = {name for name, says in told.items() if says}
        if e.source not in told:
            found.add(e.source)
        return found

    def rows(self, name: str) -> list[EpisodeRow]:
        """Return the episodes that a source has or had, in any state but erased, by row."""
        own = self._store.episodes.from_source(self._bank, name)
        there = {e.row for e in own}
        others = sorted(self._claimed.get(name, set()) - there)
        claimed = self._store.episodes.read(self._bank, others) if others else []
        found = [e for e in (*own, *claimed) if e.state != "erased"]
        return sorted(found, key=lambda e: e.row) if claimed else found

    def counted(self, every: Iterable[EpisodeRow]) -> dict[str, list[EpisodeRow]]:
        """Return the episodes of each source, of all that a bank has; hidden ones as well."""
        found: dict[str, list[EpisodeRow]] = {}
        for e in every:
            if e.state == "erased":
                continue
            for name in self.holders(e) or {e.source}:  # of what nobody has any more
                if name is not None:
                    found.setdefault(name, []).append(e)
        return found


class SourceRows(NamedTuple):
    """Rows of some sources: of these alone, or of others too, each with its source."""

    alone: list[EpisodeRow]
    shared: list[tuple[EpisodeRow, str]]


def held_by(ledger: Ledger, names: Sequence[str]) -> SourceRows:
    """
    Return the rows of sources, hidden ones as well; rows that others share, apart.

    Raises:
        UnknownSource: one of them has never had anything.

    """
    register = SourceRegister(ledger.reader)
    register.catch_up()
    alone: dict[int, EpisodeRow] = {}
    shared: list[tuple[EpisodeRow, str]] = []
    for name in names:
        for e in _rows_of(register, ledger, name):
            holders = register.holders(e)
            if e.source == name or name in holders:
                if holders <= set(names):
                    alone[e.row] = e
                elif name in holders:
                    shared.append((e, name))
    return SourceRows([alone[row] for row in sorted(alone)], shared)


def restorable(ledger: Ledger, names: Sequence[str]) -> list[str]:
    """
    Return the ids of what people forgot of sources; where nothing, of what files have no more.

    Raises:
        UnknownSource: one of them has never had anything.

    """
    register = SourceRegister(ledger.reader)
    register.catch_up()
    ids: list[str] = []
    for name in names:
        hidden = [e for e in _rows_of(register, ledger, name) if e.state == "forgotten"]
        by_hand = [e.id for e in hidden if ledger.reader.hidden_by(e.row) is Forgotten]
        ids += by_hand or [e.id for e in hidden]
    return ids


def _rows_of(register: SourceRegister, ledger: Ledger, name: str) -> list[EpisodeRow]:
    found = register.rows(name)
    if not found:
        msg = f"nothing in bank {ledger.name!r} is from a source {name!r}"
        msg += "; 'hippocampus sources' lists them"
        raise UnknownSource(msg)
    return found
