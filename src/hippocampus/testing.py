"""
Embedders, a clock and a full disk for tests: real implementations, fast and the same everywhere.

A store for tests is ``Memory(":memory:")``, which is the real one without a file.

Pass them to ``Memory``:

    memory = Memory(":memory:", embedder=HashEmbedder(), clock=ManualClock(datetime(2026, 1, 1)))
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np

from hippocampus.core.clock import ManualClock
from hippocampus.core.records import Embedded, Fingerprint, Passage
from hippocampus.core.system import largest_file
from hippocampus.encode.embedders.base import sha256_of
from hippocampus.encode.embedders.hashing import HashEmbedder
from hippocampus.errors import EncoderError

__all__ = ["Fails", "Gate", "HashEmbedder", "ManualClock", "ScriptedEmbedder", "TableEmbedder",
           "full_disk"]  # fmt: skip


class ScriptedEmbedder(HashEmbedder):
    """
    A hash embedder that counts what it is asked, and fails or waits as it is told.

    Args:
        dimension: of its vectors.
        on_passages: called with the texts of each batch before it is embedded, such as ``Fails()``.
        on_query: called with each question, in a list, before it is embedded.

    """

    def __init__(
        self,
        dimension: int = 256,
        *,
        on_passages: Callable[[Sequence[str]], object] | None = None,
        on_query: Callable[[Sequence[str]], object] | None = None,
    ) -> None:
        super().__init__(dimension)
        self.on_passages = on_passages
        self.on_query = on_query
        self.batches: list[int] = []
        """How many passages it was given at once, call by call."""
        self.queries = 0
        """How many questions it was asked."""

    @property
    def passages(self) -> int:
        """Return the number of passages that it was given."""
        return sum(self.batches)

    def embed(self, passages: Sequence[Passage]) -> list[Embedded]:
        """Embed passages, in order."""
        self.batches.append(len(passages))
        if self.on_passages is not None:
            self.on_passages([passage.text for passage in passages])
        return super().embed(passages)

    def embed_query(self, text: str) -> Embedded:
        """Embed a question as any other text."""
        self.queries += 1
        if self.on_query is not None:
            self.on_query([text])
        return super().embed_query(text)


class Fails:
    """
    Behaviour of an embedder whose server is gone: it raises.

    Args:
        after: the calls that go well first; flaky is ``Fails(after=1, times=1)``.
        times: the calls that fail then; None for all that follow.
        containing: only texts with this in them fail.
        error: what is raised.

    """

    def __init__(
        self,
        *,
        after: int = 0,
        times: int | None = None,
        containing: str = "",
        error: Exception | None = None,
    ) -> None:
        self.after, self.times, self.containing = after, times, containing
        self.error = error or EncoderError("the model does not answer")
        self.calls = 0

    def __call__(self, texts: Sequence[str]) -> None:
        if not any(self.containing in text for text in texts):
            return
        self.calls += 1
        if self.calls > self.after and (
            self.times is None or self.calls <= self.after + self.times
        ):
            raise self.error


class Gate:
    """Behaviour of a slow embedder: it waits until it is let go, ``patience_s`` at most."""

    def __init__(self, *, opened: bool = False, patience_s: float = 30.0) -> None:
        self.asked, self.go = threading.Event(), threading.Event()
        self.patience_s = patience_s
        if opened:
            self.go.set()

    def __call__(self, _texts: Sequence[str]) -> None:
        self.asked.set()
        if not self.go.wait(self.patience_s):
            msg = f"nobody let it go for {self.patience_s} s"
            raise TimeoutError(msg)


class TableEmbedder:
    """
    An embedder that looks texts up in a table of vectors; of others it knows nothing.

    Args:
        vectors: what each text embeds to: numbers, not all zero, as many for each; zeros are added
            up to a multiple of 8, which an index needs.

    Raises:
        EncoderError: a text is not in the table.

    """

    def __init__(self, vectors: Mapping[str, Sequence[float]]) -> None:
        self._vectors = {
            text: np.pad(np.asarray(v, np.float32), (0, -len(v) % 8)) for text, v in vectors.items()
        }
        self.fingerprint = Fingerprint(
            name="table",
            weights=sha256_of(*(f"{t}={v.tolist()}" for t, v in self._vectors.items())),
            dimension=len(next(iter(self._vectors.values()))),
        )

    def embed(self, passages: Sequence[Passage]) -> list[Embedded]:
        """Embed passages, in order."""
        return [self.embed_query(passage.text) for passage in passages]

    def embed_query(self, text: str) -> Embedded:
        """Embed a question as any other text."""
        if text not in self._vectors:
            msg = f"{text!r} is not in the table"
            raise EncoderError(msg)
        vector = self._vectors[text]
        return Embedded(vector=vector / np.linalg.norm(vector))


@contextmanager
def full_disk(room: int = 0) -> Iterator[None]:
    """
    Let no file of this process grow beyond ``room`` bytes while it lasts, as on a full disk.

    Not on Windows, which has no such limit.
    """
    with largest_file(room):
        yield
