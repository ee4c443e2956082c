"""
A large bank's index at rest: written to a file by sleep, mapped from it when the bank is opened.

What was written since is read from the store as ever, so a file is of use until something has left
the bank: an erasure removes it. What sleep has made is not in it.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Final

from hippocampus.core.events import Erased, IndexRebuilt
from hippocampus.core.files import reading
from hippocampus.core.records import IndexFile
from hippocampus.engine.context import EngineContext, dump_fingerprint
from hippocampus.errors import HippocampusError
from hippocampus.index.bank_index import BankIndex
from hippocampus.index.index_file import IndexFileReader, IndexFileWriter
from hippocampus.journal.ledger import Ledger

_GONE: Final = (Erased, IndexRebuilt)
"""Changes after which an index is made anew."""
_NEW_PART: Final = 8
"""A file is written again once one row in so many is not in it (docs/adr/0077): those are read from
the store at each opening, and a file is written whole."""
_UNFIT: Final = (ValueError, TypeError, KeyError, IndexError, OSError, RuntimeError)
"""Errors of a file that is no index, not this one's, cut short or altered."""
_log = logging.getLogger(__name__)


def load(engine: EngineContext, ledger: Ledger, index: BankIndex, file: IndexFile) -> bool:
    """
    Fill a new index from a file; inside ``store.read()``.

    Returns whether it could be. If not, the index is of no use any more.
    """
    journal = engine.store.journal
    if file.seq > journal.last_seq(ledger.bank) or journal.read(
        ledger.bank, after=file.seq, kinds=_GONE, limit=1
    ):
        return False
    try:
        with reading(file.path) as raw:
            archive = IndexFileReader(raw, file.path.stat().st_size)
            if archive.contents.made_of != _made_of(engine, ledger, file.seq):
                return False
            index.archive(archive)
        index.check()
    except (*_UNFIT, HippocampusError) as exc:
        _log.warning("%s is of no use, and the index is made anew: %s", file.path, exc)
        return False
    index.at_rest = archive.mapped
    return True


def keep(engine: EngineContext, ledger: Ledger, index: BankIndex) -> bool:
    """
    Write an index to a file if its bank is large and has grown; return whether it was.

    ``index``: caught up, and nobody appends to it meanwhile.
    """
    store, least = engine.store, engine.config.index_file_rows
    path = store.index_files.place(ledger.bank, index.seq)
    if least is None or len(index) < least or path is None:
        return False
    if engine.config.vectors.layout != "arrival":  # which partitions give, and sleep makes anew
        return False
    there = store.index_files.find(ledger.bank)
    if index.at_rest is not None and there and len(index) - index.rows_at_rest < _share(index):
        return False
    archive = IndexFileWriter()
    index.fork().archive(archive)  # which readers have, and is not to be changed
    with store.read():
        made_of = _made_of(engine, ledger, index.seq)
    try:
        archive.write(path, made_of, index.seq)
    except (OSError, HippocampusError) as exc:
        _log.warning("the index of bank %r is in no file: %s", ledger.name, exc)
        return False
    _settle(engine, path, there)
    return path.exists()  # the sweep may have removed it


def _settle(engine: EngineContext, path: Path, before: list[IndexFile]) -> None:
    """Remove the files that a new one replaces; and itself, if something was erased meanwhile."""
    with engine.store.write():  # no erasure is under way, and the next one sees the file
        engine.store.index_files.sweep()
    for one in before:
        if one.path != path:
            engine.store.index_files.remove(one.path)


def _share(index: BankIndex) -> int:
    return max(1, len(index) // _NEW_PART)


def _made_of(engine: EngineContext, ledger: Ledger, seq: int) -> list[str]:
    """Return the digest of an index up to a change: of its history and its encoding."""
    stored = engine.stored_fingerprint(ledger.bank)
    return [
        str(ledger.bank),
        # After a restore as many changes may be of another history.
        engine.store.journal.head(ledger.bank, seq=seq).hex(),
        "" if stored is None else dump_fingerprint(stored),
        "spans" if engine.spans() else "",
    ]
