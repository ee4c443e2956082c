"""The default embedder: all-MiniLM-L6-v2 on ONNX Runtime, without PyTorch or conversion."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.files import read_bytes
from hippocampus.core.records import Embedded, Fingerprint, Passage
from hippocampus.encode.embedders.base import LocalEmbedder, sha256_of, unit, valid
from hippocampus.encode.model_files import DEFAULT_MODEL, MODELS, is_sound
from hippocampus.errors import EncoderError

DIMENSION = 384
WINDOW = 254
"""Word pieces of one pass, without [CLS] and [SEP]: the model was trained on at most 256."""

_RECIPE = "own tokens' mean, neighbours as context/1"
"""Names how vectors are made from the weights; changes when they change. The graph is not part of
it: a faster one that gives the same vectors must not send anybody's store into re-embedding."""

_BATCH_PIECES = 512
"""Padded pieces per pass. Throughput is flat from 300 on; memory grows with every one more."""
_MOST_THREADS = 8
"""A question is 15 pieces; more threads than this only wait for one another."""
_NEIGHBOUR_CHARS = 16 * WINDOW
"""As much of a neighbour as is read: a piece rarely covers more than 16 characters."""


class _WordPieces(NamedTuple):
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


class OnnxEmbedder(LocalEmbedder):
    """
    MiniLM's pooled vectors and, from the same pass, its contextual token vectors.

    A passage is encoded between its neighbours: they colour its tokens, but vector, tokens and
    spans come from its own pieces. Without neighbours the vector is the published model's (mean
    over all pieces, [CLS] and [SEP] included). A text longer than one window is encoded in equal
    parts, each seeing what surrounds it. May be used from several threads.
    """

    def __init__(self, folder: Path, *, threads: int | None = None) -> None:
        """
        Load the model from a folder that ``models.install`` made.

        Args:
            folder: Holds ``model.safetensors`` and ``tokenizer.json``.
            threads: Threads of one pass; every processor up to eight unless given.
        """
        pinned = MODELS[DEFAULT_MODEL].files
        try:
            vocabulary = read_bytes(folder / "tokenizer.json")
            weights_nbytes = (folder / "model.safetensors").stat().st_size
        except OSError as exc:
            msg = f"{folder}: not a model folder ({exc}); run 'hippocampus models install'"
            raise EncoderError(msg) from exc
        altered = f"{folder}: its files were altered; run 'hippocampus models install --force'"
        if (
            hashlib.sha256(vocabulary).hexdigest() != pinned["tokenizer.json"].sha256
            or weights_nbytes != pinned["model.safetensors"].nbytes
        ):
            raise EncoderError(altered)
        if not is_sound(folder / "model.safetensors", pinned["model.safetensors"]):
            raise EncoderError(altered)
        self._tokenizer = _tokenizer(vocabulary)
        self._session = _session(folder, threads or min(os.cpu_count() or 1, _MOST_THREADS))
        self._first, self._last = map(self._tokenizer.token_to_id, ("[CLS]", "[SEP]"))
        hashes = [pinned[file].sha256 for file in sorted(pinned)]
        self.fingerprint = Fingerprint(
            name=DEFAULT_MODEL,
            weights=sha256_of(*hashes, _RECIPE),
            dimension=DIMENSION,
            token_dimension=DIMENSION,
        )

    def embed(self, passages: Sequence[Passage]) -> list[Embedded]:
        """Embed passages, in order; equal ones give equal vectors whatever is in the batch."""
        pieces = [self._pieces(passage.text) for passage in passages]
        jobs = [
            job
            for place, passage in enumerate(passages)
            for job in self._jobs(place, passage, pieces[place].ids)
        ]
        sums = np.zeros((len(passages), DIMENSION))
        tokens = [np.empty((len(own.ids), DIMENSION), np.float32) for own in pieces]
        for batch in _batches(jobs):
            for job, states in zip(batch, self._run([job.ids for job in batch]), strict=True):
                size = job.end - job.start
                sums[job.place] += states[job.pool].mean(axis=0) * max(size, 1)
                tokens[job.place][job.into : job.into + size] = states[job.start : job.end]
        vectors = unit(sums, by=DEFAULT_MODEL)
        return [
            Embedded(
                vector=vector,
                tokens=unit(own, by=DEFAULT_MODEL),
                spans=np.array(piece.offsets, np.int32).reshape(-1, 2),
            )
            for vector, own, piece in zip(vectors, tokens, pieces, strict=True)
        ]

    def embed_queries(self, texts: Sequence[str]) -> list[Embedded]:
        """Embed questions, in order, at once."""
        return self.embed([Passage(text) for text in texts])

    def _pieces(self, text: str) -> _WordPieces:
        """Cut a text into word pieces, independent of what stands beside it."""
        # One by one: encode_batch starts threads that complain in every later fork.
        encoded = self._tokenizer.encode(*valid([text]), add_special_tokens=False)
        return _WordPieces(encoded.ids, encoded.offsets)

    def _jobs(self, place: int, passage: Passage, ids: list[int]) -> Iterator[_Job]:
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
            cut = [self._first, *stream[start - back : end + ahead], self._last]
            own = slice(1 + back, 1 + back + end - start)
            pool = slice(None) if len(stream) == end - start else own
            yield _Job(place, cut, own.start, own.stop, start - len(left), pool)

    def _run(self, rows: Sequence[list[int]]) -> Iterator[NDArray[np.float32]]:
        """Run one batch; yields last hidden states per row, shape (pieces, 384)."""
        lengths = np.array([len(row) for row in rows], np.int32)
        ids = np.zeros((len(rows), lengths.max()), np.int64)
        for row, line in zip(rows, ids, strict=True):
            line[: len(row)] = row
        (states,) = self._session.run(None, {"input_ids": ids, "lengths": lengths})
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


def _tokenizer(vocabulary: bytes) -> Any:  # noqa: ANN401 - the tokenizers package is loaded late
    from tokenizers import Tokenizer  # noqa: PLC0415 - heavy, and only needed with this model

    tokenizer = Tokenizer.from_str(vocabulary.decode())
    tokenizer.no_padding()  # the published file pads and cuts everything to 128
    tokenizer.no_truncation()
    tokenizer.encode_special_tokens = True  # "[SEP]" in somebody's message is text
    return tokenizer


def _session(folder: Path, threads: int) -> Any:  # noqa: ANN401 - onnxruntime has no types
    import onnxruntime  # noqa: PLC0415 - heavy, and only needed with this model

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Threads that wait for one another in a loop take the processor from everybody else's work.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 4  # errors are raised as well; stderr is not ours to write to
    # The graph comes from this package, its weights from the published file: nothing is converted.
    options.add_session_config_entry(
        "session.model_external_initializers_file_folder_path", str(folder)
    )
    graph = (Path(__file__).parent / "minilm.onnx").read_bytes()
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
