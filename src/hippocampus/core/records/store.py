"""The store's protocol: where banks live, a part for each table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias

from hippocampus.core.events import JournalEvent, JournalRow
from hippocampus.core.files import RawFile
from hippocampus.core.records.episode import Progress, State
from hippocampus.core.records.stored import Block, EpisodeRow, Kind

Asks: TypeAlias = Sequence[Callable[[], object]]
"""Calls of reading methods, for what they ask alone."""


class SettingsTable(Protocol):
    """Settings of the whole store, each a text."""

    def get(self, key: str) -> str | None:
        """Return a stored setting, or None; ``StoreCorrupt`` if it is damaged."""

    def put(self, key: str, value: str | None) -> None:
        """Store a setting; None removes it."""


class BankTable(Protocol):
    """Banks, each with a name and a number."""

    def names(self, *, prefix: str = "", after: str = "", limit: int | None = None) -> list[str]:
        """
        Return the names of banks, sorted by code point: of all, or of those that begin so.

        At most ``limit``, of those that come after one. It costs as much as there are of these.
        A bank whose row is damaged is left out.
        """

    def number(self, name: str) -> int | None:
        """Return a bank's number, or None; ``StoreCorrupt`` if its row is damaged."""

    def add(self, name: str, at: int) -> int:
        """Create a bank and return its number; an existing one keeps its number."""

    def drop(self, bank: int) -> None:
        """Remove a bank and everything under its key. Its number is never given again."""


class JournalTable(Protocol):
    """The changes to banks, in order."""

    def append(self, bank: int, rows: Iterable[JournalRow]) -> None:
        """Append changes; ``seq`` continues the bank's without gaps."""

    def read(
        self,
        bank: int,
        *,
        after: int = 0,
        row: int | None = None,
        kinds: Collection[type[JournalEvent]] | None = None,
        limit: int | None = None,
    ) -> list[JournalRow]:
        """
        Return changes with ``seq > after``, in order; of one episode, of some classes.

        One whose row is damaged is of a kind that nobody knows, without a detail.
        """

    def last_seq(self, bank: int) -> int:
        """Return the last change's number, 0 when there is none."""

    def redact(self, bank: int, rows: Collection[int]) -> None:
        """Empty the detail of every change that concerns these episodes; heads stay as they are."""

    def redate(self, bank: int, moments: Mapping[int, int]) -> None:
        """Date changes anew, by number; the bank's head is another one after that."""

    def head(self, bank: int, *, seq: int | None = None) -> bytes:
        """
        Return the head of a bank's journal, a hash over every change; empty without any.

        ``seq``: up to this change instead of the last.
        """

    def mark(self, bank: int, *, seq: int | None = None) -> bytes:
        """
        Return a mark of the last change, or of change ``seq``; empty if there is none.

        After a failover or a restore a change of the same number, but of another history, has
        another one. Erasures leave it as it is.
        """

    def heads(self, bank: int) -> list[bytes]:
        """Return the head before the first change, and after each, by what is stored."""


class DoneRequest(NamedTuple):
    """Request that was done, as far as it is known."""

    asked: bytes
    """A digest of what it asked for."""
    at: int
    """When it was done by ``RequestTable.now``, in microseconds since 1970, UTC."""
    result: str
    """Result of it, as JSON: numbers alone."""


class RequestTable(Protocol):
    """Requests that named themselves by a key, by bank; 0 stands for the store."""

    def find(self, bank: int, key: bytes) -> DoneRequest | None:
        """Return the record of a request; ``StoreCorrupt`` if its row is damaged."""

    def add(self, bank: int, key: bytes, done: DoneRequest) -> None:
        """Keep the result of a request; there is none of that key yet."""

    def now(self, bank: int) -> int:
        """
        Return the time in the database of a bank, in microseconds, inside ``write()``.

        By the database's clock, or what was seen to pass: no server's clock makes it later.
        """

    def drop_before(self, bank: int, at: int) -> None:
        """Remove those of a bank and of a few others that were done before a moment."""


