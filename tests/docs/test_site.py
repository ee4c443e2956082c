"""The documentation site has every page, every verb and every setting, and links that lead."""

import asyncio
import importlib.util
import inspect
import os
import re
import subprocess
import sys
import tomllib

import pytest
from docs_blocks import ROOT

import hippocampus
from hippocampus import Bank, Config, Memory, errors
from hippocampus.aio import AsyncBank
from hippocampus.mcp import create_server
from hippocampus.verbs import BANK_VERBS

BUILDER = ROOT / "bench" / "tools" / "site.py"
NOT_IN_THE_MENU = {"adr"}
KINDS = {".py", ".toml"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    spec = importlib.util.spec_from_file_location("site_builder", BUILDER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.STAGED = tmp_path_factory.mktemp("site") / "docs"
    module.main()
    return module.STAGED


def named(menu):
    for entry in menu:
        if isinstance(entry, str):
            yield entry
        else:
            for below in entry.values():
                yield from [below] if isinstance(below, str) else named(below)


@pytest.mark.slow
def test_the_menu_leads_to_every_page_of_the_docs_without_a_dead_entry(site):
    menu = set(named(tomllib.loads((ROOT / "zensical.toml").read_text())["project"]["nav"]))
    pages = {
        page.relative_to(ROOT).as_posix()
        for page in (ROOT / "docs").rglob("*.md")
        if page.parent.name not in NOT_IN_THE_MENU
    }

    assert sorted(pages - menu) == []
    assert sorted(place for place in menu if not (site / place).exists()) == []


@pytest.mark.slow
def test_the_reference_has_every_public_name_of_the_package(site):
    python = (site / "docs/reference/python.md").read_text()
    elsewhere = {"AsyncBank", "HippocampusError", "__version__"}  # beside `Bank`, and among errors

    rest = set(hippocampus.__all__) - elsewhere
    assert [name for name in sorted(rest) if f"## {name}\n" not in python] == []


@pytest.mark.slow
def test_the_reference_has_every_verb_and_every_setting(site):
    python = (site / "docs/reference/python.md").read_text()
    verbs = [name for name in vars(AsyncBank) if not name.startswith("_") and hasattr(Bank, name)]
    assert [name for name in verbs if name != "name" and f"### Bank.{name}\n" not in python] == []

    settings = (site / "docs/reference/settings.md").read_text()
    assert [name for name in Config.__dataclass_fields__ if f"| `{name}` |" not in settings] == []
    assert "| `HIPPOCAMPUS_EMBEDDER` |" in settings


def test_the_reference_has_every_command(site):
    page = (site / "docs/reference/cli.md").read_text()
    command = [sys.executable, "-m", "hippocampus", "sleep", "--help"]
    told = subprocess.run(
        command, capture_output=True, text=True, check=True, env=os.environ | {"COLUMNS": "200"}
    ).stdout

    assert "## sleep\n" in page
    assert "## bench\n" in page, "another distribution's, which make setup installs as well"
    assert all(option in told for option in ("--dry-run", "--undo", "--watch"))
    assert all(f"`{option}`" in page for option in ("--dry-run", "--undo", "--watch"))


def test_the_reference_has_every_route_with_its_arguments(site):
    page = (site / "docs/reference/rest.md").read_text()

    for name, verb in BANK_VERBS.items():
        _, _, told = page.partition(f"## {verb.method} /v1/banks/{{bank}}/{name}\n")
        told = told.partition("\n## ")[0]
        assert [one for one in verb.arguments if f"| `{one}` |" not in told] == [], name
    assert "## GET /v1/whoami\n" in page


def test_the_reference_has_every_tool_of_agents_with_its_arguments(site):
    page = (site / "docs/reference/mcp.md").read_text()
    with Memory(":memory:", embedder="none") as memory:
        tools = asyncio.run(create_server(lambda: memory, bank="ada").list_tools())

    for tool in tools:
        told = page.partition(f"## {tool.name}\n")[2].partition("\n## ")[0]
        named = tool.input_schema["properties"]
        assert [one for one in named if f"| `{one}` |" not in told] == [], tool.name


def test_the_reference_has_every_error_with_its_messages_and_its_codes(site):
    page = (site / "docs/reference/errors.md").read_text()
    kinds = [name for name, kind in inspect.getmembers(errors, inspect.isclass) if name != "Any"]
    small = page.partition("## BudgetTooSmall\n")[2].partition("\n## ")[0]

    assert [name for name in kinds if f"## {name}\n" not in page] == []
    assert "REST: 422. Command line: 2." in small
    assert re.search(r"^- `.*\{\w+\}.*budget", page, re.MULTILINE)


def test_the_reference_has_every_variable_of_the_environment(site):
    page = (site / "docs/reference/settings.md").read_text()
    sources = [path.read_text() for path in (ROOT / "src").rglob("*") if path.suffix in KINDS]
    named = set(re.findall(r'"(HIPPOCAMPUS_[A-Z_]+[A-Z])"', "".join(sources)))

    assert "HIPPOCAMPUS_RESIDENT" in named
    assert sorted(name for name in named if f"| `{name}` |" not in page) == []


def test_a_setting_says_in_words_what_it_may_be(site):
    page = (site / "docs/reference/settings.md").read_text()

    assert "| a whole number, at least 1 |" in page
    assert "| None or a whole number" in page or "; or None |" in page
    assert "Annotated" not in page


def test_every_committed_report_is_on_a_page(site):
    page = (site / "docs/reference/reports.md").read_text()
    reports = (ROOT / "evaluation" / "results").glob("*.json")

    assert [path.stem for path in reports if f"## {path.stem}\n" not in page] == []


@pytest.mark.slow
def test_the_site_builds_without_a_warning_or_anything_to_fetch():
    pytest.importorskip("zensical")
    done = subprocess.run(["make", "docs"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr

    fetched = [
        page.relative_to(ROOT).as_posix()
        for page in (ROOT / "build" / "site").rglob("*.html")
        for mark in ('src="http', 'rel="stylesheet" href="http')
        if mark in page.read_text(encoding="utf-8")
    ]
    assert fetched == []
