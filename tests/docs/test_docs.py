"""What the documentation says is true: code runs, links lead somewhere, figures hold."""

import json
import re
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location

import pytest
from docs_blocks import PAGES, ROOT, blocks, run

from hippocampus.encode.model_files import installed
from hippocampus.errors import DISTRIBUTION

README = ROOT / "README.md"
RUNNABLE = {"python", "pycon", "console"}
TAKE_LONG = {ROOT / "docs" / "tutorial.md"}
"""Run by test_pasting.py alone, with its shell blocks, among the tests that take long."""
WITH_CODE = [
    page
    for page in PAGES
    if page not in TAKE_LONG and any(b.language in RUNNABLE for b in blocks(page))
]
NEED_THE_MODEL = {README}
NEED_THE_BENCH = {ROOT / "docs" / "evaluation.md"}
ADRS = sorted((ROOT / "docs" / "adr").glob("*.md"))

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+\s+(.*)$", re.MULTILINE)
_FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


def name(page):
    return page.relative_to(ROOT).as_posix()


def read(page):
    return page.read_text(encoding="utf-8")


def anchors(page):
    """The names that a forge gives the headings of a page."""
    headings = _HEADING.findall(_FENCED.sub("", read(page)))
    bare = (re.sub(r"[^\w\s-]", "", heading).strip().lower() for heading in headings)
    return {re.sub(r"\s", "-", heading) for heading in bare}


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_CODE, ids=name)
def test_every_code_block_runs(page, tmp_path, monkeypatch):
    if page in NEED_THE_MODEL and installed() is None:
        pytest.skip("the default model is not installed; 'make model' installs it")
    if page in NEED_THE_BENCH:
        pytest.importorskip("hippocampus_bench")
    monkeypatch.chdir(tmp_path)

    run(page, tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_inside_the_repository_leads_somewhere(page):
    for target in _LINK.findall(_FENCED.sub("", read(page))):
        if "://" in target or target.startswith("mailto:"):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), f"{target} is not there"
        assert there.is_relative_to(ROOT), f"{target} leads out of the repository"
        assert not anchor or anchor in anchors(there), f"{target} names no heading of that page"


def first_screen(lines=60):
    return read(README).splitlines()[:lines]


def test_the_readme_begins_with_something_to_run():
    lines = first_screen()

    assert (
        lines.index("hippocampus demo        # remembers a small history and answers from it") < 12
    )
    assert lines.index("from hippocampus import Memory") < 20
    assert all(f"`{command}`" in " ".join(lines) for command in ("make demo", "make test"))


def test_the_first_screen_can_be_pasted_with_its_one_table_and_one_picture():
    text = "\n".join(first_screen())

    assert not re.search(r"^(\$ |>>> )", text, re.MULTILINE)
    assert 1 == len(re.findall(r"^\|---", text, re.MULTILINE))
    assert 1 == len(re.findall(r"^!\[", text, re.MULTILINE))
    assert text.count("```python") == 1


def test_the_readme_says_what_its_python_prints(tmp_path, monkeypatch, capsys):
    if installed() is None:
        pytest.skip("the default model is not installed; 'make model' installs it")
    monkeypatch.chdir(tmp_path)
    run(README, tmp_path)
    said = re.findall(r"^print\(.*\)  # (.*)$", read(README), re.MULTILINE)

    assert said
    assert said == capsys.readouterr().out.splitlines()


def test_nothing_tells_anyone_to_install_another_projects_package():
    wrong = re.compile(
        r"(?:pip|pipx|uv(?: pip)?|uvx) (?:install |add )?(?:-U )?['\"]?hippocampus\b(?!-)"
    )
    sources = [*PAGES, *(ROOT / "src").rglob("*.py"), ROOT / "pyproject.toml", ROOT / "Makefile"]

    assert DISTRIBUTION == "hippocampus-memory"
    assert [name(page) for page in sources if wrong.search(read(page))] == []


def test_the_architecture_tells_of_every_folder():
    package = ROOT / "src" / "hippocampus"
    folders = {path.parent.name for path in package.glob("*/__init__.py")}
    rows = [line for line in read(ROOT / "ARCHITECTURE.md").splitlines() if line.startswith("| `")]

    assert [folder for folder in sorted(folders) if f"`{folder}/`" not in " ".join(rows)] == []


def test_the_architecture_is_read_in_one_sitting():
    """It had 3 656 words before the house was rebuilt, and was to have half of them."""
    text = read(ROOT / "ARCHITECTURE.md")

    assert len(text.split()) <= 3656 // 2
    assert 3 == text.count("```mermaid")


def test_decision_records_numbered_without_gaps_say_what_they_decide():
    numbers = [int(page.name[:4]) for page in ADRS]

    assert numbers == list(range(1, len(ADRS) + 1))
    for page in ADRS:
        text = read(page)
        assert text.startswith(f"# {page.name[:4]} "), name(page)
        for part in ("Status", "Context", "Decision", "Consequences"):
            assert f"## {part}\n" in text, f"{name(page)} lacks {part}"


def test_every_change_of_the_changelog_says_something_under_a_number():
    entries = sorted((ROOT / "changelog.d").glob("*.md"))

    assert entries
    assert all(re.fullmatch(r"\d{4}-[a-z0-9-]+\.md", entry.name) for entry in entries)
    assert all(len(read(entry).split()) >= 5 for entry in entries)


# ---------------------------------------------------------------- figures

FIGURES = ROOT / "bench" / "tools" / "figures.py"


@pytest.fixture(scope="module")
def figures():
    spec = spec_from_file_location("figures", FIGURES)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def reports(tmp_path):
    """A folder laid out as the repository is, to put reports into."""
    for place in ("evaluation/results", "bench/results"):
        (tmp_path / place).mkdir(parents=True)
    return tmp_path