class RateTable(Protocol):
    """Rates at which callers ask, counted for all servers of a store together."""

    def take(self, caller: bytes, wanted: int, *, per_s: float, burst: int) -> int:
        """
        Take requests out of a caller's bucket, which fills evenly; return how many there were.

        ``caller``: a digest. ``per_s``: how fast it fills, up to ``burst``. Outside transactions.
        """


class EpisodeTable(Protocol):
    """Episodes by bank and row."""

    def add(self, bank: int, rows: Iterable[EpisodeRow]) -> None:
        """Add episodes; rows continue the bank's without gaps, ids are new."""

    def set_state(
        self, bank: int, rows: Collection[int], state: State, *, superseded_by: int | None = None
    ) -> None:
        """
        Change the state of episodes.

        ``superseded_by`` is kept when none is given, and cleared from what becomes active again.
        What is erased stays so.
        """

    def redate(self, bank: int, moments: Mapping[int, int]) -> None:
        """Say anew when episodes were recorded, by row."""

    def set_level(self, bank: int, rows: Collection[int], level: int) -> None:
        """Change the level to which episodes have faded; an erased one has no level."""

    def set_marks(self, bank: int, rows: Collection[int], marks: int, *, on: bool) -> None:
        """Put marks on episodes, or take them off; what is erased has none."""

    def count(self, bank: int) -> int:
        """Return the next free row: one more than the highest ever used, 0 for an empty bank."""

    def read(self, bank: int, rows: Collection[int]) -> list[EpisodeRow]:
        """
        Return episodes by row, in the order asked; rows that do not exist are left out.

        For one that is damaged a ``DamagedRow`` stands, here and in ``scan``.
        """

    def scan(self, bank: int, *, start: int = 0) -> Iterator[EpisodeRow]:
        """
        Yield every episode from row ``start`` on, in order of row.

        No transaction stays open between two episodes; iterate inside ``read()`` for one snapshot.
        """

    def last_of_session(self, bank: int, session: str, limit: int) -> list[EpisodeRow]:
        """Return the last ``limit`` episodes of a session by row, oldest first, in any state."""

    def from_source(self, bank: int, source: str) -> list[EpisodeRow]:
        """Return every episode of a source, in any state, in order of row."""

    def rows_at(self, bank: int, address: str) -> list[int]:
        """Return the rows of an address, in any state, in order; looks at every episode."""

    def rows_of(self, bank: int, ids: Collection[str]) -> dict[str, int]:
        """Return the rows of those ids that exist."""

    def ids_beginning(self, bank: int, prefix: str, limit: int) -> list[str]:
        """Return at most ``limit`` ids that begin so, in order; sealed, every id is looked at."""

    def rows_with_digest(self, bank: int, digest: bytes) -> list[int]:
        """Return the rows whose text has this digest, in order; erased ones have none."""

    def erase(self, bank: int, rows: Collection[int]) -> None:
        """
        Blank every word of these episodes (all but row, id and state, which becomes erased).

        ``recorded_at`` stays, which the journal knows anyway, and stands for ``occurred_at`` too:
        timelines keep their order. Payloads are the caller's to overwrite: only it reads them.
        """


class PayloadTable(Protocol):
    """Table of payloads per episode: tail rows until they are sealed into blocks."""

    def put(self, bank: int, kind: Kind, payloads: Iterable[tuple[int, bytes]]) -> None:
        """Write (row, payload) to the tail, replacing what is there."""

    def blank(self, bank: int, kind: Kind, rows: Collection[int]) -> None:
        """Empty the tail's texts of these rows."""

    def tail(self, bank: int, kind: Kind, *, start: int = 0) -> list[tuple[int, bytes]]:
        """
        Return the tail's (row, payload) from row ``start`` on, in order.

        What is damaged is left out, here and wherever the tail is read.
        """

    def tails(self, bank: int, starts: Mapping[Kind, int]) -> dict[Kind, dict[int, bytes]]:
        """Return the payloads of several tails by kind and row, each from some row on."""

    def read(self, bank: int, kind: Kind, rows: Collection[int]) -> dict[int, bytes]:
        """Return single payloads from the tail (sealed ones are read by block)."""

    def put_block(self, bank: int, kind: Kind, block: Block) -> None:
        """
        Seal a block: write it and drop its tail rows.

        It replaces one with the same first row, and any that lie wholly within it. One that
        would overlap another in part is refused.
        """

    def block_spans(self, bank: int, kind: Kind) -> list[tuple[int, int]]:
        """Return (first, count) of every sealed block, in order."""

    def sealed(self, bank: int, kinds: Collection[Kind]) -> dict[Kind, int]:
        """Return the row behind the last sealed block of each of some kinds; 0 if there is none."""

    def block_marks(self, bank: int, kind: Kind) -> list[tuple[int, int, bytes]]:
        """Return (first, count, mark) of every sealed block; its mark changes whenever it does."""

    def block(self, bank: int, kind: Kind, first: int) -> Block:
        """Return a sealed block by its first row, every byte verified."""

    def drop(self, bank: int, kind: Kind) -> None:
        """Remove every payload of a kind: tail and blocks."""

    def move(self, bank: int, kind: Kind, target: Kind) -> None:
        """Make payloads of one kind those of ``target``, in place of what was there."""


