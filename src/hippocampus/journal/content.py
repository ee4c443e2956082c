"""
The token stream of a bank, and the only place where its texts are.

What is new is a row of the tail: the ids of one text. Once enough rows are together they are sealed
into a segment, one wavelet matrix over the ids of all of them, with fewer bits for what is
frequent: in less than half the bytes. A text is read back by decoding its span (DWM, section
3.2.2).
"""

from __future__ import annotations

import struct
import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from operator import itemgetter
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.background_yield import pause, pausing
from hippocampus.core.events import JournalEvent, RecallsNoted, Remembered, class_of
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.records import Block, Store
from hippocampus.encode import tokens as tokenizer
from hippocampus.encode.token_matcher import LOST, SPELLED, Mask, TokenPattern
from hippocampus.errors import StoreCorrupt
from hippocampus.journal.lately_read import LatelyRead, Text
from hippocampus.kernel import HuffmanWaveletMatrix, WaveletMatrix

_HEAD = struct.Struct("<4sHH")
"""Magic, version, vocabulary; little-endian. After it as many lengths in tokens as the block has
rows, then the matrix. Version 1 had lengths of four bytes and a matrix without codes."""
_MAGIC = b"HipC"
_VERSION = 2
"""Version that is written: 2, half as large, has the Huffman-shaped matrix (docs/adr/0014)."""

_MORE = 128
"""Added to a byte of a length that another one follows, of seven bits each, the lowest first: known
as LEB128. The length of a text of fewer than 128 tokens takes one byte."""
_LONGEST = 4
"""Bytes of a length at most: it is below 2**28."""

KEPT_BYTES = 64 << 20
"""Memory that segments may take together; the ones read longest ago go first (docs/adr/0012)."""
_PLACES_A_TEXT = 10
"""Places that are looked at in the time in which one text is decoded and searched."""
_REST = 4
"""Part of the unsealed rows that may lie apart until all are put together anew: the fewer, the more
often a bank's tail is built, the more, the more segments a search walks. Chosen by hand."""
_ADDS: frozenset[type[JournalEvent]] = frozenset({Remembered, RecallsNoted})
"""Changes that only add, so that texts unsealed before them are still valid."""

Ids: TypeAlias = NDArray[np.uint64]
Places: TypeAlias = NDArray[np.int64]
Marks: TypeAlias = list[tuple[int, int, bytes]]
"""First row, count of rows and mark of every segment of a bank, in order."""


