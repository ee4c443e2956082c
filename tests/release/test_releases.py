"""What makes a release: one version, a changelog, sums, and workflows that call what there is."""

import json
import re
import shutil
import subprocess
import sys
import zlib
from dataclasses import replace
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest
import yaml

from hippocampus.errors import VERSION

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from release import (  # noqa: E402 - the root is no package
    changelog,
    checks,
    debian,
    emulated,
    evidence,
    installs,
    interpreters,
    readme,
    run,
    shrink,
    sources,
    sums,
    versions,
)  # fmt: skip

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


# ---------------------------------------------------------------- what is built, and tried


def raw_deflate(content, level=9):
    packing = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packing.compress(content) + packing.flush()


def files_of(wheel):
    with ZipFile(wheel) as opened:
        assert opened.testzip() is None
        return [
            (one.filename, one.date_time, one.external_attr, opened.read(one))
            for one in opened.infolist()
        ]


def test_a_wheel_is_packed_tighter_and_nothing_else_changes(tmp_path):
    wheels = [tmp_path / "a.whl", tmp_path / "b.whl"]
    for wheel in wheels:
        with ZipFile(wheel, "w", ZIP_DEFLATED, compresslevel=1) as made:
            for name, content in (
                ("a/é.py", b"def one(): return 1\n" * 999), ("a/py.typed", b""), ("RECORD", b"a,b"),
            ):  # fmt: skip
                info = ZipInfo(name, (2026, 11, 30, 7, 8, 10))
                info.external_attr, info.compress_type = 0o100755 << 16, ZIP_DEFLATED
                made.writestr(info, content)
    before, size = files_of(wheels[0]), wheels[0].stat().st_size

    for wheel in wheels:
        shrink.shrink(wheel, raw_deflate)

    assert before == files_of(wheels[0])
    assert wheels[0].stat().st_size < size
    assert wheels[0].read_bytes() == wheels[1].read_bytes()
    if shutil.which("unzip"):
        subprocess.run(["unzip", "-tqq", wheels[0]], check=True)


def test_what_ships_has_not_grown_unnoticed():
    """A wheel but for its native module. Whoever means to ship more raises the bound."""
    most, heads = 4_120_000, 30 + 46
    files = [
        file
        for file in (ROOT / "src/hippocampus").rglob("*")
        if file.is_file() and "__pycache__" not in file.parts and file.suffix not in {".so", ".pyd"}
    ]
    sizes = {
        file.relative_to(ROOT / "src").as_posix(): len(raw_deflate(file.read_bytes(), level=1))
        for file in files
    }
    size = sum(packed + heads + 2 * len(name) for name, packed in sizes.items())
    largest = sorted(sizes, key=sizes.__getitem__, reverse=True)[:8]

    # Packed as fast as it goes; the wheel's own packing makes it a tenth less.
    assert size < most, f"{size:,} bytes; largest: {', '.join(largest)}"


def test_an_sdist_is_unpacked_into_a_folder_of_its_own(tmp_path):
    inside = tmp_path / "x-1" / "src"
    inside.mkdir(parents=True)
    (inside / "a.py").write_text("1")
    subprocess.run(["tar", "-czf", "x-1.tar.gz", "x-1"], cwd=tmp_path, check=True)

    source = sources.unpack(tmp_path / "x-1.tar.gz", tmp_path / "fresh")

    assert tmp_path / "fresh/x-1" == source
    assert "1" == (source / "src/a.py").read_text()


def test_each_python_has_its_wheel_and_the_oldest_one_of_its_own():
    assert "cp311-cp311" == installs.built("3.11")
    assert {"cp312-abi3"} == {installs.built(one) for one in interpreters.TRYING[1:]}
    assert set(emulated.TRYING) <= set(debian.SUITES)
    assert {True, False} == {one == interpreters.BUILDING[0] for one in emulated.TRYING}


def test_an_installation_is_as_large_as_its_files_beside_pip(tmp_path):
    inside = tmp_path / "lib/python3.12/site-packages"
    for name, size in (("hippocampus/a.py", 3_000_000), ("six.py", 1_000_000), ("pip/b.py", 9)):
        (inside / name).parent.mkdir(parents=True, exist_ok=True)
        (inside / name).write_bytes(b"x" * size)

    files, disk = installs.sizes(tmp_path)

    assert 4 == files <= disk < 4.1


@pytest.fixture
def tried():
    sizes = {"files_mb": 90.0, "disk_mb": 99.0, "install_s": 9.0, "demo_s": 3.0}
    return installs.Installation("3.12", "a.whl", **sizes, said=["without the model: it works"])


def test_an_installation_too_large_or_slow_to_answer_ends_a_release(tried, capsys):
    installs.judge(tried)
    with pytest.raises(SystemExit, match="at most 120 MB"):
        installs.judge(replace(tried, files_mb=120.1))
    with pytest.raises(SystemExit, match="answer within 20 s"):
        installs.judge(replace(tried, demo_s=20.1))

    assert "a.whl: 90 MB on Python 3.12, 99 with the ends of blocks" in capsys.readouterr().out


def test_the_report_of_a_release_names_all_files_installations_and_gaps(tmp_path, tried):
    (tmp_path / "a.whl").write_bytes(b"wheel")
    run.missed("the wheel of a moon")

    told = evidence.report(tmp_path, "abc", [tried], ["on aarch64, it works"], twice=True)
    evidence.write(tmp_path / "new/report.json", told)

    read = json.loads((tmp_path / "new/report.json").read_text("utf-8"))
    assert ("abc", True) == (read["commit"], read["built_twice_alike"])
    assert {"a.whl": 5} == {name: file["bytes"] for name, file in read["files"].items()}
    assert [("3.12", 3.0)] == [(one["python"], one["demo_s"]) for one in read["installations"]]
    assert ["on aarch64, it works"] == read["under_an_emulator"]
    assert "the wheel of a moon" in read["not_tried"]


def test_a_model_is_tried_where_one_is_installed(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert installs.models_here() is None

    (tmp_path / "hippocampus/models" / installs.MODEL).mkdir(parents=True)

    assert tmp_path == installs.models_here()


def test_what_cannot_be_tried_is_said_at_once_and_at_the_end(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(interpreters, "places", lambda _: [])

    assert not emulated.try_in("3.13", "aarch64", tmp_path, tmp_path, None)
    assert not installs.try_in("3.14", tmp_path, tmp_path, None)

    said = capsys.readouterr().out.splitlines()
    assert "NOT TRIED: the wheel of aarch64 for Python 3.13: no qemu-aarch64" in said[0]
    assert "NOT TRIED: Python 3.14, which is not here" in said[1]
    assert 2 == len([what for what in run.all_missed() if what in "\n".join(said)])


def test_debian_is_asked_as_by_an_empty_system_in_a_folder(tmp_path):
    call = debian.apt(tmp_path, "sid", "aarch64")

    assert "-oAPT::Architecture=arm64" in call
    assert f"-oDir::State::Status={tmp_path / 'status'}" in call
    assert "" == (tmp_path / "status").read_text()
    assert "/debian sid main" in (tmp_path / "list").read_text()
    places = [word.partition("=")[2] for word in call if word.startswith("-oDir::")]
    assert all(place == "/dev/null" or place.startswith(str(tmp_path)) for place in places)


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
