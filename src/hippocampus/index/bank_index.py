"""A bank's index as it stands in memory: columns and cues, kept up with the journal."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import FrozenInstanceError
from functools import partial
from itertools import chain
from typing import Final, Protocol, Self

import numpy as np
from rpds import HashTrieMap

from hippocampus.core.altered import altered
from hippocampus.core.arrays import Rows
from hippocampus.core.events import (
    Accepted,
    Annotated,
    AnnotationWithdrawn,
    BanksIncluded,
    ClaimedBySource,
    FeedbackGiven,
    JournalEvent,
    JournalRow,
    RemovedFromSource,
    Suspected,
    UnclaimedBySource,
    class_of,
    decode,
)
from hippocampus.core.records import STATE_CHANGES, Asks, Kind, Payloads, Store
from hippocampus.errors import HippocampusError, StoreCorrupt
from hippocampus.index.anchor_postings import Times
from hippocampus.index.archive import Archive
from hippocampus.index.columns import Columns
from hippocampus.index.concept import Leads, Sessions
from hippocampus.index.cues import CueSet
from hippocampus.index.gists import Priming
from hippocampus.index.growable_array import GrowableArray, Versioned
from hippocampus.index.vector import VectorCue

TAKEN_IN: Final[frozenset[type[JournalEvent]]] = frozenset(
    (
        *STATE_CHANGES,
        Accepted,
        Suspected,
        FeedbackGiven,
        Annotated,
        AnnotationWithdrawn,
        ClaimedBySource,
        UnclaimedBySource,
        BanksIncluded,
    )
)

_CLAIMS: Final = (ClaimedBySource, UnclaimedBySource, RemovedFromSource)
_MISFITS: Final = (ValueError, IndexError, TypeError, OverflowError)
"""Errors of taking in rows and payloads that we have not written."""


def _outcome(event: JournalEvent) -> int:
    """Return the outcome that an event notes for its episode."""
    match event:
        case FeedbackGiven(helpful=bool(helpful)):  # or the episode is erased
            return 1 if helpful else -1
        case Annotated(why="corrected"):
            return -1
        case AnnotationWithdrawn(why="corrected"):
            return 1
    return 0


class AtRest(Protocol):
    """A file that an index is mapped from."""

    def damaged(self) -> bool:
        """Return whether something of the file was gone when it was looked at."""
        ...


class BankIndex(Versioned):
    """
    Derived, disposable: what it holds can be rebuilt from the store at any time.

    Any number of threads may read a version. To bring it up, one thread makes a fork and has that
    catch up, and readers have the one or the other. After an error on the way neither can be gone
    on with, for versions share what they hold: the index is made anew.
    """

    def __init__(self, store: Store, bank: int, cues: CueSet) -> None:
        self._store = store
        self._bank = bank
        self.cues = cues
        self.columns = Columns()
        self.seq = 0
        """The last change taken in."""
        self.outcome = GrowableArray(np.float32)
        """How often each row helped, less how often it did not or was found to be otherwise."""
        self.corrected: HashTrieMap[int, tuple[str, ...]] = HashTrieMap()
        """Rows that were found to be otherwise, each with the ids of what says so, in order."""
        self.included: tuple[str, ...] = ()
        """Names of the banks that are read along with this one."""
        self.gists: Priming | None = None
        """What sleep has made of clusters of rows, if it has."""
        self.without_vectors = 0
        """Episodes in force that no embedder has seen; they are found by words alone."""
        self.at_rest: AtRest | None = None
        """The file that parts of it are mapped from, if it was read from one."""
        self.rows_at_rest = 0
        """How many of its rows that file has."""
        self.without_signatures = 0
        """Episodes in force whose tokens were never signed, where others' are."""

    def __len__(self) -> int:
        return len(self.columns)

    def __setattr__(self, name: str, value: object) -> None:
        self._check_own(name)
        super().__setattr__(name, value)

    def _check_own(self, what: str) -> None:
        """Refuse to change a version that readers have."""
        if self.is_published:
            msg = f"BankIndex.{what}: readers have this version; fork it and change the fork"
            raise FrozenInstanceError(msg)

    @property
    def is_published(self) -> bool:
        """Return whether readers may have this version, so that nobody changes it any more."""
        return "_published" in self.__dict__

    def published(self) -> Self:
        """Return this version, which nobody changes from now on."""
        self.__dict__["_published"] = True  # past ``__setattr__``, which refuses from then on
        return self

    def fork(self) -> Self:
        """Return a version to be brought up; what happens to it is not seen in this one."""
        version = super().fork()
        version.__dict__.pop("_published", None)
        version.cues = self.cues.fork()
        # It asks for facts about rows: those of the fork from now on.
        concept = version.cues.concept
        if concept is not None:
            concept.attach(*version.row_facts(concept.sources))
        return version

    def carry_over(self, last: BankIndex, gone: Rows) -> bool:
        """
        Have the columns and words of another version of this bank, but for rows erased since.

        What it holds is then as if it were made anew from the store, where reading all episodes is
        nearly all of the work. Returns False, and does nothing, where rows have to be read for
        that. Other cues are made anew.
        """
        self._check_own("carry_over")
        columns = last.columns.fork()
        if not columns.forget(gone):
            return False
        self.columns, self.seq, self.included = columns, last.seq, last.included
        self.outcome, self.corrected = last.outcome.fork(), last.corrected
        self.outcome.put(gone, 0)
        for row in gone.tolist():
            self.corrected = self.corrected.discard(row)
        signature, own = last.cues.signature, self.cues.signature
        if signature is not None and own is not None and own.reads_as(signature):
            self.cues = altered(self.cues, signature=signature.without(gone))
        lexical = last.cues.lexical.fork()
        lexical.forget(gone)
        self.cues = altered(self.cues, lexical=lexical)
        return True

    def row_facts(
        self, sources: Collection[str] | None
    ) -> tuple[VectorCue, Times, Sessions, Leads | None]:
        """Return the facts about rows that the concept cue asks for, within ``sources``, or all."""
        columns, vector = self.columns, self.cues.vector
        assert vector is not None, "anchors are compared with vectors"
        leads = None if sources is None else columns.source.telling(sources)
        return vector, columns.occurred_at, lambda: columns.session.codes, leads

    def archive(self, archive: Archive) -> None:
        """
        Tell of the columns, of the cues that come of what was written, and of what was said of it.

        Those of what sleep has made are made anew from that.
        """
        self.seq = archive.plain("seq", self.seq)
        self.without_vectors = archive.plain("without_vectors", self.without_vectors)
        self.included = tuple(archive.plain("included", list(self.included)))
        self.columns.archive(archive.within("columns"))
        archive.array("outcome", self.outcome)
        told = archive.plain("corrected", {str(row): by for row, by in self.corrected.items()})
        self.corrected = HashTrieMap({int(row): tuple(by) for row, by in told.items()})
        cues = self.cues
        for name, cue in (
            ("lexical", cues.lexical), ("vector", cues.vector), ("tokens", cues.tokens),
            ("spans", cues.spans),
        ):  # fmt: skip
            if cue is not None:
                cue.archive(archive.within(name))

    def check(self) -> None:
        """
        Compare the parts with each other, as far as nothing else does.

        Raises:
            ValueError: they are not of the same rows.

        """
        rows, cues = len(self), self.cues
        parts: list[Sized | None] = [self.outcome, cues.lexical, cues.vector, cues.tokens]
        parts.append(cues.spans)
        lengths = [rows if part is None else len(part) for part in parts]
        if lengths != [rows] * len(parts) or not self.columns.fits():
            raise ValueError(f"its parts have {lengths} of {rows} rows")
        self.rows_at_rest = rows

    def is_at(self, seq: int) -> bool:
        """Return whether there is nothing to take in of a bank whose last change is ``seq``."""
        # A cue that sleep has just made has yet to take in what is there.
        return seq == self.seq and all(len(cue) == len(self) for cue in self.cues)

    def asks(self) -> Asks:
        """Return the calls that ``catch_up`` makes where few have come; see ``Store.expecting``."""
        store, bank = self._store, self._bank
        wanted = [(cue.kind, len(cue)) for cue in self.cues]
        # As if nothing were sealed: a few rows hardly ever are.
        unsealed = _unsealed(wanted, dict.fromkeys(_kinds(wanted), 0))
        return [
            partial(store.journal.last_seq, bank),
            lambda: list(store.episodes.scan(bank, start=len(self.columns))),
            partial(store.payloads.sealed, bank, _kinds(wanted)),
            partial(store.payloads.tails, bank, unsealed),
        ]

    def catch_up(self, changes: Sequence[JournalRow] | None = None) -> None:
        """
        Take in what has changed since the last call; one snapshot.

        ``changes``: those of kinds to be taken in, if the caller has read them in that snapshot.

        Raises:
            StoreCorrupt: what is stored has its checksum, and still is not what it should be.

        """
        self._check_own("catch_up")
        try:
            self._catch_up(changes)
        except HippocampusError:  # of which some are among the others as well
            raise
        except _MISFITS as exc:
            msg = (
                f"what is stored of the episodes of bank {self._bank} does not fit together: {exc};"
                " 'hippocampus reindex' makes it anew from the texts"
            )
            raise StoreCorrupt(msg, path=self._store.path) from exc

    def _catch_up(self, changes: Sequence[JournalRow] | None) -> None:
        with self._store.read():
            last = self._store.journal.last_seq(self._bank)
            if self.is_at(last):
                return
            start = len(self.columns)
            fresh = list(self._store.episodes.scan(self._bank, start=start))
            if changes is None:
                changes = self._store.journal.read(self._bank, after=self.seq, kinds=TAKEN_IN)
            stop = start + len(fresh)
            self.outcome.extend(np.zeros(len(fresh), np.float32))
            self.columns.observe(fresh)  # cues may ask when rows were said
            cues = list(self.cues)
            wanted = [(cue.kind, len(cue)) for cue in cues]
            parts = read_together(self._store, self._bank, wanted, stop)
            for cue, own in zip(cues, parts, strict=True):
                for payloads in own:
                    cue.observe(payloads)
        # It asks for nothing more, so the snapshot has ended.
        self._take_in(changes)
        self.seq = last
        vector, signature = self.cues.vector, self.cues.signature
        if vector is not None:
            unseen = self.columns.visible() & ~vector.present
            self.without_vectors = int(np.count_nonzero(unseen))
        if signature is not None:
            unsigned = self.columns.visible() & ~signature.present
            self.without_signatures = int(np.count_nonzero(unsigned))

    def _take_in(self, changes: Sequence[JournalRow]) -> None:
        """Take in what was done with rows, and said of them."""
        self.columns.claim(self._claims(changes))
        for change in changes:
            kind = class_of(change.kind)
            if kind not in TAKEN_IN:
                continue
            if kind is BanksIncluded:
                self._include(change)
            if change.row is None:
                continue
            if kind in _CLAIMS and kind not in STATE_CHANGES:
                continue
            state = STATE_CHANGES.get(kind)
            if kind in (Accepted, Suspected):
                self.columns.set_suspect(change.row, suspect=kind is Suspected)
            elif state is None:
                self._judge(change.row, change)
            else:
                self.columns.set_state(change.row, state, change.at)

    def _claims(self, changes: Iterable[JournalRow]) -> Iterator[tuple[str, int, bool]]:
        """Yield the sources that have rows named after another, and those that no longer have."""
        for change in changes:
            if change.row is None or class_of(change.kind) not in _CLAIMS:
                continue
            match decode(change, bank=self._bank, path=self._store.path):
                case ClaimedBySource(source=str(name)):
                    yield name, change.row, True
                case UnclaimedBySource(source=str(name)) | RemovedFromSource(source=str(name)):
                    yield name, change.row, False

    def _include(self, change: JournalRow) -> None:
        match decode(change, bank=self._bank, path=self._store.path):
            case BanksIncluded(banks=banks):
                self.included = tuple(banks)

    def _judge(self, row: int, change: JournalRow) -> None:
        """Take in what was said of a row."""
        event = decode(change, bank=self._bank, path=self._store.path)
        outcome, told = _outcome(event), self.corrected.get(row) or ()
        if outcome:
            self.outcome.put(row, self.outcome.view[row] + outcome)
        match event:
            case Annotated(why="corrected", by=str(by)):
                self.corrected = self.corrected.insert(row, (*told, by))
            case AnnotationWithdrawn(why="corrected", by=str(by)) if by in told:
                at = told.index(by)
                self.corrected = self.corrected.insert(row, told[:at] + told[at + 1 :])