@immutable(kw_only=False, eq=False)
class Segment:
    """The ids of consecutive rows. ``ends``: where each row's end, from 0, shape (rows + 1,)."""

    first: int
    ends: NDArray[np.int64]
    matrix: HuffmanWaveletMatrix | WaveletMatrix

    @classmethod
    def of(cls, first: int, ids: Sequence[Ids]) -> Segment:
        """Seal the ids of consecutive rows; a row without a text has none."""
        ends = np.cumsum([0, *map(len, ids)])
        symbols = np.concatenate(ids) if ids else np.empty(0, np.uint64)
        return cls(first, ends, HuffmanWaveletMatrix.build(symbols, tokenizer.BITS))

    @classmethod
    def load(cls, block: Block, *, path: str) -> Segment:
        """
        Read a sealed block, in place.

        Raises:
            StoreCorrupt: it is not a segment, or one of a vocabulary that we do not have.

        """
        try:
            wrong = _misfit(block)
            if wrong is None:
                lengths, start = _lengths(block)
                ends = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
                kind = WaveletMatrix if _version(block) == 1 else HuffmanWaveletMatrix
                matrix = kind.load(memoryview(block.payload)[start:])
                if (len(matrix), matrix.bits) == (ends[-1], tokenizer.BITS):
                    return cls(block.first, ends, matrix)
                wrong = f"{len(matrix)} ids of {matrix.bits} bits where its rows have {ends[-1]}"
        except ValueError as exc:
            wrong = str(exc)
        msg = f"the texts of rows {block.first} to {block.first + block.count - 1}: {wrong}"
        raise StoreCorrupt(msg, path=path)

    def to_block(self) -> Block:
        """Return the segment as bytes for ``load``."""
        matrix = self.matrix
        if isinstance(matrix, WaveletMatrix):  # read from a segment of version 1
            matrix = HuffmanWaveletMatrix.build(matrix.span(0, len(matrix)), tokenizer.BITS)
        head = _HEAD.pack(_MAGIC, _VERSION, tokenizer.VOCABULARY_NUMBER)
        lengths = pack_lengths(np.diff(self.ends))
        return Block(self.first, len(self), head + lengths + matrix.to_bytes())

    def __len__(self) -> int:
        return len(self.ends) - 1

    @property
    def nbytes(self) -> int:
        """Bytes of memory held."""
        return self.matrix.nbytes + self.ends.nbytes

    def ids(self, rows: Sequence[int]) -> list[Ids]:
        """Return each row's ids; ``rows`` ascend."""
        first, span = self.first, self.matrix.span
        if rows and rows[-1] - rows[0] == len(rows) - 1 > 0:  # neighbours: decoded in one go
            ends = self.ends[rows[0] - first : rows[-1] - first + 2].tolist()
            whole = span(ends[0], ends[-1])
            return [whole[a - ends[0] : b - ends[0]] for a, b in pairwise(ends)]
        at = self.ends.data  # the quickest way to single numbers of an array
        return [span(at[row - first], at[row - first + 1]) for row in rows]

    def candidates(
        self, phrases: Sequence[TokenPattern], allowed: Mask
    ) -> tuple[Places, NDArray[np.bool_]]:
        """
        Return the rows in which all of some phrases may occur, in order; in no other they do.

        And, of each, whether it is unsure until its text is read.

        The rarest is looked for first (DWM, section 3.2.2), and each further one in the rows that
        are left, until to read their texts, which tells as well, takes less than to look for it.

        Args:
            phrases: what to look for, at least one.
            allowed: which rows may be returned, shape (len(self),).

        """
        often = [self._often(phrase) for phrase in phrases]
        places = [int(first.sum() + second.sum()) for first, second in often]
        rows = np.flatnonzero(allowed)
        unsure = np.zeros(len(self), np.bool_)
        for nth, which in enumerate(sorted(range(len(phrases)), key=places.__getitem__)):
            if nth and places[which] > _PLACES_A_TEXT * len(rows):
                unsure[:] = True
                break
            there, surely = self._spelled(phrases[which], *often[which], allowed)
            allowed, certain = np.zeros((2, len(self)), np.bool_)
            allowed[there] = True
            certain[there[surely]] = True  # once is enough
            unsure |= ~certain
            rows = np.flatnonzero(allowed)
        return self.first + rows, unsure[rows]

    def count(self, word: TokenPattern, allowed: Mask) -> tuple[Places, Mask]:
        """
        Return the count of a word in each row allowed, by the ids alone, and the unsure rows.

        Args:
            word: what is ``alone``.
            allowed: which rows count, shape (len(self),).

        """
        rows, surely = self._spelled(word, *self._often(word), allowed)
        unsure = np.zeros(len(self), np.bool_)
        unsure[rows[~surely]] = True
        return np.bincount(rows, minlength=len(self)), unsure

    def _spelled(
        self, phrase: TokenPattern, first: Places, second: Places, allowed: Mask
    ) -> tuple[Places, Mask]:
        """
        Return the row of each place where a phrase may be spelled, and whether it surely is.

        Args:
            phrase: what to look for.
            first: how often to look up each of ``phrase.first``, as ``_often`` says.
            second: how often each of ``phrase.second``.
            allowed: which rows count, shape (len(self),).

        """
        access, ends = self.matrix.access, self.ends
        places, kind = self._beginnings(phrase, first, second)
        rows = np.searchsorted(ends, places, "right") - 1
        fits, surely = allowed[rows], phrase.surely[kind]
        beside = np.flatnonzero(fits & phrase.at_edge[kind] & (places > ends[rows]))
        may, known = phrase.may_follow(access((places[beside] - 1).astype(np.uint64)))
        fits[beside], surely[beside] = may, surely[beside] & known
        places, rows, states = places[fits], rows[fits], phrase.begun[kind[fits]]
        surely = surely[fits]
        found: list[tuple[Places, Mask]] = []
        while len(places):  # as often as there are ids in the longest spelling
            places = places + 1
            over = (places == ends[rows + 1]) | (states == SPELLED)
            whole = over & phrase.spelled(states)
            found.append((rows[whole], surely[whole]))
            places, rows, states, surely = (part[~over] for part in (places, rows, states, surely))
            states, known = phrase.step(states, access(places.astype(np.uint64)))
            going = states != LOST
            places, rows, states = places[going], rows[going], states[going]
            surely = (surely & known)[going]
        if not found:
            return np.empty(0, np.int64), np.empty(0, np.bool_)
        return np.concatenate([one for one, _ in found]), np.concatenate([s for _, s in found])

    def _often(self, phrase: TokenPattern) -> tuple[Places, Places]:
        """
        Return the number of look-ups of each of ``phrase.first`` and of ``phrase.second``.

        Where it takes more than one id, the rarer of the first two is looked for, as the ranks
        have it: "aardvark" begins with " a" as much else does, but few things go on like it.
        """
        matrix, begun, going = self.matrix, phrase.begun, phrase.going
        first = matrix.rank(phrase.first, len(matrix)).astype(np.int64)
        second = matrix.rank(phrase.second, len(matrix)).astype(np.int64)
        turned = np.bincount(begun, first, phrase.states) > np.bincount(
            going, second, phrase.states
        )
        # Where one id spells all of it there is no second to look for.
        turned[phrase.spelled(np.arange(phrase.states))] = False
        return np.where(turned[begun], 0, first), np.where(turned[going], second, 0)

    def _beginnings(
        self, phrase: TokenPattern, first: Places, second: Places
    ) -> tuple[Places, Places]:
        """Return the places where a phrase may begin, and the index in ``phrase.first`` of each."""
        places, kind = self._all(phrase.first, first)
        later, which = self._all(phrase.second, second)
        later, which = later[later > 0], which[later > 0]  # the very first id follows none
        before = phrase.find(phrase.going[which], self.matrix.access((later - 1).astype(np.uint64)))
        known = before >= 0
        return np.append(places, later[known] - 1), np.append(kind, before[known])

    def _all(self, ids: Ids, often: Places) -> tuple[Places, Places]:
        """Return the places of the first ``often`` of each id, and the index in ``ids`` of each."""
        which = np.repeat(np.arange(len(ids)), often)
        nth = np.arange(len(which)) - np.repeat(np.cumsum(often) - often, often)
        return self.matrix.select(ids[which], nth.astype(np.uint64)).astype(np.int64), which


