"""A published site has a folder for each version, and no link in it that leads nowhere."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from functools import partial

import pytest
import yaml
from docs_blocks import ROOT

TOOLS = ROOT / "bench" / "tools"
WORKFLOW = ROOT / ".github" / "workflows" / "docs.yml"
AS_DOCS = ("-c", "user.name=docs", "-c", "user.email=docs@example.com")


def tool(name):
    spec = importlib.util.spec_from_file_location(f"docs_{name}", TOOLS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


links, publishing = tool("links"), tool("publish")


@pytest.fixture
def site(tmp_path):
    """A built site of two pages, as make docs leaves it."""
    folder = tmp_path / "site"
    (folder / "docs").mkdir(parents=True)
    (folder / "index.html").write_text('<h1 id="top">Start</h1><a href="docs/a.html#x">A</a>')
    (folder / "docs" / "a.html").write_text('<h2 id="x">X</h2><a href="../index.html">up</a>')
    (folder / "404.html").write_text('<a href="/index.html">home</a>')
    return folder


def listed(pages):
    return json.loads((pages / "versions.json").read_text())


def test_versions_stay_beside_one_another_with_the_newest_release_first(site, tmp_path):
    pages = tmp_path / "pages"
    for version in ("dev", "v0.9.0", "v0.10.0"):
        publishing.publish(site, pages, version)
    versions = publishing.publish(site, pages, "dev")

    assert versions == ["0.10", "0.9", "dev"]
    assert [one["version"] for one in listed(pages)] == versions
    assert [one["aliases"] for one in listed(pages)] == [["latest"], [], []]
    assert 'url=0.10/"' in (pages / "index.html").read_text()
    assert 'url=../../0.10/docs/a.html"' in (pages / "latest" / "docs" / "a.html").read_text()


def test_a_mended_release_takes_the_place_of_its_own_version_alone(site, tmp_path):
    pages = tmp_path / "pages"
    publishing.publish(site, pages, "0.1.0")
    publishing.publish(site, pages, "0.2.0")
    (site / "docs" / "a.html").write_text('<h2 id="x">Mended</h2>')

    assert publishing.publish(site, pages, "0.1.1") == ["0.2", "0.1"]
    assert "Mended" in (pages / "0.1" / "docs" / "a.html").read_text()
    assert "Mended" not in (pages / "0.2" / "docs" / "a.html").read_text()


def test_before_a_release_the_newest_is_what_is_being_made(site, tmp_path):
    publishing.publish(site, tmp_path / "pages", "dev")

    assert [("dev", ["latest"])] == [
        (one["version"], one["aliases"]) for one in listed(tmp_path / "pages")
    ]
    assert 'url=dev/"' in (tmp_path / "pages" / "index.html").read_text()


def test_what_others_keep_on_the_published_site_stays(site, tmp_path):
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "CNAME").write_text("memory.example.com")
    publishing.publish(site, pages, "dev")

    assert (pages / "CNAME").read_text() == "memory.example.com"


@pytest.mark.parametrize("version", ["", "latest", "../up", "1", "0.1.0rc1"])
def test_a_version_that_is_none_is_refused(version):
    with pytest.raises(SystemExit, match="is no version"):
        publishing.named(version)


def test_the_links_of_a_good_site_lead_somewhere(site):
    assert list(links.broken(site)) == []


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("docs/b.html", "is not there"),
        ("docs/a.html#y", "names no place of that page"),
        ("#y", "names no place of that page"),
        ("../secret.html", "leads out of the site"),
    ],
)
def test_a_link_that_leads_nowhere_is_told_with_its_page(site, address, problem):
    (site / "index.html").write_text(f'<a href="{address}">there</a>')

    assert [f"index.html: {address}: {problem}"] == list(links.broken(site))[:1]


def test_links_to_elsewhere_are_listed_without_being_followed(site):
    (site / "index.html").write_text('<a href="https://example.com/a">there</a>')

    assert list(links.broken(site)) == []
    assert links.elsewhere(site) == ["https://example.com/a"]


def test_the_site_has_a_selector_that_lists_the_versions():
    built = tomllib.loads((ROOT / "zensical.toml").read_text())["project"]

    assert built["extra"]["version"] == {"provider": "mike", "default": publishing.LATEST}


# ---------------------------------------------------------------- the workflow of a forge


@pytest.fixture
def forge(tmp_path, site):
    """A checkout with a remote, as the workflow finds it, and the steps that publish."""
    remote, checkout = tmp_path / "remote.git", tmp_path / "checkout"
    run = partial(subprocess.run, check=True, capture_output=True, text=True)
    run(["git", "init", "--quiet", "--bare", remote])
    run(["git", "clone", "--quiet", remote, checkout])
    shutil.copytree(TOOLS, checkout / "bench" / "tools")
    shutil.copytree(site, checkout / "build" / "site")
    (checkout / ".gitignore").write_text("build/\n")
    for words in (
        ["add", "."],
        [*AS_DOCS, "commit", "--quiet", "-m", "Begin"],
        ["push", "-q", "origin", "HEAD"],
    ):
        run(["git", *words], cwd=checkout)
    steps = yaml.safe_load(WORKFLOW.read_text())["jobs"]["publish"]["steps"]
    scripts = [step["run"] for step in steps if "run" in step]

    def publish(version):
        for script in scripts:
            run(
                ["bash", "-euo", "pipefail", "-c", script],
                cwd=checkout,
                env=os.environ | {"VERSION": version},
            )
        run(["git", "worktree", "remove", "--force", "build/pages"], cwd=checkout)
        listed = ["git", "ls-tree", "-r", "--name-only", "gh-pages"]
        return set(run(listed, cwd=remote).stdout.split())

    return publish


@pytest.mark.slow
def test_the_workflow_publishes_beside_what_was_published_before(forge):
    first = forge("dev")
    second = forge("v0.2.0")

    assert {"versions.json", "index.html", "dev/docs/a.html", "latest/docs/a.html"} <= first
    assert first | {"0.2/docs/a.html", "0.2/index.html"} <= second
    assert not [name for name in second if name.startswith(("bench", "build"))]


def test_the_workflow_runs_targets_that_there_are():
    jobs = yaml.safe_load(WORKFLOW.read_text())["jobs"]
    runs = " ".join(step.get("run", "") for job in jobs.values() for step in job["steps"])
    makefile = (ROOT / "Makefile").read_text()

    assert "make docs" in runs
    assert [one for one in re.findall(r"make (\w+)", runs) if f"\n{one}:" not in makefile] == []
