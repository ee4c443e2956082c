"""Copying a store into another one, bank by bank: in plain words, or sealed by other keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, get_args

from hippocampus.core.records import Kind, Progress
from hippocampus.errors import StoreCorrupt
from hippocampus.store.sqlite import SqliteStore

_AT_ONCE: Final = 2048
"""Rows of a transaction."""


def copy_store(
    source: SqliteStore, target: SqliteStore, *, progress: Progress | None = None
) -> int:
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


def _copy_bank(source: SqliteStore, target: SqliteStore, old: int, name: str) -> None:
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


def _check(source: SqliteStore, bank: int) -> None:
    if damage := source.upkeep.damage(bank):
        raise StoreCorrupt(damage[0], path=source.path)


def _runs(count: int) -> Iterator[range]:
    for start in range(0, count, _AT_ONCE):
        yield range(start, min(start + _AT_ONCE, count))
