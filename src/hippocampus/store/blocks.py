"""The frame around a sealed block's bytes: what they are, how many, and whether they are whole."""

from __future__ import annotations

import struct
import zlib
from hashlib import blake2b
from typing import Final

from hippocampus.core.decompress import DENSEST, PLENTY
from hippocampus.core.records import Block, Kind
from hippocampus.errors import StoreCorrupt

MAGIC = b"HipB"
VERSION = 1  # of the frame, so far the only one; what is framed has versions of its own
_HEAD = struct.Struct("<4sHHqqqQ")
"""Magic, version, zero, bank, first row, count, payload length; little-endian."""

_DEFLATED: Final = struct.Struct("<4sQ")
"""Before a deflated payload: a mark, and how many bytes it has when it is inflated."""
_MARK: Final = b"HipZ"
"""As the length of a first payload, of which a block consists otherwise, it is 1.4 GB."""
_SQUEEZED: Final[frozenset[Kind]] = frozenset({"lexical", "times", "phrase", "spans", "signature"})
"""Kinds that are deflated; in the others there is next to nothing that two payloads share."""
_LEVEL: Final = 5
"""Of zlib: 6 takes two thirds longer, and .3 % of the bytes off."""
_WORTH: Final = 8
"""A payload is deflated if that takes off one byte in so many; for less each reading would pay.
Chosen by hand."""
_A_ROW: Final = 1 << 13
"""Bytes that a row may come to in however few it is kept: several times those of the longest one
that is cut as configured by default."""


def deflate(kind: Kind, payload: bytes, count: int) -> bytes:
    """Return the payload of so many rows with fewer bytes, or as it is where that gains little."""
    if kind not in _SQUEEZED:
        return payload
    made = _DEFLATED.pack(_MARK, len(payload)) + zlib.compress(payload, _LEVEL)
    if len(payload) > _most(len(made), count):
        return payload  # nobody would read it
    return made if len(made) * _WORTH <= len(payload) * (_WORTH - 1) else payload


def _most(stored: int, count: int) -> int:
    """Return the most bytes that ``count`` rows kept in ``stored`` bytes may come to."""
    return max(DENSEST * stored, min(_A_ROW * count, PLENTY))


def inflate(payload: bytes, count: int) -> bytes | None:
    """Return the bytes that ``deflate`` was given; None if these cannot be its result."""
    # What gained little was kept as it is, and so were all blocks of earlier formats.
    if not payload.startswith(_MARK) or len(payload) < _DEFLATED.size:
        return payload
    _, length = _DEFLATED.unpack_from(payload)
    if length > _most(len(payload), count):
        return None
    stream = zlib.decompressobj()
    try:
        # One byte more than announced tells that the head lies, without inflating the rest.
        made = stream.decompress(payload[_DEFLATED.size :], length + 1)
    except zlib.error:
        return None
    whole = len(made) == length and stream.eof and not stream.unused_data
    return made if whole else None


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
    # The head does not say of which kind a block is; by the key one in another's place is found.
    return blake2b(framed, digest_size=16, key=kind.encode()).digest()
