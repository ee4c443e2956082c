"""The default embedder: all-MiniLM-L6-v2, its published weights rounded to eight bits."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

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
from hippocampus.encode.safetensors import SafeTensors, read_safetensors
from hippocampus.errors import EncoderError

__all__ = ["WINDOW", "MiniLmEmbedder"]

_LAYERS = 6
_RECIPE = "own tokens' mean, neighbours as context/1"
"""Names how vectors are made from the weights; changes when they change. The graph is not part of
it: a faster one that gives the same vectors must not send anybody's store into re-embedding."""


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
        self._tokenizer = _tokenizer(vocabulary)
        tensors = read_safetensors(folder / "model.safetensors")
        self._rows = WordRows(
            folder / "model.safetensors",
            offset=tensors.offset("embeddings.word_embeddings.weight"),
            nbytes=4 * DIMENSION,
        )
        self._encoder = _encoder(tensors, threads)
        self._opening = self._asking = [self._tokenizer.token_to_id("[CLS]")]
        self._closing = [self._tokenizer.token_to_id("[SEP]")]
        hashes = [pinned[file].sha256 for file in sorted(pinned)]
        self.fingerprint = Fingerprint(
            name=DEFAULT_MODEL,
            weights=sha256_of(*hashes, _RECIPE),
            dimension=DIMENSION,
            token_dimension=DIMENSION,
        )

    def _pieces(self, text: str) -> WordPieces:
        # One by one: encode_batch starts threads that complain in every later fork.
        encoded = self._tokenizer.encode(*valid([text]), add_special_tokens=False)
        return WordPieces(encoded.ids, encoded.offsets)

    def _words(self, ids: Sequence[int]) -> NDArray[np.float32]:
        return np.frombuffer(self._rows(ids), "<f4").reshape(-1, DIMENSION)


def _encoder(tensors: SafeTensors, threads: int | None) -> Encoder:
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
        layers=(layer(f"encoder.layer.{number}") for number in range(_LAYERS)),
        threads=threads,
    )


def _tokenizer(vocabulary: bytes) -> Any:  # noqa: ANN401 - the tokenizers package is loaded late
    from tokenizers import Tokenizer  # noqa: PLC0415 - heavy, and only needed with this model

    tokenizer = Tokenizer.from_str(vocabulary.decode())
    tokenizer.no_padding()  # the published file pads and cuts everything to 128
    tokenizer.no_truncation()
    tokenizer.encode_special_tokens = True  # "[SEP]" in somebody's message is text
    return tokenizer
