"""Options of a benchmark run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, Protocol, TypeAlias

from hippocampus.core.records import (
    Context,
    Embedder,
    Episode,
    OneOrMany,
    Progress,
    Recall,
    Slept,
    Stats,
    Turn,
)
from hippocampus.errors import InputError
from hippocampus_bench.metrics import KS

BASELINES = ("lexical", "vector", "vector+lexical")
"""BM25 alone, pooled vectors alone, and both fused: what any system has to beat."""

WITHOUT: Final = "without "
"""Begins the name of a system that has every cue of the main one but those that follow."""


def cue_table(cues: Sequence[str]) -> tuple[str, ...]:
    """Return the systems that tell what each of some cues is worth: it alone, and all but it."""
    return (*cues, *(f"{WITHOUT}{cue}" for cue in cues))


_NEED_VECTORS: Final = frozenset({"vector", "tokens", "concept"})


class EvaluatedBank(Protocol):
    """The part of a bank that a benchmark uses."""

    def remember_many(self, turns: Iterable[Turn]) -> list[Episode]:
        """Remember turns; metadata passes through to the episodes."""
        ...

    def recall(
        self,
        query: str,
        k: int = 10,
        *,
        now: datetime | None = None,
        cues: Sequence[str] | None = None,
        session: OneOrMany | None = None,
    ) -> Recall:
        """Find memories that answer the query."""
        ...

    def context(
        self,
        query: str,
        budget_tokens: int = 3500,
        *,
        k: int = 50,
        recent: int = 0,
        now: datetime | None = None,
        cues: Sequence[str] | None = None,
        session: OneOrMany | None = None,
    ) -> Context:
        """Compose a prompt of memories that answer the query."""
        ...

    def sleep(self, *, steps: Collection[str] | None = None) -> Slept:
        """Let the bank sleep, with all steps or some."""
        ...

    def stats(self) -> Stats:
        """Return the size of the bank."""
        ...


class EvaluatedMemory(Protocol):
    """The part of a memory that a benchmark uses; ``hippocampus.Memory`` has it."""

    def bank(self, name: str) -> EvaluatedBank:
        """Return a bank, created on first write."""
        ...


Opener: TypeAlias = Callable[[Path], AbstractContextManager[EvaluatedMemory]]
"""Opens the memory under test at a path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of a benchmark; validated once, never changed."""

    protocol: str | None = None
    """LongMemEval: all-turns (its default), official or pooled. The others have one: leave None."""
    limit: int | None = None
    """Ask only the first so many questions, taken in turn from each kind; None for all."""
    cues: tuple[str, ...] | None = None
    """Cues of the main system; None for what recall does by default. With "signature" among them
    tokens are signed, and the others without it are one more baseline."""
    baselines: tuple[str, ...] = BASELINES
    """Systems to compare with: cue names joined by ``+``, or ``without`` some of the main system's,
    for which ``cues`` must name these. Those that need vectors are left out when there is no
    embedder."""
    sleep: bool = True
    """Whether a bank sleeps after it was told something and before it is asked, as a user's does:
    without, there are neither concepts nor topics."""
    brief: bool = False
    """Report only the measures of the printed table: for many systems at once."""
    k: int = 50
    """Deepest rank measured."""
    embedder: str | Embedder = "default"
    """As ``Memory`` takes it."""
    seed: int = 0
    """Of the opaque labels and of the bootstrap."""
    resamples: int = 2000
    """Draws of the bootstrap."""
    label_errors: Path | None = None
    """LoCoMo: the audit's corrections; without it, a ``label_errors*.json`` beside the data."""
    keep_store: Path | None = None
    """Folder to keep the store in. A later run with the same data, protocol, limit and seed asks it
    without ingesting again; None for a temporary one."""
    progress: Progress | None = None
    """Called with turns and questions done, and their total."""
    open_memory: Opener | None = None
    """Opens the memory under test; None for ``Memory(path, embedder=embedder)``."""

    def __post_init__(self) -> None:
        for name, low in (("limit", 1), ("k", 1), ("resamples", 1)):
            value = getattr(self, name)
            if value is not None and value < low:
                msg = f"Options.{name}={value}: must be at least {low}"
                raise InputError(msg)
        for name in self.baselines:
            if name.startswith(WITHOUT) and not 0 < len(self._cues_of(name)) < len(self.cues or ()):
                msg = f"Options.baselines={name!r}: Options.cues must name those, and more"
                raise InputError(msg)

    @property
    def ks(self) -> tuple[int, ...]:
        """Depths to report, none deeper than ``k``."""
        return tuple(depth for depth in KS if depth <= self.k) or (self.k,)

    @property
    def hits(self) -> int:
        """Hits to ask for: enough that ``k`` distinct turns remain when long ones come in parts."""
        return self.k * 12 // 5

    @property
    def signs(self) -> bool:
        """Return whether the store's tokens are signed."""
        return "signature" in (self.cues or ())

    @property
    def systems(self) -> dict[str, tuple[str, ...] | None]:
        """Baselines to run, by name, with their cues."""
        cues = {name: self._cues_of(name) for name in self.baselines}
        if self.signs:
            others = tuple(cue for cue in self.cues or () if cue != "signature")
            cues |= {"+".join(others): others} if others else {}
        if self.embedder == "none":
            return {name: c for name, c in cues.items() if not _NEED_VECTORS & set(c)}
        return dict(cues)

    def _cues_of(self, system: str) -> tuple[str, ...]:
        if not system.startswith(WITHOUT):
            return tuple(system.split("+"))
        gone = system.removeprefix(WITHOUT).split("+")
        return tuple(cue for cue in self.cues or () if cue not in gone)
