"""Copying banks into another store, in plain words or by other keys, and what they come to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from hashlib import blake2b
from typing import Final, Protocol, TypeAlias, get_args

import msgspec

from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.records import Block, EpisodeRow, Kind, Progress
from hippocampus.core.records.store import StoreUpkeep
from hippocampus.errors import StoreCorrupt, StoreError
from hippocampus.store.banks import SqlBanks
from hippocampus.store.episodes import SqlEpisodes
from hippocampus.store.journal import KeptChange, SqlJournal
from hippocampus.store.payloads import SqlPayloads
from hippocampus.store.requests import SqlRequests
from hippocampus.store.settings import SqlSettings

_AT_ONCE: Final = 2048
"""Rows of a part, which are in memory together. Chosen by hand, as both that follow."""
_ROWS: Final = 8192
"""Rows of a transaction, about, for which other writers of a file wait."""
_BYTES: Final = 1 << 24
"""Bytes of payloads of a transaction, about."""
_PACK: Final = msgspec.msgpack.Encoder().encode

Changed: TypeAlias = Callable[[Sequence[EpisodeRow]], Sequence[EpisodeRow]]
"""Returns episodes as the other store has them."""


class SqlStore(Protocol):
    """A store whose tables are ours, whatever database they are in."""

    settings: SqlSettings
    banks: SqlBanks
    journal: SqlJournal
    episodes: SqlEpisodes
    payloads: SqlPayloads
    requests: SqlRequests

    @property
    def path(self) -> str:
        """Return the place of the store, for messages."""

    @property
    def upkeep(self) -> StoreUpkeep:
        """Upkeep of the store as a whole."""

    def settings_of(self, bank: int) -> SqlSettings:
        """Return the settings of the database that a bank is in."""

    def every_settings(self) -> Sequence[SqlSettings]:
        """Return the settings of each database; the first are those of the store."""

    def read(self) -> AbstractContextManager[None]:
        """Open a snapshot."""

    def write(self, bank: int | None = None) -> AbstractContextManager[None]:
        """Open a transaction."""

    def close(self) -> None:
        """Release everything."""


@immutable
class BankPortion:
    """Some rows of a bank: of one table, and of payloads of one kind."""

    episodes: Sequence[EpisodeRow] = ()
    changes: Sequence[KeptChange] = ()
    kind: Kind | None = None
    block: Block | None = None
    tail: Sequence[tuple[int, bytes]] = ()

    @property
    def rows(self) -> int:
        """Return the number of rows that it is in a table."""
        return len(self.episodes) + len(self.changes) + len(self.tail) + (self.block is not None)

    @property
    def nbytes(self) -> int:
        """Bytes of its payloads."""
        whole = 0 if self.block is None else len(self.block.payload)
        return whole + sum(len(payload) for _, payload in self.tail)

    def payload_rows(self) -> Iterator[int]:
        """Yield the rows whose payloads it has."""
        if self.block is not None:
            yield from range(self.block.first, self.block.first + self.block.count)
        yield from (row for row, _ in self.tail)


def copy_store(source: SqlStore, target: SqlStore, *, progress: Progress | None = None) -> int:
    """
    Copy everything into a store that is new; return how many banks there are.

    What is damaged is not copied over: see ``salvage`` for that.

    Args:
        source: the store that is read, of one moment.
        target: a store in which there is nothing.
        progress: told how many banks are done, and of how many.

    Raises:
        StoreCorrupt: something of the source is damaged.
        StoreError: its banks have vectors of two embedders.

    """
    with source.read():
        check_one_embedder(source)
        if damage := source.banks.damaged():  # which no list has
            raise StoreCorrupt(damage[0], path=source.path)
        names = source.banks.names()
        with target.write():
            for key, value in source.settings.every():
                target.settings.put(key, value)
        for done, name in enumerate(names, 1):
            number = source.banks.number(name)
            assert number is not None, "it was there in this very transaction"
            with target.write():
                new = target.banks.add(name, source.banks.since(number))
            copy_bank(source, number, target, new)
            if progress:
                progress(done, len(names))
    return len(names)


def check_one_embedder(store: SqlStore) -> None:
    """Refuse a store whose change of embedder was cut off: each database says its own."""
    first, *others = (kept.get("embedder") for kept in store.every_settings())
    if {*others} - {first, None}:
        raise StoreError(
            "some of its databases have the vectors of another embedder than the others, since a"
            " change of it was cut off: finish that by 'hippocampus reembed', and try again",
            path=store.path,
        )


def copy_bank(
    source: SqlStore, old: int, target: SqlStore, new: int, *, changed: Changed | None = None
) -> bytes:
    """
    Copy a bank into one in which there is nothing; return what it comes to (``digest_bank``).

    Args:
        source: the store that is read; the caller is inside its ``read()``.
        old: the number of the bank there.
        target: the store that is written, in several transactions.
        new: the number of the bank there.
        changed: what has episodes be as the target has them.

    Raises:
        StoreCorrupt: something of the bank is damaged.

    """
    digest = _Digest()
    for some in _transactions(_portions(source, old)):
        with target.write(new):
            for portion in some:
                digest.add(portion)
                rows = portion.episodes
                target.episodes.add(new, changed(rows) if changed and rows else rows)
                target.journal.keep(new, portion.changes)
                if portion.kind is not None and portion.block is not None:
                    target.payloads.put_block(new, portion.kind, portion.block)
                if portion.kind is not None and portion.tail:
                    target.payloads.put(new, portion.kind, portion.tail)
    if known := source.requests.every(old):  # else who asks again there has it done twice
        with target.write(new):
            # In files time counts only as far as it was seen to pass (``kept_time.py``).
            late = source.requests.behind() - target.requests.behind()
            for key, done in known:
                target.requests.add(new, key, done._replace(at=done.at + late))
    return digest.made()


def digest_bank(store: SqlStore, bank: int) -> bytes:
    """
    Return the digest of a bank: a hash over all that it holds, the same wherever it is.

    Not over what is of one store alone: numbers of banks, keys, salts, what a rebuild has begun.

    Raises:
        StoreCorrupt: something of it is damaged.

    """
    digest = _Digest()
    for portion in _portions(store, bank):
        digest.add(portion)
    return digest.made()


class _Digest:
    """A hash over portions of a bank, however they were cut."""

    def __init__(self) -> None:
        self._hash = blake2b(digest_size=16)

    def add(self, portion: BankPortion) -> None:
        for row in portion.episodes:
            # Digests are keyed by the salt of their store: of equal words they differ.
            self._hash.update(_PACK(("episode", *row._replace(digest=b""))))
        for kept in portion.changes:
            self._hash.update(_PACK(("change", *kept.change)))
        if portion.block is not None:
            block = portion.block
            self._hash.update(_PACK((portion.kind, block.first, block.count, block.payload)))
        for at, payload in portion.tail:
            self._hash.update(_PACK((portion.kind, at, payload)))

    def made(self) -> bytes:
        return self._hash.digest()


def _portions(store: SqlStore, bank: int) -> Iterator[BankPortion]:
    """Yield all of a bank, in order; what a rebuild has begun is left out."""
    count, last = store.episodes.count(bank), store.journal.last_seq(bank)
    # Every episode has a change at least: that it was remembered.
    _require(store, last >= count, f"the journal of bank {bank}")
    lacking = set[int]()
    for some in _runs(count):
        episodes = store.episodes.read(bank, some)
        yield _sound(store, bank, BankPortion(episodes=episodes))
        _require(store, len(episodes) == len(some), f"an episode of bank {bank}")
        lacking.update(e.row for e in episodes if e.state != "erased")
    for some in _runs(last):
        changes = store.journal.kept(bank, after=some.start, limit=len(some))
        yield _sound(store, bank, BankPortion(changes=changes))
        whole = [one.change.seq for one in changes] == [*range(some.start + 1, some.stop + 1)]
        _require(store, whole, f"a change of bank {bank}")
        told = max((one.change.row or 0 for one in changes), default=0)
        _require(store, told < max(count, 1), f"row {told} of bank {bank}")
    for kind in get_args(Kind):
        if kind.endswith(".next"):
            continue
        for portion in _payloads(store, bank, kind):
            yield portion
            if kind == "content":
                lacking.difference_update(portion.payload_rows())
    _require(store, not lacking, f"the text of row {min(lacking, default=-1)} of bank {bank}")


def _payloads(store: SqlStore, bank: int, kind: Kind) -> Iterator[BankPortion]:
    """Yield the payloads of one kind: the blocks, then the tail."""
    for first, _ in store.payloads.block_spans(bank, kind):
        # A damaged block is refused when it is read.
        yield BankPortion(kind=kind, block=store.payloads.block(bank, kind, first))
    tail = store.payloads.tail(bank, kind)
    for some in _runs(len(tail)):
        yield _sound(store, bank, BankPortion(kind=kind, tail=tail[some.start : some.stop]))


def _require(store: SqlStore, is_there: bool, what: str) -> None:  # noqa: FBT001
    """Refuse a bank that lacks something: no checksum tells, and a copy would lack it as well."""
    if not is_there:
        msg = (
            f"{what} is missing; 'hippocampus verify' lists all that is damaged, and 'hippocampus"
            " doctor --salvage NEWFILE' copies what is not, or restore a backup"
        )
        raise StoreCorrupt(msg, path=store.path)


def _sound(store: SqlStore, bank: int, portion: BankPortion) -> BankPortion:
    # Rows that are damaged are noted and stood in for when they are read, and not refused.
    if damage := store.upkeep.damage(bank):
        raise StoreCorrupt(damage[0], path=store.path)
    return portion


def _transactions(portions: Iterable[BankPortion]) -> Iterator[list[BankPortion]]:
    """Yield portions together, as many as one transaction may have."""
    some, rows, nbytes = list[BankPortion](), 0, 0
    for portion in portions:
        some.append(portion)
        rows, nbytes = rows + portion.rows, nbytes + portion.nbytes
        if rows >= _ROWS or nbytes >= _BYTES:
            yield some
            some, rows, nbytes = [], 0, 0
    if some:
        yield some


def _runs(count: int) -> Iterator[range]:
    for start in range(0, count, _AT_ONCE):
        yield range(start, min(start + _AT_ONCE, count))
