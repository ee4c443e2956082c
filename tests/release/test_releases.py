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

from release import changelog, interpreters, sums, versions  # noqa: E402 - the root is no package

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


# ---------------------------------------------------------------- Pythons and sums


def test_a_python_that_is_here_is_found_and_one_that_is_not_is_none(monkeypatch):
    here = "{}.{}".format(*sys.version_info)
    monkeypatch.setenv(f"PYTHON_{here.replace('.', '_')}", sys.executable)

    assert sys.executable == interpreters.find(here)
    assert not interpreters.answers(sys.executable, "3.99")
    assert not interpreters.answers(Path(sys.executable).with_name("nothing"), here)


def test_sums_are_as_sha256sum_reads_them_and_tell_folders_apart(tmp_path):
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
