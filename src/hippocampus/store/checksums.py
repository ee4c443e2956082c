"""
Checksums of rows: whether a row is what was written, and nobody has changed the journal's history.

A checksum covers a row's values and its key, so a row that has moved is found as well. That of a
change covers its detail through a digest with a salt (a commitment): when the detail is blanked for
an erasure, the digest takes the place of the salt, and the checksum still holds, without anybody
being able to try words against it. A bank's head chains the checksums of its changes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable
from hashlib import blake2b
from typing import Any, Final

import msgspec

from hippocampus.core.events import JournalRow
from hippocampus.core.validation import plain_kind

_PACK: Final = msgspec.msgpack.Encoder(enc_hook=plain_kind).encode
BLANK: Final = "{}"
"""The detail of a change that has nothing to say, or whose episode was erased."""
SALT_BYTES: Final = 8
"""Bytes at random with each change, fixed by the format (docs/format.md): without them a detail
that was blanked could be found again by trying words."""
NO_CHANGES: Final = b""
"""The head of a journal in which there is nothing."""


def damaged(place: str, *, opens: bool = False) -> str:
    """Return the message on a damaged place; where it ``opens`` the store, none can be verified."""
    listed = "" if opens else " 'hippocampus verify' lists all that is, and"
    return (
        f"{place} is damaged: its checksum does not match;{listed}"
        " 'hippocampus doctor --salvage NEWFILE' copies what is not, or restore a backup"
    )


def holds(stored: object, computed: bytes | None) -> bool:
    """Return whether a stored checksum is the one computed; that of junk, None, never is."""
    return computed is not None and stored == computed


def is_of(kind: type[tuple[object, ...]], stored: tuple[Any, ...]) -> bool:
    """Return whether values are what such a row has: whoever writes a file can do its checksums."""
    try:
        msgspec.convert(stored, kind)
    except (ValueError, TypeError):
        return False
    return True


def row_checksum(table: str, *key: int, values: Iterable[object]) -> bytes | None:
    """Return 8 bytes of BLAKE2b of a row's key and values in MessagePack; None for junk."""
    try:
        packed = _PACK((*key, *values))
    except (TypeError, ValueError, OverflowError):  # half characters, numbers beyond 64 bits
        return None
    return blake2b(packed, digest_size=8, person=table.encode()).digest()


def payload_checksum(bank: int, kind: str, row: int, payload: bytes) -> bytes:
    """Return the checksum of one episode's payload, which a rebuild may still have as ``.next``."""
    return payload_checksums(bank, kind)(row, payload)


def payload_checksums(bank: int, kind: str) -> Callable[[int, bytes], bytes]:
    """Return a function that makes the checksum of a payload of one kind from its row and bytes."""
    # What all payloads of a kind have alike is made once: a bank has thousands.
    head = b"%s %d " % (kind.removesuffix(".next").encode(), bank)

    def checksum(row: int, payload: bytes) -> bytes:
        # BLAKE2b takes a key of at most 64 bytes.
        return blake2b(payload, digest_size=8, key=(b"%b%d" % (head, row))[:64]).digest()

    return checksum


def commitment(detail: str, salt: bytes) -> bytes:
    """Return the commitment to a change's detail, for its checksum: nothing without the salt."""
    if detail == BLANK:
        return salt  # it has been put in the salt's place, so the checksum still holds
    return blake2b(detail.encode(), digest_size=16, key=salt).digest()


def change_checksum(change: JournalRow, salt: bytes) -> bytes | None:
    """Return the checksum of a change: 16 bytes of BLAKE2b; None if its values are junk."""
    try:
        told = commitment(change.detail, salt)
        packed = _PACK((change.seq, change.at, change.kind, change.row, told))
    except (TypeError, ValueError, OverflowError, AttributeError):
        return None
    return blake2b(packed, digest_size=16).digest()


def chained(head: bytes, checksum: object) -> bytes:
    """Return the head of a journal after one more change; what is no checksum counts as none."""
    more = checksum if isinstance(checksum, bytes) else b""
    return blake2b(head + more, digest_size=16).digest()


class Damage:
    """The damage that was met while a store was open, by bank. Safe to share between threads."""

    def __init__(self) -> None:
        self._met: dict[tuple[int, str, int], str] = {}
        self._lock = threading.Lock()

    def note(self, bank: int, kind: str, row: int, message: str) -> None:
        """Note that a row is damaged: of a table, or of a kind of payload."""
        with self._lock:
            # A damaged page may have anything in the place of a kind or a row.
            self._met[bank, str(kind), row if isinstance(row, int) else -1] = message

    def mend(self, bank: int, kind: str, rows: Collection[int]) -> None:
        """Note that rows were written anew, or removed."""
        # Every write comes by here, and hardly any store is damaged: it need not wait.
        if self._met:
            with self._lock:
                for key in [k for k in self._met if k[:2] == (bank, kind) and k[2] in rows]:
                    del self._met[key]

    def of(self, bank: int, kind: str | None = None, row: int | None = None) -> list[str]:
        """Return the damage of a bank: of all of it, of one kind, of one row."""
        with self._lock:
            return [
                message
                for (where, what, which), message in sorted(self._met.items())
                if where == bank and kind in (None, what) and row in (None, which)
            ]
