"""Embeds the questions of several threads together: a few at once cost less than each alone."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Final, Protocol, runtime_checkable

from hippocampus.core.group_commit import GroupCommit
from hippocampus.core.records import Embedded, Embedder, Fingerprint, Passage

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
        self._questions: GroupCommit[str, Embedded] = GroupCommit(lambda some, _: len(some) < _MOST)

    @property
    def fingerprint(self) -> Fingerprint:
        """The wrapped embedder's: the vectors are the same."""
        return self._inner.fingerprint

    @property
    def waiting(self) -> int:
        """Number of questions that wait."""
        return self._questions.waiting

    def embed(self, passages: Sequence[Passage]) -> list[Embedded]:
        """Embed passages of a bank, in order; questions do not wait for many."""
        with self._embedding if len(passages) <= _MOST else nullcontext():
            return self._inner.embed(passages)

    def embed_query(self, text: str) -> Embedded:
        """Embed a question, beside those of other threads."""
        return self._questions.call(text, self._inner.embed_queries, inside=lambda: self._embedding)
