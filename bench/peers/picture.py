"""How the time of a search grows with the size of what is searched, as a picture."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

TITLES = {
    "hybrid": "words and vectors", "memory": "memories", "vectors": "vectors alone",
    "words": "words alone",
}  # fmt: skip
SHOWN = ("search, first asked, p50", "search, first asked, processor, p50")
OURS = "C3"


def draw(report: Mapping[str, Any], path: Path) -> None:
    """Draw the median of searches first asked: by the clock, and dotted of the processor."""
    figure = Figure(figsize=(11, 8), layout="constrained")
    for place, kind in zip(figure.subplots(2, 2, sharex=True).flat, TITLES, strict=True):
        beside = [
            row for row in report["rows"]
            if row["kind"] == kind or (kind == "memory" and row["system"] == "hippocampus")
        ]  # fmt: skip
        others = iter(["C0", "C1", "C2", "C4", "C5", "C6", "C7", "C8", "C9"])
        for system in dict.fromkeys(row["system"] for row in beside):
            some = sorted((r for r in beside if r["system"] == system), key=lambda r: r["size"])
            sizes = [row["size"] for row in some]
            first = system == "hippocampus" or (
                some[0]["ours"] and kind not in {"hybrid", "memory"}
            )
            colour = OURS if first else next(others)
            for measure, style in zip(SHOWN, ("-o", ":"), strict=True):
                figures = [row["figures"][measure] for row in some]
                place.plot(
                    sizes, [one["median"] for one in figures], style, color=colour, markersize=4,
                    linewidth=2.2 if first else 1.2, label=system if style != ":" else None,
                )  # fmt: skip
                if style != ":":
                    place.fill_between(
                        sizes, [one["low"] for one in figures], [one["high"] for one in figures],
                        color=colour, alpha=0.12, linewidth=0,
                    )  # fmt: skip
        place.set(xscale="log", yscale="log", title=TITLES[kind], ylabel="ms")
        place.grid(visible=True, which="both", alpha=0.15)
        if beside:
            place.legend(fontsize="small")
    for place in figure.axes[2:4]:
        place.set_xlabel("texts")
    figure.suptitle(
        "Median of searches asked for the first time; dotted: time of the processor", fontsize=11
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110, metadata={"Software": None})
