"""The models that fastembed knows, on ONNX Runtime."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.optional import require
from hippocampus.core.records import Embedded, Fingerprint, Passage
from hippocampus.encode.embedders.base import LocalEmbedder, loading, unit, valid, weights_of

_BATCH = 16
"""Texts of a pass: each is padded to the longest, so large batches of unlike texts take memory and
gain little. Set by hand."""


class FastEmbedEmbedder(LocalEmbedder):
    """
    Runs a model of fastembed. Gives no token vectors; neighbours of a passage are ignored.

    Nothing is downloaded unless ``download`` says so; ``folder`` names the model's files when they
    are not in fastembed's cache.
    """

    def __init__(self, name: str, *, folder: Path | None = None, download: bool = False) -> None:
        package = require("fastembed", extra="fastembed", feature=f"the embedder fastembed:{name}")
        fix = f"fetch it first with fastembed.TextEmbedding({name!r}), which fills its cache"
        with loading("fastembed", repr(name), fix=fix):
            self._model: Any = package.TextEmbedding(
                model_name=name,
                local_files_only=not download,
                specific_model_path=str(folder) if folder else None,
            )
        self._name = name
        dimension = len(self._vectors(self._model.passage_embed(["a probe"]))[0])
        weights = weights_of(str(folder or name), dimension, recipe=f"fastembed {name}/1")
        self.fingerprint = Fingerprint(
            name=f"fastembed:{name}", weights=weights, dimension=dimension
        )

    def embed(self, passages: Sequence[Passage]) -> list[Embedded]:
        """Embed passages, in order."""
        if not passages:
            return []
        texts = valid(passage.text for passage in passages)
        made = self._vectors(self._model.passage_embed(texts, batch_size=_BATCH))
        return [Embedded(vector=vector) for vector in made]

    def embed_query(self, text: str) -> Embedded:
        """Embed a question, with the model's prefix for questions."""
        return Embedded(vector=self._vectors(self._model.query_embed(valid([text])))[0])

    def _vectors(self, rows: Iterable[NDArray[np.float32]]) -> NDArray[np.float32]:
        return unit(np.stack(list(rows)), by=f"fastembed:{self._name}")