def _misfit(block: Block) -> str | None:
    """Return the fault of a segment's head, if it has one."""
    if len(block.payload) < _HEAD.size:
        return f"{len(block.payload)} bytes cannot hold a head of {_HEAD.size}"
    magic, version, vocabulary = _HEAD.unpack_from(block.payload)
    if magic != _MAGIC or not 1 <= version <= _VERSION:
        return (
            f"they begin with {magic!r} version {version}, not {_MAGIC!r} version 1 or {_VERSION}"
        )
    if vocabulary != tokenizer.VOCABULARY_NUMBER:
        return (
            f"ids of vocabulary {vocabulary}, and this version knows only"
            f" {tokenizer.VOCABULARY_NUMBER}, {tokenizer.VOCABULARY}; upgrade hippocampus"
        )
    return None


def _version(block: Block) -> int:
    version: int = _HEAD.unpack_from(block.payload)[1]
    return version


def pack_lengths(lengths: Places) -> bytes:
    """Return lengths as segments have them."""
    packed = bytearray()
    for length in lengths.tolist():
        left = length
        while left >= _MORE:
            packed.append(left & (_MORE - 1) | _MORE)
            left >>= 7
        packed.append(left)
    return bytes(packed)


def _lengths(block: Block) -> tuple[Places, int]:
    """
    Return the lengths of a segment's rows in tokens, and where its matrix begins.

    Raises:
        ValueError: there are fewer, or one is longer than any text.

    """
    if _version(block) == 1:
        lengths = np.frombuffer(block.payload, "<u4", block.count, _HEAD.size)
        return lengths.astype(np.int64), _HEAD.size + 4 * block.count
    raw = np.frombuffer(block.payload, np.uint8, offset=_HEAD.size)
    stops = np.flatnonzero(raw < _MORE)[: block.count] + 1
    sizes = np.diff(stops, prepend=0)
    if len(stops) < block.count or sizes.max(initial=0) > _LONGEST:
        msg = f"{len(block.payload)} bytes cannot hold the lengths of {block.count} texts"
        raise ValueError(msg)
    end = int(stops[-1]) if len(stops) else 0
    starts = stops - sizes
    parts = (raw[:end] & (_MORE - 1)).astype(np.int64)
    parts <<= 7 * (np.arange(end) - np.repeat(starts, sizes))
    lengths = np.add.reduceat(parts, starts) if end else parts
    return lengths, _HEAD.size + end


