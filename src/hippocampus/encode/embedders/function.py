"""Embeddings from any function of texts to vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.records import Embedded, EmbeddingFunction, Fingerprint, Passage
from hippocampus.encode.embedders.base import LocalEmbedder, sha256_of, unit
from hippocampus.encode.given_parts import calling
from hippocampus.errors import EncoderError, InputError

_PROBE = "hippocampus"
_MULTIPLE = 8
"""Dimensions that the kernels take together."""


class FunctionEmbedder(LocalEmbedder):
    """
    Asks a function for vectors, of any length but zero. Neighbours of a passage are ignored.

    The dimension is whatever the first answer has, with zeros up to a multiple of 8; a later one
    that differs is an error. The function's name stands for its model: one of another model needs
    another name, so that vectors of both are never compared.

    Raises:
        InputError: it has no name of its own, as a lambda or a partial has none.

    """

    def __init__(self, function: EmbeddingFunction) -> None:
        self._function = function
        own = getattr(function, "__qualname__", "")
        if not own or own.endswith("<lambda>"):
            msg = (
                f"embedder={function!r:.100}: has no name of its own, which stands for the model in"
                " the store; give a function that def names"
            )
            raise InputError(msg)
        self._name = f"function:{own}"
        self._dimension = 0

    @property
    def fingerprint(self) -> Fingerprint:  # type: ignore[override]  # found when first asked
        """Name and dimension; asks the function once when nothing was embedded before."""
        if not self._dimension:
            self._ask([_PROBE])
        return Fingerprint(
            name=self._name,
            weights=sha256_of("function", self._name, str(self._dimension)),
            dimension=self._dimension + -self._dimension % _MULTIPLE,
        )

    def embed(self, passages: Sequence[Passage]) -> list[Embedded]:
        """Embed passages, in order."""
        return [Embedded(vector) for vector in self._ask([passage.text for passage in passages])]

    def _ask(self, texts: list[str]) -> NDArray[np.float32]:
        who = f"the embedder {self._name}"
        with calling("embedder", self._name):
            given = self._function(texts)
        try:
            numbers = np.asarray(given, np.float64)
        except (TypeError, ValueError) as exc:
            msg = f"{who} gave {given!r:.100}; expected a list of numbers per text, equally long"
            raise EncoderError(msg) from exc
        rows = unit(numbers, by=who)
        if len(rows) != len(texts):
            raise EncoderError(f"{who} gave {len(rows)} vectors for {len(texts)} texts")
        dimension = rows.shape[1]
        if self._dimension not in (0, dimension):
            raise EncoderError(f"{who} gave {dimension} dimensions, and {self._dimension} before")
        self._dimension = dimension
        return np.pad(rows, ((0, 0), (0, -dimension % _MULTIPLE)))
