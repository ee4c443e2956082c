"""
Which committed reports are of the present sources? Make those anew that are not.

    python -m bench.reports                                    # lists them
    python -m bench.reports --make --data locomo=FILE --data longmemeval=FILE --data realmem=DIR

What is made lies under ``build/reports`` until ``--install`` puts it in place: so the checkout
stays the commit that is measured, and a night that was cut off goes on where it was, leaving out
what is of this commit already. A report that fails, or whose data are not given, is told at the
end, and the others go on. Data may also be given as ``HIPPOCAMPUS_BENCH_DATA_LOCOMO`` and the like.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
MEASURED = {
    "evaluation": ("src", "native", "packages/hippocampus-bench/src"),
    "bench": ("src", "native", "packages/hippocampus-bench/src", "bench/*.py", "tests/faults"),
}
"""Sources that reports of each folder depend on."""
_VARIABLE = "HIPPOCAMPUS_BENCH_DATA_"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommittedReport:
    """A committed report, and the words of the command that makes it."""

    file: Path
    """Relative to the repository's root."""
    words: tuple[str, ...]
    plots: Path | None = None

    @property
    def name(self) -> str:
        """What it is called on the command line."""
        return f"{self.file.parts[0]}.{self.file.stem}"

    def lacks(self, data: Mapping[str, Sequence[str]]) -> list[str]:
        """Return the names of data that are not given."""
        known = ("report", "plots", *data)
        named = (word[1:-1] for word in self.words if word[:1] == "{")
        return [name for name in named if name not in known]

    def command(self, data: Mapping[str, Sequence[str]], staged: Path) -> list[str]:
        """Return the command that writes it, and its plots, beside ``staged``."""
        given = {**data, "report": [str(staged)], "plots": [str(staged.parent)]}
        words = [
            part
            for word in self.words
            for part in (given[word[1:-1]] if word[:1] == "{" else [word])
        ]
        program = Path(sys.executable)
        words[0] = str(program if words[0] == "python" else program.with_name(words[0]))
        return words


def committed_reports() -> list[CommittedReport]:
    """Return all reports, in the order in which they are made."""
    text = Path(__file__).with_name("reports.toml").read_text("utf-8")
    told = tomllib.loads(text)
    order = [line.strip("[]\n") for line in text.splitlines() if line[:1] == "["]
    found = []
    for name in order:
        folder, _, stem = name.partition(".")
        about = told[folder][stem]
        found.append(
            CommittedReport(
                file=Path(folder, "results", f"{stem}.json"),
                words=tuple(shlex.split(about["run"])),
                plots=Path(about["plots"]) if "plots" in about else None,
            )
        )
    return found


def git(*words: str) -> str:
    """Return what git prints; empty where it fails."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def commit_of(file: Path) -> str:
    """Return the commit that a report was made from; empty if there is none, or it says none."""
    if not file.exists():
        return ""
    made = json.loads(file.read_text("utf-8"))
    return str(made.get("commit", "")) if isinstance(made, dict) else ""


def is_current(report: CommittedReport, commit: str) -> bool:
    """Return whether what a report depends on is now as it was in a commit."""
    if not commit.isalnum():  # "+" and "-dirty": nobody knows of what
        return False
    known = git("rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}")
    sources = MEASURED[report.file.parts[0]]
    return bool(known) and not git("diff", "--name-only", known, "--", *sources)


def make(
    reports: Sequence[CommittedReport],
    data: Mapping[str, Sequence[str]],
    staging: Path,
    *,
    current: Callable[[CommittedReport, str], bool] = is_current,
    run: Callable[[list[str]], int] = lambda command: subprocess.call(command, cwd=ROOT),
    root: Path = ROOT,
) -> Iterator[str]:
    """Make the stale ones, one after the other; yield a line of each that could not be made."""
    for number, report in enumerate(reports, 1):
        place = f"[{number}/{len(reports)}] {report.name}"
        staged = staging / report.name / report.file.name
        if any(current(report, commit_of(file)) for file in (root / report.file, staged)):
            print(f"{place}: of the present sources", flush=True)
            continue
        lacking = report.lacks(data)
        if lacking:
            yield f"{report.name}: needs {', '.join(f'--data {name}=…' for name in lacking)}"
            continue
        shutil.rmtree(staged.parent, ignore_errors=True)
        staged.parent.mkdir(parents=True)
        command = report.command(data, staged)
        print(f"{place}: {shlex.join(command)}", flush=True)
        begun = time.monotonic()
        code = run(command)
        print(f"{place}: {time.monotonic() - begun:,.0f} s", flush=True)
        if code or not staged.exists():
            yield f"{report.name}: failed with {code}"


def install(reports: Sequence[CommittedReport], staging: Path, root: Path = ROOT) -> list[str]:
    """Put what was made in its place; return the names of those reports."""
    done = []
    for report in reports:
        staged = staging / report.name / report.file.name
        if not staged.exists():
            continue
        shutil.copyfile(staged, root / report.file)
        for plot in staged.parent.glob("*.png"):
            shutil.copyfile(plot, root / (report.plots or report.file.parent) / plot.name)
        done.append(report.name)
    return done


def given_data(told: Sequence[str], environment: Mapping[str, str]) -> dict[str, list[str]]:
    """Return paths by name, of ``NAME=PATH`` and variables; a name may be given several times."""
    found: dict[str, list[str]] = {}
    for name, value in environment.items():
        if name.startswith(_VARIABLE):
            key = name.removeprefix(_VARIABLE).lower().replace("_", "-")
            found[key] = [str(Path(one).absolute()) for one in value.split(os.pathsep)]
    of_options: dict[str, list[str]] = {}
    for one in told:
        name, equals, path = one.partition("=")
        if not equals or not path:
            raise SystemExit(f"--data {one}: give NAME=PATH, such as locomo=locomo10.json")
        of_options.setdefault(name, []).append(str(Path(path).absolute()))
    return found | of_options


def main() -> None:
    """List, make or install."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.reports", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    every = committed_reports()
    parser.add_argument("--make", action="store_true", help="make those that are stale")
    parser.add_argument("--install", action="store_true", help="put what was made in its place")
    parser.add_argument("--data", action="append", default=[], metavar="NAME=PATH")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these reports")
    parser.add_argument("--staging", type=Path, default=ROOT / "build" / "reports")
    given = parser.parse_args()
    unknown = set(given.only or ()) - {report.name for report in every}
    if unknown:
        parser.error(f"--only {unknown.pop()}: must be of {', '.join(r.name for r in every)}")
    chosen = [report for report in every if not given.only or report.name in given.only]
    problems: list[str] = []
    if given.make:
        if git("status", "--porcelain", "--untracked-files=no"):
            parser.error("there are changes that no commit has: commit them, then measure")
        problems = list(make(chosen, given_data(given.data, os.environ), given.staging.absolute()))
    if given.install:
        print(f"put in place: {', '.join(install(chosen, given.staging.absolute())) or 'nothing'}")
    if not (given.make or given.install):
        for report in chosen:
            commit = commit_of(ROOT / report.file)
            state = "present" if is_current(report, commit) else "stale"
            print(f"{state:8} {commit[:12] or 'none':14} {report.file}")
    if problems:
        sys.exit("\n".join(["not made:", *problems]))


if __name__ == "__main__":
    main()
