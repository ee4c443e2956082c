"""Every kernel once more in plain NumPy: what the native ones are tested against."""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
from kernel_transformer_reference import Transformer
from kernel_wavelet_reference import (
    DynamicWaveletMatrix,
    HuffmanWaveletMatrix,
    WaveletMatrix,
    hamming_scan,
)
from numpy.typing import NDArray

__all__ = [
    "DynamicWaveletMatrix",
    "HuffmanWaveletMatrix",
    "Transformer",
    "WaveletMatrix",
    "hamming_scan",
]

TOP_LEVEL = 15
"""A query coordinate is rounded to the levels 0 to 15."""


def sign_codes(vectors: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Pack the signs of (n, d) vectors into (n, d/8) bytes, lowest bit first; 1 where x >= 0."""
    return np.packbits(vectors >= 0, axis=1, bitorder="little")


def scan_signs(codes: NDArray[np.uint8], query: NDArray[np.float32]) -> NDArray[np.float32]:
    """Estimate the cosine of a unit query with each code."""
    levels, scale = quantise_query(query)
    signs = 2 * np.unpackbits(codes, axis=1, bitorder="little").astype(np.int64) - 1
    with np.errstate(over="ignore"):  # beyond float32 it is infinite, as in C++
        return (signs @ (2 * levels - TOP_LEVEL)).astype(np.float32) * scale


def scan_turned(blocks: NDArray[np.uint8], query: NDArray[np.float32]) -> NDArray[np.float32]:
    """Do what ``scan_signs`` does for codes kept in blocks of 128, shape (blocks, bytes, 128)."""
    return scan_signs(blocks.transpose(0, 2, 1).reshape(-1, blocks.shape[1]), query)


def quantise_query(query: NDArray[np.float32]) -> tuple[NDArray[np.int64], np.float32]:
    """Round a query to levels; return them and what one unit of the integer sum is worth."""
    wide = query.astype(np.float64)
    largest = np.abs(wide).max()
    shares = wide / largest if largest > 0 else wide
    levels = ((shares + 1) * (TOP_LEVEL / 2) + 0.5).astype(np.int64)
    return levels, np.float32(largest / TOP_LEVEL / math.sqrt(2 * len(query) / math.pi))


def maxsim(
    codes: NDArray[np.uint8],
    offsets: NDArray[np.uint64],
    queries: NDArray[np.float32],
    rows: NDArray[np.uint32] | None = None,
) -> NDArray[np.float32]:
    """Estimate, for each span of codes and each query, the highest cosine within the span."""
    scores = np.zeros((len(codes), len(queries)), np.float32)
    for column, query in enumerate(queries):
        scores[:, column] = scan_signs(codes, query)
    spans = list(zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True))
    chosen = spans if rows is None else [spans[row] for row in rows]
    best = np.zeros((len(chosen), len(queries)), np.float32)
    for row, (start, end) in enumerate(chosen):
        if start < end:
            best[row] = scores[start:end].max(axis=0)
    return best


def quantise_rows(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Round each row to signed bytes, symmetric about 0; return the bytes and a scale a row."""
    largest = np.abs(vectors).max(axis=1, initial=0.0).astype(np.float64)
    inverse = np.divide(127.0, largest, out=np.zeros_like(largest), where=largest > 0)
    codes = np.rint(vectors * inverse[:, None]).astype(np.int8)
    return codes, (largest / 127.0).astype(np.float32)


def merge_rows(rows: NDArray[np.float32], count: int) -> NDArray[np.uint32]:
    """Merge, again and again, the two groups whose merging adds least to squared distances."""
    whole = np.rint(np.clip(rows.astype(np.float64), -1, 1) * 8192)
    groups = [[row] for row in range(len(rows))]
    while len(groups) > max(count, 1):
        sums = np.array([whole[own].sum(axis=0) for own in groups])
        sizes = np.array([len(own) for own in groups], np.float64)
        products = sums @ sums.T
        own = sizes[None, :] * np.diag(products)[:, None] / sizes[:, None]
        lost = (own + own.T - 2 * products) / (sizes[:, None] + sizes[None, :])
        lost[np.tril_indices(len(groups))] = np.inf
        first, second = divmod(int(lost.argmin()), len(groups))
        groups[first] += groups.pop(second)
    found = np.zeros(len(rows), np.uint32)
    for number, own in enumerate(groups):
        found[own] = number
    return found


def dot_rows(
    matrix: NDArray[np.int8],
    scales: NDArray[np.float32],
    query: NDArray[np.float32],
    rows: NDArray[np.uint32],
) -> NDArray[np.float32]:
    """Return the inner product of the query, rounded to 16 bits, with each quantised row named."""
    largest = float(np.abs(query).max(initial=0.0))
    inverse = 32767.0 / largest if largest > 0 else 0.0
    codes = np.rint(query.astype(np.float64) * inverse).astype(np.int64)
    sums = (matrix[rows].astype(np.int64) @ codes).astype(np.float64)
    found: NDArray[np.float32] = (sums * (largest / 32767.0) * scales[rows]).astype(np.float32)
    return found


def sum_rows(
    matrix: NDArray[np.int8],
    scales: NDArray[np.float32],
    rows: NDArray[np.uint32],
    groups: NDArray[np.uint32],
    count: int,
) -> NDArray[np.float32]:
    """Add up the quantised rows named, by group; return ``count`` sums, one a group."""
    sums = np.zeros((count, matrix.shape[1]), np.float64)
    np.add.at(sums, groups, matrix[rows] * scales[rows, None].astype(np.float64))
    return sums.astype(np.float32)


def top_k(
    scores: NDArray[np.float32], k: int, mask: NDArray[np.uint8] | None = None
) -> NDArray[np.uint32]:
    """Return the positions of the k highest scores where the mask is not 0, best first."""
    allowed = np.arange(len(scores)) if mask is None else np.flatnonzero(mask)
    chosen = scores[allowed]
    order = np.lexsort((allowed, -chosen, np.isnan(chosen)))
    return allowed[order[:k]].astype(np.uint32)


def best_two(
    codes: NDArray[np.int32], scores: NDArray[np.float32]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.float32]]:
    """Return the codes from 0 on, which of them each row has, and the two best scores of each."""
    found = np.unique(codes[codes >= 0])
    groups = np.where(codes < 0, len(found), np.searchsorted(found, codes))
    best = np.zeros((len(found) + 1, 2), np.float32)
    for group in range(len(found)):
        ranked = np.sort(scores[(groups == group) & (scores > 0)])[::-1][:2]
        best[group, : len(ranked)] = ranked
    return found, groups, best


