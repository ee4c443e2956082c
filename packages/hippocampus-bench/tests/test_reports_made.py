"""One command makes the committed reports anew that are stale, and goes on where it was cut off."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from bench.reports import committed_reports, given_data, install, make

ROOT = Path(__file__).parents[3]
EVERY = committed_reports()
DATA = {
    name: [f"{name}.json"]
    for report in EVERY for word in report.words if word[:1] == "{"
    if (name := word[1:-1]) not in ("report", "plots")
}  # fmt: skip


def writes(commit, fails=()):
    """Return what runs a command as far as its report goes, and a list of what it ran."""
    ran = []

    def run(command):
        report = Path(command[command.index("--report" if "--report" in command else "--out") + 1])
        ran.append(report.stem)
        if report.stem in fails:
            return 3
        report.write_text(json.dumps({"commit": commit}))
        report.with_suffix(".png").write_bytes(b"plot")
        return 0

    return run, ran


def test_the_committed_reports_are_exactly_those_that_have_a_command():
    there = {path.relative_to(ROOT) for path in ROOT.glob("*/results/*.json")}

    assert there == {report.file for report in EVERY}
    assert all((ROOT / report.plots).is_dir() for report in EVERY if report.plots)


@pytest.mark.parametrize("report", EVERY, ids=lambda report: report.name)
def test_a_command_has_options_that_there_are(report, tmp_path):
    command = report.command(DATA, tmp_path / report.file.name)
    program = command[: 3 if command[1] == "-m" else 2]

    assert all(word in helped(*program) for word in command if word.startswith("--"))


@cache
def helped(*program):
    """Return what a program says of its options."""
    env = {"COLUMNS": "200", "PATH": str(Path(sys.executable).parent)}
    return subprocess.run(
        [*program, "--help"], capture_output=True, text=True, check=True, cwd=ROOT, env=env
    ).stdout


def test_what_was_cut_off_goes_on_without_making_anew_what_is_current(tmp_path):
    root, staging = tmp_path / "root", tmp_path / "staging"
    first, second, third = EVERY[:3]
    (root / first.file).parent.mkdir(parents=True)
    (root / first.file).write_text('{"commit": "now"}')

    def going(fails=()):
        run, ran = writes("now", fails)
        how = {"current": lambda _, commit: commit == "now", "run": run, "root": root}
        return list(make(EVERY[:3], DATA, staging, **how)), ran

    problems, ran = going(fails=[third.file.stem])
    assert [second.file.stem, third.file.stem] == ran
    assert [f"{third.name}: failed with 3"] == problems
    assert ([], [third.file.stem]) == going()
    assert ([], []) == going()
    assert [second.name, third.name] == install(EVERY[:3], staging, root)
    assert '{"commit": "now"}' == (root / third.file).read_text()
    assert (root / third.file).with_suffix(".png").exists()


def test_a_report_whose_data_are_not_given_is_told_without_stopping_the_others(tmp_path):
    run, ran = writes("now")
    some = [report for report in EVERY if report.file.stem in ("locomo", "passages")]

    problems = list(make(some, {}, tmp_path, current=lambda *_: False, run=run, root=tmp_path))

    assert ["evaluation.locomo: needs --data locomo=…"] == problems
    assert ["passages"] == ran


def test_data_are_named_by_options_and_variables():
    variables = {"HIPPOCAMPUS_BENCH_DATA_PEER_PYTHON": "/a/python", "OTHER": "x"}

    assert {"peer-python": ["/a/python"], "locomo": ["/a/x", "/a/y"]} == given_data(
        ["locomo=/a/x", "locomo=/a/y"], variables
    )
    with pytest.raises(SystemExit, match="NAME=PATH"):
        given_data(["locomo"], {})
