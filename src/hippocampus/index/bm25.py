"""The words cue: BM25 over stemmed terms."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Rows, Rows32
from hippocampus.core.records import Kind, Payloads
from hippocampus.index.archive import Archive
from hippocampus.index.cue import Mask, Scores, best_rows
from hippocampus.index.growable_array import GrowableArray, Versioned
from hippocampus.index.query import Query
from hippocampus.index.sorted_sets import each_once
from hippocampus.kernel import Bm25Index

K1, B = 0.9, 0.4
"""BM25's saturation and length normalisation, at the values that serve short passages
(Anserini's default, from TREC; not tuned here)."""


TELLING, DEED, STANDING, ASKING = (
    np.uint32(word) for word in (0x74656C6C, 0x64656564, 0x77697368, 0x61736B73)
)
"""The terms of every text that tells of its speaker, of what they did, of a standing wish, and of
one that only asks: properties kept as words more, as Xapian keeps its boolean terms. A real word
shares a hash once in two thousand million."""

BY_LANGUAGE = np.uint32(0x6C616E67)
"""The term of a bank's first row, once its words are stemmed each in its own language: the letters
of "lang", as those above spell "tell", "deed", "wish" and "asks"."""

MARKS = (TELLING, DEED, STANDING, ASKING)


class Marked(NamedTuple):
    """Masks of the rows that have each of ``MARKS``, in their order, shape (rows,) each."""

    telling: Mask
    deed: Mask
    standing: Mask
    asking: Mask


_EARLY = 8
"""Terms of an episode that are its beginning: its date, who speaks, and the first words. Who opens
with a name is of it (docs/adr/0019); set by hand."""


def pack_terms(hashes: NDArray[np.uint32]) -> bytes:
    """Return an episode's payload: its term hashes, four bytes each, in order of appearance."""
    return hashes.astype("<u4").tobytes()


class Bm25Cue(Versioned):
    """An inverted index over term hashes."""

    kind: Kind = "lexical"

    def __init__(self) -> None:
        self._index = Bm25Index()
        self._early = GrowableArray(np.uint32, _EARLY)
        self._marks = GrowableArray(np.bool_, len(MARKS))

    def __len__(self) -> int:
        return len(self._index)

    @property
    def nbytes(self) -> int:
        return self._index.nbytes + self._early.nbytes + self._marks.nbytes

    def archive(self, archive: Archive) -> None:
        """Tell of its terms, their episodes, and the beginnings and marks of these."""
        names = ("hashes", "frequencies", "postings", "lengths", "unheard")
        held = self._index.pack()
        told = [archive.fixed(name, one) for name, one in zip(names, held, strict=True)]
        # A writer gives back what it is told of; a reader, what is in the file.
        if any(one is not own for one, own in zip(told, held, strict=True)):
            self._index = Bm25Index.unpack(*told)
        archive.array("early", self._early, any_bits=True)
        archive.array("marks", self._marks)

    def observe(self, payloads: Payloads) -> None:
        ends = np.cumsum(payloads.lengths // 4, dtype=np.uint64)
        offsets = np.concatenate([np.zeros(1, np.uint64), ends])
        terms = np.ascontiguousarray(payloads.data).view("<u4")
        if not len(self):  # what is said of how a bank was read is no word of its first text
            read = np.flatnonzero(terms[: int(ends[:1].sum())] == BY_LANGUAGE)
            terms = np.delete(terms, read)
            ends -= np.uint64(len(read))
            offsets[1:] = ends
        self._index.extend(terms, offsets)
        at = offsets[:-1, None].astype(np.intp) + np.arange(_EARLY)
        within = at < ends[:, None].astype(np.intp)
        at[~within] = 0  # any place will do: what is there is left out
        # Without terms there is no place 0 either.
        self._early.extend(np.where(within, terms[at], 0) if len(terms) else at)
        marks = np.zeros((len(payloads), len(MARKS)), np.bool_)
        for place, mark in enumerate(MARKS):
            marks[np.searchsorted(ends, np.flatnonzero(terms == mark), side="right"), place] = True
        self._marks.extend(marks)

    def forget(self, gone: Rows) -> None:
        """Become as if made anew after rows were erased: they have no words."""
        is_gone = np.zeros(len(self), np.bool_)
        is_gone[gone] = True
        hashes, frequencies, postings, lengths, unheard = self._index.pack()
        places = np.flatnonzero(is_gone[postings >> 8])
        ends = np.cumsum(frequencies, dtype=np.int64)
        terms = np.searchsorted(ends, places, side="right")
        unheard[gone] = lengths[gone] = 0
        for term in each_once(terms).tolist():
            rows = postings[ends[term] - frequencies[term] : ends[term]] >> 8
            left = rows[~is_gone[rows]]
            if len(left) and is_gone[rows[0]]:  # the next that has it is now the first
                unheard[left[0]] += 1
        frequencies -= np.bincount(terms, minlength=len(frequencies)).astype(np.uint32)
        stays = frequencies > 0
        self._index = Bm25Index.unpack(
            hashes[stays], frequencies[stays], np.delete(postings, places), lengths, unheard
        )
        self._early.put(gone, 0)
        self._marks.put(gone, False)  # noqa: FBT003  # the value

    def frequency(self, terms: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return in how many episodes each term is."""
        counts: NDArray[np.uint32] = self._index.document_frequency(terms)
        return counts

    def rarity(self, terms: NDArray[np.uint32]) -> NDArray[np.float32]:
        """Return the inverse document frequency of each term, at least 0, float32."""
        frequency = self._index.document_frequency(terms).astype(np.float32)
        # ln(1 + (N - df + 0.5) / (df + 0.5)), on one denominator
        rarity: NDArray[np.float32] = np.log(np.float32(len(self) + 1) / (frequency + 0.5))
        return rarity

    def propose(self, question: Query, allowed: Mask | None, limit: int) -> Rows32:
        if not len(question.terms) or not len(self):
            return np.empty(0, np.uint32)
        mask = None if allowed is None else allowed.view(np.uint8)
        # A word of grammar adds nothing, and its postings are the longest there are.
        counts = question.term_weights > 0
        terms, weights = question.terms[counts], question.term_weights[counts]
        scores = self._index.score(terms, weights, mask, K1, B)  # 0 where not allowed
        return best_rows(scores, limit, None)

    def score(self, question: Query, rows: Rows32) -> Scores | None:
        if not len(question.terms):
            return None
        return self.matches(question, rows) @ question.term_weights[question.term_weights > 0]

    def matches(self, question: Query, rows: Rows32) -> Scores:
        """Return the score that each term of some weight gives each row, shape (rows, terms)."""
        return self._index.contributions(question.terms[question.term_weights > 0], rows, K1, B)

    def holding(
        self, terms: NDArray[np.uint32], allowed: Mask | None, most: int, *, least: int = 2
    ) -> NDArray[np.uint32]:
        """Return allowed rows that hold all of some terms; none if not ``least`` to ``most`` do."""
        frequency = self._index.document_frequency(terms)
        # No more rows hold all of them than hold the rarest, which is known at once.
        if not least <= int(frequency.min()) <= most:
            return np.empty(0, np.uint32)
        return self._index.holding(terms, None if allowed is None else allowed.view(np.uint8))

    def having(self, terms: NDArray[np.uint32], allowed: Mask | None) -> NDArray[np.uint32]:
        """Return allowed rows that hold any of some terms, ascending."""
        mask = None if allowed is None else allowed.view(np.uint8)
        each = each_once(terms)
        scores = self._index.score(each, None, mask, K1, B)
        return np.flatnonzero(scores).astype(np.uint32)

    def opening(self, terms: NDArray[np.uint32], rows: Rows32) -> Mask:
        """Return a mask of the rows that have some terms, in this order, near their beginning."""
        sought, early = terms.astype(np.uint32).tobytes(), self._early.view
        # A byte string finds itself faster than NumPy compares a few short rows.
        return np.array([sought in early[row].tobytes() for row in rows.tolist()], np.bool_)

    def marked(self, rows: Rows32) -> Marked:
        """Return masks of the rows that have each of ``MARKS``, shape (rows,) each."""
        return Marked(*self._marks.view[rows.astype(np.intp)].T)

    def standing(self) -> Mask:
        """Return a mask of the rows that tell a standing wish, shape (n,)."""
        # The kernels take masks in one piece.
        return np.ascontiguousarray(self._marks.view[:, MARKS.index(STANDING)])

    def unheard(self, rows: Rows32) -> NDArray[np.uint32]:
        """Return the number of each row's terms that no earlier row has, shape (rows,)."""
        return self._index.unheard(rows)
