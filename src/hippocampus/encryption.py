"""
Encryption at rest: making stores that are encrypted, and looking after the keys that open them.

    from hippocampus import Memory, encryption
    from hippocampus.encryption import Key

    encryption.encrypt("memory.db", "safe.db", key=Key.file("~/.hippocampus.key"))
    Memory("safe.db", key=Key.file("~/.hippocampus.key"))

See ``docs/encryption.md`` for what is sealed, and what whoever has the file still learns.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, Protocol, cast

from hippocampus.core.files import writing
from hippocampus.core.key import Key, KeyRefused, as_key, new_phrase
from hippocampus.core.records import Progress
from hippocampus.core.store_address import addresses
from hippocampus.errors import InputError, StoreCorrupt, WrongKey
from hippocampus.store import open_store
from hippocampus.store.copying import SqlStore, copy_store
from hippocampus.store.encryption import SqlEncryption
from hippocampus.store.sqlite import SqliteStore

__all__ = ["Key", "add_key", "decrypt", "encrypt", "keys", "recovery_phrase", "rotate"]

_PATIENCE_S: Final = 30.0
"""Seconds that whoever has the store open is waited for: three times what
``Config.busy_timeout_s`` has for a write. Chosen by hand."""


def encrypt(
    path: str | Path,
    target: str | Path,
    *,
    key: Key | str,
    old: Key | str | None = None,
    progress: Progress | None = None,
) -> int:
    """
    Copy a store into a new file that is encrypted; return how many banks it has.

    Every bank has a new key there. The old file stays as it is: erase it as its medium wants it.

    Args:
        path: the store, in plain words or encrypted.
        target: a file that is not there yet.
        key: opens the new one.
        old: opens the old one, if it is encrypted: so the keys of banks are changed, too.
        progress: told how many banks are done, and of how many.

    Raises:
        OutputExists: there is such a file.
        StoreEncrypted, WrongKey: a key is missing, does not fit or cannot be had.
        StoreCorrupt: something in the old one is damaged: salvage it first.

    """
    return _copy(path, target, as_key(old), as_key(key), progress)


def decrypt(
    path: str | Path, target: str | Path, *, key: Key | str, progress: Progress | None = None
) -> int:
    """Copy a store that is encrypted into a new file in plain words; see ``encrypt``."""
    return _copy(path, target, as_key(key), None, progress)


def keys(path: str | Path, *, key: Key | str) -> list[str]:
    """Return the kinds of keys that open a store: ``passphrase``, ``secret`` or ``phrase``."""
    with _encrypted(path, key) as encryption:
        return encryption.kinds()


def add_key(
    path: str | Path, *, key: Key | str, new: Key | str, replace: bool = False
) -> list[str]:
    """
    Have another key open a store, in place of all others if asked; return the kinds that do.

    Only the master key is wrapped anew, so it takes no time. Who knew a key that is replaced and
    has a copy of the file from before still opens that copy: ``rotate`` does not change this.
    """
    added = as_key(new)
    assert added is not None, "its type says so"
    with _encrypted(path, key) as encryption:
        encryption.add(added, replace=replace)
        return encryption.kinds()


def recovery_phrase(path: str | Path, *, key: Key | str) -> str:
    """Return a new phrase that opens a store, for paper; it is shown once and kept nowhere."""
    phrase = new_phrase()
    with _encrypted(path, key) as encryption:
        encryption.add(Key.phrase(phrase))
    return phrase


def rotate(path: str | Path, *, key: Key | str, new: Key | str | None = None) -> list[str]:
    """
    Change the master key, and wrap the keys of banks by it; return the kinds of keys that open it.

    Every other key than ``new`` (or ``key``) is gone with the old master key. Words are not sealed
    anew: ``encrypt`` into a new file does that.
    """
    kept = as_key(key if new is None else new)
    assert kept is not None, "its type says so"
    with _encrypted(path, key) as encryption:
        encryption.rotate(kept)
        return encryption.kinds()


class _Encrypted(SqlStore, Protocol):
    """A store of ours, and its keys."""

    encryption: SqlEncryption

    def close(self) -> None:
        """Release everything."""


def _open(path: str | Path, key: Key | None, *, read_only: bool = False) -> _Encrypted:
    named = addresses(path)
    if len(named) > 1:
        raise InputError(f"{path}: has the keys of {len(named)} databases; name one at a time")
    store = open_store(
        named, busy_timeout_s=_PATIENCE_S, read_only=read_only, create=False, key=key, alone=True
    )
    return cast("_Encrypted", store)


@contextmanager
def _encrypted(path: str | Path, key: Key | str) -> Iterator[SqlEncryption]:
    with closing(_open(path, as_key(key))) as store:
        yield store.encryption


def _copy(
    path: str | Path,
    target: str | Path,
    old: Key | None,
    new: Key | None,
    progress: Progress | None,
) -> int:
    if new is not None:
        try:
            new.secret()
        except KeyRefused as exc:  # told of the file that is asked for, before one is begun
            raise WrongKey(str(exc), path=target) from exc
    with closing(_open(path, old, read_only=True)) as source, writing(target) as unfinished:
        made = SqliteStore(str(unfinished), busy_timeout_s=_PATIENCE_S, key=new)
        # Closed before the file takes its name, so that its log is in it.
        with closing(made):
            # Whoever has the copy erases the old file, so what pages have lost is looked for too.
            if damage := source.upkeep.check():
                msg = (
                    f"is damaged: {damage[0]}; 'hippocampus doctor --salvage NEWFILE' copies what"
                    " is not, or restore a backup"
                )
                raise StoreCorrupt(msg, path=path)
            return copy_store(source, made, progress=progress)
