"""
Runs a made-up benchmark in several wordings and from several seeds, and sets results side by side.

One wording is the one that whoever improved recall has read, and one seed is one draw: what a
benchmark measures is what holds in words and draws that nobody has looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from hippocampus.errors import InputError
from hippocampus_bench.metrics import Estimate
from hippocampus_bench.wording import TUNED

Measures: TypeAlias = Mapping[str, Estimate]
Run: TypeAlias = Callable[[str, int], tuple[Mapping[str, object], Measures]]
"""Runs in a wording and from a seed; returns what the wording is, and what was measured."""

_LATENCY: Final = "latency"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Wordings that a benchmark is told in, the report's first, and the number of seeds."""

    wordings: tuple[str, ...] = (TUNED,)
    seeds: int = 1

    def __post_init__(self) -> None:
        """Refuse settings that compare nothing."""
        if self.seeds < 1 or not self.wordings:
            msg = f"seeds={self.seeds}, wordings={self.wordings}: must be at least 1 of each"
            raise InputError(msg)
        if len(set(self.wordings)) < len(self.wordings):
            msg = f"wordings={', '.join(self.wordings)}: one is there twice; name each once"
            raise InputError(msg)

    @property
    def runs(self) -> int:
        """Return the number of runs beside the report's own."""
        return len(self.wordings) * self.seeds - 1

    def beside(self, first: tuple[Mapping[str, object], Measures], seed: int, run: Run) -> Rows:
        """
        Return a row for each wording: every measure from each seed, and their mean.

        Args:
            first: what the report itself measured: the first wording, from its seed.
            seed: of the report; the others follow.
            run: measures another.

        """
        if not self.runs:
            return []
        rows: list[dict[str, object]] = []
        for wording in self.wordings:
            found = [
                first if (wording, nth) == (self.wordings[0], 0) else run(wording, seed + nth)
                for nth in range(self.seeds)
            ]
            names = [name for name in found[0][1] if not name.startswith(_LATENCY)]
            there = [name for name in names if all(name in each for _, each in found)]
            values = {name: [each[name].value for _, each in found] for name in there}
            rows.append(
                {
                    **found[0][0],
                    "seeds": [seed + nth for nth in range(self.seeds)],
                    "measures": {
                        name: {
                            "mean": round(sum(some) / len(some), 5),
                            "each": [round(value, 5) for value in some],
                        }
                        for name, some in values.items()
                    },
                }
            )
        return rows


Rows: TypeAlias = Sequence[Mapping[str, Any]]


SHOWN: Final = (
    "corf_recall@20", "evidence_recall@10", "turn_recall@10", "any@5", "mrr",
    "precision@5", "recall@50", "auprc", "factual_recall",
    "foresight_precision", "foresight_precision/recency only",
    "foresight_precision/frequency only", "foresight_precision/proven first",
    "foresight_base_rate", "retention_precision", "retention_recall",
)  # fmt: skip
"""Measures of a printed table, and of the first of them every kind of question."""


def table(rows: Rows) -> str:
    """Return rows as Markdown: of each wording and measure the mean, and the least and the most."""
    every = [name for name in rows[0]["measures"] if all(name in row["measures"] for row in rows)]
    there = [name for name in SHOWN if name in every]
    there[1:1] = [name for name in every if there and name.startswith(f"{there[0]}/kind=")]
    heads = ["wording", "seeds", *(name.partition("/kind=")[2] or name for name in there)]
    lines = [heads, ["---", *("---:" for _ in heads[1:])]]
    for row in rows:
        cells = (_said(row["measures"][name]) for name in there)
        lines.append([f"{row['name']}", str(len(row["seeds"])), *cells])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _said(measure: Mapping[str, Any]) -> str:
    each = measure["each"]
    spread = f" ({min(each):.3f} to {max(each):.3f})" if len(each) > 1 else ""
    return f"{measure['mean']:.3f}{spread}"
