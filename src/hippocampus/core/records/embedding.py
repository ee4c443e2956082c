"""Inputs and outputs of embedders and rerankers, and the protocols they meet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hippocampus.core.lazy_dataclass import immutable


@immutable(kw_only=False)
class Passage:
    """A text to embed, between its neighbours, which colour its tokens and are not embedded."""

    text: str
    before: str = ""
    after: str = ""


@immutable
class Fingerprint:
    """Identity of a vector's embedder. Vectors of different fingerprints are never compared."""

    name: str
    weights: str
    """Hash of the weights (and of everything else that shapes the vectors)."""
    dimension: int
    token_dimension: int = 0
    """Dimension of the contextual token vectors; 0 when the embedder gives none."""

    def __str__(self) -> str:
        return f"{self.name} ({self.dimension} dimensions, {self.weights[:12]})"


@immutable(kw_only=False, eq=False)
class Embedded:
    """
    One text as an embedder sees it.

    ``vector``: shape (dimension,), float32, length 1. ``tokens``: contextual token vectors, shape
    (n, token_dimension), float32, each of length 1, or None. ``spans``: the characters of the text
    each token covers, shape (n, 2), int32, exclusive ends, or None.
    """

    vector: NDArray[np.float32]
    tokens: NDArray[np.float32] | None = None
    spans: NDArray[np.int32] | None = None


class Embedder(Protocol):
    """
    Turns text into vectors.

    The same passage gives the same vector, whatever else is in the batch. Vectors have length 1.
    """

    @property
    def fingerprint(self) -> Fingerprint:
        """Identity of this embedder; constant for its life."""

    def embed(self, passages: Sequence[Passage]) -> list[Embedded]:
        """Embed passages of a bank, in order."""

    def embed_query(self, text: str) -> Embedded:
        """Embed a question. Models that tell questions from passages do so here."""


EmbeddingFunction: TypeAlias = Callable[[list[str]], ArrayLike]
"""Function from texts to a vector for each, as lists of numbers or as rows of an array."""


@runtime_checkable
class Reranker(Protocol):
    """Scores (query, text) pairs together; slower and better than comparing vectors."""

    @property
    def name(self) -> str:
        """Name of it in explanations."""

    def rerank(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a score per text, shape (len(texts),); higher is better, any scale."""
