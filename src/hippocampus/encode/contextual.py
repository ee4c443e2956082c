"""Contextual embedders: passages cut into windows, each encoded between its neighbours."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.background_yield import pausing
from hippocampus.core.records import Embedded, Passage
from hippocampus.encode.embedders.base import LocalEmbedder, unit
from hippocampus.encode.encoder import Encoder, TextRows

DIMENSION = 384
"""Numbers of a vector of either built-in model."""
WINDOW = 254
"""Word pieces of one pass, without those that begin and end it: the encoder takes 256
(docs/adr/0002)."""

_BATCH_PIECES = 1024
"""Pieces that are encoded together. Four times as many are 1 % faster, and who is being answered
meanwhile waits twice as long for this thread to give way."""
_NEIGHBOUR_CHARS = 16 * WINDOW
"""As much of a neighbour as is read: a piece rarely covers more than 16 characters."""


class WordPieces(NamedTuple):
    """Pieces of a text, and the characters that each covers."""

    ids: list[int]
    offsets: list[tuple[int, int]]


class _Job(NamedTuple):
    """One pass of the encoder: ``ids[start:end]`` are pieces of the passage at ``place``."""

    place: int
    ids: list[int]
    start: int
    end: int
    into: int
    """Place of its own pieces among all pieces of the passage."""
    asked: TextRows
    """Pieces that the pooled vector is the mean of: its own, or all if nothing is beside them."""


class ContextualEmbedder(LocalEmbedder):
    """
    A transformer's pooled vectors and, from the same pass, its contextual token vectors.

    A passage is encoded between its neighbours: they colour its tokens, but vector, tokens and
    spans come from its own pieces. Without neighbours the vector is the published model's (mean
    over all pieces, those that begin and end it included). A text longer than one window is encoded
    in equal parts, each seeing what surrounds it. May be used from several threads.
    """

    name: ClassVar[str]
    """Name of it in errors."""
    _opening: Sequence[int]
    """Pieces that begin every pass over a passage."""
    _asking: Sequence[int]
    """Pieces that begin every pass over a question."""
    _closing: Sequence[int]
    """Pieces that end every pass."""
    _encoder: Encoder

    @abstractmethod
    def _pieces(self, text: str) -> WordPieces:
        """Cut a text into word pieces, independent of what stands beside it."""

    @abstractmethod
    def _words(self, ids: Sequence[int]) -> NDArray[np.float32]:
        """Return the word vectors of pieces, shape (pieces, 384)."""

    def embed(self, passages: Sequence[Passage]) -> list[Embedded]:
        """Embed passages, in order; equal ones give equal vectors whatever is in the batch."""
        return self.embed_together(passages, ())[0]

    def embed_query(self, text: str) -> Embedded:
        """Embed a question."""
        return self.embed_queries([text])[0]

    def embed_queries(self, texts: Sequence[str]) -> list[Embedded]:
        """Embed questions, in order, at once."""
        return self.embed_together((), texts)[1]

    def embed_together(
        self, passages: Sequence[Passage], questions: Sequence[str]
    ) -> tuple[list[Embedded], list[Embedded]]:
        """Embed passages and questions in the same passes; each comes out as it would alone."""
        every = [*passages, *map(Passage, questions)]
        openings = [self._opening] * len(passages) + [self._asking] * len(questions)
        made = self._embed(every, openings)
        return made[: len(passages)], made[len(passages) :]

    def _embed(
        self, passages: Sequence[Passage], openings: Sequence[Sequence[int]]
    ) -> list[Embedded]:
        pieces = [self._pieces(passage.text) for passage in passages]
        jobs = [
            job
            for place, passage in enumerate(passages)
            for job in self._jobs(place, passage, pieces[place].ids, openings[place])
        ]
        sums = np.zeros((len(passages), DIMENSION))
        tokens = [np.empty((len(own.ids), DIMENSION), np.float32) for own in pieces]
        for job, states in zip(jobs, self._states(jobs), strict=True):
            size = job.end - job.start
            first = job.start - job.asked.first
            # By how many pieces it has; an empty text has only what begins and ends a pass.
            sums[job.place] += states.mean(axis=0) * max(size, 1)
            tokens[job.place][job.into : job.into + size] = states[first : first + size]
        vectors = unit(sums, by=self.name)
        return [
            Embedded(
                vector=vector,
                tokens=unit(own, by=self.name),
                spans=np.array(piece.offsets, np.int32).reshape(-1, 2),
            )
            for vector, own, piece in zip(vectors, tokens, pieces, strict=True)
        ]

    def _jobs(
        self, place: int, passage: Passage, ids: list[int], opening: Sequence[int]
    ) -> Iterator[_Job]:
        """Cut a passage into passes of at most ``WINDOW`` pieces, filled up with what is around."""
        # In an empty passage there is nothing that neighbours could colour.
        left = self._pieces(passage.before[-_NEIGHBOUR_CHARS:]).ids if ids else []
        right = self._pieces(passage.after[:_NEIGHBOUR_CHARS]).ids if ids else []
        stream = left + ids + right
        windows = max(1, -(-len(ids) // WINDOW))  # an empty text has a pass, too
        edges = [len(left) + len(ids) * w // windows for w in range(windows + 1)]
        for start, end in pairwise(edges):
            room = WINDOW - (end - start)
            back, ahead = start, len(stream) - end
            # Half the room for each side, and what one side leaves goes to the other.
            back = min(back, max(room // 2, room - ahead))
            ahead = min(ahead, room - back)
            cut = [*opening, *stream[start - back : end + ahead], *self._closing]
            first = len(opening) + back
            last = first + end - start
            alone = len(stream) == end - start
            asked = TextRows(len(cut), 0 if alone else first, len(cut) if alone else last)
            yield _Job(place, cut, first, last, start - len(left), asked)

    def _states(self, jobs: Sequence[_Job]) -> Iterator[NDArray[np.float32]]:
        """Return the last hidden states that each job asks for, shape (pieces, 384)."""
        for some in pausing(_some_at_a_time(jobs)):
            words = self._words([piece for job in some for piece in job.ids])
            yield from self._encoder.states([job.asked for job in some], words)


def _some_at_a_time(jobs: Sequence[_Job]) -> Iterator[list[_Job]]:
    batch: list[_Job] = []
    size = 0
    for job in jobs:
        if batch and size + len(job.ids) > _BATCH_PIECES:
            yield batch
            batch, size = [], 0
        batch.append(job)
        size += len(job.ids)
    if batch:
        yield batch
