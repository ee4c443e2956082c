"""The kernels are compiled without a complaint by what makes programs for other systems."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

NATIVE = Path(__file__).parents[2] / "native"
KNOWN = ("-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{NATIVE / 'include'}")
MINGW = "x86_64-w64-mingw32-g++-posix"


def compiled(compiler, *args):
    program = shutil.which(compiler)
    if program is None:
        pytest.skip(f"there is no {compiler} here")
    done = subprocess.run(
        [program, *KNOWN, *args], capture_output=True, encoding="utf-8", check=False
    )
    assert 0 == done.returncode, done.stderr


@pytest.mark.slow
def test_they_are_linked_into_a_program_for_windows(tmp_path):
    made = tmp_path / "encoder.exe"
    compiled(MINGW, "-Wno-psabi", "-static", NATIVE / "tests" / "encoder.cpp", "-o", made)

    assert made.read_bytes().startswith(b"MZ")


@pytest.mark.slow
@pytest.mark.parametrize("compiler", ["clang++", MINGW])
def test_every_header_is_read_without_a_warning(compiler):
    # What can be seen without making code, with sizes and signs as Windows has them.
    compiled(compiler, "-Wno-psabi", "-fsyntax-only", NATIVE / "tests" / "sanitize.cpp")
    compiled(compiler, "-Wno-psabi", "-fsyntax-only", NATIVE / "tests" / "fuzz_wavelet.cpp")


def test_the_allocations_of_every_header_fail_in_a_test():
    headers = NATIVE / "include" / "hippo"
    seen, to_read = set(), [NATIVE / "tests" / "allocate.cpp"]
    while to_read:
        file = to_read.pop()
        named = re.findall(r'^#include "(.+)"$', file.read_text("utf-8"), re.MULTILINE)
        found = {(folder / name) for name in named for folder in (NATIVE / "include", file.parent)}
        to_read += [one for one in found if one.exists() and one not in seen]
        seen |= found

    assert set(headers.glob("*.hpp")) <= seen
