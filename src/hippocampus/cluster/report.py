"""Report of work that was spread: how much, how fast, and what failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from hippocampus.core.lazy_dataclass import immutable


@immutable
class Failure:
    """Failure of one thing, such as a bank or a line of a file, and why."""

    what: str
    why: str


@dataclass(slots=True, kw_only=True)
class ClusterReport:
    """Report of the work done so far, or in all."""

    unit: str
    """Unit of the counts: ``banks``, ``files`` or ``portions``."""
    total: int = 0
    done: int = 0
    """Number that are done, failed ones among them."""
    counts: Counter[str] = field(default_factory=Counter)
    """Counts by kind: banks that slept, episodes that were added."""
    failed: list[Failure] = field(default_factory=list)
    workers: int = 0
    notes: list[str] = field(default_factory=list)
    """Notes for the reader, such as a node whose workers were not used."""
    lost: int = 0
    """Workers that were lost; what they had begun, others did again."""
    elapsed_s: float = 0.0
    cpu_s: float = 0.0
    """Processor time of the workers."""
    pids: Mapping[int, int] = field(default_factory=dict)
    """Number done by each process that is at work now."""

    @property
    def rate(self) -> float:
        """Return the number of jobs done a second; 0 before any time has passed."""
        return self.done / self.elapsed_s if self.elapsed_s else 0.0

    @property
    def whole(self) -> bool:
        """Return whether all was done, and nothing failed."""
        return not self.failed and self.done == self.total

    def __str__(self) -> str:
        counts = "".join(f", {number:,} {what}" for what, number in self.counts.items())
        failed = f", {len(self.failed):,} failures" if self.failed else ""
        lost = f", {self.lost:,} workers lost" if self.lost else ""
        return (
            f"{self.done:,} of {self.total:,} {self.unit}{counts}{failed}{lost};"
            f" {self.rate:,.1f} {self.unit}/s"
        )


Told: TypeAlias = Callable[[ClusterReport], object]
"""Is told of the work about once a second."""
