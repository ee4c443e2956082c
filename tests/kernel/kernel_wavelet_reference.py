"""The wavelet matrices and the Hamming scan once more, over a plain list of symbols."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable
from typing import overload

import numpy as np
from numpy.typing import NDArray

Symbols = NDArray[np.uint64]
"""Shape (n,) up to 64 bits, (n, 2) with the low word first above."""


def levels(symbols: list[int], bits: int) -> list[list[int]]:
    """Return the bits of each level: those of the symbols, which are then parted by them."""
    found = []
    for place in reversed(range(bits)):
        found.append([symbol >> place & 1 for symbol in symbols])
        symbols = sorted(symbols, key=lambda symbol: symbol >> place & 1)
    return found


def huffman_codes(symbols: list[int]) -> dict[int, list[int]]:
    """
    Return a code for each symbol, the shorter the more often it occurs.

    Nodes of a tree are numbered level by level: first what has a 0 last, then what has a 1, within
    both as what comes before is numbered. Codes end at the nodes numbered last, by symbol.
    """
    counts = sorted(Counter(symbols).items(), key=lambda item: (item[1], item[0]))
    heap = [(times, number, {symbol: 0}) for number, (symbol, times) in enumerate(counts)]
    for number in range(len(heap), 2 * len(heap) - 1):
        (some, _, left), (others, _, right) = heapq.heappop(heap), heapq.heappop(heap)
        deeper = {symbol: length + 1 for half in (left, right) for symbol, length in half.items()}
        heapq.heappush(heap, (some + others, number, deeper))
    lengths = heap[0][2] if heap else {}
    found: dict[int, list[int]] = {}
    nodes: list[list[int]] = [[]]
    for length in range(max(lengths.values(), default=-1) + 1):
        ending = sorted(symbol for symbol in lengths if lengths[symbol] == length)
        inner = len(nodes) - len(ending)
        found |= zip(ending, nodes[inner:], strict=True)
        nodes = [[*path, bit] for bit in (0, 1) for path in nodes[:inner]]
    return found


def huffman_levels(symbols: list[int]) -> list[list[int]]:
    """Return the bits of each level: of the codes that are long enough, which are then parted."""
    codes = huffman_codes(symbols)
    paths = [codes[symbol] for symbol in symbols]
    found: list[list[int]] = []
    while paths := [path for path in paths if len(path) > len(found)]:
        k = len(found)
        found.append([path[k] for path in paths])
        paths.sort(key=lambda path, k=k: path[k])  # type: ignore[misc]
    return found


def hamming_scan(
    codes: NDArray[np.uint8], code: NDArray[np.uint8], radius: int
) -> NDArray[np.uint64]:
    """Return the positions of (n, bytes) codes that differ from one in at most ``radius`` bits."""
    differing = np.unpackbits(codes ^ code, axis=1).sum(axis=1, dtype=np.uint64)
    return np.flatnonzero(differing <= radius).astype(np.uint64)


class WaveletMatrix:
    """A sequence of symbols of ``bits`` bits, asked by looking at every one."""

    def __init__(self, symbols: list[int], bits: int) -> None:
        self._symbols = symbols
        self.bits = bits

    @classmethod
    def build(cls, symbols: Symbols, bits: int) -> WaveletMatrix:
        """Make one of an array."""
        return cls(numbers(symbols), bits)

    def __len__(self) -> int:
        return len(self._symbols)

    @property
    def zeros(self) -> NDArray[np.uint64]:
        """How many bits of each level are 0."""
        return np.array([level.count(0) for level in self._levels()], np.uint64)

    def level(self, k: int) -> NDArray[np.uint8]:
        """Return level ``k`` packed into bytes, lowest bit first."""
        return np.packbits(self._levels()[k], bitorder="little")

    @overload
    def access(self, position: int) -> int: ...
    @overload
    def access(self, position: NDArray[np.uint64]) -> Symbols: ...
    def access(self, position: int | NDArray[np.uint64]) -> int | Symbols:
        """Return the symbol at a position, or at each."""
        if isinstance(position, int):
            return self._symbols[position]
        return self._array([self._symbols[i] for i in position.tolist()])

    @overload
    def rank(self, symbol: int, end: int) -> int: ...
    @overload
    def rank(
        self, symbol: int | Symbols, end: int | NDArray[np.uint64]
    ) -> NDArray[np.uint64] | int: ...
    def rank(
        self, symbol: int | Symbols, end: int | NDArray[np.uint64]
    ) -> NDArray[np.uint64] | int:
        """Return how often a symbol occurs before ``end``, or each before each."""
        return self._each(lambda c, i: self._symbols[:i].count(c), symbol, end)

    @overload
    def select(self, symbol: int, occurrence: int) -> int: ...
    @overload
    def select(
        self, symbol: int | Symbols, occurrence: int | NDArray[np.uint64]
    ) -> NDArray[np.uint64] | int: ...
    def select(
        self, symbol: int | Symbols, occurrence: int | NDArray[np.uint64]
    ) -> NDArray[np.uint64] | int:
        """Return where a symbol occurs for the time numbered ``occurrence``, counted from 0."""
        return self._each(
            lambda c, j: [i for i, found in enumerate(self._symbols) if found == c][j],
            symbol,
            occurrence,
        )

    def span(self, start: int, end: int) -> Symbols:
        """Return the symbols at positions ``start`` to ``end - 1``."""
        return self._array(self._symbols[start:end])

    def quantile(self, start: int, end: int, k: int) -> int:
        """Return the ``k``-th smallest symbol of a range, counted from 0."""
        return sorted(self._symbols[start:end])[k]

    def range_count(self, start: int, end: int, low: int, high: int) -> int:
        """Return how many symbols of a range are in [low, high)."""
        return sum(low <= symbol < high for symbol in self._symbols[start:end])

    def top_k(self, start: int, end: int, k: int) -> tuple[Symbols, NDArray[np.uint64]]:
        """Return the ``k`` most frequent symbols of a range and their counts; ties by symbol."""
        counts = Counter(self._symbols[start:end])
        best = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:k]
        return self._array([c for c, _ in best]), np.array([n for _, n in best], np.uint64)

    def next_occurrence(self, symbol: int, position: int) -> int | None:
        """Return the first position from ``position`` on that holds the symbol, or None."""
        places = range(position, len(self))
        return next((i for i in places if self._symbols[i] == symbol), None)

    def previous_occurrence(self, symbol: int, position: int) -> int | None:
        """Return the last position before ``position`` that holds the symbol, or None."""
        return next((i for i in reversed(range(position)) if self._symbols[i] == symbol), None)

    def ball(self, code: int, radius: int) -> NDArray[np.uint64]:
        """Return the positions of symbols that differ from the code in at most ``radius`` bits."""
        near = [i for i, c in enumerate(self._symbols) if (c ^ code).bit_count() <= radius]
        return np.array(near, np.uint64)

    def _levels(self) -> list[list[int]]:
        return levels(self._symbols, self.bits)

    def _array(self, symbols: list[int]) -> Symbols:
        words = np.array([[c % 2**64, c >> 64] for c in symbols], np.uint64).reshape(-1, 2)
        return words if self.bits > 64 else words[:, 0].copy()

    @staticmethod
    def _each(
        ask: Callable[[int, int], int], symbol: int | Symbols, index: int | NDArray[np.uint64]
    ) -> NDArray[np.uint64] | int:
        if isinstance(index, int):
            if isinstance(symbol, int):
                return ask(symbol, index)
            return np.array([ask(c, index) for c in numbers(symbol)], np.uint64)
        at = index.tolist()
        which = [symbol] * len(at) if isinstance(symbol, int) else numbers(symbol)
        return np.array([ask(c, i) for c, i in zip(which, at, strict=True)], np.uint64)


class HuffmanWaveletMatrix(WaveletMatrix):
    """The same sequence, its levels those of Huffman codes."""

    def _levels(self) -> list[list[int]]:
        return huffman_levels(self._symbols)


class DynamicWaveletMatrix(WaveletMatrix):
    """The same sequence, growing at its end."""

    def __init__(self, bits: int) -> None:
        super().__init__([], bits)

    def append(self, symbol: int) -> None:
        """Add a symbol at the end."""
        self._symbols.append(symbol)

    def extend(self, symbols: Symbols) -> None:
        """Add symbols at the end."""
        self._symbols += numbers(symbols)

    def seal(self) -> WaveletMatrix:
        """Return what it holds now as a matrix of its own."""
        return WaveletMatrix(list(self._symbols), self.bits)


def numbers(symbols: Symbols) -> list[int]:
    """Return symbols as ints."""
    if symbols.ndim == 1:
        return [int(symbol) for symbol in symbols.tolist()]
    return [low | high << 64 for low, high in symbols.tolist()]
