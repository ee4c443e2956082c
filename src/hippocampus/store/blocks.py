"""The frame around a sealed block's bytes: what they are, how many, and whether they are whole."""

from __future__ import annotations

import struct
from hashlib import blake2b

from hippocampus.core.records import Block
from hippocampus.errors import StoreCorrupt

MAGIC = b"HipB"
VERSION = 1
_HEAD = struct.Struct("<4sHHqqqQ")
"""Magic, version, zero, bank, first row, count, payload length; little-endian."""


def seal(bank: int, kind: str, block: Block) -> tuple[bytes, bytes]:
    """Return (framed payload, checksum). The checksum also covers where the block belongs."""
    head = _HEAD.pack(MAGIC, VERSION, 0, bank, block.first, block.count, len(block.payload))
    framed = head + block.payload
    return framed, _checksum(kind, framed)


def unseal(
    bank: int, kind: str, first: int, count: int, framed: bytes, checksum: bytes, *, path: str
) -> Block:
    """Return the block in the frame, every byte of it verified, or raise ``StoreCorrupt``."""
    damage = _damage(bank, kind, first, count, framed, checksum)
    if damage is not None:
        msg = (
            f"the {kind} block of rows {first} to {first + count - 1} in bank {bank} is damaged:"
            f" {damage}; restore a backup, or run 'hippocampus verify' to see how far it goes"
        )
        raise StoreCorrupt(msg, path=path)
    return Block(first, count, framed[_HEAD.size :])


def _damage(
    bank: int, kind: str, first: int, count: int, framed: bytes, checksum: bytes
) -> str | None:
    if len(framed) < _HEAD.size:
        return f"{len(framed)} bytes cannot hold its head of {_HEAD.size}"
    magic, version, _, *place, length = _HEAD.unpack_from(framed)
    if magic != MAGIC or version != VERSION:
        return f"its head says {magic!r} version {version}, not {MAGIC!r} version {VERSION}"
    if length != len(framed) - _HEAD.size:
        return f"{len(framed) - _HEAD.size} bytes where its head says {length}"
    if place != [bank, first, count]:
        return f"its head says (bank, first, count) is {tuple(place)}"
    if _checksum(kind, framed) != checksum:
        return "its checksum does not match"
    return None


def _checksum(kind: str, framed: bytes) -> bytes:
    return blake2b(framed, digest_size=16, key=kind.encode()).digest()