MACHINE = {"cpu": "A Processor", "cores": 2, "python": "3.11.7"}


def estimate(value):
    return {"value": value, "low": value - 0.02, "high": value + 0.02, "n": 786}


def write_report(root, benchmark, measure):
    report = {
        "benchmark": benchmark,
        "commit": "0123456789abcdef",
        "machine": MACHINE,
        "metrics": {measure: estimate(0.81)},
        "latency_ms": {"recall": {"p50": 7.25}},
        "baselines": {"lexical": {"metrics": {measure: estimate(0.57)}}},
    }
    (root / "evaluation" / "results" / f"{benchmark}.json").write_text(json.dumps(report))


def test_the_figures_of_the_pages_are_those_of_the_committed_reports():
    done = subprocess.run(
        [sys.executable, FIGURES, "--check"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr


def test_without_reports_there_are_no_figures(figures, reports):
    assert figures.block(reports) == "No report has been committed yet.\n"
    assert figures.first(reports) == "No report has been committed yet.\n"
    assert figures.anchors(reports) == "No report has been committed yet.\n"
    assert figures.beside(reports) == "No report has been committed yet.\n"
    assert figures.compared(reports) == "No report has been committed yet.\n"


def test_reports_are_told_apart_by_the_commit_that_they_are_of(figures, reports):
    write_report(reports, "locomo", "evidence_recall@10")
    write_report(reports, "realmem", "session_recall_all@5")

    assert {
        "0123456789ab": ["evaluation/results/locomo.json", "evaluation/results/realmem.json"]
    } == (figures.commits(reports))


def test_a_report_that_is_missing_leaves_only_its_row_out(figures, reports):
    write_report(reports, "locomo", "evidence_recall@10")
    write_report(reports, "realmem", "session_recall_all@5")

    made = figures.block(reports)

    assert "**0.810** [0.790, 0.830] | 0.570 |" in made
    assert "786 | 7.2 ms" in made
    assert "RealMem" in made
    assert "LongMemEval" not in made
    assert made.count("Commit: `0123456789ab`") == 1


def test_speed_stands_beside_what_it_is_compared_with(figures, reports):
    note = "50 000 episodes"
    rows = [
        {
            "name": "recall, 50 k, p50",
            "value": 1.5,
            "unit": "ms",
            "baseline": 3,
            "ratio": 0.5,
            "note": note,
        },
        {"name": "disk an episode, whole file", "value": 1234, "unit": "bytes"},
        {"name": "of no interest to a reader", "value": 1, "unit": "ms"},
    ]
    speed = {"machine": MACHINE, "commit": "0123456789abcdef", "rows": rows}
    (reports / "bench" / "results" / "speed.json").write_text(json.dumps(speed))

    made = figures.block(reports)

    assert "| recall, 50 k, p50 | 1.5 ms | 3 | 0.5x | 50 000 episodes |" in made
    assert "of no interest" not in made
    assert "| disk an episode, whole file | 1,234 bytes |  |  |  |" in made


def spread(median, low=None):
    return {"median": median, "low": median if low is None else low, "high": median}


def beside(system, kind, size, **figures):
    ours = system.startswith("hippo")
    return {"system": system, "kind": kind, "size": size, "ours": ours, "figures": figures}


def test_other_stores_stand_beside_ours_by_what_they_search_by(figures, reports):
    report = {
        "machine": MACHINE,
        "commit": "0123456789abcdef",
        "rows": [
            beside("hippocampus", "hybrid", 1000, disk=spread(2.5), adds=spread(1234.0, 1111.0)),
            beside("an engine", "words", 1000, disk=spread(0.5)),
            beside("hippocampus", "hybrid", 200_000, disk=spread(500.0)),
        ],
        "found": [{"system": "hippocampus", "LoCoMo recall@10": 0.85}],
        "lost": [
            {
                "system": "hippocampus",
                "kind": "hybrid",
                "size": 1000,
                "measure": "disk",
                "here": 2.5,
                "there": 0.5,
                "to": "an engine",
            }
        ],
        "left_out": [{"system": "another", "size": 1000, "reason": "not installed"}],
        "systems": [{"name": "an engine", "package": "engine", "version": "1.0", "own": ""}],
    }
    (reports / "bench" / "results" / "peers.json").write_text(json.dumps(report))
    (reports / "bench" / "peers").mkdir()
    (reports / "bench" / "peers" / "reasons.toml").write_text(
        '[[reason]]\nkinds = ["hybrid"]\nof = ["disk"]\nwhy = "it keeps more."\n'
        '[[reason]]\nkinds = ["words"]\nof = ["disk"]\nwhy = "of no interest."\n'
    )

    short, whole = figures.block(reports), figures.compared(reports)
    first = figures.first(reports)
    assert "| | **hippocampus** |" in first
    assert "are of 1,000 texts" in first
    assert "| disk | **2.5 MB** |" in first
    assert "| one search, median |  |" in first

    assert "1,000 texts" in short
    assert "| **hippocampus** | 1,234 |  |" in short
    assert "| 2.5 | 0.850 |" in short
    assert short.index("*words and vectors*") < short.index("*words alone*")
    assert "1,234 (1,111 to 1,234)" in whole
    assert "### 200,000 texts" in whole
    assert "- another, 1,000: not installed" in whole
    assert "| hippocampus | 1,000 | disk | 2.5 | 0.5 | an engine |" in whole
    assert "- **disk** (words and vectors): it keeps more." in whole
    assert "of no interest" not in whole
    assert "engine 1.0." in whole
