"""Static embeddings of model2vec: a table look-up per token, thousands of texts a second."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hippocampus.core.optional import require
from hippocampus.core.records import Embedded, Passage
from hippocampus.encode.embedders.base import (
    FETCH,
    LocalEmbedder,
    fingerprint_of,
    loading,
    unit,
    valid,
)


class Model2VecEmbedder(LocalEmbedder):
    """
    Averages static token vectors, and gives them too. Neighbours of a passage are ignored.

    Nothing is downloaded unless ``download`` says so.
    """

    def __init__(self, name_or_path: str, *, download: bool = False) -> None:
        feature = f"the embedder model2vec:{name_or_path}"
        package = require("model2vec", extra="model2vec", feature=feature)
        with loading("model2vec", repr(name_or_path), fix=FETCH):
            folder = Path(name_or_path).expanduser()
            if not folder.is_dir():
                hub = require("huggingface_hub", extra="model2vec", feature=feature)
                folder = Path(hub.snapshot_download(name_or_path, local_files_only=not download))
            self._model: Any = package.StaticModel.from_pretrained(folder)
        # For a text of which it knows no token: the table's centre, which is near to nothing.
        self._unknown = unit(
            np.asarray(self._model.embedding, np.float32).mean(axis=0, keepdims=True), by=feature
        )[0]
        dimension = len(self._unknown)
        self.fingerprint = fingerprint_of("model2vec", name_or_path, dimension, dimension)

    def embed(self, passages: Sequence[Passage]) -> list[Embedded]:
        """Embed passages, in order."""
        texts = valid(passage.text for passage in passages)
        rows = self._model.encode_as_sequence(texts, use_multiprocessing=False) if texts else []
        return [self._embedded(text, row) for text, row in zip(texts, rows, strict=True)]

    def _embedded(self, text: str, rows: Any) -> Embedded:  # noqa: ANN401 - any float array
        """Pool one text's token vectors; ``rows`` has one for each token that is not unknown."""
        cut = self._model.tokenizer.encode(text, add_special_tokens=False)
        known = [
            span
            for token, span in zip(cut.ids, cut.offsets, strict=True)
            if token != self._model.unk_token_id
        ]
        rows = np.asarray(rows, np.float32)
        spans = np.array(known, np.int32).reshape(-1, 2)
        there = np.linalg.norm(rows, axis=1) > 0  # padding and the like have empty vectors
        if not there.any():
            empty = np.empty((0, len(self._unknown)), np.float32)
            return Embedded(vector=self._unknown, tokens=empty, spans=spans[:0])
        vector = unit(rows.mean(axis=0, keepdims=True), by="model2vec")[0]
        return Embedded(vector=vector, tokens=unit(rows[there], by="model2vec"), spans=spans[there])
