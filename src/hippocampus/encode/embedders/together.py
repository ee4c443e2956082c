"""Batching of embedding calls: texts of several threads cost less together than each alone."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol, runtime_checkable

from hippocampus.core.group_commit import GroupCommit
from hippocampus.core.records import Embedded, Embedder, Fingerprint, Passage

_MOST: Final = 8
"""Texts embedded at once; of more each costs no less."""
_LONGEST: Final = 4000
"""Characters of all that goes together, neighbours included: no question waits for long texts."""


@runtime_checkable
class EmbedsTogether(Embedder, Protocol):
    """An embedder that takes passages and questions at once."""

    def embed_together(
        self, passages: Sequence[Passage], questions: Sequence[str]
    ) -> tuple[list[Embedded], list[Embedded]]:
        """Embed passages and questions, in order; each as it would be alone."""
        ...


class _Texts(NamedTuple):
    """Texts that one thread wants embedded: passages to be kept, or a question."""

    passages: Sequence[Passage]
    questions: Sequence[str]

    @property
    def texts(self) -> int:
        """Return the number of texts in the batch."""
        return len(self.passages) + len(self.questions)

    @property
    def characters(self) -> int:
        """Number of characters that are read."""
        passages = sum(len(p.text) + len(p.before) + len(p.after) for p in self.passages)
        return passages + sum(map(len, self.questions))


class Together:
    """
    Wraps an embedder: what comes while others are embedded waits, and then goes together.

    Nobody waits for a text that may come. Of those that wait, the first embeds for all.

    Args:
        inner: the embedder.
        at_once: passes of the model at once; one for every two processors unless given, for each
            uses several.

    """

    def __init__(self, inner: EmbedsTogether, *, at_once: int | None = None) -> None:
        self._inner = inner
        passes = at_once or max(1, (os.cpu_count() or 1) // 2)
        self._embedding = threading.BoundedSemaphore(passes)
        self._texts: GroupCommit[_Texts, list[Embedded]] = GroupCommit(_fits)

    @property
    def fingerprint(self) -> Fingerprint:
        """The wrapped embedder's: the vectors are the same."""
        return self._inner.fingerprint

    @property
    def waiting(self) -> int:
        """Number of calls that wait."""
        return self._texts.waiting

    def embed(self, passages: Sequence[Passage]) -> list[Embedded]:
        """Embed passages of a bank, in order; nobody waits for many, which go apart."""
        if len(passages) > _MOST:
            return self._inner.embed(passages)
        return self._call(_Texts(passages, ()))

    def embed_query(self, text: str) -> Embedded:
        """Embed a question, beside what other threads bring."""
        return self._call(_Texts((), (text,)))[0]

    def _call(self, asked: _Texts) -> list[Embedded]:
        # While all passes are taken, calls that wait come together.
        return self._texts.call(asked, self._embed, inside=lambda: self._embedding)

    def _embed(self, some: Sequence[_Texts]) -> list[list[Embedded]]:
        passages, questions = self._inner.embed_together(
            [passage for one in some for passage in one.passages],
            [question for one in some for question in one.questions],
        )
        left, right = iter(passages), iter(questions)
        return [
            [next(left) for _ in one.passages] + [next(right) for _ in one.questions]
            for one in some
        ]


def _fits(some: Sequence[_Texts], one: _Texts) -> bool:
    """Return whether one more call goes together with some."""
    texts = one.texts + sum(other.texts for other in some)
    characters = one.characters + sum(other.characters for other in some)
    return texts <= _MOST and characters <= _LONGEST
