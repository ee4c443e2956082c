"""Contextual embedders: passages cut into windows, each encoded between its neighbours."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.records import Embedded, Passage
from hippocampus.encode.embedders.base import LocalEmbedder, unit

DIMENSION = 384
WINDOW = 254
"""Word pieces of one pass, without those that begin and end it."""

_BATCH_PIECES = 512
"""Padded pieces per pass. Throughput is flat from 300 on; memory grows with every one more."""
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
    """Where its own pieces go among all pieces of the passage."""
    pool: slice
    """Which pieces the pooled vector is the mean of."""


class ContextualEmbedder(LocalEmbedder):
    """
    A transformer's pooled vectors and, from the same pass, its contextual token vectors.

    A passage is encoded between its neighbours: they colour its tokens, but vector, tokens and
    spans come from its own pieces. Without neighbours the vector is the published model's (mean
    over all pieces, those that begin and end it included). A text longer than one window is encoded
    in equal parts, each seeing what surrounds it. May be used from several threads.
    """

    name: ClassVar[str]
    """What errors call it."""
    _opening: Sequence[int]
    """Pieces that begin every pass over a passage."""
    _closing: Sequence[int]
    """Pieces that end every pass."""

    @abstractmethod
    def _pieces(self, text: str) -> WordPieces:
        """Cut a text into word pieces, independent of what stands beside it."""

    @abstractmethod
    def _states(self, ids: NDArray[np.int64], lengths: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the last hidden states of a padded batch, shape (batch, length, 384)."""

    def embed(self, passages: Sequence[Passage]) -> list[Embedded]:
        """Embed passages, in order; equal ones give equal vectors whatever is in the batch."""
        return self._embed(passages, self._opening)

    def embed_queries(self, texts: Sequence[str]) -> list[Embedded]:
        """Embed questions, in order, at once."""
        return self.embed([Passage(text) for text in texts])

    def _embed(self, passages: Sequence[Passage], opening: Sequence[int]) -> list[Embedded]:
        pieces = [self._pieces(passage.text) for passage in passages]
        jobs = [
            job
            for place, passage in enumerate(passages)
            for job in self._jobs(place, passage, pieces[place].ids, opening)
        ]
        sums = np.zeros((len(passages), DIMENSION))
        tokens = [np.empty((len(own.ids), DIMENSION), np.float32) for own in pieces]
        for batch in _batches(jobs):
            for job, states in zip(batch, self._run([job.ids for job in batch]), strict=True):
                size = job.end - job.start
                sums[job.place] += states[job.pool].mean(axis=0) * max(size, 1)
                tokens[job.place][job.into : job.into + size] = states[job.start : job.end]
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
        left = self._pieces(passage.before[-_NEIGHBOUR_CHARS:]).ids if ids else []
        right = self._pieces(passage.after[:_NEIGHBOUR_CHARS]).ids if ids else []
        stream = left + ids + right
        windows = max(1, -(-len(ids) // WINDOW))
        edges = [len(left) + len(ids) * w // windows for w in range(windows + 1)]
        for start, end in pairwise(edges):
            room = WINDOW - (end - start)
            back, ahead = start, len(stream) - end
            # Half the room for each side, and what one side leaves goes to the other.
            back = min(back, max(room // 2, room - ahead))
            ahead = min(ahead, room - back)
            cut = [*opening, *stream[start - back : end + ahead], *self._closing]
            first = len(opening) + back
            own = slice(first, first + end - start)
            pool = slice(None) if len(stream) == end - start else own
            yield _Job(place, cut, own.start, own.stop, start - len(left), pool)

    def _run(self, rows: Sequence[list[int]]) -> Iterator[NDArray[np.float32]]:
        """Run one batch; yields last hidden states per row, shape (pieces, 384)."""
        lengths = np.array([len(row) for row in rows], np.int32)
        ids = np.zeros((len(rows), lengths.max()), np.int64)
        for row, line in zip(rows, ids, strict=True):
            line[: len(row)] = row
        states = self._states(ids, lengths)
        return (line[:length] for line, length in zip(states, lengths, strict=True))


def _batches(jobs: Sequence[_Job]) -> Iterator[list[_Job]]:
    """Group jobs of about equal length, which keeps padding small."""
    batch: list[_Job] = []
    for job in sorted(jobs, key=lambda job: len(job.ids)):
        if batch and (len(batch) + 1) * len(job.ids) > _BATCH_PIECES:
            yield batch
            batch = []
        batch.append(job)
    if batch:
        yield batch


def open_session(
    graph: str,
    *,
    threads: int,
    folder: Path | None = None,
    weights: dict[str, NDArray[np.float32]] | None = None,
) -> Any:  # noqa: ANN401 - onnxruntime has no types
    """
    Start ONNX Runtime on a graph of this package, whose weights are in files or in memory.

    ``folder``: where the files lie that the graph names. ``weights``: arrays in their place.
    """
    import onnxruntime  # noqa: PLC0415 - heavy, and only needed with a model

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Threads that wait for one another in a loop take the processor from everybody else's work.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 4  # errors are raised as well; stderr is not ours to write to
    if folder is not None:
        options.add_session_config_entry(
            "session.model_external_initializers_file_folder_path", str(folder)
        )
    if weights is not None:
        values = list(map(onnxruntime.OrtValue.ortvalue_from_numpy, weights.values()))
        options.add_external_initializers(list(weights), values)
    made = (Path(__file__).parent / graph).read_bytes()
    return onnxruntime.InferenceSession(made, options, providers=["CPUExecutionProvider"])
