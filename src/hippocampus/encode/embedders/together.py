"""Embeds the questions of several threads together: a few at once cost less than each alone."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Final, Protocol, runtime_checkable

from hippocampus.model import Embedded, Embedder, Fingerprint, Passage

_MOST: Final = 8
"""Questions embedded at once; of more each costs no less."""


@runtime_checkable
class AsksMany(Embedder, Protocol):
    """An embedder that takes several questions at once."""

    def embed_queries(self, texts: Sequence[str]) -> list[Embedded]:
        """Embed questions, in order; each as it would be alone."""
        ...


class Together:
    """
    Wraps an embedder: questions that come while others are embedded wait, and then go together.

    Nobody waits for a question that may come. Of those that wait, the first embeds for all.
    """

    def __init__(self, inner: AsksMany) -> None:
        self._inner = inner
        self._embedding = threading.Lock()
        self._lock = threading.Lock()
        self._waiting: list[tuple[str, Future[Embedded]]] = []

    @property
    def fingerprint(self) -> Fingerprint:
        """The wrapped embedder's: the vectors are the same."""
        return self._inner.fingerprint

    @property
    def waiting(self) -> int:
        """How many questions wait."""
        return len(self._waiting)

    def embed(self, passages: Sequence[Passage]) -> list[Embedded]:
        """Embed passages of a bank, in order."""
        return self._inner.embed(passages)

    def embed_query(self, text: str) -> Embedded:
        """Embed a question, beside those of other threads."""
        mine: Future[Embedded] = Future()
        with self._lock:
            self._waiting.append((text, mine))
        while not mine.done():
            with self._embedding:
                if not mine.done():
                    self._embed_some()
        return mine.result()

    def _embed_some(self) -> None:
        """Embed the questions that have waited longest, for whoever asked."""
        with self._lock:
            some, self._waiting = self._waiting[:_MOST], self._waiting[_MOST:]
        try:
            made = self._inner.embed_queries([text for text, _ in some])
        except BaseException as exc:  # noqa: BLE001 - raised by each that waits for it
            for _, theirs in some:
                theirs.set_exception(exc)
        else:
            for (_, theirs), embedded in zip(some, made, strict=True):
                theirs.set_result(embedded)