def read_payloads(store: Store, bank: int, kind: Kind, start: int, stop: int) -> Iterator[Payloads]:
    """Return the payloads of rows ``[start, stop)`` in order; rows without one come out empty."""
    (payloads,) = read_together(store, bank, [(kind, start)], stop)
    return payloads


def read_together(
    store: Store, bank: int, wanted: Sequence[tuple[Kind, int]], stop: int
) -> Iterator[Iterator[Payloads]]:
    """Yield, for each kind and first row wanted, its payloads up to ``stop``: asked for at once."""
    sealed = store.payloads.sealed(bank, _kinds(wanted))
    firsts = _unsealed(wanted, sealed)
    # Of a kind whose blocks go to the end nothing is in the tail.
    tails = store.payloads.tails(bank, {kind: at for kind, at in firsts.items() if at < stop})
    for kind, start in wanted:
        rest = range(max(start, sealed[kind]), stop)
        tail = [Payloads.of([tails[kind].get(row, b"") for row in rest])] if rest else []
        yield chain(_read_blocks(store, bank, kind, start, min(sealed[kind], stop)), tail)


def _kinds(wanted: Sequence[tuple[Kind, int]]) -> list[Kind]:
    """Return the kinds of what is wanted, each once."""
    return list(dict.fromkeys(kind for kind, _ in wanted))


