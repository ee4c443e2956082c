"""Report of a benchmark run: one JSON file, and a receipt per question beside it."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Protocol

import hippocampus
from hippocampus.errors import DISTRIBUTION
from hippocampus_bench import beside
from hippocampus_bench.machine import machine_memory, peak_memory
from hippocampus_bench.metrics import Estimate

SHOWN = (
    "evidence_recall@10",
    "turn_recall@10",
    "any@1",
    "any@5",
    "mrr",
    "session_recall_any@5",
    "session_recall_all@5",
    "session_recall_all@10",
    "ndcg@10",
    "found_auroc",
    "corf_recall@20",
    "fpr",
    "fpr@20",
    "injected_recall",
    "latency_p95_ms",
    "accuracy",
    "judge",
    "f1",
    "bleu1",
    "tokens_per_query",
    "containment@500",
    "containment@1000",
    "containment@2000",
    "containment@3500",
)
"""Measures of the printed table; those a benchmark does not have are left out."""


RECALLS = ("evidence_recall@10", "turn_recall@10", "session_recall_all@5")
"""Measures for a table of cues, of which the first that a benchmark has is shown."""


@dataclass(frozen=True, slots=True)
class RankedTurn:
    """A distinct turn that recall returned, under its opaque name."""

    ref: str
    session: str | None
    score: float


class ReceiptLine(Protocol):
    """Record of one question, as a line of its own."""

    def as_dict(self, system: str) -> dict[str, object]:
        """Return the line of the receipts file."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionReceipt:
    """One question: the rows it should have found, the rows it found, and their cost."""

    question: str
    kind: str
    answerable: bool
    gold: frozenset[str]
    gold_sessions: frozenset[str]
    corrected: frozenset[str] | None
    ranked: tuple[RankedTurn, ...]
    sessions: tuple[str, ...]
    """The ranking of sessions."""
    found: bool
    confidence: float
    elapsed_s: float
    embed_s: float
    degraded: tuple[str, ...] = ()

    @property
    def turns(self) -> list[str]:
        """The ranking of turns."""
        return [one.ref for one in self.ranked]

    def as_dict(self, system: str) -> dict[str, object]:
        """Return the line of the receipts file."""
        return {
            "system": system,
            "question": self.question,
            "kind": self.kind,
            "answerable": self.answerable,
            # Sorted by name so that files compare; the order of gold means nothing.
            "gold": sorted(self.gold),
            "gold_sessions": sorted(self.gold_sessions),
            "corrected": None if self.corrected is None else sorted(self.corrected),
            "ranked": [
                {"ref": one.ref, "session": one.session, "score": round(one.score, 6)}
                for one in self.ranked
            ],
            "sessions": list(self.sessions),
            "found": self.found,
            "confidence": round(self.confidence, 6),
            "latency_ms": round(self.elapsed_s * 1e3, 3),
            "embedding_ms": round(self.embed_s * 1e3, 3),
            "degraded": list(self.degraded),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineResult:
    """A baseline on the same questions, and how far the system under test is ahead of it."""

    metrics: Mapping[str, Estimate]
    latency_ms: Mapping[str, Mapping[str, float]]
    difference: Mapping[str, Estimate]
    receipts: tuple[ReceiptLine, ...]

    def as_dict(self) -> dict[str, object]:
        """Return the form of it in a report."""
        return {
            "metrics": _estimates(self.metrics),
            "latency_ms": dict(self.latency_ms),
            "difference": _estimates(self.difference),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Measurements of a run, with its machine, its commit and its settings."""

    benchmark: str
    commit: str
    machine: Mapping[str, object]
    settings: Mapping[str, object]
    metrics: Mapping[str, Estimate]
    latency_ms: Mapping[str, Mapping[str, float]]
    ingest_per_s: float | None
    """Episodes remembered per second, encoding included; None when a kept store was asked."""
    bytes_on_disk: int
    rss_mb: float
    """Most memory the process has held."""
    baselines: Mapping[str, BaselineResult] = field(default_factory=dict)
    receipts: tuple[ReceiptLine, ...] = ()
    extra: Mapping[str, object] = field(default_factory=dict)
    """Figures that only one benchmark reports, as JSON holds them."""

    def as_dict(self) -> dict[str, object]:
        """Return the report as JSON holds it."""
        return {
            "benchmark": self.benchmark,
            "commit": self.commit,
            "machine": dict(self.machine),
            "settings": dict(self.settings),
            "metrics": _estimates(self.metrics),
            "latency_ms": {name: dict(shape) for name, shape in self.latency_ms.items()},
            "ingest_per_s": None if self.ingest_per_s is None else round(self.ingest_per_s, 1),
            "bytes_on_disk": self.bytes_on_disk,
            "rss_mb": round(self.rss_mb, 1),
            "baselines": {name: system.as_dict() for name, system in self.baselines.items()},
            **self.extra,
        }

    def write(self, path: Path) -> Path:
        """Write the report, and ``<name>.receipts.jsonl`` beside it; return the latter's path."""
        text = json.dumps(self.as_dict(), indent=2, ensure_ascii=False) + "\n"
        path.write_text(text, encoding="utf-8", newline="\n")
        beside = path.with_name(f"{path.stem}.receipts.jsonl")
        with beside.open("w", encoding="utf-8", newline="\n") as file:
            for line in self.lines():
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
        return beside

    def lines(self) -> Iterator[dict[str, object]]:
        """Yield the receipts of every system, the one under test first."""
        systems = {"hippocampus": self.receipts}
        systems |= {name: system.receipts for name, system in self.baselines.items()}
        for name, receipts in systems.items():
            for receipt in receipts:
                yield receipt.as_dict(name)

    def __str__(self) -> str:
        names = [name for name in SHOWN if name in self.metrics]
        rows = [("", *names, "p50 ms"), _row("hippocampus", names, self.metrics, self.latency_ms)]
        rows += [
            _row(name, names, system.metrics, system.latency_ms)
            for name, system in self.baselines.items()
        ]
        widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
        head = f"{self.benchmark}, {self.settings.get('protocol')}: {len(self.receipts)} questions"
        body = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in rows]
        said = "\n".join([head, *(line.rstrip() for line in body)])
        return "\n\n".join([said, *self.beside()])

    def beside(self) -> list[str]:
        """Return the figures of other wordings and seeds as Markdown, if they were run."""
        rows: Any = self.extra.get("wordings")
        return [beside.table(rows)] if rows else []


def _row(
    system: str,
    names: list[str],
    metrics: Mapping[str, Estimate],
    latency_ms: Mapping[str, Mapping[str, float]],
) -> tuple[str, ...]:
    p50 = latency_ms["recall"].get("p50", 0.0)
    return (system, *(str(metrics.get(name, "–")) for name in names), f"{p50:.1f}")


def _estimates(found: Mapping[str, Estimate]) -> dict[str, dict[str, float | int]]:
    return {
        name: {
            field_: round(value, 6) if isinstance(value, float) else value
            for field_, value in estimate.as_dict().items()
        }
        for name, estimate in found.items()
    }


def cue_table(made: Mapping[str, Any]) -> str:
    """Return the report of a run with every cue alone and all but each as Markdown."""
    measure = next(name for name in RECALLS if name in made["metrics"])
    kinds = [name for name in made["metrics"] if name.startswith(f"{measure}/kind=")]
    heads = [
        "cues",
        measure,
        *(name.partition("=")[2] for name in kinds),
        "mrr",
        "all are ahead by",
    ]
    lines = [heads, ["---", *("---:" for _ in heads[1:])]]
    for name, system in {"all": made, **made["baselines"]}.items():
        found = system["metrics"]
        ahead = system["difference"][measure] if "difference" in system else None
        lines.append(
            [
                name,
                _said(found[measure]),
                *(f"{found[kind]['value']:.3f}" for kind in (*kinds, "mrr")),
                "" if ahead is None else _said(ahead, sign="+"),
            ]
        )
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _said(estimate: Mapping[str, float], sign: str = "") -> str:
    value, low, high = (f"{estimate[name]:{sign}.3f}" for name in ("value", "low", "high"))
    return f"{value} [{low}, {high}]"


# ---------------------------------------------------------------- what it ran on


def as_report(measured: Mapping[str, Any], to: Path | None = None) -> str:
    """Return measurements as JSON that begins with the commit, and write it if asked."""
    text = json.dumps({"commit": commit(), **measured}, indent=1) + "\n"
    if to is not None:
        to.write_text(text, "utf-8", newline="\n")
    return text


def commit() -> str:
    """Return the commit of the checkout that hippocampus runs from, else its version."""
    package = Path(hippocampus.__file__).resolve().parent
    root = package.parents[1]
    git = shutil.which("git")
    # An installed package may lie inside somebody else's checkout, whose commit is not ours.
    if git and (root / ".git").exists() and package == root / "src" / "hippocampus":
        said = subprocess.run(  # noqa: S603 - fixed arguments, and git found on the path
            [git, "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"],
            cwd=root,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        if said.returncode == 0:
            return said.stdout.strip()
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "unknown"


def machine() -> dict[str, object]:
    """Return the parts of a machine that timings depend on, and nothing that tells whose it is."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "memory_gb": _memory_gb(),
        "python": platform.python_version(),
        "os": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory_gb() -> float | None:
    there = machine_memory()
    return None if there is None else round(there / 2**30, 1)


def rss_mb() -> float:
    """Return the most memory this process has held, in MiB; 0 where the system does not say."""
    return (peak_memory() or 0) / 2**20
