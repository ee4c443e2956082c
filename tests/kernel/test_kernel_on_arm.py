"""The encoder gives the same bits on another architecture, run by an emulator."""

import shutil
import subprocess
from pathlib import Path

import pytest

NATIVE = Path(__file__).parents[2] / "native"
HOST, ARM, EMULATOR = "c++", "aarch64-linux-gnu-g++", "qemu-aarch64"
FLAGS = ["-std=c++20", "-O2", "-Wno-psabi", "-ffp-contract=off", "-static", "-pthread"]


def hashes(compiler, program, *runner):
    """Compile the native test with a compiler; return what it prints."""
    source = NATIVE / "tests" / "encoder.cpp"
    subprocess.run([compiler, *FLAGS, f"-I{NATIVE / 'include'}", source, "-o", program], check=True)
    run = subprocess.run([*runner, program], check=True, capture_output=True, text=True)
    return set(run.stdout.split())


@pytest.mark.slow
@pytest.mark.skipif(
    None in map(shutil.which, (HOST, ARM, EMULATOR)),
    reason="a compiler for ARM and an emulator are not here: g++-aarch64-linux-gnu, qemu-user",
)
def test_states_have_the_same_bits_on_arm(tmp_path):
    here = hashes(HOST, tmp_path / "here")

    assert len(here) == 1
    for processor in ("max", "cortex-a72"):  # with sdot, and without
        assert hashes(ARM, tmp_path / "arm", EMULATOR, "-cpu", processor) == here
