"""Copying a store into another one, bank by bank: in plain words, or sealed by other keys."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Final, Protocol, get_args

from hippocampus.core.records import Kind, Progress
from hippocampus.core.records.store import StoreUpkeep
from hippocampus.errors import StoreCorrupt
from hippocampus.store.banks import SqlBanks
from hippocampus.store.episodes import SqlEpisodes
from hippocampus.store.journal import SqlJournal
from hippocampus.store.payloads import SqlPayloads
from hippocampus.store.settings import SqlSettings

_AT_ONCE: Final = 2048
"""Rows of a transaction."""


class SqlStore(Protocol):
    """A store whose tables are ours, whatever database they are in."""

    settings: SqlSettings
    banks: SqlBanks
    journal: SqlJournal
    episodes: SqlEpisodes
    payloads: SqlPayloads

    @property
    def path(self) -> str:
        """Where it is, for messages."""

    @property
    def upkeep(self) -> StoreUpkeep:
        """What is done to it as a whole."""

    def read(self) -> AbstractContextManager[None]:
        """Open a snapshot."""

    def write(self) -> AbstractContextManager[None]:
        """Open a transaction."""


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

    """
    with source.read():
        names = source.banks.names()
        with target.write():
            for key, value in source.settings.every():
                target.settings.put(key, value)
        for done, name in enumerate(names, 1):
            number = source.banks.number(name)
            assert number is not None, "it was there in this very transaction"
            _copy_bank(source, target, number, name)
            if progress:
                progress(done, len(names))
    return len(names)


def _copy_bank(source: SqlStore, target: SqlStore, old: int, name: str) -> None:
    with target.write():
        new = target.banks.add(name, source.banks.since(old))
    for some in _runs(source.episodes.count(old)):
        rows = source.episodes.read(old, some)
        _check(source, old)
        with target.write():
            target.episodes.add(new, rows)
    last = source.journal.last_seq(old)
    for some in _runs(last):
        changes = source.journal.read(old, after=some.start, limit=len(some))
        _check(source, old)
        with target.write():
            target.journal.append(new, changes)
    for kind in get_args(Kind):
        with target.write():
            for first, _ in source.payloads.block_spans(old, kind):
                target.payloads.put_block(new, kind, source.payloads.block(old, kind, first))
            target.payloads.put(new, kind, source.payloads.tail(old, kind))
        _check(source, old)


def _check(source: SqlStore, bank: int) -> None:
    if damage := source.upkeep.damage(bank):
        raise StoreCorrupt(damage[0], path=source.path)


def _runs(count: int) -> Iterator[range]:
    for start in range(0, count, _AT_ONCE):
        yield range(start, min(start + _AT_ONCE, count))