def _unsealed(wanted: Sequence[tuple[Kind, int]], sealed: Mapping[Kind, int]) -> dict[Kind, int]:
    """Return the first row of each kind that is wanted and in no block."""
    firsts: dict[Kind, int] = {}
    for kind, start in wanted:
        first = max(start, sealed[kind])
        firsts[kind] = min(first, firsts.get(kind, first))
    return firsts


def _read_blocks(store: Store, bank: int, kind: Kind, start: int, stop: int) -> Iterator[Payloads]:
    """Yield the payloads of rows ``[start, stop)``, none of them behind the last block."""
    spans = store.payloads.block_spans(bank, kind) if start < stop else []
    nexts = [*(first for first, _ in spans), stop][1:]
    for (first, count), after in zip(spans, nexts, strict=True):
        end = min(first + count, after, stop)  # what is damaged may be any number
        if end <= max(start, first):
            continue
        if first > start:
            yield _empty(first - start)
            start = first
        try:
            payloads = Payloads.from_block(store.payloads.block(bank, kind, first))
        except (StoreCorrupt, ValueError) as exc:
            # The others go on, and these rows are found by other cues.
            store.upkeep.note_damage(bank, kind, first, str(exc))
            payloads = _empty(end - first)
        skip, keep = start - first, end - first
        if (skip, keep) != (0, len(payloads.lengths)):
            ends = np.concatenate([[0], np.cumsum(payloads.lengths, dtype=np.int64)])
            payloads = Payloads(payloads.lengths[skip:keep], payloads.data[ends[skip] : ends[keep]])
        yield payloads
        start = end
    if start < stop:  # one index of the table knows of a block that another does not
        missing = f"the {kind} block of row {start} of bank {bank} is missing"
        store.upkeep.note_damage(bank, kind, start, missing)
        yield _empty(stop - start)


def _empty(count: int) -> Payloads:
    """Return the payloads of rows that have none."""
    return Payloads(np.zeros(count, np.uint32), np.empty(0, np.uint8))
