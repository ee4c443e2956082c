"""Embeddings from any server that speaks the OpenAI protocol."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.records import Embedded, Fingerprint, Passage
from hippocampus.encode.embedders.base import sha256_of, unit, valid
from hippocampus.errors import EncoderError, ModelError
from hippocampus.llm.http import OPENAI, RequestLimits, Server

_BATCH_TEXTS = 128
"""Texts of a request: OpenAI takes more, other servers of its protocol do not all. Set by hand."""
_BATCH_CHARS = 200_000
"""Stays below the 300 000 tokens a request may hold, in any language."""
_LONGEST_ANSWER = 64 << 20
"""Bytes of a server's answer; a batch of vectors of 4096 takes 10 MB as JSON."""
_AT_ONCE = 8
"""Requests at a time, as many as a server of one's own has use for. Set by hand."""
_PROBE = "hippocampus"


class OpenAIEmbedder:
    """
    Asks a server for vectors. Gives no token vectors; neighbours of a passage are ignored.

    The dimension is whatever the first answer has; a later one that differs is an error.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout_s: float = 30.0,
        retries: int = 3,
    ) -> None:
        """
        Prepare a client; nothing is sent yet.

        Args:
            model: The server's name for the model.
            base_url: Where the server is, as ``http://localhost:8000/v1``; OpenAI's unless given.
            api_key: Without it ``OPENAI_API_KEY`` of the environment, which OpenAI's server needs.
            timeout_s: Seconds one request may take in all.
            retries: Further attempts after a broken line, 429 or 5xx, pausing longer each time.
        """
        key = api_key or os.environ.get("OPENAI_API_KEY")
        if not key and base_url is None:
            msg = f"openai:{model}: needs a key; set OPENAI_API_KEY or give api_key"
            raise EncoderError(msg)
        # Five seconds at most to connect: who does not answer by then will not.
        limits = RequestLimits(timeout_s, min(5.0, timeout_s), retries, _AT_ONCE, _LONGEST_ANSWER)
        self._server = Server(base_url or OPENAI, key=key, limits=limits)
        self._model = model
        self._dimension: int | None = None

    @property
    def fingerprint(self) -> Fingerprint:
        """Model and dimension; asks the server once when nothing was embedded before."""
        if self._dimension is None:
            self._ask([_PROBE])
        dimension = self._dimension or 0
        return Fingerprint(
            name=f"openai:{self._model}",
            weights=sha256_of("openai", self._model, str(dimension)),
            dimension=dimension,
        )

    def embed(self, passages: Sequence[Passage]) -> list[Embedded]:
        """Embed passages, in order, in requests of bounded size."""
        return [
            Embedded(vector=vector)
            for batch in _batches(valid(passage.text for passage in passages))
            for vector in self._ask(batch)
        ]

    def embed_query(self, text: str) -> Embedded:
        """Embed a question as any other text."""
        return Embedded(vector=self._ask(valid([text]))[0])

    def close(self) -> None:
        """Close the connections. May be called twice."""
        self._server.close()

    def _ask(self, texts: list[str]) -> NDArray[np.float32]:
        who = f"openai:{self._model} at {self._server.url}"
        asked = {"model": self._model, "input": texts, "encoding_format": "float"}
        try:
            answer = self._server.post("/embeddings", asked)
        except ModelError as exc:
            msg = f"{who} gave no embeddings: {exc}"
            raise EncoderError(msg) from exc
        try:
            # By the index, for the protocol does not promise the order of what was asked.
            rows = {item["index"]: item["embedding"] for item in answer["data"]}
            vectors = unit([rows[place] for place in range(len(texts))], by=who)
        except (LookupError, TypeError, ValueError) as exc:
            msg = f"{who} gave an answer that is not {len(texts)} vectors of one dimension"
            raise EncoderError(msg) from exc
        if self._dimension not in (None, vectors.shape[1]):
            msg = f"{who} gave {vectors.shape[1]} dimensions, and {self._dimension} before"
            raise EncoderError(msg)
        self._dimension = vectors.shape[1]
        return vectors


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    chars = 0
    for text in texts:
        if batch and (len(batch) == _BATCH_TEXTS or chars + len(text) > _BATCH_CHARS):
            yield batch
            batch, chars = [], 0
        batch.append(text)
        chars += len(text)
    if batch:
        yield batch
