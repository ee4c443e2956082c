"""
Memo of questions embedded lately, by bank: the lookup of its hot tier (HUMAN, section 3).

Most of a recall's time is its question's embedding, and the same is often asked again: for a
context after a recall, for an explanation, by the next request of a loop. A question is known by a
digest, for its words shall not stay in memory.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from hashlib import blake2b
from typing import Final

from hippocampus.core.records import Embedded, Embedder
from hippocampus.encode.given_parts import embed_question

_MOST: Final = 32
"""Questions, some 40 kB each. A context after a recall, an explanation, a loop's next turn ask the
same again, and take half the time (docs/papers/human.md). More were not tried."""


class QuestionMemo:
    """Embeddings of the last questions. Safe to share between threads."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, bytes], Embedded] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._known)

    def embed(self, embedder: Embedder, text: str) -> Embedded:
        """Return a question's embedding, made anew unless it was lately."""
        key = str(embedder.fingerprint), blake2b(text.encode(), digest_size=16).digest()
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        made = embed_question(embedder, text)  # others need not wait for the model
        with self._lock:
            self._known[key] = made
            while len(self._known) > _MOST:
                self._known.popitem(last=False)
        return made

    def clear(self) -> None:
        """Forget all of them."""
        with self._lock:
            self._known.clear()