class MappedRoom:
    """A part of a file in memory, with room behind it."""

    def __init__(self, descriptor: int, offset: int, nbytes: int, room: int) -> None:
        self.array = np.zeros(max(nbytes, room), np.uint8)
        self.array[:nbytes] = np.frombuffer(os.pread(descriptor, nbytes, offset), np.uint8)
        self.damaged = False


def checksum(raw: NDArray[np.uint8]) -> int:
    """Return XXH64 of some bytes, seed 0."""
    p1, p2, p3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
    p4, p5, most = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5, (1 << 64) - 1

    def rotated(x: int, by: int) -> int:
        return (x << by | x >> 64 - by) & most

    def mixed(lane: int, word: int) -> int:
        return rotated((lane + word * p2) & most, 31) * p1 & most

    data, at = raw.tobytes(), 0
    words = [int.from_bytes(data[i : i + 8], "little") for i in range(0, len(data) - 7, 8)]
    found = p5
    if len(data) >= 32:
        lanes = [(p1 + p2) & most, p2, 0, -p1 & most]
        at = len(data) // 32 * 4
        for place, word in enumerate(words[:at]):
            lanes[place % 4] = mixed(lanes[place % 4], word)
        found = sum(rotated(one, by) for one, by in zip(lanes, (1, 7, 12, 18), strict=True)) & most
        for lane in lanes:
            found = ((found ^ mixed(0, lane)) * p1 + p4) & most
    found = (found + len(data)) & most
    for word in words[at:]:
        found = (rotated(found ^ mixed(0, word), 27) * p1 + p4) & most
    rest = data[8 * len(words) :]
    if len(rest) >= 4:
        word, rest = int.from_bytes(rest[:4], "little"), rest[4:]
        found = (rotated(found ^ (word * p1 & most), 23) * p2 + p3) & most
    for byte in rest:
        found = rotated(found ^ (byte * p5 & most), 11) * p1 & most
    found = (found ^ found >> 33) * p2 & most
    found = (found ^ found >> 29) * p3 & most
    return found ^ found >> 32


