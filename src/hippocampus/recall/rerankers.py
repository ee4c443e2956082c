"""Cross-encoders for the first hits: they read question and text together; slower and better."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from http.client import HTTPException
from typing import IO, Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.optional import require
from hippocampus.encode.embedders.base import display_name, valid
from hippocampus.errors import EncoderError, InputError, ModelNotInstalled

_MOST_BYTES = 16 * 1024 * 1024
"""Longest answer that is read; a thousand scores take 60 kB."""


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
        try:
            self._model: Any = package.CrossEncoder(
                name_or_path, device=device, local_files_only=not download
            )
        except (OSError, ValueError) as exc:
            msg = (
                f"sentence-transformers cannot load the cross-encoder {name_or_path!r} from this"
                f" machine ({exc}); give a folder, or fetch the model first, for instance with"
                " 'hf download'"
            )
            raise ModelNotInstalled(msg) from exc
        self._name = display_name(name_or_path)

    @property
    def name(self) -> str:
        """The model's name, or its folder's."""
        return self._name

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
            msg = f"the reranker {self._name} failed on {len(texts)} texts: {exc}"
            raise EncoderError(msg) from exc
        return _checked(scores, len(texts), by=self._name)


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
            timeout_s: Seconds the server may be silent.

        Raises:
            InputError: The address is not one of HTTP, or the timeout is no time.
        """
        if urlsplit(url).scheme not in {"http", "https"} or not urlsplit(url).hostname:
            msg = f"url={url!r}: must be an address such as 'http://localhost:8080/rerank'"
            raise InputError(msg)
        if not timeout_s > 0:
            msg = f"timeout_s={timeout_s!r}: must be more than 0 seconds"
            raise InputError(msg)
        self._url = url
        self._model = model
        self._timeout_s = timeout_s
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if api_key is not None:
            self._headers["Authorization"] = f"Bearer {api_key}"
        self._opener = build_opener(_NoRedirect)

    @property
    def name(self) -> str:
        """The model and the host that runs it."""
        host = urlsplit(self._url).netloc.rpartition("@")[2]
        return f"{self._model} at {host}" if self._model else host

    def rerank(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a score per text, shape (len(texts),), on the server's own scale."""
        if not texts:
            return np.empty(0, np.float32)
        (query,) = valid([query])
        if self._model is None:
            asked: dict[str, object] = {"query": query, "texts": valid(texts), "truncate": True}
        else:
            asked = {"model": self._model, "query": query, "documents": valid(texts)}
        answer = self._ask(json.dumps(asked).encode())
        try:
            items = answer["results"] if isinstance(answer, Mapping) else answer
            scores = dict(map(_score, items))
            ordered = [scores[place] for place in range(len(texts))]
        except (KeyError, TypeError, ValueError) as exc:
            msg = (
                f"the reranker {self.name} gave an answer that is not {len(texts)} items of"
                f" 'index' and 'relevance_score' or 'score' ({type(exc).__name__}: {exc})"
            )
            raise EncoderError(msg) from exc
        return _checked(ordered, len(texts), by=self.name)

    def _ask(self, body: bytes) -> Any:  # noqa: ANN401 - JSON is any
        request = Request(self._url, body, self._headers)  # noqa: S310 - the scheme was checked
        try:
            with self._opener.open(request, timeout=self._timeout_s) as answer:
                raw = answer.read(_MOST_BYTES + 1)
        except HTTPError as exc:
            with exc:
                msg = f"the reranker {self.name} answered {exc.code}: {_said(exc)}"
            raise EncoderError(msg) from exc
        except (OSError, HTTPException) as exc:
            msg = f"the reranker {self.name} cannot be reached: {exc}"
            raise EncoderError(msg) from exc
        if len(raw) > _MOST_BYTES:
            msg = f"the reranker {self.name} gave an answer of more than {_MOST_BYTES} bytes"
            raise EncoderError(msg)
        try:
            return json.loads(raw)
        except (ValueError, RecursionError) as exc:
            msg = f"the reranker {self.name} gave an answer that is not JSON: {exc}"
            raise EncoderError(msg) from exc


class _NoRedirect(HTTPRedirectHandler):
    """Leaves a redirect an error: followed, it would take the key to another host."""

    def redirect_request(
        self,
        req: Request,  # noqa: ARG002
        fp: IO[bytes],  # noqa: ARG002
        code: int,  # noqa: ARG002
        msg: str,  # noqa: ARG002
        headers: Any,  # noqa: ANN401, ARG002
        newurl: str,  # noqa: ARG002
    ) -> None:
        return None


def _said(error: HTTPError) -> str:
    """Return the beginning of what a server says of its refusal, on one line."""
    try:
        said = error.read(500).decode("utf-8", "replace")
    except (OSError, HTTPException):
        said = ""
    return " ".join(said.split())[:200] or error.reason


def _score(item: Mapping[str, object]) -> tuple[int, float]:
    place = item["index"]
    score = item["relevance_score"] if "relevance_score" in item else item["score"]
    if isinstance(place, bool) or not isinstance(place, int):
        msg = f"index={place!r}"
        raise TypeError(msg)
    if isinstance(score, bool) or not isinstance(score, int | float):
        msg = f"score={score!r}"
        raise TypeError(msg)
    return place, float(score)


def _checked(scores: Iterable[Any], count: int, *, by: str) -> NDArray[np.float32]:
    """Return scores that can be sorted by: one a text, all finite."""
    checked = np.asarray(scores, np.float32)
    if checked.shape != (count,):
        msg = (
            f"the reranker {by} gave scores of shape {checked.shape} for {count} texts; use a model"
            " that gives one score a pair"
        )
        raise EncoderError(msg)
    if not np.isfinite(checked).all():
        msg = f"the reranker {by} gave a score that is not a number"
        raise EncoderError(msg)
    return checked
