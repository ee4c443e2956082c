"""
The codes that differ from one in a few bits at most, found in the cheaper of two exact ways.

A scan compares every code, a fraction of a nanosecond each. A descent through a wavelet matrix
follows only what can still be within the radius (DWM, section 3.3): it costs nothing for codes that
are not there, and twenty nanoseconds a level for each one that is.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hippocampus.index.growable_array import GrowableArray, Versioned
from hippocampus.kernel import WaveletMatrix, hamming_scan

Way: TypeAlias = Literal["scan", "descent"]
Code: TypeAlias = NDArray[np.uint8]
"""One code, shape (bits / 8,), a little-endian number."""

STEP_NS: Final = 20.0
"""Nanoseconds of a descent for each level, for each node visited and each position found: this and
the next ones as measured on one machine (docs/adr/0013). Only their ratios choose a way, and both
ways find the same."""
CODE_NS: Final = {2: 0.45, 4: 0.45, 8: 0.15, 16: 0.7}
"""Nanoseconds of a scan for each code, by its bytes; others take ``_OTHER_NS``."""
_OTHER_NS: Final = 1.0
"""Nanoseconds of a scan for a code of any other length; a guess."""
FOUND_NS: Final = 5.0
"""Nanoseconds of a scan for each position found."""
_SAMPLE: Final = 4096
"""Codes that are looked at to estimate how many will be found (docs/adr/0013): a scan of two
microseconds."""
LEAST: Final = 1 << 17
"""Codes from which a matrix is kept: fewer are scanned before a descent has come down
(docs/adr/0013)."""


class Ball(NamedTuple):
    """Positions of codes within a radius, ascending, and how they were found."""

    positions: NDArray[np.int64]
    way: Way


class Codes(Versioned):
    """Codes of ``bits`` bits in a row, that grows at its end."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self._rows = GrowableArray(np.uint8, bits // 8)
        self._matrix = WaveletMatrix.build(_symbols(self._rows.view), bits)

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def nbytes(self) -> int:
        """Bytes held in memory."""
        return self._rows.nbytes + self._matrix.nbytes

    def extend(self, codes: NDArray[np.uint8]) -> None:
        """Append codes, shape (n, bits / 8)."""
        self._rows.extend(codes)

    def but(self, gone: NDArray[np.bool_]) -> NDArray[np.uint8]:
        """Return the codes but those of a mask, shape (n, bits / 8)."""
        return self._rows.view[~gone]

    @property
    def in_matrix(self) -> int:
        """Return the number of codes, the first ones, that are in the matrix."""
        return len(self._matrix)

    def build_matrix(self) -> None:
        """Build the matrix of all codes so far; the ones that follow are scanned."""
        self._matrix = WaveletMatrix.build(_symbols(self._rows.view), self.bits)

    def ball(self, code: Code, radius: int, *, way: Way | None = None) -> Ball:
        """
        Return the places of the codes that differ from one in at most ``radius`` bits.

        ``way``: how to look at the codes that are in the matrix; by estimate when None.
        """
        if way is None:
            if len(self) >= LEAST and 4 * len(self) >= 5 * self.in_matrix:
                self.build_matrix()  # so each code is put in five times at most, and none unasked
            way = self.cheaper(code, radius)
        if way == "scan":
            return Ball(hamming_scan(self._rows.view, code, radius).view(np.int64), way)
        matrix = self._matrix  # another reader may be building a longer one
        held = len(matrix)
        found = matrix.ball(_number(code), radius)
        rest = hamming_scan(self._rows.view[held:], code, radius) + np.uint64(held)
        return Ball(np.concatenate([found, rest]).view(np.int64), way)

    def cheaper(self, code: Code, radius: int) -> Way:
        """Return the way that is estimated to take less time for the codes in the matrix."""
        held = len(self._matrix)
        scan = self.scan_ns(held)
        least = _nodes(held, self.bits, radius)
        if not held or STEP_NS * least > scan:  # even a descent that finds nothing takes longer
            return "scan"
        many = self.occurrences(code, radius)
        descent = STEP_NS * (least + many * self.bits)
        return "descent" if descent < scan + FOUND_NS * many else "scan"

    def scan_ns(self, count: int) -> float:
        """Return about how long so many codes take a scan."""
        return count * CODE_NS.get(self.bits // 8, _OTHER_NS)

    def occurrences(self, code: Code, radius: int) -> int:
        """Return about how many codes are within a radius; exactly, for 0, of a whole matrix."""
        matrix = self._matrix
        held = len(matrix)
        same = matrix.rank(_number(code), held)
        if not radius and held == len(self):
            return same
        step = max(1, len(self) // _SAMPLE)
        sample = np.ascontiguousarray(self._rows.view[::step])
        return max(same, step * len(hamming_scan(sample, code, radius)))

    def holds(
        self, code: Code, starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Return a mask of the spans that hold the code itself: a difference of two ranks each."""
        matrix, symbol = self._matrix, _number(code)
        held = len(matrix)
        inside = np.minimum(np.concatenate([starts, ends]), held).astype(np.uint64)
        before, until = np.split(matrix.rank(symbol, inside), 2)
        there: NDArray[np.bool_] = until > before
        for place in np.flatnonzero(ends > held).tolist():
            rest = self._rows.view[max(int(starts[place]), held) : int(ends[place])]
            there[place] |= len(hamming_scan(rest, code, 0)) > 0
        return there


@lru_cache(maxsize=64)
def _nodes(codes: int, bits: int, radius: int) -> float:
    """Return the nodes that a descent visits where codes are spread evenly and none is near."""
    paths = [sum(math.comb(level, k) for k in range(radius + 1)) for level in range(1, bits + 1)]
    return sum(min(p, codes * p / 2.0**level) for level, p in enumerate(paths, 1))


def _number(code: Code) -> int:
    return int.from_bytes(code.tobytes(), "little")


def _symbols(codes: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return codes as a wavelet matrix takes them."""
    count, width = codes.shape
    wide = np.zeros((count, 8 if width <= 8 else 16), np.uint8)
    wide[:, :width] = codes
    numbers = wide.view("<u8")
    return numbers if width > 8 else numbers.ravel()
