"""Embeds the questions of several threads together: a few at once cost less than each alone."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import nullcontext
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

    Args:
        inner: the embedder.
        at_once: passes of the model at once; one for every two processors unless given, for each
            uses several.

    """

    def __init__(self, inner: AsksMany, *, at_once: int | None = None) -> None:
        self._inner = inner
        passes = at_once or max(1, (os.cpu_count() or 1) // 2)
        self._embedding = threading.BoundedSemaphore(passes)
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
        """Embed passages of a bank, in order; questions do not wait for many."""
        with self._embedding if len(passages) <= _MOST else nullcontext():
            return self._inner.embed(passages)

    def embed_query(self, text: str) -> Embedded:
        """Embed a question, beside those of other threads."""
        mine: Future[Embedded] = Future()
        with self._lock:
            self._waiting.append((text, mine))
        waits = True
        while waits:
            with self._embedding:
                some = self._take(mine)
                self._embed(some)
                waits = bool(some) and all(theirs is not mine for _, theirs in some)
        return mine.result()

    def _take(self, mine: Future[Embedded]) -> list[tuple[str, Future[Embedded]]]:
        """Return the questions that have waited longest; none if another has taken this one."""
        with self._lock:
            if all(theirs is not mine for _, theirs in self._waiting):
                return []
            some, self._waiting = self._waiting[:_MOST], self._waiting[_MOST:]
            return some

    def _embed(self, some: Sequence[tuple[str, Future[Embedded]]]) -> None:
        """Embed questions for whoever asked them."""
        if not some:
            return
        try:
            made = self._inner.embed_queries([text for text, _ in some])
        except BaseException as exc:  # noqa: BLE001 - raised by each that waits for it
            alone = len(some) == 1 or not isinstance(exc, Exception)
            for one in some:
                if alone:
                    one[1].set_exception(exc)
                else:  # whose question it was cannot be told: nobody answers for another's
                    self._embed([one])
        else:
            for (_, theirs), embedded in zip(some, made, strict=True):
                theirs.set_result(embedded)
