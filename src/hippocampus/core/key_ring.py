"""
Rings of keys: a file with a secret a line, outside of any store, in which the last one is in use.

What a store's log and backups keep of a key is sealed under what was in the ring then. A secret
that is taken out of the ring for good makes all of that noise; so there is one ring, and no copy of
it is kept for longer than what was erased may be read.
"""

from __future__ import annotations

import base64
import errno
import os
import secrets
from collections.abc import Collection
from pathlib import Path
from typing import BinaryIO, Final

from hippocampus.core.files import PARTIAL, is_database, read_bytes, sweep
from hippocampus.core.system import (
    CAN_RENAME_OPEN_FILES,
    give_as,
    open_descriptor,
    sync,
    sync_descriptor,
)

_SECRET_BYTES: Final = 32
"""Bytes at random: 256 bits, which nobody finds by trying, so they are stretched by no slow
derivation (docs/format.md)."""


def read_ring(path: Path) -> list[bytes]:
    """Return the secrets of a ring, in the order in which they were added."""
    return [line.strip() for line in read_bytes(path).splitlines() if line.strip()]


def add_to_ring(path: Path) -> bytes:
    """Add a new secret to a ring; return it once it is on the disk."""
    path = _place(path)
    made = base64.b64encode(secrets.token_bytes(_SECRET_BYTES))
    _put(path, [*read_ring(path), made])
    return made


def keep_in_ring(path: Path, wanted: Collection[bytes]) -> None:
    """Take all secrets out of a ring but these, and write zeros where the others were."""
    path = _place(path)
    known = read_ring(path)
    kept = [one for one in known if one in wanted]
    # A ring without any secret would open nothing any more.
    if kept == known or not kept:
        return
    if CAN_RENAME_OPEN_FILES:
        # Opened before: afterwards the name leads to the new file, and only this to the old bytes.
        with path.open("r+b") as former:
            _put(path, kept)
            _zero(former)
        return
    aside = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    # Where an open file cannot be replaced a second name leads to the old bytes.
    os.link(path, aside)
    try:
        _put(path, kept)
        with aside.open("r+b") as former:
            _zero(former)
    finally:
        aside.unlink()


def _place(path: Path) -> Path:
    """Return the file of a ring, which a link to it goes on leading to."""
    # In the place of the link another file would be the ring of whoever comes by it alone.
    return Path(os.path.realpath(path))


def _zero(file: BinaryIO) -> None:
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    file.write(bytes(size))
    file.flush()
    sync_descriptor(file.fileno())


def _put(path: Path, lines: list[bytes]) -> None:
    """Put other lines in the place of a ring's, whole or not at all, under the same rights."""
    if is_database(path):
        raise OSError(errno.EINVAL, "is a database, and no ring", str(path))
    # One that was left by a process that was killed has secrets that are to be nowhere any more.
    sweep(path.parent)
    before = path.stat()
    made = path.with_name(f"{PARTIAL}{secrets.token_hex(8)}")
    try:
        handle = open_descriptor(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        with os.fdopen(handle, "wb") as file:
            file.write(b"".join(line + b"\n" for line in lines))
        # Before it has the name, so that nobody ever meets it under other rights.
        give_as(made, before)
        sync(made)
        made.replace(path)
        sync(path.parent)
    finally:
        made.unlink(missing_ok=True)
