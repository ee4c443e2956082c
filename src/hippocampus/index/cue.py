"""What every cue can do, and the question they are asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.records import Interval, Kind, Payloads

Mask = NDArray[np.bool_]
Rows = NDArray[np.uint32]
Scores = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Query:
    """
    A question, understood once and asked of every cue.

    ``terms``: hashes of its words, shape (t,), uint32, each once; ``term_weights``: how much each
    counts, 0 for words of grammar. ``vector``: pooled embedding, shape (dimension,), or None.
    ``tokens``: rotated token vectors, shape (q, bits), or None; ``token_terms``: which of
    ``terms`` each token belongs to, shape (q,), -1 for none (punctuation). ``keywords``: for each
    keyword the signatures of its spellings, each of shape (tokens, bits / 8).
    """

    text: str
    now: datetime
    terms: NDArray[np.uint32]
    term_weights: NDArray[np.float32]
    vector: NDArray[np.float32] | None = None
    tokens: NDArray[np.float32] | None = None
    token_terms: NDArray[np.int32] | None = None
    keywords: tuple[tuple[NDArray[np.uint8], ...], ...] = ()
    faded: NDArray[np.float32] | None = None
    """What each of ``terms`` is left of its weight, shape (t,); None where nothing is taken."""
    phrases: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """Keys of its phrases and of all runs of up to three words of content, with the places of
    their words in ``terms`` where they are known."""
    spelled: frozenset[int] = frozenset()
    """Keys of the curated names that it says, phrases or not: "go to market", "C++"."""
    known: frozenset[int] = frozenset()
    """Keys of those that it takes for known: "the glacier paper", "our boat"."""
    parts: frozenset[int] = frozenset()
    """Keys of the words of those of them that have several."""
    sounds: tuple[str, ...] = ()
    """How its words of content sound, for names spelt as they are heard."""
    points: float = 0.0
    """Points at something that it does not name: "ours", "that one"."""
    intervals: tuple[Interval, ...] = ()
    latest: float = 0.0
    """How much it counts to be late: 1 if it asks for the latest of something, and more than
    anything else if it asks for nothing but the latest."""
    speakers: frozenset[str] = field(default_factory=frozenset)
    """Speakers of the bank whom the question names."""
    roles: frozenset[str] = field(default_factory=frozenset)
    """Roles the question means by "I" and "you"."""


class Cue(Protocol):
    """
    One way into memory, over the episodes of one bank.

    Rows are dense and observed in order, once. A cue knows nothing of other cues or of the store;
    it is built from payloads alone and can be dropped and rebuilt at any time. The allowed set is
    applied inside ``propose``: a row outside it is never returned and never displaces another.
    """

    @property
    def name(self) -> str:
        """What the cue is called in settings and explanations."""
        ...

    @property
    def kind(self) -> Kind:
        """Which payloads the cue is built from."""
        ...

    @property
    def nbytes(self) -> int:
        """Bytes held in memory."""
        ...

    def __len__(self) -> int:
        """How many rows have been observed."""
        ...

    def observe(self, payloads: Payloads) -> None:
        """Take in the payloads of the next rows; an empty payload is an episode it cannot see."""
        ...

    def propose(self, question: Query, allowed: Mask | None, limit: int) -> Rows:
        """Return up to ``limit`` allowed rows, best first; none when the question gives no hold."""
        ...

    def score(self, question: Query, rows: Rows) -> Scores | None:
        """Score given rows, which ascend, in order; None: the question gives no hold."""
        ...
