"""The archive of sources has what the wheel is built from, and nothing else."""

import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KNOWN = {
    "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "PKG-INFO", "README.md",
    "SECURITY.md", "native", "pyproject.toml", "src",
}  # fmt: skip


@pytest.fixture(scope="module")
def archived(tmp_path_factory):
    """Return the names of all files in the archive, without the folder that all are in."""
    made = tmp_path_factory.mktemp("sdist")
    build = "from scikit_build_core.build import build_sdist as b; import sys; b(sys.argv[1])"
    done = subprocess.run(
        [sys.executable, "-P", "-c", build, made],
        cwd=ROOT, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert 0 == done.returncode, done.stderr
    (archive,) = made.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        return {one.name.partition("/")[2] for one in opened.getmembers() if one.isfile()}


@pytest.mark.slow
def test_it_has_no_tests_results_or_settings_of_our_tools(archived):
    assert set() == {name.partition("/")[0] for name in archived} - KNOWN
    assert not any(name.startswith("native/tests/") for name in archived)


@pytest.mark.slow
def test_it_has_all_that_the_wheel_is_built_from(archived):
    wanted = {
        file.relative_to(ROOT).as_posix()
        for folder in ("src/hippocampus", "native/bindings", "native/include")
        for file in (ROOT / folder).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts and file.suffix != ".so"
    }
    wanted |= {"pyproject.toml", "README.md", "LICENSE", "native/CMakeLists.txt"}

    assert set() == wanted - archived
