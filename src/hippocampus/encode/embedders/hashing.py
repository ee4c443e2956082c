"""An embedder without a model: signed feature hashing of words and of their letters."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.core.records import Embedded, Fingerprint, Passage
from hippocampus.encode.embedders.base import sha256_of
from hippocampus.errors import InputError

_WORD = lazy_pattern(r"\w+|[^\w\s\x00-\x7f]")  # words, and signs that mean something, like emoji
_RECIPE = "words, pairs, letters 3 and 4/1"
_PLACES = 4
"""Dimensions a feature is spread over: enough that two features rarely share all of them, few
enough that words stay apart. Set by hand."""
_LETTERS, _PAIR = 0.35, 0.5
"""Weights of letters and pairs beside the word itself, so that 'parrots' finds 'parrot'. Set by
hand."""
_WORDS_KEPT = 8192
"""Words whose vectors are remembered: 8 MB of 256 numbers each, and most words of a bank."""


class HashEmbedder:
    """
    Turns equal words into equal vectors, and similar spellings into similar ones.

    It knows nothing of meaning; it is deterministic on every machine, needs no weights and takes
    microseconds, which is what tests and demonstrations want. Neighbours of a passage are ignored.
    """

    def __init__(self, dimension: int = 256) -> None:
        if dimension < 16:
            msg = f"dimension={dimension}: a hash embedder needs at least 16; 256 is usual"
            raise InputError(msg)
        self._dimension = dimension
        # For this object alone: a cache on the method would keep every one of them alive.
        self._word = lru_cache(_WORDS_KEPT)(self._word_vector)

    @property
    def fingerprint(self) -> Fingerprint:
        """The embedder's identity: its recipe and dimension."""
        return Fingerprint(
            name="hash",
            weights=sha256_of(_RECIPE, str(self._dimension)),
            dimension=self._dimension,
            token_dimension=self._dimension,
        )

    def embed(self, passages: Sequence[Passage]) -> list[Embedded]:
        """Embed passages, in order."""
        return [self._embed(passage.text) for passage in passages]

    def embed_query(self, text: str) -> Embedded:
        """Embed a question as any other text."""
        return self._embed(text)

    def _embed(self, text: str) -> Embedded:
        found = list(_WORD.finditer(text))
        words = [match[0].casefold() for match in found]
        tokens = np.empty((len(words), self._dimension), np.float32)
        for row, word in zip(tokens, words, strict=True):
            row[:] = self._word(word)
        pairs = [" ".join(pair) for pair in pairwise(words)]
        total = tokens.sum(axis=0, dtype=np.float64) + _PAIR * self._features(pairs)
        spans = np.array([match.span() for match in found], np.int32).reshape(-1, 2)
        return Embedded(vector=self._unit(total, text), tokens=tokens, spans=spans)

    def _word_vector(self, word: str) -> NDArray[np.float32]:
        letters = list(_ngrams(f"<{word}>"))
        return self._unit(self._features([word]) + _LETTERS * self._features(letters), word)

    def _features(self, features: list[str]) -> NDArray[np.float64]:
        """Spread each feature over a few dimensions, with signs, by its hash; return their sum."""
        raw = b"".join(
            hashlib.blake2b(
                feature.encode("utf-8", "surrogatepass"), digest_size=4 * _PLACES
            ).digest()
            for feature in features
        )
        bits = np.frombuffer(raw, "<u4")
        vector = np.zeros(self._dimension)
        np.add.at(vector, (bits >> 1) % self._dimension, 1.0 - 2.0 * (bits & 1))
        return vector

    def _unit(self, vector: NDArray[np.float64], text: str) -> NDArray[np.float32]:
        length = float(np.linalg.norm(vector))
        if length < 1e-6:  # no words at all, or features that cancelled: any fixed vector will do
            vector = np.zeros(self._dimension)
            vector[sum(text.encode("utf-8", "surrogatepass")) % self._dimension] = 1.0
            length = 1.0
        return (vector / length).astype(np.float32)


def _ngrams(word: str) -> Iterator[str]:
    for size in (3, 4):
        for start in range(len(word) - size + 1):
            yield word[start : start + size]