class IndexFile(NamedTuple):
    """A file with the index of a bank as of a change."""

    bank: int
    seq: int
    path: Path


class IndexFileTable(Protocol):
    """Files beside a store with indexes of banks: derived, and none from before an erasure."""

    def place(self, bank: int, seq: int) -> Path | None:
        """Return the path for the index of a bank; None if there is none: in memory, encrypted."""

    def find(self, bank: int) -> list[IndexFile]:
        """Return the files of a bank, the newest first."""

    def every(self) -> list[IndexFile]:
        """Return those of all banks, the newest first."""

    def remove(self, path: Path) -> None:
        """Remove one that is of no use; who has it mapped goes on with what it was."""

    def sweep(self) -> None:
        """Remove index files that may hold erased texts, or are of banks that are gone."""


class StoreUpkeep(Protocol):
    """Upkeep of a store as a whole, outside its transactions."""

    def stored_bytes(self, bank: int) -> dict[str, int]:
        """Return bytes kept by kind of data: ``journal``, ``episodes``, each kind of payload."""

    def owe_scrub(self, bank: int | None = None) -> None:
        """Note, inside ``write()``, that bytes were removed, of a bank; ``scrub`` is to end it."""

    def owe_drop(self, bank: int) -> None:
        """
        Take a bank out of sight, inside ``write()``, and its name with it; ``scrub`` is to end it.

        Its rows may go with that, where others do not wait for their removal.
        """

    def owes_scrub(self) -> bool:
        """Return whether bytes that were removed may still be in the files, or dropped banks."""

    def scrub(self, *, wait: bool = True, shrink: bool = False) -> None:
        """
        Have no table keep rows of dropped banks, and no page, journal or log keep removed bytes.

        Others may write meanwhile.

        Args:
            wait: for others, as long as for every write; else not at all.
            shrink: give space that is free back, for which the file is rewritten and all wait.

        Raises:
            ErasurePending: it could not be done, or someone still reads an older state, which keeps
                the log alive. It is still owed.

        """

    def leftovers(self) -> list[str]:
        """Return the places where bytes that were removed may still be; empty when nowhere."""

    def check(self, bank: int | None = None) -> list[str]:
        """
        Return the faults of the database's own structure and its rows; empty when sound.

        Args:
            bank: look at the rows of this bank alone, and at nothing else.

        """

    def damage(self, bank: int, kind: str | None = None, row: int | None = None) -> list[str]:
        """
        Return the damage of a bank that was met since the store was opened, as messages.

        Args:
            bank: its number.
            kind: of this kind of payload, or of the table of that name; all by default.
            row: of this row of it alone; of a block it is the first.

        """

    def note_damage(self, bank: int, kind: Kind, first: int, message: str) -> None:
        """Note that the block from a row on is damaged, and was left out."""

    def backup(
        self, target: Path, *, overwrite: bool = False, progress: Progress | None = None
    ) -> None:
        """
        Write a complete, consistent copy while others read and write.

        The copy is one file, which takes its name only when it is whole and on disk.
        """

    def files(self) -> list[Path]:
        """Return every file the store's bytes may be in."""

    def server_files(self) -> tuple[list[RawFile], list[str]]:
        """Return files of a server that they may be in, and where nobody could look for them."""


