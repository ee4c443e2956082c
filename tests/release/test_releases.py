"""What makes a release: one version, a changelog, sums, and workflows that call what there is."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from hippocampus.errors import VERSION

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from release import changelog, checks, interpreters, readme, sources, sums, versions  # noqa: E402 - the root is no package

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.fixture
def copied(tmp_path):
    for name in versions.PLACES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


# ---------------------------------------------------------------- the version


def test_the_version_is_one():
    assert VERSION == versions.agreed()


def test_a_version_is_written_wherever_it_stands(copied):
    versions.write("7.8.9", copied)

    assert 4 == len(versions.written(copied))
    assert {"7.8.9"} == set(versions.written(copied).values())
    assert "7.8.9" == versions.agreed(copied)


def test_a_version_that_one_place_has_otherwise_ends_a_release(copied):
    place = copied / "src/hippocampus/errors.py"
    place.write_text(place.read_text().replace(f'"{VERSION}"', '"9.9.9"'))

    with pytest.raises(SystemExit, match=r"(?s)several versions.*9\.9\.9 in src/hippocampus"):
        versions.agreed(copied)


def test_a_tag_of_another_version_ends_a_release(copied):
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@b", "-C", copied]
    for words in (["init", "-q"], ["commit", "-qm", "x", "--allow-empty"], ["tag", "v9.9.9"]):
        subprocess.run([*git, *words], check=True)

    with pytest.raises(SystemExit, match=r"9\.9\.9 by its tag"):
        versions.agreed(copied)


def test_what_is_no_version_is_not_written(copied):
    with pytest.raises(SystemExit, match=r"'v1' is no version"):
        versions.write("v1", copied)


# ---------------------------------------------------------------- the changelog


def test_files_of_the_changelog_become_a_section_with_links_that_fit():
    new = changelog.section("0.2.0", "2027-01-02", ["One [page](../docs/a.md)\nhere.\n", "Two."])

    assert "## 0.2.0 (2027-01-02)\n\n- One [page](docs/a.md)\n  here.\n- Two.\n" == new


def test_a_section_comes_before_those_that_are_there():
    first = changelog.merged("", "## 0.1.0 (x)\n\n- A.\n")
    second = changelog.merged(first, "## 0.2.0 (y)\n\n- B.\n")

    assert ["0.2.0", "0.1.0"] == re.findall(r"^## (\S+)", second, re.MULTILINE)
    assert second.startswith(changelog.HEAD)
    assert 1 == second.count("# Changes")


def test_the_notes_of_a_release_are_its_section_alone():
    three = (
        "## 0.3.0 (z)\n\n- C.\n\n## 0.2.0 (y)\n\n- B, see [b](docs/b.md).\n\n## 0.1.0 (x)\n\n- A.\n"
    )
    whole = f"{changelog.HEAD}\n{three}"

    assert "- C.\n" == changelog.notes(whole, "0.3.0")
    assert "- B, see [b](docs/b.md).\n" == changelog.notes(whole, "0.2.0")
    assert "- A.\n" == changelog.notes(whole, "0.1.0")
    for missing in ("0.1", "0.4.0", "x"):
        with pytest.raises(SystemExit, match="no section of"):
            changelog.notes(whole, missing)


def test_a_release_is_published_with_the_notes_of_its_version():
    text = (ROOT / ".github/workflows/release.yml").read_text()

    assert "--notes-file CHANGELOG.md" not in text
    assert 'release.changelog --notes "$GITHUB_REF_NAME"' in text
    assert re.search(r"gh-action-pypi-publish@[0-9a-f]{40} # v", text)


# ---------------------------------------------------------------- the page of the index

FORGE = "https://forge.example.org/ada/hippocampus"
PAGE = """![a](docs/a.png) [b](docs/start.md#one) [c](docs/adr) [d](https://example.org) [e](#f)
[`[g]` and](LICENSE)
```md
[h](docs/start.md)
```
"""


def test_links_of_the_page_lead_from_elsewhere_to_the_files_of_a_version():
    led = readme.absolute(PAGE, FORGE, "0.2.0").splitlines()

    assert f"![a]({FORGE}/raw/v0.2.0/docs/a.png)" in led[0]
    assert f"[b]({FORGE}/blob/v0.2.0/docs/start.md#one)" in led[0]
    assert f"[c]({FORGE}/tree/v0.2.0/docs/adr)" in led[0]
    assert "[d](https://example.org) [e](#f)" in led[0]
    assert f"[`[g]` and]({FORGE}/blob/v0.2.0/LICENSE)" == led[1]
    assert PAGE.splitlines()[2:] == led[2:]
    assert ["docs/a.png", "docs/start.md#one", "docs/adr", "LICENSE"] == readme.relative(PAGE)
    assert [] == readme.relative("\n".join(led))


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ({"GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "ada/h"},
         "https://github.com/ada/h"),
        ({"HIPPOCAMPUS_REPOSITORY": f"{FORGE}/"}, FORGE),
        ({"GITHUB_SERVER_URL": "https://github.com"}, ""),
    ],
)  # fmt: skip
def test_where_the_repository_is_says_the_forge_or_a_variable(monkeypatch, given, address):
    for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "HIPPOCAMPUS_REPOSITORY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)

    assert address == readme.repository()


@pytest.mark.slow
def test_what_is_built_has_no_link_that_leads_nowhere_from_the_index(tmp_path, monkeypatch):
    pytest.importorskip("scikit_build_core", reason="the group `build` has what builds it")
    monkeypatch.setenv("HIPPOCAMPUS_REPOSITORY", FORGE)
    source = sources.export(tmp_path / "sources")
    build = "import scikit_build_core.build as b; b.build_sdist('..')"
    subprocess.run([sys.executable, "-c", build], cwd=source, check=True, capture_output=True)
    (made,) = tmp_path.glob("*.tar.gz")
    page = checks.description(made)

    assert [] == readme.relative(page)
    assert f"({FORGE}/blob/v{VERSION}/docs/start.md)" in page
    assert f"({FORGE}/raw/v{VERSION}/docs/images/" in page
    checks.check_page(made)
    with pytest.raises(SystemExit, match="lead nowhere"):
        checks.check_page(made, "[a](docs/a.md)")


# ---------------------------------------------------------------- Pythons and sums


@pytest.mark.slow
def test_only_a_python_that_is_here_is_found(monkeypatch):
    here = "{}.{}".format(*sys.version_info)
    monkeypatch.setenv(f"PYTHON_{here.replace('.', '_')}", sys.executable)

    assert sys.executable == interpreters.find(here)
    assert not interpreters.answers(sys.executable, "3.99")
    assert not interpreters.answers(Path(sys.executable).with_name("nothing"), here)


def test_sums_as_sha256sum_reads_them_tell_folders_apart(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.whl").write_bytes(b"same")
        (tmp_path / name / "b.whl").write_bytes(name.encode())
    written = sums.write(tmp_path / "one")

    assert ["b.whl"] == sums.differing(tmp_path / "one", tmp_path / "two")
    assert re.fullmatch(r"[0-9a-f]{64}  a\.whl\n[0-9a-f]{64}  b\.whl\n", written.read_text())


# ---------------------------------------------------------------- workflows


def test_workflows_call_what_there_is():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for file in WORKFLOWS:
        text = file.read_text()
        assert set(re.findall(r"(?:run: |\bbash -c )make ([a-z-]+)", text)) <= targets, file.name
        for name in re.findall(r"python -m (release\.\w+)", text):
            assert (ROOT / name.replace(".", "/")).with_suffix(".py").exists(), name


def test_jobs_of_workflows_have_an_end_and_few_rights():
    for file in WORKFLOWS:
        told = yaml.safe_load(file.read_text())
        assert {"contents": "read"} == told["permissions"], file.name
        for name, job in told["jobs"].items():
            assert job["timeout-minutes"] <= 90, name
            assert set(job.get("needs", [])) <= set(told["jobs"]) or job["needs"] in told["jobs"]


@pytest.mark.skipif(
    shutil.which("check-jsonschema") is None, reason="pip install check-jsonschema has the schema"
)
def test_workflows_are_of_the_schema():
    command = ["check-jsonschema", "--builtin-schema", "vendor.github-workflows", *WORKFLOWS]

    assert 0 == subprocess.run(command, check=False, capture_output=True).returncode


# ---------------------------------------------------------------- a system without a wheel


@pytest.mark.slow
def test_a_build_without_a_compiler_says_what_is_missing(tmp_path):
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("cmake", "ninja"):
        there = Path(sys.executable).with_name(name)
        (tools / name).symlink_to(there if there.exists() else shutil.which(name))
    done = subprocess.run(
        [tools / "cmake", "-G", "Ninja", "-S", ROOT / "native", "-B", tmp_path / "build"],
        env={"PATH": str(tools)}, capture_output=True, text=True, check=False,
    )  # fmt: skip

    said = " ".join(done.stderr.split())
    assert done.returncode
    assert "no C++ compiler was found" in said
    assert "apt install g++" in said
