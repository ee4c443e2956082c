"""Stage the documentation: the repository's pages, and those made from code and reports."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.tools import references

ROOT = Path(__file__).parents[2]
STAGED = ROOT / "build" / "docs"
PAGES = ("ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "README.md")
FOLDERS = ("docs", "changelog.d")
HOME = "index.md"
SHOWN = re.compile(r"[a-z_0-9]+(@\d+)?(/turns=\d+)?")
"""Measures of a report that its page shows: all but those of one kind of question, rank or cue."""
MOST = 8
"""Measures in a row; the report has all."""
REPORTS = """# Reports

Every committed report of `evaluation/results/`, with 95 % bootstrap intervals below each figure;
[how they are made](../evaluation.md)."""
_LINK = re.compile(r"(\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
_PICTURE = re.compile(r'<img src="([^":]+)"')
_FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


def main() -> None:
    """Write the pages to where ``zensical build`` takes them from."""
    shutil.rmtree(STAGED, ignore_errors=True)
    for page in PAGES:
        stage(ROOT / page)
    for folder in FOLDERS:
        for page in sorted((ROOT / folder).rglob("*.md")):
            stage(page)
    shutil.copy(ROOT / "docs" / "site.css", STAGED / "docs")
    made: dict[str, Callable[[], str]] = {
        "docs/reference/python.md": references.python,
        "docs/reference/cli.md": references.commands,
        "docs/reference/rest.md": references.rest,
        "docs/reference/mcp.md": references.tools,
        "docs/reference/settings.md": references.settings,
        "docs/reference/errors.md": references.problems,
        "docs/reference/reports.md": reports,
        "docs/adr/index.md": decisions,
        "changelog.d/index.md": changes,
    }
    for place, make in made.items():
        write(STAGED / place, make())


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def stage(page: Path) -> None:
    """Copy a page, and what it shows or links to that is none."""
    text = page.read_text(encoding="utf-8")
    fences = [(found.start(), found.end()) for found in _FENCED.finditer(text)]

    def lead(found: re.Match[str]) -> str:
        target = found[2]
        if "://" in target or any(a <= found.start() < b for a, b in fences):
            return found[0]
        there = (page.parent / target).resolve()
        if there.is_dir():
            return f"{found[1]}{target.rstrip('/')}/index.md{found[3]}"
        if there == ROOT / "README.md":
            target = target.replace("README.md", HOME)
        elif there.suffix != ".md":
            bring(there)
        return f"{found[1]}{target}{found[3]}"

    for picture in _PICTURE.findall(text):
        bring((page.parent / picture).resolve())
    place = page.relative_to(ROOT).as_posix()
    write(STAGED / (HOME if place == "README.md" else place), _LINK.sub(lead, text))


def bring(file: Path) -> None:
    """Copy a file that is no page to where pages link to it."""
    copy = STAGED / file.relative_to(ROOT)
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, copy)


# ---------------------------------------------------------------- what was measured and decided


def reports() -> str:
    """Return a page of every committed report: what was measured, with its interval."""
    parts = [REPORTS]
    for path in sorted((ROOT / "evaluation" / "results").glob("*.json")):
        report = json.loads(path.read_text(encoding="utf-8"))
        where = f"../../evaluation/results/{path.name}"
        copy = STAGED / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
        plots = sorted(path.parent.glob(f"{path.stem}*.png"))
        parts.append(f"## {path.stem}\n\n[All of it]({where}) · commit `{report['commit'][:12]}`")
        parts += measured(report)
        for plot in plots:
            shutil.copy(plot, STAGED / plot.relative_to(ROOT))
            parts.append(f"![{plot.stem}](../../evaluation/results/{plot.name})")
    return "\n\n".join(parts) + "\n"


def measured(report: dict[str, Any]) -> Iterator[str]:
    """Yield a table of a report, if it has measures: a line for ours, and for each baseline."""
    systems = {"hippocampus": report, **report.get("baselines", {})}
    names = [name for name in report.get("metrics", {}) if SHOWN.fullmatch(name)][:MOST]
    if names:
        lines = [
            f"| | {' | '.join(f'`{name}`' for name in names)} |",
            "|---" * (len(names) + 1) + "|",
        ]
        for system, one in systems.items():
            cells = (shown(one.get("metrics", {}).get(name)) for name in names)
            lines.append(f"| {system} | {' | '.join(cells)} |")
        yield "\n".join(lines)


def shown(found: dict[str, float] | None) -> str:
    if found is None:
        return ""
    interval = f"{found['low']:.3g} to {found['high']:.3g}"
    return f"{found['value']:.3g}<br><small>{interval}</small>"


def decisions() -> str:
    return listing("Decisions", ROOT / "docs" / "adr")


def changes() -> str:
    return listing("Changes", ROOT / "changelog.d")


def listing(title: str, folder: Path) -> str:
    """Return a page that leads to those of a folder, by their first lines."""
    rows = []
    for page in sorted(folder.glob("*.md")):
        first = page.read_text(encoding="utf-8").splitlines()[0].lstrip("# ")
        rows.append(f"- [{first}]({page.name})")
    return "\n".join([f"# {title}", "", *rows]) + "\n"


if __name__ == "__main__":
    sys.exit(main())
