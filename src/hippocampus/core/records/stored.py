"""Records of a store: rows of episodes with their states and marks, payloads and blocks."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.events import (
    Corrected,
    Erased,
    Forgotten,
    JournalEvent,
    Lapsed,
    Merged,
    RemovedFromSource,
    Restored,
)
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.origin import ORIGINS, Origin, derive_origin
from hippocampus.core.ranges import Micros, RowNumber
from hippocampus.core.records.episode import State

Named = TypeVar("Named", bound=Hashable)


STATE_CHANGES: Final[Mapping[type[JournalEvent], State]] = {
    Forgotten: "forgotten",
    Restored: "active",
    Corrected: "superseded",
    RemovedFromSource: "forgotten",
    Erased: "erased",
    Merged: "superseded",
    Lapsed: "forgotten",
}
"""The events that change whether an episode can be seen, and what it becomes."""

DEEPEST: Final = 4
"""The level at which only keywords of an episode are shown; below it, it lapses."""

# Bits of a number that is stored (docs/format.md): none may ever mean something else.
PINNED: Final = 1  # bit 0
HELD: Final = 2  # bit 1
DOUBTED: Final = 4  # bit 2
SETTLED: Final = 8  # bits 3 to 5 are a number, which must hold ``DEEPEST``
SUSPECT: Final = 64  # bit 6; it and what is above stay wherever an episode goes
_ORIGIN: Final = 128  # from bit 7 on a number, the last, so that origins may be added
ALL_MARKS: Final = _ORIGIN * (len(ORIGINS) + 1) - 1
"""The marks of an episode, added up: it never fades; nothing may change it; it is in quarantine;
so many times ``SETTLED`` as the level at which ``compact`` has made its text what is shown; it
reads like an instruction to a model; and the number of the origin that was given, from 1."""


def settled_level(marks: int) -> int:
    """Return the level at which ``compact`` has made a text what is shown; 0 if it has not."""
    return (marks % SUSPECT) // SETTLED


def first_marks(origin: Origin | None, *, suspect: bool) -> int:
    """Return the marks with which an episode begins."""
    number = 0 if origin is None else ORIGINS.index(origin) + 1
    return _ORIGIN * number + SUSPECT * suspect


def lasting_marks(marks: int) -> int:
    """Return the marks that an episode keeps wherever it goes: its origin, and being suspect."""
    return marks - marks % SUSPECT


def given_origin(marks: int) -> Origin | None:
    """Return the origin that was given with an episode, if one was."""
    number = marks // _ORIGIN
    return ORIGINS[number - 1] if 0 < number <= len(ORIGINS) else None


def states_told(changes: Iterable[tuple[Named, type[JournalEvent]]]) -> dict[Named, State]:
    """Replay (episode, class of event) in order; return the final state of each episode."""
    told: dict[Named, State] = {}
    for episode, event in changes:
        told[episode] = STATE_CHANGES.get(event, told.get(episode, "active"))
    return told


class EpisodeRow(NamedTuple):
    """An episode as the store keeps it, without its text. Times in microseconds since 1970, UTC."""

    row: RowNumber
    """Dense number within the bank, from 0, in the order of noting; never reused."""
    id: str
    occurred_at: Micros
    recorded_at: Micros
    session: str | None
    turn: int | None
    part: int
    parts: int
    speaker: str | None
    role: str | None
    source: str | None
    address: str
    metadata: str
    """JSON object."""
    digest: bytes
    """Keyed hash of the normalised text: finds equal texts without holding the words."""
    state: State
    supersedes: RowNumber | None
    superseded_by: RowNumber | None
    level: int = 0
    """Level to which it has faded, from 0 to ``DEEPEST``."""
    marks: int = 0
    """``PINNED``, ``HELD``, ``DOUBTED``, ``SUSPECT``, a number of ``SETTLED`` and an origin."""

    @property
    def origin(self) -> Origin:
        """Origin of its words: as was said, or as role and source tell."""
        given = given_origin(self.marks)
        spoken = self.speaker is not None
        return given or derive_origin(self.role, self.source, spoken=spoken)

    def blanked(self) -> EpisodeRow:
        """Return the row as it is once erased: row, id, when it was recorded, and that."""
        return EpisodeRow(
            row=self.row, id=self.id, occurred_at=self.recorded_at, recorded_at=self.recorded_at,
            session=None, turn=None, part=0, parts=1, speaker=None, role=None, source=None,
            address="", metadata="{}", digest=b"", state="erased", supersedes=None,
            superseded_by=None,
        )  # fmt: skip


class DamagedRow(EpisodeRow):
    """Stand-in for an episode whose row is damaged: to readers, one that was erased."""

    __slots__ = ()

    @classmethod
    def of(cls, row: int, id: object) -> DamagedRow:  # noqa: A002
        """Return the reference to a row of that number and, perhaps, that id."""
        known = id if isinstance(id, str) else ""
        return cls(
            row=row, id=known, occurred_at=0, recorded_at=0, session=None, turn=None, part=0,
            parts=1, speaker=None, role=None, source=None, address="", metadata="{}", digest=b"",
            state="erased", supersedes=None, superseded_by=None,
        )  # fmt: skip


STORED_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        name: {"occurred_at": "said_at", "recorded_at": "noted_at"}.get(name, name)
        for name in EpisodeRow._fields
    }
)
"""Field of ``EpisodeRow`` -> its column in the store and its name in exports: they never change."""


@immutable(kw_only=False)
class Block:
    """A sealed run of per-episode payloads: rows ``[first, first + count)`` of one kind."""

    first: int
    count: int
    payload: bytes


Kind: TypeAlias = Literal[
    "content", "vector", "tokens", "lexical", "times", "signature", "phrase", "spans",
    "gist", "concept", "topic", "summary", "graph", "partition",
    "vector.next", "tokens.next", "lexical.next", "times.next", "signature.next", "phrase.next",
    "spans.next",
]  # fmt: skip
"""Kind of a payload of an episode: content token ids, pooled vector, token codes, terms, told
times, token signatures that need no embedder, phrases, or the places of token codes. ``gist``,
``concept``, ``topic``, ``summary``, ``graph`` and ``partition`` are one block each over all rows,
made by sleep: gists, anchors, tags, the summary, statements, and vectors near each other. ``.next``
are those of a rebuild so far; they take the others' place all at once."""


