"""The binding tells what it is, and lets a path be forced."""

import subprocess
import sys
from pathlib import Path

import kernel_reference as reference
import numpy as np
import pytest

from hippocampus import kernel
from hippocampus.kernel import build_info, set_simd_path

ROOT = Path(__file__).parents[2]


def test_a_forced_path_is_the_one_in_use_until_it_is_given_back(paths):
    try:
        for path in paths:
            set_simd_path(path)
            assert build_info()["simd"] == path
    finally:
        set_simd_path("auto")
    assert build_info()["simd"] == build_info()["simd_best"] == paths[-1]
    assert build_info()["compiler"]


def test_an_unknown_path_is_refused_without_changing_anything():
    before = build_info()
    with pytest.raises(ValueError, match="path 'mmx' is unknown: use auto, scalar, avx2 or avx512"):
        set_simd_path("mmx")
    assert build_info() == before


def test_every_kernel_has_a_reference():
    about_the_build = {"MAPS_FILES", "ENDS_IN_TIME", "build_info", "set_simd_path"}
    of_the_system = {"end_in_time"}
    kernels = set(kernel.__all__) - about_the_build - of_the_system
    assert all(hasattr(reference, name) for name in kernels)


def test_results_own_their_memory():
    scores = np.arange(100, dtype=np.float32)
    best = kernel.top_k(scores, 3)
    del scores

    assert best.tolist() == [99, 98, 97]
    assert best.flags.writeable
    assert best.flags.c_contiguous


def test_the_committed_stub_is_that_of_the_module():
    script = ROOT / "bench" / "tools" / "stubs.py"
    command = [sys.executable, script, "--check"]
    found = subprocess.run(command, check=False, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