class Bm25Index:
    """An append-only index over documents numbered from 0, scored by BM25: a list of counters."""

    def __init__(self) -> None:
        self._documents: list[Counter[int]] = []

    def __len__(self) -> int:
        return len(self._documents)

    def extend(self, terms: NDArray[np.uint32], offsets: NDArray[np.uint64]) -> None:
        """Append documents; document i is ``terms[offsets[i]:offsets[i + 1]]``."""
        for start, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
            self._documents.append(Counter(terms[start:end].tolist()))

    def pack(self) -> tuple[NDArray[np.uint32], ...]:
        """Return what it holds in plain arrays, terms in ascending order."""
        hashes = sorted(set().union(*self._documents))
        lists = [
            [row << 8 | min(d[term], 255) for row, d in enumerate(self._documents) if term in d]
            for term in hashes
        ]
        told = (
            hashes,
            list(map(len, lists)),
            [posting for one in lists for posting in one],
            [d.total() for d in self._documents],
            self.unheard(np.arange(len(self), dtype=np.uint32)),
        )
        return tuple(np.array(one, np.uint32) for one in told)

    def document_frequency(self, terms: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return in how many documents each term occurs."""
        counts = [sum(term in d for d in self._documents) for term in terms.tolist()]
        return np.array(counts, np.uint32)

    def unheard(self, rows: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return how many terms of each of some documents no earlier document has."""
        counts = [
            sum(not any(term in d for d in self._documents[:row]) for term in self._documents[row])
            for row in rows.tolist()
        ]
        return np.array(counts, np.uint32)

    def holding(
        self, terms: NDArray[np.uint32], mask: NDArray[np.uint8] | None
    ) -> NDArray[np.uint32]:
        """Return the documents with all of some terms, but where the mask is 0; none of none."""
        seen = np.ones(len(self), np.uint8) if mask is None else mask
        asked = set(terms.tolist())
        rows = [row for row, d in enumerate(self._documents) if seen[row] and asked <= d.keys()]
        return np.array(rows if asked else [], np.uint32)

    def score(
        self,
        terms: NDArray[np.uint32],
        weights: NDArray[np.float32] | None,
        mask: NDArray[np.uint8] | None,
        k1: float,
        b: float,
    ) -> NDArray[np.float32]:
        """Score every document; 0 where the mask is 0. A term asked for twice counts twice."""
        shares = self.contributions(terms, np.arange(len(self), dtype=np.uint32), k1, b)
        scores = (shares * (1.0 if weights is None else weights)).sum(axis=1, dtype=np.float64)
        return (scores if mask is None else np.where(mask != 0, scores, 0)).astype(np.float32)

    def contributions(
        self, terms: NDArray[np.uint32], rows: NDArray[np.uint32], k1: float, b: float
    ) -> NDArray[np.float32]:
        """Return what each term gives each document of ``rows``, unweighted."""
        lengths = [d.total() for d in self._documents]
        average = sum(lengths) / max(len(lengths), 1)
        shares = np.zeros((len(rows), len(terms)), np.float32)
        for column, (term, df) in enumerate(
            zip(terms.tolist(), self.document_frequency(terms).tolist(), strict=True)
        ):
            idf = math.log(1 + (len(self) - df + 0.5) / (df + 0.5))
            for place, row in enumerate(rows.tolist()):
                tf = min(self._documents[row][term], 255)
                if tf > 0:
                    norm = k1 * (1 - b + b * lengths[row] / average)
                    shares[place, column] = idf * tf / (tf + norm)
        return shares


_LOW = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


def _mix(z: int) -> int:
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _LOW
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _LOW
    return z ^ z >> 31


def draws(seed: int, domain: int, n: int) -> Iterator[int]:
    """Yield the numbers of one of splitmix64's streams, 64 bits each."""
    state = _mix(_mix(seed + domain & _LOW) + (n + 1) * _GOLDEN & _LOW)
    while True:
        state = state + _GOLDEN & _LOW
        yield _mix(state)


def base_vector(token: int, components: int, nonzeros: int, seed: int) -> NDArray[np.int64]:
    """Return a token's sparse random vector, shape (components,)."""
    vector = np.zeros(components, np.int64)
    numbers = draws(seed, 0, token)
    for i in range(nonzeros):
        at = next(at for x in numbers if not vector[at := (x >> 32) * components >> 32])
        vector[at] = 1 if i < nonzeros // 2 else -1
    return vector


def contexts(
    ids: NDArray[np.uint64],
    offsets: NDArray[np.uint64],
    components: int,
    nonzeros: int,
    window: int,
    seed: int,
) -> NDArray[np.int64]:
    """Return each token's sum of the vectors around it in its span, shape (n, components)."""
    known = {i: base_vector(i, components, nonzeros, seed) for i in set(ids.tolist())}
    sums = np.zeros((len(ids), components), np.int64)
    for start, stop in pairwise(offsets.tolist()):
        for i in range(start, stop):
            for j in range(max(start, i - window), min(stop, i + window + 1)):
                sums[i] += known[int(ids[j])]
    return sums


def top_signs(
    ids: NDArray[np.uint64],
    offsets: NDArray[np.uint64],
    *,
    components: int,
    nonzeros: int,
    window: int,
    bits: int,
    seed: int,
) -> NDArray[np.uint8]:
    """Return a signature for each token: the signs of its context's largest components."""
    sums = contexts(ids, offsets, components, nonzeros, window, seed)
    largest = np.argsort(-np.abs(sums), axis=1, kind="stable")[:, :bits]
    return _as_numbers(np.take_along_axis(sums, largest, axis=1) > 0)


def stable_order(keys: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the places of keys in ascending order, equal ones in theirs."""
    return np.argsort(keys, kind="stable").astype(np.uint32)


def plane_signs(
    ids: NDArray[np.uint64],
    offsets: NDArray[np.uint64],
    *,
    components: int,
    nonzeros: int,
    window: int,
    bits: int,
    seed: int,
) -> NDArray[np.uint8]:
    """Do the same with the sides of ``bits`` random hyperplanes that its context is on."""
    planes = np.zeros((components, bits), np.int64)
    for component in range(components):
        words = [x for x, _ in zip(draws(seed, 1, component), range(0, bits, 64), strict=False)]
        for k in range(bits):
            planes[component, k] = 1 if words[k // 64] >> k % 64 & 1 else -1
    return _as_numbers(contexts(ids, offsets, components, nonzeros, window, seed) @ planes > 0)


def _as_numbers(signs: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Pack bits, the highest first, into little-endian numbers."""
    return np.ascontiguousarray(np.packbits(signs, axis=1)[:, ::-1])


class BytePairs:
    """Byte pairs as they are defined: of neighbours that are a token, the first of the least."""

    def __init__(self, tokens: list[bytes]) -> None:
        self.ids = {token: place for place, token in enumerate(tokens)}

    def split(self, pieces: list[bytes]) -> list[int]:
        """Return the ids of pieces."""
        return [token for piece in pieces if piece for token in self._merged(piece)]

    def _merged(self, piece: bytes) -> list[int]:
        if piece in self.ids:
            return [self.ids[piece]]
        parts = [piece[at : at + 1] for at in range(len(piece))]
        while known := [
            (self.ids[left + right], at)
            for at, (left, right) in enumerate(pairwise(parts))
            if left + right in self.ids
        ]:
            _, at = min(known)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        return [self.ids[part] for part in parts]


_SPACE = "\t\n\x0b\x0c\r \x84"
_NUMBER = "0-9\x83"
_LETTER = "A-Za-z\x80-\x82"
_UPPER = "[A-Z\x80\x82\x87]"
_LOWER = "[a-z\x81\x82\x87]"
_BEFORE = rf"[^\r\n{_LETTER}{_NUMBER}]?"
_ENDING = "(?:'(?:[sStTmMdD]|[rR][eE]|[vV][eE]|[lL][lL]))?"
_PIECE = re.compile(
    rf"{_BEFORE}{_UPPER}*{_LOWER}+{_ENDING}|{_BEFORE}{_UPPER}+{_LOWER}*{_ENDING}"
    rf"|[{_NUMBER}]{{1,3}}| ?[^{_SPACE}{_LETTER}{_NUMBER}]+[\r\n/]*"
    rf"|[{_SPACE}]*[\r\n]+|[{_SPACE}]+(?![^{_SPACE}])|[{_SPACE}]+"
)


def piece_lengths(shapes: bytes) -> list[int]:
    """Return how long pieces are by the pattern of o200k_base, put into shapes."""
    return list(map(len, _PIECE.findall(shapes.decode("latin-1"))))


def unfold(shared: list[int], added: bytes) -> tuple[bytes, list[int]]:
    """Return lines, each of which begins as the one before it, and where they begin."""
    lines: list[bytes] = []
    for known, more in zip(shared, added.split(b"\n") if shared else [], strict=True):
        lines.append((lines[-1] if lines else b"")[:known] + more)
    ends = [len(b"\n".join(lines[: i + 1])) + 1 for i in range(len(lines))]
    return b"\n".join(lines), [0, *ends][: len(lines)]


class WordTable:
    """Words as a pattern finds them, in a dictionary."""

    LETTER = "[a-z0-9\xc0-\xd6\xd8-\xf6\xf8-\u024f]"

    def __init__(self) -> None:
        self.known: dict[str, tuple[int, float]] = {}

    def add(self, word: str, hashed: int, leaning: float) -> None:
        """Note a word that is not known yet."""
        self.known.setdefault(word, (hashed, leaning))

    def read(self, text: bytes) -> tuple[list[int], float, list[str]]:
        """Return hashes, what the different words say in sum, and those that are not known."""
        words = self.words(text)
        said = [self.known[word][1] for word in dict.fromkeys(words) if word in self.known]
        hashes = [self.known.get(word, (0, 0))[0] for word in words]
        unknown = [word for word in words if word not in self.known]
        return hashes, sum(said) if any(said) else math.inf, unknown

    def telling(self, text: bytes) -> dict[str, int]:
        """Count the words that say something of the language."""
        return dict(Counter(word for word in self.words(text) if self.known.get(word, (0, 0))[1]))

    def words(self, text: bytes) -> list[str]:
        """Return the words of a text in order."""
        low = re.sub("[A-Z]", lambda found: found[0].lower(), text.decode())
        return re.findall(rf"{self.LETTER}+(?:['\u2019]{self.LETTER}+)?", low)


class WordSets:
    """Sets of words, and which of them a text has by a pattern."""

    LETTER = (
        "[a-z\xc0-\xd6\xd8-\xde\xe0-\xf6\xf8-\u012f\u0132-\u0148\u014a-\u017e"
        "\u0180-\u01ef\u01f1-\u024f]"
    )
    SIGN = (
        "[\x00-\x7f\xa0-\xa9\xab-\xb1\xb4\xb6-\xb8\xbb\xbf\xd7\xf7\u2010-\u2027\u2030-\u205e\u20ac"
        "\u2122\u2190-\u23ff\u2500-\u2767\ufe0f\U0001f300-\U0001faff]"
    )

    def __init__(self) -> None:
        self.sets: list[frozenset[str]] = []

    def add(self, words: list[str]) -> int:
        """Note a set; return its number."""
        self.sets.append(frozenset(words))
        return len(self.sets) - 1

    def read(self, text: bytes) -> dict[str, object]:
        """Return all that is found, by the names of what returns it."""
        low = re.sub("[A-Z]", lambda found: found[0].lower(), text.decode())
        words = [(found[0], found.start()) for found in re.finditer(f"{self.LETTER}+", low)]
        return {
            "size": len(words),
            "is_latin": re.fullmatch(f"(?:{self.LETTER}|{self.SIGN})*", low) is not None,
            "has_digit": re.search("[0-9]", low) is not None,
            "has_marked": not "".join(word for word, _ in words).isascii(),
            "places": [[at for word, at in words if word in of] for of in self.sets],
            "words": [of.intersection(word for word, _ in words) for of in self.sets],
        }


class TimeWords:
    """Words, numbers and marks as a pattern finds them, their parts in a dictionary."""

    MORE = "0-9_\x80-\xff"
    WORD = "[A-Za-z]+(?:'(?![sS](?![A-Za-z]))[A-Za-z]+)*+"
    ASKED = (
        rf"{WORD}(?:'[sS]?+)?[{MORE}]"
        rf"|[0-9]++(?:[A-Za-z_\x80-\xff']|[.,:/-][{MORE}])|[0-9]{{5}}"
        r"|[0-9]++ (?:[aApP][.mM]|[oO]['_\x80-\xff])"
        rf"|'[sS]?+[{MORE}]|[_\x80-\xff]"
    )
    TOKEN = re.compile(
        rf"(?P<space>[\t-\r\x1c-\x20])|(?P<asked>{ASKED})|(?P<word>{WORD})|(?P<number>[0-9]+)"
        r"|(?P<mark>'[sS](?![A-Za-z])|.)"
    )

    def __init__(self, word: int, mark: int, number: int) -> None:
        self.parts = {"word": word, "mark": mark, "number": number}
        self.known: dict[str, int] = {}

    def add(self, word: str, part: int) -> None:
        """Note the part of a word or mark."""
        self.known[word] = part

    def read(
        self, text: bytes, ask: Callable[[int, int], tuple[int, int] | None]
    ) -> tuple[bytes, list[int]]:
        """Return the parts of the tokens, and where each begins and ends."""
        said, parts, places, at = text.decode("latin-1"), bytearray(), [], 0
        while at < len(said):
            found = self.TOKEN.match(said, at)
            kind, end = found.lastgroup, found.end()
            told = (self.known.get(found[0].lower(), self.parts.get(kind)), end)
            if kind == "asked":
                told = ask(len(parts), at)
            if kind == "space" or told is None:
                at += 1
                continue
            parts.append(told[0])
            places += [at, told[1]]
            at = told[1]
        return bytes(parts), places