@immutable(kw_only=False, eq=False)
class Payloads:
    """
    The payloads of consecutive episodes, one after the other; the content of a sealed block.

    ``lengths``: bytes of each, shape (n,), uint32; 0 where an episode has none. ``data``: all of
    them, shape (sum of lengths,), uint8.
    """

    lengths: NDArray[np.uint32]
    data: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.lengths)

    def __iter__(self) -> Iterator[bytes]:
        ends = np.cumsum(self.lengths, dtype=np.int64).tolist()
        view = self.data.tobytes()
        start = 0
        for end in ends:
            yield view[start:end]
            start = end

    @classmethod
    def of(cls, payloads: Sequence[bytes]) -> Payloads:
        """Gather single payloads."""
        lengths = np.fromiter((len(p) for p in payloads), np.uint32, len(payloads))
        return cls(lengths, np.frombuffer(b"".join(payloads), np.uint8))

    def to_bytes(self) -> bytes:
        """Return the bytes of a block: the lengths, then the payloads."""
        return self.lengths.astype("<u4").tobytes() + self.data.tobytes()

    @classmethod
    def from_block(cls, block: Block) -> Payloads:
        """
        Read a block's payloads; its checksum was verified by the store.

        Raises:
            ValueError: it holds none, and somebody has made its checksum fit.

        """
        head = 4 * block.count
        lengths = np.frombuffer(block.payload, "<u4", block.count)
        data = np.frombuffer(block.payload, np.uint8, offset=head)
        # In 64 bits, for made-up lengths could wrap around in 32 and fit.
        if int(lengths.sum(dtype=np.int64)) != len(data):
            msg = f"block {block.first}: {len(data)} bytes, but its lengths add up to otherwise"
            raise ValueError(msg)
        return cls(lengths, data)
