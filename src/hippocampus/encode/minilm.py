"""The default embedder: all-MiniLM-L6-v2, its published weights rounded to eight bits."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.files import read_bytes
from hippocampus.core.records import Fingerprint
from hippocampus.encode.contextual import (
    DIMENSION,
    WINDOW,
    ContextualEmbedder,
    WordPieces,
)
from hippocampus.encode.embedders.base import sha256_of, valid
from hippocampus.encode.encoder import Encoder, LayerWeights, WordRows
from hippocampus.encode.model_files import DEFAULT_MODEL, MODELS, is_sound
from hippocampus.encode.rounded_layers import keep_layers, read_layers
from hippocampus.encode.safetensors import SafeTensors, read_safetensors
from hippocampus.encode.word_pieces import WordCutter
from hippocampus.errors import EncoderError

__all__ = ["WINDOW", "MiniLmEmbedder"]

_LAYERS = 6
"""Layers of all-MiniLM-L6-v2, as published."""
_ROUNDED = "model.layers"
_RECIPE = "own tokens' mean, neighbours as context/1"
"""Name of the way vectors are made from the weights; changes when they change. The graph is not
part of it: a faster one that gives the same vectors must not send any store into re-embedding."""


class MiniLmEmbedder(ContextualEmbedder):
    """MiniLM's pooled vectors and, from the same pass, its contextual token vectors."""

    name = DEFAULT_MODEL

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
        self._cutter = WordCutter(vocabulary)
        with read_safetensors(folder / "model.safetensors") as tensors:
            self._rows = WordRows(
                folder / "model.safetensors",
                offset=tensors.offset("embeddings.word_embeddings.weight"),
                nbytes=4 * DIMENSION,
            )
            kept, weights = folder / _ROUNDED, pinned["model.safetensors"].sha256
            layers = read_layers(kept, weights)
            self._encoder = _encoder(tensors, layers, threads)
            if layers is None:
                keep_layers(kept, weights, self._encoder.pack())
        self._opening = self._asking = [self._cutter.id_of("[CLS]")]
        self._closing = [self._cutter.id_of("[SEP]")]
        hashes = [pinned[file].sha256 for file in sorted(pinned)]
        self.fingerprint = Fingerprint(
            name=DEFAULT_MODEL,
            weights=sha256_of(*hashes, _RECIPE),
            dimension=DIMENSION,
            token_dimension=DIMENSION,
        )

    def _pieces(self, text: str) -> WordPieces:
        return self._cutter.cut(*valid([text]))

    def _words(self, ids: Sequence[int]) -> NDArray[np.float32]:
        return np.frombuffer(self._rows(ids), "<f4").reshape(-1, DIMENSION)


def _encoder(
    tensors: SafeTensors, rounded: NDArray[np.uint8] | None, threads: int | None
) -> Encoder:
    rooms: dict[str, NDArray[np.float32]] = {}  # each layer's weights are read into the last one's

    def pair(of: str, part: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        for end in ("weight", "bias"):
            name = f"{part}.{end}"
            rooms[name] = tensors.read(f"{of}.{name}", rooms.get(name))
        return rooms[f"{part}.weight"], rooms[f"{part}.bias"]

    def layer(of: str) -> LayerWeights:
        return LayerWeights(
            query=pair(of, "attention.self.query"),
            key=pair(of, "attention.self.key"),
            value=pair(of, "attention.self.value"),
            mixed=pair(of, "attention.output.dense"),
            attended=pair(of, "attention.output.LayerNorm"),
            wide=pair(of, "intermediate.dense"),
            narrow=pair(of, "output.dense"),
            done=pair(of, "output.LayerNorm"),
        )

    return Encoder(
        places=tensors.read("embeddings.position_embeddings.weight")
        + tensors.read("embeddings.token_type_embeddings.weight")[0],
        embedded=pair("embeddings", "LayerNorm"),
        layers=(layer(f"encoder.layer.{number}") for number in range(_LAYERS))
        if rounded is None
        else rounded,
        threads=threads,
    )
