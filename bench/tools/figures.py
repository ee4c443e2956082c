"""
Rewrite the figures in pages from the committed reports, or with --check compare them.

With --one-commit, say instead which reports are not of the commit of the others.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"(?s)(<!-- figures -->\n).*?(<!-- /figures -->)")
BASELINES = {"lexical": "BM25", "vector": "vectors", "vector+lexical": "both"}


class Row(NamedTuple):
    """A line of the first table: which report, what it is called, what is shown of it."""

    report: str
    name: str
    measure: str
    means: str


ROWS = (
    Row("locomo", "LoCoMo", "evidence_recall@10", "cited turns among the first 10"),
    Row("longmemeval", "LongMemEval-S", "turn_recall@10", "answering turns among the first 10"),
    Row("longmemeval-pooled", "the same, pooled", "turn_recall@10", "all haystacks in one bank"),
    Row("realmem", "RealMem", "session_recall_all@5", "all sessions needed among the first 5"),
)


def first(root: Path = ROOT) -> str:
    """Return what the README shows: one table, in which we win and lose."""
    peers = _load(root, "bench/results/peers.json")
    return _lines([] if peers is None else [*_first(peers)])


def block(root: Path = ROOT) -> str:
    """Return what the page of figures shows; a report that is not there leaves its row out."""
    reports = {row: found for row in ROWS if (found := _load(root, f"evaluation/{_at(row)}"))}
    parts = [*_accuracy(reports)]
    peers = _load(root, "bench/results/peers.json")
    parts += [] if peers is None else [*_peers(peers)]
    for name, (shown, command) in SPEED.items():
        parts += _speed(_load(root, f"bench/results/{name}.json"), shown, command)
    return _lines(parts)


def scale(root: Path = ROOT) -> str:
    """Return the figures of the page on scale: the bench of ten thousand banks."""
    report = _load(root, "bench/results/scale.json")
    every = () if report is None else {row["name"] for row in report["rows"]}
    return _lines([*_speed(report, every, "`python -m bench --only scale`")])


def anchors(root: Path = ROOT) -> str:
    """Return what the page on anchors shows."""
    speed = _load(root, "bench/results/concepts.json")
    return _lines([*_speed(speed, OF_ANCHORS, "`python -m bench --only concepts`")])


def encryption(root: Path = ROOT) -> str:
    """Return what the page on encryption shows."""
    costs = _load(root, "bench/results/store.json")
    shown = [] if costs is None else [row["name"] for row in costs["rows"]]
    return _lines([*_speed(costs, shown, "`python -m bench --only store`")])


def beside(root: Path = ROOT) -> str:
    """Return what the page on mem0 shows."""
    report = _load(root, "bench/results/mem0.json")
    return _lines([] if report is None else [*_beside(report)])


def compared(root: Path = ROOT) -> str:
    """Return what the page on other stores and engines shows."""
    report = _load(root, "bench/results/peers.json")
    return _lines([] if report is None else [*_compared(report, _reasons(root))])


def _lines(parts: list[str]) -> str:
    return "\n".join(parts or ["No report has been committed yet."]) + "\n"


def _at(row: Row) -> str:
    return f"results/{row.report}.json"


def _load(root: Path, place: str) -> dict[str, Any] | None:
    path = root / place
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def _accuracy(reports: Mapping[Row, Mapping[str, Any]]) -> Iterator[str]:
    if not reports:
        return
    yield f"| | share of | hippocampus | {' | '.join(BASELINES.values())} | questions | p50 |"
    yield "|---|---|---|" + "---:|" * (len(BASELINES) + 2)
    for row, report in reports.items():
        found = report["metrics"][row.measure]
        others = [_other(report, system, row.measure) for system in BASELINES]
        p50 = report["latency_ms"]["recall"]["p50"]
        yield (
            f"| [{row.name}](../evaluation/{_at(row)}) | {row.means}"
            f" | **{found['value']:.3f}** [{found['low']:.3f}, {found['high']:.3f}]"
            f" | {' | '.join(others)} | {found['n']} | {p50:.1f} ms |"
        )
    yield ""
    yield (
        "In brackets: 95 % bootstrap interval over questions. The baselines are cues of this"
        " package: BM25 alone, vectors alone, or both. They get the same boosts from neighbouring"
        " turns, speakers, sessions and times, and therefore score higher than plain BM25 or plain"
        " vector search would. Baselines rank a session by its best turn."
        " p50: the median time of one `recall`, including the embedding of the question."
    )
    yield from dict.fromkeys(_made_on(report) for report in reports.values())


def _other(report: Mapping[str, Any], system: str, measure: str) -> str:
    found = report["baselines"].get(system, {}).get("metrics", {}).get(measure)
    return "" if found is None else f"{found['value']:.3f}"


def _made_on(report: Mapping[str, Any]) -> str:
    machine = report["machine"]
    return (
        f"Machine: {machine['cpu']}, {machine['cores']} cores, Python {machine['python']}."
        f" Commit: `{report['commit'][:12]}`."
    )


SHOWN = (
    "recall, 50 k, p50",
    "recall, 50 k, p95",
    "recall, 50 k, one session of 20 turns, p50",
    "recall, 200 k, p50",
    "remember_many, 50 k, all but the embedder",
    "opening 50 k, default embedder: bank read",
    "disk an episode, whole file",
)
"""What a reader wants to know; the rest is in the file."""
OF_THE_ENCODER = (
    "a question embedded, wall, p50",
    "a turn embedded, wall, p50",
    "turns embedded at once, wall",
    "cosine to fp32, mean of turns",
)
OF_STARTS = (
    "hippocampus --version",
    "from hippocampus import Memory",
    "hippocampus recall",
    "hippocampus recall, resident process",
    "hippocampus hook, a prompt",
    "hippocampus hook, a prompt, resident process",
)
SPEED = {
    "speed": (SHOWN, "`make bench`"),
    "encoder": (OF_THE_ENCODER, "`python -m bench --only encoder`"),
    "cold": (OF_STARTS, "`python -m bench --only cold`"),
}
"""Reports whose figures are shown, which of them, and what measures them."""
OF_ANCHORS = (
    "rebuild, 47 k",
    "rebuild, 100 k",
    "rebuild, 100 k, a tenth new",
    "rebuild, 1 m",
    "product, 1 m × 400 anchors",
    "lookup, 1 k, anchors heard and what lies under them, p95",
    "lookup, 100 k, anchors heard and what lies under them, p95",
    "lookup, 1 m, anchors heard and what lies under them, p95",
    "lookup, 1 k, by a question that only points, p95",
    "lookup, 1 m, by a question that only points, p95",
    "lookup, 1 m, what it activates, p95",
    "written under its anchors, 1 k, one turn",
    "written under its anchors, 1 m, one turn",
    "remember, one turn, in a bank with anchors",
    "asked for at once, by a name never heard",
)


def _speed(speed: Mapping[str, Any] | None, shown: Collection[str], command: str) -> Iterator[str]:
    if speed is None or not speed["rows"]:
        return
    yield ""
    yield "| speed and space | | against | times | |"
    yield "|---|---:|---|---:|---|"
    for row in speed["rows"]:
        if row["name"] not in shown:
            continue
        ratio, note = row.get("ratio"), row.get("note") or ""
        times = "" if ratio is None else f"{ratio:.3g}x"
        note = "; ".join(filter(None, (note, _spread(row))))
        value = f"{row['value']:,.4g}" if isinstance(row["value"], float) else f"{row['value']:,}"
        yield (
            f"| {row['name']} | {value} {row['unit']} | {row.get('baseline') or ''}"
            f" | {times} | {note} |"
        )
    yield ""
    machine = speed["machine"]
    if isinstance(machine, Mapping):
        machine = f"{machine['cpu']}, {machine['cores']} cores, Python {machine['python']}"
    yield f"{command} measures these. Machine: {machine}. Commit: `{speed['commit'][:12]}`."


def _spread(row: Mapping[str, Any]) -> str:
    """Return what else is known of a row: time of the processor, and what the runs had."""
    used = "" if row.get("processor") is None else f"processor {row['processor']:.4g}"
    if row.get("low") is None:
        return used
    return f"{used}, {row['low']:.4g} to {row['high']:.4g} in {row['runs']} runs"


KINDS = {
    "hybrid": "words and vectors",
    "memory": "memories",
    "vectors": "vectors alone",
    "words": "words alone",
    "counts": "words counted",
}
COLUMNS = {
    "adds": "adds/s",
    "adds, settled": "settled",
    "search, first asked, p50": "search p50",
    "search, first asked, p95": "p95",
    "search, first asked, processor, p50": "processor p50",
    "opening": "opening",
    "resident": "resident",
    "disk": "disk",
}
MANY = 50_000
"""The size that is shown, or the largest below it that ours was measured at."""
FIRST = ("hippocampus", "mem0", "LangGraph's SQLite store", "LanceDB, hybrid", "SQLite FTS5")
"""The systems of the first table: one of each kind that people come from."""


class Measure(NamedTuple):
    """A row of the first table: what it is called, which figure it is, in which unit."""

    name: str
    figure: str
    unit: str = ""
    least_is_best: bool = True


FIRST_ROWS = (
    Measure("cited turns of LoCoMo among the first ten", "LoCoMo recall@10", least_is_best=False),
    Measure("texts added a second", "adds", least_is_best=False),
    Measure("the same, with the index or sleep that follows", "adds, settled", least_is_best=False),
    Measure("one search, median", "search, first asked, p50", " ms"),
    Measure("opening and first answer", "opening", " ms"),
    Measure("disk", "disk", " MB"),
)


def _first(report: Mapping[str, Any]) -> Iterator[str]:
    size = _shown_size(report)
    if size is None:
        return
    shares = {one["system"]: one["LoCoMo recall@10"] for one in report["found"]}
    rows = {row["system"]: row for row in report["rows"] if row["size"] == size}
    systems = [name for name in FIRST if name in rows]
    heads = [f"**{name}**" if rows[name]["ours"] else name for name in systems]
    yield f"| | {' | '.join(heads)} |"
    yield "|---|" + "---:|" * len(systems)
    for row in FIRST_ROWS:
        found = [
            shares.get(name)
            if row.figure == "LoCoMo recall@10"
            else (rows[name]["figures"].get(row.figure) or {}).get("median")
            for name in systems
        ]
        known = [value for value in found if value is not None]
        best = (min if row.least_is_best else max)(known, default=None)
        cells = ("" if one is None else f"{_short(one)}{row.unit}" for one in found)
        shown = [
            f"**{cell}**" if cell and value == best else cell
            for cell, value in zip(cells, found, strict=True)
        ]
        yield f"| {row.name} | {' | '.join(shown)} |"
    yield ""
    yield f"All rows but the first are of {size:,} texts. {_made_on(report)}"


def _shown_size(report: Mapping[str, Any]) -> int | None:
    whole = {row["size"] for row in report["rows"] if row["system"] == "hippocampus"}
    return max((one for one in whole if one <= MANY), default=None)


def _peers(report: Mapping[str, Any]) -> Iterator[str]:
    size = _shown_size(report)
    if size is None:
        return
    yield ""
    yield f"Beside other stores and engines, {size:,} texts:"
    yield ""
    yield from _beside_others(report, size, spread=False)
    yield ""
    yield (
        "Same texts and same vectors, each in a process of its own. Settled: with what follows the"
        " adding, an index that is made or our sleep. Searches asked for the first time, and"
        " opening, in milliseconds; memory and disk in MB. What is lost, and why, all sizes and"
        " the spread of the runs: [beside others](compared.md)."
    )
    yield _made_on(report)


def _beside_others(report: Mapping[str, Any], size: int, *, spread: bool) -> Iterator[str]:
    found = {one["system"]: one["LoCoMo recall@10"] for one in report["found"]}
    yield f"| | {' | '.join(COLUMNS.values())} | LoCoMo r@10 |"
    yield "|---|" + "---:|" * (len(COLUMNS) + 1)
    for kind, said in KINDS.items():
        rows = [row for row in report["rows"] if (row["size"], row["kind"]) == (size, kind)]
        if rows:
            yield f"| *{said}* |" + " |" * (len(COLUMNS) + 1)
        for row in rows:
            name = f"**{row['system']}**" if row["ours"] else row["system"]
            cells = [_cell(row["figures"].get(one), spread=spread) for one in COLUMNS]
            recall = found.get(row["system"])
            cells.append("" if recall is None or kind == "counts" else f"{recall:.3f}")
            yield f"| {name} | {' | '.join(cells)} |"


def _cell(figure: Mapping[str, float] | None, *, spread: bool) -> str:
    if figure is None:
        return ""
    low, high = figure["low"], figure["high"]
    beside = f" ({_short(low)} to {_short(high)})" if spread and low != high else ""
    return _short(figure["median"]) + beside


def _size(size: int) -> str:
    return f"{size:,}" if size else "LoCoMo"


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _reasons(root: Path) -> list[dict[str, Any]]:
    path = root / "bench/peers/reasons.toml"
    return tomllib.loads(path.read_text("utf-8"))["reason"] if path.exists() else []


def _compared(report: Mapping[str, Any], reasons: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for size in sorted({row["size"] for row in report["rows"]}):
        yield f"### {size:,} texts"
        yield ""
        yield from _beside_others(report, size, spread=True)
        yield ""
    if report["left_out"]:
        yield "### Left out"
        yield ""
        yield from (
            f"- {one['system']}, {_size(one['size'])}: {one['reason']}"
            for one in report["left_out"]
        )
        yield ""
    yield "### Lost, and why"
    yield ""
    yield "| | texts | | here | there | to |"
    yield "|---|---:|---|---:|---:|---|"
    for one in report["lost"]:
        yield (
            f"| {one['system']} | {one['size']:,} | {one['measure']} | {_short(one['here'])}"
            f" | {_short(one['there'])} | {one['to']} |"
        )
    yield ""
    lost = {(one["kind"], one["measure"]) for one in report["lost"]}
    for reason in reasons:
        if any((kind, of) in lost for kind in reason["kinds"] for of in reason["of"]):
            what = ", ".join(KINDS[kind] for kind in reason["kinds"])
            yield f"- **{'; '.join(reason['of'])}** ({what}): {reason['why']}"
    yield ""
    yield "### Versions"
    yield ""
    yield (
        ", ".join(
            dict.fromkeys(
                f"{one['package']} {one['version']}" for one in report["systems"] if one["version"]
            )
        )
        + "."
    )
    yield ""
    yield from dict.fromkeys(
        f"- {one['name']}: {one['own']}." for one in report["systems"] if one["own"]
    )
    yield ""
    yield _made_on(report)


_EVEN = 0.03
"""By how much two may differ and still be called even."""


def _beside(report: Mapping[str, Any]) -> Iterator[str]:
    yield "| | here | mem0 | |"
    yield "|---|---:|---:|---|"
    for row in report["rows"]:
        unit = f" {row['unit']}" if row["unit"] else ""
        better = row["ratio"] if row["note"] == "more is better" else 1 / row["ratio"]
        outcome = "**lost**" if better < 1 else f"{better:.2g} times as good"
        if abs(better - 1) <= _EVEN:
            outcome = "even"
        here, there = (f"{row[which]:,.3g}{unit}" for which in ("value", "baseline"))
        yield f"| {row['name']} | {here} | {there} | {outcome} |"
    yield ""
    yield (
        f"mem0ai {report['mem0ai']}; {report['turns']:,} turns, {report['questions']:,} questions;"
        f" load average {min(report['load'])} to {max(report['load'])}, our own included."
    )
    yield _made_on(report)


def commits(root: Path = ROOT) -> dict[str, list[str]]:
    """Return the committed reports by the commit that they were made from."""
    found: dict[str, list[str]] = {}
    for folder in ("evaluation/results", "bench/results"):
        for path in sorted((root / folder).glob("*.json")):
            made = json.loads(path.read_text(encoding="utf-8"))
            commit = str(made.get("commit", "?"))[:12] if isinstance(made, dict) else "?"
            found.setdefault(commit, []).append(f"{folder}/{path.name}")
    return found


def main() -> None:
    """Rewrite the block in every page, or fail when one differs from the reports."""
    if "--one-commit" in sys.argv[1:]:
        found = commits()
        if len(found) > 1 or any(not commit.isalnum() for commit in found):
            lines = (f"{commit}: {', '.join(reports)}" for commit, reports in found.items())
            sys.exit("\n".join(["reports are not all of one commit; make them again:", *lines]))
        return
    pages = {
        "README.md": first(),
        "docs/figures.md": block(),
        "docs/concepts.md": anchors(),
        "docs/scale.md": scale(),
        "docs/encryption.md": encryption(),
        "docs/surfaces/mem0.md": beside(),
        "docs/compared.md": compared(),
    }
    for name, made in pages.items():
        page = ROOT / name
        text = page.read_text(encoding="utf-8")
        parts = BLOCK.split(text)
        if len(parts) != 4:
            sys.exit(f"{name} has {len(parts) // 3} blocks of figures; it needs exactly one")
        fresh = parts[0] + parts[1] + made + parts[2] + parts[3]
        if "--check" not in sys.argv[1:]:
            page.write_text(fresh, encoding="utf-8")
        elif fresh != text:
            sys.exit(f"the figures in {name} differ from the reports: run bench/tools/figures.py")


if __name__ == "__main__":
    main()