@immutable(kw_only=False, eq=False)
class Unsealed:
    """The texts of a bank that are in no sealed segment, as they were after one of its changes."""

    seq: int
    segments: tuple[Segment, ...]
    """One after another; the last may be a few rows that have come since."""

    @property
    def start(self) -> int:
        """The first row."""
        return self.segments[0].first

    @property
    def stop(self) -> int:
        """The row after the last."""
        return self.segments[-1].first + len(self.segments[-1])

    @property
    def nbytes(self) -> int:
        """Bytes of memory held."""
        return sum(segment.nbytes for segment in self.segments)

    def grown(self, seq: int, ids: Sequence[Ids]) -> Unsealed:
        """Return it with the rows that have come until another change."""
        *_, last = whole = list(self.segments)
        if not ids:
            return Unsealed(seq, self.segments)
        if len(whole) > 1:
            ids = [*last.ids(range(last.first, last.first + len(last))), *ids]
            whole.pop()
        first = whole[0]
        if len(ids) * _REST > len(first):
            ids = [*first.ids(range(first.first, first.first + len(first))), *ids]
            return Unsealed(seq, (Segment.of(first.first, ids),))
        return Unsealed(seq, (first, Segment.of(first.first + len(first), ids)))


class Segments:
    """Cache of read segments, for all banks of a store. Safe to share between threads."""

    def __init__(self, limit: int = KEPT_BYTES) -> None:
        self._limit = limit
        self._marks: dict[int, tuple[int, Marks]] = {}
        self._kept: OrderedDict[tuple[int, int], tuple[bytes, Segment]] = OrderedDict()
        self._bytes = 0
        self._unsealed: dict[int, Unsealed] = {}
        self.lately = LatelyRead()
        self._lock = threading.Lock()

    def marks(self, store: Store, bank: int) -> Marks:
        """Return the segments of a bank; asked of the store only when it has changed."""
        seen = store.changes()
        known = self._marks.get(bank)
        if known is not None and known[0] == seen:
            return known[1]
        marks = store.payloads.block_marks(bank, "content")
        if store.changes() == seen:  # else they may belong to a later moment
            self._marks[bank] = seen, marks
        return marks

    def get(self, bank: int, first: int, mark: bytes) -> Segment | None:
        """Return a segment that was kept, if it is still the one of that mark."""
        with self._lock:
            kept = self._kept.get((bank, first))
            if kept is None or kept[0] != mark:
                return None
            self._kept.move_to_end((bank, first))
            return kept[1]

    def unsealed(self, bank: int) -> Unsealed | None:
        """Return the unsealed rows of a bank as last looked at, if they were kept."""
        return self._unsealed.get(bank)

    def keep_unsealed(self, bank: int, unsealed: Unsealed) -> None:
        """Keep the unsealed rows of a bank, in place of those there before."""
        with self._lock:
            known = self._unsealed.get(bank)
            # A slower thread may bring an older state.
            if known is None or known.seq <= unsealed.seq:
                self._unsealed[bank] = unsealed

    def nbytes(self, bank: int | None = None) -> int:
        """Return the bytes that are kept, of one bank or of all."""
        lately = self.lately.nbytes(bank)
        with self._lock:
            lately += sum(u.nbytes for of, u in self._unsealed.items() if bank in (None, of))
            if bank is None:
                return self._bytes + lately
            return lately + sum(s.nbytes for (of, _), (_, s) in self._kept.items() if of == bank)

    def drop(self, bank: int) -> None:
        """Let go of all that is kept of a bank: what is erased must leave memory, too."""
        with self._lock:
            self._marks.pop(bank, None)
            self._unsealed.pop(bank, None)
            self.lately.drop(bank)
            for key in [key for key in self._kept if key[0] == bank]:
                self._bytes -= self._kept.pop(key)[1].nbytes

    def keep(self, bank: int, first: int, mark: bytes, segment: Segment) -> None:
        """Keep a segment in place of an earlier one, and let others go if it gets too much."""
        with self._lock:
            earlier = self._kept.pop((bank, first), None)
            if earlier is not None:
                self._bytes -= earlier[1].nbytes
            self._kept[bank, first] = mark, segment
            self._bytes += segment.nbytes
            # One that is larger than the limit by itself stays, or each read would load it anew.
            while self._bytes > self._limit and len(self._kept) > 1:
                _, (_, oldest) = self._kept.popitem(last=False)
                self._bytes -= oldest.nbytes


