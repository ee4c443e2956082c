"""Cross-encoders for the first hits: they read question and text together; slower and better."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec
import numpy as np
from numpy.typing import NDArray

from hippocampus.core.optional import require
from hippocampus.core.records import Reranker
from hippocampus.encode.embedders.base import FETCH, display_name, loading, valid
from hippocampus.errors import (
    EncoderError,
    InputError,
    ModelError,
    ModelTimeout,
    ModelUnavailable,
)
from hippocampus.llm.http import RequestLimits, Server
from hippocampus.recall.rerank import checked_scores

_MOST_BYTES = 16 * 1024 * 1024
"""Longest answer that is read; a thousand scores take 60 kB."""
_AT_ONCE = 1000
"""Recalls that may wait for the server together: as many as the limit allows, for none queues."""


SPECS: Final = {
    "none": "no reranker: hits stay in the order of recall",
    "sentence-transformers:NAME_OR_FOLDER": "a cross-encoder of sentence-transformers",
    "rerank:[MODEL@]URL": "a server with a /rerank endpoint, as Cohere, Jina, vLLM and TEI have",
}
"""Every form a specification takes, and what it means."""


def load_reranker(spec: str) -> Reranker | None:
    """
    Return the reranker that a specification names; None for ``"none"``.

    A model on this machine is loaded by the first recall, for who only writes needs none. The key
    for a server is ``HIPPOCAMPUS_RERANKER_KEY`` of the environment.

    Raises:
        InputError: the specification has none of the forms of ``SPECS``.

    """
    kind, _, rest = spec.partition(":")
    if spec == "none":
        return None
    if kind == "sentence-transformers" and rest:
        return LateReranker(rest)
    model, at, url = rest.partition("@")
    if "://" in model:  # the "@" is of a name and a password in the address
        model, at, url = "", "@", rest
    if kind == "rerank" and (url if at else rest):
        key = os.environ.get("HIPPOCAMPUS_RERANKER_KEY")
        return HttpReranker(url if at else rest, model=model if at and model else None, api_key=key)
    forms = ", ".join(SPECS)
    msg = f"unknown reranker {kind!r}: use one of {forms}"  # the rest may hold a password
    raise InputError(msg)


class LateReranker:
    """Cross-encoder of sentence-transformers that is loaded when it is first asked."""

    def __init__(self, name_or_path: str) -> None:
        self.name = display_name(name_or_path)
        self._named = name_or_path
        self._loading = threading.Lock()
        self._loaded: CrossEncoderReranker | None = None

    def rerank(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """
        Return a score per text, shape (len(texts),), on the model's own scale.

        Raises:
            MissingExtra: sentence-transformers is not installed.

        """
        with self._loading:
            model = self._loaded = self._loaded or CrossEncoderReranker(self._named)
        return model.rerank(query, texts)


class CrossEncoderReranker:
    """
    Runs a cross-encoder of sentence-transformers that gives one score a pair.

    Nothing is downloaded unless ``download`` says so: ``name_or_path`` is a folder, or a model
    that is in the library's cache already.
    """

    def __init__(
        self, name_or_path: str, *, device: str | None = None, download: bool = False
    ) -> None:
        package = require(
            "sentence_transformers",
            extra="sentence-transformers",
            feature=f"the reranker {name_or_path}",
        )
        with loading("sentence-transformers", f"the cross-encoder {name_or_path!r}", fix=FETCH):
            self._model: Any = package.CrossEncoder(
                name_or_path, device=device, local_files_only=not download
            )
        self.name = display_name(name_or_path)

    def rerank(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a score per text, shape (len(texts),), on the model's own scale."""
        if not texts:
            return np.empty(0, np.float32)
        (query,) = valid([query])
        try:
            scores = self._model.predict(
                [(query, text) for text in valid(texts)], show_progress_bar=False
            )
        except (RuntimeError, ValueError, IndexError) as exc:
            msg = f"the reranker {self.name} failed on {len(texts)} texts: {exc}"
            raise EncoderError(msg) from exc
        return checked_scores(scores, len(texts), by=self.name)


class _ScoredText(msgspec.Struct):
    """An item of a server's answer; servers call the score by either name."""

    index: int
    relevance_score: float | None = None
    score: float | None = None


class HttpReranker:
    """
    Asks a server that has a ``/rerank`` endpoint, such as Cohere, Jina, vLLM or TEI.

    With ``model`` the texts are sent as ``documents``, which Cohere, Jina, vLLM and most others
    expect; without one as ``texts``, which Text Embeddings Inference expects. Either answer is
    understood: ``{"results": [{"index", "relevance_score"}]}`` and ``[{"index", "score"}]``.
    A recall waits for the answer, so there is one attempt, and it goes on without if that fails.
    """

    def __init__(
        self,
        url: str,
        *,
        model: str | None = None,
        api_key: str | None = None,
        timeout_s: float = 5.0,
    ) -> None:
        """
        Prepare; nothing is sent yet.

        Args:
            url: The endpoint itself, such as ``http://localhost:8080/rerank``.
            model: The server's name for the model, where it serves several.
            api_key: Sent as a bearer token, to this host alone: redirects are not followed.
            timeout_s: Seconds for the whole answer.

        Raises:
            InputError: The address is not one of HTTP, or the timeout is no time.
        """
        limits = RequestLimits(timeout_s, timeout_s, 0, _AT_ONCE, _MOST_BYTES)
        self._server = Server(url, key=api_key, limits=limits, user=True)
        self._model = model
        host = urlsplit(self._server.url).netloc
        self.name = f"{model} at {host}" if model else host

    def rerank(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a score per text, shape (len(texts),), on the server's own scale."""
        if not texts:
            return np.empty(0, np.float32)
        (query,) = valid([query])
        if self._model is None:
            asked: dict[str, object] = {"query": query, "texts": valid(texts), "truncate": True}
        else:
            asked = {"model": self._model, "query": query, "documents": valid(texts)}
        try:
            answer = self._server.post("", asked)
        except (ModelUnavailable, ModelTimeout) as exc:
            msg = f"the reranker {self.name} cannot be reached: {exc}"
            raise EncoderError(msg) from exc
        except ModelError as exc:
            msg = f"the reranker {self.name} gave no scores: {exc}"
            raise EncoderError(msg) from exc
        try:
            items = answer["results"] if isinstance(answer, Mapping) else answer
            scores = {
                one.index: one.score if one.relevance_score is None else one.relevance_score
                for one in msgspec.convert(items, list[_ScoredText])
            }
            ordered = [scores[place] for place in range(len(texts))]
        except (KeyError, ValueError, msgspec.ValidationError) as exc:  # half a surrogate, too
            msg = (
                f"the reranker {self.name} gave an answer that is not {len(texts)} items of"
                f" 'index' and 'relevance_score' or 'score' ({type(exc).__name__}: {exc})"
            )
            raise EncoderError(msg) from exc
        return checked_scores(ordered, len(texts), by=self.name)