class Store(Protocol):
    """
    Store of banks. The only layer that speaks SQL.

    Every key starts with the bank, given as the number ``banks.number`` answered; no method reads
    or writes two banks. Writing methods are called inside ``write()`` and become durable, all or
    none, when its outermost block ends without an exception. Reading methods may be called
    anywhere; inside ``read()`` or ``write()`` they see one snapshot. Every foreign exception
    leaves as a ``StoreError``. One store object may be used from several threads.
    """

    @property
    def path(self) -> str:
        """Return the place of the store, for messages."""

    def close(self) -> None:
        """Release everything; further use raises ``StoreClosed``. May be called twice."""

    def write(self, bank: int | None = None) -> AbstractContextManager[None]:
        """
        Open a transaction as the only writer, of a bank or else of the whole store.

        Nested, it is a savepoint of the first. Where a store can, writers of other banks do not
        wait; whoever names a bank writes settings only where all write the same.
        """

    def writes_all(self) -> bool:
        """Return whether this thread writes the whole store, so that nobody else writes any."""

    def read(self) -> AbstractContextManager[None]:
        """Open a snapshot: all that is read inside is of one moment, that of the first reading."""

    def wait_until_durable(self, bank: int) -> None:
        """
        Wait until all that was read of a bank is as durable as a write.

        Where nothing can be read before it is, at once. A database that has standbys shows what
        was committed while the commit still waits for them: if its machine is lost, so is that.
        """

    def databases(self) -> int:
        """Return in how many its banks are; a write of the whole store is atomic in each."""

    def settings_of(self, bank: int) -> SettingsTable:
        """Return the settings of the database that a bank is in; of no bank, the store's."""

    def every_settings(self) -> Sequence[SettingsTable]:
        """Return the settings of each database; the first are those of the store."""

    def is_replica(self) -> bool:
        """Return whether it follows another one, and so may be behind it."""

    def check_usable(self) -> None:
        """
        Refuse a store that does not take what it is open for.

        Raises:
            StoreReplaced: its file was deleted, moved or replaced.
            StoreReadOnly: it is open to be written, and is a standby.
            StoreError: it is not there.

        """

    def is_walled(self) -> bool:
        """Return whether it gives nothing of banks of other tenants than a call acts for."""

    def changes(self) -> int:
        """
        Return a number that differs whenever anybody has committed, this object included.

        Inside ``read()`` it speaks of the snapshot, and inside ``write()``, where nothing is
        settled, no two numbers are equal. Equal numbers mean that nothing has changed, from
        whatever threads they were asked.
        """

    def glance(self) -> AbstractContextManager[None]:
        """
        Let ``changes`` say for the length of a verb what it says first, on this thread.

        So a verb that looks in many places whether anything has changed asks a database for it
        once. What this thread writes meanwhile, and ``look_again``, end that.
        """

    def look_again(self) -> None:
        """Have ``changes`` look, within a ``glance``, what has changed since."""

    def forget_texts(self) -> None:
        """Have names and labels leave memory that it keeps opened, as some may be erased."""

    def expecting(self, asks: Asks) -> AbstractContextManager[None]:
        """
        Let this thread's next transaction begin with what some calls ask, in one message.

        They are called before it, and find nothing; what they asked is then known in it to whoever
        asks the same. It is a hint: nothing differs but how often a database is waited for.
        """

    @property
    def settings(self) -> SettingsTable:
        """Settings of the whole store."""

    @property
    def banks(self) -> BankTable:
        """The banks, by name."""

    @property
    def journal(self) -> JournalTable:
        """Every change, in order."""

    @property
    def episodes(self) -> EpisodeTable:
        """Episodes, without their texts."""

    @property
    def payloads(self) -> PayloadTable:
        """Payloads of episodes, texts among them."""

    @property
    def requests(self) -> RequestTable:
        """Requests that named themselves, and what came of them."""

    @property
    def rates(self) -> RateTable | None:
        """Return the table of callers' rates; None where every server counts for itself."""

    @property
    def index_files(self) -> IndexFileTable:
        """Indexes in files of their own."""

    @property
    def upkeep(self) -> StoreUpkeep:
        """Upkeep of the store as a whole."""
