"""Restoring a backup: checked first, put in the place of a store that nobody has open."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from hippocampus.core.config import Config
from hippocampus.core.files import writing
from hippocampus.core.key import Key
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.records import Progress
from hippocampus.core.store_address import is_url
from hippocampus.errors import InputError, OutputError, StoreCorrupt, StoreError
from hippocampus.memory import Memory
from hippocampus.store.replacing import (
    check_replaceable,
    copy_database,
    held_alone,
    put_in_place,
)
from hippocampus.upkeep import verify


@immutable
class RestoredBackup:
    """Result of restoring a backup: the store, the path of the former one, the figures checked."""

    path: Path
    former: Path | None
    checked: Mapping[str, int]


def restore_backup(
    backup: Path,
    store: str | Path,
    *,
    key: Key | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> RestoredBackup:
    """
    Put a copy of a backup in the place of a store, which stays beside it under another name.

    The copy is verified first. Until all of it is there the store is as it was.

    Args:
        backup: a file that ``backup`` wrote, also one of an earlier format; it stays as it is.
        store: the file that the copy becomes; there need not be one.
        key: opens the backup, if it is encrypted.
        force: whether a file that is no store may be replaced, too; it stays beside it likewise.
        progress: told how many banks were verified, and of how many.

    Raises:
        InputError: the store is in PostgreSQL, or is the backup itself.
        OutputError: its folder is missing.
        NotAStore: a file that is something else has the name of the store.
        StoreLocked: somebody has the store open.
        StoreCorrupt: the backup is damaged.
        StoreError: there is no such backup.

    """
    if is_url(store):
        msg = (
            "only a store in a file is restored in place; 'hippocampus move' copies a backup into"
            " an empty database"
        )
        raise InputError(msg)
    file, source = Path(os.path.realpath(store)), Path(os.path.realpath(backup))
    if file == source:
        raise InputError(f"{backup}: is the store itself; name a file that 'backup' wrote")
    if not file.parent.is_dir():
        raise OutputError("its folder does not exist; make the folder first", path=store)
    was_store = check_replaceable(file, force=force)
    with held_alone(file):  # refused at once, and not after a while
        pass
    now = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    whole = file.with_name(f"{file.stem}.restored-{now}{file.suffix}")
    former = file.with_name(f"{file.stem}.before-{now}{file.suffix}")
    try:
        with writing(whole) as copy:
            copy_database(source, copy)
            checked = _verified(copy, source, key, progress)
        with held_alone(file):
            was_there = put_in_place(whole, file, former=former, was_store=was_store)
    finally:
        whole.unlink(missing_ok=True)
    return RestoredBackup(path=file, former=former if was_there else None, checked=checked)


def _verified(
    copy: Path, backup: Path, key: Key | None, progress: Progress | None
) -> Mapping[str, int]:
    """Verify a copy, of the newest format now, and return its figures; errors name the backup."""
    plain = Config(index_file_rows=None)  # which would lie beside the copy
    try:
        with Memory(copy, embedder="none", config=plain, create=False, key=key) as memory:
            found = verify(memory, progress=progress)
    except StoreError as exc:
        exc.args = (str(exc).replace(str(copy), str(backup)),)
        exc.path = backup
        raise
    if not found.sound:
        first = found.problems[0].replace(str(copy), str(backup))
        more = len(found.problems) - 1
        also = f" (and {more:,} more)" if more else ""
        msg = (
            f"is damaged: {first}{also}; the store is as it was: take another backup,"
            " or 'hippocampus doctor --salvage NEWFILE'"
        )
        raise StoreCorrupt(msg, path=backup)
    return found.checked