class Content:
    """The texts of one bank. Reads may be called anywhere; writes inside ``store.write()``."""

    def __init__(self, store: Store, bank: int, segments: Segments) -> None:
        self._store = store
        self._bank = bank
        self._segments = segments

    def ids(self, rows: Collection[int]) -> dict[int, Ids]:
        """
        Return the ids of rows that have a text.

        What is erased has none, and what is damaged comes out as if it had none: ``check`` tells
        them apart.
        """
        wanted = sorted(set(rows))
        held, unsealed = self._places(wanted)
        # What is in memory is read without a transaction: by its mark it is what the store has.
        kept = [self._segments.get(self._bank, *known) for known in held]
        segments = kept
        stored: dict[int, bytes] = {}
        if unsealed or None in kept:
            with self._store.read():  # what is sealed meanwhile moves, what is erased changes
                held, unsealed = self._places(wanted)
                segments = [self._readable(*known) for known in held]
                stored = self._store.payloads.read(self._bank, "content", unsealed)
        found: dict[int, Ids] = {}
        for segment, inside in zip(segments, held.values(), strict=True):
            if segment is not None:
                found |= zip(inside, segment.ids(inside), strict=True)
        if stored:
            found |= self.unpacked(stored)
        return {row: ids for row, ids in found.items() if len(ids)}

    def texts(self, rows: Collection[int]) -> dict[int, Text]:
        """Return the texts of rows, ascending, each with its length in tokens."""
        seen = self._store.changes()
        lately = self._segments.lately
        known = lately.of(self._bank, seen).texts
        fresh = [row for row in rows if row not in known]
        decoded: dict[int, Text] = {}
        if fresh:
            with self._store.read():
                moment = self._store.changes()
                ids = self.ids(fresh)
            for row, made in pausing(ids.items()):
                try:
                    decoded[row] = self._decode(row, made), len(made)
                except StoreCorrupt as exc:
                    self._note(row, exc)
            if moment == seen:  # else they are of a later moment
                lately.keep_texts(self._bank, seen, decoded)
        if len(fresh) == len(rows):
            return decoded
        decoded |= ((row, known[row]) for row in rows if row in known)
        return {row: decoded[row] for row in sorted(decoded)}

    def check(self, row: int) -> None:
        """
        Read the text of an episode that is not erased.

        Raises:
            StoreCorrupt: it is damaged, or not there.

        """
        for first, mark in self._places([row])[0]:
            self._segment(first, mark)
        if row not in self.texts([row]):
            raise StoreCorrupt(self._missing(row), path=self._store.path)

    def note_missing(self, rows: Collection[int]) -> None:
        """Note the damage of rows that are not erased and have no text, unless it is noted."""
        held, unsealed = self._places(sorted(rows))
        for (first, _), inside in held.items():
            if not self._store.upkeep.damage(self._bank, "content", first):
                unsealed += inside
        for row in unsealed:
            self._missing(row)

    def _missing(self, row: int) -> str:
        """Return the reason why a row that is not erased has no text, and note it."""
        upkeep = self._store.upkeep
        if not upkeep.damage(self._bank, "content", row):
            missing = f"the text of row {row} of bank {self._bank} is missing"
            upkeep.note_damage(self._bank, "content", row, missing)
        return upkeep.damage(self._bank, "content", row)[0]

    def count(self, phrase: TokenPattern, allowed: Mask) -> dict[int, int]:
        """
        Return the count of a phrase in each of the rows allowed that have it, in order.

        Raises:
            StoreCorrupt: the text of one of them is damaged: a number could not say so.

        """
        lost: list[str] = []
        found = self._count(phrase, allowed, lost)
        if lost:
            raise StoreCorrupt(in_one(lost, self._store.path), path=self._store.path)
        return found

    def _count(self, phrase: TokenPattern, allowed: Mask, lost: list[str]) -> dict[int, int]:
        # Occurrences may overlap, and only the text tells which of them count.
        if not phrase.alone:
            likely = self._likely(phrase, allowed, lost)
            counted = ((row, phrase.count(text)) for row, text in likely)
            return {row: times for row, times in counted if times}
        found: dict[int, int] = {}
        with self._store.read():
            for segment in self._stream(allowed, lost):
                first = segment.first
                times, unsure = segment.count(phrase, _within(segment, allowed))
                doubtful = (np.flatnonzero(unsure) + first).tolist()
                times[unsure] = 0
                for row, text in self._decoded(segment, doubtful, lost):
                    times[row - first] = phrase.count(text)
                rows = np.flatnonzero(times)
                found.update(zip((rows + first).tolist(), times[rows].tolist(), strict=True))
        return found

    def find(self, phrases: Sequence[TokenPattern], allowed: Mask) -> list[int]:
        """
        Return those of the rows allowed that have all of some phrases, in order.

        What is damaged is left out, and noted.
        """
        found: list[int] = []
        lost: list[str] = []
        with self._store.read():
            for segment in self._stream(allowed, lost):
                rows, unsure = segment.candidates(phrases, _within(segment, allowed))
                read = self._decoded(segment, rows[unsure].tolist(), lost)
                also = {row for row, text in read if all(one.count(text) for one in phrases)}
                doubtful = zip(rows.tolist(), unsure.tolist(), strict=True)
                found += [row for row, is_unsure in doubtful if not is_unsure or row in also]
        return found

    def _likely(
        self, phrase: TokenPattern, allowed: Mask, lost: list[str]
    ) -> Iterator[tuple[int, str]]:
        """
        Yield the texts of all rows that have a phrase, in order, and few others.

        Nothing else is decoded: where the ids of phrases are, the matrices tell.
        """
        with self._store.read():
            for segment in self._stream(allowed, lost):
                rows, _ = segment.candidates([phrase], _within(segment, allowed))
                yield from self._decoded(segment, rows.tolist(), lost)

    def _decoded(
        self, segment: Segment, rows: list[int], lost: list[str]
    ) -> Iterator[tuple[int, str]]:
        """Yield the texts of rows of a segment that can be read; add to ``lost`` why others not."""
        for row, ids in zip(rows, segment.ids(rows), strict=True):
            try:
                yield row, self._decode(row, ids)
            except StoreCorrupt as exc:
                lost.append(self._note(row, exc))

    def _stream(self, allowed: Mask, lost: list[str]) -> Iterator[Segment]:
        """
        Yield the segments that hold rows allowed; in the end those of what is not sealed yet.

        Messages on what of them is damaged are added to ``lost``, and noted.
        """
        stop = 0
        for first, count, mark in self._segments.marks(self._store, self._bank):
            pause()
            if allowed[stop:first].any():  # rows between two segments: a block is missing
                lost.append(self._missing(stop))
            stop = first + count
            if not allowed[first:stop].any():
                continue
            try:
                segment = self._segment(first, mark)
            except StoreCorrupt as exc:
                lost.append(self._note(first, exc))
            else:
                yield segment
        if allowed[stop:].any():
            segments, missing = self._not_sealed(stop, len(allowed))
            seen = (row for row in missing if row < len(allowed) and allowed[row])
            lost += map(self._missing, seen)
            yield from segments

    def _not_sealed(self, start: int, stop: int) -> tuple[Sequence[Segment], Sequence[int]]:
        """
        Return the rows not sealed yet, from ``start`` on, ``stop`` rows of the bank at least.

        And which of them are not there.
        """
        settled = self._store.changes() >= 0  # else a change is under way that may be taken back
        seq = self._store.journal.last_seq(self._bank)
        known = self._segments.unsealed(self._bank) if settled else None
        if known is None or known.start != start or not self._only_grew(known, seq):
            ids, missing = self._tail(start, stop)
            made = Unsealed(seq, (Segment.of(start, ids),))
        elif known.seq == seq:
            return known.segments, ()
        else:
            ids, missing = self._tail(known.stop, stop)
            made = known.grown(seq, ids)
        if settled and not missing:
            self._segments.keep_unsealed(self._bank, made)
        return made.segments, missing

    def _only_grew(self, known: Unsealed, seq: int) -> bool:
        """Return whether rows were added since, and no text changed."""
        if known.seq >= seq:
            return known.seq == seq
        since = self._store.journal.read(self._bank, after=known.seq)
        return {class_of(change.kind) for change in since} <= _ADDS

    def _tail(self, start: int, stop: int) -> tuple[list[Ids], list[int]]:
        """Return the ids of all unsealed rows, up to ``stop`` at least; and which are not there."""
        tail = dict(self._store.payloads.tail(self._bank, "content", start=start))
        known = self.unpacked(tail)
        # More may have come since the caller counted the rows.
        rows = range(start, max(stop, 1 + max(tail, default=-1)))
        none = np.empty(0, np.uint64)
        return [known.get(row, none) for row in rows], [row for row in rows if row not in known]

    def blank(self, rows: Collection[int]) -> None:
        """Take the texts of rows out of the stream; segments that held them are made anew."""
        held, unsealed = self._places(sorted(rows))
        for known, inside in held.items():
            segment = self._segment(*known)
            every = range(segment.first, segment.first + len(segment))
            ids = segment.ids(every)
            for row in inside:
                ids[row - segment.first] = np.empty(0, np.uint64)
            made = Segment.of(segment.first, ids).to_block()
            self._store.payloads.put_block(self._bank, "content", made)
        # Empty, and not taken away: a row that has no payload at all is damaged.
        self._store.payloads.put(self._bank, "content", [(row, b"") for row in unsealed])

    def unpacked(self, payloads: Mapping[int, bytes]) -> dict[int, Ids]:
        """Return the ids of rows of the tail, unpacked in one go."""
        ends = accumulate(
            (len(payload) // tokenizer.ID_BYTES for payload in payloads.values()), initial=0
        )
        try:
            whole = tokenizer.unpack(b"".join(payloads.values()))
            if not any(len(payload) % tokenizer.ID_BYTES for payload in payloads.values()):
                parts = (whole[start:end] for start, end in pairwise(ends))
                return dict(zip(payloads, parts, strict=True))
        except ValueError:
            pass  # one by one, to name the row
        unpacked: dict[int, Ids] = {}
        for row, payload in payloads.items():
            try:
                unpacked[row] = tokenizer.unpack(payload)
            except ValueError as exc:
                self._note(row, self._damage(row, exc))
        return unpacked

    def _decode(self, row: int, ids: Ids) -> str:
        try:
            return tokenizer.decode(ids.tolist())
        except ValueError as exc:
            raise self._damage(row, exc) from exc

    def _damage(self, row: int, exc: ValueError) -> StoreCorrupt:
        told = f"the text of row {row} of bank {self._bank} cannot be read: {exc}"
        return StoreCorrupt(told, path=self._store.path)

    def _places(self, rows: Sequence[int]) -> tuple[dict[tuple[int, bytes], list[int]], list[int]]:
        """Return rows by the segment they are in, its first row and mark, and those in none."""
        inside: dict[tuple[int, bytes], list[int]] = {}
        outside: list[int] = []
        marks = self._segments.marks(self._store, self._bank)
        for row in rows:
            place = bisect_right(marks, row, key=_first) - 1
            first, count, mark = marks[place] if place >= 0 else (0, 0, b"")
            if row < first + count:
                inside.setdefault((first, mark), []).append(row)
            else:
                outside.append(row)
        return inside, outside

    def _readable(self, first: int, mark: bytes) -> Segment | None:
        """Return a segment, or None, and note it, if it is damaged."""
        try:
            return self._segment(first, mark)
        except StoreCorrupt as exc:
            self._note(first, exc)
            return None

    def _note(self, row: int, exc: Exception) -> str:
        """Note the damage of a row's text, or of the segment that begins with it; return why."""
        self._store.upkeep.note_damage(self._bank, "content", row, str(exc))
        return str(exc)

    def _segment(self, first: int, mark: bytes) -> Segment:
        segment = self._segments.get(self._bank, first, mark)
        if segment is None:
            block = self._store.payloads.block(self._bank, "content", first)
            segment = Segment.load(block, path=self._store.path)
            self._segments.keep(self._bank, first, mark, segment)
        return segment


def in_one(damage: Sequence[str], path: str) -> str:
    """Return messages on damage in a store as one, without the store's path; empty if none."""
    if not damage:
        return ""
    more = f"; so are {len(damage) - 1} other places" if len(damage) > 1 else ""
    return f"{damage[0].removeprefix(f'{path}: ')}{more}"


def _within(segment: Segment, allowed: Mask) -> Mask:
    """Return the allowed rows of a segment; it may have some that came meanwhile."""
    within = np.zeros(len(segment), np.bool_)
    known = allowed[segment.first : segment.first + len(segment)]
    within[: len(known)] = known
    return within


_first = itemgetter(0)
