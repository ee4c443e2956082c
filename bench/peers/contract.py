"""
What every adapter has, so that all are measured the same way.

It is read by the interpreters of the peers' environments, and imports nothing but NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol

import numpy as np

DEPTH = 10
"""How many a search returns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """What is added. ``of``: numbers of the real turns that it was made of, None if it is one."""

    id: str
    text: str
    speaker: str
    session: str
    at: str
    of: tuple[int, int] | None = None

    @property
    def said(self) -> str:
        """The text as it is added: all find it by who said it, too."""
        return f"{self.speaker}: {self.text}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Asked:
    """A question, when it is asked, and what our embedder makes of it, with its tokens' places."""

    text: str
    at: str
    vector: np.ndarray
    tokens: np.ndarray | None = None
    spans: np.ndarray | None = None


class Adapter(Protocol):
    """
    A store or an engine in a folder of its own; opened anew, it holds what was added before.

    A module in ``adapters`` has a function ``open_peer(folder, dimension, **options)``. Whoever
    keeps texts reads those that it returns.
    """

    def add(self, items: Sequence[Item], vectors: np.ndarray) -> None:
        """Add some, in order."""

    def settle(self) -> None:
        """Do what is to be done once after much was added, before it is searched."""

    def search(self, asked: Asked) -> list[str]:
        """Return the ids of what is found, the best first."""

    def close(self) -> None:
        """Write what is not written yet and let go of it."""


def open_peer(name: str, folder: Path, dimension: int, options: dict[str, object]) -> Adapter:
    """Open what an adapter is for; ``folder`` is made where there is none."""
    folder.mkdir(parents=True, exist_ok=True)
    module = import_module(f"bench.peers.adapters.{name}")
    return module.open_peer(folder, dimension, **options)


class Handed:
    """
    Vectors by text: for peers that want to call an embedder.

    What was added is forgotten with the next that is added; what is asked is looked up as well.
    """

    def __init__(self) -> None:
        self._vectors: dict[str, np.ndarray] = {}

    def expect(self, texts: Sequence[str], vectors: np.ndarray) -> None:
        """Hand over the vectors of what comes next."""
        self._vectors = dict(zip(texts, vectors, strict=True))

    def of(self, text: str) -> np.ndarray:
        """Return the vector of a text that was handed over."""
        return self._vectors[text]
