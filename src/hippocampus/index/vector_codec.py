"""
Pooled vectors as bytes and back: a few levels a dimension, spaced for a normal distribution.

A dimension of a unit vector is nearly normal, and J. Max's levels (Quantizing for minimum
distortion, IRE Transactions on Information Theory, 1960) lose least of such numbers: at 4 bits the
cosine of a vector and what is kept of it is .995. All sums are of whole numbers, so that every
processor makes the same bytes.
"""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippocampus.errors import EncoderError
from hippocampus.kernel import quantise_rows

_SCALE_BYTES: Final = 4
"""A float32, behind the levels."""
_WHOLE: Final = 8
"""Bits of a dimension that is kept as its signed byte."""

_LEVELS: Final = {
    2: (0.4528, 1.5104),
    3: (0.2451, 0.7560, 1.3439, 2.1520),
    4: (0.1284, 0.3881, 0.6568, 0.9424, 1.2562, 1.6181, 2.0690, 2.7326),
}
"""Max's levels above 0 by bits, in standard deviations; those below are the same (J. Max,
Quantizing for minimum distortion, 1960; docs/adr/0076)."""

_LEAST: Final = {2: 0.92, 3: 0.97, 4: 0.99}
"""Cosine of a vector and what is kept of it below which it keeps its bytes: it is far from normal,
mostly zeros perhaps. Of normal ones .94, .98 and .995 are left."""

BITS: Final = (*_LEVELS, _WHOLE)
"""Numbers of bits that a dimension may have."""


class _Table(NamedTuple):
    """Of one number of bits, by level counted from the lowest."""

    edges: NDArray[np.float64]
    """Borders between the levels above 0, in standard deviations."""
    bytes_: NDArray[np.int8]
    """The signed byte that each level stands for."""


@cache
def _table(bits: int) -> _Table:
    levels = np.array(_LEVELS[bits])
    bytes_ = np.rint(levels * (127 / levels[-1])).astype(np.int8)
    return _Table((levels[1:] + levels[:-1]) / 2, np.concatenate([-bytes_[::-1], bytes_]))


def pack_vectors(vectors: NDArray[np.float32], *, bits: int = 4) -> list[bytes]:
    """
    Return each vector's payload: its levels, ``bits`` a dimension, then their float32 scale.

    Raises:
        EncoderError: their dimension is no positive multiple of 8, which the kernels need.

    """
    dimension = vectors.shape[1]
    if dimension < 8 or dimension % 8:
        msg = (
            f"the embedder's vectors have {dimension} dimensions: must be a positive multiple of 8;"
            f" have it append zeros up to {8 * max(1, -(-dimension // 8))}, which changes no cosine"
        )
        raise EncoderError(msg)
    signed, scales = quantise_rows(np.ascontiguousarray(vectors, dtype=np.float32))
    whole = _joined(signed.view(np.uint8), scales)
    if bits == _WHOLE:
        return whole
    levels, longer, near = _to_levels(signed, _table(bits))
    fewer = _joined(_pack(levels, bits), (scales.astype(np.float64) * longer).astype(np.float32))
    keeps = (near >= _LEAST[bits]).tolist()
    return [few if keep else all_ for few, all_, keep in zip(fewer, whole, keeps, strict=True)]


def _joined(packed: NDArray[np.uint8], scales: NDArray[np.float32]) -> list[bytes]:
    return [b.tobytes() + s.astype("<f4").tobytes() for b, s in zip(packed, scales, strict=True)]


def unpack_vectors(
    lengths: NDArray[np.uint32], data: NDArray[np.uint8], dimension: int
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """
    Return vectors as signed bytes, shape (n, dimension), and their scales, shape (n,).

    Zeros where there is none, and where a payload is not as long as one may be.
    """
    signed = np.zeros((len(lengths), dimension), np.int8)
    scales = np.zeros(len(lengths), np.float32)
    for bits in BITS:
        width = dimension * bits // 8
        there = lengths == width + _SCALE_BYTES
        if not there.any():
            continue
        # Nearly always all are of one width, and then nothing is copied.
        own = data if there.all() else data[np.repeat(there, lengths)]
        own = own.reshape(-1, width + _SCALE_BYTES)
        signed[there] = (
            np.ascontiguousarray(own[:, :width]).view(np.int8)
            if bits == _WHOLE
            else _unpack(own[:, :width], bits)
        )
        scales[there] = np.ascontiguousarray(own[:, width:]).view("<f4").ravel()
    # A scale that is damaged makes no vector: NaN would spread through every sum.
    return signed, np.where(np.isfinite(scales), scales, np.float32(0))


def _to_levels(
    signed: NDArray[np.int8], table: _Table
) -> tuple[NDArray[np.uint8], NDArray[np.float64], NDArray[np.float64]]:
    """
    Return the level of each dimension, what makes vectors as long as before, and their cosines.

    Those of vectors with what is kept of them, 1 where there is nothing.
    """
    squares = _products(signed, signed)
    deviation = np.sqrt(squares / signed.shape[1])[:, None]
    size = np.abs(signed.astype(np.int16))  # of -128 there is no opposite in 8 bits
    above = np.zeros(signed.shape, np.uint8)
    for edge in table.edges.tolist():
        above += size >= edge * deviation
    half = len(table.bytes_) // 2
    levels = np.where(signed < 0, half - 1 - above, half + above).astype(np.uint8)
    made = table.bytes_[levels]
    kept = _products(made, made)
    near = np.ones(len(signed))
    some = squares > 0
    lengths = np.sqrt(squares[some].astype(np.float64) * kept[some])
    near[some] = _products(signed, made)[some] / lengths
    return levels, np.sqrt(squares / kept), near


def _products(one: NDArray[np.int8], other: NDArray[np.int8]) -> NDArray[np.int64]:
    """Return the inner product of each row and the other's, whole numbers."""
    products: NDArray[np.int64] = np.einsum("ij,ij->i", one.astype(np.int64), other)
    return products


def _pack(levels: NDArray[np.uint8], bits: int) -> NDArray[np.uint8]:
    """Return levels as bits, one after the other, the lowest first; eight fill ``bits`` bytes."""
    each = np.unpackbits(levels[:, :, None], axis=2, count=bits, bitorder="little")
    return np.packbits(each.reshape(len(levels), -1), axis=1, bitorder="little")


def _unpack(packed: NDArray[np.uint8], bits: int) -> NDArray[np.int8]:
    """Return the signed bytes that packed levels stand for, looked up several at a time."""
    table = _together(bits)
    count, rows = packed.shape[1] * 8 // bits, len(packed)
    if bits != 3:
        index = packed
    else:  # three bytes are two numbers of four levels each
        three = packed.reshape(rows, -1, 3).astype(np.uint16)
        index = np.empty((rows, three.shape[1], 2), np.uint16)
        index[:, :, 0] = three[:, :, 0] | (three[:, :, 1] & 15) << 8
        index[:, :, 1] = three[:, :, 1] >> 4 | three[:, :, 2] << 4
    return table[index].view(np.int8).reshape(rows, count)


@cache
def _together(bits: int) -> NDArray[np.uint32 | np.uint16]:
    """Return the bytes that levels stand for, those of several as one number, by all their bits."""
    together = 4 if bits < 4 else 2
    keys = np.arange(1 << together * bits)
    each = (keys[:, None] >> bits * np.arange(together)) & ((1 << bits) - 1)
    bytes_ = np.ascontiguousarray(_table(bits).bytes_[each])
    table: NDArray[np.uint32 | np.uint16] = bytes_.view(f"<u{together}").ravel()
    return table
